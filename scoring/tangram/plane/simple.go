package plane

// isSimple reports whether a polygon is simple: it visits no point twice, and two edges meet
// only in a common end. See docs/spec/tangram.md#r29.
func (vertices *vertexSet) isSimple(ring ring) bool {
	n := ring.to - ring.from
	if n == 3 {
		return vertices.side(ring.from, ring.from+1, ring.from+2) != 0
	}
	if vertices.isConvex(ring) && n == 4 { // with four corners it cannot wind around twice
		return true
	}
	for i := ring.from; i < ring.to; i++ {
		a, b := i, ring.next(i)
		if c := ring.next(b); vertices.side(a, b, c) == 0 && vertices.compare(vertices.atVertex(a, b, c), end) < 0 {
			return false // the next edge runs back along this one
		}
		for other := i + 2; other < ring.to; other++ {
			if i == ring.from && other == ring.to-1 { // the first and the last edge are neighbours
				continue
			}
			if vertices.segmentsMeet(a, b, other, ring.next(other)) {
				return false
			}
		}
	}
	return true
}

// isConvex reports whether polygon ring turns the same way at every corner, without straight
// ones. Such a polygon may still wind around more than once, as a pentagram does.
func (vertices *vertexSet) isConvex(ring ring) bool {
	firstTurn := 0
	for i := ring.from; i < ring.to; i++ {
		middle := ring.next(i)
		turn := vertices.side(i, middle, ring.next(middle))
		if turn == 0 || firstTurn != 0 && turn != firstTurn {
			return false
		}
		firstTurn = turn
	}
	return true
}

// segmentsMeet reports exactly whether the edges ab and cd of polygons, ends included, have a point
// in common.
func (vertices *vertexSet) segmentsMeet(a, b, c, d int32) bool {
	sideC, sideD := vertices.side(a, b, c), vertices.side(a, b, d)
	if sideC == sideD && sideC != 0 { // cd lies on one side of the line ab
		return false
	}
	sideA, sideB := vertices.side(c, d, a), vertices.side(c, d, b)
	if sideC*sideD < 0 && sideA*sideB < 0 { // each crosses the other's line
		return true
	}
	// Else they can only meet in an end of one of them.
	return sideC == 0 && vertices.onSegment(a, b, c) || sideD == 0 && vertices.onSegment(a, b, d) ||
		sideA == 0 && vertices.onSegment(c, d, a) || sideB == 0 && vertices.onSegment(c, d, b)
}

// onSegment reports whether a point c on the line through a and b lies on the segment ab.
func (vertices *vertexSet) onSegment(a, b, c int32) bool {
	t := vertices.atVertex(a, b, c)
	return vertices.compare(t, start) >= 0 && vertices.compare(t, end) <= 0
}
