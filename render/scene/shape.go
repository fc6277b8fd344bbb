package scene

import (
	"github.com/valyala/fastjson"
)

// shape reads one shape record or partial into r.
func (d *decoder) shape(r *Record, v *fastjson.Value, w where) {
	o, err := v.Object()
	if err != nil {
		d.bad(w, "", v, "an object")
		return
	}
	if id := o.Get("id"); id != nil {
		if r.ID = d.text(id, w, "id"); r.checkID() != nil {
			d.bad(w, "id", id, `an id that begins with "shape:"`)
		}
		w.shape = r.ID
	}
	if t := o.Get("typeName"); t != nil && string(t.GetStringBytes()) != "shape" {
		d.bad(w, "typeName", t, `"shape"; other records belong into {"records": [...]}`)
	}
	d.kind(r, o.Get("type"), w)
	if d.fault != nil {
		return
	}
	o.Visit(func(key []byte, v *fastjson.Value) {
		if d.fault == nil {
			d.base(r, key, v, w)
		}
	})
	if d.fault != nil {
		return
	}
	if err := r.valid(&d.lim); err != nil {
		d.fault = err.in(w.field(err.Path), r.ID)
	}
}

// kind reads the type, of which everything else depends.
func (d *decoder) kind(r *Record, v *fastjson.Value, w where) {
	if v == nil || v.Type() != fastjson.TypeString {
		d.bad(w, "type", v, "the name of a kind of shape")
		return
	}
	name := v.GetStringBytes()
	if k, ok := find[Kind](kindNames[:], name); ok {
		r.Kind, r.TypeName = k, k.String()
		return
	}
	r.Kind, r.TypeName = Other, d.strings.copy(name)
}

// base reads one member of a shape record.
func (d *decoder) base(r *Record, key []byte, v *fastjson.Value, w where) {
	switch string(key) {
	case "x":
		d.number(r, HasX, v, w)
	case "y":
		d.number(r, HasY, v, w)
	case "rotation":
		d.number(r, HasRotation, v, w)
	case "opacity":
		d.number(r, HasOpacity, v, w)
	case "parentId":
		r.ParentID = d.text(v, w, "parentId")
		r.Has |= HasParent
	case "index":
		if !r.Stored && v.Type() == fastjson.TypeString && len(v.GetStringBytes()) == 0 {
			return // the editor hands one out
		}
		r.Index = d.index(v, w, "index")
		r.Has |= HasIndex
	case "props":
		o, err := v.Object()
		if err != nil {
			d.bad(w, "props", v, "an object")
			return
		}
		o.Visit(func(key []byte, v *fastjson.Value) {
			if d.fault == nil {
				d.prop(r, key, v, w)
			}
		})
	}
}

// prop reads one property that the kind has; others are ignored.
func (d *decoder) prop(r *Record, key []byte, v *fastjson.Value, w where) {
	f := propField(r.Kind, key)
	if f&fieldsOf[r.Kind] == 0 {
		d.foreignProp(r, key, v, w)
		return
	}
	switch {
	case f&numberFields != 0:
		d.number(r, f, v, w)
	case f&enumFields != 0:
		d.enum(r, f, v, w)
	case f&flagFields != 0:
		t := v.Type()
		if t != fastjson.TypeTrue && t != fastjson.TypeFalse {
			d.bad(w, f.String(), v, "true or false")
			return
		}
		*r.Shape.flag(f) = t == fastjson.TypeTrue
	default:
		d.other(r, f, v, w)
	}
	r.Has |= f
}

const (
	numberFields = HasScale | HasW | HasH | HasGrowY | HasFontPx | HasBend | HasLabelPosition | HasElbowMid
	flagFields   = HasAuto | HasClosed | HasComplete | HasPen | HasFlipX | HasFlipY
	enumFields   = HasColor | HasLabelColor | HasSize | HasDash | HasFill | HasFont | HasAlign | HasVertical | HasGeo |
		HasHeadStart | HasHeadEnd | HasElbow | HasCubic
)

// propField returns the field that a property sets; 0 for none.
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

// propFields maps the names of properties to fields, those apart that depend on
// the kind.
var propFields = func() map[string]Fields {
	m := make(map[string]Fields)
	for i, name := range fieldNames {
		const prefix = "props."
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			m[name[len(prefix):]] = 1 << i
		}
	}
	delete(m, "align")
	delete(m, "kind")
	return m
}()

