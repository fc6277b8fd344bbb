package scoring

import (
	"reflect"
	"testing"

	"github.com/valyala/fastjson"
)

// A result that is written and read back is the same, but for integers, which
// JSON does not tell from floats.
func TestReadResult(t *testing.T) {
	in := Result{ID: "a", Suite: "s", Test: "t", Scored: true, Score: 0.25, Status: "bare", Backend: "gl",
		Metrics: []Metric{{"iou", 0.5}, {"class", nil}, {"ok", true}, {"ids", []string{"x"}}, {"at", []float64{1, 2}},
			{"rows", [][]float64{{1, 2}, {3, 4}}}, {"pieces", JSON(`[{"index":0}]`)}},
		Fields: []Metric{{"evaluation", JSON(`{"score":0.5,"errors":[]}`)}, {"feedback_text", "good"}},
		Notes:  []Note{{Code: "c", Path: "p", Message: "m"}}}
	line := in.AppendJSON(nil, Clamp01, "plumb x")
	out, _ := ReadResult(fastjson.MustParseBytes(line))
	if !reflect.DeepEqual(*out, in) {
		t.Errorf("read back %+v; want %+v; line %s", *out, in, line)
	}
	again := out.AppendJSON(nil, Clamp01, "plumb x")
	if string(again) != string(line) {
		t.Errorf("written again: %s; want %s", again, line)
	}
}

func TestReadFailed(t *testing.T) {
	in := Result{ID: "a", Line: 3, Err: &Error{Code: "bad_line", Message: "no"}}
	out, _ := ReadResult(fastjson.MustParseBytes(in.AppendJSON(nil, Clamp01, "")))
	if out.Scored || out.Line != 3 || out.Err == nil || *out.Err != *in.Err {
		t.Errorf("read back %+v; want %+v", *out, in)
	}
}
