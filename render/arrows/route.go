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
// moves to the index of the side that it becomes, and its coordinates are mapped. sideAt and leaveAt
// of a side are x and y for the left and the right side, and y and x for the others.
func turnEdges(t geom.Matrix, e *[sides]edge) (out [sides]edge) {
	for s := range sides {
		k := e[s]
		to := turnSide(t, s)
		turned := func(sideAt, leaveAt float64) (float64, float64) {
			p := geom.Pt(sideAt, leaveAt)
			if s == topSide || s == bottomSide {
				p = geom.Pt(leaveAt, sideAt)
			}
			p = t.Apply(p)
			if to == topSide || to == bottomSide {
				return p.Y, p.X
			}
			return p.X, p.Y
		}
		sideAt, leaveAt := turned(k.sideAt, k.leaveAt)
		k.outside, _ = turned(k.outside, k.leaveAt)
		k.sideAt, k.leaveAt = sideAt, leaveAt
		out[to] = k
	}
	return out
}

// middleLine is the coordinate of the middle segment of a route; fits is false if there is no room for one.
type middleLine struct {
	at   float64
	fits bool
}

// routeBox is the box of an end, and the same box grown. For a point both are one object in the
// editor, so every turn is applied to it twice. See docs/spec/drawing.md#r66.
type routeBox struct {
	own, grown geom.Extent
	turnsTwice bool
}

// turnBy maps the box of an elbow arrow's end, and the grown box, by a quarter turn or flip.
func (b *routeBox) turnBy(t geom.Matrix) {
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
	bothGrown  geom.Extent // holds both grown boxes
	a, b       [sides]edge // where the route may leave both boxes
	gapToB     geom.Point  // how far B lies beyond A, along x and y; 0 where they overlap
	midX, midY middleLine  // half way between the boxes, vertical and horizontal
	tieBreak   geom.Point  // a px that the editor adds to one of two ways, so that equal ones are decided
	pointA     bool        // end A is a point, not a box
	pointB     bool
	leg        float64      // how far the route runs straight from a box, px
	turned     geom.Matrix  // how the input is turned
	points     []geom.Point // the route so far
}

// load sets the router's input, not turned, from both ends of an elbow arrow: boxes, edges, the gap
// between the boxes along x and y, and the lines half way between them on which a middle segment may
// run where the gap is wide enough.
func (router *elbowRouter) load(plan *elbowPlan) {
	a, b := &plan.a, &plan.b
	*router = elbowRouter{
		boxA: routeBox{a.box, a.grown, a.isPoint}, boxB: routeBox{b.box, b.grown, b.isPoint},
		a: a.edges, b: b.edges, pointA: a.isPoint, pointB: b.isPoint,
		leg: plan.leg, tieBreak: geom.Pt(1, 1), turned: geom.Identity, points: router.points[:0],
	}
	router.bothGrown = a.grown
	router.bothGrown.Join(b.grown)
	// room returns how much of the gap between the boxes an end takes: least for there to be a middle line,
	// and grow, the distance that the line keeps from the end.
	room := func(e *elbowEnd) (least, grow float64) {
		if e.isPoint {
			return 3 * plan.shortestEnd, 3 * plan.shortestEnd
		}
		return plan.shortestLeg, plan.leg
	}
	leastA, growA := room(a)
	leastB, growB := room(b)
	// between returns the gap from a to b along one axis, negative if b comes first, and the middle line.
	between := func(aLo, aHi, bLo, bHi float64) (gap float64, mid middleLine) {
		switch {
		case bLo-aHi >= 0:
			gap = bLo - aHi
			mid.at = geom.LerpNumber(aHi+growA, bLo-growB, plan.middleShare)
		case aLo-bHi >= 0:
			gap = bHi - aLo
			mid.at = geom.LerpNumber(aLo-growA, bHi+growB, plan.middleShare)
		}
		mid.fits = math.Abs(gap) > leastA+leastB
		return gap, mid
	}
	router.gapToB.X, router.midX = between(a.box.Lo.X, a.box.Hi.X, b.box.Lo.X, b.box.Hi.X)
	router.gapToB.Y, router.midY = between(a.box.Lo.Y, a.box.Hi.Y, b.box.Lo.Y, b.box.Hi.Y)
}

// turnBy maps the whole input of the elbow arrow's router by t, a quarter turn or a flip. So one
// rule serves the routes in all directions.
func (router *elbowRouter) turnBy(t geom.Matrix) {
	router.turned = t.Mul(router.turned)
	router.boxA.turnBy(t)
	router.boxB.turnBy(t)
	router.bothGrown = turnBox(t, router.bothGrown)
	router.a, router.b = turnEdges(t, &router.a), turnEdges(t, &router.b)
	router.gapToB, router.tieBreak = t.Apply(router.gapToB), t.Apply(router.tieBreak)
	mid := t.Apply(geom.Pt(router.midX.at, router.midY.at))
	if t.A == 0 { // a quarter turn swaps x and y
		router.midX.fits, router.midY.fits = router.midY.fits, router.midX.fits
	}
	router.midX.at, router.midY.at = mid.X, mid.Y
}

