package aspire

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/scoring/stats"
)

// printedTables are the numbers of the paper's Tables 1 and 2.
//
//go:embed paper.json
var printedTables []byte

const paperTitle = "ASPIRE"

// otherTasks is in the titles of tables with published rows: the paper's 200 scenes are
// not published.
const otherTasks = " (paper: other tasks)"

var (
	modes  = []string{"default", "cot", "reasoning"}
	inputs = []string{"full", "minimal", "scaffold"}
)

// tables adds up answers of known mode and input as the paper does. Answers without the
// member asked are left to the general table. See docs/spec/runs.md#r51.
type tables struct {
	missing, clamp bool
	paper          *paper.Paper
	arms           []*arm
	at             map[armKey]*arm
	items          int
}

// armKey is a row of Table 1, with the input of Table 2.
type armKey struct{ model, mode, input string }

// arm holds the answers of one model, mode and input.
type arm struct {
	armKey
	tests  map[string]*testScores
	tokens []float64
	scoring.Tally
}

// testScores holds the scores of one test by task, in order of appearance.
type testScores struct {
	at   map[string]int
	sums []float64
	n    []int
}

// maxItems bounds the tasks that are remembered.
const maxItems = 1 << 20

// newTables implements scoring.Suite.Tables.
func newTables(o scoring.TableOptions) scoring.Tables {
	return &tables{missing: o.Missing, clamp: o.Variants.On("table.clamp01"), paper: paper.Choose(paperTitle, printedTables, o.Papers),
		at: map[armKey]*arm{}}
}

// Add implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	if r.Who.Asked == nil {
		return
	}
	values := r.Who.Arm()
	key := armKey{r.Who.Model, values[0], values[1]}
	a := t.at[key]
	if a == nil {
		if len(t.arms) >= 1000 {
			return
		}
		a = &arm{armKey: key, tests: map[string]*testScores{}}
		t.at[key] = a
		t.arms = append(t.arms, a)
	}
	a.Tally.Add(r)
	if n, ok := r.Who.Asked.CompletionTokens(); ok {
		a.tokens = append(a.tokens, n)
	}
	missing := r.Err != nil && r.Err.Code == "no_response"
	if !r.Scored && !(missing && t.missing) || t.items >= maxItems {
		return
	}
	s := a.tests[r.Test]
	if s == nil {
		s = &testScores{at: map[string]int{}}
		a.tests[r.Test] = s
	}
	i, ok := s.at[r.ID]
	if !ok {
		i = len(s.sums)
		s.at[r.ID], s.sums, s.n = i, append(s.sums, 0), append(s.n, 0)
		t.items++
	}
	s.sums[i] += r.Score
	s.n[i]++
}

// means returns the means of the tasks of an ASPIRE test over their repeats.
func (a *arm) means(test string) (list []float64) {
	if s := a.tests[test]; s != nil {
		for i, sum := range s.sums {
			list = append(list, sum/float64(s.n[i]))
		}
	}
	return list
}

// score returns the mean of the means of several ASPIRE tests, and of how many.
func (t *tables) score(a *arm, names []string) (x float64, n int) {
	for _, name := range names {
		if list := a.means(name); len(list) > 0 {
			m := stats.Mean(list)
			if t.clamp {
				m = min(max(m, 0), 1)
			}
			x += m
			n++
		}
	}
	return x / float64(n), n
}

// Tables implements scoring.Tables.
func (t *tables) Tables() []scoring.TextTable {
	if len(t.arms) == 0 {
		return nil
	}
	place := func(list []string, s string) int {
		if i := slices.Index(list, s); i >= 0 {
			return i
		}
		return len(list)
	}
	slices.SortStableFunc(t.arms, func(a, b *arm) int {
		if d := strings.Compare(a.model, b.model); d != 0 {
			return d
		}
		if d := place(modes, a.mode) - place(modes, b.mode); d != 0 {
			return d
		}
		return place(inputs, a.input) - place(inputs, b.input)
	})
	out := []scoring.TextTable{t.models()}
	for _, one := range []scoring.TextTable{t.inputs(), t.tests(), t.categories()} {
		if len(one.Rows) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// testNames lists the tests in the order of the paper.
func testNames() (names []string) {
	for _, t := range tests {
		names = append(names, t.name)
	}
	return names
}

// models returns Table 1 and Figure 3: scores by model and mode, with the full input.
func (t *tables) models() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Table 1: models and modes" + otherTasks, Text: 2,
		Columns: []string{"model", "mode", "score", "tokens", "rank", "nearest", "n", "missing", "failed", "filtered", "cut"},
		Note:    "Score: mean of the means of the tests, full input. Tokens: completion tokens of an answer, on average."}
	var published []paper.Published
	for _, r := range t.paper.Tables["models"].Rows {
		published = append(published, paper.Published{Name: r.Text(0) + " " + r.Text(1), Value: r.Number(2)})
	}
	for _, a := range t.arms {
		if a.input != "full" && a.input != "" {
			continue
		}
		x, n := t.score(a, testNames())
		score, tokens := scoring.FormatCell(x, 3), scoring.FormatCell(stats.Mean(a.tokens), 2)
		if n < len(tests) {
			score += fmt.Sprintf(" (%d of %d tests)", n, len(tests))
		}
		rank, nearest := paper.Place(x, published, 3)
		if n < len(tests) {
			rank, nearest = "-", "-"
		}
		out.Rows = append(out.Rows, append([]string{cmp.Or(a.model, "-"), cmp.Or(a.mode, "-"), score, tokens, rank, nearest}, a.Tally.Cells()...))
	}
	for _, r := range t.paper.Tables["models"].Rows {
		out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, r.Text(1), r.Cell(2, 2), r.Cell(3, 2), "-", "-", "-", "-", "-", "-", "-"})
	}
	return out
}

