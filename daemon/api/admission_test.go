package api

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// Retry-After follows from how fast requests are answered. The clock of the bubble stands.
func TestPace(t *testing.T) { synctest.Test(t, testPace) }

func testPace(t *testing.T) {
	begin := time.Now().Add(-10 * time.Second)
	for _, c := range []struct {
		perSecond, more int
		least, most     time.Duration
	}{
		{0, 100, time.Second, time.Second}, // nothing is known
		{100, 1, time.Second, time.Second},
		{100, 400, 4 * time.Second, 5 * time.Second},
		{10, 1_000_000, maxWait, maxWait},
		{10, -5, time.Second, time.Second},
	} {
		var p pace
		for second := range 10 {
			for i := range c.perSecond {
				p.countAnswer(begin.Add(time.Duration(second)*time.Second + time.Duration(i)*time.Second/time.Duration(c.perSecond)))
			}
		}
		for range 20 {
			if got := p.retryAfter(c.more); got < c.least || got > c.most {
				t.Errorf("%d more at %d per second: got %v; want %v to %v", c.more, c.perSecond, got, c.least, c.most)
			}
		}
	}
	var old pace // what was long ago does not count
	old.countAnswer(begin.Add(-time.Hour))
	if got := old.retryAfter(10); got < maxWait {
		t.Errorf("after an hour of silence: got %v; want %v", got, maxWait)
	}
	stuck := pace{intervalBegin: time.Now().Add(-2 * time.Second)} // two seconds without an answer
	if got := stuck.retryAfter(10); got < 5*time.Second {
		t.Errorf("nothing is answered: got %v; want 5 s and some", got)
	}
}

// A device that is away makes the daemon unready at once; work is refused only
// when it stays away, because what is queued may still be answered.
func TestUnready(t *testing.T) {
	var health, down atomic.Value
	get := func(v *atomic.Value) func() error {
		return func() error {
			if e, _ := v.Load().(string); e != "" {
				return errors.New(e)
			}
			return nil
		}
	}
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.WhyUnready, c.WhyDown = get(&health), get(&down)
	})
	for _, c := range []struct {
		health, down       string
		ready, live, score int
	}{
		{"", "", 200, 200, 200}, {"no device", "", 503, 200, 200}, {"no device", "no heartbeat", 503, 200, 503}, {"", "", 200, 200, 200},
	} {
		health.Store(c.health)
		down.Store(c.down)
		for path, want := range map[string]int{"/health": c.ready, "/v2/health/ready": c.ready, "/v2/health/live": c.live} {
			status, h, body := s.do(t, "GET", path, "")
			if status != want || status == 503 && h.Get("Retry-After") == "" || path == "/health" && !strings.Contains(body, c.health) {
				t.Errorf("%+v: %s: got %d %s; want %d", c, path, status, body, want)
			}
		}
		status, h, body := s.do(t, "POST", "/v1/score", `{"test":"sum"}`)
		if status != c.score || !strings.Contains(body, c.down) || status == 503 && (h.Get("Retry-After") == "" || h.Get("Connection") != "close") {
			t.Errorf("%+v: score: got %d %v %s; want %d", c, status, h, body, c.score)
		}
	}
}

