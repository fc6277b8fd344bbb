package aspire

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// The texts of docs/spec/aspire.md#r8 and docs/spec/aspire.md#r9.
const (
	stateHeading    = "Initial whiteboard state (TLDraw JSON):\n```json\n"
	operationSchema = `{"createShapes": [TLShapePartial], "deleteShapes": [shape id], "updateShapes": [TLShapePartial]}`
	rotationSchema  = `{"shape": shape id, "rotation": number}`
	stepByStep      = "\nThink step-by-step"
)

// prompt implements scoring.Suite.Prompt: the state of the whiteboard, the task and the schema of
// the answer. The item has the shapes and the text of the task. It fails with a *scoring.Error for
// an unknown test and for missing fields.
func prompt(it *scoring.Item, o scoring.PromptOptions) (string, error) {
	t, item := findTest(it.Test), it.Fields
	if t == nil {
		return "", newError("unknown_test", "cannot build prompt: test %s is not one of ASPIRE's", quote(it.Test))
	}
	shapes := item.Get("shapes")
	if shapes == nil || shapes.Type() != fastjson.TypeArray {
		return "", newError("bad_scene", "cannot build prompt: want a list shapes")
	}
	task := item.Get("prompt")
	if task == nil || task.Type() != fastjson.TypeString {
		return "", newError("bad_task", "cannot build prompt: want the text of the task in prompt")
	}
	var b []byte
	if !o.Minimal || !onlyCreates(t.name) {
		b = append(b, stateHeading...)
		b = appendState(b, shapes.GetArray(), o.Minimal)
		b = append(b, "\n```\n\n"...)
	}
	b = append(append(b, "Task:\n"...), task.GetStringBytes()...)
	b = append(b, "\n\nOutput actions to update the whiteboard scene.\nYour output should be in a JSON block from tldraw using the following schema: "...)
	if t.name == "arrow" {
		b = append(b, rotationSchema...)
	} else {
		b = append(b, operationSchema...)
	}
	if o.StepWise {
		b = append(b, stepByStep...)
	}
	return string(b), nil
}

// onlyCreates reports whether an answer to the test only creates shapes, so that the task needs no
// ids of existing shapes. See docs/spec/aspire.md#r70.
func onlyCreates(test string) bool {
	return slices.Contains([]string{"balance", "label", "line", "maze"}, test)
}

// appendState appends the shapes as JSON in z-order, indented by two spaces; with minimal only
// their ids. See docs/spec/aspire.md#r69.
func appendState(b []byte, shapes []*fastjson.Value, minimal bool) []byte {
	members := []string{"id", "type", "x", "y", "rotation", "opacity", "props"}
	if minimal {
		members = members[:1]
	}
	p := printer{dst: b}
	p.begin('[')
	for _, v := range shapes {
		p.nextElement()
		p.shape(v, members)
	}
	p.end(']')
	return p.dst
}

// propsOrder holds the props that are written first; others follow in the given order.
var propsOrder = []string{"geo", "color", "w", "h", "fill"}

// printer writes indented JSON.
type printer struct {
	dst   []byte
	depth int
	empty bool // nothing was written since the bracket
}

// begin opens a list or an object.
func (p *printer) begin(bracket byte) {
	p.dst = append(p.dst, bracket)
	p.depth++
	p.empty = true
}

// end closes a JSON list or object of the prompt.
func (p *printer) end(bracket byte) {
	p.depth--
	if !p.empty {
		p.newLine()
	}
	p.dst = append(p.dst, bracket)
	p.empty = false
}

// newLine starts an indented line of JSON.
func (p *printer) newLine() {
	p.dst = append(append(p.dst, '\n'), strings.Repeat("  ", p.depth)...)
}

// nextElement starts the line of a list element or member in the JSON of the prompt.
func (p *printer) nextElement() {
	if !p.empty {
		p.dst = append(p.dst, ',')
	}
	p.empty = false
	p.newLine()
}

// key starts an object member.
func (p *printer) key(name string) {
	p.nextElement()
	p.dst = append(scoring.AppendString(p.dst, name), ": "...)
}

// shape writes those of the named members that the shape has into the prompt, except a rotation of
// 0.
func (p *printer) shape(v *fastjson.Value, members []string) {
	p.begin('{')
	for _, name := range members {
		m := v.Get(name)
		if m == nil || name == "rotation" && m.GetFloat64() == 0 {
			continue
		}
		p.key(name)
		if name == "props" && m.Type() == fastjson.TypeObject {
			p.object(m.GetObject(), propsOrder)
		} else {
			p.value(m)
		}
	}
	p.end('}')
}

// object writes a JSON object into the prompt: the members named in first, then the others in the
// given order.
func (p *printer) object(o *fastjson.Object, first []string) {
	p.begin('{')
	for _, name := range first {
		if m := o.Get(name); m != nil {
			p.key(name)
			p.value(m)
		}
	}
	o.Visit(func(key []byte, m *fastjson.Value) {
		if !slices.Contains(first, string(key)) {
			p.key(string(key))
			p.value(m)
		}
	})
	p.end('}')
}

// value writes any JSON value into the prompt; numbers keep their text.
func (p *printer) value(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeObject:
		p.object(v.GetObject(), nil)
	case fastjson.TypeArray:
		p.begin('[')
		for _, e := range v.GetArray() {
			p.nextElement()
			p.value(e)
		}
		p.end(']')
	case fastjson.TypeString:
		p.dst = scoring.AppendString(p.dst, string(v.GetStringBytes()))
	default:
		p.dst = v.MarshalTo(p.dst)
	}
}
