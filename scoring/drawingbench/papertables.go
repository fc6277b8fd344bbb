package drawingbench

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/scoring/stats"
)

// printedTables are the numbers that the paper prints. Most of them cannot be recomputed
// from its published runs. See docs/spec/drawingbench.md#r88.
//
//go:embed paper.json
var printedTables []byte

const paperTitle = "DrawingBench"

// newTables implements scoring.Suite.Tables. See docs/spec/runs.md#r53.
func newTables(o scoring.TableOptions) scoring.Tables {
	p := paper.Choose(paperTitle, printedTables, o.Papers)
	return scoring.NewPerSeries(func() *tables { return newSeriesTables(o, p) }, func(names []string, all []*tables) (out []scoring.TextTable) {
		if t := modelsTable(p.Tables["models"], names, all); len(t.Rows) > 0 {
			out = append(out, t)
		}
		if t := tokensTable(p.Tables["tokens"], names, all); len(t.Rows) > 0 {
			out = append(out, t)
		}
		return out
	})
}

// usage is what the call of one turn took: tokens and time.
type usage struct {
	known                       bool // the result says how many tokens it took
	prompt, completion, seconds float64
}

// usageOf reads from a result the tokens and the time that the call of its turn took.
func usageOf(r *scoring.Result) (u usage) {
	if a := r.Who.Asked; a != nil {
		u.prompt, u.known = a.PromptTokens()
		u.completion, _ = a.CompletionTokens()
		u.seconds, _ = a.Seconds()
	}
	return u
}

// asked reports whether any answer says how it was asked for.
func (t *tables) asked() bool { return t.ends.Asked > 0 }

// modelsTable is the paper's table of models. It has no rows where no answer says how it
// was asked for.
func modelsTable(printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench models", Text: 1, Note: "Minutes are those of all calls one after the other. Rank and nearest are of turn 2.",
		Columns: append([]string{"model", "tasks", "turn 1", "turn 2", "perfect 2, %", "minutes", "rank", "nearest"}, scoring.TallyColumns()...)}
	var published []paper.Published
	for _, r := range printed.Rows {
		published = append(published, paper.Published{Name: r.Text(0), Value: r.Number(2)})
	}
	for i, t := range all {
		if !t.asked() || len(t.order) == 0 {
			continue
		}
		t1, t2 := perTask(t.order, (*run).start), perTask(t.order, (*run).end)
		rank, nearest := paper.Place(stats.Mean(t2), published, 3)
		out.Rows = append(out.Rows, slices.Concat([]string{names[i], strconv.Itoa(len(t1)), scoring.FormatCell(stats.Mean(t1), 3), scoring.FormatCell(stats.Mean(t2), 3),
			scoring.FormatCell(100*stats.Mean(perTask(t.order, reached((*run).end))), 1), scoring.FormatCell(t.ends.Seconds/60, 1), rank, nearest}, t.ends.Cells()))
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, "250", r.Cell(1, 3), r.Cell(2, 3), r.Cell(3, 1), r.Cell(4, 1), "-", "-", "-", "-", "-", "-", "-"})
		}
	}
	return out
}

// tokensTable is the paper's table of tokens: those of a task with both turns, and beside
// them those of a call.
func tokensTable(printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench tokens", Text: 1, Columns: []string{"model", "input", "output", "total", "input per call", "output per call", "total per call"},
		Note: "Of a task with both turns, on average, and of a call. The paper does not say which of them its numbers are."}
	for i, t := range all {
		var in, out1, calls float64
		tasks := map[runKey]bool{}
		for _, r := range t.order {
			for _, u := range r.usages {
				if u.known {
					in, out1, calls = in+u.prompt, out1+u.completion, calls+1
					tasks[runKey{r.task, r.repeat, ""}] = true
				}
			}
		}
		if calls == 0 {
			continue
		}
		n := float64(len(tasks))
		row := []string{names[i]}
		for _, x := range []float64{in / n, out1 / n, (in + out1) / n, in / calls, out1 / calls, (in + out1) / calls} {
			row = append(row, scoring.FormatCell(x, 0))
		}
		out.Rows = append(out.Rows, row)
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, r.Cell(1, 0), r.Cell(2, 0), r.Cell(3, 0), "-", "-", "-"})
		}
	}
	return out
}

