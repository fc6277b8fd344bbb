package scan

import "math"

// nowhere is a column left of all columns.
const nowhere = math.MinInt32

// storeTrapezoid appends the coverage of a direct trapezoid to row.dst at once, instead of through the layers
// of the row. Its parameters are those of drawTrapezoid. This is right as long as all spans of the row are direct
// and share no pixel, as in most rows; if another span comes, moveToLayers takes the stored ones back.
func (row *row) storeTrapezoid(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR int64) {
	x0, innerFrom, innerTo, x1 := floor(upperLeft), ceil(lowerLeft), floor(upperRight), ceil(lowerRight)
	dst := row.dst
	if row.storedEnd == nowhere {
		row.firstStored = len(dst.Spans)
	}
	row.storedEnd = x1
	pos := len(dst.Bytes)
	// The borders overlap: there is no interior, and the trapezoid is drawn as one.
	if innerFrom > innerTo {
		if x1-x0 == 1 {
			dst.Bytes = append(dst.Bytes, columnAlpha(upperRight-upperLeft, lowerRight-lowerLeft))
		} else {
			dst.Bytes = append(dst.Bytes, row.narrowWedge(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR, x0, x1, 255)...)
		}
		row.dst.appendTrimmed(x0, row.y, pos)
		return
	}
	switch innerFrom - x0 { // columns of the left border
	case 0:
	case 1:
		end := int64(innerFrom) << 16
		dst.Bytes = append(dst.Bytes, columnAlpha(end-upperLeft, end-lowerLeft))
	case 2:
		a, b := leftPair(upperLeft, lowerLeft, innerFrom, dyL, 255)
		row.storePair(x0, a, b)
	default:
		dst.Bytes = append(dst.Bytes, row.leftWedge(upperLeft, lowerLeft, x0, innerFrom, dyL, 255)...)
	}
	from := x0                        // column of the byte at pos
	if innerTo-innerFrom >= longRun { // the interior becomes a span of its own
		row.dst.appendTrimmed(x0, row.y, pos)
		dst.Spans = append(dst.Spans, Span{X: innerFrom, Y: row.y, Width: innerTo - innerFrom, FirstByte: Full})
		from, pos = innerTo, len(dst.Bytes)
	} else {
		dst.Bytes = append(dst.Bytes, opaque[:innerTo-innerFrom]...)
	}
	switch x1 - innerTo { // columns of the right border
	case 0:
	case 1:
		start := int64(innerTo) << 16
		dst.Bytes = append(dst.Bytes, columnAlpha(upperRight-start, lowerRight-start))
	case 2:
		a, b := rightPair(upperRight, lowerRight, innerTo, dyR, 255)
		row.storePair(innerTo, a, b)
	default:
		dst.Bytes = append(dst.Bytes, row.rightWedge(upperRight, lowerRight, innerTo, x1, dyR, 255)...)
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

// storePair appends the coverage of a border of two pixels, alpha a in column x and b in the next. Where the
// two-pixel rule holds, by which the browser draws such pairs (docs/spec/raster.md#r22), it stores what the rule
// makes of them, and passes both pixels with their alphas before the rule to row.onPairPixel.
func (row *row) storePair(x int32, a, b byte) {
	if row.pairRule {
		if row.onPairPixel != nil {
			row.onPairPixel(x, row.y, a)
			row.onPairPixel(x+1, row.y, b)
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
	row.storedEnd = nowhere
	for _, span := range dst.Spans[row.firstStored:] {
		row.markTouched(span.X, span.X+span.Width)
		if span.FirstByte == Full {
			row.drawInterior(span.X, span.X+span.Width, 255, true)
			continue
		}
		row.hasDirect = true
		copy(row.direct[span.X-row.left:], dst.Bytes[span.FirstByte:span.FirstByte+span.Width])
	}
	for _, s := range dst.Spans[row.firstStored:] {
		if s.FirstByte != Full { // the first span with bytes: they and all later ones are of this row
			dst.Bytes = dst.Bytes[:s.FirstByte]
			break
		}
	}
	dst.Spans = dst.Spans[:row.firstStored]
}
