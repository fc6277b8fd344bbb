package aspire

import (
	"errors"
	"math"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// prepareBalance scores how much closer the centre of mass comes to the centre of the frame
// (docs/spec/aspire.md#r60).
func prepareBalance(w *workspace, j *job) error {
	frame, err := w.frame()
	if err != nil {
		return err
	}
	violations := w.violations()
	j.marks = showBalance(frame)
	j.addMetric("created", idsOf(w.board.created()))
	j.addMetric("violations", violations)
	before, err := j.initial.resolved(w.suite.limits)
	if err != nil {
		return err
	}
	scenes := []*scene.Scene{before}
	if w.board.changed {
		after, err := resolve(j.final, w.suite.limits, w.notes)
		if err != nil {
			j.setError(err)
			return nil
		}
		scenes = append(scenes, after)
	}
	j.views = make([]view.View, len(scenes))
	for i, s := range scenes {
		j.views[i] = view.View{Scene: s, Bounds: frame, TallyOnly: true}
		if w.variants.On(BalanceUnion) {
			if err := w.extendFrame(&j.views[i], frame); err != nil {
				j.setError(err)
				return nil
			}
		}
	}
	j.views[0].Edited = true // by all answers to the task
	if len(j.views) > 1 {
		j.views[1].Before = &j.views[0]
	}
	rule := balanceRule{
		centre:  scene.Point{X: frame.X + frame.W/2, Y: frame.Y + frame.H/2},
		printed: w.variants.On(BalancePrinted),
		void:    w.variants.On(BalanceStrict) && len(violations) > 0,
	}
	j.scoreTallies = rule.score
	return nil
}

// violations returns the rules of the balance task that the answer breaks
// (docs/spec/aspire.md#r65). Updates of shapes that the answer itself created break them too,
// because the task forbids any update.
func (w *workspace) violations() []string {
	list := []string{}
	if len(w.board.created()) != 1 {
		list = append(list, "created_not_one")
	}
	if len(w.board.deleted()) > 0 {
		list = append(list, "deleted")
	}
	if len(w.ops.update) > 0 {
		list = append(list, "updated")
	}
	return list
}

// extendFrame extends the view's bounds from the frame to all content (variant union of
// docs/spec/aspire.md#r62). The padding keeps strokes; empty room has no weight.
func (w *workspace) extendFrame(v *view.View, frame view.Box) error {
	lim := w.suite.limits
	around := func(b view.Box, ok bool) (view.Box, error) {
		if !ok {
			return frame, nil
		}
		b = boxUnion(padded(b), roundedOut(frame.X, frame.Y, frame.X+frame.W, frame.Y+frame.H))
		if err := lim.CheckCanvas(b.W, b.H); err != nil {
			return frame, sceneError(err)
		}
		return b, nil
	}
	b, ok, err := w.suite.contentBounds(v.Scene, nil)
	if errors.Is(err, view.ErrForeign) { // the editor finds the size out, and the view has the rule
		v.Foreign, v.Content = err, &view.Content{Bounds: func(b view.Box, ok bool) (view.Box, error) {
			all, err := around(b, ok)
			v.Bounds = all
			return all, err
		}}
		return nil
	}
	if err != nil {
		return drawError(err)
	}
	v.Bounds, err = around(b, ok)
	return err
}

// balanceRule computes the score of the balance test from tallies.
type balanceRule struct {
	centre        scene.Point
	printed, void bool
}

// score sets the score of the balance test from the tally before the answer and, if the answer
// changed anything, the one after.
func (b balanceRule) score(j *job, t []metric.Tally) {
	last := len(j.views) - 1
	before, ok := centreOfMass(j.views[0].Bounds, t[0])
	if !ok {
		j.setError(newError("undefined", "cannot score balance: nothing is visible in the initial scene"))
		return
	}
	after, visible := centreOfMass(j.views[last].Bounds, t[last])
	ci := distance(before, b.centre)
	cf := ci
	var comAfter any
	if visible {
		cf, comAfter = distance(after, b.centre), xy(after)
	}
	initial := 0.0
	if ci >= 1e-9 { // docs/spec/aspire.md#r65
		initial = (ci - cf) / ci
	}
	var printed any
	if cf > 0 {
		printed = (ci - cf) / cf
	}
	j.addMetric("com_before", xy(before))
	j.addMetric("com_after", comAfter)
	j.addMetric("ci", ci)
	j.addMetric("cf", cf)
	j.addMetric("score_printed", printed)
	switch x, ok := printed.(float64); {
	case b.void:
		j.setScore(0)
	case !b.printed:
		j.setScore(initial)
	case ok:
		j.setScore(x)
	default:
		j.base.Scored, j.base.Err = false, newError("undefined", "cannot score balance by the printed formula: the final distance is 0")
	}
}

// centreOfMass returns the centre of mass on the page; ok is false for an empty picture. The
// picture of a box with fractional sides is stretched. See docs/spec/drawing.md#r16.
func centreOfMass(b view.Box, t metric.Tally) (p scene.Point, ok bool) {
	x, y, ok := t.A.CentreOfMass()
	if !ok {
		return p, false
	}
	return scene.Point{
		X: b.X + float64(x*(b.W/math.Floor(b.W))),
		Y: b.Y + float64(y*(b.H/math.Floor(b.H))),
	}, true
}
