package paint

import (
	"math"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// shortestThin is the length of a curve in dots or dashes of at most one px, in widths of its stroke, below which it
// is refused.
const shortestThin = 4

// checkThinCurve refuses a dashed or dotted curve, a line shape, that is shorter than shortestThin widths of its
// stroke, measured from point to point, if that stroke is at most one px wide: such a picture has so few pixels that
// each counts, and some of them are a little too strong. matrix maps units to px. See docs/spec/drawing.md#r86.
func (builder *Builder) checkThinCurve(shape *scene.Shape, draws []shapes.Draw, matrix vector.Matrix) error {
	if builder.mode == Exact || shape.Kind != scene.Line || !shape.Cubic || shape.Dash != scene.DashDashed && shape.Dash != scene.DashDotted {
		return nil
	}
	length := 0.0
	for i := 1; i < len(shape.Points); i++ {
		a, b := shape.Points[i-1], shape.Points[i]
		length += math.Hypot(b.X-a.X, b.Y-a.Y)
	}
	for i := range draws {
		if width := draws[i].Width; hairline(float32(width), matrix) > 0 && length < shortestThin*width {
			return shapes.Foreign(shape, "a curve in dots or dashes of at most 1 px that is shorter than 4 of its widths")
		}
	}
	return nil
}

// A hand-drawn cloud that does not turn may be at most longestThread units long if it is at most threadWidth
// units wide. See docs/spec/drawing.md#r89.
const (
	threadWidth   = 1.05
	longestThread = 22
)

// checkCloud refuses a long hand-drawn cloud of one unit that does not turn, because the lowest points of its many
// bumps may lie between two quarter rows, where they are not drawn as in the editor. matrix maps units to px.
func (builder *Builder) checkCloud(shape *scene.Shape, growY float64, matrix vector.Matrix) error {
	if builder.mode == Exact || shape.Kind != scene.Geo || shape.Geo != scene.Cloud || shape.Dash != scene.DashDraw ||
		!axisAligned(matrix) {
		return nil
	}
	w, h := max(1, shape.W/shape.Scale), max(1, (shape.H+growY)/shape.Scale)
	if min(w, h) <= threadWidth && max(w, h) > longestThread {
		return shapes.Foreign(shape, "a long hand-drawn cloud of one unit in width")
	}
	return nil
}

// labelState says whether the text of a shape shows.
type labelState uint8

const (
	labelNone      labelState = iota // there is none, or it lies beyond the box that clips it
	labelShown                       // at least a part may lie in the box
	labelUncertain                   // its letters begin behind the box, but may reach into it
	labelCut                         // its halo alone reaches into the box, at a small scale
)

// Labels of geo shapes begin labelPadding units behind the left side of the box, and those that are
// aligned to its start behind the upper side. Letters and halos reach less than labelReach before
// that. See docs/spec/drawing.md#r90.
const (
	labelPadding = 16
	labelReach   = 5
	// labelCulled is the scale up to which a label whose halo, one unit wide, begins behind the right side
	// of the box does not show at all.
	labelCulled = 0.25
)

// shownLabel returns whether the text of a shape shows in the picture. Only labels of geo shapes
// may be hidden: the editor leaves them out where the shape is too small. w and h are the size of
// the shape in its unscaled units, growth included.
func shownLabel(shape *scene.Shape, kind shapes.TextKind, w, h float64) labelState {
	if shape.Rich == nil {
		return labelNone
	}
	if kind != shapes.LabelText {
		return labelShown
	}
	if shape.Scale <= labelCulled && w < labelPadding-1 {
		return labelNone
	}
	if shape.Scale <= labelCulled && w <= labelPadding {
		return labelCut
	}
	least := w
	if shape.Vertical == scene.AlignStart {
		least = min(w, h)
	}
	switch {
	case least <= labelPadding-labelReach:
		return labelNone
	case least < labelPadding:
		return labelUncertain
	}
	return labelShown
}

// checkLabel refuses a translucent shape of a single draw (lone) if it is uncertain whether the
// editor shows its label, because a label changes how the opacity is applied, and any shape of whose
// label the editor may paint some letters (docs/spec/drawing.md#r90).
func (builder *Builder) checkLabel(shape *scene.Shape, state labelState, lone bool, placement *shapePlacement) error {
	if state == labelCut && builder.mode != Exact {
		return shapes.Foreign(shape, "a label at the edge of its box, at a small scale")
	}
	if state == labelUncertain && lone && placement.translucent() && builder.mode != Exact {
		return shapes.Foreign(shape, "a label at the edge of its box in a translucent shape")
	}
	return nil
}
