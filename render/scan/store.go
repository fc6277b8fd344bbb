package scan

import "math"

// nowhere is a column left of all columns.
const nowhere = math.MinInt32

// storeTrapezoid appends the coverage of a direct trapezoid to dst at once, instead of through the
// layers of the row. Its corners are as in trapezoid. This is right while all spans of the row are
// direct and share no pixel, as in most rows; else moveToLayers takes the stored spans back.
func (row *row) storeTrapezoid(ul, ll, ur, lr, dyL, dyR int64) {
	x0, j, k, x1 := floor(ul), ceil(ll), floor(ur), ceil(lr)
	dst := row.dst
	if row.storedX == nowhere {
		row.storedSpan = len(dst.Spans)
	}
	row.storedX = x1
	pos := len(dst.Bytes)
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if j > k {
		if x1-x0 == 1 {
			dst.Bytes = append(dst.Bytes, columnAlpha(ur-ul, lr-ll))
		} else {
			dst.Bytes = append(dst.Bytes, row.narrow(ul, ll, ur, lr, dyL, dyR, x0, x1, 255)...)
		}
		row.dst.appendTrimmed(x0, row.y, pos)
		return
	}
	switch j - x0 { // columns of the left border
	case 0:
	case 1:
		end := int64(j) << 16
		dst.Bytes = append(dst.Bytes, columnAlpha(end-ul, end-ll))
	case 2:
		a, b := leftPair(ul, ll, j, dyL, 255)
		row.storePair(x0, a, b)
	default:
		dst.Bytes = append(dst.Bytes, row.leftWedge(ul, ll, x0, j, dyL, 255)...)
	}
	from := x0          // column of the byte at `at`
	if k-j >= longRun { // the interior becomes a span of its own
		row.dst.appendTrimmed(x0, row.y, pos)
		dst.Spans = append(dst.Spans, Span{X: j, Y: row.y, N: k - j, At: Full})
		from, pos = k, len(dst.Bytes)
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
		row.storePair(k, a, b)
	default:
		dst.Bytes = append(dst.Bytes, row.rightWedge(ur, lr, k, x1, dyR, 255)...)
	}
	row.dst.appendTrimmed(from, row.y, pos)
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
// two-pixel rule to row.trace.
func (row *row) storePair(x int32, a, b byte) {
	if row.twoRule {
		if row.trace != nil {
			row.trace(x, row.y, a)
			row.trace(x+1, row.y, b)
		}
		a, b = OverTwo(0, a), OverTwo(0, b)
	}
	row.dst.Bytes = append(row.dst.Bytes, a, b)
}

// moveToLayers moves the spans of this row that were stored at once into the layers, and removes them
// and their bytes from dst: a span comes that shares pixels with them or needs sums.
func (row *row) moveToLayers() {
	dst := row.dst
	row.closeCells()
	row.storedX = nowhere
	for _, span := range dst.Spans[row.storedSpan:] {
		row.markTouched(span.X, span.X+span.N)
		if span.At == Full {
			row.drawInterior(span.X, span.X+span.N, 255, true)
			continue
		}
		row.hasDirect = true
		copy(row.direct[span.X-row.left:], dst.Bytes[span.At:span.At+span.N])
	}
	for _, s := range dst.Spans[row.storedSpan:] {
		if s.At != Full { // the first span with bytes: they and all later ones are of this row
			dst.Bytes = dst.Bytes[:s.At]
			break
		}
	}
	dst.Spans = dst.Spans[:row.storedSpan]
}
