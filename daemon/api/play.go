package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/episode"
	"plumb/daemon/jsoncut"
	"plumb/daemon/queue"
	"plumb/daemon/reward"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// player holds what the turns of a client's episode need: the daemon, and how the client asked for it.
type player struct {
	server      *Server
	options     *queue.Options
	preparation reward.Steps
	policy      reward.Policy
	askPeer     peerFunc // whose shared memory pictures go to
}

// config returns the configuration of the episodes that this client plays: the server's items and
// prompts, the client's options, and, if the server has shared memory, how pictures are placed there.
func (player *player) config() episode.Config {
	config := episode.Config{Items: player.server.cfg.Items, Prompts: player.server.cfg.Prompts, Turns: player.server.cfg.MaxTurns,
		Variants: player.options.Variants, Suite: player.options.Suite}
	if player.server.cfg.SharedMemory != nil {
		config.Place = player.place
	}
	return config
}

// place writes the pictures of an observation, as PNG files, into the client's region of shared memory,
// one after another. It returns for each picture a JSON object with its place. A region that is too
// small is an error with the size wanted.
func (player *player) place(region episode.Region, all []ask.Picture) (places [][]byte, err error) {
	pin, err := player.server.pin(regionRange{name: region.Name, offset: region.Offset, size: region.Size}, forWriting, player.askPeer)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	next := 0 // where the next picture begins, from the start of the range
	for i := range all {
		data := all[i].Data
		if next+len(data) > pin.Size() {
			message := fmt.Sprintf("cannot use images.byte_size: got %d bytes; want at least %d for %d pictures",
				pin.Size(), next+len(data), len(all))
			return nil, &scoring.Error{Code: "bad_field", Message: message}
		}
		if err := pin.Use(func(mem []byte) { copy(mem[next:], data) }); err != nil {
			return nil, err
		}
		place := scoring.AppendString([]byte(`{"region":`), region.Name)
		places = append(places, fmt.Appendf(place, `,"offset":%d,"byte_size":%d}`, region.Offset+int64(next), len(data)))
		next += len(data)
	}
	return places, nil
}

// begin begins an episode and plays the answers of its history. It returns the observation after the
// last of these, or the first observation if there are none. fault is what the client must change in
// the request. err is any other failure, after which the client may send the same reset again. The
// answers are noted in trail, for traces and logs.
func (player *player) begin(trail *trail, life context.Context, episodeOptions episode.Options) (
	begun *episode.Episode, observation []byte, fault *scoring.Error, err error) {
	if player.server.cfg.Prompts == nil {
		return nil, nil, nil, errPrompts
	}
	if begun, fault = episode.New(player.config(), episodeOptions); fault != nil {
		return nil, nil, fault, nil
	}
	// A new episode begins with its first observation.
	if len(episodeOptions.History) == 0 {
		err = player.drawWithinLimit(life, func() error { observation, err = begun.First(); return err })
		if err != nil && errors.As(err, &fault) {
			return nil, nil, fault, nil
		}
		return begun, observation, nil, err
	}
	// An episode that goes on plays its earlier answers again. Only the last observation is wanted.
	for i, given := range episodeOptions.History {
		if begun.Done() {
			message := fmt.Sprintf("cannot use history: got %s; the episode ends after %d", plural.Of(len(episodeOptions.History), "answer"), i)
			return nil, nil, &scoring.Error{Code: "bad_field", Message: message}, nil
		}
		one := sample{labelPath: "history", answer: given}
		if _, fault = one.unwrap(fmt.Sprintf("history[%d]", i)); fault != nil {
			return nil, nil, fault, nil
		}
		one.prepare(player.preparation, outsideThought)
		var r reply
		isLast := i+1 == len(episodeOptions.History)
		r, fault, err = player.playTurn(trail, life, begun, &one, turnOptions{skipObservation: !isLast})
		if fault != nil || err != nil {
			return nil, nil, fault, err
		}
		observation = r.observation
	}
	return begun, observation, nil, nil
}

// drawWithinLimit calls f, which may draw pictures, within the bound on requests that draw at once.
func (player *player) drawWithinLimit(life context.Context, f func() error) error {
	if err := player.server.drawingSlots.Acquire(life, 1); err != nil {
		return err
	}
	defer player.server.drawingSlots.Release(1)
	return f()
}

// reply is what a turn ended with.
type reply struct {
	observation, reward []byte // JSON
	episodeOver         bool
}

// turnOptions are how a turn is played.
type turnOptions struct {
	timeout         time.Duration // longest time for it; 0 for none of its own
	skipObservation bool          // nobody reads the observation, so it is not made
}

