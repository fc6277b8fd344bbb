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
	box     geom.Extent
	grown   geom.Extent // the box and expandLeg around it; of a point the box itself
	isPoint bool
	target  geom.Point
	side    side // the side of the box where the arrow must end, noSide for any
	edges   [sides]edge
	end     *terminal
}

// edge is where an arrow leaves one side of a box: value is the coordinate along the side's
// outward axis, cross the other one.
type edge struct {
	usable   bool
	out      bool // expanded is set; points have none
	value    float64
	expanded float64 // value, expandLeg farther out
	cross    float64
}

// far returns the coordinate at which a route may turn after it has left this side: expandLeg
// outside of the box, or the place of an end that is a point.
func (e *edge) far() float64 {
	if e.out {
		return e.expanded
	}
	return e.value
}

// elbowPlan is the input of the route of an elbow arrow.
type elbowPlan struct {
	a, b   elbowEnd
	leg    float64 // expandLeg, scaled
	least  float64 // shortest leg between two boxes
	end    float64 // shortest end segment
	middle float64 // where the middle segment runs, 0..1
	router elbowRouter
}

// solveElbow finds the route of an elbow arrow. See docs/spec/drawing.md#r63.
func (v *Solver) solveElbow(sh *scene.Shape) error {
	v.Kind = ElbowArrow
	w := &v.elbow
	w.leg, w.least, w.end = expandLeg[sh.Size]*sh.Scale, 3*v.width, 1.5*v.width*sh.Scale
	w.middle = sh.Arrow.ElbowMidPoint
	for i := range v.Ends {
		if err := v.elbowEnd(sh, &v.Ends[i], [2]*elbowEnd{&w.a, &w.b}[i]); err != nil {
			return err
		}
	}
	v.swap = w.a.side == noSide && w.b.side != noSide
	if v.swap {
		w.a, w.b = w.b, w.a
		w.middle = 1 - w.middle
	}
	if err := w.dropBoxes(sh); err != nil {
		return err
	}
	w.router.load(w)
	way, ok := w.router.search(v.routes[0][:0], w.a.side, w.b.side)
	if !ok {
		return foreignArrow(sh, "between whose ends there is no route")
	}
	if len(way) == 1 { // a dot
		way = append(way, way[0])
	}
	v.routes[0] = way
	v.clipRoute(sh, way)
	return nil
}

// elbowEnd fills in the parts of an end that do not depend on the other end.
func (v *Solver) elbowEnd(sh *scene.Shape, t *terminal, e *elbowEnd) error {
	*e = elbowEnd{target: t.Handle, side: noSide, end: t}
	e.box = geom.Extent{Lo: t.Handle, Hi: t.Handle}
	e.isPoint = !t.bound()
	t.offset = 0
	if t.bound() {
		if t.target.open {
			return foreignArrow(sh, "with elbows, bound to an open line")
		}
		e.box = t.target.box
		if t.headed() {
			t.offset = v.width/2 + float64(t.target.stroke*t.target.scale)/2 + float64(10*sh.Scale)
		}
		if t.binding.IsPrecise {
			e.side = sideOf(t.binding.Anchor, t.target.toArrow)
		}
	}
	e.grow(v.elbow.leg)
	return nil
}

// grow computes the box of an elbow arrow's end grown by leg on all sides: the room that a route
// keeps from it.
func (e *elbowEnd) grow(leg float64) {
	e.grown = e.box
	if !e.isPoint {
		e.grown = geom.Extent{Lo: geom.Pt(e.box.Lo.X-leg, e.box.Lo.Y-leg), Hi: geom.Pt(e.box.Hi.X+leg, e.box.Hi.Y+leg)}
	}
}

// sideOf returns the side of a target that an anchor is nearest to.
func sideOf(a scene.Point, m geom.Matrix) side {
	d := geom.Pt(a.X-0.5, a.Y-0.5)
	if d.X == 0 && d.Y == 0 {
		return noSide
	}
	d = geom.Pt(float64(m.A*d.X)+float64(m.C*d.Y), float64(m.B*d.X)+float64(m.D*d.Y))
	switch {
	case math.Abs(d.X) > math.Abs(d.Y)-1e-4 && d.X < 0:
		return leftSide
	case math.Abs(d.X) > math.Abs(d.Y)-1e-4:
		return rightSide
	case d.Y < 0:
		return topSide
	}
	return bottomSide
}

// dropBoxes replaces ends by points where the two boxes leave no usable side.
func (w *elbowPlan) dropBoxes(sh *scene.Shape) error {
	w.edges()
	var err error
	toPoint := func(e *elbowEnd) {
		if e.isPoint {
			return
		}
		if k := e.end.binding; k.Snap == scene.SnapEdge || k.Snap == scene.SnapEdgePoint {
			err = foreignArrow(sh, "held by the edge of a target that overlaps the other end")
		}
		e.isPoint, e.side, e.end.offset = true, noSide, 0
		e.box = geom.Extent{Lo: e.target, Hi: e.target}
		e.grown = e.box
	}
	a, b := w.a.usable(), w.b.usable()
	if a && b {
		return nil
	}
	if !a {
		toPoint(&w.b)
	}
	if !b {
		toPoint(&w.a)
	}
	if w.b.grown.Contains(w.a.target) {
		toPoint(&w.b)
	}
	if w.a.grown.Contains(w.b.target) {
		toPoint(&w.a)
	}
	w.edges()
	return err
}

