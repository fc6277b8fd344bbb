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
func prepareArrow(workspace *workspace, j *job) error {
	arrow, err := workspace.initialShape("arrow")
	if err != nil {
		return err
	}
	target, err := workspace.initialShape("target")
	if err != nil {
		return err
	}
	// The centres that the score needs. addCentre takes both results of centre: the point, or why only
	// the editor can compute it.
	var pending pendingPoints
	if err := pending.addCentre(workspace.centre(&workspace.board, arrow)); err != nil {
		return err
	}
	if err := pending.addCentre(workspace.centre(&workspace.board, target)); err != nil {
		return err
	}
	// The rotation, and how the arrow points after it.
	rule := arrowRule{arrow: arrow, heading: arrow.Rotation}
	turn, hasRotation := workspace.readRotation()
	switch {
	case hasRotation:
		rule.rotation = turn
		if workspace.namesArrow(arrow.ID) {
			rule.heading += turn // the arrow turns about its centre, which stays in place
		} else {
			j.result.Status = otherShape
		}
	case workspace.variants.On(ArrowAcceptUpdate) && workspace.applyUpdatesOfArrow(arrow.ID):
		record := workspace.board.find(arrow.ID) // which may have moved, too
		if err := pending.addCentre(workspace.centre(&workspace.board, record)); err != nil {
			j.setError(err)
			return nil
		}
		rule.rotation, rule.heading = clampFinite(record.Rotation-arrow.Rotation), record.Rotation
	default:
		j.result.Status = noAnswer
	}
	j.arrowID = arrow.ID
	pending.markPoints(j, rule.marks)
	pending.scoreFromPoints(j, rule.score)
	return nil
}

// arrowRule holds what the score of the arrow test needs besides the centres of shapes.
type arrowRule struct {
	arrow    *scene.Record // of the initial scene
	heading  float64       // the arrow's rotation afterwards, radians
	rotation any           // the turn that the answer says, radians; nil for none
}

// score sets the score of the arrow test: the share of the initial angle to the goal that is gone. points holds
// the centres of the arrow and the goal and, if an update may have moved the arrow, its final centre.
func (rule arrowRule) score(j *job, points []scene.Point) error {
	initialCentre, goal := points[0], points[1]
	finalCentre := initialCentre
	if len(points) > 2 {
		finalCentre = points[2]
	}
	before := angleOff(rule.arrow.Rotation, initialCentre, goal)
	after := before
	if rule.rotation != nil && j.result.Status != otherShape {
		after = angleOff(rule.heading, finalCentre, goal)
	}
	j.addMetric("theta_i", before)
	j.addMetric("theta_f", after)
	j.addMetric("rotation", rule.rotation)
	j.setScore(improvement(before, after))
	return nil
}

// angleOff returns the angle from 0 to pi between the heading of an arrow at a point and the direction of the
// goal (docs/spec/aspire.md#r51). rotation is in radians clockwise; an arrow without rotation points up.
func angleOff(rotation float64, at, goal scene.Point) float64 {
	heading := rotation - math.Pi/2 // up is -pi/2, because y points down
	return math.Abs(math.Remainder(heading-math.Atan2(goal.Y-at.Y, goal.X-at.X), 2*math.Pi))
}

// improvement returns the share of the initial angle that is gone. If the arrow pointed at the goal already, it
// is 0, or negative by how far the arrow was turned away (docs/spec/aspire.md#r53).
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
func (workspace *workspace) readRotation() (float64, bool) {
	value := workspace.answer.Value.Get("rotation")
	if !value.Exists() {
		return 0, false
	}
	x, ok := workspace.cleaner.number(value)
	if !ok {
		workspace.notes.add(scoring.Note{Code: "dropped_field", Path: "rotation", Message: "no usable number"})
	}
	return x, ok
}

// namesArrow reports whether the answer's rotation is for the arrow, the shape with this id. The member
// shape names the arrow, by its id or an object with its id, or it names nothing.
func (workspace *workspace) namesArrow(arrowID string) bool {
	value := workspace.answer.Value.Get("shape")
	if value.Kind() == answer.Object {
		value = value.Get("id")
	}
	text, isText := value.Text()
	if isEmpty := isText && text == ""; isEmpty || value.Null() {
		return true
	}
	id, ok := workspace.cleaner.cleanID(value)
	return ok && id == arrowID
}

// applyUpdatesOfArrow applies updateShapes to the board (variant accept_update) and reports whether
// the arrow, the shape with this id, was given a rotation.
func (workspace *workspace) applyUpdatesOfArrow(arrowID string) (rotated bool) {
	rotated = workspace.readUpdatesOfArrow(arrowID)
	workspace.board.applyUpdates(workspace.operations.updates) // all of them, whether or not the arrow is among them
	return rotated
}

// readUpdatesOfArrow reads updateShapes of an answer to the arrow test into workspace.operations.updates, but
// does not apply them. It reports whether one gives the arrow, the shape with this id, a rotation.
func (workspace *workspace) readUpdatesOfArrow(arrowID string) (rotates bool) {
	workspace.operations.updates = workspace.operations.updates[:0]
	workspace.operations.readUpdate(&workspace.cleaner, &workspace.board, workspace.answer.Value.Get("updateShapes"))
	return slices.ContainsFunc(workspace.operations.updates, func(update scene.Record) bool {
		return update.ID == arrowID && update.Has&scene.HasRotation != 0
	})
}
