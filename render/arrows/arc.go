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

// arcThrough returns the arc from a to b through m. ok is false if the points are collinear.
func arcThrough(a, b, m geom.Point) (c Circle, ok bool) {
	from := geom.Circumcentre(a, b, m)
	c.Centre, c.Radius = geom.Add(a, from), geom.Length(from)
	ma, mb := geom.Sub(a, m), geom.Sub(b, m)
	theta := 2 * math.Atan2(math.Abs(geom.Cross(ma, mb)), geom.Dot(ma, mb))
	c.Size = theta - 2*math.Pi
	if geom.Cross(geom.Sub(b, a), geom.Sub(m, a)) < 0 {
		c.Size = -c.Size
	}
	c.Large = theta < math.Pi
	return c, geom.Finite(c.Centre) && c.Radius > 0 && c.Radius < math.Inf(1) && c.Size != 0
}

// turn returns the angle from one direction to another, in the direction in which the arc of a bent
// arrow runs.
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

// solveArc finds the ends of a bent arrow. ok is false where there is no circle: then the arrow
// is straight. See docs/spec/drawing.md#r62.
func (v *Solver) solveArc(sh *scene.Shape) (ok bool, err error) {
	from, to := &v.Ends[0], &v.Ends[1]
	a, b := from.Handle, to.Handle
	u := geom.Unit(geom.Sub(b, a))
	middle := geom.Add(geom.Lerp(a, b, 0.5), geom.Scale(geom.Pt(-u.Y, u.X), sh.Arrow.Bend))
	h, ok := arcThrough(a, b, middle)
	if !ok {
		return false, nil
	}
	w := arcSolver{Solver: v, sh: sh, h: h, clockwise: sh.Arrow.Bend < 0, g: -1, least: 10 * sh.Scale, a: a, b: b}
	if w.clockwise {
		w.g = 1
	}
	w.offset[0] = w.stopAtTarget(from, &w.a, 0.25)
	w.offset[1] = w.stopAtTarget(to, &w.b, 0.75)
	w.applyGaps()
	w.separateEnds()
	c := w.midpoint()
	if w.ambiguous {
		return false, foreignArrow(sh, lastBits)
	}
	body, ok := arcThrough(w.a, w.b, c)
	if ok {
		v.Kind, v.Handle, v.Body, v.Start, v.End = ArcArrow, h, body, w.a, w.b
	}
	return ok, nil
}

// arcSolver computes the ends of a bent arrow.
type arcSolver struct {
	*Solver
	sh        *scene.Shape
	h         Circle // through the handles
	clockwise bool
	g         float64    // 1 clockwise, -1 counterclockwise
	least     float64    // shortest distance between the ends
	offset    [2]float64 // gaps that the ends keep from their targets
	a, b      geom.Point // the ends so far
	ambiguous bool       // the editor's result depends on rounding errors
}

func (w *arcSolver) turn(from, to float64) float64 { return turn(from, to, w.clockwise) }

// span returns the angle between the ends.
func (w *arcSolver) span() float64 { return w.turn(w.h.angle(w.a), w.h.angle(w.b)) }

// stopAtTarget moves the arrow's end e, now at p, to the outline of the shape that it is bound to,
// and returns the gap that it keeps from it. Of several crossings it takes the one nearest to that
// share of the arc.
func (w *arcSolver) stopAtTarget(e *terminal, p *geom.Point, share float64) (offset float64) {
	if !e.bound() || e.exact {
		return 0
	}
	at, hit := w.crossing(e, *p, share)
	e.hit = hit
	if !hit {
		return 0
	}
	*p = at
	if !e.headed() {
		return 0
	}
	w.least += e.halfStrokes(w.sh)
	return e.gap(w.sh)
}

