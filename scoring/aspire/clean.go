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

	turnInIDs string                     // names the turn in made-up ids, such as "t2-"; "" in a first answer
	textJSON  map[*scene.RichText]string // gets the JSON of texts that were read; nil for nothing

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
func (cleaner *cleaner) dropField(field, why string) {
	cleaner.listFailed = true
	if cleaner.notes.omitIfFull() {
		return
	}
	cleaner.notes.add(scoring.Note{Code: "dropped_field", Path: cleaner.path.String() + "." + clipName(field), Message: why})
}

// clipName returns a field name for a note. A long name, and one with special characters, is shortened
// and quoted; other names stay as they are.
func clipName(name string) string {
	if quoted := quote(name); len(quoted) != len(name)+len(`""`) { // shortened, or with escapes
		return quoted
	}
	return name
}

// rejectEntry notes that a whole entry of the answer's list is ignored, and why, and marks the list as failed.
func (cleaner *cleaner) rejectEntry(why string) {
	cleaner.listFailed = true
	if cleaner.notes.omitIfFull() {
		return
	}
	cleaner.notes.add(scoring.Note{Code: "rejected_shape", Path: cleaner.path.String(), Message: why})
}

// number reads a numeric field of the answer. Unless strict, arithmetic in strings is evaluated
// (docs/spec/aspire.md#r13).
func (cleaner *cleaner) number(value answer.Value) (float64, bool) {
	if s, ok := value.Text(); ok && !cleaner.strict {
		return answer.Eval(s, cleaner.extended)
	}
	return value.Float()
}

// cleanID reads a shape id of the answer and adds the prefix "shape:" if it is missing
// (docs/spec/aspire.md#r23). ok is false for an empty or long one.
func (cleaner *cleaner) cleanID(v answer.Value) (string, bool) {
	text, ok := v.Text()
	if !ok || text == "" || len(text)+len(idPrefix) > cleaner.maxText {
		return "", false
	}
	if strings.HasPrefix(text, idPrefix) || cleaner.strict {
		return text, true
	}
	return idPrefix + text, true
}

// create returns the shape record of an entry of the answer's createShapes. A shape without a usable id gets
// newID. ok is false, with a note, for an entry that is not an object or whose kind cannot be found out.
func (cleaner *cleaner) create(value answer.Value, newID string) (record scene.Record, ok bool) {
	if value.Kind() != answer.Object {
		cleaner.rejectEntry("no object")
		return record, false
	}
	// Its kind, its id, then everything else.
	kind, geo, ok := cleaner.detectKind(value)
	if !ok {
		cleaner.rejectEntry("its type cannot be told")
		return record, false
	}
	givenID := value.Get("id")
	id, usable := cleaner.cleanID(givenID)
	if !usable {
		if givenID.Exists() {
			cleaner.dropField("id", "no usable id")
		}
		id = newID
	} else if cleaner.strict && !strings.HasPrefix(id, idPrefix) {
		cleaner.dropField("id", "want the prefix "+idPrefix) // which voids the list
	}
	record = scene.NewRecord(id, kind)
	cleaner.readProperties(&record, value, geo)
	return record, true
}

// update returns the partial shape record of an entry of the answer's updateShapes, for the shape with this id
// and kind. Unless strict, a type such as "ellipse" in the entry changes the form of a geo shape.
func (cleaner *cleaner) update(value answer.Value, id string, kind scene.Kind) scene.Record {
	record := scene.NewRecord(id, kind)
	var geo answer.Value
	if kind == scene.Geo && !cleaner.strict {
		_, geo, _ = geoType(value)
	}
	cleaner.readProperties(&record, value, geo)
	return record
}

// geoType reads the member type of a shape in the answer. If it names a geo shape such as "ellipse", geo is
// that member and ok is true (docs/spec/aspire.md#r15). name is the normalized type, whether or not ok is true.
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

