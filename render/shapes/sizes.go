package shapes

import (
	"plumb/render/scene"
	"plumb/render/text"
)

// textSize returns the box of a text shape in the units of its parent, scale included. See
// docs/spec/drawing.md#r46.
func textSize(sh *scene.Shape) (w, h float64, err error) {
	writer, err := text.Take()
	if err != nil {
		return 0, 0, err
	}
	defer writer.GiveBack()
	if w, h, err = writer.TextSize(sh); err != nil {
		return 0, 0, TextError(sh, "text", err)
	}
	return w, h, nil
}

// Grown returns the growY of a geo shape or note, by which its text makes it higher. It is the
// stored value, or, for a shape that is being created, computed from the text. As in records, that
// of geo shapes includes the scale and that of notes does not. See docs/spec/drawing.md#r27 and
// docs/spec/drawing.md#r81.
func Grown(sh *scene.Shape) (grow float64, err error) {
	if !sh.Grow || sh.Rich == nil {
		return sh.GrowY, nil
	}
	writer, err := text.Take()
	if err != nil {
		return 0, err
	}
	defer writer.GiveBack()
	if sh.Kind == scene.Note {
		_, grow, err = writer.NoteFit(sh)
	} else {
		grow, err = writer.GeoGrowth(sh)
	}
	if err != nil {
		return 0, TextError(sh, "label that may grow the shape", err)
	}
	return grow, nil
}
