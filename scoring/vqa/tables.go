package vqa

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/scoring/plural"
	"plumb/scoring/stats"
)

// tables collects the results of one benchmark and builds the tables that its paper prints.
type tables struct {
	*benchmark
	places          map[string]taxonomyPlace
	missingIsWrong  bool // missing answers count as wrong; else they do not count
	runs            map[runKey]*modelRun
	ordered         []*modelRun
	published       []*modelRun
	builtIn         bool         // published is from the papers in the program, not from the user's files
	methods         *paper.Paper // published rows of methods and runs
	heldFindings    int          // findings that are remembered, over all runs
	findingsLeftOut bool         // there were more than maxFindings: tables that compare items are left out
	clusterOf       func(suite, id string) string
}

// runKey identifies one run of one model in one format. blind runs were asked without the picture.
type runKey struct {
	model, format string // of the series, with the way it was asked
	repeat        int
	blind         bool
}

// modelRun holds the counts of one run of one model. A published run whose paper gives no
// counts has printed accuracies instead.
type modelRun struct {
	runKey
	seriesName         string // of the series without the method of asking
	method             string
	total              counts
	pictures           map[string]counts // by pictures of items
	sharesPictures     bool              // items share pictures
	categories         []counts
	subcategories      [][]counts
	scales             map[string]*counts
	optionKinds        map[string]*counts
	decidedBy          map[string]int
	itemsByOptionCount [9]int // items by number of options
	inferredKinds      int
	findings           map[uint64]finding // by the hash of the item's id
	repeatedItems      int                // answers to items that already had one
	wrong              int                // wrong answers, without those that have no score
	errorClasses       map[string]int     // how many of the wrong ones have each class
	printed            *printedAccuracies // of a published run without counts; nil for others
	note               string             // about a published run, "" for none
}

// newRun returns an empty run of a model, with a counter for each category and subcategory of the benchmark.
func (benchmark *benchmark) newRun(key runKey) *modelRun {
	run := &modelRun{runKey: key, pictures: map[string]counts{}, categories: make([]counts, len(benchmark.categories)),
		subcategories: make([][]counts, len(benchmark.categories)),
		scales:        map[string]*counts{}, optionKinds: map[string]*counts{}, decidedBy: map[string]int{},
		findings: map[uint64]finding{}, errorClasses: map[string]int{}}
	for c := range benchmark.categories {
		run.subcategories[c] = make([]counts, len(benchmark.categories[c].subs))
	}
	return run
}

// newTables returns empty tables for a report on SPATIALAB or SpaCE-Eval, with the published rows
// of the papers. It implements scoring.Suite.Tables.
func (suite *suite) newTables(o scoring.TableOptions) scoring.Tables {
	t := &tables{benchmark: suite.benchmark, places: suite.places, missingIsWrong: o.Missing, clusterOf: o.Cluster,
		runs: map[runKey]*modelRun{}}
	t.addPapers(suite, o.Papers)
	return t
}

// maxRows bounds the runs, and the named groups of each run, because their names come from
// outside. What is beyond it is not counted.
const maxRows = 1000

// Add counts a result of SPATIALAB or SpaCE-Eval under its run, with right, wrong, missing and
// unjudged answers apart. Results without a score for any other reason are not counted, nor are
// those of runs beyond maxRows. It implements scoring.Tables.
func (tables *tables) Add(result *scoring.Result) {
	noResponse := result.Err != nil && result.Err.Code == "no_response"
	unjudged := result.Err != nil && result.Err.Code == "unjudged"
	if !result.Scored && !noResponse && !unjudged {
		return
	}
	key := runKey{model: result.Who.Series("format").String(), format: result.Test, repeat: max(1, result.Who.Repeat)}
	key.blind, _ = result.Bool("blind")
	run := tables.runs[key]
	if run == nil {
		if len(tables.ordered) >= maxRows {
			return
		}
		run = tables.newRun(key)
		run.seriesName, run.method = result.Who.Series("format", "method").String(), result.Who.Method()
		tables.runs[key] = run
		tables.ordered = append(tables.ordered, run)
	}
	idHash := fnv.New64a()
	idHash.Write([]byte(result.ID))
	outcome := counts{answers: 1, idHashes: idHash.Sum64()}
	source := wordOf(result, "source")
	switch {
	case noResponse && !tables.missingIsWrong:
		outcome = counts{missing: 1} // no answer, so that accuracies are over the other items
	case noResponse:
		outcome.missing = 1
	case unjudged:
		outcome.unjudged = 1
	case result.Score == 1:
		outcome.correct = 1
	}
	if source == "invalid" {
		outcome.invalid = 1
	}
	run.countPicture(tables, result, outcome)
	run.decidedBy[source]++
	run.addToGroups(tables, result, outcome)
	run.countTag(result)
	tables.remember(run, result, idHash.Sum64(), outcome)
}

