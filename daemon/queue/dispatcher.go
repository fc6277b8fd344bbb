package queue

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"plumb/render/metric"
	"plumb/scoring"
)

// dispatcher takes batches from the ready list and runs them on the device. There is
// one, with a goroutine and memory of its own, for each batch that may be in flight.
type dispatcher struct {
	queue    *Queue
	tasks    []*task        // the tasks of the batch
	pictures []Pic          // their pictures, in the same order
	tallies  []metric.Tally // memory for what the engine measures
}

// run takes one batch after the other from the ready list, until the queue is closed and drained. It
// measures each batch on the device, draws the images that are wanted, and queues its tasks for scoring.
// While a batch is on the device, the next one fills.
func (dispatcher *dispatcher) run() {
	queue := dispatcher.queue
	defer queue.running.Done()
	for dispatcher.nextBatch() {
		start := queue.now()
		dispatcher.measure()
		end := queue.now()
		queue.cfg.Watch.reportStage("metric", end-start)
		for _, t := range dispatcher.tasks {
			t.partEnds[PartPack], t.partEnds[PartGPU] = start, end // its wait for the batch ended, and then its time on the device
		}
		heavy := dispatcher.heavy() // asked now: a queued task may not be used any more
		images := dispatcher.moveImagesLast()
		toScore, toDraw := dispatcher.tasks[:len(dispatcher.tasks)-images], dispatcher.tasks[len(dispatcher.tasks)-images:]
		dispatcher.queueMeasured(toScore) // before images are drawn, so that no score waits for them
		for _, t := range toDraw {
			if t.err == nil && !t.hasNoReaders() {
				t.err = dispatcher.draw(t)
				queue.endPart(t, PartGPU)
			}
		}
		dispatcher.queueMeasured(toDraw)
		queue.endBatch(heavy)
		clear(dispatcher.tasks)
		clear(dispatcher.pictures)
	}
}

// moveImagesLast moves the tasks that want an image, which have a view to draw, to the end of the batch and
// returns their number. The order of tasks in a batch has no meaning once it is measured.
func (dispatcher *dispatcher) moveImagesLast() (images int) {
	for i := len(dispatcher.tasks) - 1; i >= 0; i-- {
		if dispatcher.tasks[i].viewToDraw != nil {
			images++
			last := len(dispatcher.tasks) - images // the last task that is not known to want an image
			dispatcher.tasks[i], dispatcher.tasks[last] = dispatcher.tasks[last], dispatcher.tasks[i]
		}
	}
	return images
}

// queueMeasured puts tasks whose pictures have been measured into the list from which they are scored,
// and wakes those who score: the workers, and the finisher in case all workers are busy. The dispatcher
// must not use the tasks afterwards.
func (dispatcher *dispatcher) queueMeasured(tasks []*task) {
	if len(tasks) == 0 {
		return
	}
	queue := dispatcher.queue
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for _, t := range tasks {
		queue.measured.push(t)
	}
	queue.workers.Broadcast()
	queue.finisher.Signal()
}

// endBatch records that a batch left the device, and lets the next one start. heavy says that it was
// one heavy sample. In a closed queue this may have been the last batch, so all goroutines check
// whether they must end.
func (queue *Queue) endBatch(heavy bool) {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	queue.inFlight--
	if heavy {
		queue.heaviesInFlight--
	}
	queue.device.Signal()
	if queue.closed.Load() {
		queue.wakeAll()
	}
}

// draw makes the images of a task that wants them. A panic of the engine is an error.
func (dispatcher *dispatcher) draw(t *task) (err error) {
	defer recoverPanic(&err, "cannot draw picture")
	t.drawn, err = dispatcher.queue.cfg.Engine.Draw(t.pictures)
	return err
}

