package chord

import (
	"math"

	"plumb/render/vector"
)

// FitsSmallMask reports whether the browser draws a path with these bounds through its small mask of
// 1,024 bytes, whose rows are whole groups of 4 px. See docs/spec/raster.md#r4.
func FitsSmallMask(lo, hi vector.Point) bool {
	w := math.Ceil(float64(hi.X)) - math.Floor(float64(lo.X))
	h := math.Ceil(float64(hi.Y)) - math.Floor(float64(lo.Y))
	return w <= 32 && math.Ceil(w/4)*4*h <= 1024
}

// exactAsRectangle reports whether a rectangle with these bounds is drawn exactly, on no grid: it
// fits the small mask and is at least 3 px wide. See docs/spec/raster.md#r23.
func (b box) exactAsRectangle() bool {
	wide := math.Ceil(float64(b.x1))-math.Floor(float64(b.x0)) >= 3
	return wide && FitsSmallMask(vector.Point{X: b.x0, Y: b.y0}, vector.Point{X: b.x1, Y: b.y1})
}

// Rectangle reports whether the path is one axis-aligned rectangle and nothing else: four points, or
// five with the first repeated, closed or not. It may have no area.
func Rectangle(p *vector.Path) bool {
	v, q := p.Verbs, p.Points
	if n := len(v); n > 0 && v[n-1] == vector.Close {
		v = v[:n-1]
	}
	fourCorners := len(q) == 4 || len(q) == 5 && q[4] == q[0]
	if len(v) != len(q) || !fourCorners || v[0] != vector.Move {
		return false
	}
	for _, w := range v[1:] {
		if w != vector.Line {
			return false
		}
	}
	return q[0].Y == q[1].Y && q[1].X == q[2].X && q[2].Y == q[3].Y && q[3].X == q[0].X ||
		q[0].X == q[1].X && q[1].Y == q[2].Y && q[2].X == q[3].X && q[3].Y == q[0].Y
}