// inputs returns Table 2: scores by what the text says of the scene, for the tests that have the
// choice.
func (t *tables) inputs() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Table 2: inputs" + otherTasks, Text: 3,
		Columns: []string{"test", "model", "mode", "full", "minimal", "scaffold", "n full", "n minimal", "n scaffold", "rank full", "rank minimal", "rank scaffold"}}
	reduced := slices.ContainsFunc(t.arms, func(a *arm) bool { return a.input == "minimal" || a.input == "scaffold" })
	if !reduced {
		return out
	}
	printed := t.paper.Tables["inputs"]
	for _, test := range testNames() {
		var seen []armKey
		for _, a := range t.arms {
			k := armKey{model: a.model, mode: a.mode}
			if slices.Contains(seen, k) {
				continue
			}
			seen = append(seen, k)
			row, n, ranks, any := []string{test, cmp.Or(a.model, "-"), cmp.Or(a.mode, "-")}, []string{}, []string{}, 0
			for i, input := range inputs {
				var list []float64
				if b := t.at[armKey{a.model, a.mode, input}]; b != nil {
					list = b.means(test)
				}
				if i > 0 {
					any += len(list)
				}
				var published []paper.Published
				for _, r := range printed.Rows {
					if r.Text(1) == test {
						published = append(published, paper.Published{Name: r.Text(0), Value: r.Number(3 + i)})
					}
				}
				rank, _ := paper.Place(stats.Mean(list), published, 2)
				row, n, ranks = append(row, scoring.FormatCell(stats.Mean(list), 3)), append(n, strconv.Itoa(len(list))), append(ranks, rank)
			}
			if any > 0 {
				out.Rows = append(out.Rows, slices.Concat(row, n, ranks))
			}
		}
		for _, r := range printed.Rows {
			if r.Text(1) == test && len(out.Rows) > 0 {
				out.Rows = append(out.Rows, []string{test, r.Text(0) + paper.Mark, r.Text(2), r.Cell(3, 2), r.Cell(4, 2), r.Cell(5, 2), "-", "-", "-", "-", "-", "-"})
			}
		}
	}
	return out
}

// tests returns Figure 4: every test with its standard error over tasks.
func (t *tables) tests() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Figure 4: tests", Text: 4, Columns: []string{"test", "model", "mode", "input", "mean", "se", "tasks"},
		Note: "Standard errors are over tasks; repeats of a task are averaged first. The paper prints no numbers here."}
	for _, test := range testNames() {
		for _, a := range t.arms {
			if list := a.means(test); len(list) > 0 {
				se := math.Sqrt(stats.Variance(list)) / math.Sqrt(float64(len(list)))
				out.Rows = append(out.Rows, []string{test, cmp.Or(a.model, "-"), cmp.Or(a.mode, "-"), cmp.Or(a.input, "-"), scoring.FormatCell(stats.Mean(list), 3), scoring.FormatCell(se, 3), strconv.Itoa(len(list))})
			}
		}
	}
	return out
}

// categoryNames are the categories of Figure 5 with their tests.
var categoryNames = []scoring.Group{
	{Name: "structured", Tests: []string{"maze", "graph", "pattern"}},
	{Name: "relational", Tests: []string{"label", "line"}},
	{Name: "intuitive", Tests: []string{"arrow", "overlap", "balance"}},
}

// categories returns Figure 5: the mean of each category, over all modes with the full input.
func (t *tables) categories() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Figure 5: categories", Text: 1, Columns: []string{"model"}, Note: "Means over the modes, full input. The paper prints no numbers here."}
	for _, g := range categoryNames {
		out.Columns = append(out.Columns, g.Name)
	}
	out.Columns = append(out.Columns, "modes")
	for i := 0; i < len(t.arms); {
		model, sums, counts, list := t.arms[i].model, make([]float64, len(categoryNames)), make([]float64, len(categoryNames)), []string{}
		for ; i < len(t.arms) && t.arms[i].model == model; i++ {
			a := t.arms[i]
			if a.input != "full" && a.input != "" {
				continue
			}
			list = append(list, cmp.Or(a.mode, "-"))
			for c, g := range categoryNames {
				if x, n := t.score(a, g.Tests); n > 0 {
					sums[c] += x
					counts[c]++
				}
			}
		}
		row := []string{cmp.Or(model, "-")}
		for c := range sums {
			row = append(row, scoring.FormatCell(sums[c]/counts[c], 3))
		}
		if len(list) > 0 {
			out.Rows = append(out.Rows, append(row, strings.Join(list, ", ")))
		}
	}
	return out
}
