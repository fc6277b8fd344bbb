package queue

import (
	"time"

	"plumb/daemon/dump"
)

// slowAfter is how long a worker is busy with one sample before a spare worker takes its
// place.
const slowAfter = 50 * time.Millisecond

// A worker that needs long for one sample is relieved: a spare worker takes its place in
// the pool, and the first one ends with its sample. So a costly sample takes processor
// time, but no worker from the others. At most Config.Spares workers are relieved at a
// time. The caches of a worker take megabytes, so Queue.spareWorkers keeps few of them.

// spareWorker takes an unused spare worker, or makes one. The caller holds mu.
func (q *Queue) spareWorker() *worker {
	n := len(q.spareWorkers)
	if n == 0 {
		return &worker{queue: q, decoder: dump.NewDecoder(q.cfg.Items), drawer: q.cfg.Engine.Drawer()}
	}
	w := q.spareWorkers[n-1]
	q.spareWorkers = q.spareWorkers[:n-1]
	return w
}

// occupy records which sample a worker is busy with, so that a slow one can be relieved. The caller
// holds mu.
func (q *Queue) occupy(w *worker, t *task, preparing bool) {
	w.task, w.turn, w.since, w.preparing = t, t.turn, q.now(), preparing
	w.at = len(q.occupied)
	q.occupied = append(q.occupied, w)
	if preparing {
		q.busy++
	}
	q.startSlowTimer()
}

// vacate records that a worker is done with its sample. stays is false where a spare worker
// relieved it and it must end. The caller holds mu.
func (q *Queue) vacate(worker *worker) (stays bool) {
	last := q.occupied[len(q.occupied)-1]
	q.occupied[worker.at], last.at = last, worker.at
	q.occupied[len(q.occupied)-1] = nil
	q.occupied = q.occupied[:len(q.occupied)-1]
	worker.task = nil
	if !worker.relieved {
		if worker.preparing {
			q.busy--
		}
		return true
	}
	worker.relieved = false
	q.spares--
	if len(q.spareWorkers) <= q.cfg.Workers/8 {
		q.spareWorkers = append(q.spareWorkers, worker)
	}
	if q.waiting.len() > 0 {
		q.startSlowTimer()
	}
	return false
}

// startSlowTimer starts slowTimer where samples wait for a worker. The caller holds mu.
func (q *Queue) startSlowTimer() {
	if q.waiting.len() > 0 && !q.watching && !q.closed.Load() {
		q.watching = true
		q.slowTimer.Reset(slowAfter)
	}
}

// relieveSlow relieves the workers that have been busy for too long, one for each
// sample that waits.
func (q *Queue) relieveSlow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.watching = false
	n := q.waiting.len()
	for i := 0; i < len(q.occupied) && n > 0; i++ {
		if w := q.occupied[i]; !w.relieved && w.since+slowAfter <= q.now() && q.relieve(w) {
			n--
		}
	}
	q.startSlowTimer()
}

// relieve starts a spare worker in place of w, where there is one left. The
// caller holds mu.
func (q *Queue) relieve(w *worker) bool {
	if q.spares >= q.cfg.Spares || q.closed.Load() {
		return false
	}
	w.relieved = true
	q.spares++
	if w.preparing {
		q.busy--
	}
	go q.runWorker(q.spareWorker())
	return true
}

// relieveFrom relieves the worker that is in that turn of a task, if there is
// one: its sample is overdue, and Close must not wait for it.
func (q *Queue) relieveFrom(t *task, turn uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.occupied {
		if w.task == t && w.turn == turn && !w.relieved {
			q.relieve(w)
			return
		}
	}
}

// anyWorkerBusy reports whether a worker is in a sample that has readers. The caller
// holds mu.
func (q *Queue) anyWorkerBusy() bool {
	for _, w := range q.occupied {
		if !w.task.noReaders() {
			return true
		}
	}
	return false
}
