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
func (t *cellCounts) add(r *scoring.Result) {
	key := cellKey{r.Suite, r.Test, r.Series()}
	i := len(t.keys) - 1
	for i >= 0 && t.keys[i] != key {
		i--
	}
	if i < 0 {
		i = len(t.keys)
		t.keys = append(t.keys, key)
		t.cells = append(t.cells, jobs.Cell{Suite: r.Suite, Test: r.Test, Series: key.series.String()})
	}
	c := &t.cells[i]
	c.N++
	if r.Who.Cut != "" {
		c.Cut++
	}
	switch {
	case r.Scored:
		c.Scored++
		c.Sum += r.Score
		c.Squares += float64(r.Score * r.Score)
	case r.Err != nil && r.Err.Code == "no_response":
		c.Missing++
	}
}
