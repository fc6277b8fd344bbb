package aspire

import (
	"slices"
	"strings"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// cleaner turns the operations of an answer into records (docs/spec/aspire.md#r14). An
// invalid field is dropped and the shape kept; only an entry whose kind cannot
// be told is rejected. With strict nothing is mended, and any fault voids the
// list it stands in.
type cleaner struct {
	strict      bool // variant strict of docs/spec/aspire.md#r14
	strictAlign bool // variant strict_align of docs/spec/aspire.md#r18
	extended    bool // variant extended_math of docs/spec/aspire.md#r13
	maxText     int  // bytes of text per shape
	maxEntries  int  // of one list
	limits      scene.Limits

	notes  *notes
	place  place
	failed bool // in this list

	entries []entry
	points  []indexed
	json    []byte
}

// entry is a property that an entry of a list gives.
type entry struct {
	name string
	prop property
	v    answer.Value
	top  bool // it stood beside props, not in it
}

const prefix = "shape:"

// drop notes a field that does not count.
func (c *cleaner) drop(field, why string) {
	c.failed = true
	if c.notes.full() {
		return
	}
	c.notes.add(scoring.Note{Code: "dropped_field", Path: c.place.String() + "." + clipName(field), Message: why})
}

// clipName shortens the name of a field that a model made up.
func clipName(s string) string {
	if q := quote(s); len(q) != len(s)+2 {
		return q
	}
	return s
}

// reject notes an entry that does not count.
func (c *cleaner) reject(why string) {
	c.failed = true
	if c.notes.full() {
		return
	}
	c.notes.add(scoring.Note{Code: "rejected_shape", Path: c.place.String(), Message: why})
}

// number reads a numeric field; strings are evaluated (docs/spec/aspire.md#r13).
func (c *cleaner) number(v answer.Value) (float64, bool) {
	if s, ok := v.Text(); ok && !c.strict {
		return answer.Eval(s, c.extended)
	}
	return v.Float()
}

// id reads an id and gives it the prefix (docs/spec/aspire.md#r23). An empty one is none.
func (c *cleaner) id(v answer.Value) (string, bool) {
	s, ok := v.Text()
	if !ok || s == "" || len(s)+len(prefix) > c.maxText {
		return "", false
	}
	if strings.HasPrefix(s, prefix) || c.strict {
		return s, true
	}
	return prefix + s, true
}

// create cleans an entry of createShapes. newID is its id when it gives none.
func (c *cleaner) create(v answer.Value, newID string) (r scene.Record, ok bool) {
	if v.Kind() != answer.Object {
		c.reject("no object")
		return r, false
	}
	kind, geo, ok := c.kind(v)
	if !ok {
		c.reject("its type cannot be told")
		return r, false
	}
	id, ok := c.id(v.Get("id"))
	switch given := v.Get("id"); {
	case ok && c.strict && !strings.HasPrefix(id, prefix):
		c.drop("id", "want the prefix "+prefix)
	case !ok:
		if given.Exists() {
			c.drop("id", "no usable id")
		}
		id = newID
	}
	r = scene.NewRecord(id, kind)
	c.fields(&r, v, geo)
	return r, true
}

// update cleans an entry of updateShapes for a shape of this kind.
func (c *cleaner) update(v answer.Value, id string, kind scene.Kind) scene.Record {
	r := scene.NewRecord(id, kind)
	var geo answer.Value
	if kind == scene.Geo && !c.strict {
		_, geo, _ = geoType(v)
	}
	c.fields(&r, v, geo)
	return r
}

// geoType reads a type that names a geo shape (docs/spec/aspire.md#r15).
func geoType(v answer.Value) (name string, geo answer.Value, ok bool) {
	t := v.Get("type")
	name, ok = t.Text()
	if !ok {
		return "", geo, false
	}
	name = plainName(name)
	if other, known := geoAliases[name]; known {
		name = other
	}
	if _, ok = scene.ParseGeo(name); ok {
		return name, t, true
	}
	return name, geo, false
}

// kind tells the kind of a shape that is created and, when the type named a geo
// shape, that value.
func (c *cleaner) kind(v answer.Value) (k scene.Kind, geo answer.Value, ok bool) {
	if c.strict {
		s, _ := v.Get("type").Text()
		k, ok = scene.ParseKind(s)
		return k, geo, ok && k <= scene.Group
	}
	name, geo, ok := geoType(v)
	if ok {
		return scene.Geo, geo, true
	}
	if k, ok = scene.ParseKind(name); ok && k <= scene.Group {
		return k, geo, true
	}
	if v.Get("type").Exists() {
		c.drop("type", "unknown type")
	}
	props := v.Get("props")
	has := func(name string) bool { return props.Get(name).Exists() || v.Get(name).Exists() }
	switch {
	case has("geo"):
		return scene.Geo, geo, true
	case has("text") || has("richText"):
		return scene.Text, geo, true
	}
	return 0, geo, false
}

// fields reads everything but id and type. geo is a type that named a geo shape.
func (c *cleaner) fields(r *scene.Record, v, geo answer.Value) {
	c.base(r, v)
	c.collect(v, geo)
	c.mend(r.Kind)
	for i := range c.entries {
		e := &c.entries[i]
		switch {
		case kindFields[r.Kind]&e.prop.field == 0:
			c.dropEntry(e, r.Kind.String()+" shapes do not have it")
		case !e.prop.read(c, r, e.v):
			c.dropEntry(e, "invalid value")
		default:
			r.Has |= e.prop.field
		}
	}
}

func (c *cleaner) dropEntry(e *entry, why string) {
	if c.failed = true; c.notes.full() {
		return
	}
	name := "props." + e.name
	if e.top {
		name = e.name
	}
	if s, ok := e.v.Text(); ok {
		why += ": " + quote(s)
	}
	c.drop(name, why)
}

// base reads x, y, rotation and opacity.
func (c *cleaner) base(r *scene.Record, v answer.Value) {
	for _, f := range [...]struct {
		name  string
		field scene.Fields
		at    *float64
	}{
		{"x", scene.HasX, &r.X}, {"y", scene.HasY, &r.Y},
		{"rotation", scene.HasRotation, &r.Rotation}, {"opacity", scene.HasOpacity, &r.Opacity},
	} {
		given := v.Get(f.name)
		if !given.Exists() {
			continue
		}
		x, ok := c.number(given)
		if ok && f.field == scene.HasOpacity {
			ok = !c.strict || x >= 0 && x <= 1
			x = clamp01(x)
		}
		if !ok {
			c.drop(f.name, "no usable number")
			continue
		}
		*f.at = x
		r.Has |= f.field
	}
}

// collect lists the properties that an entry gives: those in props, then those
// that stand beside it and are no fields of a record (docs/spec/aspire.md#r16). Unknown
// names are dropped here, so that the list stays short.
func (c *cleaner) collect(v, geo answer.Value) {
	c.entries = c.entries[:0]
	props := v.Get("props")
	if !props.Null() && props.Kind() != answer.Object {
		c.drop("props", "no object")
	}
	for m := props.First(); props.Kind() == answer.Object && m.Exists(); m = m.Next() {
		c.note(m, false)
	}
	if geo.Exists() && !c.has("geo") {
		c.entries = append(c.entries, entry{name: "geo", prop: properties["geo"], v: geo, top: true})
	}
	for m := v.First(); m.Exists(); m = m.Next() {
		switch m.Key() {
		case "id", "type", "x", "y", "rotation", "opacity", "props", "isLocked", "meta", "parentId", "index", "typeName":
		default:
			c.note(m, true)
		}
	}
}

// note adds a member to the entries.
func (c *cleaner) note(m answer.Value, top bool) {
	name := m.Key()
	p, known := properties[name]
	e := entry{name: name, prop: p, v: m, top: top}
	switch {
	case !known || top && c.strict:
		c.dropEntry(&e, "unknown field")
	case top && c.has(name):
		c.dropEntry(&e, "props has it too")
	default:
		c.entries = append(c.entries, e)
	}
}

// mend puts properties that are written in another way under their right name,
// before they are read.
func (c *cleaner) mend(kind scene.Kind) {
	if i := c.index("text"); i >= 0 {
		if c.has("richText") {
			c.dropEntry(&c.entries[i], "richText is given too")
			c.forget(i)
		} else {
			c.entries[i].prop = properties["richText"]
		}
	}
	c.mendAlign(kind)
	if kind == scene.Line && !c.strict && !c.has("points") {
		c.lineOfEnds()
	}
}

// mendAlign lets align and textAlign stand for each other where only one of
// them is given (docs/spec/aspire.md#r18). Otherwise the name that the kind does not have
// loses its field, and so is dropped.
func (c *cleaner) mendAlign(kind scene.Kind) {
	own, other := "align", "textAlign"
	if kind == scene.Text {
		own, other = other, own
	}
	i := c.index(other)
	switch {
	case i < 0:
	case c.has(own) || c.strictAlign || c.strict:
		c.entries[i].prop = property{}
	default:
		c.entries[i].prop = properties[own]
	}
}

// lineOfEnds lets start and end, or handles with both, be the points of a line
// that has none (docs/spec/aspire.md#r21).
func (c *cleaner) lineOfEnds() {
	start, end := c.get("start"), c.get("end")
	i, j := c.index("start"), c.index("end")
	if h := c.index("handles"); h >= 0 && (i < 0 || j < 0) {
		handles := c.entries[h].v
		start, end = handles.Get("start"), handles.Get("end")
		i, j = h, h
	}
	if i < 0 || j < 0 {
		return
	}
	c.entries[i].prop = property{scene.HasPoints, func(c *cleaner, r *scene.Record, _ answer.Value) bool {
		return c.twoPoints(r, start, end)
	}}
	if j != i {
		c.forget(j)
	}
}

func (c *cleaner) index(name string) int {
	for i := range c.entries {
		if c.entries[i].name == name {
			return i
		}
	}
	return -1
}

func (c *cleaner) has(name string) bool { return c.index(name) >= 0 }

func (c *cleaner) get(name string) answer.Value {
	if i := c.index(name); i >= 0 {
		return c.entries[i].v
	}
	return answer.Value{}
}

func (c *cleaner) forget(i int) { c.entries = slices.Delete(c.entries, i, i+1) }

func (c *cleaner) twoPoints(r *scene.Record, start, end answer.Value) bool {
	a, ok := c.point(start)
	b, ok2 := c.point(end)
	if ok = ok && ok2; ok {
		r.Points = []scene.Point{a, b}
	}
	return ok
}