// usable reports whether an arrow can leave the end at all.
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
func (w *elbowPlan) edges() {
	for s := range sides {
		w.a.edges[s] = w.edge(&w.a, &w.b, s)
		w.b.edges[s] = w.edge(&w.b, &w.a, s)
	}
}

// edge computes where an elbow arrow may leave one side of an end's box, given the other end.
func (w *elbowPlan) edge(e, other *elbowEnd, s side) edge {
	split := func(p geom.Point) (value, cross float64) {
		if s == leftSide || s == rightSide {
			return p.X, p.Y
		}
		return p.Y, p.X
	}
	k := edge{out: !e.isPoint}
	var rows interval           // free part of the side
	var theirs, across interval // the other box along value and along cross
	var lo, hi float64
	lo, rows.lo = split(e.box.Lo)
	hi, rows.hi = split(e.box.Hi)
	theirs.lo, across.lo = split(other.box.Lo)
	theirs.hi, across.hi = split(other.box.Hi)
	_, k.cross = split(e.target)
	if s == leftSide || s == topSide {
		k.value, k.expanded = lo, lo-w.leg
		theirs.hi += 2 * w.least
	} else {
		k.value, k.expanded = hi, hi+w.leg
		theirs.lo -= 2 * w.least
	}
	k.usable = true
	if !e.isPoint && !other.isPoint && theirs.contains(k.value) {
		rows, k.usable = rows.without(interval{across.lo - w.leg, across.hi + w.leg})
	}
	k.usable = k.usable && rows.contains(k.cross)
	return k
}

// interval is a range lo..hi of one coordinate.
type interval struct{ lo, hi float64 }

func (r interval) contains(v float64) bool { return r.lo <= v && v <= r.hi }

// without returns the longest part of r outside o; ok is false when there is none. An arrow leaves
// a side of a box where the other box does not block it.
func (r interval) without(o interval) (left interval, ok bool) {
	switch {
	case o.hi < r.lo || o.lo > r.hi:
		return r, true
	case o.lo <= r.lo && r.hi <= o.hi:
		return r, false
	case o.lo <= r.lo:
		return interval{o.hi, r.hi}, true
	case o.hi >= r.hi:
		return interval{r.lo, o.lo}, true
	case o.lo-r.lo > r.hi-o.hi:
		return interval{r.lo, o.lo}, true
	}
	return interval{o.hi, r.hi}, true
}

// clipRoute ends a route on the outlines of its targets, drops end segments that are too short, and
// reverses a route that was computed from the end. See docs/spec/drawing.md#r67.
func (v *Solver) clipRoute(sh *scene.Shape, way []geom.Point) {
	w := &v.elbow
	n := len(way)
	var back [2]float64
	way[0], back[0] = v.endOnOutline(&w.a, &w.b, way[min(1, n-1)], way[0])
	way[n-1], back[1] = v.endOnOutline(&w.b, &w.a, way[max(n-2, 0)], way[n-1])
	v.Route = v.Route[:0]
	for i, p := range way { // a tip inside a target gets a corner half way to it
		if i == n-1 && back[1] < 0 && n > 1 {
			v.Route = append(v.Route, waypoint{geom.Lerp(way[n-2], p, 0.5), true})
		}
		v.Route = append(v.Route, waypoint{p, false})
		if i == 0 && back[0] < 0 && n > 1 {
			v.Route = append(v.Route, waypoint{geom.Lerp(p, way[1], 0.5), true})
		}
	}
	for range 2 {
		v.Route = w.dropShortEnd(v.Route)
		slices.Reverse(v.Route)
	}
	if v.swap {
		slices.Reverse(v.Route)
	}
	v.Start, v.End = v.Route[0].Point, v.Route[len(v.Route)-1].Point
}

// dropShortEnd drops the corner of an elbow arrow's route next to its first point, if it is nearer
// to it than the shortest end segment that the editor draws.
func (w *elbowPlan) dropShortEnd(way []waypoint) []waypoint {
	if len(way) < 3 || manhattan(way[0].Point, way[1].Point) >= w.end {
		return way
	}
	upright := upright(way[0].Point, way[1].Point)
	way = slices.Delete(way, 1, 2)
	if len(way) < 3 {
		return way
	}
	if upright {
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

// endOnOutline returns where the segment from p to an end stops at the outline of the end's
// target, and the gap that it keeps from it: less than 0 for a tip inside.
func (v *Solver) endOnOutline(e, other *elbowEnd, p, now geom.Point) (at geom.Point, back float64) {
	t := e.end
	if !t.bound() {
		return now, 0
	}
	if t.exact {
		return e.target, 0
	}
	best := math.Inf(1)
	at = now
	v.eachEdge(&t.target, func(a, b geom.Point) {
		if q, ok := crossPoint(p, e.target, a, b); ok && manhattan(p, q) < best {
			best, at = manhattan(p, q), q
		}
	})
	if d := manhattan(p, e.target); d < best {
		_, off := v.nearest(&t.target, e.target)
		if off < max(1, t.offset) || v.inside(&t.target, e.target) {
			at, best = e.target, d
		}
	}
	if math.IsInf(best, 1) {
		return now, 0
	}
	back = t.offset
	d := geom.Distance(p, at)
	if d < 2*back {
		back = d - back
	}
	switch {
	case back >= v.elbow.end: // never for a large arrow with a scale above 1
	case t.target.box.Contains(other.target):
		back = max(0, back)
	default:
		back = -t.offset
	}
	to := geom.Add(at, geom.Scale(geom.Unit(geom.Sub(p, at)), back))
	if back < 0 && !v.inside(&t.target, to) {
		return at, 0
	}
	return to, back
}
