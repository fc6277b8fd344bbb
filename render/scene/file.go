package scene

import (
	"strconv"

	"github.com/valyala/fastjson"
)

// readSnapshot reads the records of a store snapshot of a whiteboard, {"store": {id: record},
// "schema"}, and checks its schema. prefix is the path to it, for messages. Its records must have
// every member that the editor saves.
func (decoder *sceneDecoder) readSnapshot(value *fastjson.Value, prefix string) {
	decoder.mustBeWhole = true
	store := value.Get("store")
	object := value.GetObject("store")
	if object == nil {
		decoder.refuse(jsonPlace{list: prefix + "store", index: -1}, "", store, "an object of records")
		return
	}
	decoder.growRecords(min(object.Len(), decoder.limits.Shapes))
	object.Visit(func(key []byte, v *fastjson.Value) {
		if decoder.fault == nil {
			decoder.readRecord(v, jsonPlace{list: prefix + "store", index: -1, key: asString(key)})
		}
	})
	decoder.checkSchema(value.Get("schema"), jsonPlace{list: prefix + "schema", index: -1})
}

// readTldrFile reads the records of a whiteboard's .tldr file and checks its schema. The head (the version
// of the format and the schema) may be missing. With a schema, records must have every member that
// the editor saves.
func (decoder *sceneDecoder) readTldrFile(object *fastjson.Object) {
	if v := object.Get("tldrawFileFormatVersion"); v != nil {
		if n, ok := decoder.readFloat(v); !ok || n != 1 {
			decoder.refuseVersion(jsonPlace{list: "tldrawFileFormatVersion", index: -1}, "", describe(v), "1")
			return
		}
	}
	if schema := object.Get("schema"); schema != nil && schema.Type() != fastjson.TypeNull {
		decoder.mustBeWhole = true
	}
	list := object.Get("records")
	items, err := list.Array()
	if err != nil {
		decoder.refuse(jsonPlace{list: "records", index: -1}, "", list, "a list of records")
		return
	}
	decoder.growRecords(min(len(items), decoder.limits.Shapes))
	for i, item := range items {
		decoder.readRecord(item, jsonPlace{list: "records", index: i})
		if decoder.fault != nil {
			return
		}
	}
	decoder.checkSchema(object.Get("schema"), jsonPlace{list: "schema", index: -1})
}

// readRecord reads one record of a whiteboard's store: a shape, a binding, a page, or the instance,
// which says which page is shown. It ignores records of other types.
func (decoder *sceneDecoder) readRecord(v *fastjson.Value, place jsonPlace) {
	if v.Type() != fastjson.TypeObject {
		decoder.refuse(place, "", v, "a record")
		return
	}
	switch t := v.Get("typeName"); string(t.GetStringBytes()) {
	case "shape":
		if len(decoder.records) >= decoder.limits.Shapes {
			decoder.fault = tooManyShapes(len(decoder.records)+1, &decoder.limits)
			return
		}
		decoder.records = append(decoder.records, Record{Stored: true})
		record := &decoder.records[len(decoder.records)-1]
		decoder.readShape(record, v, place)
		if decoder.fault == nil && record.ID == "" {
			decoder.refuse(place, "id", v.Get("id"), `an id that begins with "shape:"`)
		}
		decoder.checkNoteFont(record, place)
	case "binding":
		decoder.readBinding(v, place)
	case "page":
		decoder.pages = append(decoder.pages, page{
			id:    decoder.strings.copy(v.GetStringBytes("id")),
			index: decoder.strings.copy(v.GetStringBytes("index")),
		})
	case "instance":
		if decoder.currentPage == "" {
			decoder.currentPage = decoder.strings.copy(v.GetStringBytes("currentPageId"))
		}
	case "":
		decoder.refuse(place, "typeName", t, "the name of a kind of record")
	}
}

// checkNoteFont refuses a note whose fontSizeAdjustment is a factor, as tldraw 5 stores it, where 4.2
// stores px: a value below 8. A factor of 1 means no adjustment and becomes 0. See
// docs/spec/drawing.md#r81.
func (decoder *sceneDecoder) checkNoteFont(record *Record, place jsonPlace) {
	const smallest = 8 // px; 4.2 stops at 14, factors of 5 stay below 1
	if decoder.fault != nil || record.Kind != Note || record.Has&HasFontPx == 0 || record.FontPx >= smallest || record.FontPx == 0 {
		return
	}
	if record.FontPx == 1 {
		record.FontPx = 0
		return
	}
	place.shape = record.ID
	decoder.refuseVersion(place, HasFontPx.String(), formatNumber(record.FontPx)+", a factor of tldraw 5", "px, or 0")
}

