package api

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// until waits for what other goroutines do.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for i := 0; !ok(); i++ {
		if time.Sleep(time.Millisecond); i > 60_000 {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// Work for a client that closed its connection ends, and so does work whose deadline
// has passed: in the middle of a picture.
func TestWorkEnds(t *testing.T) {
	s := serve(t, func(_ *Config, q *queue.Config, _ *queuetest.Suite) { q.Deadline = time.Hour })
	s.engine.Endless = func(w float64) bool { return w == 13 }
	item := `{"test":"sum","views":[13],"n":%d}`
	routes := map[string]string{
		"/v1/score":        fmt.Sprintf(item, 1),
		"/v1/score?suite=": `{"items":[` + fmt.Sprintf(item, 2) + `]}`,
		"/v1/score/stream": fmt.Sprintf(item, 3) + "\n",
		"/verify":          `{"label":` + fmt.Sprintf(item, 5) + `,"response":{"output":[]}}`,
		"/step":            `{"action":{"label":` + fmt.Sprintf(item, 6) + `,"response":"x"}}`,
	}
	n := int64(0)
	for path, body := range routes {
		c := s.raw(t)
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
		n++
		until(t, path+" is worked on", func() bool { return s.engine.Begun.Load() == n })
		if s.engine.Stopped.Load() == n {
			t.Errorf("%s: the work ended while the client was there", path)
		}
		c.Close()
		until(t, path+" is given up", func() bool { return s.engine.Stopped.Load() == n })
	}
	if status, _, body := s.do(t, "POST", "/v1/score", fmt.Sprintf(item, 4), "X-Deadline-Ms", "20"); status != 504 {
		t.Errorf("got %d %s; want 504", status, body)
	}
	until(t, "the work ends with its deadline", func() bool { return s.engine.Stopped.Load() == n+1 })
	if status, _, body := s.do(t, "POST", "/v1/score", `{"test":"sum","views":[5]}`); status != 200 {
		t.Errorf("afterwards: got %d %s; want 200", status, body)
	}
}

// frame is the start of a zstd frame with a window of 2 to the power of log bytes.
func frame(log int) string {
	b := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	text := `{"test":"sum","views":[3]}`
	b = append(b, 0, byte(log-10)<<3, byte(len(text)<<3|1), byte(len(text)>>5), 0) // one raw block, the last
	return string(b) + text
}

// The window of a zstd body has a limit of its own, and counts as memory.
func TestWindow(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.LineLimits.Window, c.MaxBody, c.ClientMemory, c.ClientShare = 16<<20, 1<<20, 24<<20, 1
	})
	post := func(log int) (int, string) {
		status, _, body := s.do(t, "POST", "/v1/score", frame(log), "Content-Encoding", "zstd")
		return status, body
	}
	if status, body := post(24); status != 200 {
		t.Errorf("16 MiB: got %d %s; want 200", status, body)
	}
	if status, body := post(27); status != 413 || !strings.Contains(body, "--max-window") {
		t.Errorf("128 MiB: got %d %s; want 413 and the flag", status, body)
	}
	small := strings.Replace(frame(20), `{"test":"sum","views":[3]}`, strings.Repeat(" ", 26), 1)
	for _, both := range []string{small + frame(24), frame(24) + small} {
		if status, _, body := s.do(t, "POST", "/v1/score", both, "Content-Encoding", "zstd"); status != 200 {
			t.Errorf("frames of 1 and 16 MiB: got %d %s; want 200", status, body)
		}
	}
	if status, _, body := s.do(t, "POST", "/v1/score", small+frame(27), "Content-Encoding", "zstd"); status != 413 || !strings.Contains(body, "--max-window") {
		t.Errorf("a later frame of 128 MiB: got %d %s; want 413 and the flag", status, body)
	}
	s.clientMemory.Wait = time.Millisecond
	other := s.clientMemory.Hold("another")
	defer other.Close()
	other.Try(20 << 20)
	if status, body := post(20); status != 200 {
		t.Errorf("1 MiB where 4 are left: got %d %s; want 200", status, body)
	}
	if status, body := post(23); status != 429 || !strings.Contains(body, "--max-bodies") || !strings.Contains(body, "--client-share") {
		t.Errorf("8 MiB where 4 are left: got %d %s; want 429 and the flags", status, body)
	}
	if status, _, body := s.do(t, "POST", "/v1/score", small+frame(23), "Content-Encoding", "zstd"); status != 429 || !strings.Contains(body, "--max-bodies") {
		t.Errorf("a later frame of 8 MiB where 4 are left: got %d %s; want 429 and the flag", status, body)
	}
	if held := s.clientMemory.Held(); held != 20<<20 {
		t.Errorf("%d bytes are held at the end; want those of the other", held)
	}
}

