// Package message extracts the text from chat messages and completions. In: a JSON value
// in place of the text of an answer. Out: the last text of the assistant, and a
// description of the form it had. It supports the message formats of the usual services
// and their libraries and leaves any other value unread. Where a message has no single
// text, the error names the path of the faulty member. See docs/spec/cli.md#r18.
package message

import (
	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// ChatText is the result of reading a message.
type ChatText struct {
	Text  string // "" where the message has no text, which counts as a bad answer
	Shape string // the form of the value, with an article: "a list of chat messages"
	// Answered is false where the call of the model failed, so that there is no answer.
	Answered bool
}

// Responses is the Shape of an object of the Responses API.
const Responses = "a Responses object"

// Read returns the text of value if value is a chat message, a list of chat messages, content parts,
// a completion object or a Responses object; isChat is false for any other value. An error
// begins with the path below value and says what was got and wanted. Answered is false if value is a
// failed call without a text.
func Read(value *fastjson.Value) (read ChatText, isChat bool, err error) {
	read.Answered = true
	switch shape := shapeOf(value); shape {
	case list:
		read.Shape = "a list of chat messages"
		read.Text, err = lastText(value.GetArray())
	case parts:
		read.Shape = "a list of content parts"
		read.Text, err = joinedParts(value.GetArray(), "")
	case part:
		read.Shape = "a content part"
		read.Text, err = joinedParts([]*fastjson.Value{value}, "")
	case message:
		read.Shape = "a chat message"
		read.Text, err = messageText(value, "")
	case completion:
		read.Shape = "a chat completion object"
		read.Text, err = choiceText(value.GetArray("choices"))
	case response:
		read.Shape = Responses
		read.Text, err = outputText(value.GetArray("output"))
		read.Answered = read.Text != "" || jsontree.Absent(value.Get("error"))
	default:
		return ChatText{}, false, nil
	}
	return read, true, err
}

// Note returns a sentence for the result on what was read in place of a text.
func (s ChatText) Note() string {
	text := "its last text of the assistant was read"
	if s.Text == "" {
		text = "it has no text of the assistant, which counts as an empty answer"
	}
	return "the response was " + s.Shape + "; " + text
}

// shape is a format of messages.
type shape uint8

const (
	none shape = iota
	list
	parts
	part
	message
	completion
	response
)

// shapeOf returns the format in which a value holds a model's answer, by its type and members: a chat
// completion, a chat message, a Responses object, a content part, a list of messages or of parts, or none
// of them.
func shapeOf(value *fastjson.Value) shape {
	switch {
	case value == nil:
	case value.Type() == fastjson.TypeArray:
		return shapeOfList(value.GetArray())
	case value.Type() != fastjson.TypeObject:
	case hasType(value.Get("choices"), fastjson.TypeArray):
		return completion
	case isMessage(value):
		return message
	case hasType(value.Get("output"), fastjson.TypeArray):
		return response
	case partTypes[partType(value)] && value.Exists(partType(value)):
		return part
	}
	return none
}

// shapeOfList returns whether a list holds chat messages (list) or content parts (parts). A list of
// messages may also have items without a role between them, such as tool calls, which have the types of
// parts. An empty list, and one with any other element, is none.
func shapeOfList(values []*fastjson.Value) shape {
	roles := 0
	for _, value := range values {
		switch {
		case isMessage(value):
			roles++
		case !partTypes[partType(value)]:
			return none
		}
	}
	switch {
	case roles > 0:
		return list
	case len(values) > 0:
		return parts
	}
	return none
}

func hasType(v *fastjson.Value, t fastjson.Type) bool { return v != nil && v.Type() == t }

func isMessage(v *fastjson.Value) bool { return hasType(v.Get("role"), fastjson.TypeString) }

// partType returns the member type of a part of a message, "" where it has none.
func partType(v *fastjson.Value) string { return string(v.GetStringBytes("type")) }

// partTypes are the types of content parts and of the items between messages. Only
// text and output_text belong to an answer.
var partTypes = map[string]bool{
	"text": true, "output_text": true, "refusal": true,
	"thinking": true, "redacted_thinking": true, "reasoning": true, "summary_text": true,
	"tool_use": true, "tool_call": true, "tool_result": true, "function_call": true, "function_call_output": true,
	"server_tool_use": true, "web_search_call": true, "file_search_call": true, "code_interpreter_call": true,
	"image": true, "image_url": true, "input_image": true, "output_image": true, "image_generation_call": true,
	"audio": true, "input_audio": true, "output_audio": true, "video": true, "file": true, "document": true,
}
