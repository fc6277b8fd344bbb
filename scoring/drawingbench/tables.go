package drawingbench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/paper"
	"plumb/scoring/plural"
	"plumb/scoring/stats"
)

// perfect is the score from which a run is perfect, and ends after its first turn.
// See docs/spec/drawingbench.md#r85.
const perfect = 0.9

// tables adds up the results of one series as the paper does: the first and the last turn of
// each task. A task that ended after its first turn counts in both. Runs of one task are
// averaged first. See docs/spec/drawingbench.md#r84.
type tables struct {
	countMissing bool   // a missing answer counts as 0
	label        string // of the profile, for titles; "" for release
	runs         map[runKey]*run
	allRuns      []*run // in order of appearance
	paper        *paper.Paper
	allAnswers   scoring.Tally // of all answers
}

// runKey identifies a run of a task, of one turn or two.
type runKey struct {
	task   string
	repeat int
	config string // the name of the settings with which the model was asked
}

// run is one model's run of a task.
type run struct {
	task, category, difficulty string
	first, last                *turnResult // the same after one turn
	repeat                     int
	turns                      []int   // numbers of the turns that were counted
	usages                     []usage // of those turns
}

// turnResult is what tables need of one answer.
type turnResult struct {
	number                  int // number of the turn, from 1
	score                   float64
	actions, segments       float64
	tools                   []string // that were selected
	errorTypes, adviceTypes []string // of the evaluator's errors and warnings, of the feedback's
}

// newSeriesTables returns the empty DrawingBench tables of one series of results.
func newSeriesTables(options scoring.TableOptions, paper *paper.Paper) *tables {
	t := &tables{countMissing: options.Missing, runs: map[runKey]*run{}, paper: paper}
	if profile := profileOf(options.Variants); profile != "release" {
		t.label = ", profile " + profile + " (a definition of this project)"
	}
	return t
}

// Add counts a DrawingBench result as a turn of its run: the lowest turn is the first of the run,
// the highest one the last. Missing answers score 0 with countMissing and do not count otherwise;
// other results without a score do not count either. It implements scoring.Tables.
func (tables *tables) Add(result *scoring.Result) {
	tables.allAnswers.Add(result)
	if !result.Scored && !(tables.countMissing && result.Err != nil && result.Err.Code == "no_response") {
		return
	}
	singleString := func(name string) string {
		if s := result.Strings(name); len(s) == 1 {
			return s[0]
		}
		return ""
	}
	turnNumber, _ := result.Float("turn")
	answer := &turnResult{number: int(turnNumber), score: result.Score, tools: result.Strings("tools_selected"),
		errorTypes: result.Strings("error_types"), adviceTypes: result.Strings("feedback_types")}
	answer.actions, _ = result.Float("total_actions")
	answer.segments, _ = result.Float("drawing_segments")
	key := runKey{task: singleString("task"), repeat: max(1, result.Who.Repeat), config: result.Who.Settings().Config}
	taskRun := tables.runs[key]
	if taskRun == nil || slices.Contains(taskRun.turns, answer.number) { // a turn twice is another run of the task
		taskRun = &run{task: key.task, category: singleString("category"), difficulty: singleString("difficulty"),
			repeat: key.repeat}
		tables.runs[key] = taskRun
		tables.allRuns = append(tables.allRuns, taskRun)
	}
	taskRun.turns = append(taskRun.turns, answer.number)
	taskRun.usages = append(taskRun.usages, usageOf(result))
	if taskRun.first == nil || answer.number < taskRun.first.number {
		taskRun.first = answer
	}
	if taskRun.last == nil || answer.number >= taskRun.last.number {
		taskRun.last = answer
	}
}

