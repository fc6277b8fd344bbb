package api

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"plumb/scoring"
)

// scoreBuckets are the upper bounds of the score histograms. The one at 0 holds
// what got nothing, 0.999 parts a full score from what is nearly one.
var scoreBuckets = []float64{-1, -0.5, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999, 1}

// scores are the series by suite and test, in which a reward that collapses is
// seen: how scores are spread, how answers were read, and why there is no score.
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

// count counts one result. suite and test are values that are safe as labels.
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

// few bounds how many values a label takes: what comes after the first ones is
// "other". The program names these values, not a client; the bound is for the
// day on which that is not so.
type few struct {
	mu   sync.Mutex
	seen []string
}

// fewMost is how many values a label takes beside "other".
const fewMost = 40

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
