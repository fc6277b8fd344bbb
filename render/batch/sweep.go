package batch

import (
	"cmp"
	"slices"
)

// event is a change of winding at height y on a tile's left edge, made by what
// lies left of the edge. Heights are integers, so the two ends of neighbouring
// pieces cancel exactly and only true crossings of the edge remain: the winding
// is carried by sums, never inferred from where a vertex lies.
type event struct{ y, delta int32 }

// sweep turns the pieces of one item in one tile row into entries, column by
// column from the left.
func (b *Binner) sweep(k, r int32, evenOdd bool) {
	order := b.order[:0]
	for i := b.rowHead[r]; i >= 0; i = b.pieces[i].next {
		order = append(order, i)
	}
	b.order = order
	b.sortByColumn(order)
	b.events, b.backdrop = b.events[:0], 0
	for i := 0; i < len(order); {
		col := b.pieces[order[i]].col
		j := i + 1
		for j < len(order) && b.pieces[order[j]].col == col {
			j++
		}
		b.boundary(k, r, col, order[i:j])
		for _, p := range order[i:j] {
			b.pass(&b.pieces[p])
		}
		next := b.cols
		if j < len(order) {
			next = b.pieces[order[j]].col
		}
		if len(b.events) > 0 || b.backdrop != 0 {
			b.between(k, r, col+1, next, evenOdd)
		}
		i = j
	}
}

// sortByColumn sorts few pieces in place by insertion and many with the library.
func (b *Binner) sortByColumn(order []int32) {
	if len(order) > 24 {
		slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(b.pieces[i].col, b.pieces[j].col) })
		return
	}
	for i := 1; i < len(order); i++ {
		v, c := order[i], b.pieces[order[i]].col
		j := i
		for j > 0 && b.pieces[order[j-1]].col > c {
			order[j] = order[j-1]
			j--
		}
		order[j] = v
	}
}

// pass moves a piece to the left of the current edge.
func (b *Binner) pass(p *piece) {
	if p.y1 > p.y0 {
		b.change(p.y0, 1)
		b.change(p.y1, -1)
	} else {
		b.change(p.y1, -1)
		b.change(p.y0, 1)
	}
}

// change adds to the winding below height y. Changes at the tile's top are kept
// apart, since most pieces cross the whole tile; changes at its bottom have no
// effect inside the row.
func (b *Binner) change(y, delta int32) {
	switch y {
	case 0:
		b.backdrop += delta
		return
	case unitH:
		return
	}
	e := b.events
	i := len(e)
	for i > 0 && e[i-1].y > y {
		i--
	}
	if i > 0 && e[i-1].y == y {
		if e[i-1].delta += delta; e[i-1].delta == 0 {
			b.events = append(e[:i-1], e[i:]...)
		}
		return
	}
	e = append(e, event{})
	for j := len(e) - 1; j > i; j-- {
		e[j] = e[j-1]
	}
	e[i] = event{y, delta}
	b.events = e
}

// left appends what the events on a tile's left edge mean to the scratch
// segments: verticals at x = 0.
func (b *Binner) left() {
	level := int32(0)
	for i, v := range b.events {
		level += v.delta
		bottom := int32(unitH)
		if i+1 < len(b.events) {
			bottom = b.events[i+1].y
		}
		for n := level; n > 0; n-- {
			b.scratch = append(b.scratch, Segment{P0: uint32(v.y) << 16, P1: uint32(bottom) << 16})
		}
		for n := level; n < 0; n++ {
			b.scratch = append(b.scratch, Segment{P0: uint32(bottom) << 16, P1: uint32(v.y) << 16})
		}
	}
}

// boundary makes the entry of a tile that holds pieces.
func (b *Binner) boundary(k, r, col int32, order []int32) {
	first := int32(len(b.scratch))
	b.left()
	for _, i := range order {
		p := &b.pieces[i]
		s := Segment{P0: uint32(p.x0) | uint32(p.y0)<<16, P1: uint32(p.x1) | uint32(p.y1)<<16}
		if dx, dy := p.x1-p.x0, p.y1-p.y0; dx != 0 {
			s.Slope = float32(dx) / float32(dy)
			s.Steep = float32(max(dy, -dy)) / float32(max(dx, -dx))
		}
		b.scratch = append(b.scratch, s)
	}
	b.push(r, col, entry{item: k, first: first, count: int32(len(b.scratch)) - first, backdrop: b.backdrop})
}

// between makes the entries of the tiles [from, to), which hold no pieces: all
// alike, and solid where the winding is the same at every height.
func (b *Binner) between(k, r, from, to int32, evenOdd bool) {
	first := int32(len(b.scratch))
	b.left()
	count := int32(len(b.scratch)) - first
	if count == 0 && (b.backdrop == 0 || evenOdd && b.backdrop&1 == 0) {
		return
	}
	for c := from; c < to; c++ {
		b.push(r, c, entry{item: k, first: first, count: count, backdrop: b.backdrop})
	}
}

// push puts an entry in front of what its tile holds.
func (b *Binner) push(r, col int32, e entry) {
	s := &b.span[r]
	if col < s.lo || col >= s.hi {
		panic("BUG: piece outside the bounds of its item")
	}
	slot := &b.slots[s.off+col-s.lo]
	e.next = *slot
	*slot = int32(len(b.entries))
	b.entries = append(b.entries, e)
}
