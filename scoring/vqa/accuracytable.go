package vqa

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// accuracyTable returns the papers' main table: Tables 2 and 3 of SPATIALAB, Table 2 of SpaCE-Eval. Columns:
// model, accuracies (SPATIALAB: categories, Overall; SpaCE-Eval: Overall, then each category with its
// subcategories), rank and nearest among published rows, then those of countCells. Rows: chance, the user's
// runs, the human baseline, published runs.
func (tables *tables) accuracyTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + " accuracy, %", TextColumns: 1,
		Columns: []string{"model"}}
	if tables.benchmark == spaceeval {
		out.Columns = append(out.Columns, "Overall")
	}
	for _, category := range tables.categories {
		if tables.benchmark == spaceeval {
			out.Columns = append(out.Columns, category.abbr)
			for _, s := range category.subs {
				out.Columns = append(out.Columns, s.abbr)
			}
			continue
		}
		out.Columns = append(out.Columns, category.name)
	}
	if tables.benchmark == spatialab {
		out.Columns = append(out.Columns, "Overall")
	}
	// A run of fewer questions is not comparable with the paper's.
	size := tables.benchmarkSize()
	if !slices.ContainsFunc(userRuns, func(run *modelRun) bool { return run.total.answers+run.total.missing >= size }) {
		out.Title += ", subset"
	}
	out.Columns = append(out.Columns, "rank", "nearest", "95% CI", "macro", "n", "invalid", "missing", "unjudged",
		"if right")
	// Rows: chance, then this command's runs, the humans and the published models.
	for _, run := range userRuns {
		if chance, ok := run.chanceAccuracy(); ok && format == formatChoice {
			sameCell := func(counts, float64) string { return decimals(chance) }
			out.Rows = append(out.Rows, tables.accuracyLine(chanceName, sameCell, run))
			break // one row is enough: chance is the same for every run over the same items
		}
	}
	papers, human := tables.publishedRuns(format)
	for _, run := range slices.Concat(userRuns, []*modelRun{human}, papers) {
		out.Rows = append(out.Rows, tables.accuracyCells(run))
	}
	// The note says how the intervals are made and what is incomplete.
	ci := "Wilson"
	if slices.ContainsFunc(userRuns, func(run *modelRun) bool { _, ok := run.pictureError(); return ok }) {
		ci = "normal, with the standard error over pictures, where items share some; else Wilson"
	}
	missingCount := "nothing."
	if tables.missingIsWrong {
		missingCount = "as wrong."
	}
	out.Note = "Overall is over all items (micro). CI: " + ci +
		", 95 %. Invalid answers are wrong; missing ones count " + missingCount
	for _, run := range userRuns {
		if run.total.unjudged > 0 {
			out.Note += "\nINCOMPLETE: unjudged items count as wrong; \"if right\" is the accuracy if all of them were right."
			break
		}
	}
	for _, run := range papers {
		if run.note != "" {
			out.Note += "\n" + run.model + ": " + run.note
		}
	}
	return out
}

var formatNames = map[string]string{formatChoice: "multiple-choice", formatOpen: "open-ended"}

// publishedRuns returns the published runs of a format, and apart from them the human baseline. That is
// the published row for humans if there is one, else a row of the benchmark's printed accuracies.
func (tables *tables) publishedRuns(format string) (papers []*modelRun, human *modelRun) {
	baseline := tables.human[format]
	human = &modelRun{runKey: runKey{model: "human", format: format, repeat: 1}, printed: &baseline, total: counts{}}
	for _, run := range tables.published {
		switch {
		case run.format != format:
		case run.model == humanName:
			human = run
		default:
			papers = append(papers, run)
		}
	}
	return papers, human
}

// chanceName is the row with the expected accuracy of guessing.
const chanceName = "chance"

// accuracyCells returns the run's row of the main table: counted accuracies, or the printed
// ones of a published run without counts.
func (tables *tables) accuracyCells(run *modelRun) []string {
	return tables.accuracyLine(run.name(), func(c counts, printed float64) string {
		if run.printed != nil {
			return scoring.FormatCell(printed, 2)
		}
		return percent(c.correct, c.answers)
	}, run)
}