// Tables returns the DrawingBench tables of one series: means over all tasks, by difficulty and by
// category, changes between the turns, errors and tools. Counts of tasks and of errors by
// difficulty follow where the answers say how they were asked for. It implements scoring.Tables.
func (tables *tables) Tables() []scoring.TextTable {
	if len(tables.allRuns) == 0 {
		return nil
	}
	list := []scoring.TextTable{tables.overallTable(),
		tables.groupTable("difficulty", difficulties, func(r *run) string { return r.difficulty }),
		tables.groupTable("category", nil, func(r *run) string { return r.category }), tables.improvementTable(),
		tables.errorTable(), tables.toolTable()}
	if tables.asked() {
		list = append(list, tables.countTable(), tables.errorsByDifficultyTable())
	}
	return list
}

// printedPair is a row of the paper's overall table: its numbers for the two turns as printed, ""
// where it has none. See docs/spec/drawingbench.md#r88.
type printedPair struct{ first, last string }

// overallTable returns the table of means over all DrawingBench tasks. Its columns are what is
// measured, first turns, last turns, change, the paper's two numbers, and the differences from
// them.
func (tables *tables) overallTable() scoring.TextTable {
	firstScores, lastScores := perTask(tables.allRuns, (*run).firstScore), perTask(tables.allRuns, (*run).lastScore)
	firstActions, lastActions := tables.perTaskValues(actions)
	firstSegments, lastSegments := tables.perTaskValues(segments)
	perfectFirst, perfectLast := stats.Sum(perTask(tables.allRuns, isPerfect((*run).firstScore))),
		stats.Sum(perTask(tables.allRuns, isPerfect((*run).lastScore)))
	endedEarly := stats.Sum(perTask(tables.allRuns, func(r *run) float64 { return indicator(r.first == r.last) }))
	// The rows, each with its value in first and last turns and the paper's.
	rows := []struct {
		name        string
		first, last float64
		digits      int
		paper       printedPair
	}{
		{"mean score", stats.Mean(firstScores), stats.Mean(lastScores), 4, tables.printedOverall("mean", 3)},
		{"standard deviation", stats.Summarise(firstScores).SD, stats.Summarise(lastScores).SD, 4,
			tables.printedOverall("std", 3)},
		{"median", stats.Summarise(firstScores).Median, stats.Summarise(lastScores).Median, 4,
			tables.printedOverall("median", 3)},
		{"perfect (0.9 or more)", perfectFirst, perfectLast, countDigits(perfectFirst, perfectLast),
			tables.printedOverall("perfect", 0)},
		{"perfect, %", 100 * perfectFirst / float64(len(firstScores)), 100 * perfectLast / float64(len(lastScores)),
			1, tables.printedOverall("rate", 1)},
		{endedEarlyName, 100 * endedEarly / float64(len(firstScores)), 100 * endedEarly / float64(len(firstScores)),
			1, tables.printedOverall("early", 1)},
		{"actions, mean", stats.Mean(firstActions), stats.Mean(lastActions), 3, tables.printedOverall("mean_actions", 1)},
		{"segments, mean", stats.Mean(firstSegments), stats.Mean(lastSegments), 3,
			tables.printedOverall("mean_segments", 1)},
		{"segments / actions, %", 100 * stats.Sum(firstSegments) / stats.Sum(firstActions),
			100 * stats.Sum(lastSegments) / stats.Sum(lastActions), 1, tables.printedOverall("drawing_ratio_percent", 1)},
		{"2 x segments / actions", 2 * stats.Sum(firstSegments) / stats.Sum(firstActions),
			2 * stats.Sum(lastSegments) / stats.Sum(lastActions), 3, printedPair{}},
	}
	// The table.
	out := scoring.TextTable{Title: fmt.Sprintf("DrawingBench overall, %s%s", tables.sizeText(len(firstScores)), tables.label),
		Columns: []string{"", "turn 1", "turn 2", "change", "paper 1", "paper 2", "differs 1", "differs 2"}, TextColumns: 1,
		Note: fmt.Sprintf("A task that ended after its first turn enters turn 2 with it; the relative change of the mean is %s. The paper's rows are of 250 tasks; \"differs\" is this run less the paper.",
			relativeChange(stats.Mean(firstScores), stats.Mean(lastScores)))}
	for _, row := range rows {
		cells := []string{row.name, scoring.FormatCell(row.first, row.digits), scoring.FormatCell(row.last, row.digits),
			scoring.FormatCell(row.last-row.first, row.digits)}
		if row.name == endedEarlyName { // one number, of both turns
			cells = []string{row.name, scoring.FormatCell(row.first, row.digits), "-", "-"}
		}
		cells = append(cells, cmp.Or(row.paper.first, "-"), cmp.Or(row.paper.last, "-"), difference(row.first, row.paper.first),
			difference(row.last, row.paper.last))
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// endedEarlyName is the row with the share of tasks that ended after their first turn.
const endedEarlyName = "ended after turn 1, %"

// difference returns x minus a number that the DrawingBench paper prints as the text `printed`,
// with its decimals: "=" where x would print the same, "-" where printed is "" or x is undefined.
func difference(x float64, printed string) string {
	if printed == "" || math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	digits := 0
	if at := strings.IndexByte(printed, '.'); at >= 0 {
		digits = len(printed) - at - 1
	}
	if scoring.FormatCell(x, digits) == printed {
		return "="
	}
	paperValue, _ := strconv.ParseFloat(printed, 64)
	return fmt.Sprintf("%+.*f", max(digits, 1), x-paperValue) // a decimal even for counts, whose means may be fractions
}

var difficulties = []string{"easy", "medium", "hard", "very_hard"}

// groupTable returns the table of DrawingBench tasks by group, such as category. Its columns are
// the group, tasks, mean scores of first and last turns, change, perfect tasks of both and their
// share, and the paper's numbers. groupOf returns the group of a run; the groups in order come
// first, then others by size.
func (tables *tables) groupTable(name string, order []string, groupOf func(*run) string) scoring.TextTable {
	groups := map[string][]*run{}
	for _, r := range tables.allRuns {
		groups[groupOf(r)] = append(groups[groupOf(r)], r)
	}
	keys := slices.Collect(maps.Keys(groups))
	position := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(position(a)-position(b), len(groups[b])-len(groups[a]), strings.Compare(a, b))
	})
	out := scoring.TextTable{Title: "DrawingBench by " + name + tables.label, TextColumns: 1,
		Columns: []string{name, "tasks", "turn 1", "turn 2", "change", "perfect 1", "perfect 2", "perfect 2, %",
			"paper tasks", "paper 1", "paper 2", "paper perfect 2, %"}}
	// Which columns of the paper are shown, and with how many decimals: tasks, turn 1, turn 2, share of
	// perfect ones.
	paperColumns, digits := []int{1, 2, 3, 5}, []int{0, 3, 3, 1}
	if name == "category" { // here the paper prints the number of perfect ones
		out.Columns[len(out.Columns)-1] = "paper perfect 2"
		paperColumns, digits = []int{1, 2, 3, 6}, []int{0, 3, 3, 0}
		out.Note = "The paper has 20 categories, with other counts (basic_shapes 42, objects 28; color_reasoning and numeracy are absent); its means of scenes, creative, angle, complex, compositional, spatial_reasoning and efficiency_test agree with the published results, those of basic_shapes, objects, patterns, symmetry and others do not."
	}
	for _, key := range keys {
		firstScores, lastScores := perTask(groups[key], (*run).firstScore), perTask(groups[key], (*run).lastScore)
		perfectFirst, perfectLast := stats.Sum(perTask(groups[key], isPerfect((*run).firstScore))),
			stats.Sum(perTask(groups[key], isPerfect((*run).lastScore)))
		out.Rows = append(out.Rows, append([]string{cmp.Or(key, "-"), strconv.Itoa(len(firstScores)),
			scoring.FormatCell(stats.Mean(firstScores), 4), scoring.FormatCell(stats.Mean(lastScores), 4),
			scoring.FormatCell(stats.Mean(lastScores)-stats.Mean(firstScores), 4),
			scoring.FormatCell(perfectFirst, countDigits(perfectFirst)),
			scoring.FormatCell(perfectLast, countDigits(perfectLast)),
			scoring.FormatCell(100*perfectLast/float64(len(lastScores)), 1)},
			paperCells(tables.paper.Tables[name], key, paperColumns, digits)...))
	}
	return out
}

