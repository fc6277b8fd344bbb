package documents

import (
	"cmp"
	"errors"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// stateWant is what is kept of a state of a request. Tokens and prompts are not. See
// docs/spec/dumps-files.md#r15.
var stateWant = jsonwalk.Want{
	"instance": {"id": nil, "split": nil, "sub_split": nil, "references": nil, "extra_data": nil, "perturbation": nil},
	"request":  {"model": nil, "model_deployment": nil},
	"result": {
		"success": nil, "error": nil,
		"completions": {"text": nil, "thinking": {"text": nil}, "finish_reason": {"reason": nil}},
	},
	"request_mode": nil, "reference_index": nil, "train_trial_index": nil,
}

// helm reads the states of a run of HELM.
type helm struct {
	listDocument
	queue   []record.Record // of the current state, those that Next did not return yet
	current record.Record   // the record that Next returned last
}

// HELM opens the file scenario_state.json of a run of HELM, whose records are the elements of its list
// request_states. A file without that list is an error when its end is read. See docs/spec/dumps-files.md#r15.
func HELM(in *input.Input, o Options) (record.Source, error) {
	s := &helm{}
	s.listDocument = listDocument{listName: "request_states", checkEnd: func() error {
		if s.elementsBegun < 0 {
			return errors.New("the document has no request_states; want the file scenario_state.json")
		}
		return nil
	}}
	return s, s.open(in, o)
}

// Next returns the next record. A state of HELM, which is one request, may give several records, one
// for each completion; they wait in a queue. A state that cannot be read gives a record with its
// fault. It implements record.Source.
func (s *helm) Next() (*record.Record, error) {
	for len(s.queue) == 0 {
		v, at, fault, err := s.nextElement(s.reader.wants(stateWant))
		if err != nil {
			return nil, err
		}
		if fault == "" {
			fault = s.enqueueState(v, at)
		}
		if fault != "" {
			s.queue = append(s.queue[:0], record.Record{At: at, Fault: at + ": " + fault})
		}
	}
	s.current, s.queue = s.queue[0], s.queue[1:]
	return &s.current, nil
}

// enqueueState puts the records of a state v of HELM, at the place at, into the queue: one for each completion,
// or one that says why there is no answer. A calibration, a request with which HELM only prepares
// others, gives none. fault says why the state cannot be read.
func (s *helm) enqueueState(v *fastjson.Value, at string) (fault string) {
	s.queue = s.queue[:0]
	mode, result := jsontree.Text(v.Get("request_mode")), v.Get("result")
	r := record.Record{
		At: at, Key: jsontree.Text(v.Get("instance", "id")), Usage: record.NoUsage, Fields: v, Labels: v.Get("instance", "extra_data"),
		Model: cmp.Or(jsontree.Text(v.Get("request", "model")), jsontree.Text(v.Get("request", "model_deployment"))),
	}
	// Why there may be no answer; else one record for each completion.
	completions := result.GetArray("completions")
	switch {
	case v.Type() != fastjson.TypeObject || jsontree.Absent(v.Get("instance")):
		return "the state has no instance"
	case mode == "calibration":
		return ""
	case !jsontree.Absent(v.Get("reference_index")):
		r.MarkMissing(record.NoText, "the options were weighed one by one (reference_index); there is no text of an answer")
	case jsontree.Absent(result):
		r.MarkMissing(record.NoResponse, "no result (a dry run)")
	case !result.GetBool("success"):
		r.MarkMissing(record.NoResponse, jsontree.Text(result.Get("error")))
	case len(completions) == 0:
		r.MarkMissing(record.NoResponse, "the result has no completions")
	default:
		for _, c := range completions {
			one := r
			one.Response, one.Reasoning = jsontree.Text(c.Get("text")), jsontree.Text(c.Get("thinking", "text"))
			one.FinishReason = record.CommonFinishReason(jsontree.Text(c.Get("finish_reason", "reason")))
			s.queue = append(s.queue, one)
		}
		return ""
	}
	s.queue = append(s.queue, r)
	return ""
}
