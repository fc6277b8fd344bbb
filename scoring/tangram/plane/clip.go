package plane

import "slices"

// sides is a bit set: on which sides of a directed edge a polygon's region lies. Both are set
// where the edge runs inside the region.
type sides uint8

const (
	onLeft sides = 1 << iota
	onRight
	bothSides = onLeft | onRight
)

// span is a part of an edge, from parameter lo to hi, and the sides of it on which the
// region of a ring lies.
type span struct {
	lo, hi edgeParam
	sides  sides
	ring   int32
}

// crossing is a point where an edge crosses the boundary of a polygon, and on which of its
// sides inside and outside change there.
type crossing struct {
	at     edgeParam
	change sides
}

// clipper clips edges against polygons. It holds the scratch memory.
type clipper struct {
	sideOf    []int8
	crossings []crossing
}

// clip appends the parts of the edge from vertex a to b that have the even-odd region of a polygon,
// ring, on a side, with index as their ring. It walks along the line through a and b: at each crossing
// with the polygon, inside and outside change on the left, on the right or on both sides, and in
// between nothing changes. Parts before a and after b are cut off. After the last crossing the line is
// outside, so no part follows.
func (clipper *clipper) clip(vertices *vertexSet, dst []span, a, b int32, ring ring, index int32) []span {
	if !clipper.findSides(vertices, a, b, ring) {
		return dst
	}
	clipper.collectCrossings(vertices, a, b, ring)
	var state sides // on which sides the region lies just now
	previous := &start
	for i := range clipper.crossings {
		next := &clipper.crossings[i]
		if state != 0 {
			from, to := previous, &next.at
			if vertices.before(from, &start) {
				from = &start
			}
			if vertices.before(&end, to) {
				to = &end
			}
			if vertices.before(from, to) {
				dst = append(dst, span{*from, *to, state, index})
			}
		}
		state ^= next.change
		previous = &next.at
	}
	return dst
}

// findSides fills clipper.sideOf with the side of the line through a and b on which each vertex of a
// polygon, ring, lies: 1 left, -1 right, 0 on it. It returns false if no part of the edge can have the
// polygon's region on a side. That is so if the whole polygon lies before a, or after b, or on one side
// with less than two vertices on the line. Doubles decide unless rounding leaves a doubt.
func (clipper *clipper) findSides(vertices *vertexSet, a, b int32, ring ring) bool {
	n := int(ring.to - ring.from)
	if cap(clipper.sideOf) < n {
		clipper.sideOf = make([]int8, 2*n)
	}
	clipper.sideOf = clipper.sideOf[:n]
	x, y, canonical := vertices.x[ring.from:ring.to], vertices.y[ring.from:ring.to], vertices.canonical[ring.from:ring.to]
	ax, ay, canonicalA, canonicalB := vertices.x[a], vertices.y[a], vertices.canonical[a], vertices.canonical[b]
	dx, dy, slack := vertices.x[b]-ax, vertices.y[b]-ay, vertices.crossError
	lengthOfEdge := float64(dx*dx) + float64(dy*dy) + slack // squared, as `along` is: a product with the edge's vector
	left, right, someAfterStart, someBeforeEnd := 0, 0, 0, 0
	for i := range clipper.sideOf {
		// No else branches: the processor cannot predict the side, and this is the innermost loop.
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
		if along < lengthOfEdge {
			beforeEnd = 1
		}
		if leftOf == rightOf { // in doubt: equal vertices first, then exact arithmetic
			switch {
			case canonical[i] == canonicalA:
				afterStart = 0
			case canonical[i] == canonicalB:
				beforeEnd = 0
			default:
				switch vertices.kernel.side(a, b, ring.from+int32(i)) {
				case 1:
					leftOf = 1
				case -1:
					rightOf = 1
				}
			}
		}
		left, right = left+leftOf, right+rightOf
		someAfterStart, someBeforeEnd = someAfterStart|afterStart, someBeforeEnd|beforeEnd
		clipper.sideOf[i] = int8(leftOf - rightOf)
	}
	return someAfterStart&someBeforeEnd != 0 && (n-left-right >= 2 || left > 0 && right > 0)
}

// parityChange[1+s][1+t] holds the sides on which inside and outside change at a ring's edge
// that starts on side s of the clipped edge and ends on side t; -1 is right, 0 is on the line, 1
// is left.
var parityChange = [3][3]sides{
	{0, onRight, bothSides},
	{onRight, 0, onLeft},
	{bothSides, onLeft, 0},
}

