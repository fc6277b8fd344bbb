package published

import (
	"fmt"

	"plumb/scoring/pyjson"
)

// Fault is an error that the evaluator finds in an answer.
type Fault struct {
	Type, Message string
	Index         int    // of the action; -1 where the answer is no list
	Detail        string // the member action_detail of the result, which is there only with hasDetail
	hasDetail     bool
}

const (
	syntaxError     = "SYNTAX_ERROR"
	coordinateError = "COORDINATE_ERROR"
)

// findFaults returns the published evaluator's errors in an answer, in its order: the syntax of all
// actions, then their coordinates. See docs/spec/drawingbench.md#r23.
func findFaults(acts []action) []Fault {
	var out []Fault
	for i := range acts {
		action := &acts[i]
		switch {
		case action.name == nil:
			out = append(out, Fault{Type: syntaxError, Index: i, Message: "Missing 'action' field"})
		case action.kind == moveTo && !action.hasPoint():
			out = append(out, Fault{Type: syntaxError, Index: i, Message: "moveTo requires 'x' and 'y' coordinates"})
		case action.kind == other:
			out = append(out, Fault{Type: syntaxError, Index: i, Message: "Unknown action type: " + pyStr(action.name)})
		}
	}
	for i := range acts {
		if acts[i].hasPoint() {
			out = appendCoordinateFaults(out, acts, i)
		}
	}
	return out
}

// appendCoordinateFaults appends the published evaluator's errors in the coordinates of action i,
// which must have both: values that are not numbers, a point off the screen, a press off the
// canvas. See docs/spec/drawingbench.md#r24.
func appendCoordinateFaults(out []Fault, acts []action, i int) []Fault {
	action := &acts[i]
	x, okX := pyFloat(action.x)
	y, okY := 0.0, false
	if okX { // as in the original, y is not converted after an x that cannot be
		y, okY = pyFloat(action.y)
	}
	name := pyStr(action.name)
	if !okX || !okY {
		return append(out, Fault{Type: syntaxError, Index: i, Detail: name, hasDetail: true,
			Message: fmt.Sprintf("Invalid coordinate types at index %d: x=%s, y=%s", i, pyStr(action.x), pyStr(action.y))})
	}
	point := fmt.Sprintf("(x=%s, y=%s)", pyRepr(x), pyRepr(y))
	// The limits of the original: a screen of 1500 x 900 px, and the canvas on it.
	if x < 0 || x > 1500 || y < 0 || y > 900 {
		out = append(out, Fault{Type: coordinateError, Index: i, Detail: name + point, hasDetail: true,
			Message: fmt.Sprintf("Action at index %d: %s - Coordinates out of screen bounds.\n", i, name+point) +
				offScreen("x", x, "width", 1500, "1090 (canvas right edge)", 1090) +
				offScreen("y", y, "height", 900, "770 (canvas bottom edge)", 770) + actionContext(acts, i)})
	}
	if action.kind == mouseDown && (x < 90 || x > 1090 || y < 70 || y > 770) {
		out = append(out, Fault{Type: coordinateError, Index: i, Detail: "mouseDown" + point, hasDetail: true,
			Message: fmt.Sprintf("Action at index %d: %s - Drawing outside canvas area.\n", i, "mouseDown"+point) +
				"  Canvas area: x ∈ [90, 1090], y ∈ [70, 770]\n" +
				offCanvas("x", x, 90, 1090, "left of", "right of") +
				offCanvas("y", y, 70, 770, "above", "below") + actionContext(acts, i)})
	}
	return out
}

// offScreen returns the part of the published evaluator's message about a coordinate off the
// screen, "" where it is between 0 and limit. size, edge and advice are words and a number of the
// message. See docs/spec/drawingbench.md#r25.
func offScreen(axis string, value float64, size string, limit float64, edge string, advice int) string {
	switch {
	case value < 0:
		return fmt.Sprintf("  Problem: %s=%s is negative\n  Valid range: %s must be >= 0\n  Suggestion: Use %s >= 0", axis, pyRepr(value), axis, axis)
	case value > limit:
		return fmt.Sprintf("  Problem: %s=%s exceeds screen %s\n  Valid range: %s must be <= %s\n  Suggestion: For canvas drawing, use %s <= %d",
			axis, pyRepr(value), size, axis, edge, axis, advice)
	}
	return ""
}

