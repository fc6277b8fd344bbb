package paint

import (
	"math"
	"testing"
)

// The far side of a stroke's box is start + length in binary32. Of one draw of several it counts as beyond a whole
// unit where the sum is not exactly there, whether it comes out more or less.
func TestGrown(t *testing.T) {
	for _, c := range []struct {
		lo, hi, width, from float64
		ofSeveral, beyond   bool
	}{
		{-66, 93, 2, -67, true, false},
		{-65.9375, 93, 2, -66.9375, true, false},
		{float64(float32(-65.93)), 93, 2, float64(float32(-66.93)), true, true}, // the sum is less
		{float64(float32(-65.93)), 93, 2, float64(float32(-66.93)), false, false},
		{float64(float32(-75.01)), 122, 4, float64(float32(-77.01)), true, true}, // the sum is more
		{float64(float32(-75.01)), 122, 4, float64(float32(-77.01)), false, true},
	} {
		from, to := grown(c.lo, c.hi, c.width, c.ofSeveral)
		if want := c.hi + c.width/2; from != c.from || math.Abs(to-want) > 1e-4 || (to > want) != c.beyond {
			t.Errorf("%+v: got %v, %v; want %v, about %v", c, from, to, c.from, want)
		}
	}
}
