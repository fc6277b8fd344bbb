// Package parse finds the list of actions in a model's answer. In: text. Out: a
// JSON value as Python reads it, and how it was found. It checks nothing: any value
// goes on to the evaluator.
package parse

import (
	"strings"

	"plumb/scoring/pyjson"
)

// How says how an answer was read.
type How string

// The ways. None stands for the value null, which evaluates to zero.
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

// Extract finds the actions. The value is valid until r is reset. limited
// reports whether the search was given up because it cost too much. See
// docs/spec/drawingbench.md#r12.
func Extract(r *pyjson.Reader, text string) (v pyjson.Value, how How, limited bool) {
	text = strings.Trim(strings.TrimLeft(text, "\ufeff"), space)
	r.Reset(text)
	if v, err := r.All(); err == nil {
		return actions(v), Direct, false
	}
	if v, ok := fenced(r, text); ok {
		return v, Fence, false
	}
	budget := work*len(text) + 1<<16
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return pyjson.Value{}, None, false
		}
		at += next
		if r.Steps() > budget {
			return pyjson.Value{}, None, true
		}
		if v, _, err := r.At(at); err == nil && drawn(v) {
			return v, Scan, false
		}
	}
}

// actions returns the list under "actions" for an object that has one, else v.
func actions(v pyjson.Value) pyjson.Value {
	if v.Kind == pyjson.Dict {
		if list := v.Get("actions"); list != nil && list.Kind == pyjson.List {
			return *list
		}
	}
	return v
}

const mark = "```"

// fenced returns the first list that is a whole block between three backticks. The
// rest of a block's first line is its name.
func fenced(r *pyjson.Reader, text string) (pyjson.Value, bool) {
	for at := 0; ; {
		open := strings.Index(text[at:], mark)
		if open < 0 {
			return pyjson.Value{}, false
		}
		line := strings.IndexByte(text[at+open+len(mark):], '\n')
		if line < 0 {
			return pyjson.Value{}, false
		}
		from := at + open + len(mark) + line + 1
		size := strings.Index(text[from:], mark)
		if size < 0 {
			return pyjson.Value{}, false
		}
		body := text[from : from+size]
		left := len(body) - len(strings.TrimLeft(body, space))
		right := len(strings.TrimRight(body, space))
		if left < right {
			if v, err := r.Span(from+left, from+right); err == nil {
				if v = actions(v); v.Kind == pyjson.List {
					return v, true
				}
			}
		}
		at = from + size + len(mark)
	}
}

// space is what Python's strip removes.
const space = " \t\n\v\f\r\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// drawn reports whether a value is a list of objects with at least one.
func drawn(v pyjson.Value) bool {
	if v.Kind != pyjson.List || len(v.Items()) == 0 {
		return false
	}
	for i := range v.Items() {
		if v.Items()[i].Kind != pyjson.Dict {
			return false
		}
	}
	return true
}
