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

// Identical work in flight is done once (single flight, docs/spec/http.md#r34). Its key
// is the SHA-256 of all bytes of the item, its id included, of the number of its line
// and of the options that its result depends on. So an answer fits all its readers
// as it is, and no client can make two items collide. Requests of different priority do
// not share, because one would wait behind the other's backlog.

// digest is the SHA-256 of everything that a result depends on.
type digest [sha256.Size]byte

// key identifies the work that requests may share.
type key struct {
	content  digest
	priority Priority
	bulk     bool
}

// singleFlight holds the tasks in flight that further readers may join.
type singleFlight struct {
	mu      sync.Mutex // guards what follows, and the fields of tasks that say so; taken after Queue.mu
	tasks   map[key]*task
	shared  int64 // readers that joined a task of another request
	repeats int64 // tasks repeated for joined readers after a failure
}

// reader is one request, or one line of a stream, that waits for an answer.
type reader struct {
	task       *task       // flights.mu guards it: it changes when the work is repeated
	joined     bool        // another reader began the work; guarded too
	repeated   bool        // the work has been repeated for this reader; guarded too
	hit        *cacheEntry // the answer, where it was in the cache
	done       chan struct{}
	lineNumber int // of the line
	size       int // bytes of the line
	counted    int // of which count in Stream.memory
	opt        *Options
	bulk       bool
	arrived    time.Duration // on the queue's clock
	limit      time.Duration // how long it waits
	timer      *time.Timer
	scratch    []byte
}

