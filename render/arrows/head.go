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
		h.back = solver.behind(h.tip, next, manhattan(h.tip, next)/2) // the segment is oblique where corners were dropped
	default: // arc
		k := geom.Clamp(solver.Body.Length()/5, solver.width, 3*solver.width)
		h.back = crossCircles(h.tip, k, &solver.Handle, end == solver.Handle.Sweep())
	}
	if !geom.Finite(h.back) {
		h.back = h.tip
	}
	return h
}

// behind returns the point at a distance in px from p towards q: where a head with its tip at p ends. The
// distance is limited to 1..3 stroke widths.
func (solver *Solver) behind(p, q geom.Point, distance float64) geom.Point {
	distance = geom.Clamp(distance, solver.width, 3*solver.width)
	return geom.Add(p, geom.Scale(geom.Unit(geom.Sub(q, p)), distance))
}

// crossCircles returns one of the two points where a circle around p, the tip of an arrowhead, meets the
// circle of the bent arrow: there the head, as long as radius, ends on the body. With first it is the point
// clockwise of the line from p to the arrow's centre, else the other one. It is not finite if the circles do not
// meet.
func crossCircles(p geom.Point, radius float64, circle *Circle, first bool) geom.Point {
	toCentre := geom.Sub(circle.Centre, p)
	distance := geom.Length(toCentre)
	// Coordinates along the line between the centres and across it. float64 keeps products from being fused
	// with sums: equal on every machine.
	along := (float64(distance*distance) - float64(circle.Radius*circle.Radius) + float64(radius*radius)) / (2 * distance)
	across := math.Sqrt(float64(radius*radius) - float64(along*along))
	if !first {
		across = -across
	}
	toCentre = geom.Scale(toCentre, 1/distance)
	return geom.Add(p, geom.Pt(float64(toCentre.X*along)-float64(toCentre.Y*across), float64(toCentre.Y*along)+float64(toCentre.X*across)))
}

// turned90 turns a vector clockwise.
func turned90(v geom.Point) geom.Point { return geom.Pt(-v.Y, v.X) }

// Write appends the outline of the arrowhead to a path, in the editor's proportions. It appends
// nothing for kinds that are not drawn. Closed outlines run counterclockwise.
func (h *arrowhead) Write(to *vector.Path) {
	const sixth = math.Pi / 6
	tip, back := h.tip, h.back
	across := turned90(geom.Scale(geom.Sub(back, tip), 0.5)) // across the body, half as long as the head
	switch h.kind {
	case scene.HeadArrow:
		polyline(to, false, shapes.Turned(back, tip, sixth), tip, shapes.Turned(back, tip, -sixth))
	case scene.HeadTriangle:
		polyline(to, true, shapes.Turned(back, tip, sixth), shapes.Turned(back, tip, -sixth), tip)
	case scene.HeadInverted:
		polyline(to, true, geom.Add(tip, across), back, geom.Sub(tip, across))
	case scene.HeadBar:
		polyline(to, false, geom.Add(tip, across), geom.Sub(tip, across))
	case scene.HeadSquare:
		b := geom.Lerp(tip, back, 0.85)
		across = turned90(geom.Scale(geom.Sub(b, tip), 0.5))
		polyline(to, true, geom.Add(tip, across), geom.Add(b, across), geom.Sub(b, across), geom.Sub(tip, across))
	case scene.HeadDiamond:
		b := geom.Lerp(tip, back, 0.75)
		l, r := shapes.Turned(b, tip, math.Pi/4), shapes.Turned(b, tip, -math.Pi/4)
		polyline(to, true, geom.Sub(geom.Scale(geom.Lerp(l, r, 0.5), 2), tip), r, tip, l)
	case scene.HeadDot:
		c, r := geom.Lerp(tip, back, 0.45), 0.45*geom.Distance(tip, back)
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
