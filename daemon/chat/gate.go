package chat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// After the circuit has opened, the next call waits for firstCool; each failed probe doubles the wait,
// up to maxCool.
const (
	firstCool = time.Second
	maxCool   = 30 * time.Second
)

// maxBackoff is the longest wait that is not the endpoint's wish.
const maxBackoff = time.Minute

// errStop marks a question that waits while the client ends.
var errStop = errors.New("stopped")

// ending says why a question ends without a reply of its own.
type ending struct {
	kind Kind
	err  *Error
}

func (e *ending) Error() string { return e.err.Error() }

// gate keeps calls away from an endpoint that asks for a pause or does not answer. It is
// a circuit breaker: after some failures in a row it opens the circuit, and then lets
// one call through from time to time; the first reply closes it. It also ends all calls
// for good. See docs/spec/runs.md#r18.
type gate struct {
	name         string        // of the endpoint
	tripAfter    int           // failures in a row that open the circuit
	patience     time.Duration // how long calls wait while it is open
	longestPause time.Duration // of a pause that a question can wait for, 0 for no bound
	backoff      time.Duration

	mu           sync.Mutex
	failures     int
	openedAt     time.Time // the circuit opened; zero while it is closed
	noCallBefore time.Time // no call before
	openWait     time.Duration
	probing      bool   // a call was let through to see
	epoch        int    // counts the pauses whose length the endpoint left open
	pauses       int    // of which since the last reply
	lastFailure  string // what happened last, after the name of the endpoint
	status       int    // that it had
	end          *ending
	stop         chan struct{} // closed at the end
	change       chan struct{} // closed when something changed
}

func newGate(name string, tripAfter int, patience, backoff time.Duration) *gate {
	return &gate{name: name, tripAfter: tripAfter, patience: patience, backoff: backoff, openWait: firstCool,
		stop: make(chan struct{}), change: make(chan struct{})}
}

// pass is the permission for one call to the endpoint. One of its methods reports how the call
// ended.
type pass struct {
	gate  *gate
	probe bool
	epoch int
}

// enter waits until a call to the endpoint is permitted. It returns at once if the
// permission would come after the deadline of ctx, and when the endpoint has been down
// longer than the patience. Errors are those of ctx, or an *ending.
func (gate *gate) enter(ctx context.Context) (*pass, error) {
	for {
		p, wait, change, err := gate.tryEnter(ctx)
		if p != nil || err != nil {
			return p, err
		}
		if err := await(ctx, wait, change); err != nil {
			return nil, err
		}
	}
}

// await waits until the time is over or the state of the endpoint's circuit breaker changes.
func await(ctx context.Context, d time.Duration, change <-chan struct{}) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-change:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// tryEnter returns the permission for a call of the endpoint (p), or without one how long to wait at most; a
// change of the gate, which closes the channel, may come first. If the circuit is closed, a call waits only for
// pauses. If it is open, one probe at a time is let through, until the patience ends.
func (gate *gate) tryEnter(ctx context.Context) (p *pass, wait time.Duration, change <-chan struct{}, err error) {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	if gate.end != nil {
		return nil, 0, nil, gate.ended()
	}
	now := time.Now()
	wait = max(0, gate.noCallBefore.Sub(now))
	if gate.openedAt.IsZero() { // the circuit is closed
		if err := gate.tooLong(ctx, wait); err != nil {
			return nil, 0, nil, err
		}
		if wait == 0 {
			return &pass{gate: gate, epoch: gate.epoch}, 0, nil, nil
		}
		return nil, wait, gate.change, nil
	}
	if wait == 0 && !gate.probing {
		gate.probing = true
		return &pass{gate: gate, probe: true, epoch: gate.epoch}, 0, nil, nil
	}
	left := gate.patience - now.Sub(gate.openedAt)
	if left <= 0 {
		return nil, 0, nil, &ending{Refused, &Error{Code: "down",
			Message: fmt.Sprintf("%s has not answered for %v: %s%s", gate.name, now.Sub(gate.openedAt).Round(time.Second),
				gate.name, gate.lastFailure)}}
	}
	if wait == 0 { // another call probes: wait for its end
		wait = left
	}
	return nil, min(wait, left), gate.change, nil
}

// tooLong returns the *ending of a question whose deadline comes before the present pause
// ends, or nil. Its code is "pause" if the pause is longer than any question may take. The
// caller holds mu.
func (gate *gate) tooLong(ctx context.Context, wait time.Duration) error {
	until, ok := ctx.Deadline()
	if !ok || wait == 0 || !until.Before(gate.noCallBefore) {
		return nil
	}
	code := "deadline"
	if gate.longestPause > 0 && wait > gate.longestPause {
		code = "pause"
	}
	return &ending{Refused, &Error{Code: code,
		Message: fmt.Sprintf("%s asks to wait for %v, which is too long: %s%s", gate.name, wait.Round(time.Second),
			gate.name, gate.lastFailure)}}
}

