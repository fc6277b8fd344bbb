// Package field computes exactly in the number field Q(sqrt 2), which holds the coordinates of
// TangramPuzzle. In: coordinate expressions in a small LaTeX grammar (docs/spec/tangram.md#r22).
// Out: numbers a + b sqrt 2 with rational a and b of any size, their signs, and correctly rounded
// doubles (docs/spec/tangram.md#r4). Text outside the grammar is an error; there is no NaN.
package field

import (
	"math"
	"math/big"
	"strconv"
)

// Number is a + b sqrt 2. It is immutable. The zero value is not a valid number: use Int.
type Number struct{ a, b rat }

// Int returns the integer n.
func Int(n int64) Number { return Number{integer(n), integer(0)} }

// Ratio returns n/d; d is not 0.
func Ratio(n, d int64) Number { return Number{ratio(n, d), integer(0)} }

// Surd returns n/d sqrt 2; d is not 0.
func Surd(n, d int64) Number { return Number{integer(0), ratio(n, d)} }

// FromFloat returns the exact value of a finite double.
func FromFloat(x float64) Number {
	return Number{fromBig(new(big.Rat).SetFloat64(x)), integer(0)}
}

// Add returns x + y.
func (x Number) Add(y Number) Number { return Number{x.a.add(y.a), x.b.add(y.b)} }

// Sub returns x - y.
func (x Number) Sub(y Number) Number { return Number{x.a.sub(y.a), x.b.sub(y.b)} }

// Neg returns -x.
func (x Number) Neg() Number { return Number{x.a.neg(), x.b.neg()} }

// Mul returns the product of two numbers of Q(sqrt 2), exactly.
func (x Number) Mul(y Number) Number {
	if x.b.zero() && y.b.zero() { // both are rational
		return Number{x.a.mul(y.a), x.b}
	}
	bb := x.b.mul(y.b)
	return Number{x.a.mul(y.a).add(bb.add(bb)), x.a.mul(y.b).add(x.b.mul(y.a))} // aa' + 2bb', ab' + ba'
}

// Quo returns x / y exactly; ok is false if y is 0. It multiplies both with the conjugate of y,
// which makes the divisor rational.
func (x Number) Quo(y Number) (q Number, ok bool) {
	if y.Zero() {
		return x, false
	}
	if y.b.zero() {
		return Number{x.a.quo(y.a), x.b.quo(y.a)}, true
	}
	product, norm := x.Mul(Number{y.a, y.b.neg()}), y.norm() // the norm is not 0, because sqrt 2 is irrational
	return Number{product.a.quo(norm), product.b.quo(norm)}, true
}

// norm returns x times its conjugate: a^2 - 2 b^2.
func (x Number) norm() rat {
	bb := x.b.mul(x.b)
	return x.a.mul(x.a).sub(bb.add(bb))
}

// Zero reports whether x is 0.
func (x Number) Zero() bool { return x.a.zero() && x.b.zero() }

// Equal reports whether x = y.
func (x Number) Equal(y Number) bool { return x.a.equal(y.a) && x.b.equal(y.b) }

// Sign returns the exact sign of x = a + b sqrt 2: -1, 0 or 1. Where a and b have different signs,
// the sign of the norm a^2 - 2 b^2 tells which term is larger. It uses no doubles, because a value
// can be far smaller than its terms. See docs/spec/tangram.md#r4.
func (x Number) Sign() int {
	signA, signB := x.a.sign(), x.b.sign()
	switch {
	case signA == signB || signB == 0:
		return signA
	case signA == 0:
		return signB
	}
	if x.norm().sign() > 0 {
		return signA
	}
	return signB
}

// Cmp compares x with y.
func (x Number) Cmp(y Number) int { return x.Sub(y).Sign() }

// Float returns x = a + b sqrt 2 as a double without cancellation. Where the two terms nearly cancel
// (the sum is below a thousandth of a), it divides the exact norm a^2 - 2 b^2 by the conjugate
// a - b sqrt 2, whose terms then have the same sign. See docs/spec/tangram.md#r4.
func (x Number) Float() float64 {
	a := x.a.float()
	if x.b.zero() {
		return a
	}
	b := x.b.float()
	if b == 0 || math.Abs(a)+math.Abs(b) > 1e150 { // doubles could under- or overflow; never so for int64 parts
		f, _ := x.bigFloat().Float64()
		return f
	}
	sum := a + float64(b*math.Sqrt2) // converted, so that no compiler fuses product and sum
	if math.Abs(sum) >= 1e-3*math.Abs(a) {
		return sum
	}
	return x.norm().float() / (a - float64(b*math.Sqrt2))
}

