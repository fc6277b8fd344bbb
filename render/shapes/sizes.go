package shapes

import (
	"plumb/render/scene"
	"plumb/render/text"
)

// textSize returns the box of a text shape in the units of its parent, scale included. See
// docs/spec/drawing.md#r46.
func textSize(shape *scene.Shape) (w, h float64, err error) {
	writer, err := text.Take()
	if err != nil {
		return 0, 0, err
	}
	defer writer.GiveBack()
	if w, h, err = writer.TextSize(shape); err != nil {
		return 0, 0, TextError(shape, "text", err)
	}
	return w, h, nil
}

// Grown returns by how many px the text of a geo shape or note makes it higher, the editor's growY. It is
// the stored value or, for a shape that is being created (Grow), computed from the text. As in records,
// that of geo shapes includes the shape's scale and that of notes does not. Errors are those of
// TextError, and of missing fonts. See docs/spec/drawing.md#r27 and docs/spec/drawing.md#r81.
func Grown(shape *scene.Shape) (grow float64, err error) {
	if !shape.Grow || shape.Rich == nil {
		return shape.GrowY, nil
	}
	writer, err := text.Take()
	if err != nil {
		return 0, err
	}
	defer writer.GiveBack()
	if shape.Kind == scene.Note {
		_, grow, err = writer.NoteFit(shape)
	} else {
		grow, err = writer.GeoGrowth(shape)
	}
	if err != nil {
		return 0, TextError(shape, "label that may grow the shape", err)
	}
	return grow, nil
}
