package published

import (
	"math"
	"slices"

	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
)

// Crash is the name of the Python exception that ends the published evaluator. Functions of
// this package panic with a Crash where the original raises; Evaluate recovers it. See
// docs/spec/drawingbench.md#r16.
type Crash string

// The exceptions that an answer can raise.
const (
	AttributeError Crash = "AttributeError"
	TypeError      Crash = "TypeError"
	ValueError     Crash = "ValueError"
	OverflowError  Crash = "OverflowError"
	MemoryError    Crash = "MemoryError"
)

// actionKind is what an action does.
type actionKind uint8

const (
	other actionKind = iota // unknown or missing
	moveTo
	click
	mouseDown
	mouseUp
)

var actionKinds = map[string]actionKind{"moveTo": moveTo, "click": click, "mouseDown": mouseDown, "mouseUp": mouseUp}

// action is an element of the answer's list. name, x and y are the values of its keys, of any
// type; nil where the key is absent.
type action struct {
	kind       actionKind
	name, x, y *pyjson.Value
}

// hasPoint reports whether the action has the keys x and y, whatever they hold.
func (a *action) hasPoint() bool { return a.x != nil && a.y != nil }

// appendActions appends the elements of an answer's list as mouse actions. Like the published
// evaluator in Python, it fails with AttributeError for an element that is not an object, and with
// TypeError for a name that is a list or an object; these are panics here, which Evaluate recovers.
// See docs/spec/drawingbench.md#r17.
func appendActions(dst []action, list []pyjson.Value) []action {
	for i := range list {
		value := &list[i]
		if value.Kind != pyjson.Dict {
			panic(AttributeError)
		}
		a := action{name: value.Get("action"), x: value.Get("x"), y: value.Get("y")}
		if a.name != nil {
			switch a.name.Kind {
			case pyjson.List, pyjson.Dict:
				panic(TypeError)
			case pyjson.Str:
				a.kind = actionKinds[a.name.S] // other, the zero kind, for a name that is not in the map
			}
		}
		dst = append(dst, a)
	}
	return dst
}

// pyNumber returns the number that Python computes with for a coordinate of a mouse action: 0 where
// value is nil (the key is absent). It panics with TypeError for a value that is not a number. See
// docs/spec/drawingbench.md#r18.
func pyNumber(value *pyjson.Value) float64 {
	if value == nil {
		return 0
	}
	if !value.Number() {
		panic(TypeError)
	}
	return value.F
}

// nearButton reports whether a coordinate is less than 40 px from a tool button's centre. See
// docs/spec/drawingbench.md#r8.
func nearButton(v *pyjson.Value, centre float64) bool { return math.Abs(pyNumber(v)-centre) < 40 }

// hitsTool reports whether the action's point is on the tool's button. y is read only where x
// fits, as reading it may panic.
func (a *action) hitsTool(tool *layout.Tool) bool {
	return nearButton(a.x, tool.X) && nearButton(a.y, tool.Y)
}

// toolAt returns the tool of the drawing app whose button is under the action's point, or nil if
// there is none.
func toolAt(a *action) *layout.Tool {
	for i := range layout.Tools {
		if a.hitsTool(&layout.Tools[i]) {
			return &layout.Tools[i]
		}
	}
	return nil
}

// toolNamed returns the tool of the drawing app with that name, or nil if the app has none.
func toolNamed(name string) *layout.Tool {
	i := slices.IndexFunc(layout.Tools, func(t layout.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &layout.Tools[i]
}

// colourAt returns the colour of the drawing app whose button is under the action's point, or nil.
// y is read only where x fits a button, because reading it may panic. See
// docs/spec/drawingbench.md#r8.
func colourAt(a *action) *layout.Colour {
	const halfWidth, halfHeight = 12, 8 // of a colour's button, px
	x := pyNumber(a.x)
	for i := range layout.Palette {
		if math.Abs(x-layout.Palette[i].X) <= halfWidth && math.Abs(pyNumber(a.y)-layout.PaletteY) <= halfHeight {
			return &layout.Palette[i]
		}
	}
	return nil
}

// onPalette reports whether a click at the action's point counts as a change of colour. Its
// bounds are looser than those of colourAt. See docs/spec/drawingbench.md#r8.
func onPalette(a *action) bool {
	x := pyNumber(a.x)
	return 405 <= x && x <= 741 && math.Abs(pyNumber(a.y)-layout.PaletteY) < 20
}

// selectedTools returns the tools of the drawing app that the actions selected at least once, in
// the order of layout.Tools. See docs/spec/drawingbench.md#r37.
func selectedTools(acts []action) []string {
	out := []string{}
	for i := range layout.Tools {
		if findUse(acts, layout.Tools[i].Name).Selected {
			out = append(out, layout.Tools[i].Name)
		}
	}
	return out
}
