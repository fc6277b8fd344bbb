package api

import (
	"bytes"

	"plumb/daemon/reward"
	"plumb/scoring"
)

// slimeRoute is POST /reward/slime: the whole body is the reward, a number, or with
// ?format=object the result line, for runs with --reward-key reward. Null stands for no
// number; a sample cannot be left out. See docs/spec/http.md#r17.
var slimeRoute = trainer{
	name: "slime", path: "/reward/slime", metric: "slime", retryAfterWait: true,
	policies: []reward.Policy{reward.Zero, reward.Null, reward.Error}, preparation: reward.StepSpecial,
	decode: func(s *Server, x *exchange) *scoring.Error {
		format := string(x.query.Peek("format"))
		if format != "" && format != "number" && format != "object" {
			return &scoring.Error{Code: "bad_options", Message: "cannot use format: want number or object"}
		}
		x.wantsLines = format == "object"
		one, fault := nativeSample(x.body, "", x.preparation)
		x.samples = []sample{one}
		return fault
	},
	encode: func(x *exchange) []byte {
		o, line := x.outcomes[0], x.results[0].json
		switch {
		case x.wantsLines && o.Failed && x.policy == reward.Zero:
			return zeroReward(line)
		case x.wantsLines:
			return line
		case o.Failed && x.policy == reward.Null:
			return []byte("null")
		}
		return scoring.AppendFloat(nil, o.Reward)
	},
}

// zeroReward returns a result line without a score with the reward 0.0 in place of null. The error in
// the line still tells it from a bad answer.
func zeroReward(line []byte) []byte {
	// Quotes inside strings are escaped, so these bytes stand for the members.
	return bytes.Replace(line, []byte(`"score":null,"reward":null`), []byte(`"score":null,"reward":0.0`), 1)
}
