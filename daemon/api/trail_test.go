package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/daemon/trace"
	"plumb/daemon/trace/tracetest"
)

// asking is one way to have the same item scored.
type asking struct {
	name, path, body string
	n                int // samples
}

// asks are all routes that score, and how many samples each request has.
var asks = []asking{
	{"score", "/v1/score", `{"id":"a","test":"sum","views":[3],"response":"SECRET"}`, 1},
	{"score", "/v1/score", `{"items":[{"id":"a","test":"sum","views":[3],"response":"SECRET"},{"id":"b","test":"sum"}]}`, 2},
	{"score_stream", "/v1/score/stream", "{\"id\":\"a\",\"test\":\"sum\",\"views\":[3],\"response\":\"SECRET\"}\n{\"id\":\"b\",\"test\":\"sum\"}\n", 2},
	{"reward", "/v1/reward", `{"label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":"SECRET"}`, 1},
	{"slime", "/reward/slime", `{"prompt":"p","label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":"SECRET"}`, 1},
	{"get_reward", "/get_reward", `{"query":["SECRET"],"labels":[{"suite":"fake","id":"a","test":"sum","views":[3]}]}`, 1},
	{"verify", "/verify", `{"label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":{"output":[{"type":"message","content":[{"type":"output_text","text":"SECRET"}]}]}}`, 1},
	{"step", "/step", `{"action":{"label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":"SECRET"}}`, 1},
	{"reward", "/v1/reward", `{"samples":[{"label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":"SECRET"},{"label":{"suite":"fake","id":"b","test":"sum","views":[]},"response":"x"}]}`, 2},
}

// results finds the result lines of an answer.
func results(body string) (list []map[string]json.RawMessage) {
	var many struct {
		Results []map[string]json.RawMessage `json:"results"`
	}
	if json.Unmarshal([]byte(body), &many) == nil && many.Results != nil {
		return many.Results
	}
	for l := range strings.Lines(body) {
		var one, inner map[string]json.RawMessage
		if json.Unmarshal([]byte(l), &one) != nil {
			continue
		}
		if json.Unmarshal(one["plumb_result"], &inner) == nil { // NeMo Gym's echo holds one
			one = inner
		}
		list = append(list, one)
	}
	return list
}

// Times come where they are asked for, and add up; elsewhere results do not
// change by a bit.
func TestTimings(t *testing.T) {
	s := serve(t, nil)
	for _, a := range asks {
		switch a.name {
		case "step":
			continue // an observation has no room for them
		case "slime":
			a.path += "?format=object"
		case "get_reward":
			checkNumbers(t, s, a)
			continue
		}
		_, h, plain := s.do(t, "POST", a.path, a.body)
		if a.n == 1 && (h.Get("X-Queue-Ms") == "" || h.Get("X-Score-Ms") == "" || !strings.HasPrefix(h.Get("Server-Timing"), "total;dur=")) {
			t.Errorf("%s: got headers %v; want times", a.path, h)
		}
		more := "?timings=1"
		if strings.Contains(a.path, "?") {
			more = "&timings=1"
		}
		_, _, timed := s.do(t, "POST", a.path+more, a.body)
		got, want := results(timed), results(plain)
		if len(got) != a.n || len(want) != a.n {
			t.Fatalf("%s: got %d and %d results; want %d: %s", a.path, len(want), len(got), a.n, timed)
		}
		for i, r := range got {
			checkTimings(t, a.path, r["timings"])
			delete(r, "timings")
			if fmt.Sprintf("%s", r) != fmt.Sprintf("%s", want[i]) {
				t.Errorf("%s: got %s with times; want %s", a.path, r, want[i])
			}
			if _, ok := want[i]["timings"]; ok {
				t.Errorf("%s: got times without asking: %s", a.path, plain)
			}
		}
	}
	for options, want := range map[string]bool{`{"timings":true}`: true, `{"timings":false}`: false, `{"timings":null}`: true} {
		_, _, body := s.do(t, "POST", "/v1/score?timings=1", `{"items":[{"test":"sum"}],"options":`+options+`}`)
		if strings.Contains(body, `"timings":{`) != want {
			t.Errorf("options %s: got %s; want times: %v", options, body, want)
		}
	}
	if status, _, body := s.do(t, "POST", "/v1/score", `{"items":[],"options":{"timings":"yes"}}`); status != 400 || !strings.Contains(body, "timings") {
		t.Errorf("got %d %s; want 400 that names timings", status, body)
	}
}

