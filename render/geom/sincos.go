package geom

import (
	"math"
	"math/big"
	"sync"
)

// sincosBits is the precision of what Sincos computes with: twice that of binary64, what reducing a large
// angle costs, and some to spare.
const sincosBits = 200

// halfPi returns π/2, rounded to sincosBits from decimals that are a little longer.
var halfPi = sync.OnceValue(func() *big.Float {
	pi, _, err := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459", 10, sincosBits, big.ToNearestEven)
	if err != nil {
		panic("BUG: cannot read the decimals of pi: " + err.Error())
	}
	return pi.Quo(pi, big.NewFloat(2))
})

// mostExactAngle is the greatest angle in radians that Sincos computes with many digits. No shape is turned
// further.
const mostExactAngle = 1 << 20

// sincosTerms is how many terms of the series Sincos adds: the last one is far below the last of sincosBits.
const sincosTerms = 60

// Sincos returns the sine and the cosine of an angle in radians, each rounded correctly to binary64, as in
// the browser. The results of math.Sincos are sometimes off by the last bit, which matters where the last
// bits of a sum decide. Sincos computes with big numbers and is slow. Angles beyond mostExactAngle are left
// to math.Sincos.
func Sincos(angle float64) (sin, cos float64) {
	if !(math.Abs(angle) < mostExactAngle) || angle == 0 {
		return math.Sincos(angle)
	}
	number := func() *big.Float { return new(big.Float).SetPrec(sincosBits) }
	// Take away quarter turns, until the rest is at most about π/4.
	quarters := math.Round(angle / (math.Pi / 2))
	rest := number().SetFloat64(angle)
	rest.Sub(rest, number().Mul(halfPi(), big.NewFloat(quarters)))
	// Taylor's series of the rest: its terms are rest^n / n!. Even n belong to the cosine and odd n to the
	// sine; in each of both the signs alternate.
	sinSum, cosSum := number(), number()
	for n, term := 0, number().SetInt64(1); n < sincosTerms; n++ {
		sum := cosSum
		if n%2 == 1 {
			sum = sinSum
		}
		if n%4 < 2 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		term.Quo(term.Mul(term, rest), number().SetInt64(int64(n+1)))
	}
	sin, _ = sinSum.Float64()
	cos, _ = cosSum.Float64()
	// Turn the result by the quarters that were taken away.
	switch int64(quarters) & 3 {
	case 1:
		sin, cos = cos, -sin
	case 2:
		sin, cos = -sin, -cos
	case 3:
		sin, cos = -cos, sin
	}
	return sin, cos
}
