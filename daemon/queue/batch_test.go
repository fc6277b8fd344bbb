package queue_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/render/view"
)

// rig is a queue over an engine that writes down what it is asked for. It lives
// in a bubble: synctest.Wait stands for "as far as it goes without time".
type rig struct {
	t       *testing.T
	q       *queue.Queue
	e       *queuetest.Engine
	cfg     queue.Config
	prepare chan struct{} // when set before open, the first view waits for it
	measure chan struct{} // when set before open, the first batch waits for it

	mu       sync.Mutex
	prepared []float64
	batches  [][]float64
	answers  map[string]queue.Answer
	order    []string // of ids, as they were answered
	all      sync.WaitGroup
}

func newRig(t *testing.T) *rig {
	e := &queuetest.Engine{}
	r := &rig{t: t, e: e, cfg: queuetest.Config(e, queuetest.Suite{}), answers: map[string]queue.Answer{}}
	r.cfg.Workers = 1
	e.Prepare = func(w float64) {
		r.mu.Lock()
		r.prepared = append(r.prepared, w)
		first := len(r.prepared) == 1
		r.mu.Unlock()
		if first && r.prepare != nil {
			<-r.prepare
		}
	}
	e.Batch = func(ws []float64) {
		r.mu.Lock()
		r.batches = append(r.batches, ws)
		first := len(r.batches) == 1
		r.mu.Unlock()
		if first && r.measure != nil {
			<-r.measure
		}
	}
	return r
}

func (r *rig) open() *rig {
	r.q = queue.New(r.cfg)
	return r
}

// line is an item with pictures of these widths.
func line(id string, widths ...float64) dump.Line {
	b := fmt.Appendf(nil, `{"id":%q,"test":"sum","views":[`, id)
	for i, w := range widths {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Append(b, w)
	}
	return dump.Line{Number: 1, Bytes: append(b, ']', '}')}
}

// ask scores a line in the background and returns when it is as far as it gets.
func (r *rig) ask(o queue.Options, l dump.Line) {
	r.all.Go(func() {
		a, err := r.q.Score(r.t.Context(), l, &o)
		if err != nil {
			r.t.Errorf("%s: %v", l.Bytes, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.answers[a.Result.ID] = a
		r.order = append(r.order, a.Result.ID)
	})
	synctest.Wait()
}

// end waits for all answers and closes the queue.
func (r *rig) end() {
	r.all.Wait()
	r.q.Close()
	if n := r.e.Alive.Load(); n != 0 {
		r.t.Errorf("%d pictures were not released", n)
	}
}

func TestPrioritiesOfWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.prepare = make(chan struct{})
		r.open()
		r.ask(queue.Options{}, line("first", 1))
		for i := range 20 { // low to high: the opposite of what is wanted
			r.ask(queue.Options{Priority: queue.PriorityBulk}, line(fmt.Sprint("b", i), 300+float64(i)))
		}
		r.ask(queue.Options{Priority: queue.PriorityNormal}, line("n", 200))
		for i := range 12 {
			r.ask(queue.Options{}, line(fmt.Sprint("h", i), 100+float64(i)))
		}
		close(r.prepare)
		r.end()
		last := slices.Index(r.prepared, 111)
		passed := 0
		for _, w := range r.prepared[:last] {
			if w >= 200 {
				passed++
			}
		}
		if !slices.Equal(r.prepared[1:9], []float64{100, 101, 102, 103, 104, 105, 106, 107}) {
			t.Errorf("got %v; want the requests first", r.prepared)
		}
		if passed < 1 || passed > 4 {
			t.Errorf("got %v: %d others before the last request; want a few, so that nothing starves", r.prepared, passed)
		}
	})
}

func TestBatchesAreCappedByCost(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit func(*queue.Config)
		want  [][]float64
	}{
		// Twice the limit is more than all samples together, so that all are ready before the first batch ends.
		{"work", func(c *queue.Config) { c.MaxBatchWork = 141 }, [][]float64{{1}, {60, 40}, {70, 50}, {50, 10}}},
		{"pixels", func(c *queue.Config) { c.MaxBatchPixels = 141 }, [][]float64{{1}, {60, 40}, {70, 50}, {50, 10}}},
		{"count", func(c *queue.Config) { c.MaxBatch = 4 }, [][]float64{{1}, {60, 40, 70, 50}, {50, 10}}},
		{"none", func(c *queue.Config) {}, [][]float64{{1}, {60, 40, 70, 50, 50, 10}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.measure = make(chan struct{})
			c.limit(&r.cfg)
			r.open()
			r.ask(queue.Options{}, line("first", 1))
			for i, w := range []float64{60, 40, 70, 50, 50, 10} {
				r.ask(queue.Options{}, line(fmt.Sprint(i), w))
			}
			close(r.measure)
			r.end()
			if fmt.Sprint(r.batches) != fmt.Sprint(c.want) {
				t.Errorf("%s: got batches %v; want %v", c.name, r.batches, c.want)
			}
		})
	}
}

