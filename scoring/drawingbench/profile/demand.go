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
	*published.Criteria           // never nil
	Position            *Position // position_constraint, nil where there is none
	Size                *Size     // size_constraint
	Corners             bool      // corner_placement
	MostActions         float64   // max_actions, 0 where there is none
}

// Position is a position constraint of a task: a word, or limits on the screen in px.
type Position struct {
	Where      string   // one of places, "" for limits
	XMax, YMax *float64 // nil for no limit
}

// Size is a size constraint of a task: one drawn element must have this size, px.
type Size struct{ Width, Height, Tolerance float64 }

// places are the words of position constraints.
var places = []string{"above", "below", "left", "right", "center", "corners", "top-left", "top-right", "bottom-left", "bottom-right"}

// Read returns the criteria c with those that the published evaluator ignores. v is the
// task's criteria object, from which c was read; nil or null where it has none. The error
// names the member that cannot be used.
func Read(v *pyjson.Value, c *published.Criteria) (d Demand, err error) {
	d.Criteria = c
	if c == nil {
		d.Criteria = &published.Criteria{}
	}
	if v == nil || v.Kind != pyjson.Dict {
		return d, nil
	}
	most, err := number(v, "criteria", "max_actions")
	if err != nil {
		return d, err
	}
	if most != nil {
		d.MostActions = *most
	}
	if f := v.Get("corner_placement"); f != nil {
		d.Corners = f.True()
	}
	if d.Position, err = position(v.Get("position_constraint")); err != nil {
		return d, err
	}
	d.Size, err = size(v.Get("size_constraint"))
	return d, err
}

// position reads a position constraint of a DrawingBench task, nil for null or none.
func position(v *pyjson.Value) (*Position, error) {
	const name = "criteria.position_constraint"
	if v == nil || v.Kind == pyjson.None {
		return nil, nil
	}
	if v.Kind != pyjson.Dict {
		return nil, wrong(name, v, "an object")
	}
	p := &Position{}
	if t := v.Get("type"); t != nil {
		if t.Kind != pyjson.Str || !slices.Contains(places, t.S) {
			return nil, wrong(name+".type", t, "above, below, left, right, center, corners, top-left, top-right, bottom-left or bottom-right")
		}
		p.Where = t.S
		return p, nil
	}
	var err error
	if p.XMax, err = number(v, name, "x_max"); err != nil {
		return nil, err
	}
	if p.YMax, err = number(v, name, "y_max"); err != nil {
		return nil, err
	}
	if p.XMax == nil && p.YMax == nil {
		return nil, wrong(name, v, "type, x_max or y_max in it")
	}
	return p, nil
}

// size reads a size constraint of a DrawingBench task, nil for null or none. Its tolerance is 0
// where none is given.
func size(v *pyjson.Value) (*Size, error) {
	const name = "criteria.size_constraint"
	if v == nil || v.Kind == pyjson.None {
		return nil, nil
	}
	if v.Kind != pyjson.Dict {
		return nil, wrong(name, v, "an object")
	}
	s := &Size{}
	for key, to := range map[string]*float64{"width": &s.Width, "height": &s.Height, "tolerance": &s.Tolerance} {
		n, err := number(v, name, key)
		if err != nil {
			return nil, err
		}
		if n == nil && key != "tolerance" {
			return nil, wrong(name, v, "width and height in it")
		}
		if n != nil {
			*to = *n
		}
	}
	return s, nil
}

// number reads the member name of v, which must be a finite number; nil where it is absent or
// null. of is what v is called in the error.
func number(v *pyjson.Value, of, name string) (*float64, error) {
	f := v.Get(name)
	if f == nil || f.Kind == pyjson.None {
		return nil, nil
	}
	if f.Kind != pyjson.Int && f.Kind != pyjson.Float || f.F-f.F != 0 {
		return nil, wrong(of+"."+name, f, "a finite number")
	}
	x := f.F
	return &x, nil
}

// wrong returns the error for a criterion of the wrong kind.
func wrong(name string, v *pyjson.Value, want string) error {
	return fmt.Errorf("cannot read %s: got %.60s; want %s", name, v.AppendRepr(nil), want)
}
