package arrows

import (
	"math"
	"plumb/render/geom"
)

// side is a side of a box. The constants are in the order in which routes try them.
type side int8

const (
	rightSide side = iota
	bottomSide
	leftSide
	topSide
	sides
	noSide side = -1
)

// opposite returns the other side of the box on the same axis.
func (s side) opposite() side { return (s + 2) % sides }

// Maps of the plane by quarter turns and flips.
var (
	flip = geom.Matrix{A: 1, D: -1} // upside down
	// toRight turns the direction of a side to the right.
	toRight = [sides]geom.Matrix{
		rightSide: geom.Identity, leftSide: {A: -1, D: -1},
		bottomSide: {B: -1, C: 1}, topSide: {B: 1, C: -1},
	}
)

// turnBox maps a box by a quarter turn or flip.
func turnBox(t geom.Matrix, e geom.Extent) geom.Extent {
	out := geom.NewExtent()
	out.Add(t.Apply(e.Lo))
	out.Add(t.Apply(e.Hi))
	return out
}

// turnSide maps a side of a box by a quarter turn or flip.
func turnSide(t geom.Matrix, s side) side {
	p := t.Apply([sides]geom.Point{geom.Pt(1, 0), geom.Pt(0, 1), geom.Pt(-1, 0), geom.Pt(0, -1)}[s])
	switch {
	case p.X > 0:
		return rightSide
	case p.X < 0:
		return leftSide
	case p.Y > 0:
		return bottomSide
	}
	return topSide
}

// turnEdges maps all sides of an elbow arrow's end by a quarter turn or flip.
func turnEdges(t geom.Matrix, e *[sides]edge) (out [sides]edge) {
	for s := range sides {
		k := e[s]
		to := turnSide(t, s)
		m := func(value, cross float64) (float64, float64) {
			p := geom.Pt(value, cross)
			if s == topSide || s == bottomSide {
				p = geom.Pt(cross, value)
			}
			p = t.Apply(p)
			if to == topSide || to == bottomSide {
				return p.Y, p.X
			}
			return p.X, p.Y
		}
		value, cross := m(k.value, k.cross)
		k.expanded, _ = m(k.expanded, k.cross)
		k.value, k.cross = value, cross
		out[to] = k
	}
	return out
}

// middleLine is the coordinate of the middle segment of a route; ok is false if there is none.
type middleLine struct {
	at float64
	ok bool
}

// routeBox is the box of an end, and the same box grown. For a point both are one object in the
// editor, so every turn is applied to it twice. See docs/spec/drawing.md#r66.
type routeBox struct {
	own, grown geom.Extent
	turnsTwice bool
}

// apply maps the box of an elbow arrow's end, and the grown box, by a quarter turn or flip.
func (b *routeBox) apply(t geom.Matrix) {
	b.own = turnBox(t, b.own)
	if b.turnsTwice {
		b.own = turnBox(t, b.own)
		b.grown = b.own
		return
	}
	b.grown = turnBox(t, b.grown)
}

// elbowRouter finds the route of an elbow arrow from end A to end B. It turns its input so that the
// arrow leaves A to the right, and turns it back before the next attempt.
type elbowRouter struct {
	boxA, boxB routeBox
	all        geom.Extent // holds both grown boxes
	a, b       [sides]edge
	gap        geom.Point // how far B lies beyond A, 0 where they overlap
	midX, midY middleLine
	bias       geom.Point
	pointA     bool
	pointB     bool
	leg        float64
	turned     geom.Matrix
	points     []geom.Point // the route so far
}

// load sets both ends of an elbow arrow as the router's input, not turned.
func (r *elbowRouter) load(w *elbowPlan) {
	a, b := &w.a, &w.b
	*r = elbowRouter{
		boxA: routeBox{a.box, a.grown, a.isPoint}, boxB: routeBox{b.box, b.grown, b.isPoint},
		a: a.edges, b: b.edges, pointA: a.isPoint, pointB: b.isPoint,
		leg: w.leg, bias: geom.Pt(1, 1), turned: geom.Identity, points: r.points[:0],
	}
	r.all = a.grown
	r.all.Join(b.grown)
	reach := func(e *elbowEnd) (least, grow float64) {
		if e.isPoint {
			return 3 * w.end, 3 * w.end
		}
		return w.least, w.leg
	}
	leastA, growA := reach(a)
	leastB, growB := reach(b)
	between := func(aLo, aHi, bLo, bHi float64) (gap float64, mid middleLine) {
		switch {
		case bLo-aHi >= 0:
			gap = bLo - aHi
			mid.at = geom.Lerp1(aHi+growA, bLo-growB, w.middle)
		case aLo-bHi >= 0:
			gap = bHi - aLo
			mid.at = geom.Lerp1(aLo-growA, bHi+growB, w.middle)
		}
		mid.ok = math.Abs(gap) > leastA+leastB
		return gap, mid
	}
	r.gap.X, r.midX = between(a.box.Lo.X, a.box.Hi.X, b.box.Lo.X, b.box.Hi.X)
	r.gap.Y, r.midY = between(a.box.Lo.Y, a.box.Hi.Y, b.box.Lo.Y, b.box.Hi.Y)
}