// A heavy sample makes a batch of its own. Small samples of requests are measured before
// it, bulk samples after it.
func TestHeavySampleGoesAloneAndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.measure = make(chan struct{})
		r.cfg.MaxBatchWork = 100
		r.open()
		r.ask(queue.Options{}, line("first", 1))
		r.ask(queue.Options{}, line("heavy", 5000))
		r.ask(queue.Options{}, line("many", 90, 90, 90))
		r.ask(queue.Options{Priority: queue.PriorityBulk}, line("bulk", 5))
		for i := range 5 {
			r.ask(queue.Options{}, line(fmt.Sprint(i), 10+float64(i)))
		}
		close(r.measure)
		r.end()
		// A batch that began with requests takes bulk along where it fits.
		if want := "[[1] [10 11 12 13 14 5] [5000] [90] [90] [90]]"; fmt.Sprint(r.batches) != want {
			t.Errorf("got batches %v; want %v", r.batches, want)
		}
	})
}

// Heavy samples are not put off for ever.
func TestHeavySampleHasItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.measure = make(chan struct{})
		r.cfg.MaxBatchWork = 100
		r.open()
		r.ask(queue.Options{}, line("first", 1))
		r.ask(queue.Options{}, line("heavy", 5000))
		const n = 60
		for i := range n { // each fills most of a batch, so there is always one
			r.ask(queue.Options{}, line(fmt.Sprint(i), 99))
		}
		close(r.measure)
		r.end()
		at := slices.IndexFunc(r.batches, func(b []float64) bool { return b[0] == 5000 })
		if at < 5 || at > 12 {
			t.Errorf("got the heavy sample in batch %d of %d; want it after eight others", at, len(r.batches))
		}
	})
}

// A spare worker replaces one that is stuck in a sample, and the stuck sample gets its answer
// although the queue is being closed.
func TestSlowSampleIsRelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.prepare = make(chan struct{})
		r.open()
		r.ask(queue.Options{}, line("slow", 7))
		start := time.Now()
		for i := range 30 {
			r.ask(queue.Options{}, line(fmt.Sprint(i), float64(i)))
		}
		time.Sleep(60 * time.Millisecond)
		synctest.Wait()
		if len(r.order) != 30 || slices.Contains(r.order, "slow") {
			t.Errorf("got %d answers after %v: %v; want those of all others", len(r.order), time.Since(start), r.order)
		}
		closed := make(chan struct{})
		go func() {
			r.q.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed with a sample under way")
		default:
		}
		close(r.prepare)
		r.end()
		if a := r.answers["slow"]; a.Result.Score != 7 {
			t.Errorf("got %s; want the score of the slow sample", a.JSON)
		}
	})
}

// More samples that never come back than there are spare workers cost the others
// no more than a deadline.
func TestStuckSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		e := &queuetest.Engine{}
		cfg := queuetest.Config(e, queuetest.Suite{Block: block})
		cfg.Workers, cfg.MaxSpares, cfg.Deadline = 1, 2, time.Second
		q := queue.New(cfg)
		var all sync.WaitGroup
		ask := func(l string, want string) {
			all.Go(func() {
				a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(l)}, &queue.Options{})
				code := ""
				if a.Result.Err != nil {
					code = a.Result.Err.Code
				}
				if err != nil || code != want {
					t.Errorf("%s: got %s, %v; want %q", l, a.JSON, err, want)
				}
			})
			synctest.Wait()
		}
		for i := range 2 {
			ask(fmt.Sprintf(`{"id":"stuck %d","test":"sum","do":"block"}`, i), "deadline")
		}
		for i := range 5 {
			ask(string(line(fmt.Sprint(i), 1).Bytes), "")
		}
		all.Wait()
		close(block)
		q.Close()
	})
}

