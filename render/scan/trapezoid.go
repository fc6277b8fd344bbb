package scan

// onePx is 1 px in q16, which means in 1/65536 px.
const onePx = 1 << 16

// floor and ceil round a q16 coordinate to a column.
func floor(v int64) int32 { return int32(v >> 16) }
func ceil(v int64) int32  { return int32((v + onePx - 1) >> 16) }

// columnAlpha is the alpha of a trapezoid one px high and within one column, whose upper side is a
// and whose lower side b wide, q16.
func columnAlpha(a, b int64) byte { return byte(((a + b) / 2) >> 8) }

// cornerAlpha is the alpha of a triangle that is a wide under an edge that falls by dy per column.
// As in the reference its factors have 5 bits.
func cornerAlpha(a, dy int64) byte { return byte(((a >> 11) * (a >> 11) * (dy >> 11)) >> 8) }

// preciseCornerAlpha is cornerAlpha with factors of 16 bits.
func preciseCornerAlpha(a, dy int64) byte { return byte((a * ((a * dy) >> 16) >> 16) >> 9) }

// scaleAlpha scales a by the height of a strip.
func scaleAlpha(a byte, stripAlpha int32) byte { return byte(int32(a) * stripAlpha >> 8) }

// subSaturated is a - b, not below 0.
func subSaturated(a, b byte) byte { return a - min(a, b) }

// drawTrapezoid draws the part of a span in one strip of the row. upperLeft, lowerLeft, upperRight and lowerRight are
// the x of its corners, in 1/65536 px; dyL and dyR are how much its edges rise or fall per column; stripAlpha is the
// strip's height as alpha, 255 for a whole row. direct says that the strip is a whole row and the span shares no
// pixel with another, so that it need not be added to others.
//
// The columns are a left border [x0, innerFrom), the interior [innerFrom, innerTo) and a right border [innerTo,
// x1). Where the borders overlap, the trapezoid is drawn as one. As long as the row holds only direct spans from
// left to right, they are stored at once. See docs/spec/raster.md#r19.
func (row *row) drawTrapezoid(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR int64, stripAlpha int32, direct bool) {
	if upperLeft > upperRight {
		return
	}
	if lowerLeft > lowerRight { // the edges cross: both end about where they meet
		lowerLeft = (max(min(upperLeft, lowerLeft), min(upperRight, lowerRight)) + min(max(upperLeft, lowerLeft), max(upperRight, lowerRight))) >> 1
		lowerRight = lowerLeft
	}
	if upperLeft == upperRight && lowerLeft == lowerRight {
		return
	}
	// The direction of an edge is not assumed.
	upperLeft, lowerLeft = min(upperLeft, lowerLeft), max(upperLeft, lowerLeft)
	upperRight, lowerRight = min(upperRight, lowerRight), max(upperRight, lowerRight)
	x0, x1 := floor(upperLeft), ceil(lowerRight)
	if x0 >= x1 {
		return
	}
	// A strip of part of a row is added: then the layers hold sums alone.
	if stripAlpha < 255 && row.inWords {
		row.addTrapezoidCells(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR, stripAlpha)
		return
	}
	if row.storedEnd > nowhere || !row.layered { // all of the row so far was stored at once, or it is empty
		if direct && !row.inSmallMask && x0 >= row.storedEnd {
			if row.inCells && row.onPairPixel == nil {
				row.storeTrapezoidCells(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR)
				return
			}
			if !row.inCells {
				row.storeTrapezoid(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR)
				return
			}
		}
		if row.storedEnd > nowhere {
			row.moveToLayers()
		}
	}
	if row.inWords && !direct {
		row.addTrapezoidCells(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR, stripAlpha)
		return
	}
	// From here on the row is drawn in layers: left border, interior, right border.
	innerFrom, innerTo := ceil(lowerLeft), floor(upperRight)
	row.markTouched(x0, x1)
	if innerFrom > innerTo {
		if x1-x0 == 1 {
			row.drawPixel(x0, columnAlpha(upperRight-upperLeft, lowerRight-lowerLeft), stripAlpha, direct)
		} else {
			row.drawWedge(x0, row.narrowWedge(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR, x0, x1, stripAlpha), direct)
		}
		return
	}
	switch innerFrom - x0 {
	case 0:
	case 1:
		end := int64(innerFrom) << 16
		row.drawPixel(x0, columnAlpha(end-upperLeft, end-lowerLeft), stripAlpha, direct)
	case 2:
		a, b := leftPair(upperLeft, lowerLeft, innerFrom, dyL, stripAlpha)
		row.drawPair(x0, a, b, direct)
	default:
		row.drawWedge(x0, row.leftWedge(upperLeft, lowerLeft, x0, innerFrom, dyL, stripAlpha), direct)
	}
	if innerFrom < innerTo {
		row.drawInterior(innerFrom, innerTo, stripAlpha, direct)
	}
	switch x1 - innerTo {
	case 0:
	case 1:
		start := int64(innerTo) << 16
		row.drawPixel(innerTo, columnAlpha(upperRight-start, lowerRight-start), stripAlpha, direct)
	case 2:
		a, b := rightPair(upperRight, lowerRight, innerTo, dyR, stripAlpha)
		row.drawPair(innerTo, a, b, direct)
	default:
		row.drawWedge(innerTo, row.rightWedge(upperRight, lowerRight, innerTo, x1, dyR, stripAlpha), direct)
	}
}

