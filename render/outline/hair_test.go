package outline

import (
	"math"
	"slices"
	"testing"

	"plumb/render/chord"
	"plumb/render/path"
	"plumb/render/scan"
)

// row returns the coverage of one row of pixels.
func rowOf(c *scan.Coverage, y, width int) []int {
	out := make([]int, width)
	for _, s := range c.Spans {
		for i := range int(s.N) {
			if int(s.Y) == y {
				out[int(s.X)+i] = 255
				if s.At != scan.Full {
					out[int(s.X)+i] = int(c.Bytes[int(s.At)+i])
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
	var p path.Path
	rectangle(&p, 2.44, 1.68, 40, 40)
	var border, body scan.Coverage
	h := hair{part: 255}
	h.outline(&p, all)
	h.take(&border, nil)
	sharpRect(&body, [4]float32{2.44, 1.68, 40, 40}, all)
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
	for _, to := range []path.Point{{X: 1100, Y: 100}, {X: 100, Y: 1700.5}, {X: 900.25, Y: 333}, {X: 140, Y: 130}, {X: 100.5, Y: 100.25}} {
		h := hair{part: 255}
		h.clip = all
		h.line(path.Point{X: 100, Y: 100}, to)
		var c scan.Coverage
		h.take(&c, nil)
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

// TestHatchTile compares the tile of 8 px with what was found in the reference
// pictures: how much of the pattern's colour shows, in 1/255.
func TestHatchTile(t *testing.T) {
	want := map[[2]int]int{
		{1, 0}: 57, {2, 0}: 101, {0, 1}: 94, {1, 1}: 162, {0, 2}: 44, {4, 3}: 239, {3, 4}: 236,
		{7, 5}: 49, {6, 6}: 171, {7, 6}: 85, {5, 7}: 106, {6, 7}: 52,
	}
	tile := tileOf(path.Identity)
	for y := range tile.side {
		for x := range tile.side {
			if got := 255 - int(tile.alpha[y*tile.side+x]); max(got-want[[2]int{x, y}], want[[2]int{x, y}]-got) > 5 {
				t.Errorf("(%d, %d): got %d; want %d", x, y, got, want[[2]int{x, y}])
			}
		}
	}
	if got := tileOf(path.Matrix{A: 1.63, D: 1.63}).side; got != 14 {
		t.Errorf("at 1.63 px a unit: side %d; want 14", got)
	}
	if tileOf(path.Matrix{A: 1e9, D: 1e9}) != nil {
		t.Error("a huge tile is drawn")
	}
}

// TestProduct multiplies spans of both kinds.
func TestProduct(t *testing.T) {
	a := scan.Coverage{Spans: []scan.Span{{X: 0, Y: 1, N: 6, At: scan.Full}, {X: 0, Y: 2, N: 4, At: 0}, {X: 0, Y: 4, N: 2, At: scan.Full}},
		Bytes: []byte{255, 100, 50, 7}}
	b := scan.Coverage{Spans: []scan.Span{{X: 0, Y: 0, N: 9, At: scan.Full}, {X: 2, Y: 1, N: 2, At: scan.Full}, {X: 4, Y: 1, N: 9, At: 0}, {X: 1, Y: 2, N: 3, At: 1}},
		Bytes: []byte{128, 128, 255, 0, 1, 2, 3, 4, 5}}
	var c scan.Coverage
	product(&c, &a, &b)
	for y, want := range [][]int{{0, 0, 0, 0, 0, 0}, {0, 0, 255, 255, 128, 128}, {0, 50, 50, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}} {
		if got := rowOf(&c, y, 6); !slices.Equal(got, want) {
			t.Errorf("row %d: got %v; want %v", y, got, want)
		}
	}
}
