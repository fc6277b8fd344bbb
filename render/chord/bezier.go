package chord

import (
	"math"
	"slices"

	"plumb/render/vector"
)

// bezier is a quadratic curve of three points or a cubic one of four: its start, the controls and its end.
type bezier struct {
	points [4]vector.Point
	count  int
}

// axis picks a coordinate.
type axis uint8

const (
	axisX axis = iota
	axisY
)

// coordinate returns the x or the y of a path's point, whichever the axis is.
func (a axis) coordinate(p vector.Point) float32 {
	if a == axisX {
		return p.X
	}
	return p.Y
}

// setCoordinate sets the x or the y of a path's point, whichever the axis is.
func (a axis) setCoordinate(p *vector.Point, v float32) {
	if a == axisX {
		p.X = v
	} else {
		p.Y = v
	}
}

func (bezier *bezier) end() vector.Point { return bezier.points[bezier.count-1] }

// reversed returns the same curve from its end to its start.
func (bezier *bezier) reversed() bezier {
	r := *bezier
	slices.Reverse(r.points[:r.count])
	return r
}

// split cuts a curve of a path at the parameter t, 0 to 1, into the curves before and after it, by de
// Casteljau's algorithm, in binary32. The conversions forbid fused multiply-adds, so that every machine
// computes the same points.
func (bezier *bezier) split(t float32) (before, after bezier) {
	points, last := bezier.points, bezier.count-1
	before.count, after.count = bezier.count, bezier.count
	for k := range bezier.count {
		before.points[k], after.points[last-k] = points[0], points[last-k]
		for i := range last - k { // mix neighbours: one point less each time
			points[i].X += float32((points[i+1].X - points[i].X) * t)
			points[i].Y += float32((points[i+1].Y - points[i].Y) * t)
		}
	}
	return before, after
}

// isMonotoneY reports whether the curve need not be cut along y, so that monotone would leave it as it
// is: the control of a quadratic, or both controls of a cubic, lie between its ends.
func (bezier *bezier) isMonotoneY() bool {
	p0, p1, p2 := bezier.points[0].Y, bezier.points[1].Y, bezier.points[2].Y
	if bezier.count == 3 {
		return p0 <= p1 && p1 <= p2 || p0 >= p1 && p1 >= p2
	}
	lo, hi := min(p0, bezier.points[3].Y), max(p0, bezier.points[3].Y)
	return p1 >= lo && p1 <= hi && p2 >= lo && p2 <= hi
}

// monotone cuts the curve where it turns round along the axis, into at most 3 pieces, which it returns in
// order, in buf. The control points on both sides of a cut get the coordinate of the cut, so that no piece
// turns back. A quadratic may turn without a place for that within the digits of a float32: then its control
// point is moved to an end, which makes it monotone.
func (bezier *bezier) monotone(buf *[3]bezier, axis axis) []bezier {
	var roots [2]float32
	ts := bezier.extrema(&roots, axis)
	if len(ts) == 0 {
		buf[0] = *bezier
		if bezier.count == 3 {
			start, end := axis.coordinate(bezier.points[0]), axis.coordinate(bezier.points[2])
			control := axis.coordinate(bezier.points[1])
			if control < min(start, end) || control > max(start, end) {
				nearer := start
				if abs(start-control) >= abs(control-end) {
					nearer = end
				}
				axis.setCoordinate(&buf[0].points[1], nearer)
			}
		}
		return buf[:1]
	}
	rest, done := *bezier, float32(0) // the part of the curve from done on
	for i, t := range ts {
		l, r := rest.split((t - done) / (1 - done)) // t as a parameter of rest
		v := axis.coordinate(r.points[0])
		axis.setCoordinate(&l.points[l.count-2], v)
		axis.setCoordinate(&r.points[1], v)
		buf[i], rest, done = l, r, t
	}
	buf[len(ts)] = rest
	return buf[:len(ts)+1]
}

// extrema returns the parameters t in (0, 1) at which a path's curve turns round along the axis,
// ascending, in buf: the roots of its derivative. A cubic whose control points lie between its ends counts as
// having none: it may turn a little, which does not matter here.
func (bezier *bezier) extrema(buf *[2]float32, axis axis) []float32 {
	p0, p1, p2 := axis.coordinate(bezier.points[0]), axis.coordinate(bezier.points[1]), axis.coordinate(bezier.points[2])
	if bezier.count == 3 {
		if (p0-p1)*(p1-p2) >= 0 {
			return nil
		}
		if t := (p0 - p1) / (p0 - p1 - p1 + p2); t > 0 && t < 1 {
			buf[0] = t
			return buf[:1]
		}
		return nil
	}
	p3 := axis.coordinate(bezier.points[3])
	if lo, hi := min(p0, p3), max(p0, p3); p1 >= lo && p1 <= hi && p2 >= lo && p2 <= hi {
		return nil // control polygon within its ends: no turn that would matter
	}
	// A third of the derivative is qa t^2 + qb t + qc.
	qa := float64(p3 - p0 + float32(3*(p1-p2)))
	qb := float64(2 * (p0 - p1 - p1 + p2))
	qc := float64(p1 - p0)
	s := math.Sqrt(float64(qb*qb) - float64(4*qa*qc)) // NaN without real roots: then no t below is in (0, 1)
	// Both roots without cancellation: q/qa and qc/q instead of the textbook formula.
	q := -0.5 * (qb + math.Copysign(s, qb))
	out := buf[:0]
	for _, t := range [2]float32{float32(q / qa), float32(qc / q)} {
		if t > 0 && t < 1 {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cutAt splits a curve where it has the coordinate v on an axis. It must be monotone along the axis, and
// v must lie between its ends. Both parts get exactly v at the cut.
func (bezier *bezier) cutAt(a axis, v float32) (l, r bezier) {
	l, r = bezier.split(bezier.parameterAt(a, v))
	a.setCoordinate(&l.points[l.count-1], v)
	a.setCoordinate(&r.points[0], v)
	return l, r
}

// parameterAt returns the parameter t at which a monotone curve of a path has the coordinate v on an axis:
// by bisection, which cannot leave [0, 1] whatever the numbers are.
func (bezier *bezier) parameterAt(a axis, v float32) float32 {
	p0, p1, p2, p3 := float64(a.coordinate(bezier.points[0])), float64(a.coordinate(bezier.points[1])), float64(a.coordinate(bezier.points[2])), float64(a.coordinate(bezier.points[3]))
	want := float64(v)
	rising := float64(a.coordinate(bezier.end())) > p0
	lo, hi := 0.0, 1.0
	for range 32 { // halvings: more digits than a float32 has
		t := (lo + hi) / 2
		u := 1 - t
		y := float64(u*u*p0) + float64(2*u*t*p1) + float64(t*t*p2)
		if bezier.count == 4 {
			y = float64(u*u*u*p0) + float64(3*u*u*t*p1) + float64(3*u*t*t*p2) + float64(t*t*t*p3)
		}
		if (y < want) == rising {
			lo = t
		} else {
			hi = t
		}
	}
	return float32((lo + hi) / 2)
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }
