package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	firstCool = time.Second
	maxCool   = 30 * time.Second
)

// gate keeps calls away from an endpoint that does not answer. After some failures in a
// row it closes, and then lets one call through from time to time; the first reply
// opens it. It also holds all calls back for as long as the endpoint asks.
type gate struct {
	trip     int           // failures in a row that close it
	patience time.Duration // how long calls wait while it is closed

	mu       sync.Mutex
	failures int
	since    time.Time // it closed; zero while it is open
	until    time.Time // no call before
	cool     time.Duration
	probing  bool // a call was let through to see
	last     *failure
	end      error
	change   chan struct{} // closed when something changed
}

func newGate(trip int, patience time.Duration) *gate {
	return &gate{trip: trip, patience: patience, cool: firstCool, change: make(chan struct{})}
}

// pass is the permission of one call; one of its methods must be called after it.
type pass struct {
	g     *gate
	probe bool
}

// enter waits until a call may be made. It does not wait for what comes after the
// deadline, nor longer than the patience for an endpoint that is down.
func (g *gate) enter(ctx context.Context) (*pass, error) {
	for {
		p, wait, change, err := g.look(ctx)
		if p != nil || err != nil {
			return p, err
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-change:
		case <-ctx.Done():
			t.Stop()
			return nil, ctx.Err()
		}
		t.Stop()
	}
}

// look returns a pass, or how long to wait unless something changes first.
func (g *gate) look(ctx context.Context) (p *pass, wait time.Duration, change <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.end != nil {
		return nil, 0, nil, fmt.Errorf("judging has ended: %w", g.end)
	}
	now := time.Now()
	wait = max(0, g.until.Sub(now))
	if g.since.IsZero() {
		if until, ok := ctx.Deadline(); ok && wait > 0 && until.Before(g.until) {
			return nil, 0, nil, fmt.Errorf("the judge asks to wait for %v, which is too long: %s", wait.Round(time.Second), g.last.why)
		}
		if wait == 0 {
			return &pass{g: g}, 0, nil, nil
		}
		return nil, wait, g.change, nil
	}
	if wait == 0 && !g.probing {
		g.probing = true
		return &pass{g: g, probe: true}, 0, nil, nil
	}
	left := g.patience - now.Sub(g.since)
	if left <= 0 {
		return nil, 0, nil, fmt.Errorf("the judge has not answered for %v: %s", now.Sub(g.since).Round(time.Second), g.last.why)
	}
	if wait == 0 {
		wait = left
	}
	return nil, min(wait, left), g.change, nil
}

// good tells that the endpoint answered.
func (p *pass) good() {
	p.g.set(func(g *gate) { g.failures, g.since, g.cool, g.probing = 0, time.Time{}, firstCool, false })
}

// nothing tells that the call was not made, or says nothing about the endpoint.
func (p *pass) nothing() { p.g.set(func(g *gate) { g.probing = g.probing && !p.probe }) }

// bad tells that it failed.
func (p *pass) bad(f *failure) {
	p.g.set(func(g *gate) {
		if g.failures++; g.failures >= g.trip {
			g.shut()
		}
		p.failed(f)
	})
}

// down tells that it will fail for all.
func (p *pass) down(f *failure) {
	p.g.set(func(g *gate) {
		g.failures = max(g.failures, g.trip)
		g.shut()
		p.failed(f)
	})
}

// shut closes the gate, or keeps it closed after a probe. The caller holds mu.
func (g *gate) shut() {
	now := time.Now()
	if !g.since.IsZero() && now.Before(g.until) {
		return // one of several calls that were under way when it closed
	}
	if g.since.IsZero() {
		g.since = now
	} else {
		g.cool = min(2*g.cool, maxCool)
	}
	g.until = now.Add(g.cool)
}

// failed notes a failure, and until when the endpoint wants to be left alone. The
// caller holds mu.
func (p *pass) failed(f *failure) {
	g := p.g
	g.probing, g.last = g.probing && !p.probe, f
	if at := time.Now().Add(f.after); f.after > 0 && at.After(g.until) {
		g.until = at
	}
}

func (g *gate) set(change func(*gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
	close(g.change)
	g.change = make(chan struct{})
}

// halt ends all judging for good; false where it had ended already.
func (g *gate) halt(why error) (first bool) {
	var f *failure
	if errors.As(why, &f) {
		why = errors.New(f.why) // the status means nothing to later questions
	}
	g.set(func(g *gate) {
		if first = g.end == nil; first {
			g.end = why
		}
	})
	return first
}

func (g *gate) halted() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.end
}
