package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plumb/daemon/chat/budget"
	"plumb/scoring/plural"
)

// question is a request to the model under way, with all its tries.
type question struct {
	client       *Client
	request      *Request
	ctx          context.Context // ends at the deadline
	cancel       func()
	deadlineRuns bool // the first try has begun, and with it the deadline, if there is one
	outcome      Outcome
	began        time.Time
	failures     int    // tries that failed and count
	lastFailure  string // what happened last, with the name of the endpoint
}

// Ask asks a model a question at the endpoint, with as many tries as are needed and allowed, and returns its
// outcome. When it returns, no request is under way and Hooks.Keep has returned. Any number of questions may be
// asked at once. The deadline of each begins when its first request could be sent.
func (client *Client) Ask(ctx context.Context, r *Request) Outcome {
	question := &question{client: client, request: r, ctx: ctx, cancel: func() {}, began: time.Now()}
	defer func() { question.cancel() }()
	if err := r.Check(); err != nil {
		question.endWithoutReply(Refused, &Error{Code: "request", Message: err.Error()})
		return question.outcome
	}
	for {
		wait, ended := question.try()
		if ended {
			return question.outcome
		}
		client.meter.Retried()
		if err := client.sleep(question.ctx, wait); err != nil {
			question.endByError(err)
			question.deliver()
			return question.outcome
		}
	}
}

