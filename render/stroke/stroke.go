// Package stroke converts strokes to outlines to be filled, and paths to dashes, as the reference
// browser does (docs/spec/raster.md#r6). In: a path in its own units, the width, dashes, and the
// resolution of the picture. Out: a path in the same units for the non-zero rule. It refuses
// nothing: recursion and output are bounded for any coordinates.
package stroke

import (
	"plumb/render/vector"
)

// Fine is the factor for Resolution at which outlines stay within 1/1024 px of the true offset
// curve instead of the browser's 1/4 px. It takes four times the pieces; with less, tight bends
// have an error of 0.1 % of their area.
const Fine = 256

// Resolution returns the px per unit of the map m for strokes and dashes: the length of the
// longer of its two columns.
func Resolution(m vector.Matrix) float32 {
	x := float32(m.A*m.A) + float32(m.B*m.B)
	y := float32(m.C*m.C) + float32(m.D*m.D)
	return sqrt(max(x, y))
}

// Stroker makes outlines of strokes with round caps and joins. It keeps its memory between paths
// and serves one goroutine at a time. The zero value is ready for use.
type Stroker struct {
	// Stop, if set, is called regularly in a long path. Once it returns true, Outline
	// ends and its output is incomplete.
	Stop func() bool

	pen pen
}

// stopInterval is the number of verbs between two calls of Stop.
const stopInterval = 1024

// Outline appends to dst the outline of src drawn with a round pen of the given
// width (units of src, > 0). Fill it with the non-zero rule, all of it as one
// path. resolution is Resolution(m) for the map m from src's units to px, times
// Fine for outlines closer than the browser's. dst must not be src.
func (stroker *Stroker) Outline(dst, src *vector.Path, width, resolution float32) {
	pen := &stroker.pen
	pen.start(dst, width, resolution, len(src.Points))
	if box, ok := rectangle(src); ok {
		pen.rectangle(box)
		return
	}
	pts, weights := src.Points, src.Weights
	for i, verb := range src.Verbs {
		// A path may have millions of points, so that the deadline is checked at intervals.
		if i%stopInterval == stopInterval-1 && stroker.Stop != nil && stroker.Stop() {
			return
		}
		switch verb {
		case vector.Move:
			pen.finish(false)
			pen.moveTo(pts[0])
			pts = pts[1:]
		case vector.Line:
			pen.lineBefore(pts[0], src.Verbs[i+1:], pts[1:])
			pts = pts[1:]
		case vector.Quad:
			pen.curveTo(quadCurve(pen.current, pts[0], pts[1]))
			pts = pts[2:]
		case vector.Cubic:
			pen.curveTo(cubicCurve(pen.current, pts[0], pts[1], pts[2]))
			pts = pts[3:]
		case vector.Conic:
			w := weights[0]
			if c := conicCurve(pen.current, pts[0], pts[1], w); w < 1 && !c.isFlat() { // an arc of an ellipse
				pen.curveTo(c)
			} else { // a flat conic, or one that bends more sharply than a quadratic
				pen.quads = vector.ConicQuads(pen.quads[:0], pen.current, pts[0], pts[1], w, pen.tolerance)
				for q := pen.quads; len(q) > 0; q = q[2:] {
					pen.curveTo(quadCurve(pen.current, q[0], q[1]))
				}
			}
			pts, weights = pts[2:], weights[1:]
		case vector.Close:
			if pen.current != pen.subpathStart || !pen.hasSegments {
				pen.lineTo(pen.subpathStart)
			}
			isClosed := !pen.isDot // a dot has caps
			pen.finish(isClosed)
		}
	}
	pen.finish(false)
}

// Limits on fitted ranges per call, so that no input can halve curves endlessly: beyond them
// ranges become lines.
const (
	rangesPerPoint = 16
	rangesPerCall  = 8192
)

