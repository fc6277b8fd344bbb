package paint

import (
	"slices"

	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// checkCertain refuses draws, which m maps to px, whose pixels differ from the editor's by chance:
// turned discs (docs/spec/drawing.md#r85), and thin dots and dashes in layers
// (docs/spec/drawing.md#r88).
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
		if !thin || !p.translucent() || p.single {
			continue
		}
		if hatched {
			return shapes.Foreign(sh, "translucent dots or dashes of at most 1 px over a pattern")
		}
		if dots := w.Dashes.Dash < w.Width; dots && p.opacity < shapes.Opaque/2 {
			return shapes.Foreign(sh, "dots of at most 1 px with an opacity below 1/2")
		}
	}
	return nil
}
