package api

import (
	"cmp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"plumb/daemon/conns"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/daemon/shm"
	"plumb/daemon/trace"
	"plumb/scoring"
)

// Metrics are the daemon's counters. Labels take few values: routes, status codes and
// suites, never ids or paths. See docs/spec/http.md#r41.
type Metrics struct {
	registry *prometheus.Registry
	suites   atomic.Pointer[map[string][]string] // that have series of their own, with their tests; nil for all
	requests *prometheus.CounterVec
	refused  *prometheus.CounterVec
	samples  *prometheus.CounterVec
	failures *prometheus.CounterVec
	scores   *scores
	batches  prometheus.Counter
	duration *prometheus.HistogramVec
	wait     prometheus.Histogram
	stages   *prometheus.HistogramVec
	sizes    prometheus.Histogram
	regions  atomic.Pointer[shm.Registry]
}

// NewMetrics registers everything but what needs a running daemon (see Describe)
// in a registry of its own.
func NewMetrics() *Metrics {
	r := prometheus.NewRegistry()
	seconds := []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plumb_" + name, Help: help}, labels)
	}
	histograms := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "plumb_" + name, Help: help, Buckets: seconds}, labels)
	}
	m := &Metrics{
		registry: r,
		requests: counters("requests_total", "HTTP requests answered.", "route", "code"),
		refused:  counters("request_failures_total", "HTTP requests without the answer they asked for.", "route", "reason"),
		samples:  counters("samples_total", "Samples answered, by suite and how.", "benchmark", "outcome"),
		failures: counters("sample_failures_total", "Samples that could not be scored.", "benchmark", "reason"),
		batches:  prometheus.NewCounter(prometheus.CounterOpts{Name: "plumb_batches_total", Help: "Batches run on the device."}),
		duration: histograms("request_duration_seconds", "From the request's header until its answer, streams included.", "route"),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "plumb_queue_wait_seconds",
			Help: "From a sample's arrival until a worker took it.", Buckets: seconds}),
		stages: histograms("stage_duration_seconds", "Work on one sample (decode, render, judge, export, encode) or one batch (metric; readback is the part of it that reads results).", "stage"),
		sizes: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "plumb_batch_size",
			Help: "Pictures per batch.", Buckets: prometheus.ExponentialBuckets(1, 2, 13)}),
	}
	regions := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plumb_shm_regions", Help: "Shared-memory regions registered by clients."},
		func() float64 {
			if g := m.regions.Load(); g != nil {
				return float64(g.Count())
			}
			return 0
		})
	r.MustRegister(m.requests, m.refused, m.samples, m.failures, m.batches, m.duration, m.wait, m.stages, m.sizes, regions)
	m.scores = newScores(r)
	return m
}

// connections registers the counts of connections.
func (m *Metrics) connections(stats func() conns.Stats) {
	state := func(name string, of func(conns.Stats) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plumb_connections", Help: "Connections open now: busy with a request, or waiting for their clients.",
			ConstLabels: prometheus.Labels{"state": name}}, func() float64 { return float64(of(stats())) })
	}
	count := func(name, help string, of func(conns.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_" + name + "_total", Help: help}, func() float64 { return float64(of(stats())) })
	}
	m.registry.MustRegister(
		state("busy", func(s conns.Stats) int { return s.Busy }),
		state("waiting", func(s conns.Stats) int { return s.Waiting }),
		count("connections_closed_for_room", "Waiting connections that were closed for new ones.", func(s conns.Stats) int64 { return s.Closed }),
		count("connections_refused", "Connections refused because all that may be open were busy.", func(s conns.Stats) int64 { return s.Refused }),
		count("accept_failures", "Connections that could not be accepted at once, mostly for want of file descriptors.", func(s conns.Stats) int64 { return s.Failed }))
}

// Process registers the counts of the process: memory, files, goroutines.
func (m *Metrics) Process() {
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}

// Suites says which suites there are. Items may name any other one, and any test;
// those count as "unknown", or a hostile client could make as many series as it
// likes.
func (m *Metrics) Suites(suites scoring.Suites) {
	known := map[string][]string{}
	for _, s := range suites {
		known[s.Name] = s.Tests
	}
	m.suites.Store(&known)
}

// unknown is the label of what no suite has.
const unknown = "unknown"

// labels are the suite and the test of a result, as far as the daemon knows them.
func (m *Metrics) labels(r *scoring.Result) (suite, test string) {
	suite, test = r.Suite, r.Test
	if known := m.suites.Load(); known != nil {
		tests, ok := (*known)[suite]
		if !ok {
			suite = ""
		}
		if !slices.Contains(tests, test) {
			test = ""
		}
	}
	return cmp.Or(suite, unknown), cmp.Or(test, unknown)
}

