package aspire

import (
	"math"
	"slices"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// The states of arrow answers that other tests do not have (docs/spec/aspire.md#r54).
const (
	noAnswer   = "no_answer"   // no usable rotation
	otherShape = "other_shape" // it is not the arrow that is turned
)

// smallAngle is the initial angle, in radians, below which the arrow counts as pointing at the
// goal (docs/spec/aspire.md#r53).
const smallAngle = 1e-9

// prepareArrow scores how much closer the arrow points to the green circle
// (docs/spec/aspire.md#r50).
func prepareArrow(w *workspace, j *job) error {
	arrow, err := w.initialShape("arrow")
	if err != nil {
		return err
	}
	target, err := w.initialShape("target")
	if err != nil {
		return err
	}
	var c knownLater
	if err := c.add(w.centre(&w.board, arrow)); err != nil {
		return err
	}
	if err := c.add(w.centre(&w.board, target)); err != nil {
		return err
	}
	rule := arrowRule{arrow: arrow, heading: arrow.Rotation}
	turn, ok := w.readRotation()
	switch {
	case ok:
		rule.rotation = turn
		if w.namesArrow(arrow.ID) {
			rule.heading += turn // about the centre, which stays
		} else {
			j.base.Status = otherShape
		}
	case w.variants.On(ArrowAcceptUpdate) && w.rotatedByUpdate(arrow.ID):
		r := w.board.find(arrow.ID)
		if err := c.add(w.centre(&w.board, r)); err != nil {
			j.setError(err)
			return nil
		}
		rule.rotation, rule.heading = clampFinite(r.Rotation-arrow.Rotation), r.Rotation
	default:
		j.base.Status = noAnswer
	}
	j.arrowID = arrow.ID
	return c.whenKnown(j, rule.score)
}

// arrowRule computes the score of the arrow test from the centres of the shapes.
type arrowRule struct {
	arrow    *scene.Record // of the initial scene
	heading  float64       // afterwards, radians
	rotation any           // what the answer says
}

// score sets the score of the arrow test: how much of the initial angle to the goal is gone. at
// holds the centres of the arrow and its goal and, if the arrow moved, its final centre.
func (m arrowRule) score(j *job, at []scene.Point) error {
	moved, goal := at[0], at[1]
	if len(at) > 2 {
		moved = at[2]
	}
	before := angleOff(m.arrow.Rotation, at[0], goal)
	after := before
	if m.rotation != nil && j.base.Status != otherShape {
		after = angleOff(m.heading, moved, goal)
	}
	j.marks = showArrow(m.arrow, at[0], goal)
	j.addMetric("theta_i", before)
	j.addMetric("theta_f", after)
	j.addMetric("rotation", m.rotation)
	j.setScore(improvementOf(before, after))
	return nil
}

// angleOff returns the angle in [0, pi] between the arrow's heading and the direction of the goal
// (docs/spec/aspire.md#r51). An arrow without rotation points up.
func angleOff(rotation float64, at, goal scene.Point) float64 {
	heading := rotation - math.Pi/2
	return math.Abs(math.Remainder(heading-math.Atan2(goal.Y-at.Y, goal.X-at.X), 2*math.Pi))
}

// improvementOf returns the share of the initial angle that is gone (docs/spec/aspire.md#r53).
func improvementOf(before, after float64) float64 {
	switch {
	case before >= smallAngle:
		return (before - after) / before
	case after < smallAngle:
		return 0
	}
	return -after / math.Pi
}

// readRotation reads the rotation that the answer gives the arrow, radians clockwise.
func (w *workspace) readRotation() (float64, bool) {
	v := w.found.Value.Get("rotation")
	if !v.Exists() {
		return 0, false
	}
	x, ok := w.cleaner.number(v)
	if !ok {
		w.notes.add(scoring.Note{Code: "dropped_field", Path: "rotation", Message: "no usable number"})
	}
	return x, ok
}

// namesArrow reports whether the answer rotates the arrow: it names the arrow or no shape.
func (w *workspace) namesArrow(id string) bool {
	v := w.found.Value.Get("shape")
	if v.Kind() == answer.Object {
		v = v.Get("id")
	}
	if s, ok := v.Text(); v.Null() || ok && s == "" {
		return true
	}
	named, ok := w.cleaner.cleanID(v)
	return ok && named == id
}

// rotatedByUpdate applies updateShapes to the board (variant accept_update) and reports whether
// the arrow was given a rotation.
func (w *workspace) rotatedByUpdate(id string) bool {
	ok := w.updatesRotation(id)
	w.board.applyUpdates(w.ops.update)
	return ok
}

// updatesRotation reads updateShapes and reports whether they give the arrow a rotation.
func (w *workspace) updatesRotation(id string) bool {
	w.ops.update = w.ops.update[:0]
	w.ops.readUpdate(&w.cleaner, &w.board, w.found.Value.Get("updateShapes"))
	return slices.ContainsFunc(w.ops.update, func(u scene.Record) bool { return u.ID == id && u.Has&scene.HasRotation != 0 })
}
