package tangram

import (
	"math"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
)

// The tolerances of decimal answers. See docs/spec/tangram.md#r27.
const (
	areaTolerance     = 1.0 / 100 // of areas and perimeters
	distanceTolerance = 1.0 / 100 // of distances between corners
	contactDistance   = 1.0 / 300
	contactLength     = 0.05
)

// canonicalPiece holds the measures of a tangram piece, exactly and in doubles. See
// docs/spec/tangram.md#r1.
type canonicalPiece struct {
	area, perimeter           field.Number
	floatArea, floatPerimeter float64
	corners                   []plane.Point
	squared                   []field.Number // squared distances of corners, see squaredDistances
	floatSquared              []float64      // the same in doubles
	distances                 []float64      // their square roots
}

// canonicalPieces are the canonical pieces by kind.
var canonicalPieces = func() map[construction.Kind]*canonicalPiece {
	n, r2 := field.Int, field.Surd(1, 1)
	at := func(x, y field.Number) plane.Point { return plane.Point{X: x, Y: y} }
	zero, one, two := n(0), n(1), n(2)
	return map[construction.Kind]*canonicalPiece{
		construction.Large:         newCanonicalPiece(at(zero, zero), at(two, zero), at(zero, two)),
		construction.Medium:        newCanonicalPiece(at(zero, zero), at(r2, zero), at(zero, r2)),
		construction.Small:         newCanonicalPiece(at(zero, zero), at(one, zero), at(zero, one)),
		construction.Square:        newCanonicalPiece(at(zero, zero), at(one, zero), at(one, one), at(zero, one)),
		construction.Parallelogram: newCanonicalPiece(at(zero, zero), at(one, zero), at(two, one), at(one, one)),
	}
}()

// newCanonicalPiece computes the measures of one of the seven tangram pieces from its corners, with
// which pieces of answers are compared: area, perimeter, and the distances of each corner to each other one.
// They are exact, and in doubles for a first look.
func newCanonicalPiece(corners ...plane.Point) *canonicalPiece {
	piece := &canonicalPiece{corners: corners, area: area(corners)}
	piece.perimeter, _ = perimeter(corners) // the edges of all seven pieces have lengths in Q(sqrt 2)
	piece.floatArea, piece.floatPerimeter = piece.area.Float(), piece.perimeter.Float()
	piece.squared = squaredDistances(corners)
	for _, squared := range piece.squared {
		piece.floatSquared = append(piece.floatSquared, squared.Float())
		piece.distances = append(piece.distances, math.Sqrt(squared.Float()))
	}
	return piece
}

// area returns the exact area of a tangram piece, whose vertices may run in either direction.
func area(vertices []plane.Point) field.Number {
	a := field.Area(vertices)
	if a.Sign() < 0 {
		return a.Neg()
	}
	return a
}

// perimeter returns the exact perimeter of a tangram piece. ok is false if the length of an edge is
// not in Q(sqrt 2). See docs/spec/tangram.md#r30.
func perimeter(vertices []plane.Point) (sum field.Number, ok bool) {
	sum = field.Int(0)
	for i, a := range vertices {
		l, ok := squaredDistance(a, vertices[(i+1)%len(vertices)]).Sqrt()
		if !ok {
			return sum, false
		}
		sum = sum.Add(l)
	}
	return sum, true
}

// floatPerimeter returns the sum of a piece's edge lengths in doubles.
func floatPerimeter(edges []segment) (sum float64) {
	for i := range edges {
		sum += edges[i].length()
	}
	return sum
}

// squaredDistance returns the exact squared distance of two points.
func squaredDistance(a, b plane.Point) field.Number {
	return field.SquaredDistance(a.X, a.Y, b.X, b.Y)
}

// squaredDistances returns the exact squared distances of all pairs of a tangram piece's n
// vertices: that of i and j is at i*n+j.
func squaredDistances(vertices []plane.Point) []field.Number {
	n := len(vertices)
	out := make([]field.Number, n*n)
	for i := range n {
		for j := range i {
			d := squaredDistance(vertices[i], vertices[j])
			out[i*n+j], out[j*n+i] = d, d
		}
		out[i*n+i] = field.Int(0)
	}
	return out
}

