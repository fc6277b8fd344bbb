package shapes

import (
	"errors"
	"fmt"
	"plumb/render/font"
	"plumb/render/scene"
	"plumb/render/text"
)

// textSize returns the box of a text shape in the units of its parent, scale included. See
// docs/spec/drawing.md#r46.
func textSize(sh *scene.Shape) (w, h float64, err error) {
	k, err := text.Take()
	if err != nil {
		return 0, 0, err
	}
	defer k.GiveBack()
	if w, h, err = k.TextSize(sh); err != nil {
		return 0, 0, Unwritten(sh, "text", err)
	}
	return w, h, nil
}

// labelGrowth returns the growY of a geo shape or note without a stored one: of geo shapes with
// scale included, of notes unscaled, as in records. See docs/spec/drawing.md#r27 and
// docs/spec/drawing.md#r81.
func labelGrowth(sh *scene.Shape) (grow float64, err error) {
	if sh.Rich == nil {
		return 0, nil
	}
	k, err := text.Take()
	if err != nil {
		return 0, err
	}
	defer k.GiveBack()
	if sh.Kind == scene.Note {
		_, grow, err = k.NoteFit(sh)
	} else {
		grow, err = k.GeoGrowth(sh)
	}
	if err != nil {
		return 0, Unwritten(sh, "label that may grow the shape", err)
	}
	return grow, nil
}

// Foreign reports a part of a shape that is not drawn natively.
func Foreign(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, sh.ID, sh.TypeName, ErrForeign)
}

// Unwritten reports a text that could not be laid out. What the fonts or the
// layout do not know is foreign; all else is a fault of the set-up.
func Unwritten(sh *scene.Shape, what string, err error) error {
	var char *font.ForeignError
	var mark *text.MarkError
	if errors.As(err, &char) || errors.As(err, &mark) {
		return fmt.Errorf("cannot draw %s of shape %q (%s): %w: %w", what, sh.ID, sh.TypeName, ErrForeign, err)
	}
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, sh.ID, sh.TypeName, err)
}
