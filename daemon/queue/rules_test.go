package queue

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"plumb/daemon/dump"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// still returns a queue whose goroutines do not run: tests look at what it decides.
func still() *Queue {
	q := &Queue{cfg: Config{MaxBatch: 4, MaxBatchWork: 100, MaxBatchPixels: 1000, Workers: 1, MaxSpares: 1, Deadline: time.Minute, JudgeDeadline: time.Hour}, epoch: time.Now().Add(-time.Hour)}
	q.workers, q.device, q.finisher = sync.NewCond(&q.mu), sync.NewCond(&q.mu), sync.NewCond(&q.mu)
	q.tasks.New = func() any { return new(task) }
	q.flights.tasks = map[key]*task{}
	q.slowTimer = time.AfterFunc(time.Hour, func() {})
	q.slowTimer.Stop()
	return q
}

// flat is a picture that costs what it says.
type flat struct{ work, w, h int }

func (flat) Release()           {}
func (p flat) Work() int        { return p.work }
func (p flat) Size() (w, h int) { return p.w, p.h }

// costing returns a sample that somebody waits for.
func costing(p Priority, pictures, work, pixels int) *task {
	t := &task{load: load{priority: p, pictures: make([]Pic, pictures), work: work, pixels: pixels}}
	t.readerCount.Add(1)
	return t
}

// TestClassify: a sample that costs as much as a batch may, or has more pictures, is heavy.
func TestClassify(t *testing.T) {
	q := still()
	for _, c := range []struct {
		t    *task
		want int
	}{
		{costing(PriorityHigh, 4, 99, 999), classHigh}, {costing(PriorityNormal, 4, 99, 999), classNormal}, {costing(PriorityBulk, 4, 99, 999), classBulk},
		{costing(PriorityHigh, 5, 0, 0), classHeavy}, {costing(PriorityHigh, 1, 100, 0), classHeavy}, {costing(PriorityHigh, 1, 0, 1000), classHeavy},
	} {
		if q.classify(c.t); c.t.class != c.want {
			t.Errorf("priority %d, %d pictures, work %d, %d px: got class %d; want %d", c.t.priority, len(c.t.pictures), c.t.work, c.t.pixels, c.t.class, c.want)
		}
	}
}

// fillReady makes the samples ready for the device.
func fillReady(q *Queue, list ...*task) {
	for _, t := range list {
		q.pushReady(t)
	}
}

// TestHasRoom: two batches are prepared ahead of the device, in pictures, work and pixels, and
// four heavy samples.
func TestHasRoom(t *testing.T) {
	heavy := func() *task { return costing(PriorityHigh, 1, 100, 0) }
	for _, c := range []struct {
		name string
		list []*task
		room bool
	}{
		{"nothing", nil, true},
		{"7 pictures", []*task{costing(PriorityHigh, 4, 0, 0), costing(PriorityBulk, 3, 0, 0)}, true},
		{"8 pictures", []*task{costing(PriorityHigh, 4, 0, 0), costing(PriorityBulk, 4, 0, 0)}, false},
		{"work of 199", []*task{costing(PriorityHigh, 1, 99, 0), costing(PriorityHigh, 1, 99, 0), costing(PriorityHigh, 1, 1, 0)}, true},
		{"work of 200", []*task{costing(PriorityHigh, 1, 99, 0), costing(PriorityHigh, 1, 99, 0), costing(PriorityHigh, 1, 2, 0)}, false},
		{"1999 px", []*task{costing(PriorityHigh, 1, 0, 999), costing(PriorityHigh, 1, 0, 999), costing(PriorityHigh, 1, 0, 1)}, true},
		{"2000 px", []*task{costing(PriorityHigh, 1, 0, 999), costing(PriorityHigh, 1, 0, 999), costing(PriorityHigh, 1, 0, 2)}, false},
		{"3 heavy", []*task{heavy(), heavy(), heavy()}, true},
		{"4 heavy", []*task{heavy(), heavy(), heavy(), heavy()}, false},
	} {
		q := still()
		fillReady(q, c.list...)
		if got := q.hasRoom(); got != c.room {
			t.Errorf("%s: got room %v", c.name, got)
		}
		for _, x := range c.list {
			q.readyList.pop(x.class)
		}
		if s := &q.readyList; !s.empty() || s.pictures != 0 || s.work != 0 || s.pixels != 0 {
			t.Errorf("%s: %+v is left; want nothing", c.name, s)
		}
	}
}