// printedOverall returns the paper's number of a row of Table 3 as it is printed.
func (t *tables) printedOverall(name string, digits int) printed {
	r := t.paper.Tables["overall"].Find(name)
	if r == nil {
		r = t.paper.Tables["actions"].Find(name)
	}
	if r == nil {
		return printed{}
	}
	cell := func(i int) string {
		if math.IsNaN(r.Number(i)) {
			return ""
		}
		return r.Cell(i, digits)
	}
	return printed{cell(1), cell(2)}
}

// beside returns cells of the paper's row of that name, with the digits that each column
// has; dashes where there is none.
func beside(t paper.Table, name string, columns, digits []int) []string {
	r, out := t.Find(name), []string{}
	for i, c := range columns {
		if r == nil {
			out = append(out, "-")
			continue
		}
		out = append(out, r.Cell(c, digits[i]))
	}
	return out
}

// totalName is the last row of the tables of errors.
const totalName = "total"

// withPaper returns names and those of the paper's rows in the order of the alphabet, each once, with
// the total last: so a run without errors has the paper's rows beside its zeros.
func withPaper(names []string, t paper.Table) []string {
	for _, r := range t.Rows {
		if s, ok := r[0].(string); ok {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == totalName })
	return append(names, totalName)
}

// counts returns the paper's Table 11: tasks by category and difficulty, each beside the paper's
// number.
func (t *tables) counts() scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench tasks by category and difficulty", Text: 1, Columns: []string{"category"},
		Note: "The columns that the paper prints do not add up to its totals."}
	type key struct{ category, difficulty string }
	tasks := map[string]bool{}
	n := map[key]int{}
	var categories []string
	for _, r := range t.order {
		if tasks[r.task] {
			continue
		}
		tasks[r.task] = true
		if !slices.Contains(categories, r.category) {
			categories = append(categories, r.category)
		}
		for _, k := range []key{{r.category, r.difficulty}, {r.category, "total"}, {"all", r.difficulty}, {"all", "total"}} {
			n[k]++
		}
	}
	slices.SortStableFunc(categories, func(a, b string) int { return n[key{b, "total"}] - n[key{a, "total"}] })
	columns := append(slices.Clone(difficulties), "total")
	for _, d := range columns {
		out.Columns = append(out.Columns, d, "paper")
	}
	for _, c := range append(categories, "all") {
		row := []string{cmp.Or(c, "-")}
		for i, d := range columns {
			row = append(row, strconv.Itoa(n[key{c, d}]))
			row = append(row, beside(t.paper.Tables["counts"], c, []int{i + 1}, []int{0})...)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// errorsByDifficulty returns the table of the evaluator's errors in first turns.
func (t *tables) errorsByDifficulty() scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench errors of turn 1 by difficulty", Text: 1, Columns: []string{"type"}}
	paper := t.paper.Tables["errors by difficulty"]
	n := map[string][]int{totalName: make([]int, len(difficulties))}
	for _, r := range t.order {
		d := slices.Index(difficulties, r.difficulty)
		for _, s := range r.first.errorTypes {
			if n[s] == nil {
				n[s] = make([]int, len(difficulties))
			}
			if d >= 0 {
				n[s][d]++
				n[totalName][d]++
			}
		}
	}
	for _, d := range difficulties {
		out.Columns = append(out.Columns, d, "paper")
	}
	for _, s := range withPaper(slices.Collect(maps.Keys(n)), paper) {
		if n[s] == nil {
			n[s] = make([]int, len(difficulties))
		}
		row := []string{s}
		for d := range difficulties {
			row = append(row, strconv.Itoa(n[s][d]))
			row = append(row, beside(paper, s, []int{d + 1}, []int{0})...)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
