package scene

import (
	"strings"

	"github.com/valyala/fastjson"
)

// shape reads one shape of a whiteboard into record, as a record of the store (record.Stored) or as
// it is created, and checks ranges and limits. What the editor may refuse goes into record.Odd.
// Unknown members are ignored.
func (decoder *sceneDecoder) shape(record *Record, v *fastjson.Value, place jsonPlace) {
	object, err := v.Object()
	if err != nil {
		decoder.refuse(place, "", v, "an object")
		return
	}
	if id := object.Get("id"); id != nil {
		record.ID = decoder.text(id, place, "id")
		if record.checkID() != nil {
			decoder.refuse(place, "id", id, `an id that begins with "shape:"`)
		}
		place.shape = record.ID
	}
	if t := object.Get("typeName"); t != nil && string(t.GetStringBytes()) != "shape" {
		decoder.refuse(place, "typeName", t, `"shape"; other records belong into {"records": [...]}`)
	}
	// The kind says which properties there are.
	decoder.kind(record, object.Get("type"), place)
	if decoder.fault != nil {
		return
	}
	object.Visit(func(key []byte, v *fastjson.Value) {
		if decoder.fault == nil {
			decoder.base(record, key, v, place)
		}
	})
	if decoder.fault != nil {
		return
	}
	// Check ranges, limits and, in a file, what the editor saves.
	if err := record.validateFields(&decoder.lim); err != nil {
		decoder.fault = err.in(place.field(err.Path), record.ID)
		return
	}
	if record.Stored && decoder.mustBeWhole {
		decoder.checkWhole(record.Kind, object)
	}
	record.Odd, decoder.odd = decoder.odd, ""
}

// kind reads the type of the shape, which decides how its other fields are read.
func (decoder *sceneDecoder) kind(record *Record, value *fastjson.Value, place jsonPlace) {
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

// base reads one member of a shape's record other than id and type: its place, opacity, parent or
// index, or its properties one by one.
func (decoder *sceneDecoder) base(record *Record, key []byte, value *fastjson.Value, place jsonPlace) {
	switch string(key) {
	case "x":
		decoder.number(record, HasX, value, place)
	case "y":
		decoder.number(record, HasY, value, place)
	case "rotation":
		decoder.number(record, HasRotation, value, place)
	case "opacity":
		decoder.number(record, HasOpacity, value, place)
	case "parentId":
		record.ParentID = decoder.text(value, place, "parentId")
		record.Has |= HasParent
	case "index":
		if !record.Stored && value.Type() == fastjson.TypeString && len(value.GetStringBytes()) == 0 {
			return // the editor assigns one
		}
		record.Index = decoder.index(value, place, "index")
		record.Has |= HasIndex
	case "props":
		object, err := value.Object()
		if err != nil {
			decoder.refuse(place, "props", value, "an object")
			return
		}
		object.Visit(func(key []byte, v *fastjson.Value) {
			if decoder.fault == nil {
				decoder.prop(record, key, v, place)
			}
		})
	}
}

// prop reads one property of a shape into the record. The property's row in the table of fields says
// of which type it is and where it is stored. A property that the kind of shape does not have is noted
// and left out.
func (decoder *sceneDecoder) prop(record *Record, key []byte, value *fastjson.Value, place jsonPlace) {
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
		decoder.enum(record, fields, value, place)
		return
	}
	// Store it by its type.
	switch to := row.pointer(&record.Shape).(type) {
	case *float64:
		decoder.number(record, fields, value, place)
	case *bool:
		*to = decoder.flag(value, place, row.path)
	case *string:
		if fields == HasAsset && value.Type() == fastjson.TypeNull {
			return
		}
		if *to = decoder.text(value, place, row.path); fields == HasAsset && *to == "" {
			decoder.noteOdd("props.assetId", `""`, `null, or an id that begins with "asset:"`)
		}
	case *Point:
		decoder.arrowEnd(to, value, place, row.path)
	case *[]Point:
		*to = decoder.linePoints(value, place)
	case *[]Segment:
		*to = decoder.segments(value, place)
	case **RichText:
		*to = decoder.rich(value, place)
	}
}

// flag reads true or false of a shape; path names the field in messages.
func (decoder *sceneDecoder) flag(v *fastjson.Value, place jsonPlace, path string) bool {
	t := v.Type()
	if t != fastjson.TypeTrue && t != fastjson.TypeFalse {
		decoder.refuse(place, path, v, "true or false")
	}
	return t == fastjson.TypeTrue
}

// enum reads a field of a shape whose value is one of a few names, such as a colour.
func (decoder *sceneDecoder) enum(record *Record, fields Fields, value *fastjson.Value, place jsonPlace) {
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

// number reads a numeric field of a shape. Whether it is in range is for Record.validateFields.
func (decoder *sceneDecoder) number(record *Record, fields Fields, v *fastjson.Value, place jsonPlace) {
	n, ok := decoder.float(v)
	if !ok {
		decoder.refuse(place, fields.String(), v, "a finite number")
		return
	}
	*record.Shape.number(fields) = n
	record.Has |= fields
}

// float reads a JSON number of a whiteboard. ok is false if value is not a number or does not fit a
// float64.
func (decoder *sceneDecoder) float(value *fastjson.Value) (float64, bool) {
	if value == nil || value.Type() != fastjson.TypeNumber {
		return 0, false
	}
	decoder.digits = value.MarshalTo(decoder.digits[:0])
	return parseNumber(decoder.digits)
}

// text reads a JSON string of a shape, which may not be longer than the limit on text, and returns a
// copy.
func (decoder *sceneDecoder) text(value *fastjson.Value, place jsonPlace, field string) string {
	if value.Type() != fastjson.TypeString {
		decoder.refuse(place, field, value, "a string")
		return ""
	}
	data := value.GetStringBytes()
	if len(data) > decoder.lim.Text {
		if decoder.fault == nil {
			decoder.fault = textTooLong(len(data), &decoder.lim).in(place.field(field), place.shape)
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
		if s := decoder.text(value, place, "props.text"); decoder.fault == nil {
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
		if n, ok := decoder.float(value); !ok || n != 1 {
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

// arrowEnd reads the position of an unbound end of an arrow, a point in the arrow's space. Older versions
// of the editor kept a binding in its place, which is refused.
func (decoder *sceneDecoder) arrowEnd(to *Point, value *fastjson.Value, place jsonPlace, path string) {
	if string(value.GetStringBytes("type")) == "binding" {
		decoder.refuseVersion(place, path, "a binding inside the arrow, of an older version", "a binding record")
		return
	}
	*to = decoder.point(value, place, path)
}
