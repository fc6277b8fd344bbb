package message

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"
	"plumb/render/jsontree"
)

// lastText returns the text of the assistant's last message with a text in a list of chat messages.
// Messages that hold only tool calls or thoughts are skipped; if all of the assistant's do, the text is
// "". A list without a message of the assistant is an error.
func lastText(values []*fastjson.Value) (string, error) {
	silent := false // the assistant has a message, but without a text
	for i := len(values) - 1; i >= 0; i-- {
		if role(values[i]) != assistant {
			continue
		}
		text, err := messageText(values[i], fmt.Sprintf("[%d]", i))
		if err != nil || text != "" || hasType(values[i].Get("content"), fastjson.TypeString) { // also the text ""
			return text, err
		}
		silent = true
	}
	if silent {
		return "", nil
	}
	return "", fmt.Errorf(": got no message of role %s", assistant)
}

const assistant = "assistant"

func role(v *fastjson.Value) string { return string(v.GetStringBytes("role")) }

// outputText joins the texts of the messages in the output of a Responses object. Items
// between them, such as thoughts and tool calls, are skipped.
func outputText(values []*fastjson.Value) (string, error) {
	var out strings.Builder
	for i, value := range values {
		if value.Type() != fastjson.TypeObject {
			return "", fmt.Errorf(".output[%d]: got %s; want an object", i, Describe(value))
		}
		if partType(value) != "message" {
			continue
		}
		text, err := contentText(value, fmt.Sprintf(".output[%d]", i))
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

// choiceText returns the text of the only choice of a completion object. Several choices are
// an error, because each is an answer.
func choiceText(choices []*fastjson.Value) (string, error) {
	if len(choices) != 1 {
		return "", fmt.Errorf(".choices: got %d; want 1, as each is an answer of its own", len(choices))
	}
	c := choices[0]
	m := c.Get("message")
	if hasType(m, fastjson.TypeObject) {
		return contentText(m, ".choices[0].message")
	}
	if t := c.Get("text"); hasType(t, fastjson.TypeString) {
		return string(t.GetStringBytes()), nil
	}
	if m != nil {
		return "", fmt.Errorf(".choices[0].message: got %s; want an object", Describe(m))
	}
	return "", fmt.Errorf(".choices[0]: got %s; want an object with message or text", Describe(c))
}

// messageText returns the text of a message of the assistant. Another role is an error. path
// is the path of the message for errors.
func messageText(value *fastjson.Value, path string) (string, error) {
	if r := role(value); r != assistant {
		return "", fmt.Errorf("%s.role: got %.40q; want %q", path, r, assistant)
	}
	return contentText(value, path)
}

// contentText returns the text of a message: its content, a text or a list of parts, or if
// it has none, its refusal.
func contentText(m *fastjson.Value, path string) (string, error) {
	c := m.Get("content")
	switch {
	case jsontree.Absent(c):
		return string(m.GetStringBytes("refusal")), nil
	case c.Type() == fastjson.TypeString:
		return string(c.GetStringBytes()), nil
	case c.Type() == fastjson.TypeArray:
		return joinedParts(c.GetArray(), path+".content")
	}
	return "", fmt.Errorf("%s.content: got %s; want a text or a list of content parts", path, Describe(c))
}

// joinedParts joins the texts of the content parts of a message. Parts of other known types, such as
// thoughts and pictures, are skipped. A part of an unknown type is an error, as its text might be missed.
// path is the path of the list, for errors.
func joinedParts(values []*fastjson.Value, path string) (string, error) {
	var out strings.Builder
	for i, value := range values {
		at := fmt.Sprintf("%s[%d]", path, i)
		kind := partType(value)
		if !partTypes[kind] {
			return "", fmt.Errorf("%s: got %s; want a content part of a known type", at, Describe(value))
		}
		if kind != "text" && kind != "output_text" {
			continue
		}
		text := value.Get("text")
		if !hasType(text, fastjson.TypeString) {
			return "", fmt.Errorf("%s.text: got %s; want a text", at, Describe(text))
		}
		out.Write(text.GetStringBytes())
	}
	return out.String(), nil
}
