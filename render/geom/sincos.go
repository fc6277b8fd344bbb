package geom

import (
	"math"
	"math/big"
	"sync"
)

// sincosBits is the precision of what Sincos computes with: twice that of binary64, what reducing a large
// angle costs, and some to spare.
const sincosBits = 200

// halfPi is π/2, to more than sincosBits.
var halfPi = sync.OnceValue(func() *big.Float {
	pi, _, err := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459", 10, sincosBits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return pi.Quo(pi, big.NewFloat(2))
})

// Sincos returns the sine and the cosine of an angle in radians, each the binary64 next to the true value,
// as the browser has them. math.Sincos is now and then the one beside it, which matters where the last bits
// of a sum decide. It is slow. Angles beyond 2^20 are left to math.Sincos.
func Sincos(angle float64) (sin, cos float64) {
	if !(math.Abs(angle) < 1<<20) || angle == 0 {
		return math.Sincos(angle)
	}
	number := func() *big.Float { return new(big.Float).SetPrec(sincosBits) }
	quarters := math.Round(angle / (math.Pi / 2))
	rest := number().SetFloat64(angle)
	rest.Sub(rest, number().Mul(halfPi(), big.NewFloat(quarters))) // at most about π/4
	// Taylor's series: term is rest^n / n!, with the signs of both series.
	s, c := number(), number()
	for n, term := 0, number().SetInt64(1); n < 60; n++ {
		sum := c
		if n%2 == 1 {
			sum = s
		}
		if n%4 < 2 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		term.Quo(term.Mul(term, rest), number().SetInt64(int64(n+1)))
	}
	sin, _ = s.Float64()
	cos, _ = c.Float64()
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
