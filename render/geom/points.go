// Package geom holds points, boxes and maps in binary64, and the numbers that the browser
// reads from an export. Lengths are in the units of a shape or of the page, y down. Binary64 is
// float64, maps are affine maps, and an export is the SVG file of a whiteboard that a browser draws.
// The package also has the boxes of curves, and the sine and cosine. The same input gives the same
// bits on every processor, so that pictures are equal everywhere.
package geom

import "math"

// Point is a point or a vector, y down.
type Point struct{ X, Y float64 }

// Add returns a + b.
func Add(a, b Point) Point { return Point{a.X + b.X, a.Y + b.Y} }

// Sub returns a - b.
func Sub(a, b Point) Point { return Point{a.X - b.X, a.Y - b.Y} }

// Scale returns k a.
func Scale(a Point, k float64) Point { return Point{a.X * k, a.Y * k} }

// Lerp returns the point at t from a (0) to b (1).
func Lerp(a, b Point, t float64) Point {
	return Point{LerpNumber(a.X, b.X, t), LerpNumber(a.Y, b.Y, t)}
}

// LerpNumber returns the number at t from a (0) to b (1).
func LerpNumber(a, b, t float64) float64 { return a + float64((b-a)*t) }

// Dot returns the dot product of a and b.
func Dot(a, b Point) float64 { return float64(a.X*b.X) + float64(a.Y*b.Y) }

// Cross returns the cross product of a and b, positive where b is clockwise of a, as y is down.
func Cross(a, b Point) float64 { return float64(a.X*b.Y) - float64(a.Y*b.X) }

// SquaredLength returns the square of the length of a.
func SquaredLength(a Point) float64 { return Dot(a, a) }

// Length returns the length of a.
func Length(a Point) float64 { return math.Sqrt(SquaredLength(a)) }

// Distance returns the distance of a and b.
func Distance(a, b Point) float64 { return Length(Sub(a, b)) }

// Perp returns a turned by 90 degrees counterclockwise on the screen.
func Perp(a Point) Point { return Point{a.Y, -a.X} }

// Clamp limits v to lo..hi.
func Clamp(v, lo, hi float64) float64 { return max(lo, min(v, hi)) }

// Near reports whether a and b differ by at most tol in each coordinate.
func Near(a, b Point, tol float64) bool { return math.Abs(a.X-b.X) <= tol && math.Abs(a.Y-b.Y) <= tol }

// Unit returns the vector a scaled to length 1, or 0 for 0.
func Unit(a Point) Point {
	l := Length(a)
	if l == 0 {
		return Point{}
	}
	return Point{a.X / l, a.Y / l}
}

// Pt returns the point (x, y).
func Pt(x, y float64) Point { return Point{x, y} }

// ToCircumcentre returns the vector from a to the centre of the circle through a, b and c. Its length is
// the circle's radius. If the points lie on one line, the result is not finite. The vector v is as far from
// b and c as from a. This gives two linear equations, 2 v·ab = |ab|² and 2 v·ac = |ac|², which are solved.
func ToCircumcentre(a, b, c Point) Point {
	ab, ac := Sub(b, a), Sub(c, a)
	twiceCross := 2 * Cross(ab, ac)
	bb, cc := SquaredLength(ab), SquaredLength(ac)
	return Point{(float64(ac.Y*bb) - float64(ab.Y*cc)) / twiceCross, (float64(ab.X*cc) - float64(ac.X*bb)) / twiceCross}
}

// Extent is a bounding box that grows to hold points. The zero value is not empty: use NewExtent.
type Extent struct{ Lo, Hi Point }

// NewExtent returns an empty extent.
func NewExtent() Extent {
	inf := math.Inf(1)
	return Extent{Point{inf, inf}, Point{-inf, -inf}}
}

// Add grows the extent to hold p.
func (e *Extent) Add(p Point) {
	e.Lo = Point{min(e.Lo.X, p.X), min(e.Lo.Y, p.Y)}
	e.Hi = Point{max(e.Hi.X, p.X), max(e.Hi.Y, p.Y)}
}

// Join grows the extent to hold o.
func (e *Extent) Join(o Extent) { e.Add(o.Lo); e.Add(o.Hi) }

// Empty reports whether no point was added.
func (e *Extent) Empty() bool { return !(e.Lo.X <= e.Hi.X && e.Lo.Y <= e.Hi.Y) }

// Finite reports whether both coordinates of p are finite.
func Finite(p Point) bool { return p.X-p.X == 0 && p.Y-p.Y == 0 }

// StrictlyContains reports whether o lies strictly inside of e.
func (e Extent) StrictlyContains(o Extent) bool {
	return e.Lo.X < o.Lo.X && e.Lo.Y < o.Lo.Y && e.Hi.X > o.Hi.X && e.Hi.Y > o.Hi.Y
}

// Contains reports whether p lies inside of e or on its border.
func (e Extent) Contains(p Point) bool {
	return e.Lo.X <= p.X && p.X <= e.Hi.X && e.Lo.Y <= p.Y && p.Y <= e.Hi.Y
}
