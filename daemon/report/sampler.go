package report

import (
	"bytes"
	"cmp"
	"container/heap"

	"plumb/daemon/dump"
	"plumb/scoring"
)

// keptBytes bounds the bytes of the items that a report may show.
const keptBytes = 256 << 20

// sampler selects the items that a report shows. Each suite, test and series (a model and how it was
// asked) is a section. Of each section the worst items are kept, as equally many of all as the limits
// allow.
type sampler struct {
	max    int // items at most
	bytes  int // bytes of all items at most
	n      int // items kept
	size   int // bytes of the items kept
	order  int // results seen
	groups groups
	byKey  map[groupKey]*group
}

// groupKey identifies a section of a report.
type groupKey struct{ suite, test, series string }

// group holds the kept items of one section. It is a heap whose first item is the best, because that is
// the next to be dropped.
type group struct {
	groupKey
	total int    // results of the section, kept or not
	items []pair // the heap
	first int    // the position of the section's first result among all
	at    int    // the index of the group in sampler.groups
}

// pair is the dump line and the result line of one item. The dump line is empty where
// the report is made from results alone.
type pair struct {
	line   dump.Line
	result []byte
	series string
	class  itemClass
	score  float64
	order  int // the position of the result among all that were added, from 0
}

// itemClass says what there is to see of an item. Lower classes are worse, and shown first.
type itemClass int8

// The values of itemClass.
const (
	failedItem itemClass = iota // the item could not be scored
	scoredItem
	silentItem // the model gave no response
)

// maxGroups bounds the number of sections, because their names come from the dump.
// Items beyond it share one section.
const maxGroups = 10_000

func newSampler(limit int) *sampler {
	return &sampler{max: limit, bytes: keptBytes, byKey: map[groupKey]*group{}}
}

// add keeps an item if it is among the worst of its section, and then drops the best items
// of the largest sections until the limits hold. It copies line and result.
func (sampler *sampler) add(line dump.Line, result []byte, res *scoring.Result) {
	p := pair{series: res.Series().String(), score: res.Score, order: sampler.order}
	sampler.order++
	switch {
	case res.Scored:
		p.class = scoredItem
	case res.Err != nil && res.Err.Code == "no_response":
		p.class = silentItem
	}
	group := sampler.group(groupKey{res.Suite, res.Test, p.series})
	group.total++
	// Copy nothing if the item would be dropped at once: the sampler is full, the section is the largest
	// one, from which the next item goes, and its best item is worse than this one.
	full := sampler.n >= sampler.max
	if sampler.max <= 0 || full && group == sampler.groups[0] && len(group.items) > 0 && worse(&group.items[0], &p) {
		return
	}
	p.line, p.result = line, bytes.Clone(result)
	p.line.Bytes = bytes.Clone(line.Bytes)
	heap.Push(group, p)
	sampler.n++
	sampler.size += p.bytes()
	heap.Fix(&sampler.groups, group.at)
	// Drop the best items of the largest sections.
	for sampler.n > sampler.max || sampler.size > sampler.bytes && sampler.n > 1 {
		largest := sampler.groups[0]
		dropped := heap.Pop(largest).(pair)
		sampler.n--
		sampler.size -= dropped.bytes()
		heap.Fix(&sampler.groups, largest.at)
	}
}

// group returns the section with this key, and makes one if there is none. When there are maxGroups sections,
// items of further ones share the section "others", because a dump may name any number.
func (sampler *sampler) group(k groupKey) *group {
	g := sampler.byKey[k]
	if g == nil && len(sampler.byKey) >= maxGroups {
		k = groupKey{test: "others"}
		g = sampler.byKey[k]
	}
	if g == nil {
		g = &group{groupKey: k, first: sampler.order}
		sampler.byKey[k] = g
		heap.Push(&sampler.groups, g)
	}
	return g
}

func (p *pair) bytes() int { return len(p.line.Bytes) + len(p.result) }

// rank is negative where a comes before b. Items that could not be scored come first,
// then scored ones from the lowest score, then items without a response, which have
// nothing to show.
func rank(a, b *pair) int {
	return cmp.Or(int(a.class)-int(b.class), cmp.Compare(a.score, b.score), a.order-b.order)
}

func worse(a, b *pair) bool { return rank(a, b) < 0 }

// Len implements heap.Interface, as do the methods that follow.
func (g *group) Len() int           { return len(g.items) }
func (g *group) Less(i, k int) bool { return worse(&g.items[k], &g.items[i]) }
func (g *group) Swap(i, k int)      { g.items[i], g.items[k] = g.items[k], g.items[i] }

// Push adds an item, a pair. It is for package heap, which moves it to its place.
func (g *group) Push(x any) { g.items = append(g.items, x.(pair)) }

// Pop removes the last item and returns it. It is for package heap, which moves the best one there.
func (g *group) Pop() any {
	n := len(g.items) - 1
	p := g.items[n]
	g.items[n] = pair{}
	g.items = g.items[:n]
	return p
}

// groups is a heap whose first group has the most items; among equal ones it is that which began last.
type groups []*group

func (l groups) Len() int { return len(l) }
func (l groups) Less(i, k int) bool {
	return cmp.Or(len(l[k].items)-len(l[i].items), l[k].first-l[i].first) < 0
}

// Swap implements heap.Interface. Each group keeps its index in the heap.
func (l groups) Swap(i, k int) {
	l[i], l[k] = l[k], l[i]
	l[i].at, l[k].at = i, k
}

// Push adds a *group and notes its place. It is for package heap.
func (l *groups) Push(x any) {
	g := x.(*group)
	g.at = len(*l)
	*l = append(*l, g)
}

// Pop implements heap.Interface. It is never called, because groups are never removed.
func (l *groups) Pop() any {
	n := len(*l) - 1
	g := (*l)[n]
	*l = (*l)[:n]
	return g
}
