package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// arrowhead is the head at one end of an arrow.
type arrowhead struct {
	kind scene.Arrowhead
	tip  geom.Point
	back geom.Point // on the body, as far behind the tip as the head is long
}

// closed reports whether the arrowhead has an inside that can be filled, as a triangle or a diamond
// has.
func (h *arrowhead) closed() bool {
	switch h.kind {
	case scene.HeadTriangle, scene.HeadInverted, scene.HeadSquare, scene.HeadDot, scene.HeadDiamond:
		return true
	}
	return false
}

// Head returns the arrowhead at the start of the solved arrow, or at its end if end is set. Its
// kind is HeadNone if no head is drawn there. See docs/spec/drawing.md#r68.
func (solver *Solver) Head(end bool) arrowhead {
	h := arrowhead{kind: solver.Ends[0].head, tip: solver.Start}
	other := solver.End
	if end {
		h.kind, h.tip, other = solver.Ends[1].head, solver.End, solver.Start
	}
	if h.kind == scene.HeadNone || h.kind == scene.HeadPipe {
		h.kind = scene.HeadNone
		return h
	}
	switch solver.Kind {
	case StraightArrow:
		h.back = solver.behind(h.tip, other, geom.Distance(h.tip, other)/5)
	case ElbowArrow:
		n := len(solver.Route)
		next := solver.Route[min(1, n-1)].Point
		if end {
			next = solver.Route[max(n-2, 0)].Point
		}
		h.back = solver.behind(h.tip, next, manhattan(h.tip, next)/2) // oblique where corners were dropped
	default: // arc
		k := geom.Clamp(solver.Body.Length()/5, solver.width, 3*solver.width)
		h.back = crossCircles(h.tip, k, &solver.Handle, end == solver.Handle.Sweep())
	}
	if !geom.Finite(h.back) {
		h.back = h.tip
	}
	return h
}

// behind returns the point k px from p towards q; k is limited to 1..3 stroke widths.
func (solver *Solver) behind(p, q geom.Point, k float64) geom.Point {
	k = geom.Clamp(k, solver.width, 3*solver.width)
	return geom.Add(p, geom.Scale(geom.Unit(geom.Sub(q, p)), k))
}

// crossCircles returns one of the two points where the circle with radius k px around p, the tip of
// an arrowhead, meets the circle c of the bent arrow; the head points away from it. With first it
// is the point clockwise of the line from p to the centre, else the other one. It is not finite if
// the circles do not meet.
func crossCircles(p geom.Point, k float64, c *Circle, first bool) geom.Point {
	d := geom.Sub(c.Centre, p)
	l := geom.Length(d)
	// x is along d and y across it. float64: no fused multiply-add, equal on every machine.
	x := (float64(l*l) - float64(c.Radius*c.Radius) + float64(k*k)) / (2 * l)
	y := math.Sqrt(float64(k*k) - float64(x*x))
	if !first {
		y = -y
	}
	d = geom.Scale(d, 1/l)
	return geom.Add(p, geom.Pt(float64(d.X*x)-float64(d.Y*y), float64(d.Y*x)+float64(d.X*y)))
}

// turned90 turns a vector clockwise.
func turned90(v geom.Point) geom.Point { return geom.Pt(-v.Y, v.X) }

// Write appends the outline of the arrowhead to a path, in the editor's proportions. It appends
// nothing for kinds that are not drawn. Closed outlines run counterclockwise.
func (h *arrowhead) Write(to *vector.Path) {
	const sixth = math.Pi / 6
	p, q := h.tip, h.back
	half := turned90(geom.Scale(geom.Sub(q, p), 0.5)) // across the body, half as long as the head
	switch h.kind {
	case scene.HeadArrow:
		polyline(to, false, shapes.Turned(q, p, sixth), p, shapes.Turned(q, p, -sixth))
	case scene.HeadTriangle:
		polyline(to, true, shapes.Turned(q, p, sixth), shapes.Turned(q, p, -sixth), p)
	case scene.HeadInverted:
		polyline(to, true, geom.Add(p, half), q, geom.Sub(p, half))
	case scene.HeadBar:
		polyline(to, false, geom.Add(p, half), geom.Sub(p, half))
	case scene.HeadSquare:
		b := geom.Lerp(p, q, 0.85)
		half = turned90(geom.Scale(geom.Sub(b, p), 0.5))
		polyline(to, true, geom.Add(p, half), geom.Add(b, half), geom.Sub(b, half), geom.Sub(p, half))
	case scene.HeadDiamond:
		b := geom.Lerp(p, q, 0.75)
		l, r := shapes.Turned(b, p, math.Pi/4), shapes.Turned(b, p, -math.Pi/4)
		polyline(to, true, geom.Sub(geom.Scale(geom.Lerp(l, r, 0.5), 2), p), r, p, l)
	case scene.HeadDot:
		c, r := geom.Lerp(p, q, 0.45), 0.45*geom.Distance(p, q)
		left := vector.Point{X: geom.AsExportedUnrounded(c.X - r), Y: geom.AsExportedUnrounded(c.Y)}
		to.MoveTo(left)
		if r == 0 { // arcs without a radius are lines
			to.LineTo(left)
			return
		}
		radius, d := geom.AsExportedUnrounded(r), geom.AsExportedUnrounded(2*r)
		right := vector.Point{X: left.X + d, Y: left.Y}
		to.ArcTo(radius, radius, 0, true, false, right)
		to.ArcTo(radius, radius, 0, true, false, vector.Point{X: right.X - d, Y: left.Y})
	}
}

// polyline appends straight lines through the points, and back to the first if closed. The editor
// writes these points with all digits into its export, from which geom.AsExportedUnrounded takes them.
func polyline(to *vector.Path, closed bool, p ...geom.Point) {
	for i, q := range p {
		at := vector.Point{X: geom.AsExportedUnrounded(q.X), Y: geom.AsExportedUnrounded(q.Y)}
		if i == 0 {
			to.MoveTo(at)
		} else {
			to.LineTo(at)
		}
	}
	if closed {
		to.Close()
	}
}
