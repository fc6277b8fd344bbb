package published

import (
	"math"
	"strings"

	"plumb/scoring/pyjson"
)

// region is a part of the canvas that a prompt names, with its place in a grid
// of 3 x 3.
type region struct {
	name  string
	col   int
	row   int
	marks []string
}

// regions are searched for in this order, by plain substring: "bright" is right,
// "flower" is lower. See docs/spec/drawingbench.md#r41.
var regions = []region{
	{name: "top-left", col: 0, row: 0, marks: []string{"top-left", "upper-left", "top left"}},
	{name: "top-right", col: 2, row: 0, marks: []string{"top-right", "upper-right", "top right"}},
	{name: "bottom-left", col: 0, row: 2, marks: []string{"bottom-left", "lower-left", "bottom left"}},
	{name: "bottom-right", col: 2, row: 2, marks: []string{"bottom-right", "lower-right", "bottom right"}},
	{name: "center", col: 1, row: 1, marks: []string{"center", "middle", "centre"}},
	{name: "top", col: 1, row: 0, marks: []string{"top", "upper"}},
	{name: "bottom", col: 1, row: 2, marks: []string{"bottom", "lower"}},
	{name: "left", col: 0, row: 1, marks: []string{"left"}},
	{name: "right", col: 2, row: 1, marks: []string{"right"}},
}

// wanted returns the region of a prompt, nil for none.
func wanted(prompt string) *region {
	prompt = strings.ToLower(prompt)
	for i := range regions {
		for _, m := range regions[i].marks {
			if strings.Contains(prompt, m) {
				return &regions[i]
			}
		}
	}
	return nil
}

// centre of the region in canvas coordinates.
func (r *region) centre() (x, y float64) {
	thirds := func(k int, size float64) float64 {
		switch k {
		case 0:
			return size / 6
		case 1:
			return size / 2
		}
		return size - size/6
	}
	return thirds(r.col, width), thirds(r.row, height)
}

// accuracy is 1 less the distance of the presses' centroid from the region's
// centre over the canvas's diagonal, at least 0; 0 without any press on the canvas.
// See docs/spec/drawingbench.md#r42.
func (r *region) accuracy(acts []action) float64 {
	var sx, sy float64
	var last *action // nil until there was one with a place
	n := 0
	for i := range acts {
		switch a := &acts[i]; a.kind {
		case moveTo:
			if a.both() && a.x.Kind != pyjson.None && a.y.Kind != pyjson.None {
				last = a
			}
		case mouseDown:
			if last == nil {
				continue
			}
			x := number(last.x)
			if left <= x && x < left+width {
				if y := number(last.y); top <= y && y < top+height { // looked at only here
					sx, sy, n = sx+(x-left), sy+(y-top), n+1
				}
			}
		}
	}
	if n == 0 {
		return 0
	}
	return r.near(sx/float64(n), sy/float64(n))
}

// RegionAccuracy is the same for any place in canvas px; ok is false where the
// prompt names no region.
func RegionAccuracy(prompt string, x, y float64) (accuracy float64, ok bool) {
	r := wanted(prompt)
	if r == nil {
		return 0, false
	}
	return r.near(x, y), true
}

// near is how near a place is to the region's centre: 1 there.
func (r *region) near(x, y float64) float64 {
	cx, cy := r.centre()
	dx, dy := x-cx, y-cy
	d := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	return max(0, 1-d/math.Sqrt(width*width+height*height))
}
