package stroke

import (
	"math"
	"slices"

	"plumb/render/geom"
	"plumb/render/vector"
)

// curve is a quadratic or cubic with its control points p[:n], n = 3 or 4. The point at t, 0 to 1, is
// ((a t + b) t + c) t + p[0], where a = 0 for a quadratic. A quadratic with a weight is a conic: its
// polynomial (b t + c) t + p[0] is divided by (-v t + v) t + 1 with v = 2 (w - 1).
type curve struct {
	p       [4]vec
	n       int     // how many points there are in p
	a, b, c vec     // coefficients of t³, t² and t
	weight  float32 // of a conic's middle point, 0 for none
}

// conicCurve returns the conic from p0 to p2 whose middle control point p1 has the weight w > 0.
// maxCurvature must not be called for it, because b and c are those of the numerator. Nothing does:
// Outline makes quadratics of a flat conic.
func conicCurve(p0, p1, p2 vec, w float32) curve {
	curve := quadCurve(p0, p1, p2)
	curve.weight = w
	m := scale(p1, w)
	curve.b = vec{X: p2.X - float32(2*m.X) + p0.X, Y: p2.Y - float32(2*m.Y) + p0.Y}
	curve.c = scale(sub(m, p0), 2)
	return curve
}

// quadCurve returns the quadratic Bézier curve from p0 to p2 with the control point p1. Its point at t is
// p0 + c t + b t². The conversion of a product to float32 keeps the compiler from fusing it with the sum, which
// would round unlike the browser.
func quadCurve(p0, p1, p2 vec) curve {
	return curve{
		p: [4]vec{p0, p1, p2},
		n: 3,
		b: vec{X: p2.X - float32(2*p1.X) + p0.X, Y: p2.Y - float32(2*p1.Y) + p0.Y},
		c: scale(sub(p1, p0), 2),
	}
}

// cubicCurve returns the cubic Bézier curve with the control points p0 to p3. a, b and c are the
// coefficients of t^3, t^2 and t of its polynomial; that of 1 is p0.
func cubicCurve(p0, p1, p2, p3 vec) curve {
	curve := curve{p: [4]vec{p0, p1, p2, p3}, n: 4}
	curve.a.X, curve.b.X, curve.c.X = geom.CubicCoefficients32(p0.X, p1.X, p2.X, p3.X)
	curve.a.Y, curve.b.Y, curve.c.Y = geom.CubicCoefficients32(p0.Y, p1.Y, p2.Y, p3.Y)
	return curve
}

func (curve *curve) end() vec { return curve.p[curve.n-1] }

func (curve *curve) isCubic() bool { return curve.n == 4 }

// at returns the point of a stroked curve at the parameter t, 0 to 1, by its polynomial. Each
// product is converted to float32, so that no multiply-add is fused and the rounding is the
// browser's.
func (curve *curve) at(t float32) vec {
	if curve.n == 3 {
		q := vec{
			X: float32((float32(curve.b.X*t)+curve.c.X)*t) + curve.p[0].X,
			Y: float32((float32(curve.b.Y*t)+curve.c.Y)*t) + curve.p[0].Y,
		}
		if curve.weight != 0 {
			v := 2 * (curve.weight - 1)
			d := float32((float32(-v*t)+v)*t) + 1
			q = vec{X: q.X / d, Y: q.Y / d}
		}
		return q
	}
	return vec{
		X: geom.CubicAt32(curve.a.X, curve.b.X, curve.c.X, curve.p[0].X, t),
		Y: geom.CubicAt32(curve.a.Y, curve.b.Y, curve.c.Y, curve.p[0].Y, t),
	}
}

// slope returns the first derivative at t. Of a cubic it is divided by 3, and of a conic it is only a
// multiple: callers need the direction. It may be zero. It adds in the browser's order: at the end of a
// quadratic with a vertical leg the result must be exactly vertical, because corners of exactly 90
// degrees depend on it.
func (curve *curve) slope(t float32) vec {
	p := &curve.p
	if curve.weight != 0 { // conic: the numerator of the quotient's derivative
		d := sub(p[2], p[0])
		m := scale(sub(p[1], p[0]), curve.weight)
		a := sub(scale(d, curve.weight), d)
		b := sub(sub(d, m), m)
		return vec{X: float32((float32(a.X*t)+b.X)*t) + m.X, Y: float32((float32(a.Y*t)+b.Y)*t) + m.Y}
	}
	if curve.n == 3 {
		b := sub(p[1], p[0])
		a := sub(sub(p[2], p[1]), b)
		d := vec{X: float32(a.X*t) + b.X, Y: float32(a.Y*t) + b.Y}
		return add(d, d)
	}
	// A cubic, with curve.a as the coefficient of t^2.
	b := vec{
		X: 2 * (p[2].X - float32(2*p[1].X) + p[0].X),
		Y: 2 * (p[2].Y - float32(2*p[1].Y) + p[0].Y),
	}
	d := sub(p[1], p[0])
	return vec{
		X: float32((float32(curve.a.X*t)+b.X)*t) + d.X,
		Y: float32((float32(curve.a.Y*t)+b.Y)*t) + d.Y,
	}
}

