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
	client   *Client
	request  *Request
	ctx      context.Context // ends at the deadline
	cancel   func()
	timed    bool // the deadline runs
	out      Outcome
	began    time.Time
	failures int    // tries that failed and count
	last     string // what happened last, with the name of the endpoint
}

// Ask asks a question, with as many tries as are needed and allowed, and returns its
// outcome. When it returns, no request is under way and Hooks.Keep has returned. Any number
// of questions may be asked at once. The deadline of each begins when its first request
// could be sent.
func (c *Client) Ask(ctx context.Context, r *Request) Outcome {
	q := &question{client: c, request: r, ctx: ctx, cancel: func() {}, began: time.Now()}
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
		if err := c.sleep(q.ctx, wait); err != nil {
			q.endBy(err)
			q.deliver()
			return q.out
		}
	}
}

// sleep waits for d. It returns at once with an error if the deadline of ctx comes first,
// and ends early if ctx or the client ends.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
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

// try makes one call when a place among the concurrent calls is free, the endpoint can be
// reached, and the pace, the budget and the circuit breaker allow it. It returns how long to
// wait before the next try, or done when the question has its outcome. The place is held
// until the outcome is delivered.
func (q *question) try() (wait time.Duration, done bool) {
	client := q.client
	place, err := client.window.enter(q.ctx, client.gate.stop, q.timed)
	if err != nil {
		q.endBy(err)
		q.deliver()
		return 0, true
	}
	defer place.free()
	reserve := q.request.Most()
	earliest, tokens := client.pace.reserve(q.request.estimate(), reserve.Completion)
	var hold *budget.Hold
	if err = client.sleep(q.ctx, time.Until(earliest)); err == nil {
		err = client.checkReachable(q.ctx)
	}
	if err == nil {
		hold, err = client.meter.Reserve(q.ctx, reserve)
	}
	var permit *pass
	if err == nil {
		q.startDeadline()
		if permit, err = q.begin(hold); err != nil {
			hold.Cancel()
		}
	}
	if err != nil {
		q.endBy(err)
		q.deliver()
		return 0, true
	}
	place.begin()
	reply, err := q.send()
	if err != nil {
		hold.Drop(true) // it may have been answered and paid for
		permit.withdrawn()
		q.out.Lost++
		q.endBy(err)
		q.deliver()
		return 0, true
	}
	q.pay(hold, &reply)
	if reply.Usage != nil {
		client.pace.correct(tokens, reply.Usage.Prompt, reply.Usage.Completion)
	}
	client.adapt(place, permit, &reply)
	if wait, done = q.next(&reply); done {
		q.deliver()
	}
	return wait, done
}

// startDeadline starts the deadline of the question at its first try, and does nothing later.
func (q *question) startDeadline() {
	if !q.timed && q.client.cfg.Deadline > 0 {
		q.ctx, q.cancel = context.WithTimeout(q.ctx, q.client.cfg.Deadline)
	}
	q.timed = true
}

// begin waits until the circuit breaker permits a call, calls the Begin hook, and then waits
// for a pause that the endpoint asked for meanwhile. After an error the permission is
// returned.
func (q *question) begin(hold *budget.Hold) (*pass, error) {
	permit, err := q.client.gate.enter(q.ctx)
	if err != nil {
		return nil, err
	}
	if h := q.request.Hooks.Begin; h != nil {
		if err := h(q.out.Tries+1, hold); err != nil {
			permit.withdrawn()
			return nil, &ending{Stopped, &Error{Code: "stopped", Message: err.Error()}}
		}
	}
	if err := permit.waitPauses(q.ctx); err != nil {
		permit.withdrawn()
		q.callEnd()
		return nil, err
	}
	return permit, nil
}

// callEnd calls the End hook, which follows each call of the Begin hook.
func (q *question) callEnd() {
	if h := q.request.Hooks.End; h != nil {
		h()
	}
}

// send makes one call to the endpoint, records its times in the outcome, and reads its
// reply.
func (q *question) send() (Reading, error) {
	c := q.client
	defer q.callEnd()
	c.flying.Add(1)
	defer c.flying.Add(-1)
	q.out.Tries++
	q.out.Started = time.Now()
	q.out.Waited = q.out.Started.Sub(q.began).Seconds()
	g, err := c.call(q.ctx, q.request)
	q.out.Seconds = time.Since(q.out.Started).Seconds()
	q.last = c.cfg.Name + g.why
	return g, err
}

// pay books the cost of a reply. A reply without usage is a failure: it keeps its
// reservation if it may have been paid for, and frees it otherwise. If the cost is limited
// but unknown, all calls end.
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
		q.client.halt(Fatal, &Error{Code: "budget", Message: err.Error()})
	}
}

