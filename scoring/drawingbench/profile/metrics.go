package profile

import (
	"image"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
)

// maxElements is how many drawn elements element_sizes lists; visible_segments counts all.
const maxElements = 1000

// Metrics returns the metrics of Index for a DrawingBench picture and, after them, its pixel
// metrics: coverages of several kinds, visible colours, nearness to the region that the task's
// prompt names, elements, and overdraw (writes per painted pixel). An element is what one drag of
// the mouse, or one click, has drawn. See docs/spec/drawingbench.md#r70.
func Metrics(picture *replay.Picture, prompt string) []scoring.Metric {
	pixels := &picture.Stats
	out := Index(picture)
	add := func(name string, value any) { out = append(out, scoring.Metric{Name: name, Value: value}) }
	// Shares of the canvas, 0..1. The ink of a pixel says how far it is from white, from 0 to 1. Painted pixels have
	// any ink, solid ones at least half, and ink_coverage is the sum. Enclosed is what a viewer sees as covered: the
	// pixels that white does not join with the border. The last is the area of the box around painted pixels.
	add("painted_coverage", float64(pixels.NonWhite)/canvasArea)
	add("solid_coverage", float64(pixels.Solid)/canvasArea)
	add("ink_coverage", float64(pixels.InkSum)/255/canvasArea)
	add("enclosed_coverage", float64(picture.Canvas.Enclosed())/canvasArea)
	add("bbox_coverage", boxCoverage(picture))
	add("color_area", scoring.JSON(coloursJSON(picture)))
	seen := []string{}
	for _, colour := range layout.Palette {
		if colourVisible(picture, colour.Hex) {
			seen = append(seen, colour.Hex)
		}
	}
	add("visible_colors", seen)
	add("region_accuracy", regionAccuracy(picture, prompt))
	add("corners", allPositive(pixels.Corners)) // something in each corner cell of a 3 x 3 grid
	add("elements", len(picture.Elements))
	add("element_sizes", scoring.JSON(elementsJSON(picture)))
	add("visible_segments", len(visibleElements(picture)))
	var overdraw any // null for an empty picture
	if pixels.NonWhite > 0 {
		overdraw = float64(picture.Writes) / float64(pixels.NonWhite)
	}
	add("overdraw", overdraw)
	return out
}

// Index returns the counts of pixels of a finished DrawingBench picture. Their names are those of index.json,
// a file that lists the same counts of pictures that the app itself drew, so that both can be compared. See
// docs/spec/drawingbench.md#r69.
func Index(picture *replay.Picture) []scoring.Metric {
	pixels := &picture.Stats
	var centroid, inkCentre any // mean places of painted pixels, each counted once, and weighted by ink; null for none
	if n := float64(pixels.NonWhite); n > 0 {
		centroid = []float64{float64(pixels.SumX) / n, float64(pixels.SumY) / n}
	}
	if x, y, ok := inkCentroid(picture); ok {
		inkCentre = []float64{x, y}
	}
	return []scoring.Metric{
		{Name: "nonwhite", Value: pixels.NonWhite}, {Name: "transparent", Value: pixels.Transparent},
		{Name: "partial_alpha", Value: pixels.Partial},
		{Name: "colors", Value: scoring.JSON(coloursJSON(picture))},
		{Name: "bbox", Value: scoring.JSON(appendPixelBox(nil, pixels.Box))},
		{Name: "centroid", Value: centroid},
		{Name: "quadrants", Value: scoring.JSON(quadrantsJSON(pixels.Quadrants))},
		{Name: "ink", Value: float64(pixels.InkSum) / 255}, {Name: "ink_centroid", Value: inkCentre},
		{Name: "solid", Value: pixels.Solid},
		{Name: "solid_bbox", Value: scoring.JSON(appendPixelBox(nil, pixels.SolidBox))},
		{Name: "fill_pixels", Value: scoring.JSON(appendInts(nil, picture.Fills))},
		{Name: "capped_fill", Value: replay.AnyFillCapped(picture.Fills)}, // the app ends a fill after so many pixels
		{Name: "final_state", Value: scoring.JSON(stateJSON(picture))},
	}
}

// regionAccuracy returns how near the ink is to the region of the canvas that the prompt names,
// 0..1: nil where it names none, 0 without ink.
func regionAccuracy(picture *replay.Picture, prompt string) any {
	x, y, inked := inkCentroid(picture)
	accuracy, named := published.RegionAccuracy(prompt, x, y)
	switch {
	case !named:
		return nil
	case !inked:
		return 0.0
	}
	return accuracy
}

// appendPixelBox appends a box of pixels as JSON: first and last column and row, both
// included; null for an empty box.
func appendPixelBox(dst []byte, r image.Rectangle) []byte {
	if r.Empty() {
		return append(dst, "null"...)
	}
	return appendInts(dst, []int{r.Min.X, r.Min.Y, r.Max.X - 1, r.Max.Y - 1})
}

// appendInts appends counts of pixels as a JSON array.
func appendInts(dst []byte, list []int) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, ']')
}

// coloursJSON returns the numbers of opaque pixels by colour of the palette, as a JSON object.
func coloursJSON(picture *replay.Picture) []byte {
	out := []byte{'{'}
	for i, c := range layout.Palette {
		out = append(out, '"')
		out = append(out, strings.ToLower(c.Name)...)
		out = append(out, '"', ':')
		out = append(strconv.AppendInt(out, int64(picture.Stats.Colours[i]), 10), ',')
	}
	out = strconv.AppendInt(append(out, `"other":`...), int64(picture.Stats.Other), 10)
	return append(out, '}')
}

// quadrantsJSON returns the numbers of painted pixels in the four quadrants of the canvas, as a
// JSON object.
func quadrantsJSON(counts [4]int) []byte {
	out := []byte{'{'}
	for i, name := range []string{"top-left", "top-right", "bottom-left", "bottom-right"} {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '"')
		out = append(out, name...)
		out = append(out, '"', ':')
		out = strconv.AppendInt(out, int64(counts[i]), 10)
	}
	return append(out, '}')
}

// stateJSON returns the drawing app's state after the last action, as a JSON object.
func stateJSON(picture *replay.Picture) []byte {
	out := scoring.AppendString([]byte(`{"tool":`), picture.State.Tool)
	out = scoring.AppendString(append(out, `,"color":`...), picture.State.Colour)
	out = strconv.AppendInt(append(out, `,"size":`...), int64(picture.State.Size), 10)
	out = strconv.AppendBool(append(out, `,"drawing":`...), picture.State.Drawing)
	return append(out, '}')
}

// elementsJSON returns the first maxElements elements that were drawn, such as lines and fills, as a
// JSON array: "changed" is the box of the pixels that changed, "box" the geometry without the width of
// strokes.
func elementsJSON(picture *replay.Picture) []byte {
	out := []byte{'['}
	for i := range picture.Elements[:min(maxElements, len(picture.Elements))] {
		element := &picture.Elements[i]
		if i > 0 {
			out = append(out, ',')
		}
		out = scoring.AppendString(append(out, `{"kind":`...), string(element.Kind))
		out = scoring.AppendString(append(out, `,"color":`...), element.Colour)
		out = appendPixelBox(append(out, `,"changed":`...), element.Painted.Box)
		out = append(out, `,"box":[`...)
		for k, x := range element.Box {
			if k > 0 {
				out = append(out, ',')
			}
			out = scoring.AppendFloat(out, x)
		}
		out = append(out, "]}"...)
	}
	return append(out, ']')
}
