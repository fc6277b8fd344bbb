package scene

import (
	"strconv"

	"github.com/valyala/fastjson"
)

// snapshot reads a store snapshot: {"store": {id: record}, "schema"}. prefix is
// what leads to it, for messages.
func (d *decoder) snapshot(v *fastjson.Value, prefix string) {
	store := v.Get("store")
	o := v.GetObject("store")
	if o == nil {
		d.bad(where{list: prefix + "store", i: -1}, "", store, "an object of records")
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

// file reads a .tldr file, or the same without its head.
func (d *decoder) file(o *fastjson.Object) {
	if v := o.Get("tldrawFileFormatVersion"); v != nil {
		if n, ok := d.float(v); !ok || n != 1 {
			d.old(where{list: "tldrawFileFormatVersion", i: -1}, "", show(v), "1")
			return
		}
	}
	list := o.Get("records")
	items, err := list.Array()
	if err != nil {
		d.bad(where{list: "records", i: -1}, "", list, "a list of records")
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

// record reads one record of a store. Only shapes, bindings and pages matter,
// and which page is shown.
func (d *decoder) record(v *fastjson.Value, w where) {
	if v.Type() != fastjson.TypeObject {
		d.bad(w, "", v, "a record")
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
		d.shape(r, v, w)
		if d.fault == nil && r.ID == "" {
			d.bad(w, "id", v.Get("id"), `an id that begins with "shape:"`)
		}
		d.ratio(r, w)
	case "binding":
		d.binding(v, w)
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
		d.bad(w, "typeName", t, "the name of a kind of record")
	}
}

// ratio refuses what tldraw 5 stores in fontSizeAdjustment: a factor, 1 for none, where 4.2
// stores px. See docs/spec/drawing.md#r81.
func (d *decoder) ratio(r *Record, w where) {
	const smallest = 8 // px; 4.2 stops at 14, factors of 5 stay below 1
	if d.fault != nil || r.Kind != Note || r.Has&HasFontPx == 0 || r.FontPx >= smallest || r.FontPx == 0 {
		return
	}
	if r.FontPx == 1 {
		r.FontPx = 0
		return
	}
	w.shape = r.ID
	d.old(w, HasFontPx.String(), formatNumber(r.FontPx)+", a factor of tldraw 5", "px, or 0")
}

// binding reads a binding record or partial.
func (d *decoder) binding(v *fastjson.Value, w where) {
	if v.Type() != fastjson.TypeObject {
		d.bad(w, "", v, "a binding")
		return
	}
	if t := v.Get("type"); string(t.GetStringBytes()) != "arrow" {
		d.bad(w, "type", t, `"arrow"`)
		return
	}
	b := NewBinding("", "", false)
	b.From = d.member(v, "fromId", "fromId", w)
	b.To = d.member(v, "toId", "toId", w)
	if id := v.Get("id"); id != nil {
		b.ID = d.text(id, w, "id")
	}
	props := v.Get("props")
	if props == nil || props.Type() != fastjson.TypeObject {
		d.bad(w, "props", props, "an object")
		return
	}
	switch t := props.Get("terminal"); string(t.GetStringBytes()) {
	case "start":
	case "end":
		b.End = true
	default:
		d.bad(w, "props.terminal", t, "one of start, end")
	}
	if a := props.Get("normalizedAnchor"); a != nil {
		b.Anchor = d.point(a, w, "props.normalizedAnchor")
	}
	b.IsExact = d.yes(props, "isExact", w)
	b.IsPrecise = d.yes(props, "isPrecise", w)
	if s := props.Get("snap"); s != nil {
		snap, ok := find[Snap](snapNames[:], s.GetStringBytes())
		if !ok {
			d.bad(w, "props.snap", s, oneOf(snapNames[:]))
		}
		b.Snap = snap
	}
	d.bindings = append(d.bindings, b)
}

// member reads a string that must be there; path is what messages call it.
func (d *decoder) member(v *fastjson.Value, key, path string, w where) string {
	m := v.Get(key)
	if m == nil {
		d.bad(w, path, nil, "a string")
		return ""
	}
	return d.text(m, w, path)
}

// yes reads a flag; missing is false.
func (d *decoder) yes(props *fastjson.Value, key string, w where) bool {
	v := props.Get(key)
	if v == nil {
		return false
	}
	t := v.Type()
	if t != fastjson.TypeTrue && t != fastjson.TypeFalse {
		d.bad(w, "props."+key, v, "true or false")
	}
	return t == fastjson.TypeTrue
}

// onePage drops what lies on other pages than the one that is shown: the
// session's, else the first by index. Without page records all shapes count.
func (d *decoder) onePage() {
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
	d.dropUnder(other)
}

// dropUnder removes the shapes below the given ids, and their bindings.
func (d *decoder) dropUnder(gone map[string]bool) {
	parent := make(map[string]string, len(d.records))
	for i := range d.records {
		parent[d.records[i].ID] = d.records[i].ParentID
	}
	kept := d.records[:0]
	var chain []string
	for _, r := range d.records {
		// Walk up to a known answer, at most once over each shape; a cycle ends
		// the walk and is left for Resolve to refuse.
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

// needed holds the versions of the sequences that matter for drawing. text is the version whose
// only difference is plain text in place of rich text, which is upgraded here. See
// docs/spec/drawing.md#r2.
var needed = [...]struct{ now, text int }{
	Geo: {10, 9}, Text: {3, 2}, Line: {5, 5}, Draw: {2, 2}, Arrow: {7, 6}, Highlight: {1, 1}, Note: {9, 8},
	Frame: {1, 1}, Group: {0, 0}, Image: {5, 5}, Video: {4, 4}, Bookmark: {2, 2}, Embed: {4, 4},
}

// schema refuses records that are older than this package reads. Kinds that do
// not occur may be of any age.
func (d *decoder) schema(v *fastjson.Value, w where) {
	if v == nil || d.fault != nil {
		return
	}
	if n, ok := d.float(v.Get("schemaVersion")); !ok || n != 2 {
		d.old(w, "schemaVersion", show(v.Get("schemaVersion")), "2")
		return
	}
	var seen [Other + 1]bool
	for i := range d.records {
		seen[d.records[i].Kind] = true
	}
	sequences := v.Get("sequences")
	at := func(name string, least int) {
		s := sequences.Get("com.tldraw." + name)
		if s == nil {
			return // its records were read as they are, and old ones are noticed there
		}
		if n, ok := d.float(s); !ok || n < float64(least) {
			d.old(w, "sequences.com.tldraw."+name, "version "+show(s), "at least "+strconv.Itoa(least))
		}
	}
	at("store", 5)
	if len(d.records) > 0 {
		at("shape", 4)
	}
	if len(d.bindings) > 0 {
		at("binding.arrow", 1)
	}
	for k, n := range needed {
		if seen[k] {
			at("shape."+Kind(k).String(), n.text)
		}
	}
}
