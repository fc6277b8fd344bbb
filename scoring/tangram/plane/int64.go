package plane

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"plumb/scoring/tangram/field"
)

// surd is the number a + b sqrt 2 with integers a and b.
type surd struct{ a, b int64 }

func (x surd) sub(y surd) surd { return surd{x.a - y.a, x.b - y.b} }

func (x surd) mul(y surd) surd { return surd{x.a*y.a + 2*x.b*y.b, x.a*y.b + x.b*y.a} }

// float returns x as a double without cancellation: where a and b sqrt 2 nearly cancel, it divides
// the norm by the conjugate.
func (x surd) float() float64 {
	v := float64(x.a) + float64(float64(x.b)*math.Sqrt2)
	if math.Abs(v) >= 1e-3*math.Abs(float64(x.a)) {
		return v
	}
	w := float64(x.a) - float64(float64(x.b)*math.Sqrt2) // the conjugate: both large or both 0
	if w == 0 {
		return 0
	}
	return x.norm().float() / w
}

// norm returns the norm a^2 - 2 b^2 of a + b sqrt 2 exactly.
func (x surd) norm() int128 {
	ah, al := bits.Mul64(magnitude(x.a), magnitude(x.a))
	bh, bl := bits.Mul64(magnitude(x.b), magnitude(x.b))
	lo, borrow := bits.Sub64(al, bl<<1, 0)
	hi, _ := bits.Sub64(ah, bh<<1|bl>>63, borrow)
	return int128{hi, lo}
}

// magnitude returns the absolute value of n.
func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// sign returns the exact sign of a + b sqrt 2, for magnitudes of a and b below 2^61.
func (x surd) sign() int {
	if x.b == 0 {
		return cmp.Compare(x.a, 0)
	}
	v := float64(x.a) + float64(float64(x.b)*math.Sqrt2)
	if err := (math.Abs(float64(x.a)) + math.Abs(float64(x.b))) * 0x1p-50; v > err {
		return 1
	} else if v < -err {
		return -1
	}
	if x.a == 0 {
		return cmp.Compare(x.b, 0)
	}
	switch x.norm().sign() {
	case 0: // only for 0: sqrt 2 is irrational
		return 0
	case 1:
		return cmp.Compare(x.a, 0)
	}
	return cmp.Compare(x.b, 0)
}

// int64Limit bounds the coordinates of an int64Kernel, so that cross products fit into an int64.
const int64Limit = 1 << 24

// int64Kernel holds points in Z[sqrt 2] over one denominator: the fast kernel for ordinary exact
// answers.
type int64Kernel struct{ x, y []surd }

// load appends points in units of 1/d. It reports false if one does not fit.
func (k *int64Kernel) load(points []Point, d int64) bool {
	for i := range points {
		x, ok1 := timesDenominator(points[i].X, d)
		y, ok2 := timesDenominator(points[i].Y, d)
		if !ok1 || !ok2 {
			return false
		}
		k.x, k.y = append(k.x, x), append(k.y, y)
	}
	return true
}

// commonDenominator returns the least common multiple of d and the denominators of the points'
// coordinates. ok is false if it exceeds limit.
func commonDenominator(points []Point, d, limit int64) (int64, bool) {
	for i := range points {
		for _, n := range [2]*field.Number{&points[i].X, &points[i].Y} {
			_, _, own, ok := n.Int64s()
			if !ok {
				return 0, false
			}
			if own != d && own != 1 && d%own != 0 {
				own /= gcd(d, own)
				if d > limit/own {
					return 0, false
				}
				d *= own
			}
		}
	}
	return d, true
}

// gcd returns the greatest common divisor of two positive denominators.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// timesDenominator returns n*d, where d is a multiple of n's denominator. ok is false if the
// result exceeds int64Limit.
func timesDenominator(n field.Number, d int64) (surd, bool) {
	a, b, own, _ := n.Int64s()
	if own == d {
		return surd{a, b}, surd{a, b}.within(int64Limit)
	}
	f := d / own
	x := surd{a, b}
	return surd{a * f, b * f}, x.within(int64Limit / f)
}

// within reports whether both parts of x are at most limit in magnitude.
func (x surd) within(limit int64) bool {
	return x.a <= limit && x.a >= -limit && x.b <= limit && x.b >= -limit
}

// quotient is a parameter along an edge as num/den, with den > 0.
type quotient struct{ num, den surd }