// apply maps the router's whole input by a quarter turn or flip, so that one rule serves routes in
// all directions.
func (r *elbowRouter) apply(t geom.Matrix) {
	r.turned = t.Mul(r.turned)
	r.boxA.apply(t)
	r.boxB.apply(t)
	r.all = turnBox(t, r.all)
	r.a, r.b = turnEdges(t, &r.a), turnEdges(t, &r.b)
	r.gap, r.bias = t.Apply(r.gap), t.Apply(r.bias)
	mid := t.Apply(geom.Pt(r.midX.at, r.midY.at))
	if t.A == 0 {
		r.midX.ok, r.midY.ok = r.midY.ok, r.midX.ok
	}
	r.midX.at, r.midY.at = mid.X, mid.Y
}

// route returns the route of an elbow arrow that leaves end A at one side and reaches end B at
// another. See docs/spec/drawing.md#r66.
func (r *elbowRouter) route(from, to side) (way []geom.Point, ok bool) {
	if !r.a[from].usable || !r.b[to].usable {
		return nil, false
	}
	r.points = r.points[:0]
	t := toRight[from]
	r.apply(t)
	switch turnSide(t, to) {
	case leftSide:
		ok = r.toLeftSide()
	case topSide:
		ok = r.toTopSide()
	case bottomSide:
		r.apply(flip)
		ok = r.toTopSide()
	default:
		ok = r.toRightSide()
	}
	back := r.turned.Inverse()
	for i, p := range r.points {
		r.points[i] = back.Apply(p)
	}
	r.apply(back)
	r.turned = geom.Identity
	r.points = simplified(r.points)
	return r.points, ok
}

// simplified drops the corners of an elbow arrow's route that repeat the last one or lie on a
// straight line.
func simplified(p []geom.Point) []geom.Point {
	const tol = 0.01
	n := 0
	for _, q := range p {
		if n > 0 && geom.Near(p[n-1], q, tol) {
			continue
		}
		if n > 1 {
			a, b := p[n-2], p[n-1]
			if math.Abs(a.X-b.X) <= tol && math.Abs(b.X-q.X) <= tol || math.Abs(a.Y-b.Y) <= tol && math.Abs(b.Y-q.Y) <= tol {
				n--
			}
		}
		p[n] = q
		n++
	}
	return p[:n]
}

// via appends points to the route: x, y, x, y and so on. It returns true.
func (r *elbowRouter) via(c ...float64) bool {
	for i := 0; i+1 < len(c); i += 2 {
		r.points = append(r.points, geom.Pt(c[i], c[i+1]))
	}
	return true
}

// toLeftSide makes the route from the right side of A to the left side of B.
func (r *elbowRouter) toLeftSide() bool {
	if r.a[rightSide].cross > r.b[leftSide].cross {
		r.apply(flip)
	}
	e, f := &r.a[rightSide], &r.b[leftSide]
	switch {
	case r.gap.X > 0 && r.midX.ok:
		return r.via(e.value, e.cross, r.midX.at, e.cross, r.midX.at, f.cross, f.value, f.cross)
	case !e.out || !f.out:
		return false
	case r.midY.ok:
		return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, r.midY.at,
			f.expanded, r.midY.at, f.expanded, f.cross, f.value, f.cross)
	}
	u, a, b := r.all, r.boxA.grown, r.boxB.grown
	around := math.Abs(e.value-u.Hi.X) + math.Abs(e.cross-u.Hi.Y) + math.Abs(u.Hi.X-f.expanded) +
		math.Abs(u.Hi.Y-f.cross) + r.leg + 6
	over := r.leg + math.Abs(e.cross-u.Lo.Y) + math.Abs(e.expanded-u.Lo.X) + math.Abs(u.Lo.Y-f.cross) +
		math.Abs(u.Lo.X-f.value) + 6 + r.bias.Y
	between := math.Inf(1)
	if r.gap.X < 0 && r.midX.ok {
		between = 2*r.leg + math.Abs(e.cross-a.Hi.Y) + (u.Hi.X - u.Lo.X) + math.Abs(a.Hi.Y-b.Lo.Y) + math.Abs(b.Lo.Y-f.cross) + 8
	}
	switch {
	case around < over && around < between:
		return r.via(e.value, e.cross, u.Hi.X, e.cross, u.Hi.X, u.Hi.Y, f.expanded, u.Hi.Y, f.expanded, f.cross, f.value, f.cross)
	case over < between:
		return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, u.Lo.Y, u.Lo.X, u.Lo.Y, u.Lo.X, f.cross, f.value, f.cross)
	}
	return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, a.Hi.Y, r.midX.at, a.Hi.Y,
		r.midX.at, b.Lo.Y, f.expanded, b.Lo.Y, f.expanded, f.cross, f.value, f.cross)
}

