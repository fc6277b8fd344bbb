package vqa

import (
	"math"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// formatGapTable returns the table of multiple-choice minus open accuracy in points: Table 18 of SPATIALAB.
// Columns: model, one for each category, Overall. Rows: models that have both formats, statistics of those that
// have every group, published rows. A group has "-" where its two formats cover different items or some are
// unjudged. Without models of the user the table is empty. See docs/spec/vqa.md#r52.
func (tables *tables) formatGapTable() scoring.TextTable {
	out := scoring.TextTable{Title: tables.title + ": multiple-choice minus open-ended accuracy, points", TextColumns: 1,
		Columns: []string{"model"}}
	for _, column := range tables.categories {
		out.Columns = append(out.Columns, column.name)
	}
	out.Columns = append(out.Columns, "Overall")
	// A row for each model.
	var unequal []string
	gapsByColumn := make([][]float64, len(tables.categories)+1) // the last one is Overall
	humans, userPairs := tables.formatPairs()
	for _, pair := range append(humans, userPairs...) {
		line := []string{pair.mcq.name()}
		isUnequal := false // a group with answers has other items in the two formats
		var gaps []float64 // of the groups that have equal ones
		for column := range gapsByColumn {
			choice, open := pair.mcq.groupCounts(column), pair.open.groupCounts(column)
			if !sameItems(choice, open) {
				isUnequal = isUnequal || choice.answers+open.answers > 0
				line = append(line, "-")
				continue
			}
			line = append(line, decimals(pointsBetween(choice, open)))
			gaps = append(gaps, 100*(float64(choice.correct)/float64(choice.answers)-float64(open.correct)/float64(open.answers)))
		}
		if isUnequal {
			unequal = append(unequal, pair.mcq.name())
		}
		out.Rows = append(out.Rows, line)
		hasEveryGroup := len(gaps) == len(gapsByColumn)
		if hasEveryGroup && pair.mcq.model != humanName {
			for column, gap := range gaps {
				gapsByColumn[column] = append(gapsByColumn[column], gap)
			}
		}
	}
	if len(userPairs) == 0 {
		return scoring.TextTable{}
	}
	// Statistics over the models, and published rows.
	out.Rows = append(append(out.Rows, statisticsRows(gapsByColumn)...), tables.publishedGapRows()...)
	out.Note = "Statistics over " + strconv.Itoa(len(gapsByColumn[0])) +
		" models that have every group; the human row is none of them."
	if len(unequal) > 0 {
		out.Note += "\nGroups whose two formats cover different items, or with unjudged items, are left out: " +
			strings.Join(unequal, ", ") + "."
	}
	return out
}

// formatPair holds one model's rows in both formats.
type formatPair struct{ mcq, open *modelRun }

// formatPairs returns the models that have runs of both formats, multiple-choice and open, with equal numbers:
// those of the papers that are to be compared, and the user's. Blind runs and rows without counts are left out.
func (tables *tables) formatPairs() (papers, userPairs []formatPair) {
	pairsAmong := func(runs []*modelRun) (pairs []formatPair) {
		isUsable := func(run *modelRun, format string) bool {
			return run.format == format && !run.blind && run.printed == nil
		}
		for _, choice := range runs {
			for _, open := range runs {
				isPair := choice.model == open.model && choice.repeat == open.repeat
				if isPair && isUsable(choice, formatChoice) && isUsable(open, formatOpen) {
					pairs = append(pairs, formatPair{choice, open})
				}
			}
		}
		return pairs
	}
	return pairsAmong(tables.comparedPublished(tables.published)), pairsAmong(tables.ordered)
}

// groupCounts returns a run's counts of category c, or of all questions where c is the number of categories.
func (run *modelRun) groupCounts(c int) counts {
	if c == len(run.categories) {
		return run.total
	}
	return run.categories[c]
}

// statisticsRows returns rows of statistics over the columns of the gap table, which has how much better a
// model answers with options than without: columns[i] are the gaps of one category, by model, and the last
// column those of all questions. The last row is Pearson's correlation of each column with that one.
func statisticsRows(columns [][]float64) [][]string {
	names := []string{"mean", "sd (population)", "sd (sample)", "median", "minimum", "maximum", "r with overall"}
	rows := make([][]string, len(names))
	for i, n := range names {
		rows[i] = []string{n}
	}
	for _, column := range columns {
		summary := stats.Summarise(column)
		correlation, ok := stats.Pearson(column, columns[len(columns)-1])
		if !ok {
			correlation = math.NaN()
		}
		for i, value := range []float64{summary.Mean, summary.SD, summary.SampleSD, summary.Median, summary.Min,
			summary.Max} {
			rows[i] = append(rows[i], scoring.FormatCell(value, 2))
		}
		rows[len(names)-1] = append(rows[len(names)-1], thousandths(correlation))
	}
	return rows
}
