package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	"plumb/testdata/madeup"
)

type (
	object = map[string]any
	list   = []any
)

// Encodings of a document. See docs/spec/drawing.md#r1.
const (
	formShapes  = "shapes"  // to be created: missing fields have defaults
	formRecords = "records" // written by hand, without the versions of a schema
	formFile    = "file"    // as saved: nothing may be missing
)

// document is one document with what was changed in it.
type document struct {
	name, kind, form string
	shapes, bindings list // of objects, but for what was changed
	changes          []string
}

// kindsMadeHere are the kinds of shapes that package madeup makes only as parts of pages, or not at all.
var kindsMadeHere = []string{"bookmark", "embed", "frame", "group", "image", "video"}

// kinds lists the kinds of shapes.
func kinds() []string { return append(slices.Clone(madeup.Kinds), kindsMadeHere...) }

// oddDocument makes a whiteboard document with a shape of the given kind, and with what such a shape needs
// beside it. The document has one of three forms: shapes to be created, records, or a saved file. Then it
// makes one to three random changes in it, which make it odd.
func oddDocument(random *rand.Rand, name, kind string) *document {
	odd := &document{name: name, kind: kind, form: oneOf(random, formShapes, formShapes, formRecords, formFile)}
	odd.addShape(random, "shape:0", kind, "page:page")
	switch kind {
	case "frame", "group":
		for _, id := range []string{"shape:1", "shape:2"} {
			child := odd.addShape(random, id, "geo", "shape:0")
			child["x"], child["y"] = random.IntN(60), random.IntN(60)
		}
	case "arrow":
		odd.addBindings(random)
	}
	if odd.form == formFile {
		for _, shape := range odd.shapes {
			completeForFile(shape.(object))
		}
	}
	for range 1 + random.IntN(3) {
		odd.makeOdd(random)
	}
	return odd
}

// zOrderKeys are the values of index, by which the editor orders shapes from back to front. A document
// has three shapes at most.
var zOrderKeys = []string{"a1", "a2", "a3"}

// addShape adds a shape of a kind with random properties to the document, and returns it for further edits.
// parent is the id of the page or shape that it is in. Shapes that contain others or a picture are made
// here, those of other kinds by package madeup.
func (document *document) addShape(random *rand.Rand, id, kind, parent string) object {
	shape := object{}
	if slices.Contains(kindsMadeHere, kind) {
		shape = object{"id": id, "type": kind, "x": random.IntN(100), "y": random.IntN(100), "rotation": oneOf(random, 0, 0, 0.4), "opacity": oneOf(random, 1, 0.5), "props": object{}}
		if kind != "group" {
			shape["props"] = object{"w": 60 + random.IntN(200), "h": 60 + random.IntN(200)}
		}
		if kind == "frame" {
			shape["props"].(object)["name"] = oneOf(random, "", "A name")
		}
	} else if err := json.Unmarshal([]byte(madeup.Shape(random, id, kind)), &shape); err != nil {
		panic("BUG: " + err.Error()) // madeup writes JSON
	}
	// In a plain list of shapes the page is the default parent, and a shape has neither typeName nor index.
	if document.form != formShapes || parent != "page:page" {
		shape["parentId"] = parent
	}
	if document.form != formShapes {
		shape["typeName"], shape["index"] = "shape", zOrderKeys[len(document.shapes)]
	}
	document.shapes = append(document.shapes, shape)
	return shape
}

// addBindings adds bindings to a document whose first shape is an arrow: in half of the documents it adds another
// shape, to which it binds one end of the arrow, or both.
func (document *document) addBindings(random *rand.Rand) {
	if random.IntN(2) == 0 {
		return
	}
	document.addShape(random, "shape:1", oneOf(random, "geo", "text", "note"), "page:page")
	for _, terminal := range oneOf(random, []string{"start"}, []string{"end"}, []string{"start", "end"}) { // ends of the arrow
		document.bindings = append(document.bindings, object{"id": "binding:" + terminal, "typeName": "binding", "type": "arrow", "fromId": "shape:0", "toId": "shape:1", "meta": object{},
			"props": object{"terminal": terminal, "isPrecise": oneOf(random, true, false), "isExact": oneOf(random, true, false), "snap": "none", "normalizedAnchor": object{"x": 0.3, "y": 0.6}}})
	}
}

