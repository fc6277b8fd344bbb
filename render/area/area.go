// Package area fills paths with their true coverage, for `--raster exact`. In: paths in px, the
// clip. Out: the share of every pixel that lies inside, in 1/255 to the nearest, as the spans
// that package scan leaves too. Paths that are added to one filler are united: a pixel takes
// the largest share, so that the two passes of a hand-drawn stroke are not added up. It refuses
// nothing, like package chord. See docs/spec/raster.md#r43.
package area

import (
	"cmp"
	"math"
	"slices"

	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/vector"
)

const (
	// unit is the number of steps per px. whole is the area of a pixel as it is counted here: its
	// height times twice its width, in steps.
	unit      = chord.Unit
	unitShift = 10 // binary logarithm of unit
	whole     = 2 * unit * unit
)

// edge is a straight piece of an outline, directed downwards, in 1/unit px.
type edge struct {
	x0, y0, x1, y1 int64
	x              int64 // where it is at the top of the current row
	wind           int64 // +1 where the path runs down along it, -1 where it runs up
	path           int32 // number of the path that it belongs to
}

// Filler fills paths with their true coverage. It holds no result, only the paths added since the
// last Take, and scratch memory: one goroutine at a time. The zero value is ready for use.
type Filler struct {
	// Stop, if set, is called every few rows. Once it returns true, Take ends and its
	// output is incomplete.
	Stop func() bool

	// Pieces counts the straight pieces that paths were cut into so far.
	Pieces int

	cutter   chord.Cutter
	segments []chord.Segment
	edges    []edge // from top to bottom
	paths    int32
	clip     chord.Rect

	active []edge // the edges that cross the current row, grouped by path
	// The current row of pixels has an entry for each column from left on. height is how much of the
	// row's height the edges in the column span, and leftArea twice the area on their left inside the
	// column; edges that run up count negative in both.
	left     int32
	height   []int64
	leftArea []int64
	alpha    []byte // the result, 0..255
}

// Add adds a path to the area to fill. Every subpath counts as closed. clip is the canvas, in px
// from the corner that the path is given from, the same for all paths until Take.
func (filler *Filler) Add(p *vector.Path, clip chord.Rect) {
	filler.clip = clip
	filler.segments = filler.cutter.Append(filler.segments[:0], p, clip, chord.Exact)
	filler.Pieces += len(filler.segments)
	for _, segment := range filler.segments {
		wind := int64(1)
		if segment.Y1 < segment.Y0 { // an edge runs down; wind keeps the direction of the path
			segment.X0, segment.Y0, segment.X1, segment.Y1 = segment.X1, segment.Y1, segment.X0, segment.Y0
			wind = -1
		}
		x0, y0, x1, y1 := int64(segment.X0), int64(segment.Y0), int64(segment.X1), int64(segment.Y1)
		filler.edges = append(filler.edges, edge{x0: x0, y0: y0, x1: x1, y1: y1, x: x0, wind: wind, path: filler.paths})
	}
	filler.paths++
}

// Take appends the coverage of the added paths, by the non-zero rule, to dst and forgets the
// paths. It returns the range of its spans. Where outlines of one path overlap within a pixel,
// their signed areas are added up.
func (filler *Filler) Take(dst *scan.Coverage) (first, count int) {
	first = len(dst.Spans)
	edges := filler.sortEdges()
	for y := int64(math.MinInt64); len(edges) > 0 || len(filler.active) > 0; y++ {
		if len(filler.active) == 0 { // skip the empty rows
			y = edges[0].y0 >> unitShift
		}
		if y >= int64(filler.clip.Y1) || filler.shouldStop(y) {
			break
		}
		n := 0 // edges that begin in the row
		for n < len(edges) && edges[n].y0>>unitShift <= y {
			n++
		}
		filler.insertActive(edges[:n])
		edges = edges[n:]
		// Rows above the clip are computed too, because their edges must advance, but not stored.
		lo, hi := filler.fillRow(y)
		if y >= int64(filler.clip.Y0) {
			filler.storeRow(dst, int32(y), lo, hi)
		}
		clear(filler.alpha[lo:hi])
	}
	filler.edges, filler.active, filler.paths = filler.edges[:0], filler.active[:0], 0
	return first, len(dst.Spans) - first
}

