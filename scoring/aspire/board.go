package aspire

import (
	"slices"

	"plumb/render/scene"
	"plumb/scoring"
)

// board is a whiteboard while an answer is applied to it: records in z-order,
// back to front, with the dead ones still in place.
type board struct {
	initial []scene.Record // as given, never changed
	recs    []scene.Record
	slots   []slot // one per record of recs
	at      map[string]int32
	creates int32
	changed bool // an operation had an effect
}

// slot says where a record comes from.
type slot struct {
	initial int32 // position in board.initial of the shape with this id, -1 for none
	created int32 // rank of the first creation of this id by the answer, -1 for none
	dead    bool
}

// reset puts the initial shapes on the board. The slice stays the caller's. It
// returns the position of the first shape whose id another one has, -1 for none.
func (b *board) reset(initial []scene.Record) (twice int) {
	if cap(b.recs) > keepRecords {
		*b = board{}
	}
	b.initial, b.creates, b.changed = initial, 0, false
	b.recs, b.slots = append(b.recs[:0], initial...), b.slots[:0]
	if b.at == nil {
		b.at = make(map[string]int32)
	}
	clear(b.at)
	for i := range initial {
		b.slots = append(b.slots, slot{initial: int32(i), created: -1})
		if b.at[initial[i].ID] = int32(i); len(b.at) != i+1 {
			return i
		}
	}
	return -1
}

// keepRecords is the number of records from which memory is not used again, so
// that one huge answer does not hold it for good.
const keepRecords = 1024

// find returns the living record of this id, nil for none.
func (b *board) find(id string) *scene.Record {
	if i, ok := b.at[id]; ok {
		return &b.recs[i]
	}
	return nil
}

// create puts a shape on top. A shape that has the id is replaced, and counts
// as created afterwards, not as deleted (docs/spec/aspire.md#r24).
func (b *board) create(r *scene.Record) {
	s := slot{initial: -1, created: b.creates}
	if i, ok := b.at[r.ID]; ok {
		old := &b.slots[i]
		old.dead = true
		s.initial = old.initial
		if old.created >= 0 {
			s.created = old.created
		}
	}
	b.creates++
	b.at[r.ID] = int32(len(b.recs))
	b.recs = append(b.recs, *r)
	b.slots = append(b.slots, s)
	b.changed = true
}

// remove deletes the shape with this id; false when there is none.
func (b *board) remove(id string) bool {
	i, ok := b.at[id]
	if !ok {
		return false
	}
	b.slots[i].dead = true
	delete(b.at, id)
	b.changed = true
	return true
}

// removeOrphans deletes what lies in deleted groups and frames, as the editor
// does. Answers cannot nest shapes, so only given scenes have any.
func (b *board) removeOrphans() {
	for again := true; again; {
		again = false
		for i := range b.recs {
			r := &b.recs[i]
			if r.Has&scene.HasParent == 0 || b.slots[i].dead || b.find(r.ParentID) != nil || !b.wasShape(r.ParentID) {
				continue
			}
			again = b.remove(r.ID) || again
		}
	}
}

func (b *board) wasShape(id string) bool {
	return slices.ContainsFunc(b.initial, func(r scene.Record) bool { return r.ID == id })
}

// final returns the living records in z-order.
func (b *board) final() []scene.Record {
	dst := make([]scene.Record, 0, len(b.at))
	for i := range b.recs {
		if !b.slots[i].dead {
			dst = append(dst, b.recs[i])
		}
	}
	return dst
}

// created returns the living records that the answer created, in the order of
// first creation, with updates applied (docs/spec/aspire.md#r24).
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

// idsOf lists the ids of records; never nil, so that it is written as a list.
func idsOf(recs []*scene.Record) []string {
	ids := make([]string, len(recs))
	for i, r := range recs {
		ids[i] = r.ID
	}
	return ids
}

// apply carries out the operations in the order of docs/spec/aspire.md#r24 and notes ids
// that do not exist, which are no-ops as in the editor.
func (b *board) apply(o *operations, n *notes) {
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

// update merges the partials, whose ids exist.
func (b *board) update(partials []scene.Record) {
	for i := range partials {
		b.find(partials[i].ID).Merge(&partials[i])
		b.changed = true
	}
}