// A line of a stream for which there is no memory is refused by name, and the next one
// is scored.
func TestStreamMemory(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.MaxBody, c.ClientMemory, c.ClientShare = 1<<20, 4<<20, 1
	})
	status, _, body := s.do(t, "POST", "/v1/score/stream", strings.Repeat("x", 10<<20)+"\n"+`{"id":"b","test":"sum","views":[3]}`+"\n")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if status != 200 || len(lines) != 2 {
		t.Fatalf("got %d %.200s; want two results", status, body)
	}
	if _, code, _ := queuetest.Line([]byte(lines[0])); code != "busy" || !strings.Contains(lines[0], "--max-bodies") {
		t.Errorf("got %s; want code busy and the flag", lines[0])
	}
	if id, _, score := queuetest.Line([]byte(lines[1])); id != "b" || score != 3 {
		t.Errorf("got %s; want 3", lines[1])
	}
	until(t, "the memory is given back", func() bool { return s.clientMemory.Held() == 0 })
}

// Messages of sessions count too.
func TestSessionMemory(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.MaxBody, c.ClientMemory, c.ClientShare = 1<<20, 2<<20, 1
	})
	s.clientMemory.Wait = 100 * time.Millisecond // bytes are counted as free just before they can be taken
	other := s.clientMemory.Hold("another")
	other.Try(2<<20 - 100<<10)
	c := s.dial(t, "")
	long := `{"type":"state","pad":"` + strings.Repeat("x", 500<<10) + `"}`
	if got := say(t, c, `{"type":"state"}`); !strings.Contains(got, `"type":"state"`) {
		t.Errorf("a short message: got %s", got)
	}
	if got := say(t, c, long); !strings.Contains(got, "--max-bodies") {
		t.Errorf("a long message: got %s; want the flag", got)
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("got %v; want a close frame that says to try again", err)
	}
	other.Close()
	until(t, "the refused session has ended", func() bool { return s.clientMemory.Held() == 0 })
	c = s.dial(t, "")
	for range 5 { // more than there is, if one of them were kept
		if err := c.WriteMessage(websocket.BinaryMessage, []byte(long)); err != nil {
			t.Fatal(err)
		}
		if _, b, err := c.ReadMessage(); err != nil || !strings.Contains(string(b), "binary") {
			t.Fatalf("binary: got %s, %v; want an error message, and a session that goes on", b, err)
		}
	}
	until(t, "the memory of binary messages is given back", func() bool { return s.clientMemory.Held() == 0 })
	if got := say(t, s.dial(t, ""), long); !strings.Contains(got, `"type":"state"`) {
		t.Errorf("with memory: got %.200s", got)
	}
	until(t, "the memory is given back", func() bool { return s.clientMemory.Held() == 0 })
}

// Scenes and masks that take much memory wait for it, or are refused where there will
// never be enough.
func TestWorkMemory(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.MaxBody, c.SceneMemory = 4<<20, memory.New("--max-memory", 20<<20, 20<<20)
	})
	long := `{"shapes":[],"pad":[` + strings.Repeat("1,", 1_000_000) + `1]}`
	for _, path := range []string{"/v1/render", "/v1/metrics"} {
		if status, _, body := s.do(t, "POST", path, long); status != 413 || !strings.Contains(body, "--max-memory") {
			t.Errorf("%s: got %d %s; want 413 and the flag", path, status, body)
		}
	}
	list := `[` + strings.Repeat("1,", 1_000_000) + `1]`
	for path, body := range map[string]string{
		"/v1/reward":    `{"label":"x","response":` + list + `}`,
		"/reward/slime": `{"label":"x","response":` + list + `}`,
		"/get_reward":   `{"query":[` + list + `],"labels":["x"]}`,
		"/verify":       `{"label":"x","response":` + list + `}`,
		"/step":         `{"action":{"label":"x","response":` + list + `}}`,
	} {
		if status, _, got := s.do(t, "POST", path, body); status != 413 || !strings.Contains(got, "--max-memory") {
			t.Errorf("%s: got %d %.200s; want 413 and the flag", path, status, got)
		}
	}
	if got := say(t, s.dial(t, ""), `{"type":"step","data":{"label":"x","response":`+list+`}}`); !strings.Contains(got, "--max-memory") {
		t.Errorf("a session: got %.200s; want the flag", got)
	}
	if held := s.cfg.SceneMemory.Held(); held != 0 {
		t.Errorf("%d bytes are held at the end; want none", held)
	}
	if status, _, body := s.do(t, "POST", "/v1/score", `{"items":[],"options":{"pad":"`+strings.Repeat("x", maxSmallBody)+`"}}`); status != 400 {
		t.Errorf("long options: got %d %s; want 400", status, body)
	}
}

// A body that comes in pieces is read whole while it grows in memory that is counted.
func TestGrowth(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.MaxBody, c.ClientMemory, c.ClientShare = 1<<20, 2<<20, 0.1
	})
	h := s.clientMemory.Hold("a")
	defer h.Close()
	want := bytes.Repeat([]byte("0123456789"), 100_000)
	got, err := s.readWhole(h, io.MultiReader(bytes.NewReader(want[:7]), bytes.NewReader(want[7:])), -1)
	if err != nil || !bytes.Equal(got, want) || h.Held() != int64(cap(got)) {
		t.Errorf("got %d bytes, %v, %d held; want %d", len(got), err, h.Held(), len(want))
	}
}
