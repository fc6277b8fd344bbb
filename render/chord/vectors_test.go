package chord

import (
	"math"
	"testing"

	"plumb/render/rastertest"
)

// canvas is the whole picture of a vector.
func canvas(v *rastertest.Vector) Rect { return Rect{0, 0, int32(v.W), int32(v.H)} }

// Chords before they are rounded to segments agree with the vectors'.
func TestVectors(t *testing.T) {
	n := 0
	for _, v := range rastertest.Vectors(t) {
		if len(v.Chords) == 0 {
			continue
		}
		n++
		var got [][4]float64
		c := Cutter{trace: func(q [4]int64) {
			got = append(got, [4]float64{float64(q[0]) / onePx, float64(q[1]) / onePx, float64(q[2]) / onePx, float64(q[3]) / onePx})
		}}
		segs := c.Append(nil, v.Draws[0].Filled(), canvas(&v), Reference)
		if len(segs) != len(got) {
			t.Errorf("%s: got %d segments of %d chords", v.ID, len(segs), len(got))
		}
		for i := range max(len(got), len(v.Chords)) {
			if i >= len(got) || i >= len(v.Chords) || far(got[i], v.Chords[i], 1e-4) {
				t.Errorf("%s: chord %d:\n got %v\nwant %v", v.ID, i, got, v.Chords)
				break
			}
			s := segs[i]
			if far([4]float64{float64(s.X0) / Unit, float64(s.Y0) / Unit, float64(s.X1) / Unit, float64(s.Y1) / Unit}, got[i], 0.5/Unit) {
				t.Errorf("%s: chord %v became segment %v", v.ID, got[i], s)
			}
		}
	}
	if n == 0 {
		t.Error("no vector has chords")
	}
}

func far(a, b [4]float64, tol float64) bool {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol) {
			return true
		}
	}
	return false
}
