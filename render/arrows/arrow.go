// Package arrows computes the bodies, heads and labels of arrows, bound to other shapes or not.
// In: a scene with its tree. Out: the draws of an arrow, the clip path of its body, and the box
// of its label. It refuses arrows whose place in the editor depends on rounding errors.
package arrows

import (
	"fmt"
	"math"

	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
)

// ArrowKind is the form of an arrow's body.
type ArrowKind uint8

// The kinds of arrows.
const (
	StraightArrow ArrowKind = iota
	ArcArrow
	ElbowArrow
)

// arrow is a solved arrow, in its own space.
type arrow struct {
	Kind              ArrowKind
	Valid             bool        // an invalid one paints nothing
	width             float64     // of the stroke, px
	Ends              [2]terminal // start and end
	Start             geom.Point  // of the body
	End               geom.Point
	Handle            Circle     // of a bent arrow: the arc through the handles and the middle
	Body              Circle     // of a bent arrow: the arc through the ends of the body
	Route             []waypoint // of an elbow arrow
	computedBackwards bool       // elbow: computed from the end to the start
	// uncertain is set where rounding errors decide in the editor where an end is.
	uncertain bool
}

// waypoint is a corner of an elbow arrow. Skipped ones lie on a straight stretch and are not drawn.
type waypoint struct {
	geom.Point
	Skipped bool
}

// relation says how the targets of both ends lie relative to each other.
type relation uint8

const (
	neitherHolds  relation = iota // apart or overlapping in part, or an end is not bound
	sameTarget                    // both ends are bound to one shape
	startHoldsEnd                 // the start's target holds that of the end
	endHoldsStart
)

// terminal is one end of an arrow.
type terminal struct {
	Handle   geom.Point // where the record, or the anchor on the target, puts the end
	head     scene.Arrowhead
	binding  *scene.Binding // nil when unbound
	exact    bool           // bound, and goes to the anchor itself instead of the outline
	target   target
	hit      bool    // the end lies on the target's outline
	elbowGap float64 // elbow: gap before the outline
}

// bound reports whether the end is bound to a target.
func (t *terminal) bound() bool { return t.binding != nil }

// headed reports whether the end has an arrowhead.
func (t *terminal) headed() bool { return t.head != scene.HeadNone }

// Solver computes arrows one at a time and keeps its memory between them.
type Solver struct {
	arrow
	maker    shapes.Maker // for the outlines of targets
	points   []geom.Point
	contours []contour
	Visited  int // points of targets so far
	sampled  []geom.Point
	elbow    elbowPlan
	routes   [2][]geom.Point
}

// MaxVisited is the most points of targets, counted for each arrow, in one drawing.
const MaxVisited = 1 << 25

// ErrTargets marks a drawing whose arrows have targets with more than MaxVisited points.
var ErrTargets = fmt.Errorf("%w: the outlines that arrows are bound to have too many points", scene.ErrLimit)

