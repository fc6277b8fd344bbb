package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plumb/daemon/chat/budget"
)

// question is a request to the model under way, with all its tries.
type question struct {
	c        *Client
	r        *Request
	ctx      context.Context // ends at the deadline
	cancel   func()
	timed    bool // the deadline runs
	out      Outcome
	began    time.Time
	failures int    // tries that failed and count
	last     string // what happened last, with the name of the endpoint
}

// Ask asks a question until it has an outcome. It is done by the time that Ask returns:
// no request is under way, and Hooks.Keep has returned. Any number of questions may be
// asked at once; the deadline of each runs from the moment that its first request could
// be sent.
func (c *Client) Ask(ctx context.Context, r *Request) Outcome {
	q := &question{c: c, r: r, ctx: ctx, cancel: func() {}, began: time.Now()}
	defer func() { q.cancel() }()
	if err := r.Check(); err != nil {
		q.finish(Refused, &Error{Code: "request", Message: err.Error()})
		return q.out
	}
	for {
		wait, done := q.try()
		if done {
			return q.out
		}
		c.meter.Retried()
		if err := c.rest(q.ctx, wait); err != nil {
			q.gaveUp(err)
			q.settle()
			return q.out
		}
	}
}

// rest waits before another try of a question. If the deadline comes first it does not wait at all.
func (c *Client) rest(ctx context.Context, d time.Duration) error {
	if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
		return context.DeadlineExceeded
	}
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-c.gate.stop:
		return errStop
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try makes one call once a slot is free, the pace and the budget allow it, and the endpoint is
// up. It returns how long to wait before the next try, or done when the question has its outcome.
// The slot is held until the outcome is kept.
func (q *question) try() (wait time.Duration, done bool) {
	c := q.c
	s, err := c.window.enter(q.ctx, c.gate.stop, q.timed)
	if err != nil {
		q.gaveUp(err)
		q.settle()
		return 0, true
	}
	defer s.free()
	most := q.r.Most()
	at, taken := c.pace.reserve(q.r.estimate(), most.Completion)
	var hold *budget.Hold
	if err = c.rest(q.ctx, time.Until(at)); err == nil {
		err = c.there(q.ctx)
	}
	if err == nil {
		hold, err = c.meter.Reserve(q.ctx, most)
	}
	var p *pass
	if err == nil {
		q.start()
		if p, err = q.begin(hold); err != nil {
			hold.Cancel()
		}
	}
	if err != nil {
		q.gaveUp(err)
		q.settle()
		return 0, true
	}
	s.begin()
	g, err := q.send()
	if err != nil {
		hold.Drop(true)
		p.nothing()
		q.out.Lost++
		q.gaveUp(err)
		q.settle()
		return 0, true
	}
	q.pay(hold, &g)
	if g.Usage != nil {
		c.pace.correct(taken, g.Usage.Prompt, g.Usage.Completion)
	}
	c.learn(s, p, &g)
	if wait, done = q.next(&g); done {
		q.settle()
	}
	return wait, done
}

// start lets the deadline of the question run, from the first try on.
func (q *question) start() {
	if !q.timed && q.c.cfg.Deadline > 0 {
		q.ctx, q.cancel = context.WithTimeout(q.ctx, q.c.cfg.Deadline)
	}
	q.timed = true
}

// begin waits until the circuit breaker lets the call to the endpoint through, and calls the hook.
func (q *question) begin(hold *budget.Hold) (*pass, error) {
	p, err := q.c.gate.enter(q.ctx)
	if err != nil {
		return nil, err
	}
	if h := q.r.Hooks.Begin; h != nil {
		if err := h(q.out.Tries+1, hold); err != nil {
			p.nothing()
			return nil, &ending{Stopped, &Error{Code: "stopped", Message: err.Error()}}
		}
	}
	if err := p.still(q.ctx); err != nil {
		p.nothing()
		q.end()
		return nil, err
	}
	return p, nil
}

// end calls the hook for the end of a question.
func (q *question) end() {
	if h := q.r.Hooks.End; h != nil {
		h()
	}
}

// send makes one call to the endpoint and reads its reply.
func (q *question) send() (Reading, error) {
	c := q.c
	defer q.end()
	c.flying.Add(1)
	defer c.flying.Add(-1)
	q.out.Tries++
	q.out.Started = time.Now()
	q.out.Waited = q.out.Started.Sub(q.began).Seconds()
	g, err := c.call(q.ctx, q.r)
	q.out.Seconds = time.Since(q.out.Started).Seconds()
	q.last = c.cfg.Name + g.why
	return g, err
}

// pay books the cost of a reply in the budget. A failure costs nothing, or keeps reserved what it
// may have cost.
func (q *question) pay(hold *budget.Hold, g *Reading) {
	if g.Usage == nil {
		if g.Paid {
			q.out.Lost++
		}
		hold.Drop(g.Paid)
		return
	}
	t := budget.Tokens{Prompt: g.Usage.Prompt, Completion: g.Usage.Completion}
	if g.Usage.Cached != nil {
		t.Cached = *g.Usage.Cached
	}
	var err error
	if g.Cost, g.Priced, err = hold.Pay(t, g.Cost); err != nil {
		q.c.halt(Fatal, &Error{Code: "budget", Message: err.Error()})
	}
}

