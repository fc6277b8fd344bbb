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

// own reads dump lines of plumb as records, to show them. Scoring reads the lines themselves.
type own struct {
	lines  *dump.Reader
	parser record.Parser
	record record.Record
}

// openOwn returns the records of a dump in plumb's own format.
func (r *Reader) openOwn() (record.Source, error) {
	o := &own{lines: r.in.Lines()}
	o.lines.AcceptList(dump.ItemConfig{Suites: r.options.Suites, DefaultSuite: r.options.Suite, Tasks: r.options.Tasks,
		Limits: r.options.JSON})
	o.parser.Limits = r.options.JSON
	return o, nil
}

// Close implements record.Source.
func (o *own) Close() error { return nil }

// Next returns the next line of plumb's own dump as a record, with its id, its answer and what the line
// says of the model. A line that cannot be read gives a record with its fault. It implements
// record.Source.
func (o *own) Next() (*record.Record, error) {
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
	r.Key, r.Repeat, r.Model = text(v.Get("id")), who.Repeat, who.Model
	r.FinishReason, r.Cut = who.FinishReason, record.Cut(who.Cut)
	r.Fields, r.Labels = v, v
	if id := v.Get("id"); !jsontree.Absent(id) && id.Type() == fastjson.TypeNumber {
		r.Key = id.String()
	}
	if n := v.Get("completion_tokens"); !jsontree.Absent(n) {
		r.Usage.Completion = n.GetInt()
	}
	return r, o.setAnswer(r, v)
}

// setAnswer sets the text of a record from the members response and actions of a line of plumb's
// own dump. Chat messages become their text, other values their JSON.
func (o *own) setAnswer(r *record.Record, v *fastjson.Value) error {
	said := v.Get("response")
	if a := v.Get("actions"); !jsontree.Absent(a) {
		said = a
	}
	switch {
	case jsontree.Absent(said):
		r.MarkMissing(record.NoResponse, "the line has no response")
	case said.Type() == fastjson.TypeString:
		r.Response = text(said)
	default:
		if m, ok, err := message.Read(said); ok && err == nil && m.Heard {
			r.Response = m.Text
			return nil
		}
		r.Response = string(said.MarshalTo(nil))
	}
	return nil
}
