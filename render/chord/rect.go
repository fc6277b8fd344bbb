package chord

import (
	"math"

	"plumb/render/vector"
)

// fitsSmallMask reports whether a path with these bounds is drawn through the browser's small mask and
// is at least 3 px wide. Rectangles of that size are drawn exactly, on no grid. See
// docs/spec/raster.md#r23.
func (b box) fitsSmallMask() bool {
	w := math.Ceil(float64(b.x1)) - math.Floor(float64(b.x0))
	h := math.Ceil(float64(b.y1)) - math.Floor(float64(b.y0))
	return w >= 3 && w <= 32 && math.Ceil(w/4)*4*h <= 1024
}

// Rectangle reports whether the path is one axis-aligned rectangle and nothing
// else.
func Rectangle(p *vector.Path) bool {
	v, q := p.Verbs, p.Points
	if n := len(v); n > 0 && v[n-1] == vector.Close {
		v = v[:n-1]
	}
	if len(v) != len(q) || len(q) != 4 && !(len(q) == 5 && q[4] == q[0]) || v[0] != vector.Move {
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
