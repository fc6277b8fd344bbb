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
	name     string        // of the endpoint
	trip     int           // failures in a row that open the circuit
	patience time.Duration // how long calls wait while it is open
	longest  time.Duration // of a pause that a question can wait for, 0 for no bound
	backoff  time.Duration

	mu       sync.Mutex
	failures int
	since    time.Time // the circuit opened; zero while it is closed
	until    time.Time // no call before
	cool     time.Duration
	probing  bool   // a call was let through to see
	epoch    int    // counts the pauses whose length the endpoint left open
	pauses   int    // of which since the last reply
	last     string // what happened last, after the name of the endpoint
	status   int    // that it had
	end      *ending
	stop     chan struct{} // closed at the end
	change   chan struct{} // closed when something changed
}

func newGate(name string, trip int, patience, backoff time.Duration) *gate {
	return &gate{name: name, trip: trip, patience: patience, backoff: backoff, cool: firstCool,
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
func (g *gate) enter(ctx context.Context) (*pass, error) {
	for {
		p, wait, change, err := g.tryEnter(ctx)
		if p != nil || err != nil {
			return p, err
		}
		if err := await(ctx, wait, change); err != nil {
			return nil, err
		}
	}
}

// await waits until the time is over or the state of the circuit breaker changes.
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

// tryEnter returns the permission for a call (p), or without one how long to wait at most; a
// change of the gate, which closes the channel, may come first. If the circuit is closed, a
// call waits only for pauses. If it is open, one probe at a time is let through, until the
// patience ends.
func (g *gate) tryEnter(ctx context.Context) (p *pass, wait time.Duration, change <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.end != nil {
		return nil, 0, nil, g.ended()
	}
	now := time.Now()
	wait = max(0, g.until.Sub(now))
	if g.since.IsZero() { // the circuit is closed
		if err := g.tooLong(ctx, wait); err != nil {
			return nil, 0, nil, err
		}
		if wait == 0 {
			return &pass{gate: g, epoch: g.epoch}, 0, nil, nil
		}
		return nil, wait, g.change, nil
	}
	if wait == 0 && !g.probing {
		g.probing = true
		return &pass{gate: g, probe: true, epoch: g.epoch}, 0, nil, nil
	}
	left := g.patience - now.Sub(g.since)
	if left <= 0 {
		return nil, 0, nil, &ending{Refused, &Error{Code: "down",
			Message: fmt.Sprintf("%s has not answered for %v: %s%s", g.name, now.Sub(g.since).Round(time.Second),
				g.name, g.last)}}
	}
	if wait == 0 { // another call probes: wait for its end
		wait = left
	}
	return nil, min(wait, left), g.change, nil
}

// tooLong returns the *ending of a question whose deadline comes before the present pause
// ends, or nil. Its code is "pause" if the pause is longer than any question may take. The
// caller holds mu.
func (g *gate) tooLong(ctx context.Context, wait time.Duration) error {
	until, ok := ctx.Deadline()
	if !ok || wait == 0 || !until.Before(g.until) {
		return nil
	}
	code := "deadline"
	if g.longest > 0 && wait > g.longest {
		code = "pause"
	}
	return &ending{Refused, &Error{Code: code,
		Message: fmt.Sprintf("%s asks to wait for %v, which is too long: %s%s", g.name, wait.Round(time.Second),
			g.name, g.last)}}
}

// waitPauses waits for the end of pauses that the endpoint asked for after the call was
// permitted. A probe does not wait.
func (p *pass) waitPauses(ctx context.Context) error {
	g := p.gate
	for {
		g.mu.Lock()
		wait, change := time.Until(g.until), g.change
		err := g.tooLong(ctx, max(0, wait))
		if g.end != nil {
			err = g.ended()
		}
		g.mu.Unlock()
		if err != nil || wait <= 0 || p.probe {
			return err
		}
		if err := await(ctx, wait, change); err != nil {
			return err
		}
	}
}

// succeeded reports that the endpoint answered the call. It closes the circuit. The backoff
// of pauses starts anew unless another pause began after the call was permitted.
func (p *pass) succeeded() {
	p.gate.set(func(g *gate) {
		g.failures = 0
		g.since = time.Time{}
		g.cool = firstCool
		g.probing = false
		if p.epoch == g.epoch {
			g.pauses = 0
		}
	})
}

// withdrawn reports that the call was not made, or that its end says nothing about the
// endpoint. Another probe may follow.
func (p *pass) withdrawn() { p.gate.set(func(g *gate) { g.probing = g.probing && !p.probe }) }

// countFailure counts a failed call, and opens the circuit after g.trip failures in a row.
// With hold, all calls wait as long as the endpoint asks.
func (p *pass) countFailure(r *Reading, hold bool) {
	p.gate.set(func(g *gate) {
		if g.failures++; g.failures >= g.trip {
			g.openCircuit()
		}
		p.failed(r, hold)
	})
}

// fatalFailure reports a failure that all calls would meet. It opens the circuit at once.
func (p *pass) fatalFailure(r *Reading) {
	p.gate.set(func(g *gate) {
		g.failures = max(g.failures, g.trip)
		g.openCircuit()
		p.failed(r, true)
	})
}

// startPause holds all calls because the endpoint asks for a pause: for the time that it
// names, or else for a backoff that grows with each pause. Calls that were permitted before
// the pause and fail with it do not start another one. See docs/spec/runs.md#r11.
func (p *pass) startPause(r *Reading) {
	p.gate.set(func(g *gate) {
		p.failed(r, true)
		if r.After != nil || p.epoch != g.epoch {
			return
		}
		g.until = later(g.until, time.Now().Add(jitter(g.backoff, g.pauses)))
		g.epoch++
		g.pauses++
	})
}

// jitter returns a random wait after the n-th failure, from n = 0, between 0 and a backoff that
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
func (g *gate) openCircuit() {
	now := time.Now()
	if !g.since.IsZero() && now.Before(g.until) {
		return // one of several calls that were under way when it opened
	}
	if g.since.IsZero() {
		g.since = now
	} else {
		g.cool = min(2*g.cool, maxCool)
	}
	g.until = now.Add(g.cool)
}

// failed records a failure for messages, ends a probe, and with hold sets until when the
// endpoint asks to wait. The caller holds mu.
func (p *pass) failed(r *Reading, hold bool) {
	g := p.gate
	g.probing, g.last = g.probing && !p.probe, r.why
	g.status = r.Status
	if hold && r.After != nil && *r.After > 0 {
		g.until = later(g.until, time.Now().Add(*r.After))
	}
}

// set changes the circuit breaker under its lock and wakes all calls that wait for it.
func (g *gate) set(change func(*gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
	close(g.change)
	g.change = make(chan struct{})
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
func (g *gate) ended() *ending {
	e := *g.end.err
	e.Message = "no further calls: " + e.Message
	return &ending{g.end.kind, &e}
}

// halted returns why all calls ended, or nil where they did not.
func (g *gate) halted() *ending {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.end
}

// state returns for how long calls are held back now, and because of which status.
func (g *gate) state() (time.Duration, int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if wait := time.Until(g.until); wait > 0 {
		return wait, g.status
	}
	return 0, 0
}
