package records

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// Origin holds what a result says of the record that it scores, and what the record changes in it.
type Origin struct {
	ID                string         // of a record that names no task, "" for others
	File, At, Key     string         // Key is "" where it equals the id
	Err               *scoring.Error // in place of a result
	Who               *Who           // made the answer that Err stands in place of; nil where it is unknown
	Missing           *scoring.Error // why there is no answer, in place of the suite's words
	CountsZero        bool           // the result is 0, unread
	LooksLikePosition bool           // the id is a whole number, so it may be meant as a position (--join position)
	Notes             []scoring.Note
}

// Who is what a record says of the model and its answer, for a result that no dump line could tell it.
type Who struct {
	Model, FinishReason string
	Cut                 record.Cut
	Repeat              int // 0 where the format does not count
}

// identityOf returns what the record of an answer says of the model and how it answered: the model's name, the
// repeat, the finish reason, and where the answer was truncated. The repeat is left out if the format
// does not count it and it is the first.
func identityOf(a *Answer) *Who {
	w := &Who{Model: a.Model, FinishReason: a.FinishReason, Cut: a.Cut}
	if a.CountsRepeats || a.Repeat > 1 {
		w.Repeat = a.Repeat
	}
	return w
}

// maxKeptAnswer is the largest memory for the JSON of an answer, in bytes, that is used again.
const maxKeptAnswer = 4 << 20

// isPosition reports whether the key of a record is a whole number as a program writes it, without
// sign and leading zeros, so that it may be a position in a task file.
func isPosition(key string) bool {
	if key == "" || key[0] < '0' || key[0] > '9' {
		return false
	}
	n, err := strconv.Atoi(key)
	return err == nil && strconv.Itoa(n) == key
}

// Empty reports whether a result says nothing of its origin.
func (o *Origin) Empty() bool {
	return o.ID == "" && o.File == "" && o.At == "" && o.Key == "" && o.Err == nil && o.Missing == nil && !o.CountsZero &&
		len(o.Notes) == 0
}

// Line returns the dump line from which the answer a is scored, and its origin, which Origin.Apply later
// adds to the result. The bytes of the line are appended to dst. n is the number of the line among all
// that are scored, from 1. A record that cannot be read, or that names no task, becomes a line with a
// Fault, and the origin has the error.
func (r *Reader) Line(dst []byte, a *Answer, n int) (dump.Line, Origin) {
	o := Origin{File: a.File, At: a.At, Notes: a.Notes}
	if a.Key != a.ID {
		o.Key = a.Key
	}
	l := dump.Line{Number: n}
	switch {
	case a.Fault != "":
		o.ID, o.Key, o.Err = a.ID, a.Key, &scoring.Error{Code: "bad_line", Message: a.Fault}
	case a.Err != nil:
		o.ID, o.Who, o.Err = a.ID, identityOf(a), &scoring.Error{Code: "unknown_task", Message: "cannot find the task: " + a.Err.Error()}
	}
	if o.Err != nil {
		l.Fault = o.Err.Message
		return l, o
	}
	// The line: the task, the answer, and who made it.
	o.LooksLikePosition = r.options.Join == nil && a.Label == nil && isPosition(a.Key)
	text := r.answerText(a, &o)
	if r.answerBuffer = text; cap(text) > maxKeptAnswer { // memory for the next answer, unless this one was very long
		r.answerBuffer = nil
	}
	head, fault := r.appendTask(dst, a, text)
	if fault != nil {
		o.ID, o.Who, o.Err = a.ID, identityOf(a), &scoring.Error{Code: "unknown_task", Message: fault.Message}
		l.Fault = fault.Message
		return l, o
	}
	l.Bytes = appendIdentity(head, a)
	hasForeignMembers := a.Label != nil || a.Item && a.Fields != nil
	l.Checked = !hasForeignMembers // then plumb wrote all of it
	return l, o
}

// answerText returns the JSON of the answer's text that is scored: null if the answer is missing. If the
// answer was truncated, Options.Cut decides. It is scored as it stands, with a note, or it counts as
// missing or as 0 (null, and o says which).
func (r *Reader) answerText(a *Answer, o *Origin) []byte {
	if a.Missing != nil {
		o.Missing = a.Missing
		return []byte("null")
	}
	if a.Cut != record.Whole && a.Cut != record.ByCell { // an answer cut by its cell is missing already, see Missing
		switch r.options.Cut {
		case CutMissing:
			o.Missing = &scoring.Error{Code: record.NoResponse,
				Message: "the answer was cut (" + string(a.Cut) + ") and counts as missing (--cut missing)"}
			return []byte("null")
		case CutZero:
			o.CountsZero = true // Apply turns the error of a missing answer into 0, but not that of an unknown task
			return []byte("null")
		}
		o.Notes = append(o.Notes, scoring.Note{Code: "cut_" + string(a.Cut), Path: "response",
			Message: cutNotes[a.Cut]})
	}
	return jsontree.AppendString(r.answerBuffer[:0], a.Response)
}

// cutNotes are the messages of notes on truncated answers that are scored as they stand.
var cutNotes = map[record.Cut]string{
	record.InAnswer:  "the token limit ended the answer, which is scored as it stands",
	record.InThought: "the token limit was reached before the answer; what there is is scored",
	record.ByLimit:   "the tool stopped the model at a limit of its own; the answer is scored as it stands",
}

