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
// time, but no worker from the others. At most Config.MaxSpares workers are relieved at a
// time. The caches of a worker take megabytes, so Queue.spareWorkers keeps few of them.

// spareWorker takes an unused spare worker, or makes one. The caller holds mu.
func (queue *Queue) spareWorker() *worker {
	n := len(queue.spareWorkers)
	if n == 0 {
		return &worker{queue: queue, decoder: dump.NewDecoder(queue.cfg.Items), drawer: queue.cfg.Engine.Drawer()}
	}
	w := queue.spareWorkers[n-1]
	queue.spareWorkers = queue.spareWorkers[:n-1]
	return w
}

// recordBusy records which sample a worker is busy with, so that a slow one can be relieved. The caller
// holds mu.
func (queue *Queue) recordBusy(w *worker, t *task, preparing bool) {
	w.task, w.taskReuseCount, w.busySince, w.preparing = t, t.reuseCount, queue.now(), preparing
	w.occupiedIndex = len(queue.occupied)
	queue.occupied = append(queue.occupied, w)
	if preparing {
		queue.preparing++
	}
	queue.startSlowTimer()
}

// recordFree records that a worker is done with its sample. stays is false where a spare worker
// relieved it and it must end. The caller holds mu.
func (queue *Queue) recordFree(worker *worker) (stays bool) {
	// Remove the worker from the list: the last one takes its place.
	last := queue.occupied[len(queue.occupied)-1]
	queue.occupied[worker.occupiedIndex], last.occupiedIndex = last, worker.occupiedIndex
	queue.occupied[len(queue.occupied)-1] = nil
	queue.occupied = queue.occupied[:len(queue.occupied)-1]
	worker.task = nil
	if !worker.relieved {
		if worker.preparing {
			queue.preparing--
		}
		return true
	}
	worker.relieved = false
	queue.relieved--
	if len(queue.spareWorkers) <= queue.cfg.Workers/8 { // few are kept, because their memory is large
		queue.spareWorkers = append(queue.spareWorkers, worker)
	}
	if queue.unprepared.len() > 0 {
		queue.startSlowTimer()
	}
	return false
}

// startSlowTimer starts slowTimer where samples wait for a worker. The caller holds mu.
func (queue *Queue) startSlowTimer() {
	if queue.unprepared.len() > 0 && !queue.slowTimerRuns && !queue.closed.Load() {
		queue.slowTimerRuns = true
		queue.slowTimer.Reset(slowAfter)
	}
}

// relieveSlow relieves the workers that have been busy for too long, one for each
// sample that waits.
func (queue *Queue) relieveSlow() {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	queue.slowTimerRuns = false
	samplesWaiting := queue.unprepared.len()
	for i := 0; i < len(queue.occupied) && samplesWaiting > 0; i++ {
		if w := queue.occupied[i]; !w.relieved && w.busySince+slowAfter <= queue.now() && queue.relieve(w) {
			samplesWaiting--
		}
	}
	queue.startSlowTimer()
}

// relieve starts a spare worker in place of worker, where there is one left. The
// caller holds mu.
func (queue *Queue) relieve(worker *worker) bool {
	if queue.relieved >= queue.cfg.MaxSpares || queue.closed.Load() {
		return false
	}
	worker.relieved = true
	queue.relieved++
	if worker.preparing {
		queue.preparing--
	}
	go queue.runWorker(queue.spareWorker())
	return true
}

// relieveFrom relieves the worker that is in a task, if there is one and the task has not been reused since
// for another sample: its sample is overdue, and Close must not wait for it.
func (queue *Queue) relieveFrom(task *task, reuseCount uint64) {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for _, w := range queue.occupied {
		if w.task == task && w.taskReuseCount == reuseCount && !w.relieved {
			queue.relieve(w)
			return
		}
	}
}

// anyWorkerBusy reports whether a worker is in a sample that has readers. The caller
// holds mu.
func (queue *Queue) anyWorkerBusy() bool {
	for _, w := range queue.occupied {
		if !w.task.hasNoReaders() {
			return true
		}
	}
	return false
}
