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

// work bounds the bytes that Extract reads, per byte of text: a text of opening
// brackets alone would cost the square of its length. See
// docs/spec/drawingbench.md#r13.
const work = 64

// Extract finds the actions in a text. v is valid until r is reset, and null where how is None.
// limited reports whether the search was given up because it cost too much. See
// docs/spec/drawingbench.md#r12.
func Extract(r *pyjson.Reader, text string) (v pyjson.Value, how How, limited bool) {
	f := findActions(r, text)
	return f.value, f.how, f.limited
}

// Where returns the bytes of a text in which Extract finds the actions; ok is false where it finds none.
func Where(r *pyjson.Reader, text string) (from, to int, ok bool) {
	f := findActions(r, text)
	before := len(text) - len(strings.TrimLeft(strings.TrimLeft(text, "\ufeff"), space))
	return before + f.from, before + f.to, f.how != None
}

// found is what find has found in a text that begins after its white space.
type found struct {
	value    pyjson.Value
	how      How
	from, to int // bytes of the text
	limited  bool
}

// findActions finds the list of mouse actions in an answer's text, for Extract and Where.
func findActions(r *pyjson.Reader, text string) found {
	text = strings.Trim(strings.TrimLeft(text, "\ufeff"), space)
	r.Reset(text)
	if v, err := r.All(); err == nil {
		return found{Actions(v), Direct, 0, len(text), false}
	}
	if f, ok := fromFence(r, text); ok {
		return f
	}
	budget := work*len(text) + 1<<16
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return found{how: None}
		}
		at += next
		if r.Steps() > budget {
			return found{how: None, limited: true}
		}
		v, end, err := r.At(at)
		if err == nil && isListOfObjects(v) {
			return found{v, Scan, at, end, false}
		}
	}
}

// Actions returns the list under the key "actions" for an object that has one, else v itself.
func Actions(v pyjson.Value) pyjson.Value {
	if v.Kind != pyjson.Dict {
		return v
	}
	list := v.Get("actions")
	if list == nil || list.Kind != pyjson.List {
		return v
	}
	return *list
}

const fence = "```"

// fromFence returns the actions of the first fenced code block that holds nothing else. The
// rest of a block's first line names its language and is passed over. ok is false where there
// is no such block.
func fromFence(r *pyjson.Reader, text string) (f found, ok bool) {
	for at := 0; ; {
		open := strings.Index(text[at:], fence)
		if open < 0 {
			return f, false
		}
		line := strings.IndexByte(text[at+open+len(fence):], '\n')
		if line < 0 {
			return f, false
		}
		from := at + open + len(fence) + line + 1
		size := strings.Index(text[from:], fence)
		if size < 0 {
			return f, false
		}
		body := text[from : from+size]
		left := len(body) - len(strings.TrimLeft(body, space))
		right := len(strings.TrimRight(body, space))
		if left < right {
			v, err := r.Span(from+left, from+right)
			v = Actions(v)
			if err == nil && v.Kind == pyjson.List {
				return found{v, Fence, from + left, from + right, false}, true
			}
		}
		at = from + size + len(fence)
	}
}

// space holds the characters that Python's strip removes.
const space = " \t\n\v\f\r\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// isListOfObjects reports whether a value is a list of objects that is not empty.
func isListOfObjects(v pyjson.Value) bool {
	return v.Kind == pyjson.List && len(v.Items()) > 0 &&
		!slices.ContainsFunc(v.Items(), func(e pyjson.Value) bool { return e.Kind != pyjson.Dict })
}
