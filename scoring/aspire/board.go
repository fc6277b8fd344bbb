package aspire

import (
	"slices"

	"plumb/render/scene"
	"plumb/scoring"
)

// board is the whiteboard while an answer is applied to it: records in z-order, back to front.
// Deleted records keep their position, marked dead.
type board struct {
	initial   []scene.Record // as given, never changed
	recs      []scene.Record
	slots     []slot // one per record of recs
	byID      map[string]int32
	creations int32
	changed   bool // an operation had an effect
}

// slot is the origin and state of a record on the board.
type slot struct {
	initial int32 // position in board.initial of the shape with this id, -1 for none
	created int32 // rank of the first creation of this id by the answer, -1 for none
	dead    bool
}

// reset puts the initial shapes on the board. It does not change the slice. It returns the
// position of the first shape with a duplicate id, or -1.
func (b *board) reset(initial []scene.Record) (twice int) {
	if cap(b.recs) > keepRecords {
		*b = board{}
	}
	b.initial, b.creations, b.changed = initial, 0, false
	b.recs, b.slots = append(b.recs[:0], initial...), b.slots[:0]
	if b.byID == nil {
		b.byID = make(map[string]int32)
	}
	clear(b.byID)
	for i := range initial {
		b.slots = append(b.slots, slot{initial: int32(i), created: -1})
		b.byID[initial[i].ID] = int32(i)
		if len(b.byID) != i+1 {
			return i
		}
	}
	return -1
}

// keepRecords bounds the records for which memory is reused, so that one huge answer does not keep
// it allocated.
const keepRecords = 1024

// find returns the record of the shape with this id on the board, or nil if there is none or it is
// deleted.
func (b *board) find(id string) *scene.Record {
	if i, ok := b.byID[id]; ok {
		return &b.recs[i]
	}
	return nil
}

// create puts a shape on top. A shape with the same id is replaced, and counts as created, not as
// deleted (docs/spec/aspire.md#r24).
func (b *board) create(r *scene.Record) {
	s := slot{initial: -1, created: b.creations}
	if i, ok := b.byID[r.ID]; ok {
		old := &b.slots[i]
		old.dead = true
		s.initial = old.initial
		if old.created >= 0 {
			s.created = old.created
		}
	}
	b.creations++
	b.byID[r.ID] = int32(len(b.recs))
	b.recs = append(b.recs, *r)
	b.slots = append(b.slots, s)
	b.changed = true
}

// remove deletes the shape with this id from the board and reports whether there was one.
func (b *board) remove(id string) bool {
	i, ok := b.byID[id]
	if !ok {
		return false
	}
	b.slots[i].dead = true
	delete(b.byID, id)
	b.changed = true
	return true
}

// removeOrphans deletes the shapes inside deleted groups and frames, as the editor does. Only
// initial scenes have such shapes, because answers cannot nest shapes.
func (b *board) removeOrphans() {
	for again := true; again; {
		again = false
		for i := range b.recs {
			r := &b.recs[i]
			if r.Has&scene.HasParent == 0 || b.slots[i].dead || b.find(r.ParentID) != nil || !b.isInitial(r.ParentID) {
				continue
			}
			again = b.remove(r.ID) || again
		}
	}
}

// isInitial reports whether the item had a shape with this id.
func (b *board) isInitial(id string) bool {
	return slices.ContainsFunc(b.initial, func(r scene.Record) bool { return r.ID == id })
}

// final returns the records that remain on the board, in z-order.
func (b *board) final() []scene.Record {
	dst := make([]scene.Record, 0, len(b.byID))
	for i := range b.recs {
		if !b.slots[i].dead {
			dst = append(dst, b.recs[i])
		}
	}
	return dst
}

// created returns the remaining records that the answer created, with updates applied, in the
// order of their first creation (docs/spec/aspire.md#r24).
func (b *board) created() []*scene.Record {
	var ranks []int32
	for i := range b.slots {
		if s := &b.slots[i]; s.created >= 0 && !s.dead {
			ranks = append(ranks, int32(i))
		}
	}
	slices.SortFunc(ranks, func(x, y int32) int { return int(b.slots[x].created - b.slots[y].created) })
	recs := make([]*scene.Record, len(ranks))
	for i, at := range ranks {
		recs[i] = &b.recs[at]
	}
	return recs
}

// deleted returns the ids of the initial shapes that are missing, in their order.
func (b *board) deleted() []string {
	ids := []string{}
	for i := range b.initial {
		if b.find(b.initial[i].ID) == nil {
			ids = append(ids, b.initial[i].ID)
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

// applyCreatesAndDeletes applies the operations in the order of docs/spec/aspire.md#r24. Ids that
// do not exist are noted and have no effect, as in the editor.
func (b *board) applyCreatesAndDeletes(o *operations, n *notes) {
	for i := range o.create {
		b.create(&o.create[i])
	}
	for i, id := range o.remove {
		if !b.remove(id) {
			n.add(scoring.Note{Code: "unknown_id", Path: o.removePaths[i].String(), Message: "no shape " + quote(id)})
		}
	}
	if len(o.remove) > 0 {
		b.removeOrphans()
	}
}

// applyUpdates merges partial records into shapes that exist.
func (b *board) applyUpdates(partials []scene.Record) {
	for i := range partials {
		b.find(partials[i].ID).Merge(&partials[i])
		b.changed = true
	}
}
