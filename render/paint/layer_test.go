package paint

import "testing"

// The far side of a stroke's box counts as beyond a whole unit where start + length is not exactly there in
// binary32, whether the sum comes out more or less.
func TestGrown(t *testing.T) {
	for _, c := range []struct {
		lo, hi, width, from float64
		beyond              bool
	}{
		{-66, 93, 2, -67, false},
		{-65.9375, 93, 2, -66.9375, false},
		{float64(float32(-65.93)), 93, 2, float64(float32(-66.93)), true},  // the sum is less
		{float64(float32(-75.01)), 122, 4, float64(float32(-77.01)), true}, // the sum is more
	} {
		from, to := grown(c.lo, c.hi, c.width)
		if want := c.hi + c.width/2; from != c.from || to < want || to > want+1e-4 || (to > want) != c.beyond {
			t.Errorf("grown(%v, %v, %v) = %v, %v; want %v, %v, beyond it: %v", c.lo, c.hi, c.width, from, to, c.from, want, c.beyond)
		}
	}
}
