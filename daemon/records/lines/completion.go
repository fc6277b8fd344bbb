package lines

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/message"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// chatChoice sets the text, reasoning and finish reason of a record from a choice of a chat
// completion. The text is the content of the message, or its refusal if it has none. See
// docs/spec/dumps.md#r10.
func chatChoice(r *record.Record, choice *fastjson.Value) error {
	said := choice.Get("message")
	if !is(said, fastjson.TypeObject) {
		return fmt.Errorf("choices: got a choice without a message; want one")
	}
	content := said.Get("content")
	switch {
	case jsontree.Absent(content):
		r.Response = text(said.Get("refusal"))
	case is(content, fastjson.TypeString):
		r.Response = text(content)
	case is(content, fastjson.TypeArray):
		r.Response = joinParts(content.GetArray(), "text", "")
	default:
		return fmt.Errorf("choices: message.content is %s; want a string, a list of parts or null",
			message.Describe(content))
	}
	r.Reasoning = text(said.Get("reasoning"))
	if r.Reasoning == "" {
		r.Reasoning = text(said.Get("reasoning_content"))
	}
	r.FinishReason = record.Finish(text(choice.Get("finish_reason")))
	return nil
}

// joinParts joins the texts of those parts of a message's content that have the type kind. The text
// of a part is its member of that name, or else its member text. Bare strings count as parts of the
// type text.
func joinParts(parts []*fastjson.Value, kind, separator string) string {
	var texts []string
	for _, p := range parts {
		if is(p, fastjson.TypeString) && kind == "text" {
			texts = append(texts, text(p))
		}
		if text(p.Get("type")) != kind {
			continue
		}
		t := p.Get(kind)
		if t == nil {
			t = p.Get("text")
		}
		texts = append(texts, text(t))
	}
	return strings.Join(texts, separator)
}

// responsesObject sets a record from an object of the Responses API: the joined texts of its
// messages, the summaries of its reasoning, the finish reason by its status, model and
// usage. See docs/spec/dumps.md#r11.
func responsesObject(r *record.Record, body *fastjson.Value) error {
	output := body.Get("output")
	if !is(output, fastjson.TypeArray) {
		return fmt.Errorf("output: got %s; want a list", message.Describe(output))
	}
	// The texts of the messages and of the reasoning.
	var said, thought []string
	for _, item := range output.GetArray() {
		switch text(item.Get("type")) {
		case "message":
			for _, part := range item.GetArray("content") {
				switch text(part.Get("type")) {
				case "output_text":
					said = append(said, text(part.Get("text")))
				case "refusal":
					said = append(said, text(part.Get("refusal")))
				}
			}
		case "reasoning":
			for _, part := range item.GetArray("summary") {
				thought = append(thought, text(part.Get("text")))
			}
		}
	}
	r.Response, r.Reasoning = strings.Join(said, ""), strings.Join(thought, "\n")
	// Why the model stopped.
	switch status := text(body.Get("status")); status {
	case "completed":
		r.FinishReason = "stop"
	case "incomplete":
		r.FinishReason = record.Finish(text(body.Get("incomplete_details", "reason")))
	default:
		r.FinishReason = record.Finish(status)
	}
	r.Model = text(body.Get("model"))
	r.Usage = record.Usage{Prompt: count(body.Get("usage", "input_tokens")),
		Completion: count(body.Get("usage", "output_tokens")),
		Reasoning:  count(body.Get("usage", "output_tokens_details", "reasoning_tokens"))}
	return nil
}

// chatUsage returns how many tokens a chat or text completion used, from its member usage; -1 for each
// number that is not given.
func chatUsage(usage *fastjson.Value) record.Usage {
	return record.Usage{Prompt: count(usage.Get("prompt_tokens")), Completion: count(usage.Get("completion_tokens")),
		Reasoning: count(usage.Get("completion_tokens_details", "reasoning_tokens"))}
}

// noStatus is the HTTP status of an error whose status is unknown.
const noStatus = 0

// failure describes a failed call of a model in words, such as "429 rate_limit: slow down". These are
// the HTTP status if it is 400 or more, the error's code, or its type if it has no code, and its
// message. What is unknown is left out. e is the error, a text or an object, or an object whose
// member error is the error.
func failure(status int, e *fastjson.Value) string {
	if inner := e.Get("error"); inner != nil {
		e = inner
	}
	var words []string
	if status >= 400 {
		words = append(words, fmt.Sprint(status))
	}
	said := text(e)
	if is(e, fastjson.TypeObject) {
		said = text(e.Get("message"))
		for _, name := range []string{"code", "type"} {
			if code := key(e.Get(name)); code != "" {
				words = append(words, code+":")
				break
			}
		}
	}
	words = append(words, said)
	return strings.TrimSuffix(strings.TrimSpace(strings.Join(words, " ")), ":")
}
