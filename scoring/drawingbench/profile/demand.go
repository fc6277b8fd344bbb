// Package profile scores DrawingBench answers by the pixels that they painted, which the
// published evaluator does not use. In: the published evaluation, the picture, and what the
// task demands, with the criteria that the published evaluator ignores. Out: scores by two
// definitions of this project, called the profiles "paper" and "pixels", and pixel metrics.
// None of them is a published number, and none changes one.
package profile

import (
	"fmt"
	"slices"

	"plumb/scoring/drawingbench/published"
	"plumb/scoring/pyjson"
)

// Demand is what a task demands, with what the published evaluator ignores. See
// docs/spec/drawingbench.md#r3.
type Demand struct {
	*published.Criteria           // what the published evaluator checks too; never nil
	Position            *Position // position_constraint, nil where there is none
	Size                *Size     // size_constraint
	Corners             bool      // corner_placement
	MaxActions          float64   // max_actions, 0 where there is none
}

// Position is a position constraint of a task: a word, or limits on the screen in px.
type Position struct {
	Where      string   // one of places, "" for limits
	XMax, YMax *float64 // nil for no limit
}

// Size is a size constraint of a task: one drawn element must have this size, px.
type Size struct{ Width, Height, Tolerance float64 }

// places are the words of position constraints.
var places = []string{"above", "below", "left", "right", "center", "corners", "top-left", "top-right",
	"bottom-left", "bottom-right"}

// Read returns what a DrawingBench task demands: the given criteria together with those that the
// published evaluator ignores. value is the task's criteria object, from which they were read; nil or null
// where it has none. The error names the member that cannot be used.
func Read(value *pyjson.Value, criteria *published.Criteria) (demand Demand, err error) {
	demand.Criteria = criteria
	if criteria == nil {
		demand.Criteria = &published.Criteria{}
	}
	if value == nil || value.Kind != pyjson.Dict {
		return demand, nil
	}
	maxActions, err := finiteNumber(value, "criteria", "max_actions")
	if err != nil {
		return demand, err
	}
	if maxActions != nil {
		demand.MaxActions = *maxActions
	}
	if inCorners := value.Get("corner_placement"); inCorners != nil {
		demand.Corners = inCorners.True()
	}
	if demand.Position, err = readPosition(value.Get("position_constraint")); err != nil {
		return demand, err
	}
	demand.Size, err = readSize(value.Get("size_constraint"))
	return demand, err
}

// readPosition reads a DrawingBench task's position constraint: a word in "type", or else x_max,
// y_max or both. It returns nil for null or none.
func readPosition(value *pyjson.Value) (*Position, error) {
	const name = "criteria.position_constraint"
	if value == nil || value.Kind == pyjson.None {
		return nil, nil
	}
	if value.Kind != pyjson.Dict {
		return nil, wrongKind(name, value, "an object")
	}
	constraint := &Position{}
	// A word.
	if word := value.Get("type"); word != nil {
		if word.Kind != pyjson.Str || !slices.Contains(places, word.S) {
			return nil, wrongKind(name+".type", word,
				"above, below, left, right, center, corners, top-left, top-right, bottom-left or bottom-right")
		}
		constraint.Where = word.S
		return constraint, nil
	}
	// Bounds.
	var err error
	if constraint.XMax, err = finiteNumber(value, name, "x_max"); err != nil {
		return nil, err
	}
	if constraint.YMax, err = finiteNumber(value, name, "y_max"); err != nil {
		return nil, err
	}
	if constraint.XMax == nil && constraint.YMax == nil {
		return nil, wrongKind(name, value, "type, x_max or y_max in it")
	}
	return constraint, nil
}

// readSize reads a DrawingBench task's size constraint, nil for null or none. width and height are
// needed; tolerance is 0 where it is not given.
func readSize(value *pyjson.Value) (*Size, error) {
	const name = "criteria.size_constraint"
	if value == nil || value.Kind == pyjson.None {
		return nil, nil
	}
	if value.Kind != pyjson.Dict {
		return nil, wrongKind(name, value, "an object")
	}
	constraint := &Size{}
	for _, member := range []struct {
		name   string
		target *float64
	}{{"width", &constraint.Width}, {"height", &constraint.Height}, {"tolerance", &constraint.Tolerance}} {
		given, err := finiteNumber(value, name, member.name)
		if err != nil {
			return nil, err
		}
		if given == nil && member.name != "tolerance" {
			return nil, wrongKind(name, value, "width and height in it")
		}
		if given != nil {
			*member.target = *given
		}
	}
	return constraint, nil
}

// finiteNumber reads the member `name` of an object of a task's criteria, which must be a finite number; nil
// where it is absent or null. path is what the error calls the object, such as "criteria.size_constraint".
func finiteNumber(object *pyjson.Value, path, name string) (*float64, error) {
	member := object.Get(name)
	if member == nil || member.Kind == pyjson.None {
		return nil, nil
	}
	isFinite := member.F-member.F == 0 // the difference of infinities, or of NaN, is NaN
	if member.Kind != pyjson.Int && member.Kind != pyjson.Float || !isFinite {
		return nil, wrongKind(path+"."+name, member, "a finite number")
	}
	value := member.F
	return &value, nil
}

// wrongKind returns the error for a criterion of the wrong kind. path names it, and want says what it should be.
func wrongKind(path string, got *pyjson.Value, want string) error {
	return fmt.Errorf("cannot read %s: got %.60s; want %s", path, got.AppendRepr(nil), want)
}
