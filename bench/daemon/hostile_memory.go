package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// holdTime is how long a probe holds what it has sent, and for how long it sends the
// same again and again.
const holdTime = 15 * time.Second

// replies counts the outcomes of requests.
type replies struct {
	mu sync.Mutex
	n  map[string]int
}

// add counts one reply of the attacked daemon by its kind, such as "status 413" or "closed".
func (replies *replies) add(kind string) {
	replies.mu.Lock()
	defer replies.mu.Unlock()
	if replies.n == nil {
		replies.n = map[string]int{}
	}
	replies.n[kind]++
}

// String returns how often each kind of reply came from the attacked daemon, such as "status 200: 3".
func (replies *replies) String() string {
	replies.mu.Lock()
	defer replies.mu.Unlock()
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(replies.n)) {
		parts = append(parts, fmt.Sprintf("%s: %d", kind, replies.n[kind]))
	}
	return strings.Join(parts, ", ")
}

// repeat attacks the daemon's memory: for each body a client, which has a token, posts that body to a path
// again and again for holdTime. It returns how often each kind of reply came.
func (target *target) repeat(path string, bodies ...[]byte) *replies {
	var got replies
	var all sync.WaitGroup
	end := time.Now().Add(holdTime)
	for _, body := range bodies {
		all.Go(func() {
			client := newClient(target.addr, time.Minute)
			client.token = validToken
			for time.Now().Before(end) {
				if _, err := client.post(path, body); err != nil {
					got.add(reason(err))
					time.Sleep(100 * time.Millisecond)
					continue
				}
				got.add("status 200")
			}
		})
	}
	all.Wait()
	return &got
}

// several returns the same body n times, one for each attacking client.
func several(n int, body []byte) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = body
	}
	return all
}

// values posts bodies of 7.8 MB that hold nothing but small numbers: parsed they
// take many times as much. No two are the same, since those would be scored once.
func values(t *target) (string, error) {
	return t.repeat("/v1/score", numbers(`{"id":"v%d","suite":"aspire","test":"line","x":[`, `]}`)...).String(), nil
}

// answers posts the same numbers as the answers of a model, which are read before
// they are scored.
func answers(t *target) (string, error) {
	return t.repeat("/v1/reward", numbers(`{"label":{"id":"v%d","suite":"aspire","test":"line"},"response":[`, `]}`)...).String(), nil
}

// numbers returns the bodies of an attack with much to parse: 8 JSON bodies with a list of 3.9 million small
// numbers each, just below the daemon's limit on the values of a line (--max-values). begin is a format for what
// stands before the list in body i, and end stands after it.
func numbers(begin, end string) [][]byte {
	const bodies, inBody = 8, 3_900_000
	list := strings.Repeat("1,", inBody) + "1"
	all := make([][]byte, bodies)
	for i := range all {
		all[i] = []byte(fmt.Sprintf(begin, i) + list + end)
	}
	return all
}

// freehand posts scenes of freehand lines: scenes of one line with more points than a shape may have, and
// scenes of five lines with almost as many points each as it may have.
func freehand(t *target) (string, error) {
	o := t.repeat("/v1/render", append(several(4, scribbles(1, 350_000, 1)), several(4, scribbles(5, 65_000, 1))...)...)
	return o.String(), nil
}

// coverage posts scenes of 150 kB whose outlines touch very many pixels.
func coverage(t *target) (string, error) {
	return t.repeat("/v1/render", several(8, scribbles(1, 5000, 6))...).String(), nil
}

// scribbles returns a scene that is much work to draw: several freehand lines of many points, which cross
// themselves everywhere, on a canvas of 1200 x 800 px times scale.
func scribbles(lines, points int, scale float64) []byte {
	var buffer bytes.Buffer
	fmt.Fprintf(&buffer, `{"bounds":[0,0,%g,%g],"records":[`, 1200*scale, 800*scale)
	for i := range lines {
		if i > 0 {
			buffer.WriteByte(',')
		}
		fmt.Fprintf(&buffer, `{"id":"shape:%d","typeName":"shape","type":"draw","x":0,"y":0,"rotation":0,"index":"a%d","parentId":"page:page","isLocked":false,"opacity":1,"meta":{},`+
			`"props":{"color":"black","fill":"none","dash":"draw","size":"m","isComplete":true,"isClosed":false,"isPen":false,"scale":1,"segments":[{"type":"free","points":[`, i, i+1)
		for n := range points {
			if n > 0 {
				buffer.WriteByte(',')
			}
			// The points jump along a curve around the middle of the canvas, and never come back to one place.
			angle := float64(n) * 2.4
			fmt.Fprintf(&buffer, `{"x":%.0f,"y":%.0f,"z":0.5}`, scale*(600+590*math.Cos(angle)), scale*(400+390*math.Sin(1.37*angle)))
		}
		buffer.WriteString(`]}]}}`)
	}
	buffer.WriteString(`]}`)
	return buffer.Bytes()
}

