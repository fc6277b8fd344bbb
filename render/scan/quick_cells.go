package scan

import "math"

// quickCells is quick for rows that are stored in cells. The last span stays
// open: its cells are at the end of the bytes and take what comes next in them.
func (r *row) quickCells(ul, ll, ur, lr, dyL, dyR int64, x0, j, k, x1 int32) {
	if r.quickX == nowhere {
		r.quickSpan, r.openX = len(r.dst.Spans), nowhere
	}
	r.quickX = x1
	if j > k {
		if x1-x0 == 1 {
			r.place(x0, 1)[0] = area(ur-ul, lr-ll)
		} else {
			copy(r.place(x0, x1-x0), r.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, 255))
		}
		return
	}
	switch j - x0 {
	case 0:
	case 1:
		end := int64(j) << 16
		r.place(x0, 1)[0] = area(end-ul, end-ll)
	case 2:
		a, b := leftPair(ul, ll, j, dyL, 255)
		r.placePair(x0, a, b)
	default:
		copy(r.place(x0, j-x0), r.leftWedge(ul, ll, x0, j, dyL, 255))
	}
	r.placeFull(j, k)
	switch x1 - k {
	case 0:
	case 1:
		start := int64(k) << 16
		r.place(k, 1)[0] = area(ur-start, lr-start)
	case 2:
		a, b := rightPair(ur, lr, k, dyR, 255)
		r.placePair(k, a, b)
	default:
		copy(r.place(k, x1-k), r.rightWedge(ur, lr, k, x1, dyR, 255))
	}
}

// place returns the bytes of the pixels [x, x+n), which lie right of all that is
// stored of the row.
func (r *row) place(x, n int32) []byte {
	dst := r.dst
	end := r.openX + int32(len(dst.Bytes)-r.openAt) // of the open span
	if r.openX == nowhere || down(x) > end {
		r.closeCells()
		r.openX, r.openAt = down(x), len(dst.Bytes)
		end = r.openX
	}
	for ; end < x+n; end += Cell {
		dst.Bytes = append(dst.Bytes, make([]byte, Cell)...)
	}
	at := r.openAt + int(x-r.openX)
	return dst.Bytes[at : at+int(n)]
}

// placePair stores a wedge of two pixels.
func (r *row) placePair(x int32, a, b byte) {
	if r.twoRule {
		if r.trace != nil {
			r.trace(x, r.y, a)
			r.trace(x+1, r.y, b)
		}
		a, b = overTwo(0, a), overTwo(0, b)
	}
	p := r.place(x, 2)
	p[0], p[1] = a, b
}

// placeFull stores the pixels [j, k) as 255: whole cells as a Full span.
func (r *row) placeFull(j, k int32) {
	a, b := up(j), down(k)
	if a >= b {
		r.opaque(j, k)
		return
	}
	r.opaque(j, a)
	r.closeCells()
	r.dst.Spans = append(r.dst.Spans, Span{X: a, Y: r.y, N: b - a, At: Full})
	r.opaque(b, k)
}

func (r *row) opaque(x0, x1 int32) {
	if x0 < x1 {
		for p := r.place(x0, x1-x0); len(p) > 0; p = p[1:] {
			p[0] = 255
		}
	}
}

// closeCells makes the open cells a span.
func (r *row) closeCells() {
	dst := r.dst
	if r.openX == nowhere {
		return
	}
	if n := len(dst.Bytes) - r.openAt; len(dst.Bytes) <= math.MaxInt32 { // no canvas has so many boundary pixels
		dst.Spans = append(dst.Spans, Span{X: r.openX, Y: r.y, N: int32(n), At: int32(r.openAt)})
	} else {
		dst.Bytes = dst.Bytes[:r.openAt]
	}
	r.openX = nowhere
}
