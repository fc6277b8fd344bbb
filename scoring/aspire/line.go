package aspire

import (
	"math"

	"plumb/render/scene"
)

// prepareLine prepares the score of the line test: how close the ends of the new line are to the
// centres of two shapes (docs/spec/aspire.md#r45).
func prepareLine(workspace *workspace, j *job) error {
	var pending pendingPoints
	if err := pending.addCentre(workspace.lineTarget("a", "a_centre")); err != nil {
		return err
	}
	if err := pending.addCentre(workspace.lineTarget("b", "b_centre")); err != nil {
		return err
	}
	if targets, allKnown := pending.list(); allKnown {
		if _, err := targetDistance(targets); err != nil {
			return err
		}
	}
	created := workspace.board.created()
	rule := lineRule{created: idsOf(created), inOrder: workspace.variants.On(LineOrdered)}
	if chosen, start, end := workspace.firstLine(created); chosen != nil {
		id := chosen.ID
		rule.lineID, rule.start, rule.end = &id, start, end
	}
	pending.markPoints(j, showLine)
	pending.scoreFromPoints(j, rule.score)
	return nil
}

// targetDistance returns the distance of the two targets of the line test, px. Its error, for targets at
// one place or infinitely far apart, has the code bad_task.
func targetDistance(targets []scene.Point) (float64, error) {
	length := distance(targets[0], targets[1])
	if !(length > 0) || math.IsInf(length, 1) {
		return 0, badTask("a_centre", "two centres that differ")
	}
	return length, nil
}

// lineRule computes the score of the line test from the ends of the new line.
type lineRule struct {
	created    []string
	lineID     *string // id; nil where there is no line
	start, end scene.Point
	inOrder    bool
}

// score sets the score of the line test: 1 minus the mean distance of the line's ends from the
// centres of the two targets, in lengths of the wanted line. The better assignment of ends counts
// unless they must be in order. Without a line the score is 0.
func (rule lineRule) score(j *job, points []scene.Point) error {
	length, err := targetDistance(points)
	if err != nil { // the editor found them at one place
		return err
	}
	a, b := points[0], points[1]
	j.addMetric("created", rule.created)
	if rule.lineID == nil {
		j.addMetric("chosen", nil)
		j.addMetric("ends", nil)
		j.addMetric("score_ordered", 0.0)
		j.setScore(0)
		return nil
	}
	// Both ways to assign the line's ends to the targets.
	ordered := 1 - (distance(rule.start, a)/length+distance(rule.end, b)/length)/2
	swapped := 1 - (distance(rule.end, a)/length+distance(rule.start, b)/length)/2
	j.addMetric("chosen", *rule.lineID)
	j.addMetric("ends", [][]float64{xy(rule.start), xy(rule.end)})
	j.addMetric("score_ordered", clampFinite(ordered))
	if rule.inOrder {
		j.setScore(ordered)
		return nil
	}
	j.setScore(math.Max(clampFinite(ordered), clampFinite(swapped)))
	return nil
}

// lineTarget returns the centre of a target of the line. It is the point that the task states. Without
// one, and always under the variant page_bounds, it is the centre of the shape on the initial board.
// shape and centre are the names of the task's members with the shape's id and the point.
func (workspace *workspace) lineTarget(shape, centre string) (scene.Point, error) {
	p, stated := workspace.point(centre)
	if stated && !workspace.variants.On(PageBounds) {
		return p, nil
	}
	record, err := workspace.initialShape(shape)
	if err != nil {
		return p, err
	}
	initial := board{}
	initial.reset(workspace.board.initial)
	return workspace.centre(&initial, record)
}

// firstLine returns the first shape created by the answer that has ends, with its ends on the page,
// or nil if there is none (docs/spec/aspire.md#r47).
func (workspace *workspace) firstLine(created []*scene.Record) (r *scene.Record, start, end scene.Point) {
	for _, r := range created {
		if start, end, ok := workspace.board.lineEnds(r); ok {
			return r, start, end
		}
	}
	return nil, start, end
}
