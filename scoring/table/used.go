package table

import (
	"cmp"
	"math"
	"strconv"

	"plumb/scoring"
)

// countEnd counts how an answer ended and what it took.
func (p *part) countEnd(r *scoring.Result) {
	t := p.ends[r.Suite]
	if t == nil {
		t = &scoring.Tally{}
		p.ends[r.Suite] = t
	}
	t.Add(r)
}

// used returns the table of how the answers of each series ended and what they took. It
// has no rows where no answer says how it was asked for. See docs/spec/runs.md#r50.
func (t *Table) used() scoring.TextTable {
	out := scoring.TextTable{Title: "Answers and what they took", Text: 2,
		Columns: append(append([]string{"suite", "model"}, scoring.TallyColumns()...), "tokens in", "tokens out", "of them reasoning", "USD", "seconds"),
		Note:    "All calls of an answer together. Filtered answers are missing ones; cut ones end at the limit of tokens."}
	asked := false
	for _, s := range t.options.Suites {
		for _, p := range t.series {
			u := p.ends[s.Name]
			if u == nil {
				continue
			}
			row := append([]string{s.Name, cmp.Or(p.series.String(), "-")}, u.Cells()...)
			if u.Asked == 0 {
				out.Rows = append(out.Rows, append(row, "-", "-", "-", "-", "-"))
				continue
			}
			asked = true
			cost := "-"
			if u.Priced > 0 {
				cost = Number(u.Cost, 4)
				if u.Priced < u.Asked {
					cost += " (" + strconv.Itoa(u.Priced) + " of " + strconv.Itoa(u.Asked) + " answers)"
				}
			}
			out.Rows = append(out.Rows, append(row, whole(u.Prompt), whole(u.Completion), whole(u.Reasoning), cost, Number(u.Seconds, 1)))
		}
	}
	if !asked {
		out.Rows = nil
	}
	return out
}

// whole writes a count.
func whole(x float64) string { return strconv.FormatFloat(math.Round(x), 'f', 0, 64) }
