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
	"plumb/scoring/stats"
)

// perfect is the score from which a run is perfect, and ends after its first turn.
// See docs/spec/drawingbench.md#r85.
const perfect = 0.9

// tables adds up the results of one series as the paper does: the first and the last turn of
// each task. A task that ended after its first turn counts in both. Runs of one task are
// averaged first. See docs/spec/drawingbench.md#r84.
type tables struct {
	missing bool   // a missing answer counts as 0
	label   string // of the profile, for titles; "" for release
	runs    map[runKey]*run
	order   []*run // all runs, in order of appearance
	paper   *paper.Paper
	ends    scoring.Tally // of all answers
}

// runKey identifies a run of a task, of one turn or two.
type runKey struct {
	task   string
	repeat int
	config string
}

// run is one model's run of a task.
type run struct {
	task, category, difficulty string
	first, last                *turn // the same after one turn
	repeat                     int
	turns                      []int   // numbers of the turns that were counted
	usages                     []usage // of those turns
}

// turn is what tables need of one answer.
type turn struct {
	n                       int // number of the turn, from 1
	score                   float64
	actions, segments       float64
	tools                   []string // that were selected
	errorTypes, adviceTypes []string // of the evaluator's errors and warnings, of the feedback's
}

// newSeriesTables returns the tables of one series.
func newSeriesTables(o scoring.TableOptions, p *paper.Paper) *tables {
	t := &tables{missing: o.Missing, runs: map[runKey]*run{}, paper: p}
	if p := profileOf(o.Variants); p != "release" {
		t.label = ", profile " + p + " (a definition of this project)"
	}
	return t
}

// Add implements scoring.Tables.
func (t *tables) Add(r *scoring.Result) {
	t.ends.Add(r)
	if !r.Scored && !(t.missing && r.Err != nil && r.Err.Code == "no_response") {
		return
	}
	word := func(name string) string {
		if s := r.Strings(name); len(s) == 1 {
			return s[0]
		}
		return ""
	}
	n, _ := r.Float("turn")
	answer := &turn{n: int(n), score: r.Score, tools: r.Strings("tools_selected"), errorTypes: r.Strings("error_types"), adviceTypes: r.Strings("feedback_types")}
	answer.actions, _ = r.Float("total_actions")
	answer.segments, _ = r.Float("drawing_segments")
	key := runKey{word("task"), max(1, r.Who.Repeat), r.Who.Settings().Config}
	at := t.runs[key]
	if at == nil || slices.Contains(at.turns, answer.n) { // a turn twice is another run of the task
		at = &run{task: key.task, category: word("category"), difficulty: word("difficulty"), repeat: key.repeat}
		t.runs[key] = at
		t.order = append(t.order, at)
	}
	at.turns = append(at.turns, answer.n)
	at.usages = append(at.usages, usageOf(r))
	if at.first == nil || answer.n < at.first.n {
		at.first = answer
	}
	if at.last == nil || answer.n >= at.last.n {
		at.last = answer
	}
}

// Tables implements scoring.Tables.
func (t *tables) Tables() []scoring.TextTable {
	if len(t.order) == 0 {
		return nil
	}
	list := []scoring.TextTable{t.overall(), t.by("difficulty", difficulties, func(r *run) string { return r.difficulty }),
		t.by("category", nil, func(r *run) string { return r.category }), t.improvement(), t.errors(), t.tools()}
	if t.asked() {
		list = append(list, t.counts(), t.errorsByDifficulty())
	}
	return list
}

// printed is a row of the paper's overall table: its numbers for the two turns as printed, ""
// where it has none. See docs/spec/drawingbench.md#r88.
type printed struct{ t1, t2 string }

