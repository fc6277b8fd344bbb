package aspire

import (
	"math"

	"plumb/render/scene"
)

// prepareLine scores how close the ends of the new line are to the centres of two shapes
// (docs/spec/aspire.md#r45).
func prepareLine(w *workspace, j *job) error {
	var c knownLater
	if err := c.add(w.lineTarget("a", "a_centre")); err != nil {
		return err
	}
	if err := c.add(w.lineTarget("b", "b_centre")); err != nil {
		return err
	}
	created := w.board.created()
	rule := lineRule{created: idsOf(created), inOrder: w.variants.On(LineOrdered)}
	if chosen, start, end := w.firstLine(created); chosen != nil {
		id := chosen.ID
		rule.chosen, rule.start, rule.end = &id, start, end
	}
	return c.whenKnown(j, rule.score)
}

// lineRule computes the score of the line test from the ends of the new line.
type lineRule struct {
	created    []string
	chosen     *string // id; nil where there is no line
	start, end scene.Point
	inOrder    bool
}

// score sets the score from the centres of the two targets.
func (m lineRule) score(j *job, at []scene.Point) error {
	a, b := at[0], at[1]
	d := distance(a, b)
	if !(d > 0) || math.IsInf(d, 1) {
		return badTask("a_centre", "two centres that differ")
	}
	j.marks = showLine(a, b)
	j.addMetric("created", m.created)
	if m.chosen == nil {
		j.addMetric("chosen", nil)
		j.addMetric("ends", nil)
		j.addMetric("score_ordered", 0.0)
		j.setScore(0)
		return nil
	}
	ordered := 1 - (distance(m.start, a)/d+distance(m.end, b)/d)/2
	swapped := 1 - (distance(m.end, a)/d+distance(m.start, b)/d)/2
	j.addMetric("chosen", *m.chosen)
	j.addMetric("ends", [][]float64{xy(m.start), xy(m.end)})
	j.addMetric("score_ordered", clampFinite(ordered))
	if m.inOrder {
		j.setScore(ordered)
		return nil
	}
	j.setScore(math.Max(clampFinite(ordered), clampFinite(swapped)))
	return nil
}

// lineTarget returns the centre of a target of the line: the one that the task states or, under
// the variant page_bounds, that of the shape.
func (w *workspace) lineTarget(shape, centre string) (scene.Point, error) {
	p, stated := w.point(centre)
	if stated && !w.variants.On(PageBounds) {
		return p, nil
	}
	r, err := w.initialShape(shape)
	if err != nil {
		return p, err
	}
	initial := board{}
	initial.reset(w.board.initial)
	return w.centre(&initial, r)
}

// firstLine returns the first created shape that has ends, or nil (docs/spec/aspire.md#r47).
func (w *workspace) firstLine(created []*scene.Record) (r *scene.Record, start, end scene.Point) {
	for _, r := range created {
		if start, end, ok := w.board.lineEnds(r); ok {
			return r, start, end
		}
	}
	return nil, start, end
}
