package arrows

import (
	"math"
	"slices"

	"plumb/render/geom"
	"plumb/render/scene"
)

// expandLeg is how far an elbow arrow runs straight from a target before it turns, by size, in
// unscaled px.
var expandLeg = [...]float64{scene.SizeS: 28, scene.SizeM: 36, scene.SizeL: 44, scene.SizeXL: 66}

// elbowEnd is one end of an elbow arrow: a box, or a point.
type elbowEnd struct {
	box      geom.Extent
	grown    geom.Extent // the box and expandLeg around it; of a point the box itself
	isPoint  bool
	anchor   geom.Point // where in the box the arrow goes: the handle
	side     side       // the side of the box where the arrow must end, noSide for any
	edges    [sides]edge
	terminal *terminal
}

// edge is where an arrow leaves one side of a box. sideAt is the place of the side, x for the left and
// the right side and y for the others; leaveAt is the other coordinate, of the point on the side where
// the arrow leaves.
type edge struct {
	usable  bool
	hasBox  bool // the end has a box; for a point outside is not used
	sideAt  float64
	outside float64 // sideAt, farther out by the scaled expandLeg
	leaveAt float64
}

// firstTurn returns the coordinate at which the route of an elbow arrow may first turn after it left this
// side of a target's box: x for the left and the right side, y for the others. That is expandLeg px outside
// of the box; if the end is a point, it is the point itself.
func (e *edge) firstTurn() float64 {
	if e.hasBox {
		return e.outside
	}
	return e.sideAt
}

// elbowPlan is the input of the route of an elbow arrow.
type elbowPlan struct {
	a, b        elbowEnd
	leg         float64 // expandLeg, scaled: how far the route runs straight from a box, px
	shortestLeg float64 // shortest leg between two boxes, px
	shortestEnd float64 // shortest end segment, px
	middleShare float64 // where the middle segment runs, 0..1
	router      elbowRouter
}

// solveElbow finds the route of an elbow arrow and stores it in the solver. It prepares both ends,
// lets the router search, and ends the route on the outlines of the targets. If only the end has a
// given side, the route is computed backwards, as the editor does. See docs/spec/drawing.md#r63.
func (solver *Solver) solveElbow(sh *scene.Shape) error {
	solver.Kind = ElbowArrow
	plan := &solver.elbow
	plan.leg, plan.shortestLeg, plan.shortestEnd = expandLeg[sh.Size]*sh.Scale, 3*solver.width, 1.5*solver.width*sh.Scale
	plan.middleShare = sh.Arrow.ElbowMidPoint
	if err := solver.elbowEnd(sh, &solver.Ends[0], &plan.a); err != nil {
		return err
	}
	if err := solver.elbowEnd(sh, &solver.Ends[1], &plan.b); err != nil {
		return err
	}
	solver.computedBackwards = plan.a.side == noSide && plan.b.side != noSide
	if solver.computedBackwards {
		plan.a, plan.b = plan.b, plan.a
		plan.middleShare = 1 - plan.middleShare
	}
	if err := plan.dropBoxes(sh); err != nil {
		return err
	}
	plan.router.load(plan)
	way, ok := plan.router.search(solver.routes[0][:0], plan.a.side, plan.b.side)
	if !ok {
		return foreignArrow(sh, "between whose ends there is no route")
	}
	if len(way) == 1 { // a dot: from one place to the same
		way = append(way, way[0])
	}
	solver.routes[0] = way
	solver.clipRoute(sh, way)
	return nil
}

