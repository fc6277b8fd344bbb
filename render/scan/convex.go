package scan

import "plumb/render/chord"

// edgeSide is the left or the right outline of a convex path at one row.
type edgeSide struct {
	edge *chord.Edge
	x    int64 // of the edge at row y, in 1/65536 px (q16)
	y    int32 // in quarter rows
}

// setChord starts the side on the chord that e is at.
func (d *edgeSide) setChord(e *chord.Edge) { d.edge, d.x, d.y = e, e.X, e.Top }

// moveTo sets d.x to where the side's chord is at row y, in quarter rows. If the side is there
// already, its x stays, which may have been clamped to the bounds.
func (d *edgeSide) moveTo(y int32) {
	if y != d.y {
		// Slope is per whole row, hence the shift by 2.
		d.x, d.y = d.edge.X+(d.edge.Slope*int64(y-d.edge.Top))>>2, y
	}
}

// convexWalk fills a convex path: there are at most a left and a right edge in each row. See
// docs/spec/raster.md#r18.
type convexWalk struct {
	scanner     *Scanner
	left, right int64 // bounds, q16
	bottom      int32 // first row, in quarters, that is not drawn
	waiting     int   // first edge of scanner.order that has not begun
}

// fillConvex fills a convex path from its sorted edges, of which there must be two or more. A convex path has
// one left and one right edge in each row. It goes down the path with these two, and in each step draws the rows
// until one of them ends. It is the faster of the two scan converters.
func (scanner *Scanner) fillConvex(f *pathFill) {
	walk := convexWalk{scanner: scanner, bottom: f.inner.Y1 * 4, waiting: 2}
	walk.left, walk.right = f.bounds()
	var left, right edgeSide
	left.setChord(walk.edge(0))
	right.setChord(walk.edge(1))
	// y is in quarters of a row.
	y := max(left.edge.Top, right.edge.Top)
	scanner.row.y = y >> 2 // in whole rows
	for walk.advanceTo(&left, y) && walk.advanceTo(&right, y) && y < walk.bottom {
		left.moveTo(y)
		right.moveTo(y)
		if left.x > right.x || left.x == right.x && left.edge.Slope > right.edge.Slope {
			left, right = right, left // the edges cross here, or edge 0 was the right one
		}
		end := min(left.edge.Bottom, right.edge.Bottom)
		if walk.mayPassEnd(left.edge, right.edge) {
			end = (end + 3) &^ 3 // the end of the pixel row, four quarters
		}
		end = min(end, walk.bottom)
		left.x, right.x = max(walk.left, left.x), min(walk.right, right.x)
		if left.edge.Slope == 0 && right.edge.Slope == 0 {
			walk.fillUpright(left.x, right.x, y, end)
		} else {
			walk.fillSlanted(&left, &right, y, end)
		}
		y = end
		left.y, right.y = y, y
	}
}

func (walk *convexWalk) edge(i int) *chord.Edge {
	return &walk.scanner.edges.List[walk.scanner.order[i].edge]
}

// advanceTo replaces the side's chord by the next chords of its edge, and at the end of that edge by
// the next edges that wait, until one reaches below row y (quarter rows). It returns false if there
// is none: the path ends.
func (walk *convexWalk) advanceTo(side *edgeSide, y int32) bool {
	for side.edge.Bottom <= y {
		if walk.scanner.edges.Next(side.edge) {
			side.setChord(side.edge)
			continue
		}
		if walk.waiting == len(walk.scanner.order) {
			return false
		}
		side.setChord(walk.edge(walk.waiting))
		walk.waiting++
	}
	return true
}

// mayPassEnd reports whether the chord that ends first, of the left or the right edge, may be drawn on to the
// end of its last pixel row, as the reference does (the rule smoothJump). It may if the edge that waits next
// continues it smoothly. If both chords end within a row of each other, both must be continued so.
func (walk *convexWalk) mayPassEnd(left, right *chord.Edge) bool {
	if walk.waiting == len(walk.scanner.order) || walk.scanner.testOmits(smoothJump) {
		return false
	}
	next, edges := walk.edge(walk.waiting), &walk.scanner.edges
	switch {
	case left.Bottom+4 < right.Bottom: // the left one ends more than a row, four quarters, before the right one
		return edges.Smooth(left, next)
	case right.Bottom+4 < left.Bottom:
		return edges.Smooth(right, next)
	case walk.waiting+1 == len(walk.scanner.order):
		return false
	}
	other := walk.edge(walk.waiting + 1)
	if other.X < next.X {
		next, other = other, next // so that next is the left one
	}
	return edges.Smooth(left, next) && edges.Smooth(right, other)
}