// recoverPanic turns a panic on the device into an error that begins with failure, and logs the panic.
// It is called by defer.
func recoverPanic(err *error, failure string) {
	if p := recover(); p != nil {
		slog.Error("BUG: panic on the device", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: internal error", failure)
	}
}

// heavy reports whether the batch is one heavy sample.
func (dispatcher *dispatcher) heavy() bool { return dispatcher.tasks[0].class == classHeavy }

// nextBatch waits until a batch is due and takes it out of the ready list into dispatcher.tasks. It
// counts the batch as in flight, and wakes workers, because there is room to prepare more. It
// returns false once the queue is closed and drained.
func (dispatcher *dispatcher) nextBatch() bool {
	queue := dispatcher.queue
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for {
		for !queue.batchDue() {
			if queue.closed.Load() && queue.drained() {
				queue.wakeAll()
				return false
			}
			queue.setBatchAlarm()
			queue.device.Wait()
		}
		queue.batchWaitOver = false
		if dispatcher.fill(); len(dispatcher.tasks) > 0 { // else none of the samples has readers any more
			break
		}
	}
	queue.readyList.firstAdded = queue.now()
	queue.inFlight++
	if dispatcher.heavy() {
		queue.heaviesInFlight++
	}
	queue.workers.Broadcast() // there is room again
	queue.large.mayBegin.Broadcast()
	return true
}

// setBatchAlarm sets the alarm for the time at which the waiting samples become a batch even if it is not
// full. An alarm for an earlier time stays. The caller holds mu.
func (queue *Queue) setBatchAlarm() {
	if queue.readyList.empty() || queue.batchWaitOver {
		return
	}
	if at := queue.batchDueAt(); queue.batchAlarmAt == 0 || at < queue.batchAlarmAt {
		queue.batchAlarmAt = at
		queue.batchAlarm.Reset(max(0, at-queue.now()))
	}
}

// onBatchAlarm runs when the alarm rings: it lets a dispatcher start the batch if that has waited long
// enough. Otherwise the samples that the alarm was for have left in a batch, and it sets the alarm again for
// those that have come since.
func (queue *Queue) onBatchAlarm() {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	queue.batchAlarmAt = 0
	if queue.readyList.empty() {
		return
	}
	queue.batchWaitOver = queue.now() >= queue.batchDueAt()
	if queue.batchWaitOver {
		queue.device.Signal()
		return
	}
	queue.setBatchAlarm()
}

// fill fills the batch from the ready list. The class whose turn it is gives the first sample. If that is
// heavy, it is the whole batch. Otherwise samples follow in order of priority, until the next one would
// exceed what a batch may cost. Samples that nobody waits for leave the list but do not join the batch.
// The caller holds mu.
func (dispatcher *dispatcher) fill() {
	queue, ready := dispatcher.queue, &dispatcher.queue.readyList
	dispatcher.tasks = dispatcher.tasks[:0]
	first := ready.turn.pick(classes, queue.mayLead) // batchDue says that there is one
	listBefore := *ready                             // the batch has taken from the list what these sums have more than the present ones
	dispatcher.add(ready.pop(first))
	if first == classHeavy {
		return
	}
	fits := func(t *task) bool {
		return listBefore.pictures-ready.pictures+len(t.pictures) <= queue.cfg.MaxBatch &&
			listBefore.work-ready.work+t.work <= queue.cfg.MaxBatchWork &&
			listBefore.pixels-ready.pixels+t.pixels <= queue.cfg.MaxBatchPixels
	}
	for _, class := range [...]int{classHigh, classNormal, classBulk} {
		for ready.has(class) {
			if len(dispatcher.tasks) > 0 && !fits(ready.byClass[class].peek()) {
				return
			}
			dispatcher.add(ready.pop(class))
		}
	}
}

// add puts a sample into the batch, or if nobody waits for it queues it to be finished. The caller
// holds mu.
func (dispatcher *dispatcher) add(task *task) {
	if dispatcher.queue.giveUpIfUnread(task) {
		dispatcher.queue.measured.push(task) // finish ends it without a score
		dispatcher.queue.finisher.Signal()
		return
	}
	dispatcher.tasks = append(dispatcher.tasks, task)
}

// measure measures the pictures of the batch and sets the tallies of each task, which are the sums of
// its pixels. If the batch fails as a whole, each task is measured alone, so that only the tasks at
// fault fail: these get a fault, from which a score is made, and an error, which a drawing returns.
func (dispatcher *dispatcher) measure() {
	dispatcher.pictures = dispatcher.pictures[:0]
	for _, t := range dispatcher.tasks {
		dispatcher.pictures = append(dispatcher.pictures, t.pictures...)
		t.tallies, t.fault = t.tallies[:0], nil
	}
	if dispatcher.measureAll(dispatcher.tasks, dispatcher.pictures) == nil {
		return
	}
	for _, t := range dispatcher.tasks {
		t.tallies, t.fault = t.tallies[:0], nil
		if err := dispatcher.measureAll([]*task{t}, t.pictures); err != nil {
			t.fault = &scoring.Error{Code: "backend", Message: err.Error()}
			t.err = err
		}
	}
}

// measureAll measures the pictures of all tasks, which it gets in the order of the tasks, and appends
// each tally to its task. It calls the engine more than once where the pictures cost more than a batch
// may.
func (dispatcher *dispatcher) measureAll(tasks []*task, pictures []Pic) (err error) {
	defer recoverPanic(&err, "cannot measure pictures")
	owner, tallyCount := 0, 0 // index of the task that the next tally belongs to, and how many tallies it has
	for len(pictures) > 0 {
		n := dispatcher.queue.countForCall(pictures)
		dispatcher.tallies, err = dispatcher.queue.cfg.Engine.Measure(dispatcher.tallies[:0], pictures[:n])
		if err != nil {
			return err
		}
		if dispatcher.queue.cfg.Watch.Batch != nil {
			dispatcher.queue.cfg.Watch.Batch(n)
		}
		for _, tally := range dispatcher.tallies[:n] {
			for tallyCount == len(tasks[owner].pictures) { // the task is complete, or has no pictures
				owner, tallyCount = owner+1, 0
			}
			tasks[owner].tallies = append(tasks[owner].tallies, tally)
			tallyCount++
		}
		pictures = pictures[n:]
	}
	return nil
}

// countForCall returns how many of the next pictures go to the device in one call: what
// a batch may cost, but at least one.
func (queue *Queue) countForCall(pictures []Pic) int {
	work, pixels := 0, 0
	for i, p := range pictures {
		work += p.Work()
		pixels += area(p)
		tooMuch := i == queue.cfg.MaxBatch || work > queue.cfg.MaxBatchWork || pixels > queue.cfg.MaxBatchPixels
		if i > 0 && tooMuch { // the pictures before this one
			return i
		}
	}
	return len(pictures)
}

// area returns the size of a picture in px.
func area(p Pic) int {
	w, h := p.Size()
	return w * h
}
