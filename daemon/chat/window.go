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
	max   int
	fixed bool // always max wide

	mu       sync.Mutex
	width    int
	busy     int             // calls under way
	answered int             // since the last change of the width
	epoch    int             // counts the halvings
	retries  []chan struct{} // questions that wait for another try, which go first
	fresh    []chan struct{} // questions that wait for their first try
}

// newWindow returns a window for at most limit concurrent calls. A fixed one never changes its width.
func newWindow(limit int, fixed bool) *window {
	w := &window{max: limit, fixed: fixed, width: min(limit, firstWidth)}
	if fixed {
		w.width = limit
	}
	return w
}

// slot is the place of one call in the window.
type slot struct {
	window *window
	epoch  int // in which its request was sent
}

// enter waits for a place among the concurrent calls. Questions that were tried before
// (again) go first, so that their deadline does not pass while they wait; otherwise the
// order of arrival counts. It returns errStop when stop is closed, or the error of ctx.
func (w *window) enter(ctx context.Context, stop <-chan struct{}, again bool) (*slot, error) {
	turn := make(chan struct{})
	w.mu.Lock()
	if again {
		w.retries = append(w.retries, turn)
	} else {
		w.fresh = append(w.fresh, turn)
	}
	w.admit()
	w.mu.Unlock()
	select {
	case <-turn:
		return &slot{window: w}, nil
	case <-stop:
		w.leave(turn)
		return nil, errStop
	case <-ctx.Done():
		w.leave(turn)
		return nil, ctx.Err()
	}
}

// leave removes a question that waits no longer. If it got its place at the same moment, the
// place is given to another one.
func (w *window) leave(turn chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&w.retries, &w.fresh} {
		if i := slices.Index(*queue, turn); i >= 0 {
			*queue = slices.Delete(*queue, i, i+1)
			return
		}
	}
	w.busy-- // the place came at the same moment
	w.admit()
}

// admit gives free places to waiting questions by closing their channels. The caller holds
// mu.
func (w *window) admit() {
	for w.busy < w.width {
		queue := &w.retries
		if len(*queue) == 0 {
			queue = &w.fresh
		}
		if len(*queue) == 0 {
			return
		}
		close((*queue)[0])
		*queue = (*queue)[1:]
		w.busy++
	}
}

// begin records that the request is sent now.
func (s *slot) begin() {
	s.window.mu.Lock()
	defer s.window.mu.Unlock()
	s.epoch = s.window.epoch
}

// free ends the call's place among those under way, so that another may begin.
func (s *slot) free() {
	s.window.mu.Lock()
	defer s.window.mu.Unlock()
	s.window.busy--
	s.window.admit()
}

// answered records that the endpoint had room for a call. After as many answers as the
// window is wide, the window grows by one.
func (s *slot) answered() {
	w := s.window
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answered++; w.fixed || w.answered < w.width {
		return
	}
	w.answered = 0
	w.width = min(w.width+1, w.max)
	w.admit()
}

// crowded records that the endpoint had no room for a call. It halves the window, once for
// all calls that were sent before the halving.
func (s *slot) crowded() {
	w := s.window
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fixed || s.epoch != w.epoch {
		return
	}
	w.epoch++
	w.answered = 0
	w.width = max(1, w.width/2)
}

// state returns the calls under way and the width.
func (w *window) state() (busy, width int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy, w.width
}