// A connection beyond the bound gets a whole answer that says why while all the
// others are busy; where one waits for its client, the one that has waited
// longest is closed for it.
func TestCrowd(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxConns = 4 })
	busy := make([]*bufio.Reader, 4)
	for i := range busy {
		c := s.raw(t)
		io.WriteString(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"test\"")
		busy[i] = bufio.NewReader(c)
		for s.conns.Stats().Busy != i+1 {
			runtime.Gosched()
		}
		defer io.WriteString(c, ":\"sum\"}")
	}
	resp, err := http.ReadResponse(bufio.NewReader(s.raw(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	if _, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || resp.StatusCode != 503 || !resp.Close || !strings.Contains(string(b), "--max-conns") {
		t.Errorf("got %d %v %s; want 503 and the flag", resp.StatusCode, resp.Header, b)
	}
}

// Clients that hold connections and ask for nothing keep nobody out, and those
// that were let in before go last.
func TestIdleKeepNobodyOut(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxConns, c.Tokens = 8, oneToken("secret") })
	const get = "GET /v2 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n"
	known := s.raw(t)
	knownReader := bufio.NewReader(known)
	io.WriteString(known, get)
	if status, body := readAnswer(t, knownReader); status != 200 {
		t.Fatalf("got %d %s; want 200", status, body)
	}
	var idle []net.Conn
	for range 100 {
		idle = append(idle, s.raw(t))
	}
	fresh := s.raw(t)
	io.WriteString(fresh, get)
	if status, body := readAnswer(t, bufio.NewReader(fresh)); status != 200 {
		t.Errorf("a new client: got %d %s; want 200", status, body)
	}
	io.WriteString(known, get)
	if status, body := readAnswer(t, knownReader); status != 200 {
		t.Errorf("a client that was let in before: got %d %s; want 200", status, body)
	}
	if _, err := idle[0].Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection that was idle longest: got %v; want it closed", err)
	}
	if st := s.conns.Stats(); st.Refused != 0 || st.Closed < 90 || st.Busy+st.Waiting > 8 {
		t.Errorf("got %+v; want at most 8 open, at least 90 closed and none refused", st)
	}
}

// Memory follows what is sent and not what is announced, and is bounded over all
// requests.
func TestHeldBodies(t *testing.T) {
	const body, most = 1 << 20, 3 << 20
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.MaxBody, c.ClientMemory, c.ClientShare = body, most, 1
	})
	s.clientMemory.Wait = 100 * time.Millisecond
	head := fmt.Sprintf("POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", body)
	for range 50 { // announced, 50 MiB in all, and of each 10 kB sent
		io.WriteString(s.raw(t), head+strings.Repeat(" ", 10_000))
	}
	for s.Active() < 50 {
		runtime.Gosched()
	}
	if held := s.clientMemory.Held(); held != 0 {
		t.Errorf("50 announced bodies hold %d bytes; want none", held)
	}
	for range 5 { // sent but for the last byte, 5 MiB in all: there is room for two
		io.WriteString(s.raw(t), head+strings.Repeat(" ", body-1))
	}
	for i := 0; s.clientMemory.Held() < 2*body; i++ {
		if time.Sleep(time.Millisecond); i > 60_000 {
			t.Fatalf("%d bytes are held; want %d", s.clientMemory.Held(), 2*body)
		}
	}
	item := `{"test":"sum","pad":"` + strings.Repeat("x", body-100) + `"}`
	if status, h, text := s.do(t, "POST", "/v1/score", item); status != 429 || h.Get("Retry-After") == "" || !strings.Contains(text, "--max-bodies") {
		t.Errorf("got %d %s; want 429", status, text)
	}
	if status, _, text := s.do(t, "POST", "/v1/score", `{"test":"sum"}`); status != 200 {
		t.Errorf("a small body: got %d %s; want 200", status, text)
	}
	if held := s.clientMemory.Held(); held > most {
		t.Errorf("%d bytes are held; want at most %d", held, most)
	}
}

