package paint

import (
	"slices"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// checkCertain refuses draws whose pixels differ from the editor's in ways that no rule predicts; m
// maps their units to px. These are thin dashes along a translucent ellipse with a pattern
// (docs/spec/drawing.md#r88), dashes in shapes narrower than they are (docs/spec/drawing.md#r92), and
// tiny translucent discs in quarter turns (docs/spec/drawing.md#r85).
func (b *Builder) checkCertain(sh *scene.Shape, d []shapes.Draw, growY float64, m vector.Matrix, p *shapePlacement) error {
	if b.mode == Exact {
		return nil
	}
	hatched := slices.ContainsFunc(d, func(w shapes.Draw) bool { return w.Hatch })
	for i := range d {
		w := &d[i]
		if w.Disc && axisAligned(m) && p.translucent() && !p.single && isTinyDisc(w, m) {
			return shapes.Foreign(sh, "a translucent dot of a pen of at most 5 px")
		}
		if sh.Kind != scene.Geo || w.Width == 0 {
			continue
		}
		if sh.Dash != scene.DashDraw && sh.Dash != scene.DashSolid &&
			isThread(sh.Geo, sh.W/sh.Scale/w.Width, (sh.H+growY)/sh.Scale/w.Width) {
			return shapes.Foreign(sh, "dashes around a heart, cloud or ellipse narrower than two of them")
		}
		if w.Dashes.Gap <= 0 || w.Dashes.Solid {
			continue
		}
		if sh.Geo == scene.Ellipse && hatched && p.translucent() && hairline(float32(w.Width), m) > 0 {
			return shapes.Foreign(sh, "dots or dashes of at most 1 px along a translucent ellipse with a pattern")
		}
		if inward(sh.Geo) && isSpeck(sh.W/sh.Scale/w.Width, (sh.H+growY)/sh.Scale/w.Width) {
			return shapes.Foreign(sh, "dashes around a shape narrower than they are")
		}
		if (sh.Geo == scene.XBox || sh.Geo == scene.CheckBox) && min(sh.W, sh.H+growY) < 4 && hairline(float32(w.Width), m) > 0 {
			return shapes.Foreign(sh, "dots or dashes of at most 1 px in a box narrower than 4 px")
		}
	}
	return nil
}

// inward reports whether the stroke of a shape runs inwards too, so that its dashes overlap.
func inward(g scene.GeoKind) bool { return g == scene.XBox || g == scene.CheckBox || g == scene.Heart }

// isSpeck reports whether a shape of w x h widths of its dashes is narrower than they are, and so short
// that they are most of its picture.
func isSpeck(w, h float64) bool { return min(w, h) < 1 && max(w, h) < 10 }

// isThread reports whether a heart or a cloud of w x h widths of its dashes is so flat, or an ellipse so
// small, that its dashes cover each other.
func isThread(g scene.GeoKind, w, h float64) bool {
	short, long := min(w, h), max(w, h)
	switch g {
	case scene.Heart:
		return h < 2 && w > 40
	case scene.Cloud:
		return short < 2 && long > 40
	case scene.Ellipse:
		return short < 1.25 && long > 3 && long < 5
	}
	return false
}

// isTinyDisc reports whether a filled disc, which m maps to px, is at most 5 px wide.
func isTinyDisc(w *shapes.Draw, m vector.Matrix) bool {
	box, ok := boundsOf(w.Path.Points, m)
	return ok && box[2]-box[0] <= 5
}

// longestCloud is how many times as long as wide a cloud in dash draw may be. See
// docs/spec/drawing.md#r90.
const longestCloud = 128

// checkCloud refuses a hand-drawn cloud that is more than longestCloud times as long as wide,
// because it is not drawn as in the editor.
func (b *Builder) checkCloud(sh *scene.Shape, growY float64) error {
	if b.mode == Exact || sh.Kind != scene.Geo || sh.Geo != scene.Cloud || sh.Dash != scene.DashDraw {
		return nil
	}
	w, h := max(1, sh.W), max(1, sh.H+growY)
	if max(w, h) > longestCloud*min(w, h) {
		return shapes.Foreign(sh, "a cloud more than 128 times as long as wide")
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
func shownLabel(sh *scene.Shape, kind shapes.TextKind, w, h float64) labelState {
	if sh.Rich == nil {
		return labelNone
	}
	if kind != shapes.LabelText {
		return labelShown
	}
	if sh.Scale <= labelCulled && w < labelPadding-1 {
		return labelNone
	}
	if sh.Scale <= labelCulled && w <= labelPadding {
		return labelCut
	}
	least := w
	if sh.Vertical == scene.AlignStart {
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
func (b *Builder) checkLabel(sh *scene.Shape, l labelState, lone bool, p *shapePlacement) error {
	if l == labelCut && b.mode != Exact {
		return shapes.Foreign(sh, "a label at the edge of its box, at a small scale")
	}
	if l == labelUncertain && lone && p.translucent() && b.mode != Exact {
		return shapes.Foreign(sh, "a label at the edge of its box in a translucent shape")
	}
	return nil
}
