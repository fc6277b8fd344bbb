package scan

import "plumb/render/chord"

// edgeSide is the left or the right outline of a convex path at one row.
type edgeSide struct {
	e *chord.Edge
	x int64 // at row y, quarter rows
	y int32
}

// setChord starts the side on the chord that e is at.
func (d *edgeSide) setChord(e *chord.Edge) { d.e, d.x, d.y = e, e.X, e.Top }

// moveTo moves the side to row y, in quarter rows.
func (d *edgeSide) moveTo(y int32) {
	if y != d.y {
		d.x, d.y = d.e.X+(d.e.Slope*int64(y-d.e.Top))>>2, y
	}
}

// convexWalk fills a convex path: there are at most a left and a right edge in each row. See
// docs/spec/raster.md#r18.
type convexWalk struct {
	s           *Scanner
	left, right int64 // bounds, q16
	bottom      int32 // first row, in quarters, that is not drawn
	waiting     int   // first edge of s.order that has not begun
}

// convex fills a convex path from its sorted edges, of which there are two or more. It is the
// faster of the two scan converters.
func (s *Scanner) convex(f *fill) {
	w := convexWalk{s: s, bottom: f.inner.Y1 * 4, waiting: 2}
	w.left, w.right = f.bounds()
	var l, r edgeSide
	l.setChord(w.edge(0))
	r.setChord(w.edge(1))
	y := max(l.e.Top, r.e.Top)
	s.row.y = y >> 2
	for w.advanceTo(&l, y) && w.advanceTo(&r, y) && y < w.bottom {
		l.moveTo(y)
		r.moveTo(y)
		if l.x > r.x || l.x == r.x && l.e.Slope > r.e.Slope {
			l, r = r, l
		}
		end := min(l.e.Bottom, r.e.Bottom)
		if w.mayPassEnd(l.e, r.e) {
			end = (end + 3) &^ 3
		}
		end = min(end, w.bottom)
		l.x, r.x = max(w.left, l.x), min(w.right, r.x)
		if l.e.Slope == 0 && r.e.Slope == 0 {
			w.fillUpright(l.x, r.x, y, end)
		} else {
			w.fillSlanted(&l, &r, y, end)
		}
		y = end
		l.y, r.y = y, y
	}
}

func (w *convexWalk) edge(i int) *chord.Edge { return &w.s.edges.List[w.s.order[i].edge] }

// advanceTo moves the side to its next chords, or to edges that wait, until one reaches below row
// y. It returns false if there is none.
func (w *convexWalk) advanceTo(d *edgeSide, y int32) bool {
	for d.e.Bottom <= y {
		if w.s.edges.Next(d.e) {
			d.setChord(d.e)
			continue
		}
		if w.waiting == len(w.s.order) {
			return false
		}
		d.setChord(w.edge(w.waiting))
		w.waiting++
	}
	return true
}

// mayPassEnd reports whether the walk may extend a chord to the end of its last row, because the
// next edge continues it smoothly.
func (w *convexWalk) mayPassEnd(l, r *chord.Edge) bool {
	if w.waiting == len(w.s.order) || w.s.omits(smoothJump) {
		return false
	}
	next, edges := w.edge(w.waiting), &w.s.edges
	switch {
	case l.Bottom+4 < r.Bottom:
		return edges.Smooth(l, next)
	case r.Bottom+4 < l.Bottom:
		return edges.Smooth(r, next)
	case w.waiting+1 == len(w.s.order):
		return false
	}
	other := w.edge(w.waiting + 1)
	if other.X < next.X {
		next, other = other, next
	}
	return edges.Smooth(l, next) && edges.Smooth(r, other)
}

// partAlpha converts a share of a pixel in q16 to alpha, rounded.
func partAlpha(v int64) byte { return byte((255*v + one/2) >> 16) }

// fillUpright draws the rectangle between two vertical edges, quarter rows [y, end).
func (w *convexWalk) fillUpright(l, r int64, y, end int32) {
	row := &w.s.row
	for y < end {
		if y>>2 != row.y {
			row.nextRow(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)
		w.fillUprightRow(l, r, int64(stop-y)<<14)
		y = stop
	}
}

// fillUprightRow draws the part of height h, q16, of such a rectangle in one row.
func (w *convexWalk) fillUprightRow(l, r, h int64) {
	if l >= r {
		return
	}
	row := &w.s.row
	j, k := ceil(l), floor(r)
	if h == one && row.words { // nothing else is in the row
		x0, x1 := floor(l), ceil(r)
		if j > k {
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
	if j > k {
		w.drawBorderPixel(j-1, partAlpha((h*(r-l))>>16), h)
		return
	}
	if v := int64(j)<<16 - l; v > 0 {
		w.drawBorderPixel(j-1, partAlpha((h*v)>>16), h)
	}
	if j < k {
		row.drawInterior(j, k, int32(partAlpha(h)), h == one)
	}
	if v := r - int64(k)<<16; v > 0 {
		w.drawBorderPixel(k, partAlpha((h*v)>>16), h)
	}
}

// drawBorderPixel draws one pixel of a vertical border in a strip of height h, q16.
func (w *convexWalk) drawBorderPixel(x int32, a byte, h int64) {
	row := &w.s.row
	if h == one && row.masked {
		row.setMaskPixel(x, a)
	} else {
		row.drawPixel(x, a, 256, h == one)
	}
}

// fillSlanted draws between two edges that are not both vertical, quarter rows [y, end). Only what
// is drawn has x rounded to 1/16 px; the edges go on exactly.
func (w *convexWalk) fillSlanted(l, r *edgeSide, y, end int32) {
	row := &w.s.row
	const half = one / 32
	lx, rx := l.x+half, r.x+half
	for y < end {
		if y>>2 != row.y {
			row.nextRow(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)
		h := int64(stop - y)
		full := int32(partAlpha(h << 14))
		nl, nr := lx+(l.e.Slope*h)>>2, rx+(r.e.Slope*h)>>2
		nl, nr = max(nl, w.left+half), min(nr, w.right+half)
		const grid = ^int64(one/16 - 1)
		row.trapezoid(lx&grid, nl&grid, rx&grid, nr&grid, l.e.DY, r.e.DY, full, full == 255)
		y, lx, rx = stop, nl, nr
	}
	l.x, r.x = lx-half, rx-half
}
