package plane

import "slices"

// sides is a bit set: on which sides of a directed edge a polygon's region lies. Both are set
// where the edge runs inside the region.
type sides uint8

const (
	onLeft sides = 1 << iota
	onRight
	inside = onLeft | onRight
)

// span is an interval of an edge, and the sides on which the region of a ring lies there.
type span struct {
	lo, hi edgeParam
	sides  sides
	ring   int32
}

// event is a point where an edge crosses a polygon, and the sides on which inside and outside
// change there.
type event struct {
	at     edgeParam
	change sides
}

// clipper clips edges against polygons. It holds the scratch memory.
type clipper struct {
	side   []int8
	events []event
}

// clip appends the intervals of the edge from a to b that have the even-odd region of ring r on a
// side. A line just left of the edge crosses each polygon edge that leads from its left to the
// edge or beyond, and a line just right of it likewise. Between two crossings nothing changes.
func (c *clipper) clip(vs *vertexSet, dst []span, a, b int32, r ring, index int32) []span {
	if !c.classify(vs, a, b, r) {
		return dst
	}
	c.collectCrossings(vs, a, b, r)
	var state sides
	at := &start
	for i := range c.events {
		e := &c.events[i]
		if state != 0 {
			from, to := at, &e.at
			if vs.before(from, &start) {
				from = &start
			}
			if vs.before(&end, to) {
				to = &end
			}
			if vs.before(from, to) {
				dst = append(dst, span{*from, *to, state, index})
			}
		}
		state ^= e.change
		at = &e.at
	}
	return dst
}

// classify finds on which side of the line through a and b each point of a ring lies. It reports
// false if the ring has no area along the edge, because it is before, behind or beside it. Near an
// end of the edge a point counts as beyond the edge only if it equals that end.
func (c *clipper) classify(vs *vertexSet, a, b int32, r ring) bool {
	n := int(r.to - r.from)
	if cap(c.side) < n {
		c.side = make([]int8, 2*n)
	}
	c.side = c.side[:n]
	x, y, name := vs.x[r.from:r.to], vs.y[r.from:r.to], vs.canonical[r.from:r.to]
	ax, ay, na, nb := vs.x[a], vs.y[a], vs.canonical[a], vs.canonical[b]
	dx, dy, slack := vs.x[b]-ax, vs.y[b]-ay, vs.slack
	behind := float64(dx*dx) + float64(dy*dy) + slack
	left, right, anyAfterStart, anyBeforeEnd := 0, 0, 0, 0
	for i := range c.side {
		// Branch-free, because the side is unpredictable.
		ux, uy := x[i]-ax, y[i]-ay
		v := float64(dx*uy) - float64(dy*ux) // as vertexSet.crossFloat
		along := float64(dx*ux) + float64(dy*uy)
		leftOf, rightOf, afterStart, beforeEnd := 0, 0, 0, 0
		if v > slack {
			leftOf = 1
		}
		if v < -slack {
			rightOf = 1
		}
		if along > -slack {
			afterStart = 1
		}
		if along < behind {
			beforeEnd = 1
		}
		if leftOf == rightOf {
			switch {
			case name[i] == na:
				afterStart = 0
			case name[i] == nb:
				beforeEnd = 0
			default:
				switch vs.kernel.side(a, b, r.from+int32(i)) {
				case 1:
					leftOf = 1
				case -1:
					rightOf = 1
				}
			}
		}
		left, right = left+leftOf, right+rightOf
		anyAfterStart, anyBeforeEnd = anyAfterStart|afterStart, anyBeforeEnd|beforeEnd
		c.side[i] = int8(leftOf - rightOf)
	}
	return anyAfterStart&anyBeforeEnd != 0 && (n-left-right >= 2 || left > 0 && right > 0)
}

// parityChange[3*(1+s) + 1+t] holds the sides on which inside and outside change at a ring's edge
// that starts on side s of the clipped edge and ends on side t; -1 is right, 0 is on the line, 1
// is left.
var parityChange = [9]sides{
	0, onRight, inside,
	onRight, 0, onLeft,
	inside, onLeft, 0,
}

