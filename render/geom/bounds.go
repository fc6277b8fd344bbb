package geom

import (
	"math"
	"plumb/render/vector"
)

// PathBounds returns the smallest box that holds a path. Of a curve it holds the points that the curve
// reaches, not the control points, which may lie far outside. The point of a Move counts even where no
// segment follows. The box of an empty path is empty.
func PathBounds(path *vector.Path) Extent {
	extent := NewExtent()
	var segment [4]vector.Point                  // its start, which is the current point, then up to three more
	points, weights := path.Points, path.Weights // what the verbs have not used yet
	for _, verb := range path.Verbs {
		n := verb.Points()
		copy(segment[1:], points[:n])
		switch verb {
		case vector.Quad:
			quadExtrema(&extent, wide(segment[0]), wide(segment[1]), wide(segment[2]), 1)
		case vector.Conic:
			quadExtrema(&extent, wide(segment[0]), wide(segment[1]), wide(segment[2]), float64(weights[0]))
			weights = weights[1:]
		case vector.Cubic:
			cubicExtrema(&extent, &segment)
		}
		// A Close takes no point and adds none to the box. It need not set the current point back to the start
		// of the subpath, because in all paths a Move follows it.
		if n > 0 {
			segment[0] = segment[n] // the end: the next segment begins there
			extent.Add(wide(segment[0]))
		}
		points = points[n:]
	}
	return extent
}

// wide returns a point of a path in binary64.
func wide(p vector.Point) Point { return Pt(float64(p.X), float64(p.Y)) }

// quadExtrema adds to extent the points inside a curve where its x or its y is greatest or least. The
// curve is a conic from a to c, whose control point b has the weight w; w = 1 makes it a quadratic.
// float64 around a product keeps the compiler from fusing it with a sum, which would change last bits.
func quadExtrema(extent *Extent, a, b, c Point, w float64) {
	for _, axis := range [2][3]float64{{a.X, b.X, c.X}, {a.Y, b.Y, c.Y}} {
		from, control, to := axis[0], axis[1], axis[2]
		// With the control point between the ends, the curve does not turn on this axis. The two comparisons are
		// both true then if the ends ascend, and both false if they descend.
		if (control >= from) == (control <= to) {
			continue
		}
		// The coordinate at t is a quotient N/D of two quadratic polynomials. The curve turns where its
		// derivative is 0: where N'D - ND' = 0, half of which is p t t + q t + r.
		p, q, r := (w-1)*(to-from), (to-from)-float64(2*w*(control-from)), w*(control-from)
		for _, t := range Roots(p, q, r) {
			if t > 0 && t < 1 {
				u := 1 - t
				d := float64(u*u) + float64(2*w*u*t) + float64(t*t)
				extent.Add(Pt(
					(float64(u*u*a.X)+float64(2*w*u*t*b.X)+float64(t*t*c.X))/d,
					(float64(u*u*a.Y)+float64(2*w*u*t*b.Y)+float64(t*t*c.Y))/d,
				))
			}
		}
	}
}

// cubicExtrema adds to extent the points inside a cubic where its x or its y is greatest or least. p
// holds the start, the two control points and the end. At such a point the derivative of the coordinate
// is 0. a, b and v[1]-v[0] are the coefficients of a third of the derivative, which has the same roots.
// All is computed in binary32, as the browser does, because its rounding can show in the box: a cubic that
// should reach just to its end at 10 may come out one last bit beyond 10. See docs/spec/raster.md#r28.
func cubicExtrema(extent *Extent, p *[4]vector.Point) {
	for _, v := range [2][4]float32{{p[0].X, p[1].X, p[2].X, p[3].X}, {p[0].Y, p[1].Y, p[2].Y, p[3].Y}} {
		a := v[3] - v[0] + float32(3*(v[1]-v[2]))
		b := 2 * (v[0] - v[1] - v[1] + v[2])
		for _, t := range Roots32(a, b, v[1]-v[0]) {
			if t > 0 && t < 1 {
				a, b, c := CubicCoefficients32(p[0].X, p[1].X, p[2].X, p[3].X)
				x := CubicAt32(a, b, c, p[0].X, t)
				a, b, c = CubicCoefficients32(p[0].Y, p[1].Y, p[2].Y, p[3].Y)
				y := CubicAt32(a, b, c, p[0].Y, t)
				extent.Add(Pt(float64(x), float64(y)))
			}
		}
	}
}

// Roots32 solves a t t + b t + c = 0 as the browser does: the numbers are binary32, but what is under the
// square root is computed in binary64. A root that does not exist is NaN or infinite. One root is q/a and the
// other c/q. In q the root gets the sign of b, so that no digits cancel where a root is near 0.
func Roots32(a, b, c float32) [2]float32 {
	if a == 0 {
		return [2]float32{-c / b, float32(math.NaN())}
	}
	root := math.Sqrt(float64(b)*float64(b) - float64(4*float64(a)*float64(c))) // NaN where there is no real root
	q := -(b + float32(math.Copysign(root, float64(b)))) / 2
	return [2]float32{q / a, c / q}
}

// CubicCoefficients32 returns the coefficients of one coordinate of a cubic Bezier curve in binary32, as the
// browser computes them: at t the coordinate is a t t t + b t t + c t + p. p and q are that coordinate of the two
// ends, c1 and c2 that of the control points. float32 around products keeps the compiler from fusing them with
// sums, which would change last bits.
func CubicCoefficients32(p, c1, c2, q float32) (a, b, c float32) {
	return q + float32(3*(c1-c2)) - p, float32(3 * (c2 - float32(2*c1) + p)), float32(3 * (c1 - p))
}

// CubicAt32 returns a t t t + b t t + c t + p in binary32, by Horner's scheme as the browser does.
func CubicAt32(a, b, c, p, t float32) float32 {
	sum := float32(a*t) + b
	sum = float32(sum*t) + c
	return float32(sum*t) + p
}

// tinyLeading is how small a leading coefficient is, beside the others, that Roots takes for 0: dividing
// by it would leave no correct digits.
const tinyLeading = 1e-12

// Roots solves the quadratic equation a t t + b t + c = 0, or the linear one if a is tiny beside b
// and c. A root that does not exist is NaN: callers compare roots with bounds, and every comparison
// with NaN is false.
func Roots(a, b, c float64) [2]float64 {
	if math.Abs(a) < tinyLeading*(math.Abs(b)+math.Abs(c)) {
		return [2]float64{-c / b, math.NaN()}
	}
	d := math.Sqrt(float64(b*b) - float64(4*a*c)) // NaN where there is no real root
	return [2]float64{(-b - d) / (2 * a), (-b + d) / (2 * a)}
}

// CubicAt returns the point of a cubic Bezier curve at parameter t, 0 to 1. The curve leads from p to q
// with the control points c1 and c2. float64 keeps the compiler from fusing products into sums: results
// must have the same bits on every processor.
func CubicAt(p, c1, c2, q Point, t float64) Point {
	u := 1 - t
	a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return Pt(
		float64(a*p.X)+float64(b*c1.X)+float64(c*c2.X)+float64(d*q.X),
		float64(a*p.Y)+float64(b*c1.Y)+float64(c*c2.Y)+float64(d*q.Y),
	)
}
