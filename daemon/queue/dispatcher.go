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
	q       *Queue
	ts      []*task // of the batch
	ps      []Pic
	tallies []metric.Tally
}

// run measures one batch of samples after the other on the device. While a batch is there, the next
// one fills.
func (d *dispatcher) run() {
	q := d.q
	defer q.running.Done()
	for d.nextBatch() {
		start := q.now()
		d.measure()
		end := q.now()
		q.cfg.Watch.stage("metric", end-start)
		for _, t := range d.ts {
			t.marks[PartPack], t.marks[PartGPU] = start, end
		}
		heavy := d.heavy()
		draws := d.split()
		d.queueMeasured(d.ts[:len(d.ts)-draws])
		for _, t := range d.ts[len(d.ts)-draws:] { // pictures come last: no score waits for them
			if t.err == nil && !t.noReaders() {
				t.err = d.draw(t)
				q.mark(t, PartGPU)
			}
		}
		d.queueMeasured(d.ts[len(d.ts)-draws:])
		q.endBatch(heavy)
		clear(d.ts)
		clear(d.ps)
	}
}

// split moves the tasks that want an image to the end of the batch and returns their
// number.
func (d *dispatcher) split() (draws int) {
	for i := len(d.ts) - 1; i >= 0; i-- {
		if d.ts[i].view != nil {
			draws++
			j := len(d.ts) - draws
			d.ts[i], d.ts[j] = d.ts[j], d.ts[i]
		}
	}
	return draws
}

// queueMeasured queues measured tasks for scoring. The dispatcher must not use them
// afterwards.
func (d *dispatcher) queueMeasured(ts []*task) {
	if len(ts) == 0 {
		return
	}
	q := d.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range ts {
		q.measured.push(t)
	}
	q.workers.Broadcast()
	q.finisher.Signal()
}

// endBatch records that a batch left the device, and lets the next one start.
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

// draw makes the images of a task that wants them.
func (d *dispatcher) draw(t *task) (err error) {
	defer recoverPanic(&err, "cannot draw picture")
	t.drawn, err = d.q.cfg.Engine.Draw(t.pics)
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
func (d *dispatcher) heavy() bool { return d.ts[0].class == classHeavy }

// nextBatch waits until a batch is due and takes it out of the ready list. It returns
// false once the queue is closed and drained.
func (d *dispatcher) nextBatch() bool {
	q := d.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for !q.batchDue() {
			if q.closed.Load() && q.drained() {
				q.wake()
				return false
			}
			q.setAlarm()
			q.device.Wait()
		}
		q.force = false
		if d.fill(); len(d.ts) > 0 {
			break
		}
	}
	q.readyList.since = q.now()
	q.inFlight++
	if d.heavy() {
		q.heavies++
	}
	q.workers.Broadcast() // there is room again
	q.large.more.Broadcast()
	return true
}

// setAlarm sets the alarm for a batch that is not due yet. The caller holds mu.
func (q *Queue) setAlarm() {
	if q.readyList.empty() || q.force {
		return
	}
	if at := q.batchDueAt(); q.alarmAt == 0 || at < q.alarmAt {
		q.alarmAt = at
		q.alarm.Reset(max(0, at-q.now()))
	}
}

// onAlarm runs when the alarm rings: it starts the batch that has waited long enough, or
// sets the alarm again.
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

// fill fills the batch from the ready list: with one heavy sample, else with a sample of
// the class whose turn it is and then all in order of priority until the batch is full.
// It leaves out samples without waiters. The caller holds mu.
func (d *dispatcher) fill() {
	q, s := d.q, &d.q.readyList
	d.ts = d.ts[:0]
	first := s.turn.pick(classes, q.mayLead)
	pictures, work, pixels := s.pictures, s.work, s.pixels
	d.add(s.pop(first))
	if first == classHeavy {
		return
	}
	for _, c := range [...]int{classHigh, classNormal, classBulk} {
		for s.has(c) {
			t := s.of[c].peek()
			if len(d.ts) > 0 && (pictures-s.pictures+len(t.pics) > q.cfg.Batch ||
				work-s.work+t.work > q.cfg.Work || pixels-s.pixels+t.pixels > q.cfg.Pixels) {
				return
			}
			d.add(s.pop(c))
		}
	}
}

// add puts a sample into the batch, or queues it to be finished where it has no waiters.
func (d *dispatcher) add(t *task) {
	if d.q.hasNoWaiters(t) {
		d.q.measured.push(t)
		d.q.finisher.Signal()
		return
	}
	d.ts = append(d.ts, t)
}

// measure measures the pictures of the batch and sets the tallies or the fault of each
// task.
func (d *dispatcher) measure() {
	d.ps = d.ps[:0]
	for _, t := range d.ts {
		d.ps = append(d.ps, t.pics...)
		t.tallies, t.fault = t.tallies[:0], nil
	}
	if d.measureAll(d.ts, d.ps) == nil {
		return
	}
	for _, t := range d.ts { // one by one, so that only the tasks at fault fail
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
	i, have := 0, 0
	for len(ps) > 0 {
		n := d.q.countForCall(ps)
		d.tallies, err = d.q.cfg.Engine.Measure(d.tallies[:0], ps[:n])
		if err != nil {
			return err
		}
		if d.q.cfg.Watch.Batch != nil {
			d.q.cfg.Watch.Batch(n)
		}
		for _, y := range d.tallies[:n] {
			for have == len(ts[i].pics) {
				i, have = i+1, 0
			}
			ts[i].tallies = append(ts[i].tallies, y)
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
