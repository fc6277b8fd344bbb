package lines

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/message"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// setFromChoice sets the text, reasoning and finish reason of a record from a choice of a chat completion. The
// text is the content of the message, or its refusal if it has none. See docs/spec/dumps.md#r10.
func setFromChoice(r *record.Record, choice *fastjson.Value) error {
	reply := choice.Get("message")
	if !hasType(reply, fastjson.TypeObject) {
		return fmt.Errorf("choices: got a choice without a message; want one")
	}
	content := reply.Get("content")
	switch {
	case jsontree.Absent(content):
		r.Response = stringOf(reply.Get("refusal"))
	case hasType(content, fastjson.TypeString):
		r.Response = stringOf(content)
	case hasType(content, fastjson.TypeArray):
		r.Response = joinParts(content.GetArray(), "text", "")
	default:
		return fmt.Errorf("choices: message.content is %s; want a string, a list of parts or null",
			message.Describe(content))
	}
	r.Reasoning = stringOf(reply.Get("reasoning"))
	if r.Reasoning == "" {
		r.Reasoning = stringOf(reply.Get("reasoning_content"))
	}
	r.FinishReason = record.CommonFinishReason(stringOf(choice.Get("finish_reason")))
	return nil
}

// joinParts joins the texts of those parts of a message's content that have the type kind. The text of a part
// is its member of that name, or else its member text. Bare strings count as parts of the type text.
func joinParts(parts []*fastjson.Value, kind, separator string) string {
	var texts []string
	for _, p := range parts {
		if hasType(p, fastjson.TypeString) && kind == "text" {
			texts = append(texts, stringOf(p))
		}
		if stringOf(p.Get("type")) != kind {
			continue
		}
		t := p.Get(kind)
		if t == nil {
			t = p.Get("text")
		}
		texts = append(texts, stringOf(t))
	}
	return strings.Join(texts, separator)
}

// setFromResponse sets a record from an object of the Responses API: the joined texts of its messages, the
// summaries of its reasoning, the finish reason by its status, model and usage. See docs/spec/dumps.md#r11.
func setFromResponse(r *record.Record, body *fastjson.Value) error {
	output := body.Get("output")
	if !hasType(output, fastjson.TypeArray) {
		return fmt.Errorf("output: got %s; want a list", message.Describe(output))
	}
	// The texts of the messages and of the reasoning.
	var texts, thoughts []string
	for _, item := range output.GetArray() {
		switch stringOf(item.Get("type")) {
		case "message":
			for _, part := range item.GetArray("content") {
				switch stringOf(part.Get("type")) {
				case "output_text":
					texts = append(texts, stringOf(part.Get("text")))
				case "refusal":
					texts = append(texts, stringOf(part.Get("refusal")))
				}
			}
		case "reasoning":
			for _, part := range item.GetArray("summary") {
				thoughts = append(thoughts, stringOf(part.Get("text")))
			}
		}
	}
	r.Response, r.Reasoning = strings.Join(texts, ""), strings.Join(thoughts, "\n")
	// Why the model stopped.
	switch status := stringOf(body.Get("status")); status {
	case "completed":
		r.FinishReason = "stop"
	case "incomplete":
		r.FinishReason = record.CommonFinishReason(stringOf(body.Get("incomplete_details", "reason")))
	default:
		r.FinishReason = record.CommonFinishReason(status)
	}
	r.Model = stringOf(body.Get("model"))
	r.Usage = record.Usage{Prompt: record.TokenCount(body.Get("usage", "input_tokens")),
		Completion: record.TokenCount(body.Get("usage", "output_tokens")),
		Reasoning:  record.TokenCount(body.Get("usage", "output_tokens_details", "reasoning_tokens"))}
	return nil
}

// chatUsage returns how many tokens a chat or text completion used, from its member usage; -1 for each
// number that is not given.
func chatUsage(usage *fastjson.Value) record.Usage {
	return record.Usage{Prompt: record.TokenCount(usage.Get("prompt_tokens")), Completion: record.TokenCount(usage.Get("completion_tokens")),
		Reasoning: record.TokenCount(usage.Get("completion_tokens_details", "reasoning_tokens"))}
}

// noStatus is the HTTP status of an error whose status is unknown.
const noStatus = 0

// failureWords describes a failed call of a model in words, such as "429 rate_limit: slow down". These are the
// HTTP status if it is 400 or more, the error's code, or its type if it has no code, and its message. What is
// unknown is left out. e is the error, a text or an object, or an object whose member error is the error.
func failureWords(status int, e *fastjson.Value) string {
	if inner := e.Get("error"); inner != nil {
		e = inner
	}
	var words []string
	if status >= 400 {
		words = append(words, fmt.Sprint(status))
	}
	said := stringOf(e) // "" for an object
	if hasType(e, fastjson.TypeObject) {
		said = stringOf(e.Get("message"))
		for _, name := range []string{"code", "type"} {
			if code := idText(e.Get(name)); code != "" {
				words = append(words, code+":")
				break
			}
		}
	}
	words = append(words, said)
	return strings.TrimSuffix(strings.TrimSpace(strings.Join(words, " ")), ":")
}
