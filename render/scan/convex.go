package scan

import "plumb/render/chord"

// edgeSide is the left or the right outline of a convex path at one row.
type edgeSide struct {
	e *chord.Edge
	x int64 // at row y, quarter rows
	y int32
}

func (d *edgeSide) take(e *chord.Edge) { d.e, d.x, d.y = e, e.X, e.Top }

// to moves the side to row y.
func (d *edgeSide) to(y int32) {
	if y != d.y {
		d.x, d.y = d.e.X+(d.e.Slope*int64(y-d.e.Top))>>2, y
	}
}

// convexWalk fills a convex path between its left and its right edge. See
// docs/spec/raster.md#r18.
type convexWalk struct {
	s           *Scanner
	left, right int64 // bounds, q16
	bottom      int32 // first row, in quarters, that is not drawn
	waiting     int   // first edge of s.order that has not begun
}

func (s *Scanner) convex(f *fill) {
	w := convexWalk{s: s, bottom: f.inner.Y1 * 4, waiting: 2}
	w.left, w.right = f.bounds()
	var l, r edgeSide
	l.take(w.edge(0))
	r.take(w.edge(1))
	y := max(l.e.Top, r.e.Top)
	s.row.y = y >> 2
	for w.advance(&l, y) && w.advance(&r, y) && y < w.bottom {
		l.to(y)
		r.to(y)
		if l.x > r.x || l.x == r.x && l.e.Slope > r.e.Slope {
			l, r = r, l
		}
		end := min(l.e.Bottom, r.e.Bottom)
		if w.smooth(l.e, r.e) {
			end = (end + 3) &^ 3
		}
		end = min(end, w.bottom)
		l.x, r.x = max(w.left, l.x), min(w.right, r.x)
		if l.e.Slope == 0 && r.e.Slope == 0 {
			w.upright(l.x, r.x, y, end)
		} else {
			w.slanted(&l, &r, y, end)
		}
		y = end
		l.y, r.y = y, y
	}
}

func (w *convexWalk) edge(i int) *chord.Edge { return &w.s.edges.List[w.s.order[i].edge] }

// advance takes chords, or waiting edges, until one reaches below row y.
func (w *convexWalk) advance(d *edgeSide, y int32) bool {
	for d.e.Bottom <= y {
		if w.s.edges.Next(d.e) {
			d.take(d.e)
			continue
		}
		if w.waiting == len(w.s.order) {
			return false
		}
		d.take(w.edge(w.waiting))
		w.waiting++
	}
	return true
}

// smooth reports whether the walk may pass the end of the next chord that ends
// by part of a row.
func (w *convexWalk) smooth(l, r *chord.Edge) bool {
	if w.waiting == len(w.s.order) || w.s.lacks(smoothJump) {
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

// part is the alpha of a part of a pixel in q16.
func part(v int64) byte { return byte((255*v + one/2) >> 16) }

// upright draws the rectangle between two vertical edges, quarter rows [y, end).
func (w *convexWalk) upright(l, r int64, y, end int32) {
	row := &w.s.row
	for y < end {
		if y>>2 != row.y {
			row.next(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)
		w.uprightRow(l, r, int64(stop-y)<<14)
		y = stop
	}
}

// uprightRow draws a rectangle of the height h, q16, in one row.
func (w *convexWalk) uprightRow(l, r, h int64) {
	if l >= r {
		return
	}
	row := &w.s.row
	j, k := ceil(l), floor(r)
	if h == one && row.words { // nothing else is in the row
		x0, x1 := floor(l), ceil(r)
		if j > k {
			row.put(x0, x1, x1, x1, uint64(part(r-l)), 0)
		} else {
			row.putSpan(x0, j, k, x1, uint64(part(int64(j)<<16-l)), uint64(part(r-int64(k)<<16)))
		}
		return
	}
	if row.quickX > nowhere {
		row.recall()
	}
	row.touch(floor(l), ceil(r))
	if j > k {
		w.uprightPixel(j-1, part((h*(r-l))>>16), h)
		return
	}
	if v := int64(j)<<16 - l; v > 0 {
		w.uprightPixel(j-1, part((h*v)>>16), h)
	}
	if j < k {
		row.inside(j, k, int32(part(h)), h == one)
	}
	if v := r - int64(k)<<16; v > 0 {
		w.uprightPixel(k, part((h*v)>>16), h)
	}
}

// uprightPixel draws one pixel of a vertical border in a row of the height h.
func (w *convexWalk) uprightPixel(x int32, a byte, h int64) {
	row := &w.s.row
	switch {
	case h == one && row.masked:
		row.set(x, a)
	default:
		row.single(x, a, 256, h == one)
	}
}

// slanted draws between two edges that are not both vertical. x is rounded to
// 1/16 px, but only for what is drawn.
func (w *convexWalk) slanted(l, r *edgeSide, y, end int32) {
	row := &w.s.row
	const half = one / 32
	lx, rx := l.x+half, r.x+half
	for y < end {
		if y>>2 != row.y {
			row.next(y >> 2)
		}
		stop := min(end, (y>>2+1)<<2)
		h := int64(stop - y)
		full := int32(part(h << 14))
		nl, nr := lx+(l.e.Slope*h)>>2, rx+(r.e.Slope*h)>>2
		nl, nr = max(nl, w.left+half), min(nr, w.right+half)
		const grid = ^int64(one/16 - 1)
		row.trapezoid(lx&grid, nl&grid, rx&grid, nr&grid, l.e.DY, r.e.DY, full, full == 255)
		y, lx, rx = stop, nl, nr
	}
	l.x, r.x = lx-half, rx-half
}
