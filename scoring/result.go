package scoring

import (
	"math"
	"slices"
	"strconv"

	"plumb/render/jsontree"
)

// AppendJSON appends the result as one JSON object without a line break. Members are in a
// fixed order and floats always have a point and no exponent, so that equal results are
// equal bytes. Empty strings and unknown members of the identity are left out. scorer is the
// program with its version ("plumb 0.1.0"). See docs/spec/cli.md#r20.
func (r *Result) AppendJSON(dst []byte, reward RewardMode, scorer string) []byte {
	w := memberWriter{dst: append(dst, '{')}
	w.writeName("id")
	w.dst = AppendString(w.dst, r.ID)
	if r.Line > 0 {
		w.writeName("line")
		w.dst = strconv.AppendInt(w.dst, int64(r.Line), 10)
	}
	w.writeText("suite", r.Suite)
	w.writeText("test", r.Test)
	r.Who.appendMembers(&w)
	w.writeScore(r, reward)
	w.writeText("status", r.Status)
	w.writeName("metrics")
	w.dst = AppendMetrics(w.dst, r.Metrics)
	for _, f := range r.Fields {
		w.writeName(f.Name)
		w.writeValue(f.Value)
	}
	w.writeName("notes")
	w.dst = appendList(w.dst, r.Notes, func(dst []byte, n Note) []byte { return n.AppendJSON(dst) })
	if r.Err != nil {
		w.writeName("error")
		w.dst = append(w.dst, `{"code":`...)
		w.dst = AppendString(w.dst, r.Err.Code)
		w.dst = append(w.dst, `,"message":`...)
		w.dst = AppendString(w.dst, r.Err.Message)
		w.dst = append(w.dst, '}')
	}
	w.writeText("backend", r.Backend)
	w.writeText("scorer", scorer)
	if r.Who.Asked != nil {
		w.writeName("asked")
		w.dst = append(w.dst, r.Who.Asked.JSON...)
	}
	return append(w.dst, '}')
}

// AppendMetrics appends metrics of a result as a JSON object.
func AppendMetrics(dst []byte, list []Metric) []byte {
	w := memberWriter{dst: append(dst, '{')}
	for _, m := range list {
		w.writeName(m.Name)
		w.writeValue(m.Value)
	}
	return append(w.dst, '}')
}

// memberWriter writes a JSON object member by member to the end of dst.
type memberWriter struct{ dst []byte }

// writeName writes the name of a member of a result line and the colon, after a comma unless the
// object has just been opened. Names must be this program's own, because they are not escaped.
func (w *memberWriter) writeName(s string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '"')
	w.dst = append(w.dst, s...)
	w.dst = append(w.dst, '"', ':')
}

// writeText writes a member of a result line that is a string, and nothing for "".
func (w *memberWriter) writeText(name, s string) {
	if s != "" {
		w.writeName(name)
		w.dst = AppendString(w.dst, s)
	}
}

// writeScore writes a result's score and the reward that follows from it; both are null where there
// is no score.
func (w *memberWriter) writeScore(r *Result, reward RewardMode) {
	if !r.Scored {
		w.dst = append(w.dst, `,"score":null,"reward":null`...)
		return
	}
	w.writeName("score")
	w.dst = AppendFloat(w.dst, r.Score)
	w.writeName("reward")
	w.dst = AppendFloat(w.dst, reward.Of(r.Score))
}

// writeValue writes the value of a metric, of one of the types that Metric lists; it panics for any
// other.
func (w *memberWriter) writeValue(v any) {
	switch v := v.(type) {
	case nil:
		w.dst = append(w.dst, "null"...)
	case float64:
		w.dst = AppendFloat(w.dst, v)
	case int:
		w.dst = strconv.AppendInt(w.dst, int64(v), 10)
	case bool:
		w.dst = strconv.AppendBool(w.dst, v)
	case string:
		w.dst = AppendString(w.dst, v)
	case []string:
		w.dst = appendList(w.dst, v, AppendString)
	case []float64:
		w.dst = appendList(w.dst, v, AppendFloat)
	case [][]float64:
		w.dst = appendList(w.dst, v, func(dst []byte, a []float64) []byte {
			return appendList(dst, a, AppendFloat)
		})
	case JSON:
		w.dst = append(w.dst, v...)
	default:
		panic("BUG: metric of a type that has no JSON form")
	}
}

// AppendJSON appends a note on an answer as it is written in a result line.
func (n Note) AppendJSON(dst []byte) []byte {
	w := memberWriter{dst: append(dst, '{')}
	w.writeText("code", n.Code)
	w.writeText("path", n.Path)
	w.writeText("message", n.Message)
	return append(w.dst, '}')
}

// appendList appends a list of a result line as JSON; appendElement appends one element.
func appendList[T any](dst []byte, list []T, appendElement func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendElement(dst, v)
	}
	return append(dst, ']')
}

// AppendFloat appends x as a JSON float: the shortest digits that read back as x, always
// with a point and without an exponent. -0 becomes 0.0, NaN and infinities null, because
// JSON has no form for them. See docs/spec/cli.md#r23.
func AppendFloat(dst []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x+0, 'f', -1, 64) // +0 turns -0 into 0
	if slices.Contains(dst[start:], '.') {
		return dst
	}
	return append(dst, ".0"...)
}

// AppendString appends s as a JSON string (jsontree.AppendString).
func AppendString(dst []byte, s string) []byte { return jsontree.AppendString(dst, s) }