// overall returns the table of means over all tasks, beside the paper's.
func (t *tables) overall() scoring.TextTable {
	t1, t2 := perTask(t.order, (*run).start), perTask(t.order, (*run).end)
	a1, a2 := t.values(actions)
	s1, s2 := t.values(segments)
	p1, p2 := stats.Sum(perTask(t.order, reached((*run).start))), stats.Sum(perTask(t.order, reached((*run).end)))
	ended := stats.Sum(perTask(t.order, func(r *run) float64 { return indicator(r.first == r.last) }))
	rows := []struct {
		name   string
		t1, t2 float64
		digits int
		paper  printed
	}{
		{"mean score", stats.Mean(t1), stats.Mean(t2), 4, t.printedOverall("mean", 3)},
		{"standard deviation", stats.Summarise(t1).SD, stats.Summarise(t2).SD, 4, t.printedOverall("std", 3)},
		{"median", stats.Summarise(t1).Median, stats.Summarise(t2).Median, 4, t.printedOverall("median", 3)},
		{"perfect (0.9 or more)", p1, p2, whole(p1, p2), t.printedOverall("perfect", 0)},
		{"perfect, %", 100 * p1 / float64(len(t1)), 100 * p2 / float64(len(t2)), 1, t.printedOverall("rate", 1)},
		{"ended after turn 1, %", 100 * ended / float64(len(t1)), 100 * ended / float64(len(t1)), 1, t.printedOverall("early", 1)},
		{"actions, mean", stats.Mean(a1), stats.Mean(a2), 3, t.printedOverall("mean_actions", 1)},
		{"segments, mean", stats.Mean(s1), stats.Mean(s2), 3, t.printedOverall("mean_segments", 1)},
		{"segments / actions, %", 100 * stats.Sum(s1) / stats.Sum(a1), 100 * stats.Sum(s2) / stats.Sum(a2), 1, t.printedOverall("drawing_ratio_percent", 1)},
		{"2 x segments / actions", 2 * stats.Sum(s1) / stats.Sum(a1), 2 * stats.Sum(s2) / stats.Sum(a2), 3, printed{}},
	}
	out := scoring.TextTable{Title: fmt.Sprintf("DrawingBench overall, %s%s", t.size(len(t1)), t.label),
		Columns: []string{"", "turn 1", "turn 2", "change", "paper 1", "paper 2", "differs 1", "differs 2"}, Text: 1,
		Note: fmt.Sprintf("A task that ended after its first turn enters turn 2 with it; the relative change of the mean is %s. The paper's rows are of 250 tasks; \"differs\" is this run less the paper.",
			relative(stats.Mean(t1), stats.Mean(t2)))}
	for _, r := range rows {
		cells := []string{r.name, scoring.FormatCell(r.t1, r.digits), scoring.FormatCell(r.t2, r.digits), scoring.FormatCell(r.t2-r.t1, r.digits)}
		if r.name[0] == 'e' { // one number, of both turns
			cells = []string{r.name, scoring.FormatCell(r.t1, r.digits), "-", "-"}
		}
		cells = append(cells, cmp.Or(r.paper.t1, "-"), cmp.Or(r.paper.t2, "-"), difference(r.t1, r.paper.t1), difference(r.t2, r.paper.t2))
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// difference prints x less the number s that the paper prints, with the decimals of s: "=" where
// x would print the same, "-" where s is "".
func difference(x float64, s string) string {
	if s == "" {
		return "-"
	}
	digits := 0
	if at := strings.IndexByte(s, '.'); at >= 0 {
		digits = len(s) - at - 1
	}
	if scoring.FormatCell(x, digits) == s {
		return "="
	}
	p, _ := strconv.ParseFloat(s, 64)
	return fmt.Sprintf("%+.*f", max(digits, 1), x-p)
}

var difficulties = []string{"easy", "medium", "hard", "very_hard"}

// by returns the table of tasks grouped by what of returns; name is what it is called. Groups
// stand in the given order, others after them, the largest first.
func (t *tables) by(name string, order []string, of func(*run) string) scoring.TextTable {
	groups := map[string][]*run{}
	for _, r := range t.order {
		groups[of(r)] = append(groups[of(r)], r)
	}
	keys := slices.Collect(maps.Keys(groups))
	place := func(k string) int {
		if i := slices.Index(order, k); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(place(a)-place(b), len(groups[b])-len(groups[a]), strings.Compare(a, b))
	})
	out := scoring.TextTable{Title: "DrawingBench by " + name + t.label, Text: 1,
		Columns: []string{name, "tasks", "turn 1", "turn 2", "change", "perfect 1", "perfect 2", "perfect 2, %", "paper tasks", "paper 1", "paper 2", "paper perfect 2, %"}}
	digits := []int{0, 3, 3, 1}
	columns := []int{1, 2, 3, 5}
	if name == "category" {
		out.Columns[11] = "paper perfect 2"
		digits, columns = []int{0, 3, 3, 0}, []int{1, 2, 3, 6}
		out.Note = "The paper has 20 categories, with other counts (basic_shapes 42, objects 28; color_reasoning and numeracy are absent); its means of scenes, creative, angle, complex, compositional, spatial_reasoning and efficiency_test agree with the published results, those of basic_shapes, objects, patterns, symmetry and others do not."
	}
	for _, k := range keys {
		t1, t2 := perTask(groups[k], (*run).start), perTask(groups[k], (*run).end)
		p1, p2 := stats.Sum(perTask(groups[k], reached((*run).start))), stats.Sum(perTask(groups[k], reached((*run).end)))
		out.Rows = append(out.Rows, append([]string{cmp.Or(k, "-"), strconv.Itoa(len(t1)), scoring.FormatCell(stats.Mean(t1), 4), scoring.FormatCell(stats.Mean(t2), 4), scoring.FormatCell(stats.Mean(t2)-stats.Mean(t1), 4),
			scoring.FormatCell(p1, whole(p1)), scoring.FormatCell(p2, whole(p2)), scoring.FormatCell(100*p2/float64(len(t2)), 1)}, beside(t.paper.Tables[name], k, columns, digits)...))
	}
	return out
}

// improvement returns the table of tasks by how much their score changed between the turns. See
// docs/spec/drawingbench.md#r86.
func (t *tables) improvement() scoring.TextTable {
	names := []string{"worse", "0", "(0, 0.05]", "(0.05, 0.10]", "> 0.10"}
	paper := []string{"-", "-", "-", "-", "-"}
	for i, r := range t.paper.Tables["improvement"].Rows {
		if i+1 < len(paper) {
			paper[i+1] = r.Cell(1, 0)
		}
	}
	most, least := math.Inf(-1), math.Inf(1)
	class := func(r *run) int {
		// Scores have three decimals: the difference is rounded to them.
		d := math.Round((r.last.score-r.first.score)*1000) / 1000
		most, least = max(most, d), min(least, d)
		switch {
		case d < 0:
			return 0
		case d == 0:
			return 1
		case d <= 0.05:
			return 2
		case d <= 0.1:
			return 3
		}
		return 4
	}
	out := scoring.TextTable{Title: "DrawingBench improvement from turn 1 to turn 2" + t.label, Text: 1,
		Columns: []string{"change", "tasks", "%", "paper"}}
	for i, n := range names {
		of := perTask(t.order, func(r *run) float64 { return indicator(class(r) == i) })
		k := stats.Sum(of)
		out.Rows = append(out.Rows, []string{n, scoring.FormatCell(k, whole(k)), scoring.FormatCell(100*k/float64(len(of)), 1), paper[i]})
	}
	out.Note = fmt.Sprintf("Largest %+.3f, smallest %+.3f. The paper's counts are of 250 tasks, its largest is +0.328.", most, least)
	return out
}

// errors returns the table of errors and warnings by type, in first turns and in second ones.
// See docs/spec/drawingbench.md#r87.
func (t *tables) errors() scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench errors by type", Text: 2, Columns: []string{"reported by", "type", "turn 1", "turn 2", "paper 1", "paper 2"},
		Note: "Turn 2 counts only tasks that had one. The paper has 68 errors in turn 1 and 35 in turn 2, of four types."}
	for _, by := range []struct {
		name  string
		paper paper.Table
		of    func(*turn) []string
	}{
		{"evaluator", t.paper.Tables["errors"], func(a *turn) []string { return a.errorTypes }},
		{"feedback", paper.Table{}, func(a *turn) []string { return a.adviceTypes }},
	} {
		counts := map[string][2]int{} // by type: in first turns, in second ones
		count := func(a *turn, k int) {
			for _, s := range by.of(a) {
				for _, s := range []string{s, totalName} {
					c := counts[s]
					c[k]++
					counts[s] = c
				}
			}
		}
		for _, r := range t.order {
			count(r.first, 0)
			if r.last != r.first {
				count(r.last, 1)
			}
		}
		for _, s := range withPaper(slices.Collect(maps.Keys(counts)), by.paper) {
			row := []string{by.name, s, strconv.Itoa(counts[s][0]), strconv.Itoa(counts[s][1])}
			out.Rows = append(out.Rows, append(row, beside(by.paper, s, []int{1, 2}, []int{0, 0})...))
		}
	}
	return out
}

