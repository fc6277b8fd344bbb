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
	maxBits       int     // bits of the longest coordinate
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
	int64       int64Kernel
	grid        gridKernel
	exact       exactKernel
	vertices    vertexSet
	arrangement arrangement
	result      Result
	maxCoord    float64

	thickener thickener
	hausdorff hausdorffer
}

// Vertices returns the vertices of the target. The caller must not change them.
func (target *Target) Vertices() []Point { return target.points }

// NewTarget prepares the outline of a tangram's target, given in either direction. ok is false if
// the outline is not a simple polygon. It keeps a copy of the outline, counter-clockwise, with the
// boundary as it is and thickened.
func NewTarget(outline []Point) (target *Target, ok bool) {
	target = &Target{points: slices.Clone(outline)}
	if len(outline) < 3 {
		return nil, false
	}
	var evaluator Evaluator
	evaluator.exact.appendPoints(&evaluator.vertices, outline)
	evaluator.vertices.kernel = &evaluator.exact
	evaluator.vertices.prepare()
	all := ring{0, int32(len(outline))}
	if !evaluator.vertices.isSimple(all) {
		return nil, false
	}
	evaluator.arrangement.reset(&evaluator.vertices)
	if evaluator.arrangement.interiorSide(all) == onRight { // clockwise: load the vertices again in reverse
		slices.Reverse(target.points)
		evaluator.exact.x, evaluator.exact.y = evaluator.exact.x[:0], evaluator.exact.y[:0]
		evaluator.vertices.x, evaluator.vertices.y = evaluator.vertices.x[:0], evaluator.vertices.y[:0]
		evaluator.exact.appendPoints(&evaluator.vertices, target.points)
	}
	target.x, target.y = evaluator.vertices.x, evaluator.vertices.y
	for i := range target.x {
		target.maxCoord = max(target.maxCoord, math.Abs(target.x[i]), math.Abs(target.y[i]))
		target.maxBits = max(target.maxBits, target.points[i].X.Bits(), target.points[i].Y.Bits())
	}
	target.Area = math.Abs(evaluator.vertices.signedArea(all))
	evaluator.arrangement.addRing(all, onLeft)
	evaluator.arrangement.findBoundary()
	target.boundary = prepareSegments(nil, evaluator.arrangement.boundary)
	target.thickBoundary = prepareSegments(nil, evaluator.thickener.thicken(&evaluator.arrangement, []bool{true}, []bool{true}, target.maxCoord))
	return target, true
}

// maxWork bounds exact arithmetic of arbitrary size: bits of the longest coordinate times the
// number of vertices. Above it, coordinates are rounded (docs/spec/tangram.md#r45).
const maxWork = 48 << 10

// Evaluate measures the polygons of a tangram assembly against a target; target is nil for none. Each
// polygon has at least 3 vertices, no two neighbours equal, and coordinates up to 10^6. decimal
// says that the answer has inexact coordinates; then the result need not decide whether union and
// target are exactly equal.
func (evaluator *Evaluator) Evaluate(pieces [][]Point, target *Target, decimal bool) *Result {
	result := &evaluator.result
	result.evaluator, result.Rounded = evaluator, false
	evaluator.vertices.x, evaluator.vertices.y = evaluator.vertices.x[:0], evaluator.vertices.y[:0]
	evaluator.arrangement.reset(&evaluator.vertices)
	// The fastest arithmetic that takes the coordinates is used. If none does, they are rounded.
	switch {
	case evaluator.tryInt64(pieces, target):
	case decimal && evaluator.tryGrid(pieces, target):
	case evaluator.tryExact(pieces, target):
	default:
		result.Rounded = true
		evaluator.loadRounded(pieces, target)
	}
	evaluator.vertices.prepare()
	evaluator.measure(len(pieces), target)
	return result
}

// addRings adds one ring for each tangram piece. The vertices of the pieces are loaded one piece
// after the other, after those of the target.
func (evaluator *Evaluator) addRings(pieces [][]Point, target *Target) {
	next := int32(0)
	if target != nil {
		next = int32(len(target.points))
	}
	for _, piece := range pieces {
		evaluator.arrangement.rings = append(evaluator.arrangement.rings, ring{next, next + int32(len(piece))})
		next += int32(len(piece))
	}
}

