package scoring

import (
	"cmp"
	"fmt"
	"strings"

	"plumb/scoring/plural"
)

// maxSeries bounds the series that have tables, because their names come from the dump.
const maxSeries = 1000

// PerSeries keeps the tables of each series apart, and adds tables that cover all series.
// A suite that uses it has TablesJoinSeries.
type PerSeries[T Tables] struct {
	newTables      func() T
	tablesOfAll    func(names []string, all []T) []TextTable
	ignoredMembers []string       // members of asked by which series do not differ
	indexOf        map[Series]int // index in names and all
	names          []string
	tables         []T
	leftOut        int // results of series beyond maxSeries
}

// NewPerSeries returns tables without results. newTables returns the empty tables of one series.
// tablesOfAll returns the tables that cover all series, from their names, in order of appearance, and
// their tables; the name is "no model" where a series has none. ignoredMembers lists members of asked, such as
// "format", by which series do not differ, because the tables have separate rows for them.
func NewPerSeries[T Tables](newTables func() T, tablesOfAll func(names []string, all []T) []TextTable,
	ignoredMembers ...string) *PerSeries[T] {
	return &PerSeries[T]{newTables: newTables, tablesOfAll: tablesOfAll, ignoredMembers: ignoredMembers, indexOf: map[Series]int{}}
}

// Add adds a result to the tables of its series, which it makes for the first result of a
// series. Results of series beyond maxSeries are left out and counted, because a dump could
// name any number of series and each takes memory. Tables says how many were left out.
func (p *PerSeries[T]) Add(result *Result) {
	series := result.Who.Series(p.ignoredMembers...)
	index, ok := p.indexOf[series]
	if !ok {
		if len(p.tables) >= maxSeries {
			p.leftOut++
			return
		}
		index = len(p.tables)
		p.indexOf[series] = index
		p.tables = append(p.tables, p.newTables())
		p.names = append(p.names, cmp.Or(series.String(), "no model"))
	}
	p.tables[index].Add(result)
}

// Tables returns the tables that cover all series of results, then those of each series, with its
// name in the titles where there are several. The note on the first table says how many results Add
// left out. It implements the interface Tables.
func (p *PerSeries[T]) Tables() []TextTable {
	var list []TextTable
	if len(p.tables) > 0 {
		list = p.tablesOfAll(p.names, p.tables)
	}
	for i, series := range p.tables {
		for _, table := range series.Tables() {
			if len(p.tables) > 1 {
				table.Title += " · " + p.names[i]
			}
			list = append(list, table)
		}
	}
	if p.leftOut > 0 && len(list) > 0 {
		left := fmt.Sprintf("%s in no table: tables are made for the first %d series.", plural.Of(p.leftOut, "result of further series is", "results of further series are"), maxSeries)
		list[0].Note = strings.TrimLeft(list[0].Note+"\n"+left, "\n")
	}
	return list
}
