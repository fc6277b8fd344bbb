package scene

import (
	"strconv"

	"github.com/valyala/fastjson"
)

// snapshot reads the records of a store snapshot of a whiteboard, {"store": {id: record},
// "schema"}, and checks its schema. prefix is the path to it, for messages. Its records must have
// every member that the editor saves.
func (d *sceneDecoder) snapshot(v *fastjson.Value, prefix string) {
	d.whole = true
	store := v.Get("store")
	o := v.GetObject("store")
	if o == nil {
		d.refuse(where{list: prefix + "store", i: -1}, "", store, "an object of records")
		return
	}
	d.grow(min(o.Len(), d.lim.Shapes))
	o.Visit(func(key []byte, v *fastjson.Value) {
		if d.fault == nil {
			d.record(v, where{list: prefix + "store", i: -1, key: asString(key)})
		}
	})
	d.schema(v.Get("schema"), where{list: prefix + "schema", i: -1})
}

// file reads the records of a whiteboard's .tldr file and checks its schema. The head (the version
// of the format and the schema) may be missing. With a schema, records must have every member that
// the editor saves.
func (d *sceneDecoder) file(o *fastjson.Object) {
	if v := o.Get("tldrawFileFormatVersion"); v != nil {
		if n, ok := d.float(v); !ok || n != 1 {
			d.refuseVersion(where{list: "tldrawFileFormatVersion", i: -1}, "", describe(v), "1")
			return
		}
	}
	if schema := o.Get("schema"); schema != nil && schema.Type() != fastjson.TypeNull {
		d.whole = true
	}
	list := o.Get("records")
	items, err := list.Array()
	if err != nil {
		d.refuse(where{list: "records", i: -1}, "", list, "a list of records")
		return
	}
	d.grow(min(len(items), d.lim.Shapes))
	for i, item := range items {
		d.record(item, where{list: "records", i: i})
		if d.fault != nil {
			return
		}
	}
	d.schema(o.Get("schema"), where{list: "schema", i: -1})
}

// record reads one record of a whiteboard's store: a shape, a binding, a page, or the instance,
// which says which page is shown. It ignores records of other types.
func (d *sceneDecoder) record(v *fastjson.Value, place where) {
	if v.Type() != fastjson.TypeObject {
		d.refuse(place, "", v, "a record")
		return
	}
	switch t := v.Get("typeName"); string(t.GetStringBytes()) {
	case "shape":
		if len(d.records) >= d.lim.Shapes {
			d.fault = tooManyShapes(len(d.records)+1, &d.lim)
			return
		}
		d.records = append(d.records, Record{Stored: true})
		r := &d.records[len(d.records)-1]
		d.shape(r, v, place)
		if d.fault == nil && r.ID == "" {
			d.refuse(place, "id", v.Get("id"), `an id that begins with "shape:"`)
		}
		d.checkNoteFont(r, place)
	case "binding":
		d.binding(v, place)
	case "page":
		d.pages = append(d.pages, page{
			id:    d.strings.copy(v.GetStringBytes("id")),
			index: d.strings.copy(v.GetStringBytes("index")),
		})
	case "instance":
		if d.current == "" {
			d.current = d.strings.copy(v.GetStringBytes("currentPageId"))
		}
	case "":
		d.refuse(place, "typeName", t, "the name of a kind of record")
	}
}

// checkNoteFont refuses a note whose fontSizeAdjustment is a factor, as tldraw 5 stores it, where 4.2
// stores px: a value below 8. A factor of 1 means no adjustment and becomes 0. See
// docs/spec/drawing.md#r81.
func (d *sceneDecoder) checkNoteFont(r *Record, place where) {
	const smallest = 8 // px; 4.2 stops at 14, factors of 5 stay below 1
	if d.fault != nil || r.Kind != Note || r.Has&HasFontPx == 0 || r.FontPx >= smallest || r.FontPx == 0 {
		return
	}
	if r.FontPx == 1 {
		r.FontPx = 0
		return
	}
	place.shape = r.ID
	d.refuseVersion(place, HasFontPx.String(), formatNumber(r.FontPx)+", a factor of tldraw 5", "px, or 0")
}

