package published

import (
	"math"

	"plumb/scoring/pyjson"
)

// Crash is the exception that ends the published evaluator. See docs/spec/drawingbench.md#r16.
type Crash string

// The exceptions.
const (
	AttributeError Crash = "AttributeError"
	TypeError      Crash = "TypeError"
	ValueError     Crash = "ValueError"
	OverflowError  Crash = "OverflowError"
	MemoryError    Crash = "MemoryError"
)

// kind is the name of an action.
type kind uint8

const (
	other kind = iota // unknown or missing
	moveTo
	click
	mouseDown
	mouseUp
)

var kinds = map[string]kind{"moveTo": moveTo, "click": click, "mouseDown": mouseDown, "mouseUp": mouseUp}

// action is an element of the list. x, y and name are nil where the key is absent.
type action struct {
	kind       kind
	name, x, y *pyjson.Value
}

// both reports whether the action has both keys, whatever they hold.
func (a *action) both() bool { return a.x != nil && a.y != nil }

// read makes actions of the elements. It panics with AttributeError for one that
// is no object, and with TypeError for a name that is a list or an object. See
// docs/spec/drawingbench.md#r17.
func read(list []pyjson.Value, dst []action) []action {
	for i := range list {
		v := &list[i]
		if v.Kind != pyjson.Dict {
			panic(AttributeError)
		}
		a := action{name: v.Get("action"), x: v.Get("x"), y: v.Get("y")}
		if a.name != nil {
			switch a.name.Kind {
			case pyjson.List, pyjson.Dict:
				panic(TypeError)
			case pyjson.Str:
				a.kind = kinds[a.name.S]
			}
		}
		dst = append(dst, a)
	}
	return dst
}

// number returns the number that Python computes with: 0 for an absent value. It
// panics with TypeError for what is no number. See docs/spec/drawingbench.md#r18.
func number(v *pyjson.Value) float64 {
	if v == nil {
		return 0
	}
	if !v.Number() {
		panic(TypeError)
	}
	return v.F
}

// near reports whether |x - at| < 40, the tolerance of tools. See
// docs/spec/drawingbench.md#r8.
func near(v *pyjson.Value, at float64) bool { return math.Abs(number(v)-at) < 40 }

// tool is a button of the config layout.
type tool struct {
	name string
	x, y float64
}

// tools stand in the order in which the evaluator tests them. See
// docs/spec/drawingbench.md#r7.
var tools = []tool{{"pen", 35, 45}, {"eraser", 35, 125}, {"fill", 35, 205}, {"line", 35, 285}, {"rectangle", 35, 365}, {"circle", 35, 445}}

// on reports whether a point is on the tool's button; y is looked at only where
// x fits.
func (t *tool) on(a *action) bool { return near(a.x, t.x) && near(a.y, t.y) }

// toolAt returns the tool under a point, nil for none.
func toolAt(a *action) *tool {
	for i := range tools {
		if tools[i].on(a) {
			return &tools[i]
		}
	}
	return nil
}

func toolNamed(name string) *tool {
	for i := range tools {
		if tools[i].name == name {
			return &tools[i]
		}
	}
	return nil
}

// colour is a button of the palette.
type colour struct {
	name, hex string
	x         float64
}

// colours stand in the order of the palette; all lie at y = 25.
var colours = []colour{{"Black", "#000000", 405}, {"Red", "#FF0000", 429}, {"Green", "#00FF00", 453}, {"Blue", "#0000FF", 477},
	{"Yellow", "#FFFF00", 501}, {"Magenta", "#FF00FF", 525}, {"Cyan", "#00FFFF", 549}, {"White", "#FFFFFF", 573}}

// colourAt returns the colour exactly under a point, or nil. See
// docs/spec/drawingbench.md#r8.
func colourAt(a *action) *colour {
	x := number(a.x)
	for i := range colours {
		if math.Abs(x-colours[i].x) <= 12 && math.Abs(number(a.y)-25) <= 8 {
			return &colours[i]
		}
	}
	return nil
}

// onPalette reports whether a point counts as a change of colour. Its bounds are
// looser than those of colourAt. See docs/spec/drawingbench.md#r8.
func onPalette(a *action) bool {
	x := number(a.x)
	return 405 <= x && x <= 741 && math.Abs(number(a.y)-25) < 20
}

// selected lists the tools that were selected at least once, in the order of the
// layout. See docs/spec/drawingbench.md#r37.
func selected(acts []action) []string {
	out := []string{}
	for i := range tools {
		if use(acts, tools[i].name).Selected {
			out = append(out, tools[i].name)
		}
	}
	return out
}