// useConnections opens n connections to the attacked daemon at once and calls use with each, which returns what kind
// of reply came. It returns how often each kind came, as text.
func (target *target) useConnections(n int, use func(net.Conn) string) string {
	var got replies
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			conn, err := target.dial()
			if err != nil {
				got.add("not let in")
				return
			}
			defer conn.Close()
			got.add(use(conn))
		})
	}
	all.Wait()
	return got.String()
}

// holdOpen attacks the daemon with n connections on which the parts of a request are sent, and no more. It
// keeps them open for a time, or until the daemon answers. It returns how often each kind of reply came, as
// text.
func (target *target) holdOpen(openFor time.Duration, n int, parts ...[]byte) string {
	end := time.Now().Add(openFor)
	return target.useConnections(n, func(conn net.Conn) string {
		go func() {
			conn.SetWriteDeadline(end)
			for _, part := range parts {
				if _, err := conn.Write(part); err != nil {
					return
				}
			}
		}()
		first := firstLine(conn, end)
		if first == "status 200" { // a stream has only begun
			first += ", " + firstLine(conn, end)
		}
		return first
	})
}

// firstLine waits until the time end for what the daemon answers on a connection, and returns what kind of
// reply it is: "status" and the number for an HTTP reply, "answered" for other bytes, "held" if nothing
// came, or "closed" if the daemon closed the connection.
func firstLine(conn net.Conn, end time.Time) string {
	conn.SetReadDeadline(end)
	var buffer [4096]byte
	n, err := conn.Read(buffer[:])
	var timeout net.Error
	switch line, _, _ := strings.Cut(string(buffer[:n]), "\r\n"); {
	case n > 0 && strings.HasPrefix(line, "HTTP/1.1 "):
		return "status " + line[9:12]
	case n > 0:
		return "answered"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "held"
	}
	return "closed"
}

// window attacks the memory of the daemon's decompression: its requests begin a zstd frame that asks for a
// window of 128 MiB, send 8 KiB of content, and then nothing more. It returns what replies came.
func window(target *target) (string, error) {
	const frames, zstdMagic = 60, 0xFD2FB528
	frame := binary.LittleEndian.AppendUint32(nil, zstdMagic)
	frame = append(frame, 0, 17<<3) // no content size; a window of 2 to the power of 10+17 bytes
	block := 8 << 10
	frame = append(frame, byte(block<<3), byte(block<<3>>8), byte(block<<3>>16)) // raw, not the last one
	frame = append(frame, bytes.Repeat([]byte(" "), block)...)
	// Three times: memory that was used before is cleared when it is used again, and is then really taken.
	var seen []string
	for range 3 {
		seen = append(seen, target.holdOpen(holdTime/3, frames, []byte(requestHead("POST", "/v1/score", validToken, "Content-Encoding: zstd", "Content-Length: 1000000")), frame))
	}
	return strings.Join(seen, "; "), nil
}

// endless attacks the memory of the daemon's streams: it sends 20 streams whose first line has no end, 60
// MiB of each. It returns what replies came.
func endless(target *target) (string, error) {
	const streams, chunks = 20, 60
	parts := [][]byte{[]byte(requestHead("POST", "/v1/score/stream", validToken, "Transfer-Encoding: chunked"))}
	part := bytes.Repeat([]byte("x"), 1<<20)
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(part), part)
	for range chunks {
		parts = append(parts, chunk)
	}
	return target.holdOpen(holdTime, streams, parts...), nil
}

// messages attacks the memory of the daemon's WebSocket sessions: it opens 60 of them, and in each sends all
// but the end of a message of 16 MB. It returns what replies came.
func messages(target *target) (string, error) {
	const size = 16_000_000
	shake := requestHead("GET", "/ws", validToken, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
	frame := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, size) // the last part of a text, masked, with its length in 8 bytes
	frame = append(frame, 0, 0, 0, 0)                                // the mask
	frame = append(frame, bytes.Repeat([]byte(" "), size-100_000)...)
	end := time.Now().Add(holdTime)
	return target.useConnections(60, func(conn net.Conn) string {
		conn.SetDeadline(end)
		if _, err := io.WriteString(conn, shake); err != nil || firstLine(conn, end) != "status 101" {
			return "no session"
		}
		conn.Write(frame)
		if firstLine(conn, end) == "held" {
			return "held"
		}
		return "refused"
	}), nil
}
