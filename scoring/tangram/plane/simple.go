package plane

// simple reports whether a polygon is simple: no point is visited twice, and no two
// edges meet but in their common end. See docs/spec/tangram.md#r29.
func (k *board) simple(r ring) bool {
	n := r.to - r.from
	if n == 3 {
		return k.side(r.from, r.from+1, r.from+2) != 0
	}
	if k.convex(r) && n == 4 { // four turns the same way cannot go round twice
		return true
	}
	for i := r.from; i < r.to; i++ {
		a, b := i, r.next(i)
		if c := r.next(b); k.side(a, b, c) == 0 && k.cmp(k.on(a, b, c), end) < 0 {
			return false // a spike
		}
		for j := i + 2; j < r.to; j++ {
			if i == r.from && j == r.to-1 {
				continue
			}
			if k.meet(a, b, j, r.next(j)) {
				return false
			}
		}
	}
	return true
}

// convex reports whether a polygon turns the same way at every corner. It may go
// round more than once.
func (k *board) convex(r ring) bool {
	want := 0
	for i := r.from; i < r.to; i++ {
		b := r.next(i)
		s := k.side(i, b, r.next(b))
		if s == 0 || want != 0 && s != want {
			return false
		}
		want = s
	}
	return true
}

// meet reports whether two closed segments have a point in common.
func (k *board) meet(a, b, c, d int32) bool {
	sc, sd := k.side(a, b, c), k.side(a, b, d)
	if sc == sd && sc != 0 {
		return false
	}
	sa, sb := k.side(c, d, a), k.side(c, d, b)
	if sc*sd < 0 && sa*sb < 0 {
		return true
	}
	return sc == 0 && k.between(a, b, c) || sd == 0 && k.between(a, b, d) ||
		sa == 0 && k.between(c, d, a) || sb == 0 && k.between(c, d, b)
}

// between reports whether a point on the line through a and b lies on the segment.
func (k *board) between(a, b, c int32) bool {
	t := k.on(a, b, c)
	return k.cmp(t, start) >= 0 && k.cmp(t, end) <= 0
}