// tools returns the table of how many answers selected each tool of the drawing app.
func (t *tables) tools() scoring.TextTable {
	out := scoring.TextTable{Title: "DrawingBench tools, % of answers that selected one", Text: 1, Columns: []string{"tool", "turn 1", "turn 2", "paper"}}
	share := func(of func(*run) *turn, name string) string {
		list := perTask(t.order, func(r *run) float64 { return indicator(slices.Contains(of(r).tools, name)) })
		return scoring.FormatCell(100*stats.Sum(list)/float64(len(list)), 1)
	}
	for _, tool := range layout.Tools {
		out.Rows = append(out.Rows, []string{tool.Name, share(func(r *run) *turn { return r.first }, tool.Name),
			share(func(r *run) *turn { return r.last }, tool.Name), beside(t.paper.Tables["tools"], tool.Name, []int{1}, []int{1})[0]})
	}
	return out
}

func (r *run) start() float64 { return r.first.score }
func (r *run) end() float64   { return r.last.score }

func actions(a *turn) float64  { return a.actions }
func segments(a *turn) float64 { return a.segments }

// perTask returns the mean of a value over the runs of each task, tasks in order of appearance.
func perTask(runs []*run, of func(*run) float64) []float64 {
	at := map[string]int{}
	var sums []float64
	var n []int
	for _, r := range runs {
		i, ok := at[r.task]
		if !ok {
			i = len(sums)
			at[r.task] = i
			sums, n = append(sums, 0), append(n, 0)
		}
		sums[i] += of(r)
		n[i]++
	}
	for i := range sums {
		sums[i] /= float64(n[i])
	}
	return sums
}

