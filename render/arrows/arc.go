package arrows

import (
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
)

// Circle is an arc of a circle.
type Circle struct {
	Centre geom.Point
	Radius float64
	Size   float64 // angle, radians; positive clockwise
	Large  bool    // the flag of an SVG arc
}

// Sweep reports whether the arc runs clockwise.
func (c *Circle) Sweep() bool { return c.Size > 0 }

// Length returns the length of the arc.
func (c *Circle) Length() float64 { return math.Abs(c.Size) * c.Radius }

// at returns the point of the circle in the direction of an angle.
func (c *Circle) at(angle float64) geom.Point {
	sin, cos := math.Sincos(angle)
	return geom.Pt(c.Centre.X+float64(c.Radius*cos), c.Centre.Y+float64(c.Radius*sin))
}

// angle returns the direction of p from the centre.
func (c *Circle) angle(p geom.Point) float64 { return math.Atan2(p.Y-c.Centre.Y, p.X-c.Centre.X) }

// arcThrough returns the arc of a bent arrow: from a to b through m. ok is false if there is none,
// because a and b are equal, or the points lie on a line or so close to one that the circle is not
// finite.
func arcThrough(a, b, m geom.Point) (arc Circle, ok bool) {
	centre := geom.ToCircumcentre(a, b, m) // relative to a
	arc.Centre, arc.Radius = geom.Add(a, centre), geom.Length(centre)
	toA, toB := geom.Sub(a, m), geom.Sub(b, m)
	// Twice the angle at m between a and b is the angle of the rest of the circle, from b on to a.
	restAngle := 2 * math.Atan2(math.Abs(geom.Cross(toA, toB)), geom.Dot(toA, toB))
	arc.Size = restAngle - 2*math.Pi
	if geom.Cross(geom.Sub(b, a), geom.Sub(m, a)) < 0 {
		arc.Size = -arc.Size
	}
	arc.Large = restAngle < math.Pi
	return arc, geom.Finite(arc.Centre) && arc.Radius > 0 && arc.Radius < math.Inf(1) && arc.Size != 0
}

// turn returns the angle, in radians, from one direction of a bent arrow's circle to another.
// Clockwise it is from 0 up to, but not including, 2π; counterclockwise it is above 0 and up to 2π.
func turn(from, to float64, clockwise bool) float64 {
	d := math.Mod(to-from, 2*math.Pi)
	if d < 0 {
		d += 2 * math.Pi
	}
	if !clockwise {
		d = 2*math.Pi - d
	}
	return d
}

// solveArc finds the ends and the arc of a bent arrow and stores them in solver. The arc of the handles
// goes from one handle to the other and passes the middle between them at the distance that the
// shape's Bend says. Each end is moved along this arc to the outline of its target. ok is false if
// there is no circle through these points: then the arrow is straight. Where rounding errors decide
// the result, or both ends are near the sides of one target, it returns an error, so that the editor draws the
// arrow. See docs/spec/drawing.md#r62.
func (solver *Solver) solveArc(sh *scene.Shape) (ok bool, err error) {
	from, to := &solver.Ends[0], &solver.Ends[1]
	if from.bound() && to.bound() && from.binding.To == to.binding.To && nearSide(from.binding.Anchor) && nearSide(to.binding.Anchor) {
		return false, foreignArrow(sh, "bent, with both ends near the sides of one target")
	}
	a, b := from.Handle, to.Handle
	u := geom.Unit(geom.Sub(b, a))
	middle := geom.Add(geom.Lerp(a, b, 0.5), geom.Scale(geom.Pt(-u.Y, u.X), sh.Arrow.Bend))
	handles, ok := arcThrough(a, b, middle)
	if !ok {
		return false, nil
	}
	arc := arcSolver{Solver: solver, sh: sh, handles: handles, clockwise: sh.Arrow.Bend < 0, sign: -1,
		leastDistance: 10 * sh.Scale, a: a, b: b}
	if arc.clockwise {
		arc.sign = 1
	}
	// Of several crossings with an outline the editor takes the one nearest to these shares of the arc.
	const startShare, endShare = 0.25, 0.75
	arc.gaps[0] = arc.stopAtTarget(from, &arc.a, startShare)
	arc.gaps[1] = arc.stopAtTarget(to, &arc.b, endShare)
	arc.applyGaps()
	arc.separateEnds()
	mid := arc.midpoint()
	if arc.ambiguous {
		return false, foreignArrow(sh, lastBits)
	}
	body, ok := arcThrough(arc.a, arc.b, mid)
	if ok {
		solver.Kind, solver.Handle, solver.Body, solver.Start, solver.End = ArcArrow, handles, body, arc.a, arc.b
	}
	return ok, nil
}

// nearSide reports whether an anchor lies within a tenth of its target's box from a side of it, or beyond.
func nearSide(anchor scene.Point) bool {
	const near = 0.1
	return min(anchor.X, anchor.Y) < near || max(anchor.X, anchor.Y) > 1-near
}

