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

// newTables returns the tables of a DrawingBench report: for each series of results its own, then
// the paper's tables of models and tokens with all series. It implements scoring.Suite.Tables. See
// docs/spec/runs.md#r53.
func newTables(options scoring.TableOptions) scoring.Tables {
	p := paper.Choose(paperTitle, printedTables, options.Papers)
	return scoring.NewPerSeries(func() *tables { return newSeriesTables(options, p) },
		func(names []string, all []*tables) (out []scoring.TextTable) {
			if t := modelTable(p.Tables["models"], names, all); len(t.Rows) > 0 {
				out = append(out, t)
			}
			if t := tokenTable(p.Tables["tokens"], names, all); len(t.Rows) > 0 {
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

// usageOf returns the tokens and the time of the call that gave the result, zeros where it
// does not say.
func usageOf(result *scoring.Result) (usage usage) {
	if a := result.Who.Asked; a != nil {
		usage.prompt, usage.known = a.PromptTokens()
		usage.completion, _ = a.CompletionTokens()
		usage.seconds, _ = a.Seconds()
	}
	return usage
}

// asked reports whether any answer says how it was asked for.
func (tables *tables) asked() bool { return tables.allAnswers.Asked > 0 }

// modelTable returns the DrawingBench paper's table of models. Its columns are model, tasks, mean
// scores of first and last turns, share of perfect last turns, minutes of all calls, rank and
// nearest among published scores, then those of scoring.TallyColumns. It has no rows where no
// answer says how it was asked for.
func modelTable(printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench models", TextColumns: 1,
		Note: "Minutes are those of all calls one after the other. Rank and nearest are of turn 2.",
		Columns: append([]string{"model", "tasks", "turn 1", "turn 2", "perfect 2, %", "minutes", "rank",
			"nearest"}, scoring.TallyColumns()...)}
	var published []paper.Published
	const secondScoreColumn = 2
	for _, r := range printed.Rows {
		published = append(published, paper.Published{Name: r.Text(0), Value: r.Number(secondScoreColumn)})
	}
	for i, series := range all {
		if !series.asked() || len(series.allRuns) == 0 {
			continue
		}
		firstScores, lastScores := perTask(series.allRuns, (*run).firstScore), perTask(series.allRuns, (*run).lastScore)
		rank, nearest := paper.Place(stats.Mean(lastScores), published, 3)
		out.Rows = append(out.Rows, slices.Concat([]string{names[i], strconv.Itoa(len(firstScores)),
			scoring.FormatCell(stats.Mean(firstScores), 3), scoring.FormatCell(stats.Mean(lastScores), 3),
			scoring.FormatCell(100*stats.Mean(perTask(series.allRuns, isPerfect((*run).lastScore))), 1),
			scoring.FormatCell(series.allAnswers.Seconds/60, 1), rank, nearest}, series.allAnswers.Cells()))
	}
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			const tasks = "250" // of the paper
			out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, tasks, r.Cell(1, 3), r.Cell(2, 3),
				r.Cell(3, 1), r.Cell(4, 1), "-", "-", "-", "-", "-", "-", "-"})
		}
	}
	return out
}

// tokenTable returns the DrawingBench paper's table of tokens. Its columns are the model, then
// input, output and all tokens, of a task with both turns and of one call. Calls without known
// tokens do not count.
func tokenTable(printed paper.Table, names []string, all []*tables) scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench tokens", TextColumns: 1,
		Columns: []string{"model", "input", "output", "total", "input per call", "output per call", "total per call"},
		Note:    "Of a task with both turns, on average, and of a call. The paper does not say which of them its numbers are."}
	for i, t := range all {
		// Add up the calls of each run.
		var promptTokens, completionTokens, calls float64
		tasks := map[runKey]bool{}
		for _, run := range t.allRuns {
			for _, use := range run.usages {
				if use.known {
					promptTokens, completionTokens, calls = promptTokens+use.prompt,
						completionTokens+use.completion, calls+1
					// Turns that were asked with other settings belong to the same task and repeat.
					tasks[runKey{task: run.task, repeat: run.repeat}] = true
				}
			}
		}
		if calls == 0 {
			continue
		}
		taskCount := float64(len(tasks))
		row := []string{names[i]}
		for _, mean := range []float64{promptTokens / taskCount, completionTokens / taskCount,
			(promptTokens + completionTokens) / taskCount, promptTokens / calls, completionTokens / calls,
			(promptTokens + completionTokens) / calls} {
			row = append(row, scoring.FormatCell(mean, 0))
		}
		out.Rows = append(out.Rows, row)
	}
	// Published rows.
	if len(out.Rows) > 0 {
		for _, r := range printed.Rows {
			out.Rows = append(out.Rows, []string{r.Text(0) + paper.Mark, r.Cell(1, 0), r.Cell(2, 0), r.Cell(3, 0),
				"-", "-", "-"})
		}
	}
	return out
}

