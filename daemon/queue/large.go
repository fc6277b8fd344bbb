package queue

import (
	"bytes"
	"slices"
	"sync"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// A large sample takes hundreds of times its bytes while it is prepared. So large
// ones wait in a list of their own until Config.Memory has room for them, for
// goroutines of their own: others are prepared meanwhile, and never wait for memory.

const (
	// smallLine is the length of a line in bytes up to which a sample is never large.
	smallLine = 64 << 10
	// largeFrom is the Weight in bytes from which a sample is large.
	largeFrom = 16 << 20
	// outlineBytes is about what outlining takes for each value of a scene, most of
	// all for the points of a freehand line; outlinedMost is how many values at most
	// take it at the same time, those of one shape.
	outlineBytes = 700
	outlinedMost = 150_000
	// lightCoverage is how many bytes the outlines of a picture may touch until its
	// sample is large; it is then prepared again as one.
	lightCoverage = 32 << 20
	// spilledWeight is the weight of such a sample: its coverage and the tiles of it.
	spilledWeight = 400 << 20
	// rowBytes is what a unit of task.work takes.
	rowBytes = 32
)

// Weight is about how many bytes a sample takes while it is prepared, rather too
// high; 0 for one that is not large.
func Weight(line []byte) int64 {
	if len(line) <= smallLine {
		return 0
	}
	values := int64(max(jsontree.Count(line), bytes.Count(line, []byte{','}))) // an answer may be JSON in a string
	n := 3*int64(len(line)) + values*jsontree.ValueBytes + min(values, outlinedMost)*outlineBytes
	if n < largeFrom {
		return 0
	}
	return n
}

// larges are the large samples that wait. Queue.mu guards them.
type larges struct {
	more *sync.Cond
	list []*task
	busy int // being prepared now
}

func (l *larges) none() bool { return len(l.list) == 0 && l.busy == 0 }

// startLarge starts the goroutines that prepare large samples: half as many as
// workers, so that these have the other half of the processors.
func (q *Queue) startLarge() {
	n := max(1, q.cfg.Workers/2)
	q.running.Add(n)
	for range n {
		go q.workLarge()
	}
}

// workLarge is the life of one of them. Its memory is new for every sample: what a
// large one leaves would be kept for nothing.
func (q *Queue) workLarge() {
	defer q.running.Done()
	for {
		t, ok := q.takeLarge()
		if !ok {
			return
		}
		w := &worker{q: q, decoder: dump.NewDecoder(q.cfg.Items), drawer: q.cfg.Engine.Drawer()}
		needsDevice := w.prepare(t)
		t.memory.Shrink(t.weight - 3*int64(len(t.buf)) - rowBytes*int64(t.work)) // what is prepared takes less
		if !needsDevice || q.gone(t) {
			needsDevice = false
			q.finish(t)
		}
		q.mu.Lock()
		q.large.busy--
		q.handOn(t, needsDevice)
		q.large.more.Broadcast()
		q.mu.Unlock()
	}
}

// takeLarge waits for a large sample for which there is memory, or for one that
// nobody wants any more.
func (q *Queue) takeLarge() (*task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for i, t := range q.large.list {
			if !t.unwanted() && !(q.room() && q.holds(t)) {
				continue
			}
			q.large.list = slices.Delete(q.large.list, i, i+1)
			q.large.busy++
			return t, true
		}
		if q.closed.Load() && q.idle() {
			q.wake()
			return nil, false
		}
		q.large.more.Wait()
	}
}

// holds takes the memory of a large sample, if it is there.
func (q *Queue) holds(t *task) bool {
	h := q.cfg.Memory.Hold(t.client())
	if !h.Try(t.weight) {
		h.Close()
		return false
	}
	t.memory = h
	return true
}

// relax gives back what a large sample held, and lets others look whether there is
// room for them now.
func (q *Queue) relax(t *task) {
	if t.weight == 0 {
		return
	}
	t.memory.Close()
	t.memory = nil
	q.lookLarge()
}

// Freed tells that somebody else gave back memory of Config.Memory: large samples may
// be waiting for it.
func (q *Queue) Freed() { q.lookLarge() }

func (q *Queue) lookLarge() {
	q.mu.Lock()
	q.large.more.Broadcast()
	q.mu.Unlock()
}

// spill ends the preparation of a sample that was found to be large in the middle of
// it: it begins anew as a large one, or is refused where there will never be memory.
func (q *Queue) spill(t *task) {
	t.release()
	t.job, t.fault, t.err, t.work, t.pixels = nil, nil, nil, 0, 0
	t.weight = spilledWeight
	if e := q.tooLarge(t); e != nil {
		t.spilled, t.weight = false, 0
		t.result, t.err = t.failed(e), e
	}
}

// again gives a sample that was found to be large to those who prepare large ones. The
// caller holds mu.
func (q *Queue) again(t *task) {
	t.spilled = false
	if t.bulk {
		t.started.Store(0)
	}
	q.large.list = append(q.large.list, t)
	q.large.more.Signal()
}

// client is whose share of the memory a sample takes.
func (t *task) client() string {
	if t.opt == nil {
		return ""
	}
	return t.opt.Client
}

// tooLarge is the error of a sample for which there will never be memory, nil for
// others.
func (q *Queue) tooLarge(t *task) *scoring.Error {
	if err := q.cfg.Memory.Fits(t.weight); err != nil {
		return &scoring.Error{Code: "too_large", Message: "cannot score item: " + err.Error()}
	}
	return nil
}

var _ dump.Memory = (*memory.Hold)(nil)
