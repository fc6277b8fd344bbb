// Package vector holds vector paths the way the reference browser holds them: verbs with binary32
// points (docs/spec/raster.md#r1). In: drawing commands. Out: a Path for stroking and
// scan conversion. It refuses nothing.
package vector

// Verb is the command of a path that its next points belong to.
type Verb uint8

const (
	Move  Verb = iota // 1 point
	Line              // 1 point
	Quad              // 2 points: control, end
	Cubic             // 3 points: control, control, end
	Conic             // 2 points: control, end; one weight
	Close             // 0 points
)

var pointsOf = [...]int{Move: 1, Line: 1, Quad: 2, Cubic: 3, Conic: 2, Close: 0}

// Points returns how many points the verb takes.
func (v Verb) Points() int { return pointsOf[v] }

// Point is in px or in a shape's own units, x to the right, y down.
type Point struct{ X, Y float32 }

// Path is a list of subpaths, each starting with Move. The zero value is empty
// and ready for use; Reset keeps the memory.
type Path struct {
	Verbs   []Verb
	Points  []Point
	Weights []float32 // one per Conic verb, in order
}

// Reset empties the path and keeps its memory.
func (path *Path) Reset() {
	path.Verbs, path.Points, path.Weights = path.Verbs[:0], path.Points[:0], path.Weights[:0]
}

// Empty reports whether nothing was added.
func (path *Path) Empty() bool { return len(path.Verbs) == 0 }

// MoveTo begins a subpath at a.
func (path *Path) MoveTo(a Point) {
	path.Verbs = append(path.Verbs, Move)
	path.Points = append(path.Points, a)
}

// LineTo adds a straight segment to a.
func (path *Path) LineTo(a Point) {
	path.Verbs = append(path.Verbs, Line)
	path.Points = append(path.Points, a)
}

// QuadTo adds a quadratic with control c to a.
func (path *Path) QuadTo(c, a Point) {
	path.Verbs = append(path.Verbs, Quad)
	path.Points = append(path.Points, c, a)
}

// CubicTo adds a cubic with controls c and d to a.
func (path *Path) CubicTo(c, d, a Point) {
	path.Verbs = append(path.Verbs, Cubic)
	path.Points = append(path.Points, c, d, a)
}

// ConicTo adds a conic with control c and weight w to a.
func (path *Path) ConicTo(c, a Point, w float32) {
	path.Verbs = append(path.Verbs, Conic)
	path.Points = append(path.Points, c, a)
	path.Weights = append(path.Weights, w)
}

// Close joins the subpath to its start.
func (path *Path) Close() { path.Verbs = append(path.Verbs, Close) }

// Append adds all of q.
func (path *Path) Append(q *Path) {
	path.Verbs = append(path.Verbs, q.Verbs...)
	path.Points = append(path.Points, q.Points...)
	path.Weights = append(path.Weights, q.Weights...)
}

// Matrix maps (x, y) to (A x + C y + E, B x + D y + F), in binary32 as the
// browser does. The order of fields is that of SVG's matrix(a b c d e f).
type Matrix struct{ A, B, C, D, E, F float32 }

// Identity changes nothing.
var Identity = Matrix{A: 1, D: 1}

// Apply maps one point. Products are rounded before they are added, so that the compiler cannot
// fuse them and results do not depend on the processor. See docs/spec/raster.md#r38.
func (matrix Matrix) Apply(p Point) Point {
	return Point{
		X: float32(matrix.A*p.X) + float32(matrix.C*p.Y) + matrix.E,
		Y: float32(matrix.B*p.X) + float32(matrix.D*p.Y) + matrix.F,
	}
}

// Mul returns the map of path points that applies n first and then matrix.
func (matrix Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		A: float32(matrix.A*n.A) + float32(matrix.C*n.B),
		B: float32(matrix.B*n.A) + float32(matrix.D*n.B),
		C: float32(matrix.A*n.C) + float32(matrix.C*n.D),
		D: float32(matrix.B*n.C) + float32(matrix.D*n.D),
		E: float32(matrix.A*n.E) + float32(matrix.C*n.F) + matrix.E,
		F: float32(matrix.B*n.E) + float32(matrix.D*n.F) + matrix.F,
	}
}

// Transform maps every point of the path in place.
func (path *Path) Transform(m Matrix) {
	for i, q := range path.Points {
		path.Points[i] = m.Apply(q)
	}
}

// Rect appends a rectangle to a path unless it is empty.
func Rect(to *Path, x0, y0, x1, y1 float64) {
	if x0 >= x1 || y0 >= y1 {
		return
	}
	at := func(x, y float64) Point { return Point{X: float32(x), Y: float32(y)} }
	to.MoveTo(at(x0, y0))
	to.LineTo(at(x1, y0))
	to.LineTo(at(x1, y1))
	to.LineTo(at(x0, y1))
	to.Close()
}

// RoundRect appends a rectangle with round corners as the browser does, as lines and conics.
// See docs/spec/raster.md#r2.
func RoundRect(to *Path, x, y, w, h, r float32) {
	const weight = 0.70710678 // cos 45 degrees
	at := func(dx, dy float32) Point { return Point{X: x + dx, Y: y + dy} }
	to.MoveTo(at(r, 0))
	to.LineTo(at(w-r, 0))
	to.ConicTo(at(w, 0), at(w, r), weight)
	to.LineTo(at(w, h-r))
	to.ConicTo(at(w, h), at(w-r, h), weight)
	to.LineTo(at(r, h))
	to.ConicTo(at(0, h), at(0, h-r), weight)
	to.LineTo(at(0, r))
	to.ConicTo(at(0, 0), at(r, 0), weight)
	to.Close()
}