// TestBatchDue: when a batch starts, and when one that is not due starts anyway. In each case the
// batch may have 4 pictures.
func TestBatchDue(t *testing.T) {
	one := func(p Priority) *task { return costing(p, 1, 1, 1) }
	heavy := func() *task { return costing(PriorityHigh, 1, 100, 0) }
	for _, c := range []struct {
		name  string
		set   func(q *Queue)
		due   bool
		alone int // the target, 0 for not looked at
	}{
		{"nothing", func(*Queue) {}, false, 4},
		{"a request alone", func(q *Queue) { fillReady(q, one(PriorityHigh)) }, true, 4},
		{"a request with a backlog", func(q *Queue) { fillReady(q, one(PriorityNormal)); q.unprepared.push(one(PriorityHigh)) }, false, 0},
		{"a request that waits for others", func(q *Queue) { q.cfg.BatchDelay = 1; fillReady(q, one(PriorityHigh)) }, false, 4},
		{"its waiting time is over", func(q *Queue) { q.cfg.BatchDelay = 1; q.batchWaitOver = true; fillReady(q, one(PriorityHigh)) }, true, 0},
		{"forced without a sample", func(q *Queue) { q.batchWaitOver = true }, false, 0},
		{"bulk alone", func(q *Queue) { fillReady(q, one(PriorityBulk)) }, true, 0},
		{"bulk while a worker is busy", func(q *Queue) { q.preparing = 1; fillReady(q, one(PriorityBulk)) }, false, 0},
		{"bulk while samples wait", func(q *Queue) { q.unprepared.push(one(PriorityBulk)); fillReady(q, one(PriorityBulk)) }, false, 0},
		{"a request while a batch is in flight", func(q *Queue) { q.inFlight = 1; fillReady(q, one(PriorityHigh)) }, false, 0},
		{"a request while a heavy one is in flight", func(q *Queue) { q.inFlight, q.heaviesInFlight = 1, 1; fillReady(q, one(PriorityHigh)) }, true, 0},
		{"a full batch while one is in flight", func(q *Queue) { q.inFlight = 1; fillReady(q, costing(PriorityBulk, 4, 1, 1)) }, true, 0},
		{"nearly a full one", func(q *Queue) {
			q.inFlight = 1
			fillReady(q, costing(PriorityBulk, 3, 98, 998), costing(PriorityBulk, 0, 1, 1))
		}, false, 0},
		{"full of work", func(q *Queue) {
			q.inFlight = 1
			fillReady(q, costing(PriorityBulk, 1, 99, 1), costing(PriorityBulk, 1, 1, 1))
		}, true, 0},
		{"full of pixels", func(q *Queue) {
			q.inFlight = 1
			fillReady(q, costing(PriorityBulk, 1, 1, 999), costing(PriorityBulk, 1, 1, 1))
		}, true, 0},
		{"a heavy one", func(q *Queue) { q.preparing = 1; fillReady(q, heavy()) }, true, 0},
		{"a second heavy one", func(q *Queue) { q.heaviesInFlight, q.inFlight = 1, 1; fillReady(q, heavy()) }, false, 0},
		{"a heavy one behind bulk", func(q *Queue) { q.preparing = 1; fillReady(q, heavy(), one(PriorityBulk)) }, true, 0},
		{"no room", func(q *Queue) {
			q.preparing = 1
			fillReady(q, heavy(), heavy(), heavy(), heavy(), one(PriorityBulk))
			q.heaviesInFlight, q.inFlight = 1, 1
		}, true, 0},
	} {
		q := still()
		if c.set(q); q.batchDue() != c.due {
			t.Errorf("%s: got due %v", c.name, !c.due)
		}
		if n := q.target(); c.alone > 0 && n != c.alone {
			t.Errorf("%s: got a target of %d; want %d", c.name, n, c.alone)
		}
	}
}

