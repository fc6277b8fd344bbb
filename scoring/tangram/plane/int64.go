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

// float returns a + b sqrt 2 as a double without cancellation. Where the two terms nearly cancel (the
// sum is below a thousandth of a), it divides the exact norm a^2 - 2 b^2 by the conjugate a - b sqrt 2,
// whose terms then have the same sign.
func (x surd) float() float64 {
	sum := float64(x.a) + float64(float64(x.b)*math.Sqrt2)
	if math.Abs(sum) >= 1e-3*math.Abs(float64(x.a)) {
		return sum
	}
	conjugate := float64(x.a) - float64(float64(x.b)*math.Sqrt2) // the conjugate: both large or both 0
	if conjugate == 0 {
		return 0
	}
	return x.norm().float() / conjugate
}

// norm returns the norm a^2 - 2 b^2 of a + b sqrt 2 exactly, in 128 bits.
func (x surd) norm() int128 {
	aHi, aLo := bits.Mul64(magnitude(x.a), magnitude(x.a))
	bHi, bLo := bits.Mul64(magnitude(x.b), magnitude(x.b))
	lo, borrow := bits.Sub64(aLo, bLo<<1, 0)
	hi, _ := bits.Sub64(aHi, bHi<<1|bLo>>63, borrow)
	return int128{hi, lo}
}

