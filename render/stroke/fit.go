package stroke

import (
	"plumb/render/vector"
)

// Limits on the number of times that a range of a curve is halved before a line replaces it.
const (
	quadLevels  = 33
	cubicLevels = 24 // after the tangents of a range have met
	unmetLevels = 15 // before
)

// span is a range [t0, t1] of a curve's parameter, on one side of the stroke. The offset curve is what a pen's
// edge draws: the curve, moved sideways by the pen's radius. start and end are its ends in the range, and
// startDir and endDir the directions there, as long as the radius.
type span struct {
	t0, tm, t1       float32
	start, end       vec
	startDir, endDir vec
	control          vec  // control point of the quadratic, once found
	opposite         bool // the directions are parallel and point against each other

	halved                 bool // middlePoint and middleDir, those at tm, are set
	middlePoint, middleDir vec
}

// replacement says what can replace the offset curve of a range.
type replacement uint8

const (
	split replacement = iota // nothing yet: the range must be halved
	line
	quad
)

// offsetFitter approximates the offset of one curve on one side.
type offsetFitter struct {
	*pen
	dst         *vector.Path
	curve       *curve
	side        float32 // +1 outer, -1 inner
	tangentsMet bool    // the tangents of some range have met (cubics only)
}

// curvePoint is a point of a curve and the direction there, scaled to the pen's radius.
type curvePoint struct{ at, direction vec }

// pointOn returns the point of a stroked curve at the parameter t and the curve's direction there.
func (pen *pen) pointOn(curve *curve, t float32) curvePoint {
	d, ok := withLength(curve.tangent(t), pen.radius)
	if !ok {
		d = vec{X: pen.radius}
	}
	return curvePoint{curve.at(t), d}
}

// fit appends the offset of the curve over [t0, t1], one side of the stroke's outline, to dst as lines and
// quadratics: the outer side if side is 1, the inner one if it is -1. a and b are the curve's points at t0 and
// t1. See docs/spec/raster.md#r7.
func (pen *pen) fit(dst *vector.Path, c *curve, side, t0, t1 float32, a, b *curvePoint) {
	f := offsetFitter{pen: pen, dst: dst, curve: c, side: side, tangentsMet: !c.isCubic()} // only cubics must wait
	s := span{t0: t0, t1: t1, tm: (t0 + t1) / 2, startDir: a.direction, endDir: b.direction}
	s.start, s.end = f.offset(a), f.offset(b)
	f.run(&s, 0)
}

// offset returns the point of the offset curve for a point of the curve.
func (fitter *offsetFitter) offset(a *curvePoint) vec {
	return add(a.at, scale(left(a.direction), fitter.side))
}

// middle returns the point of the offset curve in the middle of the range, at tm. It computes the point
// and the direction there only once and keeps them in span.
func (fitter *offsetFitter) middle(span *span) vec {
	if !span.halved {
		m := fitter.pointOn(fitter.curve, span.tm)
		span.middlePoint, span.middleDir, span.halved = fitter.offset(&m), m.direction, true
	}
	return span.middlePoint
}

// run appends what replaces the offset of a range of a stroked curve: a quadratic or a line. Where
// neither fits yet, it appends what replaces both halves of the range. depth is how often the curve
// was halved; beyond its limit, or when the budget is used up, a line replaces what is left.
func (fitter *offsetFitter) run(s *span, depth int) {
	limit := quadLevels
	if fitter.curve.isCubic() {
		limit = unmetLevels
		if fitter.tangentsMet {
			limit = cubicLevels
		}
	}
	fitter.budget--
	hasHalves := s.t0 < s.tm && s.tm < s.t1 // else rounding leaves no parameter between the ends
	switch replacement := fitter.replacement(s); {
	case replacement == quad:
		fitter.dst.QuadTo(s.control, s.end)
		return
	case replacement == line, depth >= limit, fitter.budget <= 0, !hasHalves:
		fitter.dst.LineTo(s.end)
		return
	}
	// Neither fits: halve the range at tm and replace each half.
	e := fitter.middle(s)
	d := s.middleDir
	l := span{t0: s.t0, tm: (s.t0 + s.tm) / 2, t1: s.tm, start: s.start, startDir: s.startDir, end: e, endDir: d}
	fitter.run(&l, depth+1)
	r := span{t0: s.tm, tm: (s.tm + s.t1) / 2, t1: s.t1, start: e, startDir: d, end: s.end, endDir: s.endDir}
	fitter.run(&r, depth+1)
}