// TestTarget: a bulk batch waits for 64 pictures, one of requests for half of the backlog, 16 to
// 128, and with a delay for a full one.
func TestTarget(t *testing.T) {
	for _, c := range []struct{ ready, waiting, want int }{{0, 0, 64}, {1, 0, 16}, {2, 30, 16}, {4, 30, 17}, {60, 60, 60}, {200, 56, 128}, {200, 200, 128}} {
		q := still()
		q.cfg.MaxBatch, q.cfg.MaxBatchWork, q.cfg.MaxBatchPixels = 512, 1e6, 1e6
		if c.ready > 0 {
			fillReady(q, costing(PriorityNormal, c.ready, 1, 1))
		}
		for range c.waiting {
			q.unprepared.push(costing(PriorityBulk, 1, 1, 1))
		}
		if got := q.target(); got != c.want {
			t.Errorf("%d pictures ready and %d samples waiting: got %d; want %d", c.ready, c.waiting, got, c.want)
		}
		if q.cfg.BatchDelay = 1; c.ready > 0 && q.target() != 512 {
			t.Errorf("with a delay: got %d; want a full batch", q.target())
		}
	}
}

// TestBatchDueAt: a batch waits 10 ms for another sample and 50 ms in all, or until the oldest
// request has waited for the delay.
func TestBatchDueAt(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		since, last, delay, high, normal, want time.Duration
	}{
		{100 * ms, 120 * ms, 0, 0, 0, 130 * ms}, {100 * ms, 145 * ms, 0, 0, 0, 150 * ms}, {100 * ms, 120 * ms, 5 * ms, 0, 0, 130 * ms},
		{100 * ms, 120 * ms, 70 * ms, 0, 0, 170 * ms}, {100 * ms, 120 * ms, 70 * ms, 80 * ms, 0, 150 * ms}, {100 * ms, 120 * ms, 70 * ms, 90 * ms, 70 * ms, 140 * ms},
		{100 * ms, 120 * ms, 70 * ms, 0, 60 * ms, 130 * ms},
	} {
		q := still()
		q.cfg.BatchDelay = c.delay
		for class, arrived := range map[int]time.Duration{classHigh: c.high, classNormal: c.normal} {
			if x := costing(PriorityHigh, 1, 1, 1); arrived > 0 {
				x.class, x.arrived = class, arrived
				q.readyList.push(x)
			}
		}
		q.readyList.firstAdded, q.readyList.lastAdded = c.since, c.last
		if got := q.batchDueAt(); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestFill: a batch takes samples by priority while they fit: 4 pictures, work of 100, 1000 px.
// A heavy one goes alone, and samples without readers are left out.
func TestFill(t *testing.T) {
	gone := costing(PriorityHigh, 1, 1, 1)
	gone.readerCount.Add(-1)
	for _, c := range []struct {
		name string
		list []*task
		want int // samples
		left int
	}{
		{"4 pictures", []*task{costing(PriorityBulk, 2, 1, 1), costing(PriorityHigh, 2, 1, 1), costing(PriorityNormal, 1, 1, 1)}, 2, 1},
		{"just 4", []*task{costing(PriorityNormal, 2, 1, 1), costing(PriorityHigh, 2, 1, 1)}, 2, 0},
		{"just the work", []*task{costing(PriorityHigh, 1, 60, 1), costing(PriorityHigh, 1, 40, 1)}, 2, 0},
		{"too much work", []*task{costing(PriorityHigh, 1, 60, 1), costing(PriorityHigh, 1, 41, 1)}, 1, 1},
		{"just the pixels", []*task{costing(PriorityHigh, 1, 1, 600), costing(PriorityHigh, 1, 1, 400)}, 2, 0},
		{"too many pixels", []*task{costing(PriorityHigh, 1, 1, 600), costing(PriorityHigh, 1, 1, 401)}, 1, 1},
		{"heavy", []*task{costing(PriorityHigh, 5, 1, 1), costing(PriorityBulk, 1, 1, 1)}, 1, 1},
		{"without readers", []*task{gone, costing(PriorityHigh, 4, 99, 999), costing(PriorityBulk, 1, 1, 1)}, 1, 1},
	} {
		q := still()
		fillReady(q, c.list...)
		d := &dispatcher{queue: q}
		d.fill()
		left := 0
		for class := range classes {
			left += q.readyList.byClass[class].len()
		}
		if len(d.tasks) != c.want || left != c.left {
			t.Errorf("%s: got %d samples and %d left; want %d and %d", c.name, len(d.tasks), left, c.want, c.left)
		}
		if heavy := c.name == "heavy"; len(d.tasks) > 0 && d.heavy() != heavy {
			t.Errorf("%s: got heavy %v", c.name, !heavy)
		}
	}
}

// TestCountForCall: one call has what a batch may cost, and at least one picture.
func TestCountForCall(t *testing.T) {
	for _, c := range []struct {
		pics []Pic
		want int
	}{
		{[]Pic{flat{200, 50, 50}}, 1}, {[]Pic{flat{200, 1, 1}, flat{1, 1, 1}}, 1}, {[]Pic{flat{60, 1, 1}, flat{40, 1, 1}, flat{1, 1, 1}}, 2},
		{[]Pic{flat{1, 20, 30}, flat{1, 40, 10}, flat{1, 1, 1}}, 2}, {[]Pic{flat{}, flat{}, flat{}, flat{}, flat{}}, 4}, {[]Pic{flat{}, flat{}, flat{}, flat{}}, 4},
	} {
		if got := still().countForCall(c.pics); got != c.want {
			t.Errorf("%v: got %d pictures; want %d", c.pics, got, c.want)
		}
	}
}

// TestTurns: the lowest class goes first, and one that was passed over eight times goes before it;
// of two of these the higher one.
func TestTurns(t *testing.T) {
	var p turns
	var got strings.Builder
	for range 30 {
		fmt.Fprint(&got, p.pick(3, func(c int) bool { return c != 1 }))
	}
	if want := strings.Repeat("000000002", 3) + "000"; got.String() != want {
		t.Errorf("got %s; want %s", &got, want)
	}
	p = turns{}
	got.Reset()
	for range 22 {
		fmt.Fprint(&got, p.pick(3, func(int) bool { return true }))
	}
	if want := "0000000021000000020100"; got.String() != want {
		t.Errorf("got %s; want %s", &got, want)
	}
}

// TestFifo: elements come out in the order in which they came, and the memory of those that are
// gone is used again.
func TestFifo(t *testing.T) {
	var f fifo[int]
	next, in := 1, 0
	push := func(n int) {
		for range n {
			in++
			f.push(in)
		}
	}
	pop := func(n int) {
		for range n {
			if got := f.peek(); got != next || f.pop() != next {
				t.Fatalf("got %d; want %d", got, next)
			}
			next++
		}
	}
	push(2048)
	if pop(1023); f.head != 1023 || len(f.items) != 2048 {
		t.Errorf("after 1023 of 2048: got %d of %d used up; want nothing moved", f.head, len(f.items))
	}
	if pop(1); f.head != 0 || len(f.items) != 1024 || f.len() != 1024 {
		t.Errorf("after 1024: got %d of %d used up; want the rest at the front", f.head, len(f.items))
	}
	push(2000)
	if pop(1511); f.head != 1511 || f.len() != 1513 {
		t.Errorf("after 1511 of 3024: got %d used up, %d left; want nothing moved", f.head, f.len())
	}
	if pop(1); f.head != 0 || len(f.items) != 1512 {
		t.Errorf("after half of 3024: got %d of %d used up; want the rest at the front", f.head, len(f.items))
	}
	push(1)
	if pop(f.len()); f.head != 0 || f.len() != 0 || len(f.items) != 0 {
		t.Errorf("got %d of %d used up of an empty list", f.head, len(f.items))
	}
}

// TestWeight: a line of more than 64 KiB weighs three times its bytes, and what its values take
// when they are parsed and outlined; less than 16 MiB weighs nothing.
func TestWeight(t *testing.T) {
	valued := func(n, total int) []byte { return []byte(strings.Repeat(",", n-1) + strings.Repeat(" ", total-n+1)) } // n values
	const each = jsontree.ValueBytes + outlineBytes
	const blank = (largeFrom - each) / 3
	for _, c := range []struct {
		name string
		line []byte
		want int64
	}{
		{"small", valued(neverLarge, neverLarge), 0},
		{"just large", valued(neverLarge+1, neverLarge+1), (neverLarge + 1) * (3 + each)},
		{"blank", valued(1, blank), 0},
		{"blank, large", valued(1, blank+1), 3*(blank+1) + each},
		{"many values", valued(outlinedMost+1, 1<<20), 3<<20 + (outlinedMost+1)*jsontree.ValueBytes + outlinedMost*outlineBytes},
	} {
		if got := MemoryNeeded(c.line); got != c.want {
			t.Errorf("%s: got %d; want %d", c.name, got, c.want)
		}
	}
}

// TestFootprint: what a result takes counts in full.
func TestFootprint(t *testing.T) {
	r := &scoring.Result{ID: "abc", Metrics: []scoring.Metric{{Name: "a", Value: "xy"}, {Name: "b", Value: []string{"p", "qrs"}}, {Name: "c", Value: []float64{1, 2, 3}},
		{Name: "d", Value: [][]float64{{1}, {2, 3}}}, {Name: "e", Value: 1.5}}, Notes: []scoring.Note{{Path: "p", Message: "mmmm"}, {Message: "m"}}}
	want := 512 + 7 + 3 + 5*48 + 2*64 + (16 + 2) + (24 + 16 + 1 + 16 + 3) + (24 + 24) + (24 + 24 + 8 + 24 + 16) + 16 + 5 + 1
	if got := footprint(r, make([]byte, 7)); got != want {
		t.Errorf("got %d bytes; want %d", got, want)
	}
}

// TestCacheBounds: a result of an eighth of the cache is kept, and the cache holds no more bytes
// than it may.
func TestCacheBounds(t *testing.T) {
	size := footprint(&scoring.Result{Scored: true}, nil)
	c := newCache(8 * size)
	at := func(i byte) digest { return digest{i} }
	c.put(at(0), &scoring.Result{Scored: true}, make([]byte, 1))
	if c.get(at(0)) != nil {
		t.Error("a result of more than an eighth is kept")
	}
	for i := range byte(9) {
		c.put(at(i), &scoring.Result{Scored: true}, nil)
		if s := c.stats(); s.Entries != min(int(i)+1, 8) || s.Bytes != s.Entries*size {
			t.Errorf("after %d results: got %+v; want at most 8 of %d bytes", i+1, s, size)
		}
	}
	if c.get(at(0)) != nil || c.get(at(1)) == nil || c.get(at(8)) == nil {
		t.Error("want the oldest result gone, and no other")
	}
	if s := c.stats(); s.Hits != 2 || s.Misses != 2 {
		t.Errorf("got %d hits and %d misses; want 2 and 2", s.Hits, s.Misses)
	}
}

// TestAdmit counts requests under way: the one too many is refused with their number.
func TestAdmit(t *testing.T) {
	q := still()
	q.cfg.MaxRequests = 2
	first, err := q.Admit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Admit(); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Admit(); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "2 of 2") || q.Depth() != 2 {
		t.Errorf("got %v and a depth of %d; want a refusal that says 2 of 2", err, q.Depth())
	}
	first()
	if first(); q.Depth() != 1 {
		t.Errorf("got a depth of %d; want 1", q.Depth())
	}
}

