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

// span is one range of a curve on one side of the pen: the ends of the offset
// curve and the directions there, scaled to the pen's radius.
type span struct {
	t0, tm, t1 float32
	e0, e1     vec
	d0, d1     vec
	control    vec  // control point of the quadratic, once found
	opposite   bool // the directions are parallel and point against each other

	halved bool // em and dm, the offset point and the direction at tm, are set
	em, dm vec
}

// replacement says what can replace the offset of one range of a curve.
type replacement uint8

const (
	split replacement = iota
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
type curvePoint struct{ p, d vec }

// pointOn returns the point of a stroked curve at the parameter t and the curve's direction there.
func (pen *pen) pointOn(curve *curve, t float32) curvePoint {
	d, ok := withLength(curve.tangent(t), pen.r)
	if !ok {
		d = vec{X: pen.r}
	}
	return curvePoint{curve.at(t), d}
}

// fit appends the offset of the curve over [t0, t1], one side of the stroke's outline; a and b are
// the curve's points at both ends. See docs/spec/raster.md#r7.
func (pen *pen) fit(dst *vector.Path, c *curve, side, t0, t1 float32, a, b *curvePoint) {
	f := offsetFitter{pen: pen, dst: dst, curve: c, side: side, tangentsMet: c.n == 3}
	s := span{t0: t0, t1: t1, tm: (t0 + t1) / 2, d0: a.d, d1: b.d}
	s.e0, s.e1 = f.offset(a), f.offset(b)
	f.run(&s, 0)
}

// offset returns the point of the offset curve for a point of the curve.
func (fitter *offsetFitter) offset(a *curvePoint) vec { return add(a.p, scale(left(a.d), fitter.side)) }

// middle returns the point of the offset curve in the middle of the range, at tm. It computes the point
// and the direction there only once and keeps them in span.
func (fitter *offsetFitter) middle(span *span) vec {
	if !span.halved {
		m := fitter.pointOn(fitter.curve, span.tm)
		span.em, span.dm, span.halved = fitter.offset(&m), m.d, true
	}
	return span.em
}

// run appends what replaces the offset of a range of a stroked curve: a quadratic or a line. Where
// neither fits yet, it appends what replaces both halves of the range. depth is how often the curve
// was halved; beyond its limit, or when the budget is used up, a line replaces what is left.
func (fitter *offsetFitter) run(s *span, depth int) {
	limit := quadLevels
	if fitter.curve.n == 4 {
		limit = unmetLevels
		if fitter.tangentsMet {
			limit = cubicLevels
		}
	}
	fitter.budget--
	switch replacement := fitter.replacement(s); {
	case replacement == quad:
		fitter.dst.QuadTo(s.control, s.e1)
		return
	case replacement == line, depth >= limit, fitter.budget <= 0, !(s.t0 < s.tm && s.tm < s.t1):
		fitter.dst.LineTo(s.e1)
		return
	}
	// Neither fits: halve the range at tm and replace each half.
	e := fitter.middle(s)
	d := s.dm
	l := span{t0: s.t0, tm: (s.t0 + s.tm) / 2, t1: s.tm, e0: s.e0, d0: s.d0, e1: e, d1: d}
	fitter.run(&l, depth+1)
	r := span{t0: s.tm, tm: (s.tm + s.t1) / 2, t1: s.t1, e0: e, d0: d, e1: s.e1, d1: s.d1}
	fitter.run(&r, depth+1)
}

// replacement returns what can replace the offset of the range: a line, a quadratic whose control point
// it sets in span, or split: neither fits, the range must be halved. For a cubic it sets fitter.tangentsMet as
// soon as the end tangents of a range meet; until then only lines are taken.
func (fitter *offsetFitter) replacement(span *span) replacement {
	replacement := fitter.control(span)
	if !fitter.tangentsMet {
		if replacement == quad {
			fitter.tangentsMet = true
		} else {
			short := replacement == line || near(span.e0, span.e1, fitter.eps)
			if short && distToLeg2(fitter.middle(span), span.e0, span.e1) < fitter.eps*fitter.eps {
				return line
			}
			return split
		}
	}
	if replacement == line && fitter.curve.n == 4 && span.opposite {
		return split
	}
	if replacement == quad && !fitter.fits(span) {
		return split
	}
	return replacement
}

// control intersects the tangents at both ends of the range's offset curve. It returns quad and sets
// span.c to their intersection if that lies between the ends. It returns line if they are parallel, for
// which it sets span.opposite, or if both run along the line between the ends, else split.
func (fitter *offsetFitter) control(span *span) replacement {
	span.opposite = false
	den := cross(span.d0, span.d1)
	if den == 0 || !finite(den) {
		span.opposite = dot(span.d0, span.d1) < 0
		return line
	}
	d := sub(span.e0, span.e1)
	na, nb := cross(span.d1, d), cross(span.d0, d)
	if (na >= 0) == (nb >= 0) {
		// The tangents meet outside of the range.
		far := max(distToLeg2(span.e0, span.e1, add(span.e1, span.d1)), distToLeg2(span.e1, span.e0, add(span.e0, span.d0)))
		if far <= fitter.eps*fitter.eps {
			return line
		}
		return split
	}
	k := na / den
	if !finite(k) {
		return line
	}
	// Only this order of operations keeps corners of exactly 90 degrees, which every rounded
	// rectangle has, from being sharp.
	span.control = vec{X: span.e0.X + float32(span.d0.X*k), Y: span.e0.Y + float32(span.d0.Y*k)}
	return quad
}

// fits reports whether the quadratic (e0, c, e1) of the range stays within eps of the offset curve in
// its middle and does not turn sharply. It compares the two at half the parameter first, else on the
// normal of the curve there, where less is allowed the farther that is from the quadratic's middle.
func (fitter *offsetFitter) fits(span *span) bool {
	curve := quadCurve(span.e0, span.control, span.e1)
	mid := fitter.middle(span)
	if near(mid, curve.at(0.5), fitter.eps) {
		return !sharp(span)
	}
	// Quick reject: the curve's middle is outside of the controls' box.
	lo := vec{X: min(span.e0.X, span.control.X, span.e1.X) - fitter.eps, Y: min(span.e0.Y, span.control.Y, span.e1.Y) - fitter.eps}
	hi := vec{X: max(span.e0.X, span.control.X, span.e1.X) + fitter.eps, Y: max(span.e0.Y, span.control.Y, span.e1.Y) + fitter.eps}
	if mid.X < lo.X || mid.X > hi.X || mid.Y < lo.Y || mid.Y > hi.Y {
		return false
	}
	// Where the normal in the middle meets the quadratic.
	n := sub(fitter.curve.at(span.tm), mid)
	var buf [3]float32
	u := unitRoots(&buf, 0, float64(cross(n, curve.b)), float64(cross(n, curve.c)), float64(cross(n, sub(curve.p[0], mid))))
	if len(u) != 1 { // none, or not one place alone
		return false
	}
	return near(mid, curve.at(u[0]), fitter.eps*(1-float32(abs(u[0]-0.5)*2))) && !sharp(span)
}

// sharp reports whether the quadratic turns by more than 90 degrees at its control point.
func sharp(s *span) bool { return dot(sub(s.e0, s.control), sub(s.e1, s.control)) > 0 }