// memory registers the gauges of the bytes held by data from clients and by work.
func (m *Metrics) memory(sent, work *memory.Pool) {
	for part, p := range map[string]*memory.Pool{"sent": sent, "work": work} {
		m.registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plumb_memory_held_bytes",
			Help:        "Memory that requests under way hold of --max-bodies (sent) and of the rest of --max-memory (work).",
			ConstLabels: prometheus.Labels{"part": part}}, func() float64 { return float64(p.Held()) }))
	}
}

// Traces registers what traces lost.
func (m *Metrics) Traces(lost func() trace.Lost) {
	for _, c := range []struct {
		name, help string
		of         func(trace.Lost) int64
	}{
		{"traced_requests_dropped", "Requests that are in no trace because too many waited for the collector.", func(l trace.Lost) int64 { return l.Requests }},
		{"trace_spans_lost", "Spans that the collector did not take.", func(l trace.Lost) int64 { return l.Spans }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_" + c.name + "_total", Help: c.help},
			func() float64 { return float64(c.of(lost())) }))
	}
}

// Describe registers what the running daemon is. resets returns the number of
// GL contexts that were made anew so far, because the driver reported a loss and
// because the device was silent.
func (m *Metrics) Describe(v Version, q *queue.Queue, resets func() (lost, hung int)) {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "plumb_build_info", Help: "Always 1; the labels say what runs."},
		[]string{"version", "commit", "gl_renderer"})
	info.WithLabelValues(v.Version, v.Commit, v.Renderer).Set(1)
	depth := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plumb_queue_depth", Help: "Requests under way."},
		func() float64 { return float64(q.Depth()) })
	reset := func(reason string, of func() int) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_gl_context_resets_total",
			Help: "GL contexts that were made anew, because the driver reported a loss or the device was silent.", ConstLabels: prometheus.Labels{"reason": reason}},
			func() float64 { return float64(of()) })
	}
	m.registry.MustRegister(info, depth,
		reset("lost", func() int { lost, _ := resets(); return lost }),
		reset("hang", func() int { _, hung := resets(); return hung }))
	m.sharing(q)
}

// sharing registers what the queue saved by sharing work and keeping results.
func (m *Metrics) sharing(q *queue.Queue) {
	count := func(name, help string, of func(queue.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_" + name, Help: help}, func() float64 { return float64(of(q.Stats())) })
	}
	m.registry.MustRegister(
		count("shared_samples_total", "Samples that joined identical work in flight.", func(s queue.Stats) int64 { return s.Shared }),
		count("shared_again_total", "Samples begun anew because the work they had joined failed.", func(s queue.Stats) int64 { return s.Again }),
		count("result_cache_hits_total", "Samples answered from the result cache.", func(s queue.Stats) int64 { return s.Cache.Hits }),
		count("result_cache_misses_total", "Samples that the result cache did not have.", func(s queue.Stats) int64 { return s.Cache.Misses }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plumb_result_cache_bytes", Help: "Memory of the result cache, estimated."},
			func() float64 { return float64(q.Stats().Cache.Bytes) }))
}

// EditorCounts is what the real editor did so far.
type EditorCounts struct {
	Exports int64 // scenes that it drew
	Retries int64 // attempts that were repeated
	Lost    int64 // browsers and pages that died, were killed or gave a picture without its proof
	Blocked int64 // requests of scenes for something on the network, stopped
	// Unproved counts pictures that were rejected for a wrong proof, Blank those that
	// were drawn again because they were empty where shapes are visible.
	Unproved, Blank int64
}

// Editor registers the counts of the editor.
func (m *Metrics) Editor(counts func() EditorCounts) {
	for _, c := range []struct {
		name, help string
		of         func(EditorCounts) int64
	}{
		{"exports", "Scenes drawn by the real editor.", func(c EditorCounts) int64 { return c.Exports }},
		{"retries", "Attempts of the real editor that were repeated.", func(c EditorCounts) int64 { return c.Retries }},
		{"lost", "Browsers and pages that died, were killed or gave a picture without its proof.", func(c EditorCounts) int64 { return c.Lost }},
		{"unproved_pictures", "Pictures of the real editor that were not believed, because what was drawn had been lost.", func(c EditorCounts) int64 { return c.Unproved }},
		{"blank_pictures", "Pictures of the real editor that were drawn again, because they were empty where shapes are visible.", func(c EditorCounts) int64 { return c.Blank }},
		{"blocked_requests", "Requests of scenes for something on the network, stopped.", func(c EditorCounts) int64 { return c.Blocked }},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_editor_" + c.name + "_total", Help: c.help},
			func() float64 { return float64(c.of(counts())) }))
	}
}

// JudgeCounts is what the judge of answers did so far.
type JudgeCounts struct {
	Judged, Known, Unjudged int64 // answers
	Calls, Lost             int64
	Prompt, Completion      int64   // tokens
	Cost                    float64 // USD
}