// improvementTable returns the table of DrawingBench tasks by how much their score changed from the
// first to the last turn. Its columns are the class of change, tasks, their share, and the paper's
// number, which has no class for worse scores. See docs/spec/drawingbench.md#r86.
func (tables *tables) improvementTable() scoring.TextTable {
	names := []string{"worse", "0", "(0, 0.05]", "(0.05, 0.10]", "> 0.10"}
	paper := []string{"-", "-", "-", "-", "-"}
	for i, r := range tables.paper.Tables["improvement"].Rows {
		if i+1 < len(paper) { // the paper's classes begin with names[1]
			paper[i+1] = r.Cell(1, 0)
		}
	}
	largest, smallest := math.Inf(-1), math.Inf(1)
	// classOf returns the index in names. It also keeps the largest and smallest change.
	classOf := func(r *run) int {
		// Scores have three decimals: the difference is rounded to them.
		change := math.Round((r.last.score-r.first.score)*1000) / 1000
		largest, smallest = max(largest, change), min(smallest, change)
		switch {
		case change < 0:
			return 0
		case change == 0:
			return 1
		case change <= 0.05:
			return 2
		case change <= 0.1:
			return 3
		}
		return 4
	}
	out := scoring.TextTable{Title: "DrawingBench improvement from turn 1 to turn 2" + tables.label, TextColumns: 1,
		Columns: []string{"change", "tasks", "%", "paper"}}
	for i, n := range names {
		inClass := perTask(tables.allRuns, func(r *run) float64 { return indicator(classOf(r) == i) })
		count := stats.Sum(inClass)
		out.Rows = append(out.Rows, []string{n, scoring.FormatCell(count, countDigits(count)),
			scoring.FormatCell(100*count/float64(len(inClass)), 1), paper[i]})
	}
	out.Note = fmt.Sprintf("Largest %+.3f, smallest %+.3f. The paper's counts are of 250 tasks, its largest is +0.328.", largest, smallest)
	return out
}

