package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// served is a server on a port of its own, in front of a fake engine.
type served struct {
	*Server
	addr   string
	engine *queuetest.Engine
	queue  *queue.Queue
	client *http.Client
}

// serve starts a server; change may alter what it is made of.
func serve(t *testing.T, change func(*Config, *queue.Config, *queuetest.Suite)) *served {
	t.Helper()
	s := &served{engine: &queuetest.Engine{}}
	var suite queuetest.Suite
	var c Config
	metrics := NewMetrics()
	q := queuetest.Config(s.engine, suite)
	q.Watch = metrics.QueueWatch()
	if change != nil {
		change(&c, &q, &suite)
	}
	q.Items = queuetest.Config(s.engine, suite).Items
	for name := range c.Items.Tasks { // the same suite by other names
		if suites := q.Items.Suites; suites.Find(name) == nil && !strings.Contains(name, ":") {
			q.Items.Suites = append(suites, suite.As(name))
		}
	}
	q.Items.Tasks = c.Items.Tasks
	s.queue = queue.New(q)
	c.Queue, c.Items, c.Metrics = s.queue, q.Items, metrics
	c.Version = Version{Version: "test"}
	c.Editor = EditorInfo{Fidelity: "native", Tldraw: "4.2"}
	metrics.RegisterDaemon(c.Version, s.queue, func() (lost, hung int) { return 0, 0 })
	s.Server = New(c)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	go s.Serve(ln, nil)
	transport := &http.Transport{}
	s.client = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v; %d active", err, s.Active())
		}
		s.queue.Close()
		if n := s.engine.Alive.Load(); n != 0 {
			t.Errorf("%d pictures were not released", n)
		}
	})
	return s
}

func (s *served) url(path string) string { return "http://" + s.addr + path }

// do sends a request and returns status, header and body.
func (s *served) do(t *testing.T, method, path, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.url(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if resp.Close { // the client takes it out
		resp.Header.Set("Connection", "close")
	}
	return resp.StatusCode, resp.Header, string(b)
}

// raw opens a plain connection.
func (s *served) raw(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	t.Cleanup(func() { c.Close() })
	return c
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	m.Run()
}

func TestScoreStatus(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody, c.MaxItems = 5000, 3 })
	for _, c := range []struct {
		body   string
		status int
		want   string // in the body
	}{
		{`{"id":"a","test":"sum","views":[3,4]}`, 200, `"score":7.0`},
		{`{"id":"a","suite":"fake","test":"sum"}`, 200, `"score":0.0`},
		{` {"id":"a","test":"sum","items":7}`, 200, `"score":0.0`},
		{``, 400, "empty"},
		{`{`, 400, "bad_line"},
		{`[]`, 400, "bad_line"},
		{`{"id":1,"id":2}`, 400, "bad_line"},
		{`{"id":NaN}`, 400, "bad_line"},
		{`{"id":"a","suite":"chess"}`, 422, "unknown_suite"},
		{`{"items":5}`, 422, "items: got a number; want a list"},
		{`{"items":{"id":"a"},"options":{}}`, 422, "items: got an object with id; want a list"},
		{`{"id":"a","test":"sum","do":"refuse"}`, 422, "bad_shapes"},
		{`{"id":"a","test":"sum","views":[-1]}`, 422, "not_native"},
		{`{"id":"a","test":"sum","do":"panic"}`, 500, "internal"},
		{`{"id":"` + strings.Repeat("x", 5000) + `"}`, 413, "--max-body"},
		{`{"items":[]}`, 200, `{"results":[]}`},
		{`{"items":[{"test":"sum","views":[1]},{"id":`, 400, "bad_line"},
		{`{"items":[{"test":"sum","views":[1]},{"id":,},{"id":"b","test":"sum","do":"refuse"}]}`, 200,
			`"line":2,"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"bad_line"`},
		{`{"items":[1,2,3,4]}`, 413, "--max-items"},
		{`{"items":[{"test":"sum","views":[2]}],"options":{"reward":"raw","variants":["twice"]}}`, 200, `"score":4.0,"reward":4.0`},
		{`{"items":[{"test":"sum","views":[2]}]}`, 200, `"score":2.0,"reward":1.0`},
		{`{"options":{"reward":"raw"},"test":"sum","views":[2]}`, 200, `"reward":1.0`},
		{`{"items":[],"options":{"rewards":"raw"}}`, 400, "bad_options"},
		{`{"items":[],"options":{"reward":"much"}}`, 400, "bad_options"},
		{`{"items":[],"options":{"variants":["nope"]}}`, 400, "sum.twice"},
		{`{"items":[],"options":{"suite":"chess"}}`, 400, "unknown_suite"},
	} {
		status, header, body := s.do(t, "POST", "/v1/score", c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%.60q: got %d %s; want %d with %q", c.body, status, body, c.status, c.want)
		}
		if status >= 400 && (!strings.Contains(body, `"error_type":"`) || header.Get("Content-Type") != "application/json") {
			t.Errorf("%.60q: got %q; want an error object", c.body, body)
		}
		if header.Get("X-Request-Id") == "" {
			t.Errorf("%.60q: no request id", c.body)
		}
	}
}

