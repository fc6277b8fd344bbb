package api

import (
	"fmt"
	"slices"
	"time"

	"plumb/daemon/jsoncut"
	"plumb/daemon/queue"
	"plumb/daemon/reward"
	"plumb/scoring"
)

// openRLHFRoute is POST /get_reward: lists of any length, empty ones too, because a
// trainer with several URLs sends the sample to the first and empty lists to the others.
// The trainer makes tensors of the lists, so null is no policy. See docs/spec/http.md#r16.
var openRLHFRoute = trainer{
	name: "openrlhf", path: "/get_reward", metric: "get_reward", retryAfterWait: true,
	policies: []reward.Policy{reward.Zero, reward.Drop, reward.Error}, preparation: reward.StepSpecial,
	decode: func(s *Server, x *exchange) (fault *scoring.Error) {
		x.samples, fault = s.openRLHFSamples(x.body, x.preparation)
		return fault
	},
	encode: func(x *exchange) []byte {
		var kept []reward.Outcome
		var times []queue.Timing
		for i, o := range x.outcomes {
			if !o.Failed || x.policy != reward.Drop {
				kept = append(kept, o)
				times = append(times, x.results[i].timing)
			}
		}
		if !x.wantsTimings {
			times = nil
		}
		return appendRewards(nil, kept, times)
	},
}

// appendRewards appends OpenRLHF's answer: lists of numbers, one for each sample of list. The keys are
// always the same, but that extra_logs of an empty request is empty. times holds the times of each
// sample, which become two more lists, or is nil.
func appendRewards(dst []byte, list []reward.Outcome, times []queue.Timing) []byte {
	numbers := func(begin string, value func(i int) float64) { // appends begin, then a list
		dst = append(append(dst, begin...), '[')
		for i := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = scoring.AppendFloat(dst, value(i))
		}
		dst = append(dst, ']')
	}
	column := func(begin string, value func(reward.Outcome) float64) {
		numbers(begin, func(i int) float64 { return value(list[i]) })
	}
	column(`{"rewards":`, func(o reward.Outcome) float64 { return o.Reward })
	column(`,"scores":`, func(o reward.Outcome) float64 { return o.Clamped })
	dst = append(dst, `,"extra_logs":{`...)
	if len(list) > 0 {
		column(`"score":`, func(o reward.Outcome) float64 { return o.Score })
		column(`,"failed":`, failedAs1)
	}
	if len(list) > 0 && times != nil {
		wait := func(i int) time.Duration { return times[i][queue.PartQueue] }
		numbers(`,"queue_ms":`, func(i int) float64 { return milliseconds(wait(i)) })
		numbers(`,"score_ms":`, func(i int) float64 { return milliseconds(times[i].Total() - wait(i)) })
	}
	return append(dst, '}', '}')
}

// failedAs1 returns 1 for a sample that could not be scored, else 0, as OpenRLHF logs it.
func failedAs1(o reward.Outcome) float64 {
	if o.Failed {
		return 1
	}
	return 0
}

// openRLHFSamples reads the samples of a request from its lists query, prompts and labels, which must
// have equal lengths; prompts may be missing. A query is the prompt and the answer in one text, so the
// prompt is cut off, and the rest is prepared by steps.
func (server *Server) openRLHFSamples(body []byte, steps reward.Steps) ([]sample, *scoring.Error) {
	lists := map[string][][]byte{}
	var fault *scoring.Error
	jsoncut.Named(body, func(key, value []byte) error {
		name := string(key)
		if !slices.Contains([]string{"query", "prompts", "labels"}, name) || fault != nil || jsoncut.Null(value) {
			return nil
		}
		lists[name], fault = server.list(name, value)
		return nil
	})
	if fault != nil {
		return nil, fault
	}
	// The lists must fit together.
	queries, prompts, labels := lists["query"], lists["prompts"], lists["labels"]
	switch {
	case queries == nil:
		return nil, &scoring.Error{Code: "bad_field", Message: "cannot use query: got nothing; want a list of texts"}
	case len(prompts) != len(queries) && prompts != nil:
		return nil, &scoring.Error{Code: "bad_field",
			Message: fmt.Sprintf("cannot use prompts: got %d; want as many as query, %d", len(prompts), len(queries))}
	case len(labels) != len(queries):
		message := fmt.Sprintf("cannot use labels: got %d; want as many as query, %d (--data.label_key)", len(labels), len(queries))
		return nil, &scoring.Error{Code: reward.BadLabel, Message: message}
	}
	// Cut the prompt off each query and prepare the answer.
	samples := make([]sample, len(queries))
	for i, q := range queries {
		one := sample{label: labels[i], answer: q, labelPath: fmt.Sprintf("labels[%d]", i)}
		if _, fault := one.unwrap(fmt.Sprintf("query[%d]", i)); fault != nil {
			return nil, fault
		}
		if jsoncut.Null(one.answer) || one.answer[0] != '"' {
			return nil, badField(fmt.Sprintf("query[%d]", i), q, "a string")
		}
		prompt := ""
		if prompts != nil && prompts[i][0] == '"' {
			prompt = string(jsoncut.Text(prompts[i]))
		}
		text := reward.Answer(string(jsoncut.Text(one.answer)), prompt)
		text, done := reward.Prepare(text, steps, reward.OpensThought(prompt))
		one.answer = scoring.AppendString(nil, text)
		one.noteSteps(done)
		samples[i] = one
	}
	return samples, nil
}

// list returns the elements of a JSON list of a request, of at most --max-items. name is where the list
// stands, for messages. An empty list is not nil.
func (server *Server) list(name string, value []byte) ([][]byte, *scoring.Error) {
	if value[0] != '[' {
		return nil, badField(name, value, "a list")
	}
	all, err := jsoncut.Elements(value, server.cfg.MaxItems)
	if err != nil {
		return nil, &scoring.Error{Code: "too_large",
			Message: fmt.Sprintf("cannot score %s: got more than %d (--max-items)", name, server.cfg.MaxItems)}
	}
	if all == nil {
		all = [][]byte{}
	}
	return all, nil
}
