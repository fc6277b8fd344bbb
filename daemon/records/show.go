package records

import (
	"strconv"

	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// AppendJSON appends an answer, a record with its task, as one JSON object that shows what would be
// scored: file, at (its place in the file), id (the dump's own key), repeat, model, response, reasoning,
// finish_reason, cut (how the answer was cut off, or false), error, suite, test and join (the id of the
// task), then usage and notes if there are any. Unknown values are null.
//
// One of three fields tells of a failure. Fault is set if the record cannot be read: then repeat,
// response and join are null. Missing is set if it has no answer: response is null. Err is set if no
// task fits it: join is null.
func (a *Answer) AppendJSON(dst []byte) []byte {
	dst = jsontree.AppendString(append(dst, `{"file":`...), a.File)
	null := func(name string) { // appends a member that is null
		dst = append(append(append(dst, `,"`...), name...), `":null`...)
	}
	text := func(name, s string) { // appends a member, null for ""
		if s == "" {
			null(name)
			return
		}
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		dst = jsontree.AppendString(dst, s)
	}
	text("at", a.At)
	text("id", a.Key)
	if a.Fault != "" {
		null("repeat")
	} else {
		dst = strconv.AppendInt(append(dst, `,"repeat":`...), int64(a.Repeat), 10)
	}
	text("model", a.Model)
	if a.Missing == nil && a.Fault == "" {
		dst = jsontree.AppendString(append(dst, `,"response":`...), a.Response)
	} else {
		null("response")
	}
	text("reasoning", a.Reasoning)
	text("finish_reason", a.FinishReason)
	if a.Cut == record.Whole {
		dst = append(dst, `,"cut":false`...)
	} else {
		text("cut", string(a.Cut))
	}
	dst = a.appendError(dst)
	text("suite", a.Suite)
	text("test", a.Test)
	if a.Err != nil || a.Fault != "" {
		null("join")
	} else {
		text("join", a.ID)
	}
	return append(a.appendNotes(a.appendUsage(dst)), '}')
}

// appendError appends the member error of a shown record: why it has no answer, or no task.
func (a *Answer) appendError(dst []byte) []byte {
	code, words := "", ""
	switch {
	case a.Fault != "":
		code, words = "bad_line", a.Fault
	case a.Missing != nil:
		code, words = a.Missing.Code, a.Missing.Message
	case a.Err != nil:
		code, words = "unknown_task", a.Err.Error()
	default:
		return append(dst, `,"error":null`...)
	}
	dst = jsontree.AppendString(append(dst, `,"error":{"code":`...), code)
	dst = jsontree.AppendString(append(dst, `,"words":`...), words)
	return append(dst, '}')
}

// appendUsage appends the member usage of a shown record with the numbers of tokens, null for
// unknown ones. If all are unknown it appends nothing.
func (a *Answer) appendUsage(dst []byte) []byte {
	if a.Usage == record.NoUsage {
		return dst
	}
	dst = append(dst, `,"usage":{`...)
	for i, c := range []struct {
		name string
		n    int
	}{{"input", a.Usage.Prompt}, {"output", a.Usage.Completion}, {"reasoning", a.Usage.Reasoning}} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), c.name...), `":`...)
		if c.n < 0 {
			dst = append(dst, "null"...)
		} else {
			dst = strconv.AppendInt(dst, int64(c.n), 10)
		}
	}
	return append(dst, '}')
}

// appendNotes appends the notes of a record that plumb records prints, as the member notes, and
// nothing if there are none.
func (a *Answer) appendNotes(dst []byte) []byte {
	for i, n := range a.Notes {
		if i == 0 {
			dst = append(dst, `,"notes":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = n.AppendJSON(dst)
	}
	if len(a.Notes) > 0 {
		dst = append(dst, ']')
	}
	return dst
}
