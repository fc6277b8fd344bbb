package stats

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// sampleOf makes a sample of one model of lines of suite, test, id, score ("-" for none) and the
// member asked, if any.
func sampleOf(t *testing.T, model string, lines ...string) *Sample {
	t.Helper()
	s := NewSample()
	repeats := map[string]int{}
	for _, line := range lines {
		f := strings.Fields(line)
		asked := "{}"
		if len(f) > 4 {
			asked = f[4]
		}
		question := strings.Join(f[:3], " ") + asked
		repeats[question]++
		who, err := scoring.ReadIdentity(fastjson.MustParse(fmt.Sprintf(`{"model":%q,"repeat":%d,"asked":%s}`, model, repeats[question], asked)), "")
		if err != nil {
			t.Fatal(err)
		}
		r := scoring.Result{Suite: f[0], Test: f[1], ID: f[2], Who: who, Scored: f[3] != "-"}
		fmt.Sscan(f[3], &r.Score)
		s.Add(&r, "")
	}
	return s
}

// TestCompareSamples checks the pairs of two samples: repeats of a task are averaged, tasks that one
// side lacks or has no score for are left out and counted, and tests come before all tests of their
// suite (docs/spec/runs.md#r44, docs/spec/runs.md#r46).
func TestCompareSamples(t *testing.T) {
	a := sampleOf(t, "A", "s z 1 -", "s y 1 1", "s y 2 0.5", "s x 1 1", "s x 1 0", "s x 2 -", "s x 3 1", "r x 1 1", "s x only 1", "s y 3 1", "s x 4 -", "s x 4 1")
	b := sampleOf(t, "B", "s x 1 0", "s x 2 1", "s y 2 0", "s y 1 0", "s x 3 -", "r x 1 0", "s z 1 1", "s y 3 0", "s x 4 0", "s y other 1", "s y another 1")
	lines, unpaired, err := CompareSamples(a, b, 1)
	if err != nil || unpaired != 3 {
		t.Fatalf("got %d tasks of one side alone, %v; want 3", unpaired, err)
	}
	type want struct {
		suite, test  string
		tasks, out   int
		a, p, adjust float64
		mcNemar      bool
	}
	nan := math.NaN()
	for i, w := range []want{
		{"r", "x", 1, 0, 1, 1, 1, true}, // one cluster: both signs give as much
		{"r", "", 1, 0, 1, 1, nan, true},
		{"s", "z", 0, 1, 0, 0, nan, false},
		{"s", "y", 3, 0, 2.5 / 3, 0.25, 0.75, false}, // three clusters: 2 of 8 signs, of three tests
		{"s", "x", 2, 2, 0.75, 0.5, 1, false},
		{"s", "", 5, 3, 4. / 5, 2. / 16, nan, false}, // task 1 of x and of y share a name, and so a cluster
	} {
		if i >= len(lines) {
			t.Fatalf("got %d lines", len(lines))
		}
		l := lines[i]
		same := func(x, y float64) bool { return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) < 1e-12 }
		if l.Suite != w.suite || l.Test != w.test || l.Tasks != w.tasks || l.LeftOut != w.out || !same(l.A, w.a) || !same(l.P, w.p) || !same(l.HolmP, w.adjust) ||
			l.Tasks > 0 && math.IsNaN(l.McNemar) == w.mcNemar {
			t.Errorf("line %d: got %+v; want %+v", i, l, w)
		}
	}
	if len(lines) != 6 {
		t.Errorf("got %d lines; want 6", len(lines))
	}
	if _, unpaired, err := CompareSamples(sampleOf(t, "A", "s x 1 1", "s x 2 1"), sampleOf(t, "B", "s x 3 1"), 1); unpaired != 3 || err == nil || !strings.Contains(err.Error(), "2 and 1 tasks") {
		t.Errorf("no common task: got %d, %v; want an error with their numbers", unpaired, err)
	}
}