// elbowEnd fills in what an end of the elbow arrow sh has without regard to the other end: its box (of an
// unbound end a point), the grown box, and the side that a precise anchor asks for. It also sets
// elbowGap, the gap that an end with a head keeps from the outline of its target, so that the head touches
// nothing; an end without a head goes up to the outline. A target that is an open line is an error, because
// the editor draws it otherwise.
func (solver *Solver) elbowEnd(sh *scene.Shape, terminal *terminal, end *elbowEnd) error {
	*end = elbowEnd{anchor: terminal.Handle, side: noSide, terminal: terminal}
	end.box = geom.Extent{Lo: terminal.Handle, Hi: terminal.Handle}
	end.isPoint = !terminal.bound()
	terminal.elbowGap = 0
	if terminal.bound() {
		target := &terminal.target
		if target.open {
			return foreignArrow(sh, "with elbows, bound to an open line")
		}
		end.box = target.box
		if terminal.headed() { // half of both strokes, and the editor's distance. See docs/spec/drawing.md#r60.
			terminal.elbowGap = solver.width/2 + float64(target.stroke*target.scale)/2 + float64(headDistance*sh.Scale)
		}
		if terminal.binding.IsPrecise {
			end.side = sideOf(terminal.binding.Anchor, target.toArrow)
		}
	}
	end.grow(solver.elbow.leg)
	return nil
}

// grow sets e.grown to the box of the elbow arrow's end, enlarged by leg px on all sides: the room
// that a route leaves free around the target. An end that is a point keeps its box.
func (e *elbowEnd) grow(leg float64) {
	e.grown = e.box
	if !e.isPoint {
		lo, hi := e.box.Lo, e.box.Hi
		e.grown = geom.Extent{Lo: geom.Pt(lo.X-leg, lo.Y-leg), Hi: geom.Pt(hi.X+leg, hi.Y+leg)}
	}
}

// sideOf returns the side of a target's box, in the arrow's space, to which an anchor points from the
// centre; noSide for the centre itself. The anchor is in shares of the target's box, and m maps the
// target's space to the arrow's. On a diagonal left and right win.
func sideOf(anchor scene.Point, m geom.Matrix) side {
	const diagonal = 1e-4 // a difference so small counts as none
	d := geom.Pt(anchor.X-0.5, anchor.Y-0.5)
	if d.X == 0 && d.Y == 0 {
		return noSide
	}
	// m without its move. float64 keeps products from being fused with sums: equal on every machine.
	d = geom.Pt(float64(m.A*d.X)+float64(m.C*d.Y), float64(m.B*d.X)+float64(m.D*d.Y))
	sideways := math.Abs(d.X) > math.Abs(d.Y)-diagonal
	switch {
	case sideways && d.X < 0:
		return leftSide
	case sideways:
		return rightSide
	case d.Y < 0:
		return topSide
	}
	return bottomSide
}

// dropBoxes computes the edges by which an elbow arrow can leave both targets. If the boxes are in
// each other's way, so that an end has no usable side, it replaces boxes by their anchors, the points that
// the arrow goes to: first the box of the other end, then also a box that holds the other end's anchor.
// If such a binding is snapped to the edge of its target, it returns an error, because the editor
// then takes another route.
func (plan *elbowPlan) dropBoxes(sh *scene.Shape) error {
	plan.edges()
	var err error
	toPoint := func(e *elbowEnd) {
		if e.isPoint {
			return
		}
		if k := e.terminal.binding; k.Snap == scene.SnapEdge || k.Snap == scene.SnapEdgePoint {
			err = foreignArrow(sh, "held by the edge of a target that overlaps the other end")
		}
		e.isPoint, e.side, e.terminal.elbowGap = true, noSide, 0
		e.box = geom.Extent{Lo: e.anchor, Hi: e.anchor}
		e.grown = e.box
	}
	usableA, usableB := plan.a.usable(), plan.b.usable()
	if usableA && usableB {
		return nil
	}
	if !usableA {
		toPoint(&plan.b) // its box is in the way of end a
	}
	if !usableB {
		toPoint(&plan.a)
	}
	if plan.b.grown.Contains(plan.a.anchor) {
		toPoint(&plan.b)
	}
	if plan.a.grown.Contains(plan.b.anchor) {
		toPoint(&plan.a)
	}
	plan.edges()
	return err
}

// usable reports whether an elbow arrow can leave this end: by the side that is given, or by any
// side if none is given.
func (e *elbowEnd) usable() bool {
	if e.side != noSide {
		return e.edges[e.side].usable
	}
	for _, k := range e.edges {
		if k.usable {
			return true
		}
	}
	return false
}