// number reads a numeric field. Whether it is in range is for Record.valid.
func (d *decoder) number(r *Record, f Fields, v *fastjson.Value, w where) {
	if f&arrowFields != 0 {
		d.arrow(r)
	}
	n, ok := d.float(v)
	if !ok {
		d.bad(w, f.String(), v, "a finite number")
		return
	}
	*r.Shape.number(f) = n
	r.Has |= f
}

// float reads a number that fits a float64.
func (d *decoder) float(v *fastjson.Value) (float64, bool) {
	if v == nil || v.Type() != fastjson.TypeNumber {
		return 0, false
	}
	d.digits = v.MarshalTo(d.digits[:0])
	return parseNumber(d.digits)
}

// text reads a string.
func (d *decoder) text(v *fastjson.Value, w where, field string) string {
	if v.Type() != fastjson.TypeString {
		d.bad(w, field, v, "a string")
		return ""
	}
	b := v.GetStringBytes()
	if len(b) > d.lim.Text {
		if d.fault == nil {
			d.fault = textTooLong(len(b), &d.lim).in(w.field(field), w.shape)
		}
		return ""
	}
	return d.strings.copy(b)
}

// arrow gives r properties of its own to write into.
func (d *decoder) arrow(r *Record) {
	if r.Arrow == nil {
		r.Arrow = new(ArrowProps)
		*r.Arrow = arrowDefaults
	}
}

// other reads a property that is neither number, name nor flag.
func (d *decoder) other(r *Record, f Fields, v *fastjson.Value, w where) {
	switch f {
	case HasRich:
		r.Rich = d.rich(v, w)
	case HasName:
		r.Name = d.text(v, w, f.String())
	case HasURL:
		r.URL = d.text(v, w, f.String())
	case HasAsset:
		if v.Type() != fastjson.TypeNull {
			r.Asset = d.text(v, w, f.String())
		}
	case HasStart, HasEnd:
		d.end(r, f, v, w)
	case HasPoints:
		r.Points = d.linePoints(v, w)
	case HasSegments:
		r.Segments = d.segments(v, w)
	}
}

// foreignProp looks at a property that the kind does not have today: older
// records kept text there, and layouts that would be misread are refused.
func (d *decoder) foreignProp(r *Record, key []byte, v *fastjson.Value, w where) {
	switch name := string(key); {
	case name == "text" && fieldsOf[r.Kind]&HasRich != 0:
		if r.Has&HasRich != 0 {
			return // the newer form counts
		}
		if s := d.text(v, w, "props.text"); d.fault == nil {
			r.Rich = TextOf(s)
			r.Has |= HasRich
		}
	case name == "handles" && r.Kind == Line:
		d.old(w, "props.handles", "handles, of an older version", "points")
	case name == "opacity" && r.Stored:
		d.old(w, "props.opacity", "opacity among the props, of an older version", "opacity of the record")
	case (name == "flipX" || name == "flipY") && r.Kind == Geo && v.Type() == fastjson.TypeTrue:
		d.old(w, "props."+name, "a mirrored outline, of tldraw 5", "false")
	case (name == "scaleX" || name == "scaleY") && (r.Kind == Draw || r.Kind == Highlight):
		if n, ok := d.float(v); !ok || n != 1 {
			d.old(w, "props."+name, show(v)+", of tldraw 5", "1")
		}
	}
}

// old reports a layout that needs the editor's own migrations.
func (d *decoder) old(w where, field, got, want string) {
	if d.fault == nil {
		d.fault = wrongVersion(w.field(field), w.shape, got, want)
	}
}

// end reads an unbound end of an arrow.
func (d *decoder) end(r *Record, f Fields, v *fastjson.Value, w where) {
	if t := string(v.GetStringBytes("type")); t == "binding" {
		d.old(w, f.String(), "a binding inside the arrow, of an older version", "a binding record")
		return
	}
	if r.Points == nil {
		r.Points = []Point{arrowStart, arrowEnd}
	}
	p := &r.Points[0]
	if f == HasEnd {
		p = &r.Points[1]
	}
	*p = d.point(v, w, f.String())
}
