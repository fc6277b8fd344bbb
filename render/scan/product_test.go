package scan

import (
	"slices"
	"testing"
)

// TestProduct multiplies spans of both kinds.
func TestProduct(t *testing.T) {
	a := Coverage{Spans: []Span{{X: 0, Y: 1, N: 6, At: Full}, {X: 0, Y: 2, N: 4, At: 0}, {X: 0, Y: 4, N: 2, At: Full}},
		Bytes: []byte{255, 100, 50, 7}}
	b := Coverage{Spans: []Span{{X: 0, Y: 0, N: 9, At: Full}, {X: 2, Y: 1, N: 2, At: Full}, {X: 4, Y: 1, N: 9, At: 0}, {X: 1, Y: 2, N: 3, At: 1}},
		Bytes: []byte{128, 128, 255, 0, 1, 2, 3, 4, 5}}
	var c Coverage
	Product(&c, &a, &b)
	for y, want := range [][]int{{0, 0, 0, 0, 0, 0}, {0, 0, 255, 255, 128, 128}, {0, 50, 50, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}} {
		if got := rowOf(&c, y, 6); !slices.Equal(got, want) {
			t.Errorf("row %d: got %v; want %v", y, got, want)
		}
	}
}

// rowOf returns the coverage of one row of pixels.
func rowOf(c *Coverage, y, width int) []int {
	out := make([]int, width)
	for _, s := range c.Spans {
		for i := range int(s.N) {
			if int(s.Y) == y {
				out[int(s.X)+i] = 255
				if s.At != Full {
					out[int(s.X)+i] = int(c.Bytes[int(s.At)+i])
				}
			}
		}
	}
	return out
}
