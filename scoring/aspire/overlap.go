package aspire

import (
	"math"

	"plumb/render/scene"
	"plumb/render/view"
)

// prepareOverlap scores the overlap test: by F1, which rectangles were deleted. The task's
// direction says whether those in front of the reference were meant or those behind it
// (docs/spec/aspire.md#r55).
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

// overlapTargets returns the ids of the rectangles that an answer to the overlap test should
// delete: all in front of the reference in z-order, or all behind it. Under the variant touching
// only those that intersect the reference count (docs/spec/aspire.md#r57).
func (w *workspace) overlapTargets(reference *scene.Record, front bool) map[string]bool {
	targets := make(map[string]bool)
	passedReference := false
	for i := range w.board.initial {
		r := &w.board.initial[i]
		if r.ID == reference.ID {
			passedReference = true // what follows is in front of it
			continue
		}
		if passedReference == front && (!w.variants.On(OverlapTouching) || w.boxesTouch(r, reference)) {
			targets[r.ID] = true
		}
	}
	return targets
}

// boxesTouch reports whether the boxes of two shapes intersect or share an edge.
func (w *workspace) boxesTouch(a, b *scene.Record) bool {
	boxA, boxB := w.pageBox(a), w.pageBox(b)
	return boxA.X <= boxB.X+boxB.W && boxB.X <= boxA.X+boxA.W && boxA.Y <= boxB.Y+boxB.H && boxB.Y <= boxA.Y+boxA.H
}

// pageBox returns the bounding box on the page of a geo shape or frame, which may be
// rotated.
func (w *workspace) pageBox(r *scene.Record) view.Box {
	width, height, _ := boxSize(r)
	lo := scene.Point{X: math.Inf(1), Y: math.Inf(1)}
	hi := scene.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, corner := range [4]scene.Point{{}, {X: width}, {Y: height}, {X: width, Y: height}} {
		corner = w.board.toPage(r, corner)
		lo = scene.Point{X: math.Min(lo.X, corner.X), Y: math.Min(lo.Y, corner.Y)}
		hi = scene.Point{X: math.Max(hi.X, corner.X), Y: math.Max(hi.Y, corner.Y)}
	}
	return view.Box{X: lo.X, Y: lo.Y, W: hi.X - lo.X, H: hi.Y - lo.Y}
}
