package plane

// simple reports whether a polygon is simple: it visits no point twice, and two edges meet only in
// a common end. See docs/spec/tangram.md#r29.
func (vs *vertexSet) simple(r ring) bool {
	n := r.to - r.from
	if n == 3 {
		return vs.side(r.from, r.from+1, r.from+2) != 0
	}
	if vs.convex(r) && n == 4 { // with four corners it cannot wind around twice
		return true
	}
	for i := r.from; i < r.to; i++ {
		a, b := i, r.next(i)
		if c := r.next(b); vs.side(a, b, c) == 0 && vs.compare(vs.atVertex(a, b, c), end) < 0 {
			return false // the next edge runs back along this one
		}
		for j := i + 2; j < r.to; j++ {
			if i == r.from && j == r.to-1 {
				continue
			}
			if vs.segmentsMeet(a, b, j, r.next(j)) {
				return false
			}
		}
	}
	return true
}

// convex reports whether the polygon r turns the same way at every corner. Such a polygon can wind
// around more than once.
func (vs *vertexSet) convex(r ring) bool {
	want := 0
	for i := r.from; i < r.to; i++ {
		b := r.next(i)
		s := vs.side(i, b, r.next(b))
		if s == 0 || want != 0 && s != want {
			return false
		}
		want = s
	}
	return true
}

// segmentsMeet reports whether the closed segments ab and cd have a point in common.
func (vs *vertexSet) segmentsMeet(a, b, c, d int32) bool {
	sc, sd := vs.side(a, b, c), vs.side(a, b, d)
	if sc == sd && sc != 0 {
		return false
	}
	sa, sb := vs.side(c, d, a), vs.side(c, d, b)
	if sc*sd < 0 && sa*sb < 0 {
		return true
	}
	return sc == 0 && vs.onSegment(a, b, c) || sd == 0 && vs.onSegment(a, b, d) ||
		sa == 0 && vs.onSegment(c, d, a) || sb == 0 && vs.onSegment(c, d, b)
}

// onSegment reports whether a point c on the line through a and b lies on the segment ab.
func (vs *vertexSet) onSegment(a, b, c int32) bool {
	t := vs.atVertex(a, b, c)
	return vs.compare(t, start) >= 0 && vs.compare(t, end) <= 0
}
