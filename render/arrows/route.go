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

// turnBox maps a box of the elbow arrow's router by t, a quarter turn or a flip, and orders its
// corners again.
func turnBox(t geom.Matrix, e geom.Extent) geom.Extent {
	out := geom.NewExtent()
	out.Add(t.Apply(e.Lo))
	out.Add(t.Apply(e.Hi))
	return out
}

// outward is the direction in which each side of a box faces.
var outward = [sides]geom.Point{
	rightSide: {X: 1}, bottomSide: {Y: 1}, leftSide: {X: -1}, topSide: {Y: -1},
}

// turnSide returns which side of a box the side s becomes when the elbow arrow's router maps the
// box by t, a quarter turn or a flip.
func turnSide(t geom.Matrix, s side) side {
	p := t.Apply(outward[s])
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

// turnEdges maps the four sides of an elbow arrow's end by t, a quarter turn or a flip. Each side
// moves to the index of the side that it becomes, and its coordinates are mapped. value and cross
// of a side are x and y for the left and the right side, and y and x for the others.
func turnEdges(t geom.Matrix, e *[sides]edge) (out [sides]edge) {
	for s := range sides {
		k := e[s]
		to := turnSide(t, s)
		turned := func(value, cross float64) (float64, float64) {
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
		value, cross := turned(k.value, k.cross)
		k.expanded, _ = turned(k.expanded, k.cross)
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

// load sets the router's input, not turned, from both ends of an elbow arrow: boxes, edges, the gap
// between the boxes along x and y, and the lines half way between them on which a middle segment may
// run where the gap is wide enough.
func (r *elbowRouter) load(w *elbowPlan) {
	a, b := &w.a, &w.b
	*r = elbowRouter{
		boxA: routeBox{a.box, a.grown, a.isPoint}, boxB: routeBox{b.box, b.grown, b.isPoint},
		a: a.edges, b: b.edges, pointA: a.isPoint, pointB: b.isPoint,
		leg: w.leg, bias: geom.Pt(1, 1), turned: geom.Identity, points: r.points[:0],
	}
	r.all = a.grown
	r.all.Join(b.grown)
	// room returns how much of a gap an end takes: least for there to be a middle line, and grow, what
	// the line keeps from it.
	room := func(e *elbowEnd) (least, grow float64) {
		if e.isPoint {
			return 3 * w.end, 3 * w.end
		}
		return w.least, w.leg
	}
	leastA, growA := room(a)
	leastB, growB := room(b)
	// between returns the gap from a to b along one axis, negative if b comes first, and the middle line.
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

// apply maps the whole input of the elbow arrow's router by t, a quarter turn or a flip. So one
// rule serves the routes in all directions.
func (r *elbowRouter) apply(t geom.Matrix) {
	r.turned = t.Mul(r.turned)
	r.boxA.apply(t)
	r.boxB.apply(t)
	r.all = turnBox(t, r.all)
	r.a, r.b = turnEdges(t, &r.a), turnEdges(t, &r.b)
	r.gap, r.bias = t.Apply(r.gap), t.Apply(r.bias)
	mid := t.Apply(geom.Pt(r.midX.at, r.midY.at))
	if t.A == 0 { // a quarter turn swaps x and y
		r.midX.ok, r.midY.ok = r.midY.ok, r.midX.ok
	}
	r.midX.at, r.midY.at = mid.X, mid.Y
}

// route returns the route of an elbow arrow that leaves end A at side from and reaches end B at side
// to; ok is false if there is none. It turns the input so that from is the right side, makes the
// route, and turns everything back. The points are valid until the next call. See
// docs/spec/drawing.md#r66.
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
	case bottomSide: // upside down it is the top
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
// straight line along an axis, within 0.01 px. It overwrites p and returns its beginning.
func simplified(p []geom.Point) []geom.Point {
	const tolerance = 0.01 // px
	same := func(a, b float64) bool { return math.Abs(a-b) <= tolerance }
	n := 0 // corners kept
	for _, q := range p {
		if n > 0 && geom.Near(p[n-1], q, tolerance) {
			continue
		}
		if n > 1 {
			a, b := p[n-2], p[n-1]
			if same(a.X, b.X) && same(b.X, q.X) || same(a.Y, b.Y) && same(b.Y, q.Y) {
				n-- // b lies between a and q, or q goes back
			}
		}
		p[n] = q
		n++
	}
	return p[:n]
}

// via appends corners to the route of an elbow arrow, given as x, y, x, y and so on. It always
// returns true, which lets its callers report in one statement that a route was found.
func (r *elbowRouter) via(c ...float64) bool {
	for i := 0; i+1 < len(c); i += 2 {
		r.points = append(r.points, geom.Pt(c[i], c[i+1]))
	}
	return true
}

// toLeftSide makes the route of an elbow arrow from the right side of A to the left side of B; it
// returns false if there is none. If there is a vertical middle line between the boxes, it goes
// straight over that. Else it leaves both sides and follows the horizontal middle line between
// boxes that lie above one another. Else it takes the shortest of three ways: below both boxes,
// above both, or between them. The sums are the editor's estimates of the lengths of these ways.
func (r *elbowRouter) toLeftSide() bool {
	if r.a[rightSide].cross > r.b[leftSide].cross {
		r.apply(flip)
	}
	from, to := &r.a[rightSide], &r.b[leftSide]
	switch {
	case r.gap.X > 0 && r.midX.ok:
		return r.via(from.value, from.cross, r.midX.at, from.cross, r.midX.at, to.cross, to.value, to.cross)
	case !from.out || !to.out:
		return false
	case r.midY.ok:
		return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, r.midY.at,
			to.expanded, r.midY.at, to.expanded, to.cross, to.value, to.cross)
	}
	all, a, b := r.all, r.boxA.grown, r.boxB.grown
	around := math.Abs(from.value-all.Hi.X) + math.Abs(from.cross-all.Hi.Y) + math.Abs(all.Hi.X-to.expanded) +
		math.Abs(all.Hi.Y-to.cross) + r.leg + 6
	over := r.leg + math.Abs(from.cross-all.Lo.Y) + math.Abs(from.expanded-all.Lo.X) + math.Abs(all.Lo.Y-to.cross) +
		math.Abs(all.Lo.X-to.value) + 6 + r.bias.Y
	between := math.Inf(1)
	if r.gap.X < 0 && r.midX.ok {
		between = 2*r.leg + math.Abs(from.cross-a.Hi.Y) + (all.Hi.X - all.Lo.X) + math.Abs(a.Hi.Y-b.Lo.Y) +
			math.Abs(b.Lo.Y-to.cross) + 8
	}
	switch {
	case around < over && around < between:
		return r.via(from.value, from.cross, all.Hi.X, from.cross, all.Hi.X, all.Hi.Y, to.expanded, all.Hi.Y,
			to.expanded, to.cross, to.value, to.cross)
	case over < between:
		return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, all.Lo.Y,
			all.Lo.X, all.Lo.Y, all.Lo.X, to.cross, to.value, to.cross)
	}
	return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, a.Hi.Y, r.midX.at, a.Hi.Y,
		r.midX.at, b.Lo.Y, to.expanded, b.Lo.Y, to.expanded, to.cross, to.value, to.cross)
}

// toTopSide makes the route of an elbow arrow from the right side of A to the top of B, and returns
// true. It takes one corner if that is possible, or a middle line between the boxes. Else it takes
// the shortest of three ways: around both boxes, below A and beside B, or between them. The sums
// are the editor's estimates of the lengths of these ways.
func (r *elbowRouter) toTopSide() bool {
	from, to := &r.a[rightSide], &r.b[topSide]
	all, a, b := r.all, r.boxA.grown, r.boxB.grown
	switch {
	case from.cross < to.far() && to.cross > from.far() || r.pointA && b.Contains(r.boxA.own.Lo):
		return r.via(from.value, from.cross, to.cross, from.cross, to.cross, to.value)
	case r.gap.X > 0 && r.midX.ok && to.out:
		return r.via(from.value, from.cross, r.midX.at, from.cross, r.midX.at, to.expanded,
			to.cross, to.expanded, to.cross, to.value)
	case r.gap.Y > 0 && from.out && to.cross < from.expanded && r.midY.ok:
		return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, r.midY.at,
			to.cross, r.midY.at, to.cross, to.value)
	}
	around := math.Abs(from.value-all.Hi.X) + math.Abs(from.cross-all.Lo.Y) + math.Abs(to.cross-all.Hi.X) +
		math.Abs(to.value-all.Lo.Y)
	under, between := math.Inf(1), math.Inf(1)
	if from.out && to.out && r.midY.ok {
		under = math.Abs(from.value-from.expanded) + math.Abs(b.Lo.X-from.expanded) + math.Abs(b.Lo.X-to.cross) +
			math.Abs(from.cross-b.Lo.Y) + math.Abs(to.value-to.expanded)
	}
	if from.out && to.out && r.midX.ok {
		between = math.Abs(from.value-all.Hi.X) + math.Abs(from.cross-a.Hi.Y) + math.Abs(from.expanded-to.cross) +
			math.Abs(a.Hi.Y-to.expanded) + math.Abs(to.expanded-to.value)
	}
	switch {
	case around < under && around < between:
		return r.via(from.value, from.cross, all.Hi.X, from.cross, all.Hi.X, all.Lo.Y, to.cross, all.Lo.Y,
			to.cross, to.value)
	case under < between:
		return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, r.midY.at,
			b.Lo.X, r.midY.at, b.Lo.X, to.expanded, to.cross, to.expanded, to.cross, to.value)
	}
	return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, a.Hi.Y, r.midX.at, a.Hi.Y,
		r.midX.at, to.expanded, to.cross, to.expanded, to.cross, to.value)
}

