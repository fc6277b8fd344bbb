package records

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// ownLines reads dump lines of plumb as records, to show them. Scoring reads the lines themselves.
type ownLines struct {
	lines  *dump.Reader
	parser record.Parser
	record record.Record
}

// openOwn returns the records of a dump in plumb's own format.
func (r *Reader) openOwn() (record.Source, error) {
	o := &ownLines{lines: r.in.Lines()}
	o.lines.AcceptList(dump.ItemConfig{Suites: r.options.Suites, DefaultSuite: r.options.Suite, Tasks: r.options.Tasks,
		Limits: r.options.JSON})
	o.parser.Limits = r.options.JSON
	return o, nil
}

// Close implements record.Source.
func (o *ownLines) Close() error { return nil }

// Next returns the next line of plumb's own dump as a record, with its id, its answer and what the line
// says of the model. A line that cannot be read gives a record with its fault. It implements
// record.Source.
func (o *ownLines) Next() (*record.Record, error) {
	l, err := o.lines.Next()
	if err != nil {
		return nil, err
	}
	o.record = record.Record{At: fmt.Sprintf("line %d", l.Number), Usage: record.NoUsage}
	r := &o.record
	if l.Fault != "" {
		r.Fault = l.Fault
		return r, nil
	}
	v, err := o.parser.Parse(l.Bytes)
	if err == nil && v.Type() != fastjson.TypeObject {
		err = fmt.Errorf("it holds %s; want an object", message.Describe(v))
	}
	if err != nil {
		r.Fault = fmt.Sprintf("cannot read line %d: %v", l.Number, err)
		return r, nil
	}
	who, _ := scoring.ReadIdentity(v, "run") // a wrong member is reported when the line is scored
	r.Key, r.Repeat, r.Model = stringOf(v.Get("id")), who.Repeat, who.Model
	r.FinishReason, r.Cut = who.FinishReason, record.Cut(who.Cut)
	r.Fields, r.Labels = v, v
	if id := v.Get("id"); !jsontree.Absent(id) && id.Type() == fastjson.TypeNumber {
		r.Key = id.String()
	}
	if n := v.Get("completion_tokens"); !jsontree.Absent(n) {
		r.Usage.Completion = record.TokenCount(n)
	}
	return r, o.setAnswer(r, v)
}

// setAnswer sets the text of a record from the members response and actions of a line of plumb's
// own dump. Chat messages become their text, other values their JSON.
func (o *ownLines) setAnswer(r *record.Record, v *fastjson.Value) error {
	answer := v.Get("response")
	if a := v.Get("actions"); !jsontree.Absent(a) {
		answer = a
	}
	switch {
	case jsontree.Absent(answer):
		r.MarkMissing(record.NoResponse, "the line has no response")
	case answer.Type() == fastjson.TypeString:
		r.Response = stringOf(answer)
	default:
		if m, isChat, err := message.Read(answer); isChat && err == nil && m.Answered {
			r.Response = m.Text
			return nil
		}
		r.Response = string(answer.MarshalTo(nil))
	}
	return nil
}
