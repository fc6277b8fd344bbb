package extract

import (
	"bytes"

	"github.com/valyala/fastjson"

	"plumb/scoring/vqa/plain"
)

// keys are the members of a JSON object that hold an answer, by priority.
var keys = [...]string{"final_answer", "final", "answer", "correct_answer", "correct_option", "choice", "selected_option", "selected",
	"option", "prediction", "label", "letter", "result", "response", "output"}

// tries is how many opening braces are tried as the start of an object, which bounds the time for
// text that opens many and closes few.
const tries = 32

// jsonReader holds a parser for each depth, because a string of one value may hold another.
type jsonReader struct {
	parsers [deepest]fastjson.Parser
	quoted  []byte
}

// readObject is stage 2: a JSON object with a member of keys, or a list. ok is false where s is
// neither. See docs/spec/vqa.md#r21.
func (r *Reader) readObject(s []byte, strict bool, depth int) (got Reading, ok bool) {
	if s[0] == '[' && s[len(s)-1] == ']' {
		if v := r.parse(s, depth); v != nil && v.Type() == fastjson.TypeArray {
			return r.listed(v.GetArray(), strict, depth), true
		}
	}
	v := r.firstObject(s, depth)
	if v == nil {
		return got, false
	}
	value := answerOf(v)
	if value == nil {
		return got, false
	}
	return r.value(value, strict, depth), true
}

// firstObject returns the first JSON object in s that can be parsed, nil if there is none.
func (r *Reader) firstObject(s []byte, depth int) *fastjson.Value {
	for n := 0; n < tries; n++ {
		at := bytes.IndexByte(s, '{')
		if at < 0 {
			return nil
		}
		s = s[at:]
		if end := plain.Balanced(s); end > 0 {
			if v := r.parse(s[:end], depth); v != nil && v.Type() == fastjson.TypeObject {
				return v
			}
		}
		s = s[1:]
	}
	return nil
}

// parse parses the JSON of an answer, nil where it is none. Single quotes are taken for double ones
// where it fails otherwise.
func (r *Reader) parse(s []byte, depth int) *fastjson.Value {
	p := &r.json.parsers[depth]
	if v, err := p.ParseBytes(s); err == nil {
		return v
	}
	if bytes.IndexByte(s, '\'') < 0 {
		return nil
	}
	r.json.quoted = append(r.json.quoted[:0], s...)
	for i, b := range r.json.quoted {
		if b == '\'' {
			r.json.quoted[i] = '"'
		}
	}
	if v, err := p.ParseBytes(r.json.quoted); err == nil {
		return v
	}
	return nil
}

// answerOf returns the member of an object that holds the answer, nil where it has none of keys.
func answerOf(v *fastjson.Value) *fastjson.Value { return plain.Member(v.GetObject(), keys[:]) }

// value reads the value of a model's answer in JSON.
func (r *Reader) value(v *fastjson.Value, strict bool, depth int) Reading {
	switch v.Type() {
	case fastjson.TypeString:
		got := r.stages(v.GetStringBytes(), strict, depth+1)
		got.Stage = 2
		return got
	case fastjson.TypeNumber:
		return r.number(v)
	case fastjson.TypeArray:
		return r.listed(v.GetArray(), strict, depth)
	}
	return invalid(stageObject, Unresolved)
}

// number reads an answer in JSON that is a number: a label where labels are numbers, else the text
// of an option.
func (r *Reader) number(v *fastjson.Value) Reading {
	if n, err := v.Int(); err == nil && r.style == Numbers {
		if n >= 1 && n <= len(r.texts) {
			return found(stageObject, n-1)
		}
		if k := r.optionWithText(r.normalizeAnswer(v.MarshalTo(nil))); k >= 0 {
			return found(stageObject, k)
		}
		return invalid(stageObject, OutOfRange)
	}
	if k := r.optionWithText(r.normalizeAnswer(v.MarshalTo(nil))); k >= 0 {
		return found(stageObject, k)
	}
	return invalid(stageObject, Unresolved)
}

// listed reads an answer in JSON that is a list, all of whose entries must name the same option.
func (r *Reader) listed(list []*fastjson.Value, strict bool, depth int) Reading {
	option := -1
	for _, v := range list {
		if v.Type() == fastjson.TypeArray {
			return invalid(stageObject, Unresolved)
		}
		got := r.value(v, strict, depth)
		if got.Option < 0 {
			return invalid(stageObject, got.Reason)
		}
		if option >= 0 && got.Option != option {
			return invalid(stageObject, Multiple)
		}
		option = got.Option
	}
	if option < 0 {
		return invalid(stageObject, Unresolved)
	}
	return found(stageObject, option)
}
