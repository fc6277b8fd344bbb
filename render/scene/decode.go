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
func Decode(b []byte, lim Limits) (scene *Scene, err error) {
	err = Parse(b, lim, func(v *fastjson.Value) error {
		scene, err = DecodeValue(v, lim)
		return err
	})
	return scene, err
}

// Parse checks a JSON text as Limits.Check does and calls use with its parsed tree, which is valid
// until use returns. It returns the error of the check or of use.
func Parse(data []byte, lim Limits, use func(*fastjson.Value) error) error {
	lim.Depth = min(lim.withDefaults().Depth, fastjson.MaxDepth)
	if err := lim.Check(data); err != nil {
		return err
	}
	parser := parsers.Get()
	defer func() {
		jsontree.Trim(parser)
		parsers.Put(parser)
	}()
	value, err := jsontree.Parse(parser, data)
	if err != nil { // never after Check; the error is not passed on, as it may be as long as data
		return invalid("", "", "JSON that the parser refuses", "JSON")
	}
	return use(value)
}

// DecodeValue reads a whiteboard as Decode does, from a parsed value. It does not notice duplicate
// keys: the first one counts. The scene does not refer to value.
func DecodeValue(value *fastjson.Value, lim Limits) (*Scene, error) {
	decoder := decoders.Get().(*sceneDecoder)
	defer decoder.release()
	decoder.limits = lim.withDefaults()
	decoder.readWhiteboard(value)
	if decoder.fault == nil {
		decoder.keepShownPage()
	}
	if decoder.fault != nil {
		return nil, decoder.fault
	}
	scene, err := resolve(decoder.records, decoder.bindings, &decoder.limits)
	if err != nil {
		return nil, err
	}
	scene.Skipped = decoder.skipped
	return scene, nil
}

var decoders = sync.Pool{New: func() any { return new(sceneDecoder) }}

// keepRecords is the number of records beyond which a sceneDecoder is not kept.
const keepRecords = 1000

// release empties the decoder and puts it back into the pool. It is emptied because the scene
// shares memory with the decoder's records. A decoder with room for many records is left to the
// garbage collector.
func (decoder *sceneDecoder) release() {
	if cap(decoder.records) > keepRecords {
		return
	}
	clear(decoder.records)
	*decoder = sceneDecoder{digits: decoder.digits[:0], records: decoder.records[:0]}
	decoders.Put(decoder)
}

// growRecords makes room for n records.
func (decoder *sceneDecoder) growRecords(n int) {
	decoder.records = slices.Grow(decoder.records[:0], n)
}

// DecodeShape reads one shape of the list that a model answers with, in the form of the editor's
// "create shapes", and checks ranges and limits. path names it in messages ("shapes[3]"). A missing
// id is not made up, and unknown members are dropped without a note. Errors are as for Decode. The
// record does not refer to v.
func DecodeShape(v *fastjson.Value, path string, lim Limits) (Record, error) {
	decoder := sceneDecoder{limits: lim.withDefaults(), isAnswer: true}
	var record Record
	decoder.readShape(&record, v, jsonPlace{list: path, index: -1}) // -1: path is the whole place
	if decoder.fault != nil {
		return Record{}, decoder.fault
	}
	return record, nil
}

// sceneDecoder reads one document. The first fault stops it: every method returns at
// once when fault is set.
type sceneDecoder struct {
	limits      Limits
	fault       *Error
	strings     stringArena
	digits      []byte // the number that is being read
	records     []Record
	bindings    []BindingRecord
	pages       []page
	currentPage string // id of the page that is shown, "" when unknown
	mustBeWhole bool   // records are stored ones, which must have every member that the editor saves
	isAnswer    bool   // what is read is a shape of an answer, of which unknown members are dropped
	odd         string // Shape.Odd of the shape that is being read
	skipped     int
}

// page is a page record.
type page struct{ id, index string }

// jsonPlace is a place in the input. Its text is made only for messages.
type jsonPlace struct {
	list  string // "shapes"
	index int    // index in it, -1 when list is the whole path
	key   string // member of it, in place of a position
	shape string // id of the shape, once it is known
}

// String returns the path of a place in the whiteboard's JSON, such as shapes[3], for messages.
func (place jsonPlace) String() string {
	switch {
	case place.key != "":
		return place.list + "[" + strconv.Quote(shorten(place.key, 80)) + "]"
	case place.index >= 0:
		return place.list + "[" + strconv.Itoa(place.index) + "]"
	}
	return place.list
}

