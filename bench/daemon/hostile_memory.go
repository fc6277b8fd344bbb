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

// add counts one reply of the attacked daemon by what it was, such as "status 413" or "closed".
func (replies *replies) add(what string) {
	replies.mu.Lock()
	defer replies.mu.Unlock()
	if replies.n == nil {
		replies.n = map[string]int{}
	}
	replies.n[what]++
}

// String lists the replies with their counts.
func (replies *replies) String() string {
	replies.mu.Lock()
	defer replies.mu.Unlock()
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(replies.n)) {
		parts = append(parts, fmt.Sprintf("%s: %d", k, replies.n[k]))
	}
	return strings.Join(parts, ", ")
}

// repeat attacks the daemon's memory: one client for each body posts that body to path over and over
// for holdTime. It returns how often each kind of reply came.
func (target *target) repeat(path string, bodies ...[]byte) *replies {
	var o replies
	var all sync.WaitGroup
	end := time.Now().Add(holdTime)
	for _, data := range bodies {
		all.Go(func() {
			c := newClient(target.addr, time.Minute)
			c.token = validToken
			for time.Now().Before(end) {
				if _, err := c.post(path, data); err != nil {
					o.add(reason(err))
					time.Sleep(100 * time.Millisecond)
					continue
				}
				o.add("status 200")
			}
		})
	}
	all.Wait()
	return &o
}

// several returns the same body n times, one for each client.
func several(n int, b []byte) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = b
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

// numbers returns 8 bodies with 3.9 million small numbers each, which take much memory to parse.
// begin returns how body i begins.
func numbers(begin, end string) [][]byte {
	list := strings.Repeat("1,", 3_900_000) + "1"
	all := make([][]byte, 8)
	for i := range all {
		all[i] = []byte(fmt.Sprintf(begin, i) + list + end)
	}
	return all
}

// freehand posts scenes of freehand lines: of one with more points than allowed, and
// of five with as many as are allowed.
func freehand(t *target) (string, error) {
	o := t.repeat("/v1/render", append(several(4, scribbles(1, 350_000, 1)), several(4, scribbles(5, 65_000, 1))...)...)
	return o.String(), nil
}

// coverage posts scenes of 150 kB whose outlines touch very many pixels.
func coverage(t *target) (string, error) {
	return t.repeat("/v1/render", several(8, scribbles(1, 5000, 6))...).String(), nil
}

// scribbles returns a scene of freehand lines that cross themselves everywhere, on a canvas of
// 1200 x 800 px times k.
func scribbles(lines, points int, k float64) []byte {
	var buffer bytes.Buffer
	fmt.Fprintf(&buffer, `{"bounds":[0,0,%g,%g],"records":[`, 1200*k, 800*k)
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
			a := float64(n) * 2.4
			fmt.Fprintf(&buffer, `{"x":%.0f,"y":%.0f,"z":0.5}`, k*(600+590*math.Cos(a)), k*(400+390*math.Sin(1.37*a)))
		}
		buffer.WriteString(`]}]}}`)
	}
	buffer.WriteString(`]}`)
	return buffer.Bytes()
}

// crowd opens n connections at once, calls use with each, and counts the outcomes that use
// returns.
func (target *target) crowd(n int, use func(net.Conn) string) string {
	var o replies
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			conn, err := target.dial()
			if err != nil {
				o.add("not let in")
				return
			}
			defer conn.Close()
			o.add(use(conn))
		})
	}
	all.Wait()
	return o.String()
}

// holding opens n connections, sends each the parts and keeps them open for that time. It counts
// the daemon's answers by their first lines.
func (target *target) holding(long time.Duration, n int, parts ...[]byte) string {
	end := time.Now().Add(long)
	return target.crowd(n, func(conn net.Conn) string {
		go func() {
			conn.SetWriteDeadline(end)
			for _, p := range parts {
				if _, err := conn.Write(p); err != nil {
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

// firstLine waits until the time end for what the daemon answers on a connection and names it: the
// status of an HTTP answer, "answered" for other bytes, "held" if nothing came, "closed" if the
// connection was closed.
func firstLine(c net.Conn, end time.Time) string {
	c.SetReadDeadline(end)
	var b [4096]byte
	n, err := c.Read(b[:])
	var timeout net.Error
	switch line, _, _ := strings.Cut(string(b[:n]), "\r\n"); {
	case n > 0 && strings.HasPrefix(line, "HTTP/1.1 "):
		return "status " + line[9:12]
	case n > 0:
		return "answered"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "held"
	}
	return "closed"
}

// window returns the start of a zstd frame that asks for a window of 128 MiB, with 8 kB of its
// content.
func window(target *target) (string, error) {
	frame := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	frame = append(frame, 0, 17<<3) // no content size; 2 to the power of 10+17 bytes
	block := 8 << 10
	frame = append(frame, byte(block<<3), byte(block<<3>>8), byte(block<<3>>16)) // raw, not the last one
	frame = append(frame, bytes.Repeat([]byte(" "), block)...)
	var seen []string
	for range 3 { // memory that was used before is cleared, and so touched
		seen = append(seen, target.holding(holdTime/3, 60, []byte(head("POST", "/v1/score", validToken, "Content-Encoding: zstd", "Content-Length: 1000000")), frame))
	}
	return strings.Join(seen, "; "), nil
}

// endless sends streams whose first line has no end, 60 MB of each.
func endless(target *target) (string, error) {
	parts := [][]byte{[]byte(head("POST", "/v1/score/stream", validToken, "Transfer-Encoding: chunked"))}
	part := bytes.Repeat([]byte("x"), 1<<20)
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(part), part)
	for range 60 {
		parts = append(parts, chunk)
	}
	return target.holding(holdTime, 20, parts...), nil
}

// messages opens WebSocket sessions and sends 15.9 of 16 MB of a message in each.
func messages(target *target) (string, error) {
	const size = 16_000_000
	shake := head("GET", "/ws", validToken, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
	frame := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, size) // text, masked
	frame = append(frame, 0, 0, 0, 0)
	frame = append(frame, bytes.Repeat([]byte(" "), size-100_000)...)
	end := time.Now().Add(holdTime)
	return target.crowd(60, func(conn net.Conn) string {
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
