package reward

import (
	"encoding/json"
	"math"
	"testing"
)

func TestAggregate(t *testing.T) {
	var a Aggregate
	for _, row := range []string{
		`{"_ng_task_index":1,"_ng_rollout_index":0,"reward":1.0,"failed":0.0,"ok":true,"label":"x","response":{"usage":{"input_tokens":10}}}`,
		`{"_ng_task_index":0,"reward":0.5,"failed":0.0,"ok":false,"response":{"usage":null}}`,
		`{"_ng_task_index":1,"reward":0.0,"failed":0.0,"ok":true}`,
		`{"_ng_task_index":1,"reward":0.0,"failed":1.0,"_ng_failure_class":"deadline"}`,
	} {
		a.Add([]byte(row))
	}
	b := a.AppendJSON(nil)
	var got struct {
		Group []map[string]float64 `json:"group_level_metrics"`
		Agent map[string]float64   `json:"agent_metrics"`
		Key   map[string]float64   `json:"key_metrics"`
		N     int                  `json:"n"`
		Bad   int                  `json:"failed"`
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	for name, want := range map[string]float64{
		"mean/reward": 0.5, "max/reward": 1, "min/reward": 0, "median/reward": 0.5, "std/reward": 0.5, "n/reward": 3,
		"mean/ok": 2. / 3, "mean/input_tokens": 10, "std/input_tokens": 0, "n": 4, "n_failed": 1, "mean/failed": 0,
	} {
		if x, ok := got.Agent[name]; !ok || x != want {
			t.Errorf("%s: got %v; want %v in %s", name, x, want, b)
		}
	}
	if got.N != 4 || got.Bad != 1 || got.Key["mean/reward"] != 0.5 || len(got.Key) != 4 || len(got.Group) != 2 {
		t.Errorf("got %s", b)
	}
	if g := got.Group[0]; g["_ng_task_index"] != 1 || g["n"] != 3 || g["n_failed"] != 1 || g["mean/reward"] != 0.5 {
		t.Errorf("got %v for task 1", g)
	}
	if got := string((&Aggregate{}).AppendJSON(nil)); got != `{"group_level_metrics":[],"agent_metrics":{"n":0,"n_failed":0},"key_metrics":{},"n":0,"failed":0}` {
		t.Errorf("nothing: got %s", got)
	}
}

// The deviation of numbers whose squares are too large is that of the numbers.
func TestDeviationOfLargeNumbers(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{
		{[]float64{1e200, -1e200}, math.Sqrt2 * 1e200},
		{[]float64{1e200, 1e200}, 0},
		{[]float64{-1e200, -3e200, -2e200}, 1e200},
		{[]float64{1.5e308, -1.5e308, -1.5e308, -1.5e308}, 1.5e308}, // a difference from the mean is too large too
		{[]float64{1.7e308, -1.7e308}, math.Inf(1)},                 // it is too large itself
		{[]float64{1, -1}, math.Sqrt2},
	} {
		got := statsOf(c.list).std
		if got != c.want && !(math.Abs(got/c.want-1) < 1e-15) {
			t.Errorf("%v: got %v; want %v", c.list, got, c.want)
		}
	}
}