// printedOverall returns the DrawingBench paper's numbers of the row `name` for the two turns, with
// that many decimals. The row is in the paper's overall table or in its table of actions. A number that
// the paper does not print is "".
func (tables *tables) printedOverall(name string, digits int) printedPair {
	row := tables.paper.Tables["overall"].Find(name)
	if row == nil {
		row = tables.paper.Tables["actions"].Find(name)
	}
	if row == nil {
		return printedPair{}
	}
	cell := func(column int) string {
		if math.IsNaN(row.Number(column)) {
			return ""
		}
		return row.Cell(column, digits)
	}
	return printedPair{cell(1), cell(2)}
}

// paperCells returns the given columns of the DrawingBench paper's row `name`, column i with
// digits[i] decimals; all dashes if the paper has no such row.
func paperCells(t paper.Table, name string, columns, digits []int) []string {
	row, out := t.Find(name), []string{}
	for i, column := range columns {
		if row == nil {
			out = append(out, "-")
			continue
		}
		out = append(out, row.Cell(column, digits[i]))
	}
	return out
}

// paperCount returns a whole number of the DrawingBench paper, from a column of its row `name`; a dash if the
// paper has no such row.
func paperCount(t paper.Table, name string, column int) string {
	const decimals = 0
	return paperCells(t, name, []int{column}, []int{decimals})[0]
}

// totalName is the last row of the tables of errors.
const totalName = "total"

// withPaperNames returns the given types of error and those in the DrawingBench paper's rows, in
// alphabetical order, each once, with the total last. So a type that did not occur has a row with
// the paper's number.
func withPaperNames(names []string, t paper.Table) []string {
	for _, r := range t.Rows {
		if s, ok := r[0].(string); ok {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == totalName })
	return append(names, totalName)
}

// countTable returns Table 11 of the DrawingBench paper, tasks by category and difficulty. Its
// columns are the category, then for each difficulty and in total the number and the paper's.
func (tables *tables) countTable() scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench tasks by category and difficulty", TextColumns: 1,
		Columns: []string{"category"},
		Note:    "The columns that the paper prints do not add up to its totals."}
	type key struct{ category, difficulty string }
	// Count each task once, in its cells and in the totals.
	tasks := map[string]bool{}
	taskCount := map[key]int{}
	var categories []string
	for _, run := range tables.allRuns {
		if tasks[run.task] {
			continue
		}
		tasks[run.task] = true
		if !slices.Contains(categories, run.category) {
			categories = append(categories, run.category)
		}
		for _, cell := range []key{{run.category, run.difficulty}, {run.category, "total"}, {"all", run.difficulty},
			{"all", "total"}} {
			taskCount[cell]++
		}
	}
	slices.SortStableFunc(categories, func(a, b string) int {
		return taskCount[key{b, "total"}] - taskCount[key{a, "total"}]
	})
	// A row for each category, the most frequent first.
	columns := append(slices.Clone(difficulties), "total")
	for _, d := range columns {
		out.Columns = append(out.Columns, d, "paper")
	}
	for _, c := range append(categories, "all") {
		row := []string{cmp.Or(c, "-")}
		for column, d := range columns {
			row = append(row, strconv.Itoa(taskCount[key{c, d}]), paperCount(tables.paper.Tables["counts"], c, column+1))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// errorsByDifficultyTable returns the table of the DrawingBench evaluator's errors in first turns.
// Its columns are the type, then for each difficulty the number and the paper's. A difficulty that
// the benchmark does not have is not counted.
func (tables *tables) errorsByDifficultyTable() scoring.TextTable {
	const nameColumns = 1 // the type
	out := scoring.TextTable{Title: "DrawingBench errors of turn 1 by difficulty", TextColumns: nameColumns, Columns: []string{"type"}}
	paper := tables.paper.Tables["errors by difficulty"]
	// Count the errors of each type, for each difficulty.
	counts := map[string][]int{totalName: make([]int, len(difficulties))}
	for _, r := range tables.allRuns {
		level := slices.Index(difficulties, r.difficulty)
		for _, errorType := range r.first.errorTypes {
			if counts[errorType] == nil {
				counts[errorType] = make([]int, len(difficulties))
			}
			if level >= 0 {
				counts[errorType][level]++
				counts[totalName][level]++
			}
		}
	}
	// A row for each type.
	for _, difficulty := range difficulties {
		out.Columns = append(out.Columns, difficulty, "paper")
	}
	for _, errorType := range withPaperNames(slices.Collect(maps.Keys(counts)), paper) {
		if counts[errorType] == nil {
			counts[errorType] = make([]int, len(difficulties))
		}
		row := []string{errorType}
		for level := range difficulties {
			row = append(row, strconv.Itoa(counts[errorType][level]), paperCount(paper, errorType, level+1)) // its column 0 is the type
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
