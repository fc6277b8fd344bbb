package lines

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
)

// anthropicBatch reads results of Anthropic's message batches. See docs/spec/dumps.md#r13.
type anthropicBatch struct{}

func newAnthropicBatch(*input.Input, *Options) (format, error) { return anthropicBatch{}, nil }

// read adds the record of one line of a result file of Anthropic's message batches: the text and
// reasoning of a request that succeeded, or else why it has no answer.
func (anthropicBatch) read(s *source, l dump.Line, v *fastjson.Value) error {
	id := key(v.Get("custom_id"))
	if id == "" {
		return fmt.Errorf("custom_id: got %s; want a text", message.Describe(v.Get("custom_id")))
	}
	result := v.Get("result")
	switch kind := text(result.Get("type")); kind {
	case "succeeded":
		said := result.Get("message")
		parts := said.Get("content")
		if !is(parts, fastjson.TypeArray) {
			return fmt.Errorf("result.message.content: got %s; want a list", message.Describe(parts))
		}
		r := s.keyed(l, v, id)
		r.Response = joinParts(parts.GetArray(), "text", "")
		r.Reasoning = joinParts(parts.GetArray(), "thinking", "\n")
		r.FinishReason = record.Finish(text(said.Get("stop_reason")))
		r.Model = text(said.Get("model"))
		r.Usage = record.Usage{Prompt: count(said.Get("usage", "input_tokens")),
			Completion: count(said.Get("usage", "output_tokens")), Reasoning: -1}
	case "errored":
		s.keyed(l, v, id).Failed(record.NoResponse, "errored: "+failure(noStatus, result.Get("error")))
	case "canceled", "expired":
		s.keyed(l, v, id).Failed(record.NoResponse, kind)
	default:
		return fmt.Errorf("result.type: got %.64q; want succeeded, errored, canceled or expired", kind)
	}
	return nil
}