// exact returns the cross product (b - a) x (d - c).
func (k *int64Kernel) exact(a, b, c, d int32) surd {
	ux, uy := k.x[b].sub(k.x[a]), k.y[b].sub(k.y[a])
	vx, vy := k.x[d].sub(k.x[c]), k.y[d].sub(k.y[c])
	return surd{ux.a*vy.a + 2*ux.b*vy.b - uy.a*vx.a - 2*uy.b*vx.b, ux.a*vy.b + ux.b*vy.a - uy.a*vx.b - uy.b*vx.a}
}

// side, same and hash implement kernel for coordinates in Z[sqrt 2].
func (k *int64Kernel) side(a, b, c int32) int { return k.exact(a, b, a, c).sign() }

func (k *int64Kernel) same(a, b int32) bool { return k.x[a] == k.x[b] && k.y[a] == k.y[b] }

// hash returns the hash of vertex a by its coordinates.
func (k *int64Kernel) hash(a int32) uint64 {
	x, y := k.x[a], k.y[a]
	return hashWords(uint64(x.a), uint64(x.b), uint64(y.a), uint64(y.b))
}

// cross is in units of 1 over the squared denominator: callers only use ratios.
func (k *int64Kernel) cross(a, b, c, d int32) float64 { return k.exact(a, b, c, d).float() }

// along returns the parameter of vertex c on the edge from a to b.
func (k *int64Kernel) along(a, b, c int32) float64 {
	q := k.ratio(edgeParam{a: a, b: b, c: c, d: -1})
	return q.num.float() / q.den.float()
}

// quotientOf returns num/den with a positive denominator.
func quotientOf(num, den surd) quotient {
	if den.sign() < 0 {
		num, den = surd{-num.a, -num.b}, surd{-den.a, -den.b}
	}
	return quotient{num, den}
}

// ratio returns an edge parameter as an exact quotient.
func (k *int64Kernel) ratio(p edgeParam) quotient {
	switch {
	case p.a < 0:
		return quotient{surd{a: int64(p.f)}, surd{a: 1}}
	case p.d >= 0:
		return quotientOf(k.exact(p.a, p.c, p.c, p.d), k.exact(p.a, p.b, p.c, p.d))
	}
	if ux := k.x[p.b].sub(k.x[p.a]); ux != (surd{}) {
		return quotientOf(k.x[p.c].sub(k.x[p.a]), ux)
	}
	return quotientOf(k.y[p.c].sub(k.y[p.a]), k.y[p.b].sub(k.y[p.a]))
}

// smallLimit bounds the parts of quotients that are compared in int64 arithmetic.
const smallLimit = 1 << 29

// small reports whether both parts of x are below smallLimit.
func (x surd) small() bool {
	return magnitude(x.a) < smallLimit && magnitude(x.b) < smallLimit
}

// order compares two edge parameters exactly, in big integers where int64 is too small.
func (k *int64Kernel) order(p, q edgeParam) int {
	s, t := k.ratio(p), k.ratio(q)
	if s == t {
		return 0
	}
	if s.num.small() && s.den.small() && t.num.small() && t.den.small() {
		return s.num.mul(t.den).sub(t.num.mul(s.den)).sign()
	}
	return bigMul(s.num, t.den).sub(bigMul(t.num, s.den)).sign()
}

// bigSurd is a surd of any size, for comparisons that overflow int64.
type bigSurd struct{ a, b *big.Int }

// bigMul returns the product of two surds.
func bigMul(x, y surd) bigSurd {
	n := func(v int64) *big.Int { return big.NewInt(v) }
	mul := func(v, w int64) *big.Int { return new(big.Int).Mul(n(v), n(w)) }
	bb := mul(x.b, y.b)
	return bigSurd{bb.Add(bb.Lsh(bb, 1), mul(x.a, y.a)), new(big.Int).Add(mul(x.a, y.b), mul(x.b, y.a))}
}

func (x bigSurd) sub(y bigSurd) bigSurd {
	return bigSurd{new(big.Int).Sub(x.a, y.a), new(big.Int).Sub(x.b, y.b)}
}

// sign returns the exact sign of a + b sqrt 2.
func (x bigSurd) sign() int {
	sa, sb := x.a.Sign(), x.b.Sign()
	switch {
	case sa == sb || sb == 0:
		return sa
	case sa == 0:
		return sb
	}
	bb := new(big.Int).Mul(x.b, x.b)
	if new(big.Int).Mul(x.a, x.a).Cmp(bb.Lsh(bb, 1)) > 0 {
		return sa
	}
	return sb
}
