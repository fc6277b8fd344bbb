package vqa

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/paper"
)

// paperFiles hold the numbers that the papers print: counts of correct items where the printed
// numbers give them.
//
//go:embed papers/*.json
var paperFiles embed.FS

// embeddedPaper returns the document of SPATIALAB's or SpaCE-Eval's paper tables, `name`, that is
// compiled into the program.
func embeddedPaper(name string) []byte {
	data, err := paperFiles.ReadFile("papers/" + name + ".json")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// addPapers reads the published rows: those of the user's documents that are about this
// benchmark, else the built-in ones. given is as in scoring.TableOptions: an empty list that
// is not nil means no published rows. See docs/spec/runs.md#r49.
func (tables *tables) addPapers(suite *suite, given [][]byte) {
	for _, doc := range given {
		tables.published = append(tables.published, suite.readPaper(doc)...)
	}
	wantsNone := given != nil && len(given) == 0
	if len(tables.published) > 0 || wantsNone {
		return
	}
	name := "spatialab"
	if tables.benchmark == spaceeval {
		name = "spaceeval"
	}
	tables.builtIn, tables.published = true, suite.readPaper(embeddedPaper(name))
	if tables.benchmark == spatialab {
		p, err := paper.Read(embeddedPaper("methods"))
		if err != nil {
			panic("BUG: " + err.Error())
		}
		tables.methods = p
	}
}

// comparedPublished returns the published runs that are compared model by model: in tables with a column
// for each model, and in statistics over models. That is wanted only where the user gave documents of
// paper tables, so it returns nil for the built-in ones.
func (tables *tables) comparedPublished(published []*modelRun) []*modelRun {
	if tables.builtIn {
		return nil
	}
	return published
}

// overallAccuracy returns the accuracy over all items in per cent, printed or counted. ok is
// false where the run has none, and for published runs with a note, which are over a subset.
func (run *modelRun) overallAccuracy() (accuracy float64, ok bool) {
	switch {
	case run.printed != nil:
		return run.printed.overall, run.note == ""
	case run.total.answers == 0:
		return 0, false
	}
	return 100 * float64(run.total.correct) / float64(run.total.answers), run.note == ""
}

// rankCells returns two cells: the rank that a run would have among the published ones of its format, and the
// nearest published model with the distance to it. Both are "-" for a run without an accuracy.
func (tables *tables) rankCells(run *modelRun) []string {
	var ranked []paper.Published
	published, _ := tables.publishedRuns(run.format)
	for _, other := range published {
		if accuracy, ok := other.overallAccuracy(); ok {
			ranked = append(ranked, paper.Published{Name: other.model, Value: accuracy})
		}
	}
	accuracy, ok := run.overallAccuracy()
	if !ok {
		return []string{"-", "-"}
	}
	rank, nearest := paper.Place(accuracy, ranked, 2)
	return []string{rank, nearest}
}

// categoryTables returns SPATIALAB's Tables 6 to 10 and 12 to 16, one for each category in
// which the user's models have items. See docs/spec/runs.md#r54.
func (tables *tables) categoryTables(format string, userRuns []*modelRun) (out []scoring.TextTable) {
	published, _ := tables.publishedRuns(format)
	for c := range tables.categories {
		table := tables.categoryTable(format, c, userRuns, published)
		if len(table.Rows) > 0 {
			out = append(out, table)
		}
	}
	return out
}

// categoryTable returns the table of one SPATIALAB category. Its columns are the model, an accuracy
// for each subcategory, all, n, rank and nearest. The user's runs come first, with ranks, then
// published ones. It has no rows where the user's runs have no questions of the category.
func (tables *tables) categoryTable(format string, category int, userRuns, published []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + " accuracy in " +
		tables.categories[category].name + ", %", TextColumns: 1, Columns: []string{"model"}}
	for _, sub := range tables.categories[category].subs {
		out.Columns = append(out.Columns, sub.name)
	}
	out.Columns = append(out.Columns, "all", "n", "rank", "nearest")
	hasUserRows := false
	// What published runs have, for the ranks.
	var ranked []paper.Published
	for _, run := range published {
		if counted := run.sumOfSubcategories(category); counted.answers > 0 {
			ranked = append(ranked, paper.Published{Name: run.model,
				Value: 100 * float64(counted.correct) / float64(counted.answers)})
		}
	}
	// The rows.
	for i, run := range slices.Concat(userRuns, published) {
		all := run.sumOfSubcategories(category)
		if all.answers == 0 {
			continue
		}
		isUserRun := i < len(userRuns)
		hasUserRows = hasUserRows || isUserRun
		line := []string{run.name()}
		for _, counted := range run.subcategories[category] {
			line = append(line, percent(counted.correct, counted.answers))
		}
		rank, nearest := "-", "-"
		if isUserRun && len(ranked) > 0 {
			rank, nearest = paper.Place(100*float64(all.correct)/float64(all.answers), ranked, 2)
		}
		out.Rows = append(out.Rows, append(line, percent(all.correct, all.answers), strconv.Itoa(all.answers), rank, nearest))
	}
	if !hasUserRows {
		out.Rows = nil
	}
	return out
}