// toTopSide makes the route from the right side of A to the top of B.
func (r *elbowRouter) toTopSide() bool {
	e, f := &r.a[rightSide], &r.b[topSide]
	u, a, b := r.all, r.boxA.grown, r.boxB.grown
	switch {
	case e.cross < f.far() && f.cross > e.far() || r.pointA && b.Contains(r.boxA.own.Lo):
		return r.via(e.value, e.cross, f.cross, e.cross, f.cross, f.value)
	case r.gap.X > 0 && r.midX.ok && f.out:
		return r.via(e.value, e.cross, r.midX.at, e.cross, r.midX.at, f.expanded, f.cross, f.expanded, f.cross, f.value)
	case r.gap.Y > 0 && e.out && f.cross < e.expanded && r.midY.ok:
		return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, r.midY.at, f.cross, r.midY.at, f.cross, f.value)
	}
	around := math.Abs(e.value-u.Hi.X) + math.Abs(e.cross-u.Lo.Y) + math.Abs(f.cross-u.Hi.X) + math.Abs(f.value-u.Lo.Y)
	under, between := math.Inf(1), math.Inf(1)
	if e.out && f.out && r.midY.ok {
		under = math.Abs(e.value-e.expanded) + math.Abs(b.Lo.X-e.expanded) + math.Abs(b.Lo.X-f.cross) +
			math.Abs(e.cross-b.Lo.Y) + math.Abs(f.value-f.expanded)
	}
	if e.out && f.out && r.midX.ok {
		between = math.Abs(e.value-u.Hi.X) + math.Abs(e.cross-a.Hi.Y) + math.Abs(e.expanded-f.cross) +
			math.Abs(a.Hi.Y-f.expanded) + math.Abs(f.expanded-f.value)
	}
	switch {
	case around < under && around < between:
		return r.via(e.value, e.cross, u.Hi.X, e.cross, u.Hi.X, u.Lo.Y, f.cross, u.Lo.Y, f.cross, f.value)
	case under < between:
		return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, r.midY.at, b.Lo.X, r.midY.at,
			b.Lo.X, f.expanded, f.cross, f.expanded, f.cross, f.value)
	}
	return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, a.Hi.Y, r.midX.at, a.Hi.Y,
		r.midX.at, f.expanded, f.cross, f.expanded, f.cross, f.value)
}

// toRightSide makes the route from the right side of A to the right side of B.
func (r *elbowRouter) toRightSide() bool {
	e, f := &r.a[rightSide], &r.b[rightSide]
	a, b := r.boxA.grown, r.boxB.grown
	rows := func(x geom.Extent, y float64) bool { return x.Lo.Y <= y && y <= x.Hi.Y }
	if (r.gap.X <= 0 || !rows(b, e.cross)) && (f.value > r.boxA.own.Lo.X || !rows(a, f.cross)) {
		return r.via(e.value, e.cross, r.all.Hi.X, e.cross, r.all.Hi.X, f.cross, f.value, f.cross)
	}
	if !r.midX.ok {
		return false
	}
	nearer := func(x geom.Extent) float64 {
		if math.Abs(e.cross-x.Lo.Y)+math.Abs(f.cross-x.Lo.Y) < math.Abs(e.cross-x.Hi.Y)+math.Abs(f.cross-x.Hi.Y) {
			return x.Lo.Y
		}
		return x.Hi.Y
	}
	switch {
	case r.gap.X >= 0 && f.out:
		y := nearer(b)
		return r.via(e.value, e.cross, r.midX.at, e.cross, r.midX.at, y, f.expanded, y, f.expanded, f.cross, f.value, f.cross)
	case r.gap.X <= 0 && e.out:
		y := nearer(a)
		return r.via(e.value, e.cross, e.expanded, e.cross, e.expanded, y, r.midX.at, y, r.midX.at, f.cross, f.value, f.cross)
	}
	return false
}
