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
)

// player holds what the turns of a client's episode need: the daemon, and how the client asked for
// it.
type player struct {
	s      *Server
	opt    *queue.Options
	steps  reward.Steps
	policy reward.Policy
	who    asker // whose shared memory pictures go to
}

// config returns the configuration of the episodes of this client.
func (p *player) config() episode.Config {
	c := episode.Config{Items: p.s.cfg.Items, Prompts: p.s.cfg.Prompts, Turns: p.s.cfg.Turns, Variants: p.opt.Variants, Suite: p.opt.Suite}
	if p.s.cfg.Shared != nil {
		c.Place = p.place
	}
	return c
}

// place writes the pictures of an observation into the client's region of shared memory, one after
// another.
func (p *player) place(at episode.Region, all []ask.Picture) (places [][]byte, err error) {
	pin, err := p.s.pin(target{name: at.Name, offset: at.Offset, size: at.Size}, true, p.who)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	from := 0
	for i := range all {
		data := all[i].Data
		if from+len(data) > pin.Size() {
			return nil, &scoring.Error{Code: "bad_field", Message: fmt.Sprintf("cannot use images.byte_size: got %d bytes; want at least %d for %d pictures", pin.Size(), from+len(data), len(all))}
		}
		if err := pin.Use(func(mem []byte) { copy(mem[from:], data) }); err != nil {
			return nil, err
		}
		place := scoring.AppendString([]byte(`{"region":`), at.Name)
		places = append(places, fmt.Appendf(place, `,"offset":%d,"byte_size":%d}`, at.Offset+int64(from), len(data)))
		from += len(data)
	}
	return places, nil
}

// begin begins an episode, and plays the answers of its history. The observation is that of the
// last of these, or the first one. fault is what the client must change in the request. err is any
// other failure, after which the same reset may come again.
func (p *player) begin(left *trail, life context.Context, o episode.Options) (e *episode.Episode, observation []byte, fault *scoring.Error, err error) {
	if p.s.cfg.Prompts == nil {
		return nil, nil, nil, errPrompts
	}
	if e, fault = episode.New(p.config(), o); fault != nil {
		return nil, nil, fault, nil
	}
	if len(o.History) == 0 {
		err = p.drawing(life, func() error { observation, err = e.First(); return err })
		if err != nil && errors.As(err, &fault) {
			return nil, nil, fault, nil
		}
		return e, observation, nil, err
	}
	for i, given := range o.History {
		if e.Done() {
			return nil, nil, &scoring.Error{Code: "bad_field", Message: fmt.Sprintf("cannot use history: got %d answers; the episode ends after %d", len(o.History), i)}, nil
		}
		one := sample{at: "history", answer: given}
		if _, fault = one.unwrap(fmt.Sprintf("history[%d]", i)); fault != nil {
			return nil, nil, fault, nil
		}
		one.prepare(p.steps, false)
		var r reply
		r, fault, err = p.turn(left, life, e, &one, 0, i+1 < len(o.History))
		if fault != nil || err != nil {
			return nil, nil, fault, err
		}
		observation = r.observation
	}
	return e, observation, nil, nil
}

// drawing calls f, which may draw pictures, within the bound on requests that draw at once.
func (p *player) drawing(life context.Context, f func() error) error {
	if err := p.s.drawing.Acquire(life, 1); err != nil {
		return err
	}
	defer p.s.drawing.Release(1)
	return f()
}

// reply is what a turn ended with.
type reply struct {
	observation, reward []byte // JSON
	done                bool
}

// turn plays one turn with an answer. After a fault or an error the episode is as before, and the
// answer may come again. unseen leaves the observation out.
func (p *player) turn(left *trail, life context.Context, e *episode.Episode, one *sample, timeout time.Duration, unseen bool) (r reply, fault *scoring.Error, err error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		life, cancel = context.WithTimeout(life, timeout)
		defer cancel()
	}
	played := false
	var t *episode.Turn
	err = p.s.parsing(life, p.opt.Client, one.answer, func() { t = e.Begin(one.answer) })
	defer func() {
		if !played {
			err = errors.Join(err, e.Cancel())
		}
	}()
	if err != nil {
		return r, nil, err
	}
	a, err := p.s.cfg.Queue.Score(life, dump.Line{N: 1, Bytes: t.Line}, p.opt)
	if errors.Is(err, context.DeadlineExceeded) && timeout > 0 {
		err = errTimeout
	}
	if err != nil {
		return r, nil, err
	}
	p.s.answered(left, &a, time.Now())
	all := []graded{{a.Result, slices.Clone(a.JSON), a.Timing}}
	if fault = reward.Fault(&a.Result, one.at); fault != nil {
		return r, fault, nil
	}
	p.s.noted([]sample{*one}, all, p.opt, true)
	result := episode.Result{Result: &all[0].result, JSON: all[0].json, Outcome: reward.Of(&all[0].result, p.opt.Reward), Zero: p.policy == reward.Zero}
	if f := result.Outcome; f.Failed && (p.policy == reward.Error || f.Err.Code == "busy" || f.Err.Code == "closed") {
		return r, nil, f.Err // the policy wants an error, or the daemon has no room now
	}
	t.Unseen = unseen
	played = true
	err = p.drawing(life, func() error {
		r.observation, r.reward, r.done, err = e.End(t, result)
		return err
	})
	if err != nil {
		played = false
	}
	return r, nil, err
}