// sumOfSubcategories returns the sum of a run's counts over the subcategories of category c.
func (run *modelRun) sumOfSubcategories(c int) (sum counts) {
	for _, counted := range run.subcategories[c] {
		sum.add(counted)
	}
	return sum
}

// methodPairs are the methods that the paper compares: its Tables 19, 20 and 25.
var methodPairs = [][2]string{{Direct, CoT}, {CoT, Reflect}, {Direct, Xolver}}

// methodTable compares two prompting methods of the same model and run on the same questions. Its columns are
// model, methods ("direct -> cot"), category, n, accuracy by the first method, by the second, and the
// difference. The paper's rows follow the user's of the same pair of methods. See docs/spec/runs.md#r54.
func (tables *tables) methodTable(format string, userRuns []*modelRun) scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] + ": methods on the same items, %", TextColumns: 3,
		Columns: []string{"model", "methods", "category", "n", "without", "with", "gain"},
		Note:    "Items that both methods answered and that were judged. The paper's rows are of 150 items, 5 of each subcategory by a draw that it does not give."}
	for _, pair := range methodPairs {
		var ownRows [][]string
		for _, before := range userRuns {
			for _, after := range userRuns {
				alike := before.seriesName == after.seriesName && before.repeat == after.repeat && before.blind == after.blind
				if alike && before.method == pair[0] && after.method == pair[1] {
					ownRows = append(ownRows, tables.methodGainRows(before, after, pair)...)
				}
			}
		}
		out.Rows = append(out.Rows, ownRows...)
		if len(ownRows) == 0 || tables.methods == nil {
			continue
		}
		for _, published := range tables.methods.Tables["methods"].Rows {
			// columns of the document: model, methods, format, category, without, with, gain
			if published.Text(1) == pairName(pair) && published.Text(2) == format {
				out.Rows = append(out.Rows,
					[]string{published.Text(0) + paper.Mark, published.Text(1), published.Text(3),
						"-", published.Cell(4, 2), published.Cell(5, 2), published.Cell(6, 2)})
			}
		}
	}
	return out
}

func pairName(pair [2]string) string { return pair[0] + " -> " + pair[1] }