// Solve computes the kind, the ends and the route of arrow i of the scene and stores them in the
// solver; t is the scene's tree. solver.Valid is false for an arrow that paints nothing: without
// length, or with ends that are not finite. An arrow that is not drawn natively is an error that
// wraps shapes.ErrForeign.
func (solver *Solver) Solve(s *scene.Scene, t *tree.Tree, i int32) error {
	sh := &s.Shapes[i]
	solver.arrow = arrow{width: shapes.StrokeWidth[sh.Size] * sh.Scale, Route: solver.Route[:0]}
	solver.points, solver.contours = solver.points[:0], solver.contours[:0]
	solver.Ends[0].head, solver.Ends[1].head = sh.Arrow.HeadStart, sh.Arrow.HeadEnd
	toArrow := t.Nodes[i].Page.Inverse() // from the page
	for k := range solver.Ends {
		end := &solver.Ends[k]
		end.Handle = geom.Point(sh.Points[k])
		if b := t.BindingOf(s, i, k); b != nil && b.To != i {
			end.binding, end.exact = b, b.IsExact
			if err := solver.loadTarget(s, t, sh, end, toArrow); err != nil {
				return err
			}
		}
	}
	r := solver.relationOf()
	solver.moveHandlesToAnchors(sh, r)
	a, b := solver.Ends[0].Handle, solver.Ends[1].Handle
	solver.Start, solver.End = a, b
	if !geom.Finite(a) || !geom.Finite(b) {
		return nil
	}
	// Distances between the handles, px: below the first one an arrow has no length. An elbow arrow between the
	// last two is longer than rounding errors but shorter than what its route tells apart.
	const noLengthPx, leastElbow, roundingErrors = 1e-4, 0.01, 1e-9
	switch short := geom.Near(a, b, noLengthPx); {
	case sh.Arrow.Elbow && geom.Near(a, b, leastElbow) && !geom.Near(a, b, roundingErrors):
		return foreignArrow(sh, "with elbows, hardly longer than nothing")
	case sh.Arrow.Elbow: // may go round its targets from one place to the same
	case short && sh.Rich != nil: // it has a label
		return foreignArrow(sh, noLength)
	case short:
		return nil
	}
	solver.Valid = true
	if sh.Arrow.Elbow {
		return solver.solveElbow(sh)
	}
	isArc := false
	var err error
	const leastBend = 8 // unscaled px; a smaller bend is drawn as a straight arrow
	if !(math.Abs(sh.Arrow.Bend) < leastBend*sh.Scale) {
		isArc, err = solver.solveArc(sh)
	}
	if err == nil && !isArc {
		err = solver.solveStraight(s, i, r)
	}
	if err == nil && solver.uncertain {
		err = foreignArrow(sh, lastBits)
	}
	solver.Valid = solver.Valid && geom.Finite(solver.Start) && geom.Finite(solver.End)
	return err
}

// moveHandlesToAnchors moves the handles of bound ends to the anchors on their targets. Of an arrow
// without elbows the exact anchor counts, even where the binding is not precise, if both ends are
// bound to one shape, and at the end whose target holds the other one.
func (solver *Solver) moveHandlesToAnchors(sh *scene.Shape, r relation) {
	for k := range solver.Ends {
		end := &solver.Ends[k]
		if !end.bound() {
			continue
		}
		precise := end.binding.IsPrecise || !sh.Arrow.Elbow &&
			(r == sameTarget || r == startHoldsEnd && k == 0 || r == endHoldsStart && k == 1)
		end.Handle = end.target.anchor(end.binding.Anchor, precise)
	}
}

// Why arrows are refused: their ends coincide, rounding errors decide where the ends are, or the
// editor places no label.
const (
	onePlace = "whose ends meet their target in one place"
	lastBits = "one of whose ends depends on rounding errors"
	noLength = "without length, with a label"
)

// relationOf returns how the two targets of an arrow lie to each other, by their bounds on the
// page: the same shape, one inside the other, or neitherHolds. It is neitherHolds if they lie apart or overlap in
// part, and if an end is not bound. See docs/spec/drawing.md#r59.
func (solver *Solver) relationOf() relation {
	a, b := &solver.Ends[0], &solver.Ends[1]
	switch {
	case !a.bound() || !b.bound():
		return neitherHolds
	case a.binding.To == b.binding.To:
		return sameTarget
	case a.target.page.StrictlyContains(b.target.page):
		return startHoldsEnd
	case b.target.page.StrictlyContains(a.target.page):
		return endHoldsStart
	}
	return neitherHolds
}

// halfStrokes returns half the sum of the stroke widths of arrow sh and of the end's target, scaled.
// It is part of the gap, and added to the shortest length of the arrow for each end with a gap.
func (end *terminal) halfStrokes(sh *scene.Shape) float64 {
	return (shapes.StrokeWidth[sh.Size] + end.target.stroke) / 2 * sh.Scale
}

// headDistance is how far an end with a head stays from the edge of its target's stroke, in px at scale 1.
const headDistance = 10