// collectCrossings collects the events of a ring, in order along the edge from a to b.
func (c *clipper) collectCrossings(vs *vertexSet, a, b int32, r ring) {
	if n := int(r.to - r.from); cap(c.events) < n {
		c.events = make([]event, 2*n)
	}
	c.events = c.events[:cap(c.events)]
	m := 0
	for i := r.from; i < r.to; i++ {
		j := r.next(i)
		s, t := c.side[i-r.from], c.side[j-r.from]
		change := parityChange[4+3*int(s)+int(t)]
		if change == 0 {
			continue
		}
		e := &c.events[m]
		e.change = change
		switch {
		case s == 0:
			vs.setAtVertex(&e.at, a, b, i)
		case t == 0:
			vs.setAtVertex(&e.at, a, b, j)
		default:
			vs.setAtCrossing(&e.at, a, b, i, j)
		}
		for n := m; n > 0 && vs.before(&c.events[n].at, &c.events[n-1].at); n-- {
			c.events[n], c.events[n-1] = c.events[n-1], c.events[n]
		}
		m++
	}
	c.events = c.events[:m]
}

// merge sorts intervals of an edge and joins those that overlap or touch, in place.
func merge(vs *vertexSet, list []span) []span {
	if len(list) < 2 {
		return list
	}
	if len(list) > 16 {
		slices.SortFunc(list, func(a, b span) int { return vs.compare(a.lo, b.lo) })
	}
	for i := 1; i < len(list); i++ { // few, or sorted: insertion
		for j := i; j > 0 && vs.before(&list[j].lo, &list[j-1].lo); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	n := 0
	for i := range list[1:] {
		s := &list[1+i]
		if !vs.before(&list[n].hi, &s.lo) {
			if vs.before(&list[n].hi, &s.hi) {
				list[n].hi = s.hi
			}
			continue
		}
		n++
		if n != 1+i {
			list[n] = *s
		}
	}
	return list[:n+1]
}

// subtract appends the interval of an edge from at to end without the intervals of a merged list.
func subtract(vs *vertexSet, dst []span, at, end edgeParam, list []span) []span {
	for i := range list {
		s := &list[i]
		if vs.before(&at, &s.lo) {
			to := &s.lo
			if vs.before(&end, to) {
				to = &end
			}
			if vs.before(&at, to) {
				dst = append(dst, span{lo: at, hi: *to})
			}
		}
		if vs.before(&at, &s.hi) {
			at = s.hi
		}
	}
	if vs.before(&at, &end) {
		dst = append(dst, span{lo: at, hi: end})
	}
	return dst
}

// intersect appends the intersection of two merged lists of intervals of an edge.
func intersect(vs *vertexSet, dst, a, b []span) []span {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		lo, hi := &a[i].lo, &a[i].hi
		if vs.before(lo, &b[j].lo) {
			lo = &b[j].lo
		}
		firstEnds := vs.before(hi, &b[j].hi)
		if !firstEnds {
			hi = &b[j].hi
		}
		if vs.before(lo, hi) {
			dst = append(dst, span{lo: *lo, hi: *hi})
		}
		if firstEnds {
			i++
		} else {
			j++
		}
	}
	return dst
}

// containsAll reports whether every interval of inner lies within one interval of a merged list of
// the same edge.
func containsAll(vs *vertexSet, list, inner []span) bool {
	return !slices.ContainsFunc(inner, func(s span) bool {
		return !slices.ContainsFunc(list, func(l span) bool {
			return vs.compare(l.lo, s.lo) <= 0 && vs.compare(l.hi, s.hi) >= 0
		})
	})
}

// length returns the sum of the lengths of intervals of an edge, as fractions of the edge.
func length(list []span) (sum float64) {
	for i := range list {
		sum += list[i].hi.f - list[i].lo.f
	}
	return sum
}
