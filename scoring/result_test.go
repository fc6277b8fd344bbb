package scoring

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestAppendFloat(t *testing.T) {
	cases := []struct {
		x    float64
		want string
	}{
		{0, "0.0"}, {math.Copysign(0, -1), "0.0"}, {1, "1.0"}, {-1, "-1.0"}, {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"},
		{1e21, "1000000000000000000000.0"}, {1e-7, "0.0000001"}, {123456.5, "123456.5"},
		{math.NaN(), "null"}, {math.Inf(1), "null"}, {math.Inf(-1), "null"},
	}
	for _, c := range cases {
		if got := string(AppendFloat(nil, c.x)); got != c.want {
			t.Errorf("%v: got %s; want %s", c.x, got, c.want)
		}
	}
	for _, x := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, -math.MaxFloat64, math.Pi, 5e-324} {
		var back float64
		if err := json.Unmarshal(AppendFloat(nil, x), &back); err != nil || back != x {
			t.Errorf("%v reads back as %v, %v", x, back, err)
		}
	}
}

func TestAppendString(t *testing.T) {
	cases := []struct{ s, want string }{
		{"", `""`}, {"a\"b\\c/", `"a\"b\\c/"`}, {"\n\r\t\x00\x1f\x7f", `"\n\r\t\u0000\u001f` + "\x7f" + `"`},
		{"é😀", `"é😀"`}, {"\u2028\u2029", `"\u2028\u2029"`}, {"a\xffb", `"a\ufffdb"`}, {"\xe2\x82", `"\ufffd\ufffd"`},
		{"\ufffd", "\"\ufffd\""}, {"</script>", `"</script>"`},
	}
	for _, c := range cases {
		got := string(AppendString(nil, c.s))
		if got != c.want {
			t.Errorf("%q: got %s; want %s", c.s, got, c.want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != strings.ToValidUTF8(c.s, "\ufffd") && len(c.s) != 2 {
			t.Errorf("%q reads back as %q, %v", c.s, back, err)
		}
	}
}

func TestResultJSON(t *testing.T) {
	full := Result{
		ID: "maze-0", Suite: "aspire", Test: "maze", Scored: true, Score: -1, Status: "fenced", Backend: "gl",
		Metrics: []Metric{{"distance", 3.0}, {"n", 2}, {"ok", true}, {"chosen", nil}, {"s", "x"}, {"ids", []string{"a", "b"}},
			{"none", []string{}}, {"p", []float64{1, 2.5}}, {"ends", [][]float64{{0, 1}, {2, math.NaN()}}}},
		Notes: []Note{{"dropped_field", "createShapes[0].props.foo", "unknown field"}, {Code: "more_notes"}},
	}
	bad := Result{ID: "line:7", Line: 7, Err: &Error{"bad_line", "cannot read \"x\""}}
	cases := []struct {
		name   string
		r      Result
		mode   RewardMode
		scorer string
		want   string
	}{
		{"full", full, Clamp01, "plumb 0.1.0", `{"id":"maze-0","suite":"aspire","test":"maze","score":-1.0,"reward":0.0,"status":"fenced",` +
			`"metrics":{"distance":3.0,"n":2,"ok":true,"chosen":null,"s":"x","ids":["a","b"],"none":[],"p":[1.0,2.5],"ends":[[0.0,1.0],[2.0,null]]},` +
			`"notes":[{"code":"dropped_field","path":"createShapes[0].props.foo","message":"unknown field"},{"code":"more_notes"}],` +
			`"backend":"gl","scorer":"plumb 0.1.0"}`},
		{"bad line", bad, Raw, "", `{"id":"line:7","line":7,"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"bad_line","message":"cannot read \"x\""}}`},
	}
	for _, c := range cases {
		got := string(c.r.AppendJSON(nil, c.mode, c.scorer))
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: no JSON", c.name)
		}
	}
}

func TestReward(t *testing.T) {
	cases := []struct {
		name        string
		score, want float64
	}{
		{"raw", -3, -3}, {"raw", 2, 2}, {"clamp01", -3, 0}, {"clamp01", 2, 1}, {"clamp01", 0.25, 0.25},
		{"clamp11", -3, -1}, {"clamp11", 2, 1}, {"clamp11", -0.25, -0.25},
	}
	for _, c := range cases {
		m, err := ParseReward(c.name)
		if err != nil || m.String() != c.name || m.Of(c.score) != c.want {
			t.Errorf("%s of %v: got %v, %v; want %v", c.name, c.score, m.Of(c.score), err, c.want)
		}
	}
	for _, m := range []RewardMode{Raw, Clamp01, Clamp11} {
		if got := m.Of(math.Copysign(0, -1)); math.Signbit(got) {
			t.Errorf("%v: a reward is -0", m)
		}
	}
	if _, err := ParseReward("clamp"); err == nil {
		t.Error("an unknown reward is accepted")
	}
	var zero RewardMode
	if zero != Clamp01 {
		t.Error("the zero value is not the default")
	}
}

func TestParseVariants(t *testing.T) {
	known := []Variant{
		{Name: "maze.cell"}, {Name: "maze.strict"}, {Name: "label.strict"}, {Name: "table.clamp01"}, {Name: "maze.clamp01"},
		{Name: "drawingbench.profile", Value: "release|paper"}, {Name: "label.ink", Refused: "not reproducible"},
	}
	good := []struct {
		arg, name, value string
	}{
		{"maze.cell", "maze.cell", ""}, {"cell", "maze.cell", ""}, {"maze.strict", "maze.strict", ""},
		{"profile=paper", "drawingbench.profile", "paper"},
	}
	for _, c := range good {
		v, err := ParseVariants([]string{c.arg}, known)
		if value, ok := v[c.name]; err != nil || !ok || value != c.value || !v.On(c.name) {
			t.Errorf("%s: got %v, %v", c.arg, v, err)
		}
	}
	bad := []struct{ arg, want string }{
		{"strict", "label.strict, maze.strict"}, {"clamp01", "maze.clamp01, table.clamp01"}, {"nope", "drawingbench.profile=release|paper, label.ink"},
		{"maze.cell=1", "want none"}, {"profile", "release|paper"}, {"profile=x", "release|paper"}, {"ink", "not reproducible"}, {"", "unknown"},
		{"maze", "unknown"},
	}
	for _, c := range bad {
		if v, err := ParseVariants([]string{c.arg}, known); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", c.arg, v, err, c.want)
		}
	}
}
