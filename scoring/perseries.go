package scoring

import (
	"cmp"
	"fmt"
	"strings"
)

// maxSeries bounds the series that have tables, because their names come from the dump.
const maxSeries = 1000

// PerSeries keeps the tables of each series apart, and adds tables that cover all series.
// A suite that uses it has JoinsSeries.
type PerSeries[T Tables] struct {
	make    func() T
	across  func(names []string, all []T) []TextTable
	without []string       // members of asked by which series do not differ
	at      map[Series]int // index in names and all
	names   []string
	all     []T
	left    int // results of series beyond maxSeries
}

// NewPerSeries returns tables without results. make returns those of one series. across
// returns the tables that cover all, from the names of the series in order of appearance,
// "no model" where one has none. Series do not differ by the members of asked in without,
// for which the tables have separate rows.
func NewPerSeries[T Tables](make func() T, across func(names []string, all []T) []TextTable, without ...string) *PerSeries[T] {
	return &PerSeries[T]{make: make, across: across, without: without, at: map[Series]int{}}
}

// Add adds r to the tables of its series, which it makes for the first result of a series. Once
// there are maxSeries, it leaves out the results of further series and counts them, because a dump
// could name any number and each takes memory. Tables says how many were left out.
func (p *PerSeries[T]) Add(r *Result) {
	s := r.Who.Series(p.without...)
	i, ok := p.at[s]
	if !ok {
		if len(p.all) >= maxSeries {
			p.left++
			return
		}
		i = len(p.all)
		p.at[s] = i
		p.all = append(p.all, p.make())
		p.names = append(p.names, cmp.Or(s.String(), "no model"))
	}
	p.all[i].Add(r)
}

// Tables implements Tables: first the tables that cover all series, then those of each,
// whose titles name the series where there are several. The note on the first table says how many
// results Add left out.
func (p *PerSeries[T]) Tables() []TextTable {
	var list []TextTable
	if len(p.all) > 0 {
		list = p.across(p.names, p.all)
	}
	for i, one := range p.all {
		for _, t := range one.Tables() {
			if len(p.all) > 1 {
				t.Title += " · " + p.names[i]
			}
			list = append(list, t)
		}
	}
	if p.left > 0 && len(list) > 0 {
		left := fmt.Sprintf("%d results of further series are in no table: tables are made for the first %d series.", p.left, maxSeries)
		list[0].Note = strings.TrimLeft(list[0].Note+"\n"+left, "\n")
	}
	return list
}