// productError returns a bound on the rounding error of a product of two differences of tangram
// coordinates in doubles, and of a sum of two such products. Coordinates are at most reach, with a
// relative error of 2^-50, and products at most (2*reach)^2. The factor 2^-44 leaves room for that and
// for the errors of both differences.
func productError(edges []segment) float64 {
	reach := 1.0
	for i := range edges {
		reach = max(reach, math.Abs(edges[i].x0), math.Abs(edges[i].y0))
	}
	return 0x1p-44 * reach * reach
}

// isCongruent reports whether a piece of an answer is the canonical tangram piece, moved, rotated or
// mirrored. edges are the edges between its vertices in doubles. Vertices between collinear edges do
// not count. All distances between corners must agree for some first corner and direction: within a
// tolerance for decimal answers, else exactly. See docs/spec/tangram.md#r32.
func isCongruent(vertices []plane.Point, edges []segment, canonical *canonicalPiece, decimal bool) bool {
	corners := withoutCollinear(vertices, edges)
	n := len(corners)
	if n != len(canonical.corners) {
		return false
	}
	if n < len(vertices) {
		vertices, edges = corners, appendSegments(nil, corners)
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
	want, tolerance := canonical.floatSquared, productError(edges)
	if decimal {
		want, tolerance = canonical.distances, distanceTolerance
	}
	for shift := range n {
		for _, step := range [2]int{1, n - 1} { // forwards and backwards, modulo n
			// candidate returns the corner of the piece that is compared with canonical corner i.
			candidate := func(i int) int { return (shift + i*step) % n }
			// Doubles rule out most candidates before the slower exact numbers are compared.
			matches := true
			for i := 0; i < n && matches; i++ {
				for j := 0; j < i && matches; j++ {
					matches = math.Abs(distances[candidate(i)*n+candidate(j)]-want[i*n+j]) <= tolerance
				}
			}
			for i := 0; i < n && matches && !decimal; i++ {
				for j := 0; j < i && matches; j++ {
					matches = squaredDistance(vertices[candidate(i)], vertices[candidate(j)]).Equal(canonical.squared[i*n+j])
				}
			}
			if matches {
				return true
			}
		}
	}
	return false
}

// maxCorners is the largest number of corners of a canonical piece.
const maxCorners = 4

// withoutCollinear returns the vertices of a tangram piece except those between two edges on one line,
// which are no corners. If there are none of these it returns vertices itself. Doubles decide unless
// the cross product is within their rounding error; then exact arithmetic does.
func withoutCollinear(vertices []plane.Point, edges []segment) []plane.Point {
	n := len(vertices)
	if n <= 3 {
		return vertices
	}
	tolerance := productError(edges)
	isNoCorner := func(i int) bool {
		before, after := &edges[(i+n-1)%n], &edges[i]
		cross := float64((before.x1-before.x0)*(after.y1-after.y0)) - float64((before.y1-before.y0)*(after.x1-after.x0))
		if math.Abs(cross) > tolerance {
			return false
		}
		a, b, c := vertices[(i+n-1)%n], vertices[i], vertices[(i+1)%n]
		ux, uy, vx, vy := b.X.Sub(a.X), b.Y.Sub(a.Y), c.X.Sub(b.X), c.Y.Sub(b.Y)
		return ux.Mul(vy).Sub(uy.Mul(vx)).Zero()
	}
	var out []plane.Point // nil until a vertex is left out
	for i := range vertices {
		switch leaveOut := isNoCorner(i); {
		case leaveOut && out == nil:
			out = append(make([]plane.Point, 0, n), vertices[:i]...)
		case !leaveOut && out != nil:
			out = append(out, vertices[i])
		}
	}
	if out == nil {
		return vertices
	}
	return out
}

// isDistorted reports whether a piece of an answer is not a rigid tangram piece of its type: it
// crosses itself, or has another area or perimeter. For decimal answers there is a tolerance. See
// docs/spec/tangram.md#r30.
func isDistorted(vertices []plane.Point, piece *PieceScore, canonical *canonicalPiece, decimal bool) bool {
	if !piece.Simple {
		return true
	}
	if decimal {
		// The paper has one tolerance for areas and perimeters.
		return math.Abs(piece.Area-canonical.floatArea) > areaTolerance ||
			math.Abs(piece.Perimeter-canonical.floatPerimeter) > areaTolerance
	}
	if !area(vertices).Equal(canonical.area) {
		return true
	}
	exactPerimeter, ok := perimeter(vertices)
	// An edge with a length outside Q(sqrt 2) is on no canonical piece.
	return !ok || !exactPerimeter.Equal(canonical.perimeter)
}
