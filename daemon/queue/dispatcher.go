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

// run takes one batch after the other from the ready list, measures it on the device, draws the images
// that are wanted, and queues its tasks for scoring, until the queue is closed and drained. While a
// batch is on the device, the next one fills.
func (d *dispatcher) run() {
	queue := d.queue
	defer queue.running.Done()
	for d.nextBatch() {
		start := queue.now()
		d.measure()
		end := queue.now()
		queue.cfg.Watch.stage("metric", end-start)
		for _, t := range d.tasks {
			t.marks[PartPack], t.marks[PartGPU] = start, end
		}
		heavy := d.heavy() // asked now: a queued task may not be used any more
		images := d.moveImagesLast()
		scores, draws := d.tasks[:len(d.tasks)-images], d.tasks[len(d.tasks)-images:]
		d.queueMeasured(scores) // before images are drawn, so that no score waits for them
		for _, t := range draws {
			if t.err == nil && !t.noReaders() {
				t.err = d.draw(t)
				queue.mark(t, PartGPU)
			}
		}
		d.queueMeasured(draws)
		queue.endBatch(heavy)
		clear(d.tasks)
		clear(d.pictures)
	}
}

// moveImagesLast moves the tasks that want an image to the end of the batch and returns their number.
// The order of tasks in a batch has no meaning once it is measured.
func (d *dispatcher) moveImagesLast() (images int) {
	for i := len(d.tasks) - 1; i >= 0; i-- {
		if d.tasks[i].view != nil {
			images++
			last := len(d.tasks) - images // the last task that is not known to want an image
			d.tasks[i], d.tasks[last] = d.tasks[last], d.tasks[i]
		}
	}
	return images
}

// queueMeasured queues measured tasks for scoring. The dispatcher must not use them
// afterwards.
func (d *dispatcher) queueMeasured(ts []*task) {
	if len(ts) == 0 {
		return
	}
	q := d.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range ts {
		q.measured.push(t)
	}
	q.workers.Broadcast()
	q.finisher.Signal()
}

// endBatch records that a batch left the device, and lets the next one start. heavy says that it was
// one heavy sample.
func (q *Queue) endBatch(heavy bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inFlight--
	if heavy {
		q.heavies--
	}
	q.device.Signal()
	if q.closed.Load() {
		q.wake()
	}
}

// draw makes the images of a task that wants them. A panic of the engine is an error.
func (d *dispatcher) draw(t *task) (err error) {
	defer recoverPanic(&err, "cannot draw picture")
	t.drawn, err = d.queue.cfg.Engine.Draw(t.pics)
	return err
}

// recoverPanic turns a panic on the device into an error. It is called by defer.
func recoverPanic(err *error, what string) {
	if p := recover(); p != nil {
		slog.Error("BUG: panic on the device", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: internal error", what)
	}
}

// heavy reports whether the batch is one heavy sample.
func (d *dispatcher) heavy() bool { return d.tasks[0].class == classHeavy }

// nextBatch waits until a batch is due and takes it out of the ready list into d.tasks. It counts the batch
// as in flight, and wakes workers, because there is room to prepare more. It returns false once the
// queue is closed and drained.
func (d *dispatcher) nextBatch() bool {
	queue := d.queue
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for {
		for !queue.batchDue() {
			if queue.closed.Load() && queue.drained() {
				queue.wake()
				return false
			}
			queue.setAlarm()
			queue.device.Wait()
		}
		queue.force = false
		if d.fill(); len(d.tasks) > 0 { // else none of the samples has readers any more
			break
		}
	}
	queue.readyList.since = queue.now()
	queue.inFlight++
	if d.heavy() {
		queue.heavies++
	}
	queue.workers.Broadcast() // there is room again
	queue.large.more.Broadcast()
	return true
}

// setAlarm sets the alarm for the time at which the waiting samples become a batch even if it is not
// full. An alarm for an earlier time stays. The caller holds mu.
func (q *Queue) setAlarm() {
	if q.readyList.empty() || q.force {
		return
	}
	if at := q.batchDueAt(); q.alarmAt == 0 || at < q.alarmAt {
		q.alarmAt = at
		q.alarm.Reset(max(0, at-q.now()))
	}
}

// onAlarm runs when the alarm rings: it lets a dispatcher start the batch if that has waited long
// enough. Otherwise the samples that the alarm was for have left, and it sets the alarm again.
func (q *Queue) onAlarm() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.alarmAt = 0
	if q.readyList.empty() {
		return
	}
	q.force = q.now() >= q.batchDueAt()
	if q.force {
		q.device.Signal()
		return
	}
	q.setAlarm()
}

