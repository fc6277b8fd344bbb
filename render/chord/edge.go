package chord

import (
	"math"
	"slices"

	"plumb/render/vector"
)

// Edge is a part of an outline that is monotone in y, from its top to its bottom: a line, or a
// curve as a chain of chords. It holds the current chord. See docs/spec/raster.md#r11.
type Edge struct {
	X     int64 // where the chord begins, 1/65536 px
	Slope int64 // dx/dy, 1/65536
	// DY is |dy/dx| in 1/65536 as the reference has it, math.MaxInt32 where the
	// chord is vertical: how much an edge loses in height per column.
	DY          int64
	Top, Bottom int32 // rows in quarter px; Top < Bottom
	Winding     int32 // +1 where the path runs downwards, -1 where upwards
	curve       int32 // place of the steps to come, or noCurve
}

const noCurve = -1

// Edges is the edge list of one path, in the path's order. The zero value is empty.
type Edges struct {
	List   []Edge
	curves []chordSteps
}

// Bounds returns the corners of the bounding box of the path's points, controls too; ok is false
// if there are none, or one is not finite or farther than 1e15 px away.
func Bounds(p *vector.Path) (lo, hi vector.Point, ok bool) {
	b, ok := bounds(p.Points)
	return vector.Point{X: b.x0, Y: b.y0}, vector.Point{X: b.x1, Y: b.y1}, ok
}

// Edges replaces dst by the edges of a path for which Bounds is ok. inside says that the box of
// Bounds lies within the clip, convex that what lies right of the clip becomes vertical lines
// there instead of vanishing. See docs/spec/raster.md#r10.
func (cutter *Cutter) Edges(dst *Edges, path *vector.Path, clip Rect, inside, convex bool) {
	dst.List, dst.curves = dst.List[:0], dst.curves[:0]
	cutter.clip = clip.Within(NoClip).box()
	cutter.exact, cutter.edges, cutter.keepRight = false, dst, convex
	cutter.walk(path, inside)
	cutter.edges, cutter.keepRight = nil, false
}

// setLine sets the edge's only chord to the line from (x0, y0) down to (x1, y1), in q16.
func (edge *Edge) setLine(x0, y0, x1, y1 int64) {
	dx, dy := (x1-x0)>>10, (y1-y0)>>10
	edge.X, edge.Top, edge.Bottom = x0, int32(y0>>14), int32(y1>>14)
	edge.Slope = divide(dx, dy)
	// A line takes its slope itself for 1/64 px here: one steeper than 1:64
	// counts as far too flat. The reference does so.
	edge.DY = perColumn(dx, dy, edge.Slope, max(edge.Slope, -edge.Slope))
}

// setChord sets the edge's current chord to the one from (x0, y0) down to (x1, y1), with that slope, all
// in q16.
func (edge *Edge) setChord(x0, y0, x1, y1, slope int64) {
	edge.X = x0
	edge.Slope = slope
	edge.Top = int32(y0 >> 14)
	edge.Bottom = int32(y1 >> 14)
	s := slope >> 10 // in 1/64
	edge.DY = perColumn((x1-x0)>>10, (y1-y0)>>10, slope, max(s, -s))
}

// perColumn returns |dy/dx| in q16 for dx and dy in 1/64 px. slope is dx/dy, 0 for a vertical line,
// which has math.MaxInt32; it may be rounded to 0 though dx is not. s is |slope| in 1/64, by which the
// table of reciprocals is indexed. Only beyond the table the quotient is computed, as in the
// reference.
func perColumn(dx, dy, slope, s int64) int64 {
	switch {
	case dx == 0 || slope == 0:
		return math.MaxInt32
	case s < int64(len(reciprocal)):
		return int64(reciprocal[s])
	}
	d := divide(dy, dx)
	return max(d, -d)
}

