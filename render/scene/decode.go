package scene

import (
	"slices"
	"strconv"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

var parsers fastjson.ParserPool

// Decode reads a whiteboard in any of the encodings of docs/spec/drawing.md#r1: a list of shapes,
// {"shapes", "bindings"}, {"records"}, a .tldr file, a store snapshot or an editor snapshot. Where
// an object has both, its records are the scene. b is checked as by Limits.Check and not kept.
// Unknown properties are ignored; a value of the wrong type, an unknown name and whatever Resolve
// refuses is an error that wraps ErrInvalid, ErrLimit or ErrVersion and names the field.
func Decode(b []byte, lim Limits) (s *Scene, err error) {
	err = Parse(b, lim, func(v *fastjson.Value) error {
		s, err = DecodeValue(v, lim)
		return err
	})
	return s, err
}

// Parse checks a JSON text as Limits.Check does and calls use with its parsed tree, which is valid
// until use returns. It returns the error of the check or of use.
func Parse(b []byte, lim Limits, use func(*fastjson.Value) error) error {
	lim.Depth = min(lim.withDefaults().Depth, fastjson.MaxDepth)
	if err := lim.Check(b); err != nil {
		return err
	}
	p := parsers.Get()
	defer func() {
		jsontree.Trim(p)
		parsers.Put(p)
	}()
	v, err := jsontree.Parse(p, b)
	if err != nil { // never after Check; fastjson's own message may be as long as b
		return invalid("", "", "JSON that the parser refuses", "JSON")
	}
	return use(v)
}

// DecodeValue reads a whiteboard as Decode does, from a parsed value. It does not notice duplicate
// keys: the first one counts. The scene does not refer to v.
func DecodeValue(v *fastjson.Value, lim Limits) (*Scene, error) {
	d := decoders.Get().(*sceneDecoder)
	defer d.release()
	d.lim = lim.withDefaults()
	d.container(v)
	if d.fault == nil {
		d.keepShownPage()
	}
	if d.fault != nil {
		return nil, d.fault
	}
	s, err := resolve(d.records, d.bindings, &d.lim)
	if err != nil {
		return nil, err
	}
	s.Skipped = d.skipped
	return s, nil
}

var decoders = sync.Pool{New: func() any { return new(sceneDecoder) }}

// keepRecords is the number of records beyond which a sceneDecoder is not kept.
const keepRecords = 1000

// release empties the decoder and puts it back into the pool. It is emptied because the scene
// shares memory with the decoder's records. A decoder with room for many records is left to the
// garbage collector.
func (d *sceneDecoder) release() {
	if cap(d.records) > keepRecords {
		return
	}
	clear(d.records)
	*d = sceneDecoder{digits: d.digits[:0], records: d.records[:0]}
	decoders.Put(d)
}

// grow makes room for n records.
func (d *sceneDecoder) grow(n int) { d.records = slices.Grow(d.records[:0], n) }

// DecodeShape reads one shape of the list that a model answers with, in the form of the editor's
// "create shapes", and checks ranges and limits. path names it in messages ("shapes[3]"). A missing
// id is not made up, and unknown members are dropped without a note. Errors are as for Decode. The
// record does not refer to v.
func DecodeShape(v *fastjson.Value, path string, lim Limits) (Record, error) {
	d := sceneDecoder{lim: lim.withDefaults(), answer: true}
	var r Record
	d.shape(&r, v, where{list: path, i: -1}) // -1: path is the whole place
	if d.fault != nil {
		return Record{}, d.fault
	}
	return r, nil
}

// sceneDecoder reads one document. The first fault stops it: every method returns at
// once when fault is set.
type sceneDecoder struct {
	lim      Limits
	fault    *Error
	strings  stringArena
	digits   []byte // the number that is being read
	records  []Record
	bindings []BindingRecord
	pages    []page
	current  string // id of the page that is shown, "" when unknown
	whole    bool   // records are stored ones that lack nothing
	answer   bool   // what is read is a shape of an answer, of which unknown members are dropped
	odd      string // Shape.Odd of the shape that is being read
	skipped  int
}

// page is a page record.
type page struct{ id, index string }

// where is a place in the input. Its text is made only for messages.
type where struct {
	list  string // "shapes"
	i     int    // position in it, -1 when list is the whole path
	key   string // member of it, in place of a position
	shape string // id of the shape, once it is known
}

// String returns the path of a place in the whiteboard's JSON, such as shapes[3], for messages.
func (place where) String() string {
	switch {
	case place.key != "":
		return place.list + "[" + strconv.Quote(clip(place.key, 80)) + "]"
	case place.i >= 0:
		return place.list + "[" + strconv.Itoa(place.i) + "]"
	}
	return place.list
}

// field returns the path of a field of a place in the whiteboard's JSON, such as shapes[3].props.w,
// for messages.
func (place where) field(name string) string {
	switch at := place.String(); {
	case at == "":
		return name
	case name == "":
		return at
	default:
		return at + "." + name
	}
}

// refuse sets the fault to a value that is not what the field wants, unless there is a fault.
func (d *sceneDecoder) refuse(place where, field string, v *fastjson.Value, want string) {
	if d.fault == nil {
		d.fault = invalid(place.field(field), place.shape, describe(v), want)
	}
}

// describe writes a JSON value for an error message: scalars shortened, lists and objects by their
// type.
func describe(v *fastjson.Value) string {
	if v == nil {
		return "nothing"
	}
	switch v.Type() {
	case fastjson.TypeObject:
		return "an object"
	case fastjson.TypeArray:
		return "a list"
	case fastjson.TypeString:
		b, _ := v.StringBytes()
		return strconv.Quote(clip(string(b[:min(len(b), 100)]), 60))
	}
	return clip(string(v.MarshalTo(nil)), 60)
}

// container reads a whiteboard in whichever encoding v is: a list of shapes, an editor snapshot (with
// document), a store snapshot, a .tldr file (with records), or an object with shapes and bindings.
func (d *sceneDecoder) container(v *fastjson.Value) {
	if v.Type() == fastjson.TypeArray {
		d.shapeList(v, "")
		return
	}
	o, err := v.Object()
	if err != nil {
		d.refuse(where{i: -1}, "", v, "a list of shapes, or an object with shapes, records, store or document")
		return
	}
	switch {
	case o.Get("document") != nil:
		d.current = string(o.Get("session").GetStringBytes("currentPageId"))
		d.snapshot(o.Get("document"), "document.")
	case o.Get("store") != nil:
		d.snapshot(v, "")
	case o.Get("records") != nil:
		d.file(o)
	case o.Get("shapes") != nil:
		d.shapeList(o.Get("shapes"), "shapes")
		if b := o.Get("bindings"); b != nil {
			d.bindingList(b)
		}
	default:
		d.refuse(where{i: -1}, "", v, "shapes, records, store or document in it")
	}
}

// shapeList reads a list of shapes, called name in messages, in the form of the editor's "create shapes".
// A shape without an id gets one from its position.
func (d *sceneDecoder) shapeList(v *fastjson.Value, name string) {
	items, err := v.Array()
	if err != nil {
		d.refuse(where{list: name, i: -1}, "", v, "a list of shapes")
		return
	}
	if len(items) > d.lim.Shapes {
		d.fault = tooManyShapes(len(items), &d.lim)
		return
	}
	d.grow(len(items))
	d.records = d.records[:len(items)]
	clear(d.records)
	for i, item := range items {
		r := &d.records[i]
		d.shape(r, item, where{list: name, i: i})
		if d.fault != nil {
			return
		}
		// Made-up ids must never change, because they seed the hand-drawn outline. See
		// docs/spec/aspire.md#r7 and docs/spec/aspire.md#r23.
		if r.ID == "" {
			r.ID = "shape:new-" + strconv.Itoa(i)
		}
	}
}

// bindingList reads bindings that are to be created.
func (d *sceneDecoder) bindingList(v *fastjson.Value) {
	items, err := v.Array()
	if err != nil {
		d.refuse(where{list: "bindings", i: -1}, "", v, "a list of bindings")
		return
	}
	for i, item := range items {
		d.binding(item, where{list: "bindings", i: i})
		if d.fault != nil {
			return
		}
	}
}

// stringArena copies short strings into a few large blocks, never into the input.
type stringArena struct{ free []byte }

// copy returns a copy of b, a text of a scene's record, as a string. Short strings share one block
// of memory, which is never written again, so that one allocation serves many.
func (a *stringArena) copy(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if cap(a.free)-len(a.free) < len(b) {
		if len(b) >= 256 { // a copy of its own
			return string(b)
		}
		a.free = make([]byte, 0, max(256, min(2*cap(a.free), 16<<10))) // blocks double up to 16 KiB
	}
	n := len(a.free)
	a.free = append(a.free, b...)
	return asString(a.free[n:])
}
