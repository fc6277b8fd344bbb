package aspire

import (
	"math"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// prepareOverlap prepares the score of the overlap test: by F1, which rectangles were deleted. The task's
// direction says whether those in front of the reference were meant or those behind it
// (docs/spec/aspire.md#r55).
func prepareOverlap(workspace *workspace, j *job) error {
	reference, err := workspace.initialShape("reference")
	if err != nil {
		return err
	}
	var front bool
	switch string(workspace.task.GetStringBytes("direction")) {
	case "in front of":
		front = true
	case "behind":
	default:
		return badTask("direction", `"in front of" or "behind"`)
	}
	meant := workspace.overlapTargets(reference, front)
	deleted := workspace.board.deleted()
	j.marks = showDeleted(reference.ID, meant)
	j.addMetric("created", idsOf(workspace.board.created()))
	j.addMetric("deleted", deleted)
	j.computeScore = func(j *job, _ []metric.Tally) { j.setScore(f1(deleted, meant)) }
	return nil
}

// overlapTargets returns the ids of the rectangles that an answer to the overlap test should
// delete: all in front of the reference in z-order, or all behind it. Under the variant touching
// only those that intersect the reference count (docs/spec/aspire.md#r57).
func (workspace *workspace) overlapTargets(reference *scene.Record, front bool) map[string]bool {
	targets := make(map[string]bool)
	inFront := false // of the reference, as all records after it are
	for i := range workspace.board.initial {
		record := &workspace.board.initial[i]
		if record.ID == reference.ID {
			inFront = true
			continue
		}
		onWantedSide := inFront == front
		if onWantedSide && (!workspace.variants.On(OverlapTouching) || workspace.boxesTouch(record, reference)) {
			targets[record.ID] = true
		}
	}
	return targets
}

// boxesTouch reports whether the boxes of two shapes intersect or share an edge.
func (workspace *workspace) boxesTouch(a, b *scene.Record) bool {
	boxA, boxB := workspace.board.pageBox(a), workspace.board.pageBox(b)
	return boxA.X <= boxB.X+boxB.W && boxB.X <= boxA.X+boxA.W && boxA.Y <= boxB.Y+boxB.H && boxB.Y <= boxA.Y+boxA.H
}

// pageBox returns the bounding box on the page of a geo shape or frame, which may be rotated.
func (board *board) pageBox(record *scene.Record) view.Box {
	width, height, _ := boxSize(record)
	lo := scene.Point{X: math.Inf(1), Y: math.Inf(1)}
	hi := scene.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, corner := range [4]scene.Point{{}, {X: width}, {Y: height}, {X: width, Y: height}} {
		corner = board.toPage(record, corner)
		lo = scene.Point{X: math.Min(lo.X, corner.X), Y: math.Min(lo.Y, corner.Y)}
		hi = scene.Point{X: math.Max(hi.X, corner.X), Y: math.Max(hi.Y, corner.Y)}
	}
	return view.Box{X: lo.X, Y: lo.Y, W: hi.X - lo.X, H: hi.Y - lo.Y}
}