// waitPauses waits for the end of pauses that the endpoint asked for after the call was
// permitted. A probe does not wait.
func (pass *pass) waitPauses(ctx context.Context) error {
	gate := pass.gate
	for {
		gate.mu.Lock()
		wait, change := time.Until(gate.noCallBefore), gate.change
		err := gate.tooLong(ctx, max(0, wait))
		if gate.end != nil {
			err = gate.ended()
		}
		gate.mu.Unlock()
		if err != nil || wait <= 0 || pass.probe {
			return err
		}
		if err := await(ctx, wait, change); err != nil {
			return err
		}
	}
}

// succeeded reports that the endpoint answered the call. It closes the circuit. The backoff
// of pauses starts anew unless another pause began after the call was permitted.
func (pass *pass) succeeded() {
	pass.gate.set(func(g *gate) {
		g.failures = 0
		g.openedAt = time.Time{}
		g.openWait = firstCool
		g.probing = false
		if pass.epoch == g.epoch {
			g.pauses = 0
		}
	})
}

// withdrawn reports that the call was not made, or that its end says nothing about the
// endpoint. Another probe may follow.
func (pass *pass) withdrawn() { pass.gate.set(func(g *gate) { g.probing = g.probing && !pass.probe }) }

// countFailure counts a failed call, and opens the circuit after g.tripAfter failures in a row.
// With hold, all calls wait as long as the endpoint asks.
func (pass *pass) countFailure(reading *Reading, hold bool) {
	pass.gate.set(func(g *gate) {
		if g.failures++; g.failures >= g.tripAfter {
			g.openCircuit()
		}
		pass.failed(reading, hold)
	})
}

// fatalFailure reports a failure that all calls of the endpoint would meet. It opens the circuit at once.
func (pass *pass) fatalFailure(reading *Reading) {
	pass.gate.set(func(g *gate) {
		g.failures = max(g.failures, g.tripAfter)
		g.openCircuit()
		const hold = true
		pass.failed(reading, hold)
	})
}

// startPause holds all calls because the endpoint asks for a pause: for the time that it
// names, or else for a backoff that grows with each pause. Calls that were permitted before
// the pause and fail with it do not start another one. See docs/spec/runs.md#r11.
func (pass *pass) startPause(r *Reading) {
	pass.gate.set(func(g *gate) {
		const hold = true
		pass.failed(r, hold)
		if r.After != nil || pass.epoch != g.epoch {
			return
		}
		g.noCallBefore = later(g.noCallBefore, time.Now().Add(jitter(g.backoff, g.pauses)))
		g.epoch++
		g.pauses++
	})
}

// jitter returns a random wait after the n-th failure of a call, from n = 0, between 0 and a backoff that
// doubles with n.
func jitter(backoff time.Duration, n int) time.Duration {
	const maxDoublings = 16 // more would overflow, and be beyond maxBackoff anyway
	longest := maxBackoff
	if n < maxDoublings {
		longest = min(longest, backoff<<n)
	}
	return rand.N(longest + 1)
}

// openCircuit opens the circuit, so that no calls go to the endpoint for a while. If it is
// open already, a failed probe makes the next wait longer. The caller holds mu.
func (gate *gate) openCircuit() {
	now := time.Now()
	if !gate.openedAt.IsZero() && now.Before(gate.noCallBefore) {
		return // one of several calls that were under way when it opened
	}
	if gate.openedAt.IsZero() {
		gate.openedAt = now
	} else {
		gate.openWait = min(2*gate.openWait, maxCool)
	}
	gate.noCallBefore = now.Add(gate.openWait)
}

// failed records a failure for messages, ends a probe, and with hold sets until when the
// endpoint asks to wait. The caller holds mu.
func (pass *pass) failed(reading *Reading, hold bool) {
	gate := pass.gate
	gate.probing, gate.lastFailure = gate.probing && !pass.probe, reading.why
	gate.status = reading.Status
	if hold && reading.After != nil && *reading.After > 0 {
		gate.noCallBefore = later(gate.noCallBefore, time.Now().Add(*reading.After))
	}
}

// set changes the endpoint's circuit breaker under its lock and wakes all calls that wait for it.
func (gate *gate) set(change func(*gate)) {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	change(gate)
	close(gate.change)
	gate.change = make(chan struct{})
}

// halt ends all calls for good. It returns false if they had ended already; the first reason
// stays.
func (g *gate) halt(e *ending) (first bool) {
	g.set(func(g *gate) {
		if first = g.end == nil; first {
			g.end = e
			close(g.stop)
		}
	})
	return first
}

// ended returns the ending of a question that comes after the end of all calls. The caller
// holds mu.
func (gate *gate) ended() *ending {
	e := *gate.end.err
	e.Message = "no further calls: " + e.Message
	return &ending{gate.end.kind, &e}
}

// halted returns why all calls ended, or nil where they did not.
func (gate *gate) halted() *ending {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	return gate.end
}

// state returns for how long calls are held back now, and because of which status.
func (gate *gate) state() (time.Duration, int) {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	if wait := time.Until(gate.noCallBefore); wait > 0 {
		return wait, gate.status
	}
	return 0, 0
}