// edges computes where an elbow arrow may leave each side of the boxes of both ends. See
// docs/spec/drawing.md#r64.
func (plan *elbowPlan) edges() {
	for s := range sides {
		plan.a.edges[s] = plan.edge(&plan.a, &plan.b, s)
		plan.b.edges[s] = plan.edge(&plan.b, &plan.a, s)
	}
}

// edge computes where an elbow arrow may leave one side of the box of end e, and whether it may. It
// may not if the other end's box lies so close in front of the side that it blocks the place.
func (plan *elbowPlan) edge(e, other *elbowEnd, boxSide side) edge {
	// split returns the coordinate of p across the side and the one along it.
	split := func(p geom.Point) (across, along float64) {
		if boxSide == leftSide || boxSide == rightSide {
			return p.X, p.Y
		}
		return p.Y, p.X
	}
	result := edge{hasBox: !e.isPoint}
	var free interval                    // part of the side where the arrow may leave
	var otherAcross, otherAlong interval // the other box, across the side and along it
	var low, high float64                // the own box, across the side
	low, free.lo = split(e.box.Lo)
	high, free.hi = split(e.box.Hi)
	otherAcross.lo, otherAlong.lo = split(other.box.Lo)
	otherAcross.hi, otherAlong.hi = split(other.box.Hi)
	_, result.leaveAt = split(e.anchor)
	if boxSide == leftSide || boxSide == topSide {
		result.sideAt, result.outside = low, low-plan.leg
		otherAcross.hi += 2 * plan.shortestLeg
	} else {
		result.sideAt, result.outside = high, high+plan.leg
		otherAcross.lo -= 2 * plan.shortestLeg
	}
	result.usable = true
	if !e.isPoint && !other.isPoint && otherAcross.contains(result.sideAt) {
		free, result.usable = free.without(interval{otherAlong.lo - plan.leg, otherAlong.hi + plan.leg})
	}
	result.usable = result.usable && free.contains(result.leaveAt)
	return result
}

// interval is a range lo..hi of one coordinate.
type interval struct{ lo, hi float64 }

func (r interval) contains(v float64) bool { return r.lo <= v && v <= r.hi }

// without returns the longest part of the range r of a box's side that lies outside of o; if two
// parts are equally long, the one with the larger coordinates. ok is false if o covers all of r.
// Elbow arrows leave a side where no other box blocks it.
func (r interval) without(o interval) (left interval, ok bool) {
	switch {
	case o.hi < r.lo || o.lo > r.hi: // apart
		return r, true
	case o.lo <= r.lo && r.hi <= o.hi:
		return r, false
	case o.lo <= r.lo: // only the part above is left
		return interval{o.hi, r.hi}, true
	case o.hi >= r.hi:
		return interval{r.lo, o.lo}, true
	case o.lo-r.lo > r.hi-o.hi: // o lies within r: the part below is longer
		return interval{r.lo, o.lo}, true
	}
	return interval{o.hi, r.hi}, true
}

// clipRoute ends the route of an elbow arrow on the outlines of its targets, less the gaps, drops
// end segments that are too short, reverses a route that was computed from the end, and stores it
// in solver.Route. way is the route between the anchors, of at least two points. See
// docs/spec/drawing.md#r67.
func (solver *Solver) clipRoute(sh *scene.Shape, way []geom.Point) {
	plan := &solver.elbow
	n := len(way)
	var gaps [2]float64 // the gaps that both ends keep, negative for a tip inside its target
	way[0], gaps[0] = solver.endOnOutline(&plan.a, &plan.b, way[min(1, n-1)], way[0])
	way[n-1], gaps[1] = solver.endOnOutline(&plan.b, &plan.a, way[max(n-2, 0)], way[n-1])
	solver.Route = solver.Route[:0]
	for i, p := range way { // a tip inside a target gets a corner half way to it, which is not drawn
		if i == n-1 && gaps[1] < 0 && n > 1 {
			solver.Route = append(solver.Route, waypoint{Point: geom.Lerp(way[n-2], p, 0.5), Skipped: true})
		}
		solver.Route = append(solver.Route, waypoint{Point: p})
		if i == 0 && gaps[0] < 0 && n > 1 {
			solver.Route = append(solver.Route, waypoint{Point: geom.Lerp(p, way[1], 0.5), Skipped: true})
		}
	}
	for range 2 { // first at the start, then, reversed, at the end; twice reversed it is as it was
		solver.Route = plan.dropShortEnd(solver.Route)
		slices.Reverse(solver.Route)
	}
	if solver.computedBackwards {
		slices.Reverse(solver.Route)
	}
	solver.Start, solver.End = solver.Route[0].Point, solver.Route[len(solver.Route)-1].Point
}

