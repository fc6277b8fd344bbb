// Package extract reads which option of a multiple-choice question a model's answer names. In: the answer's
// text, how the options are labelled, and their texts in the order in which they were shown. Out: the index of
// an option, or invalid with a reason, and which of six stages of rules decided. It does not say which option
// is right, and takes time linear in the length of the answer.
package extract

import (
	"bytes"

	"plumb/scoring/vqa/plain"
)

// Style is how options are labelled.
type Style uint8

// The styles of labels.
const (
	Letters Style = iota // A, B, C, D
	Numbers              // 1, 2, 3, 4
)

// MaxOptions is the largest number of options that a question may have. See docs/spec/vqa.md#r4.
const MaxOptions = 8

// examinedBytes is how many bytes at the end of an answer stages 2 to 6 read. See docs/spec/vqa.md#r16.
const examinedBytes = 64 << 10

// Reason says why an answer is invalid; "" for a valid one.
type Reason string

// The reasons for which an answer is invalid.
const (
	Empty      Reason = "empty"
	Multiple   Reason = "multiple"
	Conflict   Reason = "conflict"
	OutOfRange Reason = "out-of-range"
	Ambiguous  Reason = "ambiguous"
	Unresolved Reason = "unresolved"
	NoAnswer   Reason = "no-answer"
)

// Reading is the result of reading an answer.
type Reading struct {
	Option int    // index from 0, -1 for an invalid answer
	Stage  int    // which stage decided, 1 to 6 (stageWhole and so on); 0 for an empty answer
	Reason Reason // "" where Option is an index
	// Literal reports whether the whole answer names the option (stage 1), and no reasoning block
	// had been removed from it. See docs/spec/vqa.md#r30.
	Literal bool
}

// The stages of docs/spec/vqa.md#r16, in their order.
const (
	stageWhole      = 1 + iota // the whole answer is a label or a text
	stageObject                // a JSON object or list
	stageTags                  // tags and \boxed{}
	stageStatements            // "the answer is B"
	stageLines                 // a label that opens the first line or is the last one
	stageProse                 // labels and texts of options in prose
)

// optionFound returns the reading of a stage that found an option.
func optionFound(stage, option int) Reading { return Reading{Option: option, Stage: stage} }

// invalidAnswer returns the reading of a stage that found the answer invalid.
func invalidAnswer(stage int, why Reason) Reading {
	return Reading{Option: -1, Stage: stage, Reason: why}
}

// Reader reads answers to multiple-choice questions. It keeps its memory from one answer to the
// next. One goroutine uses it at a time.
type Reader struct {
	style       Style
	optionTexts [][]byte
	normalized  bool               // the next three are those of optionTexts, see normalizeOptions
	normTexts   [MaxOptions][]byte // normalized texts of the options
	usable      [MaxOptions]bool   // the text is there, and no other option has it
	byLength    [MaxOptions]int    // options by length of their texts, longest first
	normMemory  []byte             // memory of normTexts
	cleaner     plain.Cleaner

	lower, norm           []byte  // the answer in lower case, and normalized
	oneLine, oneLineLower []byte  // the answer on one line, as it is and in lower case
	coveringOption        []uint8 // for each byte of oneLine, 1 + the option in whose text it lies; 0 for none
	json                  jsonReader
}

// SetOptions sets the question's 2 to 8 options, in the order in which they were shown. The reader
// keeps texts until the next call.
func (reader *Reader) SetOptions(style Style, texts [][]byte) {
	if len(texts) > MaxOptions {
		texts = texts[:MaxOptions]
	}
	reader.style, reader.optionTexts, reader.normalized = style, texts, false
}

// Read reads which option an answer names, by all six stages or, if strict, by the first three
// (docs/spec/vqa.md#r29). Markup and reasoning blocks are removed first.
func (reader *Reader) Read(answer []byte, strict bool) Reading {
	text, reasoned := reader.cleaner.Clean(answer)
	reading := reader.readStages(text, strict, 0)
	reading.Literal = reading.Stage == stageWhole && reading.Option >= 0 && !reasoned
	return reading
}

// maxDepth is how deep values are read inside of values, such as an answer in a tag in a
// string of a JSON object.
const maxDepth = 4

// readStages reads the cleaned text of an answer by the six stages in their order; the first one that finds an
// option or a fault decides. Empty text is stage 0. strict leaves out stages 4 to 6. depth counts the JSON
// strings and tags around text; at maxDepth no further ones are opened, which bounds the recursion.
func (reader *Reader) readStages(text []byte, strict bool, depth int) Reading {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return invalidAnswer(0, Empty)
	}
	// Stage 1: the whole text. Stages 2 and 3: JSON and tags.
	if reading, ok := reader.readWhole(text); ok {
		return reading
	}
	text = lastExamined(text)
	if depth < maxDepth { // they read what is inside as an answer of its own, one level deeper
		if reading, ok := reader.readObject(text, strict, depth); ok {
			return reading
		}
		if reading, ok := reader.readTags(text, strict, depth); ok {
			return reading
		}
	}
	if strict {
		return invalidAnswer(stageTags, NoAnswer)
	}
	// Stages 4 to 6: statements, lines and prose.
	reader.lower = appendLower(reader.lower[:0], text)
	if reading, ok := reader.readStatements(text, reader.lower); ok {
		return reading
	}
	if reading, ok := reader.readLines(text); ok {
		return reading
	}
	return reader.readProse(text)
}

// lastExamined returns the last examinedBytes of an answer, from the first whole character on.
func lastExamined(text []byte) []byte {
	if len(text) <= examinedBytes {
		return text
	}
	text = text[len(text)-examinedBytes:]
	for len(text) > 0 && text[0]&0xc0 == 0x80 { // a continuation byte of UTF-8
		text = text[1:]
	}
	return text
}