// adapt adjusts the number of concurrent calls and the circuit breaker to a reply. A reply
// that all requests would get ends all calls, or under GoOn opens the circuit.
func (c *Client) adapt(place *slot, permit *pass, reply *Reading) {
	switch {
	case reply.Kind == Answer || reply.Kind == Filtered:
		place.answered()
	// 529: overloaded, as Anthropic says it.
	case reply.timeout || reply.Status == http.StatusTooManyRequests || reply.Status == http.StatusServiceUnavailable || reply.Status == 529:
		place.crowded()
	}
	switch {
	case reply.Kind == Retry || reply.Kind == Wait && c.cfg.CountWaits:
		permit.countFailure(reply, c.cfg.CountWaits)
	case reply.Kind == Wait:
		permit.startPause(reply)
	case reply.Kind == Fatal && c.cfg.Policy == GoOn:
		permit.fatalFailure(reply)
		if c.cfg.OnDown != nil {
			c.cfg.OnDown(c.refusal(reply))
		}
	case reply.Kind == Fatal || reply.Kind == Refused && c.cfg.Policy == EndOnRefused:
		permit.withdrawn()
		c.halt(Fatal, c.refusal(reply))
	default:
		permit.succeeded() // it is there, even if it does not like this question
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

// next decides what follows a reply: another try after a wait, or the outcome of the
// question (done). A pause does not count as a failure unless Config.CountWaits. After
// Config.Tries failures the question is refused.
func (q *question) next(reading *Reading) (wait time.Duration, done bool) {
	c := q.client
	if reading.Kind == Wait && !c.cfg.CountWaits {
		return 0, false // the gate holds all calls
	}
	if reading.Kind != Wait && reading.Kind != Retry {
		q.take(reading)
		return 0, true
	}
	q.failures++
	if q.failures < c.cfg.Tries {
		wait = jitter(c.cfg.Backoff, q.failures-1)
		if reading.After != nil {
			wait = max(wait, *reading.After)
		}
		return wait, false
	}
	q.take(reading)
	q.finish(Refused, &Error{Code: "tries", Message: fmt.Sprintf("%d tries failed; the last one: %s", q.failures, q.last)})
	return 0, true
}

// take makes a reply the outcome of the question, with the counts and times that the
// question has so far.
func (q *question) take(g *Reading) {
	o, before := g.Outcome, &q.out
	o.Tries, o.Lost, o.Started, o.Seconds, o.Waited = before.Tries, before.Lost, before.Started, before.Seconds, before.Waited
	q.out = o
	if g.Kind != Answer {
		q.out.Error = q.client.refusal(g)
	}
}

// finish ends the question without a reply of the endpoint.
func (q *question) finish(k Kind, e *Error) {
	q.out.Kind, q.out.Error = k, e
	if q.out.Tries == 0 {
		q.out.Waited = time.Since(q.began).Seconds()
	}
}

// endBy ends the question because of an error that is no reply: its context ended, the
// budget is spent, the endpoint is down, or all calls have ended. Under EndOnFatal some of
// these end all calls.
func (q *question) endBy(err error) {
	client := q.client
	var e *ending
	switch {
	case errors.Is(err, errStop):
		e = client.gate.halted()
		q.finish(e.kind, e.err)
	case errors.As(err, &e):
		q.finish(e.kind, e.err)
		if (e.err.Code == "down" || e.err.Code == "pause") && client.cfg.Policy == EndOnFatal {
			q.out.Kind = Fatal
			client.halt(Fatal, e.err)
		}
	case errors.Is(err, budget.ErrEnded) || errors.Is(err, budget.ErrNoPrice):
		q.finish(Fatal, &Error{Code: "budget", Message: err.Error()})
		if client.cfg.Policy == EndOnFatal {
			client.halt(Fatal, q.out.Error)
		}
	case errors.Is(err, context.DeadlineExceeded) && q.failures > 0:
		q.finish(Refused, &Error{Code: "deadline", Message: fmt.Sprintf("%d tries failed in the time there is; the last one: %s", q.failures, q.last)})
	case errors.Is(err, context.DeadlineExceeded):
		q.finish(Refused, &Error{Code: "deadline", Message: client.cfg.Name + " did not answer in time"})
	default:
		q.finish(Stopped, &Error{Code: "stopped", Message: "the call was stopped"})
	}
}

// deliver gives the outcome of a question to the Keep hook, which logs it. It does nothing if no
// request was sent. Two things end all calls of the client: under EndOnFatal the first questions that
// were all refused, because no later one will be answered, and a Keep hook that fails, because an
// answer that is not logged would be paid for again. See docs/spec/runs.md#r17.
func (q *question) deliver() {
	if q.out.Tries == 0 {
		return
	}
	c := q.client
	if q.out.Kind.Final() && c.allRefused(q.out.Kind) && c.cfg.Policy == EndOnFatal {
		q.out.Kind = Fatal
		e := *q.out.Error
		e.Message = fmt.Sprintf("the first %d calls were all refused; the last one: %s", firstRefused, e.Message)
		c.halt(Fatal, &e)
	}
	if q.request.Hooks.Keep == nil {
		return
	}
	if err := q.request.Hooks.Keep(&q.out); err != nil {
		e := &Error{Code: "log", Message: err.Error()}
		q.out.Kind, q.out.Error = Fatal, e
		c.halt(Fatal, e)
	}
}

// firstRefused is after how many refused questions, at the start, nothing more is asked.
const firstRefused = 3

// allRefused counts an outcome. It returns true once: for the last of the first firstRefused
// outcomes if all were refused.
func (c *Client) allRefused(k Kind) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes++
	if k != Refused {
		c.outcomes += firstRefused // never equal below any more
	}
	return c.outcomes == firstRefused
}
