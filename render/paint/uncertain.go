package paint

import (
	"math"
	"slices"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// checkCertain refuses draws whose pixels differ from the editor's in ways that no rule predicts; matrix
// maps their units to px. These are thin dashes along a translucent ellipse with a pattern
// (docs/spec/drawing.md#r88), dashes in shapes narrower than they are (docs/spec/drawing.md#r92), and
// tiny translucent discs in quarter turns (docs/spec/drawing.md#r85).
func (builder *Builder) checkCertain(shape *scene.Shape, draws []shapes.Draw, growY float64, matrix vector.Matrix, placement *shapePlacement) error {
	if builder.mode == Exact {
		return nil
	}
	hatched := slices.ContainsFunc(draws, func(draw shapes.Draw) bool { return draw.Hatch })
	// The sides of the shape in unscaled units. Divided by the width of a stroke they are in such widths.
	w, h := shape.W/shape.Scale, (shape.H+growY)/shape.Scale
	for i := range draws {
		draw := &draws[i]
		// Tiny discs.
		if draw.Disc && axisAligned(matrix) && placement.translucent() && !placement.single && isTinyDisc(draw, matrix) {
			return shapes.Foreign(shape, "a translucent dot of a pen of at most 5 px")
		}
		if shape.Kind != scene.Geo || draw.Width == 0 {
			continue
		}
		// Shapes in dots or dashes, also those whose stroke is too short to have any.
		dashed := shape.Dash != scene.DashDraw && shape.Dash != scene.DashSolid
		if dashed && shape.Geo == scene.Heart && shape.H+growY <= flattestHeart && axisAligned(matrix) {
			return shapes.Foreign(shape, "dashes around a heart at most 1 px high")
		}
		if dashed && isThread(shape.Geo, w/draw.Width, h/draw.Width) {
			return shapes.Foreign(shape, "dashes around a heart, cloud or ellipse narrower than two of them")
		}
		// Strokes that do have dots or dashes.
		if draw.Dashes.Gap <= 0 || draw.Dashes.Solid {
			continue
		}
		if shape.Geo == scene.Ellipse && hatched && placement.translucent() && hairline(float32(draw.Width), matrix) > 0 {
			return shapes.Foreign(shape, "dots or dashes of at most 1 px along a translucent ellipse with a pattern")
		}
		if inward(shape.Geo) && isSpeck(w/draw.Width, h/draw.Width) {
			return shapes.Foreign(shape, "dashes around a shape narrower than they are")
		}
		if (shape.Geo == scene.XBox || shape.Geo == scene.CheckBox) && min(shape.W, shape.H+growY) < narrowestBox && hairline(float32(draw.Width), matrix) > 0 {
			return shapes.Foreign(shape, "dots or dashes of at most 1 px in a box narrower than 4 px")
		}
	}
	return nil
}

// shortestDash is the length in units below which a dash at the end of a line depends on rounding errors.
const shortestDash = 1e-3

// checkEnds refuses dashed and dotted straight lines at whose end a dash of almost no length begins: one that is
// there, and points where it does, by rounding errors alone. See docs/spec/drawing.md#r93.
func (builder *Builder) checkEnds(shape *scene.Shape, draws []shapes.Draw) error {
	if builder.mode == Exact {
		return nil
	}
	for i := range draws {
		points, dashes := draws[i].Path.Points, &draws[i].Dashes
		period := float64(float32(dashes.Dash)) + float64(float32(dashes.Gap))
		if len(points) != 2 || !(dashes.Dash > 0) || dashes.Offset != 0 || !(period > 0) || math.IsInf(period, 0) {
			continue
		}
		dx, dy := points[1].X-points[0].X, points[1].Y-points[0].Y
		length := math.Sqrt(float64(float32(dx*dx) + float32(dy*dy))) // as the browser measures it
		if last := math.Mod(float64(float32(length)), period); length >= period && last > 0 && last < shortestDash {
			return shapes.Foreign(shape, "a short dashed line, the last dash of which has almost no length")
		}
	}
	return nil
}

// inward reports whether the stroke of a shape runs inwards too, so that its dashes overlap.
func inward(g scene.GeoKind) bool { return g == scene.XBox || g == scene.CheckBox || g == scene.Heart }

// isSpeck reports whether a shape is narrower than its dashes are wide, and so short that they are most of its
// picture. w and h are its sides in widths of the stroke.
func isSpeck(w, h float64) bool { return min(w, h) < 1 && max(w, h) < 10 }

// isThread reports whether a heart or a cloud is so flat, or an ellipse so small, that its dashes cover each other.
// w and h are its sides in widths of the stroke. The limits were measured: see docs/spec/drawing.md#r92.
func isThread(g scene.GeoKind, w, h float64) bool {
	short, long := min(w, h), max(w, h)
	switch g {
	case scene.Heart:
		return h < 2.5 && w > 15
	case scene.Cloud:
		return short < 2 && long > 40
	case scene.Ellipse:
		return short < 1.25 && long > 3 && long < 5
	}
	return false
}

// isTinyDisc reports whether a filled disc, which matrix maps to px, is at most tinyDiscPx wide.
func isTinyDisc(disc *shapes.Draw, matrix vector.Matrix) bool {
	box, ok := boundsOf(disc.Path.Points, matrix)
	return ok && box[2]-box[0] <= tinyDiscPx
}

// tinyDiscPx is the width up to which a translucent disc in quarter turns is refused, px. See
// docs/spec/drawing.md#r85.
const tinyDiscPx = 5

// A hand-drawn cloud that does not turn may be at most longestThread units long if it is at most threadWidth
// units wide. See docs/spec/drawing.md#r90.
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

// flattestHeart is the height up to which a heart with dots or dashes that does not turn is refused, px. See
// docs/spec/drawing.md#r92.
const flattestHeart = 1.1

// narrowestBox is the width from which a cross or a check box may have dots or dashes of at most one px, px. See
// docs/spec/drawing.md#r92.
const narrowestBox = 4

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
// that. See docs/spec/drawing.md#r91.
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
// label the editor may paint some letters (docs/spec/drawing.md#r91).
func (builder *Builder) checkLabel(shape *scene.Shape, state labelState, lone bool, placement *shapePlacement) error {
	if state == labelCut && builder.mode != Exact {
		return shapes.Foreign(shape, "a label at the edge of its box, at a small scale")
	}
	if state == labelUncertain && lone && placement.translucent() && builder.mode != Exact {
		return shapes.Foreign(shape, "a label at the edge of its box in a translucent shape")
	}
	return nil
}
