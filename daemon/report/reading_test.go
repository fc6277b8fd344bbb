package report

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
)

// A result that went over the wire is the one that was written, in the types
// that scoring.Shower names.
func TestResultsComeBack(t *testing.T) {
	in := scoring.Result{ID: "a/b", Line: 3, Suite: "aspire", Test: "line", Scored: true, Score: -0.25, Status: "bare", Backend: "cpu",
		Metrics: []scoring.Metric{
			{Name: "x", Value: 1.5}, {Name: "n", Value: 7}, {Name: "ok", Value: true}, {Name: "id", Value: "shape:a"}, {Name: "none", Value: nil},
			{Name: "ids", Value: []string{"a", "b"}}, {Name: "empty", Value: []string{}}, {Name: "p", Value: []float64{1, 2}},
			{Name: "ends", Value: [][]float64{{1, 2}, {3, 4}, {5}}},
		},
		Notes: []scoring.Note{{Code: "dropped_field", Path: "x.y", Message: "m"}},
		Err:   &scoring.Error{Code: "c", Message: "d"}}
	var p fastjson.Parser
	_, out, err := readResult(&p, in.AppendJSON(nil, scoring.RewardMode(0), "plumb x"))
	if err != nil {
		t.Fatal(err)
	}
	in.Metrics[1].Value = 7.0 // JSON has one kind of number
	if !reflect.DeepEqual(*out, in) {
		t.Errorf("got %+v; want %+v", *out, in)
	}
	if x, ok := out.Float("n"); !ok || x != 7 {
		t.Errorf("n is %g, %v", x, ok)
	}
	if q, ok := out.Point("p"); !ok || q != (scene.Point{X: 1, Y: 2}) {
		t.Errorf("p is %v, %v", q, ok)
	}
	if ps := out.Points("ends"); len(ps) != 2 || ps[1] != (scene.Point{X: 3, Y: 4}) {
		t.Errorf("ends are %v", ps)
	}
	if ids := out.Strings("ids"); len(ids) != 2 || len(out.Strings("id")) != 1 || len(out.Strings("x")) != 0 {
		t.Errorf("ids are %v", ids)
	}
	for _, missing := range []string{"none", "nothing", "id"} {
		if _, ok := out.Float(missing); ok {
			t.Errorf("%s is a number", missing)
		}
		if _, ok := out.Point(missing); ok {
			t.Errorf("%s is a point", missing)
		}
	}
}

// Metrics of other forms are kept as text, never lost.
func TestOddMetrics(t *testing.T) {
	var p fastjson.Parser
	_, r, err := readResult(&p, []byte(`{"id":"a","score":1,"metrics":{"o":{"k":1},"mixed":[1,"a"],"rows":[[1],["a"]]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`{"k":1}`, `[1,"a"]`, `[[1],["a"]]`} {
		if got := fmt.Sprintf("%s", r.Metrics[i].Value); got != want {
			t.Errorf("metric %s is %q; want %q", r.Metrics[i].Name, got, want)
		}
	}
}

// Tables that results went through leave null where there was nothing.
func TestResultWithNulls(t *testing.T) {
	var p fastjson.Parser
	_, r, err := readResult(&p, []byte(`{"id":"a","suite":"aspire","test":"maze","model":null,"repeat":null,"score":1,"status":null,"metrics":null,"error":null}`))
	if err != nil || !r.Scored || r.Status != "" || r.Err != nil {
		t.Errorf("got %+v, %v; want a result without a status", r, err)
	}
}