// playTurn plays one turn of an episode: it scores the answer and returns the observation and the reward.
// fault is what the client must change in the request, err any other failure. After either, the episode
// is as it was before, and the answer may come again. The answer is noted in trail.
func (player *player) playTurn(trail *trail, life context.Context, currentEpisode *episode.Episode, one *sample, turnOptions turnOptions) (
	played reply, fault *scoring.Error, err error) {
	if turnOptions.timeout > 0 {
		var cancel context.CancelFunc
		life, cancel = context.WithTimeout(life, turnOptions.timeout)
		defer cancel()
	}
	// Begin the turn. Unless it ends, Cancel puts the episode back; without a turn that does nothing.
	ended := false
	defer func() {
		if !ended {
			err = errors.Join(err, currentEpisode.Cancel())
		}
	}()
	var turn *episode.Turn
	err = player.server.parseWithinMemory(life, player.options.Client, one.answer, func() { turn = currentEpisode.Begin(one.answer) })
	if err != nil {
		return played, nil, err
	}
	scored, fault, err := player.scoreTurn(trail, life, turn, one, turnOptions.timeout)
	if fault != nil || err != nil {
		return played, fault, err
	}
	result := episode.Result{Result: &scored.result, JSON: scored.json, Outcome: reward.Of(&scored.result, player.options.Reward),
		Zero: player.policy == reward.Zero}
	if outcome := result.Outcome; outcome.Failed {
		mayComeAgain := outcome.Err.Code == "busy" || outcome.Err.Code == "closed" || scored.waited() // the answer is not at fault
		if mayComeAgain || player.policy == reward.Error {
			return played, nil, outcome.Err
		}
	}
	// End the turn: this draws the observation.
	turn.Unseen = turnOptions.skipObservation
	err = player.drawWithinLimit(life, func() (err error) {
		played.observation, played.reward, played.episodeOver, err = currentEpisode.End(turn, result)
		return err
	})
	ended = err == nil
	return played, nil, err
}

// scoreTurn scores the answer of a turn by the queue and notes it in trail. timeout is the time that the client
// allows, 0 for none of its own. A label that cannot be used is a fault; a queue that refuses the answer, or is
// too slow, an error.
func (player *player) scoreTurn(trail *trail, life context.Context, turn *episode.Turn, one *sample, timeout time.Duration) (
	scored *graded, fault *scoring.Error, err error) {
	answer, err := player.server.cfg.Queue.Score(life, dump.Line{Number: 1, Bytes: turn.Line}, player.options)
	if errors.Is(err, context.DeadlineExceeded) && timeout > 0 {
		err = errTimeout
	}
	if err != nil {
		return nil, nil, err
	}
	player.server.noteAnswer(trail, &answer, time.Now())
	all := []graded{{answer.Result, slices.Clone(answer.JSON), answer.Timing}}
	if fault = reward.Fault(&answer.Result, one.labelPath); fault != nil {
		return nil, fault, nil
	}
	const wantsLines = true // the observation contains the result line
	player.server.addNotes([]sample{*one}, all, player.options, wantsLines)
	return &all[0], nil, nil
}

// stepMembers are the members of a step that tell how to play it, and are no part of a bare action.
var stepMembers = []string{"label", "timeout_s", "metadata", "request_id", "suite", "split", "test", "index", "seed", "turns",
	"threshold", "mode", "feedback", "reward", "images", "action", "answer", "history", "episode_id"}

// useBareAction makes the action of an OpenEnv step itself the answer, for environments whose actions
// are objects such as {"x":1,"y":2}: all its members but those of a step. An action with the member
// response keeps that as the answer.
func (one *sample) useBareAction(action []byte) {
	answer := []byte{'{'}
	hasResponse := false
	jsoncut.Members(action, func(key, v []byte) error {
		name := jsoncut.Name(key)
		hasResponse = hasResponse || name == "response"
		if slices.Contains(stepMembers, name) {
			return nil
		}
		if len(answer) > 1 {
			answer = append(answer, ',')
		}
		answer = append(answer, '"')
		answer = append(answer, key...)
		answer = append(answer, `":`...)
		answer = append(answer, v...)
		return nil
	})
	if !hasResponse {
		one.answer = append(answer, '}')
	}
}

// asksForTurns reports whether a reset or an action asks for an episode of several turns, and not for one of
// one step: it has an option of such episodes, or names the task by a seed alone where tasks are loaded.
func (server *Server) asksForTurns(o *episode.Options) bool {
	return o.Chosen || o.Seed != nil && o.Label == nil && len(server.cfg.Items.Tasks) > 0
}