// newReader makes a reader for the pool. Its timer does not run until Reset.
func newReader() any {
	r := &reader{done: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	r.timer.Stop()
	return r
}

// reader takes a reader from the pool and sets it to wait for the result of a line: with the line's
// number and size, the options, and the time limit from now on.
func (queue *Queue) reader(l dump.Line, o *Options, bulk bool) *reader {
	r := queue.readers.Get().(*reader)
	r.lineNumber, r.size, r.opt, r.bulk = l.Number, len(l.Bytes), o, bulk
	r.arrived, r.limit = queue.now(), queue.limit(o)
	return r
}

// free returns a reader to the pool. The reader must hold no task.
func (queue *Queue) free(r *reader) {
	r.timer.Stop()
	r.task, r.hit, r.opt, r.joined, r.repeated = nil, nil, nil, false, false
	queue.readers.Put(r)
}

// manner is how a line is worked on.
type manner struct {
	priority Priority
	bulk     bool // for a stream: the deadline runs from when the work begins
	share    bool // it may join identical work in flight, and others may join it
}

// submit starts the work on a line, joins identical work in flight, or takes the answer from the cache,
// and returns the reader that gets the answer. After ErrClosed the reader has an answer with that
// error.
func (queue *Queue) submit(line dump.Line, options *Options, manner manner) (*reader, error) {
	reader := queue.reader(line, options, manner.bulk)
	k := key{priority: manner.priority, bulk: manner.bulk}
	if manner.share || queue.cache != nil {
		k.content, reader.scratch = contentOf(line, options, queue.tasksRead.Load(), reader.scratch[:0])
	}
	if queue.cache != nil {
		reader.hit = queue.cache.get(k.content)
		if reader.hit != nil {
			reader.done <- struct{}{}
			return reader, nil
		}
	}
	task, fresh := queue.join(reader, k, manner.share)
	if fresh {
		task.fill(line)
		return reader, queue.start(task)
	}
	if !queue.closed.Load() {
		return reader, nil
	}
	// The queue was closed after the reader joined. The last worker may have ended already, and then nobody
	// finishes the task. So the reader leaves it for a task of its own, which start refuses, unless the
	// answer has been delivered.
	const overdue, share = false, false
	if _, ok := queue.leave(reader, overdue); !ok {
		return reader, nil
	}
	reader.joined = false
	task, _ = queue.join(reader, k, share)
	task.fill(line)
	return reader, queue.start(task)
}

// errClosed is ErrClosed with what could not be done.
var errClosed = fmt.Errorf("cannot queue sample: %w", ErrClosed)

// TasksChanged must be called after task files were read again. A line that names a task by its id may
// mean another task now, so results of earlier samples are not used for later ones any more.
func (queue *Queue) TasksChanged() { queue.tasksRead.Add(1) }

// contentOf returns the hash of everything that a result depends on: the line, its number, the options,
// and read, how often task files were read. Texts are hashed with their lengths, so that no two contents
// are the same bytes. scratch is memory that is used and returned for the next call.
func contentOf(dumpLine dump.Line, opts *Options, read uint64, scratch []byte) (digest, []byte) {
	text := func(s string) {
		scratch = binary.AppendUvarint(scratch, uint64(len(s)))
		scratch = append(scratch, s...)
	}
	line := sha256.Sum256(dumpLine.Bytes)
	scratch = append(scratch, line[:]...)
	scratch = binary.AppendVarint(scratch, int64(dumpLine.Number))
	scratch = binary.AppendUvarint(scratch, read)
	text(dumpLine.Fault)
	text(opts.Suite)
	scratch = binary.AppendVarint(scratch, int64(opts.Reward))
	if len(opts.Variants) > 0 {
		for _, name := range slices.Sorted(maps.Keys(opts.Variants)) {
			text(name)
			text(opts.Variants[name])
		}
	}
	return sha256.Sum256(scratch), scratch
}

// join adds a reader to the task that already works on the same sample, with the key key, where share
// allows it. Otherwise it adds the reader to a fresh task, which the caller must fill and start.
func (queue *Queue) join(reader *reader, key key, share bool) (t *task, fresh bool) {
	flight := &queue.flights
	flight.mu.Lock()
	defer flight.mu.Unlock()
	if share {
		t = flight.tasks[key]
	}
	if t != nil {
		reader.joined = true
		flight.shared++
	} else {
		t, fresh = queue.tasks.Get().(*task), true
		t.key, t.shared = key, share
		t.opt, t.arrived, t.priority, t.bulk = reader.opt, reader.arrived, key.priority, key.bulk
		if share {
			flight.tasks[key] = t
		}
	}
	t.add(reader)
	return t, fresh
}

// add adds reader to the readers that wait for the task's result. The caller holds flights.mu.
func (task *task) add(reader *reader) {
	reader.task = task
	task.readers = append(task.readers, reader)
	task.readerCount.Add(1)
	if until := int64(reader.arrived + reader.limit); until > task.lastDeadline.Load() {
		task.lastDeadline.Store(until)
	}
}

// forget removes a task, so that no reader can join it any more. The caller holds
// flights.mu.
func (f *singleFlight) forget(t *task) {
	if t.shared && f.tasks[t.key] == t {
		delete(f.tasks, t.key)
	}
}

// start queues a filled task. It answers the task with an error where the queue is closed
// or the task is too large for its memory.
func (queue *Queue) start(task *task) error {
	if e := queue.tooLarge(task); e != nil {
		task.result, task.err = task.failed(e), e
		queue.finish(task)
		return nil
	}
	err := queue.push(task)
	if err != nil {
		task.result = task.failed(&scoring.Error{Code: "closed", Message: err.Error()})
		task.err = err
		queue.finish(task)
	}
	return err
}

// leave removes a reader from its task. ok is false if the answer was delivered before: then the reader
// stays. who names the sample; it is nil if the line was not decoded. When the last reader leaves, the
// task's wait for a judge ends, and if overdue says that the deadline has passed, a spare worker replaces
// the one that is stuck in the task.
func (queue *Queue) leave(reader *reader, overdue bool) (who *identity, ok bool) {
	queue.flights.mu.Lock()
	task := reader.task
	if task.delivered {
		queue.flights.mu.Unlock()
		return nil, false
	}
	if n := task.who.Load(); n != nil {
		c := *n // the task may serve another sample soon
		who = &c
	}
	i := slices.Index(task.readers, reader)
	task.readers = slices.Delete(task.readers, i, i+1)
	last, turn := task.readerCount.Add(-1) == 0, task.turn // once unlocked, the task may serve another sample in its next turn
	if last && task.stopJudging != nil {
		task.stopJudging()
	}
	queue.flights.mu.Unlock()
	if last && overdue {
		queue.relieveFrom(task, turn)
	}
	if last { // a large sample that waits for memory is finished now
		queue.Freed()
	}
	return who, true
}

// giveUpIfUnread reports whether nobody waits for the task any more. It then marks the task as dead, so
// that no other reader can join it and the caller need not work on it.
func (queue *Queue) giveUpIfUnread(task *task) bool {
	if !task.hasNoReaders() {
		return false
	}
	queue.flights.mu.Lock()
	defer queue.flights.mu.Unlock()
	if task.hasNoReaders() { // again, because one may have joined before the lock
		task.dead = true
		queue.flights.forget(task)
	}
	return task.dead
}

// deliver signals the readers of a task that its answer is there, and starts the work anew for those
// that had joined it and may try again. No reader can join it any more. A task without readers returns
// to the pool at once.
func (queue *Queue) deliver(task *task) {
	flight := &queue.flights
	flight.mu.Lock()
	flight.forget(task)
	next := queue.retryJoined(task)
	task.delivered = true
	task.reading = len(task.readers)
	for _, r := range task.readers {
		r.done <- struct{}{} // has room for one
	}
	unread := task.reading == 0
	flight.mu.Unlock()
	if unread {
		queue.put(task)
	}
	if next != nil {
		queue.start(next)
	}
}

// retryJoined moves the readers that had joined a failed task of another request to a new
// task, because a transient failure may not repeat. It returns that task, nil for none.
// Each reader is moved once. The caller holds flights.mu.
func (queue *Queue) retryJoined(t *task) (next *task) {
	failed := t.view == nil && t.result.Err != nil
	if !failed || !transient(t.result.Err.Code) || queue.closed.Load() {
		return nil
	}
	stay := t.readers[:0]
	for _, reader := range t.readers {
		if !reader.joined || reader.repeated {
			stay = append(stay, reader)
			continue
		}
		if next == nil {
			next = queue.tasks.Get().(*task)
			next.fill(t.line)
			next.opt, next.arrived = t.opt, queue.now()
			next.key, next.shared, next.priority, next.bulk = t.key, true, t.priority, t.bulk
			queue.flights.tasks[t.key] = next
			queue.flights.repeats++
		}
		reader.repeated = true
		t.readerCount.Add(-1)
		next.add(reader)
	}
	clear(t.readers[len(stay):])
	t.readers = stay
	return next
}

// transient reports whether an error is transient, so that a retry may succeed.
func transient(code string) bool { return code == "deadline" || code == "backend" }

// releaseAnswer returns a reader to the pool once its request no longer uses the answer. The last reader
// of a task returns the task too.
func (queue *Queue) releaseAnswer(reader *reader) {
	if reader.hit == nil { // not from the cache: the answer is memory of a task that others may still read
		queue.flights.mu.Lock()
		task := reader.task
		task.reading--
		last := task.reading == 0
		queue.flights.mu.Unlock()
		if last {
			queue.put(task)
		}
	}
	queue.free(reader)
}

// waitState returns what the deadline of a reader depends on. started is when a worker took the task, 0 for
// not yet. limit is how long the reader may wait. readySince is when the editor was ready to draw for the
// task, from which moment the reader has its whole limit again; it is cold while the editor is not ready, and
// 0 for a task that need not wait for it. Moments are on the queue's clock, as the time since it began.
func (queue *Queue) waitState(reader *reader) (started, limit, readySince time.Duration) {
	queue.flights.mu.Lock()
	defer queue.flights.mu.Unlock()
	limit = reader.limit
	if reader.task.judging {
		limit = queue.judgeLimit(reader.opt) + judgeSlack
	}
	return time.Duration(reader.task.started.Load()), limit, time.Duration(reader.task.editorReady.Load())
}

// judgeSlack is how much longer a reader waits than the judge may take, so that the
// judge's own error reaches the reader.
const judgeSlack = 5 * time.Second

// Stats counts samples that were shared, repeated or found in the cache.
type Stats struct {
	Shared int64 // readers that joined work in flight
	Again  int64 // samples repeated because the work they had joined failed
	Cache  CacheStats
}

// Stats returns how many lines shared the work of an equal line, and the counts of the cache of
// results, since the start.
func (queue *Queue) Stats() Stats {
	queue.flights.mu.Lock()
	stats := Stats{Shared: queue.flights.shared, Again: queue.flights.repeats}
	queue.flights.mu.Unlock()
	if queue.cache != nil {
		stats.Cache = queue.cache.stats()
	}
	return stats
}
