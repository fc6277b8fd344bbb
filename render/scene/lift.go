package scene

import (
	"math"
	"plumb/render/geom"
	"slices"
)

// liftArrows moves arrows that are being created with bindings as the editor does: into the parent that
// the targets share, and directly above the topmost target. An arrow that already lies above that one, with
// only arrows between, stays; so do stored arrows. siblings lists all records in the order of siblings; it
// is sorted again if an arrow moved, which the result says. See docs/spec/drawing.md#r6.
func (arrangement *arrangement) liftArrows(siblings []int32, bindings []BindingRecord) (moved bool) {
	lifter := arrowLifter{arrangement: arrangement}
	for i := range bindings {
		from := findRecord(arrangement.records, arrangement.ids, bindings[i].From) // the arrow
		if arrangement.records[from].Stored {
			continue
		}
		if lifter.places == nil {
			lifter.prepare(siblings, bindings)
		}
		if t, ok := lifter.targets[from]; ok {
			delete(lifter.targets, from) // once per arrow
			moved = lifter.lift(from, t) || moved
		}
	}
	if moved {
		slices.SortFunc(siblings, func(x, y int32) int { return lifter.places[x].compare(lifter.places[y]) })
	}
	return moved
}

// siblingPlace is where a record stands in the order of siblings. position is that place, in the order before any
// lift, of the record itself, for which liftNumber is 0, or of the shape that an arrow was lifted above.
// Lifts are numbered from 1. The arrow that was lifted last lies directly above the shape, below the
// arrows that were lifted there before.
type siblingPlace struct{ position, liftNumber int32 }

// compare compares the places of two siblings in the paint order, back to front: negative if place is behind
// other. At one position are the sibling that stood there (liftNumber 0) and the arrows that were lifted above
// it: the one lifted last, which has the highest number, comes directly above the sibling.
func (place siblingPlace) compare(other siblingPlace) int {
	switch {
	case place.position != other.position:
		return int(place.position) - int(other.position)
	case place.liftNumber == 0 || other.liftNumber == 0:
		return int(place.liftNumber) - int(other.liftNumber)
	}
	return int(other.liftNumber) - int(place.liftNumber)
}

// arrowLifter moves bound arrows above their targets.
type arrowLifter struct {
	*arrangement
	places       []siblingPlace     // of each record
	nextNonArrow []int32            // of each record: the place of the next sibling that is no arrow, MaxInt32 for none
	targets      map[int32][2]int32 // of each bound arrow: the targets of start and end, -1 for none
	liftCount    int32              // number of arrows that were lifted
	cloned       bool               // records is a copy
}

// prepare fills in places, nextNonArrow and targets before the first arrow is lifted. If several bindings
// tie the same end, the first counts.
func (lifter *arrowLifter) prepare(siblings []int32, bindings []BindingRecord) {
	lifter.places = make([]siblingPlace, len(lifter.records))
	lifter.nextNonArrow = make([]int32, len(lifter.records))
	last := map[int32]int32{}                       // of each parent: the child that is no arrow met last, going backwards
	for pos, i := range slices.Backward(siblings) { // from the topmost down
		lifter.places[i] = siblingPlace{position: int32(pos)}
		lifter.nextNonArrow[i] = math.MaxInt32
		if n, ok := last[lifter.parent(i)]; ok {
			lifter.nextNonArrow[i] = n
		}
		if lifter.records[i].Kind != Arrow {
			last[lifter.parent(i)] = int32(pos)
		}
	}
	lifter.targets = make(map[int32][2]int32)
	for i := range bindings {
		record := &bindings[i]
		from, to := findRecord(lifter.records, lifter.ids, record.From), findRecord(lifter.records, lifter.ids, record.To)
		t, ok := lifter.targets[from]
		if !ok {
			t = [2]int32{-1, -1}
		}
		end := 0
		if record.IsEnd {
			end = 1
		}
		if t[end] < 0 { // the first one found counts
			t[end] = to
		}
		lifter.targets[from] = t
	}
}

// parent returns the position of the parent of record i, or -1 for the page. parents is nil where all records
// lie on the page.
func (lifter *arrowLifter) parent(i int32) int32 {
	if lifter.parents == nil {
		return -1
	}
	return lifter.parents[i]
}