// A picture that takes long to draw delays no score of its batch.
func TestScoresDoNotWaitForPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.measure = make(chan struct{})
		paint := make(chan struct{})
		r.e.Paint = func() { <-paint }
		r.open()
		r.ask(queue.Options{}, line("first", 1))
		drawn := make(chan error)
		go func() {
			p, err := r.q.Draw(t.Context(), nil, func() (view.View, error) { return view.View{Bounds: view.Box{W: 6, H: 1}}, nil })
			if err == nil && p.Image.Rect.Dx() != 6 {
				err = fmt.Errorf("got a picture of %v; want 6 px", p.Image.Rect)
			}
			drawn <- err
		}()
		synctest.Wait()
		r.ask(queue.Options{Priority: queue.PriorityNormal}, line("a", 2))
		r.ask(queue.Options{Priority: queue.PriorityNormal}, line("b", 3))
		close(r.measure)
		r.all.Wait()
		if fmt.Sprint(r.batches) != "[[1] [6 2 3]]" {
			t.Errorf("got batches %v; want the picture and the scores in one", r.batches)
		}
		if a, b := r.answers["a"].Result, r.answers["b"].Result; a.Score != 2 || b.Score != 3 {
			t.Errorf("got %+v and %+v; want scores while the picture is being drawn", a, b)
		}
		close(paint)
		if err := <-drawn; err != nil {
			t.Error(err)
		}
		r.end()
	})
}

func TestDelayFillsBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.cfg.BatchDelay = 10 * time.Millisecond
		r.open()
		start := time.Now()
		r.ask(queue.Options{}, line("a", 1))
		time.Sleep(4 * time.Millisecond)
		r.ask(queue.Options{}, line("b", 2))
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
		r.mu.Lock()
		if len(r.batches) != 0 {
			t.Errorf("got batches %v after %v; want none", r.batches, time.Since(start))
		}
		r.mu.Unlock()
		r.all.Wait()
		if d := time.Since(start); fmt.Sprint(r.batches) != "[[1 2]]" || d != r.cfg.BatchDelay {
			t.Errorf("got batches %v after %v; want one, %v after the oldest came", r.batches, d, r.cfg.BatchDelay)
		}
		r.end()
	})
}

// With many clients that wait for one sample each, batches are of a size that is
// worth it, and with few nobody waits.
func TestMeanBatch(t *testing.T) {
	for _, c := range []struct {
		clients   int
		min, max_ float64
	}{{512, 21, 256}, {64, 8, 64}, {1, 1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			e := &queuetest.Engine{
				Prepare: func(float64) { time.Sleep(150 * time.Microsecond) },
				Batch:   func(ws []float64) { time.Sleep(time.Millisecond + time.Duration(len(ws))*200*time.Microsecond) },
			}
			cfg := queuetest.Config(e, queuetest.Suite{})
			cfg.Workers = 2
			q := queue.New(cfg)
			start := time.Now()
			var all sync.WaitGroup
			const each = 10
			for i := range c.clients {
				all.Go(func() {
					for n := range each {
						l := line(fmt.Sprint(i, "/", n), float64(i), float64(n))
						if a, err := q.Score(t.Context(), l, &queue.Options{}); err != nil || a.Result.Score != float64(i+n) {
							t.Errorf("got %s, %v; want %d", a.JSON, err, i+n)
						}
					}
				})
			}
			all.Wait()
			took := time.Since(start)
			q.Close()
			if mean := float64(c.clients*each) / float64(e.Batches); mean < c.min || mean > c.max_ {
				t.Errorf("%d clients: got %.1f samples per batch; want %g to %g", c.clients, mean, c.min, c.max_)
			}
			// 300 us of a worker, 1 ms and 400 us of the device.
			if want := each * 1700 * time.Microsecond; c.clients == 1 && took != want {
				t.Errorf("one client: got %d samples in %v; want %v: nothing to wait for", each, took, want)
			}
		})
	}
}

func TestTwoBatchesInFlight(t *testing.T) {
	for _, flight := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			now, most := 0, 0
			e := &queuetest.Engine{Flight: flight, Batch: func(ws []float64) {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				now--
				mu.Unlock()
			}}
			cfg := queuetest.Config(e, queuetest.Suite{})
			cfg.MaxBatch, cfg.Workers = 32, 2
			q := queue.New(cfg)
			var lines []string
			for i := range 500 {
				lines = append(lines, fmt.Sprintf(`{"id":"%d","test":"sum","views":[%d,1]}`, i, i))
			}
			for i, l := range run(t, q, lines) {
				if id, _, score := queuetest.Line([]byte(l)); id != fmt.Sprint(i) || score != float64(i+1) {
					t.Errorf("got %s; want id and score of line %d", l, i)
				}
			}
			q.Close()
			if most != flight {
				t.Errorf("got %d batches at once; want %d", most, flight)
			}
		})
	}
}