// TestLimits: the deadline of a request holds where it is shorter than that of the queue.
func TestLimits(t *testing.T) {
	q := still()
	for _, c := range []struct {
		o    *Options
		want time.Duration
	}{{nil, time.Minute}, {&Options{}, time.Minute}, {&Options{Deadline: time.Second}, time.Second}, {&Options{Deadline: time.Hour}, time.Minute}, {&Options{Deadline: 1}, 1}} {
		if got := q.deadlineOf(c.o); got != c.want {
			t.Errorf("%+v: got %v; want %v", c.o, got, c.want)
		}
	}
}

// TestUntil: a task lasts until the last of its readers gives up.
func TestUntil(t *testing.T) {
	x := &task{}
	for _, c := range []struct{ arrived, limit, want time.Duration }{{10, 20, 30}, {15, 5, 30}, {12, 30, 42}, {40, 1, 42}} {
		x.add(&reader{arrived: c.arrived, timeLimit: c.limit})
		if got := time.Duration(x.lastDeadline.Load()); got != c.want {
			t.Errorf("a reader from %d on for %d: got %d; want %d", c.arrived, c.limit, got, c.want)
		}
	}
}

// TestOccupy counts the workers that prepare samples, and keeps few spare ones.
func TestOccupy(t *testing.T) {
	q := still()
	x := costing(PriorityHigh, 1, 1, 1)
	workers := []*worker{{queue: q}, {queue: q}, {queue: q}}
	for i, w := range workers {
		q.recordBusy(w, x, i != 1) // the second one finishes a sample
	}
	if q.preparing != 2 || len(q.occupied) != 3 {
		t.Errorf("got %d busy of %d; want 2 of 3", q.preparing, len(q.occupied))
	}
	if stays := q.recordFree(workers[0]); !stays || q.preparing != 1 || len(q.occupied) != 2 || q.occupied[0] != workers[2] || workers[2].occupiedIndex != 0 {
		t.Errorf("got %v, %d busy of %d; want the last worker in the place of the first", stays, q.preparing, len(q.occupied))
	}
	q.cfg.Workers = 8
	q.relieved = 2
	for i, w := range []*worker{workers[2], workers[1]} {
		w.relieved = true
		if stays := q.recordFree(w); stays || w.relieved || q.relieved != 1-i || q.preparing != 1 {
			t.Errorf("got %v, %d relieved, %d busy; want a relieved worker to end", stays, q.relieved, q.preparing)
		}
	}
	if len(q.spareWorkers) != 2 {
		t.Errorf("got %d spare workers kept; want two of eight workers", len(q.spareWorkers))
	}
	extra := &worker{queue: q, relieved: true}
	q.relieved = 1
	q.occupied, extra.occupiedIndex = []*worker{extra}, 0
	if q.recordFree(extra); len(q.spareWorkers) != 2 {
		t.Errorf("got %d spare workers kept; want no third one", len(q.spareWorkers))
	}
}

