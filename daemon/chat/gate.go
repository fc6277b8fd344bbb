package chat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// After the circuit has opened, the next call waits for firstOpenWait; each failed probe doubles the wait,
// up to maxOpenWait.
const (
	firstOpenWait = time.Second
	maxOpenWait   = 30 * time.Second
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

// gate keeps calls away from an endpoint that asks for a pause or does not answer. It is a circuit breaker:
// after some failures in a row it opens the circuit, and then lets one call through from time to time; the
// first reply closes it. It also ends all calls for good. See docs/spec/runs.md#r18.
type gate struct {
	name         string        // of the endpoint
	tripAfter    int           // failures in a row that open the circuit
	patience     time.Duration // how long calls wait while it is open
	longestPause time.Duration // of a pause that a question can wait for, 0 for no bound
	backoff      time.Duration

	mu               sync.Mutex
	failures         int
	openedAt         time.Time // the circuit opened; zero while it is closed
	noCallBefore     time.Time // no call before
	openWait         time.Duration
	probing          bool   // a call was let through to see
	pauseCount       int    // counts the pauses whose length the endpoint left open
	pausesSinceReply int    // of which since the last reply
	lastFailure      string // what happened last, after the name of the endpoint
	lastStatus       int    // the HTTP status of the last failure, 0 for none
	endReason        *ending
	stop             chan struct{} // closed at the end
	changed          chan struct{} // closed when something changed
}

func newGate(name string, tripAfter int, patience, backoff time.Duration) *gate {
	return &gate{name: name, tripAfter: tripAfter, patience: patience, backoff: backoff, openWait: firstOpenWait,
		stop: make(chan struct{}), changed: make(chan struct{})}
}

// permission is that for one call to the endpoint. One of its methods reports how the call ended.
type permission struct {
	gate       *gate
	probe      bool
	pauseCount int // the gate's, when the call was permitted
}

// awaitPermission waits until a call to the endpoint is permitted. It returns at once if the
// permission would come after the deadline of ctx, and when the endpoint has been down
// longer than the patience. Errors are those of ctx, or an *ending.
func (gate *gate) awaitPermission(ctx context.Context) (*permission, error) {
	for {
		permitted, wait, changed, err := gate.tryEnter(ctx)
		if permitted != nil || err != nil {
			return permitted, err
		}
		if err := await(ctx, wait, changed); err != nil {
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

// tryEnter returns the permission for a call of the endpoint, or without one how long to wait at most; a
// change of the gate, which closes the channel changed, may come first. If the circuit is closed, a call waits only for
// pauses. If it is open, one probe at a time is let through, until the patience ends.
func (gate *gate) tryEnter(ctx context.Context) (permitted *permission, wait time.Duration, changed <-chan struct{}, err error) {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	if gate.endReason != nil {
		return nil, 0, nil, gate.ended()
	}
	now := time.Now()
	wait = max(0, gate.noCallBefore.Sub(now))
	if gate.openedAt.IsZero() { // the circuit is closed
		if err := gate.pauseTooLong(ctx, wait); err != nil {
			return nil, 0, nil, err
		}
		if wait == 0 {
			return &permission{gate: gate, pauseCount: gate.pauseCount}, 0, nil, nil
		}
		return nil, wait, gate.changed, nil
	}
	// The circuit is open.
	if wait == 0 && !gate.probing {
		gate.probing = true
		return &permission{gate: gate, probe: true, pauseCount: gate.pauseCount}, 0, nil, nil
	}
	patienceLeft := gate.patience - now.Sub(gate.openedAt)
	if patienceLeft <= 0 {
		return nil, 0, nil, &ending{Refused, &Error{Code: "down",
			Message: fmt.Sprintf("%s has not answered for %v: %s%s", gate.name, now.Sub(gate.openedAt).Round(time.Second),
				gate.name, gate.lastFailure)}}
	}
	if wait == 0 { // another call probes: wait for its end
		wait = patienceLeft
	}
	return nil, min(wait, patienceLeft), gate.changed, nil
}

// pauseTooLong returns the *ending of a question whose deadline comes before the present pause ends, or nil.
// Its code is "pause" if the pause is longer than any question may take. The caller holds mu.
func (gate *gate) pauseTooLong(ctx context.Context, wait time.Duration) error {
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
func (permission *permission) waitPauses(ctx context.Context) error {
	gate := permission.gate
	for {
		gate.mu.Lock()
		wait, changed := time.Until(gate.noCallBefore), gate.changed
		err := gate.pauseTooLong(ctx, max(0, wait))
		if gate.endReason != nil {
			err = gate.ended()
		}
		gate.mu.Unlock()
		if err != nil || wait <= 0 || permission.probe {
			return err
		}
		if err := await(ctx, wait, changed); err != nil {
			return err
		}
	}
}

// recordSuccess reports that the endpoint answered the call. It closes the circuit. The backoff
// of pauses starts anew unless another pause began after the call was permitted.
func (permission *permission) recordSuccess() {
	permission.gate.update(func(g *gate) {
		g.failures = 0
		g.openedAt = time.Time{}
		g.openWait = firstOpenWait
		g.probing = false
		if permission.pauseCount == g.pauseCount {
			g.pausesSinceReply = 0
		}
	})
}

// withdraw reports that the call was not made, or that its end says nothing about the
// endpoint. Another probe may follow.
func (permission *permission) withdraw() {
	permission.gate.update(func(g *gate) { g.probing = g.probing && !permission.probe })
}

// countFailure counts a failed call, and opens the circuit after g.tripAfter failures in a row.
// With holdAll, all calls wait as long as the endpoint asks.
func (permission *permission) countFailure(reading *Reading, holdAll bool) {
	permission.gate.update(func(g *gate) {
		if g.failures++; g.failures >= g.tripAfter {
			g.openCircuit()
		}
		permission.recordFailure(reading, holdAll)
	})
}

// recordFatal reports a failure that all calls of the endpoint would meet. It opens the circuit at once.
func (permission *permission) recordFatal(reading *Reading) {
	permission.gate.update(func(g *gate) {
		g.failures = max(g.failures, g.tripAfter)
		g.openCircuit()
		const holdAll = true
		permission.recordFailure(reading, holdAll)
	})
}

// startPause holds all calls because the endpoint asks for a pause: for the time that it
// names, or else for a backoff that grows with each pause. Calls that were permitted before
// the pause and fail with it do not start another one. See docs/spec/runs.md#r11.
func (permission *permission) startPause(r *Reading) {
	permission.gate.update(func(g *gate) {
		const holdAll = true
		permission.recordFailure(r, holdAll)
		if r.After != nil || permission.pauseCount != g.pauseCount {
			return
		}
		g.noCallBefore = later(g.noCallBefore, time.Now().Add(jitter(g.backoff, g.pausesSinceReply)))
		g.pauseCount++
		g.pausesSinceReply++
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
		return // the call that failed was under way when the circuit opened
	}
	if gate.openedAt.IsZero() {
		gate.openedAt = now
	} else {
		gate.openWait = min(2*gate.openWait, maxOpenWait)
	}
	gate.noCallBefore = now.Add(gate.openWait)
}

// recordFailure records a failure for messages, ends a probe, and with holdAll sets until when the
// endpoint asks to wait. The caller holds mu.
func (permission *permission) recordFailure(reading *Reading, holdAll bool) {
	gate := permission.gate
	if permission.probe {
		gate.probing = false
	}
	gate.lastFailure, gate.lastStatus = reading.whatHappened, reading.Status
	if holdAll && reading.After != nil && *reading.After > 0 {
		gate.noCallBefore = later(gate.noCallBefore, time.Now().Add(*reading.After))
	}
}

// update changes the endpoint's circuit breaker under its lock and wakes all calls that wait for it.
func (gate *gate) update(change func(*gate)) {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	change(gate)
	close(gate.changed)
	gate.changed = make(chan struct{})
}

// halt ends all calls for good. It returns false if they had ended already; the first reason stays.
func (g *gate) halt(e *ending) (first bool) {
	g.update(func(g *gate) {
		if first = g.endReason == nil; first {
			g.endReason = e
			close(g.stop)
		}
	})
	return first
}

// ended returns the ending of a question that comes after the end of all calls. The caller holds mu.
func (gate *gate) ended() *ending {
	e := *gate.endReason.err
	e.Message = "no further calls: " + e.Message
	return &ending{gate.endReason.kind, &e}
}

// halted returns why all calls ended, or nil where they did not.
func (gate *gate) halted() *ending {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	return gate.endReason
}

// state returns for how long calls are held back now, and because of which status.
func (gate *gate) state() (time.Duration, int) {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	if wait := time.Until(gate.noCallBefore); wait > 0 {
		return wait, gate.lastStatus
	}
	return 0, 0
}
