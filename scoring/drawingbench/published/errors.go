package published

import (
	"fmt"

	"plumb/scoring/pyjson"
)

// Fault is an error of an answer. Detail is "" where the key action_detail is
// absent.
type Fault struct {
	Type, Message string
	Index         int
	Detail        string
	detailed      bool
}

const (
	syntaxError     = "SYNTAX_ERROR"
	coordinateError = "COORDINATE_ERROR"
)

// faults lists the errors: the syntax of all actions, then their coordinates. See
// docs/spec/drawingbench.md#r23.
func faults(acts []action) []Fault {
	var out []Fault
	for i := range acts {
		a := &acts[i]
		switch {
		case a.name == nil:
			out = append(out, Fault{Type: syntaxError, Index: i, Message: "Missing 'action' field"})
		case a.kind == moveTo && !a.both():
			out = append(out, Fault{Type: syntaxError, Index: i, Message: "moveTo requires 'x' and 'y' coordinates"})
		case a.kind == other:
			out = append(out, Fault{Type: syntaxError, Index: i, Message: "Unknown action type: " + text(a.name)})
		}
	}
	for i := range acts {
		if acts[i].both() {
			out = placed(out, acts, i)
		}
	}
	return out
}

// placed appends the errors in the coordinates of action i. See
// docs/spec/drawingbench.md#r24.
func placed(out []Fault, acts []action, i int) []Fault {
	a := &acts[i]
	x, okX := double(a.x)
	y, okY := 0.0, false
	if okX { // converted one after the other: the first that cannot be ends it
		y, okY = double(a.y)
	}
	name := text(a.name)
	if !okX || !okY {
		return append(out, Fault{Type: syntaxError, Index: i, Detail: name, detailed: true,
			Message: fmt.Sprintf("Invalid coordinate types at index %d: x=%s, y=%s", i, text(a.x), text(a.y))})
	}
	at := func(name string) string { return fmt.Sprintf("%s(x=%s, y=%s)", name, float(x), float(y)) }
	if x < 0 || x > 1500 || y < 0 || y > 900 {
		out = append(out, Fault{Type: coordinateError, Index: i, Detail: at(name), detailed: true,
			Message: fmt.Sprintf("Action at index %d: %s - Coordinates out of screen bounds.\n", i, at(name)) +
				offScreen("x", x, "width", 1500, "1090 (canvas right edge)", 1090) +
				offScreen("y", y, "height", 900, "770 (canvas bottom edge)", 770) + context(acts, i)})
	}
	if a.kind == mouseDown && (x < 90 || x > 1090 || y < 70 || y > 770) {
		out = append(out, Fault{Type: coordinateError, Index: i, Detail: at("mouseDown"), detailed: true,
			Message: fmt.Sprintf("Action at index %d: %s - Drawing outside canvas area.\n", i, at("mouseDown")) +
				"  Canvas area: x ∈ [90, 1090], y ∈ [70, 770]\n" +
				offCanvas("x", x, 90, 1090, "left of", "right of") +
				offCanvas("y", y, 70, 770, "above", "below") + context(acts, i)})
	}
	return out
}

// offScreen describes a coordinate off the screen; "" where it is on it. See
// docs/spec/drawingbench.md#r25.
func offScreen(axis string, v float64, size string, most float64, edge string, advice int) string {
	switch {
	case v < 0:
		return fmt.Sprintf("  Problem: %s=%s is negative\n  Valid range: %s must be >= 0\n  Suggestion: Use %s >= 0", axis, float(v), axis, axis)
	case v > most:
		return fmt.Sprintf("  Problem: %s=%s exceeds screen %s\n  Valid range: %s must be <= %s\n  Suggestion: For canvas drawing, use %s <= %d",
			axis, float(v), size, axis, edge, axis, advice)
	}
	return ""
}

func offCanvas(axis string, v float64, low, high int, before, after string) string {
	switch {
	case v < float64(low):
		return fmt.Sprintf("  Problem: %s=%s is %s canvas (canvas starts at %s=%d)\n  Suggestion: Use %s >= %d", axis, float(v), before, axis, low, axis, low)
	case v > float64(high):
		return fmt.Sprintf("  Problem: %s=%s is %s canvas (canvas ends at %s=%d)\n  Suggestion: Use %s <= %d", axis, float(v), after, axis, high, axis, high)
	}
	return ""
}

// context prints an action and two on either side as they were written. See
// docs/spec/drawingbench.md#r25.
func context(acts []action, i int) string {
	out := []byte("\n  Action sequence:\n")
	for k := max(0, i-2); k <= min(len(acts)-1, i+2); k++ {
		a := &acts[k]
		out = fmt.Appendf(out, "    [%d] %s", k, text(a.name))
		if a.both() {
			out = fmt.Appendf(out, "(x=%s, y=%s)", text(a.x), text(a.y))
		}
		if k == i {
			out = append(out, " ← ERROR"...)
		}
		out = append(out, '\n')
	}
	return string(out)
}

// double is Python's float(); ok is false where that raises TypeError or
// ValueError, which the evaluator catches. It panics with OverflowError, which the
// evaluator does not catch. See docs/spec/drawingbench.md#r19.
func double(v *pyjson.Value) (f float64, ok bool) {
	switch {
	case v.Kind == pyjson.Str:
		return pyjson.ParseFloat(v.S)
	case v.TooLarge():
		panic(OverflowError)
	case v.Number():
		return v.F, true
	}
	return 0, false
}

// text is Python's str(), None for an absent key. See
// docs/spec/drawingbench.md#r26.
func text(v *pyjson.Value) string {
	if v == nil {
		return "None"
	}
	return string(v.AppendText(nil))
}

func float(x float64) string { return string(pyjson.AppendFloat(nil, x)) }

// Warning is a warning of the evaluator, or an entry of the feedback.
type Warning struct{ Type, Message string }

const (
	efficiencyWarning = "EFFICIENCY_WARNING"
	logicError        = "LOGIC_ERROR"

	inARow = "Multiple consecutive moveTo actions"
)

// warnings lists the evaluator's warnings. See docs/spec/drawingbench.md#r27.
func warnings(acts []action, downs, ups int) []Warning {
	var out []Warning
	if len(acts) > 1000 {
		out = append(out, Warning{efficiencyWarning, fmt.Sprintf("Very high action count: %d actions", len(acts))})
	}
	for i := 0; i+2 < len(acts); i++ {
		if acts[i].kind == moveTo && acts[i+1].kind == moveTo && acts[i+2].kind == moveTo {
			out = append(out, Warning{efficiencyWarning, fmt.Sprintf("%s at index %d", inARow, i)})
			break
		}
	}
	if downs != ups {
		out = append(out, Warning{logicError, fmt.Sprintf("Unmatched mouseDown (%d) and mouseUp (%d)", downs, ups)})
	}
	return out
}
