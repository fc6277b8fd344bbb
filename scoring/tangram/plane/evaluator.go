package plane

import (
	"math"
	"slices"

	"plumb/scoring/tangram/field"
)

// Target is a target outline, prepared once and compared with many answers. It is read-only.
type Target struct {
	Area          float64
	points        []Point // counter-clockwise
	x, y          []float64
	thickBoundary []segmentDist // boundary of the outline thickened by 1/600, docs/spec/tangram.md#r42
	boundary      []segmentDist
	maxCoord      float64 // largest coordinate
	bits          int
}

// Pair is a pair of pieces whose interiors overlap.
type Pair struct {
	I, J int
	Area float64
}

// Result describes an assembly. Its lists are by piece, in input order. It is valid until its
// Evaluator is used again.
type Result struct {
	Simple   []bool    // the piece is a simple polygon
	HasArea  []bool    // its even-odd region has area; pieces without area are ignored
	Area     []float64 // of the vertex list: the magnitude of the shoelace sum
	Overlaps []Pair    // with area above 0 and I < J, sorted
	Union    float64   // area of the union
	Shared   float64   // area of the union within the target
	Equal    bool      // the union is exactly the target
	Rounded  bool      // coordinates were rounded, because they are too long to compute with

	evaluator *Evaluator
}

// segment is a line segment in doubles.
type segment struct{ x0, y0, x1, y1 float64 }

// Evaluator measures assemblies one after another and reuses its buffers. It serves one goroutine
// at a time. The zero value is ready.
type Evaluator struct {
	int64    int64Kernel
	grid     gridKernel
	exact    exactKernel
	vertices vertexSet
	arr      arrangement
	result   Result
	maxCoord float64

	thickener thickener
	hausdorff hausdorffer
}

// Vertices returns the vertices of the target. The caller must not change them.
func (t *Target) Vertices() []Point { return t.points }

// NewTarget prepares a target outline, given in either direction. ok is false if the outline is
// not a simple polygon.
func NewTarget(outline []Point) (t *Target, ok bool) {
	t = &Target{points: slices.Clone(outline)}
	if len(outline) < 3 {
		return nil, false
	}
	var e Evaluator
	e.exact.appendPoints(&e.vertices, outline)
	e.vertices.kernel = &e.exact
	e.vertices.prepare()
	all := ring{0, int32(len(outline))}
	if !e.vertices.simple(all) {
		return nil, false
	}
	e.arr.reset(&e.vertices)
	if e.arr.interiorSide(all) == onRight {
		slices.Reverse(t.points)
		e.exact.x, e.exact.y = e.exact.x[:0], e.exact.y[:0]
		e.vertices.x, e.vertices.y = e.vertices.x[:0], e.vertices.y[:0]
		e.exact.appendPoints(&e.vertices, t.points)
	}
	t.x, t.y = e.vertices.x, e.vertices.y
	for i := range t.x {
		t.maxCoord = max(t.maxCoord, math.Abs(t.x[i]), math.Abs(t.y[i]))
		t.bits = max(t.bits, t.points[i].X.Bits(), t.points[i].Y.Bits())
	}
	t.Area = math.Abs(e.vertices.signedArea(all))
	e.arr.add(all, onLeft)
	e.arr.findBoundary()
	t.boundary = prepareSegments(nil, e.arr.boundary)
	t.thickBoundary = prepareSegments(nil, e.thickener.thicken(&e.arr, []bool{true}, []bool{true}, t.maxCoord))
	return t, true
}

// maxWork bounds exact arithmetic of arbitrary size: bits of the longest coordinate times the
// number of vertices. Above it, coordinates are rounded (docs/spec/tangram.md#r45).
const maxWork = 48 << 10

// Evaluate measures the polygons of an assembly against a target, or nil for none. Each polygon
// has at least 3 vertices, no two neighbours equal, coordinates up to 10^6. decimal says that the
// answer has inexact coordinates: then the result need not decide whether union and target are
// exactly equal.
func (e *Evaluator) Evaluate(pieces [][]Point, t *Target, decimal bool) *Result {
	r := &e.result
	r.evaluator, r.Rounded = e, false
	e.vertices.x, e.vertices.y = e.vertices.x[:0], e.vertices.y[:0]
	e.arr.reset(&e.vertices)
	switch {
	case e.tryInt64(pieces, t):
	case decimal && e.tryGrid(pieces, t):
	case e.tryExact(pieces, t):
	default:
		r.Rounded = true
		e.loadRounded(pieces, t)
	}
	e.vertices.prepare()
	e.measure(len(pieces), t)
	return r
}

