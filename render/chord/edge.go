package chord

import (
	"math"
	"slices"

	"plumb/render/vector"
)

// Edge is a part of an outline that is monotone in y, from its top to its bottom: a line, or a
// curve as a chain of chords. It holds the current chord. See docs/spec/raster.md#r11.
type Edge struct {
	X     int64 // x at the top of the chord, 1/65536 px
	Slope int64 // dx/dy, 1/65536
	// DY is |dy/dx| in 1/65536 as the reference has it: how much the edge rises or falls per column. It is
	// math.MaxInt32 where the chord is vertical.
	DY          int64
	Top, Bottom int32 // rows in quarter px; Top < Bottom
	Winding     int32 // +1 where the path runs downwards, -1 where upwards
	curve       int32 // of a curve: index in Edges.curves of its further chords; noCurve for a line
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
	cutter.addPath(path, inside)
	cutter.edges, cutter.keepRight = nil, false
}

// setLine sets the edge's only chord to the line from (x0, y0) down to (x1, y1), in 1/65536 px (q16).
func (edge *Edge) setLine(x0, y0, x1, y1 int64) {
	dx, dy := (x1-x0)>>10, (y1-y0)>>10
	edge.X, edge.Top, edge.Bottom = x0, int32(y0>>14), int32(y1>>14)
	edge.Slope = divide(dx, dy)
	// The last argument should be in 1/64, as for curves, but the reference passes a line's slope in 1/65536.
	// So a line that is steeper than 1:64 counts as 1,024 times flatter than it is.
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

// perColumn returns |dy/dx| of a chord in 1/65536, for Edge.DY; dx and dy are in 1/64 px. slope is dx/dy: for
// 0, which it may also be rounded to, the result is math.MaxInt32. steepness is |slope| in 1/64, by which the
// reference looks the result up in its table of reciprocals; only beyond the table it divides.
func perColumn(dx, dy, slope, steepness int64) int64 {
	switch {
	case dx == 0 || slope == 0:
		return math.MaxInt32
	case steepness < int64(len(reciprocal)):
		return int64(reciprocal[steepness])
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

// merge joins another vertical line, at the same x, into edge, and reports whether it could. It can if the
// other one continues edge in the same direction. It also can if they run in opposite directions and share an
// end: then their common part cancels, and edge becomes the rest. empty says that nothing is left of either;
// then merged is true too.
func (edge *Edge) merge(other *Edge) (merged, empty bool) {
	if edge.Winding == other.Winding {
		switch {
		case other.Bottom == edge.Top:
			edge.Top = other.Top
		case other.Top == edge.Bottom:
			edge.Bottom = other.Bottom
		default:
			return false, false
		}
		return true, false
	}
	switch { // opposite: the longer one leaves a rest, in its direction
	case other.Top == edge.Top && other.Bottom == edge.Bottom:
		return true, true
	case other.Top == edge.Top && other.Bottom < edge.Bottom:
		edge.Top = other.Bottom
	case other.Top == edge.Top:
		edge.Top, edge.Bottom, edge.Winding = edge.Bottom, other.Bottom, other.Winding
	case other.Bottom == edge.Bottom && other.Top > edge.Top:
		edge.Bottom = other.Top
	case other.Bottom == edge.Bottom:
		edge.Top, edge.Bottom, edge.Winding = other.Top, edge.Top, other.Winding
	default:
		return false, false
	}
	return true, false
}

// newCurve returns memory for another curve and its edge: the places after the ends of both lists. They
// belong to the lists only once addCurve has appended them. So a curve is made in place, without a copy.
func (edges *Edges) newCurve() (*chordSteps, *Edge) {
	edges.curves, edges.List = slices.Grow(edges.curves, 1), slices.Grow(edges.List, 1)
	n, k := len(edges.curves), len(edges.List)
	return &edges.curves[:n+1][n], &edges.List[:k+1][k]
}

// addCurve appends the curve s and its edge e, which newCurve has returned, to the lists. Both lie after the ends
// of the lists already, so that these only get longer. It first sets e to the first chord of the curve that has
// height; a curve without such a chord is left out.
func (edges *Edges) addCurve(s *chordSteps, e *Edge) {
	if s.next(e) {
		e.curve = int32(len(edges.curves))
		edges.List, edges.curves = edges.List[:len(edges.List)+1], edges.curves[:len(edges.curves)+1]
	}
}

// Next moves the edge to the next chord of its curve. The chord begins at the point of the curve, not where a
// walk along the last chord has ended. Next returns false, and leaves the edge as it is, if there is none.
func (edges *Edges) Next(e *Edge) bool {
	return e.curve != noCurve && edges.curves[e.curve].next(e)
}

// Follow moves the edge to the next chord of its curve, as Next does, but the chord begins at x, in 1/65536
// px: where the walk along the last chord has ended, which by rounding errors may not be its end.
func (edges *Edges) Follow(edge *Edge, x int64) bool {
	if edge.curve == noCurve {
		return false
	}
	steps := &edges.curves[edge.curve]
	if steps.cubic {
		steps.x.value = x
		return steps.cubicNext(edge)
	}
	steps.startX = x
	return steps.quadNext(edge)
}

// Smooth reports whether edge turns so slowly at the end of its chord that a walk may pass the end by
// part of a row. If this is the last chord, next, the edge that follows, must have almost the same slope
// and be at least a row high. See docs/spec/raster.md#r18.
func (edges *Edges) Smooth(edge, next *Edge) bool {
	if edge.curve != noCurve {
		if s := &edges.curves[edge.curve]; s.stepsLeft > 0 {
			return s.smooth()
		}
	}
	const row = 4 // quarter px
	turn := next.Slope - edge.Slope
	return max(turn, -turn) <= onePx && next.Bottom-next.Top >= row
}