// replacement returns what can replace the offset curve of the range: a line, a quadratic, whose control point
// it then sets in span, or split if neither fits. As in the browser, a cubic gets only lines until for some
// range the tangents at both ends meet between them; fitter.tangentsMet says that this has happened.
func (fitter *offsetFitter) replacement(span *span) replacement {
	replacement := fitter.control(span)
	if !fitter.tangentsMet {
		if replacement == quad {
			fitter.tangentsMet = true
		} else {
			mayBeLine := replacement == line || near(span.start, span.end, fitter.tolerance)
			if mayBeLine && distToLeg2(fitter.middle(span), span.start, span.end) < fitter.tolerance*fitter.tolerance {
				return line
			}
			return split
		}
	}
	if replacement == line && fitter.curve.isCubic() && span.opposite {
		return split
	}
	if replacement == quad && !fitter.fits(span) {
		return split
	}
	return replacement
}

// control intersects the tangents at both ends of the range's offset curve. If they meet between the ends, it
// sets span.control to that point and returns quad. It returns line if they are parallel, and then sets
// span.opposite if they point against each other, or if both run along the line between the ends. Else it
// returns split.
func (fitter *offsetFitter) control(span *span) replacement {
	span.opposite = false
	// The tangents meet at start + startDir*k, where k is a fraction.
	denominator := cross(span.startDir, span.endDir)
	if denominator == 0 || !finite(denominator) {
		span.opposite = dot(span.startDir, span.endDir) < 0
		return line
	}
	d := sub(span.start, span.end)
	numerator, atEnd := cross(span.endDir, d), cross(span.startDir, d) // atEnd is that for end + endDir*k
	if (numerator >= 0) == (atEnd >= 0) {
		// The tangents meet outside of the range.
		far := max(distToLeg2(span.start, span.end, add(span.end, span.endDir)), distToLeg2(span.end, span.start, add(span.start, span.startDir)))
		if far <= fitter.tolerance*fitter.tolerance {
			return line
		}
		return split
	}
	k := numerator / denominator
	if !finite(k) {
		return line
	}
	// Only this order of operations keeps corners of exactly 90 degrees, which every rounded
	// rectangle has, from being sharp.
	span.control = vec{X: span.start.X + float32(span.startDir.X*k), Y: span.start.Y + float32(span.startDir.Y*k)}
	return quad
}

// fits reports whether the quadratic of the range, from span.start to span.end with span.control, is close to
// the offset curve in the middle and does not turn sharply. It first compares the two at half the parameter. If
// they are not close there, it compares the offset curve's middle with the point where the curve's normal meets
// the quadratic; the farther that is from the quadratic's middle, the less may they differ.
func (fitter *offsetFitter) fits(span *span) bool {
	curve := quadCurve(span.start, span.control, span.end)
	mid := fitter.middle(span)
	if near(mid, curve.at(0.5), fitter.tolerance) {
		return !sharp(span)
	}
	// A quick test: the quadratic lies in the box of its three points.
	lo := vec{X: min(span.start.X, span.control.X, span.end.X) - fitter.tolerance, Y: min(span.start.Y, span.control.Y, span.end.Y) - fitter.tolerance}
	hi := vec{X: max(span.start.X, span.control.X, span.end.X) + fitter.tolerance, Y: max(span.start.Y, span.control.Y, span.end.Y) + fitter.tolerance}
	if mid.X < lo.X || mid.X > hi.X || mid.Y < lo.Y || mid.Y > hi.Y {
		return false
	}
	// Where the normal in the middle meets the quadratic.
	normal := sub(fitter.curve.at(span.tm), mid)
	var buf [3]float32
	u := unitRoots(&buf, 0, float64(cross(normal, curve.b)), float64(cross(normal, curve.c)), float64(cross(normal, sub(curve.p[0], mid))))
	if len(u) != 1 { // none, or not one place alone
		return false
	}
	return near(mid, curve.at(u[0]), fitter.tolerance*(1-float32(abs(u[0]-0.5)*2))) && !sharp(span)
}

// sharp reports whether the quadratic turns by more than 90 degrees at its control point.
func sharp(s *span) bool { return dot(sub(s.start, s.control), sub(s.end, s.control)) > 0 }
