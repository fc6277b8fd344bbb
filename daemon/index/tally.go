package index

import "math/bits"

// tallies count the rows of one file by the numbers of their words. Selected rows are counted, and
// for each facet those that fail the filter of that facet alone. The latter belong to the counts
// beside the facet's own values, which say how many rows a choice of another value would select.
type tallies struct {
	test, series, status, notes, code []int             // selected rows
	rows                              int               // selected rows
	failsOnly                         [facetCount][]int // rows that fail this facet's filter alone; nil for none
	failsOnlySource                   int               // the same for Source, whose only value is the file's path
}

func newTallies(f *File) *tallies {
	return &tallies{test: make([]int, len(f.Tests)), series: make([]int, len(f.SeriesOf)), status: make([]int, len(f.Statuses)),
		notes: make([]int, len(f.NoteSets)), code: make([]int, len(f.Codes))}
}

// count counts row i of a file in each facet: under its test, series, status, notes and error code.
func (tallies *tallies) count(file *File, i int) {
	tallies.rows++
	tallies.test[file.Test[i]]++
	tallies.series[file.Series[i]]++
	tallies.status[file.Status[i]]++
	tallies.notes[file.Notes[i]]++
	tallies.code[file.Code[i]]++
}

// countFailingOneFacet counts a row that fails the filter of one facet only. fails has that facet's
// bit.
func (tallies *tallies) countFailingOneFacet(file *File, i int, fails uint32) {
	facet := Facet(bits.TrailingZeros32(fails))
	if facet == Source {
		tallies.failsOnlySource++
		return
	}
	column, words := file.facetColumn(facet)
	if tallies.failsOnly[facet] == nil {
		tallies.failsOnly[facet] = make([]int, len(words))
	}
	tallies.failsOnly[facet][column[i]]++
}

// facetColumn returns the column that holds a facet of a file's rows, and the words that its values
// stand for.
func (file *File) facetColumn(facet Facet) ([]uint16, []Word) {
	switch facet {
	case Suite, Test:
		return file.Test, file.Tests
	case Status:
		return file.Status, file.Statuses
	case Note:
		return file.Notes, file.NoteSets
	case Failure:
		return file.Code, file.Codes
	}
	return file.Series, file.SeriesOf // model, mode, input, setting, format and method are one word
}

// addTo adds the counts of the file to counts, which hold those of all files by facet and
// value. A value counts the selected rows that have it, and the rows that only this facet's
// filter excludes, so that each facet shows what its other values would select.
func (tallies *tallies) addTo(file *File, counts *[facetCount]map[string]int) {
	for facet := range Facet(facetCount) {
		if facet == Source {
			counts[Source][file.Path] += tallies.rows + tallies.failsOnlySource
			continue
		}
		_, words := file.facetColumn(facet)
		selected := tallies.countsOf(facet)
		for code, word := range words {
			n := selected[code]
			if tallies.failsOnly[facet] != nil {
				n += tallies.failsOnly[facet][code]
			}
			if n == 0 {
				continue
			}
			for _, v := range facet.values(word) {
				counts[facet][v] += n
			}
		}
	}
}

// countsOf returns the counts of selected rows in the column of a facet, by the value in the column.
func (tallies *tallies) countsOf(facet Facet) []int {
	switch facet {
	case Suite, Test:
		return tallies.test
	case Status:
		return tallies.status
	case Note:
		return tallies.notes
	case Failure:
		return tallies.code
	}
	return tallies.series // model, mode, input, setting, format and method are one word
}

// values returns the values of a facet that a word has: one, or for notes each of the set,
// "" for the empty set. The words of series have model, mode, input, setting, format and
// method in the order of the facets.
func (facet Facet) values(word Word) []string {
	switch facet {
	case Suite, Test:
		return word[facet : facet+1] // Suite and Test are the facets 0 and 1, as in the word
	case Status, Failure:
		return word
	case Note:
		if len(word) == 0 {
			return []string{""}
		}
		return word
	}
	return word[facet-Model : facet-Model+1]
}
