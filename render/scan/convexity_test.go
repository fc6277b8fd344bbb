package scan

import (
	"testing"

	"plumb/render/vector"
)

// A path is convex where the browser's test says so (docs/spec/raster.md#r17): where all turns go one
// way, x and y change their direction rarely enough, 0 counts as forwards, and at most two sides go
// straight back.
func TestIsConvex(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []vector.Point
		want   bool
	}{
		{"a square", []vector.Point{{X: 0, Y: 0}, {X: 9, Y: 0}, {X: 9, Y: 9}, {X: 0, Y: 9}}, true},
		{"a square the other way round", []vector.Point{{X: 0, Y: 9}, {X: 9, Y: 9}, {X: 9, Y: 0}, {X: 0, Y: 0}}, true},
		{"a corner inwards", []vector.Point{{X: 0, Y: 0}, {X: 9, Y: 0}, {X: 4, Y: 4}, {X: 0, Y: 9}}, false},
		{"a star of five points, all of whose turns go one way", []vector.Point{{X: 50, Y: 5}, {X: 76, Y: 86}, {X: 7, Y: 36}, {X: 93, Y: 36}, {X: 24, Y: 86}}, false},
		{"a square with a side that goes back and forth in x", []vector.Point{{X: 0, Y: 0}, {X: 9, Y: 0}, {X: 4, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 9}, {X: 0, Y: 9}}, false},
		{"a square with a side that goes back and forth in y", []vector.Point{{X: 0, Y: 0}, {X: 0, Y: 9}, {X: 0, Y: 4}, {X: 0, Y: 10}, {X: 9, Y: 10}, {X: 9, Y: 0}}, false},
		{"two sides straight back, the same way round", []vector.Point{{X: 0, Y: 1}, {X: 1, Y: 2}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 1}}, true},
		{"three sides straight back", []vector.Point{{X: 0, Y: 0}, {X: 0, Y: 1}, {X: 2, Y: 1}, {X: 0, Y: 1}, {X: 0, Y: 2}}, false},
	} {
		p := new(vector.Path)
		p.MoveTo(c.points[0])
		for _, q := range c.points[1:] {
			p.LineTo(q)
		}
		p.Close()
		if got := isConvex(p); got != c.want {
			t.Errorf("%s: got %v; want %v", c.name, got, c.want)
		}
		p.MoveTo(vector.Point{X: 1, Y: 1}) // after it nothing is drawn
		p.MoveTo(vector.Point{X: 2, Y: 1})
		if got := isConvex(p); got != c.want {
			t.Errorf("%s, with moves behind it: got %v; want %v", c.name, got, c.want)
		}
	}
}
