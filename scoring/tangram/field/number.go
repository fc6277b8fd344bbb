// Package field computes in K = Q(sqrt 2). In: coordinate expressions in a small
// LaTeX grammar. Out: exact numbers a + b sqrt 2 with rational a and b of any size,
// their signs, and doubles that are right in every digit. Texts outside of the
// grammar are refused; there is no NaN. See docs/spec/tangram.md#r4 for numbers and
// docs/spec/tangram.md#r22 for expressions.
package field

import (
	"math"
	"math/big"
	"strconv"
)

// Number is a + b sqrt 2. A Number is never changed once made; the zero value is
// not one: use Int or Zero.
type Number struct{ a, b rat }

// Int is a whole number.
func Int(n int64) Number { return Number{whole(n), whole(0)} }

// Ratio is n/d; d is not 0.
func Ratio(n, d int64) Number { return Number{ratio(n, d), whole(0)} }

// Surd is n/d sqrt 2; d is not 0.
func Surd(n, d int64) Number { return Number{whole(0), ratio(n, d)} }

// FromFloat is the rational number that a finite double is.
func FromFloat(x float64) Number {
	return Number{fromBig(new(big.Rat).SetFloat64(x)), whole(0)}
}

// Add is x + y.
func (x Number) Add(y Number) Number { return Number{x.a.add(y.a), x.b.add(y.b)} }

// Sub is x - y.
func (x Number) Sub(y Number) Number { return Number{x.a.sub(y.a), x.b.sub(y.b)} }

// Neg is -x.
func (x Number) Neg() Number { return Number{x.a.neg(), x.b.neg()} }

// Mul is x y.
func (x Number) Mul(y Number) Number {
	if x.b.zero() && y.b.zero() {
		return Number{x.a.mul(y.a), x.b}
	}
	bb := x.b.mul(y.b)
	return Number{x.a.mul(y.a).add(bb.add(bb)), x.a.mul(y.b).add(x.b.mul(y.a))}
}

// Quo is x / y; ok is false where y is 0.
func (x Number) Quo(y Number) (q Number, ok bool) {
	if y.Zero() {
		return x, false
	}
	if y.b.zero() {
		return Number{x.a.quo(y.a), x.b.quo(y.a)}, true
	}
	bb := y.b.mul(y.b)
	norm := y.a.mul(y.a).sub(bb.add(bb)) // never 0: sqrt 2 is not rational
	p := x.Mul(Number{y.a, y.b.neg()})
	return Number{p.a.quo(norm), p.b.quo(norm)}, true
}

// Zero reports whether x is 0.
func (x Number) Zero() bool { return x.a.zero() && x.b.zero() }

// Equal reports x = y.
func (x Number) Equal(y Number) bool { return x.a.equal(y.a) && x.b.equal(y.b) }

// Sign returns -1, 0 or 1. It uses no doubles, since a value may be far smaller than
// its parts. See docs/spec/tangram.md#r4.
func (x Number) Sign() int {
	sa, sb := x.a.sign(), x.b.sign()
	switch {
	case sa == sb || sb == 0:
		return sa
	case sa == 0:
		return sb
	}
	aa, bb := x.a.mul(x.a), x.b.mul(x.b)
	if aa.sub(bb.add(bb)).sign() > 0 {
		return sa
	}
	return sb
}

// Cmp compares x with y.
func (x Number) Cmp(y Number) int { return x.Sub(y).Sign() }

// Float returns x as a double. Where a and b sqrt 2 nearly cancel, it divides by the
// conjugate instead. See docs/spec/tangram.md#r4.
func (x Number) Float() float64 {
	a := x.a.float()
	if x.b.zero() {
		return a
	}
	b := x.b.float()
	if b == 0 || math.Abs(a)+math.Abs(b) > 1e150 { // words never are
		f, _ := x.precise().Float64()
		return f
	}
	v := a + float64(b*math.Sqrt2)
	if math.Abs(v) >= 1e-3*math.Abs(a) {
		return v
	}
	bb := x.b.mul(x.b)
	norm := x.a.mul(x.a).sub(bb.add(bb))
	return norm.float() / (a - float64(b*math.Sqrt2))
}

// precise is x with 128 right bits or more: as many again as a and b sqrt 2 may
// cancel, which is bounded by the conjugate.
func (x Number) precise() *big.Float {
	prec := uint(192 + 4*x.Bits())
	f := func() *big.Float { return new(big.Float).SetPrec(prec) }
	a, b := f().SetRat(x.a.toBig()), f().SetRat(x.b.toBig())
	return a.Add(a, b.Mul(b, f().Sqrt(f().SetInt64(2))))
}

