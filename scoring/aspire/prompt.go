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

// prompt returns the prompt of an ASPIRE item: the state of the whiteboard, the text of the task,
// and the schema of the answer. With o.Minimal the state has only ids, or is left out where the
// task needs none. It implements scoring.Suite.Prompt. The error is a *scoring.Error for an unknown
// test or a missing field.
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

// onlyCreates reports whether answers to the test only create shapes, so that the task needs
// no ids of existing ones. See docs/spec/aspire.md#r70.
func onlyCreates(test string) bool {
	return slices.Contains([]string{"balance", "label", "line", "maze"}, test)
}

// appendState appends the whiteboard's shapes to a prompt as JSON in z-order, indented by two
// spaces; if minimal, only their ids. See docs/spec/aspire.md#r69.
func appendState(b []byte, shapes []*fastjson.Value, minimal bool) []byte {
	members := []string{"id", "type", "x", "y", "rotation", "opacity", "props"}
	if minimal {
		members = members[:1]
	}
	p := printer{dst: b}
	p.openBracket('[')
	for _, v := range shapes {
		p.nextElement()
		p.writeShape(v, members)
	}
	p.closeBracket(']')
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

// openBracket opens a list or an object.
func (p *printer) openBracket(bracket byte) {
	p.dst = append(p.dst, bracket)
	p.depth++
	p.empty = true
}

// closeBracket ends a list or an object of the prompt's JSON, on a line of its own unless it is
// empty.
func (p *printer) closeBracket(bracket byte) {
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

// nextElement starts the line of a list element or an object's member in the prompt's JSON, after a
// comma unless it is the first.
func (p *printer) nextElement() {
	if !p.empty {
		p.dst = append(p.dst, ',')
	}
	p.empty = false
	p.newLine()
}

// writeKey starts an object member.
func (p *printer) writeKey(name string) {
	p.nextElement()
	p.dst = append(scoring.AppendString(p.dst, name), ": "...)
}

// writeShape writes a shape into the prompt: those of the named members that it has, in that order,
// except a rotation of 0.
func (p *printer) writeShape(v *fastjson.Value, members []string) {
	p.openBracket('{')
	for _, name := range members {
		member := v.Get(name)
		if member == nil || name == "rotation" && member.GetFloat64() == 0 {
			continue
		}
		p.writeKey(name)
		if name == "props" && member.Type() == fastjson.TypeObject {
			p.writeObject(member.GetObject(), propsOrder)
		} else {
			p.writeValue(member)
		}
	}
	p.closeBracket('}')
}

// writeObject writes an object of the item into an ASPIRE prompt: the members named in first, then
// the others in the order of the item. The published prompts have their members in this order.
func (p *printer) writeObject(o *fastjson.Object, first []string) {
	p.openBracket('{')
	for _, name := range first {
		if member := o.Get(name); member != nil {
			p.writeKey(name)
			p.writeValue(member)
		}
	}
	o.Visit(func(key []byte, member *fastjson.Value) {
		if !slices.Contains(first, string(key)) {
			p.writeKey(string(key))
			p.writeValue(member)
		}
	})
	p.closeBracket('}')
}

// writeValue writes any JSON value of the item into the prompt. Numbers keep their text.
func (p *printer) writeValue(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeObject:
		p.writeObject(v.GetObject(), nil)
	case fastjson.TypeArray:
		p.openBracket('[')
		for _, element := range v.GetArray() {
			p.nextElement()
			p.writeValue(element)
		}
		p.closeBracket(']')
	case fastjson.TypeString:
		p.dst = scoring.AppendString(p.dst, string(v.GetStringBytes()))
	default:
		p.dst = v.MarshalTo(p.dst)
	}
}
