package scan

import (
	"slices"
	"testing"
)

// TestProduct multiplies spans of both kinds.
func TestProduct(t *testing.T) {
	a := Coverage{Spans: []Span{{X: 0, Y: 1, Width: 6, FirstByte: Full}, {X: 0, Y: 2, Width: 4, FirstByte: 0}, {X: 0, Y: 4, Width: 2, FirstByte: Full}},
		Bytes: []byte{255, 100, 50, 7}}
	b := Coverage{Spans: []Span{{X: 0, Y: 0, Width: 9, FirstByte: Full}, {X: 2, Y: 1, Width: 2, FirstByte: Full}, {X: 4, Y: 1, Width: 9, FirstByte: 0}, {X: 1, Y: 2, Width: 3, FirstByte: 1}},
		Bytes: []byte{128, 128, 255, 0, 1, 2, 3, 4, 5}}
	var c Coverage
	Product(&c, &a, &b)
	for y, want := range [][]int{{0, 0, 0, 0, 0, 0}, {0, 0, 255, 255, 128, 128}, {0, 50, 50, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}} {
		if got := rowOf(&c, y, 6); !slices.Equal(got, want) {
			t.Errorf("row %d: got %v; want %v", y, got, want)
		}
	}
}

// Spans of a path on other rows, and spans that overlap in part, are multiplied at their own places.
func TestProductPlaces(t *testing.T) {
	ramp := []byte{10, 20, 30, 40, 50, 60, 70, 80}
	a := Coverage{Spans: []Span{{X: 20, Y: 1, Width: 4, FirstByte: Full}, {X: 2, Y: 2, Width: 3, FirstByte: Full}, {X: 5, Y: 3, Width: 8, FirstByte: 0}}, Bytes: ramp}
	b := Coverage{Spans: []Span{{X: 0, Y: 2, Width: 5, FirstByte: Full}, {X: 7, Y: 3, Width: 4, FirstByte: Full}}}
	for _, pair := range [][2]*Coverage{{&a, &b}, {&b, &a}} {
		var c Coverage
		first, count := Product(&c, pair[0], pair[1])
		if first != 0 || count != 2 {
			t.Errorf("got %d spans from %d on; want 2", count, first)
		}
		for y, want := range map[int][]int{1: make([]int, 13), 2: {2: 255, 3: 255, 4: 255, 12: 0}, 3: {7: 30, 8: 40, 9: 50, 10: 60, 12: 0}} {
			if got := rowOf(&c, y, 13); !slices.Equal(got, want) {
				t.Errorf("row %d: got %v; want %v", y, got, want)
			}
		}
	}
}

// rowOf returns the coverage of one row of pixels.
func rowOf(c *Coverage, y, width int) []int {
	out := make([]int, width)
	for _, s := range c.Spans {
		for i := range int(s.Width) {
			if int(s.Y) == y {
				out[int(s.X)+i] = 255
				if s.FirstByte != Full {
					out[int(s.X)+i] = int(c.Bytes[int(s.FirstByte)+i])
				}
			}
		}
	}
	return out
}
