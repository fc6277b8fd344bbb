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
	in     *input.Input
	o      rows.Options
	known  bool // decide has found how rows are read
	list   *jsonwalk.List
	parser record.Parser
}

// JSON reads a JSON list of rows, or a JSON file of VLMEvalKit; the first object of the list
// decides which. It looks for that object at the beginning of the input, so that a table
// without answers is refused at once. See docs/spec/dumps-files.md#r7.
func JSON(in *input.Input, o rows.Options) (record.Source, error) {
	t := &jsonTable{in: in, o: o, parser: record.Parser{Limits: rowLimits}}
	t.list = jsonwalk.NewList(bytes.NewReader(in.Head()), in.Limits.Line)
	for !t.known {
		b, _, err := t.list.Next()
		if err != nil {
			break
		}
		if v, err := t.parser.Parse(b); err == nil && v.Type() == fastjson.TypeObject {
			if err := t.decide(v); err != nil {
				return nil, err
			}
		}
	}
	t.list = jsonwalk.NewList(in.Stream(), in.Limits.Line) // read from the beginning again
	return t, nil
}

// Close implements record.Source.
func (t *jsonTable) Close() error { return nil }

// Next returns the record of the next row of a JSON list of objects. The members of the first object
// decide how all rows are read. An element that cannot be read gives a record with its fault. It
// implements record.Source.
func (t *jsonTable) Next() (*record.Record, error) {
	for {
		if r := t.dequeue(); r != nil {
			return r, nil
		}
		b, i, err := t.list.Next()
		at := fmt.Sprintf("element %d", i)
		if long := (*jsonwalk.LongError)(nil); errors.As(err, &long) {
			t.enqueueFault(at, at+": "+err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		t.parser.Trim()
		v, err := t.parser.Parse(b)
		switch {
		case err != nil:
			t.enqueueFault(at, fmt.Sprintf("%s: cannot parse JSON: %v", at, err))
			continue
		case v.Type() != fastjson.TypeObject:
			t.enqueueFault(at, fmt.Sprintf("%s: got %s; want an object", at, message.Describe(v)))
			continue
		}
		// The first row decides how all are read.
		if !t.known {
			if err := t.decide(v); err != nil {
				return nil, err
			}
		}
		t.enqueue(v, at)
	}
}

// decide sets how the rows of a JSON list are read, by the names of the members of the first row v. It
// refuses a table without answers. Records that are in the queue already, of elements that could not be
// read, are kept.
func (t *jsonTable) decide(v *fastjson.Value) error {
	var columns []string
	v.GetObject().Visit(func(key []byte, _ *fastjson.Value) { columns = append(columns, string(key)) })
	known, err := newTable(t.in, columns, t.o)
	if err != nil {
		return err
	}
	known.queue, t.known = t.queue, true
	t.table = *known
	if t.o.Response == "" && !t.vlm {
		t.opts.Response = "" // rows of JSON may differ in their columns, so each is searched for its answer
	}
	return nil
}
