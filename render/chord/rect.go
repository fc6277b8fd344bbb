package chord

import (
	"math"

	"plumb/render/vector"
)

// FitsSmallMask reports whether the browser draws a path with these bounds through its small mask of
// 1,024 bytes, whose rows are whole groups of 4 px. See docs/spec/raster.md#r4.
func FitsSmallMask(lo, hi vector.Point) bool {
	const mostWidth, group, mostBytes = 32, 4, 1024
	w := math.Ceil(float64(hi.X)) - math.Floor(float64(lo.X))
	h := math.Ceil(float64(hi.Y)) - math.Floor(float64(lo.Y))
	return w <= mostWidth && math.Ceil(w/group)*group*h <= mostBytes
}

// exactAsRectangle reports whether a rectangle with these bounds is drawn exactly, on no grid: it
// fits the small mask and is at least 3 px wide. See docs/spec/raster.md#r23.
func (b box) exactAsRectangle() bool {
	const leastWidth = 3 // px
	width := math.Ceil(float64(b.x1)) - math.Floor(float64(b.x0))
	return width >= leastWidth && FitsSmallMask(vector.Point{X: b.x0, Y: b.y0}, vector.Point{X: b.x1, Y: b.y1})
}

// Rectangle reports whether the path is one axis-aligned rectangle and nothing else: four points, or
// five with the first repeated, closed or not. It may have no area.
func Rectangle(p *vector.Path) bool {
	verbs, points := p.Verbs, p.Points
	if n := len(verbs); n > 0 && verbs[n-1] == vector.Close {
		verbs = verbs[:n-1]
	}
	fourCorners := len(points) == 4 || len(points) == 5 && points[4] == points[0]
	if len(verbs) != len(points) || !fourCorners || verbs[0] != vector.Move {
		return false
	}
	for _, w := range verbs[1:] {
		if w != vector.Line {
			return false
		}
	}
	return points[0].Y == points[1].Y && points[1].X == points[2].X && points[2].Y == points[3].Y && points[3].X == points[0].X ||
		points[0].X == points[1].X && points[1].Y == points[2].Y && points[2].X == points[3].X && points[3].Y == points[0].Y
}
