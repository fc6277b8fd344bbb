package scene

import (
	"strings"

	"github.com/valyala/fastjson"
)

// readShape reads one shape of a whiteboard into record, as a record of the store (record.Stored) or as
// it is created, and checks ranges and limits. What the editor may refuse goes into record.Odd.
// Unknown members are ignored.
func (decoder *sceneDecoder) readShape(record *Record, v *fastjson.Value, place jsonPlace) {
	object, err := v.Object()
	if err != nil {
		decoder.refuse(place, "", v, "an object")
		return
	}
	if id := object.Get("id"); id != nil {
		record.ID = decoder.readText(id, place, "id")
		if record.checkID() != nil {
			decoder.refuse(place, "id", id, `an id that begins with "shape:"`)
		}
		place.shape = record.ID
	}
	if t := object.Get("typeName"); t != nil && string(t.GetStringBytes()) != "shape" {
		decoder.refuse(place, "typeName", t, `"shape"; other records belong into {"records": [...]}`)
	}
	// The kind says which properties there are.
	decoder.readKind(record, object.Get("type"), place)
	if decoder.fault != nil {
		return
	}
	object.Visit(func(key []byte, v *fastjson.Value) {
		if decoder.fault == nil {
			decoder.readShapeMember(record, key, v, place)
		}
	})
	if decoder.fault != nil {
		return
	}
	// Check ranges, limits and, in a file, what the editor saves.
	if err := record.validateFields(&decoder.limits); err != nil {
		decoder.fault = err.in(place.field(err.Path), record.ID)
		return
	}
	if record.Stored && decoder.mustBeWhole {
		decoder.checkWhole(record.Kind, object)
	}
	record.Odd, decoder.odd = decoder.odd, ""
}

// readKind reads the type of the shape, which decides how its other fields are read.
func (decoder *sceneDecoder) readKind(record *Record, value *fastjson.Value, place jsonPlace) {
	if value == nil || value.Type() != fastjson.TypeString {
		decoder.refuse(place, "type", value, "the name of a kind of shape")
		return
	}
	name := value.GetStringBytes()
	if k, ok := findName[Kind](kindNames[:], name); ok {
		record.Kind, record.TypeName = k, k.String()
		return
	}
	record.Kind, record.TypeName = Other, decoder.strings.copy(name)
}

// readShapeMember reads one member of a shape's record other than id and type: its place, opacity, parent or
// index, or its properties one by one.
func (decoder *sceneDecoder) readShapeMember(record *Record, key []byte, value *fastjson.Value, place jsonPlace) {
	switch string(key) {
	case "x":
		decoder.readNumber(record, HasX, value, place)
	case "y":
		decoder.readNumber(record, HasY, value, place)
	case "rotation":
		decoder.readNumber(record, HasRotation, value, place)
	case "opacity":
		decoder.readNumber(record, HasOpacity, value, place)
	case "parentId":
		record.ParentID = decoder.readText(value, place, "parentId")
		record.Has |= HasParent
	case "index":
		if !record.Stored && value.Type() == fastjson.TypeString && len(value.GetStringBytes()) == 0 {
			return // the editor assigns one
		}
		record.Index = decoder.readIndex(value, place, "index")
		record.Has |= HasIndex
	case "props":
		object, err := value.Object()
		if err != nil {
			decoder.refuse(place, "props", value, "an object")
			return
		}
		object.Visit(func(key []byte, v *fastjson.Value) {
			if decoder.fault == nil {
				decoder.readProperty(record, key, v, place)
			}
		})
	}
}

// readProperty reads one property of a shape into the record. The property's row in the table of fields says
// of which type it is and where it is stored. A property that the kind of shape does not have is noted
// and left out.
func (decoder *sceneDecoder) readProperty(record *Record, key []byte, value *fastjson.Value, place jsonPlace) {
	fields := propField(record.Kind, key)
	if fields&fieldsOf[record.Kind] == 0 {
		decoder.propOfOtherVersion(record, key, value, place)
		return
	}
	// The record has it.
	record.Has |= fields
	decoder.needArrow(record, fields)
	row := fields.row()
	if row.names != nil {
		decoder.readEnum(record, fields, value, place)
		return
	}
	// Store it by its type.
	switch to := row.pointer(&record.Shape).(type) {
	case *float64:
		decoder.readNumber(record, fields, value, place)
	case *bool:
		*to = decoder.readBool(value, place, row.path)
	case *string:
		if fields == HasAsset && value.Type() == fastjson.TypeNull {
			return
		}
		if *to = decoder.readText(value, place, row.path); fields == HasAsset && *to == "" {
			decoder.noteOdd("props.assetId", `""`, `null, or an id that begins with "asset:"`)
		}
	case *Point:
		decoder.readArrowEnd(to, value, place, row.path)
	case *[]Point:
		*to = decoder.readLinePoints(value, place)
	case *[]Segment:
		*to = decoder.readSegments(value, place)
	case **RichText:
		*to = decoder.readRichText(value, place)
	}
}

// readBool reads true or false of a shape; path names the field in messages.
func (decoder *sceneDecoder) readBool(v *fastjson.Value, place jsonPlace, path string) bool {
	t := v.Type()
	if t != fastjson.TypeTrue && t != fastjson.TypeFalse {
		decoder.refuse(place, path, v, "true or false")
	}
	return t == fastjson.TypeTrue
}

