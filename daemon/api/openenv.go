package api

import (
	"bytes"
	"cmp"
	_ "embed"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/episode"
	"plumb/daemon/jsoncut"
	"plumb/daemon/reward"
	"plumb/scoring"
)

// OpenEnv's contract, over HTTP here and over WebSocket in session.go. An episode is one
// step: the answer with its label in, the result out. Replies have the members of
// OpenEnv's models and no others. See docs/spec/http.md#r20.

// openEnvRoute is POST /step: {"action":{...}} with the answer and its label.
var openEnvRoute = trainer{
	name: openEnv, path: "/step", metric: "step", wantsLines: true,
	policies: []reward.Policy{reward.Null, reward.Zero, reward.Error},
	decode: func(s *Server, x *exchange) *scoring.Error {
		_, action := textAndMember(x.body, "", "action")
		if len(action) == 0 || action[0] != '{' {
			return badField("action", action, "an object with response and label")
		}
		return x.readStep(x.body, action)
	},
	encode: stepped, answerOtherwise: (*Server).playStep,
	moreRoutes: map[string]route{
		"/metadata": {name: "metadata", method: "GET", handle: (*Server).metadata},
		"/schema":   {name: "schema", method: "GET", handle: (*Server).schema},
		"/state":    {name: "state", method: "GET", handle: (*Server).state},
		"/reset":    {name: "reset", method: "POST", handle: (*Server).reset},
		"/ws":       {name: "ws", method: "GET", handle: (*Server).webSocket},
		"/mcp":      {name: "mcp", method: "POST", handle: (*Server).mcp},

		"/list_environments": {name: "list_environments", method: "GET", handle: (*Server).environments},
	},
}

// openEnv is the name of OpenEnv's adapter.
const openEnv = "openenv"

// stepped returns OpenEnv's answer to a step of an episode of one step: the observation, the reward,
// which is null for a failure unless the policy is zero, and that the episode is done.
func stepped(exchange *exchange) []byte {
	graded, outcome := &exchange.results[0], exchange.outcomes[0]
	rewardJSON := []byte("null")
	if !outcome.Failed || exchange.policy == reward.Zero {
		rewardJSON = scoring.AppendFloat(nil, outcome.Reward)
	}
	const done = true // after its only step
	return wrapObservation(nil, string(observed(&graded.result, outcome, graded.json)), rewardJSON, done)
}

// readAction reads data, the JSON object of an action, as the one sample of the exchange, and its timeout.
// path is where the object stands in the request, for errors. The sample is set even if there is a fault.
func (exchange *exchange) readAction(data []byte, path string) *scoring.Error {
	one, fault := nativeSample(data, path, exchange.preparation)
	exchange.samples = []sample{one}
	if fault == nil {
		exchange.timeout, fault = timeoutOf(data, path)
	}
	return fault
}

// readStep reads body, a step of OpenEnv, whose member action is the object action, as the one sample of
// the exchange, and its timeout. The timeout of the step counts; without one, that of the action does.
// The sample may be set even if there is a fault.
func (exchange *exchange) readStep(body, action []byte) *scoring.Error {
	timeout, fault := timeoutOf(body, "")
	if fault == nil {
		fault = exchange.readAction(action, "action.")
	}
	exchange.timeout = cmp.Or(timeout, exchange.timeout)
	return fault
}

// maxEpisodeID is the longest episode id in characters, as in OpenEnv's model.
const maxEpisodeID = 255

// emptyObservation is what there is to see before the step.
const emptyObservation = `{"status":null,"score":null,"error":null,"result":null}`

// schemas describe action, observation and state for GET /schema.
//
//go:embed schema.json
var schemas []byte

// metadata answers GET /metadata, OpenEnv's route that describes the environment.
func (server *Server) metadata(ctx *fasthttp.RequestCtx) {
	server.reply(ctx, map[string]any{"name": "plumb", "version": server.cfg.Version.Version,
		"description": "Whiteboard benchmarks as episodes of one or several turns: prompts with pictures, answers, feedback and rewards."})
}

// schema answers GET /schema with the JSON schemas of actions, observations and states.
func (server *Server) schema(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	ctx.SetBody(schemas)
}

// state answers GET /state: requests over HTTP share no episode.
func (server *Server) state(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	ctx.SetBody(episodeState{}.append(nil))
}

// episodeState is the state of one environment.
type episodeState struct {
	id    string // "" before the first reset
	steps int
	label []byte           // of reset, a JSON value of its own, of an episode of one step; nil for none
	done  bool             // its step was made
	play  *episode.Episode // of several turns; nil for none
}

// open reports whether an episode is under way.
func (state *episodeState) open() bool {
	return state.play != nil && !state.play.Done() || state.label != nil && !state.done
}

