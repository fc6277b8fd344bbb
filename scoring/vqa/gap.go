package vqa

import (
	"math"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// gap returns the table of multiple-choice minus open accuracy: Table 18 of SPATIALAB with its
// heads in the right columns. A group has no gap where its formats cover different items or items
// are unjudged. See docs/spec/vqa.md#r52.
func (t *tables) gap() scoring.TextTable {
	out := scoring.TextTable{Title: t.title + ": multiple-choice minus open-ended accuracy, points", Text: 1, Columns: []string{"model"}}
	for _, c := range t.categories {
		out.Columns = append(out.Columns, c.name)
	}
	out.Columns = append(out.Columns, "Overall")
	var unequal []string
	lists := make([][]float64, len(t.categories)+1)
	humans, own := t.pairs()
	for _, p := range append(humans, own...) {
		line, skipped := []string{p.mcq.name()}, false
		whole := true
		for c := range lists {
			a, b := p.mcq.at(c), p.open.at(c)
			if !sameItems(a, b) {
				skipped = skipped || a.n+b.n > 0
				whole = false
				line = append(line, "-")
				continue
			}
			line = append(line, decimals(points(a, b)))
		}
		if skipped {
			unequal = append(unequal, p.mcq.name())
		}
		out.Rows = append(out.Rows, line)
		if whole && p.mcq.model != humanName {
			for c := range lists {
				a, b := p.mcq.at(c), p.open.at(c)
				lists[c] = append(lists[c], 100*(float64(a.correct)/float64(a.n)-float64(b.correct)/float64(b.n)))
			}
		}
	}
	if len(own) == 0 {
		return scoring.TextTable{}
	}
	out.Rows = append(append(out.Rows, summaries(lists)...), t.publishedGaps()...)
	out.Note = "Statistics over " + strconv.Itoa(len(lists[0])) + " models that have every group; the human row is none of them."
	if len(unequal) > 0 {
		out.Note += "\nGroups whose two formats cover different items, or with unjudged items, are left out: " + strings.Join(unequal, ", ") + "."
	}
	return out
}

// pair holds one model's rows in both formats.
type pair struct{ mcq, open *row }

// pairs returns the models that have both formats: those of the papers and the user's.
func (t *tables) pairs() (papers, own []pair) {
	join := func(list []*row) (out []pair) {
		for _, a := range list {
			for _, b := range list {
				if a.format == formatChoice && b.format == formatOpen && a.model == b.model && a.run == b.run && !a.blind && !b.blind && a.printed == nil && b.printed == nil {
					out = append(out, pair{a, b})
				}
			}
		}
		return out
	}
	return join(t.compared(t.papers)), join(t.order)
}

// at returns the counts of a row of the table for the c-th category, or of all items for the index
// after the last category.
func (at *row) at(c int) counts {
	if c == len(at.cats) {
		return at.total
	}
	return at.cats[c]
}

// summaries returns rows with the statistics of columns, and the correlation of each column with
// the last one.
func summaries(lists [][]float64) [][]string {
	names := []string{"mean", "sd (population)", "sd (sample)", "median", "minimum", "maximum", "r with overall"}
	rows := make([][]string, len(names))
	for i, n := range names {
		rows[i] = []string{n}
	}
	for _, list := range lists {
		s := stats.Summarise(list)
		r, ok := stats.Pearson(list, lists[len(lists)-1])
		if !ok {
			r = math.NaN()
		}
		for i, x := range []float64{s.Mean, s.SD, s.SampleSD, s.Median, s.Min, s.Max} {
			rows[i] = append(rows[i], scoring.FormatCell(x, 2))
		}
		rows[len(names)-1] = append(rows[len(names)-1], thousandths(r))
	}
	return rows
}
