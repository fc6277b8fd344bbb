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
func (result *Result) AppendJSON(dst []byte, reward RewardMode, scorer string) []byte {
	writer := memberWriter{dst: append(dst, '{')}
	writer.writeName("id")
	writer.dst = AppendString(writer.dst, result.ID)
	if result.Line > 0 {
		writer.writeName("line")
		writer.dst = strconv.AppendInt(writer.dst, int64(result.Line), 10)
	}
	// What was answered by whom, and its score.
	writer.writeText("suite", result.Suite)
	writer.writeText("test", result.Test)
	result.Who.appendMembers(&writer)
	writer.writeScore(result, reward)
	writer.writeText("status", result.Status)
	writer.writeName("metrics")
	writer.dst = AppendMetrics(writer.dst, result.Metrics)
	// What else the suite and the scorer say.
	for _, f := range result.Fields {
		writer.writeName(f.Name)
		writer.writeValue(f.Value)
	}
	writer.writeName("notes")
	writer.dst = appendList(writer.dst, result.Notes, func(dst []byte, n Note) []byte { return n.AppendJSON(dst) })
	if result.Err != nil {
		writer.writeName("error")
		writer.dst = append(writer.dst, `{"code":`...)
		writer.dst = AppendString(writer.dst, result.Err.Code)
		writer.dst = append(writer.dst, `,"message":`...)
		writer.dst = AppendString(writer.dst, result.Err.Message)
		writer.dst = append(writer.dst, '}')
	}
	writer.writeText("backend", result.Backend)
	writer.writeText("scorer", scorer)
	if result.Who.Asked != nil {
		writer.writeName("asked")
		writer.dst = append(writer.dst, result.Who.Asked.JSON...)
	}
	return append(writer.dst, '}')
}

// AppendMetrics appends the metrics of a result as a JSON object, in the order of the list.
func AppendMetrics(dst []byte, list []Metric) []byte {
	writer := memberWriter{dst: append(dst, '{')}
	for _, m := range list {
		writer.writeName(m.Name)
		writer.writeValue(m.Value)
	}
	return append(writer.dst, '}')
}

// memberWriter writes a JSON object member by member to the end of dst.
type memberWriter struct{ dst []byte }

// writeName writes the name of a member of a result line and the colon, after a comma unless the
// object has just been opened. Names must be this program's own, because they are not escaped.
func (writer *memberWriter) writeName(text string) {
	if writer.dst[len(writer.dst)-1] != '{' {
		writer.dst = append(writer.dst, ',')
	}
	writer.dst = append(writer.dst, '"')
	writer.dst = append(writer.dst, text...)
	writer.dst = append(writer.dst, '"', ':')
}

// writeText writes a member of a result line that is a string, and nothing for "".
func (writer *memberWriter) writeText(name, s string) {
	if s != "" {
		writer.writeName(name)
		writer.dst = AppendString(writer.dst, s)
	}
}

// writeScore writes a result's score and the reward that follows from it; both are null where there
// is no score.
func (writer *memberWriter) writeScore(result *Result, reward RewardMode) {
	if !result.Scored {
		writer.dst = append(writer.dst, `,"score":null,"reward":null`...)
		return
	}
	writer.writeName("score")
	writer.dst = AppendFloat(writer.dst, result.Score)
	writer.writeName("reward")
	writer.dst = AppendFloat(writer.dst, reward.Of(result.Score))
}

// writeValue writes the value of a metric, of one of the types that Metric lists; it panics for any
// other.
func (writer *memberWriter) writeValue(v any) {
	switch v := v.(type) {
	case nil:
		writer.dst = append(writer.dst, "null"...)
	case float64:
		writer.dst = AppendFloat(writer.dst, v)
	case int:
		writer.dst = strconv.AppendInt(writer.dst, int64(v), 10)
	case bool:
		writer.dst = strconv.AppendBool(writer.dst, v)
	case string:
		writer.dst = AppendString(writer.dst, v)
	case []string:
		writer.dst = appendList(writer.dst, v, AppendString)
	case []float64:
		writer.dst = appendList(writer.dst, v, AppendFloat)
	case [][]float64:
		writer.dst = appendList(writer.dst, v, func(dst []byte, a []float64) []byte {
			return appendList(dst, a, AppendFloat)
		})
	case JSON:
		writer.dst = append(writer.dst, v...)
	default:
		panic("BUG: metric of a type that has no JSON form")
	}
}

// AppendJSON appends a note on an answer as it is written in a result line.
func (n Note) AppendJSON(dst []byte) []byte {
	writer := memberWriter{dst: append(dst, '{')}
	writer.writeText("code", n.Code)
	writer.writeText("path", n.Path)
	writer.writeText("message", n.Message)
	return append(writer.dst, '}')
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
	start := len(dst)                                // of the number
	dst = strconv.AppendFloat(dst, x+0, 'f', -1, 64) // +0 turns -0 into 0
	if slices.Contains(dst[start:], '.') {
		return dst
	}
	return append(dst, ".0"...)
}

// AppendString appends s as a JSON string (jsontree.AppendString).
func AppendString(dst []byte, s string) []byte { return jsontree.AppendString(dst, s) }
