// Package lines reads dumps with a JSON object per line: batches of OpenAI, vLLM and Anthropic, lm-eval,
// lmms-eval, OpenAI evals, NeMo Gym and verifiers. In: an open dump and the name of its format. Out: records in
// the order of the lines. A line that cannot be read is a record with a fault. See docs/spec/dumps.md#r9.
package lines

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/scene"
)

// Options are settings that all formats share.
type Options struct {
	Limits   scene.Limits // of the JSON
	Requests *Requests    // what was asked; nil for nothing
	Errored  bool         // an answer beside an error is an answer (--errored score)
}

// format reads the records of one line with a JSON object v. It appends them to s.records, or returns
// why the line cannot be read.
type format interface {
	addRecords(s *source, l dump.Line, v *fastjson.Value) error
}

// formats makes the reader of each format for one dump.
var formats = map[string]func(in *input.Input, o *Options) (format, error){
	"openai-batch":    newOpenAIBatch,
	"anthropic-batch": newAnthropicBatch,
	"lm-eval":         newLMEval,
	"lmms-eval":       newLMMSEval,
	"nemo-gym":        newNeMoGym,
	"verifiers":       newVerifiers,
}

// Open returns the records of a dump in the format with that name, which must be one that Has reports.
func Open(name string, in *input.Input, o Options) (record.Source, error) {
	if name == openAIEvalsName { // needs the whole file, not one line after the other
		return newOpenAIEvals(in, &o)
	}
	f, err := formats[name](in, &o)
	if err != nil {
		return nil, err
	}
	s := &source{in: in, lines: in.Lines(), format: f, options: &o}
	s.parser.Limits = o.Limits
	return s, nil
}

// Has reports whether the package reads the format with that name.
func Has(name string) bool { return formats[name] != nil || name == openAIEvalsName }

// Rows reports whether lines of the format with that name can be rows of a table: they do not depend
// on each other.
func Rows(name string) bool { return formats[name] != nil }

// Row returns a function that reads a row of a table as if it were a line of the format with that
// name, because such dumps are also kept as tables. The function gets the row as a JSON object and its
// place in the table, such as "row 3". Its records refer to the object. Row returns nil for a format
// whose lines depend on each other, or that cannot be opened.
func Row(name string, in *input.Input, o Options) func(v *fastjson.Value, at string) []record.Record {
	open := formats[name]
	if open == nil {
		return nil
	}
	f, err := open(in, &o)
	if err != nil {
		return nil
	}
	s := &source{in: in, format: f, options: &o}
	return func(v *fastjson.Value, at string) []record.Record {
		s.records = nil // the caller keeps the records of the last row, so their memory is not used again
		if err := f.addRecords(s, dump.Line{}, v); err != nil {
			return []record.Record{{At: at, Fault: fmt.Sprintf("cannot read %s: %v", at, err), Usage: record.NoUsage}}
		}
		// The format named places by the line, which has no number here, such as "line 0 traces[1]".
		for i := range s.records {
			s.records[i].At = at + strings.TrimPrefix(s.records[i].At, "line 0")
		}
		return s.records
	}
}

// Names returns the names of the formats.
func Names() []string { return append(slices.Collect(maps.Keys(formats)), openAIEvalsName) }

// openAIEvalsName is the format that needs two passes over its lines, so it is not in formats.
const openAIEvalsName = "openai-evals"

// source reads the lines of a dump.
type source struct {
	in         *input.Input
	lines      *dump.Reader
	format     format
	options    *Options
	parser     record.Parser
	records    []record.Record // the records of the current line
	nextRecord int             // the index in records of the record that Next returns next
	endError   error           // what ended the input
}

// Close implements record.Source; the input belongs to the caller.
func (s *source) Close() error { return nil }

// Next returns the next record of a dump of JSON lines. It implements record.Source.
func (s *source) Next() (*record.Record, error) {
	for s.nextRecord == len(s.records) {
		s.records, s.nextRecord = s.records[:0], 0
		if err := s.readLine(); err != nil {
			return nil, err
		}
	}
	s.nextRecord++
	return &s.records[s.nextRecord-1], nil
}

// readLine reads the next JSON line of the dump into source.records, which stays empty for a line without
// records. A line that cannot be read gives one record with a fault. The error says why no further
// line can be read, io.EOF at the end of the input.
func (s *source) readLine() error {
	if s.endError != nil {
		return s.endError
	}
	l, err := s.lines.Next()
	if err != nil {
		s.endError = err
		return err
	}
	if l.Fault != "" {
		s.addFault(l, l.Fault)
		return nil
	}
	v, err := s.parseLine(l)
	if err == nil {
		err = s.format.addRecords(s, l, v)
	}
	if err != nil {
		s.records = s.records[:0]
		s.addFault(l, fmt.Sprintf("cannot read line %d (byte %d): %v", l.Number, l.Offset, err))
	}
	return nil
}

// parseLine returns the JSON object of a line of the dump. A line whose JSON breaks off is an error that
// asks whether the file is still being written.
func (s *source) parseLine(l dump.Line) (*fastjson.Value, error) {
	v, err := s.parser.Parse(l.Bytes)
	if errors.Is(err, record.ErrBreaksOff) {
		return nil, fmt.Errorf("%w; want a whole line (is the file still being written?)", err)
	}
	if err != nil {
		return nil, err
	}
	if v.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("it holds %s; want an object", message.Describe(v))
	}
	return v, nil
}

// addFault adds the record of a line that cannot be read.
func (s *source) addFault(l dump.Line, text string) {
	s.records = append(s.records, record.Record{At: placeOf(l), Fault: text, Usage: record.NoUsage})
}

// addRecord adds a record of a line and returns it to be filled in.
func (s *source) addRecord(l dump.Line) *record.Record {
	s.records = append(s.records, record.Record{At: placeOf(l), Usage: record.NoUsage})
	return &s.records[len(s.records)-1]
}

// placeOf names the place of a line.
func placeOf(l dump.Line) string { return "line " + strconv.Itoa(l.Number) }

// stringOf returns the string v, "" where it is absent or of another type.
func stringOf(v *fastjson.Value) string { return string(v.GetStringBytes()) }

// hasType reports whether v has the type t.
func hasType(v *fastjson.Value, t fastjson.Type) bool { return v != nil && v.Type() == t }

// idText returns a member that identifies a record or joins it with its task, as text: a string, or a
// number as it is written. It returns "" for other values.
func idText(v *fastjson.Value) string {
	if hasType(v, fastjson.TypeNumber) {
		return v.String()
	}
	return stringOf(v)
}