// field returns the path of a field of a place in the whiteboard's JSON, such as shapes[3].props.w,
// for messages.
func (place jsonPlace) field(name string) string {
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
func (decoder *sceneDecoder) refuse(place jsonPlace, field string, v *fastjson.Value, want string) {
	if decoder.fault == nil {
		decoder.fault = invalid(place.field(field), place.shape, describe(v), want)
	}
}

// describe writes a JSON value for an error message: scalars shortened, lists and objects by their
// type.
func describe(value *fastjson.Value) string {
	const most = 60 // bytes
	if value == nil {
		return "nothing"
	}
	switch value.Type() {
	case fastjson.TypeObject:
		return "an object"
	case fastjson.TypeArray:
		return "a list"
	case fastjson.TypeString:
		b, _ := value.StringBytes()
		return strconv.Quote(shorten(string(b[:min(len(b), 100)]), most)) // long ones are not copied whole
	}
	return shorten(string(value.MarshalTo(nil)), most)
}

// readWhiteboard reads a whiteboard in whichever encoding value is: a list of shapes, an editor snapshot (with
// document), a store snapshot, a .tldr file (with records), or an object with shapes and bindings.
func (decoder *sceneDecoder) readWhiteboard(value *fastjson.Value) {
	if value.Type() == fastjson.TypeArray {
		decoder.readShapeList(value, "")
		return
	}
	object, err := value.Object()
	if err != nil {
		decoder.refuse(jsonPlace{index: -1}, "", value, "a list of shapes, or an object with shapes, records, store or document")
		return
	}
	switch {
	case object.Get("document") != nil:
		decoder.currentPage = string(object.Get("session").GetStringBytes("currentPageId"))
		decoder.readSnapshot(object.Get("document"), "document.")
	case object.Get("store") != nil:
		decoder.readSnapshot(value, "")
	case object.Get("records") != nil:
		decoder.readTldrFile(object)
	case object.Get("shapes") != nil:
		decoder.readShapeList(object.Get("shapes"), "shapes")
		if b := object.Get("bindings"); b != nil {
			decoder.readBindingList(b)
		}
	default:
		decoder.refuse(jsonPlace{index: -1}, "", value, "shapes, records, store or document in it")
	}
}

// readShapeList reads a list of shapes, called name in messages, in the form of the editor's "create shapes".
// A shape without an id gets one from its position.
func (decoder *sceneDecoder) readShapeList(v *fastjson.Value, name string) {
	items, err := v.Array()
	if err != nil {
		decoder.refuse(jsonPlace{list: name, index: -1}, "", v, "a list of shapes")
		return
	}
	if len(items) > decoder.limits.Shapes {
		decoder.fault = tooManyShapes(len(items), &decoder.limits)
		return
	}
	decoder.growRecords(len(items))
	decoder.records = decoder.records[:len(items)]
	clear(decoder.records)
	for i, item := range items {
		record := &decoder.records[i]
		decoder.readShape(record, item, jsonPlace{list: name, index: i})
		if decoder.fault != nil {
			return
		}
		// Made-up ids must never change, because they seed the hand-drawn outline. See
		// docs/spec/aspire.md#r7 and docs/spec/aspire.md#r23.
		if record.ID == "" {
			record.ID = "shape:new-" + strconv.Itoa(i)
		}
	}
}

// readBindingList reads the list of bindings of a scene whose shapes are to be created. A binding ties the
// end of an arrow to a shape.
func (decoder *sceneDecoder) readBindingList(v *fastjson.Value) {
	items, err := v.Array()
	if err != nil {
		decoder.refuse(jsonPlace{list: "bindings", index: -1}, "", v, "a list of bindings")
		return
	}
	for i, item := range items {
		decoder.readBinding(item, jsonPlace{list: "bindings", index: i})
		if decoder.fault != nil {
			return
		}
	}
}

// stringArena copies short strings into a few large blocks, never into the input.
type stringArena struct{ free []byte }

// copy returns a copy of text, which lies in the parser's memory, as a string. Short strings share blocks
// of memory, so that one allocation serves many; what is in a block is never written again.
func (arena *stringArena) copy(text []byte) string {
	const leastBlock, mostBlock = 256, 16 << 10 // bytes
	if len(text) == 0 {
		return ""
	}
	if cap(arena.free)-len(arena.free) < len(text) {
		if len(text) >= leastBlock { // a copy of its own
			return string(text)
		}
		arena.free = make([]byte, 0, max(leastBlock, min(2*cap(arena.free), mostBlock))) // each twice as large
	}
	n := len(arena.free)
	arena.free = append(arena.free, text...)
	return asString(arena.free[n:])
}
