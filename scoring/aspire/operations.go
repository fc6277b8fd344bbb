package aspire

import (
	"strconv"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// operations are the cleaned operations of an answer.
type operations struct {
	creates     []scene.Record
	deletes     []string // ids, those that do not exist included
	deletePaths []listPath
	updates     []scene.Record // partials of shapes that exist
}

// eachEntry calls f for the entries of a list of operations in the answer, such as createShapes. A
// missing or null list is empty; a single value counts as a list of one (docs/spec/aspire.md#r24).
// Entries beyond cleaner.maxEntries are not read, with a note. cleaner.path names each entry in notes;
// beginList has set it to entry 0.
func (cleaner *cleaner) eachEntry(list answer.Value, f func(i int, v answer.Value)) {
	if list.Null() {
		return
	}
	if list.Kind() != answer.Array {
		f(0, list)
		return
	}
	value := list.First()
	for i := 0; value.Exists() && i < cleaner.maxEntries; i++ {
		cleaner.path.i = i
		f(i, value)
		value = value.Next()
	}
	if value.Exists() {
		cleaner.listFailed = true
		cleaner.notes.addAlways(scoring.Note{Code: "limit", Path: cleaner.path.list,
			Message: "entries beyond the first " + strconv.Itoa(cleaner.maxEntries) + " are not read (" +
				scoring.FlagActions + ")"})
	}
}

// cleanAndApply reads the lists of operations of an answer, mends them, and applies them to the board:
// creations, then deletions, then updates (docs/spec/aspire.md#r24). Updates are read only after the
// others are applied, because they depend on what is on the board. The applied operations stay in o.
func (o *operations) cleanAndApply(cleaner *cleaner, board *board, given answer.Value) {
	if cap(o.creates)+cap(o.deletes)+cap(o.updates) > keepRecords {
		*o = operations{}
	}
	o.creates, o.deletes, o.deletePaths, o.updates = o.creates[:0], o.deletes[:0], o.deletePaths[:0], o.updates[:0]
	o.readCreate(cleaner, given.Get("createShapes"))
	o.readDelete(cleaner, given.Get("deleteShapes"))
	board.applyCreatesAndDeletes(o, cleaner.notes)
	o.readUpdate(cleaner, board, given.Get("updateShapes"))
	board.applyUpdates(o.updates)
}

// beginList starts a list of operations.
func (cleaner *cleaner) beginList(list string) {
	cleaner.path, cleaner.listFailed = listPath{list: list}, false
}

// listIsVoid reports, with a note, that no operation of the list counts: under the variant
// strict one bad entry is enough.
func (cleaner *cleaner) listIsVoid() bool {
	if !cleaner.strict || !cleaner.listFailed {
		return false
	}
	cleaner.notes.add(scoring.Note{Code: "void_list", Path: cleaner.path.list, Message: "strict: one bad entry voids the list"})
	return true
}

// readCreate fills operations.creates with the shapes of the answer's createShapes. A shape without an id
// gets one from the turn, after the first, and its position: "shape:new-3" or "shape:new-t2-3".
func (operations *operations) readCreate(cleaner *cleaner, list answer.Value) {
	cleaner.beginList("createShapes")
	cleaner.eachEntry(list, func(i int, v answer.Value) {
		if r, ok := cleaner.create(v, idPrefix+"new-"+cleaner.turnInIDs+strconv.Itoa(i)); ok {
			operations.creates = append(operations.creates, r)
		}
	})
	if cleaner.listIsVoid() {
		operations.creates = operations.creates[:0]
	}
}

// readDelete fills operations.deletes with the ids in the answer's deleteShapes, whose entries are ids or
// objects with an id. deletePaths gets the place of each id in the answer, for notes.
func (operations *operations) readDelete(cleaner *cleaner, list answer.Value) {
	cleaner.beginList("deleteShapes")
	cleaner.eachEntry(list, func(_ int, value answer.Value) {
		if value.Kind() == answer.Object {
			value = value.Get("id")
		}
		id, ok := cleaner.cleanID(value)
		if !ok {
			cleaner.rejectEntry("no id")
			return
		}
		operations.deletes = append(operations.deletes, id)
		operations.deletePaths = append(operations.deletePaths, cleaner.path)
	})
	if cleaner.listIsVoid() {
		operations.deletes, operations.deletePaths = operations.deletes[:0], operations.deletePaths[:0]
	}
}

// readUpdate fills operations.updates with the partial shape records of the answer's updateShapes. Entries
// without an id, and those for shapes that are not on the board, are noted.
func (operations *operations) readUpdate(cleaner *cleaner, board *board, list answer.Value) {
	cleaner.beginList("updateShapes")
	cleaner.eachEntry(list, func(_ int, value answer.Value) {
		if value.Kind() != answer.Object {
			cleaner.rejectEntry("no object")
			return
		}
		id, ok := cleaner.cleanID(value.Get("id"))
		if !ok {
			cleaner.rejectEntry("no id")
			return
		}
		record := board.find(id)
		if record == nil {
			cleaner.notes.add(scoring.Note{Code: "unknown_id", Path: cleaner.path.String(), Message: "no shape " + quote(id)})
			return
		}
		operations.updates = append(operations.updates, cleaner.update(value, id, record.Kind))
	})
	if cleaner.listIsVoid() {
		operations.updates = operations.updates[:0]
	}
}