// checkNumbers is TestTimings for a trainer that takes nothing but numbers.
func checkNumbers(t *testing.T, s *served, a asking) {
	t.Helper()
	type answer struct {
		Rewards []float64
		Logs    map[string][]float64 `json:"extra_logs"`
	}
	var plain, timed answer
	_, _, body := s.do(t, "POST", a.path, a.body)
	json.Unmarshal([]byte(body), &plain)
	_, _, body = s.do(t, "POST", a.path+"?timings=1", a.body)
	json.Unmarshal([]byte(body), &timed)
	if len(timed.Logs["queue_ms"]) != 1 || len(timed.Logs["score_ms"]) != 1 || timed.Logs["score_ms"][0] <= 0 {
		t.Errorf("%s: got %v; want queue_ms and score_ms", a.path, timed.Logs)
	}
	if len(plain.Logs) != 2 || len(timed.Logs) != 4 || !slices.Equal(plain.Rewards, timed.Rewards) {
		t.Errorf("%s: got %v without asking and %v with; want two logs more", a.path, plain, timed)
	}
}

func checkTimings(t *testing.T, path string, raw json.RawMessage) {
	t.Helper()
	var times struct {
		Queue float64            `json:"queue_ms"`
		Score float64            `json:"score_ms"`
		Parts map[string]float64 `json:"parts_ms"`
	}
	if err := json.Unmarshal(raw, &times); err != nil {
		t.Fatalf("%s: %v in timings %s", path, err, raw)
	}
	sum := 0.0
	for _, p := range times.Parts {
		sum += p
	}
	const rounding = 0.0005 // each figure, ms
	if len(times.Parts) != int(queue.Parts) || times.Score <= 0 || math.Abs(sum-times.Queue-times.Score) > rounding*float64(queue.Parts+2) || times.Parts["queue"] != times.Queue {
		t.Errorf("%s: got %s; want parts that add up to queue_ms + score_ms", path, raw)
	}
}

// lines is a log that goroutines may still write to when it is read.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// A slow sample is logged with its parts on every route, never with its answer.
func TestSlowSamples(t *testing.T) {
	for _, a := range asks {
		var log lines
		s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
			c.SlowAfter, c.Log = time.Nanosecond, slog.New(slog.NewTextHandler(&log, nil))
		})
		s.do(t, "POST", a.path, a.body, "X-Request-Id", "req-9")
		got := log.String()
		for _, want := range []string{"slow sample", "id=a", "suite=fake", "test=sum", "outcome=scored", "route=" + a.name, "request=req-9", "wait=", "took=", "decode=", "gpu=", "encode="} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in the log: %s", a.path, want, got)
			}
		}
		if n := strings.Count(got, "slow sample"); n != a.n {
			t.Errorf("%s: got %d lines; want %d", a.path, n, a.n)
		}
		if strings.Contains(got, "SECRET") {
			t.Errorf("%s: the answer stands in the log: %s", a.path, got)
		}
	}
	var log lines
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.SlowAfter, c.Log = time.Hour, slog.New(slog.NewTextHandler(&log, nil))
	})
	s.do(t, "POST", asks[0].path, asks[0].body)
	if log.String() != "" {
		t.Errorf("got %s; want nothing: it was not slow", log.String())
	}
}

// When everything is slow, the log says so in few lines.
func TestSlowSamplesAreRationed(t *testing.T) {
	var r logLimiter
	now := time.Unix(1000, 0)
	passed := 0
	for range 100 {
		if ok, omitted := r.allow(now); ok {
			passed++
			if omitted != 0 {
				t.Errorf("got %d omitted in the first second; want 0", omitted)
			}
		}
	}
	ok, omitted := r.allow(now.Add(time.Second))
	if passed != slowPerSecond || !ok || omitted != 100-slowPerSecond {
		t.Errorf("got %d of 100, then %v with %d omitted; want %d, then true with %d", passed, ok, omitted, slowPerSecond, 100-slowPerSecond)
	}
}

