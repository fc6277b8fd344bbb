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

// prepareArrow prepares the score of the arrow test: how much closer the arrow points to the green
// circle (docs/spec/aspire.md#r50). The answer's rotation counts if the answer names the arrow or
// no shape. Under the variant accept_update, a rotation in updateShapes counts too. An answer
// without either has the status noAnswer; one that names another shape has otherShape.
func prepareArrow(w *workspace, j *job) error {
	arrow, err := w.initialShape("arrow")
	if err != nil {
		return err
	}
	target, err := w.initialShape("target")
	if err != nil {
		return err
	}
	var pending pendingPoints
	if err := pending.addCentre(w.centre(&w.board, arrow)); err != nil {
		return err
	}
	if err := pending.addCentre(w.centre(&w.board, target)); err != nil {
		return err
	}
	rule := arrowRule{arrow: arrow, heading: arrow.Rotation}
	turn, ok := w.readRotation()
	switch {
	case ok:
		rule.rotation = turn
		if w.namesArrow(arrow.ID) {
			rule.heading += turn // the arrow turns about its centre, which stays in place
		} else {
			j.base.Status = otherShape
		}
	case w.variants.On(ArrowAcceptUpdate) && w.rotatedByUpdate(arrow.ID):
		r := w.board.find(arrow.ID)
		if err := pending.addCentre(w.centre(&w.board, r)); err != nil {
			j.setError(err)
			return nil
		}
		rule.rotation, rule.heading = clampFinite(r.Rotation-arrow.Rotation), r.Rotation
	default:
		j.base.Status = noAnswer
	}
	j.arrowID = arrow.ID
	return pending.scoreWhenKnown(j, rule.score)
}

// arrowRule holds what the score of the arrow test needs besides the centres of shapes.
type arrowRule struct {
	arrow    *scene.Record // of the initial scene
	heading  float64       // afterwards, radians
	rotation any           // what the answer says
}

// score sets the score of the arrow test: the share of the initial angle to the goal that is
// gone. points holds the centres of the arrow and the goal and, if an update may have moved
// the arrow, its final centre.
func (rule arrowRule) score(j *job, points []scene.Point) error {
	moved, goal := points[0], points[1]
	if len(points) > 2 {
		moved = points[2]
	}
	before := angleOff(rule.arrow.Rotation, points[0], goal)
	after := before
	if rule.rotation != nil && j.base.Status != otherShape {
		after = angleOff(rule.heading, moved, goal)
	}
	j.marks = showArrow(rule.arrow, points[0], goal)
	j.addMetric("theta_i", before)
	j.addMetric("theta_f", after)
	j.addMetric("rotation", rule.rotation)
	j.setScore(improvement(before, after))
	return nil
}

// angleOff returns the angle from 0 to pi between the heading of an arrow at a point and the
// direction of the goal (docs/spec/aspire.md#r51). rotation is in radians clockwise; an
// arrow without rotation points up.
func angleOff(rotation float64, at, goal scene.Point) float64 {
	heading := rotation - math.Pi/2 // up is -pi/2, because y points down
	return math.Abs(math.Remainder(heading-math.Atan2(goal.Y-at.Y, goal.X-at.X), 2*math.Pi))
}

// improvement returns the share of the initial angle that is gone. If the arrow pointed at
// the goal already, it is 0, or negative by how far the arrow was turned away
// (docs/spec/aspire.md#r53).
func improvement(before, after float64) float64 {
	switch {
	case before >= smallAngle:
		return (before - after) / before
	case after < smallAngle:
		return 0
	}
	return -after / math.Pi
}

// readRotation reads the rotation, in radians clockwise, that an answer to the arrow test gives. ok
// is false where it is missing or, with a note, not a usable number.
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

// namesArrow reports whether the answer rotates the arrow: its member shape is the arrow's
// id, an object with that id, or empty.
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

// updatesRotation reads updateShapes of an answer to the arrow test and reports whether they give
// the arrow, the shape with this id, a rotation.
func (w *workspace) updatesRotation(id string) bool {
	w.ops.update = w.ops.update[:0]
	w.ops.readUpdate(&w.cleaner, &w.board, w.found.Value.Get("updateShapes"))
	return slices.ContainsFunc(w.ops.update, func(u scene.Record) bool {
		return u.ID == id &&
			u.Has&scene.HasRotation != 0
	})
}