// ours are the members of a step that are no part of a bare action.
var ours = []string{"label", "timeout_s", "metadata", "request_id", "suite", "split", "test", "index", "seed", "turns", "threshold",
	"mode", "feedback", "reward", "images", "action", "answer", "history", "episode_id"}

// bare makes the whole action of an OpenEnv step the answer, where it has no response.
func (one *sample) bare(action []byte) {
	b := []byte{'{'}
	has := false
	jsoncut.Members(action, func(key, v []byte) error {
		has = has || string(key) == "response"
		if slices.Contains(ours, jsoncut.Name(key)) {
			return nil
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(append(b, '"'), key...), `":`...), v...)
		return nil
	})
	if !has {
		one.answer = append(b, '}')
	}
}

// chosen reports whether a reset or an action begins an episode of this package's, not a one-step
// episode: it has a member of theirs, or names the task by a seed alone.
func (s *Server) chosen(o *episode.Options) bool {
	return o.Chosen || o.Seed != nil && o.Label == nil && len(s.cfg.Items.Tasks) > 0
}

// playReset answers POST /reset with an episode: its first observation, or that of the last answer
// of its history. Nothing is kept of it.
func (s *Server) playReset(ctx *fasthttp.RequestCtx, o episode.Options) {
	opt, steps, ok := s.choices(ctx, openEnv)
	if !ok {
		return
	}
	p := &player{s: s, opt: opt, steps: steps, policy: s.cfg.Policies[openEnv], who: s.askedBy(ctx)}
	life, gone := s.clients.wait(s.life, ctx.Conn())
	defer gone()
	e, observation, fault, err := p.begin(trailOf(ctx), life, o)
	if s.failTurn(ctx, fault, err) {
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(wrapObservation(nil, string(observation), []byte("null"), e.Done()))
}

// failTurn answers a request of an episode with its error, and reports whether there was one.
// fault is what the client must change in the request, such as a bad field. err is any other
// failure: to score the answer, to draw, or to do so in time. Where both are nil it writes
// nothing.
func (s *Server) failTurn(ctx *fasthttp.RequestCtx, fault *scoring.Error, err error) (failed bool) {
	var unscored *scoring.Error
	switch {
	case fault != nil:
		s.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
	case errors.Is(err, errTimeout):
		s.fail(ctx, fasthttp.StatusGatewayTimeout, "deadline", err.Error())
	case errors.As(err, &unscored) && statusOf(unscored.Code) == fasthttp.StatusOK:
		// An item without a score by the rules is no failure elsewhere and has status 200. Here
		// the policy "error" made it one, which needs the status of a failure.
		s.fail(ctx, fasthttp.StatusUnprocessableEntity, unscored.Code, unscored.Message)
	case err != nil:
		s.failWith(ctx, err)
	}
	return fault != nil || err != nil
}

// playStep answers POST /step with one turn of an episode that the action describes whole: the
// task, the choices of a reset and the answers before as history. It reports whether the action
// does.
func (s *Server) playStep(ctx *fasthttp.RequestCtx, body []byte) bool {
	_, action := textAndMember(body, "", "action")
	if len(action) == 0 || action[0] != '{' {
		return false
	}
	o, fault := episode.ReadOptions(action, "action.")
	if fault == nil && !s.chosen(&o) {
		return false
	}
	opt, steps, ok := s.choices(ctx, openEnv)
	if !ok {
		return true
	}
	p := &player{s: s, opt: opt, steps: steps, policy: s.cfg.Policies[openEnv], who: s.askedBy(ctx)}
	x := &exchange{steps: steps}
	if fault == nil {
		fault = x.action(action, "action.", nil)
	}
	if fault == nil && x.timeout == 0 {
		x.timeout, fault = timeoutOf(body, "")
	}
	if s.failTurn(ctx, fault, nil) {
		return true
	}
	life, gone := s.clients.wait(s.life, ctx.Conn())
	defer gone()
	r, fault, err := p.once(trailOf(ctx), life, o, x, action)
	if s.failTurn(ctx, fault, err) {
		return true
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(wrapObservation(nil, string(r.observation), r.reward, r.done))
	return true
}

// once plays one turn of an episode that is made for this request alone.
func (p *player) once(left *trail, life context.Context, o episode.Options, x *exchange, action []byte) (reply, *scoring.Error, error) {
	if p.s.cfg.Prompts == nil {
		return reply{}, nil, errPrompts
	}
	history := o.History
	o.History = nil
	e, fault := episode.New(p.config(), o)
	if fault != nil {
		return reply{}, fault, nil
	}
	for i, given := range history {
		one := sample{at: "action.label", answer: given}
		if _, fault := one.unwrap("action.history[" + strconv.Itoa(i) + "]"); fault != nil {
			return reply{}, fault, nil
		}
		one.prepare(p.steps, false)
		if _, fault, err := p.turn(left, life, e, &one, x.timeout, true); fault != nil || err != nil {
			return reply{}, fault, err
		}
		if e.Done() {
			return reply{}, &scoring.Error{Code: "episode_done", Message: fmt.Sprintf("cannot step: the episode ended with answer %d of the history", i+1)}, nil
		}
	}
	one := &x.samples[0]
	if e.Bare() {
		one.bare(action)
	}
	return p.turn(left, life, e, one, x.timeout, false)
}
