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
	content    digest
	priority   Priority
	fromStream bool
}

// singleFlight holds the tasks in flight that further readers may join.
type singleFlight struct {
	mu      sync.Mutex // guards what follows, and the fields of tasks that say so; taken after Queue.mu
	tasks   map[key]*task
	shared  int64 // readers that joined a task of another request
	retries int64 // tasks repeated for joined readers after a failure
}

// reader is one request, or one line of a stream, that waits for an answer.
type reader struct {
	task       *task         // flights.mu guards it: it changes when the work is repeated
	joined     bool          // another reader began the work; guarded too
	retried    bool          // the work has been repeated for this reader; guarded too
	cached     *cacheEntry   // the answer, where it was in the cache
	answered   chan struct{} // has room for the one signal that the answer is there
	lineNumber int           // of the line
	size       int           // bytes of the line
	memoryHeld int           // of which count in Stream.memory
	options    *Options
	fromStream bool
	arrived    time.Duration // on the queue's clock
	timeLimit  time.Duration // how long it waits
	timer      *time.Timer
	scratch    []byte
}

// allocateReader makes a reader for the pool. Its timer does not run until Reset.
func allocateReader() any {
	r := &reader{answered: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	r.timer.Stop()
	return r
}

// newReader takes a reader from the pool and sets it to wait for the result of a line: with the line's
// number and size, the options, and the time limit from now on.
func (queue *Queue) newReader(l dump.Line, o *Options, fromStream bool) *reader {
	r := queue.readers.Get().(*reader)
	r.lineNumber, r.size, r.options, r.fromStream = l.Number, len(l.Bytes), o, fromStream
	r.arrived, r.timeLimit = queue.now(), queue.deadlineOf(o)
	return r
}

// recycleReader returns a reader to the pool. The reader must hold no task.
func (queue *Queue) recycleReader(r *reader) {
	r.timer.Stop()
	r.task, r.cached, r.options, r.joined, r.retried = nil, nil, nil, false, false
	queue.readers.Put(r)
}

// submitMode is how a line is worked on.
type submitMode struct {
	priority   Priority
	fromStream bool // a line of a stream: the deadline runs from when the work begins
	share      bool // it may join identical work in flight, and others may join it
}

// submit starts the work on a line, joins identical work in flight, or takes the answer from the cache,
// and returns the reader that gets the answer. After ErrClosed the reader has an answer with that
// error.
func (queue *Queue) submit(line dump.Line, options *Options, manner submitMode) (*reader, error) {
	reader := queue.newReader(line, options, manner.fromStream)
	workKey := key{priority: manner.priority, fromStream: manner.fromStream}
	if manner.share || queue.cache != nil {
		workKey.content, reader.scratch = contentOf(line, options, queue.tasksRead.Load(), reader.scratch[:0])
	}
	if queue.cache != nil {
		reader.cached = queue.cache.get(workKey.content)
		if reader.cached != nil {
			reader.answered <- struct{}{}
			return reader, nil
		}
	}
	task, isNew := queue.join(reader, workKey, manner.share)
	if isNew {
		task.fill(line)
		return reader, queue.start(task)
	}
	if !queue.closed.Load() {
		return reader, nil // another reader's task does the work
	}
	// The queue was closed after the reader joined. The last worker may have ended already, and then nobody
	// finishes the task. So the reader leaves it for a task of its own, which start refuses, unless the
	// answer has been delivered.
	const overdue, share = false, false
	if _, left := queue.leave(reader, overdue); !left {
		return reader, nil
	}
	reader.joined = false
	task, _ = queue.join(reader, workKey, share)
	task.fill(line)
	return reader, queue.start(task)
}

// errClosed is ErrClosed with what could not be done.
var errClosed = fmt.Errorf("cannot queue sample: %w", ErrClosed)

// TasksChanged must be called after task files were read again. A line that names a task by its id may
// mean another task now, so results of earlier samples are not used for later ones any more.
func (queue *Queue) TasksChanged() { queue.tasksRead.Add(1) }

// contentOf returns the hash of everything that a result depends on: the line, its number, the options,
// and tasksRead, how often task files were read. Texts are hashed with their lengths, so that no two contents
// are the same bytes. scratch is memory that is used and returned for the next call.
func contentOf(dumpLine dump.Line, opts *Options, tasksRead uint64, scratch []byte) (digest, []byte) {
	text := func(s string) {
		scratch = binary.AppendUvarint(scratch, uint64(len(s)))
		scratch = append(scratch, s...)
	}
	line := sha256.Sum256(dumpLine.Bytes)
	scratch = append(scratch, line[:]...)
	scratch = binary.AppendVarint(scratch, int64(dumpLine.Number))
	scratch = binary.AppendUvarint(scratch, tasksRead)
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
// allows it. Otherwise it adds the reader to a new task, which the caller must fill and start.
func (queue *Queue) join(reader *reader, key key, share bool) (t *task, isNew bool) {
	flights := &queue.flights
	flights.mu.Lock()
	defer flights.mu.Unlock()
	if share {
		t = flights.tasks[key]
	}
	if t != nil {
		reader.joined = true
		flights.shared++
	} else {
		t, isNew = queue.tasks.Get().(*task), true
		t.key, t.shared = key, share
		t.options, t.arrived, t.priority, t.fromStream = reader.options, reader.arrived, key.priority, key.fromStream
		if share {
			flights.tasks[key] = t
		}
	}
	t.add(reader)
	return t, isNew
}

// add adds reader to the readers that wait for the task's result. The caller holds flights.mu.
func (task *task) add(reader *reader) {
	reader.task = task
	task.readers = append(task.readers, reader)
	task.readerCount.Add(1)
	if until := int64(reader.arrived + reader.timeLimit); until > task.lastDeadline.Load() {
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
	if e := queue.fitError(task); e != nil {
		task.result, task.err = task.failedResult(e), e
		queue.finish(task)
		return nil
	}
	err := queue.pushTask(task)
	if err != nil {
		task.result = task.failedResult(&scoring.Error{Code: "closed", Message: err.Error()})
		task.err = err
		queue.finish(task)
	}
	return err
}

// leave removes a reader from its task. left is false if the answer was delivered before: then the reader
// stays. who names the sample; it is nil if the line was not decoded. When the last reader leaves, the
// task's wait for a judge ends, and if overdue says that the deadline has passed, a spare worker replaces
// the one that is stuck in the task.
func (queue *Queue) leave(reader *reader, overdue bool) (who *identity, left bool) {
	queue.flights.mu.Lock()
	task := reader.task
	if task.delivered {
		queue.flights.mu.Unlock()
		return nil, false
	}
	if identified := task.identified.Load(); identified != nil {
		copied := *identified // the task may serve another sample soon
		who = &copied
	}
	i := slices.Index(task.readers, reader)
	task.readers = slices.Delete(task.readers, i, i+1)
	last, reuseCount := task.readerCount.Add(-1) == 0, task.reuseCount // once unlocked, the task may be reused for another sample
	if last && task.stopJudging != nil {
		task.stopJudging()
	}
	queue.flights.mu.Unlock()
	if last && overdue {
		queue.relieveFrom(task, reuseCount)
	}
	if last { // a large sample that still waits for memory need wait no longer
		queue.MemoryFreed()
	}
	return who, true
}

// giveUpIfUnread reports whether nobody waits for the task any more. It then marks the task as given up, so
// that no other reader can join it and the caller need not work on it.
func (queue *Queue) giveUpIfUnread(task *task) bool {
	if !task.hasNoReaders() {
		return false
	}
	queue.flights.mu.Lock()
	defer queue.flights.mu.Unlock()
	if task.hasNoReaders() { // again, because one may have joined before the lock
		task.givenUp = true
		queue.flights.forget(task)
	}
	return task.givenUp
}

// deliver signals the readers of a task that its answer is there, and starts the work anew for those
// that had joined it and may try again. No reader can join it any more. A task without readers returns
// to the pool at once.
func (queue *Queue) deliver(task *task) {
	flights := &queue.flights
	flights.mu.Lock()
	flights.forget(task)
	next := queue.retryJoined(task)
	task.delivered = true
	task.answerUsers = len(task.readers)
	for _, r := range task.readers {
		r.answered <- struct{}{} // has room for one
	}
	unread := task.answerUsers == 0
	flights.mu.Unlock()
	if unread {
		queue.recycle(task)
	}
	if next != nil {
		queue.start(next)
	}
}

// retryJoined moves the readers that had joined a failed task of another request to a new
// task, because a transient failure may not repeat. It returns that task, nil for none.
// Each reader is moved once. The caller holds flights.mu.
func (queue *Queue) retryJoined(t *task) (next *task) {
	failed := t.viewToDraw == nil && t.result.Err != nil
	if !failed || !transient(t.result.Err.Code) || queue.closed.Load() {
		return nil
	}
	staying := t.readers[:0]
	for _, reader := range t.readers {
		if !reader.joined || reader.retried { // it gets the error
			staying = append(staying, reader)
			continue
		}
		if next == nil {
			next = queue.tasks.Get().(*task)
			next.fill(t.line)
			next.options, next.arrived = t.options, queue.now()
			next.key, next.shared, next.priority, next.fromStream = t.key, true, t.priority, t.fromStream
			queue.flights.tasks[t.key] = next
			queue.flights.retries++
		}
		reader.retried = true
		t.readerCount.Add(-1)
		next.add(reader)
	}
	clear(t.readers[len(staying):])
	t.readers = staying
	return next
}

// transient reports whether an error is transient, so that a retry may succeed.
func transient(code string) bool { return code == "deadline" || code == "backend" }

// releaseAnswer returns a reader to the pool once its request no longer uses the answer. The last reader
// of a task returns the task too.
func (queue *Queue) releaseAnswer(reader *reader) {
	if reader.cached == nil { // not from the cache: the answer is memory of a task that others may still read
		queue.flights.mu.Lock()
		task := reader.task
		task.answerUsers--
		last := task.answerUsers == 0
		queue.flights.mu.Unlock()
		if last {
			queue.recycle(task)
		}
	}
	queue.recycleReader(reader)
}

// waitState returns what the deadline of a reader depends on. started is when a worker took the task, 0 for
// not yet. limit is how long the reader may wait. readySince is when the editor was ready to draw for the
// task, from which moment the reader has its whole limit again. It is editorNotReady while the editor is not
// ready, and 0 for a task that need not wait for it. Moments are on the queue's clock, as the time since it began.
func (queue *Queue) waitState(reader *reader) (started, limit, readySince time.Duration) {
	queue.flights.mu.Lock()
	defer queue.flights.mu.Unlock()
	limit = reader.timeLimit
	if reader.task.beingJudged {
		limit = queue.judgeLimit(reader.options) + judgeSlack
	}
	return time.Duration(reader.task.deadlineStart.Load()), limit, time.Duration(reader.task.editorReadyAt.Load())
}

// judgeSlack is how much longer a reader waits than the judge may take, so that the
// judge's own error reaches the reader.
const judgeSlack = 5 * time.Second

// Stats counts samples that were shared, repeated or found in the cache.
type Stats struct {
	Shared  int64 // readers that joined work in flight
	Retried int64 // samples repeated because the work they had joined failed
	Cache   CacheStats
}

// Stats returns how many lines shared the work of an equal line, and the counts of the cache of
// results, since the start.
func (queue *Queue) Stats() Stats {
	queue.flights.mu.Lock()
	stats := Stats{Shared: queue.flights.shared, Retried: queue.flights.retries}
	queue.flights.mu.Unlock()
	if queue.cache != nil {
		stats.Cache = queue.cache.stats()
	}
	return stats
}
