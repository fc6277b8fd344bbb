package scan

import "plumb/render/chord"

// edgeSide is the left or the right outline of a convex path at one row.
type edgeSide struct {
	edge *chord.Edge
	x    int64 // at row y, q16
	y    int32 // quarter rows
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

// convex fills a convex path from its sorted edges, of which there must be two or more. It goes down
// the path with one left and one right edge, and in each step draws the rows until one of the two
// ends. It is the faster of the two scan converters.
func (scanner *Scanner) convex(f *fill) {
	walk := convexWalk{scanner: scanner, bottom: f.inner.Y1 * 4, waiting: 2}
	walk.left, walk.right = f.bounds()
	var l, r edgeSide
	l.setChord(walk.edge(0))
	r.setChord(walk.edge(1))
	// y is in quarters of a row.
	y := max(l.edge.Top, r.edge.Top)
	scanner.row.y = y >> 2
	for walk.advanceTo(&l, y) && walk.advanceTo(&r, y) && y < walk.bottom {
		l.moveTo(y)
		r.moveTo(y)
		if l.x > r.x || l.x == r.x && l.edge.Slope > r.edge.Slope {
			l, r = r, l // the edges cross here, or edge 0 was the right one
		}
		end := min(l.edge.Bottom, r.edge.Bottom)
		if walk.mayPassEnd(l.edge, r.edge) {
			end = (end + 3) &^ 3 // the end of the pixel row, four quarters
		}
		end = min(end, walk.bottom)
		l.x, r.x = max(walk.left, l.x), min(walk.right, r.x)
		if l.edge.Slope == 0 && r.edge.Slope == 0 {
			walk.fillUpright(l.x, r.x, y, end)
		} else {
			walk.fillSlanted(&l, &r, y, end)
		}
		y = end
		l.y, r.y = y, y
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

// mayPassEnd reports whether the chord of l or r that ends first may be drawn on to the end of its
// last pixel row: the edge that waits next continues it smoothly. If both end within a row of each
// other, both must have such a successor.
func (walk *convexWalk) mayPassEnd(l, r *chord.Edge) bool {
	if walk.waiting == len(walk.scanner.order) || walk.scanner.omits(smoothJump) {
		return false
	}
	next, edges := walk.edge(walk.waiting), &walk.scanner.edges
	switch {
	case l.Bottom+4 < r.Bottom: // the left one ends more than a row before the right one
		return edges.Smooth(l, next)
	case r.Bottom+4 < l.Bottom:
		return edges.Smooth(r, next)
	case walk.waiting+1 == len(walk.scanner.order):
		return false
	}
	other := walk.edge(walk.waiting + 1)
	if other.X < next.X {
		next, other = other, next // so that next is the left one
	}
	return edges.Smooth(l, next) && edges.Smooth(r, other)
}

// partAlpha converts a share of a pixel in q16 to alpha, rounded.
func partAlpha(v int64) byte { return byte((255*v + one/2) >> 16) }

// fillUpright draws the rectangle between two vertical edges at l and r (q16), from quarter row y to
// before end, pixel row by pixel row.
func (walk *convexWalk) fillUpright(l, r int64, y, end int32) {
	row := &walk.scanner.row
	for y < end {
		if y>>2 != row.y {
			row.nextRow(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)
		walk.fillUprightRow(l, r, int64(stop-y)<<14) // a quarter is 1<<14 in q16
		y = stop
	}
}

// fillUprightRow draws a rectangle from l to r (q16) in the current pixel row, of which it covers
// the height h (q16, at most one). Its columns are a left border pixel, the interior [j, k) and a
// right border pixel; where it lies within one column, there is one pixel alone. A whole row of a
// convex path in cells is stored at once, without the layers.
func (walk *convexWalk) fillUprightRow(l, r, h int64) {
	if l >= r {
		return
	}
	row := &walk.scanner.row
	j, k := ceil(l), floor(r)
	if h == one && row.words { // the row holds nothing else: store it at once
		x0, x1 := floor(l), ceil(r)
		if j > k { // within one column
			row.storePixels(x0, x1, x1, x1, uint64(partAlpha(r-l)), 0)
		} else {
			row.storeSpan(x0, j, k, x1, uint64(partAlpha(int64(j)<<16-l)), uint64(partAlpha(r-int64(k)<<16)))
		}
		return
	}
	if row.storedX > nowhere {
		row.moveToLayers()
	}
	row.markTouched(floor(l), ceil(r))
	if j > k { // within one column
		walk.drawBorderPixel(j-1, partAlpha((h*(r-l))>>16), h)
		return
	}
	if v := int64(j)<<16 - l; v > 0 {
		walk.drawBorderPixel(j-1, partAlpha((h*v)>>16), h)
	}
	if j < k {
		row.drawInterior(j, k, int32(partAlpha(h)), h == one)
	}
	if v := r - int64(k)<<16; v > 0 {
		walk.drawBorderPixel(k, partAlpha((h*v)>>16), h)
	}
}

// drawBorderPixel draws the pixel in column x with alpha a, for a vertical border in a strip of
// height h (q16). In a small mask a whole row overwrites the pixel; else it is added or blended.
func (walk *convexWalk) drawBorderPixel(x int32, a byte, h int64) {
	row := &walk.scanner.row
	if h == one && row.masked {
		row.setMaskPixel(x, a)
	} else {
		row.drawPixel(x, a, 256, h == one) // 256: a takes the height into account already
	}
}

// fillSlanted draws between two edges that are not both vertical, from quarter row y to before end,
// one trapezoid in each pixel row, and leaves the edges' x at end in l and r. Trapezoids have their x
// rounded to 1/16 px, as in the reference; the edges go on with the exact x.
func (walk *convexWalk) fillSlanted(l, r *edgeSide, y, end int32) {
	row := &walk.scanner.row
	const half = one / 32 // half of 1/16 px, so that the mask below rounds to the nearest
	lx, rx := l.x+half, r.x+half
	for y < end {
		if y>>2 != row.y {
			row.nextRow(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)
		h := int64(stop - y)
		full := int32(partAlpha(h << 14))
		nl, nr := lx+(l.edge.Slope*h)>>2, rx+(r.edge.Slope*h)>>2
		nl, nr = max(nl, walk.left+half), min(nr, walk.right+half)
		const grid = ^int64(one/16 - 1)
		row.trapezoid(lx&grid, nl&grid, rx&grid, nr&grid, l.edge.DY, r.edge.DY, full, full == 255)
		y, lx, rx = stop, nl, nr
	}
	l.x, r.x = lx-half, rx-half
}
