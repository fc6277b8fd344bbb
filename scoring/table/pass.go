package table

import (
	"cmp"
	"fmt"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// drawingSuccess is the score from which an answer of DrawingBench succeeds.
const drawingSuccess = 0.9

// ownSuccess are the tests whose success is a score of 1, whatever Options.Success says, because their scores
// are only right or wrong: ASPIRE's patterns, and choices (TangramPuzzle's outlines, and questions with given
// answers or open ones).
var ownSuccess = map[string]bool{"pattern": true, "outline": true, "mcq": true, "open": true}

// successCount returns 1 where an answer succeeds, else 0. The metric success decides where
// there is one. Otherwise an answer succeeds from a score of 0.9 in DrawingBench, of 1 in
// the tests of ownSuccess, and of threshold in others; nil stands for 1.
func successCount(result *scoring.Result, threshold *float64) int32 {
	success, said := result.Bool("success")
	switch {
	case !result.Scored:
		success = false
	case said: // success is what the metric says
	case result.Suite == "drawingbench":
		success = result.Score >= drawingSuccess
	case threshold != nil && !ownSuccess[result.Test]:
		success = result.Score >= *threshold
	default:
		success = result.Score == 1
	}
	if success {
		return 1
	}
	return 0
}

// passTable returns the table of pass@k, the chance that one of k answers succeeds, as a
// mean over the items with that many answers. Columns: suite, test, model, items, answers,
// then one for each k: powers of 2 and the largest number of answers. It has no rows where
// no item has two answers. See docs/spec/runs.md#r47.
func (table *Table) passTable() scoring.TextTable {
	score := "1"
	if from := table.options.Success; from != nil {
		score = fmt.Sprintf("%g (1 for choices and pattern)", *from) // the tests of ownSuccess
	}
	const nameColumns = 3 // suite, test and model
	out := scoring.TextTable{Title: "pass@k, %", TextColumns: nameColumns,
		Columns: []string{"suite", "test", "model", "items", "answers"},
		Note: "Success: a score of " + score +
			", of 0.9 in DrawingBench, and what success says in TangramPuzzle. Items with fewer than k answers are left out."}
	// The columns.
	mostAnswers := 0
	for _, ofSeries := range table.series {
		for _, cell := range ofSeries.byTest {
			for _, item := range cell.items {
				mostAnswers = max(mostAnswers, int(item.answers))
			}
		}
	}
	if mostAnswers < 2 {
		return out
	}
	var ks []int
	for k := 1; k < mostAnswers; k *= 2 {
		ks = append(ks, k)
	}
	ks = append(ks, mostAnswers)
	for _, k := range ks {
		out.Columns = append(out.Columns, fmt.Sprint("k = ", k))
	}
	// The rows.
	for _, suite := range table.options.Suites {
		for _, test := range suite.Tests {
			for _, cells := range table.series {
				cell := cells.byTest[testName{suite.Name, test}]
				if cell == nil {
					continue
				}
				if row, several := cell.passRow(ks); several {
					names := []string{suite.Name, test, cmp.Or(cells.series.String(), "-")}
					out.Rows = append(out.Rows, append(names, row...))
				}
			}
		}
	}
	return out
}

// passRow returns the numbers of items and answers of a cell, and pass@k in per cent for each k,
// "-" where no item has k answers. several says whether an item has two answers or more.
func (cell *cell) passRow(ks []int) (row []string, several bool) {
	answers := 0
	for _, item := range cell.items {
		answers += int(item.answers)
		several = several || item.answers > 1
	}
	row = []string{strconv.Itoa(len(cell.items)), strconv.Itoa(answers)}
	for _, k := range ks {
		var mean runningMean
		for _, item := range cell.items {
			if int(item.answers) >= k {
				mean.add(stats.PassAtK(int(item.answers), int(item.successes), k))
			}
		}
		if mean.n == 0 {
			row = append(row, "-")
			continue
		}
		row = append(row, Number(100*mean.value, 2))
	}
	return row, several
}
