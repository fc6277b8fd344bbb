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

// openAIBatch reads results of batches of OpenAI and of vLLM's run_batch. See docs/spec/dumps.md#r12.
type openAIBatch struct{}

func newOpenAIBatch(*input.Input, *Options) (format, error) { return openAIBatch{}, nil }

// addRecords adds the records of one line of an OpenAI batch's output: the answers of a request, or why it
// has none. A line of the input file of a batch is an error.
func (f openAIBatch) addRecords(s *source, l dump.Line, v *fastjson.Value) error {
	if v.Exists("method") && v.Exists("url") && !v.Exists("response") {
		return fmt.Errorf("it is a request (custom_id, method, url), not an answer")
	}
	id := idText(v.Get("custom_id"))
	if id == "" {
		return fmt.Errorf("custom_id: got %s; want a text", message.Describe(v.Get("custom_id")))
	}
	response := v.Get("response")
	body := response.Get("body")
	status := response.GetInt("status_code")
	switch {
	case !jsontree.Absent(v.Get("error")):
		s.addForRequest(l, v, id).MarkMissing(record.NoResponse, failureWords(status, v.Get("error")))
	case jsontree.Absent(body) || status >= 400:
		s.addForRequest(l, v, id).MarkMissing(record.NoResponse, failureWords(status, body))
	case !hasType(body, fastjson.TypeObject):
		return fmt.Errorf("response.body: got %s; want an object", message.Describe(body))
	default:
		return f.addChoices(s, l, v, id, body)
	}
	return nil
}

// addChoices adds the records of a successful call in an OpenAI batch: one for an object of the Responses
// API, else one for each choice of a completion, whose index is the repeat.
func (openAIBatch) addChoices(s *source, l dump.Line, v *fastjson.Value, id string, body *fastjson.Value) error {
	choices := body.GetArray("choices")
	switch object := stringOf(body.Get("object")); {
	case object == "response" || object == "" && body.Exists("output"):
		r := s.addForRequest(l, v, id)
		if e := body.Get("error"); !jsontree.Absent(e) {
			r.MarkMissing(record.NoResponse, failureWords(noStatus, e))
			return nil
		}
		return setFromResponse(r, body)
	case len(choices) == 0 && object == "chat.completion":
		s.addForRequest(l, v, id).MarkMissing(record.NoResponse, "the completion has no choices")
		return nil
	case len(choices) == 0:
		s.addForRequest(l, v, id).MarkMissing(record.NoText, fmt.Sprintf("the body is of the kind %q and holds no text", object))
		return nil
	}
	// The choices of a completion.
	for i, choice := range choices {
		r := s.addForRequest(l, v, id)
		r.Repeat = i + 1
		if index := choice.Get("index"); hasType(index, fastjson.TypeNumber) {
			r.Repeat = index.GetInt() + 1
		}
		r.Usage = chatUsage(body.Get("usage"))
		if m := stringOf(body.Get("model")); m != "" {
			r.Model = m
		}
		if said := choice.Get("text"); hasType(said, fastjson.TypeString) {
			r.Response, r.FinishReason = stringOf(said), record.CommonFinishReason(stringOf(choice.Get("finish_reason")))
			continue
		}
		if err := setFromChoice(r, choice); err != nil {
			return err
		}
	}
	return nil
}

// addForRequest adds a record for the answer v to the request of a batch with this id, and returns it to be
// filled in. The record gets the id as its key, and the metadata and model of the request if
// --requests has it. The request then counts as answered, also if it failed.
func (s *source) addForRequest(l dump.Line, v *fastjson.Value, id string) *record.Record {
	r := s.addRecord(l)
	r.Key, r.Fields = id, v
	r.Labels = s.options.Requests.metadata(id)
	r.Model = s.options.Requests.markAnswered(id)
	return r
}
