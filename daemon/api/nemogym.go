package api

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"plumb/daemon/jsoncut"
	"plumb/daemon/message"
	"plumb/daemon/reward"
	"plumb/scoring"
)

// The members of a verify response that are ours. What a request has of them
// comes from an earlier verification of the same row, and is replaced.
var verifyKeys = map[string]bool{
	"reward": true, "reward_components": true, "plumb_result": true,
	failureClass: true, failureTerminal: true, failureReason: true, failureKind: true, maskSample: true,
}

// Members with which NeMo Gym tells failures from rewards.
const (
	failureClass    = "_ng_failure_class"
	failureTerminal = "_ng_failure_terminal"
	failureReason   = "failure_reason"
	failureKind     = "failure_kind" // "plumb:" and the class, of low cardinality
	maskSample      = "mask_sample"  // the reward is no measurement
)

// nemoGymRoute is POST /verify: the request with every field, and the reward. What is not
// the model's fault, a label that cannot be used too, has a failure class, so that the
// collector keeps the row out of the means. See docs/spec/http.md#r18.
var nemoGymRoute = trainer{
	name: "nemo-gym", path: "/verify", metric: "verify", wantsLines: true, faultIsAnswer: true,
	policies: []reward.Policy{reward.Zero, reward.Drop, reward.Error},
	decode: func(s *Server, x *exchange) *scoring.Error {
		one, fault := verifySample(x.body, x.preparation)
		x.samples = []sample{one}
		return fault
	},
	encode: func(x *exchange) []byte {
		v := verified{policy: x.policy}
		if x.fault != nil {
			v.outcome, v.noRetry = reward.Outcome{Failed: true, Err: x.fault}, true
		} else {
			v.outcome, v.resultLine = x.outcomes[0], x.results[0].json
			v.noRetry = v.outcome.Failed && v.policy == reward.Drop
		}
		return v.append(nil, x.body)
	},
	moreRoutes: map[string]route{
		"/seed_session":      {name: "seed_session", method: "POST", handle: (*Server).echoSession},
		"/close_session":     {name: "close_session", method: "POST", handle: (*Server).echoSession},
		"/aggregate_metrics": {name: "aggregate_metrics", method: "POST", handle: (*Server).aggregateMetrics},
		"/reverify_mode":     {name: "reverify_mode", method: "GET", handle: (*Server).reverifyMode},
	},
}

// verified is the answer of NeMo Gym's route verify.
type verified struct {
	policy     reward.Policy
	outcome    reward.Outcome
	resultLine []byte // the result line, nil where nothing was scored
	noRetry    bool   // trying again does not help, or is not wanted
}

// append appends the answer to a verify request: all members of the request, and those that this daemon
// adds: the reward, its components, the result, and for a failure its class. The components score and
// failed also stand at the top, where NeMo Gym's metrics look for them. There a member of the request
// with such a name is kept, unless an earlier verify wrote it.
func (verified *verified) append(dst, request []byte) []byte {
	components := []struct {
		name  string
		value float64
	}{{"score", verified.outcome.Score}, {"failed", failedAs1(verified.outcome)}}
	earlier := earlierComponents(request)
	fromRequest := map[string]bool{}
	dst = append(dst, '{')
	// Members of the request come back as they are.
	jsoncut.Members(request, func(key, value []byte) error {
		name := jsoncut.Name(key)
		if verifyKeys[name] || earlier[name] {
			return nil
		}
		fromRequest[name] = true // so it is not written again below
		dst = append(dst, '"')
		dst = append(dst, key...)
		dst = append(dst, '"', ':')
		dst = append(append(dst, value...), ',')
		return nil
	})
	// The reward and its components.
	dst = scoring.AppendFloat(append(dst, `"reward":`...), verified.outcome.Reward)
	dst = append(dst, `,"reward_components":{`...)
	for i, c := range components {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = scoring.AppendFloat(append(dst, `"`+c.name+`":`...), c.value)
	}
	dst = append(dst, '}')
	for _, c := range components {
		if !fromRequest[c.name] {
			dst = scoring.AppendFloat(append(dst, `,"`+c.name+`":`...), c.value)
		}
	}
	if verified.resultLine != nil {
		dst = append(append(dst, `,"plumb_result":`...), verified.resultLine...)
	}
	// What NeMo Gym reads of a failure.
	if verified.outcome.Failed {
		dst = scoring.AppendString(append(dst, `,"`+failureClass+`":`...), verified.outcome.Err.Code)
		if verified.noRetry {
			dst = append(dst, `,"`+failureTerminal+`":true`...)
		}
		dst = scoring.AppendString(append(dst, `,"`+failureReason+`":`...), verified.outcome.Err.Message)
		dst = append(dst, `,"`+maskSample+`":true`...)
		dst = scoring.AppendString(append(dst, `,"`+failureKind+`":`...), "plumb:"+verified.outcome.Err.Code)
	}
	return append(dst, '}')
}

