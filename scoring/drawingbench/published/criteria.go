package published

import (
	"fmt"
	"math"
	"strings"

	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
)

// Number is a number of a task. Python prints it as it was written: 5 is not 5.0.
type Number struct {
	F         float64
	IsInteger bool // it was written as an integer
}

// Criteria holds what a task demands. A nil *Criteria demands nothing. See
// docs/spec/drawingbench.md#r2.
type Criteria struct {
	Tools      []string
	Colours    []string
	HasColours bool    // required_colors is there, maybe empty
	Segments   *Number // min_segments, nil where absent
	Coverage   *Number // min_coverage, nil where absent
	Prompt     string  // "" unless spatial metrics are wanted
}

// ReadCriteria reads the criteria of a DrawingBench task that the published evaluator uses. null
// and an empty object demand nothing and give nil. The error names the member that is of the wrong
// kind. The result does not share memory with value.
func ReadCriteria(value *pyjson.Value) (*Criteria, error) {
	if value == nil || value.Kind == pyjson.None || value.Kind == pyjson.Dict && len(value.Items()) == 0 {
		return nil, nil
	}
	if value.Kind != pyjson.Dict {
		return nil, fmt.Errorf("cannot read criteria: got %.40s; want an object", value.AppendRepr(nil))
	}
	criteria := &Criteria{}
	var err error
	if criteria.Tools, _, err = stringList(value, "required_tools"); err != nil {
		return nil, err
	}
	if criteria.Colours, criteria.HasColours, err = stringList(value, "required_colors"); err != nil {
		return nil, err
	}
	if criteria.Segments, err = finiteNumber(value, "min_segments"); err != nil {
		return nil, err
	}
	if criteria.Coverage, err = finiteNumber(value, "min_coverage"); err != nil {
		return nil, err
	}
	prompt := value.Get("prompt")
	if prompt != nil && prompt.Kind != pyjson.None {
		if prompt.Kind != pyjson.Str {
			return nil, wrongKind("prompt", prompt, "text")
		}
		criteria.Prompt = strings.Clone(prompt.S)
	}
	return criteria, nil
}

// wrongKind returns the error for a criterion of the wrong kind.
func wrongKind(name string, v *pyjson.Value, want string) error {
	return fmt.Errorf("cannot read criteria.%s: got %.40s; want %s", name, v.AppendRepr(nil), want)
}

// maxRequired is how many tools or colours a task may require. Each is searched
// for in all actions, so the number is limited.
const maxRequired = 1000

// stringList reads a criterion of a task that is a list of at most maxRequired strings. ok is false
// where it is absent or null.
func stringList(v *pyjson.Value, name string) (list []string, ok bool, err error) {
	member := v.Get(name)
	if member == nil || member.Kind == pyjson.None {
		return nil, false, nil
	}
	if member.Kind != pyjson.List {
		return nil, false, wrongKind(name, member, "a list of strings")
	}
	if len(member.Items()) > maxRequired {
		return nil, false, fmt.Errorf("cannot read criteria.%s: got %d entries; want at most %d", name,
			len(member.Items()), maxRequired)
	}
	for i := range member.Items() {
		if member.Items()[i].Kind != pyjson.Str {
			return nil, false, wrongKind(name, member, "a list of strings")
		}
		list = append(list, strings.Clone(member.Items()[i].S))
	}
	return list, true, nil
}

// finiteNumber reads a criterion of a task that is a finite number, nil where it is absent or null.
func finiteNumber(v *pyjson.Value, name string) (*Number, error) {
	member := v.Get(name)
	if member == nil || member.Kind == pyjson.None {
		return nil, nil
	}
	if member.Kind != pyjson.Int && member.Kind != pyjson.Float || math.IsNaN(member.F) || math.IsInf(member.F, 0) {
		return nil, wrongKind(name, member, "a finite number")
	}
	return &Number{member.F, member.Kind == pyjson.Int}, nil
}

// ToolUse says what an answer did with a required tool. See docs/spec/drawingbench.md#r37.
type ToolUse struct {
	Tool string
	// Used and Selected are tool_T_used and tool_T_selected of the evaluator's result, which are always
	// the same. Drew is tool_T_actually_used.
	Used, Selected, Drew bool
}

// findUse finds the first selection of a tool of the drawing app, by a click on its button or by a
// moveTo with a click after it, and whether a press followed while it was selected. Later
// selections do not count. Used and Selected of the result are always the same, because the
// published evaluator reports both.
func findUse(acts []action, name string) ToolUse {
	use := ToolUse{Tool: name}
	tool := toolNamed(name)
	if tool == nil {
		return use
	}
	for i := range acts {
		selectedAt := i
		switch a := &acts[i]; {
		case a.kind == moveTo && a.hitsTool(tool) && i+1 < len(acts) && acts[i+1].kind == click:
			selectedAt = i + 1
		case a.kind == click && a.x != nil && a.hitsTool(tool): // without x it clicks where the pointer is
		default:
			continue
		}
		use.Used, use.Selected = true, true
		use.Drew = pressedBeforeOtherTool(acts[selectedAt+1:], tool)
		return use
	}
	return use
}

// pressedBeforeOtherTool reports whether a press comes in rest, the actions after the tool
// was selected, before a moveTo or click on another tool's button.
func pressedBeforeOtherTool(rest []action, tool *layout.Tool) bool {
	for i := range rest {
		switch action := &rest[i]; action.kind {
		case mouseDown:
			return true
		case moveTo, click:
			for k := range layout.Tools {
				if &layout.Tools[k] != tool && action.hitsTool(&layout.Tools[k]) {
					return false
				}
			}
		}
	}
	return false
}
