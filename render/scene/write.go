package scene

import (
	"math/bits"
	"strconv"
	"strings"

	"plumb/render/jsontree"
)

// AppendJSON appends a shape's record as a JSON object in the form of the editor's "create shapes",
// which DecodeShape reads. It writes only fields that the record has, so for an update it writes
// the partial shape. rich returns the JSON of a text that the record has; text is nil for the empty
// one. Parent and index, which a shape does not keep, are not written.
func (record *Record) AppendJSON(dst []byte, rich func(text *RichText) []byte) []byte {
	dst = jsontree.AppendString(append(dst, `{"id":`...), record.ID)
	dst = jsontree.AppendString(append(dst, `,"type":`...), record.Kind.String())
	for given := record.Has & baseFields; given != 0; given &= given - 1 { // drops the lowest field
		row := given.row()
		dst = append(append(append(dst, `,"`...), row.path...), `":`...)
		dst = appendNumber(dst, *row.pointer(&record.Shape).(*float64))
	}
	given := record.Has & record.Kind.knownFields() &^ baseFields
	if given == 0 {
		return append(dst, '}')
	}
	shape := record.Shape
	if shape.Arrow == nil { // appendField points into both, whatever the kind
		shape.Arrow = new(ArrowProps)
	}
	if len(shape.Points) < 2 {
		shape.Points = []Point{arrowStart, arrowEnd}
	}
	dst = append(dst, `,"props":{`...)
	for first := true; given != 0; given &= given - 1 {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		fields := given & -given // the lowest field
		name := strings.TrimPrefix(fields.row().path, "props.")
		if fields == HasAlign && record.Kind == Text {
			name = "textAlign"
		}
		dst = append(append(append(dst, '"'), name...), `":`...)
		dst = shape.appendField(dst, fields, rich)
	}
	return append(dst, '}', '}')
}

// appendField appends the value of a shape's field fields as JSON in the editor's form; rich returns the
// JSON of a text. shape must have Arrow and two Points. It panics for a field that a shape does not
// keep.
func (shape *Shape) appendField(dst []byte, fields Fields, rich func(*RichText) []byte) []byte {
	row := fields.row()
	switch v := row.pointer(shape).(type) {
	case *float64:
		return appendNumber(dst, *v)
	case *uint8:
		return jsontree.AppendString(dst, row.names[*v])
	case *bool:
		if row.names == nil {
			return strconv.AppendBool(dst, *v)
		}
		if *v {
			return jsontree.AppendString(dst, row.names[1])
		}
		return jsontree.AppendString(dst, row.names[0])
	case *string:
		return jsontree.AppendString(dst, *v)
	case *Point:
		return append(appendXY(append(dst, '{'), *v), '}')
	case *[]Point:
		return appendPoints(dst, *v)
	case *[]Segment:
		return appendSegments(dst, *v)
	case **RichText:
		return append(dst, rich(*v)...)
	}
	panic("BUG: field " + strconv.Itoa(bits.TrailingZeros64(uint64(fields))) + " has no JSON")
}

// appendNumber appends the shortest digits that read back as x, which is finite.
func appendNumber(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }

// appendXY appends the coordinates of a point as members.
func appendXY(dst []byte, p Point) []byte {
	return appendNumber(append(appendNumber(append(dst, `"x":`...), p.X), `,"y":`...), p.Y)
}

// appendPoints appends the points of a line as JSON in the editor's form, {key: {id, index, x, y}}. The
// keys are the first whole index keys, which are in the order of the points.
func appendPoints(dst []byte, points []Point) []byte {
	dst = append(dst, '{')
	for i, p := range points {
		if i > 0 {
			dst = append(dst, ',')
		}
		key := IndexKey(i + 1)
		dst = append(append(append(dst, '"'), key...), `":{"id":"`...)
		dst = append(append(append(dst, key...), `","index":"`...), key...)
		dst = append(appendXY(append(dst, `",`...), p), '}')
	}
	return append(dst, '}')
}

// appendSegments appends the segments of a freehand line as JSON in the editor's form, a list of
// {type, points}, whose points have the pressure as z.
func appendSegments(dst []byte, all []Segment) []byte {
	dst = append(dst, '[')
	for i, segment := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		kind := "free"
		if segment.Straight {
			kind = "straight"
		}
		dst = append(append(append(dst, `{"type":"`...), kind...), `","points":[`...)
		for k, pressed := range segment.Points {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = appendXY(append(dst, '{'), Point{X: pressed.X, Y: pressed.Y})
			dst = append(appendNumber(append(dst, `,"z":`...), pressed.Z), '}')
		}
		dst = append(dst, ']', '}')
	}
	return append(dst, ']')
}
