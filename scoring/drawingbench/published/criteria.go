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
	F       float64
	Integer bool // it was written as an integer
}

// Criteria holds what a task demands. A nil *Criteria demands nothing. See
// docs/spec/drawingbench.md#r2.
type Criteria struct {
	Tools     []string
	Colours   []string
	HasColour bool    // required_colors is there, maybe empty
	Segments  *Number // min_segments, nil where absent
	Coverage  *Number // min_coverage, nil where absent
	Prompt    string  // "" unless spatial metrics are wanted
}

// ReadCriteria reads the criteria of a task. null and an empty object demand
// nothing. The error names the member that is of another kind.
func ReadCriteria(v *pyjson.Value) (*Criteria, error) {
	if v == nil || v.Kind == pyjson.None || v.Kind == pyjson.Dict && len(v.Items()) == 0 {
		return nil, nil
	}
	if v.Kind != pyjson.Dict {
		return nil, fmt.Errorf("cannot read criteria: got %.40s; want an object", v.AppendRepr(nil))
	}
	c := &Criteria{}
	var err error
	if c.Tools, _, err = stringList(v, "required_tools"); err != nil {
		return nil, err
	}
	if c.Colours, c.HasColour, err = stringList(v, "required_colors"); err != nil {
		return nil, err
	}
	if c.Segments, err = finiteNumber(v, "min_segments"); err != nil {
		return nil, err
	}
	if c.Coverage, err = finiteNumber(v, "min_coverage"); err != nil {
		return nil, err
	}
	p := v.Get("prompt")
	if p != nil && p.Kind != pyjson.None {
		if p.Kind != pyjson.Str {
			return nil, wrong("prompt", p, "text")
		}
		c.Prompt = strings.Clone(p.S)
	}
	return c, nil
}

// wrong returns the error for a criterion of the wrong kind.
func wrong(name string, v *pyjson.Value, want string) error {
	return fmt.Errorf("cannot read criteria.%s: got %.40s; want %s", name, v.AppendRepr(nil), want)
}

// maxRequired is how many tools or colours a task may require. Each is searched
// for in all actions, so the number is limited.
const maxRequired = 1000

// stringList reads a criterion that is a list of strings. ok is false where it is absent or null.
func stringList(v *pyjson.Value, name string) (list []string, ok bool, err error) {
	f := v.Get(name)
	if f == nil || f.Kind == pyjson.None {
		return nil, false, nil
	}
	if f.Kind != pyjson.List {
		return nil, false, wrong(name, f, "a list of strings")
	}
	if len(f.Items()) > maxRequired {
		return nil, false, fmt.Errorf("cannot read criteria.%s: got %d entries; want at most %d", name, len(f.Items()), maxRequired)
	}
	for i := range f.Items() {
		if f.Items()[i].Kind != pyjson.Str {
			return nil, false, wrong(name, f, "a list of strings")
		}
		list = append(list, strings.Clone(f.Items()[i].S))
	}
	return list, true, nil
}

// finiteNumber reads a criterion that is a finite number, nil where it is absent or null.
func finiteNumber(v *pyjson.Value, name string) (*Number, error) {
	f := v.Get(name)
	if f == nil || f.Kind == pyjson.None {
		return nil, nil
	}
	if f.Kind != pyjson.Int && f.Kind != pyjson.Float || math.IsNaN(f.F) || math.IsInf(f.F, 0) {
		return nil, wrong(name, f, "a finite number")
	}
	return &Number{f.F, f.Kind == pyjson.Int}, nil
}

// ToolUse says what an answer did with a required tool. See docs/spec/drawingbench.md#r37.
type ToolUse struct {
	Tool                 string
	Used, Selected, Drew bool // tool_T_used, tool_T_selected, tool_T_actually_used
}

// findUse finds the first selection of a tool, and whether a press followed while it was
// selected. Later selections do not count.
func findUse(acts []action, name string) ToolUse {
	u := ToolUse{Tool: name}
	t := toolNamed(name)
	if t == nil {
		return u
	}
	for i := range acts {
		at := i
		switch a := &acts[i]; {
		case a.kind == moveTo && a.hitsTool(t) && i+1 < len(acts) && acts[i+1].kind == click:
			at = i + 1
		case a.kind == click && a.x != nil && a.hitsTool(t):
		default:
			continue
		}
		u.Used, u.Selected, u.Drew = true, true, pressFollows(acts[at+1:], t)
		return u
	}
	return u
}

// pressFollows reports whether a press comes in rest, the actions after tool t was selected,
// before a moveTo or click on another tool's button.
func pressFollows(rest []action, t *layout.Tool) bool {
	for i := range rest {
		switch a := &rest[i]; a.kind {
		case mouseDown:
			return true
		case moveTo, click:
			for k := range layout.Tools {
				if &layout.Tools[k] != t && a.hitsTool(&layout.Tools[k]) {
					return false
				}
			}
		}
	}
	return false
}