// The Filler asks in one of stopRows rows whether the caller wants to stop, and only where at least
// stopEdges edges are active, because Stop may be slow.
const (
	stopRows  = 16
	stopEdges = 256
)

// shouldStop reports whether the caller wants to stop.
func (filler *Filler) shouldStop(y int64) bool {
	return y%stopRows == 0 && len(filler.active) >= stopEdges && filler.Stop != nil && filler.Stop()
}

// sortEdges sorts the edges of the added paths by their top, the order in which rows reach them,
// and returns them. It also makes the buffers of a row wide enough for all of them.
func (filler *Filler) sortEdges() []edge {
	slices.SortStableFunc(filler.edges, func(a, b edge) int { return cmp.Compare(a.y0, b.y0) })
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range filler.edges {
		e := &filler.edges[i]
		lo, hi = min(lo, e.x0, e.x1), max(hi, e.x0, e.x1)
	}
	if len(filler.edges) == 0 {
		return nil
	}
	filler.left = int32(lo >> unitShift)
	filler.growRow(int(hi>>unitShift) - int(filler.left) + 1)
	return filler.edges
}

// growRow makes the heights, areas and alphas of a pixel row at least n columns long.
func (filler *Filler) growRow(n int) {
	if add := n - len(filler.alpha); add > 0 {
		filler.height = append(filler.height, make([]int64, add)...)
		filler.leftArea = append(filler.leftArea, make([]int64, add)...)
		filler.alpha = append(filler.alpha, make([]byte, add)...)
	}
}

// insertActive inserts the edges that begin in a row into the active ones, which are grouped by
// path: coverage is accumulated one path after the other.
func (filler *Filler) insertActive(list []edge) {
	for _, e := range list {
		k := len(filler.active)
		filler.active = append(filler.active, e)
		for ; k > 0 && filler.active[k-1].path > e.path; k-- {
			filler.active[k] = filler.active[k-1]
		}
		filler.active[k] = e
	}
}

// fillRow computes the alphas of row y in filler.alpha, path by path, and drops the edges that end in
// it. It returns the range [from, to) of columns that may be covered, relative to filler.left.
func (filler *Filler) fillRow(y int64) (from, to int) {
	from, to = math.MaxInt, 0 // an empty range
	top, bottom := y*unit, (y+1)*unit
	kept := filler.active[:0]
	for i := 0; i < len(filler.active); {
		lo, hi := math.MaxInt, 0
		// Active edges are grouped by path: first one path's signed areas are added up, then they
		// become alphas.
		for path := filler.active[i].path; i < len(filler.active) && filler.active[i].path == path; i++ {
			e := filler.active[i]
			x, ya, yb := e.x, max(e.y0, top), min(e.y1, bottom)
			e.x = e.xAt(yb)
			a, b := filler.addEdgePiece(x, ya, e.x, yb, e.wind)
			lo, hi = min(lo, a), max(hi, b)
			if e.y1 > bottom {
				kept = append(kept, e)
			}
		}
		if lo < hi {
			hi = filler.accumulateRow(lo, hi)
			from, to = min(from, lo), max(to, hi)
		}
	}
	filler.active = kept
	return min(from, to), to
}

// xAt returns the x of the edge at height y, rounded to the nearest.
func (e *edge) xAt(y int64) int64 {
	return e.x0 + divideRound((e.x1-e.x0)*(y-e.y0), e.y1-e.y0)
}

// divideRound returns a/b for coordinates of edges, rounded to the nearest integer, halves upwards;
// b > 0.
func divideRound(a, b int64) int64 {
	a += b >> 1
	q := a / b
	if a < 0 && q*b != a {
		q--
	}
	return q
}

