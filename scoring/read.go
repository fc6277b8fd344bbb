package scoring

import (
	"cmp"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// JSON is a value that is JSON text already, as AppendFloat and AppendString write it.
// A Metric or a further field holds it where no other type does: lists of
// objects, objects.
type JSON []byte

// ReadResult reads a result line back. The result keeps nothing of v. Metrics and further fields come back as float64, bool, string, nil,
// []string, []float64, [][]float64, and as JSON where they are none of these. An error
// is that of ReadIdentity; the result has all that could be read.
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
	return r, r.who(v)
}

// who reads who made the answer. Results of earlier versions have the model and the
// run among their metrics alone.
func (r *Result) who(v *fastjson.Value) (err error) {
	r.Who, err = ReadIdentity(v, "")
	err = cmp.Or(err, r.Who.ReadSource(v))
	m := v.Get("metrics")
	if r.Who.Model == "" {
		r.Who.Model = text(m, "model")
	}
	if n := m.GetInt("run"); r.Who.Repeat == 0 && n > 0 {
		r.Who.Repeat = n
	}
	if n := m.GetInt("turn"); r.Who.Turn == 0 && n > 0 {
		r.Who.Turn = n
	}
	return err
}

// common are the fields that every result has.
var common = map[string]bool{"id": true, "line": true, "suite": true, "test": true, "score": true, "reward": true, "status": true,
	"model": true, "repeat": true, "turn": true, "finish_reason": true, "cut": true, "file": true, "at": true, "key": true, "asked": true,
	"metrics": true, "notes": true, "error": true, "backend": true, "scorer": true, "timings": true}

func readFields(r *Result, v *fastjson.Value) {
	v.GetObject().Visit(func(name []byte, f *fastjson.Value) {
		if !common[string(name)] {
			r.Fields = append(r.Fields, Metric{Name: string(name), Value: readValue(f)})
		}
	})
}

func text(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

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
