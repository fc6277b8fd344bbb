package queue

import (
	"context"
	"sync"
	"testing"
	"time"

	"plumb/daemon/memory"
	"plumb/scoring"
)

// TestHold: lines of a stream take streamBytes in all, and a line alone goes on whatever its size.
// A line that must wait counts nothing when the stream ends.
func TestHold(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	pool := memory.New("--max-memory", 10, 10)
	if !pool.Hold("other").Try(10) {
		t.Fatal("the pool is too small")
	}
	for _, c := range []struct {
		name    string
		ctx     context.Context
		held, n int
		memory  *memory.Hold
		counted int
	}{
		{"alone", t.Context(), 0, streamBytes + 1, nil, streamBytes + 1},
		{"fits", ended, streamBytes - 5, 5, nil, 5},
		{"does not fit", ended, streamBytes - 5, 6, nil, 0},
		{"alone, without memory", t.Context(), 0, 5, pool.Hold("a"), 0},
		{"without memory", ended, 1, 5, pool.Hold("a"), 0},
	} {
		s := &Stream{ctx: c.ctx, memory: c.memory}
		s.free = sync.NewCond(&s.mu)
		s.held = c.held
		counted, err := s.hold(c.n)
		if counted != c.counted || err != c.ctx.Err() || s.held != c.held+c.n {
			t.Errorf("%s: got %d counted, %v, %d held; want %d", c.name, counted, err, s.held, c.counted)
		}
	}
}

// TestReady: the next answer is there when its reader is done, and not before.
func TestReady(t *testing.T) {
	s := &Stream{order: make(chan *reader, 2)}
	if s.Ready() {
		t.Error("ready without a line")
	}
	r := newReader().(*reader)
	s.order <- r
	if s.Ready() || s.Ready() || s.head != r {
		t.Error("ready before the answer, or the line was lost")
	}
	r.done <- struct{}{}
	if !s.Ready() || !s.Ready() {
		t.Error("not ready with an answer")
	}
	s.head = nil
	close(s.order)
	if s.Ready() {
		t.Error("ready after the end")
	}
}

// TestCancelled: work stops without readers, and a line of a stream's past its deadline, because
// its reader may still wait for an earlier one.
func TestCancelled(t *testing.T) {
	q := still() // an hour old
	for _, c := range []struct {
		name    string
		bulk    bool
		opt     *Options
		started time.Duration // before now
		gone    bool
		want    bool
	}{
		{"in time", true, &Options{Deadline: 30 * time.Second}, 10 * time.Second, false, false},
		{"late", true, &Options{Deadline: 10 * time.Second}, 30 * time.Second, false, true},
		{"late by the queue", true, &Options{}, 2 * time.Minute, false, true},
		{"a request", false, &Options{Deadline: 10 * time.Second}, 30 * time.Second, false, false},
		{"a picture", true, nil, 30 * time.Minute, false, false},
		{"without readers", false, &Options{}, 0, true, true},
	} {
		x := costing(PriorityBulk, 1, 1, 1)
		x.bulk, x.opt = c.bulk, c.opt
		x.started.Store(int64(q.now() - c.started))
		if c.gone {
			x.wanted.Add(-1)
		}
		if got := q.cancelled(x); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// TestTurn: a task that comes back from the pool is in another turn.
func TestTurn(t *testing.T) {
	q := still()
	x := &task{turn: 6}
	if q.put(x); x.turn != 7 {
		t.Errorf("got turn %d; want 7", x.turn)
	}
}

// TestFailedLine: only a line that could not be read has its number as a member.
func TestFailedLine(t *testing.T) {
	x := &task{}
	x.line.N = 7
	for code, want := range map[string]int{"bad_line": 7, "bad_item": 0} {
		if r := x.failed(&scoring.Error{Code: code}); r.Line != want || r.ID != "line:7" || r.Err.Code != code {
			t.Errorf("%s: got %+v; want line %d", code, r, want)
		}
	}
}

// TestNoSpare: no worker is relieved where the last spare one is in use.
func TestNoSpare(t *testing.T) {
	q := still()
	q.spares = 1
	if w := (&worker{q: q, preparing: true}); q.relieve(w) || w.relieved || q.spares != 1 {
		t.Errorf("got it relieved with %d spare workers in use of %d", q.spares, q.cfg.Spares)
	}
}

// TestDefaults: a stream has four batches under way, at least 256 samples; a cache needs a size.
func TestDefaults(t *testing.T) {
	for batch, want := range map[int]int{10: 256, 64: 256, 65: 260} {
		q := New(Config{Engine: idler{}, Batch: batch, Workers: 3})
		if q.cfg.Window != want || q.cfg.Spares != 5 || q.cache != nil {
			t.Errorf("batches of %d: got a window of %d, %d spare workers and a cache: %v; want %d, 5, none", batch, q.cfg.Window, q.cfg.Spares, q.cache != nil, want)
		}
		q.Close()
	}
	q := New(Config{Engine: idler{}, Cache: 1})
	if q.cache == nil {
		t.Error("no cache of a byte")
	}
	q.Close()
}