func TestItemsKeepOrder(t *testing.T) {
	s := serve(t, nil)
	var in []string
	for i := range 500 {
		in = append(in, fmt.Sprintf(`{"id":"i%d","test":"sum","views":[%d]}`, i, i))
	}
	status, _, body := s.do(t, "POST", "/v1/score", `{"items":[`+strings.Join(in, ",")+`]}`)
	parts := strings.Split(body, `{"id":`)
	if status != 200 || len(parts) != 501 {
		t.Fatalf("got %d with %d results; want 500", status, len(parts)-1)
	}
	for i, p := range parts[1:] {
		if want := fmt.Sprintf(`"i%d"`, i); !strings.HasPrefix(p, want) || !strings.Contains(p, fmt.Sprintf(`"score":%d.0`, i)) {
			t.Errorf("result %d: got %s", i, p)
		}
	}
}

func TestRoutes(t *testing.T) {
	s := serve(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v1/score", 405}, {"PUT", "/v1/score", 405}, {"POST", "/health", 405}, {"GET", "/v1/nothing", 404},
		{"GET", "/", 200}, {"GET", "/healthz", 200}, {"GET", "/docs/deploy.md", 200}, {"GET", "/docs/spec/aspire.md", 200}, {"GET", "/docs/none.md", 404}, {"GET", "/docs/../go.mod", 404}, {"GET", "/health", 200}, {"HEAD", "/health", 200}, {"GET", "/v2/health/live", 200},
		{"GET", "/v2/health/ready", 200}, {"GET", "/metrics", 200}, {"GET", "/v1/suites", 200}, {"GET", "/v2", 200},
		{"GET", "/openapi.json", 200}, {"POST", "/v1/score/stream", 200}, {"POST", "/v1//score", 400},
	} {
		if status, _, body := s.do(t, c.method, c.path, ""); status != c.status {
			t.Errorf("%s %s: got %d %.100s; want %d", c.method, c.path, status, body, c.status)
		}
	}
}

// oneToken is the set of one token.
func oneToken(secret string) *Tokens {
	t, err := NewTokens(strings.NewReader(secret))
	if err != nil {
		panic(err)
	}
	return t
}

func TestToken(t *testing.T) {
	const secret = "s3cret-token"
	var log lines
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.Tokens = oneToken(secret)
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const body = `{"test":"sum"}`
	basic := func(user, password string) string {
		r, _ := http.NewRequest("GET", "/", nil)
		r.SetBasicAuth(user, password)
		return r.Header.Get("Authorization")
	}
	for _, c := range []struct {
		path, auth string
		status     int
	}{
		{"/v1/score", "", 401}, {"/v1/score", "Bearer wrong", 401}, {"/v1/score", "Bearer " + secret, 200},
		{"/v1/score", "bearer  " + secret, 200}, {"/v1/score", basic("anyone", secret), 200}, {"/v1/score", basic(secret, "x"), 401},
		{"/v1/score", "Basic !!!", 401}, {"/v1/score?token=" + secret, "", 200}, {"/v1/score?token=x", "", 401},
		{"/v1/score/stream", "", 401}, {"/v1/score/stream", "Bearer " + secret, 200},
	} {
		status, header, _ := s.do(t, "POST", c.path, body, "Authorization", c.auth)
		if status != c.status || status == 401 && header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s %q: got %d; want %d", c.path, c.auth, status, c.status)
		}
	}
	for _, path := range []string{"/health", "/v2/health/live", "/v2/health/ready"} {
		if status, _, _ := s.do(t, "GET", path, ""); status != 200 {
			t.Errorf("%s: got %d without a token; want 200", path, status)
		}
	}
	s.client.CloseIdleConnections()
	if strings.Contains(log.String(), secret) {
		t.Error("the token stands in the log")
	}
}

func TestRequestID(t *testing.T) {
	s := serve(t, nil)
	_, h, _ := s.do(t, "GET", "/health", "", "X-Request-Id", "trainer-7")
	if got := h.Get("X-Request-Id"); got != "trainer-7" {
		t.Errorf("got %q; want the client's id", got)
	}
	_, h, _ = s.do(t, "GET", "/health", "", "X-Request-Id", strings.Repeat("x", 200))
	if got := h.Get("X-Request-Id"); got == "" || len(got) > 100 {
		t.Errorf("got %q; want one of the server's own", got)
	}
}

