package scan

// one is 1 px in q16.
const one = 1 << 16

func floor(v int64) int32 { return int32(v >> 16) }
func ceil(v int64) int32  { return int32((v + one - 1) >> 16) }

// area is the alpha of one px of height whose upper side is a long and whose
// lower b: floor of 256 times the area.
func area(a, b int64) byte { return byte(((a + b) / 2) >> 8) }

// corner is the alpha of a triangle a wide under an edge that falls by dy per
// column, from factors of 5 bits.
func corner(a, dy int64) byte { return byte(((a >> 11) * (a >> 11) * (dy >> 11)) >> 8) }

// tip is corner with factors of 16 bits.
func tip(a, dy int64) byte { return byte((a * ((a * dy) >> 16) >> 16) >> 9) }

func mul8(a byte, full int32) byte { return byte(int32(a) * full >> 8) }

// less is a - b, not below 0.
func less(a, b byte) byte { return a - min(a, b) }

// trapezoid draws the part of a span in one strip of the row. Its left edge goes from ul at the
// top to ll at the bottom, its right edge from ur to lr; dyL and dyR are the edges' heights per
// column, full is the strip's height as alpha. direct spans of full height do without sums. See
// docs/spec/raster.md#r19.
func (r *row) trapezoid(ul, ll, ur, lr, dyL, dyR int64, full int32, direct bool) {
	if ul > ur {
		return
	}
	if ll > lr { // the edges cross: both end where, about, they do
		ll = (max(min(ul, ll), min(ur, lr)) + min(max(ul, ll), max(ur, lr))) >> 1
		lr = ll
	}
	if ul == ur && ll == lr {
		return
	}
	// The direction of an edge is not assumed.
	ul, ll = min(ul, ll), max(ul, ll)
	ur, lr = min(ur, lr), max(ur, lr)
	x0, x1 := floor(ul), ceil(lr)
	if x0 >= x1 {
		return
	}
	if full < 255 && r.words { // all of the row is sums
		r.sumCells(ul, ll, ur, lr, dyL, dyR, full)
		return
	}
	if r.quickX > nowhere || !r.layered {
		if direct && !r.masked && x0 >= r.quickX {
			if r.cells && r.trace == nil {
				r.quickCells(ul, ll, ur, lr, dyL, dyR)
				return
			}
			if !r.cells {
				r.quick(ul, ll, ur, lr, dyL, dyR)
				return
			}
		}
		if r.quickX > nowhere {
			r.recall()
		}
	}
	if r.words && !direct {
		r.sumCells(ul, ll, ur, lr, dyL, dyR, full)
		return
	}
	j, k := ceil(ll), floor(ur)
	r.touch(x0, x1)
	if j > k {
		if x1-x0 == 1 {
			r.single(x0, area(ur-ul, lr-ll), full, direct)
		} else {
			r.many(x0, r.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, full), direct)
		}
		return
	}
	switch j - x0 {
	case 0:
	case 1:
		end := int64(j) << 16
		r.single(x0, area(end-ul, end-ll), full, direct)
	case 2:
		a, b := leftPair(ul, ll, j, dyL, full)
		r.pair(x0, a, b, direct)
	default:
		r.many(x0, r.leftWedge(ul, ll, x0, j, dyL, full), direct)
	}
	if j < k {
		r.inside(j, k, full, direct)
	}
	switch x1 - k {
	case 0:
	case 1:
		start := int64(k) << 16
		r.single(k, area(ur-start, lr-start), full, direct)
	case 2:
		a, b := rightPair(ur, lr, k, dyR, full)
		r.pair(k, a, b, direct)
	default:
		r.many(k, r.rightWedge(ur, lr, k, x1, dyR, full), direct)
	}
}

// leftPair is the two columns before j, right of an edge.
func leftPair(ul, ll int64, j int32, dy int64, full int32) (a, b byte) {
	mid := int64(j-1) << 16
	return corner(mid-ul, dy), byte(full) - corner(ll-mid, dy)
}

// rightPair is the two columns from k on, left of an edge.
func rightPair(ur, lr int64, k int32, dy int64, full int32) (a, b byte) {
	mid := int64(k+1) << 16
	return byte(full) - corner(mid-ur, dy), corner(lr-mid, dy)
}

// leftWedge is three or more columns [x0, j) right of an edge; it lasts until
// the next wedge.
func (r *row) leftWedge(ul, ll int64, x0, j int32, dy int64, full int32) []byte {
	w, start := r.wedge[:j-x0], int64(x0)<<16
	below(w, ul-start, ll-start, dy, full)
	for i, a := range w {
		w[i] = less(byte(full), a)
	}
	return w
}

// rightWedge is three or more columns [k, x1) left of an edge.
func (r *row) rightWedge(ur, lr int64, k, x1 int32, dy int64, full int32) []byte {
	w, start := r.wedge[:x1-k], int64(k)<<16
	above(w, ur-start, lr-start, dy, full)
	for i, a := range w {
		w[i] = less(byte(full), a)
	}
	return w
}

// narrow is a trapezoid whose edges share a column: all of its columns less what
// lies beyond either edge.
func (r *row) narrow(ul, ll, ur, lr, dyL, dyR int64, x0, x1, full int32) []byte {
	w := r.wedge[:x1-x0]
	for i := range w {
		w[i] = byte(full)
	}
	if n := ceil(ll) - x0; n == 2 {
		mid := int64(x0+1) << 16
		w[0] = less(w[0], byte(full)-corner(mid-ul, dyL))
		w[1] = less(w[1], corner(ll-mid, dyL))
	} else {
		b := r.beyond[:n]
		below(b, ul-int64(x0)<<16, ll-int64(x0)<<16, dyL, full)
		for i, a := range b {
			w[i] = less(w[i], a)
		}
	}
	at := floor(ur)
	start := int64(at) << 16
	v := w[at-x0:]
	if n := x1 - at; n == 2 {
		v[0] = less(v[0], corner(start+one-ur, dyR))
		v[1] = less(v[1], byte(full)-corner(lr-start-one, dyR))
	} else {
		b := r.beyond[:n]
		above(b, ur-start, lr-start, dyR, full)
		for i, a := range b {
			v[i] = less(v[i], a)
		}
	}
	return w
}

// below fills in what lies left of an edge from l to r, in columns from 0; it is
// as wide as dst.
func below(dst []byte, l, r, dy int64, full int32) {
	n := len(dst)
	switch n {
	case 0:
		return
	case 1:
		dst[0] = mul8(area(l, r), full)
		return
	}
	z := r - int64(n-1)<<16
	dst[n-1] = tip(z, dy)
	a := (z*dy)>>16 + dy>>1
	for i := n - 2; i > 0; i-- {
		dst[i] = byte(a >> 8)
		a += dy
	}
	dst[0] = byte(full) - corner(one-l, dy)
}

// above fills in what lies right of an edge from l to r, in columns from 0; it
// is as wide as dst.
func above(dst []byte, l, r, dy int64, full int32) {
	n := len(dst)
	switch n {
	case 0:
		return
	case 1:
		dst[0] = mul8(byte((2*one-l-r)>>9), full)
		return
	}
	f := one - l
	dst[0] = tip(f, dy)
	a := (f*dy)>>16 + dy>>1
	for i := 1; i < n-1; i++ {
		dst[i] = byte(a >> 8)
		a += dy
	}
	dst[n-1] = byte(full) - corner(r-int64(n-1)<<16, dy)
}