// TestTimed: what an answer took leaves out the wait for a worker.
func TestTimed(t *testing.T) {
	var a Answer
	if a.timed(Timing{PartQueue: 5, PartDecode: 7, PartReply: 11}); a.Wait != 5 || a.Took != 18 {
		t.Errorf("got a wait of %d and %d; want 5 and 18", a.Wait, a.Took)
	}
}

// TestKept: a task that returns to the pool keeps buffers up to maxKept bytes.
func TestKept(t *testing.T) {
	for n, kept := range map[int]bool{maxKept: true, maxKept + 1: false} {
		q := still()
		x := &task{load: load{buf: make([]byte, n), json: make([]byte, n)}}
		if q.recycle(x); (x.buf != nil) != kept || (x.json != nil) != kept {
			t.Errorf("buffers of %d bytes: got them kept: %v and %v; want %v", n, x.buf != nil, x.json != nil, kept)
		}
	}
}

// TestLines: a line that failed keeps its number and its fault in the task.
func TestLines(t *testing.T) {
	var x task
	x.fill(dump.Line{Number: 3, Bytes: []byte("abc"), Fault: "torn", Busy: true})
	if x.line.Number != 3 || string(x.line.Bytes) != "abc" || x.line.Fault != "torn" || !x.line.Busy || x.memoryNeeded != 0 {
		t.Errorf("got %+v", x.line)
	}
}