// gap returns the distance in px that an end with a head keeps from the outline of its target. See
// docs/spec/drawing.md#r60.
func (end *terminal) gap(sh *scene.Shape) float64 {
	return float64(headDistance*sh.Scale) + end.halfStrokes(sh)
}

// solveStraight finds the ends of a straight arrow and stores them in the solver. Each end stops
// where the line between the handles meets the outline of its target, less the gap that it keeps.
// If the arrow would be too short then, the ends go into their targets instead. r says how the
// targets lie to each other. An arrow whose ends meet paints nothing, or is an error where it
// cannot be told whether they do. See docs/spec/drawing.md#r61.
func (solver *Solver) solveStraight(sc *scene.Scene, i int32, r relation) error {
	sh := &sc.Shapes[i]
	solver.Kind = StraightArrow
	from, to := &solver.Ends[0], &solver.Ends[1]
	const (
		roundingErrors = 1e-9 // px
		sameDirection  = 1e-4 // of unit vectors
	)
	handleDirection := geom.Unit(geom.Sub(to.Handle, from.Handle))
	shortest := 10 * sh.Scale // px; the editor's least length of an arrow
	solver.stopAtTargets(r, handleDirection, shortest)
	endsMeet := geom.Near(solver.Start, solver.End, roundingErrors)
	if endsMeet {
		if err := solver.moveApart(sc, i, r); err != nil || !solver.Valid {
			return err
		}
	}
	// The ends have passed each other where the targets overlap: each stops at the far side of the other's.
	direction := geom.Unit(geom.Sub(solver.End, solver.Start))
	flipped := !geom.Near(direction, handleDirection, sameDirection)
	if endsMeet && !flipped {
		return foreignArrow(sh, onePlace)
	}
	solver.keepGaps(sh, r, direction, flipped, shortest)
	if flipped && from.bound() && to.bound() {
		solver.End = geom.Sub(solver.Start, geom.Scale(direction, shortest)) // the editor's least arrow, in the handles' direction
	}
	return nil
}

// stopAtTargets sets the ends of a straight arrow to where the line between the handles meets the outlines of
// their targets. If an end of an arrow between two targets, neither of which holds the other, meets no
// outline, it is put the shortest length from the other end, against the direction of the handles, so that
// the arrow counts as flipped. If neither end meets one, only the arrow's end is put so. An end at an open
// line stays at its handle.
func (solver *Solver) stopAtTargets(r relation, handleDirection geom.Point, shortest float64) {
	from, to := &solver.Ends[0], &solver.Ends[1]
	solver.End, to.hit = solver.stopAtTarget(to, from.Handle)
	solver.Start, from.hit = solver.stopAtTarget(from, to.Handle)
	if !from.bound() || !to.bound() || r != neitherHolds || from.exact || to.exact {
		return
	}
	switch {
	case to.hit && !from.hit && !from.target.open:
		solver.Start = geom.Add(solver.End, geom.Scale(handleDirection, shortest))
	case !to.hit && !to.target.open:
		solver.End = geom.Sub(solver.Start, geom.Scale(handleDirection, shortest))
	}
}

// moveApart decides about a straight arrow whose ends meet in one place. There rounding errors decide in the
// editor which way the arrow goes: solver.meet repeats them for two ends at the outline of one target. If the
// ends are equal even then, the arrow is not Valid, or with a label an error. It is also an error where meet
// cannot repeat them.
func (solver *Solver) moveApart(sc *scene.Scene, i int32, r relation) error {
	sh := &sc.Shapes[i]
	decided := r == sameTarget && solver.Ends[1].hit && solver.Ends[0].hit
	if decided {
		solver.Start, solver.End, decided = solver.meet(sc, i)
	}
	switch vanishes := decided && solver.Start == solver.End; {
	case vanishes && sh.Rich == nil:
		solver.Valid = false
	case vanishes:
		return foreignArrow(sh, noLength)
	case !decided:
		return foreignArrow(sh, onePlace)
	}
	return nil
}

