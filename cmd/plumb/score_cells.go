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

// add adds a result to the cell of its test and series. A part has few cells, and results of one cell
// often follow each other, so it looks for the cell from the last one back.
func (t *cellCounts) add(result *scoring.Result) {
	key := cellKey{result.Suite, result.Test, result.Series()}
	i := len(t.keys) - 1
	for i >= 0 && t.keys[i] != key {
		i--
	}
	if i < 0 {
		i = len(t.keys)
		t.keys = append(t.keys, key)
		t.cells = append(t.cells, jobs.Cell{Suite: result.Suite, Test: result.Test, Series: key.series.String()})
	}
	c := &t.cells[i]
	c.N++
	if result.Who.Cut != "" {
		c.Cut++
	}
	switch {
	case result.Scored:
		c.Scored++
		c.Sum += result.Score
		c.Squares += float64(result.Score * result.Score)
	case result.Err != nil && result.Err.Code == "no_response":
		c.Missing++
	}
}
