package outline

import (
	"fmt"

	"plumb/render/scene"
)

// textItems appends the items of a text shape's writing, back to front: per
// line the halo copies, then the glyphs, clipped to the text box. p says where
// the shape's own units lie; p.draw counts what the reference paints.
func (b *Builder) textItems(sh *scene.Shape, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	return foreign(sh, "text")
}

// labelItems appends the items of the label of a geo shape, an arrow or a note.
// It is called after the shape's own outline. h is the height of the shape with
// growth, in its unscaled units, as w is.
func (b *Builder) labelItems(sh *scene.Shape, w, h float64, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	return foreign(sh, "label")
}

// textSize returns the box of a text shape in its parent's units (scale
// included), tldraw-rendering.md 6.5.
func textSize(sh *scene.Shape) (w, h float64, err error) {
	return 0, 0, foreign(sh, "text")
}

// labelGrowth returns by how much a geo shape or note without a stored growY
// grows for its label, scale included (tldraw-rendering.md 2.4).
func labelGrowth(sh *scene.Shape) (float64, error) {
	if sh.Rich == nil {
		return 0, nil
	}
	return 0, foreign(sh, "label that may grow the shape")
}

// foreign reports a part of a shape that is not drawn natively.
func foreign(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, sh.ID, sh.TypeName, ErrForeign)
}
