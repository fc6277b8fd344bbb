package index

import "math/bits"

// tallies count the rows of one file by the numbers of their words. Selected rows are counted, and
// for each facet those that fail the filter of that facet alone. The latter belong to the counts
// beside the facet's own values, which say how many rows a choice of another value would select.
type tallies struct {
	test, series, status, notes, code []int         // selected rows
	rows                              int           // selected rows
	failsOnly                         [facets][]int // rows that fail this facet's filter alone; nil for none
	failsOnlySource                   int           // the same for Source, whose only value is the file's path
}

func newTallies(f *File) *tallies {
	return &tallies{test: make([]int, len(f.Tests)), series: make([]int, len(f.SeriesOf)), status: make([]int, len(f.Statuses)),
		notes: make([]int, len(f.NoteSets)), code: make([]int, len(f.Codes))}
}

// count counts a selected row of results by its words.
func (t *tallies) count(f *File, i int) {
	t.rows++
	t.test[f.Test[i]]++
	t.series[f.Series[i]]++
	t.status[f.Status[i]]++
	t.notes[f.Notes[i]]++
	t.code[f.Code[i]]++
}

// countFailing counts a row that fails the filter of one facet only. fails has that facet's
// bit.
func (t *tallies) countFailing(f *File, i int, fails uint32) {
	facet := Facet(bits.TrailingZeros32(fails))
	if facet == Source {
		t.failsOnlySource++
		return
	}
	column, words := f.facetColumn(facet)
	if t.failsOnly[facet] == nil {
		t.failsOnly[facet] = make([]int, len(words))
	}
	t.failsOnly[facet][column[i]]++
}

// facetColumn returns the column that holds a facet, and its words.
func (f *File) facetColumn(facet Facet) ([]uint16, []Word) {
	switch facet {
	case Suite, Test:
		return f.Test, f.Tests
	case Status:
		return f.Status, f.Statuses
	case Note:
		return f.Notes, f.NoteSets
	case Failure:
		return f.Code, f.Codes
	}
	return f.Series, f.SeriesOf
}

// addTo adds the counts of the file f to counts, which hold those of all files by facet and
// value. A value counts the selected rows that have it, and the rows that only this facet's
// filter excludes, so that each facet shows what its other values would select.
func (t *tallies) addTo(f *File, counts *[facets]map[string]int) {
	for facet := range Facet(facets) {
		if facet == Source {
			counts[Source][f.Path] += t.rows + t.failsOnlySource
			continue
		}
		_, words := f.facetColumn(facet)
		selected := t.of(facet)
		for code, w := range words {
			n := selected[code]
			if t.failsOnly[facet] != nil {
				n += t.failsOnly[facet][code]
			}
			if n == 0 {
				continue
			}
			for _, v := range facet.values(w) {
				counts[facet][v] += n
			}
		}
	}
}

// of returns the counts of selected rows in the column of a facet.
func (t *tallies) of(facet Facet) []int {
	switch facet {
	case Suite, Test:
		return t.test
	case Status:
		return t.status
	case Note:
		return t.notes
	case Failure:
		return t.code
	}
	return t.series
}

// values returns the values of a facet that a word has: one, or for notes each of the set,
// "" for the empty set. The words of series have model, mode, input, setting, format and
// method in the order of the facets.
func (facet Facet) values(w Word) []string {
	switch facet {
	case Suite, Test:
		return w[facet : facet+1]
	case Status, Failure:
		return w
	case Note:
		if len(w) == 0 {
			return []string{""}
		}
		return w
	}
	return w[facet-Model : facet-Model+1]
}
