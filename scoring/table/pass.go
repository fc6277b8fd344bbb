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

// ownSuccess are the tests whose success is a score of 1, whatever Options.Success says.
var ownSuccess = map[string]bool{"pattern": true, "outline": true, "mcq": true, "open": true}

// hit returns 1 where an answer succeeds, else 0. The metric success decides where there is one.
// Otherwise an answer succeeds from a score of 0.9 in DrawingBench, of 1 in the tests of
// ownSuccess, and of from in others; nil stands for 1.
func hit(r *scoring.Result, from *float64) int32 {
	ok, said := r.Bool("success")
	switch {
	case !r.Scored:
		ok = false
	case said:
	case r.Suite == "drawingbench":
		ok = r.Score >= drawingSuccess
	case from != nil && !ownSuccess[r.Test]:
		ok = r.Score >= *from
	default:
		ok = r.Score == 1
	}
	if ok {
		return 1
	}
	return 0
}

// pass returns the table of pass@k: the chance that one of k answers succeeds, the mean
// over the items with that many answers. It has no rows where no item has two. See
// docs/spec/runs.md#r47.
func (t *Table) pass() scoring.TextTable {
	score := "1"
	if from := t.options.Success; from != nil {
		score = fmt.Sprintf("%g (1 for choices and pattern)", *from)
	}
	out := scoring.TextTable{Title: "pass@k, %", Text: 3, Columns: []string{"suite", "test", "model", "items", "answers"},
		Note: "Success: a score of " + score + ", of 0.9 in DrawingBench, and what success says in TangramPuzzle. Items with fewer than k answers are left out."}
	most := 0
	for _, p := range t.series {
		for _, c := range p.cells {
			for _, it := range c.items {
				most = max(most, int(it.n))
			}
		}
	}
	if most < 2 {
		return out
	}
	var ks []int
	for k := 1; k < most; k *= 2 {
		ks = append(ks, k)
	}
	ks = append(ks, most)
	for _, k := range ks {
		out.Columns = append(out.Columns, fmt.Sprint("k = ", k))
	}
	for _, s := range t.options.Suites {
		for _, test := range s.Tests {
			for _, p := range t.series {
				if c := p.cells[name{s.Name, test}]; c != nil && len(c.items) > 0 {
					row, several := c.pass(ks)
					if several {
						out.Rows = append(out.Rows, append([]string{s.Name, test, cmp.Or(p.series.String(), "-")}, row...))
					}
				}
			}
		}
	}
	return out
}

// pass returns the numbers of items and answers, and pass@k for each k. several reports
// whether an item has two answers or more.
func (c *cell) pass(ks []int) (row []string, several bool) {
	answers := 0
	for _, it := range c.items {
		answers += int(it.n)
		several = several || it.n > 1
	}
	row = []string{strconv.Itoa(len(c.items)), strconv.Itoa(answers)}
	for _, k := range ks {
		var m mean
		for _, it := range c.items {
			if int(it.n) >= k {
				m.add(stats.PassAtK(int(it.n), int(it.hits), k))
			}
		}
		if m.n == 0 {
			row = append(row, "-")
			continue
		}
		row = append(row, Number(100*m.value, 2))
	}
	return row, several
}
