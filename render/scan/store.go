package scan

import "math"

// nowhere is a column left of all columns.
const nowhere = math.MinInt32

// storeTrapezoid appends the coverage of a direct trapezoid to dst at once, instead of through the
// layers of the row. Its corners are as in trapezoid. This is right while all spans of the row are
// direct and share no pixel, as in most rows; else moveToLayers takes the stored spans back.
func (r *row) storeTrapezoid(ul, ll, ur, lr, dyL, dyR int64) {
	x0, j, k, x1 := floor(ul), ceil(ll), floor(ur), ceil(lr)
	dst := r.dst
	if r.storedX == nowhere {
		r.storedSpan = len(dst.Spans)
	}
	r.storedX = x1
	at := len(dst.Bytes)
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if j > k {
		if x1-x0 == 1 {
			dst.Bytes = append(dst.Bytes, columnAlpha(ur-ul, lr-ll))
		} else {
			dst.Bytes = append(dst.Bytes, r.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, 255)...)
		}
		r.dst.appendTrimmed(x0, r.y, at)
		return
	}
	switch j - x0 { // columns of the left border
	case 0:
	case 1:
		end := int64(j) << 16
		dst.Bytes = append(dst.Bytes, columnAlpha(end-ul, end-ll))
	case 2:
		a, b := leftPair(ul, ll, j, dyL, 255)
		r.storePair(x0, a, b)
	default:
		dst.Bytes = append(dst.Bytes, r.leftWedge(ul, ll, x0, j, dyL, 255)...)
	}
	from := x0          // column of the byte at `at`
	if k-j >= longRun { // the interior becomes a span of its own
		r.dst.appendTrimmed(x0, r.y, at)
		dst.Spans = append(dst.Spans, Span{X: j, Y: r.y, N: k - j, At: Full})
		from, at = k, len(dst.Bytes)
	} else {
		dst.Bytes = append(dst.Bytes, opaque[:k-j]...)
	}
	switch x1 - k { // columns of the right border
	case 0:
	case 1:
		start := int64(k) << 16
		dst.Bytes = append(dst.Bytes, columnAlpha(ur-start, lr-start))
	case 2:
		a, b := rightPair(ur, lr, k, dyR, 255)
		r.storePair(k, a, b)
	default:
		dst.Bytes = append(dst.Bytes, r.rightWedge(ur, lr, k, x1, dyR, 255)...)
	}
	r.dst.appendTrimmed(from, r.y, at)
}

// opaque is a run of longRun pixels of 255.
var opaque = func() (b [longRun]byte) {
	for i := range b {
		b[i] = 255
	}
	return b
}()

// storePair appends the coverage of a border of two pixels, alpha a in column x and b in the next,
// by the two-pixel rule where it holds (docs/spec/raster.md#r22). It passes the pixels of the
// two-pixel rule to r.trace.
func (r *row) storePair(x int32, a, b byte) {
	if r.twoRule {
		if r.trace != nil {
			r.trace(x, r.y, a)
			r.trace(x+1, r.y, b)
		}
		a, b = OverTwo(0, a), OverTwo(0, b)
	}
	r.dst.Bytes = append(r.dst.Bytes, a, b)
}

// moveToLayers moves the spans of this row that were stored at once into the layers, and removes them
// and their bytes from dst: a span comes that shares pixels with them or needs sums.
func (r *row) moveToLayers() {
	dst := r.dst
	r.closeCells()
	r.storedX = nowhere
	for _, s := range dst.Spans[r.storedSpan:] {
		r.markTouched(s.X, s.X+s.N)
		if s.At == Full {
			r.drawInterior(s.X, s.X+s.N, 255, true)
			continue
		}
		r.hasDirect = true
		copy(r.direct[s.X-r.left:], dst.Bytes[s.At:s.At+s.N])
	}
	for _, s := range dst.Spans[r.storedSpan:] {
		if s.At != Full { // the first span with bytes: they and all later ones are of this row
			dst.Bytes = dst.Bytes[:s.At]
			break
		}
	}
	dst.Spans = dst.Spans[:r.storedSpan]
}
