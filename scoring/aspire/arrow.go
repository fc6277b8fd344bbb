package aspire

import (
	"math"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// The states of arrow answers that other tests do not have (docs/spec/aspire.md#r54).
const (
	noAnswer   = "no_answer"   // no usable rotation
	otherShape = "other_shape" // it is not the arrow that is turned
)

// smallAngle is where an initial angle counts as none (docs/spec/aspire.md#r53), radians.
const smallAngle = 1e-9

// prepareArrow scores how much closer the arrow points to the green circle
// (docs/spec/aspire.md#r50).
func prepareArrow(w *work, j *job) error {
	arrow, err := w.given("arrow")
	if err != nil {
		return err
	}
	target, err := w.given("target")
	if err != nil {
		return err
	}
	var c centres
	if err := c.add(w.centre(&w.board, arrow)); err != nil {
		return err
	}
	if err := c.add(w.centre(&w.board, target)); err != nil {
		return err
	}
	rule := arrowRule{arrow: arrow, heading: arrow.Rotation}
	turn, ok := w.rotation()
	switch {
	case ok:
		rule.rotation = turn
		if w.turns(arrow.ID) {
			rule.heading += turn // about the centre, which stays
		} else {
			j.base.Status = otherShape
		}
	case w.variants.On(ArrowAcceptUpdate) && w.turnedByUpdate(arrow.ID):
		r := w.board.find(arrow.ID)
		if err := c.add(w.centre(&w.board, r)); err != nil {
			j.fail(err)
			return nil
		}
		rule.rotation, rule.heading = finite(r.Rotation-arrow.Rotation), r.Rotation
	default:
		j.base.Status = noAnswer
	}
	j.turned = arrow.ID
	return c.then(j, rule.score)
}

// arrowRule turns the two headings of the arrow into a score.
type arrowRule struct {
	arrow    *scene.Record // of the initial scene
	heading  float64       // afterwards, radians
	rotation any           // what the answer says
}

// score takes the centres of the arrow and its goal, and that of the arrow
// afterwards where it moved.
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
	j.show = showArrow(m.arrow, at[0], goal)
	j.metric("theta_i", before)
	j.metric("theta_f", after)
	j.metric("rotation", m.rotation)
	j.score(improvement(before, after))
	return nil
}

// angleOff is the angle in [0, pi] between the heading of the arrow and the
// direction of the goal (docs/spec/aspire.md#r51). The arrow is drawn upwards.
func angleOff(rotation float64, at, goal scene.Point) float64 {
	heading := rotation - math.Pi/2
	return math.Abs(math.Remainder(heading-math.Atan2(goal.Y-at.Y, goal.X-at.X), 2*math.Pi))
}

// improvement is the share of the initial angle that is gone (docs/spec/aspire.md#r53).
func improvement(before, after float64) float64 {
	switch {
	case before >= smallAngle:
		return (before - after) / before
	case after < smallAngle:
		return 0
	}
	return -after / math.Pi
}

// rotation reads the rotation of the answer, radians clockwise.
func (w *work) rotation() (float64, bool) {
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

// turns reports whether the answer turns the arrow: it says so, or names no shape.
func (w *work) turns(id string) bool {
	v := w.found.Value.Get("shape")
	if v.Kind() == answer.Object {
		v = v.Get("id")
	}
	if s, ok := v.Text(); v.Null() || ok && s == "" {
		return true
	}
	named, ok := w.cleaner.id(v)
	return ok && named == id
}

// turnedByUpdate applies updateShapes to the board (variant accept_update) and
// reports whether the arrow was given a rotation.
func (w *work) turnedByUpdate(id string) bool {
	w.ops.update = w.ops.update[:0]
	w.ops.readUpdate(&w.cleaner, &w.board, w.found.Value.Get("updateShapes"))
	w.board.update(w.ops.update)
	for i := range w.ops.update {
		if u := &w.ops.update[i]; u.ID == id && u.Has&scene.HasRotation != 0 {
			return true
		}
	}
	return false
}
