package aspire

import (
	"math"

	"plumb/render/scene"
	"plumb/render/view"
)

// prepareOverlap scores which rectangles were deleted: those in front of the reference, or behind
// it (docs/spec/aspire.md#r55).
func prepareOverlap(w *workspace, j *job) error {
	reference, err := w.initialShape("reference")
	if err != nil {
		return err
	}
	var front bool
	switch string(w.task.GetStringBytes("direction")) {
	case "in front of":
		front = true
	case "behind":
	default:
		return badTask("direction", `"in front of" or "behind"`)
	}
	meant := w.overlapTargets(reference, front)
	deleted := w.board.deleted()
	j.marks = showDeleted(reference.ID, meant)
	j.addMetric("created", idsOf(w.board.created()))
	j.addMetric("deleted", deleted)
	j.setScore(f1(deleted, meant))
	return nil
}

// overlapTargets returns the ids of the rectangles to delete (docs/spec/aspire.md#r57): all on one
// side of the reference in z-order or, under the variant touching, those of them that intersect
// the reference.
func (w *workspace) overlapTargets(reference *scene.Record, front bool) map[string]bool {
	meant := make(map[string]bool)
	seen := false
	for i := range w.board.initial {
		r := &w.board.initial[i]
		if r.ID == reference.ID {
			seen = true
			continue
		}
		if seen == front && (!w.variants.On(OverlapTouching) || w.boxesTouch(r, reference)) {
			meant[r.ID] = true
		}
	}
	return meant
}

// boxesTouch reports whether the boxes of two shapes intersect or share an edge.
func (w *workspace) boxesTouch(a, b *scene.Record) bool {
	p, q := w.pageBox(a), w.pageBox(b)
	return p.X <= q.X+q.W && q.X <= p.X+p.W && p.Y <= q.Y+q.H && q.Y <= p.Y+p.H
}

// pageBox returns the bounding box on the page of a shape that has a box.
func (w *workspace) pageBox(r *scene.Record) view.Box {
	width, height, _ := boxSize(r)
	lo := scene.Point{X: math.Inf(1), Y: math.Inf(1)}
	hi := scene.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, p := range [4]scene.Point{{}, {X: width}, {Y: height}, {X: width, Y: height}} {
		p = w.board.toPage(r, p)
		lo = scene.Point{X: math.Min(lo.X, p.X), Y: math.Min(lo.Y, p.Y)}
		hi = scene.Point{X: math.Max(hi.X, p.X), Y: math.Max(hi.Y, p.Y)}
	}
	return view.Box{X: lo.X, Y: lo.Y, W: hi.X - lo.X, H: hi.Y - lo.Y}
}