// magnitude returns the absolute value of a coordinate or product, also of the smallest int64.
func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// sign returns the exact sign of a + b sqrt 2, for magnitudes of a and b below 2^61. Doubles decide
// unless the value is within their error. Then a and b have different signs, and the sign of the
// norm tells which term is larger.
func (x surd) sign() int {
	if x.b == 0 {
		return cmp.Compare(x.a, 0)
	}
	approx := float64(x.a) + float64(float64(x.b)*math.Sqrt2)
	if maxError := (math.Abs(float64(x.a)) + math.Abs(float64(x.b))) * 0x1p-50; approx > maxError {
		return 1
	} else if approx < -maxError {
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

// load appends points of polygons to the int64 kernel, in units of 1/d, where d is a multiple of
// all denominators. It returns false if a coordinate exceeds int64Limit.
func (kernel *int64Kernel) load(points []Point, d int64) bool {
	for i := range points {
		x, ok1 := timesDenominator(points[i].X, d)
		y, ok2 := timesDenominator(points[i].Y, d)
		if !ok1 || !ok2 {
			return false
		}
		kernel.x = append(kernel.x, x)
		kernel.y = append(kernel.y, y)
	}
	return true
}

// commonDenominator returns the least common multiple of d and the denominators of the coordinates of
// a polygon's points. ok is false if it exceeds limit, or a coordinate does not fit into int64s.
func commonDenominator(points []Point, d, limit int64) (int64, bool) {
	for i := range points {
		for _, coordinate := range [2]*field.Number{&points[i].X, &points[i].Y} {
			_, _, own, ok := coordinate.Int64s()
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

// gcd returns the greatest common divisor of two positive denominators of coordinates.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// timesDenominator returns n*d as a surd, where d is a multiple of n's denominator. It
// returns false if the result exceeds int64Limit.
func timesDenominator(n field.Number, d int64) (surd, bool) {
	a, b, own, _ := n.Int64s() // n = (a + b sqrt 2) / own
	factor := d / own
	return surd{a * factor, b * factor}, surd{a, b}.withinLimit(int64Limit / factor)
}

// withinLimit reports whether both parts of x are at most limit in magnitude.
func (x surd) withinLimit(limit int64) bool {
	return x.a <= limit && x.a >= -limit && x.b <= limit && x.b >= -limit
}

// quotient is a parameter along an edge as num/den, with den > 0.
type quotient struct{ num, den surd }

// exactCross returns the cross product (b - a) x (d - c) of polygons' vertices, named by index.
func (kernel *int64Kernel) exactCross(a, b, c, d int32) surd {
	ux, uy := kernel.x[b].sub(kernel.x[a]), kernel.y[b].sub(kernel.y[a])
	vx, vy := kernel.x[d].sub(kernel.x[c]), kernel.y[d].sub(kernel.y[c])
	return surd{ux.a*vy.a + 2*ux.b*vy.b - uy.a*vx.a - 2*uy.b*vx.b, ux.a*vy.b + ux.b*vy.a - uy.a*vx.b - uy.b*vx.a}
}

// side, same and hash implement kernel for coordinates in Z[sqrt 2].
func (kernel *int64Kernel) side(a, b, c int32) int { return kernel.exactCross(a, b, a, c).sign() }

func (kernel *int64Kernel) same(a, b int32) bool {
	return kernel.x[a] == kernel.x[b] && kernel.y[a] == kernel.y[b]
}

// hash returns the hash of vertex a by its coordinates.
func (kernel *int64Kernel) hash(a int32) uint64 {
	x, y := kernel.x[a], kernel.y[a]
	return hashWords(uint64(x.a), uint64(x.b), uint64(y.a), uint64(y.b))
}

// cross is in units of 1 over the squared denominator: callers only use ratios.
func (kernel *int64Kernel) cross(a, b, c, d int32) float64 {
	return kernel.exactCross(a, b, c, d).float()
}

// paramOf returns the parameter of vertex c on the edge from a to b.
func (kernel *int64Kernel) paramOf(a, b, c int32) float64 {
	q := kernel.paramQuotient(edgeParam{a: a, b: b, c: c, d: -1})
	return q.num.float() / q.den.float()
}

// quotientOf returns the quotient num/den in the form with a positive denominator, in which quotients
// can be compared. A surd is a number a + b sqrt 2.
func quotientOf(num, den surd) quotient {
	if den.sign() < 0 {
		num, den = surd{-num.a, -num.b}, surd{-den.a, -den.b}
	}
	return quotient{num, den}
}

// paramQuotient returns the place of a point on a polygon's edge, 0 at its start and 1 at its end,
// as an exact quotient with a positive denominator. The edge runs from vertex a to b of the parameter. The
// point is an end of it, its crossing with the line through vertices c and d, or the vertex c on it.
func (kernel *int64Kernel) paramQuotient(param edgeParam) quotient {
	switch {
	case param.isEnd():
		return quotient{surd{a: int64(param.value)}, surd{a: 1}} // 0 or 1
	case param.isCrossing(): // (c - a) x (d - c) over (b - a) x (d - c)
		return quotientOf(kernel.exactCross(param.a, param.c, param.c, param.d), kernel.exactCross(param.a, param.b, param.c, param.d))
	}
	// the vertex c: by x coordinates, or by y where the edge is vertical
	if ux := kernel.x[param.b].sub(kernel.x[param.a]); ux != (surd{}) {
		return quotientOf(kernel.x[param.c].sub(kernel.x[param.a]), ux)
	}
	return quotientOf(kernel.y[param.c].sub(kernel.y[param.a]), kernel.y[param.b].sub(kernel.y[param.a]))
}

// smallSurd bounds the parts of quotients that are compared in int64 arithmetic.
const smallSurd = 1 << 29

// fitsSmall reports whether both parts of x are below smallSurd, so that products of two
// such numbers and their difference fit into int64s.
func (x surd) fitsSmall() bool {
	return magnitude(x.a) < smallSurd && magnitude(x.b) < smallSurd
}

// order returns -1, 0 or 1 for the order of two points on a polygon's edge, exactly. It compares their
// quotients, whose denominators are positive, by cross-multiplication, in big integers where int64s
// could overflow.
func (kernel *int64Kernel) order(p, q edgeParam) int {
	first, second := kernel.paramQuotient(p), kernel.paramQuotient(q)
	if first == second {
		return 0
	}
	if first.num.fitsSmall() && first.den.fitsSmall() && second.num.fitsSmall() && second.den.fitsSmall() {
		return first.num.mul(second.den).sub(second.num.mul(first.den)).sign()
	}
	return mulBig(first.num, second.den).sub(mulBig(second.num, first.den)).sign()
}

// bigSurd is a surd of any size, for comparisons that overflow int64.
type bigSurd struct{ a, b *big.Int }

// mulBig returns the product of two surds, numbers a + b sqrt 2, with big integers, for factors whose
// product may overflow 64 bits: (aa' + 2bb') + (ab' + ba') sqrt 2.
func mulBig(x, y surd) bigSurd {
	mul := func(v, w int64) *big.Int { return new(big.Int).Mul(big.NewInt(v), big.NewInt(w)) }
	bb := mul(x.b, y.b)
	return bigSurd{bb.Add(bb.Lsh(bb, 1), mul(x.a, y.a)), new(big.Int).Add(mul(x.a, y.b), mul(x.b, y.a))}
}

func (x bigSurd) sub(y bigSurd) bigSurd {
	return bigSurd{new(big.Int).Sub(x.a, y.a), new(big.Int).Sub(x.b, y.b)}
}

// sign returns the exact sign of a + b sqrt 2. Where a and b have different signs, the
// larger one of a^2 and 2 b^2 decides.
func (x bigSurd) sign() int {
	signA, signB := x.a.Sign(), x.b.Sign()
	switch {
	case signA == signB || signB == 0:
		return signA
	case signA == 0:
		return signB
	}
	b2 := new(big.Int).Mul(x.b, x.b)
	if new(big.Int).Mul(x.a, x.a).Cmp(b2.Lsh(b2, 1)) > 0 {
		return signA
	}
	return signB
}
