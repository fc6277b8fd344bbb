package vector

import (
	"math"
	"testing"
)

// ConicQuads replaces a quarter circle by 2^k quadratics within the tolerance.
func TestConicQuads(t *testing.T) {
	w := float32(math.Sqrt(0.5))
	for _, c := range []struct {
		r, tol float32
		pieces int
	}{
		{1.75, 0.25, 1}, // 0.0429 * sqrt2 * r = 0.106
		{5, 0.25, 2},
		{60, 0.25, 4},
		{200, 0.25, 8},
		{1e9, 0.25, 32}, // bounded
	} {
		a, ctl, b := Point{c.r, 0}, Point{c.r, c.r}, Point{0, c.r}
		q := ConicQuads(nil, a, ctl, b, w, c.tol)
		if len(q) != 2*c.pieces {
			t.Errorf("r %g: got %d quadratics; want %d", c.r, len(q)/2, c.pieces)
		}
		if q[len(q)-1] != b {
			t.Errorf("r %g: ends at %v; want %v", c.r, q[len(q)-1], b)
		}
		from := a
		for i := 0; i < len(q) && c.r < 1e6; i += 2 {
			x := float64(from.X+2*q[i].X+q[i+1].X) / 4
			y := float64(from.Y+2*q[i].Y+q[i+1].Y) / 4
			if d := math.Abs(math.Hypot(x, y) - float64(c.r)); d > float64(c.tol) {
				t.Errorf("r %g: quadratic %d is %g off; want at most %g", c.r, i/2, d, c.tol)
			}
			from = q[i+1]
		}
	}
}
