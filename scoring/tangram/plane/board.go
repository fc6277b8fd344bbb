// Package plane decides and measures assemblies of polygons: which overlap, which
// touch and along how much, the area of their union and of its intersection with a
// target (docs/spec/tangram.md#r40), the boundary of the union, the distance of two
// boundaries. In: polygons with vertices in Q(sqrt 2). Out:
// decisions that are exact for these vertices, and areas and distances as doubles
// to 1e-12 or so. Degenerate input is the rule here: touching, coinciding,
// overlapping and self-crossing polygons are all in order.
//
// The union's boundary is never built vertex by vertex. Every edge is cut at all
// polygons; the parity of the crossings tells for each piece of it which polygons
// lie on its left and on its right. What is left of an edge is a list of intervals
// of its parameter: an area is the sum of its edges' cross products times the
// share of each that is on the boundary. All that must be exact for this is on
// which side of an edge a vertex lies, and in which order edges are crossed.
package plane

import (
	"math"
	"math/bits"

	"plumb/scoring/tangram/field"
)

// Point is a place in the plane.
type Point struct{ X, Y field.Number }

// kernel is exact geometry on points that are named by number. It is asked where
// doubles prove nothing.
type kernel interface {
	// side is the sign of (b - a) x (c - a): 1 where c lies left of a to b.
	side(a, b, c int32) int
	// cross is (b - a) x (d - c), right to some 2^-50 of itself.
	cross(a, b, c, d int32) float64
	// along is where c lies on the line from a to b, on which it is, as exact.
	along(a, b, c int32) float64
	// order compares two places on one edge.
	order(s, t place) int
	// same tells that two points are known to be the same place.
	same(a, b int32) bool
	// hash is the same for points that are.
	hash(a int32) uint64
}

// place is a place on an edge from a to b, 0 at its start and 1 at its end: where
// the line through c and d crosses it, or where c lies on it (d is then -1). It
// is an end, exactly f, where a is -1. f is off by err at most.
type place struct {
	f, err     float64
	a, b, c, d int32
}

var start, end = place{0, 0, -1, -1, -1, -1}, place{1, 0, -1, -1, -1, -1}

// board holds points as doubles, each right to 2^-50 of itself, with the kernel
// that holds them exactly.
type board struct {
	kernel
	x, y  []float64
	name  []int32 // of each point, the first one that is at the same place
	table []int32 // scratch: names by hash, -1 where free
	slack float64 // a cross product of doubles as small as this proves nothing
}

// ring is a polygon: the points from, from+1, ... to-1.
type ring struct{ from, to int32 }

func (r ring) next(i int32) int32 {
	if i+1 == r.to {
		return r.from
	}
	return i + 1
}

// settle names the points and computes the slack for those that the board now has. Coordinates
// are off by up to 2^-50 of the largest, differences by twice that and a rounding,
// products of two differences by 2^-45 of its square at most.
func (k *board) settle() {
	reach := 0.0
	for i := range k.x {
		reach = max(reach, math.Abs(k.x[i]), math.Abs(k.y[i]))
	}
	k.slack = max(0x1p-45*reach*reach, 1e-290)
	k.identify()
}

// identify finds the points that are the same: nearly all that touches in an
// assembly does so at vertices, which then takes no arithmetic.
func (k *board) identify() {
	n := len(k.x)
	k.name = zeroed(k.name, int32(n))
	size := 1 << bits.Len(uint(2*n))
	k.table = zeroed(k.table, int32(size))
	for i := range k.table {
		k.table[i] = -1
	}
	for i := range int32(n) {
		at := k.hash(i) >> 20 & uint64(size-1)
		for k.table[at] >= 0 && !k.same(k.table[at], i) {
			at = (at + 1) & uint64(size-1)
		}
		if k.table[at] < 0 {
			k.table[at] = i
		}
		k.name[i] = k.table[at]
	}
}

// spread makes a hash of the parts of a point.
func spread(list ...uint64) (h uint64) {
	for _, v := range list {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// product is (b - a) x (d - c) in doubles, off by less than the slack.
func (k *board) product(a, b, c, d int32) float64 {
	return float64((k.x[b]-k.x[a])*(k.y[d]-k.y[c])) - float64((k.y[b]-k.y[a])*(k.x[d]-k.x[c]))
}

func (k *board) side(a, b, c int32) int {
	if n := k.name[c]; n == k.name[a] || n == k.name[b] {
		return 0
	}
	v := k.product(a, b, a, c)
	switch {
	case v > k.slack:
		return 1
	case v < -k.slack:
		return -1
	}
	return k.kernel.side(a, b, c)
}

// relative is the error of a quotient of what a kernel computes.
const relative = 0x1p-47

// cut is where the line through c and d meets the one from a to b; they are not
// parallel.
func (k *board) cut(a, b, c, d int32) (p place) {
	k.setCut(&p, a, b, c, d)
	return p
}

// setCut sets *p to cut(a, b, c, d): places are too large to be returned in
// registers.
func (k *board) setCut(p *place, a, b, c, d int32) {
	num, den := k.product(a, c, c, d), k.product(a, b, c, d)
	p.a, p.b, p.c, p.d = a, b, c, d
	p.f = num / den
	if p.err = 2 * k.slack * (1 + math.Abs(p.f)) / math.Abs(den); p.err < 1e-11 {
		return
	}
	p.f = k.cross(a, c, c, d) / k.cross(a, b, c, d)
	p.err = relative * math.Abs(p.f)
}

// on is where c lies on the line from a to b, on which it is.
func (k *board) on(a, b, c int32) (p place) {
	k.setOn(&p, a, b, c)
	return p
}

// setOn sets *p to on(a, b, c).
func (k *board) setOn(p *place, a, b, c int32) {
	c = k.name[c]
	switch c {
	case k.name[a]:
		*p = start
	case k.name[b]:
		*p = end
	default:
		p.a, p.b, p.c, p.d = a, b, c, -1
		p.f = k.along(a, b, c)
		p.err = relative * math.Abs(p.f)
	}
}

// before is cmp(*s, *t) < 0.
func (k *board) before(s, t *place) bool {
	d := t.f - s.f
	if math.Abs(d) > s.err+t.err {
		return d > 0
	}
	return k.close(s, t)
}

// close is before for places that doubles do not tell apart.
func (k *board) close(s, t *place) bool { return *s != *t && k.order(*s, *t) < 0 }

// cmp compares two places on one edge.
func (k *board) cmp(s, t place) int {
	d, slack := s.f-t.f, s.err+t.err
	switch {
	case d > slack:
		return 1
	case d < -slack:
		return -1
	case s == t:
		return 0
	}
	return k.order(s, t)
}