// TestPlainAnswers checks that McNemar's test is there only where each task has one answer of 0 or 1
// on both sides (docs/spec/runs.md#r46).
func TestPlainAnswers(t *testing.T) {
	one := []string{"s x 1 1", "s x 2 0"}
	for _, c := range []struct {
		a, b []string
		want bool
	}{
		{one, one, true},
		{append([]string{"s x 1 1"}, one...), one, false},
		{one, append([]string{"s x 1 1"}, one...), false},
		{[]string{"s x 1 0.5", "s x 2 0"}, one, false},
		{one, []string{"s x 1 1", "s x 2 0.5"}, false},
		{[]string{"s x 1 2", "s x 2 0"}, one, false},
	} {
		lines, _, err := CompareSamples(sampleOf(t, "A", c.a...), sampleOf(t, "B", c.b...), 1)
		if err != nil || math.IsNaN(lines[0].McNemar) == c.want {
			t.Errorf("%v, %v: got McNemar's p %v, %v; want one: %v", c.a, c.b, lines[0].McNemar, err, c.want)
		}
	}
}

// TestArms checks that ways to ask a model tell tasks apart where both sides have one in common
// (docs/spec/runs.md#r46).
func TestArms(t *testing.T) {
	both := []string{`s x 1 1 {"mode":"a"}`, `s x 1 0 {"mode":"b"}`}
	for _, c := range []struct {
		name            string
		b               []string
		tasks, unpaired int
	}{
		{"the same ways", both, 2, 0},
		{"one of them", both[:1], 1, 1},
		{"another way: all answers are repeats of the task", []string{`s x 1 1 {"mode":"c"}`}, 1, 0},
	} {
		lines, unpaired, err := CompareSamples(sampleOf(t, "A", both...), sampleOf(t, "B", c.b...), 1)
		if err != nil || lines[0].Tasks != c.tasks || unpaired != c.unpaired {
			t.Errorf("%s: got %+v, %d unpaired, %v; want %d tasks, %d unpaired", c.name, lines, unpaired, err, c.tasks, c.unpaired)
		}
	}
	if spread := Spreads(sampleOf(t, "A", both...), nil); len(spread) != 2 || spread[0].Tasks != 2 {
		t.Errorf("one sample: got %+v; want two tasks", spread)
	}
	if spread := Spreads(sampleOf(t, "A", both...), sampleOf(t, "B", both...)); len(spread) != 2 || spread[0].Tasks != 2 {
		t.Errorf("two samples: got %+v; want two tasks", spread)
	}
}

// TestSampleAdd checks that an answer counts once, and that what shares a task of DrawingBench or a
// named cluster is together (docs/spec/runs.md#r45).
func TestSampleAdd(t *testing.T) {
	s := NewSample()
	task := []scoring.Metric{{Name: "task", Value: "t"}}
	for _, c := range []struct {
		result  scoring.Result
		given   string
		cluster string // "" where it is not added
	}{
		{scoring.Result{Suite: "s", ID: "1"}, "", "1"},
		{scoring.Result{Suite: "s", ID: "1"}, "", ""},
		{scoring.Result{Suite: "s", ID: "2", Metrics: task}, "", "2"},
		{scoring.Result{Suite: "s", ID: "3", Who: scoring.Identity{Model: "m"}}, "scene", "scene"},
		{scoring.Result{Suite: "drawingbench", ID: "t/1", Metrics: task}, "", "t"},
		{scoring.Result{Suite: "drawingbench", ID: "t/2", Metrics: task}, "scene", "scene"},
		{scoring.Result{Suite: "drawingbench", ID: "t/3", Metrics: []scoring.Metric{{Name: "task", Value: []string{"a", "b"}}}}, "", "t/3"},
	} {
		before := s.Len()
		s.Add(&c.result, c.given)
		switch {
		case c.cluster == "" && s.Len() != before || c.cluster != "" && s.Len() != before+1:
			t.Errorf("%s: got %d results after %d", c.result.ID, s.Len(), before)
		case c.cluster != "" && s.results[before].cluster != c.cluster:
			t.Errorf("%s: got the cluster %s; want %s", c.result.ID, s.results[before].cluster, c.cluster)
		}
	}
	if s.RepeatedAnswers != 1 || fmt.Sprintf("%q", s.Models()) != `["" "m"]` {
		t.Errorf("got %d repeated answers of the models %q; want 1 of none and m", s.RepeatedAnswers, s.Models())
	}
}

