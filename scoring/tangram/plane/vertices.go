// Package plane measures assemblies of polygons exactly: which overlap, which touch and along how
// much, the area and the boundary of their union, its intersection with a target
// (docs/spec/tangram.md#r40), and the Hausdorff distance of the two boundaries.
//
// In: polygons with vertices in Q(sqrt 2). Out: decisions that are exact for these vertices, and
// areas and distances as doubles to about 1e-12. Polygons may touch, coincide, overlap and cross
// themselves.
//
// The union's boundary is not built vertex by vertex. Every edge is cut at all polygons, and the
// parity of the crossings says which polygons lie on its left and right. What is left of an edge
// is a list of intervals of its parameter, and an area is the sum of the edges' cross products
// times the share of each edge on the boundary. Only two things must be exact for this: on which
// side of an edge a vertex lies, and in which order an edge is crossed.
package plane

import (
	"math"
	"math/bits"

	"plumb/scoring/tangram/field"
)

// Point is a point of the plane with exact coordinates.
type Point = field.Point

// kernel does exact geometry on points that are named by index. It decides where the rounding of
// doubles leaves a doubt.
type kernel interface {
	// side returns the sign of (b - a) x (c - a): 1 if c lies left of the line from a to b.
	side(a, b, c int32) int
	// cross returns (b - a) x (d - c) with a relative error of about 2^-50.
	cross(a, b, c, d int32) float64
	// paramOf returns the parameter of c, a point on the line from a to b, with the same error.
	paramOf(a, b, c int32) float64
	// order compares two parameters of one edge exactly.
	order(s, t edgeParam) int
	// same reports whether two points are known to be equal.
	same(a, b int32) bool
	// hash returns a value that is the same for equal points.
	hash(a int32) uint64
}

// edgeParam is a point on the edge from vertex a to b, as a parameter from 0 at a to 1 at b.
// It is kept in the form that gives it exactly:
//
//	a = -1     the end of an edge that value names: 0 or 1
//	d >= 0     where the line through vertices c and d crosses the edge
//	d = -1     the vertex c, which lies on the line through a and b
//
// value approximates the parameter to within maxError.
type edgeParam struct {
	value, maxError float64
	a, b, c, d      int32
}

// isEnd reports whether p is exactly the start or the end of its edge.
func (p *edgeParam) isEnd() bool { return p.a < 0 }

// isCrossing reports whether p is where another line crosses the edge. Else it is an end or a
// vertex.
func (p *edgeParam) isCrossing() bool { return p.d >= 0 }

// start and end are the ends of any edge.
var start, end = edgeParam{a: -1, d: -1}, edgeParam{value: 1, a: -1, d: -1}

// vertexSet holds the vertices of all polygons as doubles, each right to 2^-50 of itself, and the
// kernel that holds them exactly.
type vertexSet struct {
	kernel
	x, y       []float64
	canonical  []int32 // of each point, the first one that is equal to it
	hashTable  []int32 // scratch: hash table of points, -1 where free
	crossError float64 // a cross product of doubles up to this size can have the wrong sign
}

// ring is a polygon: the vertices from, from+1, ... to-1 of the vertex set.
type ring struct{ from, to int32 }

// next returns the vertex of the polygon after vertex i, the first one after the last.
func (r ring) next(i int32) int32 {
	if i+1 == r.to {
		return r.from
	}
	return i + 1
}

// prepare finds equal vertices, and computes crossError: how far rounding can move a cross product
// of the loaded coordinates. Coordinates are off by up to 2^-50 of the largest one, differences by
// twice that and a rounding, and cross products of two differences by at most 2^-45 of its square.
func (vertices *vertexSet) prepare() {
	largest := 0.0
	for i := range vertices.x {
		largest = max(largest, math.Abs(vertices.x[i]), math.Abs(vertices.y[i]))
	}
	vertices.crossError = max(0x1p-45*largest*largest, 1e-290) // the second where products would underflow
	vertices.findDuplicates()
}

// findDuplicates sets canonical[i] to the first vertex that equals vertex i, with a hash
// table with open addressing. Nearly all contacts of an assembly are at vertices, which then
// need no arithmetic.
func (vertices *vertexSet) findDuplicates() {
	count := len(vertices.x)
	vertices.canonical = zeroed(vertices.canonical, int32(count))
	size := 1 << bits.Len(uint(2*count)) // a power of two, at most half full
	vertices.hashTable = zeroed(vertices.hashTable, int32(size))
	for i := range vertices.hashTable {
		vertices.hashTable[i] = -1
	}
	for i := range int32(count) {
		slot := vertices.hash(i) >> 20 & uint64(size-1) // the low bits of the hash are mixed least
		for vertices.hashTable[slot] >= 0 && !vertices.same(vertices.hashTable[slot], i) {
			slot = (slot + 1) & uint64(size-1)
		}
		if vertices.hashTable[slot] < 0 {
			vertices.hashTable[slot] = i
		}
		vertices.canonical[i] = vertices.hashTable[slot]
	}
}