// offCanvas returns the part of the published evaluator's message about a coordinate off the
// canvas, "" where it is between low and high. before and after are the words for the two sides.
func offCanvas(axis string, value float64, low, high int, before, after string) string {
	switch {
	case value < float64(low):
		return fmt.Sprintf("  Problem: %s=%s is %s canvas (canvas starts at %s=%d)\n  Suggestion: Use %s >= %d",
			axis, pyRepr(value), before, axis, low, axis, low)
	case value > float64(high):
		return fmt.Sprintf("  Problem: %s=%s is %s canvas (canvas ends at %s=%d)\n  Suggestion: Use %s <= %d", axis,
			pyRepr(value), after, axis, high, axis, high)
	}
	return ""
}

// actionContext returns mouse action i and two actions on either side as lines of an error message, as
// they were written. See docs/spec/drawingbench.md#r25.
func actionContext(acts []action, i int) string {
	out := []byte("\n  Action sequence:\n")
	for k := max(0, i-2); k <= min(len(acts)-1, i+2); k++ {
		a := &acts[k]
		out = fmt.Appendf(out, "    [%d] %s", k, pyStr(a.name))
		if a.hasPoint() {
			out = fmt.Appendf(out, "(x=%s, y=%s)", pyStr(a.x), pyStr(a.y))
		}
		if k == i {
			out = append(out, " ← ERROR"...)
		}
		out = append(out, '\n')
	}
	return string(out)
}

// pyFloat returns what Python's float(value) returns for a coordinate of an action. ok is false where
// that raises TypeError or ValueError, which the published evaluator catches. It panics with
// OverflowError, which that does not catch. See docs/spec/drawingbench.md#r19.
func pyFloat(value *pyjson.Value) (f float64, ok bool) {
	switch {
	case value.Kind == pyjson.Str:
		return pyjson.ParseFloat(value.S)
	case value.TooLarge():
		panic(OverflowError)
	case value.Number():
		return value.F, true
	}
	return 0, false
}

// pyStr returns what Python's str(value) returns for a value of an answer; value is nil for an absent key,
// which prints as None. See docs/spec/drawingbench.md#r26.
func pyStr(value *pyjson.Value) string {
	if value == nil {
		return "None"
	}
	return string(value.AppendText(nil))
}

// pyRepr is Python's repr of a double.
func pyRepr(x float64) string { return string(pyjson.AppendFloat(nil, x)) }

// Finding is a warning of the evaluator, or an error or warning of the feedback.
type Finding struct{ Type, Message string }

const (
	efficiencyWarning = "EFFICIENCY_WARNING"
	logicError        = "LOGIC_ERROR"

	threeMoves = "Multiple consecutive moveTo actions" // begins the warning for three moves in a row
)

// findWarnings returns the published evaluator's warnings about an answer: very many actions, three
// moves in a row (once), different numbers of presses and releases. See
// docs/spec/drawingbench.md#r27.
func findWarnings(acts []action, downs, ups int) []Finding {
	var out []Finding
	if len(acts) > 1000 {
		out = append(out, Finding{efficiencyWarning, fmt.Sprintf("Very high action count: %d actions", len(acts))})
	}
	for i := 0; i+2 < len(acts); i++ {
		if acts[i].kind == moveTo && acts[i+1].kind == moveTo && acts[i+2].kind == moveTo {
			out = append(out, Finding{efficiencyWarning, fmt.Sprintf("%s at index %d", threeMoves, i)})
			break
		}
	}
	if downs != ups {
		out = append(out, Finding{logicError, fmt.Sprintf("Unmatched mouseDown (%d) and mouseUp (%d)", downs, ups)})
	}
	return out
}
