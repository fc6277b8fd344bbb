package report

import (
	"bytes"
	"cmp"
	"container/heap"

	"plumb/daemon/dump"
	"plumb/scoring"
)

// maxKeptBytes bounds the bytes of the items that a report may show.
const maxKeptBytes = 256 << 20

// sampler selects the items that a report shows. Each suite, test and series (a model and how it was
// asked) is a section. Of each section the worst items are kept, as equally many of all as the limits
// allow.
type sampler struct {
	maxItems  int // items that are kept at most; none below 1
	maxBytes  int // bytes of the items that are kept at most
	kept      int // items kept
	keptBytes int // bytes of the items kept
	added     int // results that were added, kept or not
	groups    groups
	byKey     map[groupKey]*group
}

// groupKey identifies a section of a report.
type groupKey struct{ suite, test, series string }

// group holds the kept items of one section. It is a heap whose first item is the best, because that is
// the next to be dropped.
type group struct {
	groupKey
	items []keptItem // the heap
	first int        // the position of the section's first result among all
	index int        // of the group in sampler.groups
}

// keptItem is the dump line and the result line of one item, with what orders it among others. The dump
// line is empty where the report is made from results alone.
type keptItem struct {
	line     dump.Line
	result   []byte
	class    itemClass
	score    float64
	position int // of the result among all that were added, from 0
}

// itemClass says what there is to see of an item. Lower classes are worse, and shown first.
type itemClass int8

// The values of itemClass.
const (
	failedItem itemClass = iota // the item could not be scored
	scoredItem                  // it has a score; a lower one is worse
	silentItem                  // the model gave no response
)

// maxGroups bounds the number of sections, because their names come from the dump.
// Items beyond it share one section.
const maxGroups = 10_000

func newSampler(limit int) *sampler {
	return &sampler{maxItems: limit, maxBytes: maxKeptBytes, byKey: map[groupKey]*group{}}
}

// keepIfWorst keeps an item if it is among the worst of its section, and then drops the best items
// of the largest sections until the limits hold. It copies line and result.
func (sampler *sampler) keepIfWorst(line dump.Line, result []byte, res *scoring.Result) {
	item := keptItem{class: failedItem, score: res.Score, position: sampler.added}
	sampler.added++
	switch {
	case res.Scored:
		item.class = scoredItem
	case res.Err != nil && res.Err.Code == "no_response":
		item.class = silentItem
	}
	// Sections are groups of a suite, a test and a series.
	group := sampler.groupOf(groupKey{res.Suite, res.Test, res.Series().String()})
	if sampler.maxItems <= 0 {
		return
	}
	// Copy nothing if the item would be dropped at once. That is so where no more items are kept, the next one to
	// go is of this section, because it is the largest, and the best item of the section is worse than this one.
	// The heaps have the largest section and the best item of a section first.
	isFull, isLargest := sampler.kept >= sampler.maxItems, group == sampler.groups[0]
	if isFull && isLargest && len(group.items) > 0 && worse(&group.items[0], &item) {
		return
	}
	item.line, item.result = line, bytes.Clone(result)
	item.line.Bytes = bytes.Clone(line.Bytes)
	heap.Push(group, item)
	sampler.kept++
	sampler.keptBytes += item.bytes()
	heap.Fix(&sampler.groups, group.index)
	// Drop the best items of the largest sections.
	for sampler.kept > sampler.maxItems || sampler.keptBytes > sampler.maxBytes && sampler.kept > 1 {
		largest := sampler.groups[0]
		dropped := heap.Pop(largest).(keptItem)
		sampler.kept--
		sampler.keptBytes -= dropped.bytes()
		heap.Fix(&sampler.groups, largest.index)
	}
}

// groupOf returns the section with this key, and makes one if there is none. When there are maxGroups sections,
// items of further ones share the section "others", because a dump may name any number.
func (sampler *sampler) groupOf(key groupKey) *group {
	found := sampler.byKey[key]
	if found == nil && len(sampler.byKey) >= maxGroups {
		key = groupKey{test: "others"}
		found = sampler.byKey[key]
	}
	if found == nil {
		found = &group{groupKey: key, first: sampler.added}
		sampler.byKey[key] = found
		heap.Push(&sampler.groups, found)
	}
	return found
}

// bytes returns the size of the item's lines.
func (item *keptItem) bytes() int { return len(item.line.Bytes) + len(item.result) }

// rank is negative where a comes before b. Items that could not be scored come first,
// then scored ones from the lowest score, then items without a response, which have
// nothing to show.
func rank(a, b *keptItem) int {
	return cmp.Or(int(a.class)-int(b.class), cmp.Compare(a.score, b.score), a.position-b.position)
}

func worse(a, b *keptItem) bool { return rank(a, b) < 0 }

// Len implements heap.Interface, as do the methods that follow.
func (g *group) Len() int           { return len(g.items) }
func (g *group) Less(i, k int) bool { return worse(&g.items[k], &g.items[i]) }
func (g *group) Swap(i, k int)      { g.items[i], g.items[k] = g.items[k], g.items[i] }

// Push adds a keptItem. It is for package heap, which moves it to its place.
func (g *group) Push(x any) { g.items = append(g.items, x.(keptItem)) }

// Pop removes the last item and returns it. It is for package heap, which moves the best one there.
func (g *group) Pop() any {
	last := len(g.items) - 1
	item := g.items[last]
	g.items[last] = keptItem{} // so that its lines can be freed
	g.items = g.items[:last]
	return item
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
	l[i].index, l[k].index = i, k
}

// Push adds a *group and notes its place. It is for package heap.
func (l *groups) Push(x any) {
	added := x.(*group)
	added.index = len(*l)
	*l = append(*l, added)
}

// Pop implements heap.Interface. It is never called, because groups are never removed.
func (l *groups) Pop() any {
	end := len(*l) - 1
	last := (*l)[end]
	*l = (*l)[:end]
	return last
}