// detectKind returns the kind of a shape that the answer creates, from its type or else from properties that
// only one kind has. geo is the type if that named a geo shape, such as "ellipse". ok is false if the kind
// cannot be found out, or if answers cannot create it. Under the variant strict the type must name the kind.
func (cleaner *cleaner) detectKind(value answer.Value) (kind scene.Kind, geo answer.Value, ok bool) {
	const lastCreatable = scene.Group // answers cannot create the kinds after it
	if cleaner.strict {
		name, _ := value.Get("type").Text()
		kind, ok = scene.ParseKind(name)
		return kind, geo, ok && kind <= lastCreatable
	}
	name, geo, ok := geoType(value)
	if ok {
		return scene.Geo, geo, true
	}
	kind, ok = scene.ParseKind(name)
	if ok && kind <= lastCreatable {
		return kind, geo, true
	}
	// No known type: look at what the shape has.
	if value.Get("type").Exists() {
		cleaner.dropField("type", "unknown type")
	}
	props := value.Get("props")
	has := func(name string) bool { return props.Get(name).Exists() || value.Get(name).Exists() }
	switch {
	case has("geo"):
		return scene.Geo, geo, true
	case has("text") || has("richText"):
		return scene.Text, geo, true
	}
	return 0, geo, false
}

// readProperties reads everything but id and type of a shape in the answer into record. It notes what it drops:
// properties that the kind does not have, and invalid values. geo is the member type if that named a geo shape.
func (cleaner *cleaner) readProperties(record *scene.Record, v, geo answer.Value) {
	cleaner.readBase(record, v)
	cleaner.collectEntries(v, geo)
	cleaner.renameProperties(record.Kind)
	for i := range cleaner.entries {
		entry := &cleaner.entries[i]
		switch {
		case kindFields[record.Kind]&entry.property.field == 0: // bit sets: the field is none of the kind's
			cleaner.dropEntry(entry, record.Kind.String()+" shapes do not have it")
		case !entry.property.read(cleaner, record, entry.value):
			cleaner.dropEntry(entry, "invalid value")
		default:
			record.Has |= entry.property.field
		}
	}
}

// dropEntry notes that a property of the answer's shape is ignored and why, with its path and, if
// it is a string, its value.
func (cleaner *cleaner) dropEntry(entry *entry, why string) {
	name := "props." + entry.name
	if entry.topLevel {
		name = entry.name
	}
	if s, ok := entry.value.Text(); ok {
		why += ": " + quote(s)
	}
	cleaner.dropField(name, why)
}

// readBase reads x, y, rotation and opacity of a shape in the answer into record. A value that is not a
// usable number is dropped with a note. Opacity is clamped to 0..1; under the variant strict it is
// refused beyond that.
func (cleaner *cleaner) readBase(record *scene.Record, value answer.Value) {
	for _, base := range [...]struct {
		name   string
		field  scene.Fields
		target *float64
	}{
		{"x", scene.HasX, &record.X}, {"y", scene.HasY, &record.Y},
		{"rotation", scene.HasRotation, &record.Rotation}, {"opacity", scene.HasOpacity, &record.Opacity},
	} {
		given := value.Get(base.name)
		if !given.Exists() {
			continue
		}
		number, usable := cleaner.number(given)
		if usable && base.field == scene.HasOpacity {
			clamped := clamp01(number)
			usable = clamped == number || !cleaner.strict
			number = clamped
		}
		if !usable {
			cleaner.dropField(base.name, "no usable number")
			continue
		}
		*base.target = number
		record.Has |= base.field
	}
}

// collectEntries fills cleaner.entries with the properties that an answer gives a shape: those in
// props, then geo, the type if that names a geo shape, then those that stand beside props by mistake
// (docs/spec/aspire.md#r16). Unknown names are dropped at once, so that the list stays short.
func (cleaner *cleaner) collectEntries(value, geo answer.Value) {
	cleaner.entries = cleaner.entries[:0]
	props := value.Get("props")
	switch {
	case props.Kind() == answer.Object:
		for member := props.First(); member.Exists(); member = member.Next() {
			cleaner.addEntry(member, false) // in props
		}
	case !props.Null():
		cleaner.dropField("props", "no object")
	}
	if geo.Exists() && !cleaner.hasEntry("geo") {
		cleaner.entries = append(cleaner.entries, entry{name: "geo", property: properties["geo"], value: geo, topLevel: true})
	}
	for member := value.First(); member.Exists(); member = member.Next() {
		switch member.Key() {
		case "id", "type", "x", "y", "rotation", "opacity", "props", "isLocked", "meta", "parentId", "index",
			"typeName": // a record has these beside props
		default:
			cleaner.addEntry(member, true) // beside props
		}
	}
}

