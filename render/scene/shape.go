package scene

import (
	"strings"

	"github.com/valyala/fastjson"
)

// shape reads one shape of a whiteboard into r, as a record of the store (r.Stored) or as it is created,
// and checks ranges and limits. What the editor may refuse goes into r.Odd. Unknown members are ignored.
func (d *sceneDecoder) shape(r *Record, v *fastjson.Value, place where) {
	o, err := v.Object()
	if err != nil {
		d.refuse(place, "", v, "an object")
		return
	}
	if id := o.Get("id"); id != nil {
		r.ID = d.text(id, place, "id")
		if r.checkID() != nil {
			d.refuse(place, "id", id, `an id that begins with "shape:"`)
		}
		place.shape = r.ID
	}
	if t := o.Get("typeName"); t != nil && string(t.GetStringBytes()) != "shape" {
		d.refuse(place, "typeName", t, `"shape"; other records belong into {"records": [...]}`)
	}
	d.kind(r, o.Get("type"), place)
	if d.fault != nil {
		return
	}
	o.Visit(func(key []byte, v *fastjson.Value) {
		if d.fault == nil {
			d.base(r, key, v, place)
		}
	})
	if d.fault != nil {
		return
	}
	if err := r.valid(&d.lim); err != nil {
		d.fault = err.in(place.field(err.Path), r.ID)
		return
	}
	if r.Stored && d.whole {
		d.checkWhole(r.Kind, o)
	}
	r.Odd, d.odd = d.odd, ""
}

// kind reads the type of the shape, which decides how its other fields are read.
func (d *sceneDecoder) kind(r *Record, v *fastjson.Value, place where) {
	if v == nil || v.Type() != fastjson.TypeString {
		d.refuse(place, "type", v, "the name of a kind of shape")
		return
	}
	name := v.GetStringBytes()
	if k, ok := findName[Kind](kindNames[:], name); ok {
		r.Kind, r.TypeName = k, k.String()
		return
	}
	r.Kind, r.TypeName = Other, d.strings.copy(name)
}

// base reads one member of a shape's record other than id and type: its place, opacity, parent or
// index, or its properties one by one.
func (d *sceneDecoder) base(r *Record, key []byte, v *fastjson.Value, place where) {
	switch string(key) {
	case "x":
		d.number(r, HasX, v, place)
	case "y":
		d.number(r, HasY, v, place)
	case "rotation":
		d.number(r, HasRotation, v, place)
	case "opacity":
		d.number(r, HasOpacity, v, place)
	case "parentId":
		r.ParentID = d.text(v, place, "parentId")
		r.Has |= HasParent
	case "index":
		if !r.Stored && v.Type() == fastjson.TypeString && len(v.GetStringBytes()) == 0 {
			return // the editor assigns one
		}
		r.Index = d.index(v, place, "index")
		r.Has |= HasIndex
	case "props":
		o, err := v.Object()
		if err != nil {
			d.refuse(place, "props", v, "an object")
			return
		}
		o.Visit(func(key []byte, v *fastjson.Value) {
			if d.fault == nil {
				d.prop(r, key, v, place)
			}
		})
	}
}

// prop reads one property of a shape into the record. It ignores properties that the kind does not
// have.
func (d *sceneDecoder) prop(r *Record, key []byte, v *fastjson.Value, place where) {
	f := propField(r.Kind, key)
	if f&fieldsOf[r.Kind] == 0 {
		d.foreignProp(r, key, v, place)
		return
	}
	r.Has |= f
	d.needArrow(r, f)
	row := f.row()
	if row.names != nil {
		d.enum(r, f, v, place)
		return
	}
	switch to := row.pointer(&r.Shape).(type) {
	case *float64:
		d.number(r, f, v, place)
	case *bool:
		*to = d.flag(v, place, row.path)
	case *string:
		if f == HasAsset && v.Type() == fastjson.TypeNull {
			return
		}
		if *to = d.text(v, place, row.path); f == HasAsset && *to == "" {
			d.note("props.assetId", `""`, `null, or an id that begins with "asset:"`)
		}
	case *Point:
		d.arrowEnd(to, v, place, row.path)
	case *[]Point:
		*to = d.linePoints(v, place)
	case *[]Segment:
		*to = d.segments(v, place)
	case **RichText:
		*to = d.rich(v, place)
	}
}

// flag reads true or false of a shape; path names the field in messages.
func (d *sceneDecoder) flag(v *fastjson.Value, place where, path string) bool {
	t := v.Type()
	if t != fastjson.TypeTrue && t != fastjson.TypeFalse {
		d.refuse(place, path, v, "true or false")
	}
	return t == fastjson.TypeTrue
}