// pen builds the two sides of one subpath's outline.
type pen struct {
	out       *vector.Path
	inner     vector.Path // the right side, built forwards, appended backwards
	radius    float32     // half the width
	tolerance float32     // the most, in units of the path, by which an outline may leave the true offset curve
	budget    int         // fitted ranges that are left

	current, subpathStart vec   // current point, start of the subpath
	hasSegments           bool  // a segment of the subpath was added
	isDot                 bool  // all that was added has no length: it becomes a dot
	normal, firstNormal   vec   // unit normal at the current point, and at the start of the subpath
	outerFirst            vec   // where the outer side begins
	cusps                 []vec // cusps, which get a disc of their own
	quads                 []vec // scratch of conics
}

// start prepares the pen for the outline of another path, which is appended to dst. points is the number
// of points of the path: it sets how many ranges of curves may be fitted.
func (pen *pen) start(dst *vector.Path, width, resolution float32, points int) {
	pen.out = dst
	pen.radius = width / 2
	pen.tolerance = 1 / (4 * resolution)
	pen.budget = rangesPerCall + rangesPerPoint*points
	pen.moveTo(vec{})
}

// moveTo begins a subpath at a, without drawing anything: the sides start with its first segment.
func (pen *pen) moveTo(a vec) {
	pen.current, pen.subpathStart, pen.hasSegments = a, a, false
	pen.inner.Reset()
	pen.cusps = pen.cusps[:0]
}

// startSegment prepares both sides for a segment that starts at the current point with unit normal n:
// with a join to the segment before, or, for the first one, by starting the two sides.
func (pen *pen) startSegment(n vec) {
	pen.isDot = false
	if pen.hasSegments {
		pen.join(pen.normal, n)
		return
	}
	pen.hasSegments = true
	pen.firstNormal = n
	pen.outerFirst = add(pen.current, scale(n, pen.radius))
	pen.out.MoveTo(pen.outerFirst)
	pen.inner.MoveTo(sub(pen.current, scale(n, pen.radius)))
}

// endSegment sets the current point to a, where the unit normal is n.
func (pen *pen) endSegment(a, n vec) { pen.current, pen.normal = a, n }

// lineTo adds a straight segment that nothing with a length follows: a piece of a flat curve, or the one
// that closes the subpath.
func (pen *pen) lineTo(a vec) { pen.lineBefore(a, nil, nil) }

// lineBefore adds a straight segment to a to the stroke; restVerbs and restPoints are the rest of the
// path after it. A segment without length is left out if the subpath has others, before or after it; else
// it becomes a dot, which has round caps.
func (pen *pen) lineBefore(a vec, restVerbs []vector.Verb, restPoints []vec) {
	tiny := pen.tolerance / 4096 // shorter segments have no direction that can be trusted
	short := abs(a.X-pen.current.X) <= tiny && abs(a.Y-pen.current.Y) <= tiny
	if short && (pen.hasSegments || hasLength(a, restVerbs, restPoints)) {
		return
	}
	t, ok := withLength(sub(a, pen.current), 1)
	n := left(t)
	if !ok { // a dot: any direction will do
		n = vec{X: 1}
	}
	pen.startSegment(n)
	pen.isDot = short
	pen.line(a, n)
	pen.endSegment(a, n)
}

// line adds a straight line to a to both sides.
func (pen *pen) line(a, n vec) {
	pen.out.LineTo(add(a, scale(n, pen.radius)))
	pen.inner.LineTo(sub(a, scale(n, pen.radius)))
}

// hasLength reports whether the rest of the subpath has another point than a, so that it has a
// direction.
func hasLength(a vec, verbs []vector.Verb, pts []vec) bool {
	for _, verb := range verbs {
		if verb == vector.Move || verb == vector.Close {
			return false
		}
		k := verb.Points()
		for _, q := range pts[:k] {
			if q != a {
				return true
			}
		}
		pts = pts[k:]
	}
	return false
}