// crossing finds where the arc of a bent arrow meets the outline of the shape that the end at p is
// bound to. Rounding errors decide whether a crossing at an end of the arc counts; if that matters,
// it sets w.ambiguous.
func (w *arcSolver) crossing(e *terminal, p geom.Point, share float64) (at geom.Point, hit bool) {
	from, span := w.h.angle(w.a), w.span()
	if e.target.open {
		share = 0
	}
	inner, all := nearestCrossing{off: math.Inf(1)}, nearestCrossing{off: math.Inf(1)} // without and with those at the ends
	w.eachEdge(&e.target, func(a, b geom.Point) {
		hits, n := crossCircle(&w.h, a, b)
		for _, q := range hits[:n] {
			switch d := w.turn(from, w.h.angle(q)); {
			case geom.Near(q, w.a, 1e-6):
				all.offer(q, math.Abs(share*span))
			case geom.Near(q, w.b, 1e-6):
				all.offer(q, math.Abs(span-share*span))
			case d <= span:
				inner.offer(q, math.Abs(d-share*span))
				all.offer(q, math.Abs(d-share*span))
			}
		}
	})
	if math.IsInf(inner.off, 1) {
		if e.target.open {
			inner = nearestCrossing{at: e.Handle}
		} else if q, d := w.nearest(&e.target, e.Handle); d < 1 {
			inner = nearestCrossing{at: q}
		}
	}
	if math.IsInf(all.off, 1) {
		all = inner
	}
	hit = !math.IsInf(inner.off, 1)
	w.ambiguous = w.ambiguous || hit == math.IsInf(all.off, 1) || hit && !geom.Near(inner.at, all.at, 1e-3)
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
func (c *nearestCrossing) offer(at geom.Point, off float64) {
	if off < c.off {
		*c = nearestCrossing{at, off}
	}
}

// crossCircle returns where the segment ab crosses the circle of an arc: n points, of which none
// lies outside the segment.
func crossCircle(c *Circle, a, b geom.Point) (p [2]geom.Point, n int) {
	d, f := geom.Sub(b, a), geom.Sub(a, c.Centre)
	k, l, m := geom.Norm2(d), 2*geom.Dot(f, d), geom.Norm2(f)-float64(c.Radius*c.Radius)
	det := float64(l*l) - float64(4*k*m)
	if det < 0 || k == 0 {
		return p, 0
	}
	root := math.Sqrt(det)
	for _, t := range [2]float64{(-l - root) / (2 * k), (-l + root) / (2 * k)} {
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
func (w *arcSolver) uncertainHit(i int) bool { return w.Ends[i].hit && w.Ends[i].target.open }

// applyGaps moves the ends of a bent arrow along its arc, back from the outlines of their targets
// by their gaps.
func (w *arcSolver) applyGaps() {
	from, to, span := w.h.angle(w.a), w.h.angle(w.b), w.span()
	length := span * w.h.Radius
	ends := func() (geom.Point, geom.Point) {
		return w.h.at(from + span*(w.offset[0]/length)*w.g), w.h.at(to - span*(w.offset[1]/length)*w.g)
	}
	a, b := ends()
	if geom.Distance(a, b) < w.least {
		k := -2.0
		if w.offset[0] != 0 && w.offset[1] != 0 {
			k = -1.5
		}
		ways := [2]float64{w.turn(w.h.angle(w.Ends[0].Handle), from), w.turn(to, w.h.angle(w.Ends[1].Handle))}
		for i, way := range ways {
			if w.uncertainHit(i) && math.Abs(math.Remainder(way, 2*math.Pi)) <= noise {
				w.ambiguous = true // an angle of 0 or a full turn
			}
			w.offset[i] = max(k*w.offset[i], 0.1-way*w.h.Radius)
		}
		a, b = ends()
	}
	w.a, w.b = a, b
}

// separateEnds corrects the ends of a bent arrow whose targets are so near to each other that the
// gaps would make the ends meet or swap.
func (w *arcSolver) separateEnds() {
	from, to := &w.Ends[0], &w.Ends[1]
	if !from.bound() || !to.bound() || from.exact || to.exact {
		return
	}
	at, span := w.h.angle(w.a), w.span()
	length := span * w.h.Radius
	switch w.relationOf() {
	case sameTarget:
		if length < 30 {
			w.a, w.b = from.Handle, to.Handle
		}
	case safe:
		if !from.hit {
			w.a = from.Handle
		}
		start := w.h.angle(from.Handle)
		if !to.hit || w.turn(start, w.h.angle(w.a)) > w.turn(start, w.h.angle(w.b)) {
			w.b = w.h.at(at + span*min(0.9, 10*w.sh.Scale/length)*w.g)
		}
	}
}

// midpoint returns the point of the arc half way between the ends. It swaps ends that have passed
// each other.
func (w *arcSolver) midpoint() geom.Point {
	at, span := w.h.angle(w.a), w.span()
	mid := at + span/2*w.g
	handles := w.turn(w.h.angle(w.Ends[0].Handle), w.h.angle(w.Ends[1].Handle))
	for i := range w.Ends {
		w.ambiguous = w.ambiguous || w.uncertainHit(i) && math.Abs(span-handles) <= noise
	}
	if span > handles+noise {
		w.a, w.b = w.b, w.a
		mid += math.Pi
	}
	return w.h.at(mid)
}
