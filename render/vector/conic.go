package vector

import "math"

// maxConicPow bounds a conic to 2^5 quadratics.
const maxConicPow = 5

// ConicQuads appends to dst the quadratics that approximate the conic (a, c, b) with weight w:
// 2^k pieces, k the smallest that keeps the deviation within tol, at most 5; two points each,
// control and end. y stays monotone where the conic's is. See docs/spec/raster.md#r3.
func ConicQuads(dst []Point, a, c, b Point, w, tol float32) []Point {
	// How far the quadratic with the same points leaves the conic; each halving leaves a quarter of that.
	k := (w - 1) / (4 * (w + 1))
	x := k * (a.X - float32(2*c.X) + b.X)
	y := k * (a.Y - float32(2*c.Y) + b.Y)
	deviation := float32(math.Hypot(float64(x), float64(y)))
	pow := 0
	for ; pow < maxConicPow && deviation > tol; pow++ {
		deviation /= 4
	}
	return splitConic(dst, a, c, b, w, pow)
}

// splitConic halves the conic (a, c, b) with weight w pow times and appends the pieces as quadratics, two points
// each, without their weights, which are near 1 by then.
func splitConic(dst []Point, a, c, b Point, w float32, pow int) []Point {
	if pow == 0 {
		return append(dst, c, b)
	}
	// The halves are (a, l, m) and (m, r, b).
	s := 1 / (1 + w)
	l := Point{(a.X + float32(w*c.X)) * s, (a.Y + float32(w*c.Y)) * s}
	r := Point{(float32(w*c.X) + b.X) * s, (float32(w*c.Y) + b.Y) * s}
	m := Point{
		(a.X + float32(2*w*c.X) + b.X) * s * 0.5,
		(a.Y + float32(2*w*c.Y) + b.Y) * s * 0.5,
	}
	if lo, hi := min(a.Y, b.Y), max(a.Y, b.Y); c.Y >= lo && c.Y <= hi { // y is monotone: keep it so
		m.Y = clamp(m.Y, lo, hi)
		l.Y = clamp(l.Y, min(a.Y, m.Y), max(a.Y, m.Y))
		r.Y = clamp(r.Y, min(m.Y, b.Y), max(m.Y, b.Y))
	}
	w = float32(math.Sqrt(float64(0.5 + w*0.5)))
	dst = splitConic(dst, a, l, m, w, pow-1)
	return splitConic(dst, m, r, b, w, pow-1)
}

// clamp limits v to lo..hi.
func clamp(v, lo, hi float32) float32 { return min(max(v, lo), hi) }