// arcSolver computes the ends of a bent arrow.
type arcSolver struct {
	*Solver
	sh            *scene.Shape
	handles       Circle // the arc from one handle to the other, along which the ends are moved
	clockwise     bool
	sign          float64    // 1 clockwise, -1 counterclockwise
	leastDistance float64    // shortest distance between the ends
	gaps          [2]float64 // gaps that the ends keep from their targets
	a, b          geom.Point // the ends so far
	ambiguous     bool       // the editor's result depends on rounding errors
}

// turn returns the angle from one direction to another the way the arc runs, radians.
func (arc *arcSolver) turn(from, to float64) float64 { return turn(from, to, arc.clockwise) }

// span returns the angle of the arc between the ends so far, radians.
func (arc *arcSolver) span() float64 {
	return arc.turn(arc.handles.angle(arc.a), arc.handles.angle(arc.b))
}

// stopAtTarget moves *p, the place of an end of the bent arrow, to the outline of the shape that
// this end is bound to, sets end.hit, and returns the gap in px that the end keeps from the
// outline. Of several crossings it takes the one nearest to the given share of the arc, 0 to 1. An
// end that is not bound, or that is bound to its exact anchor, is not moved. The gap is 0 for
// these, and for ends without an arrowhead.
func (arc *arcSolver) stopAtTarget(end *terminal, p *geom.Point, share float64) (gap float64) {
	if !end.bound() || end.exact {
		return 0
	}
	at, hit := arc.crossing(end, *p, share)
	end.hit = hit
	if !hit {
		return 0
	}
	*p = at
	if !end.headed() {
		return 0
	}
	arc.leastDistance += end.halfStrokes(arc.sh)
	return end.gap(arc.sh)
}

// crossing finds where the arc of a bent arrow meets the outline of the shape that an end, now at p, is
// bound to. share is a place on the arc, from 0 at one handle to 1 at the other: of several crossings it
// returns the one nearest to that place, and of an open line the one nearest to the start. If there is none,
// an open line counts as hit at the handle, and another outline where it is less than 1 px from the
// handle. If it depends on rounding errors whether a crossing at an end of the arc counts, it sets
// arc.ambiguous.
func (arc *arcSolver) crossing(end *terminal, p geom.Point, share float64) (at geom.Point, hit bool) {
	const atEnd = 1e-6     // px; a crossing so near to an end of the arc may count or not
	const samePlace = 1e-3 // px
	from, span := arc.handles.angle(arc.a), arc.span()
	if end.target.open {
		share = 0
	}
	// The nearest crossing without those at the ends of the arc, and with them.
	inner, all := nearestCrossing{off: math.Inf(1)}, nearestCrossing{off: math.Inf(1)}
	arc.eachEdge(&end.target, func(a, b geom.Point) {
		hits, n := crossCircle(&arc.handles, a, b)
		for _, q := range hits[:n] {
			switch along := arc.turn(from, arc.handles.angle(q)); { // the angle from the start of the arc
			case geom.Near(q, arc.a, atEnd):
				all.offer(q, math.Abs(share*span))
			case geom.Near(q, arc.b, atEnd):
				all.offer(q, math.Abs(span-share*span))
			case along <= span:
				inner.offer(q, math.Abs(along-share*span))
				all.offer(q, math.Abs(along-share*span))
			}
		}
	})
	if math.IsInf(inner.off, 1) {
		if end.target.open {
			inner = nearestCrossing{at: end.Handle}
		} else if q, d := arc.nearest(&end.target, end.Handle); d < 1 {
			inner = nearestCrossing{at: q}
		}
	}
	if math.IsInf(all.off, 1) {
		all = inner
	}
	hit = !math.IsInf(inner.off, 1)
	hitWithEnds := !math.IsInf(all.off, 1)
	moved := hit && !geom.Near(inner.at, all.at, samePlace) // by counting the ends
	if hit != hitWithEnds || moved {
		arc.ambiguous = true
	}
	if !hit {
		return p, false
	}
	return inner.at, true
}

// nearestCrossing is the crossing found so far that is nearest to the wanted place.
type nearestCrossing struct {
	at  geom.Point
	off float64 // angle from the wanted place
}

// offer takes the crossing if it is nearer than the one so far.
func (best *nearestCrossing) offer(at geom.Point, off float64) {
	if off < best.off {
		*best = nearestCrossing{at, off}
	}
}

// crossCircle returns the n points, 0 to 2, where the segment ab of a target's outline crosses the
// whole circle of a bent arrow. It solves q2 t² + q1 t + q0 = 0 for the share t of the segment.
func crossCircle(circle *Circle, a, b geom.Point) (p [2]geom.Point, n int) {
	d, f := geom.Sub(b, a), geom.Sub(a, circle.Centre)
	q2, q1, q0 := geom.SquaredLength(d), 2*geom.Dot(f, d), geom.SquaredLength(f)-float64(circle.Radius*circle.Radius)
	// float64 keeps products from being fused with sums: equal on every machine.
	discriminant := float64(q1*q1) - float64(4*q2*q0)
	if discriminant < 0 || q2 == 0 {
		return p, 0
	}
	root := math.Sqrt(discriminant)
	for _, t := range [2]float64{(-q1 - root) / (2 * q2), (-q1 + root) / (2 * q2)} {
		if t >= 0 && t <= 1 {
			p[n] = geom.Add(a, geom.Scale(d, t))
			n++
		}
	}
	return p, n
}

