package index

import "math/bits"

// tallies count rows by words: those that are selected, and for each facet those that fail that
// facet alone, because the counts beside a facet's values leave out its own filter.
type tallies struct {
	test, series, status, notes, code []int
	rows                              int
	failing                           [facets][]int
	source                            int // rows that fail Source alone
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

// alone counts a row of results that fails one facet only.
func (t *tallies) alone(f *File, i int, fails uint32) {
	facet := Facet(bits.TrailingZeros32(fails))
	if facet == Source {
		t.source++
		return
	}
	column, words := f.facetColumn(facet)
	if t.failing[facet] == nil {
		t.failing[facet] = make([]int, len(words))
	}
	t.failing[facet][column[i]]++
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

// into adds the counts of one file to those of all files, by value.
func (t *tallies) into(f *File, number int, counts *[facets]map[string]int) {
	for facet := range Facet(facets) {
		if facet == Source {
			counts[Source][f.Path] += t.rows + t.source
			continue
		}
		_, words := f.facetColumn(facet)
		selected := t.of(facet)
		for code, w := range words {
			n := selected[code]
			if t.failing[facet] != nil {
				n += t.failing[facet][code]
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

// values returns the values of a facet that a word stands for.
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
