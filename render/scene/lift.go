package scene

import (
	"math"
	"plumb/render/geom"
	"slices"
)

// liftArrows moves arrows that are being created with bindings as the editor does: into the parent that
// the targets share, and directly above the topmost of them, unless only other arrows lie between.
// siblings lists all records, with siblings in order; it is sorted again if something moved, which the
// function reports. Stored arrows stay. See docs/spec/drawing.md#r6.
func (arrangement *arrangement) liftArrows(siblings []int32, bindings []BindingRecord) (moved bool) {
	lifter := arrowLifter{arrangement: arrangement}
	for i := range bindings {
		from := findRecord(arrangement.records, arrangement.ids, bindings[i].From)
		if from < 0 || arrangement.records[from].Kind != Arrow || arrangement.records[from].Stored {
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

// place is a position in the list of siblings: at is that of a shape in the first order. above is 0 for
// the shape itself; for an arrow that was lifted directly above that shape it is the number of the lift,
// of which the last one is lowest.
type place struct{ at, above int32 }

// compare compares the places of two siblings in the paint order, back to front: negative if place is
// behind q.
func (place place) compare(q place) int {
	switch {
	case place.at != q.at:
		return int(place.at) - int(q.at)
	case place.above == 0 || q.above == 0:
		return int(place.above) - int(q.above)
	}
	return int(q.above) - int(place.above)
}

// arrowLifter moves bound arrows above their targets.
type arrowLifter struct {
	*arrangement
	places  []place            // of each record
	next    []int32            // of each record: the place of the next sibling that is no arrow, MaxInt32 for none
	targets map[int32][2]int32 // of each bound arrow: the targets of start and end, -1 for none
	lifted  int32              // number of arrows that were lifted
	cloned  bool               // records is a copy
}

// prepare fills in places, next and targets before the first arrow is lifted. If several bindings
// tie the same end, the first counts. Bindings that will be refused later are left out.
func (lifter *arrowLifter) prepare(siblings []int32, bindings []BindingRecord) {
	lifter.places = make([]place, len(lifter.records))
	lifter.next = make([]int32, len(lifter.records))
	last := map[int32]int32{} // of each parent: the child that is no arrow met last, going backwards
	for pos, i := range slices.Backward(siblings) {
		lifter.places[i] = place{at: int32(pos)}
		lifter.next[i] = math.MaxInt32
		if n, ok := last[lifter.parent(i)]; ok {
			lifter.next[i] = n
		}
		if lifter.records[i].Kind != Arrow {
			last[lifter.parent(i)] = int32(pos)
		}
	}
	lifter.targets = make(map[int32][2]int32)
	for i := range bindings {
		record := &bindings[i]
		from, to := findRecord(lifter.records, lifter.ids, record.From), findRecord(lifter.records, lifter.ids, record.To)
		if from < 0 || to < 0 || lifter.records[to].Kind == Arrow {
			continue // refused later
		}
		t, ok := lifter.targets[from]
		if !ok {
			t = [2]int32{-1, -1}
		}
		end := 0
		if record.End {
			end = 1
		}
		if t[end] < 0 { // the first one found counts
			t[end] = to
		}
		lifter.targets[from] = t
	}
}

// parent returns the position of the parent of record i, or -1 for the page.
func (lifter *arrowLifter) parent(i int32) int32 {
	if lifter.parents == nil {
		return -1
	}
	return lifter.parents[i]
}

// lift moves one arrow into the parent that newParent gives, above those children of the parent
// that are its targets or hold them. It reports whether the arrow moved: it does not if it lies
// above them already with only arrows between. t holds the arrow's targets, -1 for an unbound end.
func (lifter *arrowLifter) lift(arrow int32, t [2]int32) bool {
	parent := lifter.newParent(arrow, t)
	top := int32(-1)
	for _, i := range t {
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
	} else if was.compare(lifter.places[top]) > 0 && was.at < lifter.next[top] {
		return false
	}
	lifter.lifted++
	lifter.places[arrow] = place{at: lifter.places[top].at, above: lifter.lifted}
	return true
}

// newParent returns the parent that a bound arrow belongs to, -1 for the page: with two targets t their
// closest common ancestor, which is not the arrow itself; with one target the parent that it shares with
// the arrow, else the page.
func (lifter *arrowLifter) newParent(arrow int32, t [2]int32) int32 {
	if t[0] < 0 || t[1] < 0 {
		if p := lifter.parent(max(t[0], t[1])); p == lifter.parent(arrow) {
			return p
		}
		return -1
	}
	above := map[int32]bool{}
	for i := lifter.parent(t[0]); i >= 0; i = lifter.parent(i) {
		above[i] = true
	}
	i := lifter.parent(t[1])
	for i >= 0 && (!above[i] || i == arrow) {
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
	out := lifter.pageMap(lifter.parents[arrow]) // first onto the page, then into the parent
	at := out.Apply(geom.Pt(record.given(HasX), record.given(HasY)))
	record.X, record.Y, record.Rotation = at.X, at.Y, record.given(HasRotation)+math.Atan2(out.B, out.A)
	record.Has |= HasX | HasY | HasRotation
	in, id := lifter.pageMap(parent), ""
	if parent >= 0 {
		id = lifter.records[parent].ID
	}
	record.moveInto(in, id)
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
