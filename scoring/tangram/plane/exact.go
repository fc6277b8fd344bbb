package plane

import (
	"math"

	"plumb/scoring/tangram/field"
)

// exactKernel holds points of any size: the slow kernel for what does not fit the others.
type exactKernel struct{ x, y []field.Number }

// exactCross returns the cross product (b - a) x (d - c).
func (k *exactKernel) exactCross(a, b, c, d int32) field.Number {
	ux, uy := k.x[b].Sub(k.x[a]), k.y[b].Sub(k.y[a])
	vx, vy := k.x[d].Sub(k.x[c]), k.y[d].Sub(k.y[c])
	return ux.Mul(vy).Sub(uy.Mul(vx))
}

// side, cross, along and order implement kernel for coordinates of any size.
func (k *exactKernel) side(a, b, c int32) int { return k.exactCross(a, b, a, c).Sign() }

// same implements kernel. It may return false for equal numbers of many digits, which are
// not kept in one form; callers only lose a short cut.
func (k *exactKernel) same(a, b int32) bool { return k.x[a] == k.x[b] && k.y[a] == k.y[b] }

func (k *exactKernel) hash(a int32) uint64 {
	return hashWords(math.Float64bits(k.x[a].Float()), math.Float64bits(k.y[a].Float()))
}

func (k *exactKernel) cross(a, b, c, d int32) float64 { return k.exactCross(a, b, c, d).Float() }

// paramOf returns the parameter of vertex c on the edge from a to b.
func (k *exactKernel) paramOf(a, b, c int32) float64 {
	n, d := k.paramQuotient(edgeParam{a: a, b: b, c: c, d: -1})
	return n.Float() / d.Float()
}

// paramQuotient returns the place of a point on a polygon's edge, 0 at its start and 1 at its end,
// as an exact quotient; the denominator may be negative.
func (k *exactKernel) paramQuotient(p edgeParam) (num, den field.Number) {
	switch {
	case p.isEnd():
		return field.Int(int64(p.value)), field.Int(1) // 0 or 1
	case p.isCrossing(): // (c - a) x (d - c) over (b - a) x (d - c)
		return k.exactCross(p.a, p.c, p.c, p.d), k.exactCross(p.a, p.b, p.c, p.d)
	}
	// the vertex c: by x coordinates, or by y where the edge is vertical
	if ux := k.x[p.b].Sub(k.x[p.a]); !ux.Zero() {
		return k.x[p.c].Sub(k.x[p.a]), ux
	}
	return k.y[p.c].Sub(k.y[p.a]), k.y[p.b].Sub(k.y[p.a])
}

// order compares two edge parameters exactly by cross-multiplication. The signs of the
// denominators correct for their order.
func (k *exactKernel) order(s, t edgeParam) int {
	numS, denS := k.paramQuotient(s)
	numT, denT := k.paramQuotient(t)
	return numS.Mul(denT).Sub(numT.Mul(denS)).Sign() * denS.Sign() * denT.Sign()
}