// size returns the number of tasks as text, and that of runs where they differ.
func (t *tables) size(tasks int) string {
	if tasks == len(t.order) {
		return fmt.Sprintf("%d tasks", tasks)
	}
	return fmt.Sprintf("%d tasks, %d runs", tasks, len(t.order))
}

// values returns a value per task, of its first turns and of its last ones.
func (t *tables) values(of func(*turn) float64) (first, last []float64) {
	return perTask(t.order, func(r *run) float64 { return of(r.first) }), perTask(t.order, func(r *run) float64 { return of(r.last) })
}

// reached returns a function that is 1 for runs whose score of is perfect, else 0.
func reached(of func(*run) float64) func(*run) float64 {
	return func(r *run) float64 { return indicator(of(r) >= perfect) }
}

// indicator returns 1 for true and 0 for false, so that a sum counts and a mean is a share.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// whole returns the number of decimals of counts of tasks: 0 where they are integers, 2 where
// they are not, as the runs of a task differ.
func whole(counts ...float64) int {
	for _, x := range counts {
		if x != math.Trunc(x) {
			return 2
		}
	}
	return 0
}

// relative prints in per cent how much more b is than a.
func relative(a, b float64) string {
	if a == 0 {
		return "not defined, as turn 1 has the mean 0"
	}
	return fmt.Sprintf("%+.2f %%", 100*(b/a-1))
}
