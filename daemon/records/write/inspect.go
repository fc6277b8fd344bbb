package write

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// InspectSuffix ends the names of files that NewInspect writes, as inspect_ai tells lines from a
// document by the name.
const InspectSuffix = ".jsonl"

// InspectResults writes the results of one log for inspect_ai's precomputed_scores.
type InspectResults struct {
	w       io.Writer
	result  result
	written map[string]bool // "EPOCH#ID" of each written line
	line    []byte          // the last written line

	Unscored int // results without a score, which are left out
	Twice    int // results of a sample and epoch that were there before, which are left out
}

// NewInspect writes the scores of one log to w. See docs/spec/dumps-files.md#r19.
func NewInspect(w io.Writer) *InspectResults {
	return &InspectResults{w: w, written: map[string]bool{}}
}

// Write writes the score of a result line as a line that inspect_ai can import. Results without a score are
// only counted, and so is a second result for one sample and epoch. It implements Results.
func (p *InspectResults) Write(line []byte) error {
	r := &p.result
	if err := r.parse(line); err != nil {
		return err
	}
	score := r.value.Get("score")
	if score == nil || score.Type() != fastjson.TypeNumber {
		p.Unscored++
		return nil
	}
	// The sample and its epoch, which inspect_ai counts from 1 as plumb counts repeats.
	id, epoch := r.text("key"), 1
	if id == "" {
		id = r.text("id")
	}
	if n, ok := r.number("repeat"); ok {
		epoch = int(n)
	}
	place := strconv.Itoa(epoch) + "#" + id
	if p.written[place] {
		p.Twice++
		return nil
	}
	p.written[place] = true
	// The line: its answer is what the scorer read out of the model's text, null where there is no such metric.
	b := append(p.line[:0], `{"id":`...)
	b = jsontree.AppendString(b, id)
	b = strconv.AppendInt(append(b, `,"epoch":`...), int64(epoch), 10)
	b = appendAsFloat(append(b, `,"value":`...), score)
	if answer := r.text("metrics", "extracted"); answer != "" {
		b = jsontree.AppendString(append(b, `,"answer":`...), answer)
	} else {
		b = append(b, `,"answer":null`...)
	}
	b = jsontree.AppendString(append(b, `,"explanation":`...), explanation(r))
	b = append(b, `,"metadata":`...)
	if m := r.value.Get("metrics"); m != nil && m.Type() == fastjson.TypeObject {
		b = jsontree.Append(b, m)
	} else {
		b = append(b, "{}"...)
	}
	p.line = append(b, '}', '\n')
	_, err := p.w.Write(p.line)
	return err
}

// appendAsFloat appends a JSON number to dst as it was read. A whole number gets a fraction, so 1 becomes 1.0:
// Python then reads all scores as floats.
func appendAsFloat(dst []byte, number *fastjson.Value) []byte {
	start := len(dst)
	dst = jsontree.Append(dst, number)
	if len(bytes.TrimLeft(dst[start:], "-0123456789")) == 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// explanation returns the status of a result, which says how its answer was read, and its notes, as one
// text that inspect_ai shows beside the score.
func explanation(r *result) string {
	parts := []string{r.text("status")}
	for _, n := range r.value.GetArray("notes") {
		parts = append(parts, fmt.Sprintf("%s: %s", jsontree.Text(n.Get("code")), jsontree.Text(n.Get("message"))))
	}
	return strings.Trim(strings.Join(parts, "; "), "; ")
}

// Close implements Results.
func (p *InspectResults) Close() error { return nil }
