package assembly

import (
	"math"
	"slices"

	"plumb/scoring/tangram/field"
)

// vertex is an exact point with its doubles: these decide most signs, and the others are computed
// exactly.
type vertex struct {
	Point
	x, y float64
}

// shape is a placed piece as a counter-clockwise polygon.
type shape []vertex

// vertexOf adds the doubles to an exact point.
func vertexOf(p Point) vertex {
	x, y := p.Floats()
	return vertex{p, x, y}
}

// shapeOf converts a placed tangram piece, a convex polygon that may run in either direction, to a
// counter-clockwise one.
func shapeOf(poly []Point) shape {
	s := make(shape, len(poly))
	for i, p := range poly {
		s[i] = vertexOf(p)
	}
	if field.Area(poly).Sign() < 0 {
		slices.Reverse(s)
	}
	return s
}

// roundingFactor times the square of the largest coordinate bounds how far rounding moves a product of
// differences of coordinates, with much to spare.
const roundingFactor = 1e-13

// side returns 1 if the vertex c of a tangram piece lies left of the line from a to b, -1 if right,
// 0 if on it. Doubles decide unless their error could change the sign. Then exact numbers decide.
func side(a, b, c vertex) int {
	first := (b.x - a.x) * (c.y - a.y)
	second := (b.y - a.y) * (c.x - a.x)
	size := 1 + max(math.Abs(a.x), math.Abs(a.y), math.Abs(b.x), math.Abs(b.y), math.Abs(c.x), math.Abs(c.y))
	if difference := first - second; math.Abs(difference) > roundingFactor*size*size {
		if difference > 0 {
			return 1
		}
		return -1
	}
	ab, ac := b.Sub(a.Point), c.Sub(a.Point)
	return ab.X.Mul(ac.Y).Cmp(ab.Y.Mul(ac.X))
}

// compareAlong returns the order of the vertices p and q of tangram pieces along the direction from a
// to b: -1 if p comes first. Doubles decide where their error cannot change the sign, else exact
// numbers.
func compareAlong(a, b, p, q vertex) int {
	product := (b.x-a.x)*(q.x-p.x) + (b.y-a.y)*(q.y-p.y)
	size := 1 + max(math.Abs(a.x), math.Abs(a.y), math.Abs(b.x), math.Abs(b.y), math.Abs(p.x), math.Abs(p.y),
		math.Abs(q.x), math.Abs(q.y))
	if math.Abs(product) > roundingFactor*size*size {
		if product > 0 {
			return -1
		}
		return 1
	}
	ab, pq := b.Sub(a.Point), q.Sub(p.Point)
	return -ab.X.Mul(pq.X).Add(ab.Y.Mul(pq.Y)).Sign()
}

// samePoint reports whether two vertices of tangram pieces are exactly one point. Most pairs differ
// clearly in their floating-point coordinates, which is a quick test. The others are compared exactly.
func samePoint(p, q vertex) bool {
	size := 1 + max(math.Abs(p.x), math.Abs(p.y))
	if math.Abs(p.x-q.x) > roundingFactor*size || math.Abs(p.y-q.y) > roundingFactor*size {
		return false
	}
	return p.Equal(q.Point)
}

// strictlyInside reports whether p lies inside the segment from a to b, ends excluded.
func strictlyInside(a, b, p vertex) bool {
	return side(a, b, p) == 0 && compareAlong(a, b, a, p) < 0 && compareAlong(a, b, p, b) < 0
}

// shapesOverlap reports whether the interiors of two convex shapes intersect: they do unless
// the line of an edge separates them.
func shapesOverlap(s, t shape) bool { return !separates(s, t) && !separates(t, s) }

// separates reports whether the line of some edge of piece s has all of piece t on its outer side.
// Convex pieces do not overlap exactly if such an edge exists.
func separates(s, t shape) bool {
	for i, a := range s {
		b := s[(i+1)%len(s)]
		if !slices.ContainsFunc(t, func(p vertex) bool { return side(a, b, p) > 0 }) {
			return true
		}
	}
	return false
}

// shapesTouch reports whether the boundaries of two tangram pieces share a segment of positive
// length. See docs/spec/tangram.md#r9.
func shapesTouch(s, t shape) bool {
	for i, a := range s {
		b := s[(i+1)%len(s)]
		for j, c := range t {
			d := t[(j+1)%len(t)]
			if side(a, b, c) == 0 && side(a, b, d) == 0 && shareSpan(a, b, c, d) {
				return true
			}
		}
	}
	return false
}

// shareSpan reports whether the segments ab and cd, which must lie on one line, share a positive
// length: after c and d are put into the order of a and b, each segment begins before the other ends.
func shareSpan(a, b, c, d vertex) bool {
	if compareAlong(a, b, c, d) > 0 {
		c, d = d, c
	}
	return compareAlong(a, b, c, b) < 0 && compareAlong(a, b, a, d) < 0
}
