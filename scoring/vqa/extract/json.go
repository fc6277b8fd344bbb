package extract

import (
	"bytes"

	"github.com/valyala/fastjson"

	"plumb/scoring/vqa/plain"
)

// answerKeys are the members of a JSON object that hold an answer, by priority.
var answerKeys = [...]string{"final_answer", "final", "answer", "correct_answer", "correct_option", "choice",
	"selected_option", "selected",
	"option", "prediction", "label", "letter", "result", "response", "output"}

// maxObjectTries is how many opening braces are tried as the start of an object, which bounds the time for
// text that opens many and closes few.
const maxObjectTries = 32

// jsonReader holds a parser for each depth, because a string of one value may hold another.
type jsonReader struct {
	parsers [maxDepth]fastjson.Parser
	quoted  []byte
}

// readObject is stage 2 of reading a model's answer: it reads a list that is the whole text, or the
// first JSON object in it that has one of answerKeys. ok is false where there is neither. strict and
// depth are passed on to readStages, which reads the string found there. See docs/spec/vqa.md#r21.
func (reader *Reader) readObject(text []byte, strict bool, depth int) (got Reading, ok bool) {
	if text[0] == '[' && text[len(text)-1] == ']' {
		if v := reader.parseJSON(text, depth); v != nil && v.Type() == fastjson.TypeArray {
			return reader.readList(v.GetArray(), strict, depth), true
		}
	}
	object := reader.firstObject(text, depth)
	if object == nil {
		return got, false
	}
	value := answerMember(object)
	if value == nil {
		return got, false
	}
	return reader.readValue(value, strict, depth), true
}

// firstObject returns the first JSON object in an answer that can be parsed, or nil after
// maxObjectTries opening braces. It is valid until an object is parsed at the same depth.
func (reader *Reader) firstObject(text []byte, depth int) *fastjson.Value {
	for try := 0; try < maxObjectTries; try++ {
		pos := bytes.IndexByte(text, '{')
		if pos < 0 {
			return nil
		}
		text = text[pos:]
		if end := plain.Balanced(text); end > 0 {
			if v := reader.parseJSON(text[:end], depth); v != nil && v.Type() == fastjson.TypeObject {
				return v
			}
		}
		text = text[1:]
	}
	return nil
}

// parseJSON parses JSON in an answer, and returns nil if it cannot. Text with single quotes
// is tried once more with double quotes, as models write Python's form too. depth chooses
// the parser, because values of the outer one are still in use.
func (reader *Reader) parseJSON(text []byte, depth int) *fastjson.Value {
	parser := &reader.json.parsers[depth]
	if v, err := parser.ParseBytes(text); err == nil {
		return v
	}
	if bytes.IndexByte(text, '\'') < 0 {
		return nil
	}
	reader.json.quoted = append(reader.json.quoted[:0], text...)
	for i, b := range reader.json.quoted {
		if b == '\'' {
			reader.json.quoted[i] = '"'
		}
	}
	if v, err := parser.ParseBytes(reader.json.quoted); err == nil {
		return v
	}
	return nil
}

// answerMember returns the member of an object that holds the answer: the first of answerKeys that it has,
// nil where it has none of them.
func answerMember(v *fastjson.Value) *fastjson.Value {
	return plain.Member(v.GetObject(), answerKeys[:])
}

// readValue reads which option the value of an answer in JSON names, such as the member "answer". It
// takes strings, numbers and lists. A string is read as an answer of its own.
func (reader *Reader) readValue(value *fastjson.Value, strict bool, depth int) Reading {
	switch value.Type() {
	case fastjson.TypeString:
		reading := reader.readStages(value.GetStringBytes(), strict, depth+1)
		reading.Stage = stageObject // whatever stage read the string
		return reading
	case fastjson.TypeNumber:
		return reader.readNumber(value)
	case fastjson.TypeArray:
		return reader.readList(value.GetArray(), strict, depth)
	}
	return invalidAnswer(stageObject, Unresolved)
}

// readNumber reads an answer in JSON that is a number: the label of an option where labels
// are numbers and it is in their range, else the text of an option.
func (reader *Reader) readNumber(value *fastjson.Value) Reading {
	n, err := value.Int()
	isLabel := err == nil && reader.style == Numbers
	if isLabel && n >= 1 && n <= len(reader.optionTexts) {
		return optionFound(stageObject, n-1)
	}
	if option := reader.optionWithText(reader.normalizeAnswer(value.MarshalTo(nil))); option >= 0 {
		return optionFound(stageObject, option)
	}
	if isLabel {
		return invalidAnswer(stageObject, OutOfRange)
	}
	return invalidAnswer(stageObject, Unresolved)
}

// readList reads an answer in JSON that is a list, all of whose entries must name the same option.
func (reader *Reader) readList(list []*fastjson.Value, strict bool, depth int) Reading {
	option := -1
	for _, value := range list {
		if value.Type() == fastjson.TypeArray {
			return invalidAnswer(stageObject, Unresolved)
		}
		got := reader.readValue(value, strict, depth)
		if got.Option < 0 {
			return invalidAnswer(stageObject, got.Reason)
		}
		if option >= 0 && got.Option != option {
			return invalidAnswer(stageObject, Multiple)
		}
		option = got.Option
	}
	if option < 0 {
		return invalidAnswer(stageObject, Unresolved)
	}
	return optionFound(stageObject, option)
}