// route returns the route of an elbow arrow that leaves end A at side from and reaches end B at side
// to; ok is false if there is none. It turns the input so that from is the right side, makes the
// route, and turns everything back. The points are valid until the next call. See
// docs/spec/drawing.md#r66.
func (router *elbowRouter) route(from, to side) (way []geom.Point, ok bool) {
	if !router.a[from].usable || !router.b[to].usable {
		return nil, false
	}
	router.points = router.points[:0]
	t := toRight[from]
	router.turnBy(t)
	switch turnSide(t, to) {
	case leftSide:
		ok = router.toLeftSide()
	case topSide:
		ok = router.toTopSide()
	case bottomSide: // upside down it is the top
		router.turnBy(flip)
		ok = router.toTopSide()
	default:
		ok = router.toRightSide()
	}
	back := router.turned.Inverse()
	for i, p := range router.points {
		router.points[i] = back.Apply(p)
	}
	router.turnBy(back)
	router.turned = geom.Identity
	router.points = simplified(router.points)
	return router.points, ok
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

// addCorners appends corners to the route of an elbow arrow, given as x, y, x, y and so on. It always
// returns true, which lets its callers report in one statement that a route was found.
func (router *elbowRouter) addCorners(c ...float64) bool {
	for i := 0; i+1 < len(c); i += 2 {
		router.points = append(router.points, geom.Pt(c[i], c[i+1]))
	}
	return true
}

// toLeftSide makes the route of an elbow arrow from the right side of A to the left side of B; it
// returns false if there is none. If there is a vertical middle line between the boxes, it goes
// straight over that. Else it leaves both sides and follows the horizontal middle line between
// boxes that lie above one another. Else it takes the shortest of three ways: below both boxes,
// above both, or between them. The sums are the editor's estimates of the lengths of these ways, with its
// small numbers for corners.
func (router *elbowRouter) toLeftSide() bool {
	if router.a[rightSide].leaveAt > router.b[leftSide].leaveAt {
		router.turnBy(flip)
	}
	from, to := &router.a[rightSide], &router.b[leftSide]
	switch {
	case router.gapToB.X > 0 && router.midX.fits:
		return router.addCorners(from.sideAt, from.leaveAt, router.midX.at, from.leaveAt, router.midX.at, to.leaveAt, to.sideAt, to.leaveAt)
	case !from.hasBox || !to.hasBox:
		return false
	case router.midY.fits:
		return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, router.midY.at,
			to.outside, router.midY.at, to.outside, to.leaveAt, to.sideAt, to.leaveAt)
	}
	// Estimate the lengths of the ways around, over and between the boxes.
	const forCorners, forMoreCorners = 6, 8 // px that the editor adds
	all, a, b := router.bothGrown, router.boxA.grown, router.boxB.grown
	around := math.Abs(from.sideAt-all.Hi.X) + math.Abs(from.leaveAt-all.Hi.Y) + math.Abs(all.Hi.X-to.outside) +
		math.Abs(all.Hi.Y-to.leaveAt) + router.leg + forCorners
	over := router.leg + math.Abs(from.leaveAt-all.Lo.Y) + math.Abs(from.outside-all.Lo.X) + math.Abs(all.Lo.Y-to.leaveAt) +
		math.Abs(all.Lo.X-to.sideAt) + forCorners + router.tieBreak.Y
	between := math.Inf(1)
	if router.gapToB.X < 0 && router.midX.fits {
		between = 2*router.leg + math.Abs(from.leaveAt-a.Hi.Y) + (all.Hi.X - all.Lo.X) + math.Abs(a.Hi.Y-b.Lo.Y) +
			math.Abs(b.Lo.Y-to.leaveAt) + forMoreCorners
	}
	switch {
	case around < over && around < between:
		return router.addCorners(from.sideAt, from.leaveAt, all.Hi.X, from.leaveAt, all.Hi.X, all.Hi.Y, to.outside, all.Hi.Y,
			to.outside, to.leaveAt, to.sideAt, to.leaveAt)
	case over < between:
		return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, all.Lo.Y,
			all.Lo.X, all.Lo.Y, all.Lo.X, to.leaveAt, to.sideAt, to.leaveAt)
	}
	return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, a.Hi.Y, router.midX.at, a.Hi.Y,
		router.midX.at, b.Lo.Y, to.outside, b.Lo.Y, to.outside, to.leaveAt, to.sideAt, to.leaveAt)
}

