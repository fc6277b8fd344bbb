package profile

import (
	"image"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
)

// maxElements is how many elements the metrics list; all are counted.
const maxElements = 1000

// Metrics returns the pixel metrics after those of the picture index. prompt may be
// empty; its region decides region_accuracy. See docs/spec/drawingbench.md#r70.
func Metrics(p *replay.Picture, prompt string) []scoring.Metric {
	s := &p.Stats
	out := Index(p)
	add := func(name string, v any) { out = append(out, scoring.Metric{Name: name, Value: v}) }
	add("painted_coverage", float64(s.NonWhite)/area)
	add("solid_coverage", float64(s.Solid)/area)
	add("ink_coverage", float64(s.InkSum)/255/area)
	add("enclosed_coverage", float64(p.Canvas.Enclosed())/area)
	add("bbox_coverage", float64(s.Box.Dx()*s.Box.Dy())/area)
	add("color_area", scoring.JSON(colours(p)))
	seen := []string{}
	for _, c := range replay.Palette {
		if visible(p, c.Hex) {
			seen = append(seen, c.Hex)
		}
	}
	add("visible_colors", seen)
	add("region_accuracy", regional(p, prompt))
	add("corners", nonzero(s.Corners))
	add("elements", len(p.Elements))
	add("element_sizes", scoring.JSON(elements(p)))
	n := 0
	for i := range p.Elements {
		if p.Elements[i].Painted.Changed > 0 {
			n++
		}
	}
	add("visible_segments", n)
	add("overdraw", nil)
	if s.NonWhite > 0 {
		out[len(out)-1].Value = float64(p.Writes) / float64(s.NonWhite)
	}
	return out
}

// Index returns the numbers of the picture index under its names. See
// docs/spec/drawingbench.md#r69.
func Index(p *replay.Picture) []scoring.Metric {
	s := &p.Stats
	n := float64(s.NonWhite)
	x, y, inked := centroid(p)
	return []scoring.Metric{
		{Name: "nonwhite", Value: s.NonWhite}, {Name: "transparent", Value: s.Transparent}, {Name: "partial_alpha", Value: s.Partial},
		{Name: "colors", Value: scoring.JSON(colours(p))},
		{Name: "bbox", Value: box(s.Box)}, {Name: "centroid", Value: pair(float64(s.SumX)/n, float64(s.SumY)/n, s.NonWhite > 0)},
		{Name: "quadrants", Value: scoring.JSON(quadrants(s.Quadrants))},
		{Name: "ink", Value: float64(s.InkSum) / 255}, {Name: "ink_centroid", Value: pair(x, y, inked)},
		{Name: "solid", Value: s.Solid}, {Name: "solid_bbox", Value: box(s.SolidBox)},
		{Name: "fill_pixels", Value: scoring.JSON(ints(nil, p.Fills))}, {Name: "capped_fill", Value: replay.Capped(p.Fills)},
		{Name: "final_state", Value: scoring.JSON(state(p))},
	}
}

// regional is region_accuracy: nil where the prompt names no region, 0 without ink.
func regional(p *replay.Picture, prompt string) any {
	x, y, ok := centroid(p)
	accuracy, named := published.RegionAccuracy(prompt, x, y)
	switch {
	case !named:
		return nil
	case !ok:
		return 0.0
	}
	return accuracy
}

func pair(x, y float64, ok bool) any {
	if !ok {
		return nil
	}
	return []float64{x, y}
}

// box is a box with inclusive corners, null where it is empty.
func box(r image.Rectangle) any {
	if r.Empty() {
		return nil
	}
	return scoring.JSON(ints(nil, []int{r.Min.X, r.Min.Y, r.Max.X - 1, r.Max.Y - 1}))
}

func ints(b []byte, list []int) []byte {
	b = append(b, '[')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}

// colours are the counts of opaque pixels by colour, as an object.
func colours(p *replay.Picture) []byte {
	b := []byte{'{'}
	for i, c := range replay.Palette {
		b = append(append(append(b, '"'), c.Name...), '"', ':')
		b = append(strconv.AppendInt(b, int64(p.Stats.Colours[i]), 10), ',')
	}
	b = strconv.AppendInt(append(b, `"other":`...), int64(p.Stats.Other), 10)
	return append(b, '}')
}

// quadrants are the counts of the four quadrants, as an object.
func quadrants(counts [4]int) []byte {
	b := []byte{'{'}
	for i, name := range []string{"top-left", "top-right", "bottom-left", "bottom-right"} {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), '"', ':')
		b = strconv.AppendInt(b, int64(counts[i]), 10)
	}
	return append(b, '}')
}

// state is the app's state at the end, as an object.
func state(p *replay.Picture) []byte {
	b := scoring.AppendString([]byte(`{"tool":`), p.State.Tool)
	b = scoring.AppendString(append(b, `,"color":`...), p.State.Colour)
	b = strconv.AppendInt(append(b, `,"size":`...), int64(p.State.Size), 10)
	b = strconv.AppendBool(append(b, `,"drawing":`...), p.State.Drawing)
	return append(b, '}')
}

// elements lists what was drawn: the box of the pixels that changed, and the
// geometry without strokes.
func elements(p *replay.Picture) []byte {
	b := []byte{'['}
	for i := range p.Elements[:min(maxElements, len(p.Elements))] {
		e := &p.Elements[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = scoring.AppendString(append(b, `{"kind":`...), string(e.Kind))
		b = scoring.AppendString(append(b, `,"color":`...), e.Colour)
		b = append(b, `,"changed":`...)
		if r := e.Painted.Box; r.Empty() {
			b = append(b, "null"...)
		} else {
			b = ints(b, []int{r.Min.X, r.Min.Y, r.Max.X - 1, r.Max.Y - 1})
		}
		b = append(b, `,"box":[`...)
		for k, x := range e.Box {
			if k > 0 {
				b = append(b, ',')
			}
			b = scoring.AppendFloat(b, x)
		}
		b = append(b, "]}"...)
	}
	return append(b, ']')
}
