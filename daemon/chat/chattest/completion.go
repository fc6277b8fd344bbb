package chattest

import (
	"encoding/json"
	"hash/fnv"
	"io"
)

// thoughts are what the model thinks, where it does.
const thoughts = "The question asks for one thing, so I look at it first."

// draft is a completion before it has a form.
type draft struct {
	content   *string
	refusal   string
	reasoning string
	finish    string
	err       any
	noMessage bool
	usage     map[string]any
}

// text returns what the model answers: by Config.Answer, or else a verdict 1 or 0, by
// Config.Right or by a hash of the prompt.
func (endpoint *Endpoint) text(call *Call) string {
	if endpoint.cfg.Answer != nil {
		return endpoint.cfg.Answer(call)
	}
	right := false
	if endpoint.cfg.Right != nil {
		right = endpoint.cfg.Right(call.Prompt)
	} else {
		h := fnv.New32a()
		io.WriteString(h, call.Prompt)
		right = h.Sum32()%2 == 0
	}
	if right {
		return "1"
	}
	return "0"
}

// completion returns the body of a reply, whole or as a stream, after the fault has changed the answer.
func (endpoint *Endpoint) completion(fault Fault, call *Call) []byte {
	text := endpoint.text(call)
	s := &draft{content: &text, finish: "stop"}
	if endpoint.cfg.Reasoning != "" {
		s.reasoning = thoughts
	}
	switch fault {
	case Truncated:
		text, s.finish = "The model's answer says the same as the ground truth, so the score is "+text+" if", "length"
	case Prose:
		text = "I would rather not decide between 0 or 1."
	case Length:
		text, _ = halves(text)
		s.finish = "length"
	case LengthNull:
		s.content, s.finish = nil, "length"
	case Filter:
		s.content, s.finish = nil, "content_filter"
	case GeminiFilter:
		s.noMessage, s.finish = true, "content_filter: PROHIBITED_CONTENT"
	case Refusal:
		s.content, s.refusal = nil, "I can't help with that."
	case FinishError:
		text, _ = halves(text)
		s.finish = "error"
		s.err = map[string]any{"code": 502, "message": "the provider died"}
	}
	s.count(endpoint, fault, call)
	if call.Stream {
		return endpoint.stream(s, call)
	}
	return endpoint.whole(s, call)
}

// count sets the token counts of a reply. With Config.Answer they follow from the texts and pictures,
// else they are constants. The fault NoUsage leaves all counts out. The fault Gap counts the model's
// thoughts in the total alone, and not in the completion.
func (draft *draft) count(endpoint *Endpoint, fault Fault, call *Call) {
	if fault == NoUsage {
		return
	}
	prompt, completion, thought := 100, 1, 0
	if endpoint.cfg.Answer != nil {
		const imageTokens = 1500 // of each picture; texts have a token for four characters
		prompt, completion = len([]rune(call.Prompt))/4+1+imageTokens*len(call.Images), 0
		if draft.content != nil {
			completion = len([]rune(*draft.content))/4 + 1
		}
	}
	if draft.reasoning != "" || fault == Gap {
		thought = len(thoughts)/4 + 1
	}
	draft.usage = map[string]any{"prompt_tokens": prompt, "completion_tokens": completion + thought,
		"total_tokens": prompt + completion + thought}
	switch {
	case fault == Gap:
		draft.usage["completion_tokens"] = completion
	case thought > 0:
		draft.usage["completion_tokens_details"] = map[string]any{"reasoning_tokens": thought}
	}
	if endpoint.cfg.Cost > 0 {
		draft.usage["cost"] = endpoint.cfg.Cost
	}
}

// whole returns the body of a completion that is not streamed.
func (endpoint *Endpoint) whole(draft *draft, call *Call) []byte {
	choice := map[string]any{"index": 0, "finish_reason": draft.finish}
	if !draft.noMessage {
		message := map[string]any{"role": "assistant", "content": draft.content}
		if draft.content != nil && endpoint.cfg.Parts {
			first, second := halves(*draft.content)
			message["content"] = []map[string]string{{"type": "text", "text": first}, {"type": "text", "text": second}}
		}
		if draft.refusal != "" {
			message["refusal"] = draft.refusal
		}
		if draft.reasoning != "" {
			message[endpoint.cfg.Reasoning] = draft.reasoning
		}
		choice["message"] = message
	}
	if draft.err != nil {
		choice["error"] = draft.err
	}
	out := map[string]any{"id": "x-" + call.Hash[:8], "object": "chat.completion", "model": call.Model + "-served",
		"choices": []any{choice}}
	if draft.usage != nil {
		out["usage"] = draft.usage
	}
	return encode(out)
}

// stream returns the completion as server-sent events, with texts in pieces of pieceBytes bytes or a
// little more: no piece ends within a character.
func (endpoint *Endpoint) stream(draft *draft, call *Call) []byte {
	out := []byte(": a comment\n\n")
	event := func(v map[string]any) {
		v["id"], v["object"], v["model"] = "x-"+call.Hash[:8], "chat.completion.chunk", call.Model+"-served"
		out = append(out, "data: "...)
		out = append(out, encode(v)...)
		out = append(out, "\n\n"...)
	}
	delta := func(name, text string) {
		for text != "" {
			const pieceBytes = 7
			n := min(len(text), pieceBytes)
			for n < len(text) && text[n]&0xc0 == 0x80 { // within a character of UTF-8
				n++
			}
			event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{name: text[:n]}, "finish_reason": nil}}})
			text = text[n:]
		}
	}
	delta(endpoint.cfg.Reasoning, draft.reasoning)
	if draft.content != nil && !draft.noMessage {
		delta("content", *draft.content)
	}
	delta("refusal", draft.refusal)
	last := map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": draft.finish}
	if draft.err != nil {
		last["error"] = draft.err
	}
	event(map[string]any{"choices": []any{last}})
	if call.wantsUsage && draft.usage != nil {
		event(map[string]any{"choices": []any{}, "usage": draft.usage})
	}
	return append(out, "data: [DONE]\n\n"...)
}

// halves splits a text near its middle, at the boundary of a character.
func halves(text string) (a, b string) {
	n := len(text) / 2
	for n > 0 && n < len(text) && text[n]&0xc0 == 0x80 { // within a character of UTF-8
		n--
	}
	return text[:n], text[n:]
}

// encode returns the JSON of a value.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
