package scoring

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// JSON is a value that is written as JSON text already. Metrics and fields of results have this
// type where they are objects or lists of objects.
type JSON []byte

// ReadResult reads a result line. It keeps no reference to v. The values of metrics and fields are
// float64, bool, string, nil, []string, []float64, [][]float64, or JSON where they are none of
// these. The error is a member of the identity, such as model or asked, that cannot be used; the
// result has all that could be read even then.
func ReadResult(v *fastjson.Value) (*Result, error) {
	r := &Result{ID: text(v, "id"), Suite: text(v, "suite"), Test: text(v, "test"),
		Status: text(v, "status"), Backend: text(v, "backend"), Line: v.GetInt("line")}
	if s := v.Get("score"); s != nil && s.Type() == fastjson.TypeNumber {
		r.Scored, r.Score = true, s.GetFloat64()
	}
	if e := v.Get("error"); e != nil && e.Type() == fastjson.TypeObject {
		r.Err = &Error{Code: text(e, "code"), Message: text(e, "message")}
	}
	if m := v.GetObject("metrics"); m != nil {
		m.Visit(func(name []byte, v *fastjson.Value) {
			r.Metrics = append(r.Metrics, Metric{Name: string(name), Value: readValue(v)})
		})
	}
	for _, n := range v.GetArray("notes") {
		r.Notes = append(r.Notes, Note{Code: text(n, "code"), Path: text(n, "path"), Message: text(n, "message")})
	}
	readFields(r, v)
	return r, r.readWho(v)
}

// CheckResult reads a result line as ReadResult does. It returns an error for a value that is no
// result line, such as the line of a dump.
func CheckResult(v *fastjson.Value) (*Result, error) {
	if v.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("cannot read result line: got %s; want an object that plumb score wrote", v.Type())
	}
	for _, answer := range []string{"response", "actions"} {
		if v.Exists(answer) {
			return nil, fmt.Errorf("cannot read result line: it has the member %s, so it is a line of a dump; score it first: plumb score -o RESULTS DUMP", answer)
		}
	}
	switch score := v.Get("score"); {
	case score == nil:
		return nil, errors.New("cannot read result line: it has no member score; want a line that plumb score wrote (score a dump first: plumb score -o RESULTS DUMP)")
	case score.Type() != fastjson.TypeNumber && score.Type() != fastjson.TypeNull:
		return nil, fmt.Errorf("cannot read result line: cannot use score: got %.40s; want a number or null", score)
	}
	for _, name := range []string{"id", "suite", "test", "status"} {
		if f := v.Get(name); f != nil && f.Type() != fastjson.TypeString && f.Type() != fastjson.TypeNull {
			return nil, fmt.Errorf("cannot read result line: cannot use %s: got %.40s; want a string", name, f)
		}
	}
	r, err := ReadResult(v)
	if err != nil {
		return nil, fmt.Errorf("cannot read result line: %w", err)
	}
	return r, nil
}

// readWho reads from a result line who made the answer. Results of earlier versions have the
// model, the run and the turn among their metrics alone.
func (r *Result) readWho(v *fastjson.Value) (err error) {
	r.Who, err = ReadIdentity(v, "")
	err = cmp.Or(err, r.Who.ReadSource(v))
	m := v.Get("metrics")
	if r.Who.Model == "" {
		r.Who.Model = text(m, "model")
	}
	if r.Who.Repeat == 0 {
		r.Who.Repeat = max(0, m.GetInt("run"))
	}
	if r.Who.Turn == 0 {
		r.Who.Turn = max(0, m.GetInt("turn"))
	}
	return err
}

// common are the members that result lines of all suites can have. Others are fields of a suite.
var common = map[string]bool{"id": true, "line": true, "suite": true, "test": true, "score": true, "reward": true, "status": true,
	"model": true, "repeat": true, "turn": true, "finish_reason": true, "cut": true, "file": true, "at": true, "key": true, "asked": true,
	"metrics": true, "notes": true, "error": true, "backend": true, "scorer": true, "timings": true}

// readFields reads the members of a result line that only its suite has.
func readFields(r *Result, v *fastjson.Value) {
	v.GetObject().Visit(func(name []byte, f *fastjson.Value) {
		if !common[string(name)] {
			r.Fields = append(r.Fields, Metric{Name: string(name), Value: readValue(f)})
		}
	})
}

// text returns a member that is a string, "" for any other.
func text(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

// readValue returns the value of a metric or a field of a result line as Go types.
func readValue(v *fastjson.Value) any {
	switch v.Type() {
	case fastjson.TypeNull:
		return nil
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return v.GetBool()
	case fastjson.TypeNumber:
		return v.GetFloat64()
	case fastjson.TypeString:
		return string(v.GetStringBytes())
	case fastjson.TypeArray:
		return readList(v.GetArray(), v)
	}
	return JSON(jsontree.Append(nil, v))
}

// readList returns a metric that is a list, as []string, []float64 or [][]float64 where all its
// elements have that type, else as JSON. whole is the list itself.
func readList(list []*fastjson.Value, whole *fastjson.Value) any {
	numbers, rows, words := []float64{}, [][]float64{}, []string{}
	for _, v := range list {
		switch v.Type() {
		case fastjson.TypeNumber:
			numbers = append(numbers, v.GetFloat64())
		case fastjson.TypeString:
			words = append(words, string(v.GetStringBytes()))
		case fastjson.TypeArray:
			if row, ok := readList(v.GetArray(), v).([]float64); ok {
				rows = append(rows, row)
			}
		}
	}
	switch len(list) {
	case len(words): // an empty list too
		return words
	case len(numbers):
		return numbers
	case len(rows):
		return rows
	}
	return JSON(jsontree.Append(nil, whole))
}
