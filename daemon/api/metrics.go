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
	suites   atomic.Pointer[map[string][]string] // tests by suite that have series of their own; nil for all
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

// NewMetrics returns a registry with all metrics but those that need a running daemon, which other
// methods register, such as RegisterDaemon.
func NewMetrics() *Metrics {
	registry := prometheus.NewRegistry()
	seconds := []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plumb_" + name, Help: help}, labels)
	}
	histograms := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "plumb_" + name, Help: help, Buckets: seconds}, labels)
	}
	metrics := &Metrics{
		registry: registry,
		requests: counters("requests_total", "HTTP requests answered.", "route", "code"),
		refused:  counters("request_failures_total", "HTTP requests without the answer they asked for.", "route", "reason"),
		samples:  counters("samples_total", "Samples answered, by suite and how.", "benchmark", "outcome"),
		failures: counters("sample_failures_total", "Samples that could not be scored.", "benchmark", "reason"),
		batches:  prometheus.NewCounter(prometheus.CounterOpts{Name: "plumb_batches_total", Help: "Batches run on the device."}),
		duration: histograms("request_duration_seconds", "From the request's header until its answer, streams included.", "route"),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "plumb_queue_wait_seconds",
			Help: "From a sample's arrival until a worker took it.", Buckets: seconds}),
		stages: histograms("stage_duration_seconds", "Work on one sample (decode, render, judge, export, encode) "+
			"or one batch (metric; readback is the part of it that reads results).", "stage"),
		sizes: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "plumb_batch_size",
			Help: "Pictures per batch.", Buckets: prometheus.ExponentialBuckets(1, 2, 13)}),
	}
	gauge(metrics, "shm_regions", "Shared-memory regions registered by clients.", func() int {
		if g := metrics.regions.Load(); g != nil {
			return g.Count()
		}
		return 0
	})
	registry.MustRegister(metrics.requests, metrics.refused, metrics.samples, metrics.failures, metrics.batches, metrics.duration, metrics.wait, metrics.stages, metrics.sizes)
	metrics.scores = newScores(registry)
	return metrics
}

// number is the type of a value of a Prometheus gauge or counter.
type number interface{ int | int64 | float64 }

// gauge registers a gauge whose value f returns at each scrape; labels are names and values in turn.
func gauge[T number](m *Metrics, name, help string, f func() T, labels ...string) {
	value := func() float64 { return float64(f()) }
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts(opts(name, help, labels)), value))
}

// counter registers a counter whose value f returns at each scrape; labels are names and values in
// turn. Its name ends in "_total", as Prometheus wants it.
func counter[T number](m *Metrics, name, help string, f func() T, labels ...string) {
	value := func() float64 { return float64(f()) }
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts(opts(name+"_total", help, labels)), value))
}

// opts returns the options of a Prometheus metric; labels are names and values in turn.
func opts(name, help string, labels []string) prometheus.Opts {
	o := prometheus.Opts{Name: "plumb_" + name, Help: help, ConstLabels: prometheus.Labels{}}
	for i := 0; i < len(labels); i += 2 {
		o.ConstLabels[labels[i]] = labels[i+1]
	}
	return o
}

// registerConnections registers the Prometheus metrics of client connections; stats returns their present
// numbers.
func (metrics *Metrics) registerConnections(stats func() conns.Stats) {
	const open = "Connections open now: busy with a request, or waiting for their clients."
	gauge(metrics, "connections", open, func() int { return stats().Busy }, "state", "busy")
	gauge(metrics, "connections", open, func() int { return stats().Waiting }, "state", "waiting")
	counter(metrics, "connections_closed_for_room", "Waiting connections that were closed for new ones.",
		func() int64 { return stats().Closed })
	counter(metrics, "connections_refused", "Connections refused because all that may be open were busy.",
		func() int64 { return stats().Refused })
	counter(metrics, "accept_failures", "Connections that could not be accepted at once, mostly for want of file descriptors.",
		func() int64 { return stats().Failed })
}

// Process registers the counts of the process: memory, files, goroutines.
func (metrics *Metrics) Process() {
	metrics.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}