// countPicture counts an answer under its picture, because standard errors are clustered over pictures. Answers
// without a known picture are not counted, nor any after maxFindings pictures.
func (run *modelRun) countPicture(tables *tables, result *scoring.Result, outcome counts) {
	picture := result.Cluster
	if picture == "" && tables.clusterOf != nil {
		picture = tables.clusterOf(result.Suite, result.ID)
	}
	isFull := len(run.pictures) > maxFindings
	if picture == "" || outcome.answers == 0 || isFull {
		return
	}
	counted := run.pictures[picture]
	run.sharesPictures = run.sharesPictures || counted.answers > 0
	counted.answers++
	counted.correct += outcome.correct
	run.pictures[picture] = counted
}

// wordOf returns the metric `name` of a question's result if its value is a single string, else "".
func wordOf(r *scoring.Result, name string) string {
	if s := r.Strings(name); len(s) == 1 {
		return s[0]
	}
	return ""
}

// addToGroups adds the outcome of one answer to the total of the run, and to its category, subcategory, scale,
// kind of options and number of options. Scales and kinds beyond maxRows are left out.
func (run *modelRun) addToGroups(tables *tables, result *scoring.Result, outcome counts) {
	run.total.add(outcome)
	if p, ok := tables.places[wordOf(result, "category")]; ok && p.sub < 0 {
		run.categories[p.category].add(outcome)
	}
	if p, ok := tables.places[wordOf(result, "subcategory")]; ok && p.sub >= 0 {
		run.subcategories[p.category][p.sub].add(outcome)
	}
	// Groups by name, of which there may be any number.
	for name, groups := range map[string]map[string]*counts{"scale": run.scales, "option_kind": run.optionKinds} {
		value := wordOf(result, name)
		if value == "" {
			continue
		}
		if groups[value] == nil && len(groups) < maxRows {
			groups[value] = &counts{}
		}
		if g := groups[value]; g != nil {
			g.add(outcome)
		}
	}
	optionCount, _ := result.Float("options") // 0 where it is unknown
	if isCounted := outcome.answers > 0; isCounted && optionCount >= 2 && optionCount < float64(len(run.itemsByOptionCount)) {
		run.itemsByOptionCount[int(optionCount)]++
	}
	if inferred, ok := result.Bool("option_kind_inferred"); ok && inferred {
		run.inferredKinds++
	}
}

// add adds the counts of other questions to these.
func (counts *counts) add(o counts) {
	counts.answers += o.answers
	counts.correct += o.correct
	counts.invalid += o.invalid
	counts.missing += o.missing
	counts.unjudged += o.unjudged
	counts.idHashes += o.idHashes
}

// modelName returns the name of the run's model, marked "(blind)" if the model did not see the pictures.
func (run *modelRun) modelName() string {
	name := cmp.Or(run.model, "model")
	if run.blind {
		name += " (blind)"
	}
	return name
}

// name returns the first cell of the run's rows in a table: the model and, from the second run on, its number.
func (run *modelRun) name() string {
	name := run.modelName()
	if run.repeat != 1 {
		name += fmt.Sprintf(" (run %d)", run.repeat)
	}
	return name
}

// chanceAccuracy returns the expected accuracy of guessing, the mean of 1/k over items with k options, in
// hundredths of a per cent. ok is false where no item has a known number of options. See docs/spec/vqa.md#r47.
func (run *modelRun) chanceAccuracy() (accuracy int64, ok bool) {
	items, sum := int64(0), int64(0)
	const denominator = 840 // least common multiple of 2 to 8, so that the sum is an exact integer
	for k, count := range run.itemsByOptionCount {
		if k >= 2 {
			items += int64(count)
			sum += int64(count) * (denominator / int64(k))
		}
	}
	if items == 0 {
		return 0, false
	}
	return hundredths(sum, items*denominator), true
}

// macroAccuracy returns the unweighted mean, in per cent, of a run's accuracies in the categories
// that have questions; NaN where none has.
func (run *modelRun) macroAccuracy() float64 {
	var list []float64
	for _, c := range run.categories {
		if c.answers > 0 {
			list = append(list, 100*float64(c.correct)/float64(c.answers))
		}
	}
	return stats.Summarise(list).Mean
}