// toRightSide makes the route of an elbow arrow from the right side of A to the right side of B; it
// returns false if there is none. If neither box is in the way of the other, it goes around the
// right of both. Else it goes over the middle line between them and around the nearer end of the
// box in the way.
func (r *elbowRouter) toRightSide() bool {
	from, to := &r.a[rightSide], &r.b[rightSide]
	a, b := r.boxA.grown, r.boxB.grown
	hasRow := func(box geom.Extent, y float64) bool { return box.Lo.Y <= y && y <= box.Hi.Y }
	if (r.gap.X <= 0 || !hasRow(b, from.cross)) && (to.value > r.boxA.own.Lo.X || !hasRow(a, to.cross)) {
		return r.via(from.value, from.cross, r.all.Hi.X, from.cross, r.all.Hi.X, to.cross, to.value, to.cross)
	}
	if !r.midX.ok {
		return false
	}
	// nearer returns the y of the top or the bottom of a box, whichever makes the shorter way.
	nearer := func(box geom.Extent) float64 {
		detour := func(y float64) float64 { return math.Abs(from.cross-y) + math.Abs(to.cross-y) }
		if detour(box.Lo.Y) < detour(box.Hi.Y) {
			return box.Lo.Y
		}
		return box.Hi.Y
	}
	switch {
	case r.gap.X >= 0 && to.out:
		y := nearer(b)
		return r.via(from.value, from.cross, r.midX.at, from.cross, r.midX.at, y, to.expanded, y,
			to.expanded, to.cross, to.value, to.cross)
	case r.gap.X <= 0 && from.out:
		y := nearer(a)
		return r.via(from.value, from.cross, from.expanded, from.cross, from.expanded, y, r.midX.at, y,
			r.midX.at, to.cross, to.value, to.cross)
	}
	return false
}