// learn updates the window of concurrent calls and the circuit breaker by a reply.
func (c *Client) learn(s *slot, p *pass, g *Reading) {
	switch {
	case g.Kind == Answer || g.Kind == Filtered:
		s.answered()
	case g.timeout || g.Status == http.StatusTooManyRequests || g.Status == http.StatusServiceUnavailable || g.Status == 529:
		s.crowded()
	}
	switch {
	case g.Kind == Retry || g.Kind == Wait && c.cfg.CountWaits:
		p.bad(g, c.cfg.CountWaits)
	case g.Kind == Wait:
		p.pause(g)
	case g.Kind == Fatal && c.cfg.Policy == GoOn:
		p.down(g)
		if c.cfg.OnDown != nil {
			c.cfg.OnDown(c.refusal(g))
		}
	case g.Kind == Fatal || g.Kind == Refused && c.cfg.Policy == EndOnRefused:
		p.nothing()
		c.halt(Fatal, c.refusal(g))
	default:
		p.good() // it is there, even if it does not like this question
	}
}

// refusal returns the error of a reply that refuses the request, with the name of the endpoint.
func (c *Client) refusal(g *Reading) *Error {
	e := &Error{Code: "failed"}
	if g.Error != nil {
		*e = *g.Error
	}
	e.Message = c.cfg.Name + g.why
	if !c.cfg.Hints {
		e.Hint = ""
	}
	return e
}

// next decides what follows a reply of the endpoint: the outcome of the question, or another try
// after a wait.
func (q *question) next(g *Reading) (wait time.Duration, done bool) {
	c := q.c
	if g.Kind == Wait && !c.cfg.CountWaits {
		return 0, false // the gate holds all calls
	}
	if g.Kind != Wait && g.Kind != Retry {
		q.take(g)
		return 0, true
	}
	q.failures++
	if q.failures < c.cfg.Tries {
		wait = jitter(c.cfg.Backoff, q.failures-1)
		if g.After != nil {
			wait = max(wait, *g.After)
		}
		return wait, false
	}
	q.take(g)
	q.finish(Refused, &Error{Code: "tries", Message: fmt.Sprintf("%d tries failed; the last one: %s", q.failures, q.last)})
	return 0, true
}

// take makes a reply of the endpoint the outcome of the question.
func (q *question) take(g *Reading) {
	o, before := g.Outcome, &q.out
	o.Tries, o.Lost, o.Started, o.Seconds, o.Waited = before.Tries, before.Lost, before.Started, before.Seconds, before.Waited
	q.out = o
	if g.Kind != Answer {
		q.out.Error = q.c.refusal(g)
	}
}

// finish ends the question without a reply of the endpoint.
func (q *question) finish(k Kind, e *Error) {
	q.out.Kind, q.out.Error = k, e
	if q.out.Tries == 0 {
		q.out.Waited = time.Since(q.began).Seconds()
	}
}

// gaveUp ends the question because its context has ended, the budget is spent, or all calls have
// ended.
func (q *question) gaveUp(err error) {
	c := q.c
	var e *ending
	switch {
	case errors.Is(err, errStop):
		e = c.gate.halted()
		q.finish(e.kind, e.err)
	case errors.As(err, &e):
		q.finish(e.kind, e.err)
		if (e.err.Code == "down" || e.err.Code == "pause") && c.cfg.Policy == EndOnFatal {
			q.out.Kind = Fatal
			c.halt(Fatal, e.err)
		}
	case errors.Is(err, budget.ErrEnded) || errors.Is(err, budget.ErrNoPrice):
		q.finish(Fatal, &Error{Code: "budget", Message: err.Error()})
		if c.cfg.Policy == EndOnFatal {
			c.halt(Fatal, q.out.Error)
		}
	case errors.Is(err, context.DeadlineExceeded) && q.failures > 0:
		q.finish(Refused, &Error{Code: "deadline", Message: fmt.Sprintf("%d tries failed in the time there is; the last one: %s", q.failures, q.last)})
	case errors.Is(err, context.DeadlineExceeded):
		q.finish(Refused, &Error{Code: "deadline", Message: c.cfg.Name + " did not answer in time"})
	default:
		q.finish(Stopped, &Error{Code: "stopped", Message: "the call was stopped"})
	}
}

// settle gives the outcome of the question to the hook, if a request was sent. If the first
// questions of a client were all refused, it ends all calls. See docs/spec/runs.md#r17.
func (q *question) settle() {
	if q.out.Tries == 0 {
		return
	}
	c := q.c
	if q.out.Kind.Final() && c.allRefused(q.out.Kind) && c.cfg.Policy == EndOnFatal {
		q.out.Kind = Fatal
		e := *q.out.Error
		e.Message = fmt.Sprintf("the first %d calls were all refused; the last one: %s", firstRefused, e.Message)
		c.halt(Fatal, &e)
	}
	if q.r.Hooks.Keep == nil {
		return
	}
	if err := q.r.Hooks.Keep(&q.out); err != nil {
		e := &Error{Code: "log", Message: err.Error()}
		q.out.Kind, q.out.Error = Fatal, e
		c.halt(Fatal, e)
	}
}

// firstRefused is after how many refused questions, at the start, nothing more is asked.
const firstRefused = 3

// allRefused counts an outcome and reports whether it is the last of the first ones,
// which were all refused.
func (c *Client) allRefused(k Kind) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes++
	if k != Refused {
		c.outcomes += firstRefused
	}
	return c.outcomes == firstRefused
}