// errorTable returns the table of errors and warnings of DrawingBench answers by type. Its columns are
// what reported them (the evaluator or the feedback to the model), type, number in first turns, in
// second ones, and the paper's two numbers. See docs/spec/drawingbench.md#r87.
func (tables *tables) errorTable() scoring.TextTable {
	const nameColumns = 2 // what reported them, and the type
	out := scoring.TextTable{Title: "DrawingBench errors by type", TextColumns: nameColumns,
		Columns: []string{"reported by", "type", "turn 1", "turn 2", "paper 1", "paper 2"},
		Note:    "Turn 2 counts only tasks that had one. The paper has 68 errors in turn 1 and 35 in turn 2, of four types."}
	for _, source := range []struct {
		name    string
		paper   paper.Table
		typesOf func(*turnResult) []string
	}{
		{"evaluator", tables.paper.Tables["errors"], func(a *turnResult) []string { return a.errorTypes }},
		{"feedback", paper.Table{}, func(a *turnResult) []string { return a.adviceTypes }},
	} {
		counts := map[string][2]int{} // by type: in first turns, in second ones
		countTypes := func(turn *turnResult, column int) {
			for _, errorType := range source.typesOf(turn) {
				for _, row := range []string{errorType, totalName} {
					pair := counts[row]
					pair[column]++
					counts[row] = pair
				}
			}
		}
		for _, r := range tables.allRuns {
			countTypes(r.first, 0)
			if r.last != r.first {
				countTypes(r.last, 1)
			}
		}
		for _, errorType := range withPaperNames(slices.Collect(maps.Keys(counts)), source.paper) {
			out.Rows = append(out.Rows, []string{source.name, errorType, strconv.Itoa(counts[errorType][0]), strconv.Itoa(counts[errorType][1]),
				paperCount(source.paper, errorType, 1), paperCount(source.paper, errorType, 2)})
		}
	}
	return out
}

