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
	"plumb/scoring/plural"
	"plumb/scoring/stats"
)

// printedTables are the numbers of the paper's Tables 1 and 2.
//
//go:embed paper.json
var printedTables []byte

const paperTitle = "ASPIRE"

// paperSuffix is in the titles of tables with published rows: the paper's 200 scenes are not published.
const paperSuffix = " (paper: other tasks)"

var (
	modes  = []string{"default", "cot", "reasoning"}
	inputs = []string{"full", "minimal", "scaffold"}
)

// tables adds up answers by model, mode and input as the paper does. Answers of unknown mode and input, without
// the member asked, are left to the general table. See docs/spec/runs.md#r51.
type tables struct {
	countMissing, clamp bool
	paper               *paper.Paper
	arms                []*arm // in order of appearance, later sorted
	byKey               map[armKey]*arm
	items               int // tasks that are remembered in all arms together
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
	taskIndex map[string]int
	sums      []float64
	repeats   []int
}

// maxItems bounds the tasks that are remembered, maxArms the arms, because their names come from the dump.
const (
	maxItems = 1 << 20
	maxArms  = 1000
)

// newTables implements scoring.Suite.Tables. The tables have the published rows that o.Papers chooses.
func newTables(o scoring.TableOptions) scoring.Tables {
	return &tables{countMissing: o.Missing, clamp: o.Variants.On("table.clamp01"),
		paper: paper.Choose(paperTitle, printedTables, o.Papers),
		byKey: map[armKey]*arm{}}
}

// Add counts an ASPIRE result in the tally of its arm (model, mode and input) and adds its score to
// its task. Results that do not say how the model was asked are not counted. Missing answers score
// 0 with countMissing and do not count otherwise. Arms beyond maxArms and tasks beyond maxItems are
// left out. It implements scoring.Tables.
func (tables *tables) Add(result *scoring.Result) {
	if result.Who.Asked == nil {
		return
	}
	settings := result.Who.Arm()
	mode, input := settings[0], settings[1]
	key := armKey{result.Who.Model, mode, input}
	row := tables.byKey[key]
	if row == nil {
		if len(tables.arms) >= maxArms {
			return
		}
		row = &arm{armKey: key, tests: map[string]*testScores{}}
		tables.byKey[key] = row
		tables.arms = append(tables.arms, row)
	}
	row.Tally.Add(result)
	if tokens, ok := result.Who.Asked.CompletionTokens(); ok {
		row.tokens = append(row.tokens, tokens)
	}
	isMissing := result.Err != nil && result.Err.Code == "no_response"
	counts := result.Scored || isMissing && tables.countMissing
	if !counts || tables.items >= maxItems {
		return
	}
	scores := row.tests[result.Test]
	if scores == nil {
		scores = &testScores{taskIndex: map[string]int{}}
		row.tests[result.Test] = scores
	}
	task, ok := scores.taskIndex[result.ID]
	if !ok {
		task = len(scores.sums)
		scores.taskIndex[result.ID] = task
		scores.sums = append(scores.sums, 0)
		scores.repeats = append(scores.repeats, 0)
		tables.items++
	}
	scores.sums[task] += result.Score
	scores.repeats[task]++
}

// taskMeans returns the mean score of each task of an ASPIRE test over its repeats, for one arm.
func (arm *arm) taskMeans(test string) (list []float64) {
	if scores := arm.tests[test]; scores != nil {
		for i, sum := range scores.sums {
			list = append(list, sum/float64(scores.repeats[i]))
		}
	}
	return list
}

// meanScore returns the mean, over those of the named ASPIRE tests that have answers, of the tests'
// mean scores, and how many these tests are. x is NaN if there are none.
func (tables *tables) meanScore(a *arm, names []string) (x float64, n int) {
	for _, name := range names {
		if list := a.taskMeans(name); len(list) > 0 {
			testMean := stats.Mean(list)
			if tables.clamp {
				testMean = min(max(testMean, 0), 1)
			}
			x += testMean
			n++
		}
	}
	return x / float64(n), n // 0/0 is NaN
}

