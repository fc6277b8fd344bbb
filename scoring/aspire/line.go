package aspire

import (
	"math"

	"plumb/render/scene"
)

// prepareLine scores how close the ends of the line are to the centres
// (docs/spec/aspire.md#r45).
func prepareLine(w *work, j *job) error {
	var c centres
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
	return c.then(j, rule.score)
}

// lineRule turns the ends of the new line into a score.
type lineRule struct {
	created    []string
	chosen     *string // id; nil where there is no line
	start, end scene.Point
	inOrder    bool
}

func (m lineRule) score(j *job, at []scene.Point) error {
	a, b := at[0], at[1]
	d := distance(a, b)
	if !(d > 0) || math.IsInf(d, 1) {
		return badTask("a_centre", "two centres that differ")
	}
	j.show = showLine(a, b)
	j.metric("created", m.created)
	if m.chosen == nil {
		j.metric("chosen", nil)
		j.metric("ends", nil)
		j.metric("score_ordered", 0.0)
		j.score(0)
		return nil
	}
	ordered := 1 - (distance(m.start, a)/d+distance(m.end, b)/d)/2
	swapped := 1 - (distance(m.end, a)/d+distance(m.start, b)/d)/2
	j.metric("chosen", *m.chosen)
	j.metric("ends", [][]float64{pair(m.start), pair(m.end)})
	j.metric("score_ordered", finite(ordered))
	if m.inOrder {
		j.score(ordered)
		return nil
	}
	j.score(math.Max(finite(ordered), finite(swapped)))
	return nil
}

// lineTarget returns a centre: the one that the task states or, for other
// centres than the default, that of the shape.
func (w *work) lineTarget(shape, centre string) (scene.Point, error) {
	p, stated := w.point(centre)
	if stated && !w.variants.On(PageBounds) {
		return p, nil
	}
	r, err := w.given(shape)
	if err != nil {
		return p, err
	}
	initial := board{}
	initial.reset(w.board.initial)
	return w.centre(&initial, r)
}

// firstLine finds the first created shape that has ends (docs/spec/aspire.md#r47).
func (w *work) firstLine(created []*scene.Record) (r *scene.Record, start, end scene.Point) {
	for _, r := range created {
		if start, end, ok := w.board.lineEnds(r); ok {
			return r, start, end
		}
	}
	return nil, start, end
}
