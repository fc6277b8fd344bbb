// Package records reads the dumps of evaluation tools: it finds their format and joins
// their records with tasks. In: the path of a dump in any of the formats that Names lists,
// found by its content. Out: records with the id of their task, and the dump lines from
// which plumb scores them. See docs/spec/dumps.md#r1.
package records

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/records/input"
	"plumb/daemon/records/lines"
	"plumb/daemon/records/record"
	"plumb/daemon/reward"
	"plumb/render/scene"
	"plumb/scoring"
)

// Options are settings of reading that hold for all dumps of a command.
type Options struct {
	Format       string          // a name of Names; "" = found by the content
	Join         *Join           // how records name their tasks; nil for the rules of the formats
	AnswerColumn string          // the column of the answers in tables; "" = found by its name
	Requests     *lines.Requests // what was asked; nil for nothing
	Model        string          // in place of the names that dumps have; "" for these
	Cut          CutMode
	Errored      bool // an answer beside an error is an answer
	Limits       input.Limits
	JSON         scene.Limits
	Labels       *reward.Labels
	Suites       scoring.Suites
	Suite        string                 // of records that name none; "" = found by the test or the task
	Tasks        map[string]*dump.Tasks // by suite
}

// CutMode says what a truncated answer counts. See docs/spec/dumps.md#r21.
type CutMode string

// The modes of truncated answers.
const (
	CutScore   CutMode = "score"   // it is scored as it stands
	CutZero    CutMode = "zero"    // it is 0, unread
	CutMissing CutMode = "missing" // it is a missing response
)

// Reader reads one dump. It is not safe for concurrent use.
type Reader struct {
	Format string // a name of Names

	options      Options
	in           *input.Input
	source       record.Source // nil for plumb's own format
	repeats      map[string]int
	current      Answer // that Next returned
	answerBuffer []byte // memory for the JSON of an answer
}

// Open opens a dump and finds its format from its first bytes, unless o names it; "-" reads stdin. An
// error names the path.
func Open(path string, stdin io.Reader, o Options) (*Reader, error) {
	in, err := input.Open(path, stdin, o.Limits)
	if err != nil {
		return nil, err
	}
	r := &Reader{options: o, in: in, repeats: map[string]int{}}
	if r.Format = o.Format; r.Format == "" {
		r.Format, err = detect(in, o.AnswerColumn)
	}
	if err == nil && o.AnswerColumn != "" && r.Format != "table" && r.Format != "vlmevalkit" {
		err = fmt.Errorf("it is read as %s, where answers have a place of their own; want --response with tables alone, or --format table", r.Format)
	}
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if r.Format == Own {
		return r, nil
	}
	if r.source, err = r.openSource(); err != nil {
		in.Close()
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return r, nil
}

// Cuttable reports whether the dump can be cut into parts that are read by themselves, at the same time.
// That holds for an uncompressed file or object with lines in plumb's own format, but not for a JSON
// list.
func (r *Reader) Cuttable() bool {
	head := bytes.TrimLeft(r.in.Head(), " \t\r\n")
	return r.Format == Own && r.in.HasSections() && r.in.Lines().Compression() == "" && !bytes.HasPrefix(head, []byte("["))
}

// Name returns the name of the dump for messages and results.
func (r *Reader) Name() string { return r.in.Name }

// Rename sets the name of the dump for messages and results.
func (r *Reader) Rename(name string) { r.in.Name = name }

// Lines returns the lines of a dump in plumb's own format.
func (r *Reader) Lines() *dump.Reader { return r.in.Lines() }

// Skipped returns how many lines repeated an earlier answer and were left out.
func (r *Reader) Skipped() int { return r.in.SkippedLines }

// Close closes the dump and the source of its records.
func (r *Reader) Close() error {
	if r.source != nil {
		r.source.Close()
	}
	return r.in.Close()
}

// Next returns the next record of the dump with its task, valid until the next call. A record that cannot
// be read has a Fault. The error is io.EOF at the end; another one says why the rest of the dump cannot
// be read.
func (r *Reader) Next() (*Answer, error) {
	if r.source == nil {
		var err error
		if r.source, err = r.openOwn(); err != nil {
			return nil, err
		}
	}
	rec, err := r.source.Next()
	if err != nil {
		return nil, err
	}
	return r.complete(rec), nil
}

// Answer is a record and the task that it answers.
type Answer struct {
	*record.Record
	File          string
	ID            string // of the task
	Suite, Test   string // "" for unknown ones
	Label         []byte // JSON of the label, nil for none
	CountsRepeats bool   // the format counts repeats
	Err           error  // why no task can be named, nil where one is
}

// complete completes a record of the dump. It finds the task, and whether the answer was truncated. If the
// format does not number the answers to a question, the repeat is how many records had the same key so
// far. The model is Options.Model if that is set.
func (r *Reader) complete(rec *record.Record) *Answer {
	a := &r.current
	*a = Answer{Record: rec, File: r.in.Name, CountsRepeats: rec.Repeat > 0}
	if r.options.Model != "" {
		rec.Model = r.options.Model
	}
	if rec.Fault != "" {
		a.ID = r.place(rec)
		return a
	}
	r.setTask(a)
	if rec.Repeat == 0 {
		r.repeats[rec.Key]++
		rec.Repeat = r.repeats[rec.Key]
	}
	rec.SetCut()
	return a
}

// place is the id of a record that names no task.
func (r *Reader) place(rec *record.Record) string { return r.in.Name + ":" + rec.At }

// Unanswered calls f with an answer that is missing for each request of --requests that no dump answered,
// so that lost answers count. The reader is one whose method Line makes the dump line of the answer. All
// dumps must have been read before.
func Unanswered(o Options, f func(*Reader, *Answer)) {
	for file, list := range o.Requests.Unanswered() {
		r := &Reader{options: o, in: &input.Input{Name: file}, repeats: map[string]int{}}
		for i := range list {
			f(r, r.complete(&list[i]))
		}
	}
}

// stringOf returns the string v, "" where it is absent or of another type.
func stringOf(v *fastjson.Value) string { return string(v.GetStringBytes()) }

// oneOf lists names in messages.
func oneOf(names []string) string { return strings.Join(names, ", ") }