// addEdgePiece adds the part of an edge within one pixel row, from (xa, ya) to (xb, yb), to the sums of
// the columns that it crosses: to filler.height how much of the row's height it spans there, and to filler.leftArea
// twice the area on its left, both times the winding. It returns the range of these columns.
func (filler *Filler) addEdgePiece(xa, ya, xb, yb, wind int64) (from, to int) {
	if ya == yb {
		return math.MaxInt, 0
	}
	if xa > xb { // from left to right; heights count the same either way
		xa, ya, xb, yb, wind = xb, yb, xa, ya, -wind
	}
	base := int64(filler.left)
	first, last := xa>>unitShift, xb>>unitShift
	x, y := xa, ya
	for column := first; column <= last; column++ {
		endX, endY := xb, yb // where it leaves the column
		if column < last {
			endX = (column + 1) * unit
			endY = ya + divideAwayFromZero((endX-xa)*(yb-ya), xb-xa)
		}
		spanned := (endY - y) * wind
		filler.height[column-base] += spanned
		filler.leftArea[column-base] += spanned * (x + endX - 2*column*unit)
		x, y = endX, endY
	}
	return int(first - base), int(last-base) + 1
}

// divideAwayFromZero returns a/b as divideRound does, but with halves rounded away from 0, so that
// edges up and down are cut at the same heights.
func divideAwayFromZero(a, b int64) int64 {
	if a < 0 {
		return -divideRound(-a, b)
	}
	return divideRound(a, b)
}

// accumulateRow turns the heights and areas of one path, in the columns from lo to hi, into
// alphas, and clears them. A pixel keeps the largest alpha of all paths. If the path is still inside at hi, the
// columns after it are filled up to the clip's right side. The result is the end of what may be covered.
func (filler *Filler) accumulateRow(lo, hi int) int {
	var sum int64    // of the heights of all edges further left: what they cover of a column
	plain := byte(0) // alpha of columns without edges, which follows from sum
	heights, leftAreas, alphas := filler.height[lo:hi], filler.leftArea[lo:hi], filler.alpha[lo:hi]
	for c := range heights {
		spanned, area := heights[c], leftAreas[c]
		if spanned|area == 0 {
			if plain > alphas[c] {
				alphas[c] = plain
			}
			continue
		}
		alphas[c] = max(alphas[c], alphaOf((sum+spanned)*(2*unit)-area))
		heights[c], leftAreas[c] = 0, 0
		sum += spanned
		plain = alphaOf(sum * (2 * unit))
	}
	// Windings close within the clip, but for what it cut off on its right side.
	if plain > 0 {
		end := int(filler.clip.X1 - filler.left)
		for filler.growRow(end); hi < end; hi++ {
			filler.alpha[hi] = max(filler.alpha[hi], plain)
		}
	}
	return hi
}

// alphaOf converts the signed area of a pixel that a path covers, times 2, to coverage, 0 to 255. whole is that of
// a whole pixel.
func alphaOf(twiceArea int64) byte {
	if twiceArea < 0 {
		twiceArea = -twiceArea
	}
	return byte((min(twiceArea, whole)*255 + whole/2) / whole)
}

// longRun is the least length in px at which a run of 255 becomes a Full span.
const longRun = scan.Cell

// storeRow appends the alphas of the columns [lo, hi) of row y, as far as they are within the clip, to
// dst: long runs of 255 as Full spans, other stretches without gaps as spans with bytes.
func (filler *Filler) storeRow(dst *scan.Coverage, y int32, lo, hi int) {
	lo, hi = max(lo, int(filler.clip.X0-filler.left)), min(hi, int(filler.clip.X1-filler.left))
	for x := lo; x < hi; {
		if filler.alpha[x] == 0 {
			x++
			continue
		}
		full := x
		for full < hi && filler.alpha[full] == 255 {
			full++
		}
		// A long run of opaque pixels needs no bytes.
		if full-x >= longRun {
			span := scan.Span{X: filler.left + int32(x), Y: y, Width: int32(full - x), FirstByte: scan.Full}
			dst.Spans = append(dst.Spans, span)
			x = full
			continue
		}
		end, run := x, 0 // up to the next gap, or long run
		for end < hi && filler.alpha[end] != 0 && run < longRun {
			run++
			if filler.alpha[end] != 255 {
				run = 0
			}
			end++
		}
		if run == longRun { // it becomes the next span
			end -= run
		}
		if len(dst.Bytes) > math.MaxInt32-(end-x) {
			return // never: callers bound the bytes far below what Span.FirstByte can hold
		}
		span := scan.Span{X: filler.left + int32(x), Y: y, Width: int32(end - x), FirstByte: int32(len(dst.Bytes))}
		dst.Spans = append(dst.Spans, span)
		dst.Bytes = append(dst.Bytes, filler.alpha[x:end]...)
		x = end
	}
}
