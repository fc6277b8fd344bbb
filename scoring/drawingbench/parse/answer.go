// Package parse finds the list of mouse actions in the text of a model's DrawingBench answer.
// In: text. Out: a JSON value as Python reads it, and how it was found. It checks nothing: the
// evaluator takes any value.
package parse

import (
	"slices"
	"strings"

	"plumb/scoring/pyjson"
)

// How says how the actions were found in an answer's text.
type How string

// The ways to find actions. With None the value is null, which scores 0.
const (
	Strict How = "strict" // the text had to be one JSON value
	Direct How = "direct" // the text was one JSON value
	Fence  How = "fence"  // the first fenced block that holds a list
	Scan   How = "scan"   // the first list of objects in the text
	None   How = "none"   // nothing was found
)

// maxReadsPerByte bounds the bytes that Extract reads, per byte of text: a text of opening
// brackets alone would cost the square of its length. See
// docs/spec/drawingbench.md#r13.
const maxReadsPerByte = 64

// Extract finds the list of mouse actions in a text. v is valid until r is reset, and null where how is
// None. limited reports whether the search was given up because it cost too much. See
// docs/spec/drawingbench.md#r12.
func Extract(r *pyjson.Reader, text string) (v pyjson.Value, how How, limited bool) {
	f := findActions(r, text)
	return f.value, f.how, f.limited
}

// Where returns the bytes of a text in which Extract finds the actions; ok is false where it finds none.
func Where(r *pyjson.Reader, text string) (from, to int, ok bool) {
	f := findActions(r, text)
	skipped := len(text) - len(strings.TrimLeft(strings.TrimLeft(text, "\ufeff"), pythonSpace))
	return skipped + f.from, skipped + f.to, f.how != None
}

// foundActions is what findActions has found in a text that begins after its white space.
type foundActions struct {
	value    pyjson.Value
	how      How
	from, to int // bytes of the text
	limited  bool
}

// findActions finds the list of mouse actions in an answer's text: the whole text as JSON,
// else the first fenced block that holds a list, else the first list of objects anywhere.
// Positions are in the text without white space at its ends. limited is true where the
// search read too much.
func findActions(reader *pyjson.Reader, text string) foundActions {
	text = strings.Trim(strings.TrimLeft(text, "\ufeff"), pythonSpace)
	reader.Reset(text)
	if v, err := reader.All(); err == nil {
		return foundActions{value: Actions(v), how: Direct, from: 0, to: len(text)}
	}
	if f, ok := findInFence(reader, text); ok {
		return f
	}
	budget := maxReadsPerByte*len(text) + 1<<16 // bytes; short texts are never given up
	for pos := 0; ; pos++ {
		next := strings.IndexByte(text[pos:], '[')
		if next < 0 {
			return foundActions{how: None}
		}
		pos += next
		if reader.Steps() > budget {
			return foundActions{how: None, limited: true}
		}
		v, end, err := reader.At(pos)
		if err == nil && isListOfObjects(v) {
			return foundActions{value: v, how: Scan, from: pos, to: end}
		}
	}
}

// Actions returns the list of mouse actions under the key "actions" for an object that has one,
// else value itself.
func Actions(value pyjson.Value) pyjson.Value {
	if value.Kind != pyjson.Dict {
		return value
	}
	list := value.Get("actions")
	if list == nil || list.Kind != pyjson.List {
		return value
	}
	return *list
}

const fence = "```"

// findInFence returns the mouse actions in the first fenced code block of an answer that holds
// nothing else. The rest of a block's first line, which names its language, is skipped. ok is false
// where there is no such block.
func findInFence(reader *pyjson.Reader, text string) (actions foundActions, ok bool) {
	for pos := 0; ; {
		opening := strings.Index(text[pos:], fence)
		if opening < 0 {
			return actions, false
		}
		// The block begins with the next line and ends with another fence.
		lineEnd := strings.IndexByte(text[pos+opening+len(fence):], '\n')
		if lineEnd < 0 {
			return actions, false
		}
		bodyStart := pos + opening + len(fence) + lineEnd + 1
		bodyLength := strings.Index(text[bodyStart:], fence)
		if bodyLength < 0 {
			return actions, false
		}
		body := text[bodyStart : bodyStart+bodyLength]
		// Its content without blanks must be the actions.
		left := len(body) - len(strings.TrimLeft(body, pythonSpace))
		right := len(strings.TrimRight(body, pythonSpace))
		if left < right {
			v, err := reader.Span(bodyStart+left, bodyStart+right)
			v = Actions(v)
			if err == nil && v.Kind == pyjson.List {
				return foundActions{value: v, how: Fence, from: bodyStart + left, to: bodyStart + right}, true
			}
		}
		pos = bodyStart + bodyLength + len(fence)
	}
}

// pythonSpace holds the characters that Python's strip removes.
const pythonSpace = " \t\n\v\f\r\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// isListOfObjects reports whether a value is a list of objects that is not empty.
func isListOfObjects(v pyjson.Value) bool {
	return v.Kind == pyjson.List && len(v.Items()) > 0 &&
		!slices.ContainsFunc(v.Items(), func(e pyjson.Value) bool { return e.Kind != pyjson.Dict })
}
