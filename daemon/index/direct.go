package index

import (
	"math"
	"unicode/utf8"

	"github.com/valyala/fastjson/fastfloat"

	"plumb/scoring"
)

// readsBack reports whether the line of a result reads back as the same result, so that the line need not be read. It is
// false for what is rare or costs little beside its scoring: lists, fields of a suite, and numbers that lose a digit.
func (b *builder) readsBack(r *scoring.Result, reward scoring.RewardMode) bool {
	if r.Scored && !(b.exact(r.Score) && b.exact(reward.Of(r.Score))) || len(r.Fields) > 0 || !plainIdentity(&r.Who) {
		return false
	}
	if r.Err != nil && (r.Who.Asked != nil || !utf8.ValidString(r.Err.Code)) { // a faulty identity is one more error
		return false
	}
	for _, s := range [...]string{r.ID, r.Suite, r.Test, r.Status} {
		if !utf8.ValidString(s) {
			return false
		}
	}
	for i := range r.Notes {
		if !utf8.ValidString(r.Notes[i].Code) {
			return false
		}
	}
	for i := range r.Metrics {
		if !b.plainMetric(&r.Metrics[i], &r.Who) {
			return false
		}
	}
	return true
}

// plainMetric reports whether a metric of a line reads back as it is in memory. An integer may come back as a float64.
func (b *builder) plainMetric(m *scoring.Metric, who *scoring.Identity) bool {
	if m.Name == "model" && who.Model == "" || m.Name == "run" && who.Repeat == 0 || m.Name == "turn" && who.Turn == 0 {
		return false // it becomes a part of the identity
	}
	switch v := m.Value.(type) {
	case nil, bool:
		return true
	case string:
		return utf8.ValidString(v)
	case int:
		return -1<<31 <= v && v < 1<<31
	case float64:
		return b.exact(v)
	}
	return false
}

// plainIdentity reports whether an identity reads back as it is in memory.
func plainIdentity(who *scoring.Identity) bool {
	if who.Cut != "" {
		return false
	}
	for _, s := range [...]string{who.Model, who.FinishReason, who.File, who.At, who.Key} {
		if s != "" && (len(s) > 1000 || !utf8.ValidString(s)) { // longer ones are refused
			return false
		}
	}
	if who.Asked == nil {
		return true
	}
	for _, s := range who.Arm() {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return utf8.ValidString(who.Asked.Config)
}

// exact reports whether a number of a line reads back without a change. The parser may be off by the last digit.
func (b *builder) exact(x float64) bool {
	if x == math.Trunc(x) && math.Abs(x) < 1<<31 {
		return true // as most are
	}
	b.digits = scoring.AppendFloat(b.digits[:0], x)
	return fastfloat.ParseBestEffort(string(b.digits)) == x
}

// direct adds a row from a result whose line reads back as it is.
func (b *builder) direct(r *scoring.Result, reward scoring.RewardMode, at int64, length int) error {
	b.own = *r
	b.own.Cluster = "" // lines do not have it
	b.own.Score += 0   // there is no -0 in a line
	if b.observe != nil {
		b.observe(&b.own)
	}
	x := math.NaN()
	if r.Scored {
		x = reward.Of(b.own.Score) + 0
	}
	return b.put(&b.own, x, at, length)
}