// traced is a server with a collector of its traces. flush sends what waits.
func traced(t *testing.T, ratio float64, answer func() int) (s *served, col *tracetest.Collector, flush func()) {
	t.Helper()
	col = tracetest.Collect(answer)
	t.Cleanup(col.Close)
	tracer, err := trace.Open(trace.Config{Endpoint: col.URL, Ratio: ratio, Queue: 16})
	if err != nil {
		t.Fatal(err)
	}
	s = serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.Trace = tracer })
	return s, col, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := tracer.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// Each request is one span, and the parts of its samples add up to it.
func TestRequestsAreTraced(t *testing.T) {
	s, col, flush := traced(t, 1, nil)
	for _, a := range asks {
		s.do(t, "POST", a.path, a.body)
	}
	s.do(t, "POST", "/v1/score", `{"id":"a","test":"sum","do":"panic"}`)
	for _, path := range []string{"/health", "/metrics", "/v2/health/live", "/nowhere"} {
		s.do(t, "GET", path, "")
	}
	flush()
	roots := col.Children(nil)
	if len(roots) != len(asks)+1 {
		t.Fatalf("got %v; want a span for each request that scores", tracetest.Names(roots))
	}
	for i, a := range asks {
		root := roots[i]
		if root.Name != "POST "+a.path || attribute(root, "plumb.samples") != fmt.Sprint(a.n) || attribute(root, "http.response.status_code") != "200" {
			t.Errorf("%s: got span %v", a.path, root)
		}
		below := col.Children(root.SpanId)
		if a.n == 1 {
			want := []string{"read", "queue", "decode", "outline", "pack", "gpu", "score", "encode", "reply"}
			if got := tracetest.Names(below); !slices.Equal(got, want) {
				t.Errorf("%s: got parts %v; want %v", a.path, got, want)
			}
			covers(t, a.path, root, below)
			if attribute(root, "plumb.sample.id") != "a" || attribute(root, "plumb.outcome") != "scored" {
				t.Errorf("%s: got attributes %v", a.path, root.Attributes)
			}
			continue
		}
		if got := tracetest.Names(below); !slices.Equal(got, []string{"sample", "sample"}) {
			t.Errorf("%s: got %v; want two samples", a.path, got)
		}
		for _, sample := range below {
			parts := col.Children(sample.SpanId)
			if len(parts) != 7 {
				t.Errorf("%s: got parts %v", a.path, tracetest.Names(parts))
			}
			covers(t, a.path, sample, parts)
		}
	}
	if last := roots[len(asks)]; last.Status.Code != tracepb.Status_STATUS_CODE_ERROR || attribute(last, "plumb.outcome") != "internal" {
		t.Errorf("got %v of a sample that panicked; want an error", last)
	}
}

// The name and the route of a span have no name from the path that the client sent.
func TestSpansHaveTheRoute(t *testing.T) {
	s, col, flush := traced(t, 1, nil)
	want := []string{"/v2/systemsharedmemory/region/{name}/unregister", "/{env}/num_tasks", "/v1/score"}
	for _, path := range []string{"/v2/systemsharedmemory/region/my-secret-name/unregister", "/my-secret-name/num_tasks",
		"/v1/score?my-secret-name=1", "/v1/my-secret-name", "/my-secret-name"} {
		s.do(t, "POST", path, "{}")
	}
	flush()
	roots := col.Children(nil)
	if len(roots) != len(want) {
		t.Fatalf("got %v; want a span for each known path", tracetest.Names(roots))
	}
	for i, root := range roots {
		if root.Name != "POST "+want[i] || attribute(root, "http.route") != want[i] {
			t.Errorf("got the span %q of the route %q; want the route %q", root.Name, attribute(root, "http.route"), want[i])
		}
	}
	// An unknown path.
	if r, ok := s.findRoute("/my-secret-name"); ok || r.name != "other" || r.path != "other" {
		t.Errorf("got route %q with path %q, known: %v; want other for both", r.name, r.path, ok)
	}
}

// attribute is the text of a span's attribute.
func attribute(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			if v := a.Value.GetStringValue(); v != "" {
				return v
			}
			return fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return ""
}

