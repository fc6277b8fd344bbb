// Package record defines an answer of a model as it was read from a dump of any tool. In:
// what the readers of the formats found. Out: one form for all of them, with the
// finish reasons and the kinds of truncation under common names. See docs/spec/dumps.md#r1.
package record

import (
	"strings"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// Record is one answer of a dump. Strings are "" where the dump has no value.
type Record struct {
	At     string // the place in the file: "line 12", "row 4", "x#1"
	Key    string // the dump's own key of the question
	Join   string // the id of the task, where the format keeps it apart from Key
	Repeat int    // number of the answer among those to the question, from 1; 0 where the format does not count
	Model  string

	Response     string // the text of the answer, verbatim (docs/spec/dumps.md#r2)
	Reasoning    string // thought that the format keeps apart from the answer
	FinishReason string // as CommonFinishReason returns it
	Cut          Cut
	Usage        Usage
	Missing      *scoring.Error // why there is no answer; nil where there is one

	Suite, Test string // named by the record itself; "" where Labels may name them

	// Fields is the record as the format has it, with at least the members that keys and
	// labels may stand in. Labels is the object whose members label, answer or ground_truth
	// may hold the label, and whose members suite and test may name the suite and the test.
	// Both are nil for none, and valid until the next record is read.
	Fields *fastjson.Value
	Labels *fastjson.Value

	Item   bool   // Fields is a whole dump line but for its answer
	NoTask string // why the record names no task, "" where it may name one
	Notes  []scoring.Note

	// Fault says why the record itself cannot be read, "" for a record that was read. Only At,
	// and Key where it is known, are set beside it.
	Fault string
}

// Usage holds numbers of tokens, -1 for unknown ones.
type Usage struct {
	Prompt, Completion, Reasoning int
}

// NoUsage is the Usage of a record without any counts.
var NoUsage = Usage{-1, -1, -1}

// TokenCount returns a JSON value as a number of tokens: 100 for 100, 100.0 and 1e2. It returns -1 if the value
// is absent, not a number, negative or so large that a float64 does not hold it exactly.
func TokenCount(v *fastjson.Value) int {
	if v == nil {
		return -1
	}
	const exact = 1 << 53 // integers below it are exact in float64
	if f, err := v.Float64(); err == nil && f >= 0 && f < exact {
		return int(f)
	}
	return -1
}

// Source yields the records of one dump in order.
type Source interface {
	// Next returns the next record, which is valid until the following call. The error is
	// io.EOF at the end; another one says why the rest of the file cannot be read.
	Next() (*Record, error)
	Close() error
}

// The codes of Record.Missing. See docs/spec/dumps.md#r5.
const (
	NoResponse = "no_response" // the call of the model failed
	NoText     = "no_text"     // the record holds log-likelihoods or embeddings
	EmptyCell  = "empty_cell"  // a spreadsheet lost the text, or it was empty
	CutCell    = "cut_cell"    // a spreadsheet kept only the beginning of the text
)

// MarkMissing sets the reason why the record has no answer, and removes the answer.
func (r *Record) MarkMissing(code, words string) {
	r.Missing = &scoring.Error{Code: code, Message: words}
	r.Response, r.FinishReason, r.Cut = "", "", Whole
}

// AddNote adds a note with a code and a sentence.
func (r *Record) AddNote(code, text string) {
	r.Notes = append(r.Notes, scoring.Note{Code: code, Path: "response", Message: text})
}

// Cut says where an answer was truncated.
type Cut string

// The kinds of truncation. See docs/spec/dumps.md#r4.
const (
	Whole     Cut = ""
	InAnswer  Cut = "answer"  // the token limit was reached within the text
	InThought Cut = "thought" // the token limit was reached before the text began
	ByLimit   Cut = "limit"   // the evaluation tool stopped the model: turns, tokens or time
	ByCell    Cut = "cell"    // the file could not hold the text
)

// finishReasons maps the names of services to common names. See docs/spec/dumps.md#r3.
var finishReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "endoftext": "stop",
	"max_tokens": "length", "model_length": "length", "max_output_tokens": "length",
	"tool_use": "tool_calls", "refusal": "content_filter",
}

// CommonFinishReason returns the common name for the reason why a model stopped, which each tool writes in its
// own way: "stop" for "end_turn", for example. A reason without a common name is returned in lower case.
func CommonFinishReason(reason string) string {
	reason = strings.ToLower(reason)
	if name := finishReasons[reason]; name != "" {
		return name
	}
	return reason
}

// SetCut finds out by the text and the finish reason of an answer whether and where it was truncated,
// and sets r.Cut. A text with an unclosed <think> ended within the model's thought, whatever the finish
// reason. With the finish reason "length", an empty text ended there too, and any other within the
// answer. SetCut changes nothing if the reader of the format has set Cut, or the answer is missing.
func (r *Record) SetCut() {
	if r.Cut != Whole || r.Missing != nil {
		return
	}
	text := strings.TrimSpace(r.Response)
	isThinking := strings.HasPrefix(text, "<think>") && !strings.Contains(text, "</think>")
	reachedLimit := r.FinishReason == "length"
	switch {
	case isThinking || reachedLimit && text == "":
		r.Cut = InThought
	case reachedLimit:
		r.Cut = InAnswer
	}
}