// addRings adds one ring for each piece. The points of the pieces follow those of the target.
func (e *Evaluator) addRings(pieces [][]Point, t *Target) {
	at := int32(0)
	if t != nil {
		at = int32(len(t.points))
	}
	for _, list := range pieces {
		e.arr.rings = append(e.arr.rings, ring{at, at + int32(len(list))})
		at += int32(len(list))
	}
}

// tryInt64 loads the assembly into the int64 kernel. It reports false if numerators or
// denominators are too large; nearly all exact answers fit.
func (e *Evaluator) tryInt64(pieces [][]Point, t *Target) bool {
	d, ok := int64(1), true
	if t != nil {
		d, ok = commonDenominator(t.points, d, int64Limit)
	}
	for _, list := range pieces {
		if ok {
			d, ok = commonDenominator(list, d, int64Limit)
		}
	}
	k, b := &e.int64, &e.vertices
	k.x, k.y, b.x, b.y = k.x[:0], k.y[:0], b.x[:0], b.y[:0]
	if !ok || t != nil && !k.load(t.points, d) {
		return false
	}
	if t != nil {
		b.x, b.y = append(b.x, t.x...), append(b.y, t.y...)
	}
	for _, list := range pieces {
		if !k.load(list, d) {
			return false
		}
	}
	for i := len(b.x); i < len(k.x); i++ {
		b.x, b.y = append(b.x, k.x[i].float()/float64(d)), append(b.y, k.y[i].float()/float64(d))
	}
	b.kernel = k
	e.addRings(pieces, t)
	return true
}

// tryGrid loads an assembly of rational coordinates with many digits into the grid kernel, and
// reports false if they do not fit. The target's points are rounded to the same grid, which moves
// areas by less than 1e-11.
func (e *Evaluator) tryGrid(pieces [][]Point, t *Target) bool {
	d, ok := int64(1), true
	for _, list := range pieces {
		d, ok = commonDenominator(list, d, gridLimit)
		if !ok || slices.ContainsFunc(list, isIrrational) {
			return false
		}
	}
	reach := maxCoordinate(pieces, t)
	if float64(d)*reach >= gridLimit {
		return false
	}
	for d < finestGrid && float64(d)*1024*reach < gridLimit { // a fine grid for the target
		d *= 1024
	}
	if t != nil && float64(d) < 1e12 {
		return false
	}
	e.loadGrid(pieces, t, float64(d), func(n *field.Number) int64 {
		a, _, own, _ := n.Int64s()
		return a * (d / own)
	})
	return true
}

// isIrrational reports whether a coordinate of p, which fits into int64s, has a part in sqrt 2.
func isIrrational(p Point) bool {
	_, x, _, _ := p.X.Int64s()
	_, y, _, _ := p.Y.Int64s()
	return x != 0 || y != 0
}

// maxCoordinate returns the largest magnitude of a coordinate, at least 1.
func maxCoordinate(pieces [][]Point, t *Target) float64 {
	most := 1.0
	for _, list := range pieces {
		for _, p := range list {
			most = max(most, math.Abs(p.X.Float()), math.Abs(p.Y.Float()))
		}
	}
	if t != nil {
		most = max(most, t.maxCoord)
	}
	return most
}

// finestGrid is the number of steps per unit from which on a grid is made no finer. It is far above
// the 10^12 of docs/spec/tangram.md#r45.
const finestGrid = 1 << 50

// loadRounded rounds all coordinates to a grid, for an assembly whose coordinates have too many
// digits for exact arithmetic. The grid is the finest with a power of two of steps per unit, up to
// finestGrid, on which all coordinates stay below gridLimit. Scaling by a power of two does not
// round a float64, so each coordinate is rounded once.
func (e *Evaluator) loadRounded(pieces [][]Point, t *Target) {
	reach := maxCoordinate(pieces, t)
	scale := 1.0
	for scale*2*reach < gridLimit && scale < 1<<50 {
		scale *= 2
	}
	e.loadGrid(pieces, t, scale, func(n *field.Number) int64 { return round(n.Float(), scale) })
}

