package api

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"plumb/scoring"
)

// scoreBuckets are the upper bounds of the score histograms. The bound 0 counts answers
// that got nothing, and 0.999 separates full scores from nearly full ones.
var scoreBuckets = []float64{-1, -0.5, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999, 1}

// scores holds the metrics by suite and test that show a collapsing reward: the distribution of scores, how
// answers were read, and the error codes of samples without a score.
type scores struct {
	spread *prometheus.HistogramVec
	read   *prometheus.CounterVec
	failed *prometheus.CounterVec
}

// newScores registers the Prometheus metrics of scores: their spread, how answers were read, and the
// codes of samples without a score, by benchmark and test.
func newScores(r prometheus.Registerer) *scores {
	s := &scores{
		spread: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "plumb_score", Help: "Scores, before they are shaped into rewards.",
			Buckets: scoreBuckets},
			[]string{"benchmark", "test"}),
		read: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plumb_answers_total",
			Help: "Scored samples, by how the model's answer was read."},
			[]string{"benchmark", "test", "status"}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plumb_sample_errors_total",
			Help: "Samples without a score, by the code of their error."},
			[]string{"benchmark", "test", "code"}),
	}
	r.MustRegister(s.spread, s.read, s.failed)
	return s
}

// count adds one result. suite and test must be safe as label values; codes and statuses
// are constants of the program.
func (scores *scores) count(suite, test string, result *scoring.Result) {
	if result.Err != nil {
		scores.failed.WithLabelValues(suite, test, result.Err.Code).Inc()
	}
	if !result.Scored {
		return
	}
	scores.spread.WithLabelValues(suite, test).Observe(result.Score)
	scores.read.WithLabelValues(suite, test, cmp.Or(result.Status, "none")).Inc()
}