// append appends the state of an OpenEnv episode as a JSON object: its id, the number of steps, and
// what the episode's play adds.
func (state episodeState) append(dst []byte) []byte {
	dst = append(dst, `{"episode_id":`...)
	if state.id == "" {
		dst = append(dst, "null"...)
	} else {
		dst = scoring.AppendString(dst, state.id)
	}
	dst = strconv.AppendInt(append(dst, `,"step_count":`...), int64(state.steps), 10)
	if state.play != nil {
		dst = append(append(dst, ','), state.play.State()...)
	}
	return append(dst, '}')
}

// newEpisode begins an episode of one step with the parameters of a reset: seed, episode_id and label
// of the object data. It checks the label, so that a bad one is an error of the reset. Without an id the
// episode gets a new one.
func (server *Server) newEpisode(data []byte) (episodeState, *scoring.Error) {
	state := episodeState{}
	var fault *scoring.Error
	if data != nil {
		jsoncut.Named(data, func(key, value []byte) error {
			if fault != nil || jsoncut.Null(value) {
				return nil
			}
			switch string(key) {
			case "seed":
				if _, err := strconv.ParseUint(string(value), 10, 64); err != nil {
					fault = badField("seed", value, "a whole number, 0 or more")
				}
			case "episode_id":
				if value[0] != '"' || len([]rune(string(jsoncut.Text(value)))) > maxEpisodeID {
					fault = badField("episode_id", value, "a string of at most 255 characters")
					return nil
				}
				state.id = string(jsoncut.Text(value))
			case "label":
				state.label = bytes.Clone(value)
			}
			return nil
		})
	}
	if state.label != nil && fault == nil {
		_, fault = server.labelReader().AppendDumpLine(nil, state.label, nil, "label") // only checks it
	}
	if state.id == "" {
		state.id = server.idPrefix + "-" + strconv.FormatUint(server.requestCount.Add(1), 10)
	}
	return state, fault
}

// wrapObservation appends OpenEnv's answer to a reset or a step: an observation and a reward, both JSON,
// and whether the episode is done.
func wrapObservation(dst []byte, observation string, rewardJSON []byte, done bool) []byte {
	dst = append(append(dst, `{"observation":`...), observation...)
	dst = append(append(dst, `,"reward":`...), rewardJSON...)
	dst = strconv.AppendBool(append(dst, `,"done":`...), done)
	return append(dst, '}')
}

// reset answers POST /reset, which begins an episode. If the body chooses an episode of several turns,
// the answer is its first observation, else an empty one. Over plain HTTP nothing is kept of either.
func (server *Server) reset(ctx *fasthttp.RequestCtx) {
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	body, ok = server.checkObject(ctx, body)
	if !ok {
		return
	}
	_, fault := server.newEpisode(body) // for its checks
	options, optionsFault := episode.ReadOptions(body, "")
	if fault = cmp.Or(fault, optionsFault); fault != nil {
		server.fail(ctx, fasthttp.StatusUnprocessableEntity, fault.Code, fault.Message)
		return
	}
	if server.asksForTurns(&options) {
		server.playReset(ctx, options)
		return
	}
	ctx.SetContentType("application/json")
	const done = false
	ctx.SetBody(wrapObservation(nil, emptyObservation, []byte("null"), done))
}

// timeoutOf returns timeout_s of a step, in seconds above 0; 0 if the object b has none. A timeout of
// more than a day counts as one. path is where b stands in the request, for messages.
func timeoutOf(b []byte, path string) (d time.Duration, fault *scoring.Error) {
	jsoncut.Named(b, func(key, value []byte) error {
		if string(key) != "timeout_s" || jsoncut.Null(value) {
			return nil
		}
		x, err := strconv.ParseFloat(string(value), 64)
		if err != nil || !(x > 0) {
			fault = badField(path+"timeout_s", value, "a number of seconds above 0")
			return nil
		}
		d = time.Duration(min(x, 24*3600) * float64(time.Second)) // a larger product could overflow
		d = max(d, 1)                                             // 0 means none
		return nil
	})
	return d, fault
}

// observed returns the observation of an OpenEnv step as JSON: status, score, error and the result
// line. It has the same members in every case, as OpenEnv's model demands; what is missing is null.
func observed(result *scoring.Result, outcome reward.Outcome, line []byte) []byte {
	out := []byte(`{"status":`)
	if result.Status == "" {
		out = append(out, "null"...)
	} else {
		out = scoring.AppendString(out, result.Status)
	}
	out = append(out, `,"score":`...)
	if outcome.Failed {
		out = append(out, `null,"error":{"code":`...)
		out = append(scoring.AppendString(out, outcome.Err.Code), `,"message":`...)
		out = append(scoring.AppendString(out, outcome.Err.Message), '}')
	} else {
		out = append(scoring.AppendFloat(out, outcome.Score), `,"error":null`...)
	}
	out = append(append(out, `,"result":`...), line...)
	return append(out, '}')
}
