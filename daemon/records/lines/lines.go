// Package lines reads dumps with a JSON object per line: batches of OpenAI, vLLM and
// Anthropic, lm-eval, lmms-eval, OpenAI evals, NeMo Gym and verifiers. In: an open dump
// and the name of its format. Out: records in the order of the lines. A line that cannot
// be read is a record with a fault. See docs/spec/dumps.md#r9.
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

// format reads the records of one line with a JSON object v. It appends them to s.ready, or returns
// why the line cannot be read.
type format interface {
	read(s *source, l dump.Line, v *fastjson.Value) error
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

// Open returns the records of a dump in the format with that name, which must be one that
// Has reports.
func Open(name string, in *input.Input, o Options) (record.Source, error) {
	if name == evalsName {
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
func Has(name string) bool { return formats[name] != nil || name == evalsName }

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
		s.ready = nil // the caller keeps the records of the last row, so their memory is not used again
		if err := f.read(s, dump.Line{}, v); err != nil {
			return []record.Record{{At: at, Fault: fmt.Sprintf("cannot read %s: %v", at, err), Usage: record.NoUsage}}
		}
		// The format named places by the line, which has no number here, such as "line 0 traces[1]".
		for i := range s.ready {
			s.ready[i].At = at + strings.TrimPrefix(s.ready[i].At, "line 0")
		}
		return s.ready
	}
}

// Names returns the names of the formats.
func Names() []string { return append(slices.Collect(maps.Keys(formats)), evalsName) }

// evalsName is the format that needs two passes.
const evalsName = "openai-evals"

// source reads the lines of a dump.
type source struct {
	in      *input.Input
	lines   *dump.Reader
	format  format
	options *Options
	parser  record.Parser
	ready   []record.Record // the records of the current line
	next    int             // the index in ready of the record that Next returns next
	err     error           // what ended the input
}

// Close implements record.Source; the input belongs to the caller.
func (s *source) Close() error { return nil }

// Next returns the next record of a dump of JSON lines. It implements record.Source.
func (s *source) Next() (*record.Record, error) {
	for s.next == len(s.ready) {
		s.ready, s.next = s.ready[:0], 0
		if err := s.readLine(); err != nil {
			return nil, err
		}
	}
	s.next++
	return &s.ready[s.next-1], nil
}

// readLine reads the next JSON line of the dump into ready, which stays empty for a line without
// records. A line that cannot be read gives one record with a fault. The error says why no further
// line can be read, io.EOF at the end of the input.
func (s *source) readLine() error {
	if s.err != nil {
		return s.err
	}
	l, err := s.lines.Next()
	if err != nil {
		s.err = err
		return err
	}
	if l.Fault != "" {
		s.fault(l, l.Fault)
		return nil
	}
	v, err := s.parse(l)
	if err == nil {
		err = s.format.read(s, l, v)
	}
	if err != nil {
		s.ready = s.ready[:0]
		s.fault(l, fmt.Sprintf("cannot read line %d (byte %d): %v", l.N, l.At, err))
	}
	return nil
}

// parse returns the JSON object of a line of the dump. A line whose JSON breaks off is an error that
// asks whether the file is still being written.
func (s *source) parse(l dump.Line) (*fastjson.Value, error) {
	v, err := s.parser.Parse(l.Bytes)
	if errors.Is(err, record.ErrTorn) {
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

// fault adds the record of a line that cannot be read.
func (s *source) fault(l dump.Line, text string) {
	s.ready = append(s.ready, record.Record{At: at(l), Fault: text, Usage: record.NoUsage})
}

// add adds a record of a line and returns it to be filled in.
func (s *source) add(l dump.Line) *record.Record {
	s.ready = append(s.ready, record.Record{At: at(l), Usage: record.NoUsage})
	return &s.ready[len(s.ready)-1]
}

// at names the place of a line.
func at(l dump.Line) string { return "line " + strconv.Itoa(l.N) }

// text returns the string v, "" where it is absent or of another type.
func text(v *fastjson.Value) string { return string(v.GetStringBytes()) }

// is reports whether v has the type t.
func is(v *fastjson.Value, t fastjson.Type) bool { return v != nil && v.Type() == t }

// key returns a member that identifies a record or joins it with its task, as text: a string, or a
// number as it is written. It returns "" for other values.
func key(v *fastjson.Value) string {
	if is(v, fastjson.TypeNumber) {
		return v.String()
	}
	return text(v)
}

// count returns a number of tokens in a JSON line, -1 if it is absent or not a number.
func count(v *fastjson.Value) int {
	if !is(v, fastjson.TypeNumber) {
		return -1
	}
	return v.GetInt()
}