// noise is the size of rounding errors, radians.
const noise = 1e-9

// uncertainHit reports whether end i counts as a hit of an open line. The editor maps such an end
// to the line's space and back, so rounding errors decide on which side of its handle it is and
// whether the ends have passed each other.
func (arc *arcSolver) uncertainHit(i int) bool { return arc.Ends[i].hit && arc.Ends[i].target.open }

// applyGaps moves the ends of a bent arrow along its arc, away from the outlines of their targets,
// so that each keeps its gap. If the ends would then be closer to each other than arc.leastDistance, both are
// moved into their targets instead, at most to their handles. It sets arc.ambiguous where rounding
// errors decide how far that is.
func (arc *arcSolver) applyGaps() {
	from, to, span := arc.handles.angle(arc.a), arc.handles.angle(arc.b), arc.span()
	length := span * arc.handles.Radius
	ends := func() (a, b geom.Point) {
		a, b = arc.a, arc.b // may lie beside the circle, where they are the nearest points of outlines
		if arc.gaps[0] != 0 {
			a = arc.handles.at(from + span*(arc.gaps[0]/length)*arc.sign)
		}
		if arc.gaps[1] != 0 {
			b = arc.handles.at(to - span*(arc.gaps[1]/length)*arc.sign)
		}
		return a, b
	}
	a, b := ends()
	if geom.Distance(a, b) < arc.leastDistance {
		factor := -2.0 // the editor's; negative gaps lie inside of the targets
		if arc.gaps[0] != 0 && arc.gaps[1] != 0 {
			factor = -1.5
		}
		// The angles between the handles and the ends: how far the ends can go back.
		waysBack := [2]float64{arc.turn(arc.handles.angle(arc.Ends[0].Handle), from), arc.turn(to, arc.handles.angle(arc.Ends[1].Handle))}
		for i, wayBack := range waysBack {
			if arc.uncertainHit(i) && math.Abs(math.Remainder(wayBack, 2*math.Pi)) <= noise {
				arc.ambiguous = true // an angle of 0 or a full turn
			}
			const beforeHandle = 0.1 // px
			arc.gaps[i] = max(factor*arc.gaps[i], beforeHandle-wayBack*arc.handles.Radius)
		}
		a, b = ends()
	}
	arc.a, arc.b = a, b
}

// separateEnds corrects the ends of a bent arrow that is bound at both ends, as the editor does. If
// both ends have the same target and the arrow is shorter than 30 px, it goes from handle to
// handle. If neither target holds the other, an end is set anew that met no outline, or that the start
// has passed along the arc. Other arrows stay as they are.
func (arc *arcSolver) separateEnds() {
	from, to := &arc.Ends[0], &arc.Ends[1]
	if !from.bound() || !to.bound() || from.exact || to.exact {
		return
	}
	const shortest = 30 // px, of an arrow from a shape to itself
	at, span := arc.handles.angle(arc.a), arc.span()
	length := span * arc.handles.Radius
	switch arc.relationOf() {
	case sameTarget:
		if length < shortest {
			arc.a, arc.b = from.Handle, to.Handle
		}
	case neitherHolds:
		if !from.hit {
			arc.a = from.Handle
		}
		start := arc.handles.angle(from.Handle)
		if !to.hit || arc.turn(start, arc.handles.angle(arc.a)) > arc.turn(start, arc.handles.angle(arc.b)) {
			// The editor puts the end 10 px behind the start, but at most at 0.9 of the arc.
			arc.b = arc.handles.at(at + span*min(0.9, 10*arc.sh.Scale/length)*arc.sign)
		}
	}
}

// midpoint returns the point of a bent arrow's arc half way between its ends. Gaps may move the ends so far
// that they pass each other: then the arc between them is longer than that between the handles, and midpoint
// swaps them. It sets arc.ambiguous if rounding errors decide that.
func (arc *arcSolver) midpoint() geom.Point {
	at, span := arc.handles.angle(arc.a), arc.span()
	mid := at + span/2*arc.sign
	handleSpan := arc.turn(arc.handles.angle(arc.Ends[0].Handle), arc.handles.angle(arc.Ends[1].Handle))
	for i := range arc.Ends {
		arc.ambiguous = arc.ambiguous || arc.uncertainHit(i) && math.Abs(span-handleSpan) <= noise
	}
	if span > handleSpan+noise {
		arc.a, arc.b = arc.b, arc.a
		mid += math.Pi
	}
	return arc.handles.at(mid)
}
