package queue

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"plumb/render/metric"
	"plumb/scoring"
)

// dispatcher takes batches from the ready list to the device. There is one, with a
// goroutine and memory of its own, for each batch that may be in flight.
type dispatcher struct {
	q       *Queue
	ts      []*task // of the batch
	ps      []Pic
	tallies []metric.Tally
}

// run runs one batch after the other. While a batch is on the device, the next one fills.
func (p *dispatcher) run() {
	q := p.q
	defer q.running.Done()
	for p.batch() {
		start := q.now()
		p.measure()
		end := q.now()
		q.cfg.Watch.stage("metric", end-start)
		for _, t := range p.ts {
			t.marks[PartPack], t.marks[PartGPU] = start, end
		}
		heavy := p.heavy()
		draws := p.split()
		p.hand(p.ts[:len(p.ts)-draws])
		for _, t := range p.ts[len(p.ts)-draws:] { // pictures come last: no score waits for them
			if t.err == nil && !t.unwanted() {
				t.err = p.draw(t)
				q.mark(t, PartGPU)
			}
		}
		p.hand(p.ts[len(p.ts)-draws:])
		q.land(heavy)
		clear(p.ts)
		clear(p.ps)
	}
}

// split moves the tasks that want their picture to the end of the batch and
// returns how many they are.
func (p *dispatcher) split() (draws int) {
	for i := len(p.ts) - 1; i >= 0; i-- {
		if p.ts[i].view != nil {
			draws++
			j := len(p.ts) - draws
			p.ts[i], p.ts[j] = p.ts[j], p.ts[i]
		}
	}
	return draws
}

// hand queues tasks for their scores. The dispatcher must not use them afterwards.
func (p *dispatcher) hand(ts []*task) {
	if len(ts) == 0 {
		return
	}
	q := p.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range ts {
		q.measured.push(t)
	}
	q.workers.Broadcast()
	q.finisher.Signal()
}

// land ends a batch.
func (q *Queue) land(heavy bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flying--
	if heavy {
		q.heavies--
	}
	q.device.Signal()
	if q.closed.Load() {
		q.wake()
	}
}

// draw makes the picture of a task.
func (p *dispatcher) draw(t *task) (err error) {
	defer contain(&err, "cannot draw picture")
	t.drawn, err = p.q.cfg.Engine.Draw(t.pics)
	return err
}

// contain turns a panic into an error.
func contain(err *error, what string) {
	if p := recover(); p != nil {
		slog.Error("BUG: panic on the device", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: internal error", what)
	}
}

func (p *dispatcher) heavy() bool { return p.ts[0].class == classHeavy }

// batch waits for a batch and takes it out of the ready list. It returns false once
// the queue is closed and idle.
func (p *dispatcher) batch() bool {
	q := p.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for !q.due() {
			if q.closed.Load() && q.idle() {
				q.wake()
				return false
			}
			q.arm()
			q.device.Wait()
		}
		q.force = false
		if p.take(); len(p.ts) > 0 {
			break
		}
	}
	q.readyList.since = q.now()
	q.flying++
	if p.heavy() {
		q.heavies++
	}
	q.workers.Broadcast() // there is room again
	q.large.more.Broadcast()
	return true
}

// arm sets the alarm for a batch that is not due yet. The caller holds mu.
func (q *Queue) arm() {
	if q.readyList.empty() || q.force {
		return
	}
	if at := q.latest(); q.alarmAt == 0 || at < q.alarmAt {
		q.alarmAt = at
		q.alarm.Reset(max(0, at-q.now()))
	}
}

// overdue starts the batch that has waited long enough, or sets the alarm anew.
func (q *Queue) overdue() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.alarmAt = 0
	if q.readyList.empty() {
		return
	}
	if q.force = q.now() >= q.latest(); q.force {
		q.device.Signal()
		return
	}
	q.arm()
}

// take fills the batch: a heavy sample alone, else the class whose turn it is,
// and then all in order of priority until the batch is full. Samples that nobody
// waits for any more are left out. The caller holds mu.
func (p *dispatcher) take() {
	q, s := p.q, &p.q.readyList
	p.ts = p.ts[:0]
	first := s.turn.pick(classes, q.leads)
	pictures, work, pixels := s.pictures, s.work, s.pixels
	p.add(s.pop(first))
	if first == classHeavy {
		return
	}
	for _, c := range [...]int{classHigh, classNormal, classBulk} {
		for s.has(c) {
			t := s.of[c].peek()
			if len(p.ts) > 0 && (pictures-s.pictures+len(t.pics) > q.cfg.Batch ||
				work-s.work+t.work > q.cfg.Work || pixels-s.pixels+t.pixels > q.cfg.Pixels) {
				return
			}
			p.add(s.pop(c))
		}
	}
}

// add puts a task into the batch unless it was given up.
func (p *dispatcher) add(t *task) {
	if p.q.gone(t) {
		p.q.measured.push(t)
		p.q.finisher.Signal()
		return
	}
	p.ts = append(p.ts, t)
}

// measure runs the pictures of all tasks and gives each task its tallies or a
// fault.
func (p *dispatcher) measure() {
	p.ps = p.ps[:0]
	for _, t := range p.ts {
		p.ps = append(p.ps, t.pics...)
		t.tallies, t.fault = t.tallies[:0], nil
	}
	if p.fill(p.ts, p.ps) == nil {
		return
	}
	for _, t := range p.ts { // find the one that does it: all others get their answer
		t.tallies, t.fault = t.tallies[:0], nil
		if err := p.fill([]*task{t}, t.pics); err != nil {
			t.fault = &scoring.Error{Code: "backend", Message: err.Error()}
			t.err = err
		}
	}
}

// fill measures ps, the pictures of ts in order.
func (p *dispatcher) fill(ts []*task, ps []Pic) (err error) {
	defer contain(&err, "cannot measure pictures")
	i, have := 0, 0
	for len(ps) > 0 {
		n := p.q.portion(ps)
		p.tallies, err = p.q.cfg.Engine.Measure(p.tallies[:0], ps[:n])
		if err != nil {
			return err
		}
		if p.q.cfg.Watch.Batch != nil {
			p.q.cfg.Watch.Batch(n)
		}
		for _, y := range p.tallies[:n] {
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

// portion is how many of the next pictures go to the device at once: what a
// batch may cost, but at least one.
func (q *Queue) portion(ps []Pic) int {
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

// area of a picture in px.
func area(p Pic) int {
	w, h := p.Size()
	return w * h
}