// enum reads a field of a shape whose value is one of a few names, such as a colour.
func (d *sceneDecoder) enum(r *Record, f Fields, v *fastjson.Value, place where) {
	row := f.row()
	names, path := row.names, row.path
	if f == HasAlign && r.Kind == Text {
		names, path = alignNames[:], "props.textAlign"
	}
	i, ok := findName[uint8](names, v.GetStringBytes())
	if !ok {
		d.refuse(place, path, v, oneOf(names))
	}
	if f == HasAlign {
		i = min(i, uint8(AlignEnd)) // legacy values behave as end
	}
	switch to := row.pointer(&r.Shape).(type) {
	case *uint8:
		*to = i
	case *bool:
		*to = i == 1
	}
}

// needArrow gives an arrow's record properties or end points of its own, with the defaults, if
// field f is one of these and the record has none yet. It does nothing for other fields.
func (d *sceneDecoder) needArrow(r *Record, f Fields) {
	if f&arrowFields != 0 && r.Arrow == nil {
		r.Arrow = new(ArrowProps)
		*r.Arrow = arrowDefaults
	}
	if f&endFields != 0 && r.Points == nil {
		r.Points = []Point{arrowStart, arrowEnd}
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

// number reads a numeric field of a shape. Whether it is in range is for Record.valid.
func (d *sceneDecoder) number(r *Record, f Fields, v *fastjson.Value, place where) {
	n, ok := d.float(v)
	if !ok {
		d.refuse(place, f.String(), v, "a finite number")
		return
	}
	*r.Shape.number(f) = n
	r.Has |= f
}

// float reads a JSON number of a whiteboard. ok is false if v is not a number or does not fit a
// float64.
func (d *sceneDecoder) float(v *fastjson.Value) (float64, bool) {
	if v == nil || v.Type() != fastjson.TypeNumber {
		return 0, false
	}
	d.digits = v.MarshalTo(d.digits[:0])
	return parseNumber(d.digits)
}

// text reads a JSON string of a shape within the limit on text.
func (d *sceneDecoder) text(v *fastjson.Value, place where, field string) string {
	if v.Type() != fastjson.TypeString {
		d.refuse(place, field, v, "a string")
		return ""
	}
	b := v.GetStringBytes()
	if len(b) > d.lim.Text {
		if d.fault == nil {
			d.fault = textTooLong(len(b), &d.lim).in(place.field(field), place.shape)
		}
		return ""
	}
	return d.strings.copy(b)
}

// foreignProp handles a property that the kind of the shape does not have in this version. It reads the
// plain text of older records as rich text, refuses layouts of other versions that would be misread, and
// ignores all others.
func (d *sceneDecoder) foreignProp(r *Record, key []byte, v *fastjson.Value, place where) {
	switch name := string(key); {
	case name == "text" && fieldsOf[r.Kind]&HasRich != 0:
		if r.Has&HasRich != 0 {
			return // the newer form counts
		}
		if s := d.text(v, place, "props.text"); d.fault == nil {
			r.Rich = TextOf(s)
			r.Has |= HasRich
		}
	case name == "handles" && r.Kind == Line:
		d.refuseVersion(place, "props.handles", "handles, of an older version", "points")
	case name == "opacity" && r.Stored:
		d.refuseVersion(place, "props.opacity", "opacity among the props, of an older version", "opacity of the record")
	case (name == "flipX" || name == "flipY") && r.Kind == Geo && v.Type() == fastjson.TypeTrue:
		d.refuseVersion(place, "props."+name, "a mirrored outline, of tldraw 5", "false")
	case (name == "scaleX" || name == "scaleY") && (r.Kind == Draw || r.Kind == Highlight):
		if n, ok := d.float(v); !ok || n != 1 {
			d.refuseVersion(place, "props."+name, describe(v)+", of tldraw 5", "1")
		}
	}
}

// refuseVersion sets the fault to a layout that needs the editor's own migrations.
func (d *sceneDecoder) refuseVersion(place where, field, got, want string) {
	if d.fault == nil {
		d.fault = wrongVersion(place.field(field), place.shape, got, want)
	}
}

// arrowEnd reads the position of an unbound end of an arrow, a point in the arrow's space. Older versions
// of the editor kept a binding in its place, which is refused.
func (d *sceneDecoder) arrowEnd(to *Point, v *fastjson.Value, place where, path string) {
	if string(v.GetStringBytes("type")) == "binding" {
		d.refuseVersion(place, path, "a binding inside the arrow, of an older version", "a binding record")
		return
	}
	*to = d.point(v, place, path)
}
