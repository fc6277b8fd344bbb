package scene

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"
)

// Members of what shapes and bindings consist of, in tldraw 4.2.
var (
	pointMembers    = strings.Fields("x y z id index") // the last two of the points of a line
	segmentMembers  = strings.Fields("type points")
	documentMembers = strings.Fields("type content attrs")
	bindingMembers  = strings.Fields("terminal normalizedAnchor isExact isPrecise snap")
	storedMembers   = strings.Fields("id typeName type x y rotation index parentId isLocked opacity meta props")
)

// ignoredProps are the properties that are saved with a shape and that its picture does not depend on, with
// the kinds of shapes that have them and the types that they may have.
var ignoredProps = map[string]struct {
	kinds []Kind
	types []fastjson.Type
}{
	"playing":  {[]Kind{Image, Video}, []fastjson.Type{fastjson.TypeTrue, fastjson.TypeFalse}},
	"autoplay": {[]Kind{Video}, []fastjson.Type{fastjson.TypeTrue, fastjson.TypeFalse}},
	"time":     {[]Kind{Video}, []fastjson.Type{fastjson.TypeNumber}},
	"altText":  {[]Kind{Image, Video}, []fastjson.Type{fastjson.TypeString}},
	"crop":     {[]Kind{Image}, []fastjson.Type{fastjson.TypeNull, fastjson.TypeObject}},
}

// savedProps lists the properties that tldraw 4.2 saves with each kind of shape.
var savedProps = func() (all [Other + 1][]string) {
	for k := range Other {
		for f := range propFields {
			if propField(k, []byte(f))&fieldsOf[k] != 0 {
				all[k] = append(all[k], f)
			}
		}
		for _, f := range []string{"align", "textAlign", "kind"} { // whose field depends on the kind
			if propField(k, []byte(f))&fieldsOf[k] != 0 && !slices.Contains(all[k], f) {
				all[k] = append(all[k], f)
			}
		}
		for name, u := range ignoredProps {
			if slices.Contains(u.kinds, k) {
				all[k] = append(all[k], name)
			}
		}
		slices.Sort(all[k])
	}
	return all
}()

// noteOdd records, for Shape.Odd, what the editor may refuse in the shape that is being read; the first counts.
// Shapes of a model's answer have no such notes.
func (decoder *sceneDecoder) noteOdd(field, got, want string) {
	if decoder.odd == "" && !decoder.isAnswer {
		decoder.odd = "got " + got + " as " + field + ", want " + want
	}
}

// noteUnknown notes, in the shape's Odd, members of an object whose names are not in the list, because the
// editor may refuse them. field is the object's path in the note. It ignores a value that is not an
// object.
func (decoder *sceneDecoder) noteUnknown(v *fastjson.Value, field string, names []string) {
	object, err := v.Object()
	if err != nil {
		return
	}
	object.Visit(func(key []byte, _ *fastjson.Value) {
		if !slices.Contains(names, string(key)) {
			decoder.noteOdd(field+"."+shorten(string(key), 40), "a member", "none of this name")
		}
	})
}

// noteMissing notes, in the shape's Odd, the members of the list that an object does not have, because
// the editor may refuse a shape without them.
func (decoder *sceneDecoder) noteMissing(v *fastjson.Value, field string, names []string) {
	for _, name := range names {
		if v.Get(name) == nil {
			decoder.noteOdd(strings.TrimPrefix(field+"."+name, "."), "nothing", "what is saved with every shape")
		}
	}
}

// checkWhole notes how the stored record object of a shape of kind k differs from what the editor saves:
// members and properties that are missing, have other names, or have values of another type. The
// editor may refuse such a record. Plain text in place of rich text is no difference. If something
// is noted already it does nothing. See docs/spec/drawing.md#r88.
func (decoder *sceneDecoder) checkWhole(k Kind, object *fastjson.Object) {
	if k == Other || decoder.odd != "" {
		return
	}
	// Members of every shape.
	for _, name := range storedMembers {
		if object.Get(name) == nil {
			decoder.noteOdd(name, "nothing", "what is saved with every shape")
		}
	}
	object.Visit(func(key []byte, value *fastjson.Value) {
		switch name := string(key); {
		case !slices.Contains(storedMembers, name):
			decoder.noteOdd(shorten(name, 40), "a member", "none of this name")
		case name == "isLocked":
			decoder.wantType(name, value, fastjson.TypeTrue, fastjson.TypeFalse)
		case name == "meta":
			decoder.wantType(name, value, fastjson.TypeObject)
		}
	})
	// Properties of its kind.
	props := object.Get("props")
	for _, name := range savedProps[k] {
		if props.Get(name) == nil && (name != "richText" || props.Get("text") == nil) {
			decoder.noteOdd("props."+name, "nothing", "what is saved with every shape of its kind")
		}
	}
	props.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		name := string(key)
		if u, ok := ignoredProps[name]; ok && slices.Contains(u.kinds, k) {
			decoder.wantType("props."+name, v, u.types...)
		} else if !slices.Contains(savedProps[k], name) && (name != "text" || props.Get("richText") != nil) {
			decoder.noteOdd("props."+shorten(name, 40), "a property", "none of this name")
		}
	})
}

// wantType notes a value that has none of the types.
func (decoder *sceneDecoder) wantType(field string, v *fastjson.Value, types ...fastjson.Type) {
	if !slices.Contains(types, v.Type()) {
		decoder.noteOdd(field, describe(v), "a value of another type")
	}
}
