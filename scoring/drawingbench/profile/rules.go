package profile

import (
	"math"
	"slices"

	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
)

// canvasArea is the number of pixels of the app's canvas.
const canvasArea = layout.Width * layout.Height

// Answer is an answer whose actions were evaluated and drawn, with what its task demands.
type Answer struct {
	Evaluation *published.Evaluation
	Picture    *replay.Picture
	Demand     Demand
}

// visibleElements returns the elements of the DrawingBench picture that changed a pixel. An element is what
// one drag of the mouse, or one click, has drawn.
func visibleElements(picture *replay.Picture) (list []*replay.Element) {
	for i := range picture.Elements {
		if picture.Elements[i].Painted.Changed > 0 {
			list = append(list, &picture.Elements[i])
		}
	}
	return list
}

// countErrors returns how many errors and warnings of one type the published evaluator has found in
// the answer.
func (answer *Answer) countErrors(wanted string) (n int) {
	for _, errorType := range answer.Evaluation.ErrorTypes() {
		if errorType == wanted {
			n++
		}
	}
	return n
}

// boxCoverage returns the area of the box around all pixels that are not white, as a share of
// the canvas, 0..1.
func boxCoverage(picture *replay.Picture) float64 {
	box := picture.Stats.Box
	return float64(box.Dx()*box.Dy()) / canvasArea
}

// positionMet reports whether the drawing meets the task's position constraint; true without
// one, false for an empty drawing. Words for a side are about the first visible element,
// corners about all quadrants, other words about the centroid of ink. See
// docs/spec/drawingbench.md#r73.
func (answer *Answer) positionMet() bool {
	constraint := answer.Demand.Position
	if constraint == nil {
		return true
	}
	elements := visibleElements(answer.Picture)
	if len(elements) == 0 {
		return false
	}
	const midX, midY = layout.Width / 2.0, layout.Height / 2.0
	switch constraint.Where {
	case "":
		return constraint.holdsAll(elements)
	case "corners":
		return allPositive(answer.Picture.Stats.Quadrants)
	case "above", "below", "left", "right":
		firstBox := elements[0].Painted.Box
		x, y := float64(firstBox.Min.X+firstBox.Max.X)/2, float64(firstBox.Min.Y+firstBox.Max.Y)/2
		met := map[string]bool{"above": y < midY, "below": y > midY, "left": x < midX, "right": x > midX}
		return met[constraint.Where]
	}
	x, y, ok := inkCentroid(answer.Picture)
	if !ok {
		return false
	}
	if constraint.Where == "center" {
		const left, right, top, bottom = 400, 600, 280, 420 // the middle fifth of width and height, px
		return x >= left && x <= right && y >= top && y <= bottom
	}
	vertical, horizontal := "bottom", "right"
	if y < midY {
		vertical = "top"
	}
	if x < midX {
		horizontal = "left"
	}
	return vertical+"-"+horizontal == constraint.Where
}

// holdsAll reports whether all pixels that the elements painted lie within XMax and YMax, the largest
// screen coordinates, in px, that the task allows; nil is no limit. Painted boxes are in px of the
// canvas and end after their last pixel. layout says where the canvas lies on the screen.
func (position *Position) holdsAll(elements []*replay.Element) bool {
	for _, element := range elements {
		end := element.Painted.Box.Max
		right, bottom := float64(end.X+layout.Left), float64(end.Y+layout.Top)
		if position.XMax != nil && right > *position.XMax || position.YMax != nil && bottom > *position.YMax {
			return false
		}
	}
	return true
}

// sizeMet reports whether some drawn element has the size that the task wants, without the
// width of its strokes; true without a size constraint. See docs/spec/drawingbench.md#r74.
func (answer *Answer) sizeMet() bool {
	want := answer.Demand.Size
	return want == nil || slices.ContainsFunc(visibleElements(answer.Picture), func(element *replay.Element) bool {
		left, top, right, bottom := element.Box[0], element.Box[1], element.Box[2], element.Box[3]
		return math.Abs(right-left-want.Width) <= want.Tolerance && math.Abs(bottom-top-want.Height) <= want.Tolerance
	})
}

// allPositive reports whether none of the four counts of pixels is 0.
func allPositive(counts [4]int) bool { return !slices.Contains(counts[:], 0) }

// inkCentroid returns the mean position of ink in the picture, in pixel indices. ok is false
// where there is no ink.
func inkCentroid(picture *replay.Picture) (x, y float64, ok bool) {
	stats := &picture.Stats
	if stats.InkSum == 0 {
		return 0, 0, false
	}
	return float64(stats.InkX) / float64(stats.InkSum), float64(stats.InkY) / float64(stats.InkSum), true
}

// toolPainted reports whether a tool changed a pixel of the picture.
func toolPainted(picture *replay.Picture, tool string) bool {
	return slices.ContainsFunc(picture.Inks, func(ink replay.Ink) bool { return string(ink.Kind) == tool && ink.Changed })
}

// colourUsed reports whether something other than the eraser painted with a colour on the
// canvas, whether it can still be seen or not.
func colourUsed(picture *replay.Picture, hex string) bool {
	return slices.ContainsFunc(picture.Inks, func(ink replay.Ink) bool { return ink.Kind != "eraser" && ink.Colour == hex })
}

// colourVisible reports whether a colour is visible in the finished picture. White counts
// where it was painted over something else; a colour that is not in the palette is never
// visible. See docs/spec/drawingbench.md#r71.
func colourVisible(picture *replay.Picture, hex string) bool {
	const ground = "#FFFFFF" // of the empty canvas
	if hex == ground {
		return slices.ContainsFunc(picture.Inks, func(ink replay.Ink) bool {
			return ink.Kind != "eraser" && ink.Colour == hex && ink.Changed
		})
	}
	i := slices.IndexFunc(layout.Palette, func(c layout.Colour) bool { return c.Hex == hex })
	return i >= 0 && picture.Stats.Colours[i] > 0
}
