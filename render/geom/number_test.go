package geom

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// AsExportedNumber is within two units in the last place of the number, and its table gives the same as the
// sum of digits in AsExportedUnrounded.
func TestRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := float64(rapid.Int64Range(-4e9, 4e9).Draw(rt, "n")) / 1e4
		got := AsExportedNumber(v)
		if want := AsExportedUnrounded(v); got != want {
			rt.Errorf("%g: got %v from the table, %v from its digits", v, got, want)
		}
		ulp := math.Abs(float64(math.Nextafter32(float32(v), math.MaxFloat32)) - float64(float32(v)))
		if d := math.Abs(float64(got) - v); d > 2*ulp+1e-7 {
			rt.Errorf("%g: got %v, which is %g off", v, got, d)
		}
	})
}

// AsExportedUnrounded differs from correct rounding for these radii of discs.
func TestReadLastBits(t *testing.T) {
	for _, v := range []float64{2.9984015067899437, 7.9143154787724095, 8.354843587623193, 7.3163936054149135} {
		if r, d := AsExportedUnrounded(v), AsExportedUnrounded(2*v); d == 2*r {
			t.Errorf("%v: the diameter is twice the radius %v; want a last bit more or less", v, r)
		}
	}
	for _, v := range []float64{0, 1, -1, 0.5, 100, 4096.25, 1 << 23, 1e30, 1e300, math.Inf(1), math.Inf(-1)} {
		if AsExportedUnrounded(v) != float32(v) || AsExportedNumber(v) != float32(v) {
			t.Errorf("%v: got %v and %v", v, AsExportedUnrounded(v), AsExportedNumber(v))
		}
	}
}

// NaN stays NaN.
func TestReadNaN(t *testing.T) {
	for _, got := range []float32{AsExportedUnrounded(math.NaN()), AsExportedNumber(math.NaN())} {
		if !math.IsNaN(float64(got)) {
			t.Errorf("got %v; want NaN", got)
		}
	}
}
