// Package extract reads which option of a multiple-choice question an answer
// names. In: the text as received, the style of the labels and the
// options in the order in which they were shown. Out: a position, or invalid
// with a reason, and which stage decided. It has no notion of what is right, and
// takes time linear in the length of the answer.
package extract

import (
	"bytes"

	"plumb/scoring/vqa/plain"
)

// Style is how options are labelled.
type Style uint8

// The styles.
const (
	Letters Style = iota // A, B, C, D
	Numbers              // 1, 2, 3, 4
)

// Most is the largest number of options. See docs/spec/vqa.md#r4.
const Most = 8

// examined is how many bytes at the end of an answer stages 2 to 6 read. See
// docs/spec/vqa.md#r16.
const examined = 64 << 10

// Reason says why an answer is invalid; "" for one that is not.
type Reason string

// The reasons.
const (
	Empty      Reason = "empty"
	Multiple   Reason = "multiple"
	Conflict   Reason = "conflict"
	OutOfRange Reason = "out-of-range"
	Ambiguous  Reason = "ambiguous"
	Unresolved Reason = "unresolved"
	NoAnswer   Reason = "no-answer"
)

// Reading is what an answer says.
type Reading struct {
	Option int    // position from 0, -1 for an invalid answer
	Stage  int    // which stage decided, 1 to 6; 0 for an empty answer
	Reason Reason // "" where Option is a position
	// Literal reports whether stage 1 decided a position and no reasoning block had
	// been removed. See docs/spec/vqa.md#r30.
	Literal bool
}

// found and invalid are what stages return.
func found(stage, option int) Reading       { return Reading{Option: option, Stage: stage} }
func invalid(stage int, why Reason) Reading { return Reading{Option: -1, Stage: stage, Reason: why} }

// Reader reads answers. It holds the memory of one reading, which is reused, and
// is not safe for concurrent use.
type Reader struct {
	style   Style
	texts   [][]byte
	ready   bool // the norms are made
	norms   [Most][]byte
	usable  [Most]bool // the norm is there, and no other option has it
	order   [Most]int  // positions by length of norm, longest first
	arena   []byte
	cleaner plain.Cleaner

	low, norm  []byte // the answer in lower case, and its norm
	flat, flow []byte // the answer on one line, as it is and in lower case
	cover      []uint8
	spans      []span
	json       jsonReader
}

// Options says what was asked: 2 to 8 options as they were shown, which the
// reader keeps until the next call.
func (r *Reader) Options(style Style, texts [][]byte) {
	if len(texts) > Most {
		texts = texts[:Most]
	}
	r.style, r.texts, r.ready = style, texts, false
}

// Read reads an answer with every stage, or with the first three where strict. See
// docs/spec/vqa.md#r29.
func (r *Reader) Read(answer []byte, strict bool) Reading {
	text, reasoned := r.cleaner.Clean(answer)
	got := r.stages(text, strict, 0)
	got.Literal = got.Stage == 1 && got.Option >= 0 && !reasoned
	return got
}

// deepest is how far values inside of values are read: an answer in a tag in a
// string of a JSON object.
const deepest = 4

// stages runs the stages on clean text.
func (r *Reader) stages(s []byte, strict bool, depth int) Reading {
	s = bytes.TrimSpace(s)
	if len(s) == 0 {
		return invalid(0, Empty)
	}
	if got, ok := r.whole(s); ok {
		return got
	}
	s = ending(s)
	if depth < deepest {
		if got, ok := r.object(s, strict, depth); ok {
			return got
		}
		if got, ok := r.tags(s, strict, depth); ok {
			return got
		}
	}
	if strict {
		return invalid(3, NoAnswer)
	}
	r.low = appendLower(r.low[:0], s)
	if got, ok := r.stated(s, r.low); ok {
		return got
	}
	if got, ok := r.lines(s); ok {
		return got
	}
	return r.evidence(s)
}

// ending is the last part of a long text that is examined.
func ending(s []byte) []byte {
	if len(s) <= examined {
		return s
	}
	s = s[len(s)-examined:]
	for len(s) > 0 && s[0]&0xc0 == 0x80 {
		s = s[1:]
	}
	return s
}
