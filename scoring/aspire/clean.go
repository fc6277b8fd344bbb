package aspire

import (
	"slices"
	"strings"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// cleaner turns the operations of an answer into shape records (docs/spec/aspire.md#r14). It drops
// an invalid field and keeps the shape; it rejects only an entry whose kind is unknown. Under the
// variant strict it corrects nothing, and one fault voids the whole list.
type cleaner struct {
	strict      bool // variant strict of docs/spec/aspire.md#r14
	strictAlign bool // variant strict_align of docs/spec/aspire.md#r18
	extended    bool // variant extended_math of docs/spec/aspire.md#r13
	maxText     int  // bytes of text per shape
	maxEntries  int  // of one list
	limits      scene.Limits

	notes      *notes
	path       listPath
	listFailed bool // in this list

	idTurn   string                     // stands before the number in made-up ids, "" in a first answer
	textJSON map[*scene.RichText]string // gets the JSON of texts that were read; nil for nothing

	entries []entry
	points  []indexedPoint
	json    []byte
}

// entry is a property of an entry of createShapes or updateShapes.
type entry struct {
	name     string
	property property
	value    answer.Value
	topLevel bool // it is beside props, not in it
}

const idPrefix = "shape:"

// dropField notes that a field of the answer's shape is ignored, and why. It marks the list
// as failed, which voids it under the variant strict.
func (c *cleaner) dropField(field, why string) {
	c.listFailed = true
	if c.notes.full() {
		return
	}
	c.notes.add(scoring.Note{Code: "dropped_field", Path: c.path.String() + "." + clipName(field), Message: why})
}

// clipName returns a field name for a note, quoted and shortened unless it is plain and
// short.
func clipName(s string) string {
	if quoted := quote(s); len(quoted) != len(s)+2 { // more than two quotes were added
		return quoted
	}
	return s
}

// rejectEntry notes that a whole entry of the answer's list is ignored, and why, and marks
// the list as failed.
func (c *cleaner) rejectEntry(why string) {
	c.listFailed = true
	if c.notes.full() {
		return
	}
	c.notes.add(scoring.Note{Code: "rejected_shape", Path: c.path.String(), Message: why})
}

// number reads a numeric field of the answer. Unless strict, arithmetic in strings is evaluated
// (docs/spec/aspire.md#r13).
func (c *cleaner) number(v answer.Value) (float64, bool) {
	if s, ok := v.Text(); ok && !c.strict {
		return answer.Eval(s, c.extended)
	}
	return v.Float()
}

// cleanID reads a shape id of the answer and adds the prefix "shape:" if it is missing
// (docs/spec/aspire.md#r23). ok is false for an empty or long one.
func (c *cleaner) cleanID(v answer.Value) (string, bool) {
	s, ok := v.Text()
	if !ok || s == "" || len(s)+len(idPrefix) > c.maxText {
		return "", false
	}
	if strings.HasPrefix(s, idPrefix) || c.strict {
		return s, true
	}
	return idPrefix + s, true
}

// create returns the shape record of an entry of the answer's createShapes. A shape without a
// usable id gets newID. ok is false, with a note, for an entry that is not an object or whose kind
// cannot be told.
func (c *cleaner) create(v answer.Value, newID string) (r scene.Record, ok bool) {
	if v.Kind() != answer.Object {
		c.rejectEntry("no object")
		return r, false
	}
	kind, geo, ok := c.detectKind(v)
	if !ok {
		c.rejectEntry("its type cannot be told")
		return r, false
	}
	id, ok := c.cleanID(v.Get("id"))
	switch given := v.Get("id"); {
	case ok && c.strict && !strings.HasPrefix(id, idPrefix):
		c.dropField("id", "want the prefix "+idPrefix)
	case !ok:
		if given.Exists() {
			c.dropField("id", "no usable id")
		}
		id = newID
	}
	r = scene.NewRecord(id, kind)
	c.readProperties(&r, v, geo)
	return r, true
}

// update returns the partial shape record of an entry of the answer's updateShapes, for the shape
// with this id and kind.
func (c *cleaner) update(v answer.Value, id string, kind scene.Kind) scene.Record {
	r := scene.NewRecord(id, kind)
	var geo answer.Value
	if kind == scene.Geo && !c.strict {
		_, geo, _ = geoType(v)
	}
	c.readProperties(&r, v, geo)
	return r
}

// geoType reads the member type of a shape in the answer. If it names a geo shape such as
// "ellipse", geo is that member and ok is true (docs/spec/aspire.md#r15). name is the normalized
// type in any case.
func geoType(v answer.Value) (name string, geo answer.Value, ok bool) {
	given := v.Get("type")
	name, ok = given.Text()
	if !ok {
		return "", geo, false
	}
	name = normalizeName(name)
	if other, known := geoAliases[name]; known {
		name = other
	}
	_, ok = scene.ParseGeo(name)
	if ok {
		return name, given, true
	}
	return name, geo, false
}

// detectKind returns the kind of a shape that the answer creates, from its type or else from
// properties that only one kind has. geo is the type if that named a geo shape. ok is false
// if the kind cannot be told.
func (c *cleaner) detectKind(v answer.Value) (k scene.Kind, geo answer.Value, ok bool) {
	if c.strict {
		s, _ := v.Get("type").Text()
		k, ok = scene.ParseKind(s)
		return k, geo, ok && k <= scene.Group
	}
	name, geo, ok := geoType(v)
	if ok {
		return scene.Geo, geo, true
	}
	k, ok = scene.ParseKind(name)
	if ok && k <= scene.Group {
		return k, geo, true
	}
	if v.Get("type").Exists() {
		c.dropField("type", "unknown type")
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

// readProperties reads everything but id and type of a shape in the answer into r. It notes what it
// drops: properties that the kind does not have, and invalid values. geo is the member type if that
// named a geo shape.
func (c *cleaner) readProperties(r *scene.Record, v, geo answer.Value) {
	c.readBase(r, v)
	c.collectEntries(v, geo)
	c.renameProperties(r.Kind)
	for i := range c.entries {
		e := &c.entries[i]
		switch {
		case kindFields[r.Kind]&e.property.field == 0:
			c.dropEntry(e, r.Kind.String()+" shapes do not have it")
		case !e.property.read(c, r, e.value):
			c.dropEntry(e, "invalid value")
		default:
			r.Has |= e.property.field
		}
	}
}

// dropEntry notes that a property of the answer's shape is ignored and why, with its path and, if
// it is a string, its value.
func (c *cleaner) dropEntry(e *entry, why string) {
	c.listFailed = true
	if c.notes.full() {
		return
	}
	name := "props." + e.name
	if e.topLevel {
		name = e.name
	}
	if s, ok := e.value.Text(); ok {
		why += ": " + quote(s)
	}
	c.dropField(name, why)
}

// readBase reads x, y, rotation and opacity of a shape in the answer into r. A value that is not a
// usable number is dropped with a note. Opacity is clamped to 0..1; under the variant strict it is
// refused beyond that.
func (c *cleaner) readBase(r *scene.Record, v answer.Value) {
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
			c.dropField(f.name, "no usable number")
			continue
		}
		*f.at = x
		r.Has |= f.field
	}
}

// collectEntries fills c.entries with the properties of a shape: those in props, the geo
// shape that the type names, then those beside props that are not fields of a record
// (docs/spec/aspire.md#r16). Unknown names are dropped at once, so that the list stays
// short.
func (c *cleaner) collectEntries(v, geo answer.Value) {
	c.entries = c.entries[:0]
	props := v.Get("props")
	if !props.Null() && props.Kind() != answer.Object {
		c.dropField("props", "no object")
	}
	for member := props.First(); props.Kind() == answer.Object && member.Exists(); member = member.Next() {
		c.addEntry(member, false) // in props
	}
	if geo.Exists() && !c.hasEntry("geo") {
		c.entries = append(c.entries, entry{name: "geo", property: properties["geo"], value: geo, topLevel: true})
	}
	for member := v.First(); member.Exists(); member = member.Next() {
		switch member.Key() {
		case "id", "type", "x", "y", "rotation", "opacity", "props", "isLocked", "meta", "parentId", "index",
			"typeName":
		default:
			c.addEntry(member, true) // beside props
		}
	}
}

// addEntry appends a property of the answer's shape to c.entries. It drops one whose name is
// unknown, and one beside props whose name is taken already. isTopLevel says that the property
// stands beside props.
func (c *cleaner) addEntry(member answer.Value, isTopLevel bool) {
	name := member.Key()
	prop, known := properties[name]
	added := entry{name: name, property: prop, value: member, topLevel: isTopLevel}
	switch {
	case !known || isTopLevel && c.strict:
		c.dropEntry(&added, "unknown field")
	case isTopLevel && c.hasEntry(name):
		c.dropEntry(&added, "props has it too")
	default:
		c.entries = append(c.entries, added)
	}
}

// renameProperties maps alternative names of the properties that models use to the editor's names,
// before the properties are read: text, align or textAlign, and the ends of a line.
func (c *cleaner) renameProperties(kind scene.Kind) {
	if i := c.entryIndex("text"); i >= 0 {
		if c.hasEntry("richText") {
			c.dropEntry(&c.entries[i], "richText is given too")
			c.removeEntry(i)
		} else {
			c.entries[i].property = properties["richText"]
		}
	}
	c.renameAlign(kind)
	if kind == scene.Line && !c.strict && !c.hasEntry("points") {
		c.pointsFromEnds()
	}
}

// renameAlign lets align and textAlign stand for each other if only one of them is given
// (docs/spec/aspire.md#r18). Otherwise, and under the strict variants, the one that the kind
// does not have loses its property, so that it is dropped with a note.
func (c *cleaner) renameAlign(kind scene.Kind) {
	own, other := "align", "textAlign"
	if kind == scene.Text {
		own, other = other, own
	}
	i := c.entryIndex(other)
	switch {
	case i < 0:
	case c.hasEntry(own) || c.strictAlign || c.strict:
		c.entries[i].property = property{}
	default:
		c.entries[i].property = properties[own]
	}
}

// pointsFromEnds gives a line without points its points from the members start and end, or from
// handles with start and end (docs/spec/aspire.md#r21): it makes one of these entries the one that
// reads the points. It does nothing where an end is missing.
func (c *cleaner) pointsFromEnds() {
	start, end := c.entryValue("start"), c.entryValue("end")
	startIndex, endIndex := c.entryIndex("start"), c.entryIndex("end")
	if handlesIndex := c.entryIndex("handles"); handlesIndex >= 0 && (startIndex < 0 || endIndex < 0) {
		handles := c.entries[handlesIndex].value
		start, end = handles.Get("start"), handles.Get("end")
		startIndex, endIndex = handlesIndex, handlesIndex
	}
	if startIndex < 0 || endIndex < 0 {
		return
	}
	c.entries[startIndex].property = property{scene.HasPoints, func(c *cleaner, r *scene.Record, _ answer.Value) bool {
		return c.twoPoints(r, start, end)
	}}
	if endIndex != startIndex {
		c.removeEntry(endIndex)
	}
}

// entryIndex returns the index of the property of that name, or -1.
func (c *cleaner) entryIndex(name string) int {
	return slices.IndexFunc(c.entries, func(e entry) bool { return e.name == name })
}

func (c *cleaner) hasEntry(name string) bool { return c.entryIndex(name) >= 0 }

// entryValue returns the value of the answer's property of that name, or the zero value if it has
// none.
func (c *cleaner) entryValue(name string) answer.Value {
	if i := c.entryIndex(name); i >= 0 {
		return c.entries[i].value
	}
	return answer.Value{}
}

func (c *cleaner) removeEntry(i int) { c.entries = slices.Delete(c.entries, i, i+1) }

// twoPoints sets the points of a line to two ends that the answer gives, and returns false if one
// is invalid.
func (c *cleaner) twoPoints(r *scene.Record, start, end answer.Value) bool {
	first, okFirst := c.point(start)
	second, okSecond := c.point(end)
	if !okFirst || !okSecond {
		return false
	}
	r.Points = []scene.Point{first, second}
	return true
}
