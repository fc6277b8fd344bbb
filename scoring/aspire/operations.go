package aspire

import (
	"strconv"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// operations are what an answer asks for, cleaned.
type operations struct {
	create      []scene.Record
	remove      []string // ids, those that do not exist included
	removePaths []place
	update      []scene.Record // partials of shapes that exist
}

// each calls f for the entries of a list. Missing and null lists are empty, a
// single value counts as a list of one (docs/spec/aspire.md#r24).
func (c *cleaner) each(list answer.Value, f func(i int, v answer.Value)) {
	if list.Null() {
		return
	}
	if list.Kind() != answer.Array {
		f(0, list)
		return
	}
	v := list.First()
	for i := 0; v.Exists() && i < c.maxEntries; i++ {
		c.place.i = i
		f(i, v)
		v = v.Next()
	}
	if v.Exists() {
		c.failed = true
		c.notes.must(scoring.Note{Code: "limit", Path: c.place.list,
			Message: "entries beyond the first " + strconv.Itoa(c.maxEntries) + " are not read (" + scoring.FlagActions + ")"})
	}
}

// run cleans the lists of an answer and applies each one to the board: creations,
// then deletions, then updates (docs/spec/aspire.md#r24). The operations that were applied
// stay in o.
func (o *operations) run(c *cleaner, b *board, v answer.Value) {
	if cap(o.create)+cap(o.remove)+cap(o.update) > keepRecords {
		*o = operations{}
	}
	o.create, o.remove, o.removePaths, o.update = o.create[:0], o.remove[:0], o.removePaths[:0], o.update[:0]
	o.readCreate(c, v.Get("createShapes"))
	o.readDelete(c, v.Get("deleteShapes"))
	b.apply(o, c.notes)
	o.readUpdate(c, b, v.Get("updateShapes"))
	b.update(o.update)
}

// begin starts a list.
func (c *cleaner) begin(list string) {
	c.place, c.failed = place{list: list}, false
}

// void reports whether the list has no effect: under strict one fault is enough.
func (c *cleaner) void() bool {
	if !c.strict || !c.failed {
		return false
	}
	c.notes.add(scoring.Note{Code: "void_list", Path: c.place.list, Message: "strict: one bad entry voids the list"})
	return true
}

func (o *operations) readCreate(c *cleaner, list answer.Value) {
	c.begin("createShapes")
	c.each(list, func(i int, v answer.Value) {
		if r, ok := c.create(v, prefix+"new-"+strconv.Itoa(i)); ok {
			o.create = append(o.create, r)
		}
	})
	if c.void() {
		o.create = o.create[:0]
	}
}

func (o *operations) readDelete(c *cleaner, list answer.Value) {
	c.begin("deleteShapes")
	c.each(list, func(_ int, v answer.Value) {
		if v.Kind() == answer.Object {
			v = v.Get("id")
		}
		id, ok := c.id(v)
		if !ok {
			c.reject("no id")
			return
		}
		o.remove, o.removePaths = append(o.remove, id), append(o.removePaths, c.place)
	})
	if c.void() {
		o.remove, o.removePaths = o.remove[:0], o.removePaths[:0]
	}
}

func (o *operations) readUpdate(c *cleaner, b *board, list answer.Value) {
	c.begin("updateShapes")
	c.each(list, func(_ int, v answer.Value) {
		if v.Kind() != answer.Object {
			c.reject("no object")
			return
		}
		id, ok := c.id(v.Get("id"))
		if !ok {
			c.reject("no id")
			return
		}
		r := b.find(id)
		if r == nil {
			c.notes.add(scoring.Note{Code: "unknown_id", Path: c.place.String(), Message: "no shape " + quote(id)})
			return
		}
		o.update = append(o.update, c.update(v, id, r.Kind))
	})
	if c.void() {
		o.update = o.update[:0]
	}
}