// TaskFiles are how often task files were read again, and what of them is in use.
type TaskFiles struct {
	Read, Failed int64
	Stale        int // files whose content on disk could not be read, so that the tasks before are in use
}

// RegisterTaskFiles registers how often task files were read again, and how many could not be.
func (metrics *Metrics) RegisterTaskFiles(counts func() TaskFiles) {
	const reloads = "Task files read again, by result."
	counter(metrics, "task_reloads", reloads, func() int64 { return counts().Read }, "result", "ok")
	counter(metrics, "task_reloads", reloads, func() int64 { return counts().Failed }, "result", "failed")
	gauge(metrics, "task_files_stale", "Task files whose new content cannot be read, so that the tasks before are in use.",
		func() int { return counts().Stale })
}

// SetSuites sets the suites and tests that have series of their own. Items may name any others; those count as
// "unknown", so that a hostile client cannot make any number of series.
func (metrics *Metrics) SetSuites(suites scoring.Suites) {
	known := map[string][]string{}
	for _, s := range suites {
		known[s.Name] = s.Tests
	}
	metrics.suites.Store(&known)
}

// unknown is the label of names that no suite has.
const unknown = "unknown"

// labels returns the suite and the test of a result as labels. A name that no suite has becomes
// "unknown", because items may hold any text.
func (metrics *Metrics) labels(r *scoring.Result) (suite, test string) {
	suite, test = r.Suite, r.Test
	if known := metrics.suites.Load(); known != nil {
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

// registerMemory registers the gauges of the bytes held by data from clients and by work.
func (metrics *Metrics) registerMemory(sent, work *memory.Pool) {
	const held = "Memory that requests under way hold of --max-bodies (sent) and of the rest of --max-memory (work)."
	gauge(metrics, "memory_held_bytes", held, sent.Held, "part", "sent")
	gauge(metrics, "memory_held_bytes", held, work.Held, "part", "work")
}

// Traces registers the counts of requests and spans that no trace holds.
func (metrics *Metrics) Traces(lost func() trace.Lost) {
	counter(metrics, "traced_requests_dropped", "Requests that are in no trace because too many waited for the collector.",
		func() int64 { return lost().Requests })
	counter(metrics, "trace_spans_lost", "Spans that the collector did not take.", func() int64 { return lost().Spans })
}

// RegisterDaemon registers the build, the queue and the device of a running daemon. resets returns how many GL
// contexts were replaced because the driver reported a loss, and because the device was silent.
func (metrics *Metrics) RegisterDaemon(v Version, queue *queue.Queue, resets func() (lost, hung int)) {
	gauge(metrics, "build_info", "Always 1; the labels say what runs.", func() int { return 1 },
		"version", v.Version, "commit", v.Commit, "gl_renderer", v.Renderer)
	gauge(metrics, "queue_depth", "Requests under way.", queue.Depth)
	const anew = "GL contexts that were made anew, because the driver reported a loss or the device was silent."
	counter(metrics, "gl_context_resets", anew, func() int { lost, _ := resets(); return lost }, "reason", "lost")
	counter(metrics, "gl_context_resets", anew, func() int { _, hung := resets(); return hung }, "reason", "hang")
	counter(metrics, "shared_samples", "Samples that joined identical work in flight.", func() int64 { return queue.Stats().Shared })
	counter(metrics, "shared_again", "Samples begun anew because the work they had joined failed.",
		func() int64 { return queue.Stats().Retried })
	counter(metrics, "result_cache_hits", "Samples answered from the result cache.", func() int64 { return queue.Stats().Cache.Hits })
	counter(metrics, "result_cache_misses", "Samples that the result cache did not have.",
		func() int64 { return queue.Stats().Cache.Misses })
	gauge(metrics, "result_cache_bytes", "Memory of the result cache, estimated.", func() int { return queue.Stats().Cache.Bytes })
}

// TallyCounts are the counts of the cache of tallies and images since the start, and what it holds.
type TallyCounts struct {
	Hits, Shared, Edits, Full int64 // pictures that were measured
	Entries, Bytes            int

	ImageEdits, ImagesFull int64 // pictures that were drawn
	ImageBytes             int
}

// RegisterPictures registers the Prometheus metrics of the cache of measured pictures and of drawn images;
// counts returns their present values.
func (metrics *Metrics) RegisterPictures(counts func() TallyCounts) {
	const pictures = "Pictures to be measured, by where their sums came from: the cache (hit), an equal picture under way (shared), " +
		"the part that an edit changed (edit), the whole picture (full)."
	counter(metrics, "tally_pictures", pictures, func() int64 { return counts().Hits }, "from", "hit")
	counter(metrics, "tally_pictures", pictures, func() int64 { return counts().Shared }, "from", "shared")
	counter(metrics, "tally_pictures", pictures, func() int64 { return counts().Edits }, "from", "edit")
	counter(metrics, "tally_pictures", pictures, func() int64 { return counts().Full }, "from", "full")
	gauge(metrics, "tally_cache_entries", "Pictures whose sums the cache holds.", func() int { return counts().Entries })
	gauge(metrics, "tally_cache_bytes", "Memory of the cache of sums, estimated.", func() int { return counts().Bytes })
	const images = "Pictures to be drawn as images, by what was drawn: the part in which a picture differs from one that is kept (edit), " +
		"the whole picture (full)."
	counter(metrics, "image_pictures", images, func() int64 { return counts().ImageEdits }, "from", "edit")
	counter(metrics, "image_pictures", images, func() int64 { return counts().ImagesFull }, "from", "full")
	gauge(metrics, "image_cache_bytes", "Memory of images that are kept, a part of --tally-cache, estimated.", func() int { return counts().ImageBytes })
}

// EditorCounts are the counts of the editor since the start.
type EditorCounts struct {
	Exports int64 // scenes drawn
	Retries int64 // attempts that were repeated
	Lost    int64 // browsers and pages that died, were killed or gave a picture without its proof
	Blocked int64 // network requests of scenes that were blocked
	// Unproved counts pictures that were rejected for a wrong proof, Blank those that
	// were drawn again because they were empty where shapes are visible.
	Unproved, Blank int64
}

// RegisterEditor registers the Prometheus metrics of scenes that the editor draws in a browser; counts returns
// their present values.
func (metrics *Metrics) RegisterEditor(counts func() EditorCounts) {
	counter(metrics, "editor_exports", "Scenes drawn by the real editor.", func() int64 { return counts().Exports })
	counter(metrics, "editor_retries", "Attempts of the real editor that were repeated.", func() int64 { return counts().Retries })
	counter(metrics, "editor_lost", "Browsers and pages that died, were killed or gave a picture without its proof.",
		func() int64 { return counts().Lost })
	counter(metrics, "editor_unproved_pictures", "Pictures of the real editor that were not believed, because what was drawn had been lost.",
		func() int64 { return counts().Unproved })
	counter(metrics, "editor_blank_pictures",
		"Pictures of the real editor that were drawn again, because they were empty where shapes are visible.",
		func() int64 { return counts().Blank })
	counter(metrics, "editor_blocked_requests", "Requests of scenes for something on the network, stopped.",
		func() int64 { return counts().Blocked })
}

// JudgeCounts are the counts of the judge since the start.
type JudgeCounts struct {
	Judged, Known, Unjudged int64 // answers: judged, known from the cache, and left unjudged
	Calls, Lost             int64
	Prompt, Completion      int64   // tokens
	Cost                    float64 // USD
}

// RegisterJudge registers the Prometheus metrics of the judge, the model that decides on answers; counts
// returns their present values.
func (metrics *Metrics) RegisterJudge(counts func() JudgeCounts) {
	const answers, tokens = "Answers for the judge, by what became of them.", "Tokens of the judge's replies."
	counter(metrics, "judge_answers", answers, func() int64 { return counts().Judged }, "outcome", "judged")
	counter(metrics, "judge_answers", answers, func() int64 { return counts().Known }, "outcome", "known")
	counter(metrics, "judge_answers", answers, func() int64 { return counts().Unjudged }, "outcome", "unjudged")
	counter(metrics, "judge_calls", "Calls to the judge, failed ones too.", func() int64 { return counts().Calls })
	counter(metrics, "judge_lost_calls", "Calls that may have been paid for and brought no reply.", func() int64 { return counts().Lost })
	counter(metrics, "judge_tokens", tokens, func() int64 { return counts().Prompt }, "kind", "prompt")
	counter(metrics, "judge_tokens", tokens, func() int64 { return counts().Completion }, "kind", "completion")
	counter(metrics, "judge_cost_usd", "What the judge's replies cost, where that is known.", func() float64 { return counts().Cost })
}

// Device registers the counts of a GL device in bytes: its buffers, and the uploads and read-backs of batches.
func (metrics *Metrics) Device(name string, memory, up, down func() int64) {
	gauge(metrics, "gpu_memory_bytes", "Buffers held on the device, and what the host maps of it.", memory, "device", name)
	counter(metrics, "gpu_upload_bytes", "Bytes of batches brought to the device.", up, "device", name)
	counter(metrics, "gpu_readback_bytes", "Bytes of results taken from the device.", down, "device", name)
}

// QueueWatch returns the functions that a queue calls for each sample, batch, wait and stage, and that
// update the metrics.
func (metrics *Metrics) QueueWatch() queue.Watch {
	stage := map[string]prometheus.Observer{}
	for _, n := range []string{"decode", "render", "judge", "export", "metric", "readback", "score", "encode"} {
		stage[n] = metrics.stages.WithLabelValues(n)
	}
	return queue.Watch{
		Sample: metrics.countSample,
		Batch: func(n int) {
			metrics.batches.Inc()
			metrics.sizes.Observe(float64(n))
		},
		Wait:  func(d time.Duration) { metrics.wait.Observe(d.Seconds()) },
		Stage: func(n string, d time.Duration) { stage[n].Observe(d.Seconds()) },
	}
}

// countSample counts the result of one sample under its suite: whether it was scored, or why not.
func (metrics *Metrics) countSample(result *scoring.Result) {
	code := "scored"
	if result.Err != nil {
		code = result.Err.Code
	}
	suite, test := metrics.labels(result)
	metrics.scores.count(suite, test, result)
	metrics.samples.WithLabelValues(suite, outcomeLabel(code)).Inc()
	if reason := tritonReason(code); reason != "" {
		metrics.failures.WithLabelValues(suite, reason).Inc()
	}
}

// tritonReason returns why a sample failed as a label of Triton's: "rejected" by the queue or
// its deadline, "cancelled" by the client, "backend" for the device or this program,
// "other" for the item. It returns "" for samples that did not fail, scored or not. See docs/spec/http.md#r42.
func tritonReason(code string) string {
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

// statusReason returns why an HTTP request failed, by its status, with the labels of tritonReason. It returns ""
// for a status below 400, a request that did not fail.
func statusReason(code int) string {
	switch {
	case code < 400:
		return ""
	case code == 429, code == 503, code == 504:
		return "rejected"
	case code == statusClientGone:
		return "cancelled"
	case code >= 500:
		return "backend"
	}
	return "other"
}

// statusClientGone is the status in metrics of a request whose client disconnected before the
// end of the answer. It is never sent.
const statusClientGone = 499

// outcomeLabel returns the label of an error code, with few values: the code itself if it tells whose
// fault it was, "cancelled" for a queue that is closed, and "rejected" for any other, such as an item that
// cannot be used.
func outcomeLabel(code string) string {
	switch code {
	case "scored", "no_response", "undefined", "unjudged", "backend", "internal", "deadline", "bad_line", "not_native", "limit":
		return code
	case "closed":
		return "cancelled"
	}
	return "rejected"
}

// countRequest counts an answered HTTP request that took d in the Prometheus metrics.
func (metrics *Metrics) countRequest(route string, code int, d time.Duration) {
	metrics.requests.WithLabelValues(route, strconv.Itoa(code)).Inc()
	metrics.duration.WithLabelValues(route).Observe(d.Seconds())
	if reason := statusReason(code); reason != "" {
		metrics.refused.WithLabelValues(route, reason).Inc()
	}
}
