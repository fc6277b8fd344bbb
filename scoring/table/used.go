package table

import (
	"cmp"
	"math"
	"strconv"

	"plumb/scoring"
)

// addToTally adds to a series' tally of a suite how an answer ended, and what it took: tokens,
// money and time.
func (cells *seriesCells) addToTally(result *scoring.Result) {
	tally := cells.tallies[result.Suite]
	if tally == nil {
		tally = &scoring.Tally{}
		cells.tallies[result.Suite] = tally
	}
	tally.Add(result)
}

// usageTable returns the table of how the answers of each series ended and what they took.
// Columns: suite, model, those of scoring.TallyColumns, tokens in and out, reasoning tokens
// among them, cost, seconds. What answers took is known where their lines tell how the model was
// called (the member "asked"). It has no rows where none does. See docs/spec/runs.md#r50.
func (table *Table) usageTable() scoring.TextTable {
	const nameColumns = 2 // suite and model
	out := scoring.TextTable{Title: "Answers and what they took", TextColumns: nameColumns,
		Columns: append(append([]string{"suite", "model"}, scoring.TallyColumns()...), "tokens in", "tokens out",
			"of them reasoning", "USD", "seconds"),
		Note: "All calls of an answer together. Filtered answers are missing ones; cut ones end at the limit of tokens."}
	anyTells := false
	for _, suite := range table.options.Suites {
		for _, cells := range table.series {
			tally := cells.tallies[suite.Name]
			if tally == nil {
				continue
			}
			row := append([]string{suite.Name, cmp.Or(cells.series.String(), "-")}, tally.Cells()...)
			if tally.Asked == 0 { // no answer of this series tells how the model was called
				out.Rows = append(out.Rows, append(row, "-", "-", "-", "-", "-"))
				continue
			}
			anyTells = true
			// The cost, and of how many answers it is known.
			cost := "-"
			if tally.Priced > 0 {
				cost = Number(tally.Cost, 4)
				if tally.Priced < tally.Asked {
					cost += " (" + strconv.Itoa(tally.Priced) + " of " + strconv.Itoa(tally.Asked) + " answers)"
				}
			}
			out.Rows = append(out.Rows, append(row, formatCount(tally.Prompt), formatCount(tally.Completion),
				formatCount(tally.Reasoning), cost, Number(tally.Seconds, 1)))
		}
	}
	if !anyTells { // only dashes
		out.Rows = nil
	}
	return out
}

// formatCount returns a number as text without decimals, "-" for NaN and infinities.
func formatCount(x float64) string { return scoring.FormatCell(math.Round(x), 0) }
