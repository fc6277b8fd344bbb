package scan

import "math"

// nowhere is left of every column.
const nowhere = math.MinInt32

// quick stores a direct trapezoid at once instead of through the layers of the
// row. It holds as long as the row's spans are all direct and share no pixel, as
// most rows are; else the layers take over what is stored.
func (r *row) quick(ul, ll, ur, lr, dyL, dyR int64) {
	x0, j, k, x1 := floor(ul), ceil(ll), floor(ur), ceil(lr)
	dst := r.dst
	if r.quickX == nowhere {
		r.quickSpan = len(dst.Spans)
	}
	r.quickX = x1
	at := len(dst.Bytes)
	if j > k {
		if x1-x0 == 1 {
			dst.Bytes = append(dst.Bytes, area(ur-ul, lr-ll))
		} else {
			dst.Bytes = append(dst.Bytes, r.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, 255)...)
		}
		r.keep(x0, at)
		return
	}
	switch j - x0 {
	case 0:
	case 1:
		end := int64(j) << 16
		dst.Bytes = append(dst.Bytes, area(end-ul, end-ll))
	case 2:
		a, b := leftPair(ul, ll, j, dyL, 255)
		r.quickPair(x0, a, b)
	default:
		dst.Bytes = append(dst.Bytes, r.leftWedge(ul, ll, x0, j, dyL, 255)...)
	}
	from := x0
	if k-j >= longRun {
		r.keep(x0, at)
		dst.Spans = append(dst.Spans, Span{X: j, Y: r.y, N: k - j, At: Full})
		from, at = k, len(dst.Bytes)
	} else {
		dst.Bytes = append(dst.Bytes, opaque[:k-j]...)
	}
	switch x1 - k {
	case 0:
	case 1:
		start := int64(k) << 16
		dst.Bytes = append(dst.Bytes, area(ur-start, lr-start))
	case 2:
		a, b := rightPair(ur, lr, k, dyR, 255)
		r.quickPair(k, a, b)
	default:
		dst.Bytes = append(dst.Bytes, r.rightWedge(ur, lr, k, x1, dyR, 255)...)
	}
	r.keep(from, at)
}

// opaque is what a short run is made of.
var opaque = func() (b [longRun]byte) {
	for i := range b {
		b[i] = 255
	}
	return b
}()

// quickPair stores a wedge of two pixels.
func (r *row) quickPair(x int32, a, b byte) {
	if r.twoRule {
		if r.trace != nil {
			r.trace(x, r.y, a)
			r.trace(x+1, r.y, b)
		}
		a, b = OverTwo(0, a), OverTwo(0, b)
	}
	r.dst.Bytes = append(r.dst.Bytes, a, b)
}

// keep makes the bytes from at on a span that begins in column x, less zeros at
// its ends.
func (r *row) keep(x int32, at int) {
	dst := r.dst
	end := len(dst.Bytes)
	for end > at && dst.Bytes[end-1] == 0 {
		end--
	}
	dst.Bytes = dst.Bytes[:end]
	for at < end && dst.Bytes[at] == 0 {
		at, x = at+1, x+1
	}
	if at == end {
		return
	}
	if end > math.MaxInt32 { // no canvas has so many boundary pixels
		dst.Bytes = dst.Bytes[:at]
		return
	}
	dst.Spans = append(dst.Spans, Span{X: x, Y: r.y, N: int32(end - at), At: int32(at)})
}

// recall moves what quick has stored of this row into the layers.
func (r *row) recall() {
	dst := r.dst
	r.closeCells()
	r.quickX = nowhere
	for _, s := range dst.Spans[r.quickSpan:] {
		r.touch(s.X, s.X+s.N)
		if s.At == Full {
			r.inside(s.X, s.X+s.N, 255, true)
			continue
		}
		r.hasDirect = true
		copy(r.direct[s.X-r.left:], dst.Bytes[s.At:s.At+s.N])
	}
	for _, s := range dst.Spans[r.quickSpan:] {
		if s.At != Full {
			dst.Bytes = dst.Bytes[:s.At]
			break
		}
	}
	dst.Spans = dst.Spans[:r.quickSpan]
}