// addEntry appends a property of the answer's shape to cleaner.entries. isTopLevel says that it stands
// beside props. It drops a property whose name is unknown, and one beside props under the variant strict
// or if props has that name too.
func (cleaner *cleaner) addEntry(member answer.Value, isTopLevel bool) {
	name := member.Key()
	prop, known := properties[name]
	added := entry{name: name, property: prop, value: member, topLevel: isTopLevel}
	switch misplaced := isTopLevel && cleaner.strict; {
	case !known || misplaced:
		cleaner.dropEntry(&added, "unknown field")
	case isTopLevel && cleaner.hasEntry(name):
		cleaner.dropEntry(&added, "props has it too")
	default:
		cleaner.entries = append(cleaner.entries, added)
	}
}

// renameProperties maps alternative names of the properties that models use to the editor's names,
// before the properties are read: text, align or textAlign, and the ends of a line.
func (cleaner *cleaner) renameProperties(kind scene.Kind) {
	if i := cleaner.entryIndex("text"); i >= 0 {
		if cleaner.hasEntry("richText") {
			cleaner.dropEntry(&cleaner.entries[i], "richText is given too")
			cleaner.removeEntry(i)
		} else {
			cleaner.entries[i].property = properties["richText"]
		}
	}
	cleaner.renameAlign(kind)
	if kind == scene.Line && !cleaner.strict && !cleaner.hasEntry("points") {
		cleaner.pointsFromEnds()
	}
}

// renameAlign handles the names align, which all kinds of shapes but text have, and textAlign, which
// text shapes have. Models mix them up. If the answer gives only the other kind's name, it counts as
// the own one (docs/spec/aspire.md#r18). If it gives both, and under the strict variants, the other
// kind's name loses its property, so that readProperties drops it with a note.
func (cleaner *cleaner) renameAlign(kind scene.Kind) {
	own, other := "align", "textAlign"
	if kind == scene.Text {
		own, other = other, own
	}
	i := cleaner.entryIndex(other)
	switch {
	case i < 0:
	case cleaner.hasEntry(own) || cleaner.strictAlign || cleaner.strict:
		cleaner.entries[i].property = property{} // a field that no kind has
	default:
		cleaner.entries[i].property = properties[own]
	}
}

// pointsFromEnds handles a line for which the answer gives no points but its two ends: as the members
// start and end, or as an object handles with these two (docs/spec/aspire.md#r21). One entry gets a
// reader that sets both points, whatever its own value is. It does nothing where an end is missing.
func (cleaner *cleaner) pointsFromEnds() {
	startIndex, endIndex := cleaner.entryIndex("start"), cleaner.entryIndex("end")
	if startIndex >= 0 && endIndex >= 0 { // the entry of the start sets both; that of the end goes
		ends := readerOfEnds(cleaner.entries[startIndex].value, cleaner.entries[endIndex].value)
		cleaner.entries[startIndex].property = property{scene.HasPoints, ends}
		cleaner.removeEntry(endIndex)
		return
	}
	if i := cleaner.entryIndex("handles"); i >= 0 {
		handles := cleaner.entries[i].value
		ends := readerOfEnds(handles.Get("start"), handles.Get("end"))
		cleaner.entries[i].property = property{scene.HasPoints, ends}
	}
}

// readerOfEnds returns the reader that sets the points of a line to the two ends, whatever the value of
// its own property is.
func readerOfEnds(start, end answer.Value) propertyReader {
	return func(c *cleaner, r *scene.Record, _ answer.Value) bool { return c.twoPoints(r, start, end) }
}

// entryIndex returns the index of the property of that name, or -1.
func (cleaner *cleaner) entryIndex(name string) int {
	return slices.IndexFunc(cleaner.entries, func(e entry) bool { return e.name == name })
}

func (cleaner *cleaner) hasEntry(name string) bool { return cleaner.entryIndex(name) >= 0 }

func (cleaner *cleaner) removeEntry(i int) { cleaner.entries = slices.Delete(cleaner.entries, i, i+1) }

// twoPoints sets the points of a line to two ends that the answer gives, and returns false if one is invalid.
func (cleaner *cleaner) twoPoints(record *scene.Record, start, end answer.Value) bool {
	first, okFirst := cleaner.point(start)
	second, okSecond := cleaner.point(end)
	if !okFirst || !okSecond {
		return false
	}
	record.Points = []scene.Point{first, second}
	return true
}
