package scene

import (
	"slices"
	"strconv"

	"plumb/render/geom"
)

// fewShapes is the number of shapes up to which ids are compared one by one.
const fewShapes = 16

// Resolve makes a scene of records: it fills in defaults, computes what the editor computes for
// created shapes (see Record.Stored), finds parents and puts the shapes into paint order
// (docs/spec/drawing.md#r8). Siblings are ordered by index where they have one, else as given;
// an unknown parent means the page. The scene shares slices and rich text with the records.
//
// Resolve refuses records that Valid refuses, an id given twice, parents that form a cycle, and
// bindings that are not from an arrow to another shape. Errors wrap ErrInvalid or ErrLimit.
func Resolve(records []Record, bindings []BindingRecord, lim Limits) (*Scene, error) {
	lim = lim.withDefaults()
	if len(records) > lim.Shapes {
		return nil, tooManyShapes(len(records), &lim)
	}
	for i := range records {
		if err := records[i].validate(&lim); err != nil {
			return nil, err
		}
	}
	scene, err := resolve(records, bindings, &lim)
	if err != nil {
		return nil, err
	}
	return scene, nil
}

// resolve makes a scene of shape records that are valid one by one: it computes parents and paint
// order, fills the shapes and sets the bindings.
func resolve(records []Record, bindings []BindingRecord, lim *Limits) (*Scene, *Error) {
	ids, err := indexIDs(records)
	if err != nil {
		return nil, err
	}
	a := arrangement{records: records, ids: ids}
	bindings, err = a.bindingsToMake(bindings)
	if err != nil {
		return nil, err
	}
	if err := a.arrange(bindings, lim); err != nil {
		return nil, err
	}
	scene := &Scene{Shapes: make([]Shape, len(records))}
	scene.fillShapes(&a)
	scene.bind(bindings)
	return scene, nil
}

func tooManyShapes(n int, lim *Limits) *Error {
	return overLimit("shapes", "", strconv.Itoa(n)+" shapes", "at most "+strconv.Itoa(lim.Shapes), FlagShapes)
}

// fillShapes fills scene.Shapes from the records in paint order, with the positions of their parents. It
// also sets scene.byID: it takes over the arrangement's map of ids and changes it, so that it gives
// positions of shapes instead of records.
func (scene *Scene) fillShapes(arrangement *arrangement) {
	scene.byID = arrangement.ids
	if arrangement.order == nil {
		for i := range arrangement.records {
			scene.Shapes[i].fill(&arrangement.records[i])
		}
		return
	}
	rank := make([]int32, len(arrangement.order))
	for at, i := range arrangement.order {
		rank[i] = int32(at)
		sh := &scene.Shapes[at]
		sh.fill(&arrangement.records[i])
		if arrangement.parents != nil && arrangement.parents[i] >= 0 {
			sh.Parent = rank[arrangement.parents[i]] // the parent comes first, so its rank is known
		}
	}
	for id, i := range scene.byID {
		scene.byID[id] = rank[i]
	}
}

// indexIDs returns a map from shape ids to positions of records, or nil for few records, which are
// searched one by one. It refuses an id that occurs twice.
func indexIDs(records []Record) (map[string]int32, *Error) {
	if len(records) <= fewShapes {
		for i := range records {
			for j := range i {
				if records[i].ID == records[j].ID {
					return nil, duplicateID(records[i].ID)
				}
			}
		}
		return nil, nil
	}
	ids := make(map[string]int32, len(records))
	for i := range records {
		ids[records[i].ID] = int32(i)
		if len(ids) != i+1 {
			return nil, duplicateID(records[i].ID)
		}
	}
	return ids, nil
}

// duplicateID returns the error for an id that two shapes have.
func duplicateID(id string) *Error {
	return invalid("id", id, "an id that another shape has", "unique ids")
}

// bindingsToMake returns the bindings without those that the editor does not make: of an arrow that is being
// created to a group (docs/spec/drawing.md#r13). It refuses one that is not from an arrow to a shape that is
// no arrow, or whose anchor is not finite.
func (arrangement *arrangement) bindingsToMake(bindings []BindingRecord) ([]BindingRecord, *Error) {
	all, dropped := bindings, false
	for i := range all {
		record := &all[i]
		from, to := arrangement.find(record.From), arrangement.find(record.To)
		path := "bindings[" + strconv.Itoa(i) + "]"
		switch {
		case from == nil || from.Kind != Arrow:
			return nil, invalid(path+".fromId", "", strconv.Quote(shorten(record.From, 80)), "the id of an arrow")
		case to == nil || to.Kind == Arrow:
			return nil, invalid(path+".toId", "", strconv.Quote(shorten(record.To, 80)), "the id of a shape that is no arrow")
		case !geom.Finite(geom.Point(record.Anchor)):
			return nil, invalid(path+".props.normalizedAnchor", "", formatNumber(record.Anchor.X)+", "+formatNumber(record.Anchor.Y),
				"finite numbers")
		}
		switch isMade := from.Stored || to.Kind != Group; {
		case !isMade && !dropped: // the first: from here on the result is a copy
			bindings, dropped = slices.Clone(all[:i]), true
		case isMade && dropped:
			bindings = append(bindings, *record)
		}
	}
	return bindings, nil
}

// find returns the record with this id, or nil.
func (arrangement *arrangement) find(id string) *Record {
	if i := findRecord(arrangement.records, arrangement.ids, id); i >= 0 {
		return &arrangement.records[i]
	}
	return nil
}

// bind sets scene.Bindings from records of bindings, with positions for ids. An arrow without Odd gets that
// of its binding.
func (scene *Scene) bind(bindings []BindingRecord) {
	if len(bindings) == 0 {
		return
	}
	scene.Bindings = make([]Binding, len(bindings))
	for i := range bindings {
		record := &bindings[i]
		from, to := scene.Find(record.From), scene.Find(record.To)
		if sh := &scene.Shapes[from]; sh.Odd == "" {
			sh.Odd = record.Odd
		}
		scene.Bindings[i] = Binding{From: from, To: to, IsEnd: record.IsEnd, Anchor: record.Anchor,
			IsExact: record.IsExact, IsPrecise: record.IsPrecise, Snap: record.Snap}
	}
}
