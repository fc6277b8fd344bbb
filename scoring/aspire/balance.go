package aspire

import (
	"errors"
	"math"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/render/view"
)

// prepareBalance prepares the score of the balance test: how much closer the centre of mass comes
// to the centre of the frame (docs/spec/aspire.md#r60). It needs one picture of the initial board
// and, if the answer changed the board, one of the final board.
func prepareBalance(workspace *workspace, j *job) error {
	frame, err := workspace.frame()
	if err != nil {
		return err
	}
	violations := workspace.violations()
	j.marks = showBalance(frame)
	j.addMetric("created", idsOf(workspace.board.created()))
	j.addMetric("violations", violations)
	before, err := j.initial.resolved(workspace.suite.limits)
	if err != nil {
		return err
	}
	scenes := []*scene.Scene{before}
	if workspace.board.changed {
		after, err := resolve(j.final, workspace.suite.limits, workspace.notes)
		if err != nil {
			j.setError(err)
			return nil
		}
		scenes = append(scenes, after)
	}
	// One picture of each scene. Only its tally of pixels is needed.
	j.views = make([]view.View, len(scenes))
	for i, s := range scenes {
		j.views[i] = view.View{Scene: s, Bounds: frame, TallyOnly: true}
		if workspace.variants.On(BalanceUnion) {
			if err := workspace.extendFrame(&j.views[i], frame); err != nil {
				j.setError(err)
				return nil
			}
		}
	}
	// The initial picture is the same for all answers to the task. So the renderer keeps its tally, and
	// measures of the other picture only what differs.
	j.views[0].Edited = true
	if len(j.views) > 1 {
		j.views[1].Before = &j.views[0]
	}
	rule := balanceRule{
		centre:           scene.Point{X: frame.X + frame.W/2, Y: frame.Y + frame.H/2},
		byPrintedFormula: workspace.variants.On(BalancePrinted),
		scoresZero:       workspace.variants.On(BalanceStrict) && len(violations) > 0,
	}
	j.computeScore = rule.score
	return nil
}

// violations returns the rules of the balance task that the answer breaks, as codes (docs/spec/aspire.md#r65).
// Updates of shapes that the answer itself created break them too, because the task forbids any update.
func (workspace *workspace) violations() []string {
	list := []string{}
	if len(workspace.board.created()) != 1 {
		list = append(list, "created_not_one")
	}
	if len(workspace.board.deleted()) > 0 {
		list = append(list, "deleted")
	}
	if len(workspace.operations.updates) > 0 {
		list = append(list, "updated")
	}
	return list
}

// extendFrame sets the bounds of the balance test's picture to the frame together with all content
// (variant union of docs/spec/aspire.md#r62). The padding makes room for strokes; empty room has no
// weight. If plumb cannot compute the sizes of all shapes, the editor does while it draws. Pictures
// beyond the limit are refused.
func (workspace *workspace) extendFrame(wanted *view.View, frame view.Box) error {
	limits := workspace.suite.limits
	boundsAround := func(content view.Box, hasContent bool) (view.Box, error) {
		if !hasContent {
			return frame, nil
		}
		content = boxUnion(padded(content), roundedOut(frame.X, frame.Y, frame.X+frame.W, frame.Y+frame.H))
		if err := limits.CheckCanvas(content.W, content.H); err != nil {
			return frame, sceneError(err)
		}
		return content, nil
	}
	content, hasContent, err := workspace.suite.contentBounds(wanted.Scene, nil)
	if errors.Is(err, view.ErrForeign) {
		// The editor draws this view, and calls Content.Bounds with the bounds of the content.
		wanted.Foreign = err
		wanted.Content = &view.Content{Bounds: func(content view.Box, hasContent bool) (view.Box, error) {
			bounds, err := boundsAround(content, hasContent)
			wanted.Bounds = bounds
			return bounds, err
		}}
		return nil
	}
	if err != nil {
		return drawError(err)
	}
	wanted.Bounds, err = boundsAround(content, hasContent)
	return err
}

// balanceRule holds what the score of the balance test needs besides tallies.
type balanceRule struct {
	centre           scene.Point
	byPrintedFormula bool
	scoresZero       bool // the answer breaks the rules of the task
}

// score sets the score of the balance test from the tally before the answer and, if the answer changed
// anything, the one after: the share of the initial distance that is gone, or by the printed formula that
// distance divided by the final one. Where nothing is visible at first, there is no score.
func (rule balanceRule) score(j *job, tallies []metric.Tally) {
	last := len(j.views) - 1 // 0 for an answer that changed nothing: then before and after are one picture
	before, ok := centreOfMass(j.views[0].Bounds, tallies[0])
	if !ok {
		j.setError(newError("undefined", "cannot score balance: nothing is visible in the initial scene"))
		return
	}
	after, visible := centreOfMass(j.views[last].Bounds, tallies[last])
	initialDistance := distance(before, rule.centre)
	finalDistance := initialDistance
	var comAfter any // null where nothing is visible
	if visible {
		finalDistance, comAfter = distance(after, rule.centre), xy(after)
	}
	improvement := 0.0
	if initialDistance >= 1e-9 { // px; nearer counts as balanced already (docs/spec/aspire.md#r65)
		improvement = (initialDistance - finalDistance) / initialDistance
	}
	byPrintedFormula := (initialDistance - finalDistance) / finalDistance
	var printed any // null where that divides by 0
	if finalDistance > 0 {
		printed = byPrintedFormula
	}
	j.addMetric("com_before", xy(before))
	j.addMetric("com_after", comAfter)
	j.addMetric("ci", initialDistance)
	j.addMetric("cf", finalDistance)
	j.addMetric("score_printed", printed)
	switch {
	case rule.scoresZero:
		j.setScore(0)
	case !rule.byPrintedFormula:
		j.setScore(improvement)
	case finalDistance > 0:
		j.setScore(byPrintedFormula)
	default:
		j.result.Scored, j.result.Err = false,
			newError("undefined", "cannot score balance by the printed formula: the final distance is 0")
	}
}

// centreOfMass returns the centre of mass of a picture of the box on the page. ok is false
// for an empty picture. A box with fractional sides is stretched over whole pixels, which is
// undone here. See docs/spec/drawing.md#r16.
func centreOfMass(box view.Box, tally metric.Tally) (p scene.Point, ok bool) {
	x, y, ok := tally.A.CentreOfMass() // A are the pixels of all shapes; in px from the corner of the picture
	if !ok {
		return p, false
	}
	return scene.Point{
		X: box.X + float64(x*(box.W/math.Floor(box.W))),
		Y: box.Y + float64(y*(box.H/math.Floor(box.H))),
	}, true
}
