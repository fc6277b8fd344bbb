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
	// along returns the parameter of c, a point on the line from a to b, with the same error.
	along(a, b, c int32) float64
	// order compares two parameters of one edge exactly.
	order(s, t edgeParam) int
	// same reports whether two points are known to be equal.
	same(a, b int32) bool
	// hash returns a value that is the same for equal points.
	hash(a int32) uint64
}

// edgeParam is a point on the edge from a to b as a parameter from 0 at a to 1 at b: where the
// line through c and d crosses it or, if d is -1, where the vertex c lies on it. If a is -1, it is
// exactly an end of the edge. f approximates the parameter to within err.
type edgeParam struct {
	f, err     float64
	a, b, c, d int32
}

var start, end = edgeParam{0, 0, -1, -1, -1, -1}, edgeParam{1, 0, -1, -1, -1, -1}

// vertexSet holds the vertices of all polygons as doubles, each right to 2^-50 of itself, and the
// kernel that holds them exactly.
type vertexSet struct {
	kernel
	x, y      []float64
	canonical []int32 // of each point, the first one that is equal to it
	table     []int32 // scratch: hash table of points, -1 where free
	slack     float64 // a cross product of doubles up to this size can have the wrong sign
}

// ring is a polygon: the vertices from, from+1, ... to-1 of the vertex set.
type ring struct{ from, to int32 }

// next returns the vertex of the polygon after i.
func (r ring) next(i int32) int32 {
	if i+1 == r.to {
		return r.from
	}
	return i + 1
}

// prepare finds equal vertices and computes the slack. Coordinates are off by up to 2^-50 of the
// largest one, differences by twice that and a rounding, products of two differences by at most
// 2^-45 of its square.
func (vs *vertexSet) prepare() {
	reach := 0.0
	for i := range vs.x {
		reach = max(reach, math.Abs(vs.x[i]), math.Abs(vs.y[i]))
	}
	vs.slack = max(0x1p-45*reach*reach, 1e-290)
	vs.findDuplicates()
}

// findDuplicates finds equal vertices with a hash table. Nearly all contacts of an assembly are at
// vertices, which then need no arithmetic.
func (vs *vertexSet) findDuplicates() {
	n := len(vs.x)
	vs.canonical = zeroed(vs.canonical, int32(n))
	size := 1 << bits.Len(uint(2*n))
	vs.table = zeroed(vs.table, int32(size))
	for i := range vs.table {
		vs.table[i] = -1
	}
	for i := range int32(n) {
		at := vs.hash(i) >> 20 & uint64(size-1)
		for vs.table[at] >= 0 && !vs.same(vs.table[at], i) {
			at = (at + 1) & uint64(size-1)
		}
		if vs.table[at] < 0 {
			vs.table[at] = i
		}
		vs.canonical[i] = vs.table[at]
	}
}

// hashWords returns a hash of the coordinates of a point.
func hashWords(list ...uint64) (h uint64) {
	for _, v := range list {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// crossFloat returns (b - a) x (d - c) in doubles, off by less than the slack.
func (vs *vertexSet) crossFloat(a, b, c, d int32) float64 {
	return float64((vs.x[b]-vs.x[a])*(vs.y[d]-vs.y[c])) - float64((vs.y[b]-vs.y[a])*(vs.x[d]-vs.x[c]))
}

// side returns 1 if vertex c lies left of the line from a to b, -1 if right, 0 if on it; exactly,
// with the kernel where doubles leave a doubt.
func (vs *vertexSet) side(a, b, c int32) int {
	if n := vs.canonical[c]; n == vs.canonical[a] || n == vs.canonical[b] {
		return 0
	}
	v := vs.crossFloat(a, b, a, c)
	switch {
	case v > vs.slack:
		return 1
	case v < -vs.slack:
		return -1
	}
	return vs.kernel.side(a, b, c)
}

// kernelError is the relative error of a quotient of two kernel results.
const kernelError = 0x1p-47

// atCrossing returns where the line through c and d crosses the edge from a to b; they are not
// parallel.
func (vs *vertexSet) atCrossing(a, b, c, d int32) (p edgeParam) {
	vs.setAtCrossing(&p, a, b, c, d)
	return p
}

// setAtCrossing sets *p to atCrossing(a, b, c, d). It takes a pointer because an edgeParam is too
// large to be returned in registers.
func (vs *vertexSet) setAtCrossing(p *edgeParam, a, b, c, d int32) {
	num, den := vs.crossFloat(a, c, c, d), vs.crossFloat(a, b, c, d)
	p.a, p.b, p.c, p.d = a, b, c, d
	p.f = num / den
	p.err = 2 * vs.slack * (1 + math.Abs(p.f)) / math.Abs(den)
	if p.err < 1e-11 {
		return
	}
	p.f = vs.cross(a, c, c, d) / vs.cross(a, b, c, d)
	p.err = kernelError * math.Abs(p.f)
}

// atVertex returns where the vertex c lies on the line from a to b.
func (vs *vertexSet) atVertex(a, b, c int32) (p edgeParam) {
	vs.setAtVertex(&p, a, b, c)
	return p
}

// setAtVertex sets *p to atVertex(a, b, c).
func (vs *vertexSet) setAtVertex(p *edgeParam, a, b, c int32) {
	c = vs.canonical[c]
	switch c {
	case vs.canonical[a]:
		*p = start
	case vs.canonical[b]:
		*p = end
	default:
		p.a, p.b, p.c, p.d = a, b, c, -1
		p.f = vs.along(a, b, c)
		p.err = kernelError * math.Abs(p.f)
	}
}

// before reports whether the point s of an edge comes before t on it.
func (vs *vertexSet) before(s, t *edgeParam) bool {
	d := t.f - s.f
	if math.Abs(d) > s.err+t.err {
		return d > 0
	}
	return vs.beforeExact(s, t)
}

// beforeExact is before for parameters that doubles cannot tell apart.
func (vs *vertexSet) beforeExact(s, t *edgeParam) bool { return *s != *t && vs.order(*s, *t) < 0 }

// compare orders two parameters of one edge, exactly.
func (vs *vertexSet) compare(s, t edgeParam) int {
	d, slack := s.f-t.f, s.err+t.err
	switch {
	case d > slack:
		return 1
	case d < -slack:
		return -1
	case s == t:
		return 0
	}
	return vs.order(s, t)
}

// box is a bounding box with a margin for the rounding of doubles.
type box struct{ x0, y0, x1, y1 float64 }

// overlaps reports whether two bounding boxes have a point in common.
func (b *box) overlaps(c *box) bool {
	return b.x0 <= c.x1 && c.x0 <= b.x1 && b.y0 <= c.y1 && c.y0 <= b.y1
}

// widened adds the margin to b.
func (b box) widened() box {
	m := 1e-9 * (1 + max(math.Abs(b.x0), math.Abs(b.y0), math.Abs(b.x1), math.Abs(b.y1)))
	return box{b.x0 - m, b.y0 - m, b.x1 + m, b.y1 + m}
}

// ringBox returns the bounding box of a polygon, with a margin for rounding.
func (vs *vertexSet) ringBox(r ring) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i := r.from; i < r.to; i++ {
		x, y := vs.x[i], vs.y[i]
		b = box{min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)}
	}
	return b.widened()
}

// edgeBox returns the bounding box of the edge from vertex i to j.
func (vs *vertexSet) edgeBox(i, j int32) box {
	return box{min(vs.x[i], vs.x[j]), min(vs.y[i], vs.y[j]), max(vs.x[i], vs.x[j]), max(vs.y[i], vs.y[j])}.widened()
}
