package geom

import (
	"math"
	"plumb/render/vector"
)

// PathBounds returns the exact box of the points of a path, curves included, and not of its control
// points. It is empty for a path without a line or curve or move.
func PathBounds(path *vector.Path) Extent {
	extent := NewExtent()
	var from [4]Point // the current point, then up to three points of a curve
	pts, weights := path.Points, path.Weights
	for _, verb := range path.Verbs {
		n := verb.Points()
		for i, q := range pts[:n] {
			from[i+1] = Pt(float64(q.X), float64(q.Y))
		}
		switch verb {
		case vector.Quad:
			quadExtrema(&extent, from[0], from[1], from[2], 1)
		case vector.Conic:
			quadExtrema(&extent, from[0], from[1], from[2], float64(weights[0]))
			weights = weights[1:]
		case vector.Cubic:
			cubicExtrema(&extent, &from)
		}
		if n > 0 {
			from[0] = from[n]
			extent.Add(from[0])
		}
		pts = pts[n:]
	}
	return extent
}

// quadExtrema adds the points where x or y of a conic from a to c, whose control b has the weight
// w, is extreme; a quadratic has w = 1.
func quadExtrema(extent *Extent, a, b, c Point, w float64) {
	for _, k := range [2][3]float64{{a.X, b.X, c.X}, {a.Y, b.Y, c.Y}} {
		if (k[1] >= k[0]) == (k[1] <= k[2]) { // the control lies between the ends: none
			continue
		}
		// The derivative of the conic's numerator over its denominator vanishes.
		p, q, r := (w-1)*(k[2]-k[0]), (k[2]-k[0])-2*w*(k[1]-k[0]), w*(k[1]-k[0])
		for _, t := range Roots(p, q, r) {
			if t > 0 && t < 1 {
				u := 1 - t
				d := u*u + 2*w*u*t + t*t
				extent.Add(Pt(
					(float64(u*u*a.X)+float64(2*w*u*t*b.X)+float64(t*t*c.X))/d,
					(float64(u*u*a.Y)+float64(2*w*u*t*b.Y)+float64(t*t*c.Y))/d,
				))
			}
		}
	}
}

// cubicExtrema adds the points where x or y of a cubic is extreme: at the roots of a third of its derivative.
func cubicExtrema(extent *Extent, p *[4]Point) {
	coordinates := [2][4]float64{{p[0].X, p[1].X, p[2].X, p[3].X}, {p[0].Y, p[1].Y, p[2].Y, p[3].Y}}
	for _, k := range coordinates {
		a := -k[0] + 3*k[1] - 3*k[2] + k[3]
		b := 2 * (k[0] - 2*k[1] + k[2])
		for _, t := range Roots(a, b, k[1]-k[0]) {
			if t > 0 && t < 1 {
				extent.Add(CubicAt(p[0], p[1], p[2], p[3], t))
			}
		}
	}
}

// Roots solves the quadratic equation a t t + b t + c = 0, or the linear one if a is tiny beside b
// and c. Missing roots are NaN, for which every comparison is false.
func Roots(a, b, c float64) [2]float64 {
	if math.Abs(a) < 1e-12*(math.Abs(b)+math.Abs(c)) {
		return [2]float64{-c / b, math.NaN()}
	}
	d := math.Sqrt(float64(b*b) - float64(4*a*c))
	return [2]float64{(-b - d) / (2 * a), (-b + d) / (2 * a)}
}

// CubicAt returns the point at t of the cubic from p to q with the controls c1 and c2.
func CubicAt(p, c1, c2, q Point, t float64) Point {
	u := 1 - t
	a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return Pt(
		float64(a*p.X)+float64(b*c1.X)+float64(c*c2.X)+float64(d*q.X),
		float64(a*p.Y)+float64(b*c1.Y)+float64(c*c2.Y)+float64(d*q.Y),
	)
}