// tryInt64 loads target and pieces into the int64 kernel, the fastest exact arithmetic. It returns
// false if numerators or denominators are too large for it. Nearly all answers with exact
// coordinates fit.
func (evaluator *Evaluator) tryInt64(pieces [][]Point, target *Target) bool {
	denominator, ok := int64(1), true
	if target != nil {
		denominator, ok = commonDenominator(target.points, denominator, int64Limit)
	}
	for _, piece := range pieces {
		if ok {
			denominator, ok = commonDenominator(piece, denominator, int64Limit)
		}
	}
	// Numerators over one denominator for all coordinates.
	kernel, vertices := &evaluator.int64, &evaluator.vertices
	kernel.x, kernel.y, vertices.x, vertices.y = kernel.x[:0], kernel.y[:0], vertices.x[:0], vertices.y[:0]
	if !ok || target != nil && !kernel.load(target.points, denominator) {
		return false
	}
	if target != nil {
		vertices.x = append(vertices.x, target.x...)
		vertices.y = append(vertices.y, target.y...)
	}
	for _, piece := range pieces {
		if !kernel.load(piece, denominator) {
			return false
		}
	}
	// The same coordinates as floats, which decide where they are sure.
	for i := len(vertices.x); i < len(kernel.x); i++ {
		vertices.x = append(vertices.x, kernel.x[i].float()/float64(denominator))
		vertices.y = append(vertices.y, kernel.y[i].float()/float64(denominator))
	}
	vertices.kernel = kernel
	evaluator.addRings(pieces, target)
	return true
}

// tryGrid loads an assembly of rational coordinates with many digits into the grid kernel, exact
// arithmetic on the points of a grid, and returns false if they do not fit. Coordinates of pieces
// are exact there. The target's vertices are rounded to the same grid, which moves areas by less
// than 1e-11.
func (evaluator *Evaluator) tryGrid(pieces [][]Point, target *Target) bool {
	// The grid's steps per unit: the common denominator of the pieces.
	steps, ok := int64(1), true
	for _, piece := range pieces {
		steps, ok = commonDenominator(piece, steps, gridLimit)
		if !ok || slices.ContainsFunc(piece, isIrrational) {
			return false
		}
	}
	reach := maxCoordinate(pieces, target)
	if float64(steps)*reach >= gridLimit {
		return false
	}
	for steps < finestGrid && float64(steps)*1024*reach < gridLimit { // a fine grid for the target
		steps *= 1024
	}
	if target != nil && float64(steps) < coarsestGrid {
		return false
	}
	evaluator.loadGrid(pieces, target, float64(steps), func(n *field.Number) int64 {
		numerator, _, denominator, _ := n.Int64s()
		return numerator * (steps / denominator)
	})
	return true
}

// coarsestGrid is the least number of steps per unit to which a target may be rounded
// (docs/spec/tangram.md#r45).
const coarsestGrid = 1e12

// isIrrational reports whether a coordinate of p, which fits into int64s, has a part in sqrt 2.
func isIrrational(p Point) bool {
	_, x, _, _ := p.X.Int64s()
	_, y, _, _ := p.Y.Int64s()
	return x != 0 || y != 0
}

// maxCoordinate returns the largest magnitude of a coordinate of the tangram pieces and the target,
// at least 1.
func maxCoordinate(pieces [][]Point, target *Target) float64 {
	largest := 1.0
	for _, list := range pieces {
		for _, p := range list {
			largest = max(largest, math.Abs(p.X.Float()), math.Abs(p.Y.Float()))
		}
	}
	if target != nil {
		largest = max(largest, target.maxCoord)
	}
	return largest
}

// finestGrid is the number of steps per unit from which on a grid is made no finer. It is far above
// the 10^12 of docs/spec/tangram.md#r45.
const finestGrid = 1 << 50

// loadRounded rounds all coordinates to a grid, for an assembly whose coordinates have too many
// digits for exact arithmetic. The grid is the finest with a power of two of steps per unit, up to
// finestGrid, on which all coordinates stay below gridLimit. Scaling by a power of two does not
// round a float64, so each coordinate is rounded once.
func (evaluator *Evaluator) loadRounded(pieces [][]Point, target *Target) {
	reach := maxCoordinate(pieces, target)
	scale := 1.0
	for scale*2*reach < gridLimit && scale < finestGrid {
		scale *= 2
	}
	evaluator.loadGrid(pieces, target, scale, func(n *field.Number) int64 { return toGridUnits(n.Float(), scale) })
}

// loadGrid loads the rounded target and the tangram pieces into the grid kernel. scale is the
// number of grid steps per unit; toGrid converts a coordinate of a piece to steps.
func (evaluator *Evaluator) loadGrid(pieces [][]Point, target *Target, scale float64, toGrid func(n *field.Number) int64) {
	kernel, vertices := &evaluator.grid, &evaluator.vertices
	kernel.x, kernel.y = kernel.x[:0], kernel.y[:0]
	if target != nil {
		for i := range target.x {
			kernel.x = append(kernel.x, toGridUnits(target.x[i], scale))
			kernel.y = append(kernel.y, toGridUnits(target.y[i], scale))
		}
	}
	for _, list := range pieces {
		for i := range list {
			kernel.x = append(kernel.x, toGrid(&list[i].X))
			kernel.y = append(kernel.y, toGrid(&list[i].Y))
		}
	}
	vertices.x, vertices.y = vertices.x[:0], vertices.y[:0]
	for i := range kernel.x {
		vertices.x = append(vertices.x, float64(kernel.x[i])/scale)
		vertices.y = append(vertices.y, float64(kernel.y[i])/scale)
	}
	vertices.kernel = kernel
	evaluator.addRings(pieces, target)
}

