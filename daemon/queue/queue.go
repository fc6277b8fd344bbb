// Package queue joins the samples of many requests and streams into batches for
// the engine. In: lines of dumps, and scenes. Out: results in the order of the
// lines; the bytes of a result do not depend on its batch (docs/spec/cli.md#r24).
// It refuses requests beyond a bound (ErrBusy). A sample that fails or takes too
// long gets an error of its own and stops no other sample.
package queue

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/scoring"
)

// ErrBusy marks a request beyond the bound on requests under way; the caller may
// try again later.
var ErrBusy = errors.New("too many requests are waiting")

// ErrClosed marks work that was given to a queue that is shutting down.
var ErrClosed = errors.New("shutting down")

// The defaults: requests by docs/spec/http.md#r35, deadlines by docs/spec/cli.md#r34, batches by
// docs/spec/http.md#r32.
const (
	DefaultMax      = 4096
	DefaultDeadline = 12 * time.Second
	DefaultBatch    = 256
	DefaultWork     = 800_000
	DefaultPixels   = 64 << 20
)

// Config of a queue. Zero values mean the defaults.
type Config struct {
	Engine         Engine
	Items          dump.ItemConfig
	Scorer         string        // the program with its version, written in every result
	Workers        int           // goroutines that decode and outline, default GOMAXPROCS
	MaxBatch       int           // pictures per batch at most, default 256 (--batch)
	MaxBatchWork   int           // rows of masks and items per batch at most, default 800,000; a larger sample goes alone
	MaxBatchPixels int           // px per batch at most, default 64 Mpx; a larger sample goes alone
	BatchDelay     time.Duration // longest wait for a batch to fill, from its oldest request on, default 0 (--queue-delay)
	MaxRequests    int           // requests under way at most, default 4096 (--queue-max)
	Deadline       time.Duration // per sample, default 12 s (--deadline)
	MaxSpares      int           // workers that step in for slow ones at most, default Workers + 2
	CacheBytes     int           // bytes of results that are kept, default none (--result-cache)
	StreamWindow   int           // samples under way per stream, default 4 batches, at least 256
	Judge          Judge         // gives verdicts on open answers; nil for none
	// JudgeDeadline bounds a stream's sample while it is judged, default 5 min (--judge-deadline). Requests
	// have Deadline for all.
	JudgeDeadline       time.Duration
	Memory              *memory.Pool // bounds the memory of large samples that are prepared; nil for no bound (--max-memory)
	Watch               Watch
	RewriteBackendError func(string) string // rewrites the message of an error with the code "backend" for clients; nil to keep it
}

// Options of one request or stream; read-only once given to the queue.
type Options struct {
	Suite            string           // for items that do not name theirs
	Variants         scoring.Variants // nil for none
	Reward           scoring.RewardMode
	Priority         Priority      // default: high for Score, bulk for Stream
	Deadline         time.Duration // per sample; 0 for Config.Deadline, which also cuts it
	Client           string        // the client whose share of the memory counts
	Memory           *memory.Pool  // bounds the bytes of a stream's lines under way; nil for no bound
	NoDuplicateNotes bool          // a stream adds no note to duplicate answers, because its caller does
	JoinIdentical    bool          // samples of a stream join identical work in flight; those of Score always do
	NoJSON           bool          // answers have no JSON, because the caller adds to their results and writes them itself
}

// Watch holds callbacks for counters; every field may be nil. Many goroutines call
// them at once.
type Watch struct {
	Sample func(*scoring.Result) // for each answer; it must not keep or change the result
	Batch  func(pictures int)
	Wait   func(time.Duration)         // from arrival until a worker took the sample
	Stage  func(string, time.Duration) // "decode", "render", "judge", "export", "metric", "score", "encode"
}