// readBinding reads a binding of an arrow's end, as a record of the store or as it is created, and appends it
// to decoder.bindings. Members with a default may be missing. What the editor may refuse is noted in Odd.
func (decoder *sceneDecoder) readBinding(v *fastjson.Value, place jsonPlace) {
	if v.Type() != fastjson.TypeObject {
		decoder.refuse(place, "", v, "a binding")
		return
	}
	if t := v.Get("type"); string(t.GetStringBytes()) != "arrow" {
		decoder.refuse(place, "type", t, `"arrow"`)
		return
	}
	record := NewBinding("", "", false)
	record.From = decoder.readMember(v, "fromId", place)
	record.To = decoder.readMember(v, "toId", place)
	if id := v.Get("id"); id != nil {
		record.ID = decoder.readText(id, place, "id")
	}
	// How it is bound.
	props := v.Get("props")
	if props == nil || props.Type() != fastjson.TypeObject {
		decoder.refuse(place, "props", props, "an object")
		return
	}
	decoder.noteUnknown(props, "props", bindingMembers)
	if decoder.mustBeWhole {
		decoder.noteMissing(props, "props", bindingMembers)
	}
	record.Odd, decoder.odd = decoder.odd, ""
	switch t := props.Get("terminal"); string(t.GetStringBytes()) {
	case "start":
	case "end":
		record.IsEnd = true
	default:
		decoder.refuse(place, "props.terminal", t, "one of start, end")
	}
	if a := props.Get("normalizedAnchor"); a != nil {
		record.Anchor = decoder.readPoint(a, place, "props.normalizedAnchor")
	}
	record.IsExact = decoder.readOptionalBool(props, "isExact", place)
	record.IsPrecise = decoder.readOptionalBool(props, "isPrecise", place)
	if s := props.Get("snap"); s != nil {
		snap, ok := findName[Snap](snapNames[:], s.GetStringBytes())
		if !ok {
			decoder.refuse(place, "props.snap", s, oneOf(snapNames[:]))
		}
		record.Snap = snap
	}
	decoder.bindings = append(decoder.bindings, record)
}

// readMember returns a string of a whiteboard's record that must be there. key is its name, also in
// messages.
func (decoder *sceneDecoder) readMember(v *fastjson.Value, key string, place jsonPlace) string {
	member := v.Get(key)
	if member == nil {
		decoder.refuse(place, key, nil, "a string")
		return ""
	}
	return decoder.readText(member, place, key)
}

// readOptionalBool reads a property that is true or false; missing is false.
func (decoder *sceneDecoder) readOptionalBool(props *fastjson.Value, key string, place jsonPlace) bool {
	v := props.Get(key)
	return v != nil && decoder.readBool(v, place, "props."+key)
}

// keepShownPage drops the shapes and bindings of all pages of the whiteboard but the one that is
// shown: the session's current page if it exists, else the first by index. With fewer than two page
// records it keeps all shapes.
func (decoder *sceneDecoder) keepShownPage() {
	if len(decoder.pages) < 2 {
		return
	}
	shown := decoder.pages[0]
	for _, page := range decoder.pages {
		if page.id == decoder.currentPage {
			shown = page
			break
		}
		if compareCodeUnits(page.index, shown.index) < 0 {
			shown = page
		}
	}
	other := make(map[string]bool) // pages, and the shapes on them
	for _, p := range decoder.pages {
		if p.id != shown.id {
			other[p.id] = true
		}
	}
	decoder.dropPages(other)
}

// dropPages removes the shapes of pages that are not shown, and the bindings of such shapes, and
// counts them in decoder.skipped. gone[id] is true for pages that are dropped; for every shape, the
// answer is added to it. A shape below no known page stays.
func (decoder *sceneDecoder) dropPages(gone map[string]bool) {
	parent := make(map[string]string, len(decoder.records))
	for i := range decoder.records {
		parent[decoder.records[i].ID] = decoder.records[i].ParentID
	}
	kept := decoder.records[:0]
	var chain []string
	for _, record := range decoder.records {
		// Walk up to an ancestor with a result, at most once over each shape. A cycle
		// ends the walk; Resolve refuses it.
		chain = chain[:0]
		id, drop := record.ID, false
		for len(chain) <= len(parent) {
			if known, ok := gone[id]; ok {
				drop = known
				break
			}
			chain = append(chain, id)
			up, ok := parent[id]
			if !ok {
				break
			}
			id = up
		}
		for _, id := range chain {
			gone[id] = drop
		}
		if !drop {
			kept = append(kept, record)
		}
	}
	decoder.skipped = len(decoder.records) - len(kept)
	clear(decoder.records[len(kept):])
	decoder.records = kept
	bindings := decoder.bindings[:0]
	for _, b := range decoder.bindings {
		if !gone[b.From] {
			bindings = append(bindings, b)
		}
	}
	decoder.bindings = bindings
}

// checkSchema refuses a whiteboard's store whose schema says that its records are older than what this
// package reads. It looks only at the kinds of records that occur. Without a schema, and after a
// fault, it does nothing.
func (decoder *sceneDecoder) checkSchema(value *fastjson.Value, place jsonPlace) {
	if value == nil || decoder.fault != nil {
		return
	}
	if n, ok := decoder.readFloat(value.Get("schemaVersion")); !ok || n != 2 {
		decoder.refuseVersion(place, "schemaVersion", describe(value.Get("schemaVersion")), "2")
		return
	}
	var seen [Other + 1]bool
	for i := range decoder.records {
		seen[decoder.records[i].Kind] = true
	}
	sequences := value.Get("sequences")
	// require refuses a version of a kind of records that is below the least.
	require := func(name string, least int) {
		version := sequences.Get("com.tldraw." + name)
		if version == nil {
			return // records of old versions are refused when they are read
		}
		if n, ok := decoder.readFloat(version); !ok || n < float64(least) {
			decoder.refuseVersion(place, "sequences.com.tldraw."+name, "version "+describe(version),
				"at least "+strconv.Itoa(least))
		}
	}
	require("store", 5)
	if len(decoder.records) > 0 {
		require("shape", 4)
	}
	if len(decoder.bindings) > 0 {
		require("binding.arrow", 1)
	}
	for k, n := range schemaVersions {
		if seen[k] {
			require("shape."+Kind(k).String(), n.withPlainText)
		}
	}
}
