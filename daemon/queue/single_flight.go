package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"plumb/daemon/dump"
	"plumb/scoring"
)

// Identical work in flight is done once. What identifies it are all bytes of the
// item, its id included, the number of its line, and the options that its result
// depends on: a retry of a request is the same bytes, and nothing has to be put
// right in an answer. The key is their SHA-256, so that nobody can make two
// items collide. Requests of different priority do not share, or one would wait
// behind the other's backlog. See docs/spec/http.md#r34.

// digest is the SHA-256 of what a result depends on.
type digest [sha256.Size]byte

// key is what requests that share their work have in common.
type key struct {
	content  digest
	priority Priority
	bulk     bool
}

// singleFlight is the tasks in flight that further readers may join.
type singleFlight struct {
	mu     sync.Mutex // guards what follows, and the fields of tasks that say so; taken after Queue.mu
	tasks  map[key]*task
	shared int64 // readers that joined another's work
	again  int64 // tasks begun anew for the others after one failed
}

// reader is one request, or one line of a stream, that waits for an answer.
type reader struct {
	t       *task // flights.mu guards it: it changes when the work is begun anew
	joined  bool  // the work was begun by another; guarded too
	again   bool  // it has been begun anew for this reader; guarded too
	hit     *kept // the answer, where it was in the cache
	done    chan struct{}
	n       int // of the line
	size    int // bytes of the line
	counted int // of which count in Stream.memory
	opt     *Options
	bulk    bool
	arrived time.Duration // on the queue's clock
	limit   time.Duration // how long it waits
	timer   *time.Timer
	scratch []byte
}

