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

// addRecords adds the record of one line of a result file of Anthropic's message batches: the text and
// reasoning of a request that succeeded, or else why it has no answer.
func (anthropicBatch) addRecords(s *source, l dump.Line, v *fastjson.Value) error {
	id := idText(v.Get("custom_id"))
	if id == "" {
		return fmt.Errorf("custom_id: got %s; want a text", message.Describe(v.Get("custom_id")))
	}
	result := v.Get("result")
	switch kind := stringOf(result.Get("type")); kind {
	case "succeeded":
		reply := result.Get("message")
		parts := reply.Get("content")
		if !hasType(parts, fastjson.TypeArray) {
			return fmt.Errorf("result.message.content: got %s; want a list", message.Describe(parts))
		}
		r := s.addForRequest(l, v, id)
		r.Response = joinParts(parts.GetArray(), "text", "")
		r.Reasoning = joinParts(parts.GetArray(), "thinking", "\n")
		r.FinishReason = record.CommonFinishReason(stringOf(reply.Get("stop_reason")))
		r.Model = stringOf(reply.Get("model"))
		r.Usage = record.Usage{Prompt: record.TokenCount(reply.Get("usage", "input_tokens")),
			Completion: record.TokenCount(reply.Get("usage", "output_tokens")), Reasoning: -1}
	case "errored":
		s.addForRequest(l, v, id).MarkMissing(record.NoResponse, "errored: "+failureWords(noStatus, result.Get("error")))
	case "canceled", "expired":
		s.addForRequest(l, v, id).MarkMissing(record.NoResponse, kind)
	default:
		return fmt.Errorf("result.type: got %.64q; want succeeded, errored, canceled or expired", kind)
	}
	return nil
}
