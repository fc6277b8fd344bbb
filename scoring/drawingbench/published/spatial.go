package published

import (
	"math"
	"strings"

	"plumb/scoring/pyjson"
)

// region is a part of the canvas that a prompt can name: a cell of a grid of 3 x 3.
type region struct {
	name  string
	col   int
	row   int
	words []string // any of them in the prompt names it
}

// regions are searched for in this order, and their words anywhere in the prompt, even inside
// of other words: "bright" is right, "flower" is lower. See docs/spec/drawingbench.md#r41.
var regions = []region{
	{name: "top-left", col: 0, row: 0, words: []string{"top-left", "upper-left", "top left"}},
	{name: "top-right", col: 2, row: 0, words: []string{"top-right", "upper-right", "top right"}},
	{name: "bottom-left", col: 0, row: 2, words: []string{"bottom-left", "lower-left", "bottom left"}},
	{name: "bottom-right", col: 2, row: 2, words: []string{"bottom-right", "lower-right", "bottom right"}},
	{name: "center", col: 1, row: 1, words: []string{"center", "middle", "centre"}},
	{name: "top", col: 1, row: 0, words: []string{"top", "upper"}},
	{name: "bottom", col: 1, row: 2, words: []string{"bottom", "lower"}},
	{name: "left", col: 0, row: 1, words: []string{"left"}},
	{name: "right", col: 2, row: 1, words: []string{"right"}},
}

// namedRegion returns the region that a task's prompt names, nil if it names none.
func namedRegion(prompt string) *region {
	prompt = strings.ToLower(prompt)
	for i := range regions {
		for _, w := range regions[i].words {
			if strings.Contains(prompt, w) {
				return &regions[i]
			}
		}
	}
	return nil
}

// centre returns the centre of the region in canvas px.
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

// accuracy returns spatial_accuracy, 0..1: the nearness of the centroid of all presses to the
// region's centre; 0 without any press on the canvas. A press is where the last moveTo with
// coordinates went. See docs/spec/drawingbench.md#r42.
func (r *region) accuracy(acts []action) float64 {
	var sx, sy float64
	var last *action // the last moveTo with coordinates, nil before the first
	n := 0
	for i := range acts {
		switch a := &acts[i]; a.kind {
		case moveTo:
			if a.hasPoint() && a.x.Kind != pyjson.None && a.y.Kind != pyjson.None {
				last = a
			}
		case mouseDown:
			if last == nil {
				continue
			}
			x := number(last.x)
			if left <= x && x < left+width {
				y := number(last.y) // read only here, as it may panic
				if top <= y && y < top+height {
					sx, sy, n = sx+(x-left), sy+(y-top), n+1
				}
			}
		}
	}
	if n == 0 {
		return 0
	}
	return r.nearness(sx/float64(n), sy/float64(n))
}

// RegionAccuracy returns how near a point in canvas px is to the region that a prompt names, by
// the measure of spatial_accuracy. ok is false where the prompt names no region.
func RegionAccuracy(prompt string, x, y float64) (accuracy float64, ok bool) {
	r := namedRegion(prompt)
	if r == nil {
		return 0, false
	}
	return r.nearness(x, y), true
}

// nearness returns 1 less the distance of a point in canvas px from the region's centre, in
// diagonals of the canvas; at least 0.
func (r *region) nearness(x, y float64) float64 {
	cx, cy := r.centre()
	dx, dy := x-cx, y-cy
	d := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	return max(0, 1-d/math.Sqrt(width*width+height*height))
}
