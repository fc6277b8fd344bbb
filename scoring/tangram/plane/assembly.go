package plane

import (
	"math"

	"plumb/scoring/tangram/field"
)

// Target is a target outline, prepared for many answers. It is read-only.
type Target struct {
	Area   float64
	points []Point // counter-clockwise
	x, y   []float64
	words  *wordPoints // nil where they do not fit
	thick  []side      // boundary of the outline thickened by 1/600, docs/spec/tangram.md#r42
	sides  []side
	reach  float64 // largest coordinate
	bits   int
}

// wordPoints are points over one denominator.
type wordPoints struct {
	x, y []surd
	d    int64
}

// Pair is a pair of pieces whose interiors meet.
type Pair struct {
	I, J int
	Area float64
}

// Result is what is known of an assembly. Lists are by piece, in input order. It
// is valid until its Evaluator is used again.
type Result struct {
	Simple   []bool    // a simple polygon
	Takes    []bool    // takes part: its even-odd region has area
	Area     []float64 // of the vertex list: the shoelace sum's magnitude
	Overlaps []Pair    // with area above 0, I < J, in order
	Union    float64   // area
	Shared   float64   // area of the union within the target
	Equal    bool      // the union is exactly the target
	Rounded  bool      // coordinates were rounded: they are too long to compute with

	e *Evaluator
}

// segment is an edge as doubles.
type segment struct{ x0, y0, x1, y1 float64 }

// Evaluator measures assemblies, one after another, in memory that it keeps. One
// goroutine uses it at a time. The zero value is ready.
type Evaluator struct {
	words wordKernel
	grid  gridKernel
	exact exactKernel
	board board
	work  work
	r     Result
	reach float64

	thick thickener
	dist  distances
}

// Outline returns the vertices of the target. They are the target's own: do not
// change them.
func (t *Target) Outline() []Point { return t.points }

// NewTarget prepares a simple outline, in either direction. ok is false for one
// that is not simple.
func NewTarget(outline []Point) (t *Target, ok bool) {
	t = &Target{points: append([]Point(nil), outline...)}
	if len(outline) < 3 {
		return nil, false
	}
	var e Evaluator
	e.exact.put(&e.board, outline)
	e.board.kernel = &e.exact
	e.board.settle()
	all := ring{0, int32(len(outline))}
	if !e.board.simple(all) {
		return nil, false
	}
	e.work.reset(&e.board)
	if e.work.turned(all) == onRight {
		for i, j := 0, len(outline)-1; i < j; i, j = i+1, j-1 {
			t.points[i], t.points[j] = t.points[j], t.points[i]
		}
		e.exact.x, e.exact.y = e.exact.x[:0], e.exact.y[:0]
		e.board.x, e.board.y = e.board.x[:0], e.board.y[:0]
		e.exact.put(&e.board, t.points)
	}
	t.x, t.y = e.board.x, e.board.y
	for i := range t.x {
		t.reach = max(t.reach, math.Abs(t.x[i]), math.Abs(t.y[i]))
		t.bits = max(t.bits, t.points[i].X.Bits(), t.points[i].Y.Bits())
	}
	t.Area = math.Abs(e.board.shoelace(all))
	e.work.add(all, onLeft)
	e.work.exposed()
	t.sides = prepared(nil, e.work.boundary)
	t.words = wordsOf(t.points)
	t.thick = prepared(nil, e.thick.thicken(&e.work, []bool{true}, []bool{true}, t.reach))
	return t, true
}

// wordsOf puts points over one denominator, nil where they do not fit.
func wordsOf(points []Point) *wordPoints {
	d, ok := denominator(points, 1)
	if !ok {
		return nil
	}
	w := &wordPoints{d: d}
	for _, p := range points {
		x, ok1 := scaled(p.X, d)
		y, ok2 := scaled(p.Y, d)
		if !ok1 || !ok2 {
			return nil
		}
		w.x, w.y = append(w.x, x), append(w.y, y)
	}
	return w
}

