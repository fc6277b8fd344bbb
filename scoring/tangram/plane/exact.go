package plane

import (
	"math"

	"plumb/scoring/tangram/field"
)

// exactKernel holds points of any size: the slow kernel for what does not fit the others.
type exactKernel struct{ x, y []field.Number }

// exact returns the cross product (b - a) x (d - c).
func (k *exactKernel) exact(a, b, c, d int32) field.Number {
	ux, uy := k.x[b].Sub(k.x[a]), k.y[b].Sub(k.y[a])
	vx, vy := k.x[d].Sub(k.x[c]), k.y[d].Sub(k.y[c])
	return ux.Mul(vy).Sub(uy.Mul(vx))
}

// side, cross, along and order implement kernel for coordinates of any size.
func (k *exactKernel) side(a, b, c int32) int { return k.exact(a, b, a, c).Sign() }

// same may miss that two numbers of many digits are equal.
func (k *exactKernel) same(a, b int32) bool { return k.x[a] == k.x[b] && k.y[a] == k.y[b] }

func (k *exactKernel) hash(a int32) uint64 {
	return hashWords(math.Float64bits(k.x[a].Float()), math.Float64bits(k.y[a].Float()))
}

func (k *exactKernel) cross(a, b, c, d int32) float64 { return k.exact(a, b, c, d).Float() }

// along returns the parameter of vertex c on the edge from a to b.
func (k *exactKernel) along(a, b, c int32) float64 {
	n, d := k.ratio(edgeParam{a: a, b: b, c: c, d: -1})
	return n.Float() / d.Float()
}

// ratio returns an edge parameter as an exact quotient.
func (k *exactKernel) ratio(p edgeParam) (num, den field.Number) {
	switch {
	case p.a < 0:
		return field.Int(int64(p.f)), field.Int(1)
	case p.d >= 0:
		return k.exact(p.a, p.c, p.c, p.d), k.exact(p.a, p.b, p.c, p.d)
	}
	if ux := k.x[p.b].Sub(k.x[p.a]); !ux.Zero() {
		return k.x[p.c].Sub(k.x[p.a]), ux
	}
	return k.y[p.c].Sub(k.y[p.a]), k.y[p.b].Sub(k.y[p.a])
}

// order compares two edge parameters exactly by cross-multiplication.
func (k *exactKernel) order(s, t edgeParam) int {
	sn, sd := k.ratio(s)
	tn, td := k.ratio(t)
	return sn.Mul(td).Sub(tn.Mul(sd)).Sign() * sd.Sign() * td.Sign()
}
