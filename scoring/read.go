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

// ReadResult reads a result line. It keeps no reference to value. The values of metrics and
// fields are float64, bool, string, nil, []string, []float64, [][]float64, or JSON where
// they are none of these. The error names a member of the identity, such as model or asked,
// that cannot be used; the result has everything else even then.
func ReadResult(value *fastjson.Value) (*Result, error) {
	result := &Result{ID: stringMember(value, "id"), Suite: stringMember(value, "suite"), Test: stringMember(value, "test"),
		Status: stringMember(value, "status"), Backend: stringMember(value, "backend"), Line: value.GetInt("line")}
	if score := value.Get("score"); score != nil && score.Type() == fastjson.TypeNumber {
		result.Scored, result.Score = true, score.GetFloat64()
	}
	if errorObject := value.Get("error"); errorObject != nil && errorObject.Type() == fastjson.TypeObject {
		result.Err = &Error{Code: stringMember(errorObject, "code"), Message: stringMember(errorObject, "message")}
	}
	if metrics := value.GetObject("metrics"); metrics != nil {
		metrics.Visit(func(name []byte, v *fastjson.Value) {
			result.Metrics = append(result.Metrics, Metric{Name: string(name), Value: valueOf(v)})
		})
	}
	for _, note := range value.GetArray("notes") {
		result.Notes = append(result.Notes, Note{Code: stringMember(note, "code"), Path: stringMember(note, "path"),
			Message: stringMember(note, "message")})
	}
	readFields(result, value)
	return result, result.readIdentity(value)
}

// CheckResult reads a result line as ReadResult does, and refuses a value that is no result
// line, such as the line of a dump. The error says what to do.
func CheckResult(value *fastjson.Value) (*Result, error) {
	if value.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("cannot read result line: got %s; want an object that plumb score wrote", value.Type())
	}
	for _, answer := range []string{"response", "actions"} {
		if value.Exists(answer) {
			return nil, fmt.Errorf("cannot read result line: it has the member %s, so it is a line of a dump; score it first: plumb score -o RESULTS DUMP", answer)
		}
	}
	switch score := value.Get("score"); {
	case score == nil:
		return nil, errors.New("cannot read result line: it has no member score; want a line that plumb score wrote (score a dump first: plumb score -o RESULTS DUMP)")
	case score.Type() != fastjson.TypeNumber && score.Type() != fastjson.TypeNull:
		return nil, fmt.Errorf("cannot read result line: cannot use score: got %.40s; want a number or null", score)
	}
	for _, name := range []string{"id", "suite", "test", "status"} {
		if member := value.Get(name); member != nil && member.Type() != fastjson.TypeString &&
			member.Type() != fastjson.TypeNull {
			return nil, fmt.Errorf("cannot read result line: cannot use %s: got %.40s; want a string", name, member)
		}
	}
	result, err := ReadResult(value)
	if err != nil {
		return nil, fmt.Errorf("cannot read result line: %w", err)
	}
	return result, nil
}

// readIdentity reads from a result line who made the answer. Where members lack the model,
// the run or the turn, they are taken from the metrics, which is where earlier versions
// wrote them.
func (result *Result) readIdentity(v *fastjson.Value) (err error) {
	result.Who, err = ReadIdentity(v, "")
	err = cmp.Or(err, result.Who.ReadSource(v))
	metrics := v.Get("metrics")
	if result.Who.Model == "" {
		result.Who.Model = stringMember(metrics, "model")
	}
	if result.Who.Repeat == 0 {
		result.Who.Repeat = max(0, metrics.GetInt("run"))
	}
	if result.Who.Turn == 0 {
		result.Who.Turn = max(0, metrics.GetInt("turn"))
	}
	return err
}

// commonMembers are the members that result lines of all suites can have. Others are fields of a suite.
var commonMembers = map[string]bool{"id": true, "line": true, "suite": true, "test": true, "score": true,
	"reward": true, "status": true,
	"model": true, "repeat": true, "turn": true, "finish_reason": true, "cut": true, "file": true, "at": true,
	"key": true, "asked": true,
	"metrics": true, "notes": true, "error": true, "backend": true, "scorer": true, "timings": true}

// readFields reads those members of a result line that are particular to a suite.
func readFields(r *Result, v *fastjson.Value) {
	v.GetObject().Visit(func(name []byte, member *fastjson.Value) {
		if !commonMembers[string(name)] {
			r.Fields = append(r.Fields, Metric{Name: string(name), Value: valueOf(member)})
		}
	})
}

// stringMember returns a member that is a string, "" for any other.
func stringMember(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

// valueOf returns a JSON value of a result line as the Go type that a metric or a field of a result
// has.
func valueOf(value *fastjson.Value) any {
	switch value.Type() {
	case fastjson.TypeNull:
		return nil
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return value.GetBool()
	case fastjson.TypeNumber:
		return value.GetFloat64()
	case fastjson.TypeString:
		return string(value.GetStringBytes())
	case fastjson.TypeArray:
		return listOf(value.GetArray(), value)
	}
	return JSON(jsontree.Append(nil, value))
}

// listOf returns a list in a result line as []string, []float64 or [][]float64 if all its elements
// have that type, else as JSON. whole is the list as a value. An empty list is a []string. It collects
// the elements by type: if one type has as many as the list, it has all.
func listOf(list []*fastjson.Value, whole *fastjson.Value) any {
	numbers, rows, words := []float64{}, [][]float64{}, []string{}
	for _, value := range list {
		switch value.Type() {
		case fastjson.TypeNumber:
			numbers = append(numbers, value.GetFloat64())
		case fastjson.TypeString:
			words = append(words, string(value.GetStringBytes()))
		case fastjson.TypeArray:
			if row, ok := listOf(value.GetArray(), value).([]float64); ok {
				rows = append(rows, row)
			}
		}
	}
	switch len(list) { // of which type are all elements?
	case len(words): // an empty list too
		return words
	case len(numbers):
		return numbers
	case len(rows):
		return rows
	}
	return JSON(jsontree.Append(nil, whole))
}
