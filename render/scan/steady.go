package scan

// stretch is a span that goes on over rows: its edges, where they are at the top
// of the row to come.
type stretch struct {
	l, slopeL, dyL int64
	r, slopeR, dyR int64
}

// steady draws whole rows as long as nothing happens in them, and returns how
// many: no edge begins or ends, none meets another or the sides of the clip, and
// all spans are direct. Such rows differ from the one above by slopes alone.
func (g *general) steady(bottom int32) int32 {
	s := g.s
	if r := &s.row; !r.words || r.summed || r.trace != nil {
		return 0
	}
	n := g.calm((min(g.event-1, bottom) - g.y) >> 2)
	if n <= 0 {
		return 0
	}
	for i := range s.active {
		a := &s.active[i]
		a.x += a.slope * int64(n)
		if !g.careless {
			g.crossing(i, g.y+4*n)
		}
	}
	s.row.draw(s.stretches, n)
	return n
}

// calm returns how many of n rows are steady, and leaves their spans in
// s.stretches. All that must hold is linear in rows: what holds in the first and
// in the last holds between them.
func (g *general) calm(n int32) int32 {
	s := g.s
	list := s.active
	if n <= 0 || len(list) == 0 {
		return 0
	}
	s.stretches = s.stretches[:0]
	rows := int64(n)
	winding := int32(0)
	inside := false
	var left *active
	for i := range list {
		a := &list[i]
		winding += a.wind
		was := inside
		inside = winding&g.mask != 0
		if i > 0 {
			l := &list[i-1]
			closing := a.slope - l.slope
			rows = min(rows, lasting(a.x-l.x, closing))
			if inside && !was {
				// Direct: a column apart at least, as strip has it.
				gap := a.x - max(a.slope, -a.slope) - (l.x + max(l.slope, 0)) - one
				rows = min(rows, lasting(gap-1, closing)+1)
			}
		}
		switch {
		case inside && !was:
			left = a
		case was && !inside:
			s.stretches = append(s.stretches, stretch{left.x, left.slope, int64(left.dy), a.x, a.slope, int64(a.dy)})
		}
		if rows <= 0 {
			return 0
		}
	}
	if inside {
		return 0
	}
	first, last := &list[0], &list[len(list)-1]
	return int32(min(rows, lasting(first.x-g.left, first.slope), lasting(g.right-last.x, -last.slope)))
}

// lasting returns in how many rows to come a gap that grows by a slope in each is
// not negative; -1 if it is negative now.
func lasting(gap, slope int64) int64 {
	switch {
	case gap < 0:
		return -1
	case slope >= 0:
		return never
	}
	return gap / -slope
}

// draw draws n rows from r.y on.
func (r *row) draw(list []stretch, n int32) {
	for ; n > 0; n-- {
		for i := range list {
			t := &list[i]
			ul, ur := t.l, t.r
			ll, lr := ul+t.slopeL, ur+t.slopeR
			t.l, t.r = ll, lr
			if ul != ur || ll != lr {
				r.quickCells(min(ul, ll), max(ul, ll), min(ur, lr), max(ur, lr), t.dyL, t.dyR)
			}
		}
		r.closeCells()
		r.quickX = nowhere
		r.y++
	}
}
