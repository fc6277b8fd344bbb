package chat

import (
	"context"
	"slices"
	"sync"
)

// firstWidth is how many calls a window lets through at first.
const firstWidth = 4

// window bounds how many calls are under way. It grows while the endpoint answers and
// halves when the endpoint is short of room. See docs/spec/runs.md#r13.
type window struct {
	maxWidth int
	fixed    bool // always maxWidth wide

	mu                 sync.Mutex
	width              int
	busy               int             // calls under way
	answersSinceChange int             // since the last change of the width
	halvings           int             // of the width so far
	retries            []chan struct{} // questions that wait for another try, which go first
	firstTries         []chan struct{} // questions that wait for their first try
}

// newWindow returns a window for at most limit concurrent calls of an endpoint. A fixed one never changes its
// width.
func newWindow(limit int, fixed bool) *window {
	w := &window{maxWidth: limit, fixed: fixed, width: min(limit, firstWidth)}
	if fixed {
		w.width = limit
	}
	return w
}

// slot is the place of one call in the window.
type slot struct {
	window   *window
	halvings int // of the window, before the slot's request was sent
}

// enter waits for a place among the concurrent calls. Questions that were tried before
// (triedBefore) go first, so that their deadline does not pass while they wait; otherwise the
// order of arrival counts. It returns errStop when stop is closed, or the error of ctx.
func (window *window) enter(ctx context.Context, stop <-chan struct{}, triedBefore bool) (*slot, error) {
	turn := make(chan struct{})
	window.mu.Lock()
	if triedBefore {
		window.retries = append(window.retries, turn)
	} else {
		window.firstTries = append(window.firstTries, turn)
	}
	window.fillPlaces()
	window.mu.Unlock()
	select {
	case <-turn:
		return &slot{window: window}, nil
	case <-stop:
		window.stopWaiting(turn)
		return nil, errStop
	case <-ctx.Done():
		window.stopWaiting(turn)
		return nil, ctx.Err()
	}
}

// stopWaiting removes a question that waits no longer. If it got its place at the same moment, the
// place is given to another one.
func (window *window) stopWaiting(turn chan struct{}) {
	window.mu.Lock()
	defer window.mu.Unlock()
	for _, waiting := range []*[]chan struct{}{&window.retries, &window.firstTries} {
		if i := slices.Index(*waiting, turn); i >= 0 {
			*waiting = slices.Delete(*waiting, i, i+1)
			return
		}
	}
	window.busy-- // the place came at the same moment
	window.fillPlaces()
}

// fillPlaces gives free places to waiting questions by closing their channels. The caller holds mu.
func (window *window) fillPlaces() {
	for window.busy < window.width {
		waiting := &window.retries
		if len(*waiting) == 0 {
			waiting = &window.firstTries
		}
		if len(*waiting) == 0 {
			return
		}
		close((*waiting)[0])
		*waiting = (*waiting)[1:]
		window.busy++
	}
}

// begin records that the request is sent now.
func (slot *slot) begin() {
	slot.window.mu.Lock()
	defer slot.window.mu.Unlock()
	slot.halvings = slot.window.halvings
}

// release ends the call's place among those under way, so that another may begin.
func (slot *slot) release() {
	slot.window.mu.Lock()
	defer slot.window.mu.Unlock()
	slot.window.busy--
	slot.window.fillPlaces()
}

// recordAnswer records that the endpoint had room for a call. After as many answers as the
// window is wide, the window grows by one.
func (slot *slot) recordAnswer() {
	window := slot.window
	window.mu.Lock()
	defer window.mu.Unlock()
	if window.answersSinceChange++; window.fixed || window.answersSinceChange < window.width {
		return
	}
	window.answersSinceChange = 0
	window.width = min(window.width+1, window.maxWidth)
	window.fillPlaces()
}

// recordCrowded records that the endpoint had no room for a call. It halves the window, once for
// all calls that were sent before the halving.
func (slot *slot) recordCrowded() {
	window := slot.window
	window.mu.Lock()
	defer window.mu.Unlock()
	if window.fixed || slot.halvings != window.halvings { // it was halved since the request was sent
		return
	}
	window.halvings++
	window.answersSinceChange = 0
	window.width = max(1, window.width/2)
}

// state returns the calls under way and the width.
func (window *window) state() (busy, width int) {
	window.mu.Lock()
	defer window.mu.Unlock()
	return window.busy, window.width
}