// accuracyLine returns a row of the main table for `name`. cell writes each accuracy, from the
// counts of the group and the accuracy that a paper prints for it, or NaN. Printed rows and the
// chance row have dashes after the accuracies. Published runs with counts have no rank.
func (tables *tables) accuracyLine(name string, cell func(c counts, printed float64) string, run *modelRun) []string {
	notPrinted := math.NaN()
	overall := notPrinted
	if run.printed != nil {
		overall = run.printed.overall
	}
	var out []string
	for category := range tables.categories {
		printed, group := notPrinted, counts{}
		if run.printed != nil && category < len(run.printed.categories) {
			printed = run.printed.categories[category]
		} else if run.categories != nil {
			group = run.categories[category]
		}
		out = append(out, cell(group, printed))
		if tables.benchmark != spaceeval { // only its table has subcategories
			continue
		}
		for sub := range tables.categories[category].subs {
			group := counts{}
			if run.subcategories != nil {
				group = run.subcategories[category][sub]
			}
			printed := notPrinted
			if run.printed != nil {
				printed = run.printed.sub(category, sub)
			}
			out = append(out, cell(group, printed))
		}
	}
	// The accuracy of all questions is the first column of SpaCE-Eval's table, and the last one of SPATIALAB's.
	if tables.benchmark == spaceeval {
		out = append([]string{cell(run.total, overall)}, out...)
	} else {
		out = append(out, cell(run.total, overall))
	}
	out = append([]string{name}, out...)
	if run.printed != nil || name == chanceName {
		// rank, nearest and the seven of countCells
		return append(out, "-", "-", "-", "-", "-", "-", "-", "-", "-")
	}
	if slices.Contains(tables.published, run) {
		return append(append(out, "-", "-"), tables.countCells(run)...)
	}
	return append(append(out, tables.rankCells(run)...), tables.countCells(run)...)
}

// countCells returns the cells of a row of the main table after the accuracies: 95 % confidence
// interval, macro average, numbers of items, invalid, missing and unjudged answers, and "if right",
// the accuracy if all unjudged answers were right ("-" if there are none). The interval is
// Wilson's. Where items share pictures it is the normal one, with the standard error over pictures.
func (tables *tables) countCells(run *modelRun) []string {
	counts := run.total
	interval, ifRight := "-", "-"
	if counts.answers > 0 {
		low, high := stats.Wilson(counts.correct, counts.answers) // docs/spec/vqa.md#r46
		standardError, clustered := run.pictureError()
		if clustered {
			accuracy := float64(counts.correct) / float64(counts.answers)
			low, high = max(0, accuracy-stats.Normal95*standardError), min(1, accuracy+stats.Normal95*standardError)
		}
		interval = scoring.FormatCell(100*low, 2) + "-" + scoring.FormatCell(100*high, 2)
	}
	if counts.unjudged > 0 {
		ifRight = percent(counts.correct+counts.unjudged, counts.answers)
	}
	return []string{interval, scoring.FormatCell(run.macroAccuracy(), 2), strconv.Itoa(counts.answers),
		strconv.Itoa(counts.invalid), strconv.Itoa(counts.missing), strconv.Itoa(counts.unjudged), ifRight}
}

// pictureError returns the standard error of a run's accuracy, clustered over pictures, as a share
// from 0 to 1. ok is false where no two questions share a picture, where some question names none,
// and for fewer than two pictures. See docs/spec/runs.md#r45.
func (run *modelRun) pictureError() (se float64, ok bool) {
	n := 0
	for _, c := range run.pictures {
		n += c.answers
	}
	if !run.sharesPictures || n != run.total.answers || len(run.pictures) < 2 {
		return 0, false
	}
	// The cluster-robust estimate: how far the right answers of each picture are from what the mean
	// accuracy lets expect, squared and summed, with a correction for few clusters.
	mean, squares := float64(run.total.correct)/float64(n), 0.0
	for _, name := range slices.Sorted(maps.Keys(run.pictures)) { // one order, so that sums are equal in every run
		c := run.pictures[name]
		deviation := float64(c.correct) - mean*float64(c.answers)
		squares += float64(deviation * deviation) // float64: no fused multiply-add, equal on every machine
	}
	clusters := float64(len(run.pictures))
	return math.Sqrt(clusters/(clusters-1)*squares) / float64(n), true
}