// bigFloat returns a number of Q(sqrt 2) with at least 128 correct bits. The conjugate bounds how
// many bits a and b sqrt 2 can cancel, so it computes with that many more.
func (x Number) bigFloat() *big.Float {
	precision := uint(192 + 4*x.Bits()) // 4*Bits covers what can cancel
	newFloat := func() *big.Float { return new(big.Float).SetPrec(precision) }
	a, b := newFloat().SetRat(x.a.toBig()), newFloat().SetRat(x.b.toBig())
	return a.Add(a, b.Mul(b, newFloat().Sqrt(newFloat().SetInt64(2))))
}

// sqrtFloat returns the double nearest to the square root of a number x >= 0 of Q(sqrt 2), or infinity
// beyond the largest double. Integers that a double holds take a fast path. See
// docs/spec/tangram.md#r25.
func (x Number) sqrtFloat() float64 {
	if x.b.zero() && x.a.big == nil && x.a.d == 1 && x.a.n < 1<<53 {
		return math.Sqrt(float64(x.a.n)) // exact: the conversion does not round
	}
	p := x.bigFloat()
	r, _ := p.Sqrt(p).Float64()
	return r
}

// Sqrt returns the square root of x = a + b sqrt 2. ok is false if x < 0 or the root is not in
// Q(sqrt 2). A root c + d sqrt 2 with c != 0 satisfies c^2 = (a ± sqrt(a^2 - 2 b^2)) / 2 and d = b / 2c,
// so both signs are tried. See docs/spec/tangram.md#r25.
func (x Number) Sqrt() (Number, bool) {
	if x.Sign() < 0 {
		return x, false
	}
	if x.b.zero() { // a rational: the root is rational, or a rational times sqrt 2
		if root, ok := x.a.sqrt(); ok {
			return Number{root, integer(0)}, true
		}
		root, ok := x.a.quo(integer(2)).sqrt()
		return Number{integer(0), root}, ok
	}
	normRoot, ok := x.norm().sqrt()
	if !ok {
		return x, false
	}
	for _, normRoot := range [2]rat{normRoot, normRoot.neg()} {
		c, ok := x.a.add(normRoot).quo(integer(2)).sqrt()
		if !ok || c.zero() {
			continue
		}
		root := Number{c, x.b.quo(c.add(c))}
		if root.Sign() < 0 {
			root = root.Neg()
		}
		return root, true
	}
	return x, false
}

// Bits returns about how many bits the number takes, which bounds the cost of computing with it.
func (x Number) Bits() int { return x.a.bits() + x.b.bits() }

// Int64s returns a number of Q(sqrt 2) as (a + b sqrt 2) / d with the least common denominator d.
// ok is false if these do not fit into int64s.
func (x Number) Int64s() (a, b, d int64, ok bool) {
	if x.a.big != nil || x.b.big != nil {
		return 0, 0, 0, false
	}
	if x.a.d == x.b.d { // the usual case
		return x.a.n, x.b.n, x.a.d, true
	}
	divisor := int64(gcd(uint64(x.a.d), uint64(x.b.d))) // both parts over their least common denominator
	d, ok = mulInt(x.a.d/divisor, x.b.d)
	a, ok1 := mulInt(x.a.n, x.b.d/divisor)
	b, ok2 := mulInt(x.b.n, x.a.d/divisor)
	return a, b, d, ok && ok1 && ok2
}

// AppendLaTeX appends a number of Q(sqrt 2) in LaTeX, in its canonical form. See
// docs/spec/tangram.md#r5.
func (x Number) AppendLaTeX(dst []byte) []byte {
	if x.b.zero() {
		return x.a.appendLaTeX(dst, "")
	}
	if !x.a.zero() {
		dst = x.a.appendLaTeX(dst, "")
		if x.b.sign() > 0 {
			dst = append(dst, '+')
		}
	}
	return x.b.appendLaTeX(dst, `\sqrt{2}`)
}

// LaTeX returns x in its canonical form. See docs/spec/tangram.md#r5.
func (x Number) LaTeX() string { return string(x.AppendLaTeX(nil)) }

// appendLaTeX appends a rational number times a factor in LaTeX, such as \frac{3\sqrt{2}}{4};
// factor is "" for none. A numerator of 1 is left out before a factor.
func (x rat) appendLaTeX(dst []byte, factor string) []byte {
	r := x.toBig()
	if r.Sign() < 0 {
		dst = append(dst, '-')
	}
	num, denominator := new(big.Int).Abs(r.Num()), r.Denom()
	numerator := num.String()
	if factor != "" {
		if numerator == "1" {
			numerator = ""
		}
		numerator += factor
	}
	if denominator.IsInt64() && denominator.Int64() == 1 {
		return append(dst, numerator...)
	}
	dst = append(dst, `\frac{`...)
	dst = append(dst, numerator...)
	dst = append(dst, "}{"...)
	dst = append(dst, denominator.String()...)
	return append(dst, '}')
}

// decimal returns the exact value of a decimal literal in a coordinate: digits with an optional
// point and exponent.
func decimal(text string) rat {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integer(n)
	}
	r, _ := new(big.Rat).SetString(text)
	return fromBig(r)
}
