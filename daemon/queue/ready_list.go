package queue

import "time"

const (
	// streamTarget is how many pictures a bulk batch waits for while more are
	// being prepared: about 16 ms of work on a software driver.
	streamTarget = 64
	// requests behind a backlog wait for half of it, within these bounds.
	minTarget = 16
	maxTarget = 128
	// lull is how long a batch that waits for more waits at most without any
	// coming: what is being prepared may be stuck.
	lull = 10 * time.Millisecond
	// maxWait is how long it waits at most while more keeps coming.
	maxWait = 50 * time.Millisecond
	// maxHeavy is how many heavy samples may be ready for the device: they hold
	// much memory each.
	maxHeavy = 4
)

// The classes of samples that are ready for the device, first one first. A heavy
// sample fills a batch by itself: it goes alone, after small ones that somebody
// waits for.
const (
	classHigh = iota
	classNormal
	classHeavy
	classBulk
	classes
)

// readyList is the samples that are ready for the device. Queue.mu guards it. The sums
// leave heavy samples out.
type readyList struct {
	of       [classes]fifo[*task]
	turn     turns
	since    time.Duration // when the first one came after a batch was taken, on the queue's clock
	last     time.Duration // when the last one came
	pictures int
	work     int // tile segments
	pixels   int
}

func (s *readyList) has(c int) bool { return s.of[c].len() > 0 }

func (s *readyList) empty() bool { return s.urgent() == 0 && !s.has(classHeavy) && !s.has(classBulk) }

// leads reports whether a batch may begin with class c: one heavy sample on the
// device is enough.
func (q *Queue) leads(c int) bool { return q.readyList.has(c) && (c != classHeavy || q.heavies == 0) }

// urgent is how many small samples somebody waits for.
func (s *readyList) urgent() int { return s.of[classHigh].len() + s.of[classNormal].len() }

func (s *readyList) push(t *task) {
	if t.class != classHeavy {
		s.count(t, 1)
	}
	s.of[t.class].push(t)
}

func (s *readyList) pop(c int) *task {
	t := s.of[c].pop()
	if c != classHeavy {
		s.count(t, -1)
	}
	return t
}

func (s *readyList) count(t *task, sign int) {
	s.pictures += sign * len(t.pics)
	s.work += sign * t.work
	s.pixels += sign * t.pixels
}

// sort finds the class of a task that is prepared.
func (q *Queue) sort(t *task) {
	switch {
	case t.work >= q.cfg.Work || t.pixels >= q.cfg.Pixels || len(t.pics) > q.cfg.Batch:
		t.class = classHeavy
	case t.priority == PriorityHigh:
		t.class = classHigh
	case t.priority == PriorityNormal:
		t.class = classNormal
	default:
		t.class = classBulk
	}
}

// ready gives a task to the device. The caller holds mu.
func (q *Queue) ready(t *task) {
	q.sort(t)
	q.readyList.last = q.now()
	if q.readyList.empty() {
		q.readyList.since = q.readyList.last
	}
	q.readyList.push(t)
}

// room reports whether another sample may be prepared: two batches ahead of the
// device are enough to keep it busy, more would only hold memory.
func (q *Queue) room() bool {
	s := &q.readyList
	return s.pictures < 2*q.cfg.Batch && s.work < 2*q.cfg.Work && s.pixels < 2*q.cfg.Pixels && s.of[classHeavy].len() < maxHeavy
}

// target is how many pictures are worth a batch while more are on their way: of
// requests half of what is here and to come, so that one half is prepared while
// the other is measured.
func (q *Queue) target() int {
	n := streamTarget
	switch urgent := q.readyList.urgent() > 0; {
	case urgent && q.cfg.Delay > 0:
		n = q.cfg.Batch
	case urgent:
		n = min(max((q.readyList.pictures+q.waiting.len())/2, minTarget), maxTarget)
	}
	return min(n, q.cfg.Batch)
}

// enough reports whether the small samples make a batch that is worth it.
func (q *Queue) enough() bool {
	s := &q.readyList
	return s.pictures >= q.target() || s.work >= q.cfg.Work || s.pixels >= q.cfg.Pixels
}

// due reports whether to start a batch. A request never waits for others that
// have not come yet, unless Config.Delay says so; behind a backlog it waits for
// a few that are due at any moment, as the fixed cost of a batch would be paid
// by all that queue. Bulk work waits while more is being prepared, up to a batch
// that is worth it, but not for long: what is being prepared may be stuck. A
// second batch joins one that is on the device already only where nothing is
// gained by waiting.
func (q *Queue) due() bool {
	s := &q.readyList
	small := s.urgent() > 0 || s.has(classBulk)
	switch {
	case !small && !q.leads(classHeavy):
		return false
	case small && q.enough():
		return true
	case q.flying > q.heavies:
		return false
	case q.force || !q.room():
		return true
	case s.urgent() > 0:
		return q.cfg.Delay <= 0 && q.waiting.len() == 0
	case q.leads(classHeavy):
		return true
	}
	return q.busy == 0 && q.waiting.len() == 0
}

// latest is when a batch that is not due goes anyway, on the queue's clock:
// Config.Delay after the oldest request came; where that says nothing, when no
// more has come for a while.
func (q *Queue) latest() time.Duration {
	s := &q.readyList
	at := min(s.last+lull, s.since+maxWait)
	if q.cfg.Delay <= 0 {
		return at
	}
	at = max(at, s.since+q.cfg.Delay)
	for c := classHigh; c <= classNormal; c++ {
		if s.has(c) {
			at = min(at, s.of[c].peek().arrived+q.cfg.Delay)
		}
	}
	return at
}