// Requests beyond --queue-max are refused at once and told when to come back.
func TestBusy(t *testing.T) {
	block := make(chan struct{})
	s := serve(t, func(_ *Config, q *queue.Config, suite *queuetest.Suite) { q.MaxRequests, suite.Block = 2, block })
	const stuck = `{"test":"sum","do":"block"}`
	answers := make(chan int, 2)
	for range 2 {
		go func() {
			resp, err := s.client.Post(s.url("/v1/score"), "application/json", strings.NewReader(stuck))
			if err != nil {
				answers <- 0
				return
			}
			resp.Body.Close()
			answers <- resp.StatusCode
		}()
	}
	for s.queue.Depth() < 2 {
		runtime.Gosched()
	}
	for _, c := range []struct{ path, body string }{
		{"/v1/score", `{"test":"sum"}`}, {"/v1/score", `{"items":[]}`}, {"/v1/score/stream", "{}\n"}, {"/v1/render", `{"shapes":[]}`},
	} {
		status, h, body := s.do(t, "POST", c.path, c.body)
		if status != 429 || h.Get("Retry-After") == "" || !strings.Contains(body, "--queue-max") {
			t.Errorf("%s: got %d %s; want 429", c.path, status, body)
		}
	}
	if status, _, body := s.do(t, "GET", "/health", ""); status != 503 || !strings.Contains(body, `"unhealthy"`) || !strings.Contains(body, "reason") {
		t.Errorf("health: got %d %s; want 503 with a reason", status, body)
	}
	if status, _, _ := s.do(t, "GET", "/v2/health/live", ""); status != 200 {
		t.Errorf("live: got %d; want 200", status)
	}
	close(block)
	for range 2 {
		if got := <-answers; got != 200 {
			t.Errorf("a request that was let in got %d", got)
		}
	}
}

func TestDeadline(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	within := func(d time.Duration) *served {
		return serve(t, func(_ *Config, q *queue.Config, suite *queuetest.Suite) { q.Deadline, suite.Block = d, block })
	}
	s := within(30 * time.Millisecond) // nothing has to come in that time
	if status, _, body := s.do(t, "POST", "/v1/score", `{"test":"sum","do":"block"}`); status != 504 || !strings.Contains(body, "deadline") {
		t.Errorf("got %d %s; want 504", status, body)
	}
	s = within(8 * time.Second) // the other two have to come, however busy the machine is
	status, _, body := s.do(t, "POST", "/v1/score", `{"items":[{"test":"sum","views":[1]},{"test":"sum","do":"block"},{"test":"sum","views":[2]}]}`)
	if status != 200 || strings.Count(body, `"score":null`) != 1 || !strings.Contains(body, `"score":2.0`) {
		t.Errorf("got %d %s; want the other two scored", status, body)
	}
}

// readAnswer reads one response from a raw connection.
func readAnswer(t *testing.T, r *bufio.Reader) (int, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("cannot read answer: %v", err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("cannot read answer: %v", err)
	}
	return resp.StatusCode, string(b)
}

// What is refused anyway is refused before the body travels, and the rest is
// asked for.
func TestExpect(t *testing.T) {
	tokens, err := NewTokens(strings.NewReader("a:good:1\n")) // one request per second: asking must not count twice
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody, c.Tokens = 1000, tokens })
	for _, q := range []struct {
		path, token string
		length      int
		status      int
		want        string
	}{
		{"/v1/score", "bad", 10, 401, "unauthorized"},
		{"/v1/nothing", "good", 10, 404, "not_found"},
		{"/v2", "good", 10, 405, "bad_method"},
		{"/v1/score", "good", 37, 100, `"score":7.0`},
		{"/v1/score", "good", 5000, 429, "at its limit"},
	} {
		c := s.raw(t)
		r := bufio.NewReader(c)
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", q.path, q.token, q.length)
		status, body := readAnswer(t, r)
		if status == 100 {
			io.WriteString(c, `{"id":"a","test":"sum","views":[3,4]}`)
			var after int
			if after, body = readAnswer(t, r); after != 200 {
				t.Errorf("%+v: got %d after the body", q, after)
			}
		}
		if status != q.status || !strings.Contains(body, q.want) {
			t.Errorf("%+v: got %d %s", q, status, body)
		}
	}
	open := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody = 1000 })
	c := open.raw(t)
	r := bufio.NewReader(c)
	io.WriteString(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n")
	if status, body := readAnswer(t, r); status != 413 || !strings.Contains(body, "--max-body") {
		t.Errorf("got %d %s; want 413 at once", status, body)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("got %v; want the connection closed: the body may be on its way", err)
	}
	c = open.raw(t)
	r = bufio.NewReader(c)
	io.WriteString(c, "POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n")
	if status, _ := readAnswer(t, r); status != 100 {
		t.Errorf("stream: got %d; want 100: its length has no limit", status)
	}
}

// A client that does not finish its body is answered 408 and let go.
func TestSlowBody(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.ReadTimeout = 3 * time.Second }) // the head has to come in it
	c := s.raw(t)
	io.WriteString(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n")
	r := bufio.NewReader(c)
	if status, body := readAnswer(t, r); status != 408 {
		t.Errorf("got %d %s; want 408", status, body)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("got %v; want the connection closed", err)
	}
}

func TestRequestSmugglingAndGarbage(t *testing.T) {
	s := serve(t, nil)
	for _, q := range []string{
		"GARBAGE\r\n\r\n",
		"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
		"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"POST /v1/score HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"GET /" + strings.Repeat("a", 40_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c := s.raw(t)
		go io.WriteString(c, q)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && resp.StatusCode < 400 {
			t.Errorf("%.40q: got %d; want a refusal", q, resp.StatusCode)
		}
	}
	if status, _, _ := s.do(t, "GET", "/health", ""); status != 200 {
		t.Error("the server did not survive")
	}
}
