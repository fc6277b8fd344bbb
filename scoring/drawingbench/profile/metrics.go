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
// prompt names, elements, and overdraw (writes per painted pixel). See
// docs/spec/drawingbench.md#r70.
func Metrics(p *replay.Picture, prompt string) []scoring.Metric {
	pixels := &p.Stats
	out := Index(p)
	add := func(name string, v any) { out = append(out, scoring.Metric{Name: name, Value: v}) }
	// coverages are shares of the canvas, 0..1
	add("painted_coverage", float64(pixels.NonWhite)/canvasArea)
	add("solid_coverage", float64(pixels.Solid)/canvasArea)
	add("ink_coverage", float64(pixels.InkSum)/255/canvasArea)
	add("enclosed_coverage", float64(p.Canvas.Enclosed())/canvasArea)
	add("bbox_coverage", boxCoverage(p))
	add("color_area", scoring.JSON(coloursJSON(p)))
	seen := []string{}
	for _, colour := range layout.Palette {
		if colourVisible(p, colour.Hex) {
			seen = append(seen, colour.Hex)
		}
	}
	add("visible_colors", seen)
	add("region_accuracy", regionAccuracy(p, prompt))
	add("corners", allPositive(pixels.Corners))
	add("elements", len(p.Elements))
	add("element_sizes", scoring.JSON(elementsJSON(p)))
	add("visible_segments", len(visibleElements(p)))
	var overdraw any
	if pixels.NonWhite > 0 {
		overdraw = float64(p.Writes) / float64(pixels.NonWhite)
	}
	add("overdraw", overdraw)
	return out
}

// Index returns the counts of pixels of a finished DrawingBench picture, under the names of the
// index.json of the reference pictures. See docs/spec/drawingbench.md#r69.
func Index(p *replay.Picture) []scoring.Metric {
	pixels := &p.Stats
	nonWhite := float64(pixels.NonWhite)
	x, y, inked := inkCentroid(p)
	return []scoring.Metric{
		{Name: "nonwhite", Value: pixels.NonWhite}, {Name: "transparent", Value: pixels.Transparent},
		{Name: "partial_alpha", Value: pixels.Partial},
		{Name: "colors", Value: scoring.JSON(coloursJSON(p))},
		{Name: "bbox", Value: scoring.JSON(appendPixelBox(nil, pixels.Box))},
		{Name: "centroid", Value: pointOrNull(float64(pixels.SumX)/nonWhite, float64(pixels.SumY)/nonWhite,
			pixels.NonWhite > 0)},
		{Name: "quadrants", Value: scoring.JSON(quadrantsJSON(pixels.Quadrants))},
		{Name: "ink", Value: float64(pixels.InkSum) / 255}, {Name: "ink_centroid", Value: pointOrNull(x, y, inked)},
		{Name: "solid", Value: pixels.Solid},
		{Name: "solid_bbox", Value: scoring.JSON(appendPixelBox(nil, pixels.SolidBox))},
		{Name: "fill_pixels", Value: scoring.JSON(appendInts(nil, p.Fills))},
		{Name: "capped_fill", Value: replay.AnyFillCapped(p.Fills)},
		{Name: "final_state", Value: scoring.JSON(stateJSON(p))},
	}
}

// regionAccuracy returns how near the ink is to the region of the canvas that the prompt names,
// 0..1: nil where it names none, 0 without ink.
func regionAccuracy(p *replay.Picture, prompt string) any {
	x, y, ok := inkCentroid(p)
	accuracy, named := published.RegionAccuracy(prompt, x, y)
	switch {
	case !named:
		return nil
	case !ok:
		return 0.0
	}
	return accuracy
}

// pointOrNull returns a point of the DrawingBench picture as the value of a metric, or nil (JSON
// null) unless ok.
func pointOrNull(x, y float64, ok bool) any {
	if !ok {
		return nil
	}
	return []float64{x, y}
}

// appendPixelBox appends a box of pixels as JSON: first and last column and row, both
// included; null for an empty box.
func appendPixelBox(b []byte, r image.Rectangle) []byte {
	if r.Empty() {
		return append(b, "null"...)
	}
	return appendInts(b, []int{r.Min.X, r.Min.Y, r.Max.X - 1, r.Max.Y - 1})
}

// appendInts appends counts of pixels as a JSON array.
func appendInts(b []byte, list []int) []byte {
	b = append(b, '[')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}

// coloursJSON returns the numbers of opaque pixels by colour of the palette, as a JSON object.
func coloursJSON(p *replay.Picture) []byte {
	b := []byte{'{'}
	for i, c := range layout.Palette {
		b = append(b, '"')
		b = append(b, strings.ToLower(c.Name)...)
		b = append(b, '"', ':')
		b = append(strconv.AppendInt(b, int64(p.Stats.Colours[i]), 10), ',')
	}
	b = strconv.AppendInt(append(b, `"other":`...), int64(p.Stats.Other), 10)
	return append(b, '}')
}

// quadrantsJSON returns the numbers of painted pixels in the four quadrants of the canvas, as a
// JSON object.
func quadrantsJSON(counts [4]int) []byte {
	b := []byte{'{'}
	for i, name := range []string{"top-left", "top-right", "bottom-left", "bottom-right"} {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		b = strconv.AppendInt(b, int64(counts[i]), 10)
	}
	return append(b, '}')
}

// stateJSON returns the drawing app's state after the last action, as a JSON object.
func stateJSON(p *replay.Picture) []byte {
	b := scoring.AppendString([]byte(`{"tool":`), p.State.Tool)
	b = scoring.AppendString(append(b, `,"color":`...), p.State.Colour)
	b = strconv.AppendInt(append(b, `,"size":`...), int64(p.State.Size), 10)
	b = strconv.AppendBool(append(b, `,"drawing":`...), p.State.Drawing)
	return append(b, '}')
}

// elementsJSON returns the first maxElements drawn elements as a JSON array: "changed" is
// the box of the pixels that changed, "box" the geometry without the width of strokes.
func elementsJSON(p *replay.Picture) []byte {
	b := []byte{'['}
	for i := range p.Elements[:min(maxElements, len(p.Elements))] {
		element := &p.Elements[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = scoring.AppendString(append(b, `{"kind":`...), string(element.Kind))
		b = scoring.AppendString(append(b, `,"color":`...), element.Colour)
		b = appendPixelBox(append(b, `,"changed":`...), element.Painted.Box)
		b = append(b, `,"box":[`...)
		for k, x := range element.Box {
			if k > 0 {
				b = append(b, ',')
			}
			b = scoring.AppendFloat(b, x)
		}
		b = append(b, "]}"...)
	}
	return append(b, ']')
}
