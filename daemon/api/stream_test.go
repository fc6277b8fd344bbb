package api

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// The answer to a line comes while the client still sends.
func TestStreamAnswersWhileItReads(t *testing.T) {
	s := serve(t, nil)
	body, w := io.Pipe()
	type got struct {
		resp *http.Response
		err  error
	}
	answered := make(chan got)
	go func() {
		resp, err := s.client.Post(s.url("/v1/score/stream"), "application/x-ndjson", body)
		answered <- got{resp, err}
	}()
	a := <-answered // before anything was sent
	if a.err != nil {
		t.Fatal(a.err)
	}
	defer a.resp.Body.Close()
	r := bufio.NewReader(a.resp.Body)
	for i := range 50 {
		fmt.Fprintf(w, "{\"id\":\"i%d\",\"test\":\"sum\",\"views\":[%d]}\n", i, i)
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if id, _, score := queuetest.Line([]byte(line)); id != fmt.Sprintf("i%d", i) || score != float64(i) {
			t.Errorf("line %d: got %s", i, line)
		}
	}
	w.Write([]byte(`{"id":"last","test":"sum"}`)) // no final newline
	w.Close()
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Contains(rest, []byte(`"last"`)) || bytes.Count(rest, []byte("\n")) != 1 {
		t.Errorf("got %q, %v; want the last line", rest, err)
	}
}

func TestStreamOfManyLines(t *testing.T) {
	s := serve(t, nil)
	var in bytes.Buffer
	const n = 5000
	for i := range n {
		switch i % 20 {
		case 3:
			in.WriteString("{\"id\":\n")
		case 9:
			in.WriteString("\n")
		default:
			fmt.Fprintf(&in, "{\"id\":\"i%d\",\"test\":\"sum\",\"views\":[%d]}\r\n", i, i)
		}
	}
	gz := func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
	zs := func(b []byte) []byte {
		w, _ := zstd.NewWriter(nil)
		defer w.Close()
		return w.EncodeAll(b, nil)
	}
	var first string
	for name, b := range map[string][]byte{"plain": in.Bytes(), "gzip": gz(in.Bytes()), "zstd": zs(in.Bytes())} {
		status, _, body := s.do(t, "POST", "/v1/score/stream", string(b))
		if status != 200 || strings.Count(body, "\n") != n-n/20 {
			t.Fatalf("%s: got %d with %d lines; want %d", name, status, strings.Count(body, "\n"), n-n/20)
		}
		if first == "" {
			first = body
		} else if body != first {
			t.Errorf("%s: results differ", name)
		}
	}
	if !strings.Contains(first, `{"id":"line:4","line":4,"score":null`) {
		t.Error("a bad line has no result with its number")
	}
}