// Tables returns the tables and figures of the ASPIRE paper for these results, without those that
// have no rows. Rows are in the order of models, modes and inputs. It implements scoring.Tables.
func (tables *tables) Tables() []scoring.TextTable {
	if len(tables.arms) == 0 {
		return nil
	}
	// position returns where a name stands in a list; others come after all of them.
	position := func(list []string, s string) int {
		if i := slices.Index(list, s); i >= 0 {
			return i
		}
		return len(list)
	}
	slices.SortStableFunc(tables.arms, func(a, b *arm) int {
		if order := strings.Compare(a.model, b.model); order != 0 {
			return order
		}
		if order := position(modes, a.mode) - position(modes, b.mode); order != 0 {
			return order
		}
		return position(inputs, a.input) - position(inputs, b.input)
	})
	out := []scoring.TextTable{tables.modelTable()}
	for _, table := range []scoring.TextTable{tables.inputTable(), tables.testTable(), tables.categoryTable()} {
		if len(table.Rows) > 0 {
			out = append(out, table)
		}
	}
	return out
}

// testNames lists the names of ASPIRE's tests in the order of the paper.
func testNames() (names []string) {
	for _, t := range tests {
		names = append(names, t.name)
	}
	return names
}

// modelTable returns Table 1 and Figure 3 of the ASPIRE paper: scores by model and mode with the full input.
// Its columns are model, mode, score, mean number of completion tokens, rank and nearest among published
// scores, then those of the tally. A row that lacks some tests says so and has no rank. Published rows follow.
func (tables *tables) modelTable() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Table 1: models and modes" + paperSuffix, TextColumns: 2,
		Columns: []string{"model", "mode", "score", "tokens", "rank", "nearest", "n", "missing", "failed",
			"filtered", "cut"},
		Note: "Score: mean of the means of the tests, full input. Tokens: completion tokens of an answer, on average."}
	// The published values, among which each measured row is ranked.
	var published []paper.Published
	for _, printed := range tables.paper.Tables["models"].Rows { // columns: model, mode, score, tokens
		published = append(published, paper.Published{Name: printed.Text(0) + " " + printed.Text(1),
			Value: printed.Number(2)})
	}
	// Measured rows.
	for _, row := range tables.arms {
		if row.input != "full" && row.input != "" {
			continue
		}
		mean, scored := tables.meanScore(row, testNames())
		score, tokens := scoring.FormatCell(mean, 3), scoring.FormatCell(stats.Mean(row.tokens), 2)
		if scored < len(tests) {
			score += fmt.Sprintf(" (%d of %s)", scored, plural.Of(len(tests), "test"))
		}
		rank, nearest := paper.Place(mean, published, 3)
		if scored < len(tests) {
			rank, nearest = "-", "-"
		}
		out.Rows = append(out.Rows, append([]string{cmp.Or(row.model, "-"), cmp.Or(row.mode, "-"), score, tokens,
			rank, nearest}, row.Tally.Cells()...))
	}
	// Published rows.
	for _, printed := range tables.paper.Tables["models"].Rows {
		out.Rows = append(out.Rows, []string{printed.Text(0) + paper.Mark, printed.Text(1), printed.Cell(2, 2),
			printed.Cell(3, 2), "-", "-", "-", "-", "-", "-", "-"})
	}
	return out
}

// inputTable returns Table 2 of the ASPIRE paper: scores by what the text says of the scene. Its
// columns are test, model, mode, then for each of the three inputs the mean, the number of tasks
// and the rank. It has no rows unless some answers had a reduced input.
func (tables *tables) inputTable() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Table 2: inputs" + paperSuffix, TextColumns: 3,
		Columns: []string{"test", "model", "mode", "full", "minimal", "scaffold", "n full", "n minimal",
			"n scaffold", "rank full", "rank minimal", "rank scaffold"}}
	reduced := slices.ContainsFunc(tables.arms, func(a *arm) bool { return a.input == "minimal" || a.input == "scaffold" })
	if !reduced {
		return out
	}
	printed := tables.paper.Tables["inputs"]
	// The rows of each test: measured ones, then published ones.
	for _, test := range testNames() {
		var seen []armKey
		for _, a := range tables.arms {
			key := armKey{model: a.model, mode: a.mode}
			if slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			if row := tables.inputRow(key, test, printed); row != nil {
				out.Rows = append(out.Rows, row)
			}
		}
		for _, r := range printed.Rows { // columns: model, test, mode, then one for each input
			if r.Text(1) == test && len(out.Rows) > 0 {
				out.Rows = append(out.Rows, []string{test, r.Text(0) + paper.Mark, r.Text(2), r.Cell(3, 2),
					r.Cell(4, 2), r.Cell(5, 2), "-", "-", "-", "-", "-", "-"})
			}
		}
	}
	return out
}

