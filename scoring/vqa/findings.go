package vqa

import (
	"math/bits"

	"plumb/scoring"
)

// maxFindings is how many answers are remembered one by one, over all rows of the tables, because
// the number of results has no limit. Past it the tables that compare rows item by item are left
// out.
const maxFindings = 2 << 20

// finding is the outcome of one answer, for tables that compare rows item by item.
type finding struct {
	known, right bool
	place        place // of its subcategory; category is -1 where it has none
}

// remember keeps the finding of a result. Of several answers to an item in one row the first one
// counts.
func (t *tables) remember(at *row, r *scoring.Result, id uint64, one counts) {
	if _, ok := at.findings[id]; ok {
		at.repeated++
		return
	}
	if t.held >= maxFindings {
		t.full = true
		return
	}
	p, ok := t.names[wordOf(r, "subcategory")]
	if !ok || p.sub < 0 {
		p = place{-1, -1}
	}
	at.findings[id] = finding{one.n > 0 && one.unjudged == 0, one.correct > 0, p}
	t.held++
}

// shared returns the items of which every row has a known finding, in any order, and how many
// other items some row has.
func shared(rows []*row) (ids []uint64, others int) {
	known := map[uint64]int{}
	for _, at := range rows {
		for id, o := range at.findings {
			n := known[id]
			if o.known {
				n++
			}
			known[id] = n
		}
	}
	for id, n := range known {
		if n == len(rows) {
			ids = append(ids, id)
		}
	}
	return ids, len(known) - len(ids)
}

// bitsOf returns which of the items a row has right, one bit each.
func (at *row) bitsOf(ids []uint64) []uint64 {
	list := make([]uint64, (len(ids)+63)/64)
	for i, id := range ids {
		if at.findings[id].right {
			list[i/64] |= 1 << (i % 64)
		}
	}
	return list
}

// countCommon counts the bits that are set in both lists.
func countCommon(a, b []uint64) (n int) {
	for i := range a {
		n += bits.OnesCount64(a[i] & b[i])
	}
	return n
}
