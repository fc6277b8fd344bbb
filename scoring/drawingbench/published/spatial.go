package published

import (
	"math"
	"strings"

	"plumb/scoring/pyjson"
)

// region is a part of the canvas that a prompt can name: a cell of a grid of 3 x 3.
type region struct {
	name  string
	col   int      // the third of the width, from the left: 0, 1 or 2
	row   int      // the third of the height, from the top
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

// namedRegion returns the region of the canvas that a task's prompt names, such as "upper left": the
// first one in the order of the list, or nil if it names none.
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

// centre returns the centre of a region of the canvas, such as "top left", in canvas px.
func (region *region) centre() (x, y float64) {
	centreOfThird := func(third int, size float64) float64 {
		switch third {
		case 0: // the left or upper one
			return size / 6
		case 1:
			return size / 2
		}
		return size - size/6
	}
	return centreOfThird(region.col, width), centreOfThird(region.row, height)
}

// accuracy returns spatial_accuracy, from 0 to 1: how near the centroid of all presses on
// the canvas is to the region's centre; 0 without any. A press is where the last moveTo with
// coordinates went. See docs/spec/drawingbench.md#r42.
func (region *region) accuracy(acts []action) float64 {
	var sumX, sumY float64
	var last *action // the last moveTo with coordinates, nil before the first
	presses := 0
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
			x := pyNumber(last.x)
			if left <= x && x < left+width {
				y := pyNumber(last.y) // read only here, as it may panic
				if top <= y && y < top+height {
					sumX, sumY, presses = sumX+(x-left), sumY+(y-top), presses+1
				}
			}
		}
	}
	if presses == 0 {
		return 0
	}
	return region.nearness(sumX/float64(presses), sumY/float64(presses))
}

// RegionAccuracy returns how near a point in canvas px is to the region that a prompt names,
// as spatial_accuracy measures it. ok is false where the prompt names no region.
func RegionAccuracy(prompt string, x, y float64) (accuracy float64, ok bool) {
	region := namedRegion(prompt)
	if region == nil {
		return 0, false
	}
	return region.nearness(x, y), true
}

// nearness returns 1 minus the distance of a point in canvas px from the region's centre, in
// diagonals of the canvas; at least 0.
func (region *region) nearness(x, y float64) float64 {
	cx, cy := region.centre()
	dx, dy := x-cx, y-cy
	distance := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	return max(0, 1-distance/math.Sqrt(width*width+height*height))
}