// inputRow returns the row of inputTable for a test and the model and mode of key; nil where they
// have no tasks with a reduced input.
func (tables *tables) inputRow(key armKey, test string, printed paper.Table) []string {
	row, counts, ranks := []string{test, cmp.Or(key.model, "-"), cmp.Or(key.mode, "-")}, []string{}, []string{}
	reducedTasks := 0
	for i, input := range inputs {
		var means []float64 // by task
		if withInput := tables.byKey[armKey{key.model, key.mode, input}]; withInput != nil {
			means = withInput.taskMeans(test)
		}
		if i > 0 { // not the full input
			reducedTasks += len(means)
		}
		var published []paper.Published
		for _, r := range printed.Rows { // columns: model, test, mode, then one for each input
			if r.Text(1) == test {
				published = append(published, paper.Published{Name: r.Text(0), Value: r.Number(3 + i)})
			}
		}
		rank, _ := paper.Place(stats.Mean(means), published, 2)
		row = append(row, scoring.FormatCell(stats.Mean(means), 3))
		counts = append(counts, strconv.Itoa(len(means)))
		ranks = append(ranks, rank)
	}
	if reducedTasks == 0 {
		return nil
	}
	return slices.Concat(row, counts, ranks)
}

// testTable returns Figure 4 of the ASPIRE paper, scores by test. Its columns are test, model,
// mode, input, mean, standard error over tasks, and number of tasks.
func (tables *tables) testTable() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Figure 4: tests", TextColumns: 4,
		Columns: []string{"test", "model", "mode", "input", "mean", "se", "tasks"},
		Note:    "Standard errors are over tasks; repeats of a task are averaged first. The paper prints no numbers here."}
	for _, test := range testNames() {
		for _, row := range tables.arms {
			if list := row.taskMeans(test); len(list) > 0 {
				standardError := math.Sqrt(stats.Variance(list)) / math.Sqrt(float64(len(list)))
				out.Rows = append(out.Rows,
					[]string{test, cmp.Or(row.model, "-"), cmp.Or(row.mode, "-"), cmp.Or(row.input, "-"),
						scoring.FormatCell(stats.Mean(list), 3), scoring.FormatCell(standardError, 3),
						strconv.Itoa(len(list))})
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

// categoryTable returns Figure 5 of the ASPIRE paper, scores by category of tests, with a row for each
// model. A row has the model's mean score in each category and the modes, ways of asking, that the means
// are over: those in which the model got the full input.
func (tables *tables) categoryTable() scoring.TextTable {
	out := scoring.TextTable{Title: "ASPIRE Figure 5: categories", TextColumns: 1, Columns: []string{"model"},
		Note: "Means over the modes, full input. The paper prints no numbers here."}
	for _, g := range categoryNames {
		out.Columns = append(out.Columns, g.Name)
	}
	out.Columns = append(out.Columns, "modes")
	for i := 0; i < len(tables.arms); { // each round takes the arms of one model, by which they are sorted
		model, modesSeen := tables.arms[i].model, []string{}
		// By category, the sum of the mean scores of modes, and how many modes have one.
		sums, counts := make([]float64, len(categoryNames)), make([]float64, len(categoryNames))
		for ; i < len(tables.arms) && tables.arms[i].model == model; i++ {
			arm := tables.arms[i]
			if arm.input != "full" && arm.input != "" { // no input is named where there is only the full one
				continue
			}
			modesSeen = append(modesSeen, cmp.Or(arm.mode, "-"))
			for k, category := range categoryNames {
				if mean, scored := tables.meanScore(arm, category.Tests); scored > 0 {
					sums[k] += mean
					counts[k]++
				}
			}
		}
		row := []string{cmp.Or(model, "-")}
		for k := range sums {
			row = append(row, scoring.FormatCell(sums[k]/counts[k], 3))
		}
		if len(modesSeen) > 0 {
			out.Rows = append(out.Rows, append(row, strings.Join(modesSeen, ", ")))
		}
	}
	return out
}