// lift moves one arrow into the parent that newParent gives, above those children of the parent
// that are its targets or hold them. It reports whether the arrow moved: it does not if it lies
// above them already with only arrows between. targets has -1 for an unbound end.
func (lifter *arrowLifter) lift(arrow int32, targets [2]int32) bool {
	parent := lifter.newParent(arrow, targets)
	top := int32(-1) // the topmost of these children
	for _, i := range targets {
		for ; i >= 0 && lifter.parent(i) != parent; i = lifter.parent(i) { // up to the child of parent
		}
		if i >= 0 && i != arrow && (top < 0 || lifter.places[i].compare(lifter.places[top]) > 0) {
			top = i
		}
	}
	if top < 0 {
		return false
	}
	was := lifter.places[arrow]
	if parent != lifter.parent(arrow) {
		lifter.moveTo(arrow, parent)
	} else if was.compare(lifter.places[top]) > 0 && was.position < lifter.nextNonArrow[top] { // above, only arrows between
		return false
	}
	lifter.liftCount++
	lifter.places[arrow] = siblingPlace{position: lifter.places[top].position, liftNumber: lifter.liftCount}
	return true
}

// newParent returns the parent that a bound arrow belongs to, -1 for the page. With two targets it is
// their closest common ancestor, other than the arrow itself. With one target, the other being -1, it is
// the parent that target and arrow share, or the page if they share none.
func (lifter *arrowLifter) newParent(arrow int32, targets [2]int32) int32 {
	if targets[0] < 0 || targets[1] < 0 {
		target := max(targets[0], targets[1])
		if parent := lifter.parent(target); parent == lifter.parent(arrow) {
			return parent
		}
		return -1
	}
	ancestors := map[int32]bool{} // of the first target
	for i := lifter.parent(targets[0]); i >= 0; i = lifter.parent(i) {
		ancestors[i] = true
	}
	i := lifter.parent(targets[1])
	for i >= 0 && (!ancestors[i] || i == arrow) {
		i = lifter.parent(i)
	}
	return i
}

// moveTo puts the bound arrow under another parent, -1 for the page, and changes its position and
// rotation so that it does not move on the page. It changes a copy of the records, because the caller's
// must stay as they are.
func (lifter *arrowLifter) moveTo(arrow, parent int32) {
	if !lifter.cloned {
		lifter.records, lifter.cloned = slices.Clone(lifter.records), true
	}
	lifter.needParents()
	record := &lifter.records[arrow]
	// Its place and rotation on the page, then those in the new parent.
	oldParentToPage := lifter.pageMap(lifter.parents[arrow])
	at := oldParentToPage.Apply(geom.Pt(record.given(HasX), record.given(HasY)))
	record.X, record.Y = at.X, at.Y
	record.Rotation = record.given(HasRotation) + math.Atan2(oldParentToPage.B, oldParentToPage.A)
	record.Has |= HasX | HasY | HasRotation
	newParentToPage, id := lifter.pageMap(parent), ""
	if parent >= 0 {
		id = lifter.records[parent].ID
	}
	record.moveInto(newParentToPage, id)
	lifter.parents[arrow] = parent
}

// given returns a numeric field of a shape's record whose default is zero: the value that the
// record has, else 0.
func (record *Record) given(fields Fields) float64 {
	if record.Has&fields == 0 {
		return 0
	}
	return *record.Shape.number(fields)
}

// pageMap returns the map from the space of record i to the page's; -1 is the page itself.
func (lifter *arrowLifter) pageMap(i int32) geom.Matrix {
	m := geom.Identity
	for ; i >= 0; i = lifter.parent(i) {
		r := &lifter.records[i]
		at := Shape{X: r.given(HasX), Y: r.given(HasY), Rotation: r.given(HasRotation)}
		m = at.LocalMatrix().Mul(m)
	}
	return m
}

// moveInto puts a shape's record whose place is given on the page under a parent. m maps the
// parent's space to the page; the record's place and rotation become those in the parent's space,
// so that the shape does not move on the page.
func (record *Record) moveInto(m geom.Matrix, parent string) {
	if record.Has&HasRotation == 0 {
		record.Rotation = 0
	}
	at := unmap(m, geom.Pt(record.X, record.Y))
	record.X, record.Y = at.X, at.Y
	record.Rotation -= math.Atan2(m.B, m.A)
	record.ParentID = parent
	record.Has |= HasX | HasY | HasParent | HasRotation
}

// unmap is the inverse of m.Apply for a map that only moves and turns: the inverse of the
// turn is its transpose.
func unmap(m geom.Matrix, p geom.Point) geom.Point {
	x, y := p.X-m.E, p.Y-m.F
	return geom.Pt(float64(m.A*x)+float64(m.B*y), float64(m.C*x)+float64(m.D*y))
}
