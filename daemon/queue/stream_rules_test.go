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
		s.roomFreed = sync.NewCond(&s.mu)
		s.heldBytes = c.held
		counted, err := s.holdLine(c.n)
		if counted != c.counted || err != c.ctx.Err() || s.heldBytes != c.held+c.n {
			t.Errorf("%s: got %d counted, %v, %d held; want %d", c.name, counted, err, s.heldBytes, c.counted)
		}
	}
}

// TestReady: the next answer is there when its reader is done, and not before.
func TestReady(t *testing.T) {
	s := &Stream{readers: make(chan *reader, 2)}
	if s.Ready() {
		t.Error("ready without a line")
	}
	r := allocateReader().(*reader)
	s.readers <- r
	if s.Ready() || s.Ready() || s.head != r {
		t.Error("ready before the answer, or the line was lost")
	}
	r.answered <- struct{}{}
	if !s.Ready() || !s.Ready() {
		t.Error("not ready with an answer")
	}
	s.head = nil
	close(s.readers)
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
		x.fromStream, x.options = c.bulk, c.opt
		x.deadlineStart.Store(int64(q.now() - c.started))
		if c.gone {
			x.readerCount.Add(-1)
		}
		if got := q.cancelled(x); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// TestTurn: a task that comes back from the pool is in another turn.
func TestTurn(t *testing.T) {
	q := still()
	x := &task{reuseCount: 6}
	if q.recycle(x); x.reuseCount != 7 {
		t.Errorf("got turn %d; want 7", x.reuseCount)
	}
}

// TestFailedLine: only a line that could not be read has its number as a member.
func TestFailedLine(t *testing.T) {
	x := &task{}
	x.line.Number = 7
	for code, want := range map[string]int{"bad_line": 7, "bad_item": 0} {
		if r := x.failedResult(&scoring.Error{Code: code}); r.Line != want || r.ID != "line:7" || r.Err.Code != code {
			t.Errorf("%s: got %+v; want line %d", code, r, want)
		}
	}
}

// TestNoSpare: no worker is relieved where the last spare one is in use.
func TestNoSpare(t *testing.T) {
	q := still()
	q.relieved = 1
	if w := (&worker{queue: q, preparing: true}); q.relieve(w) || w.relieved || q.relieved != 1 {
		t.Errorf("got it relieved with %d spare workers in use of %d", q.relieved, q.cfg.MaxSpares)
	}
}

// TestDefaults: a stream has four batches under way, at least 256 samples; a cache needs a size.
func TestDefaults(t *testing.T) {
	for batch, want := range map[int]int{10: 256, 64: 256, 65: 260} {
		q := New(Config{Engine: idler{}, MaxBatch: batch, Workers: 3})
		if q.cfg.StreamWindow != want || q.cfg.MaxSpares != 5 || q.cache != nil {
			t.Errorf("batches of %d: got a window of %d, %d spare workers and a cache: %v; want %d, 5, none", batch, q.cfg.StreamWindow, q.cfg.MaxSpares, q.cache != nil, want)
		}
		q.Close()
	}
	q := New(Config{Engine: idler{}, CacheBytes: 1})
	if q.cache == nil {
		t.Error("no cache of a byte")
	}
	q.Close()
}

// TestWaits: a reader waits for its limit, with a judge for the judge's and a little, and as long
// again after the editor became ready.
func TestWaits(t *testing.T) {
	q := still()
	x := &task{}
	r := &reader{task: x, timeLimit: time.Minute, options: &Options{}}
	if _, limit, _ := q.waitState(r); limit != time.Minute || q.extraWait(r) != 0 {
		t.Errorf("got %v and %v more; want the limit alone", limit, q.extraWait(r))
	}
	x.editorReadyAt.Store(editorNotReady)
	if got := q.extraWait(r); got != 100*time.Millisecond {
		t.Errorf("got %v more while the editor is not ready; want 100ms", got)
	}
	x.editorReadyAt.Store(int64(q.now() - 20*time.Second))
	if got := q.extraWait(r); got > 40*time.Second || got < 30*time.Second {
		t.Errorf("got %v more, 20 s after the editor was ready; want 40 s", got)
	}
	x.beingJudged = true
	if _, limit, _ := q.waitState(r); limit != q.judgeLimit(r.options)+judgeSlack || limit != time.Hour+judgeSlack {
		t.Errorf("got %v for a judge of an hour; want %v", limit, time.Hour+judgeSlack)
	}
}

// TestComplete: a result names the backend of its pictures, or the engine's where it has none of
// its own, and has the notes on its line before its own and those on pictures after them.
func TestComplete(t *testing.T) {
	note := func(code string) []scoring.Note { return []scoring.Note{{Code: code}} }
	for _, c := range []struct {
		task, own, want string
		codes           string
	}{{"", "", "engine", "read own"}, {"", "own", "own", "read own"}, {"chrome", "own", "chrome", "read own drawn"}, {"chrome", "", "chrome", "read own drawn"}} {
		x := &task{load: load{backend: c.task, readNotes: note("read"), originNotes: note("drawn")}}
		r := scoring.Result{Backend: c.own, Notes: note("own")}
		x.completeResult(&r, "engine")
		codes := ""
		for _, n := range r.Notes {
			codes += " " + n.Code
		}
		if r.Backend != c.want || codes != " "+c.codes {
			t.Errorf("%+v: got %s and%s", c, r.Backend, codes)
		}
	}
	r := scoring.Result{}
	if (&task{}).completeResult(&r, "engine"); r.Notes != nil {
		t.Errorf("got the notes %v; want none", r.Notes)
	}
}

func TestClient(t *testing.T) {
	if got := (&task{}).client(); got != "" {
		t.Errorf("got %q for a sample without options", got)
	}
	if got := (&task{load: load{options: &Options{Client: "c"}}}).client(); got != "c" {
		t.Errorf("got %q; want c", got)
	}
}

// TestFinished: the last reader returns the task to the pool.
func TestFinished(t *testing.T) {
	q := still()
	q.readers.New = allocateReader
	x := &task{answerUsers: 2, reuseCount: 1}
	for want := range uint64(2) {
		r := allocateReader().(*reader)
		r.task = x
		if q.releaseAnswer(r); x.reuseCount != 1+want {
			t.Errorf("after %d readers: got turn %d; want %d", want+1, x.reuseCount, 1+want)
		}
	}
}

// TestRetryJoined: after a transient failure the readers that had joined move to a new task, once.
func TestRetryJoined(t *testing.T) {
	for code, moves := range map[string]bool{"deadline": true, "backend": true, "bad_item": false} {
		q := still()
		x := &task{load: load{result: scoring.Result{Err: &scoring.Error{Code: code}}}}
		own, joined, again := allocateReader().(*reader), allocateReader().(*reader), allocateReader().(*reader)
		for _, r := range []*reader{own, joined, again} {
			x.add(r)
		}
		joined.joined, again.joined, again.retried = true, true, true
		next := q.retryJoined(x)
		if (next != nil) != moves {
			t.Errorf("%s: got a new task: %v", code, next != nil)
		}
		if moves && (x.readerCount.Load() != 2 || next.readerCount.Load() != 1 || len(x.readers) != 2 || joined.task != next || !joined.retried || q.flights.retries != 1) {
			t.Errorf("%s: got %d and %d readers; want 2 to stay and 1 to move", code, x.readerCount.Load(), next.readerCount.Load())
		}
	}
}

// TestVacateWatches: a relieved worker that ends looks whether samples still wait.
func TestVacateWatches(t *testing.T) {
	for _, waiting := range []bool{false, true} {
		q := still()
		w := &worker{queue: q}
		q.recordBusy(w, costing(PriorityHigh, 1, 1, 1), true)
		w.relieved, q.relieved = true, 1
		if waiting {
			q.unprepared.push(costing(PriorityHigh, 1, 1, 1))
		}
		if q.recordFree(w); q.slowTimerRuns != waiting {
			t.Errorf("samples wait: %v; got the timer of slow workers running: %v", waiting, q.slowTimerRuns)
		}
		q.slowTimer.Stop()
	}
}