// readEnum reads a field of a shape whose value is one of a few names, such as a colour.
func (decoder *sceneDecoder) readEnum(record *Record, fields Fields, value *fastjson.Value, place jsonPlace) {
	row := fields.row()
	names, path := row.names, row.path
	if fields == HasAlign && record.Kind == Text {
		names, path = alignNames[:], "props.textAlign"
	}
	i, ok := findName[uint8](names, value.GetStringBytes())
	if !ok {
		decoder.refuse(place, path, value, oneOf(names))
	}
	if fields == HasAlign {
		i = min(i, uint8(AlignEnd)) // legacy values behave as end
	}
	switch to := row.pointer(&record.Shape).(type) {
	case *uint8:
		*to = i
	case *bool:
		*to = i == 1
	}
}

// needArrow prepares an arrow's record for the field that is being read. If fields is a property of arrows or an
// end point, and the record has none of these yet, it gets its own with the defaults. Other fields need nothing.
func (decoder *sceneDecoder) needArrow(record *Record, fields Fields) {
	if fields&arrowFields != 0 && record.Arrow == nil {
		record.Arrow = new(ArrowProps)
		*record.Arrow = arrowDefaults
	}
	if fields&endFields != 0 && record.Points == nil {
		record.Points = []Point{arrowStart, arrowEnd}
	}
}

// propField returns the field that the property key sets in a shape of kind k; 0 for an unknown name. It
// does not say whether the kind has that field.
func propField(k Kind, key []byte) Fields {
	switch string(key) {
	case "align":
		if k != Text {
			return HasAlign
		}
	case "textAlign":
		if k == Text {
			return HasAlign
		}
	case "kind":
		return HasElbow
	default:
		return propFields[string(key)]
	}
	return 0
}

// propFields maps the names of properties to fields, except the names that depend on the kind.
var propFields = func() map[string]Fields {
	m := make(map[string]Fields)
	for i := range fieldRows {
		if name, ok := strings.CutPrefix(fieldRows[i].path, "props."); ok {
			m[name] = 1 << i // rows are in the order of the fields' bits
		}
	}
	delete(m, "align")
	delete(m, "kind")
	return m
}()

// readNumber reads a numeric field of a shape. Whether it is in range is for Record.validateFields.
func (decoder *sceneDecoder) readNumber(record *Record, fields Fields, v *fastjson.Value, place jsonPlace) {
	n, ok := decoder.readFloat(v)
	if !ok {
		decoder.refuse(place, fields.String(), v, "a finite number")
		return
	}
	*record.Shape.number(fields) = n
	record.Has |= fields
}

// readFloat reads a JSON number of a whiteboard. ok is false if value is not a number or does not fit a
// float64.
func (decoder *sceneDecoder) readFloat(value *fastjson.Value) (float64, bool) {
	if value == nil || value.Type() != fastjson.TypeNumber {
		return 0, false
	}
	decoder.digits = value.MarshalTo(decoder.digits[:0])
	return parseNumber(decoder.digits)
}

// readText reads a JSON string of a shape, which may not be longer than the limit on text, and returns a
// copy.
func (decoder *sceneDecoder) readText(value *fastjson.Value, place jsonPlace, field string) string {
	if value.Type() != fastjson.TypeString {
		decoder.refuse(place, field, value, "a string")
		return ""
	}
	data := value.GetStringBytes()
	if len(data) > decoder.limits.Text {
		if decoder.fault == nil {
			decoder.fault = textTooLong(len(data), &decoder.limits).in(place.field(field), place.shape)
		}
		return ""
	}
	return decoder.strings.copy(data)
}

// propOfOtherVersion handles a property that the kind of the shape does not have in this version. It reads the
// plain text of older records as rich text, refuses layouts of other versions that would be misread, and
// ignores all others.
func (decoder *sceneDecoder) propOfOtherVersion(record *Record, key []byte, value *fastjson.Value, place jsonPlace) {
	switch name := string(key); {
	case name == "text" && fieldsOf[record.Kind]&HasRich != 0:
		if record.Has&HasRich != 0 {
			return // the newer form counts
		}
		if s := decoder.readText(value, place, "props.text"); decoder.fault == nil {
			record.Rich = TextOf(s)
			record.Has |= HasRich
		}
	case name == "handles" && record.Kind == Line:
		decoder.refuseVersion(place, "props.handles", "handles, of an older version", "points")
	case name == "opacity" && record.Stored:
		decoder.refuseVersion(place, "props.opacity", "opacity among the props, of an older version", "opacity of the record")
	case (name == "flipX" || name == "flipY") && record.Kind == Geo && value.Type() == fastjson.TypeTrue:
		decoder.refuseVersion(place, "props."+name, "a mirrored outline, of tldraw 5", "false")
	case (name == "scaleX" || name == "scaleY") && (record.Kind == Draw || record.Kind == Highlight):
		if n, ok := decoder.readFloat(value); !ok || n != 1 {
			decoder.refuseVersion(place, "props."+name, describe(value)+", of tldraw 5", "1")
		}
	}
}

// refuseVersion sets the fault to a layout that needs the editor's own migrations.
func (decoder *sceneDecoder) refuseVersion(place jsonPlace, field, got, want string) {
	if decoder.fault == nil {
		decoder.fault = wrongVersion(place.field(field), place.shape, got, want)
	}
}

// readArrowEnd reads the position of an unbound end of an arrow, a point in the arrow's space. Older versions
// of the editor kept a binding in its place, which is refused.
func (decoder *sceneDecoder) readArrowEnd(to *Point, value *fastjson.Value, place jsonPlace, path string) {
	if string(value.GetStringBytes("type")) == "binding" {
		decoder.refuseVersion(place, path, "a binding inside the arrow, of an older version", "a binding record")
		return
	}
	*to = decoder.readPoint(value, place, path)
}
