package queue

import "time"

const (
	// streamTarget is how many pictures a bulk batch waits for while more are
	// being prepared: about 16 ms of work for a software driver.
	streamTarget = 64
	// minTarget and maxTarget bound the pictures that a batch of requests waits for while
	// there is a backlog; in between it is half of the backlog.
	minTarget = 16
	maxTarget = 128
	// lull is how long a batch waits at most after the last picture was added, because
	// what is being prepared may be stuck.
	lull = 10 * time.Millisecond
	// maxWait is how long a batch waits at most while pictures keep being added.
	maxWait = 50 * time.Millisecond
	// maxHeavy is how many heavy samples may be ready for the device: they hold
	// much memory each.
	maxHeavy = 4
)

// The classes of samples that are ready for the device, the most urgent one first. A
// heavy sample makes a batch of its own, after the small ones of requests.
const (
	classHigh = iota
	classNormal
	classHeavy
	classBulk
	classes
)

// readyList holds the samples that are ready for the device. Queue.mu guards it. The sums
// leave heavy samples out.
type readyList struct {
	byClass [classes]fifo[*task]
	turn    turns
	// firstAdded is since when the next batch waits, on the queue's clock: when the last one left, or when a
	// sample came into the empty list.
	firstAdded time.Duration
	lastAdded  time.Duration // when the last sample was added
	pictures   int
	work       int // tile segments
	pixels     int
}

func (s *readyList) has(c int) bool { return s.byClass[c].len() > 0 }

func (s *readyList) empty() bool { return s.urgent() == 0 && !s.has(classHeavy) && !s.has(classBulk) }

// mayLead reports whether a batch may begin with a sample of class c. There is at most
// one heavy sample on the device.
func (queue *Queue) mayLead(c int) bool {
	return queue.readyList.has(c) && (c != classHeavy || queue.heaviesInFlight == 0)
}

// urgent returns the number of small samples of requests, which clients wait for.
func (s *readyList) urgent() int { return s.byClass[classHigh].len() + s.byClass[classNormal].len() }

// push adds a sample that is prepared to those that wait for a batch on the device.
func (s *readyList) push(task *task) {
	if task.class != classHeavy {
		s.count(task, 1)
	}
	s.byClass[task.class].push(task)
}

// pop takes the next prepared sample of a class for a batch.
func (s *readyList) pop(c int) *task {
	task := s.byClass[c].pop()
	if c != classHeavy {
		s.count(task, -1)
	}
	return task
}

// count adds a task to the sums, or takes it off them where sign is -1.
func (s *readyList) count(t *task, sign int) {
	s.pictures += sign * len(t.pictures)
	s.work += sign * t.work
	s.pixels += sign * t.pixels
}

// classify sets the class of a prepared task, by which the dispatcher chooses the next batch: heavy
// for one that needs much work, many pixels or more pictures than a batch has, else by its priority.
func (queue *Queue) classify(task *task) {
	switch {
	case task.work >= queue.cfg.MaxBatchWork || task.pixels >= queue.cfg.MaxBatchPixels || len(task.pictures) > queue.cfg.MaxBatch:
		task.class = classHeavy
	case task.priority == PriorityHigh:
		task.class = classHigh
	case task.priority == PriorityNormal:
		task.class = classNormal
	default:
		task.class = classBulk
	}
}

// pushReady adds a prepared task to the ready list. The caller holds mu.
func (queue *Queue) pushReady(task *task) {
	queue.classify(task)
	queue.readyList.lastAdded = queue.now()
	if queue.readyList.empty() {
		queue.readyList.firstAdded = queue.readyList.lastAdded
	}
	queue.readyList.push(task)
}

// hasRoom reports whether another sample may be prepared: two batches ahead of the
// device are enough to keep it busy, more would only hold memory.
func (queue *Queue) hasRoom() bool {
	s := &queue.readyList
	return s.pictures < 2*queue.cfg.MaxBatch && s.work < 2*queue.cfg.MaxBatchWork && s.pixels < 2*queue.cfg.MaxBatchPixels &&
		s.byClass[classHeavy].len() < maxHeavy
}

// target returns how many pictures make a batch worth starting on the device while more are being
// prepared. For requests that is half of the backlog, so that one half is prepared while the other
// is measured.
func (queue *Queue) target() int {
	n := streamTarget // where only bulk work waits
	switch urgent := queue.readyList.urgent() > 0; {
	case urgent && queue.cfg.BatchDelay > 0: // --queue-delay asks to wait for a full batch
		n = queue.cfg.MaxBatch
	case urgent:
		n = min(max((queue.readyList.pictures+queue.unprepared.len())/2, minTarget), maxTarget)
	}
	return min(n, queue.cfg.MaxBatch)
}

// worthBatch reports whether the small samples reach target or the cost of a full batch.
func (queue *Queue) worthBatch() bool {
	s := &queue.readyList
	return s.pictures >= queue.target() || s.work >= queue.cfg.MaxBatchWork || s.pixels >= queue.cfg.MaxBatchPixels
}

// batchDue reports whether to start a batch now. Samples of requests, the urgent ones, wait for others only
// while there is a backlog, because a batch has a fixed cost that its samples share, or as long as
// Config.BatchDelay asks. Bulk work, the work of streams, waits for a short time while more is being
// prepared. While a batch of small samples is on the device, another one starts only when worthBatch says so.
func (queue *Queue) batchDue() bool {
	list := &queue.readyList
	hasSmall := list.urgent() > 0 || list.has(classBulk) // samples that share a batch
	switch {
	case !hasSmall && !queue.mayLead(classHeavy): // there is nothing to start
		return false
	case hasSmall && queue.worthBatch():
		return true
	case queue.inFlight > queue.heaviesInFlight: // the device has a batch of small samples
		return false
	case queue.batchWaitOver || !queue.hasRoom(): // the wait is over, or nothing more can be added
		return true
	case list.urgent() > 0: // requests wait for others only while there is a backlog, or for --queue-delay
		return queue.cfg.BatchDelay <= 0 && queue.unprepared.len() == 0
	case queue.mayLead(classHeavy): // a heavy sample does not wait for company: it is a whole batch
		return true
	}
	return queue.preparing == 0 && queue.unprepared.len() == 0 // bulk work waits while more is being prepared
}

// batchDueAt returns when a batch that is not due starts anyway, on the queue's clock. Without
// Config.BatchDelay that is when no sample was added for a while, or maxWait after the first one. With it,
// the batch waits for Config.BatchDelay too, but no request longer than that since its arrival.
func (queue *Queue) batchDueAt() time.Duration {
	list := &queue.readyList
	dueAt := min(list.lastAdded+lull, list.firstAdded+maxWait)
	if queue.cfg.BatchDelay <= 0 {
		return dueAt
	}
	dueAt = max(dueAt, list.firstAdded+queue.cfg.BatchDelay)
	for c := classHigh; c <= classNormal; c++ { // the classes of requests
		if list.has(c) {
			dueAt = min(dueAt, list.byClass[c].peek().arrived+queue.cfg.BatchDelay)
		}
	}
	return dueAt
}