// earlierComponents returns the names of the reward's components that an earlier verify of the row wrote.
func earlierComponents(request []byte) map[string]bool {
	names := map[string]bool{}
	jsoncut.Named(request, func(key, value []byte) error {
		if string(key) == "reward_components" && value[0] == '{' {
			return jsoncut.Named(value, func(key, _ []byte) error {
				if name := string(key); name == "score" || name == "failed" {
					names[name] = true
				}
				return nil
			})
		}
		return nil
	})
	return names
}

// verifySample reads the label and the model's text of a verify request, and prepares the text by steps.
// A missing response is no error here; one that is no OpenAI Responses object is.
func verifySample(body []byte, steps reward.Steps) (sample, *scoring.Error) {
	one := sample{labelPath: "label"}
	jsoncut.Named(body, func(key, value []byte) error {
		switch string(key) {
		case "label":
			one.label = value
		case "response":
			one.answer = value
		}
		return nil
	})
	if jsoncut.Null(one.answer) {
		return one, nil // the response is missing
	}
	if one.answer[0] == '"' {
		return one, badField("response", one.answer, "an OpenAI Responses object")
	}
	shape, fault := one.unwrap("response")
	if fault != nil {
		return one, fault
	}
	if shape == message.Responses {
		one.notes = nil // the form that this contract sends needs no note
	}
	if !jsoncut.Null(one.answer) && one.answer[0] != '"' {
		return one, badField("response", one.answer, "an OpenAI Responses object with a list output")
	}
	one.prepare(steps, outsideThought)
	return one, nil
}

// textAndMember returns two members of a JSON object: the one called text, if it is a string, and the value of
// the one called other. A member that is missing is "" or nil, and so are both of a value that is no object.
func textAndMember(object []byte, text, other string) (s string, v []byte) {
	if object[0] != '{' {
		return "", nil
	}
	jsoncut.Named(object, func(key, value []byte) error {
		switch string(key) {
		case text:
			if value[0] == '"' {
				s = string(jsoncut.Text(value))
			}
		case other:
			v = value
		}
		return nil
	})
	return s, v
}

// echoSession answers POST /seed_session and POST /close_session. The daemon keeps no state of a
// session, so the answer is its name, where the request has one, and closing is always possible.
func (server *Server) echoSession(ctx *fasthttp.RequestCtx) {
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	body = bytes.TrimSpace(body)
	if len(body) > 0 {
		if err := server.cfg.Items.Limits.Check(body); err != nil {
			server.fail(ctx, fasthttp.StatusBadRequest, "bad_json", "cannot read body: "+err.Error())
			return
		}
	}
	reply := []byte("{")
	if len(body) > 0 && body[0] == '{' {
		jsoncut.Named(body, func(key, v []byte) error {
			if string(key) == "resources_session_id" && v[0] == '"' {
				reply = append(append(reply, `"resources_session_id":`...), v...)
			}
			return nil
		})
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(append(reply, '}'))
}

// reverifyMode answers GET /reverify_mode: a row may be verified again at any time.
func (server *Server) reverifyMode(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	ctx.SetBodyString(`"stateless"`)
}
