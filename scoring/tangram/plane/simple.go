package plane

// isSimple reports whether a polygon is simple: it visits no point twice, and two edges meet
// only in a common end. See docs/spec/tangram.md#r29.
func (vs *vertexSet) isSimple(r ring) bool {
	n := r.to - r.from
	if n == 3 {
		return vs.side(r.from, r.from+1, r.from+2) != 0
	}
	if vs.isConvex(r) && n == 4 { // with four corners it cannot wind around twice
		return true
	}
	for i := r.from; i < r.to; i++ {
		a, b := i, r.next(i)
		if c := r.next(b); vs.side(a, b, c) == 0 && vs.compare(vs.atVertex(a, b, c), end) < 0 {
			return false // the next edge runs back along this one
		}
		for other := i + 2; other < r.to; other++ {
			if i == r.from && other == r.to-1 { // the first and the last edge are neighbours
				continue
			}
			if vs.segmentsMeet(a, b, other, r.next(other)) {
				return false
			}
		}
	}
	return true
}

// isConvex reports whether polygon r turns the same way at every corner, without straight
// ones. Such a polygon may still wind around more than once, as a pentagram does.
func (vs *vertexSet) isConvex(r ring) bool {
	firstTurn := 0
	for i := r.from; i < r.to; i++ {
		middle := r.next(i)
		turn := vs.side(i, middle, r.next(middle))
		if turn == 0 || firstTurn != 0 && turn != firstTurn {
			return false
		}
		firstTurn = turn
	}
	return true
}

// segmentsMeet reports exactly whether the edges ab and cd of polygons, ends included, have a point
// in common.
func (vs *vertexSet) segmentsMeet(a, b, c, d int32) bool {
	sideC, sideD := vs.side(a, b, c), vs.side(a, b, d)
	if sideC == sideD && sideC != 0 {
		return false
	}
	sideA, sideB := vs.side(c, d, a), vs.side(c, d, b)
	if sideC*sideD < 0 && sideA*sideB < 0 {
		return true
	}
	return sideC == 0 && vs.onSegment(a, b, c) || sideD == 0 && vs.onSegment(a, b, d) ||
		sideA == 0 && vs.onSegment(c, d, a) || sideB == 0 && vs.onSegment(c, d, b)
}

// onSegment reports whether a point c on the line through a and b lies on the segment ab.
func (vs *vertexSet) onSegment(a, b, c int32) bool {
	t := vs.atVertex(a, b, c)
	return vs.compare(t, start) >= 0 && vs.compare(t, end) <= 0
}
