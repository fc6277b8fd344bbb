package shapes

import (
	"errors"
	"fmt"
	"plumb/render/font"
	"plumb/render/scene"
	"plumb/render/text"
)

// shapeError is an error with the id of the shape that it is about.
type shapeError struct {
	id string
	error
}

// Unwrap returns the error.
func (e *shapeError) Unwrap() error { return e.error }

// ShapeID returns the id of the shape.
func (e *shapeError) ShapeID() string { return e.id }

// ErrorAt returns err with the id of the shape that it is about, for callers that look for the
// method ShapeID.
func ErrorAt(id string, err error) error { return &shapeError{id, err} }

// ErrForeign marks a scene with something that plumb does not draw natively. The text names the
// shape and the part.
var ErrForeign = errors.New("not drawn natively")

// Foreign returns the error for a part of a shape that is not drawn natively.
func Foreign(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, sh.ID, sh.TypeName, ErrForeign)
}

// TextError returns the error for a text that could not be laid out. It wraps ErrForeign if the
// fonts or the layout do not support the text; other errors are faults of the set-up.
func TextError(shape *scene.Shape, what string, err error) error {
	var char *font.ForeignError // a character that the fonts do not have
	var mark *text.UnsupportedError
	if errors.As(err, &char) || errors.As(err, &mark) {
		return fmt.Errorf("cannot draw %s of shape %q (%s): %w: %w", what, shape.ID, shape.TypeName, ErrForeign, err)
	}
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, shape.ID, shape.TypeName, err)
}
