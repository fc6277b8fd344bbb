package geom

import "plumb/render/vector"

// Matrix maps (x, y) to (a x + c y + e, b x + d y + f), in binary64.
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity maps every point to itself.
var Identity = Matrix{A: 1, D: 1}

// Apply maps a point. Products are rounded before they are added, so that no processor fuses them.
func (m Matrix) Apply(p Point) Point {
	return Point{
		float64(m.A*p.X) + float64(m.C*p.Y) + m.E,
		float64(m.B*p.X) + float64(m.D*p.Y) + m.F,
	}
}

// Mul returns the map that applies n first and then m.
func (m Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		A: float64(m.A*n.A) + float64(m.C*n.B), B: float64(m.B*n.A) + float64(m.D*n.B),
		C: float64(m.A*n.C) + float64(m.C*n.D), D: float64(m.B*n.C) + float64(m.D*n.D),
		E: float64(m.A*n.E) + float64(m.C*n.F) + m.E, F: float64(m.B*n.E) + float64(m.D*n.F) + m.F,
	}
}

// Rounded returns the map as an export writes it, with four decimals. See docs/spec/drawing.md#r10.
func (m Matrix) Rounded() Matrix {
	return Matrix{r4(m.A), r4(m.B), r4(m.C), r4(m.D), r4(m.E), r4(m.F)}
}

// Inverse returns the inverse map. The determinant must not be 0; maps of shapes never have that.
func (m Matrix) Inverse() Matrix {
	k := 1 / (float64(m.A*m.D) - float64(m.B*m.C))
	n := Matrix{A: m.D * k, B: -m.B * k, C: -m.C * k, D: m.A * k}
	n.E = -float64(n.A*m.E) - float64(n.C*m.F)
	n.F = -float64(n.B*m.E) - float64(n.D*m.F)
	return n
}

// Widened converts a map of render/vector to binary64.
func Widened(m vector.Matrix) Matrix {
	return Matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}
}

// Binary32 returns the map as the browser reads it from an export.
func (m Matrix) Binary32() vector.Matrix {
	return vector.Matrix{A: Read4(m.A), B: Read4(m.B), C: Read4(m.C), D: Read4(m.D), E: Read4(m.E), F: Read4(m.F)}
}

// Narrowed rounds a map to binary32.
func Narrowed(m Matrix) vector.Matrix {
	return vector.Matrix{
		A: float32(m.A), B: float32(m.B), C: float32(m.C), D: float32(m.D), E: float32(m.E), F: float32(m.F),
	}
}
