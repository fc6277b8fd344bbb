package scoring

import (
	"math"
	"slices"
	"strconv"

	"plumb/render/jsontree"
)

// AppendJSON appends the result as one JSON object without a line break. Members are in a fixed
// order and floats always have a point and no exponent, so that equal results are equal bytes.
// scorer is the program with its version ("plumb 0.1.0"). Strings that are "" and members of the
// identity that are not known are left out. See docs/spec/cli.md#r20.
func (r *Result) AppendJSON(dst []byte, reward RewardMode, scorer string) []byte {
	w := writer{dst: append(dst, '{')}
	w.name("id")
	w.dst = AppendString(w.dst, r.ID)
	if r.Line > 0 {
		w.name("line")
		w.dst = strconv.AppendInt(w.dst, int64(r.Line), 10)
	}
	w.text("suite", r.Suite)
	w.text("test", r.Test)
	r.Who.append(&w)
	w.score(r, reward)
	w.text("status", r.Status)
	w.name("metrics")
	w.dst = AppendMetrics(w.dst, r.Metrics)
	for _, f := range r.Fields {
		w.name(f.Name)
		w.value(f.Value)
	}
	w.name("notes")
	w.dst = appendList(w.dst, r.Notes, func(dst []byte, n Note) []byte { return n.AppendJSON(dst) })
	if r.Err != nil {
		w.name("error")
		w.dst = append(w.dst, `{"code":`...)
		w.dst = AppendString(w.dst, r.Err.Code)
		w.dst = append(w.dst, `,"message":`...)
		w.dst = AppendString(w.dst, r.Err.Message)
		w.dst = append(w.dst, '}')
	}
	w.text("backend", r.Backend)
	w.text("scorer", scorer)
	if r.Who.Asked != nil {
		w.name("asked")
		w.dst = append(w.dst, r.Who.Asked.JSON...)
	}
	return append(w.dst, '}')
}

// AppendMetrics appends a list of metrics as a JSON object.
func AppendMetrics(dst []byte, list []Metric) []byte {
	w := writer{dst: append(dst, '{')}
	for _, m := range list {
		w.name(m.Name)
		w.value(m.Value)
	}
	return append(w.dst, '}')
}

// writer writes a JSON object member by member to the end of dst.
type writer struct{ dst []byte }

// name writes a member's name in a result line, after a comma unless the object has just been
// opened. Names are this program's and need no escapes.
func (w *writer) name(s string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '"')
	w.dst = append(w.dst, s...)
	w.dst = append(w.dst, '"', ':')
}

// text writes a member that is a string, and nothing for "".
func (w *writer) text(name, s string) {
	if s != "" {
		w.name(name)
		w.dst = AppendString(w.dst, s)
	}
}

// score writes the score and the reward that follows from it, null where there is no score.
func (w *writer) score(r *Result, reward RewardMode) {
	if !r.Scored {
		w.dst = append(w.dst, `,"score":null,"reward":null`...)
		return
	}
	w.name("score")
	w.dst = AppendFloat(w.dst, r.Score)
	w.name("reward")
	w.dst = AppendFloat(w.dst, reward.Of(r.Score))
}

// value writes the value of a metric of one of the types that Metric lists; it panics for any
// other.
func (w *writer) value(v any) {
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

// AppendJSON appends the note as it is written in a result line.
func (n Note) AppendJSON(dst []byte) []byte {
	w := writer{dst: append(dst, '{')}
	w.text("code", n.Code)
	w.text("path", n.Path)
	w.text("message", n.Message)
	return append(w.dst, '}')
}

// appendList appends a JSON array; appendElement appends one element.
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
// with a point, never with an exponent, and 0.0 for -0. What is not finite becomes null:
// NaN and infinities have no JSON form. See docs/spec/cli.md#r23.
func AppendFloat(dst []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x+0, 'f', -1, 64)
	if slices.Contains(dst[start:], '.') {
		return dst
	}
	return append(dst, ".0"...)
}

// AppendString appends s as a JSON string (jsontree.AppendString).
func AppendString(dst []byte, s string) []byte { return jsontree.AppendString(dst, s) }