// keepGaps moves the ends of a straight arrow away from the outlines of their targets, by the gaps that ends with
// heads keep. direction is that from Start to End, and flipped says that the handles have the opposite one. An
// arrow that would become too short has its ends moved into the targets instead.
func (solver *Solver) keepGaps(sh *scene.Shape, r relation, direction geom.Point, flipped bool, shortest float64) {
	from, to := &solver.Ends[0], &solver.Ends[1]
	leastDistance := shortest // between the ends
	// gapOf returns the gap of an end, 0 for none, and adds half of both strokes to leastDistance. holdsOther
	// says that the end's target holds that of the other end.
	gapOf := func(end *terminal, holdsOther bool) float64 {
		if !end.bound() || end.exact || !end.headed() || holdsOther || r == sameTarget {
			return 0
		}
		leastDistance += end.halfStrokes(sh)
		return end.gap(sh)
	}
	startGap, endGap := gapOf(from, r == startHoldsEnd), gapOf(to, r == endHoldsStart)
	sign := 1.0 // of the gaps along direction
	if flipped {
		sign = -1
	}
	ends := func() (geom.Point, geom.Point) {
		return geom.Add(solver.Start, geom.Scale(direction, startGap*sign)), geom.Sub(solver.End, geom.Scale(direction, endGap*sign))
	}
	if p, q := ends(); geom.Distance(p, q) < leastDistance {
		factor := -1.0 // the editor's; negative gaps lie inside of the targets
		if startGap != 0 && endGap != 0 {
			factor = -1.5
		}
		startGap, endGap = factor*startGap, factor*endGap
	}
	solver.Start, solver.End = ends()
}

// stopAtTarget returns where an end of a straight arrow stops: where the line from the opposite
// handle to the end's own handle meets the outline of the shape that the end is bound to, at the
// crossing nearest to opposite. Without a crossing it returns the point of the outline nearest to
// the handle, if it is less than 1 px away, else the handle and false. An end that is not bound, or
// goes exactly to its anchor, stays at its handle.
func (solver *Solver) stopAtTarget(end *terminal, opposite geom.Point) (p geom.Point, hit bool) {
	if !end.bound() || end.exact {
		return end.Handle, false
	}
	least := math.Inf(1) // squared distance
	solver.eachEdge(&end.target, func(a, b geom.Point) {
		if q, ok := crossPoint(opposite, end.Handle, a, b); ok {
			if d := geom.SquaredLength(geom.Sub(q, opposite)); d < least {
				least, p, hit = d, q, true
			}
		}
	})
	if hit {
		return p, true
	}
	if q, d := solver.nearest(&end.target, end.Handle); d < 1 {
		return q, true
	}
	return end.Handle, false
}

// crossPoint returns where the segment from a to b, usually of an arrow's body, crosses the segment from c to
// d, usually of a target's outline. ok is false if they do not cross or are parallel. It is also false if a lies
// on the line through c and d, or c on that through a and b, within rounding errors: the editor does not count
// these crossings.
func crossPoint(a, b, c, d geom.Point) (p geom.Point, ok bool) {
	const roundingErrors = 1e-10
	ab, cd, ca := geom.Sub(b, a), geom.Sub(d, c), geom.Sub(a, c)
	alongAB, alongCD, determinant := geom.Cross(cd, ca), geom.Cross(ab, ca), geom.Cross(ab, cd)
	if math.Abs(alongAB) <= roundingErrors || math.Abs(alongCD) <= roundingErrors || math.Abs(determinant) <= roundingErrors {
		return geom.Point{}, false
	}
	alongAB, alongCD = alongAB/determinant, alongCD/determinant
	within := func(v float64) bool { return v >= -roundingErrors && v <= 1+roundingErrors }
	if !within(alongAB) || !within(alongCD) {
		return geom.Point{}, false
	}
	return geom.Add(a, geom.Scale(ab, alongAB)), true
}

// foreignArrow returns the error for an arrow that is not drawn natively.
func foreignArrow(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot draw shape %q (%s) %s: %w", sh.ID, sh.TypeName, what, shapes.ErrForeign)
}