// methodGainRows returns the rows of methodTable for one model: one for each category that
// has items, then one for all items. Only items with a judged answer by both methods count.
// before and after are the model's runs by the first and the second method of the pair.
func (tables *tables) methodGainRows(before, after *modelRun, pair [2]string) (rows [][]string) {
	overall := len(tables.categories) // index of the group of all items, after those of the categories
	groupsBefore, groupsAfter := make([]counts, overall+1), make([]counts, overall+1)
	ids, _ := itemsOfAll([]*modelRun{before, after})
	for _, id := range ids {
		groups := []int{overall}
		if c := before.findings[id].place.category; c >= 0 {
			groups = append(groups, c)
		}
		for _, group := range groups {
			groupsBefore[group].addAnswer(before.findings[id].right)
			groupsAfter[group].addAnswer(after.findings[id].right)
		}
	}
	name := before.seriesName
	if name == "" {
		name = "model"
	}
	if before.repeat != 1 {
		name += fmt.Sprintf(" (run %d)", before.repeat)
	}
	for group, without := range groupsBefore {
		if without.answers == 0 {
			continue
		}
		what := "overall"
		if group != overall {
			what = tables.categories[group].id
		}
		with := groupsAfter[group] // of the same items
		rows = append(rows, []string{name, pairName(pair), what, strconv.Itoa(with.answers),
			percent(without.correct, without.answers), percent(with.correct, with.answers),
			decimals(pointsBetween(with, without))})
	}
	return rows
}

// addAnswer counts one judged answer.
func (counts *counts) addAnswer(isRight bool) {
	counts.answers++
	if isRight {
		counts.correct++
	}
}

// repeatedRunRows returns the rows of the paper's table of repeated runs in the columns of
// repeatTable. The paper gives no items; Cell's second argument is the number of decimals.
func (tables *tables) repeatedRunRows(format string) (rows [][]string) {
	if tables.methods == nil {
		return nil
	}
	const runs = "3" // the paper made three runs of each model
	for _, row := range tables.methods.Tables["runs"].Rows {
		// columns of the document: model, format, mean, sd, mean pairwise r, Cronbach's alpha, ICC
		model, ofFormat := row.Text(0), row.Text(1)
		if ofFormat == format {
			rows = append(rows, []string{model + paper.Mark, runs, "-", "-",
				row.Cell(2, 2), row.Cell(3, 2), row.Cell(4, 3), row.Cell(5, 3), row.Cell(6, 3)})
		}
	}
	return rows
}

// publishedGapRows returns the rows of the paper's Table 18: model, the gap of each
// category, and the overall one, with two decimals.
func (tables *tables) publishedGapRows() (rows [][]string) {
	if tables.methods == nil {
		return nil
	}
	for _, r := range tables.methods.Tables["gap"].Rows {
		line := []string{r.Text(0) + paper.Mark}
		for i := range len(tables.categories) + 1 {
			line = append(line, r.Cell(1+i, 2))
		}
		rows = append(rows, line)
	}
	return rows
}

// publishedSolvedTable returns the paper's Tables 11 and 17. Columns: category, subcategory, n, then how many
// items 0 to 5 of the paper's five models solved. It is empty unless the user's models have such a table.
func (tables *tables) publishedSolvedTable(format string, userRuns []*modelRun) scoring.TextTable {
	if tables.methods == nil || len(tables.solvedTable(format, userRuns).Rows) == 0 {
		return scoring.TextTable{}
	}
	out := scoring.TextTable{Title: tables.title + " " + formatNames[format] +
		": items by how many of the paper's five models solved them", TextColumns: 2,
		Columns: []string{"category", "subcategory", "n", "0", "1", "2", "3", "4", "5"},
		Note:    "A dash stands for a number that the paper does not print."}
	const paperModels = 5
	for _, row := range tables.methods.Tables["solved"].Rows { // columns: subcategory, format, then 0 to 5 models
		place, ok := tables.places[row.Text(0)]
		if !ok || row.Text(1) != format {
			continue
		}
		n, line := 0.0, []string{tables.categories[place.category].name,
			tables.categories[place.category].subs[place.sub].name, "-"} // the dash becomes n if that is known
		for solvers := range paperModels + 1 {
			n += row.Number(2 + solvers) // NaN for a number that the paper does not print
			line = append(line, row.Cell(2+solvers, 0))
		}
		if !math.IsNaN(n) {
			line[2] = strconv.Itoa(int(n))
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// benchmarkSize returns how many questions the benchmark has, over all of its categories.
func (tables *tables) benchmarkSize() (n int) {
	for i := range tables.categories {
		n += tables.categories[i].size
	}
	return n
}
