package main

import (
	"plumb/daemon/jobs"
	"plumb/scoring"
)

// cellCounts adds results up by test and series.
type cellCounts struct {
	cells []jobs.Cell
	keys  []cellKey // of cells
}

// cellKey tells cells apart; the text of a series takes longer to make than to compare its members.
type cellKey struct {
	suite, test string
	series      scoring.Series
}

// add adds a result to the sums of its test and series, which are a cell of the tables. A part has few cells,
// and results of one cell often follow each other, so it looks for the cell from the last one back.
func (counts *cellCounts) add(result *scoring.Result) {
	key := cellKey{result.Suite, result.Test, result.Series()}
	i := len(counts.keys) - 1
	for i >= 0 && counts.keys[i] != key {
		i--
	}
	if i < 0 {
		i = len(counts.keys)
		counts.keys = append(counts.keys, key)
		counts.cells = append(counts.cells, jobs.Cell{Suite: result.Suite, Test: result.Test, Series: key.series.String()})
	}
	cell := &counts.cells[i]
	cell.N++
	if result.Who.Cut != "" {
		cell.Cut++
	}
	switch {
	case result.Scored:
		cell.Scored++
		cell.Sum += result.Score
		cell.Squares += float64(result.Score * result.Score) // the conversion forbids a fused multiply-add, which rounds differently
	case result.Err != nil && result.Err.Code == "no_response":
		cell.Missing++
	}
}