// tangent returns the direction in which a stroked curve runs at the parameter t. Where the
// derivative vanishes it is the direction to or from the next control point that differs.
func (curve *curve) tangent(t float32) vec {
	zero := vec{}
	// At an end whose control point coincides with it, the derivative is zero.
	if curve.n == 3 {
		if t == 0 && curve.p[0] == curve.p[1] || t == 1 && curve.p[1] == curve.p[2] {
			return sub(curve.p[2], curve.p[0])
		}
	} else {
		if t == 0 && curve.p[0] == curve.p[1] {
			if d := sub(curve.p[2], curve.p[0]); d != zero {
				return d
			}
			return sub(curve.p[3], curve.p[0])
		}
		if t == 1 && curve.p[2] == curve.p[3] {
			if d := sub(curve.p[3], curve.p[1]); d != zero {
				return d
			}
			return sub(curve.p[3], curve.p[0])
		}
	}
	d := curve.slope(t)
	if d == zero { // a cusp: the direction to the end
		d = sub(curve.end(), curve.at(t))
	}
	if d == zero {
		d = sub(curve.end(), curve.p[0])
	}
	return d
}

// isFlat reports whether the curve can be drawn as lines: whether all control points lie close to the line
// through the two of them that are farthest apart. Close means that the squared distance is at most the
// browser's tolerance times the square of how far apart these two are. How far two points are apart is the
// larger of their distances in x and y, as in the browser. Of pairs that are equally far apart the first counts,
// so that a curve may be flat in one direction and not in the other.
func (curve *curve) isFlat() bool {
	tolerance := float32(0.000005) // of a quadratic
	if curve.isCubic() {
		tolerance = 0.00001
	}
	far, from, to := float32(-1), 0, 0 // the two that are farthest apart
	for i := range curve.n {
		for j := i + 1; j < curve.n; j++ {
			d := sub(curve.p[i], curve.p[j])
			if apart := max(d.X, -d.X, d.Y, -d.Y); apart > far {
				far, from, to = apart, i, j
			}
		}
	}
	for i := range curve.n {
		if i != from && i != to && distToLeg2(curve.p[i], curve.p[from], curve.p[to]) > far*far*tolerance {
			return false
		}
	}
	return true
}

// maxCurvature returns the parameters in (0, 1), at most 3, ascending, where the curve turns most: where
// its speed is least. A flat curve has its cusps there. The values are in buf.
func (curve *curve) maxCurvature(buf *[3]float32) []float32 {
	// The speed |P'| is least where the derivative of its square is 0: P' . P'' = 0. dot64 is the dot product in
	// binary64; float64 keeps the compiler from fusing products into sums.
	dot64 := func(u, v vec) float64 {
		return float64(float64(u.X)*float64(v.X)) + float64(float64(u.Y)*float64(v.Y))
	}
	if curve.n == 3 {
		return unitRoots(buf, 0, 0, float64(2*dot64(curve.b, curve.b)), dot64(curve.b, curve.c))
	}
	return unitRoots(buf, float64(9*dot64(curve.a, curve.a)), float64(9*dot64(curve.a, curve.b)),
		float64(2*dot64(curve.b, curve.b))+float64(3*dot64(curve.a, curve.c)), dot64(curve.b, curve.c))
}

// SplitAtMaxCurvature splits a cubic with the control points p at its points of greatest curvature,
// of which there are at most three. It returns n pieces in order, in pieces[:n].
func SplitAtMaxCurvature(p [4]vector.Point) (pieces [4][4]vector.Point, n int) {
	c := cubicCurve(p[0], p[1], p[2], p[3])
	rest, from := segment{p: p, n: 4}, float32(0) // the part of the curve from `from` on
	var buf [3]float32
	for _, t := range c.maxCurvature(&buf) {
		l, r := rest.split((t - from) / (1 - from)) // t as a parameter of rest
		pieces[n] = l.p
		n++
		rest, from = r, t
	}
	pieces[n] = rest.p
	return pieces, n + 1
}