// leftPair returns the alphas of the two columns before innerFrom, which a left edge crosses from x = upperLeft in
// the first to lowerLeft in the second. In the first the covered part is the corner right of the edge, in the second
// all but the corner left of it. stripAlpha is the strip's height as alpha.
func leftPair(upperLeft, lowerLeft int64, innerFrom int32, dy int64, stripAlpha int32) (a, b byte) {
	mid := int64(innerFrom-1) << 16
	return cornerAlpha(mid-upperLeft, dy), byte(stripAlpha) - cornerAlpha(lowerLeft-mid, dy)
}

// rightPair returns the alphas of the two columns from innerTo on, which a right edge crosses from x = upperRight
// in the first to lowerRight in the second. In the first the covered part is all but the corner right of the edge,
// in the second the corner left of it. stripAlpha is the strip's height as alpha.
func rightPair(upperRight, lowerRight int64, innerTo int32, dy int64, stripAlpha int32) (a, b byte) {
	mid := int64(innerTo+1) << 16
	return byte(stripAlpha) - cornerAlpha(mid-upperRight, dy), cornerAlpha(lowerRight-mid, dy)
}

// leftWedge returns the alphas of the three or more columns [x0, innerFrom) that a left edge crosses: the
// strip's height, stripAlpha, less the area left of the edge. The edge goes from x = upperLeft to lowerLeft and rises or
// falls by dy per column. The slice is valid until the next call of a function that returns a wedge.
func (row *row) leftWedge(upperLeft, lowerLeft int64, x0, innerFrom int32, dy int64, stripAlpha int32) []byte {
	alphas, start := row.wedge[:innerFrom-x0], int64(x0)<<16
	areaLeftOf(alphas, upperLeft-start, lowerLeft-start, dy, stripAlpha)
	for i, a := range alphas {
		alphas[i] = subSaturated(byte(stripAlpha), a)
	}
	return alphas
}

// rightWedge returns the alphas of the columns [innerTo, x1) that the right edge of a trapezoid crosses: the
// height of the strip, stripAlpha, less the area right of the edge. The edge goes from x = upperRight at the top of
// the strip to lowerRight at its bottom, and rises or falls by dy per column. The slice is valid as that of
// leftWedge.
func (row *row) rightWedge(upperRight, lowerRight int64, innerTo, x1 int32, dy int64, stripAlpha int32) []byte {
	alphas, start := row.wedge[:x1-innerTo], int64(innerTo)<<16
	areaRightOf(alphas, upperRight-start, lowerRight-start, dy, stripAlpha)
	for i, a := range alphas {
		alphas[i] = subSaturated(byte(stripAlpha), a)
	}
	return alphas
}