// fill fills the batch from the ready list: with one heavy sample, else with a sample of the class whose
// turn it is and then with all in order of priority, until the next one would exceed what a batch may
// cost. Samples without waiters are taken from the list but do not join the batch. The caller holds mu.
func (d *dispatcher) fill() {
	q, ready := d.queue, &d.queue.readyList
	d.tasks = d.tasks[:0]
	first := ready.turn.pick(classes, q.mayLead)
	listBefore := *ready // its sums less the present ones are what was taken
	d.add(ready.pop(first))
	if first == classHeavy {
		return
	}
	fits := func(t *task) bool {
		return listBefore.pictures-ready.pictures+len(t.pics) <= q.cfg.Batch &&
			listBefore.work-ready.work+t.work <= q.cfg.Work &&
			listBefore.pixels-ready.pixels+t.pixels <= q.cfg.Pixels
	}
	for _, class := range [...]int{classHigh, classNormal, classBulk} {
		for ready.has(class) {
			if len(d.tasks) > 0 && !fits(ready.byClass[class].peek()) {
				return
			}
			d.add(ready.pop(class))
		}
	}
}

// add puts a sample into the batch, or if it has no waiters queues it to be finished. The caller holds
// mu.
func (d *dispatcher) add(t *task) {
	if d.queue.hasNoWaiters(t) {
		d.queue.measured.push(t)
		d.queue.finisher.Signal()
		return
	}
	d.tasks = append(d.tasks, t)
}

// measure measures the pictures of the batch and sets the tallies or the fault of each task. If the
// batch fails as a whole, each task is measured alone, so that only the tasks at fault fail.
func (d *dispatcher) measure() {
	d.pictures = d.pictures[:0]
	for _, t := range d.tasks {
		d.pictures = append(d.pictures, t.pics...)
		t.tallies, t.fault = t.tallies[:0], nil
	}
	if d.measureAll(d.tasks, d.pictures) == nil {
		return
	}
	for _, t := range d.tasks {
		t.tallies, t.fault = t.tallies[:0], nil
		if err := d.measureAll([]*task{t}, t.pics); err != nil {
			t.fault = &scoring.Error{Code: "backend", Message: err.Error()}
			t.err = err
		}
	}
}

// measureAll measures ps, the pictures of ts in order, and appends the tallies to the tasks. It
// calls the engine more than once where the pictures cost more than a batch may.
func (d *dispatcher) measureAll(ts []*task, ps []Pic) (err error) {
	defer recoverPanic(&err, "cannot measure pictures")
	i, have := 0, 0 // the task that the next tally belongs to, and how many it has
	for len(ps) > 0 {
		n := d.queue.countForCall(ps)
		d.tallies, err = d.queue.cfg.Engine.Measure(d.tallies[:0], ps[:n])
		if err != nil {
			return err
		}
		if d.queue.cfg.Watch.Batch != nil {
			d.queue.cfg.Watch.Batch(n)
		}
		for _, tally := range d.tallies[:n] {
			for have == len(ts[i].pics) { // the task is complete, or has no pictures
				i, have = i+1, 0
			}
			ts[i].tallies = append(ts[i].tallies, tally)
			have++
		}
		ps = ps[n:]
	}
	return nil
}

// countForCall returns how many of the next pictures go to the device in one call: what
// a batch may cost, but at least one.
func (q *Queue) countForCall(ps []Pic) int {
	work, pixels := 0, 0
	for i, p := range ps {
		work += p.Work()
		pixels += area(p)
		if i > 0 && (i == q.cfg.Batch || work > q.cfg.Work || pixels > q.cfg.Pixels) {
			return i
		}
	}
	return len(ps)
}

// area returns the size of a picture in px.
func area(p Pic) int {
	w, h := p.Size()
	return w * h
}
