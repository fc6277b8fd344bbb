package lines

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// openAIBatch reads results of batches of OpenAI and of vLLM's run_batch.
// See docs/spec/dumps.md#r12.
type openAIBatch struct{}

func newOpenAIBatch(*input.Input, *Options) (format, error) { return openAIBatch{}, nil }

// read adds the records of one line of an OpenAI batch's output: the answers of a request, or why it
// has none. A line of the input file of a batch is an error.
func (f openAIBatch) read(s *source, l dump.Line, v *fastjson.Value) error {
	if v.Exists("method") && v.Exists("url") && !v.Exists("response") {
		return fmt.Errorf("it is a request (custom_id, method, url), not an answer")
	}
	id := key(v.Get("custom_id"))
	if id == "" {
		return fmt.Errorf("custom_id: got %s; want a text", message.Describe(v.Get("custom_id")))
	}
	response := v.Get("response")
	body := response.Get("body")
	status := response.GetInt("status_code")
	switch {
	case !jsontree.Absent(v.Get("error")):
		s.keyed(l, v, id).Failed(record.NoResponse, failure(status, v.Get("error")))
	case jsontree.Absent(body) || status >= 400:
		s.keyed(l, v, id).Failed(record.NoResponse, failure(status, body))
	case !is(body, fastjson.TypeObject):
		return fmt.Errorf("response.body: got %s; want an object", message.Describe(body))
	default:
		return f.body(s, l, v, id, body)
	}
	return nil
}

// body adds the records of a successful call in an OpenAI batch: one for an object of the Responses
// API, else one for each choice of a completion, whose index is the repeat.
func (openAIBatch) body(s *source, l dump.Line, v *fastjson.Value, id string, body *fastjson.Value) error {
	choices := body.GetArray("choices")
	switch object := text(body.Get("object")); {
	case object == "response" || object == "" && body.Exists("output"):
		r := s.keyed(l, v, id)
		if e := body.Get("error"); !jsontree.Absent(e) {
			r.Failed(record.NoResponse, failure(noStatus, e))
			return nil
		}
		return responsesObject(r, body)
	case len(choices) == 0 && object == "chat.completion":
		s.keyed(l, v, id).Failed(record.NoResponse, "the completion has no choices")
		return nil
	case len(choices) == 0:
		s.keyed(l, v, id).Failed(record.NoText, fmt.Sprintf("the body is of the kind %q and holds no text", object))
		return nil
	}
	// The choices of a completion.
	for i, choice := range choices {
		r := s.keyed(l, v, id)
		r.Repeat = i + 1
		if index := choice.Get("index"); is(index, fastjson.TypeNumber) {
			r.Repeat = index.GetInt() + 1
		}
		r.Usage = chatUsage(body.Get("usage"))
		if m := text(body.Get("model")); m != "" {
			r.Model = m
		}
		if said := choice.Get("text"); is(said, fastjson.TypeString) {
			r.Response, r.FinishReason = text(said), record.Finish(text(choice.Get("finish_reason")))
			continue
		}
		if err := chatChoice(r, choice); err != nil {
			return err
		}
	}
	return nil
}

// keyed adds a record for the answer v to the request of a batch with this id, and returns it to be
// filled in. The record gets the id as its key, and the metadata and model of the request if
// --requests has it. The request then counts as answered, also if it failed.
func (s *source) keyed(l dump.Line, v *fastjson.Value, id string) *record.Record {
	r := s.add(l)
	r.Key, r.Fields = id, v
	r.Labels = s.options.Requests.metadata(id)
	r.Model = s.options.Requests.markAnswered(id)
	return r
}
