package paint

import (
	"slices"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// checkCertain refuses draws, which m maps to px, whose pixels differ from the editor's by chance:
// turned discs (docs/spec/drawing.md#r85), and thin dots and dashes (docs/spec/drawing.md#r88).
func (b *Builder) checkCertain(sh *scene.Shape, d []shapes.Draw, m vector.Matrix, p *shapePlacement) error {
	if b.mode == Exact {
		return nil
	}
	hatched := slices.ContainsFunc(d, func(w shapes.Draw) bool { return w.Hatch })
	for i := range d {
		w := &d[i]
		if w.Disc && !axisAligned(m) {
			return shapes.Foreign(sh, "a turned dot of a pen")
		}
		thin := w.Width > 0 && w.Dashes.Gap > 0 && !w.Dashes.Solid && hairline(float32(w.Width), m) > 0
		if thin && hatched && p.translucent() && !p.single {
			return shapes.Foreign(sh, "translucent dots or dashes of at most 1 px over a pattern")
		}
		bent := slices.ContainsFunc(w.Path.Verbs, func(v vector.Verb) bool { return v > vector.Line && v != vector.Close })
		if thin && bent && w.Dashes.Dash < w.Width && sh.Kind == scene.Arrow {
			return shapes.Foreign(sh, "dots of at most 1 px along an arc")
		}
	}
	return nil
}

// longestCloud is how many times as long as wide a cloud in dash draw may be. See
// docs/spec/drawing.md#r90.
const longestCloud = 128

// checkCloud refuses a cloud that is much longer than wide.
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