// inflections returns the parameters in (0, 1) at which a cubic changes from a left to a right bend,
// ascending, in buf. It computes in binary32 as the browser does, because the rounding errors show: of a
// cubic whose control point coincides with its end they move an inflection from that end to up to 0.001
// inside, and the browser begins a new piece there (observed).
func (curve *curve) inflections(buf *[3]float32) []float32 {
	p := &curve.p
	leg := sub(p[1], p[0])
	bend := vec{X: p[2].X - float32(2*p[1].X) + p[0].X, Y: p[2].Y - float32(2*p[1].Y) + p[0].Y}
	// At an inflection P' x P'' = 0. Divided by 18 that is k2 t^2 + k1 t + k0.
	k2, k1, k0 := cross(bend, curve.a), cross(leg, curve.a), cross(leg, bend)
	n := 0
	for _, t := range geom.Roots32(k2, k1, k0) {
		if t > 0 && t < 1 {
			buf[n] = t
			n++
		}
	}
	slices.Sort(buf[:n])
	return slices.Compact(buf[:n])
}

// cusp returns the parameter in (0, 1) of the cusp of a cubic, where its direction turns round at once;
// ok is false if it has none, and for other curves. Only a cubic whose first and last leg cross can have
// one, at a point of greatest curvature where the derivative is almost zero. The first leg starts at p[0],
// the last one at p[2]; they cross if the ends of each lie on different sides of the other.
func (curve *curve) cusp() (t float32, ok bool) {
	p := &curve.p
	if !curve.isCubic() || p[0] == p[1] || p[2] == p[3] || sameSide(p, 0, 2) || sameSide(p, 2, 0) {
		return 0, false
	}
	const almostZero = 1e-8 // of the squares of the control polygon's legs
	limit := (dist2(p[1], p[0]) + dist2(p[2], p[1]) + dist2(p[3], p[2])) * almostZero
	var buf [3]float32
	for _, t := range curve.maxCurvature(&buf) {
		if d := curve.slope(t); dot(d, d) < limit {
			return t, true
		}
	}
	return 0, false
}

// sameSide reports whether p[test] and p[test+1] lie on one side of the line
// through p[line] and p[line+1].
func sameSide(p *[4]vec, test, line int) bool {
	along := sub(p[line+1], p[line])
	return cross(along, sub(p[test], p[line]))*cross(along, sub(p[test+1], p[line])) >= 0
}

// unitRoots returns the roots of a t^3 + b t^2 + c t + d inside (0, 1), in buf, ascending and
// different from each other. They are parameters of a stroked curve.
func unitRoots(buf *[3]float32, a, b, c, d float64) []float32 {
	n := 0
	for _, t := range solve(a, b, c, d) {
		u := float32(t)
		if !(u > 0 && u < 1) {
			continue
		}
		i := n // insertion sort
		for ; i > 0 && buf[i-1] > u; i-- {
			buf[i] = buf[i-1]
		}
		buf[i] = u
		n++
	}
	return slices.Compact(buf[:n])
}

// solve returns the real roots of a t^3 + b t^2 + c t + d, in any order, for parameters of a
// stroked curve. If there are fewer than three, the other values are NaN, so that every comparison with them
// fails. A leading coefficient that is tiny beside the others counts as 0.
func solve(a, b, c, d float64) [3]float64 {
	nan := math.NaN()
	tiny := max(math.Abs(b), math.Abs(c), math.Abs(d)) * 1e-12
	switch {
	// Linear: c t + d.
	case math.Abs(a) <= tiny && math.Abs(b) <= tiny:
		return [3]float64{-d / c, nan, nan}
	// Quadratic, by a formula that does not subtract numbers of almost equal size.
	case math.Abs(a) <= tiny:
		s := math.Sqrt(float64(c*c) - float64(4*b*d))
		q := -0.5 * (c + math.Copysign(s, c))
		return [3]float64{q / b, d / q, nan}
	}
	// t^3 + p t^2 + q t + r = 0, by Viète's and Cardano's formulas. float64 keeps the compiler from fusing
	// products into sums.
	p, q, r := b/a, c/a, d/a
	qq := (float64(p*p) - float64(3*q)) / 9
	rr := (float64(2*p*p*p) - float64(9*p*q) + float64(27*r)) / 54
	if q3 := float64(qq * qq * qq); float64(rr*rr) < q3 { // three real roots
		th := math.Acos(rr / math.Sqrt(q3))
		m := -2 * math.Sqrt(qq)
		return [3]float64{
			float64(m*math.Cos(th/3)) - p/3,
			float64(m*math.Cos((th+2*math.Pi)/3)) - p/3,
			float64(m*math.Cos((th-2*math.Pi)/3)) - p/3,
		}
	} else {
		// One real root, by Cardano's formula.
		s := -math.Copysign(math.Cbrt(math.Abs(rr)+math.Sqrt(float64(rr*rr)-q3)), rr)
		t := 0.0
		if s != 0 {
			t = qq / s
		}
		return [3]float64{s + t - p/3, nan, nan}
	}
}