// Queue runs samples through workers and the engine. It is safe for concurrent use.
type Queue struct {
	cfg     Config
	epoch   time.Time // where the queue's clock begins; times of the queue are durations since then
	tasks   sync.Pool
	readers sync.Pool
	flights singleFlight
	cache   *cache       // nil for none
	inUse   atomic.Int64 // admitted requests
	closed  atomic.Bool  // set under mu
	// tasksRead counts readings of task files after the first.
	tasksRead atomic.Uint64

	// mu guards everything below. It is never held while a sample is worked on.
	mu              sync.Mutex
	workers         *sync.Cond    // there may be something to prepare or to finish
	device          *sync.Cond    // there may be something to measure
	finisher        *sync.Cond    // finishMeasured waits for measured samples, which it finishes while all workers are busy
	unprepared      lanes         // samples that wait for a worker
	large           stage         // samples that wait for memory, because they need much of it
	judging         stage         // samples that wait for the judge's verdict on an open answer
	latePictures    stage         // samples that wait for pictures that the editor draws, which come late
	readyList       readyList     // samples that wait for the device
	batchWaitOver   bool          // the next batch starts at once: its waiting time is over
	batchAlarmAt    time.Duration // when batchAlarm rings, on the queue's clock; 0 for never
	inFlight        int           // batches on the device
	heaviesInFlight int           // heavy ones among inFlight
	measured        fifo[*task]   // waiting to be scored
	preparing       int           // workers that prepare a sample now and were not relieved
	occupied        []*worker     // workers that are in a sample
	spareWorkers    []*worker     // unused ones, with their memory
	relieved        int           // workers relieved and still in their sample
	slowTimerRuns   bool          // slowTimer is running

	batchAlarm *time.Timer
	slowTimer  *time.Timer
	running    sync.WaitGroup
}

// New returns a queue with its defaults filled in and its goroutines started. Close stops them.
func New(cfg Config) *Queue {
	cfg.Workers = cmp.Or(max(cfg.Workers, 0), runtime.GOMAXPROCS(0))
	cfg.MaxBatch = cmp.Or(max(cfg.MaxBatch, 0), DefaultBatch)
	cfg.MaxBatchWork = cmp.Or(max(cfg.MaxBatchWork, 0), DefaultWork)
	cfg.MaxRequests = cmp.Or(max(cfg.MaxRequests, 0), DefaultMax)
	cfg.Deadline = cmp.Or(max(cfg.Deadline, 0), DefaultDeadline)
	cfg.JudgeDeadline = cmp.Or(max(cfg.JudgeDeadline, 0), DefaultJudgeDeadline)
	cfg.MaxBatchPixels = cmp.Or(max(cfg.MaxBatchPixels, 0), DefaultPixels)
	cfg.MaxSpares = cmp.Or(max(cfg.MaxSpares, 0), cfg.Workers+2)
	cfg.StreamWindow = cmp.Or(max(cfg.StreamWindow, 0), max(256, 4*cfg.MaxBatch))
	// Times count from epoch, and 0 means never. So epoch lies 1 ns back: no real time is 0.
	queue := &Queue{cfg: cfg, epoch: time.Now().Add(-1)}
	if cfg.CacheBytes > 0 {
		queue.cache = newCache(cfg.CacheBytes)
	}
	queue.workers = sync.NewCond(&queue.mu)
	queue.device = sync.NewCond(&queue.mu)
	queue.finisher = sync.NewCond(&queue.mu)
	queue.large = stage{backlog: &largeBacklog{queue: queue}, mayBegin: sync.NewCond(&queue.mu)}
	queue.judging = stage{backlog: new(lanes), mayBegin: sync.NewCond(&queue.mu)}
	queue.latePictures = stage{backlog: new(lanes), mayBegin: sync.NewCond(&queue.mu)}
	queue.flights.tasks = map[key]*task{}
	queue.tasks.New = func() any { return new(task) }
	queue.readers.New = allocateReader
	// AfterFunc is the only way to make a timer with a function. Both stand until a Reset.
	queue.batchAlarm, queue.slowTimer = time.AfterFunc(time.Hour, queue.onBatchAlarm), time.AfterFunc(time.Hour, queue.relieveSlow)
	queue.batchAlarm.Stop()
	queue.slowTimer.Stop()
	queue.begin()
	return queue
}

