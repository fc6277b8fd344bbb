package plane

import (
	"math"

	"plumb/scoring/tangram/field"
)

// exactKernel holds points of any size: the slow kernel for what does not fit the others.
type exactKernel struct{ x, y []field.Number }

// exactCross returns the cross product (b - a) x (d - c) of polygons' vertices, named by index.
func (kernel *exactKernel) exactCross(a, b, c, d int32) field.Number {
	ux, uy := kernel.x[b].Sub(kernel.x[a]), kernel.y[b].Sub(kernel.y[a])
	vx, vy := kernel.x[d].Sub(kernel.x[c]), kernel.y[d].Sub(kernel.y[c])
	return ux.Mul(vy).Sub(uy.Mul(vx))
}

// side, same, hash and cross implement kernel for coordinates of any size.
func (kernel *exactKernel) side(a, b, c int32) int { return kernel.exactCross(a, b, a, c).Sign() }

// same implements kernel. It may return false for equal numbers of many digits, which are
// not kept in one form; callers only lose a short cut.
func (kernel *exactKernel) same(a, b int32) bool {
	return kernel.x[a] == kernel.x[b] && kernel.y[a] == kernel.y[b]
}

func (kernel *exactKernel) hash(a int32) uint64 {
	return hashWords(math.Float64bits(kernel.x[a].Float()), math.Float64bits(kernel.y[a].Float()))
}

func (kernel *exactKernel) cross(a, b, c, d int32) float64 {
	return kernel.exactCross(a, b, c, d).Float()
}

// paramOf returns the parameter of vertex c on the edge from a to b.
func (kernel *exactKernel) paramOf(a, b, c int32) float64 {
	n, d := kernel.paramQuotient(edgeParam{a: a, b: b, c: c, d: -1})
	return n.Float() / d.Float()
}

// paramQuotient returns the place of a point on a polygon's edge, 0 at its start and 1 at its end, as an
// exact quotient; the denominator may be negative. The point is an end of the edge, a crossing with
// another line, or a vertex on the edge.
func (kernel *exactKernel) paramQuotient(param edgeParam) (num, den field.Number) {
	switch {
	case param.isEnd():
		return field.Int(int64(param.value)), field.Int(1) // 0 or 1
	case param.isCrossing(): // (c - a) x (d - c) over (b - a) x (d - c)
		return kernel.exactCross(param.a, param.c, param.c, param.d), kernel.exactCross(param.a, param.b, param.c, param.d)
	}
	// the vertex c: by x coordinates, or by y where the edge is vertical
	if ux := kernel.x[param.b].Sub(kernel.x[param.a]); !ux.Zero() {
		return kernel.x[param.c].Sub(kernel.x[param.a]), ux
	}
	return kernel.y[param.c].Sub(kernel.y[param.a]), kernel.y[param.b].Sub(kernel.y[param.a])
}

// order returns -1, 0 or 1 for the order of two points on a polygon's edge. It compares their quotients
// exactly by cross-multiplication. A negative denominator would turn the result round, so the signs of
// both are multiplied in.
func (kernel *exactKernel) order(s, t edgeParam) int {
	numS, denS := kernel.paramQuotient(s)
	numT, denT := kernel.paramQuotient(t)
	return numS.Mul(denT).Sub(numT.Mul(denS)).Sign() * denS.Sign() * denT.Sign()
}
