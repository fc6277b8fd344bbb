package api

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"plumb/daemon/reward"
	"plumb/scoring"
)

// slime answers POST /reward/slime: the whole body is the reward, a number, or with
// ?format=object the result line, for runs with --reward-key reward. See
// docs/spec/http.md#r17.
func (s *Server) slime(ctx *fasthttp.RequestCtx) {
	body, ok := s.checked(ctx)
	if !ok {
		return
	}
	opt, steps, ok := s.choices(ctx, reward.Slime)
	if !ok {
		return
	}
	format := string(ctx.QueryArgs().Peek("format"))
	if format != "" && format != "number" && format != "object" {
		s.fail(ctx, fasthttp.StatusBadRequest, "bad_options", "cannot use format: want number or object")
		return
	}
	var one sample
	if !s.parsed(ctx, opt, body, func() (fault *scoring.Error) { one, fault = nativeSample(body, "", steps); return fault }) {
		return
	}
	all, ok := s.graded(ctx, []sample{one}, opt, format == "object")
	if !ok || s.overran(ctx, all) {
		return
	}
	policy := s.cfg.Policies[reward.Slime]
	o := reward.Of(&all[0].result, opt.Reward)
	if o.Failed && policy == reward.Error {
		s.unscorable(ctx, o.Err)
		return
	}
	ctx.SetContentType("application/json")
	switch {
	case format == "object" && o.Failed && policy == reward.Zero:
		ctx.SetBody(zeroReward(all[0].json))
	case format == "object":
		ctx.SetBody(all[0].json)
	case o.Failed && policy == reward.Null:
		ctx.SetBodyString("null")
	default:
		ctx.SetBody(scoring.AppendFloat(nil, o.Reward))
	}
}

// zeroReward puts a reward of 0.0 into a result line without a score: the error
// beside it tells it from a bad answer.
func zeroReward(line []byte) []byte {
	// Quotes inside strings are escaped, so these bytes stand for the members.
	return bytes.Replace(line, []byte(`"score":null,"reward":null`), []byte(`"score":null,"reward":0.0`), 1)
}
