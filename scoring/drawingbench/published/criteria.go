package published

import (
	"fmt"
	"strings"

	"plumb/scoring/pyjson"
)

// Number is a number of a task that is printed as it was written.
type Number struct {
	F       float64
	Integer bool
}

// Criteria is what a task demands. A nil *Criteria demands nothing. See
// docs/spec/drawingbench.md#r2.
type Criteria struct {
	Tools     []string
	Colours   []string
	HasTools  bool // required_tools is there, maybe empty
	HasColour bool
	Segments  *Number // min_segments, nil where absent
	Coverage  *Number // min_coverage
	Prompt    string  // only where spatial metrics are wanted
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
	if c.Tools, c.HasTools, err = words(v, "required_tools"); err != nil {
		return nil, err
	}
	if c.Colours, c.HasColour, err = words(v, "required_colors"); err != nil {
		return nil, err
	}
	if c.Segments, err = numeral(v, "min_segments"); err != nil {
		return nil, err
	}
	if c.Coverage, err = numeral(v, "min_coverage"); err != nil {
		return nil, err
	}
	if p := v.Get("prompt"); p != nil && p.Kind != pyjson.None {
		if p.Kind != pyjson.Str {
			return nil, wrong("prompt", p, "text")
		}
		c.Prompt = strings.Clone(p.S)
	}
	return c, nil
}

func wrong(name string, v *pyjson.Value, want string) error {
	return fmt.Errorf("cannot read criteria.%s: got %.40s; want %s", name, v.AppendRepr(nil), want)
}

// maxRequired is how many tools or colours a task may require. Each is searched
// for in all actions, so the number is limited.
const maxRequired = 1000

func words(v *pyjson.Value, name string) (list []string, ok bool, err error) {
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

func numeral(v *pyjson.Value, name string) (*Number, error) {
	f := v.Get(name)
	if f == nil || f.Kind == pyjson.None {
		return nil, nil
	}
	if f.Kind != pyjson.Int && f.Kind != pyjson.Float || f.F != f.F || f.F-f.F != 0 {
		return nil, wrong(name, f, "a finite number")
	}
	return &Number{f.F, f.Kind == pyjson.Int}, nil
}

// ToolUse is what the answer did with a required tool. See
// docs/spec/drawingbench.md#r37.
type ToolUse struct {
	Tool                 string
	Used, Selected, Drew bool // tool_T_used, tool_T_selected, tool_T_actually_used
}

// use finds the first selection of a tool and whether it was drawn with. A later
// selection does not count.
func use(acts []action, name string) ToolUse {
	u := ToolUse{Tool: name}
	t := toolNamed(name)
	if t == nil {
		return u
	}
	for i := range acts {
		at := i
		switch a := &acts[i]; {
		case a.kind == moveTo && t.on(a) && i+1 < len(acts) && acts[i+1].kind == click:
			at = i + 1
		case a.kind == click && a.x != nil && t.on(a):
		default:
			continue
		}
		u.Used, u.Selected, u.Drew = true, true, drew(acts[at+1:], t)
		return u
	}
	return u
}

// drew reports whether a press comes before a move to or a click on another tool's
// button.
func drew(rest []action, t *tool) bool {
	for i := range rest {
		switch a := &rest[i]; a.kind {
		case mouseDown:
			return true
		case moveTo, click:
			for k := range tools {
				if &tools[k] != t && tools[k].on(a) {
					return false
				}
			}
		}
	}
	return false
}