// covers checks that parts cover a span without gaps.
func covers(t *testing.T, path string, whole *tracepb.Span, parts []*tracepb.Span) {
	t.Helper()
	at := whole.StartTimeUnixNano
	for _, p := range parts {
		if p.StartTimeUnixNano != at || p.EndTimeUnixNano < at {
			t.Errorf("%s: part %s goes from %d to %d; want it to begin at %d", path, p.Name, p.StartTimeUnixNano, p.EndTimeUnixNano, at)
		}
		at = p.EndTimeUnixNano
	}
	if at != whole.EndTimeUnixNano {
		t.Errorf("%s: the parts end %d ns from the end of the span; want 0", path, int64(whole.EndTimeUnixNano)-int64(at))
	}
}

// The client's trace goes on, and only requests that it samples are kept where
// the ratio is 0.
func TestTraceparent(t *testing.T) {
	s, col, flush := traced(t, 0, nil)
	s.do(t, "POST", asks[0].path, asks[0].body)
	s.do(t, "POST", asks[0].path, asks[0].body, "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
	s.do(t, "POST", asks[0].path, asks[0].body, "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate", "a=b")
	s.do(t, "POST", asks[0].path, asks[0].body, "traceparent", "00-nonsense-b7ad6b7169203331-01")
	flush()
	roots := col.Children([]byte{0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31})
	if len(roots) != 1 || fmt.Sprintf("%x", roots[0].TraceId) != "0af7651916cd43dd8448eb211c80319c" || roots[0].TraceState != "a=b" || len(col.Children(nil)) != 0 {
		t.Errorf("got %v and %v; want one span below the client's", roots, col.Children(nil))
	}
}

// Each message of a WebSocket that scores is a span of its own, below the span of
// whoever opened it.
func TestMessagesAreTraced(t *testing.T) {
	s, col, flush := traced(t, 0, nil)
	head := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
	c, _, err := websocket.DefaultDialer.Dial("ws://"+s.addr+"/ws", head)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		c.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":"x"}}`))
		if _, b, err := c.ReadMessage(); err != nil || !strings.Contains(string(b), `"reward":1.0`) {
			t.Fatalf("got %s, %v", b, err)
		}
	}
	c.Close()
	flush()
	spans := col.Children([]byte{0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31})
	if got := tracetest.Names(spans); !slices.Equal(got, []string{"WS /ws", "WS /ws"}) {
		t.Fatalf("got %v; want a span for each message", got)
	}
	for _, span := range spans {
		covers(t, "/ws", span, col.Children(span.SpanId))
	}
}

// A request with many samples keeps a few of them.
func TestManySamplesAreTracedInPart(t *testing.T) {
	s, col, flush := traced(t, 1, nil)
	s.do(t, "POST", "/v1/score/stream", strings.Repeat("{\"test\":\"sum\"}\n", 500))
	flush()
	root := col.Children(nil)[0]
	if n := len(col.Children(root.SpanId)); n != maxTraced || attribute(root, "plumb.samples") != "500" {
		t.Errorf("got %d samples of %s; want %d of 500", n, attribute(root, "plumb.samples"), maxTraced)
	}
}

// Requests are answered while a collector holds what it got and says nothing.
func TestCollectorIsNotWaitedFor(t *testing.T) {
	release := make(chan struct{})
	asked := make(chan struct{}, 1000)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	s, _, flush := traced(t, 1, func() int { asked <- struct{}{}; <-release; return 200 })
	for i := range 600 { // more than all queues hold
		if status, _, body := s.do(t, "POST", asks[0].path, asks[0].body); status != 200 {
			t.Fatalf("got %d %s", status, body)
		}
		if i == 0 {
			<-asked
		}
	}
	if l := s.cfg.Trace.Lost(); l.Requests == 0 {
		t.Errorf("got %+v; want some dropped", l)
	}
	close(release)
	flush()
}

