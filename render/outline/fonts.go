package outline

import "errors"

// ErrFonts marks a scene with text on a machine without the fonts: nothing is
// wrong with the scene, and another machine can draw it.
var ErrFonts = errors.New("no fonts to write with")
