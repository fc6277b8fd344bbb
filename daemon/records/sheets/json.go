package sheets

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
)

// jsonTable reads a JSON list of rows.
type jsonTable struct {
	table
	in        *input.Input
	requested rows.Options
	isDecided bool // decideByColumns has found how rows are read
	list      *jsonwalk.List
	parser    record.Parser
}

// JSON reads a JSON list of rows, or a JSON file of VLMEvalKit; the first object of the list
// decides which. It looks for that object at the beginning of the input, so that a table
// without answers is refused at once. See docs/spec/dumps-files.md#r7.
func JSON(in *input.Input, o rows.Options) (record.Source, error) {
	t := &jsonTable{in: in, requested: o, parser: record.Parser{Limits: rowLimits}}
	t.list = jsonwalk.NewList(bytes.NewReader(in.Head()), in.Limits.Line)
	for !t.isDecided {
		b, _, err := t.list.Next()
		if err != nil {
			break
		}
		if v, err := t.parser.Parse(b); err == nil && v.Type() == fastjson.TypeObject {
			if err := t.decideByColumns(v); err != nil {
				return nil, err
			}
		}
	}
	t.list = jsonwalk.NewList(in.Stream(), in.Limits.Line) // read from the beginning again
	return t, nil
}

// Close implements record.Source.
func (t *jsonTable) Close() error { return nil }

// Next returns the record of the next row of a JSON list of objects. The members of the first object decide how
// all rows are read. An element that cannot be read gives a record with its fault. It implements record.Source.
func (t *jsonTable) Next() (*record.Record, error) {
	for {
		if r := t.dequeue(); r != nil {
			return r, nil
		}
		text, i, err := t.list.Next()
		at := fmt.Sprintf("element %d", i)
		if long := (*jsonwalk.LongError)(nil); errors.As(err, &long) {
			t.enqueueFault(at, at+": "+err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		t.parser.TrimMemory() // gives back the memory of a large row
		v, err := t.parser.Parse(text)
		switch {
		case err != nil:
			t.enqueueFault(at, fmt.Sprintf("%s: cannot parse JSON: %v", at, err))
			continue
		case v.Type() != fastjson.TypeObject:
			t.enqueueFault(at, fmt.Sprintf("%s: got %s; want an object", at, message.Describe(v)))
			continue
		}
		// The first row decides how all are read.
		if !t.isDecided {
			if err := t.decideByColumns(v); err != nil {
				return nil, err
			}
		}
		t.enqueue(v, at)
	}
}

// decideByColumns sets how the rows of a JSON list are read, by the names of the members of the first row. It
// refuses a table without answers. Faults that are in the queue already, of elements before that row, are kept.
func (t *jsonTable) decideByColumns(firstRow *fastjson.Value) error {
	var columns []string
	firstRow.GetObject().Visit(func(key []byte, _ *fastjson.Value) { columns = append(columns, string(key)) })
	decided, err := newTable(t.in, columns, t.requested)
	if err != nil {
		return err
	}
	decided.queue, t.isDecided = t.queue, true
	t.table = *decided
	if t.requested.AnswerColumn == "" && !t.isVLMEvalKit {
		t.opts.AnswerColumn = "" // rows of JSON may differ in their columns, so each is searched for its answer
	}
	return nil
}
