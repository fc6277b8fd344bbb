package vqa

import (
	"strconv"

	"plumb/scoring"
	"plumb/scoring/plural"
)

// maxPanel is how many models the table of solved items compares at most, because each adds a column.
const maxPanel = 100

// solvedTable returns the table of how many items were solved by exactly 0, 1, 2, ... models: Tables 11 and 17
// of SPATIALAB with all columns. Columns: category, subcategory, n, then one for each number of models. Of a
// model with several runs the one with the lowest number counts; blind runs do not. Fewer than two models give
// an empty table; those beyond maxPanel are left out. See docs/spec/vqa.md#r50.
func (tables *tables) solvedTable(format string, userRuns []*modelRun) scoring.TextTable {
	// One run of each model.
	var panel []*modelRun
	for _, runs := range byModel(userRuns) {
		run := runs[0]
		for _, r := range runs {
			if r.repeat < run.repeat {
				run = r
			}
		}
		if !run.blind && len(panel) < maxPanel {
			panel = append(panel, run)
		}
	}
	if len(panel) < 2 {
		return scoring.TextTable{}
	}
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + ": items by how many models solved them",
		TextColumns: 2,
		Columns:     []string{"category", "subcategory", "n"}}
	for solvers := range len(panel) + 1 {
		out.Columns = append(out.Columns, strconv.Itoa(solvers))
	}
	// Count the items by how many models solved them.
	ids, others := itemsOfAll(panel)
	groups := map[taxonomyPlace][]int{}
	all := make([]int, len(panel)+1)
	for _, id := range ids {
		solvers := 0
		for _, run := range panel {
			if run.findings[id].right {
				solvers++
			}
		}
		all[solvers]++
		place := panel[0].findings[id].place
		if groups[place] == nil {
			groups[place] = make([]int, len(panel)+1)
		}
		groups[place][solvers]++
	}
	// The rows.
	for c := range tables.categories {
		for s, sub := range tables.categories[c].subs {
			if byCount := groups[taxonomyPlace{c, s}]; byCount != nil {
				out.Rows = append(out.Rows, solvedRow(tables.categories[c].name, sub.name, byCount))
			}
		}
	}
	out.Rows = append(out.Rows, solvedRow("all", "", all))
	out.Note = plural.Of(len(panel), "model")
	if others > 0 {
		out.Note += "; " + plural.Of(others, "item is left out that not all of them answered or that was not judged",
			"items are left out that not all of them answered or that were not judged")
	}
	out.Note += "."
	return out
}

// solvedRow returns a row of solvedTable. itemsBySolvers[k] is how many questions exactly k models solved.
func solvedRow(category, sub string, itemsBySolvers []int) []string {
	n, cells := 0, []string{category, sub, ""} // the third cell becomes n
	for _, items := range itemsBySolvers {
		n += items
		cells = append(cells, strconv.Itoa(items))
	}
	cells[2] = strconv.Itoa(n)
	return cells
}

// blindGapTable returns the table of accuracy with the picture minus accuracy without, in
// points. Columns: model, one for each category, Overall. A cell is "-" unless both runs
// cover the same items, all of them judged. See docs/spec/vqa.md#r49.
func (tables *tables) blindGapTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] +
		": accuracy with the picture minus without, points", TextColumns: 1, Columns: []string{"model"},
		Note: "Groups whose two runs cover different items, or with unjudged items, have a dash."}
	for _, c := range tables.categories {
		out.Columns = append(out.Columns, c.name)
	}
	out.Columns = append(out.Columns, "Overall")
	for _, seeing := range userRuns {
		for _, blind := range userRuns {
			isPair := seeing.model == blind.model && seeing.repeat == blind.repeat
			if !isPair || seeing.blind || !blind.blind {
				continue
			}
			line := []string{seeing.name()}
			for c := range len(tables.categories) + 1 {
				with, without := seeing.groupCounts(c), blind.groupCounts(c)
				if sameItems(with, without) {
					line = append(line, decimals(pointsBetween(with, without)))
				} else {
					line = append(line, "-")
				}
			}
			out.Rows = append(out.Rows, line)
		}
	}
	return out
}

// sameItems reports whether two groups of answers are about the same questions, all of them judged;
// false for empty groups. Sets of questions are compared by the sums of the 64-bit hashes of their ids.
// Different sets have equal sums too rarely to matter.
func sameItems(a, b counts) bool {
	return a.answers > 0 && a.answers == b.answers && a.idHashes == b.idHashes && a.unjudged+b.unjudged == 0
}

// errorClasses are the classes that people give to wrong answers. See docs/spec/vqa.md#r51.
var errorClasses = []string{"mislocalization", "perspective_scale", "occlusion_order", "attribute_confusion",
	"ungrounded_rationalization"}

var errorValues = metricValues(errorClasses)

// errorClassTable returns the table of the classes of errors that people found in wrong answers. A wrong answer
// with a class is called tagged. Its columns are the model, wrong answers, those tagged and untagged, the share
// of each class among the tagged ones, and that of other classes. Runs without tagged answers have no row.
func (tables *tables) errorClassTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] +
		": classes of wrong answers, % of those tagged", TextColumns: 1,
		Columns: append(append([]string{"model", "wrong", "tagged", "untagged"}, errorClasses...), "others"),
		Note:    "Wrong answers that were judged; tags of right answers do not count."}
	for _, run := range userRuns {
		tagged := 0
		for _, n := range run.errorClasses {
			tagged += n
		}
		if tagged == 0 {
			continue
		}
		others := tagged
		line := []string{run.name(), strconv.Itoa(run.wrong), strconv.Itoa(tagged), strconv.Itoa(run.wrong - tagged)}
		for _, name := range errorClasses {
			line = append(line, percent(run.errorClasses[name], tagged))
			others -= run.errorClasses[name]
		}
		out.Rows = append(out.Rows, append(line, percent(others, tagged)))
	}
	return out
}

// countTag counts a run's wrong answer under its error class. Right answers and those without a
// score are not counted. Classes beyond maxRows are counted as untagged.
func (run *modelRun) countTag(result *scoring.Result) {
	if !result.Scored || result.Score == 1 {
		return
	}
	run.wrong++
	name := wordOf(result, "error_class")
	if _, known := run.errorClasses[name]; name != "" && (known || len(run.errorClasses) < maxRows) {
		run.errorClasses[name]++
	}
}