// tryExact loads target and pieces into the kernel for numbers of any size, which is the slowest.
// It returns false if the assembly would take more work than maxWork.
func (evaluator *Evaluator) tryExact(pieces [][]Point, target *Target) bool {
	longest, n := 0, 0
	if target != nil {
		longest, n = target.maxBits, len(target.points)
	}
	for _, list := range pieces {
		n += len(list)
		for i := range list {
			longest = max(longest, list[i].X.Bits(), list[i].Y.Bits())
		}
	}
	if longest*n > maxWork {
		return false
	}
	vertices := &evaluator.vertices
	vertices.x, vertices.y = vertices.x[:0], vertices.y[:0]
	evaluator.exact.x, evaluator.exact.y = evaluator.exact.x[:0], evaluator.exact.y[:0]
	if target != nil {
		evaluator.exact.appendPoints(vertices, target.points)
	}
	for _, list := range pieces {
		evaluator.exact.appendPoints(vertices, list)
	}
	vertices.kernel = &evaluator.exact
	evaluator.addRings(pieces, target)
	return true
}

// appendPoints adds points of polygons to the exact kernel and, as doubles, to vertices.
func (kernel *exactKernel) appendPoints(vertices *vertexSet, list []Point) {
	for i := range list {
		x, y := list[i].X, list[i].Y
		kernel.x = append(kernel.x, x)
		kernel.y = append(kernel.y, y)
		vertices.x = append(vertices.x, x.Float())
		vertices.y = append(vertices.y, y.Float())
	}
}

// measure computes the result for the n tangram pieces that are loaded: areas, overlaps, and the
// union, compared with the target if there is one. The target's vertices come first in the vertex set.
func (evaluator *Evaluator) measure(n int, target *Target) {
	result, vertices, arr := &evaluator.result, &evaluator.vertices, &evaluator.arrangement
	result.Simple, result.HasArea, result.Area = result.Simple[:0], result.HasArea[:0], result.Area[:0]
	rings := arr.rings
	arr.rings = rings[:0] // addRing appends them again, in the same memory
	evaluator.maxCoord = 0
	for _, r := range rings {
		simple := vertices.isSimple(r)
		interior := sides(0)
		if simple {
			interior = arr.interiorSide(r)
		}
		result.Simple = append(result.Simple, simple)
		result.Area = append(result.Area, math.Abs(vertices.signedArea(r)))
		result.HasArea = append(result.HasArea, arr.addRing(r, interior))
		for i := r.from; i < r.to; i++ {
			evaluator.maxCoord = max(evaluator.maxCoord, math.Abs(vertices.x[i]), math.Abs(vertices.y[i]))
		}
	}
	arr.clipEdges()
	arr.measurePairs()
	result.Overlaps = result.Overlaps[:0]
	for i := range n {
		for j := i + 1; j < n; j++ {
			if arr.overlaps[i*n+j] { // an area that rounds to 0 still counts, as the smallest double
				result.Overlaps = append(result.Overlaps, Pair{i, j, max(arr.overlapArea[i*n+j], math.SmallestNonzeroFloat64)})
			}
		}
	}
	arr.findBoundary()
	result.Union, result.Shared, result.Equal = arr.unionArea(), 0, false
	if target != nil {
		result.Shared, result.Equal = arr.compareTarget(ring{0, int32(len(target.points))})
		result.Equal = result.Equal && vertices.kernel != &evaluator.grid // the grid moves the target's vertices
	}
}

// SharesEdge reports whether the boundaries of two pieces share a segment of positive length.
func (result *Result) SharesEdge(i, j int) bool {
	return result.evaluator.arrangement.sharesEdge[min(i, j)*len(result.Simple)+max(i, j)]
}

// Touches reports whether the closed boundaries of two pieces have a point in common.
func (result *Result) Touches(i, j int) bool {
	return result.SharesEdge(i, j) || result.evaluator.arrangement.boundariesMeet(int32(i), int32(j))
}

// signedArea returns the area of a polygon by the shoelace formula, positive if it runs
// counter-clockwise.
func (vertices *vertexSet) signedArea(r ring) (sum float64) {
	for i := r.from + 1; i+1 < r.to; i++ {
		sum += vertices.crossFloat(r.from, i, r.from, i+1)
	}
	return sum / 2
}
