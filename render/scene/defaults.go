package scene

// The defaults of created arrows and lines. See docs/spec/drawing.md#r3.
var (
	arrowDefaults = ArrowProps{HeadEnd: HeadArrow, LabelPosition: 0.5, ElbowMidPoint: 0.5}
	arrowStart    = Point{0, 0}
	arrowEnd      = Point{2, 0}
	linePoints    = []Point{{0, 0}, {0.1, 0.1}}
)

// coincideShift is how far the last point of a new line is moved along both axes when all its
// points coincide. See docs/spec/drawing.md#r5.
const coincideShift = 0.1

// fill sets shape to the complete shape that a valid record stands for. It begins with the defaults of
// its kind and puts in the fields that the record has and its kind knows. If the shape is being created
// (not record.Stored), it then changes what the editor changes on creation. It does not set Parent.
func (shape *Shape) fill(record *Record) {
	*shape = defaults[min(record.Kind, Other)]
	shape.ID, shape.Odd = record.ID, record.Odd
	if record.Kind >= Other {
		shape.TypeName = record.TypeName
	}
	given := record.Has & record.Kind.knownFields()
	if record.Kind == Arrow {
		own := new(struct { // of this shape alone; one allocation
			props ArrowProps
			ends  [2]Point
		})
		own.props = arrowDefaults
		own.ends = [2]Point{arrowStart, arrowEnd}
		shape.Arrow, shape.Points = &own.props, own.ends[:]
	}
	assign(shape, &record.Shape, given)
	if !record.Stored {
		shape.applyCreation()
	}
}

// applyCreation changes a shape as the editor changes one that it creates: the growth of geo shapes and
// notes follows from their text, and a line whose points coincide gets its last point moved. Stored
// shapes have these values already. See docs/spec/drawing.md#r5.
func (shape *Shape) applyCreation() {
	switch shape.Kind {
	case Geo, Note:
		shape.GrowY, shape.FontPx = 0, 0
		shape.Grow = shape.Rich != nil
	case Line:
		if !allEqual(shape.Points) {
			return
		}
		moved := append([]Point(nil), shape.Points...) // a copy: records share their points
		last := &moved[len(moved)-1]
		last.X += coincideShift
		last.Y += coincideShift
		shape.Points = moved
	}
}

// allEqual reports whether a line shape has points and all of them are equal.
func allEqual(points []Point) bool {
	for _, p := range points {
		if p != points[0] {
			return false
		}
	}
	return len(points) > 0
}
