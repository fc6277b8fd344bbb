package queue

import (
	"testing"

	"plumb/daemon/dump"
)

// idler is an engine that is never asked for anything.
type idler struct{ Engine }

func (idler) Drawer() Drawer { return nil }
func (idler) Lates() int     { return 0 }

// A reader that went away while a worker was busy with its sample leaves the
// worker where it is; one whose deadline passed has it replaced, and not again
// once the worker has gone on to another sample.
func TestReplace(t *testing.T) {
	q := New(Config{Engine: idler{}})
	defer q.Close()
	w := newWorker(q)
	begin := func() *task {
		x := q.get(dump.Line{}, nil)
		x.by.Store(w)
		return x
	}
	if _, ok := q.abandon(begin(), false); !ok || q.Lost() != 0 {
		t.Errorf("cancelled: got %v and %d replaced workers; want none", ok, q.Lost())
	}
	_, turn := begin().post()
	w.turn.Add(1)
	if q.replace(w, turn); q.Lost() != 0 {
		t.Errorf("after the turn: got %d replaced workers; want none", q.Lost())
	}
	q.mu.Lock()
	q.busy++ // as if w had been started by New
	q.running.Add(1)
	q.mu.Unlock()
	if _, ok := q.abandon(begin(), true); !ok || q.Lost() != 1 {
		t.Errorf("overdue: got %v and %d replaced workers; want one", ok, q.Lost())
	}
	q.mu.Lock()
	q.lost = 0 // nobody runs as w
	q.mu.Unlock()
}

// Lost is the number of workers that were replaced and are still stuck.
func (q *Queue) Lost() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lost
}
