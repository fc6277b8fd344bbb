// Package chord turns paths in px into directed line segments, as the reference browser's
// filler does before it walks its rows (docs/spec/raster.md#r11), or, on request, as close to
// the true curves as the grid of segments allows. In: a path in device space and the clip. Out:
// segments in 1/Unit px. It refuses nothing: a path with a point that is not finite, or farther
// than 1e15 px away, gives no segments, and no verb gives more than some thousand.
package chord

import "plumb/render/vector"

// Unit is the number of steps per px in which Segments are given.
const Unit = 1024

// Segment is a directed line in 1/Unit px from the picture's top left corner.
// Its winding is +1 where it runs downwards (Y1 > Y0), -1 where upwards.
// Horizontal segments carry nothing and are never stored.
type Segment struct{ X0, Y0, X1, Y1 int32 }

// Mode says which chords stand for a curve.
type Mode uint8

const (
	// Reference cuts as the browser does: y on quarter rows, x from a 1/256 px
	// grid, few chords per curve. Pixels then agree with the browser's.
	Reference Mode = iota
	// Exact keeps to the path within 1/64 px and keeps its area: the truer
	// picture, for more segments.
	Exact
)

// Rect is a clip in whole px; X1 and Y1 are the first column and row outside.
type Rect struct{ X0, Y0, X1, Y1 int32 }

// Moved returns the rectangle moved by (dx, dy) px.
func (rect Rect) Moved(dx, dy int32) Rect {
	return Rect{X0: rect.X0 + dx, Y0: rect.Y0 + dy, X1: rect.X1 + dx, Y1: rect.Y1 + dy}
}

// NoClip cuts nothing that a picture could show: it only keeps segments within
// 32 bits. It is for outlines that are placed later (glyphs).
var NoClip = Rect{-maxPx, -maxPx, maxPx, maxPx}

// maxPx bounds every coordinate: 2^20 px are 2^30 steps.
const maxPx = 1 << 20

// conicTol is how far quadratics may leave a conic, in px.
const conicTol = 0.25

// Cutter cuts paths. It holds no result, only memory that is used again: one
// Cutter serves any number of paths, one goroutine at a time. The zero value is
// ready for use.
type Cutter struct {
	out       []Segment
	clip      box
	exact     bool
	quads     []vector.Point
	steps     chordSteps // the current curve
	edge      Edge       // its current chord
	edges     *Edges     // if set, takes the edges of Reference mode instead of out
	keepRight bool       // what lies right of the clip is kept, at its edge
	// trace, if set, sees every chord of Reference mode before it is rounded:
	// x0 y0 x1 y1 in 1/65536 px.
	trace func([4]int64) // for tests
}

// Append adds the segments of the path to dst, in the path's direction, those of one curve from
// its top, and returns the longer slice. Every subpath counts as closed. The path is in px from
// the corner that the clip is given from. What lies left of the clip becomes vertical lines at
// its left edge, what lies right of it, above or below vanishes: windings inside stay what they
// are. In a layer the browser's clip is the layer's painted box, else the canvas. See
// docs/spec/raster.md#r28.
func (cutter *Cutter) Append(dst []Segment, path *vector.Path, clip Rect, mode Mode) []Segment {
	box, ok := bounds(path.Points)
	if !ok {
		return dst
	}
	cutter.clip = clip.Within(NoClip).box()
	isExactRectangle := box.exactAsRectangle() && Rectangle(path) // the browser draws these without its grid
	cutter.out, cutter.exact = dst, mode == Exact || isExactRectangle
	cutter.addPath(path, cutter.clip.contains(box))
	dst, cutter.out = cutter.out, nil
	return dst
}

// addPath passes every segment of the path on to addLine, addCurve and addConic, and closes each subpath
// with a line if it is open. inside says that the whole path lies within the clip, so that nothing is cut.
func (cutter *Cutter) addPath(p *vector.Path, inside bool) {
	var cur, first vector.Point // the current point and the start of the subpath
	pts, w := p.Points, p.Weights
	for _, v := range p.Verbs {
		switch v {
		case vector.Move:
			cutter.addLine(cur, first, inside)
			cur, first, pts = pts[0], pts[0], pts[1:]
		case vector.Line:
			cutter.addLine(cur, pts[0], inside)
			cur, pts = pts[0], pts[1:]
		case vector.Quad:
			cutter.addCurve(&bezier{[4]vector.Point{cur, pts[0], pts[1]}, 3}, inside)
			cur, pts = pts[1], pts[2:]
		case vector.Cubic:
			cutter.addCurve(&bezier{[4]vector.Point{cur, pts[0], pts[1], pts[2]}, 4}, inside)
			cur, pts = pts[2], pts[3:]
		case vector.Conic:
			cutter.addConic(cur, pts[0], pts[1], w[0], inside)
			cur, pts, w = pts[1], pts[2:], w[1:]
		case vector.Close:
			cutter.addLine(cur, first, inside)
			cur = first
		}
	}
	cutter.addLine(cur, first, inside) // closes an open last subpath; addLine stores nothing between equal points
}

// addConic approximates the conic from a to b, whose control ctl has the weight w, by quadratics, and
// passes these on to addCurve.
func (cutter *Cutter) addConic(a, ctl, b vector.Point, w float32, inside bool) {
	tol := float32(conicTol)
	if cutter.exact {
		tol = exactConicTol
	}
	cutter.quads = vector.ConicQuads(cutter.quads[:0], a, ctl, b, w, tol)
	for q := cutter.quads; len(q) > 0; q = q[2:] { // control and end of each
		cutter.addCurve(&bezier{[4]vector.Point{a, q[0], q[1]}, 3}, inside)
		a = q[1]
	}
}

// addLine stores a straight segment of the path, clipped unless it is inside. A horizontal one, which
// carries no winding, is left out.
func (cutter *Cutter) addLine(a, b vector.Point, inside bool) {
	switch {
	case a.Y == b.Y:
	case !inside:
		cutter.clipLine(a, b)
	case cutter.exact:
		cutter.addExactLine(a, b)
	default:
		cutter.addGridLine(a, b)
	}
}

// addCurve stores a curve of the path as chords, clipped unless it is inside.
func (cutter *Cutter) addCurve(bezier *bezier, inside bool) {
	switch {
	case !inside:
		cutter.clipCurve(*bezier)
	case cutter.exact:
		cutter.addExactCurve(bezier)
	case bezier.isMonotoneY():
		cutter.addGridCurve(bezier)
	default:
		cutter.addGridPieces(bezier)
	}
}

// addGridPieces cuts a curve that is not monotone in y at its turning points, and stores each piece on
// the reference's grid, as addGridCurve does for a monotone curve.
func (cutter *Cutter) addGridPieces(b *bezier) {
	var buf [3]bezier
	pieces := b.monotone(&buf, axisY)
	for i := range pieces {
		cutter.addGridCurve(&pieces[i])
	}
}

// addSegment stores a segment unless it is horizontal.
func (cutter *Cutter) addSegment(s Segment) {
	if s.Y0 != s.Y1 {
		cutter.out = append(cutter.out, s)
	}
}