// narrowWedge returns the alphas of the columns [x0, x1) of a trapezoid whose edges share a column: the
// height of the strip, stripAlpha, less the area left of the left edge and that right of the right one.
// An edge that crosses just two columns leaves a corner in each, as in leftPair and rightPair. The
// slice is valid until the next call of a function that returns a wedge.
func (row *row) narrowWedge(upperLeft, lowerLeft, upperRight, lowerRight, dyL, dyR int64, x0, x1, stripAlpha int32) []byte {
	alphas := row.wedge[:x1-x0]
	for i := range alphas {
		alphas[i] = byte(stripAlpha)
	}
	// Subtract what lies left of the left edge, which touches n columns.
	if n := ceil(lowerLeft) - x0; n == 2 {
		mid := int64(x0+1) << 16
		alphas[0] = subSaturated(alphas[0], byte(stripAlpha)-cornerAlpha(mid-upperLeft, dyL))
		alphas[1] = subSaturated(alphas[1], cornerAlpha(lowerLeft-mid, dyL))
	} else {
		b := row.spareWedge[:n]
		areaLeftOf(b, upperLeft-int64(x0)<<16, lowerLeft-int64(x0)<<16, dyL, stripAlpha)
		for i, a := range b {
			alphas[i] = subSaturated(alphas[i], a)
		}
	}
	// Subtract what lies right of the right edge.
	column := floor(upperRight) // where the right edge begins
	start := int64(column) << 16
	v := alphas[column-x0:]
	if n := x1 - column; n == 2 {
		v[0] = subSaturated(v[0], cornerAlpha(start+onePx-upperRight, dyR))
		v[1] = subSaturated(v[1], byte(stripAlpha)-cornerAlpha(lowerRight-start-onePx, dyR))
	} else {
		b := row.spareWedge[:n]
		areaRightOf(b, upperRight-start, lowerRight-start, dyR, stripAlpha)
		for i, a := range b {
			v[i] = subSaturated(v[i], a)
		}
	}
	return alphas
}

// areaLeftOf sets dst to the area left of an edge from l to r, one alpha per column. l and r are
// relative to the first column, q16; the edge crosses all columns of dst. The last column is a corner,
// in those before it the area grows by dy per column, and the first has all but a corner. stripAlpha is the
// strip's height as alpha.
func areaLeftOf(dst []byte, l, r, dy int64, stripAlpha int32) {
	n := len(dst)
	switch n {
	case 0:
		return
	case 1:
		dst[0] = scaleAlpha(columnAlpha(l, r), stripAlpha)
		return
	}
	last := r - int64(n-1)<<16 // width of the corner in the last column
	dst[n-1] = preciseCornerAlpha(last, dy)
	area := (last*dy)>>16 + dy>>1 // area of the next column, where the edge is last*dy to (last+1)*dy high
	for i := n - 2; i > 0; i-- {
		dst[i] = byte(area >> 8)
		area += dy
	}
	dst[0] = byte(stripAlpha) - cornerAlpha(onePx-l, dy)
}

// areaRightOf sets dst to the area right of an edge from l to r, one alpha per column. l and r are
// relative to the first column, q16; the edge crosses all columns of dst. The first column is a
// corner, in those after it the area grows by dy per column, and the last has all but a corner. stripAlpha
// is the strip's height as alpha. areaLeftOf does so for the other side.
func areaRightOf(dst []byte, l, r, dy int64, stripAlpha int32) {
	n := len(dst)
	switch n {
	case 0:
		return
	case 1:
		dst[0] = scaleAlpha(byte((2*onePx-l-r)>>9), stripAlpha)
		return
	}
	first := onePx - l // width of the corner in the first column
	dst[0] = preciseCornerAlpha(first, dy)
	area := (first*dy)>>16 + dy>>1 // area of the next column, where the edge is first*dy to (first+1)*dy high
	for i := 1; i < n-1; i++ {
		dst[i] = byte(area >> 8)
		area += dy
	}
	dst[n-1] = byte(stripAlpha) - cornerAlpha(r-int64(n-1)<<16, dy)
}