// Tables returns the tables of a report on SPATIALAB or SpaCE-Eval: those of each format that has
// results, in the order of the papers, then the table of gaps between the formats. Tables without
// rows are left out. So are those that compare answers item by item if there were too many answers
// to remember all. It implements scoring.Tables.
func (tables *tables) Tables() (out []scoring.TextTable) {
	for _, format := range tables.formats {
		var userRuns []*modelRun
		for _, run := range tables.ordered {
			if run.format == format && run.total.answers+run.total.missing > 0 {
				userRuns = append(userRuns, run)
			}
		}
		if len(userRuns) == 0 {
			continue
		}
		out = append(out, tables.accuracyTable(format, userRuns))
		switch {
		case tables.benchmark == spatialab && tables.builtIn:
			out = append(out, tables.categoryTables(format, userRuns)...)
		case tables.benchmark == spatialab:
			out = append(out, tables.subcategoryTable(format, userRuns))
		}
		out = append(out, tables.humanGapTable(format, userRuns))
		if tables.benchmark == spaceeval {
			out = append(out, tables.groupTable(byOptionKind, userRuns,
				func(r *modelRun) map[string]*counts { return r.optionKinds }, []string{"text", "visual"}),
				tables.groupTable("scale", userRuns, func(r *modelRun) map[string]*counts { return r.scales }, scales))
		}
		out = append(out, tables.decidedByTable(format, userRuns))
		// Tables that may be empty.
		more := []scoring.TextTable{tables.blindGapTable(format, userRuns), tables.errorClassTable(format, userRuns)}
		if !tables.findingsLeftOut {
			more = append(more, tables.methodTable(format, userRuns), tables.solvedTable(format, userRuns),
				tables.publishedSolvedTable(format, userRuns), tables.repeatTable(format, userRuns))
		}
		for _, table := range more {
			if len(table.Rows) > 0 {
				out = append(out, table)
			}
		}
	}
	if gap := tables.formatGapTable(); len(gap.Rows) > 0 {
		out = append(out, gap)
	}
	return out
}

// subcategoryTable returns SPATIALAB's Tables 6 to 10 and 12 to 16 as one table. Columns:
// category, subcategory, n, then an accuracy for each run that has some, the user's runs
// before published ones. Subcategories without items are left out.
func (tables *tables) subcategoryTable(format string, userRuns []*modelRun) scoring.TextTable {
	papers, _ := tables.publishedRuns(format)
	all := slices.DeleteFunc(append(slices.Clone(userRuns), papers...),
		func(r *modelRun) bool { return !r.hasSubcategories() })
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + " accuracy by subcategory, %", TextColumns: 2,
		Columns: []string{"category", "subcategory", "n"}}
	for _, run := range all {
		out.Columns = append(out.Columns, run.name())
	}
	for c := range tables.categories {
		for s, sub := range tables.categories[c].subs {
			n, line := 0, []string{tables.categories[c].name, sub.name, ""} // the third cell becomes n
			for _, run := range all {
				n = max(n, run.subcategories[c][s].answers)
				line = append(line, percent(run.subcategories[c][s].correct, run.subcategories[c][s].answers))
			}
			line[2] = strconv.Itoa(n)
			if n > 0 {
				out.Rows = append(out.Rows, line)
			}
		}
	}
	return out
}

// hasSubcategories reports whether the run has results of any question that names its subcategory.
func (run *modelRun) hasSubcategories() bool {
	for _, list := range run.subcategories {
		for _, c := range list {
			if c.answers > 0 {
				return true
			}
		}
	}
	return false
}

// humanGapTable returns the table of people's accuracy minus that of models, in points. Its columns
// are the model, one for each category, and Overall. See docs/spec/vqa.md#r48.
func (tables *tables) humanGapTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + ": human baseline minus accuracy, points",
		TextColumns: 1, Columns: []string{"model"}}
	for _, c := range tables.categories {
		out.Columns = append(out.Columns, c.name)
	}
	out.Columns = append(out.Columns, "Overall")
	base := tables.human[format]
	for _, run := range userRuns {
		line := []string{run.name()}
		for c := range tables.categories {
			line = append(line, pointsBelow(base.categories[c], run.categories[c]))
		}
		out.Rows = append(out.Rows, append(line, pointsBelow(base.overall, run.total)))
	}
	return out
}