// Judge registers the counts of the judge.
func (m *Metrics) Judge(counts func() JudgeCounts) {
	for _, c := range []struct {
		name, help, label, value string
		of                       func(JudgeCounts) float64
	}{
		{"answers", "Answers for the judge, by what became of them.", "outcome", "judged", func(c JudgeCounts) float64 { return float64(c.Judged) }},
		{"answers", "Answers for the judge, by what became of them.", "outcome", "known", func(c JudgeCounts) float64 { return float64(c.Known) }},
		{"answers", "Answers for the judge, by what became of them.", "outcome", "unjudged", func(c JudgeCounts) float64 { return float64(c.Unjudged) }},
		{"calls", "Calls to the judge, failed ones too.", "", "", func(c JudgeCounts) float64 { return float64(c.Calls) }},
		{"lost_calls", "Calls that may have been paid for and brought no reply.", "", "", func(c JudgeCounts) float64 { return float64(c.Lost) }},
		{"tokens", "Tokens of the judge's replies.", "kind", "prompt", func(c JudgeCounts) float64 { return float64(c.Prompt) }},
		{"tokens", "Tokens of the judge's replies.", "kind", "completion", func(c JudgeCounts) float64 { return float64(c.Completion) }},
		{"cost_usd", "What the judge's replies cost, where that is known.", "", "", func(c JudgeCounts) float64 { return c.Cost }},
	} {
		var labels prometheus.Labels
		if c.label != "" {
			labels = prometheus.Labels{c.label: c.value}
		}
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_judge_" + c.name + "_total", Help: c.help, ConstLabels: labels},
			func() float64 { return c.of(counts()) }))
	}
}

// Device registers the counts of a GL device: what its buffers hold, and the
// bytes that batches brought to it and took from it.
func (m *Metrics) Device(name string, memory, up, down func() int64) {
	labels := prometheus.Labels{"device": name}
	as := func(f func() int64) func() float64 { return func() float64 { return float64(f()) } }
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plumb_gpu_memory_bytes",
			Help: "Buffers held on the device, and what the host maps of it.", ConstLabels: labels}, as(memory)),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_gpu_upload_bytes_total",
			Help: "Bytes of batches brought to the device.", ConstLabels: labels}, as(up)),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "plumb_gpu_readback_bytes_total",
			Help: "Bytes of results taken from the device.", ConstLabels: labels}, as(down)),
	)
}

// Watch returns the functions by which a queue reports.
func (m *Metrics) Watch() queue.Watch {
	stage := map[string]prometheus.Observer{}
	for _, n := range []string{"decode", "render", "judge", "export", "metric", "readback", "score", "encode"} {
		stage[n] = m.stages.WithLabelValues(n)
	}
	return queue.Watch{
		Sample: m.sample,
		Batch: func(n int) {
			m.batches.Inc()
			m.sizes.Observe(float64(n))
		},
		Wait:  func(d time.Duration) { m.wait.Observe(d.Seconds()) },
		Stage: func(n string, d time.Duration) { stage[n].Observe(d.Seconds()) },
	}
}

// sample counts an answer.
func (m *Metrics) sample(r *scoring.Result) {
	code := "scored"
	if r.Err != nil {
		code = r.Err.Code
	}
	suite, test := m.labels(r)
	m.scores.count(suite, test, r)
	m.samples.WithLabelValues(suite, outcomeOf(code)).Inc()
	if reason := reasonOf(code); reason != "" {
		m.failures.WithLabelValues(suite, reason).Inc()
	}
}

// reasonOf returns why a sample failed, in Triton's words: the queue did not take it or
// keep it so long, its client went away, the device or this program failed, or the item
// is at fault. It returns "" for a sample without a score by the rules, which has not
// failed. See docs/spec/http.md#r42.
func reasonOf(code string) string {
	switch code {
	case "scored", "no_response", "undefined", "unjudged":
		return ""
	case "deadline", "busy":
		return "rejected"
	case "closed":
		return "cancelled"
	case "backend", "internal":
		return "backend"
	}
	return "other"
}

// refusal is why a request failed, by its status; "" where it did not.
func refusal(code int) string {
	switch {
	case code < 400:
		return ""
	case code == 429, code == 503, code == 504:
		return "rejected"
	case code == clientGone:
		return "cancelled"
	case code >= 500:
		return "backend"
	}
	return "other"
}

// clientGone is the status under which a request counts whose client left before
// the end of its answer; it is never sent.
const clientGone = 499

// outcomeOf keeps the label's values few: Triton's failure reasons, and those
// that tell whose fault it was.
func outcomeOf(code string) string {
	switch code {
	case "scored", "no_response", "undefined", "unjudged", "backend", "internal", "deadline", "bad_line", "not_native", "limit":
		return code
	case "closed":
		return "cancelled"
	}
	return "rejected"
}

func (m *Metrics) request(route string, code int, d time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(code)).Inc()
	m.duration.WithLabelValues(route).Observe(d.Seconds())
	if reason := refusal(code); reason != "" {
		m.refused.WithLabelValues(route, reason).Inc()
	}
}
