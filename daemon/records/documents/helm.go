package documents

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
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
	walker  *jsonwalk.Walker
	element element
	states  int // states begun, -1 before the list
	queue   []record.Record
	cur     record.Record
	err     error
}

// HELM reads scenario_state.json of a run of HELM. See docs/spec/dumps-files.md#r15.
func HELM(in *input.Input, o Options) (record.Source, error) {
	s := &helm{walker: jsonwalk.New(in.Stream()), element: newElement(in.Limits.Line, o), states: -1}
	if err := s.walker.Object(); err != nil {
		return nil, err
	}
	if err := s.members(); err != nil && err != io.EOF {
		return nil, err
	}
	return s, nil
}

// Close implements record.Source.
func (s *helm) Close() error { return nil }

// members skips to the list of states. The error is io.EOF at the end of the document.
func (s *helm) members() error {
	for {
		name, ok, err := s.walker.Member()
		switch {
		case err != nil:
			return s.fail(err)
		case ok && string(name) == "request_states" && s.states < 0:
			if err := s.walker.List(); err != nil {
				return s.fail(err)
			}
			s.states = 0
			return nil
		case ok:
			if err := s.walker.Skip(); err != nil {
				return s.fail(err)
			}
			continue
		}
		if err := s.walker.End(); err != nil {
			return s.fail(err)
		}
		if s.states < 0 {
			return s.fail(errors.New("the document has no request_states; want the file scenario_state.json"))
		}
		s.err = io.EOF
		return s.err
	}
}

// fail ends the document.
func (s *helm) fail(err error) error {
	switch {
	case jsonwalk.Torn(err) && s.states > 0:
		s.err = fmt.Errorf("request_states: the document breaks off at byte %d in element %d; the elements before it are delivered", s.walker.Offset(), s.states-1)
	case s.states > 0:
		s.err = fmt.Errorf("cannot read the document behind request_states[%d]: %w", s.states-1, err)
	default:
		s.err = err
	}
	return s.err
}

// Next implements record.Source.
func (s *helm) Next() (*record.Record, error) {
	for {
		if len(s.queue) > 0 {
			s.cur, s.queue = s.queue[0], s.queue[1:]
			return &s.cur, nil
		}
		if s.err != nil {
			return nil, s.err
		}
		ok, err := s.walker.Element()
		if err != nil {
			return nil, s.fail(err)
		}
		if !ok {
			s.members()
			continue
		}
		s.states++
		v, fault, err := s.element.read(s.walker, stateWant)
		if err != nil {
			return nil, s.fail(err)
		}
		at := fmt.Sprintf("request_states[%d]", s.states-1)
		if fault == "" {
			fault = s.state(v, at)
		}
		if fault != "" {
			s.queue = append(s.queue[:0], record.Record{At: at, Fault: at + ": " + fault})
		}
	}
}

// state puts the records of a state into the queue.
func (s *helm) state(v *fastjson.Value, at string) (fault string) {
	s.queue = s.queue[:0]
	mode, result := text(v.Get("request_mode")), v.Get("result")
	r := record.Record{
		At: at, Key: text(v.Get("instance", "id")), Usage: record.NoUsage, Fields: v, Labels: v.Get("instance", "extra_data"),
		Model: cmp.Or(text(v.Get("request", "model")), text(v.Get("request", "model_deployment"))),
	}
	completions := result.GetArray("completions")
	switch {
	case v.Type() != fastjson.TypeObject || null(v.Get("instance")):
		return "the state has no instance"
	case mode == "calibration":
		return ""
	case !null(v.Get("reference_index")):
		r.Failed(record.NoText, "the options were weighed one by one (reference_index); there is no text of an answer")
	case null(result):
		r.Failed(record.NoResponse, "no result (a dry run)")
	case !result.GetBool("success"):
		r.Failed(record.NoResponse, text(result.Get("error")))
	case len(completions) == 0:
		r.Failed(record.NoResponse, "the result has no completions")
	default:
		for _, c := range completions {
			one := r
			one.Response, one.Reasoning = text(c.Get("text")), text(c.Get("thinking", "text"))
			one.FinishReason = record.Finish(text(c.Get("finish_reason", "reason")))
			s.queue = append(s.queue, one)
		}
		return ""
	}
	s.queue = append(s.queue, r)
	return ""
}
