package report

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// readResult reads a result line back (contract.md 4). The result keeps nothing
// of b or the parser.
func readResult(p *fastjson.Parser, b []byte) (*scoring.Result, error) {
	v, err := p.ParseBytes(b)
	if err != nil {
		return nil, fmt.Errorf("cannot read result line: %w", err)
	}
	if v.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("cannot read result line: got %s; want an object", v.Type())
	}
	r := &scoring.Result{ID: text(v, "id"), Suite: text(v, "suite"), Test: text(v, "test"),
		Status: text(v, "status"), Backend: text(v, "backend"), Line: v.GetInt("line")}
	if s := v.Get("score"); s != nil && s.Type() == fastjson.TypeNumber {
		r.Scored, r.Score = true, s.GetFloat64()
	}
	if e := v.Get("error"); e != nil && e.Type() == fastjson.TypeObject {
		r.Err = &scoring.Error{Code: text(e, "code"), Message: text(e, "message")}
	}
	if m := v.GetObject("metrics"); m != nil {
		m.Visit(func(name []byte, v *fastjson.Value) {
			r.Metrics = append(r.Metrics, scoring.Metric{Name: string(name), Value: value(v)})
		})
	}
	for _, n := range v.GetArray("notes") {
		r.Notes = append(r.Notes, scoring.Note{Code: text(n, "code"), Path: text(n, "path"), Message: text(n, "message")})
	}
	return r, nil
}

// value returns a metric as one of the types that scoring.Shower names; what is
// none of them comes back as JSON text.
func value(v *fastjson.Value) any {
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
		return values(v.GetArray(), v)
	}
	return v.String()
}

func values(list []*fastjson.Value, whole *fastjson.Value) any {
	numbers, rows, words := []float64{}, [][]float64{}, []string{}
	for _, v := range list {
		switch v.Type() {
		case fastjson.TypeNumber:
			numbers = append(numbers, v.GetFloat64())
		case fastjson.TypeString:
			words = append(words, string(v.GetStringBytes()))
		case fastjson.TypeArray:
			if row, ok := values(v.GetArray(), v).([]float64); ok {
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
	return whole.String()
}
