package drawingbench

import (
	"math"
	"strings"
	"testing"

	"plumb/scoring"
	"plumb/scoring/paper"
)

func answerOf(task string, turn int, score float64, tools ...string) *scoring.Result {
	return &scoring.Result{Suite: suiteName, Test: testName, Scored: true, Score: score, Metrics: []scoring.Metric{
		{Name: "task", Value: task}, {Name: "turn", Value: float64(turn)}, {Name: "category", Value: "c"}, {Name: "difficulty", Value: "hard"},
		{Name: "total_actions", Value: 10}, {Name: "drawing_segments", Value: 2}, {Name: "tools_selected", Value: tools},
		{Name: "error_types", Value: []string{"EFFICIENCY_WARNING"}}, {Name: "feedback_types", Value: []string{}}}}
}

// A task that ended after its first turn enters both columns; what could not be
// scored enters none.
func TestTables(t *testing.T) {
	tab := newTestTables()
	tab.Add(answerOf("a#0", 1, 0.5, "pen"))
	tab.Add(answerOf("b#1", 1, 0.95, "pen", "circle"))
	tab.Add(answerOf("a#0", 2, 0.65))
	tab.Add(answerOf("c#2", 1, 0.7))
	tab.Add(answerOf("c#2", 1, 0.8)) // another run
	if n := len(tab.allRuns); n != 4 {
		t.Errorf("got %d runs; want 4", n)
	}
	tab.allRuns = tab.allRuns[:2]
	tab.Add(&scoring.Result{Suite: suiteName, Err: &scoring.Error{Code: "no_response"}})
	got := rowsOf(tab)
	for _, want := range []string{
		"mean score 0.7250 0.8000 0.0750", "standard deviation 0.2250 0.1500", "median 0.7250 0.8000", "perfect (0.9 or more) 1 1 0",
		"actions, mean 10.000", "2 x segments / actions 0.400", "hard 2 0.7250 0.8000 0.0750 1 1", "c 2 0.7250 0.8000",
		"0 1 50.0 178", "> 0.10 1 50.0 12", "worse 0 0.0 -", "evaluator EFFICIENCY_WARNING 2 1", "pen 100.0 50.0 68.2", "circle 50.0 50.0 12.7",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no row %q in\n%s", want, got)
		}
	}
	if n := len(newTestTables().Tables()); n != 0 {
		t.Errorf("got %d tables of nothing", n)
	}
}

// Where turn 1 has the mean 0, nothing is relative to it.
func TestTablesOfZeros(t *testing.T) {
	tab := newTestTables()
	tab.Add(answerOf("a#0", 1, 0))
	if got := rowsOf(tab); strings.Contains(got, "NaN") || !strings.Contains(got, "not defined, as turn 1 has the mean 0") {
		t.Errorf("got\n%s", got)
	}
}

// TestTablesWithoutActions: a share of no actions is undefined, and so is its difference from the paper.
func TestTablesWithoutActions(t *testing.T) {
	tab := newSeriesTables(scoring.TableOptions{Missing: true}, paper.Choose(paperTitle, printedTables, nil))
	tab.Add(&scoring.Result{Suite: suiteName, Err: &scoring.Error{Code: "no_response"}})
	got := rowsOf(tab)
	if want := "segments / actions, % - - - 42.5 45.8 - -\n"; !strings.Contains(got, want) || strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
		t.Errorf("got\n%s\nwant the row %q, and no NaN", got, want)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if cell := difference(x, "0.5"); cell != "-" {
			t.Errorf("difference of %v: got %q; want -", x, cell)
		}
	}
}

// TestRepeats averages the runs of a task first.
func TestRepeats(t *testing.T) {
	tab := newTestTables()
	for repeat, scores := range [][2]float64{{0.5, 0.9}, {0.7, 0.8}} {
		for turn, x := range scores { // the turns of both runs in turn
			r := answerOf("a#0", turn+1, x, "pen")
			r.Who.Repeat = repeat + 1
			tab.Add(r)
		}
	}
	tab.Add(answerOf("b#1", 1, 0.95))
	got := rowsOf(tab)
	for _, want := range []string{"DrawingBench overall, 2 tasks, 3 runs", "mean score 0.7750 0.9000 0.1250", "median 0.7750 0.9000",
		"perfect (0.9 or more) 1.00 1.50 0.50", "ended after turn 1, % 50.0", "hard 2 0.7750 0.9000 0.1250 1 1.50", "0 1 50.0", "(0.05, 0.10] 0.50 25.0",
		"> 0.10 0.50 25.0", "Largest +0.400, smallest +0.000", "pen 50.0 50.0"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func rowsOf(tab scoring.Tables) string {
	var all []string
	for _, t := range tab.Tables() {
		all = append(all, t.Title, t.Note)
		for _, r := range t.Rows {
			all = append(all, strings.Join(r, " "))
		}
	}
	return strings.Join(all, "\n")
}

// newTestTables returns the tables of one series.
func newTestTables() *tables {
	o := scoring.TableOptions{}
	return newSeriesTables(o, paper.Choose(paperTitle, printedTables, nil))
}

// TestImprovementBounds has changes on the bounds of the classes (docs/spec/drawingbench.md#r86).
func TestImprovementBounds(t *testing.T) {
	tab := newTestTables()
	for i, last := range []float64{0.5, 0.501, 0.55, 0.551, 0.6, 0.601, 0.499} {
		task := string(rune('a' + i))
		tab.Add(answerOf(task, 1, 0.5))
		tab.Add(answerOf(task, 2, last))
	}
	got := rowsOf(tab)
	for _, want := range []string{"worse 1 14.3", "\n0 1 14.3", "(0, 0.05] 2 28.6", "(0.05, 0.10] 2 28.6", "> 0.10 1 14.3"} {
		if !strings.Contains(got, want) {
			t.Errorf("no row %q in\n%s", want, got)
		}
	}
}

// TestNoModels checks that results that do not say how they were asked for are in no table of models or
// tokens.
func TestNoModels(t *testing.T) {
	tab := newTables(scoring.TableOptions{})
	tab.Add(answerOf("a", 1, 0.5))
	all := tab.Tables()
	if len(all) == 0 {
		t.Fatal("got no tables")
	}
	for _, one := range all {
		if one.Title == "DrawingBench models" || one.Title == "DrawingBench tokens" {
			t.Errorf("got the table %q with %d rows", one.Title, len(one.Rows))
		}
	}
}