// partAlpha converts a share of a pixel in q16 to alpha, rounded.
func partAlpha(v int64) byte { return byte((255*v + onePx/2) >> 16) }

// fillUpright draws the rectangle between two vertical edges at l and r (q16), from quarter row y to
// before end, pixel row by pixel row.
func (walk *convexWalk) fillUpright(l, r int64, y, end int32) {
	row := &walk.scanner.row
	for y < end {
		if y>>2 != row.y {
			row.nextRow(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)                // at most to the end of the pixel row, four quarters
		walk.fillUprightRow(l, r, int64(stop-y)<<14) // a quarter is 1<<14 in q16
		y = stop
	}
}

// fillUprightRow draws a rectangle from left to right in the current pixel row, of which it covers the given
// height, at most one px; all are in 1/65536 px. Its columns are a left border pixel, the interior [innerFrom,
// innerTo) and a right border pixel; where it lies within one column, there is one pixel alone. A whole row of a
// convex path in cells is stored at once, without the layers of the row, as it holds nothing else.
func (walk *convexWalk) fillUprightRow(left, right, height int64) {
	if left >= right {
		return
	}
	row := &walk.scanner.row
	innerFrom, innerTo := ceil(left), floor(right)
	if height == onePx && row.inWords { // a whole row, in cells and outside the small mask: store it at once
		x0, x1 := floor(left), ceil(right)
		if innerFrom > innerTo { // within one column
			row.storePixels(x0, x1, x1, x1, uint64(partAlpha(right-left)), 0)
		} else {
			row.storeSpan(x0, innerFrom, innerTo, x1, uint64(partAlpha(int64(innerFrom)<<16-left)), uint64(partAlpha(right-int64(innerTo)<<16)))
		}
		return
	}
	if row.storedEnd > nowhere { // something was stored at once
		row.moveToLayers()
	}
	row.markTouched(floor(left), ceil(right))
	if innerFrom > innerTo { // within one column
		walk.drawBorderPixel(innerFrom-1, partAlpha((height*(right-left))>>16), height)
		return
	}
	if part := int64(innerFrom)<<16 - left; part > 0 {
		walk.drawBorderPixel(innerFrom-1, partAlpha((height*part)>>16), height)
	}
	if innerFrom < innerTo {
		row.drawInterior(innerFrom, innerTo, int32(partAlpha(height)), height == onePx)
	}
	if part := right - int64(innerTo)<<16; part > 0 {
		walk.drawBorderPixel(innerTo, partAlpha((height*part)>>16), height)
	}
}

// drawBorderPixel draws the pixel in column x with alpha a, for a vertical border in a strip of height h, in
// 1/65536 px. As in the reference, in a small mask (row.inSmallMask) a strip that is a whole row overwrites the
// pixel; else the alpha is added or blended.
func (walk *convexWalk) drawBorderPixel(x int32, a byte, h int64) {
	row := &walk.scanner.row
	if h == onePx && row.inSmallMask {
		row.setMaskPixel(x, a)
	} else {
		const noScaling = 256 // a takes the height into account already
		row.drawPixel(x, a, noScaling, h == onePx)
	}
}

// fillSlanted draws between two edges that are not both vertical, from quarter row y to before end: one
// trapezoid in each pixel row. It sets the x of both sides to that at end. Trapezoids have their x rounded to
// 1/16 px, as in the reference; the edges go on with the exact x.
func (walk *convexWalk) fillSlanted(left, right *edgeSide, y, end int32) {
	row := &walk.scanner.row
	const half = onePx / 32 // half of 1/16 px, so that the mask below rounds to the nearest
	leftX, rightX := left.x+half, right.x+half
	for y < end {
		if y>>2 != row.y {
			row.nextRow(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2) // at most to the end of the pixel row, four quarters
		quarters := int64(stop - y)
		stripAlpha := int32(partAlpha(quarters << 14))
		leftEnd, rightEnd := leftX+(left.edge.Slope*quarters)>>2, rightX+(right.edge.Slope*quarters)>>2
		leftEnd, rightEnd = max(leftEnd, walk.left+half), min(rightEnd, walk.right+half)
		const grid = ^int64(onePx/16 - 1)
		row.drawTrapezoid(leftX&grid, leftEnd&grid, rightX&grid, rightEnd&grid, left.edge.DY, right.edge.DY, stripAlpha, stripAlpha == 255)
		y, leftX, rightX = stop, leftEnd, rightEnd
	}
	left.x, right.x = leftX-half, rightX-half
}
