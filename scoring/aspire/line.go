package aspire

import (
	"math"

	"plumb/render/scene"
)

// prepareLine scores how close the ends of the line are to the centres
// (aspire.md 9).
func prepareLine(w *work, j *job) error {
	a, err := w.lineTarget("a", "a_centre")
	if err != nil {
		return err
	}
	b, err := w.lineTarget("b", "b_centre")
	if err != nil {
		return err
	}
	d := distance(a, b)
	if !(d > 0) || math.IsInf(d, 1) {
		return badTask("a_centre", "two centres that differ")
	}
	j.show = showLine(a, b)
	created := w.board.created()
	j.metric("created", idsOf(created))
	chosen, start, end := w.firstLine(created)
	if chosen == nil {
		j.metric("chosen", nil)
		j.metric("ends", nil)
		j.metric("score_ordered", 0.0)
		j.score(0)
		return nil
	}
	ordered := 1 - (distance(start, a)/d+distance(end, b)/d)/2
	swapped := 1 - (distance(end, a)/d+distance(start, b)/d)/2
	j.metric("chosen", chosen.ID)
	j.metric("ends", [][]float64{pair(start), pair(end)})
	j.metric("score_ordered", finite(ordered))
	if w.variants.On(LineOrdered) {
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
	return initial.centre(r, w.variants.On(PageBounds), w.suite.limits)
}

// firstLine finds the first created shape that has ends (D30).
func (w *work) firstLine(created []*scene.Record) (r *scene.Record, start, end scene.Point) {
	for _, r := range created {
		if start, end, ok := w.board.lineEnds(r); ok {
			return r, start, end
		}
	}
	return nil, start, end
}