// pointsBelow returns by how many percentage points the accuracy of a model lies below people's, with
// two decimals. people is their accuracy in per cent as a paper prints it, with at most two decimals.
// It returns "-" where the model has no questions.
func pointsBelow(people float64, model counts) string {
	if model.answers == 0 {
		return "-"
	}
	// The difference of the shares printed/10000 and correct/n as one exact fraction, which is rounded once.
	printed, n := int64(math.Round(people*100)), int64(model.answers) // printed is in hundredths of a per cent
	return decimals(hundredths(printed*n-10000*int64(model.correct), 10000*n))
}

// byOptionKind is the title of the table by kind of options.
const byOptionKind = "option kind"

// groupTable returns the table of accuracies by kind of options or by scale. Columns: the group's name, then
// accuracy and n of each run. groupsOf returns the counts of a run by group. Rows: the known groups in their
// order, others by name, all items; for kinds of options also the difference of text and visual ones.
func (tables *tables) groupTable(what string, userRuns []*modelRun, groupsOf func(*modelRun) map[string]*counts,
	known []string) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " accuracy by " + what + ", %", TextColumns: 1, Columns: []string{what}}
	// The columns, and all groups that a run has.
	names, inferred := slices.Clone(known), 0
	for _, run := range userRuns {
		inferred += run.inferredKinds
		var more []string
		for name := range groupsOf(run) {
			if !slices.Contains(names, name) {
				more = append(more, name)
			}
		}
		slices.Sort(more)
		names = append(names, more...)
		out.Columns = append(out.Columns, run.name(), "n")
	}
	addRow := func(name string, countsOf func(*modelRun) counts) { // a group without items has no row
		cells, items := []string{name}, 0
		for _, run := range userRuns {
			c := countsOf(run)
			items += c.answers
			cells = append(cells, percent(c.correct, c.answers), strconv.Itoa(c.answers))
		}
		if items > 0 {
			out.Rows = append(out.Rows, cells)
		}
	}
	groupOf := func(run *modelRun, name string) (c counts) {
		if g := groupsOf(run)[name]; g != nil {
			c = *g
		}
		return c
	}
	// The rows.
	for _, name := range names {
		addRow(name, func(run *modelRun) counts { return groupOf(run, name) })
	}
	addRow("all", func(run *modelRun) counts { return run.total })
	if what == byOptionKind {
		cells := []string{"text - visual"}
		for _, run := range userRuns {
			text, visual, difference := groupOf(run, "text"), groupOf(run, "visual"), "-"
			if text.answers > 0 && visual.answers > 0 {
				difference = decimals(pointsBetween(text, visual))
			}
			cells = append(cells, difference, "")
		}
		out.Rows = append(out.Rows, cells)
		out.Note = fmt.Sprintf("The kind of %s options.", plural.Of(inferred, "item was inferred from its", "items was inferred from their"))
	}
	return out
}

// decidedByTable returns the table of what decided the answers. Columns: model, a count for
// each stage of reading or judge that decided some, shares of invalid, missing and unjudged
// answers, and the accuracy on valid answers. See docs/spec/vqa.md#r45.
func (tables *tables) decidedByTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + ": what decided the answers", TextColumns: 1,
		Columns: []string{"model"}}
	var seen []string
	for _, s := range []string{"literal", "stage2", "stage3", "stage4", "stage5", "stage6", "shortcut", "judge",
		"invalid", "cut", "unjudged", "missing"} {
		if slices.ContainsFunc(userRuns, func(run *modelRun) bool { return run.decidedBy[s] > 0 }) {
			seen = append(seen, s)
		}
	}
	out.Columns = append(append(out.Columns, seen...), "invalid, %", "missing, %", "unjudged, %", "accuracy on valid")
	for _, run := range userRuns {
		line := []string{run.name()}
		for _, s := range seen {
			line = append(line, strconv.Itoa(run.decidedBy[s]))
		}
		counts := run.total
		all, valid := counts.answers, counts.answers-counts.invalid
		if tables.missingIsWrong { // counts.answers counts missing answers already
			valid -= counts.missing
		} else { // counts.answers does not
			all += counts.missing
		}
		out.Rows = append(out.Rows, append(line, percent(counts.invalid, all), percent(counts.missing, all),
			percent(counts.unjudged, all), percent(counts.correct, valid)))
	}
	if tables.findingsLeftOut {
		out.Note = fmt.Sprintf("More than %d answers: tables that compare runs or models item by item are left out.", maxFindings)
	}
	return out
}