// A client that does not read is not read from: memory stays bounded.
func TestStreamBackPressure(t *testing.T) {
	s := serve(t, func(_ *Config, q *queue.Config, _ *queuetest.Suite) { q.StreamWindow = 16 })
	c := s.raw(t)
	io.WriteString(c, "POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	line := `{"test":"sum","views":[1],"pad":"` + strings.Repeat("x", 1<<16) + "\"}\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n", len(line), line)
	c.SetWriteDeadline(time.Now().Add(700 * time.Millisecond))
	sent := 0
	for sent < 20_000 { // 1.3 GB if nobody stops it
		if _, err := io.WriteString(c, chunk); err != nil {
			break
		}
		sent++
	}
	if sent == 20_000 {
		t.Error("everything was taken from a client that reads nothing")
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 200<<20 {
		t.Errorf("the heap has %d bytes", m.HeapAlloc)
	}
}

// A client that goes away takes nothing with it.
func TestStreamClientGone(t *testing.T) {
	before := runtime.NumGoroutine()
	s := serve(t, nil)
	for _, head := range []string{
		"POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"test\":\"sum\"}\r\n\r\n",
		"POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{\"test\":\"sum\"}\n",
		"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{\"test\":\"sum\"}\n",
	} {
		c := s.raw(t)
		io.WriteString(c, head)
		c.Close()
	}
	for s.Active() > 0 || s.queue.Depth() > 0 {
		runtime.Gosched()
	}
	if status, _, _ := s.do(t, "POST", "/v1/score", `{"test":"sum"}`); status != 200 {
		t.Errorf("got %d after clients went away", status)
	}
	s.client.CloseIdleConnections()
	// What is left is the queue's and the server's own.
	for i := 0; runtime.NumGoroutine() > before+runtime.GOMAXPROCS(0)+12; i++ {
		if time.Sleep(10 * time.Millisecond); i > 6000 {
			b := make([]byte, 1<<20)
			t.Fatalf("goroutines are left:\n%s", b[:runtime.Stack(b, true)])
		}
	}
}

func TestStreamBrokenInput(t *testing.T) {
	s := serve(t, nil)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 3000 {
		fmt.Fprintf(w, "{\"id\":\"i%d\",\"test\":\"sum\",\"views\":[%d]}\n", i, i*7919%1000)
	}
	w.Close()
	cut := packed.Bytes()[:packed.Len()*2/3]
	status, _, body := s.do(t, "POST", "/v1/score/stream", string(cut))
	lines := strings.Split(strings.TrimSpace(body), "\n")
	last := lines[len(lines)-1]
	if status != 200 || len(lines) < 500 || !strings.Contains(last, "bad_line") || !strings.Contains(last, "unexpected EOF") {
		t.Errorf("got %d, %d lines, last %s; want the whole lines and then an error", status, len(lines), last)
	}
	bomb := new(bytes.Buffer)
	w = gzip.NewWriter(bomb)
	w.Write(make([]byte, 50<<20))
	w.Close()
	if _, _, body := s.do(t, "POST", "/v1/score/stream", bomb.String()); !strings.Contains(body, "--max-ratio") {
		t.Errorf("got %.200s; want the limit named", body)
	}
}

func TestEncodedBodies(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody = 1 << 20 })
	pack := func(b []byte) string {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.String()
	}
	zw, _ := zstd.NewWriter(nil)
	defer zw.Close()
	item := []byte(`{"test":"sum","views":[5]}`)
	for _, c := range []struct {
		encoding, body string
		status         int
		want           string
	}{
		{"gzip", pack(item), 200, `"score":5.0`},
		{"zstd", string(zw.EncodeAll(item, nil)), 200, `"score":5.0`},
		{"identity", string(item), 200, `"score":5.0`},
		{"br", string(item), 415, "bad_encoding"},
		{"gzip", "not gzip", 400, "gzip"},
		{"zstd", "not zstd at all", 400, "bad_body"},
		{"gzip", pack(item)[:20], 400, "bad_body"},
		{"gzip", pack(append(bytes.Repeat([]byte(" "), 2<<20), item...)), 413, "too_large"},
		{"zstd", string(zw.EncodeAll(make([]byte, 30<<20), nil)), 413, "too_large"},
	} {
		status, _, body := s.do(t, "POST", "/v1/score", c.body, "Content-Encoding", c.encoding)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %.10q: got %d %s; want %d with %q", c.encoding, c.body, status, body, c.status, c.want)
		}
	}
}

// What is under way when the daemon is told to stop is answered; what comes
// after that is refused with a hint to come back.
func TestDrain(t *testing.T) {
	block := make(chan struct{})
	s := serve(t, func(_ *Config, _ *queue.Config, suite *queuetest.Suite) { suite.Block = block })
	kept := s.raw(t) // a connection that was there before
	io.WriteString(kept, "GET /v2/health/ready HTTP/1.1\r\nHost: x\r\n\r\n")
	keptReader := bufio.NewReader(kept)
	if status, _ := readAnswer(t, keptReader); status != 200 {
		t.Fatalf("ready: got %d", status)
	}
	answers := make(chan string, 1)
	go func() {
		resp, err := http.Post(s.url("/v1/score"), "application/json", strings.NewReader(`{"id":"mine","test":"sum","do":"block","views":[4]}`))
		if err != nil {
			answers <- err.Error()
			return
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		answers <- fmt.Sprint(resp.StatusCode, " ", string(b), err)
	}()
	for s.queue.Depth() == 0 {
		runtime.Gosched()
	}
	s.Drain()
	if status, _, _ := s.do(t, "GET", "/v2/health/ready", ""); status != 503 {
		t.Errorf("ready while draining: got %d; want 503", status)
	}
	if status, _, _ := s.do(t, "GET", "/v2/health/live", ""); status != 200 {
		t.Errorf("live while draining: got %d; want 200", status)
	}
	if status, _, _ := s.do(t, "POST", "/v1/score", `{"test":"sum"}`); status != 200 {
		t.Errorf("score while draining: got %d; want 200: traffic still arrives", status)
	}
	s.Refuse() // the next step of Shutdown, before connections are closed
	io.WriteString(kept, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"test\":\"sum\"}")
	resp, err := http.ReadResponse(keptReader, nil)
	if err != nil || resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !resp.Close {
		t.Errorf("after the stop: got %+v, %v; want 503, Retry-After, Connection: close", resp, err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(context.Background()) }()
	select {
	case err := <-stopped:
		t.Fatalf("shut down with a request under way: %v", err)
	case <-time.After(150 * time.Millisecond):
	}
	close(block)
	if got := <-answers; !strings.HasPrefix(got, "200 ") || !strings.Contains(got, `"score":4.0`) {
		t.Errorf("the request under way got %s", got)
	}
	s.client.CloseIdleConnections()
	if err := <-stopped; err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

// A stop that may not wait cuts off what is left.
func TestShutdownDeadline(t *testing.T) {
	s := serve(t, nil)
	body, w := io.Pipe()
	defer w.Close()
	resp, err := s.client.Post(s.url("/v1/score/stream"), "application/x-ndjson", body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v; want that the time was too short", err)
	}
	if b, err := io.ReadAll(resp.Body); err == nil && len(b) > 0 {
		t.Errorf("got %q after the stop", b)
	}
	for s.Active() > 0 {
		runtime.Gosched()
	}
}
