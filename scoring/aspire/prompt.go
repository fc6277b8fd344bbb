package aspire

import (
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

// prompt builds the text that a model is asked: the state of the whiteboard, the
// task and the schema of the answer. The item holds shapes and prompt (the text of
// the task). It fails with a *scoring.Error for an unknown test, or an item
// without these fields.
func prompt(it *scoring.Item, o scoring.PromptOptions) (string, error) {
	t, item := findTest(it.Test), it.Fields
	if t == nil {
		return "", fault("unknown_test", "cannot build prompt: test %s is not one of ASPIRE's", quote(it.Test))
	}
	shapes := item.Get("shapes")
	if shapes == nil || shapes.Type() != fastjson.TypeArray {
		return "", fault("bad_scene", "cannot build prompt: want a list shapes")
	}
	task := item.Get("prompt")
	if task == nil || task.Type() != fastjson.TypeString {
		return "", fault("bad_task", "cannot build prompt: want the text of the task in prompt")
	}
	var b []byte
	if !o.Minimal || t.name != "balance" { // see docs/spec/aspire.md#r70
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

// appendState writes the shapes in z-order, indented by two spaces; with minimal only their
// ids. See docs/spec/aspire.md#r69.
func appendState(b []byte, shapes []*fastjson.Value, minimal bool) []byte {
	p := printer{dst: b}
	p.begin('[')
	for _, v := range shapes {
		p.next()
		if minimal {
			p.shape(v, []string{"id"})
		} else {
			p.shape(v, []string{"id", "type", "x", "y", "rotation", "opacity", "props"})
		}
	}
	p.end(']')
	return p.dst
}

// propsOrder is the order in which props are written; others follow as given.
var propsOrder = []string{"geo", "color", "w", "h", "fill"}

// printer writes indented JSON.
type printer struct {
	dst   []byte
	depth int
	empty bool // nothing was written since the bracket
}

func (p *printer) begin(bracket byte) {
	p.dst = append(p.dst, bracket)
	p.depth++
	p.empty = true
}

func (p *printer) end(bracket byte) {
	p.depth--
	if !p.empty {
		p.line()
	}
	p.dst = append(p.dst, bracket)
	p.empty = false
}

func (p *printer) line() {
	p.dst = append(append(p.dst, '\n'), strings.Repeat("  ", p.depth)...)
}

// next begins an element.
func (p *printer) next() {
	if !p.empty {
		p.dst = append(p.dst, ',')
	}
	p.empty = false
	p.line()
}

func (p *printer) key(name string) {
	p.next()
	p.dst = append(scoring.AppendString(p.dst, name), ": "...)
}

// shape writes those of the members that the shape has. A rotation of 0 is left
// out.
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

// object writes the members named first, then the others as given.
func (p *printer) object(o *fastjson.Object, first []string) {
	p.begin('{')
	for _, name := range first {
		if m := o.Get(name); m != nil {
			p.key(name)
			p.value(m)
		}
	}
	o.Visit(func(key []byte, m *fastjson.Value) {
		for _, name := range first {
			if string(key) == name {
				return
			}
		}
		p.key(string(key))
		p.value(m)
	})
	p.end('}')
}

// value writes a value as it was given; numbers keep their text.
func (p *printer) value(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeObject:
		p.object(v.GetObject(), nil)
	case fastjson.TypeArray:
		p.begin('[')
		for _, e := range v.GetArray() {
			p.next()
			p.value(e)
		}
		p.end(']')
	case fastjson.TypeString:
		p.dst = scoring.AppendString(p.dst, string(v.GetStringBytes()))
	default:
		p.dst = v.MarshalTo(p.dst)
	}
}
