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
// and the schema of the answer. With options.Minimal the state has only ids, or is left out where the
// task needs none. It implements scoring.Suite.Prompt. The error is a *scoring.Error for an unknown
// test or a missing field.
func prompt(it *scoring.Item, options scoring.PromptOptions) (string, error) {
	test, item := findTest(it.Test), it.Fields
	if test == nil {
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
	// The state of the whiteboard.
	var out []byte
	if !options.Minimal || !onlyCreates(test.name) {
		out = append(out, stateHeading...)
		out = appendState(out, shapes.GetArray(), options.Minimal)
		out = append(out, "\n```\n\n"...)
	}
	// The task, and the form of the answer.
	out = append(append(out, "Task:\n"...), task.GetStringBytes()...)
	out = append(out, "\n\nOutput actions to update the whiteboard scene.\nYour output should be in a JSON block from tldraw using the following schema: "...)
	if test.name == "arrow" {
		out = append(out, rotationSchema...)
	} else {
		out = append(out, operationSchema...)
	}
	if options.StepWise {
		out = append(out, stepByStep...)
	}
	return string(out), nil
}

// onlyCreates reports whether answers to the test only create shapes, so that the task needs
// no ids of existing ones. See docs/spec/aspire.md#r70.
func onlyCreates(test string) bool {
	return slices.Contains([]string{"balance", "label", "line", "maze"}, test)
}

// appendState appends the whiteboard's shapes to a prompt as JSON in z-order, indented by two
// spaces; if minimal, only their ids. See docs/spec/aspire.md#r69.
func appendState(data []byte, shapes []*fastjson.Value, minimal bool) []byte {
	members := []string{"id", "type", "x", "y", "rotation", "opacity", "props"}
	if minimal {
		members = members[:1]
	}
	p := printer{dst: data}
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
func (printer *printer) openBracket(bracket byte) {
	printer.dst = append(printer.dst, bracket)
	printer.depth++
	printer.empty = true
}

// closeBracket ends a list or an object of the prompt's JSON, on a line of its own unless it is empty.
func (printer *printer) closeBracket(bracket byte) {
	printer.depth--
	if !printer.empty {
		printer.newLine()
	}
	printer.dst = append(printer.dst, bracket)
	printer.empty = false
}

// newLine starts an indented line of JSON.
func (printer *printer) newLine() {
	printer.dst = append(append(printer.dst, '\n'), strings.Repeat("  ", printer.depth)...)
}

// nextElement starts the line of a list element or an object's member in the prompt's JSON, after a
// comma unless it is the first.
func (printer *printer) nextElement() {
	if !printer.empty {
		printer.dst = append(printer.dst, ',')
	}
	printer.empty = false
	printer.newLine()
}

// writeKey starts an object member.
func (printer *printer) writeKey(name string) {
	printer.nextElement()
	printer.dst = append(scoring.AppendString(printer.dst, name), ": "...)
}

// writeShape writes a shape into the prompt: those of the named members that it has, in that order,
// except a rotation of 0.
func (printer *printer) writeShape(v *fastjson.Value, members []string) {
	printer.openBracket('{')
	for _, name := range members {
		member := v.Get(name)
		if member == nil || name == "rotation" && member.GetFloat64() == 0 {
			continue
		}
		printer.writeKey(name)
		if name == "props" && member.Type() == fastjson.TypeObject {
			printer.writeObject(member.GetObject(), propsOrder)
		} else {
			printer.writeValue(member)
		}
	}
	printer.closeBracket('}')
}

// writeObject writes an object of the item into an ASPIRE prompt: the members named in first, then
// the others in the order of the item. The published prompts have their members in this order.
func (printer *printer) writeObject(object *fastjson.Object, first []string) {
	printer.openBracket('{')
	for _, name := range first {
		if member := object.Get(name); member != nil {
			printer.writeKey(name)
			printer.writeValue(member)
		}
	}
	object.Visit(func(key []byte, member *fastjson.Value) {
		if !slices.Contains(first, string(key)) {
			printer.writeKey(string(key))
			printer.writeValue(member)
		}
	})
	printer.closeBracket('}')
}

// writeValue writes any JSON value of the item into the prompt, indented as the printer does it.
// Numbers keep their text.
func (printer *printer) writeValue(value *fastjson.Value) {
	switch value.Type() {
	case fastjson.TypeObject:
		printer.writeObject(value.GetObject(), nil)
	case fastjson.TypeArray:
		printer.openBracket('[')
		for _, element := range value.GetArray() {
			printer.nextElement()
			printer.writeValue(element)
		}
		printer.closeBracket(']')
	case fastjson.TypeString:
		printer.dst = scoring.AppendString(printer.dst, string(value.GetStringBytes()))
	default:
		printer.dst = value.MarshalTo(printer.dst)
	}
}