// addLine appends a line to the list. If it is vertical, and so is the line just before it, at the same
// x, the two are merged, which may leave nothing of either. See docs/spec/raster.md#r13.
func (edges *Edges) addLine(edge *Edge) {
	if n := len(edges.List); n > 0 && edge.Slope == 0 {
		if last := &edges.List[n-1]; last.curve == noCurve && last.Slope == 0 && last.X == edge.X {
			merged, empty := last.merge(edge)
			if empty {
				edges.List = edges.List[:n-1]
			}
			if merged {
				return
			}
		}
	}
	edges.List = append(edges.List, *edge)
}

// merge joins the vertical line edge, at the same x, into e, and reports whether it could: edge continues e in
// the same direction, or they are opposite and share an end, so that their common part cancels and e
// becomes the rest. empty says that nothing is left of either; then merged is true too.
func (e *Edge) merge(edge *Edge) (merged, empty bool) {
	if e.Winding == edge.Winding {
		switch {
		case edge.Bottom == e.Top:
			e.Top = edge.Top
		case edge.Top == e.Bottom:
			e.Bottom = edge.Bottom
		default:
			return false, false
		}
		return true, false
	}
	switch { // opposite: the longer one leaves a rest, in its direction
	case edge.Top == e.Top && edge.Bottom == e.Bottom:
		return true, true
	case edge.Top == e.Top && edge.Bottom < e.Bottom:
		e.Top = edge.Bottom
	case edge.Top == e.Top:
		e.Top, e.Bottom, e.Winding = e.Bottom, edge.Bottom, edge.Winding
	case edge.Bottom == e.Bottom && edge.Top > e.Top:
		e.Bottom = edge.Top
	case edge.Bottom == e.Bottom:
		e.Top, e.Bottom, e.Winding = edge.Top, e.Top, edge.Winding
	default:
		return false, false
	}
	return true, false
}

// newCurve returns the memory behind the ends of both lists for another curve and its edge. They belong
// to the lists only once addCurve has appended them: so a curve is made in place, without a copy.
func (edges *Edges) newCurve() (*chordSteps, *Edge) {
	edges.curves, edges.List = slices.Grow(edges.curves, 1), slices.Grow(edges.List, 1)
	n, k := len(edges.curves), len(edges.List)
	return &edges.curves[:n+1][n], &edges.List[:k+1][k]
}

// addCurve appends the curve s and its edge e, which newCurve has returned, to the lists. It first
// sets e to the first chord of the curve that has height; a curve without such a chord is left out.
func (edges *Edges) addCurve(s *chordSteps, e *Edge) {
	if s.next(e) {
		e.curve = int32(len(edges.curves))
		edges.List, edges.curves = edges.List[:len(edges.List)+1], edges.curves[:len(edges.curves)+1]
	}
}

// Next moves the edge to its next chord, which begins at the curve. It returns false, and leaves
// the edge as it is, if there is none.
func (edges *Edges) Next(e *Edge) bool {
	return e.curve != noCurve && edges.curves[e.curve].next(e)
}

// Follow sets edge to its next chord, as Next does, when its walk has come to x, in q16. By rounding
// errors that may differ from the end of the present chord; the next chord begins at x.
func (edges *Edges) Follow(edge *Edge, x int64) bool {
	if edge.curve == noCurve {
		return false
	}
	steps := &edges.curves[edge.curve]
	if steps.cubic {
		steps.x.at = x
		return steps.cubicNext(edge)
	}
	steps.sx = x
	return steps.quadNext(edge)
}

// Smooth reports whether edge turns so slowly at the end of its chord that a walk may pass the end by
// part of a row. If this is the last chord, next, the edge that follows, must have almost the same slope
// and be at least a row high. See docs/spec/raster.md#r18.
func (edges *Edges) Smooth(edge, next *Edge) bool {
	if edge.curve != noCurve {
		if s := &edges.curves[edge.curve]; s.left > 0 {
			return s.smooth()
		}
	}
	d := next.Slope - edge.Slope
	return max(d, -d) <= one && next.Bottom-next.Top >= 4
}