// toolTable returns the table of what share of answers selected each tool of the drawing app. Its
// columns are the tool, first turns, last turns, and the paper's share.
func (tables *tables) toolTable() scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench tools, % of answers that selected one", TextColumns: 1,
		Columns: []string{"tool", "turn 1", "turn 2", "paper"}}
	share := func(turnOf func(*run) *turnResult, name string) string {
		list := perTask(tables.allRuns, func(r *run) float64 { return indicator(slices.Contains(turnOf(r).tools, name)) })
		return scoring.FormatCell(100*stats.Sum(list)/float64(len(list)), 1)
	}
	shareColumn, digits := []int{1}, []int{1} // of the paper's table
	for _, tool := range layout.Tools {
		out.Rows = append(out.Rows, slices.Concat([]string{tool.Name, share(func(r *run) *turnResult { return r.first }, tool.Name),
			share(func(r *run) *turnResult { return r.last }, tool.Name)},
			paperCells(tables.paper.Tables["tools"], tool.Name, shareColumn, digits)))
	}
	return out
}

func (r *run) firstScore() float64 { return r.first.score }
func (r *run) lastScore() float64  { return r.last.score }

func actions(a *turnResult) float64  { return a.actions }
func segments(a *turnResult) float64 { return a.segments }

// perTask returns the mean of a value over the runs of each DrawingBench task, in the order in
// which tasks first appeared.
func perTask(runs []*run, value func(*run) float64) []float64 {
	indexOf := map[string]int{}
	var sums []float64
	var counts []int
	for _, run := range runs {
		i, ok := indexOf[run.task]
		if !ok {
			i = len(sums)
			indexOf[run.task] = i
			sums = append(sums, 0)
			counts = append(counts, 0)
		}
		sums[i] += value(run)
		counts[i]++
	}
	for i := range sums {
		sums[i] /= float64(counts[i])
	}
	return sums
}

// sizeText returns the number of tasks as text, with the number of runs where that differs.
func (tables *tables) sizeText(tasks int) string {
	if tasks == len(tables.allRuns) {
		return plural.Of(tasks, "task")
	}
	return plural.Of(tasks, "task") + ", " + plural.Of(len(tables.allRuns), "run")
}

// perTaskValues returns a value of turns per task: over the first turns, and over the last
// ones.
func (tables *tables) perTaskValues(value func(*turnResult) float64) (first, last []float64) {
	return perTask(tables.allRuns, func(r *run) float64 { return value(r.first) }),
		perTask(tables.allRuns, func(r *run) float64 { return value(r.last) })
}

// isPerfect returns a function that is 1 for runs whose score is perfect, else 0. score
// chooses the first or the last score.
func isPerfect(score func(*run) float64) func(*run) float64 {
	return func(r *run) float64 { return indicator(score(r) >= perfect) }
}

// indicator returns 1 for true and 0 for false, so that a sum counts and a mean is a share.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// countDigits returns with how many decimals a table prints counts of DrawingBench tasks: 0 where
// they are integers, else 2. Runs of one task with different outcomes make fractions.
func countDigits(counts ...float64) int {
	for _, x := range counts {
		if x != math.Trunc(x) {
			return 2
		}
	}
	return 0
}

// relativeChange returns by how many per cent the mean score of second turns exceeds that of first
// turns, as text.
func relativeChange(first, second float64) string {
	if first == 0 {
		return "not defined, as turn 1 has the mean 0"
	}
	return fmt.Sprintf("%+.2f %%", 100*(second/first-1))
}