// sleep waits for d. It returns at once with an error if the deadline of ctx comes first,
// and ends early if ctx or the client ends.
func (client *Client) sleep(ctx context.Context, d time.Duration) error {
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
	case <-client.gate.stop:
		return errStop
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try makes one call when a place among the concurrent calls is free, the endpoint can be reached, and the
// pace, the budget and the circuit breaker allow it. It returns how long to wait before the next try, or ended
// when the question has its outcome. The place is held until the outcome is delivered.
func (question *question) try() (wait time.Duration, ended bool) {
	client := question.client
	// Wait for a place among the concurrent calls.
	place, err := client.window.enter(question.ctx, client.gate.stop, question.deadlineRuns)
	if err != nil {
		question.endByError(err)
		question.deliver()
		return 0, true
	}
	defer place.release()
	// Wait for everything else that must allow the call.
	reserve := question.request.Most()
	earliest, tokens := client.pace.reserve(question.request.estimatePrompt(), reserve.Completion)
	var hold *budget.Hold
	if err = client.sleep(question.ctx, time.Until(earliest)); err == nil {
		err = client.checkReachable(question.ctx)
	}
	if err == nil {
		hold, err = client.meter.Reserve(question.ctx, reserve)
	}
	var permit *permission
	if err == nil {
		question.startDeadline()
		if permit, err = question.awaitPermission(hold); err != nil {
			hold.Cancel()
		}
	}
	if err != nil {
		question.endByError(err)
		question.deliver()
		return 0, true
	}
	// Call the endpoint.
	place.begin()
	reply, err := question.send()
	if err != nil {
		const mayBePaid = true // the endpoint may have answered
		hold.Drop(mayBePaid)
		permit.withdraw()
		question.outcome.Lost++
		question.endByError(err)
		question.deliver()
		return 0, true
	}
	// Pay for the reply, adapt to how the endpoint does, and decide what follows.
	question.pay(hold, &reply)
	if reply.Usage != nil {
		client.pace.correctReservation(tokens, reply.Usage.Prompt, reply.Usage.Completion)
	}
	client.adaptToReply(place, permit, &reply)
	if wait, ended = question.decideNext(&reply); ended {
		question.deliver()
	}
	return wait, ended
}

// startDeadline starts the deadline of a question to the model at its first try, and does nothing later.
func (question *question) startDeadline() {
	if !question.deadlineRuns && question.client.cfg.Deadline > 0 {
		question.ctx, question.cancel = context.WithTimeout(question.ctx, question.client.cfg.Deadline)
	}
	question.deadlineRuns = true
}

// awaitPermission waits until the circuit breaker permits a call, calls the Begin hook, and then waits for a
// pause that the endpoint asked for meanwhile. After an error the permission is returned.
func (question *question) awaitPermission(hold *budget.Hold) (*permission, error) {
	permit, err := question.client.gate.awaitPermission(question.ctx)
	if err != nil {
		return nil, err
	}
	if h := question.request.Hooks.Begin; h != nil {
		if err := h(question.outcome.Tries+1, hold); err != nil {
			permit.withdraw()
			return nil, &ending{Stopped, &Error{Code: "stopped", Message: err.Error()}}
		}
	}
	if err := permit.waitPauses(question.ctx); err != nil {
		permit.withdraw()
		question.callEnd()
		return nil, err
	}
	return permit, nil
}

// callEnd calls the End hook, which follows each call of the Begin hook.
func (question *question) callEnd() {
	if h := question.request.Hooks.End; h != nil {
		h()
	}
}

// send makes one call to the endpoint, records its times in the outcome, and reads its reply.
func (question *question) send() (Reading, error) {
	client := question.client
	defer question.callEnd()
	client.callsUnderWay.Add(1)
	defer client.callsUnderWay.Add(-1)
	question.outcome.Tries++
	question.outcome.Started = time.Now()
	question.outcome.Waited = question.outcome.Started.Sub(question.began).Seconds()
	reading, err := client.call(question.ctx, question.request)
	question.outcome.Seconds = time.Since(question.outcome.Started).Seconds()
	question.lastFailure = client.cfg.Name + reading.whatHappened
	return reading, err
}

// pay books the cost of a reply. A reply without usage is a failure: what was reserved for it counts as spent
// if it may have been paid for, and is freed otherwise. If the cost is limited but unknown, all calls end.
func (question *question) pay(hold *budget.Hold, reading *Reading) {
	if reading.Usage == nil {
		if reading.Paid {
			question.outcome.Lost++
		}
		hold.Drop(reading.Paid)
		return
	}
	tokens := budget.Tokens{Prompt: reading.Usage.Prompt, Completion: reading.Usage.Completion}
	if reading.Usage.Cached != nil {
		tokens.Cached = *reading.Usage.Cached
	}
	var err error
	if reading.Cost, reading.Priced, err = hold.Pay(tokens, reading.Cost); err != nil {
		question.client.halt(Fatal, &Error{Code: "budget", Message: err.Error()})
	}
}

// adaptToReply adjusts the number of concurrent calls and the circuit breaker to a reply. A reply
// that all requests would get ends all calls, or under GoOn opens the circuit.
func (client *Client) adaptToReply(place *slot, permit *permission, reply *Reading) {
	switch {
	case reply.Kind == Answer || reply.Kind == Filtered:
		place.recordAnswer()
	// 529: overloaded, as Anthropic says it.
	case reply.timedOut || reply.Status == http.StatusTooManyRequests || reply.Status == http.StatusServiceUnavailable || reply.Status == 529:
		place.recordCrowded()
	}
	switch {
	case reply.Kind == Retry || reply.Kind == Wait && client.cfg.CountWaits:
		permit.countFailure(reply, client.cfg.CountWaits)
	case reply.Kind == Wait:
		permit.startPause(reply)
	case reply.Kind == Fatal && client.cfg.Policy == GoOn:
		permit.recordFatal(reply)
		if client.cfg.OnDown != nil {
			client.cfg.OnDown(client.refusal(reply))
		}
	case reply.Kind == Fatal || reply.Kind == Refused && client.cfg.Policy == EndOnRefused:
		permit.withdraw()
		client.halt(Fatal, client.refusal(reply))
	default:
		permit.recordSuccess() // the endpoint is there, even if it refuses this question
	}
}

// refusal returns the error of a reply that refuses the request, with the name of the endpoint.
func (client *Client) refusal(reading *Reading) *Error {
	e := &Error{Code: "failed"}
	if reading.Error != nil {
		*e = *reading.Error
	}
	e.Message = client.cfg.Name + reading.whatHappened
	if !client.cfg.Hints {
		e.Hint = ""
	}
	return e
}

// decideNext decides what follows a reply: another try after a wait, or the outcome of the
// question (ended). A pause does not count as a failure unless Config.CountWaits. After
// Config.Tries failures the question is refused.
func (question *question) decideNext(reading *Reading) (wait time.Duration, ended bool) {
	client := question.client
	if reading.Kind == Wait && !client.cfg.CountWaits {
		return 0, false // the next try waits at the gate, as all calls do
	}
	if reading.Kind != Wait && reading.Kind != Retry { // another try would not help
		question.takeOutcome(reading)
		return 0, true
	}
	question.failures++
	if question.failures < client.cfg.Tries {
		wait = jitter(client.cfg.Backoff, question.failures-1)
		if reading.After != nil {
			wait = max(wait, *reading.After)
		}
		return wait, false
	}
	question.takeOutcome(reading)
	question.endWithoutReply(Refused, &Error{Code: "tries", Message: fmt.Sprintf("%s failed; the last one: %s", plural.Of(question.failures, "try", "tries"), question.lastFailure)})
	return 0, true
}

// takeOutcome makes a reply the outcome of the question, with the counts and times that the
// question has so far.
func (question *question) takeOutcome(reading *Reading) {
	outcome, soFar := reading.Outcome, &question.outcome
	outcome.Tries, outcome.Lost, outcome.Started, outcome.Seconds, outcome.Waited = soFar.Tries, soFar.Lost, soFar.Started, soFar.Seconds, soFar.Waited
	question.outcome = outcome
	if reading.Kind != Answer {
		question.outcome.Error = question.client.refusal(reading)
	}
}

// endWithoutReply ends a question without a reply of the endpoint: kind says how it ended, and why the reason.
// If no call was made, all the time since the question began counts as waiting.
func (question *question) endWithoutReply(kind Kind, why *Error) {
	question.outcome.Kind, question.outcome.Error = kind, why
	if question.outcome.Tries == 0 {
		question.outcome.Waited = time.Since(question.began).Seconds()
	}
}

// endByError ends the question because of an error that is no reply: its context ended, the budget is spent,
// the endpoint is down, or all calls have ended. Under EndOnFatal some of these end all calls.
func (question *question) endByError(err error) {
	client := question.client
	var e *ending
	switch {
	case errors.Is(err, errStop):
		e = client.gate.halted()
		question.endWithoutReply(e.kind, e.err)
	case errors.As(err, &e):
		question.endWithoutReply(e.kind, e.err)
		if (e.err.Code == "down" || e.err.Code == "pause") && client.cfg.Policy == EndOnFatal {
			question.outcome.Kind = Fatal
			client.halt(Fatal, e.err)
		}
	case errors.Is(err, budget.ErrEnded) || errors.Is(err, budget.ErrNoPrice):
		question.endWithoutReply(Fatal, &Error{Code: "budget", Message: err.Error()})
		if client.cfg.Policy == EndOnFatal {
			client.halt(Fatal, question.outcome.Error)
		}
	case errors.Is(err, context.DeadlineExceeded) && question.failures > 0:
		question.endWithoutReply(Refused, &Error{Code: "deadline", Message: fmt.Sprintf("%s failed in the time there is; the last one: %s", plural.Of(question.failures, "try", "tries"), question.lastFailure)})
	case errors.Is(err, context.DeadlineExceeded):
		question.endWithoutReply(Refused, &Error{Code: "deadline", Message: client.cfg.Name + " did not answer in time"})
	default:
		question.endWithoutReply(Stopped, &Error{Code: "stopped", Message: "the call was stopped"})
	}
}

// deliver gives the outcome of a question to the Keep hook, which logs it. It does nothing if no
// request was sent. Two things end all calls of the client: under EndOnFatal the first questions that
// were all refused, because no later one will be answered, and a Keep hook that fails, because an
// answer that is not logged would be paid for again. See docs/spec/runs.md#r17.
func (question *question) deliver() {
	if question.outcome.Tries == 0 {
		return
	}
	client := question.client
	if question.outcome.Kind.Final() && client.firstAllRefused(question.outcome.Kind) && client.cfg.Policy == EndOnFatal {
		question.outcome.Kind = Fatal
		e := *question.outcome.Error
		e.Message = fmt.Sprintf("the first %d calls were all refused; the last one: %s", firstRefused, e.Message)
		client.halt(Fatal, &e)
	}
	if question.request.Hooks.Keep == nil {
		return
	}
	if err := question.request.Hooks.Keep(&question.outcome); err != nil {
		e := &Error{Code: "log", Message: err.Error()}
		question.outcome.Kind, question.outcome.Error = Fatal, e
		client.halt(Fatal, e)
	}
}

// firstRefused is after how many refused questions, at the start, nothing more is asked.
const firstRefused = 3

// firstAllRefused counts an outcome, which the endpoint refused or not. It returns true once: for the last of the
// first firstRefused outcomes if all were refused.
func (client *Client) firstAllRefused(kind Kind) bool {
	client.mu.Lock()
	defer client.mu.Unlock()
	client.outcomesCounted++
	if kind != Refused {
		client.outcomesCounted += firstRefused // beyond firstRefused, so that the result is false for good
	}
	return client.outcomesCounted == firstRefused
}