// dropShortEnd removes the corner next to the first point of an elbow arrow's route, if it is nearer
// than the shortest end segment that the editor draws, and moves the next corner so that the segment
// to it keeps its direction along an axis. It changes way and returns it, shorter or not.
func (plan *elbowPlan) dropShortEnd(way []waypoint) []waypoint {
	if len(way) < 3 || manhattan(way[0].Point, way[1].Point) >= plan.shortestEnd {
		return way
	}
	wasUpright := upright(way[0].Point, way[1].Point)
	way = slices.Delete(way, 1, 2)
	if len(way) < 3 { // a straight arrow: both points are ends
		return way
	}
	if wasUpright {
		way[1].Y = way[0].Y
	} else {
		way[1].X = way[0].X
	}
	return way
}

// manhattan returns the distance of a and b along the axes.
func manhattan(a, b geom.Point) float64 { return math.Abs(a.X-b.X) + math.Abs(a.Y-b.Y) }

// upright reports whether the segment from a to b is vertical rather than horizontal.
func upright(a, b geom.Point) bool { return math.Abs(a.X-b.X) < math.Abs(a.Y-b.Y) }

// endOnOutline returns where the tip of an elbow arrow's end segment belongs, and its gap. The
// segment runs from corner p to the end e; tip is its planned end. The gap, in px, is the distance
// that the tip keeps from the outline of the end's target: negative for a tip inside the target, 0
// for an end that is not bound or is bound to its exact anchor. other is the arrow's other end. See
// docs/spec/drawing.md#r67.
func (solver *Solver) endOnOutline(e, other *elbowEnd, p, tip geom.Point) (end geom.Point, gap float64) {
	t := e.terminal
	if !t.bound() {
		return tip, 0
	}
	if t.exact {
		return e.anchor, 0
	}
	at, ok := solver.meetOutline(e, p)
	if !ok {
		return tip, 0
	}
	gap = t.elbowGap
	length := geom.Distance(p, at)
	if length < 2*gap { // too short for the whole gap
		gap = length - gap
	}
	// The gap stays if it is at least as long as the shortest end segment. Else there is too little room, and
	// the tip goes into the target, as in the editor: as deep as the gap would have been. If the target's box
	// holds the other end, the tip stays outside. The length of the shortest end segment has the scale twice,
	// so at a large scale even a whole gap counts as too little room.
	switch {
	case gap >= solver.elbow.shortestEnd: // enough room
	case t.target.box.Contains(other.anchor): // the other end is inside
		gap = max(0, gap)
	default: // too short: the tip goes into the target
		gap = -t.elbowGap
	}
	end = geom.Add(at, geom.Scale(geom.Unit(geom.Sub(p, at)), gap))
	if gap < 0 && !solver.inside(&t.target, end) {
		return at, 0
	}
	return end, gap
}

// meetOutline returns where the end segment of an elbow arrow, from corner p to the anchor of the
// end e, meets the outline of the end's target. That is the crossing nearest to p, or the anchor if
// it is nearer and lies in or at the target. ok is false if there is neither.
func (solver *Solver) meetOutline(e *elbowEnd, p geom.Point) (at geom.Point, ok bool) {
	t := e.terminal
	best := math.Inf(1)
	solver.eachEdge(&t.target, func(a, b geom.Point) {
		if q, ok := crossPoint(p, e.anchor, a, b); ok && manhattan(p, q) < best {
			best, at = manhattan(p, q), q
		}
	})
	if d := manhattan(p, e.anchor); d < best {
		_, off := solver.nearest(&t.target, e.anchor)
		if off < max(1, t.elbowGap) || solver.inside(&t.target, e.anchor) {
			at, best = e.anchor, d
		}
	}
	return at, !math.IsInf(best, 1)
}
