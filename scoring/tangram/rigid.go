package tangram

import (
	"math"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
)

// The tolerances of decimal answers. See docs/spec/tangram.md#r27.
const (
	areaTolerance     = 1.0 / 100
	distanceTolerance = 1.0 / 100 // of distances between corners
	contactDistance   = 1.0 / 300
	contactLength     = 0.05
)

// canon describes a canonical tangram piece. See docs/spec/tangram.md#r1.
type canon struct {
	area, perimeter   field.Number
	areaF, perimeterF float64
	corners           []plane.Point
	squared           []field.Number // squared distances between corners, row by row
	squaredF          []float64
	distances         []float64
}

// canons are the canonical pieces by kind.
var canons = func() map[construction.Kind]*canon {
	n, r2 := field.Int, field.Surd(1, 1)
	at := func(x, y field.Number) plane.Point { return plane.Point{X: x, Y: y} }
	zero, one, two := n(0), n(1), n(2)
	return map[construction.Kind]*canon{
		construction.Large:         newCanon(at(zero, zero), at(two, zero), at(zero, two)),
		construction.Medium:        newCanon(at(zero, zero), at(r2, zero), at(zero, r2)),
		construction.Small:         newCanon(at(zero, zero), at(one, zero), at(zero, one)),
		construction.Square:        newCanon(at(zero, zero), at(one, zero), at(one, one), at(zero, one)),
		construction.Parallelogram: newCanon(at(zero, zero), at(one, zero), at(two, one), at(one, one)),
	}
}()

// newCanon computes the measures of a canonical piece from its corners.
func newCanon(corners ...plane.Point) *canon {
	c := &canon{corners: corners, area: area(corners)}
	c.perimeter, _ = perimeter(corners)
	c.areaF, c.perimeterF = c.area.Float(), c.perimeter.Float()
	c.squared = squaredDistances(corners)
	for _, s := range c.squared {
		c.squaredF = append(c.squaredF, s.Float())
		c.distances = append(c.distances, math.Sqrt(s.Float()))
	}
	return c
}

// area returns the exact area of a tangram piece, whose vertices may run in either direction.
func area(list []plane.Point) field.Number {
	a := field.Area(list)
	if a.Sign() < 0 {
		return a.Neg()
	}
	return a
}

// perimeter returns the exact perimeter of a polygon; ok is false if it is not in Q(sqrt 2), which
// holds if any edge length is not. See docs/spec/tangram.md#r30.
func perimeter(list []plane.Point) (sum field.Number, ok bool) {
	sum = field.Int(0)
	for i, a := range list {
		l, ok := squaredDistance(a, list[(i+1)%len(list)]).Sqrt()
		if !ok {
			return sum, false
		}
		sum = sum.Add(l)
	}
	return sum, true
}

// floatPerimeter returns the sum of a piece's edge lengths in doubles.
func floatPerimeter(list []segment) (sum float64) {
	for i := range list {
		sum += list[i].length()
	}
	return sum
}

// squaredDistance returns the exact squared distance of two points.
func squaredDistance(a, b plane.Point) field.Number {
	return field.SquaredDistance(a.X, a.Y, b.X, b.Y)
}

// squaredDistances returns the exact squared distances of all pairs of a piece's corners, row by
// row.
func squaredDistances(list []plane.Point) []field.Number {
	n := len(list)
	out := make([]field.Number, n*n)
	for i := range n {
		for j := range i {
			d := squaredDistance(list[i], list[j])
			out[i*n+j], out[j*n+i] = d, d
		}
		out[i*n+i] = field.Int(0)
	}
	return out
}

// productError bounds the error of a product of two differences of coordinates, and of a sum of
// two such products. Coordinates have a relative error of 2^-50.
func productError(edges []segment) float64 {
	reach := 1.0
	for i := range edges {
		reach = max(reach, math.Abs(edges[i].x0), math.Abs(edges[i].y0))
	}
	return 0x1p-44 * reach * reach
}

// isCongruent reports whether a polygon is its canonical piece, moved, rotated or mirrored:
// without collinear vertices, all distances between corners agree for some first corner and
// direction. Doubles rule out distances that are far off; the others are compared exactly. See
// docs/spec/tangram.md#r32.
func isCongruent(list []plane.Point, edges []segment, c *canon, decimal bool) bool {
	corners := withoutCollinear(list, edges)
	n := len(corners)
	if n != len(c.corners) {
		return false
	}
	if n < len(list) {
		list, edges = corners, appendSegments(nil, corners)
	}
	var distances [maxCorners * maxCorners]float64 // distances of corners: squared, unless decimal
	for i := range n {
		for j := range i {
			dx, dy := edges[i].x0-edges[j].x0, edges[i].y0-edges[j].y0
			d := float64(dx*dx) + float64(dy*dy)
			if decimal {
				d = math.Sqrt(d)
			}
			distances[i*n+j], distances[j*n+i] = d, d
		}
	}
	want, tau := c.squaredF, productError(edges)
	if decimal {
		want, tau = c.distances, distanceTolerance
	}
	for shift := range n {
		for _, step := range [2]int{1, n - 1} {
			at := func(i int) int { return (shift + i*step) % n }
			same := true
			for i := 0; i < n && same; i++ {
				for j := 0; j < i && same; j++ {
					same = math.Abs(distances[at(i)*n+at(j)]-want[i*n+j]) <= tau
				}
			}
			for i := 0; i < n && same && !decimal; i++ {
				for j := 0; j < i && same; j++ {
					same = squaredDistance(list[at(i)], list[at(j)]).Equal(c.squared[i*n+j])
				}
			}
			if same {
				return true
			}
		}
	}
	return false
}

// maxCorners is the largest number of corners of a canonical piece.
const maxCorners = 4

// withoutCollinear returns the vertices of a polygon except those between two edges on one line.
func withoutCollinear(list []plane.Point, edges []segment) []plane.Point {
	n := len(list)
	if n <= 3 {
		return list
	}
	tau := productError(edges)
	straight := func(i int) bool {
		e, f := &edges[(i+n-1)%n], &edges[i]
		if v := float64((e.x1-e.x0)*(f.y1-f.y0)) - float64((e.y1-e.y0)*(f.x1-f.x0)); math.Abs(v) > tau {
			return false
		}
		a, b, c := list[(i+n-1)%n], list[i], list[(i+1)%n]
		ux, uy, vx, vy := b.X.Sub(a.X), b.Y.Sub(a.Y), c.X.Sub(b.X), c.Y.Sub(b.Y)
		return ux.Mul(vy).Sub(uy.Mul(vx)).Zero()
	}
	var out []plane.Point
	for i := range list {
		switch line := straight(i); {
		case line && out == nil:
			out = append(make([]plane.Point, 0, n), list[:i]...)
		case !line && out != nil:
			out = append(out, list[i])
		}
	}
	if out == nil { // the usual case
		return list
	}
	return out
}

// isDistorted reports whether a piece is not rigid: not simple, or with another area or perimeter
// than its type has. See docs/spec/tangram.md#r30.
func isDistorted(list []plane.Point, q *PieceScore, c *canon, decimal bool) bool {
	if !q.Simple {
		return true
	}
	if decimal {
		return math.Abs(q.Area-c.areaF) > areaTolerance || math.Abs(q.Perimeter-c.perimeterF) > areaTolerance
	}
	if !area(list).Equal(c.area) {
		return true
	}
	p, ok := perimeter(list)
	return !ok || !p.Equal(c.perimeter)
}
