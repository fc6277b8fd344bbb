package vector

import "math"

// maxConicPow bounds a conic to 2^5 quadratics.
const maxConicPow = 5

// ConicQuads appends to dst the quadratics that approximate a conic from start to end, whose control point
// has the weight: 2^k pieces, k the smallest, at most 5, that keeps the deviation within tol px. Each piece
// has two points, control and end. y stays monotone where the conic's is. See docs/spec/raster.md#r3.
func ConicQuads(dst []Point, start, control, end Point, weight, tol float32) []Point {
	// How far the quadratic with the same points is from the conic; after each halving, a quarter of that.
	ratio := (weight - 1) / (4 * (weight + 1))
	x := ratio * (start.X - float32(2*control.X) + end.X)
	y := ratio * (start.Y - float32(2*control.Y) + end.Y)
	deviation := float32(math.Hypot(float64(x), float64(y)))
	halvings := 0
	for ; halvings < maxConicPow && deviation > tol; halvings++ {
		deviation /= 4
	}
	return splitConic(dst, start, control, end, weight, halvings)
}

// splitConic cuts a conic from start to end, whose control point has the weight, into 2^halvings pieces and
// appends these as quadratics, two points each. The weights of the pieces are dropped: they are near 1.
func splitConic(dst []Point, start, control, end Point, weight float32, halvings int) []Point {
	if halvings == 0 {
		return append(dst, control, end)
	}
	// The halves are (start, leftControl, middle) and (middle, rightControl, end).
	scale := 1 / (1 + weight)
	leftControl := Point{(start.X + float32(weight*control.X)) * scale, (start.Y + float32(weight*control.Y)) * scale}
	rightControl := Point{(float32(weight*control.X) + end.X) * scale, (float32(weight*control.Y) + end.Y) * scale}
	middle := Point{
		(start.X + float32(2*weight*control.X) + end.X) * scale * 0.5,
		(start.Y + float32(2*weight*control.Y) + end.Y) * scale * 0.5,
	}
	if lo, hi := min(start.Y, end.Y), max(start.Y, end.Y); control.Y >= lo && control.Y <= hi { // y is monotone: keep it so
		middle.Y = clamp(middle.Y, lo, hi)
		leftControl.Y = clamp(leftControl.Y, min(start.Y, middle.Y), max(start.Y, middle.Y))
		rightControl.Y = clamp(rightControl.Y, min(middle.Y, end.Y), max(middle.Y, end.Y))
	}
	weight = float32(math.Sqrt(float64(0.5 + weight*0.5)))
	dst = splitConic(dst, start, leftControl, middle, weight, halvings-1)
	return splitConic(dst, middle, rightControl, end, weight, halvings-1)
}

// clamp limits v to lo..hi.
func clamp(v, lo, hi float32) float32 { return min(max(v, lo), hi) }