// savedProperties are the names of the properties that a saved shape has, by kind of shape.
var savedProperties = map[string]string{
	"geo": "geo w h growY dash fill color labelColor size font align verticalAlign scale url richText", "text": "color size font textAlign w autoSize scale richText",
	"arrow": "kind start end bend arrowheadStart arrowheadEnd dash fill color labelColor size font labelPosition elbowMidPoint scale richText",
	"line":  "dash size color spline scale points", "draw": "segments color fill dash size isComplete isClosed isPen scale",
	"highlight": "segments color size isComplete isPen scale", "note": "color labelColor size font align verticalAlign growY fontSizeAdjustment scale url richText",
	"frame": "w h name color", "group": "", "image": "w h playing url assetId crop flipX flipY altText", "video": "w h time playing autoplay url assetId altText", "bookmark": "w h url assetId", "embed": "w h url",
}

// defaultValues are the values that properties have by default. Those without one here are null.
var defaultValues = object{"kind": "arc", "align": "middle", "verticalAlign": "middle", "textAlign": "start", "dash": "draw", "fill": "none", "font": "draw", "size": "m", "color": "black", "labelColor": "black",
	"growY": 0, "fontSizeAdjustment": 0, "scale": 1, "url": "", "assetId": nil, "crop": nil, "flipX": false, "flipY": false, "altText": "", "time": 0, "playing": true, "autoplay": true,
	"labelPosition": 0.5, "elbowMidPoint": 0.5, "isComplete": true, "isClosed": false, "isPen": false, "name": "", "autoSize": true, "spline": "line"}

// completeForFile gives a shape everything that a shape in a saved file has, because the editor refuses files
// without it: all properties of its kind, with their default values, and its text as rich text.
func completeForFile(shape object) {
	shape["isLocked"], shape["meta"] = false, object{}
	props := shape["props"].(object)
	if text, ok := props["text"].(string); ok {
		blocks := list{}
		for line := range strings.SplitSeq(text, "\n") {
			block := object{"type": "paragraph"}
			if line != "" {
				block["content"] = list{object{"type": "text", "text": line}}
			}
			blocks = append(blocks, block)
		}
		delete(props, "text")
		props["richText"] = object{"type": "doc", "content": blocks}
	}
	for name := range strings.FieldsSeq(savedProperties[shape["type"].(string)]) {
		if _, ok := props[name]; ok {
			continue
		}
		props[name] = defaultValues[name]
		if name == "richText" { // an empty text, new for each shape because changes are made in it
			props[name] = object{"type": "doc", "content": list{object{"type": "paragraph"}}}
		}
	}
}

// schema has the versions that tldraw 4.2 saves with.
var schema = object{"schemaVersion": 2, "sequences": object{
	"com.tldraw.store": 5, "com.tldraw.asset": 1, "com.tldraw.page": 1, "com.tldraw.document": 2, "com.tldraw.shape": 4, "com.tldraw.shape.arrow": 7, "com.tldraw.shape.geo": 10,
	"com.tldraw.shape.text": 3, "com.tldraw.shape.note": 9, "com.tldraw.shape.draw": 2, "com.tldraw.shape.line": 5, "com.tldraw.shape.highlight": 1, "com.tldraw.shape.frame": 1,
	"com.tldraw.shape.group": 0, "com.tldraw.shape.image": 5, "com.tldraw.shape.video": 4, "com.tldraw.shape.bookmark": 2, "com.tldraw.shape.embed": 4,
	"com.tldraw.binding": 0, "com.tldraw.binding.arrow": 1}}

// source returns the document as JSON, in its form: a list of shapes as a tool passes them to the editor,
// records, or a saved file.
func (document *document) source() []byte {
	out := object{}
	switch document.form {
	case formShapes:
		out["shapes"] = document.shapes
		if document.bindings != nil {
			out["bindings"] = document.bindings
		}
	case formRecords:
		out["records"] = slices.Concat(document.shapes, document.bindings)
	case formFile:
		head := list{object{"id": "document:document", "typeName": "document", "gridSize": 10, "name": "", "meta": object{}},
			object{"id": "page:page", "typeName": "page", "name": "Page 1", "index": "a1", "meta": object{}}}
		out["tldrawFileFormatVersion"] = 1
		out["schema"] = schema
		out["records"] = slices.Concat(head, document.shapes, document.bindings)
	}
	data, err := json.Marshal(out)
	if err != nil {
		panic("BUG: " + err.Error()) // numbers, texts, lists and maps alone
	}
	return data
}

// oneOf picks one of the values.
func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