// The names, labels and helps are as Prometheus wants them, on both ports.
func TestMetricsAreClean(t *testing.T) {
	s := serve(t, nil)
	s.cfg.Metrics.SetSuites(s.cfg.Items.Suites)
	s.cfg.Metrics.Process()
	s.cfg.Metrics.Traces(func() trace.Lost { return trace.Lost{Requests: 2, Spans: 3} })
	s.cfg.Metrics.RegisterEditor(func() EditorCounts { return EditorCounts{} })
	s.cfg.Metrics.Device("softpipe", func() int64 { return 7 }, func() int64 { return 8 }, func() int64 { return 9 })
	for _, a := range asks {
		s.do(t, "POST", a.path, a.body)
	}
	for i := range 40 {
		s.do(t, "POST", "/v1/score", fmt.Sprintf(`{"suite":"chess-%d"}`, i))
	}
	s.do(t, "POST", "/v1/score", `{"test":"sum","views":[-1]}`)
	s.do(t, "POST", "/v1/score", `{"test":"sum","do":"panic"}`)
	s.do(t, "POST", "/v1/score", `{"id":"a","suite":"fake","test":"sum","response":null}`)
	s.do(t, "POST", "/v1/score", `{"id":"a","suite":"fake","test":"chess"}`)
	s.do(t, "GET", "/some/path?of=the-client", "")
	_, _, body := s.do(t, "GET", "/metrics", "")
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, want := range []string{
		`plumb_samples_total{benchmark="unknown",outcome="rejected"} 40`,
		`plumb_sample_errors_total{benchmark="unknown",code="unknown_suite",test="unknown"} 40`,
		`plumb_sample_errors_total{benchmark="fake",code="internal",test="sum"} 1`,
		`plumb_sample_errors_total{benchmark="fake",code="not_native",test="sum"} 1`,
		`plumb_score_bucket{benchmark="fake",test="sum",le="0"} 4`,
		`plumb_score_bucket{benchmark="fake",test="sum",le="+Inf"} 13`,
		`plumb_score_sum{benchmark="fake",test="sum"} 27`,
		`plumb_score_count{benchmark="fake",test="unknown"} 1`,
		`plumb_answers_total{benchmark="fake",status="none",test="sum"} 13`,
		`plumb_sample_failures_total{benchmark="unknown",reason="other"} 40`,
		`plumb_sample_failures_total{benchmark="fake",reason="backend"} 1`,
		`plumb_sample_failures_total{benchmark="fake",reason="other"} 1`,
		`plumb_request_failures_total{reason="backend",route="score"} 1`,
		`plumb_request_failures_total{reason="other",route="score"} 41`,
		`plumb_request_failures_total{reason="other",route="other"} 1`,
		`plumb_traced_requests_dropped_total 2`, `plumb_trace_spans_lost_total 3`,
		`plumb_gpu_memory_bytes{device="softpipe"} 7`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no line %q in\n%s", want, body)
		}
	}
	for _, foreign := range []string{"chess", "the-client", "/some"} {
		if strings.Contains(body, foreign) {
			t.Errorf("what a client named is a label: %s", foreign)
		}
	}
	if !strings.Contains(body, "process_resident_memory_bytes ") || !strings.Contains(body, "go_goroutines ") {
		t.Error("nothing of the process")
	}
}

// A stream that its client leaves counts as cancelled.
func TestAbandonedStream(t *testing.T) {
	s := serve(t, nil)
	c := s.raw(t)
	io.WriteString(c, "POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{\"test\":\"sum\"}\n\r\n")
	if _, err := io.ReadFull(c, make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	want := `plumb_request_failures_total{reason="cancelled",route="score_stream"} 1`
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, _, body := s.do(t, "GET", "/metrics", ""); strings.Contains(body, want) {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("no line %q", want)
		}
	}
}

// The admin port answers metrics and profiles without the queue's routes.
func TestAdminPort(t *testing.T) {
	s := serve(t, nil)
	admin := httptest.NewServer(s.AdminHandler())
	defer admin.Close()
	for path, want := range map[string]string{
		"/metrics": "plumb_queue_depth 0", "/debug/pprof/": "goroutine", "/debug/pprof/goroutine?debug=1": "goroutine profile",
		"/debug/pprof/heap?debug=1": "heap profile", "/debug/pprof/cmdline": "test",
	} {
		resp, err := http.Get(admin.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || !strings.Contains(string(b), want) {
			t.Errorf("%s: got %d %.200s; want %q in it", path, resp.StatusCode, b, want)
		}
	}
	if resp, err := http.Get(admin.URL + "/v1/score"); err != nil || resp.StatusCode != 404 {
		t.Errorf("got %v, %v; want 404", resp, err)
	}
}
