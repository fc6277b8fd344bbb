package aspire

import (
	"slices"

	"plumb/render/scene"
	"plumb/scoring"
)

// board is the whiteboard while an answer is applied to it: records in z-order, back to front.
// Deleted records keep their position; their state says that they are removed.
type board struct {
	initial   []scene.Record // as given, never changed
	records   []scene.Record
	states    []shapeState     // one for each of records
	byID      map[string]int32 // indices in records of the shapes that are not deleted
	creations int32            // how many shapes the answer created so far
	changed   bool             // an operation had an effect
}

// shapeState says where a record on the board comes from, and whether it is off the board again.
type shapeState struct {
	creationRank int32 // rank of the first creation of this id by the answer; -1 for an initial shape
	removed      bool  // deleted, or replaced by a later record with its id
}

func (state shapeState) isCreated() bool { return state.creationRank >= 0 }

// reset empties the board and puts the initial shapes of an ASPIRE item on it. It keeps the slice but
// never changes it. It returns the index of the first shape whose id another one has already, or -1;
// then the board is not complete and must not be used.
func (b *board) reset(initial []scene.Record) (duplicate int) {
	if cap(b.records) > keepRecords {
		*b = board{}
	}
	b.initial, b.creations, b.changed = initial, 0, false
	b.records, b.states = append(b.records[:0], initial...), b.states[:0]
	if b.byID == nil {
		b.byID = make(map[string]int32)
	}
	clear(b.byID)
	for i := range initial {
		b.states = append(b.states, shapeState{creationRank: -1})
		b.byID[initial[i].ID] = int32(i)
		if len(b.byID) != i+1 { // the id was there already
			return i
		}
	}
	return -1
}

// keepRecords bounds the records for which memory is reused, so that one huge answer does not keep
// it allocated.
const keepRecords = 1024

// find returns the record of the shape with this id on the board, or nil if there is none or it is deleted.
func (board *board) find(id string) *scene.Record {
	if i, ok := board.byID[id]; ok {
		return &board.records[i]
	}
	return nil
}

// create puts a shape that the answer creates on top of the board. It replaces a shape with the
// same id, which then counts as created, not as deleted. A shape that the answer creates twice keeps
// the rank of its first creation (docs/spec/aspire.md#r24).
func (board *board) create(record *scene.Record) {
	state := shapeState{creationRank: board.creations}
	if i, ok := board.byID[record.ID]; ok {
		replaced := &board.states[i]
		replaced.removed = true
		if replaced.isCreated() {
			state.creationRank = replaced.creationRank
		}
	}
	board.creations++
	board.byID[record.ID] = int32(len(board.records))
	board.records = append(board.records, *record)
	board.states = append(board.states, state)
	board.changed = true
}

// remove deletes the shape with this id from the board and reports whether there was one.
func (board *board) remove(id string) bool {
	i, ok := board.byID[id]
	if !ok {
		return false
	}
	board.states[i].removed = true
	delete(board.byID, id)
	board.changed = true
	return true
}

// removeOrphans deletes the shapes inside groups and frames that the answer deleted, as the editor does, until
// none is left. Only initial shapes can be inside others, because answers cannot nest shapes.
func (board *board) removeOrphans() {
	for removedAny := true; removedAny; {
		removedAny = false
		for i := range board.records {
			record := &board.records[i]
			hasParent := record.Has&scene.HasParent != 0
			if board.states[i].removed || !hasParent {
				continue
			}
			// A parent that was never on the board is not one that the answer deleted.
			if board.find(record.ParentID) == nil && board.isInitial(record.ParentID) {
				removedAny = board.remove(record.ID) || removedAny
			}
		}
	}
}

// isInitial reports whether the item had a shape with this id.
func (board *board) isInitial(id string) bool {
	return slices.ContainsFunc(board.initial, func(r scene.Record) bool { return r.ID == id })
}

// final returns a copy of the shape records that remain on the board after the answer, in z-order.
func (board *board) final() []scene.Record {
	remaining := make([]scene.Record, 0, len(board.byID))
	for i := range board.records {
		if !board.states[i].removed {
			remaining = append(remaining, board.records[i])
		}
	}
	return remaining
}

// created returns the shapes on the board that the answer created and that still exist, with updates
// applied, in the order of their first creation (docs/spec/aspire.md#r24). They point into the board.
func (board *board) created() []*scene.Record {
	var indices []int32
	for i, state := range board.states {
		if state.isCreated() && !state.removed {
			indices = append(indices, int32(i))
		}
	}
	slices.SortFunc(indices, func(x, y int32) int { return int(board.states[x].creationRank - board.states[y].creationRank) })
	records := make([]*scene.Record, len(indices))
	for i, index := range indices {
		records[i] = &board.records[index]
	}
	return records
}

// deleted returns the ids of the initial shapes that are no longer on the board, in their
// order; never nil, so that JSON has a list.
func (board *board) deleted() []string {
	ids := []string{}
	for i := range board.initial {
		if board.find(board.initial[i].ID) == nil {
			ids = append(ids, board.initial[i].ID)
		}
	}
	return ids
}

// idsOf returns the ids of shapes for a metric; never nil, so that JSON has a list.
func idsOf(recs []*scene.Record) []string {
	ids := make([]string, len(recs))
	for i, r := range recs {
		ids[i] = r.ID
	}
	return ids
}

// applyCreatesAndDeletes applies the answer's creations to the board, then its deletions
// (docs/spec/aspire.md#r24). Ids that do not exist are noted and have no effect, as in the editor.
func (board *board) applyCreatesAndDeletes(operations *operations, n *notes) {
	for i := range operations.creates {
		board.create(&operations.creates[i])
	}
	for i, id := range operations.deletes {
		if !board.remove(id) {
			n.add(scoring.Note{Code: "unknown_id", Path: operations.deletePaths[i].String(), Message: "no shape " + quote(id)})
		}
	}
	if len(operations.deletes) > 0 {
		board.removeOrphans()
	}
}

// applyUpdates merges the answer's partial records into the shapes on the board with their ids,
// which must exist.
func (board *board) applyUpdates(partials []scene.Record) {
	for i := range partials {
		board.find(partials[i].ID).Merge(&partials[i])
		board.changed = true
	}
}