// TestSpreads checks by hand how much scores and differences vary, within tasks and between them
// (docs/spec/runs.md#r48).
func TestSpreads(t *testing.T) {
	a := sampleOf(t, "A", "s y 9 1", "s x 1 1", "s x 1 0", "s x 2 0.5", "s x 3 -", "s x 4 0.2", "r x 1 1", "r x 2 0")
	b := sampleOf(t, "B", "s x 1 0", "s x 1 0.2", "s x 1 0.1", "s x 2 0.3", "s x 3 1", "s x 4 -", "s y 9 1", "r x 1 1")
	check := func(name string, got []Spread, want ...Spread) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: got %+v; want %d lines", name, got, len(want))
		}
		for i, w := range want {
			g := got[i]
			if g.Suite != w.Suite || g.Test != w.Test || g.Tasks != w.Tasks {
				t.Errorf("%s: got %+v; want %+v", name, g, w)
			}
			for k, x := range [][2]float64{{g.Repeats, w.Repeats}, {g.TrueVariance, w.TrueVariance}, {g.RepeatVarianceA, w.RepeatVarianceA}, {g.RepeatVarianceB, w.RepeatVarianceB}, {g.SD * g.SD, w.SD}} {
				if !(math.Abs(x[0]-x[1]) <= 1e-12) { // NaN is wrong too
					t.Errorf("%s, %s/%s: number %d is %v; want %v", name, w.Suite, w.Test, k, x[0], x[1])
				}
			}
		}
	}
	// Means 0.5, 0.5, 0.2 and 1; the variance of 1 and 0 is 0.5. SD stands for its square here.
	check("one sample", Spreads(a, nil),
		Spread{"r", "x", 2, 1, 0.5, 0, 0, 0.5}, Spread{"r", "", 2, 1, 0.5, 0, 0, 0.5},
		Spread{"s", "x", 3, 4. / 3, 0, 0.5, 0.5, 0.03}, // 0.03 - 0.5 / (4/3) is below 0
		Spread{"s", "", 4, 5. / 4, 0, 0.5, 0.5, 0.11},
	)
	// Differences 0.4 and 0.2 of x, 0 of y: variance 0.02, with y 0.04. Repeats of A vary by 0.5, of B by 0.01.
	check("two samples", Spreads(a, b),
		Spread{"s", "x", 2, 1.5, 0, 0.5, 0.01, 0.02},
		Spread{"s", "", 3, 4. / 3, 0, 0.5, 0.01, 0.04},
	)
	// Means 0.5, 0 and 1 with variances 0.02 of two tasks: 0.25 - 0.02 / (5/3) is between tasks.
	few := []string{"s x 1 0.4", "s x 1 0.6", "s x 2 -0.1", "s x 2 0.1", "s x 3 1"}
	check("little within", Spreads(sampleOf(t, "A", few...), nil),
		Spread{"s", "x", 3, 5. / 3, 0.25 - 0.012, 0.02, 0.02, 0.25}, Spread{"s", "", 3, 5. / 3, 0.25 - 0.012, 0.02, 0.02, 0.25})
	same := []string{"s x 1 0", "s x 2 0", "s x 3 0"}
	check("the other side is constant", Spreads(sampleOf(t, "A", few...), sampleOf(t, "B", same...)),
		Spread{"s", "x", 3, 5. / 3, 0.25 - 0.012, 0.02, 0, 0.25}, Spread{"s", "", 3, 5. / 3, 0.25 - 0.012, 0.02, 0, 0.25})
	check("the other side varies alone", Spreads(sampleOf(t, "A", same...), sampleOf(t, "B", few...)),
		Spread{"s", "x", 3, 1, 0.23, 0, 0.02, 0.25}, Spread{"s", "", 3, 1, 0.23, 0, 0.02, 0.25})
}
