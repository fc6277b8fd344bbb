package geom

import (
	"math"
	"testing"
)

// TestSincos holds sines and cosines to true values, rounded, at angles at which math.Sincos is the number beside
// one of them, in every quarter, and to math.Sincos within its error elsewhere.
func TestSincos(t *testing.T) {
	for _, tc := range []struct{ angle, sin, cos float64 }{
		{-6.244, 0.03917527985268357, 0.9992323540841058},
		{-4.368, 0.941281921724398, -0.33762159859052915},
		{-2.513, -0.5880070002674809, -0.808855838599462},
		{-0.84, -0.7446431199708593, 0.6674628258413081},
		{0.763, 0.6910928497368356, 0.7227659877461166},
		{1.561, 0.9999520163744068, 0.009796170106636403},
		{2.443, 0.64314065170999, -0.7657480670024897},
		{4.249, -0.8945428233183756, -0.44698225607913045},
		{5.208, -0.8796782919315044, 0.47556924070472734},
	} {
		if sin, cos := Sincos(tc.angle); sin != tc.sin || cos != tc.cos {
			t.Errorf("%v: got %v, %v; want %v, %v", tc.angle, sin, cos, tc.sin, tc.cos)
		}
	}
	for i := -3000; i <= 3000; i++ {
		angle := float64(i) / 97
		sin, cos := Sincos(angle)
		if s, c := math.Sincos(angle); math.Abs(s-sin) > 1e-15 || math.Abs(c-cos) > 1e-15 {
			t.Errorf("%v: got %v, %v; want about %v, %v", angle, sin, cos, s, c)
		}
	}
	for _, angle := range []float64{0, 1 << 20, 1e300, math.Inf(1), math.NaN()} { // left to math.Sincos
		sin, cos := Sincos(angle)
		if s, c := math.Sincos(angle); math.Float64bits(s) != math.Float64bits(sin) || math.Float64bits(c) != math.Float64bits(cos) {
			t.Errorf("%v: got %v, %v; want %v, %v", angle, sin, cos, s, c)
		}
	}
}
