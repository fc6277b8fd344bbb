package aspire

import (
	"errors"
	"math"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// prepareBalance scores how much closer the centre of mass is to the centre of
// the frame (docs/spec/aspire.md#r60).
func prepareBalance(w *work, j *job) error {
	frame, err := w.frame()
	if err != nil {
		return err
	}
	violations := w.violations()
	j.show = showBalance(frame)
	j.metric("created", idsOf(w.board.created()))
	j.metric("violations", violations)
	before, err := resolve(j.initial, w.suite.limits, nil)
	if err != nil {
		return err
	}
	scenes := []*scene.Scene{before}
	if w.board.changed {
		after, err := resolve(j.final, w.suite.limits, w.notes)
		if err != nil {
			j.fail(err)
			return nil
		}
		scenes = append(scenes, after)
	}
	j.views = make([]view.View, len(scenes))
	for i, s := range scenes {
		j.views[i] = view.View{Scene: s, Bounds: frame}
		if w.variants.On(BalanceUnion) {
			if err := w.unite(&j.views[i], frame); err != nil {
				j.fail(err)
				return nil
			}
		}
	}
	rule := balanceRule{
		centre:  scene.Point{X: frame.X + frame.W/2, Y: frame.Y + frame.H/2},
		printed: w.variants.On(BalancePrinted),
		void:    w.variants.On(BalanceStrict) && len(violations) > 0,
	}
	j.measure = rule.score
	return nil
}

// violations lists the broken rules (docs/spec/aspire.md#r65). Updates of shapes that the answer
// itself created break the rule too: the task says not to update any.
func (w *work) violations() []string {
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

// unite extends the frame to the content (variant union of docs/spec/aspire.md#r62). The room around
// the content keeps strokes; being empty, it has no weight.
func (w *work) unite(v *view.View, frame view.Box) error {
	lim := w.suite.limits
	around := func(b view.Box, ok bool) (view.Box, error) {
		if !ok {
			return frame, nil
		}
		b = padded(b)
		x, y := math.Min(b.X, math.Floor(frame.X)), math.Min(b.Y, math.Floor(frame.Y))
		b.W = math.Max(b.X+b.W, math.Ceil(frame.X+frame.W)) - x
		b.H = math.Max(b.Y+b.H, math.Ceil(frame.Y+frame.H)) - y
		b.X, b.Y = x, y
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

// balanceRule turns tallies into a score.
type balanceRule struct {
	centre        scene.Point
	printed, void bool
}

// score takes the tally before, and the one after where the answer changed
// anything.
func (b balanceRule) score(j *job, t []metric.Tally) {
	last := len(j.views) - 1
	before, ok := centreOfMass(j.views[0].Bounds, t[0])
	if !ok {
		j.fail(fault("undefined", "cannot score balance: nothing is visible in the initial scene"))
		return
	}
	after, visible := centreOfMass(j.views[last].Bounds, t[last])
	ci := distance(before, b.centre)
	cf := ci
	var comAfter any
	if visible {
		cf, comAfter = distance(after, b.centre), pair(after)
	}
	initial := 0.0
	if ci >= 1e-9 { // docs/spec/aspire.md#r65
		initial = (ci - cf) / ci
	}
	var printed any
	if cf > 0 {
		printed = (ci - cf) / cf
	}
	j.metric("com_before", pair(before))
	j.metric("com_after", comAfter)
	j.metric("ci", ci)
	j.metric("cf", cf)
	j.metric("score_printed", printed)
	switch x, ok := printed.(float64); {
	case b.void:
		j.score(0)
	case !b.printed:
		j.score(initial)
	case ok:
		j.score(x)
	default:
		j.base.Scored, j.base.Err = false, fault("undefined", "cannot score balance by the printed formula: the final distance is 0")
	}
}

// centreOfMass returns the centre on the page; ok is false for an empty picture. A picture of a
// box that is not whole is stretched. See docs/spec/drawing.md#r16.
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
