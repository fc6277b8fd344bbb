package geom

import "plumb/render/vector"

// Matrix maps (x, y) to (a x + c y + e, b x + d y + f), in binary64.
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity maps every point to itself.
var Identity = Matrix{A: 1, D: 1}

// Apply maps a point. float64 rounds each product before it is added. Else the compiler may fuse both
// into one instruction on some processors, and the last bits would differ there.
func (m Matrix) Apply(p Point) Point {
	return Point{
		float64(m.A*p.X) + float64(m.C*p.Y) + m.E,
		float64(m.B*p.X) + float64(m.D*p.Y) + m.F,
	}
}

// Mul returns the map that applies n first and then m. float64 keeps products from being fused with
// sums, as in Apply.
func (m Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		A: float64(m.A*n.A) + float64(m.C*n.B), B: float64(m.B*n.A) + float64(m.D*n.B),
		C: float64(m.A*n.C) + float64(m.C*n.D), D: float64(m.B*n.C) + float64(m.D*n.D),
		E: float64(m.A*n.E) + float64(m.C*n.F) + m.E, F: float64(m.B*n.E) + float64(m.D*n.F) + m.F,
	}
}

// Rounded returns the map with every number rounded to four decimals, as the editor's SVG export writes
// it. See docs/spec/drawing.md#r10.
func (m Matrix) Rounded() Matrix {
	return Matrix{roundToFourDecimals(m.A), roundToFourDecimals(m.B), roundToFourDecimals(m.C), roundToFourDecimals(m.D), roundToFourDecimals(m.E), roundToFourDecimals(m.F)}
}

// Inverse returns the map that undoes m. The determinant of m must not be 0: it never is for the maps of
// shapes, which only move, turn and scale. float64 keeps products from being fused, as in Apply.
func (m Matrix) Inverse() Matrix {
	k := 1 / (float64(m.A*m.D) - float64(m.B*m.C)) // 1 over the determinant
	inverse := Matrix{A: m.D * k, B: -m.B * k, C: -m.C * k, D: m.A * k}
	inverse.E = -float64(inverse.A*m.E) - float64(inverse.C*m.F)
	inverse.F = -float64(inverse.B*m.E) - float64(inverse.D*m.F)
	return inverse
}

// Widened converts a map of render/vector to binary64.
func Widened(m vector.Matrix) Matrix {
	return Matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}
}

// AsExported returns the map as it comes out of an SVG export: written by the editor with four
// decimals, and read by the browser in binary32.
func (m Matrix) AsExported() vector.Matrix {
	return vector.Matrix{
		A: AsExportedNumber(m.A), B: AsExportedNumber(m.B), C: AsExportedNumber(m.C),
		D: AsExportedNumber(m.D), E: AsExportedNumber(m.E), F: AsExportedNumber(m.F),
	}
}

// Narrowed rounds a map to binary32.
func Narrowed(m Matrix) vector.Matrix {
	return vector.Matrix{
		A: float32(m.A), B: float32(m.B), C: float32(m.C), D: float32(m.D), E: float32(m.E), F: float32(m.F),
	}
}