// hashWords returns a hash of the words of a vertex's coordinates. Equal vertices are found by it; those
// with the same hash are then compared. It multiplies by an odd constant (2^64 over the golden ratio)
// and mixes the high bits into the low ones.
func hashWords(list ...uint64) (h uint64) {
	for _, v := range list {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// crossFloat returns the cross product (b - a) x (d - c) of vertices in doubles, off by less than
// crossError. Products are converted to float64, so that no compiler fuses them with the subtraction
// and results are the same on every machine.
func (vertices *vertexSet) crossFloat(a, b, c, d int32) float64 {
	return float64((vertices.x[b]-vertices.x[a])*(vertices.y[d]-vertices.y[c])) - float64((vertices.y[b]-vertices.y[a])*(vertices.x[d]-vertices.x[c]))
}

// side returns 1 if vertex c lies left of the line from a to b, -1 if right, and 0 if on it. The
// answer is exact: where doubles leave a doubt, the kernel decides.
func (vertices *vertexSet) side(a, b, c int32) int {
	if same := vertices.canonical[c]; same == vertices.canonical[a] || same == vertices.canonical[b] {
		return 0
	}
	cross := vertices.crossFloat(a, b, a, c)
	switch {
	case cross > vertices.crossError:
		return 1
	case cross < -vertices.crossError:
		return -1
	}
	return vertices.kernel.side(a, b, c)
}

// kernelError is the relative error of a quotient of two kernel results.
const kernelError = 0x1p-47

// atCrossing returns where the line through c and d crosses the edge from a to b; they are not
// parallel.
func (vertices *vertexSet) atCrossing(a, b, c, d int32) (p edgeParam) {
	vertices.setAtCrossing(&p, a, b, c, d)
	return p
}

// setAtCrossing sets *param to the place on a polygon's edge from vertex a to b where the line through c
// and d crosses it: 0 at a, 1 at b. It computes in doubles, and with the kernel's exact cross products
// if these are not accurate enough. It takes a pointer because an edgeParam is too large to be returned
// in registers.
func (vertices *vertexSet) setAtCrossing(param *edgeParam, a, b, c, d int32) {
	num, den := vertices.crossFloat(a, c, c, d), vertices.crossFloat(a, b, c, d)
	param.a, param.b, param.c, param.d = a, b, c, d
	param.value = num / den
	param.maxError = 2 * vertices.crossError * (1 + math.Abs(param.value)) / math.Abs(den)
	if param.maxError < 1e-11 { // close enough for areas; order decides exactly in any case
		return
	}
	param.value = vertices.cross(a, c, c, d) / vertices.cross(a, b, c, d)
	param.maxError = kernelError * math.Abs(param.value)
}

// atVertex returns where the vertex c lies on the line from a to b.
func (vertices *vertexSet) atVertex(a, b, c int32) (p edgeParam) {
	vertices.setAtVertex(&p, a, b, c)
	return p
}

// setAtVertex sets *param to the place of a polygon's vertex c on the line from vertex a to b: exactly
// start or end if c equals a or b, else as the kernel computes it.
func (vertices *vertexSet) setAtVertex(param *edgeParam, a, b, c int32) {
	c = vertices.canonical[c]
	switch c {
	case vertices.canonical[a]:
		*param = start
	case vertices.canonical[b]:
		*param = end
	default:
		param.a, param.b, param.c, param.d = a, b, c, -1
		param.value = vertices.paramOf(a, b, c)
		param.maxError = kernelError * math.Abs(param.value)
	}
}

// before reports exactly whether the point s of a polygon's edge comes before the point t.
func (vertices *vertexSet) before(s, t *edgeParam) bool {
	difference := t.value - s.value
	if math.Abs(difference) > s.maxError+t.maxError {
		return difference > 0
	}
	return vertices.beforeExact(s, t)
}

// beforeExact is before for points whose approximations overlap.
func (vertices *vertexSet) beforeExact(s, t *edgeParam) bool {
	return *s != *t && vertices.order(*s, *t) < 0
}

// compare returns -1, 0 or 1 for the order of two points on one polygon's edge, exactly.
func (vertices *vertexSet) compare(s, t edgeParam) int {
	difference, maxError := s.value-t.value, s.maxError+t.maxError
	switch {
	case difference > maxError:
		return 1
	case difference < -maxError:
		return -1
	case s == t:
		return 0
	}
	return vertices.order(s, t)
}

// box is a bounding box with a margin for the rounding of doubles.
type box struct{ x0, y0, x1, y1 float64 }

// overlaps reports whether two bounding boxes have a point in common.
func (b *box) overlaps(c *box) bool {
	return b.x0 <= c.x1 && c.x0 <= b.x1 && b.y0 <= c.y1 && c.y0 <= b.y1
}

// widened returns b with a margin on all sides, by which rounding cannot hide a contact.
func (b box) widened() box {
	margin := 1e-9 * (1 + max(math.Abs(b.x0), math.Abs(b.y0), math.Abs(b.x1), math.Abs(b.y1)))
	return box{b.x0 - margin, b.y0 - margin, b.x1 + margin, b.y1 + margin}
}

// ringBox returns the bounding box of a polygon, with a margin for rounding.
func (vertices *vertexSet) ringBox(r ring) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i := r.from; i < r.to; i++ {
		x, y := vertices.x[i], vertices.y[i]
		b = box{min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)}
	}
	return b.widened()
}

// edgeBox returns the bounding box of the edge from vertex i to j.
func (vertices *vertexSet) edgeBox(i, j int32) box {
	return box{min(vertices.x[i], vertices.x[j]), min(vertices.y[i], vertices.y[j]), max(vertices.x[i], vertices.x[j]), max(vertices.y[i], vertices.y[j])}.widened()
}
