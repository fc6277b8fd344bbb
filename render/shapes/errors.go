package shapes

// shapeError is what is wrong with one shape.
type shapeError struct {
	id string
	error
}

func (e *shapeError) Unwrap() error { return e.error }

// ShapeID is the id of the shape.
func (e *shapeError) ShapeID() string { return e.id }

// ErrorAt returns err with the id of the shape that it is about; a caller finds it by the
// method ShapeID.
func ErrorAt(id string, err error) error { return &shapeError{id, err} }