// newReader is what the pool makes.
func newReader() any {
	r := &reader{done: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	r.timer.Stop()
	return r
}

// reader takes a reader for a line from the pool.
func (q *Queue) reader(l dump.Line, o *Options, bulk bool) *reader {
	r := q.readers.Get().(*reader)
	r.n, r.size, r.opt, r.bulk = l.N, len(l.Bytes), o, bulk
	r.arrived, r.limit = q.now(), q.limit(o)
	return r
}

// free gives a reader back; it holds no task any more.
func (q *Queue) free(r *reader) {
	r.timer.Stop()
	r.t, r.hit, r.opt, r.joined, r.again = nil, nil, nil, false, false
	q.readers.Put(r)
}

// ask begins the work on a line, joins what is under way, or takes the answer
// that was kept. After ErrClosed the reader has an answer that says so.
func (q *Queue) ask(l dump.Line, o *Options, p Priority, bulk, share bool) (*reader, error) {
	r := q.reader(l, o, bulk)
	k := key{priority: p, bulk: bulk}
	if share || q.cache != nil {
		k.content, r.scratch = contentOf(l, o, r.scratch[:0])
	}
	if q.cache != nil {
		if r.hit = q.cache.get(k.content); r.hit != nil {
			r.done <- struct{}{}
			return r, nil
		}
	}
	t, fresh := q.join(r, k, share)
	if fresh {
		t.fill(l)
		return r, q.start(t)
	}
	if !q.closed.Load() {
		return r, nil
	}
	if _, ok := q.leave(r, false); !ok { // the last worker may have looked already
		return r, nil
	}
	r.joined = false
	t, _ = q.join(r, k, false)
	t.fill(l)
	return r, q.start(t)
}

var errClosed = fmt.Errorf("cannot queue sample: %w", ErrClosed)

// contentOf hashes what a result depends on. It uses scratch and returns it.
func contentOf(l dump.Line, o *Options, scratch []byte) (digest, []byte) {
	text := func(s string) {
		scratch = binary.AppendUvarint(scratch, uint64(len(s)))
		scratch = append(scratch, s...)
	}
	line := sha256.Sum256(l.Bytes)
	scratch = append(scratch, line[:]...)
	scratch = binary.AppendVarint(scratch, int64(l.N))
	text(l.Fault)
	text(o.Suite)
	scratch = binary.AppendVarint(scratch, int64(o.Reward))
	if len(o.Variants) > 0 {
		for _, name := range slices.Sorted(maps.Keys(o.Variants)) {
			text(name)
			text(o.Variants[name])
		}
	}
	return sha256.Sum256(scratch), scratch
}

// join adds a reader to the task of that key, or to a new one, which the caller
// is to fill and start.
func (q *Queue) join(r *reader, k key, share bool) (t *task, fresh bool) {
	f := &q.flights
	f.mu.Lock()
	defer f.mu.Unlock()
	if share {
		t = f.tasks[k]
	}
	if t != nil {
		r.joined = true
		f.shared++
	} else {
		t, fresh = q.tasks.Get().(*task), true
		t.key, t.shared = k, share
		t.opt, t.arrived, t.priority, t.bulk = r.opt, r.arrived, k.priority, k.bulk
		if share {
			f.tasks[k] = t
		}
	}
	t.add(r)
	return t, fresh
}

// add makes r a reader of t. The caller holds flights.mu.
func (t *task) add(r *reader) {
	r.t = t
	t.readers = append(t.readers, r)
	t.wanted.Add(1)
	if until := int64(r.arrived + r.limit); until > t.until.Load() {
		t.until.Store(until)
	}
}

// forget lets nobody join the task any more. The caller holds flights.mu.
func (f *singleFlight) forget(t *task) {
	if t.shared && f.tasks[t.key] == t {
		delete(f.tasks, t.key)
	}
}

// start gives a filled task to the workers, or answers it where the queue is
// closed.
func (q *Queue) start(t *task) error {
	if e := q.tooLarge(t); e != nil {
		t.result, t.err = t.failed(e), e
		q.finish(t)
		return nil
	}
	err := q.push(t)
	if err != nil {
		t.result = t.failed(&scoring.Error{Code: "closed", Message: err.Error()})
		t.err = err
		q.finish(t)
	}
	return err
}

// leave gives up the wait for an answer. ok is false where the answer was there
// first. Work that has not begun is skipped when nobody else waits for it; where
// it is overdue, a worker that is stuck in it is relieved. who is what is known
// of the sample, nil for nothing.
func (q *Queue) leave(r *reader, overdue bool) (who *naming, ok bool) {
	q.flights.mu.Lock()
	t := r.t
	if t.over {
		q.flights.mu.Unlock()
		return nil, false
	}
	if n := t.who.Load(); n != nil {
		c := *n // the task may serve another sample soon
		who = &c
	}
	i := slices.Index(t.readers, r)
	t.readers = slices.Delete(t.readers, i, i+1)
	last, turn := t.wanted.Add(-1) == 0, t.turn
	if last && t.stop != nil {
		t.stop()
	}
	q.flights.mu.Unlock()
	if last && overdue {
		q.relieveFrom(t, turn)
	}
	if last { // it may wait for memory, and what it has is given back then
		q.lookLarge()
	}
	return who, true
}

// gone reports whether the task has no waiters left; none can join it any more.
func (q *Queue) gone(t *task) bool {
	if !t.unwanted() {
		return false
	}
	q.flights.mu.Lock()
	defer q.flights.mu.Unlock()
	if t.unwanted() {
		t.dead = true
		q.flights.forget(t)
	}
	return t.dead
}

// deliver hands the answer of a task to its readers, or gives its memory back
// where there are none.
func (q *Queue) deliver(t *task) {
	f := &q.flights
	f.mu.Lock()
	f.forget(t)
	next := q.retryJoined(t)
	t.over = true
	t.reading = len(t.readers)
	for _, r := range t.readers {
		r.done <- struct{}{}
	}
	nobody := t.reading == 0
	f.mu.Unlock()
	if nobody {
		q.put(t)
	}
	if next != nil {
		q.start(next)
	}
}

// anew takes those readers off a failed task that had joined another's work, and
// returns a new task for them: the failure was not theirs. It does so once for
// each reader. The caller holds flights.mu.
func (q *Queue) retryJoined(t *task) (next *task) {
	if t.view != nil || t.result.Err == nil || !passing(t.result.Err.Code) || q.closed.Load() {
		return nil
	}
	stay := t.readers[:0]
	for _, r := range t.readers {
		if !r.joined || r.again {
			stay = append(stay, r)
			continue
		}
		if next == nil {
			next = q.tasks.Get().(*task)
			next.fill(t.line)
			next.opt, next.arrived = t.opt, q.now()
			next.key, next.shared, next.priority, next.bulk = t.key, true, t.priority, t.bulk
			q.flights.tasks[t.key] = next
			q.flights.again++
		}
		r.again = true
		t.wanted.Add(-1)
		next.add(r)
	}
	clear(t.readers[len(stay):])
	t.readers = stay
	return next
}

// passing reports whether an error is transient, so that a retry may succeed.
func passing(code string) bool { return code == "deadline" || code == "backend" }

// finished ends the reading of an answer.
func (q *Queue) finished(r *reader) {
	if r.hit == nil {
		q.flights.mu.Lock()
		t := r.t
		t.reading--
		last := t.reading == 0
		q.flights.mu.Unlock()
		if last {
			q.put(t)
		}
	}
	q.free(r)
}

// glance is what a reader sees of its task while it waits: when its time began, how
// much it has of it, and since when others have been ready to draw.
func (q *Queue) glance(r *reader) (started, limit, warm time.Duration) {
	q.flights.mu.Lock()
	defer q.flights.mu.Unlock()
	limit = r.limit
	if r.t.judging {
		limit = q.judgeLimit(r.opt) + judgeSlack
	}
	return time.Duration(r.t.started.Load()), limit, time.Duration(r.t.warm.Load())
}

// judgeSlack is how much longer a reader waits than the judge may take: the judgement
// that says so has to come back.
const judgeSlack = 5 * time.Second

// Stats are what sharing and the cache did so far.
type Stats struct {
	Shared int64 // readers that joined work in flight
	Again  int64 // samples begun anew because another request's failed
	Cache  CacheStats
}

// Stats returns the counts so far.
func (q *Queue) Stats() Stats {
	q.flights.mu.Lock()
	s := Stats{Shared: q.flights.shared, Again: q.flights.again}
	q.flights.mu.Unlock()
	if q.cache != nil {
		s.Cache = q.cache.stats()
	}
	return s
}
