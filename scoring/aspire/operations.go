package aspire

import (
	"strconv"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// operations are the cleaned operations of an answer.
type operations struct {
	create      []scene.Record
	remove      []string // ids, those that do not exist included
	removePaths []listPath
	update      []scene.Record // partials of shapes that exist
}

// eachEntry calls f for the entries of a list of operations in the answer, such as createShapes. A
// missing or null list is empty; a single value counts as a list of one (docs/spec/aspire.md#r24).
// Entries beyond c.maxEntries are not read, with a note.
func (c *cleaner) eachEntry(list answer.Value, f func(i int, v answer.Value)) {
	if list.Null() {
		return
	}
	if list.Kind() != answer.Array {
		f(0, list)
		return
	}
	v := list.First()
	for i := 0; v.Exists() && i < c.maxEntries; i++ {
		c.path.i = i
		f(i, v)
		v = v.Next()
	}
	if v.Exists() {
		c.listFailed = true
		c.notes.addAlways(scoring.Note{Code: "limit", Path: c.path.list,
			Message: "entries beyond the first " + strconv.Itoa(c.maxEntries) + " are not read (" +
				scoring.FlagActions + ")"})
	}
}

// cleanAndApply cleans the lists of an answer and applies each to the board at once:
// creations, then deletions, then updates (docs/spec/aspire.md#r24). Updates are cleaned
// last because they depend on what is on the board. The applied operations stay in o.
func (o *operations) cleanAndApply(c *cleaner, b *board, found answer.Value) {
	if cap(o.create)+cap(o.remove)+cap(o.update) > keepRecords {
		*o = operations{}
	}
	o.create, o.remove, o.removePaths, o.update = o.create[:0], o.remove[:0], o.removePaths[:0], o.update[:0]
	o.readCreate(c, found.Get("createShapes"))
	o.readDelete(c, found.Get("deleteShapes"))
	b.applyCreatesAndDeletes(o, c.notes)
	o.readUpdate(c, b, found.Get("updateShapes"))
	b.applyUpdates(o.update)
}

// beginList starts a list of operations.
func (c *cleaner) beginList(list string) {
	c.path, c.listFailed = listPath{list: list}, false
}

// listIsVoid reports, with a note, that no operation of the list counts: under the variant
// strict one bad entry is enough.
func (c *cleaner) listIsVoid() bool {
	if !c.strict || !c.listFailed {
		return false
	}
	c.notes.add(scoring.Note{Code: "void_list", Path: c.path.list, Message: "strict: one bad entry voids the list"})
	return true
}

// readCreate fills o.create with the shapes of the answer's createShapes. A shape without an id
// gets one from its position.
func (o *operations) readCreate(c *cleaner, list answer.Value) {
	c.beginList("createShapes")
	c.eachEntry(list, func(i int, v answer.Value) {
		if r, ok := c.create(v, idPrefix+"new-"+c.idTurn+strconv.Itoa(i)); ok {
			o.create = append(o.create, r)
		}
	})
	if c.listIsVoid() {
		o.create = o.create[:0]
	}
}

// readDelete fills o.remove with the ids in the answer's deleteShapes, whose entries are ids or
// objects with an id.
func (o *operations) readDelete(c *cleaner, list answer.Value) {
	c.beginList("deleteShapes")
	c.eachEntry(list, func(_ int, v answer.Value) {
		if v.Kind() == answer.Object {
			v = v.Get("id")
		}
		id, ok := c.cleanID(v)
		if !ok {
			c.rejectEntry("no id")
			return
		}
		o.remove, o.removePaths = append(o.remove, id), append(o.removePaths, c.path)
	})
	if c.listIsVoid() {
		o.remove, o.removePaths = o.remove[:0], o.removePaths[:0]
	}
}

// readUpdate fills o.update with the partial shape records of the answer's updateShapes. Entries
// without an id, and those for shapes that are not on the board, are noted.
func (o *operations) readUpdate(c *cleaner, b *board, list answer.Value) {
	c.beginList("updateShapes")
	c.eachEntry(list, func(_ int, v answer.Value) {
		if v.Kind() != answer.Object {
			c.rejectEntry("no object")
			return
		}
		id, ok := c.cleanID(v.Get("id"))
		if !ok {
			c.rejectEntry("no id")
			return
		}
		r := b.find(id)
		if r == nil {
			c.notes.add(scoring.Note{Code: "unknown_id", Path: c.path.String(), Message: "no shape " + quote(id)})
			return
		}
		o.update = append(o.update, c.update(v, id, r.Kind))
	})
	if c.listIsVoid() {
		o.update = o.update[:0]
	}
}
