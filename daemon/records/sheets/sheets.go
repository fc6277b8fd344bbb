// Package sheets reads answers from tables (CSV, spreadsheets, Parquet, JSON lists), and checks them before a
// library reads them. In: CSV, TSV, JSON rows, spreadsheets and Parquet, with the columns of any table or those
// of VLMEvalKit. Out: a record for each row, in order. Tables without a column of answers are refused, and a
// row that cannot be read costs one record. See docs/spec/dumps-files.md#r3.
package sheets

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
	"plumb/render/jsontree"
	"plumb/render/scene"
)

// table turns the rows of one file into records, by the kind that the columns show.
type table struct {
	opts         rows.Options                                  // its AnswerColumn is the one found
	model        string                                        // that the path of a file of VLMEvalKit names
	isVLMEvalKit bool                                          // rows are read as VLMEvalKit's
	readForeign  func(*fastjson.Value, string) []record.Record // reads rows of another tool; else nil

	queue   []record.Record // of the rows that were read, those that dequeue did not return yet
	current record.Record   // the record that dequeue returned last
}

// newTable decides by the columns how rows are read: as VLMEvalKit's, as another tool's JSON
// lines (o.Foreign), or as plain rows with a column of answers. It refuses a table without
// such a column or with two of that name. See docs/spec/dumps-files.md#r7.
func newTable(in *input.Input, columns []string, o rows.Options) (*table, error) {
	t := &table{opts: o}
	if o.AnswerColumn == "" && rows.IsVLMEvalKit(columns) {
		t.setVLMEvalKit(in)
		t.opts.AnswerColumn = rows.PredictionColumn
		return t, requireOnce(columns, rows.PredictionColumn)
	}
	if o.AnswerColumn == "" && o.Foreign != nil {
		if t.readForeign = o.Foreign(columns); t.readForeign != nil {
			return t, nil
		}
	}
	name, err := rows.AnswerColumn(columns, o)
	if err != nil {
		return nil, err
	}
	t.opts.AnswerColumn = name
	return t, requireOnce(columns, name)
}

// setVLMEvalKit makes the table read rows as VLMEvalKit's. The model is the one that the folders above
// the file name, so a relative path is made absolute first.
func (t *table) setVLMEvalKit(in *input.Input) {
	path := cmp.Or(in.Path, in.Name)
	if abs, err := filepath.Abs(path); err == nil && in.Path != "" {
		path = abs
	}
	t.isVLMEvalKit, t.model = true, rows.Model(path)
}

// requireOnce returns an error if the column of that name occurs more than once.
func requireOnce(columns []string, name string) error {
	i := slices.Index(columns, name)
	if i >= 0 && slices.Contains(columns[i+1:], name) {
		return fmt.Errorf("the column %q occurs more than once; want one", name)
	}
	return nil
}

// rowLimits bound the number of values in a row, each of which takes about 100 bytes of memory.
var rowLimits = func() scene.Limits {
	l := scene.DefaultLimits()
	l.Line = math.MaxInt // bounded by the readers
	return l
}()

// object builds a row as JSON text and parses it, because fastjson values that are made
// without text print control characters in Go's notation, not as JSON.
type object struct {
	text   []byte
	parser record.Parser
}

// begin starts a row.
func (o *object) begin() { o.text = append(o.text[:0], '{') }

// appendName appends the name of a member to the JSON object of a table's row, and a comma before it if it is
// not the first. The caller then appends the value to text.
func (o *object) appendName(name string) {
	if len(o.text) > 1 {
		o.text = append(o.text, ',')
	}
	o.text = append(jsontree.AppendString(o.text, name), ':')
}

// set adds a member with a text.
func (o *object) set(name, value string) {
	o.appendName(name)
	o.text = jsontree.AppendString(o.text, value)
}

// end ends and parses the JSON object of a table's row. The value is valid until the next call.
func (o *object) end() (*fastjson.Value, error) {
	o.text = append(o.text, '}')
	o.parser.TrimMemory()
	o.parser.Limits = rowLimits
	return o.parser.Parse(o.text)
}

// enqueue converts a table's row v, at the place at, to a record, or to several for a row of another tool,
// and puts them into the queue. The records refer to v.
func (t *table) enqueue(v *fastjson.Value, at string) {
	switch {
	case t.readForeign != nil:
		t.queue = append(t.queue, t.readForeign(v, at)...)
		return
	case t.isVLMEvalKit:
		t.queue = append(t.queue, rows.VLMEvalKit(v, t.opts))
		t.queue[len(t.queue)-1].Model = t.model
	default:
		t.queue = append(t.queue, rows.Row(v, t.opts))
	}
	t.queue[len(t.queue)-1].At = at
}

// enqueueFault puts a row that cannot be read into the queue.
func (t *table) enqueueFault(at, text string) {
	t.queue = append(t.queue, record.Record{At: at, Fault: text})
}

// dequeue removes the first record of the table's rows from the queue and returns it, or nil if the
// queue is empty. The record is valid until the next call.
func (t *table) dequeue() *record.Record {
	if len(t.queue) == 0 {
		return nil
	}
	t.current = t.queue[0]
	if t.queue = t.queue[1:]; len(t.queue) == 0 {
		t.queue = t.queue[:0:0] // without capacity, so that the rows in it can be freed
	}
	return &t.current
}