// binding reads a binding of an arrow's end, as a record of the store or as it is created, and appends it
// to d.bindings. Members with a default may be missing. What the editor may refuse is noted in Odd.
func (d *sceneDecoder) binding(v *fastjson.Value, place where) {
	if v.Type() != fastjson.TypeObject {
		d.refuse(place, "", v, "a binding")
		return
	}
	if t := v.Get("type"); string(t.GetStringBytes()) != "arrow" {
		d.refuse(place, "type", t, `"arrow"`)
		return
	}
	b := NewBinding("", "", false)
	b.From = d.member(v, "fromId", place)
	b.To = d.member(v, "toId", place)
	if id := v.Get("id"); id != nil {
		b.ID = d.text(id, place, "id")
	}
	props := v.Get("props")
	if props == nil || props.Type() != fastjson.TypeObject {
		d.refuse(place, "props", props, "an object")
		return
	}
	d.only(props, "props", bindingMembers)
	if d.whole {
		d.lacks(props, "props", bindingMembers)
	}
	b.Odd, d.odd = d.odd, ""
	switch t := props.Get("terminal"); string(t.GetStringBytes()) {
	case "start":
	case "end":
		b.End = true
	default:
		d.refuse(place, "props.terminal", t, "one of start, end")
	}
	if a := props.Get("normalizedAnchor"); a != nil {
		b.Anchor = d.point(a, place, "props.normalizedAnchor")
	}
	b.IsExact = d.optionalFlag(props, "isExact", place)
	b.IsPrecise = d.optionalFlag(props, "isPrecise", place)
	if s := props.Get("snap"); s != nil {
		snap, ok := findName[Snap](snapNames[:], s.GetStringBytes())
		if !ok {
			d.refuse(place, "props.snap", s, oneOf(snapNames[:]))
		}
		b.Snap = snap
	}
	d.bindings = append(d.bindings, b)
}

// member returns a string of a whiteboard's record that must be there. key is its name, also in
// messages.
func (d *sceneDecoder) member(v *fastjson.Value, key string, place where) string {
	m := v.Get(key)
	if m == nil {
		d.refuse(place, key, nil, "a string")
		return ""
	}
	return d.text(m, place, key)
}

// optionalFlag reads a property that is true or false; missing is false.
func (d *sceneDecoder) optionalFlag(props *fastjson.Value, key string, place where) bool {
	v := props.Get(key)
	return v != nil && d.flag(v, place, "props."+key)
}

// keepShownPage drops the shapes and bindings of all pages of the whiteboard but the one that is
// shown: the session's current page if it exists, else the first by index. With fewer than two page
// records it keeps all shapes.
func (d *sceneDecoder) keepShownPage() {
	if len(d.pages) < 2 {
		return
	}
	shown := d.pages[0]
	for _, p := range d.pages {
		if p.id == d.current {
			shown = p
			break
		}
		if compareCodeUnits(p.index, shown.index) < 0 {
			shown = p
		}
	}
	other := make(map[string]bool) // pages, and the shapes on them
	for _, p := range d.pages {
		if p.id != shown.id {
			other[p.id] = true
		}
	}
	d.dropBelow(other)
}

// dropBelow removes the shapes of pages that are not shown, and the bindings of such shapes, and
// counts them in d.skipped. gone[id] is true for pages that are dropped; for every shape, the
// answer is added to it. A shape below no known page stays.
func (d *sceneDecoder) dropBelow(gone map[string]bool) {
	parent := make(map[string]string, len(d.records))
	for i := range d.records {
		parent[d.records[i].ID] = d.records[i].ParentID
	}
	kept := d.records[:0]
	var chain []string
	for _, r := range d.records {
		// Walk up to an ancestor with a result, at most once over each shape. A cycle
		// ends the walk; Resolve refuses it.
		chain = chain[:0]
		id, drop := r.ID, false
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
			kept = append(kept, r)
		}
	}
	d.skipped = len(d.records) - len(kept)
	clear(d.records[len(kept):])
	d.records = kept
	bindings := d.bindings[:0]
	for _, b := range d.bindings {
		if !gone[b.From] {
			bindings = append(bindings, b)
		}
	}
	d.bindings = bindings
}

// schema refuses a whiteboard's store whose schema says that its records are older than what this
// package reads. It looks only at the kinds of records that occur. Without a schema, and after a
// fault, it does nothing.
func (d *sceneDecoder) schema(v *fastjson.Value, place where) {
	if v == nil || d.fault != nil {
		return
	}
	if n, ok := d.float(v.Get("schemaVersion")); !ok || n != 2 {
		d.refuseVersion(place, "schemaVersion", describe(v.Get("schemaVersion")), "2")
		return
	}
	var seen [Other + 1]bool
	for i := range d.records {
		seen[d.records[i].Kind] = true
	}
	sequences := v.Get("sequences")
	// require refuses a version of a kind of records that is below the least.
	require := func(name string, least int) {
		version := sequences.Get("com.tldraw." + name)
		if version == nil {
			return // records of old versions are refused when they are read
		}
		if n, ok := d.float(version); !ok || n < float64(least) {
			d.refuseVersion(place, "sequences.com.tldraw."+name, "version "+describe(version),
				"at least "+strconv.Itoa(least))
		}
	}
	require("store", 5)
	if len(d.records) > 0 {
		require("shape", 4)
	}
	if len(d.bindings) > 0 {
		require("binding.arrow", 1)
	}
	for k, n := range needed {
		if seen[k] {
			require("shape."+Kind(k).String(), n.text)
		}
	}
}