// A body arrives whole at every size around those at which its memory grows.
func TestBodySizes(t *testing.T) {
	s := serve(t, nil)
	for _, n := range []int{0, 1, firstRead - 1, firstRead, firstRead + 1, 2 * firstRead, 2*firstRead + 1, 8192, 8193, 100_000} {
		item := fmt.Sprintf(`{"test":"sum","views":[7],"pad":%q}`, strings.Repeat("x", n))
		chunked := fmt.Sprintf("POST /v1/score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(item), item)
		c := s.raw(t)
		go io.WriteString(c, chunked)
		if status, body := readAnswer(t, bufio.NewReader(c)); status != 200 || !strings.Contains(body, `"score":7.0`) {
			t.Errorf("%d bytes, chunked: got %d %s", n, status, body)
		}
		if status, _, body := s.do(t, "POST", "/v1/score", item); status != 200 || !strings.Contains(body, `"score":7.0`) {
			t.Errorf("%d bytes: got %d %s", n, status, body)
		}
	}
	for s.Active() > 0 {
		runtime.Gosched()
	}
	if held := s.clientMemory.Held(); held != 0 {
		t.Errorf("%d bytes are held after all requests", held)
	}
}

// A panic in any handler is one answer of status 500, the connection's last.
func TestPanicIsContained(t *testing.T) {
	var log lines
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	for _, path := range []string{"/v1/score", "/v1/render", "/v1/score/stream"} {
		r := s.routes[path]
		r.handle = func(_ *Server, ctx *fasthttp.RequestCtx) {
			ctx.SetBodyString("half an answer")
			panic("a bug with secrets in it")
		}
		s.routes[path] = r
		status, h, body := s.do(t, "POST", path, `{"test":"sum"}`)
		if status != 500 || !strings.Contains(body, `"internal"`) || strings.Contains(body, "secrets") || strings.Contains(body, "half") || h.Get("Connection") != "close" {
			t.Errorf("%s: got %d %s; want 500 and no details", path, status, body)
		}
	}
	if status, _, _ := s.do(t, "GET", "/health", ""); status != 200 {
		t.Error("the server did not survive")
	}
	if !strings.Contains(log.String(), "a bug with secrets in it") || !strings.Contains(log.String(), "TestPanicIsContained") {
		t.Errorf("the log has no panic with its stack: %s", log.String())
	}
}

// While the daemon drains, each answer asks its client to connect anew; whoever
// connected before the refusal is still served once.
func TestRefuse(t *testing.T) {
	s := serve(t, nil)
	const score = "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"test\":\"sum\"}"
	old := s.raw(t)
	oldReader := bufio.NewReader(old)
	io.WriteString(old, score)
	if status, body := readAnswer(t, oldReader); status != 200 {
		t.Fatalf("got %d %s; want 200", status, body)
	}
	fresh := s.raw(t) // taken, and nothing sent yet
	for s.http.GetOpenConnectionsCount() < 2 {
		runtime.Gosched()
	}
	s.Drain()
	_, h, _ := s.do(t, "GET", "/v2", "")
	if h.Get("Connection") != "close" {
		t.Errorf("an answer while draining: got %v; want Connection: close", h)
	}
	s.Refuse()
	io.WriteString(fresh, score)
	if status, body := readAnswer(t, bufio.NewReader(fresh)); status != 200 {
		t.Errorf("the first request of an older connection: got %d %s; want 200", status, body)
	}
	io.WriteString(old, score)
	resp, err := http.ReadResponse(oldReader, nil)
	if err != nil || resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !resp.Close {
		t.Errorf("a later request: got %+v, %v; want 503, Retry-After, Connection: close", resp, err)
	}
}

// A client that writes all of its body before it reads learns why it was
// refused, and one that never stops is cut off.
func TestLinger(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody = 1000 })
	const size = 20 << 20
	c := s.raw(t)
	fmt.Fprintf(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
	if n, err := io.CopyN(c, zeros{}, size); err != nil {
		t.Fatalf("after %d bytes: %v; want all of them taken", n, err)
	}
	if status, body := readAnswer(t, bufio.NewReader(c)); status != 413 {
		t.Errorf("got %d %s; want 413", status, body)
	}
	c = s.raw(t)
	io.WriteString(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n")
	if n, err := io.CopyN(c, zeros{}, 1<<50); err == nil {
		t.Errorf("%d bytes were taken without an end", n)
	}
	for s.lingering.Load() != 0 {
		runtime.Gosched()
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