// appendTask appends the first part of an answer's dump line, without the closing brace: the members that
// say which task it is, and the answer, response. The task's members are those of the label or of the
// table's row, or else the id of the task with suite and test. The error says why a label cannot be used.
func (r *Reader) appendTask(dst []byte, a *Answer, response []byte) ([]byte, *scoring.Error) {
	label := a.Label
	if label != nil {
		label = withoutIdentity(label)
	} else if a.Item && a.Fields != nil {
		label = r.rowItem(a)
	}
	if label != nil {
		dst, err := r.options.Labels.AppendDumpLine(dst, label, response, "label")
		if err != nil {
			return dst, err
		}
		return dst[:len(dst)-1], nil // without the brace, as appendIdentity adds members
	}
	dst = jsontree.AppendString(append(dst, `{"id":`...), a.ID)
	for _, m := range [...][2]string{{"suite", a.Suite}, {"test", a.Test}} {
		if m[1] != "" {
			dst = append(append(append(dst, `,"`...), m[0]...), `":`...)
			dst = jsontree.AppendString(dst, m[1])
		}
	}
	return append(append(dst, `,"response":`...), response...), nil
}

// identityMembers are the members of a dump line that say who made the answer. The record
// has them, so those of labels and rows are left out.
var identityMembers = []string{"model", "repeat", "finish_reason", "cut", "completion_tokens"}

// withoutIdentity returns the JSON of a record's label without identityMembers, which say who made an
// answer and are written from the record. A label that has none is returned as it is. One that is a text
// with JSON in it becomes an object if any is removed.
func withoutIdentity(label []byte) []byte {
	text := label
	if label[0] == '"' {
		text = jsoncut.Text(label)
	}
	if !slices.ContainsFunc(identityMembers, func(name string) bool { return bytes.Contains(text, []byte(`"`+name+`"`)) }) {
		return label
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return label
	}
	for _, name := range identityMembers {
		v.Del(name)
	}
	return jsontree.Append(nil, v)
}

// rowItem returns the row of a table as an item of a dump: with the id of its task, and without the
// columns of the answer and those that say who made it.
func (r *Reader) rowItem(a *Answer) []byte {
	v := a.Fields
	for _, name := range append(identityMembers, rows.AnswerColumns...) {
		if name != "output" || stringOf(v.Get(name)) == a.Response { // output may also be a member of a task
			v.Del(name)
		}
	}
	var arena fastjson.Arena
	for _, m := range [...][2]string{{"id", a.ID}, {"suite", a.Suite}, {"test", a.Test}} {
		if m[1] != "" {
			v.Set(m[0], arena.NewString(m[1]))
		}
	}
	return jsontree.Append(nil, v)
}

// appendIdentity appends the members of a dump line that say who made the answer, and the closing
// brace.
func appendIdentity(dst []byte, a *Answer) []byte {
	for _, m := range [...][2]string{{"model", a.Model}, {"finish_reason", a.FinishReason}, {"cut", string(a.Cut)}} {
		if m[1] != "" {
			dst = append(append(append(dst, `,"`...), m[0]...), `":`...)
			dst = jsontree.AppendString(dst, m[1])
		}
	}
	if a.CountsRepeats || a.Repeat > 1 {
		dst = strconv.AppendInt(append(dst, `,"repeat":`...), int64(a.Repeat), 10)
	}
	if n := a.Usage.Completion; n >= 0 {
		dst = strconv.AppendInt(append(dst, `,"completion_tokens":`...), int64(n), 10)
	}
	return append(dst, '}')
}

// cutStatus is the status of an answer that counts 0 because a limit cut it.
const cutStatus = "cut"

// Apply adds the origin of a record to the result r of its dump line. A record that could not be read or
// joined gives its error and who made it. Where the answer was missing, the error of the suite is replaced
// by the record's own reason, or by the score 0 if a truncated answer counts so.
func (o *Origin) Apply(r *scoring.Result) {
	r.Who.File, r.Who.At, r.Who.Key = o.File, o.At, o.Key
	hasNoResponse := r.Err != nil && r.Err.Code == record.NoResponse // the suite's error for the answer null
	switch {
	case o.Err != nil:
		r.ID, r.Line, r.Err = o.ID, 0, o.Err
		if w := o.Who; w != nil {
			r.Who.Model, r.Who.FinishReason, r.Who.Cut, r.Who.Repeat = w.Model, w.FinishReason, string(w.Cut), w.Repeat
		}
	case o.Missing != nil && hasNoResponse:
		r.Err = o.Missing
	case o.LooksLikePosition && r.Err != nil && (r.Err.Code == "unknown_task" || r.Err.Code == "unknown_suite"):
		r.Err = &scoring.Error{Code: r.Err.Code, Message: r.Err.Message + fmt.Sprintf("; %q looks like a position: --join position", r.ID)}
	case o.CountsZero && hasNoResponse:
		r.Scored, r.Score, r.Status, r.Err = true, 0, cutStatus, nil
		// The metric source says how the answer was read; the others say what the task is and stay.
		for i, m := range r.Metrics {
			if m.Name == "source" {
				r.Metrics[i].Value = cutStatus
			}
		}
	}
	r.Notes = append(slices.Clip(r.Notes), o.Notes...) // Clip: the suite may keep the memory of its notes
}