// loadGrid loads the target, rounded, and the pieces into the grid kernel. toGrid converts a
// coordinate of a piece to units of 1/scale.
func (e *Evaluator) loadGrid(pieces [][]Point, t *Target, scale float64, toGrid func(n *field.Number) int64) {
	k, b := &e.grid, &e.vertices
	k.x, k.y = k.x[:0], k.y[:0]
	if t != nil {
		for i := range t.x {
			k.x, k.y = append(k.x, round(t.x[i], scale)), append(k.y, round(t.y[i], scale))
		}
	}
	for _, list := range pieces {
		for i := range list {
			k.x, k.y = append(k.x, toGrid(&list[i].X)), append(k.y, toGrid(&list[i].Y))
		}
	}
	b.x, b.y = b.x[:0], b.y[:0]
	for i := range k.x {
		b.x, b.y = append(b.x, float64(k.x[i])/scale), append(b.y, float64(k.y[i])/scale)
	}
	b.kernel = k
	e.addRings(pieces, t)
}

// tryExact loads the assembly into the kernel for numbers of any size, the slowest one. It reports
// false if the assembly exceeds maxWork.
func (e *Evaluator) tryExact(pieces [][]Point, t *Target) bool {
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
	b := &e.vertices
	b.x, b.y = b.x[:0], b.y[:0]
	e.exact.x, e.exact.y = e.exact.x[:0], e.exact.y[:0]
	if t != nil {
		e.exact.appendPoints(b, t.points)
	}
	for _, list := range pieces {
		e.exact.appendPoints(b, list)
	}
	b.kernel = &e.exact
	e.addRings(pieces, t)
	return true
}

// appendPoints adds points to the kernel and, as doubles, to vs.
func (k *exactKernel) appendPoints(b *vertexSet, list []Point) {
	for i := range list {
		x, y := list[i].X, list[i].Y
		k.x, k.y = append(k.x, x), append(k.y, y)
		b.x, b.y = append(b.x, x.Float()), append(b.y, y.Float())
	}
}

// measure computes areas, overlaps and boundaries of the n pieces that are loaded, and compares
// them with the target.
func (e *Evaluator) measure(n int, t *Target) {
	r, k, w := &e.result, &e.vertices, &e.arr
	r.Simple, r.HasArea, r.Area = r.Simple[:0], r.HasArea[:0], r.Area[:0]
	rings := w.rings
	w.rings = rings[:0] // add appends them again
	e.maxCoord = 0
	for _, q := range rings {
		simple := k.simple(q)
		interior := sides(0)
		if simple {
			interior = w.interiorSide(q)
		}
		r.Simple = append(r.Simple, simple)
		r.Area = append(r.Area, math.Abs(k.signedArea(q)))
		r.HasArea = append(r.HasArea, w.add(q, interior))
		for i := q.from; i < q.to; i++ {
			e.maxCoord = max(e.maxCoord, math.Abs(k.x[i]), math.Abs(k.y[i]))
		}
	}
	w.clipEdges()
	w.measurePairs()
	r.Overlaps = r.Overlaps[:0]
	for i := range n {
		for j := i + 1; j < n; j++ {
			if w.overlaps[i*n+j] { // an area that rounds to 0 still counts as an overlap
				r.Overlaps = append(r.Overlaps, Pair{i, j, max(w.overlapArea[i*n+j], 5e-324)})
			}
		}
	}
	w.findBoundary()
	r.Union, r.Shared, r.Equal = w.unionArea(), 0, false
	if t != nil {
		r.Shared, r.Equal = w.compareTarget(ring{0, int32(len(t.points))})
		r.Equal = r.Equal && k.kernel != &e.grid
	}
}

// SharesEdge reports whether the boundaries of two pieces share a segment of positive length.
func (r *Result) SharesEdge(i, j int) bool {
	return r.evaluator.arr.sharesEdge[min(i, j)*len(r.Simple)+max(i, j)]
}

// Touches reports whether the closed boundaries of two pieces have a point in common.
func (r *Result) Touches(i, j int) bool {
	return r.SharesEdge(i, j) || r.evaluator.arr.boundariesMeet(int32(i), int32(j))
}

// signedArea returns the area of a ring by the shoelace formula, positive if it runs
// counter-clockwise.
func (k *vertexSet) signedArea(r ring) (sum float64) {
	for i := r.from + 1; i+1 < r.to; i++ {
		sum += k.crossFloat(r.from, i, r.from, i+1)
	}
	return sum / 2
}
