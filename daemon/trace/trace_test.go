package trace

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"plumb/daemon/trace/tracetest"
)

// receive starts a collector for a test.
func receive(t *testing.T, answer func() int) *tracetest.Collector {
	t.Helper()
	c := tracetest.Collect(answer)
	t.Cleanup(c.Close)
	return c
}

func open(t *testing.T, cfg Config) *Tracer {
	t.Helper()
	tr, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func closed(t *testing.T, tr *Tracer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := tr.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

// from returns headers.
func from(traceparent, tracestate string) func(string) string {
	return func(key string) string {
		return map[string]string{"traceparent": traceparent, "tracestate": tracestate}[key]
	}
}

func none(string) string { return "" }

var start = time.Unix(1_700_000_000, 123)

// answered is a request of one sample whose parts take 1, 2, ... µs.
func answered(span Span, id string, parts ...string) *Request {
	r := &Request{Span: span, Method: "POST", Route: "/v1/score", ID: id, Code: 200, Start: start, All: 1}
	s := Sample{ID: "maze-00", Suite: "aspire", Test: "maze", Outcome: "scored", Start: start.Add(7 * time.Microsecond)}
	end := s.Start
	for i, p := range parts {
		s.Parts = append(s.Parts, Part{p, time.Duration(i+1) * time.Microsecond})
		end = end.Add(time.Duration(i+1) * time.Microsecond)
	}
	r.Sample, r.End = []Sample{s}, end.Add(5*time.Microsecond)
	return r
}

// A request becomes one server span below the client's, and its parts children
// that cover it without gaps.
func TestRequestBecomesSpans(t *testing.T) {
	col := receive(t, nil)
	tr := open(t, Config{Endpoint: col.URL, Ratio: 0, Version: "1.2"})
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	span := tr.Begin(from(parent, "vendor=x"))
	if span.TraceID() != "0af7651916cd43dd8448eb211c80319c" {
		t.Fatalf("got trace %q; want the client's", span.TraceID())
	}
	r := answered(span, "r-1", "queue", "decode", "gpu", "encode")
	tr.End(r)
	closed(t, tr)
	roots := col.Children([]byte{0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31})
	if len(col.Faults()) > 0 || len(roots) != 1 || len(col.Spans()) != 7 {
		t.Fatalf("got faults %v, roots %v, %d spans; want one root and 7 spans", col.Faults(), tracetest.Names(roots), len(col.Spans()))
	}
	root := roots[0]
	if fmt.Sprintf("%x", root.TraceId) != span.TraceID() || root.Name != "POST /v1/score" || root.Kind != tracepb.Span_SPAN_KIND_SERVER || root.TraceState != "vendor=x" {
		t.Errorf("got span %v", root)
	}
	if root.StartTimeUnixNano != uint64(r.Start.UnixNano()) || root.EndTimeUnixNano != uint64(r.End.UnixNano()) {
		t.Errorf("got span from %d to %d; want %d to %d", root.StartTimeUnixNano, root.EndTimeUnixNano, r.Start.UnixNano(), r.End.UnixNano())
	}
	parts := col.Children(root.SpanId)
	if got := tracetest.Names(parts); !slices.Equal(got, []string{"read", "queue", "decode", "gpu", "encode", "reply"}) {
		t.Fatalf("got parts %v", got)
	}
	at := root.StartTimeUnixNano
	for _, p := range parts {
		if p.StartTimeUnixNano != at || p.EndTimeUnixNano < at {
			t.Errorf("part %s goes from %d to %d; want it to begin at %d, where the one before ended", p.Name, p.StartTimeUnixNano, p.EndTimeUnixNano, at)
		}
		at = p.EndTimeUnixNano
	}
	if at != root.EndTimeUnixNano {
		t.Errorf("parts end at %d; want %d, where the request ended", at, root.EndTimeUnixNano)
	}
	if took := parts[3].EndTimeUnixNano - parts[3].StartTimeUnixNano; took != 3000 {
		t.Errorf("gpu took %d ns; want 3000", took)
	}
	if col.About("service.name") != "plumb" || col.About("service.version") != "1.2" {
		t.Errorf("got resource %q %q", col.About("service.name"), col.About("service.version"))
	}
}

// Samples of one request have spans of their own.
func TestSeveralSamples(t *testing.T) {
	col := receive(t, nil)
	tr := open(t, Config{Endpoint: col.URL + "/", Ratio: 1})
	r := answered(tr.Begin(none), "r", "queue", "score")
	r.Sample = append(r.Sample, r.Sample[0])
	r.Code, r.All = 500, 70
	tr.End(r)
	closed(t, tr)
	roots := col.Children(nil)
	if len(roots) != 1 {
		t.Fatalf("got %v; want one root", tracetest.Names(roots))
	}
	if roots[0].Status.Code != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("got status %v of code 500; want an error", roots[0].Status)
	}
	samples := col.Children(roots[0].SpanId)
	if got := tracetest.Names(samples); !slices.Equal(got, []string{"sample", "sample"}) {
		t.Fatalf("got children %v; want two samples", got)
	}
	for _, s := range samples {
		if got := tracetest.Names(col.Children(s.SpanId)); !slices.Equal(got, []string{"queue", "score"}) || s.EndTimeUnixNano-s.StartTimeUnixNano != 3000 {
			t.Errorf("got sample of %d ns with parts %v", s.EndTimeUnixNano-s.StartTimeUnixNano, got)
		}
	}
	for _, a := range roots[0].Attributes {
		if a.Key == "plumb.samples" && a.Value.GetIntValue() != 70 {
			t.Errorf("got %v; want 70 samples", a)
		}
	}
}

// The client's decision holds; without one the ratio decides.
func TestSampling(t *testing.T) {
	col := receive(t, nil)
	const yes, no = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	env := func(v ...string) func(string) string {
		return func(k string) string {
			if i := slices.Index(v, k); i >= 0 {
				return v[i+1]
			}
			return ""
		}
	}
	for _, c := range []struct {
		name                 string
		ratio                float64
		env                  func(string) string
		free, asked, refused float64 // share of requests that are recorded
	}{
		{"none", 0, nil, 0, 1, 0},
		{"a quarter", 0.25, nil, 0.25, 1, 0},
		{"all", 1, nil, 1, 1, 0},
		{"by default", -1, nil, 1, 1, 0},
		{"flag before variable", 1, env("OTEL_TRACES_SAMPLER", "always_off"), 1, 1, 0},
		{"always", -1, env("OTEL_TRACES_SAMPLER", "always_on"), 1, 1, 1},
		{"never", -1, env("OTEL_TRACES_SAMPLER", "always_off"), 0, 0, 0},
		{"half", -1, env("OTEL_TRACES_SAMPLER", "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0.5"), 0.5, 1, 0},
	} {
		tr := open(t, Config{Endpoint: col.URL, Ratio: c.ratio, Getenv: c.env})
		share := func(get func(string) string) float64 {
			n := 0
			for range 4000 {
				if tr.Begin(get).Recorded() {
					n++
				}
			}
			return float64(n) / 4000
		}
		// 0.1 is more than ten standard deviations.
		if got := share(none); got < c.free-0.1 || got > c.free+0.1 || (c.free == 0 || c.free == 1) && got != c.free {
			t.Errorf("%s: got %v; want %v", c.name, got, c.free)
		}
		if got := share(from(yes, "")); got != c.asked {
			t.Errorf("%s: client wants to: got %v; want %v", c.name, got, c.asked)
		}
		if got := share(from(no, "")); got != c.refused {
			t.Errorf("%s: client does not want to: got %v; want %v", c.name, got, c.refused)
		}
		closed(t, tr)
	}
	for _, c := range []Config{
		{Endpoint: col.URL, Ratio: 1.5},
		{Endpoint: col.URL, Ratio: -1, Getenv: env("OTEL_TRACES_SAMPLER", "sometimes")},
		{Endpoint: col.URL, Ratio: -1, Getenv: env("OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "half")},
		{Endpoint: "localhost:4318", Ratio: 1},
		{Endpoint: "ftp://localhost", Ratio: 1},
	} {
		if tr, err := Open(c); err == nil {
			t.Errorf("ratio %v, endpoint %q: no error", c.Ratio, c.Endpoint)
			closed(t, tr)
		}
	}
}

// A collector that takes requests and never answers costs no request any time:
// End returns for all of them while the collector still holds the first.
func TestCollectorHangs(t *testing.T) {
	asked, release := make(chan struct{}, 100), make(chan struct{})
	col := receive(t, func() int { asked <- struct{}{}; <-release; return 200 })
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	tr := open(t, Config{Endpoint: col.URL, Ratio: 1, Queue: 8})
	const n = 5000
	for i := range n {
		tr.End(answered(tr.Begin(none), fmt.Sprint(i), "queue", "score"))
		if i == 0 {
			<-asked
		}
	}
	if l := tr.Lost(); l.Requests == 0 || l.Requests >= n {
		t.Errorf("got %d of %d dropped; want those that the queue could not hold", l.Requests, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := tr.Close(ctx); err == nil {
		t.Error("closing while the collector hangs: no error")
	}
	close(release)
}

// What is refused is counted; later requests come through.
func TestCollectorRefuses(t *testing.T) {
	codes := make(chan int, 1)
	codes <- 400
	col := receive(t, func() int {
		select {
		case c := <-codes:
			return c
		default:
			return 200
		}
	})
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4") // the spans of one request
	var log bytes.Buffer
	tr := open(t, Config{Endpoint: col.URL, Ratio: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 3 {
		tr.End(answered(tr.Begin(none), fmt.Sprint(i), "score"))
	}
	closed(t, tr)
	if l := tr.Lost(); l.Spans != 4 || l.Requests != 0 {
		t.Errorf("got %+v; want 4 spans", l)
	}
	if len(col.Spans()) != 8 {
		t.Errorf("got %d spans; want 8", len(col.Spans()))
	}
	if !strings.Contains(log.String(), "spans-lost=4") {
		t.Errorf("the log says %q; want the loss", log.String())
	}
}

// Close sends everything that was taken, and nothing is taken afterwards.
func TestCloseFlushes(t *testing.T) {
	col := receive(t, nil)
	tr := open(t, Config{Endpoint: col.URL, Ratio: 1})
	const n = 1000
	for i := range n {
		tr.End(answered(tr.Begin(none), fmt.Sprint(i), "queue", "decode", "score"))
	}
	closed(t, tr)
	if got := len(col.Children(nil)); got != n {
		t.Errorf("got %d requests; want %d", got, n)
	}
	tr.End(answered(Span{recorded: true}, "late"))
	if l := tr.Lost(); l.Requests != 1 {
		t.Errorf("got %+v after the end; want one dropped", l)
	}
}

// Without a place to trace to, nothing is recorded and nothing allocated.
func TestOff(t *testing.T) {
	tr, err := Open(Config{Ratio: 1})
	if tr != nil || err != nil {
		t.Fatalf("got %v, %v; want nil", tr, err)
	}
	get := from("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	if n := testing.AllocsPerRun(100, func() {
		if s := tr.Begin(get); s.Recorded() || s.TraceID() != "" {
			t.Error("recorded")
		}
	}); n != 0 {
		t.Errorf("got %v allocations; want 0", n)
	}
	tr.End(&Request{})
	closed(t, tr)
}

func TestFromEnv(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		env  map[string]string
		want bool
		err  string
	}{
		{nil, false, ""},
		{map[string]string{endpoint: "http://c:4318"}, true, ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/v1/traces"}, true, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		{map[string]string{endpoint: "http://c:4318", "OTEL_TRACES_EXPORTER": "zipkin"}, false, "OTEL_TRACES_EXPORTER"},
		{map[string]string{endpoint: "c:4318"}, false, endpoint},
	} {
		got, err := FromEnv(func(k string) string { return c.env[k] })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: got %v, %v; want %v, %q", c.env, got, err, c.want, c.err)
		}
	}
}

// The variables of the exporter are read by it: an endpoint there, and headers.
func TestEnvironmentEndpoint(t *testing.T) {
	col := receive(t, nil)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", col.URL)
	t.Setenv("OTEL_SERVICE_NAME", "reward-7")
	tr := open(t, Config{Env: true, Ratio: -1, Getenv: os.Getenv})
	tr.End(answered(tr.Begin(none), "r", "score"))
	closed(t, tr)
	if len(col.Children(nil)) != 1 || col.About("service.name") != "reward-7" {
		t.Errorf("got %d requests of %q; want one of reward-7", len(col.Children(nil)), col.About("service.name"))
	}
}

// The file is JSON; a request encloses its parts, and requests that overlap
// stand in different rows.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	tr := open(t, Config{File: path, Ratio: 1})
	first := answered(tr.Begin(none), "a", "queue", "gpu")
	second := answered(tr.Begin(none), "b", "queue", "gpu")
	second.Start, second.End = first.Start.Add(time.Microsecond), first.End.Add(time.Microsecond)
	third := answered(tr.Begin(none), "c", "queue", "gpu")
	gap := first.End.Sub(first.Start)
	third.Start, third.Sample[0].Start, third.End = third.Start.Add(gap), third.Sample[0].Start.Add(gap), third.End.Add(gap)
	many := answered(tr.Begin(none), "d", "queue")
	many.All = 3
	for _, r := range []*Request{first, second, third, many} {
		tr.End(r)
	}
	closed(t, tr)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	events, err := tracetest.Events(b)
	if err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	rows := map[string]int{}
	for _, e := range events {
		if id, ok := e.Args["request"].(string); ok {
			rows[id] = e.Row
		}
	}
	if len(events) != 3*5+1 || rows["a"] != 0 || rows["b"] != 1 || rows["c"] != 0 {
		t.Errorf("got %d events in rows %v; want 16, a and c in row 0, b in row 1", len(events), rows)
	}
	for i, want := range []string{"POST /v1/score", "read", "queue", "gpu", "reply"} {
		if events[i].Name != want || events[i].Phase != "X" || events[i].At < events[0].At || events[i].At+events[i].Took > events[0].At+events[0].Took+500 {
			t.Errorf("event %d is %+v; want %s within %+v", i, events[i], want, events[0])
		}
	}
}

// A file that is full stays readable.
func TestFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	const most = 2000
	f, err := create(path, most)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; err == nil; i++ {
		if err = f.writeRequest(answered(Span{}, fmt.Sprint(i), "score")); i > 100 {
			t.Fatal("it has no bound")
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	events, err := tracetest.Events(b)
	if err != nil || len(events) < 4 || len(b) > most+4 {
		t.Errorf("got %d events in %d bytes; want what fits into %d", len(events), len(b), most)
	}
	if _, err := Open(Config{File: filepath.Join(path, "no"), Ratio: 1}); err == nil || !strings.Contains(err.Error(), "--trace-file") {
		t.Errorf("got %v; want an error that names the flag", err)
	}
}