// playReset answers POST /reset for an episode of several turns: with its first observation, or the one
// after the last answer of its history. Nothing is kept of the episode.
func (server *Server) playReset(ctx *fasthttp.RequestCtx, episodeOptions episode.Options) {
	queueOptions, steps, ok := server.trainerOptions(ctx, openEnv)
	if !ok {
		return
	}
	player := &player{server: server, options: queueOptions, preparation: steps, policy: server.cfg.Policies[openEnv], askPeer: server.peerFuncOf(ctx)}
	life, gone := server.clients.wait(server.life, ctx.Conn())
	defer gone()
	episode, observation, fault, err := player.begin(trailOf(ctx), life, episodeOptions)
	if server.failTurn(ctx, fault, err) {
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(wrapObservation(nil, string(observation), []byte("null"), episode.Done()))
}

// failTurn answers a request of an episode with its error, and reports whether there was one. fault is what the
// client must change in the request, such as a bad field. err is any other failure: to score the answer, to
// draw, or to do so in time. Where both are nil it writes nothing.
func (server *Server) failTurn(ctx *fasthttp.RequestCtx, fault *scoring.Error, err error) (failed bool) {
	var unscored *scoring.Error
	switch {
	case fault != nil:
		server.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
	case errors.Is(err, errTimeout):
		server.fail(ctx, fasthttp.StatusGatewayTimeout, "deadline", err.Error())
	case errors.As(err, &unscored) && statusOf(unscored.Code) == fasthttp.StatusOK:
		// An item without a score by the rules is no failure elsewhere and has status 200. Here
		// the policy "error" made it one, which needs the status of a failure.
		server.fail(ctx, fasthttp.StatusUnprocessableEntity, unscored.Code, unscored.Message)
	case err != nil:
		server.failWith(ctx, err)
	}
	return fault != nil || err != nil
}

// playStep answers POST /step with one turn of an episode of several turns, which the action must describe
// completely, because the daemon keeps none over HTTP: the task, the options of a reset, and the earlier
// answers as history. It returns false, and answers nothing, for an action of an episode of one step.
func (server *Server) playStep(ctx *fasthttp.RequestCtx, body []byte) (answered bool) {
	_, action := textAndMember(body, "", "action")
	if len(action) == 0 || action[0] != '{' {
		return false
	}
	episodeOptions, fault := episode.ReadOptions(action, "action.")
	if fault == nil && !server.asksForTurns(&episodeOptions) {
		return false
	}
	// The action names everything that the turn depends on.
	queueOptions, steps, ok := server.trainerOptions(ctx, openEnv)
	if !ok {
		return true
	}
	player := &player{server: server, options: queueOptions, preparation: steps, policy: server.cfg.Policies[openEnv], askPeer: server.peerFuncOf(ctx)}
	exchange := &exchange{preparation: steps}
	if fault == nil {
		fault = exchange.readStep(body, action)
	}
	if server.failTurn(ctx, fault, nil) {
		return true
	}
	// Play it, unless the client goes away.
	life, gone := server.clients.wait(server.life, ctx.Conn())
	defer gone()
	reply, fault, err := player.replayAndTurn(trailOf(ctx), life, episodeOptions, exchange, action)
	if server.failTurn(ctx, fault, err) {
		return true
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(wrapObservation(nil, string(reply.observation), reply.reward, reply.episodeOver))
	return true
}

// replayAndTurn makes an episode for this request alone, plays the answers of its history, and then the
// turn of the request's action, whose reply it returns. The reward is that of this turn alone, but the
// exchange's timeout bounds all turns together. fault is what the client must change in the request, err
// any other failure.
func (player *player) replayAndTurn(trail *trail, life context.Context, options episode.Options, exchange *exchange, action []byte) (
	r reply, fault *scoring.Error, err error) {
	if player.server.cfg.Prompts == nil {
		return reply{}, nil, errPrompts
	}
	if exchange.timeout > 0 {
		var cancel context.CancelFunc
		life, cancel = context.WithTimeout(life, exchange.timeout)
		defer cancel()
	}
	history := options.History
	options.History = nil
	// Play the earlier answers again.
	e, fault := episode.New(player.config(), options)
	if fault != nil {
		return reply{}, fault, nil
	}
	for i, given := range history {
		one := sample{labelPath: "action.label", answer: given}
		if _, fault := one.unwrap("action.history[" + strconv.Itoa(i) + "]"); fault != nil {
			return reply{}, fault, nil
		}
		one.prepare(player.preparation, outsideThought)
		if _, fault, err := player.playTurn(trail, life, e, &one, turnOptions{timeout: exchange.timeout, skipObservation: true}); fault != nil || err != nil {
			return reply{}, fault, err
		}
		if e.Done() {
			message := fmt.Sprintf("cannot step: the episode ended with answer %d of the history; want another episode", i+1)
			return reply{}, &scoring.Error{Code: "episode_done", Message: message}, nil
		}
	}
	// Then play this one.
	one := &exchange.samples[0]
	if e.Bare() {
		one.useBareAction(action)
	}
	return player.playTurn(trail, life, e, one, turnOptions{timeout: exchange.timeout})
}
