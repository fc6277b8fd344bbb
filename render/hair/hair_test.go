package hair

import (
	"math"
	"slices"
	"testing"

	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/vector"
)

// row returns the coverage of one row of pixels.
func rowOf(c *scan.Coverage, y, width int) []int {
	out := make([]int, width)
	for _, s := range c.Spans {
		for i := range int(s.Width) {
			if int(s.Y) == y {
				out[int(s.X)+i] = 255
				if s.FirstByte != scan.Full {
					out[int(s.X)+i] = int(c.Bytes[int(s.FirstByte)+i])
				}
			}
		}
	}
	return out
}

// TestFrameBorder: the border and the body of a frame at (2.44, 1.68), as the
// browser drew them in one of the reference pictures.
func TestFrameBorder(t *testing.T) {
	all := chord.Rect{X1: 8, Y1: 8}
	var p vector.Path
	vector.Rect(&p, 2.44, 1.68, 40, 40)
	var border, body scan.Coverage
	h := Stroker{Style: Style{Strength: 255}}
	h.Add(&p, all)
	h.Take(&border, nil)
	scan.SharpRect(&body, [4]float32{2.44, 1.68, 40, 40}, all)
	for _, tc := range []struct {
		name string
		c    *scan.Coverage
		y    int
		want []int
	}{
		{"border, above", &border, 0, []int{0, 0, 0, 0, 0, 0, 0, 0}},
		{"border, top", &border, 1, []int{0, 4, 160, 211, 211, 211, 211, 211}},
		{"border, below", &border, 2, []int{0, 15, 241, 44, 44, 44, 44, 44}},
		{"border, left", &border, 3, []int{0, 15, 240, 0, 0, 0, 0, 0}},
		{"body, top", &body, 1, []int{0, 0, 46, 82, 82, 82, 82, 82}},
		{"body, inside", &body, 2, []int{0, 0, 144, 255, 255, 255, 255, 255}},
	} {
		if got := rowOf(tc.c, tc.y, 8); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v; want %v", tc.name, got, tc.want)
		}
	}
}

// TestHairlines: whatever its direction, a hairline of length n in its main
// direction covers n pixels in sum, less what clips take.
func TestHairlines(t *testing.T) {
	all := chord.Rect{X0: 0, Y0: 0, X1: 4000, Y1: 4000}
	for _, to := range []vector.Point{{X: 1100, Y: 100}, {X: 100, Y: 1700.5}, {X: 900.25, Y: 333}, {X: 140, Y: 130}, {X: 100.5, Y: 100.25}} {
		h := Stroker{Style: Style{Strength: 255}}
		h.clip = all
		h.line(vector.Point{X: 100, Y: 100}, to)
		var c scan.Coverage
		h.Take(&c, nil)
		sum := 0.0
		for _, b := range c.Bytes {
			sum += float64(b) / 255
		}
		want := max(math.Abs(float64(to.X-100)), math.Abs(float64(to.Y-100)))
		if math.Abs(sum-want) > 0.02+want/100 {
			t.Errorf("to %v: sum %.3f; want %.3f", to, sum, want)
		}
	}
}

// TestManyPlots: of a scribble with many plots only as many are kept as there are
// before they go to the plane, which is released.
func TestManyPlots(t *testing.T) {
	var p vector.Path
	for i := range 20_000 {
		q := vector.Point{X: float32(i%2) * 900, Y: float32(i % 7)}
		if i == 0 {
			p.MoveTo(q)
		} else {
			p.LineTo(q)
		}
	}
	h := Stroker{Style: Style{Strength: 128}}
	h.Add(&p, chord.Rect{X1: 1000, Y1: 10})
	var c scan.Coverage
	h.Take(&c, nil)
	if n := len(c.Bytes); n < 900 || n > 10_000 {
		t.Errorf("%d bytes of coverage; want at most one per px", n)
	}
	if n := cap(h.plots); n > 2*maxPlots || h.plane != nil {
		t.Errorf("%d plots are kept, plane %v; want at most %d and none", n, h.plane != nil, 2*maxPlots)
	}
}
