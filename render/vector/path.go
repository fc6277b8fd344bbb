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
func (p *Path) Reset() {
	p.Verbs, p.Points, p.Weights = p.Verbs[:0], p.Points[:0], p.Weights[:0]
}

// Empty reports whether nothing was added.
func (p *Path) Empty() bool { return len(p.Verbs) == 0 }

// MoveTo begins a subpath at a.
func (p *Path) MoveTo(a Point) {
	p.Verbs = append(p.Verbs, Move)
	p.Points = append(p.Points, a)
}

// LineTo adds a straight segment to a.
func (p *Path) LineTo(a Point) {
	p.Verbs = append(p.Verbs, Line)
	p.Points = append(p.Points, a)
}

// QuadTo adds a quadratic with control c to a.
func (p *Path) QuadTo(c, a Point) {
	p.Verbs = append(p.Verbs, Quad)
	p.Points = append(p.Points, c, a)
}

// CubicTo adds a cubic with controls c and d to a.
func (p *Path) CubicTo(c, d, a Point) {
	p.Verbs = append(p.Verbs, Cubic)
	p.Points = append(p.Points, c, d, a)
}

// ConicTo adds a conic with control c and weight w to a.
func (p *Path) ConicTo(c, a Point, w float32) {
	p.Verbs = append(p.Verbs, Conic)
	p.Points = append(p.Points, c, a)
	p.Weights = append(p.Weights, w)
}

// Close joins the subpath to its start.
func (p *Path) Close() { p.Verbs = append(p.Verbs, Close) }

// Append adds all of q.
func (p *Path) Append(q *Path) {
	p.Verbs = append(p.Verbs, q.Verbs...)
	p.Points = append(p.Points, q.Points...)
	p.Weights = append(p.Weights, q.Weights...)
}

// Matrix maps (x, y) to (A x + C y + E, B x + D y + F), in binary32 as the
// browser does. The order of fields is that of SVG's matrix(a b c d e f).
type Matrix struct{ A, B, C, D, E, F float32 }

// Identity changes nothing.
var Identity = Matrix{A: 1, D: 1}

// Apply maps one point. Products are rounded before they are added, so that the compiler cannot
// fuse them and results do not depend on the processor. See docs/spec/raster.md#r38.
func (m Matrix) Apply(p Point) Point {
	return Point{
		X: float32(m.A*p.X) + float32(m.C*p.Y) + m.E,
		Y: float32(m.B*p.X) + float32(m.D*p.Y) + m.F,
	}
}

// Mul returns the map of path points that applies n first and then m.
func (m Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		A: float32(m.A*n.A) + float32(m.C*n.B),
		B: float32(m.B*n.A) + float32(m.D*n.B),
		C: float32(m.A*n.C) + float32(m.C*n.D),
		D: float32(m.B*n.C) + float32(m.D*n.D),
		E: float32(m.A*n.E) + float32(m.C*n.F) + m.E,
		F: float32(m.B*n.E) + float32(m.D*n.F) + m.F,
	}
}

// Transform maps every point of the path in place.
func (p *Path) Transform(m Matrix) {
	for i, q := range p.Points {
		p.Points[i] = m.Apply(q)
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