// collectCrossings fills clipper.crossings with the points where the line through a and b crosses a
// polygon, ring, sorted along the edge. findSides must come first: a ring edge crosses where its ends
// lie on different sides of the line.
func (clipper *clipper) collectCrossings(vertices *vertexSet, a, b int32, ring ring) {
	if n := int(ring.to - ring.from); cap(clipper.crossings) < n {
		clipper.crossings = make([]crossing, 2*n)
	}
	clipper.crossings = clipper.crossings[:cap(clipper.crossings)]
	count := 0
	for i := ring.from; i < ring.to; i++ {
		j := ring.next(i)
		sideI, sideJ := clipper.sideOf[i-ring.from], clipper.sideOf[j-ring.from]
		change := parityChange[1+sideI][1+sideJ]
		if change == 0 {
			continue
		}
		next := &clipper.crossings[count]
		next.change = change
		switch {
		case sideI == 0:
			vertices.setAtVertex(&next.at, a, b, i)
		case sideJ == 0:
			vertices.setAtVertex(&next.at, a, b, j)
		default:
			vertices.setAtCrossing(&next.at, a, b, i, j)
		}
		// insertion sort: there are few crossings
		for n := count; n > 0 && vertices.before(&clipper.crossings[n].at, &clipper.crossings[n-1].at); n-- {
			clipper.crossings[n], clipper.crossings[n-1] = clipper.crossings[n-1], clipper.crossings[n]
		}
		count++
	}
	clipper.crossings = clipper.crossings[:count]
}

// merge sorts spans, which are parts of one edge of a polygon, by their starts, and joins those
// that overlap or touch. It changes the list in place and returns what is left; joined spans keep
// sides and ring of the first.
func merge(vertices *vertexSet, list []span) []span {
	if len(list) < 2 {
		return list
	}
	if len(list) > 16 { // so many that insertion alone would be slow
		slices.SortFunc(list, func(a, b span) int { return vertices.compare(a.lo, b.lo) })
	}
	for i := 1; i < len(list); i++ { // insertion sort, which is fast for few spans and does nothing to sorted ones
		for j := i; j > 0 && vertices.before(&list[j].lo, &list[j-1].lo); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	last := 0 // the last of the joined spans
	for i := range list[1:] {
		next := &list[1+i]
		if !vertices.before(&list[last].hi, &next.lo) {
			if vertices.before(&list[last].hi, &next.hi) {
				list[last].hi = next.hi
			}
			continue
		}
		last++
		if last != 1+i {
			list[last] = *next
		}
	}
	return list[:last+1]
}

// subtract appends to dst what is left of the part from at to end of a polygon's edge without the spans
// of a list, which is sorted and without overlaps (see merge). It walks along the edge: at is where the
// next free part begins.
func subtract(vertices *vertexSet, dst []span, at, end edgeParam, list []span) []span {
	for i := range list {
		s := &list[i]
		if vertices.before(&at, &s.lo) {
			to := &s.lo
			if vertices.before(&end, to) {
				to = &end
			}
			if vertices.before(&at, to) {
				dst = append(dst, span{lo: at, hi: *to})
			}
		}
		if vertices.before(&at, &s.hi) {
			at = s.hi
		}
	}
	if vertices.before(&at, &end) {
		dst = append(dst, span{lo: at, hi: end})
	}
	return dst
}

// intersect appends the common parts of the spans in two lists to dst. Both lists are of spans of one
// polygon's edge, sorted and without overlaps.
func intersect(vertices *vertexSet, dst, a, b []span) []span {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		lo, hi := &a[i].lo, &a[i].hi
		if vertices.before(lo, &b[j].lo) {
			lo = &b[j].lo
		}
		firstEnds := vertices.before(hi, &b[j].hi)
		if !firstEnds {
			hi = &b[j].hi
		}
		if vertices.before(lo, hi) {
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

// containsAll reports whether each span of inner lies within one span of a list. Both are of the same
// polygon's edge, and the list is sorted and without overlaps.
func containsAll(vertices *vertexSet, list, inner []span) bool {
	return !slices.ContainsFunc(inner, func(s span) bool {
		return !slices.ContainsFunc(list, func(l span) bool {
			return vertices.compare(l.lo, s.lo) <= 0 && vertices.compare(l.hi, s.hi) >= 0
		})
	})
}

// totalLength returns the sum of the lengths of spans of a polygon's edge, as a fraction of the
// edge.
func totalLength(list []span) (sum float64) {
	for i := range list {
		sum += list[i].hi.value - list[i].lo.value
	}
	return sum
}
