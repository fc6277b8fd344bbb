package api

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"plumb/scoring"
)

// scoreBuckets are the upper bounds of the score histograms. The bound 0 counts answers
// that got nothing, and 0.999 separates full scores from nearly full ones.
var scoreBuckets = []float64{-1, -0.5, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999, 1}

// scores holds the metrics by suite and test that show a collapsing reward: the
// distribution of scores, how answers were read, and the error codes of samples
// without a score.
type scores struct {
	spread *prometheus.HistogramVec
	read   *prometheus.CounterVec
	failed *prometheus.CounterVec
	status few
	code   few
}

func newScores(r prometheus.Registerer) *scores {
	s := &scores{
		spread: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "plumb_score", Help: "Scores, before they are shaped into rewards.", Buckets: scoreBuckets},
			[]string{"benchmark", "test"}),
		read: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plumb_answers_total", Help: "Scored samples, by how the model's answer was read."},
			[]string{"benchmark", "test", "status"}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plumb_sample_errors_total", Help: "Samples without a score, by the code of their error."},
			[]string{"benchmark", "test", "code"}),
	}
	r.MustRegister(s.spread, s.read, s.failed)
	return s
}

// count adds one result. suite and test must be safe as label values.
func (s *scores) count(suite, test string, r *scoring.Result) {
	if r.Err != nil {
		s.failed.WithLabelValues(suite, test, s.code.of(r.Err.Code)).Inc()
	}
	if !r.Scored {
		return
	}
	s.spread.WithLabelValues(suite, test).Observe(r.Score)
	s.read.WithLabelValues(suite, test, s.status.of(r.Status)).Inc()
}

// few bounds how many values a label takes: values after the first fewMost become
// "other". All of them are constants of the program today; the bound keeps the
// metrics small if a client's text ever becomes one.
type few struct {
	mu   sync.Mutex
	seen []string
}

// fewMost is how many values a label takes besides "other".
const fewMost = 40

// of returns the label value for v: v itself, "other", or "none" for "".
func (f *few) of(v string) string {
	if v == "" {
		return "none"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.seen, v) {
		return v
	}
	if len(f.seen) >= fewMost {
		return "other"
	}
	f.seen = append(f.seen, v)
	return v
}
