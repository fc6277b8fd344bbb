package records

import (
	"fmt"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
)

// rowLines reads JSON lines whose members are the columns of a table. See docs/spec/dumps.md#r24.
type rowLines struct {
	lines   *dump.Reader
	parser  record.Parser
	options rows.Options
	read    func(*fastjson.Value, rows.Options) record.Record
	model   string // of all rows, "" where they name theirs
	record  record.Record
}

// openRows opens a dump of JSON lines that have the columns of a table, or those of VLMEvalKit. The member
// names of the first line decide which.
func openRows(in *input.Input, o *Options) (record.Source, error) {
	s := &rowLines{lines: in.Lines(), options: rows.Options{AnswerColumn: o.AnswerColumn}, read: rows.Row}
	s.parser.Limits = o.JSON
	head := in.Head()
	firstObject := head[max(0, slices.Index(head, '{')):] // all of head if there is none, which gives no names
	if names, _ := memberNames(firstObject); o.AnswerColumn == "" && rows.IsVLMEvalKit(names) {
		s.read, s.model = rows.VLMEvalKit, rows.Model(in.Path)
	}
	return s, nil
}

// Close implements record.Source.
func (s *rowLines) Close() error { return nil }

// Next returns the next line of a table in JSON lines as a record: each line is a row, and the options
// say which members are the id and the answer. A line that cannot be read gives a record with its
// fault. It implements record.Source.
func (s *rowLines) Next() (*record.Record, error) {
	l, err := s.lines.Next()
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("line %d", l.Number)
	s.record = record.Record{At: at, Fault: l.Fault, Usage: record.NoUsage}
	if l.Fault != "" {
		return &s.record, nil
	}
	v, err := s.parser.Parse(l.Bytes)
	if err == nil && v.Type() != fastjson.TypeObject {
		err = fmt.Errorf("it holds %s; want an object", message.Describe(v))
	}
	if err != nil {
		s.record.Fault = fmt.Sprintf("cannot read line %d (byte %d): %v", l.Number, l.Offset, err)
		return &s.record, nil
	}
	s.record = s.read(v, s.options)
	s.record.At = at
	if s.model != "" {
		s.record.Model = s.model
	}
	return &s.record, nil
}