// denominator is the least common one of d and those of the points.
func denominator(points []Point, d int64) (int64, bool) {
	for i := range points {
		for _, n := range [2]*field.Number{&points[i].X, &points[i].Y} {
			_, _, own, ok := n.Words()
			if !ok {
				return 0, false
			}
			if own != d && own != 1 && d%own != 0 {
				if own = own / gcd(d, own); own > wordLimit || d*own > wordLimit {
					return 0, false
				}
				d *= own
			}
		}
	}
	return d, true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// scaled is n*d, where d is a multiple of n's denominator.
func scaled(n field.Number, d int64) (surd, bool) {
	a, b, own, _ := n.Words()
	if own == d {
		return surd{a, b}, surd{a, b}.within(wordLimit)
	}
	f := d / own
	x := surd{a, b}
	return surd{a * f, b * f}, x.within(wordLimit / f)
}

func (x surd) within(limit int64) bool {
	return x.a <= limit && x.a >= -limit && x.b <= limit && x.b >= -limit
}

// maxWork bounds what is computed exactly with numbers of any size: bits of the
// longest coordinate times vertices. Past it coordinates are rounded. See
// docs/spec/tangram.md#r45.
const maxWork = 48 << 10

// Evaluate measures pieces, given by their vertices (at least 3 each, neighbours
// different, up to 10^6 from the origin), against a target, nil for none. decimal
// tells that nothing has to be exactly equal to the target.
func (e *Evaluator) Evaluate(pieces [][]Point, t *Target, decimal bool) *Result {
	r := &e.r
	r.e, r.Rounded = e, false
	e.board.x, e.board.y = e.board.x[:0], e.board.y[:0]
	e.work.reset(&e.board)
	switch {
	case e.useWords(pieces, t):
	case decimal && e.useGrid(pieces, t):
	case e.useExact(pieces, t):
	default:
		r.Rounded = true
		e.useRounded(pieces, t)
	}
	e.board.settle()
	e.run(len(pieces), t)
	return r
}

// rings gives the pieces the points behind the target's.
func (e *Evaluator) rings(pieces [][]Point, t *Target) {
	at := int32(0)
	if t != nil {
		at = int32(len(t.points))
	}
	for _, list := range pieces {
		e.work.rings = append(e.work.rings, ring{at, at + int32(len(list))})
		at += int32(len(list))
	}
}

// useWords takes the kernel for coordinates with small numerators and
// denominators: nearly all exact answers.
func (e *Evaluator) useWords(pieces [][]Point, t *Target) bool {
	d, ok := int64(1), true
	if t != nil {
		if t.words == nil {
			return false
		}
		d = t.words.d
	}
	for _, list := range pieces {
		if d, ok = denominator(list, d); !ok {
			return false
		}
	}
	k, b := &e.words, &e.board
	k.x, k.y, b.x, b.y = k.x[:0], k.y[:0], b.x[:0], b.y[:0]
	scale := float64(d)
	if t != nil {
		f := d / t.words.d
		for i := range t.words.x {
			x, y := t.words.x[i], t.words.y[i]
			if !x.within(wordLimit/f) || !y.within(wordLimit/f) {
				return false
			}
			k.x, k.y = append(k.x, surd{x.a * f, x.b * f}), append(k.y, surd{y.a * f, y.b * f})
		}
		b.x, b.y = append(b.x, t.x...), append(b.y, t.y...)
	}
	for _, list := range pieces {
		for i := range list {
			x, ok1 := scaled(list[i].X, d)
			y, ok2 := scaled(list[i].Y, d)
			if !ok1 || !ok2 {
				return false
			}
			k.x, k.y = append(k.x, x), append(k.y, y)
			b.x, b.y = append(b.x, x.float()/scale), append(b.y, y.float()/scale)
		}
	}
	b.kernel = k
	e.rings(pieces, t)
	return true
}

// useGrid takes the kernel for rational pieces with many digits. The target's
// points are rounded to the same grid, which moves areas by less than 1e-11.
func (e *Evaluator) useGrid(pieces [][]Point, t *Target) bool {
	d, reach := int64(1), 1.0
	for _, list := range pieces {
		for i := range list {
			for _, n := range [2]*field.Number{&list[i].X, &list[i].Y} {
				_, b, own, ok := n.Words()
				if !ok || b != 0 {
					return false
				}
				if own != d && own != 1 && d%own != 0 {
					g := own / gcd(d, own)
					if d > gridLimit/g {
						return false
					}
					d *= g
				}
				reach = max(reach, math.Abs(n.Float()))
			}
		}
	}
	if t != nil {
		reach = max(reach, t.reach)
	}
	if float64(d)*reach >= gridLimit {
		return false
	}
	for d < 1<<50 && float64(d)*1024*reach < gridLimit { // a fine grid for the target
		d *= 1024
	}
	if t != nil && float64(d) < 1e12 {
		return false
	}
	e.fill(pieces, t, float64(d), func(n *field.Number) int64 {
		a, _, own, _ := n.Words()
		return a * (d / own)
	})
	return true
}

// useRounded takes a grid for what is too long to compute with.
func (e *Evaluator) useRounded(pieces [][]Point, t *Target) {
	reach := 1.0
	for _, list := range pieces {
		for _, p := range list {
			reach = max(reach, math.Abs(p.X.Float()), math.Abs(p.Y.Float()))
		}
	}
	if t != nil {
		reach = max(reach, t.reach)
	}
	scale := 1.0
	for scale*2*reach < gridLimit && scale < 1<<50 {
		scale *= 2
	}
	e.fill(pieces, t, scale, func(n *field.Number) int64 { return round(n.Float(), scale) })
}

// fill puts the target, rounded, and the pieces on the grid.
func (e *Evaluator) fill(pieces [][]Point, t *Target, scale float64, put func(n *field.Number) int64) {
	k, b := &e.grid, &e.board
	k.x, k.y = k.x[:0], k.y[:0]
	if t != nil {
		for i := range t.x {
			k.x, k.y = append(k.x, round(t.x[i], scale)), append(k.y, round(t.y[i], scale))
		}
	}
	for _, list := range pieces {
		for i := range list {
			k.x, k.y = append(k.x, put(&list[i].X)), append(k.y, put(&list[i].Y))
		}
	}
	b.x, b.y = b.x[:0], b.y[:0]
	for i := range k.x {
		b.x, b.y = append(b.x, float64(k.x[i])/scale), append(b.y, float64(k.y[i])/scale)
	}
	b.kernel = k
	e.rings(pieces, t)
}

// useExact takes the slow way, which serves everything that is not too long.
func (e *Evaluator) useExact(pieces [][]Point, t *Target) bool {
	most, n := 0, 0
	if t != nil {
		most, n = t.bits, len(t.points)
	}
	for _, list := range pieces {
		n += len(list)
		for i := range list {
			most = max(most, list[i].X.Bits(), list[i].Y.Bits())
		}
	}
	if most*n > maxWork {
		return false
	}
	b := &e.board
	b.x, b.y = b.x[:0], b.y[:0]
	e.exact.x, e.exact.y = e.exact.x[:0], e.exact.y[:0]
	if t != nil {
		e.exact.put(b, t.points)
	}
	for _, list := range pieces {
		e.exact.put(b, list)
	}
	b.kernel = &e.exact
	e.rings(pieces, t)
	return true
}

func (k *exactKernel) put(b *board, list []Point) {
	for i := range list {
		x, y := list[i].X, list[i].Y
		k.x, k.y = append(k.x, x), append(k.y, y)
		b.x, b.y = append(b.x, x.Float()), append(b.y, y.Float())
	}
}

// run evaluates the rings of the pieces.
func (e *Evaluator) run(n int, t *Target) {
	r, k, w := &e.r, &e.board, &e.work
	r.Simple, r.Takes, r.Area = r.Simple[:0], r.Takes[:0], r.Area[:0]
	rings := w.rings
	w.rings = rings[:0] // add gives them back one by one
	e.reach = 0
	for _, q := range rings {
		simple := k.simple(q)
		turned := sides(0)
		if simple {
			turned = w.turned(q)
		}
		r.Simple = append(r.Simple, simple)
		r.Area = append(r.Area, math.Abs(k.shoelace(q)))
		r.Takes = append(r.Takes, w.add(q, turned))
		for i := q.from; i < q.to; i++ {
			e.reach = max(e.reach, math.Abs(k.x[i]), math.Abs(k.y[i]))
		}
	}
	w.clip()
	w.pairs()
	r.Overlaps = r.Overlaps[:0]
	for i := range n {
		for j := i + 1; j < n; j++ {
			if w.meets[i*n+j] { // rounding must not make nothing of an area
				r.Overlaps = append(r.Overlaps, Pair{i, j, max(w.overlap[i*n+j], 5e-324)})
			}
		}
	}
	w.exposed()
	r.Union, r.Shared, r.Equal = w.union(), 0, false
	if t != nil {
		r.Shared, r.Equal = w.target(ring{0, int32(len(t.points))})
		r.Equal = r.Equal && k.kernel != &e.grid
	}
}

// Edge reports whether the boundaries of two pieces share a segment of positive
// length.
func (r *Result) Edge(i, j int) bool {
	return r.e.work.share[min(i, j)*len(r.Simple)+max(i, j)]
}

// Touch reports whether the closed boundaries of two pieces meet.
func (r *Result) Touch(i, j int) bool {
	return r.Edge(i, j) || r.e.work.touch(int32(i), int32(j))
}

// shoelace is the signed area of a ring.
func (k *board) shoelace(r ring) (sum float64) {
	for i := r.from + 1; i+1 < r.to; i++ {
		sum += k.product(r.from, i, r.from, i+1)
	}
	return sum / 2
}