// rootFloat returns the double nearest to the square root of x >= 0, or infinity past
// the largest double. See docs/spec/tangram.md#r25.
func (x Number) rootFloat() float64 {
	if x.b.zero() && x.a.big == nil && x.a.d == 1 && x.a.n < 1<<53 {
		return math.Sqrt(float64(x.a.n)) // both roundings are right: the first does nothing
	}
	p := x.precise()
	r, _ := p.Sqrt(p).Float64()
	return r
}

// Root returns the square root of x >= 0; ok is false where it does not lie in K. See
// docs/spec/tangram.md#r25.
func (x Number) Root() (Number, bool) {
	if x.Sign() < 0 {
		return x, false
	}
	if x.b.zero() {
		if r, ok := x.a.root(); ok {
			return Number{r, whole(0)}, true
		}
		r, ok := x.a.quo(whole(2)).root()
		return Number{whole(0), r}, ok
	}
	bb := x.b.mul(x.b)
	n, ok := x.a.mul(x.a).sub(bb.add(bb)).root()
	if !ok {
		return x, false
	}
	for _, n := range [2]rat{n, n.neg()} {
		c, ok := x.a.add(n).quo(whole(2)).root()
		if !ok || c.zero() {
			continue
		}
		r := Number{c, x.b.quo(c.add(c))}
		if r.Sign() < 0 {
			r = r.Neg()
		}
		return r, true
	}
	return x, false
}

// Bits is about how many bits the number takes, a bound on the cost of
// computing with it.
func (x Number) Bits() int { return x.a.bits() + x.b.bits() }

// Words returns the number as (a + b sqrt 2) / d in words; ok is false where it
// does not fit.
func (x Number) Words() (a, b, d int64, ok bool) {
	if x.a.big != nil || x.b.big != nil {
		return 0, 0, 0, false
	}
	if x.a.d == x.b.d {
		return x.a.n, x.b.n, x.a.d, true
	}
	g := int64(gcd(uint64(x.a.d), uint64(x.b.d)))
	d, ok = times(x.a.d/g, x.b.d)
	a, ok1 := times(x.a.n, x.b.d/g)
	b, ok2 := times(x.b.n, x.a.d/g)
	return a, b, d, ok && ok1 && ok2
}

// Parts returns a and b as texts "n" or "n/d".
func (x Number) Parts() (a, b string) { return x.a.toBig().RatString(), x.b.toBig().RatString() }

// AppendLaTeX appends x in its canonical form. See docs/spec/tangram.md#r5.
func (x Number) AppendLaTeX(dst []byte) []byte {
	if x.b.zero() {
		return x.a.latex(dst, "")
	}
	if !x.a.zero() {
		dst = x.a.latex(dst, "")
		if x.b.sign() > 0 {
			dst = append(dst, '+')
		}
	}
	return x.b.latex(dst, `\sqrt{2}`)
}

// LaTeX is AppendLaTeX as a string.
func (x Number) LaTeX() string { return string(x.AppendLaTeX(nil)) }

// latex appends the number times a factor, "" for none.
func (x rat) latex(dst []byte, factor string) []byte {
	r := x.toBig()
	if r.Sign() < 0 {
		dst = append(dst, '-')
	}
	num, den := new(big.Int).Abs(r.Num()), r.Denom()
	top := num.String()
	if factor != "" {
		if top == "1" {
			top = ""
		}
		top += factor
	}
	if den.IsInt64() && den.Int64() == 1 {
		return append(dst, top...)
	}
	return append(append(append(append(append(dst, `\frac{`...), top...), "}{"...), den.String()...), '}')
}

// decimal is the rational number that a literal spells: digits with a point and
// an exponent.
func decimal(text []byte) (rat, bool) {
	var n int64
	scale, digits := 0, 0
	point := false
	for i, c := range text {
		switch {
		case c == '.':
			point = true
		case c == 'e' || c == 'E':
			e, err := strconv.Atoi(string(text[i+1:]))
			if err != nil {
				return rat{}, false
			}
			return shifted(text[:i], n, digits, e-scale), true
		default:
			if digits < 19 {
				n = n*10 + int64(c-'0')
			}
			if digits > 0 || c != '0' {
				digits++
			}
			if point {
				scale++
			}
		}
	}
	return shifted(text, n, digits, -scale), true
}

// shifted is the digits of text, n where they are at most 18, times 10^e.
func shifted(text []byte, n int64, digits, e int) rat {
	r := whole(n)
	if digits > 18 {
		all := make([]byte, 0, len(text))
		for _, c := range text {
			if c != '.' {
				all = append(all, c)
			}
		}
		i, _ := new(big.Int).SetString(string(all), 10)
		r = fromBig(new(big.Rat).SetInt(i))
	}
	switch {
	case e > 0:
		return r.mul(power10(e))
	case e < 0:
		return r.quo(power10(-e))
	}
	return r
}

func power10(e int) rat {
	if e <= 18 {
		p := int64(1)
		for range e {
			p *= 10
		}
		return whole(p)
	}
	return fromBig(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil)))
}