// curveTo adds a curve that starts at the current point to both sides. A flat curve is drawn as lines;
// a cubic is fitted between its inflections, and a cusp gets a disc of its own when the subpath ends.
func (pen *pen) curveTo(curve curve) {
	if curve.isFlat() {
		pen.flatTo(&curve)
		return
	}
	startTangent, ok := withLength(curve.tangent(0), 1)
	if !ok {
		pen.lineTo(curve.end())
		return
	}
	n := left(startTangent)
	pen.startSegment(n)
	// A fit must not contain an inflection, so that a cubic is cut there.
	var buf [3]float32
	var cuts []float32 // where a new fit begins
	if curve.isCubic() {
		cuts = curve.inflections(&buf)
	}
	t0, point := float32(0), pen.pointOn(&curve, 0)
	for i := range len(cuts) + 1 {
		t1 := float32(1)
		if i < len(cuts) {
			t1 = cuts[i]
		}
		b := pen.pointOn(&curve, t1)
		const outerSide, innerSide = 1, -1
		pen.fit(pen.out, &curve, outerSide, t0, t1, &point, &b)
		pen.fit(&pen.inner, &curve, innerSide, t0, t1, &point, &b)
		t0, point = t1, b
	}
	if t, ok := curve.cusp(); ok {
		pen.cusps = append(pen.cusps, curve.at(t))
	}
	if endTangent, ok := withLength(curve.tangent(1), 1); ok {
		n = left(endTangent)
	}
	pen.endSegment(curve.end(), n)
}

// flatTo adds a flat curve, one whose control points lie on one line, as lines: through the points where it
// turns back, which are those of its greatest curvature, to its end. A curve with only one pair of different
// neighbouring control points is a single line (observed in the browser).
func (pen *pen) flatTo(curve *curve) {
	legs := 0
	for i := 1; i < curve.n; i++ {
		if curve.p[i] != curve.p[i-1] {
			legs++
		}
	}
	if legs <= 1 {
		pen.lineTo(curve.end())
		return
	}
	var buf [3]float32
	start := curve.p[0]
	for _, t := range curve.maxCurvature(&buf) {
		if q := curve.at(t); q != start && q != curve.end() {
			pen.lineTo(q)
		}
	}
	pen.lineTo(curve.end())
}

// finish ends the outline of the subpath, if anything was drawn: two contours if it is closed, the
// sides, else one, the sides with caps. Then it adds discs at cusps, and begins a subpath at its start.
func (pen *pen) finish(closed bool) {
	if !pen.hasSegments {
		return
	}
	last := pen.inner.Points[len(pen.inner.Points)-1]
	if closed {
		// The outer side is one contour, the inner side, reversed, the other: the area between them
		// is the stroke.
		pen.join(pen.normal, pen.firstNormal)
		last = pen.inner.Points[len(pen.inner.Points)-1]
		pen.out.Close()
		pen.out.MoveTo(last)
		pen.reverse()
	} else {
		// One contour: outer side, cap at the end, inner side back, cap at the start.
		pen.cap(pen.current, scale(pen.normal, pen.radius), last)
		pen.reverse()
		pen.cap(pen.subpathStart, scale(pen.firstNormal, -pen.radius), pen.outerFirst)
	}
	pen.out.Close()
	for _, q := range pen.cusps {
		pen.disc(q)
	}
	pen.moveTo(pen.subpathStart)
}

// reverse appends the inner side of the stroke backwards to the outline, without its last point, at
// which the outline is already.
func (pen *pen) reverse() {
	path := &pen.inner
	i, w := len(path.Points)-1, len(path.Weights)-1 // where the outline is on the inner side, and the next weight
	for v := len(path.Verbs) - 1; v >= 0; v-- {
		switch path.Verbs[v] { // the first verb, a move, appends nothing
		case vector.Line:
			pen.out.LineTo(path.Points[i-1])
		case vector.Quad:
			pen.out.QuadTo(path.Points[i-1], path.Points[i-2])
		case vector.Conic:
			pen.out.ConicTo(path.Points[i-1], path.Points[i-2], path.Weights[w])
			w--
		}
		i -= path.Verbs[v].Points()
	}
}