// toTopSide makes the route of an elbow arrow from the right side of A to the top of B, and returns
// true. It takes one corner if that is possible, or a middle line between the boxes. Else it takes
// the shortest of three ways: around both boxes, below A and beside B, or between them. The sums
// are the editor's estimates of the lengths of these ways.
func (router *elbowRouter) toTopSide() bool {
	from, to := &router.a[rightSide], &router.b[topSide]
	all, a, b := router.bothGrown, router.boxA.grown, router.boxB.grown
	switch {
	case from.leaveAt < to.firstTurn() && to.leaveAt > from.firstTurn() || router.pointA && b.Contains(router.boxA.own.Lo):
		return router.addCorners(from.sideAt, from.leaveAt, to.leaveAt, from.leaveAt, to.leaveAt, to.sideAt)
	case router.gapToB.X > 0 && router.midX.fits && to.hasBox:
		return router.addCorners(from.sideAt, from.leaveAt, router.midX.at, from.leaveAt, router.midX.at, to.outside,
			to.leaveAt, to.outside, to.leaveAt, to.sideAt)
	case router.gapToB.Y > 0 && from.hasBox && to.leaveAt < from.outside && router.midY.fits:
		return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, router.midY.at,
			to.leaveAt, router.midY.at, to.leaveAt, to.sideAt)
	}
	// Estimate the lengths of the ways around, under and between the boxes.
	around := math.Abs(from.sideAt-all.Hi.X) + math.Abs(from.leaveAt-all.Lo.Y) + math.Abs(to.leaveAt-all.Hi.X) +
		math.Abs(to.sideAt-all.Lo.Y)
	under, between := math.Inf(1), math.Inf(1)
	if from.hasBox && to.hasBox && router.midY.fits {
		under = math.Abs(from.sideAt-from.outside) + math.Abs(b.Lo.X-from.outside) + math.Abs(b.Lo.X-to.leaveAt) +
			math.Abs(from.leaveAt-b.Lo.Y) + math.Abs(to.sideAt-to.outside)
	}
	if from.hasBox && to.hasBox && router.midX.fits {
		between = math.Abs(from.sideAt-all.Hi.X) + math.Abs(from.leaveAt-a.Hi.Y) + math.Abs(from.outside-to.leaveAt) +
			math.Abs(a.Hi.Y-to.outside) + math.Abs(to.outside-to.sideAt)
	}
	switch {
	case around < under && around < between:
		return router.addCorners(from.sideAt, from.leaveAt, all.Hi.X, from.leaveAt, all.Hi.X, all.Lo.Y, to.leaveAt, all.Lo.Y,
			to.leaveAt, to.sideAt)
	case under < between:
		return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, router.midY.at,
			b.Lo.X, router.midY.at, b.Lo.X, to.outside, to.leaveAt, to.outside, to.leaveAt, to.sideAt)
	}
	return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, a.Hi.Y, router.midX.at, a.Hi.Y,
		router.midX.at, to.outside, to.leaveAt, to.outside, to.leaveAt, to.sideAt)
}

// toRightSide makes the route of an elbow arrow from the right side of A to the right side of B; it
// returns false if there is none. If neither box is in the way of the other, it goes around the
// right of both. Else it goes over the middle line between them and around the nearer end of the
// box in the way.
func (router *elbowRouter) toRightSide() bool {
	from, to := &router.a[rightSide], &router.b[rightSide]
	a, b := router.boxA.grown, router.boxB.grown
	hasRow := func(box geom.Extent, y float64) bool { return box.Lo.Y <= y && y <= box.Hi.Y }
	if (router.gapToB.X <= 0 || !hasRow(b, from.leaveAt)) && (to.sideAt > router.boxA.own.Lo.X || !hasRow(a, to.leaveAt)) {
		return router.addCorners(from.sideAt, from.leaveAt, router.bothGrown.Hi.X, from.leaveAt, router.bothGrown.Hi.X, to.leaveAt, to.sideAt, to.leaveAt)
	}
	if !router.midX.fits {
		return false
	}
	// nearer returns the y of the top or the bottom of a box, whichever makes the shorter way.
	nearer := func(box geom.Extent) float64 {
		detour := func(y float64) float64 { return math.Abs(from.leaveAt-y) + math.Abs(to.leaveAt-y) }
		if detour(box.Lo.Y) < detour(box.Hi.Y) {
			return box.Lo.Y
		}
		return box.Hi.Y
	}
	switch {
	case router.gapToB.X >= 0 && to.hasBox:
		y := nearer(b)
		return router.addCorners(from.sideAt, from.leaveAt, router.midX.at, from.leaveAt, router.midX.at, y, to.outside, y,
			to.outside, to.leaveAt, to.sideAt, to.leaveAt)
	case router.gapToB.X <= 0 && from.hasBox:
		y := nearer(a)
		return router.addCorners(from.sideAt, from.leaveAt, from.outside, from.leaveAt, from.outside, y, router.midX.at, y,
			router.midX.at, to.leaveAt, to.sideAt, to.leaveAt)
	}
	return false
}
