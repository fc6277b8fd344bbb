package field

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// rat is a rational number n/d in lowest terms with d > 0, in int64 if it fits and as a big.Rat
// otherwise. The zero value is not a valid number: use integer. A rat is immutable.
type rat struct {
	n, d int64
	big  *big.Rat // set if it does not fit; n and d are then 0
}

// integer returns the rational number n.
func integer(n int64) rat { return rat{n: n, d: 1} }

// maxInt is the largest magnitude of n and d, so that negation cannot overflow.
const maxInt = math.MaxInt64

// toBig returns a rational number as a big.Rat, which the caller must not change.
func (x rat) toBig() *big.Rat {
	if x.big != nil {
		return x.big
	}
	return big.NewRat(x.n, x.d)
}

// fromBig converts a big.Rat to a rational number, which is kept in int64s where it fits. The
// caller must not change r afterwards.
func fromBig(r *big.Rat) rat {
	// The smallest int64 stays big, because its negative does not fit.
	if r.Num().IsInt64() && r.Denom().IsInt64() && r.Num().Int64() != math.MinInt64 {
		return rat{n: r.Num().Int64(), d: r.Denom().Int64()}
	}
	return rat{big: r}
}

// gcd returns the greatest common divisor of a rational's numerator and denominator.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// abs returns the magnitude of a rational's numerator or denominator.
func abs(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// mulInt returns a*b of numerators or denominators; ok is false on overflow, after which big
// numbers are used.
func mulInt(a, b int64) (p int64, ok bool) {
	if (a|b)>>31 == 0 { // both are small and not negative, the usual case
		return a * b, true
	}
	hi, lo := bits.Mul64(abs(a), abs(b))
	if hi != 0 || lo > maxInt {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

// addInt returns a+b of numerators; ok is false on overflow, after which big numbers are used.
func addInt(a, b int64) (sum int64, ok bool) {
	sum = a + b
	// numbers of different signs cannot overflow; else the sum must have their sign
	return sum, (a < 0) != (b < 0) || (sum < 0) == (a < 0) && sum != math.MinInt64
}

// ratio returns the rational number n/d in lowest terms. d must not be 0.
func ratio(n, d int64) rat {
	if d < 0 {
		n, d = -n, -d
	}
	if d == 1 {
		return rat{n: n, d: 1}
	}
	if divisor := int64(gcd(abs(n), uint64(d))); divisor > 1 {
		n, d = n/divisor, d/divisor
	}
	return rat{n: n, d: d}
}

// add returns the exact sum of two rational numbers, in int64s if all intermediate results fit,
// else with big numbers.
func (x rat) add(y rat) rat {
	if x.big == nil && y.big == nil {
		if x.d == 1 && y.d == 1 {
			if sum, ok := addInt(x.n, y.n); ok {
				return rat{n: sum, d: 1}
			}
		}
		numX, ok1 := mulInt(x.n, y.d)
		numY, ok2 := mulInt(y.n, x.d)
		den, ok3 := mulInt(x.d, y.d)
		if sum, ok := addInt(numX, numY); ok && ok1 && ok2 && ok3 {
			return ratio(sum, den)
		}
	}
	return fromBig(new(big.Rat).Add(x.toBig(), y.toBig()))
}

// neg returns the rational -x.
func (x rat) neg() rat {
	if x.big != nil {
		return rat{big: new(big.Rat).Neg(x.big)}
	}
	return rat{n: -x.n, d: x.d}
}

func (x rat) sub(y rat) rat { return x.add(y.neg()) }

// mul returns the exact product of two rational numbers, in int64s if that fits, else with big
// numbers.
func (x rat) mul(y rat) rat {
	if x.big == nil && y.big == nil {
		num, ok1 := mulInt(x.n, y.n)
		den, ok2 := mulInt(x.d, y.d)
		if ok1 && ok2 {
			return ratio(num, den)
		}
	}
	return fromBig(new(big.Rat).Mul(x.toBig(), y.toBig()))
}

// quo returns the exact quotient x/y of two rational numbers. y must not be 0.
func (x rat) quo(y rat) rat {
	switch {
	case y.big != nil:
		return x.mul(fromBig(new(big.Rat).Inv(y.big)))
	case y.n < 0:
		return x.mul(rat{n: -y.d, d: -y.n})
	}
	return x.mul(rat{n: y.d, d: y.n})
}

// sign returns the sign of a rational: -1, 0 or 1.
func (x rat) sign() int {
	if x.big != nil {
		return x.big.Sign()
	}
	return cmp.Compare(x.n, 0)
}

func (x rat) zero() bool { return x.big == nil && x.n == 0 }

// float returns the double that is nearest to the rational number x.
func (x rat) float() float64 {
	if x.big != nil {
		f, _ := x.big.Float64()
		return f
	}
	if x.d == 1 {
		return float64(x.n)
	}
	if abs(x.n) < 1<<53 && x.d < 1<<53 { // both are exact doubles, so the division rounds once
		return float64(x.n) / float64(x.d)
	}
	f, _ := x.toBig().Float64()
	return f
}

// sqrt returns the square root of the rational number x. ok is false if the root is not rational.
func (x rat) sqrt() (rat, bool) {
	if x.sign() < 0 {
		return rat{}, false
	}
	if x.big == nil {
		n, ok1 := sqrtInt(x.n)
		d, ok2 := sqrtInt(x.d)
		return rat{n: n, d: d}, ok1 && ok2
	}
	n, d := new(big.Int).Sqrt(x.big.Num()), new(big.Int).Sqrt(x.big.Denom())
	if new(big.Int).Mul(n, n).Cmp(x.big.Num()) != 0 || new(big.Int).Mul(d, d).Cmp(x.big.Denom()) != 0 {
		return rat{}, false
	}
	return fromBig(new(big.Rat).SetFrac(n, d)), true
}

// sqrtInt returns the integer square root of n, a rational's numerator or denominator, and whether
// n is a perfect square. n must not be negative.
func sqrtInt(n int64) (int64, bool) {
	root := int64(math.Sqrt(float64(n)))
	// The root of the double may be off by one or more. Compare by division where a square could overflow.
	for root > 0 && root > maxInt/root || root*root > n {
		root--
	}
	for (root+1) <= maxInt/(root+1) && (root+1)*(root+1) <= n {
		root++
	}
	return root, root*root == n
}

// equal reports whether two rationals are equal.
func (x rat) equal(y rat) bool {
	if x.big == nil && y.big == nil {
		return x == y
	}
	return x.sub(y).zero()
}

// bits returns about how many bits the rational x takes, which bounds how large numbers grow.
func (x rat) bits() int {
	if x.big == nil {
		return 64
	}
	return x.big.Num().BitLen() + x.big.Denom().BitLen()
}