// begin starts the goroutines of the queue: workers, dispatchers and waiting stages.
func (queue *Queue) begin() {
	inFlight := max(1, queue.cfg.Engine.InFlight())
	queue.running.Add(queue.cfg.Workers + inFlight + 1)
	go queue.finishMeasured()
	for range queue.cfg.Workers {
		go queue.runWorker(queue.spareWorker())
	}
	for range inFlight {
		go (&dispatcher{queue: queue}).run()
	}
	// Half as many as workers: the other half of the processors is for ordinary samples.
	queue.startStage(&queue.large, max(1, queue.cfg.Workers/2), queue.prepareLarge)
	if queue.cfg.Judge != nil {
		queue.startStage(&queue.judging, max(1, queue.cfg.Judge.Width()), queue.awaitVerdict)
	}
	if n := queue.cfg.Engine.Lates(); n > 0 {
		// One more: while one turns a picture into coverage, the editor can draw the next.
		queue.startStage(&queue.latePictures, n+1, queue.awaitPictures)
	}
}

// Depth returns the number of requests under way.
func (queue *Queue) Depth() int { return int(queue.inUse.Load()) }

// Max returns the number of requests that may be under way.
func (queue *Queue) Max() int { return queue.cfg.MaxRequests }

// Admit counts a request as under way until done is called. The error wraps ErrBusy.
func (queue *Queue) Admit() (done func(), err error) {
	if err := queue.admit(); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { queue.inUse.Add(-1) }), nil
}

// admit counts a request as under way, or returns an error that wraps ErrBusy. The caller lowers
// inUse when the request is over.
func (queue *Queue) admit() error {
	if n := queue.inUse.Add(1); n > int64(queue.cfg.MaxRequests) {
		queue.inUse.Add(-1)
		return fmt.Errorf("cannot queue request: %w: %d of %d; retry later or raise --queue-max", ErrBusy, n-1, queue.cfg.MaxRequests)
	}
	return nil
}

// deadlineOf returns the deadline of a sample: that of its request, at most that of the queue.
func (queue *Queue) deadlineOf(o *Options) time.Duration {
	if o != nil && o.Deadline > 0 {
		return min(o.Deadline, queue.cfg.Deadline)
	}
	return queue.cfg.Deadline
}

// Close finishes what was given to the queue and stops its goroutines, but for
// those that are stuck in a sample past its deadline.
func (queue *Queue) Close() {
	queue.mu.Lock()
	queue.closed.Store(true)
	queue.wakeAll()
	queue.mu.Unlock()
	queue.running.Wait()
	queue.batchAlarm.Stop()
	queue.slowTimer.Stop()
}

// wakeAll wakes every goroutine of the queue that waits for samples, so that each checks whether it
// must end.
func (queue *Queue) wakeAll() {
	queue.workers.Broadcast()
	queue.device.Broadcast()
	queue.finisher.Broadcast()
	queue.latePictures.mayBegin.Broadcast()
	queue.judging.mayBegin.Broadcast()
	queue.large.mayBegin.Broadcast()
}

// pushTask queues a task for the workers. A large one, which needs memory, is queued in the stage
// large instead: it waits there for memory, and the stage's own goroutines prepare it. The error
// wraps ErrClosed.
func (queue *Queue) pushTask(task *task) error {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	if queue.closed.Load() {
		return errClosed
	}
	if task.memoryNeeded > 0 {
		queue.large.push(task) // wakes a goroutine of the stage
		return nil
	}
	queue.unprepared.push(task)
	queue.workers.Signal()
	queue.startSlowTimer()
	return nil
}

// drained reports whether no sample is left that could still reach the device: none waits, none is
// prepared for a reader, and none is on the device. The caller holds mu.
func (queue *Queue) drained() bool {
	stagesEmpty := queue.judging.empty() && queue.latePictures.empty() && queue.large.empty()
	return queue.unprepared.len() == 0 && !queue.anyWorkerBusy() && stagesEmpty && queue.readyList.empty() && queue.inFlight == 0
}
