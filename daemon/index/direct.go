package index

import (
	"math"
	"unicode/utf8"

	"github.com/valyala/fastjson/fastfloat"

	"plumb/scoring"
)

// readsBack reports whether the line that is written for a result would read back as the same result, so
// that the index can be made of the result without parsing its line. Where it cannot be sure, it returns
// false, and the line is parsed: for lists, fields of a suite, and numbers that lose a digit, because these
// are rare or cost little beside their scoring.
func (builder *builder) readsBack(result *scoring.Result, reward scoring.RewardMode) bool {
	if result.Scored && !(builder.numberReadsBack(result.Score) && builder.numberReadsBack(reward.Of(result.Score))) {
		return false
	}
	if len(result.Fields) > 0 || !identityReadsBack(&result.Who) { // fields of a suite may be anything
		return false
	}
	if result.Err != nil && (result.Who.Asked != nil || !utf8.ValidString(result.Err.Code)) { // a faulty identity is one more error
		return false
	}
	for _, s := range [...]string{result.ID, result.Suite, result.Test, result.Status} {
		if !utf8.ValidString(s) {
			return false
		}
	}
	for i := range result.Notes {
		if !utf8.ValidString(result.Notes[i].Code) {
			return false
		}
	}
	for i := range result.Metrics {
		if !builder.metricReadsBack(&result.Metrics[i], &result.Who) {
			return false
		}
	}
	return true
}

// metricReadsBack reports whether a metric of a line reads back as it is in memory. An
// integer may come back as a float64, which makes no difference to the index.
func (builder *builder) metricReadsBack(metric *scoring.Metric, who *scoring.Identity) bool {
	becomesIdentity := metric.Name == "model" && who.Model == "" || metric.Name == "run" && who.Repeat == 0 || metric.Name == "turn" && who.Turn == 0
	if becomesIdentity { // a reader takes such a member for a part of it
		return false
	}
	switch v := metric.Value.(type) {
	case nil, bool:
		return true
	case string:
		return utf8.ValidString(v)
	case int: // beyond 32 bits a float64 might lose digits
		return -1<<31 <= v && v < 1<<31
	case float64:
		return builder.numberReadsBack(v)
	}
	return false
}

// identityReadsBack reports whether an identity reads back as it is in memory.
func identityReadsBack(who *scoring.Identity) bool {
	if who.Cut != "" { // a line may have it from the finish reason
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

// numberReadsBack reports whether a number in a line reads back without a change. The parser
// may be wrong in the last digit.
func (builder *builder) numberReadsBack(x float64) bool {
	if x == math.Trunc(x) && math.Abs(x) < 1<<31 {
		return true // as most are
	}
	builder.digits = scoring.AppendFloat(builder.digits[:0], x)
	return fastfloat.ParseBestEffort(string(builder.digits)) == x
}

// addResult adds a row for a result whose line reads back as it is, without parsing the line. It makes the
// few changes that writing and reading the line would make. pos is where the line begins in the file and
// length how long it is, both in bytes.
func (builder *builder) addResult(result *scoring.Result, reward scoring.RewardMode, pos int64, length int) error {
	builder.resultOfLine = *result
	builder.resultOfLine.Cluster = "" // lines do not have it
	builder.resultOfLine.Score += 0   // there is no -0 in a line
	if builder.observe != nil {
		builder.observe(&builder.resultOfLine)
	}
	x := math.NaN() // the reward
	if result.Scored {
		x = reward.Of(builder.resultOfLine.Score) + 0 // +0: -0 becomes 0, as in the line
	}
	return builder.putRow(&builder.resultOfLine, x, pos, length)
}
