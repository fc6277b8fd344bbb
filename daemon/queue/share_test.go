package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/scoring"
)

func TestIdenticalWorkInFlightIsDoneOnce(t *testing.T) {
	twice := scoring.Variants{"sum.twice": ""}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.measure = make(chan struct{})
		r.open()
		r.ask(queue.Options{}, line("a", 3))
		for range 4 {
			r.ask(queue.Options{}, line("a", 3))
		}
		if len(r.prepared) != 1 || r.q.Stats().Shared != 4 {
			t.Errorf("got %d preparations, %+v; want one for five requests", len(r.prepared), r.q.Stats())
		}
		other := line("a", 3)
		other.Number = 2
		for i, c := range []struct {
			o queue.Options
			l dump.Line
		}{
			{queue.Options{}, line("b", 3)}, {queue.Options{}, line("a", 4)}, {queue.Options{}, other},
			{queue.Options{Variants: twice}, line("a", 3)}, {queue.Options{Suite: "fake"}, line("a", 3)},
			{queue.Options{Reward: scoring.Raw}, line("a", 3)}, {queue.Options{Priority: queue.PriorityBulk}, line("a", 3)},
		} {
			if r.ask(c.o, c.l); len(r.prepared) != 2+i {
				t.Errorf("case %d: got %d preparations; want %d: another sample", i, len(r.prepared), 2+i)
			}
		}
		close(r.measure)
		r.end()
		if len(r.order) != 12 {
			t.Errorf("got %d answers; want 12", len(r.order))
		}
	})
}

// A client that asks again after its own deadline joins the work that it gave
// up, which has begun; work that has not begun is skipped.
func TestRetryJoinsWhatHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.prepare = make(chan struct{})
		r.cfg.MaxSpares = 1
		r.open()
		short := queue.Options{Deadline: 20 * time.Millisecond}
		start := time.Now()
		r.ask(short, line("a", 3))
		r.ask(queue.Options{Deadline: 10 * time.Millisecond}, line("never", 9))
		r.all.Wait()
		for id, limit := range map[string]string{"a": "20ms", "line:1": "10ms"} { // nobody has read the second one
			a := r.answers[id]
			if e := a.Result.Err; e == nil || e.Code != "deadline" || !strings.Contains(e.Message, limit+" (X-Deadline-Ms)") {
				t.Errorf("%s: got %s; want the deadline that was asked for", id, a.JSON)
			}
		}
		if d := time.Since(start); d != 20*time.Millisecond {
			t.Errorf("got answers after %v; want 20ms", d)
		}
		r.ask(queue.Options{}, line("a", 3))
		close(r.prepare)
		r.all.Wait()
		if a := r.answers["a"]; a.Result.Score != 3 || a.Source != queue.Shared {
			t.Errorf("got %s, %v; want the score, from work that was under way", a.JSON, a.Source)
		}
		r.end()
		if fmt.Sprint(r.prepared) != "[3]" {
			t.Errorf("got %v prepared; want the first once and the other never", r.prepared)
		}
	})
}

// A long deadline does not pass the server's.
func TestDeadlineIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{Block: block})
		cfg.Deadline = time.Second
		q := queue.New(cfg)
		start := time.Now()
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"b","test":"sum","do":"block"}`)}, &queue.Options{Deadline: time.Hour})
		if d := time.Since(start); err != nil || d != cfg.Deadline || !strings.Contains(a.Result.Err.Message, "--deadline") {
			t.Errorf("got %s, %v after %v; want the server's deadline", a.JSON, err, d)
		}
		close(block)
		q.Close()
	})
}

// A failed scorer of one request is not the others' answer: for them the sample
// is scored again, once.
func TestFailuresAreNotShared(t *testing.T) {
	for _, c := range []struct {
		name   string
		fails  int64 // calls that fail; a batch that fails is run again one by one
		scored int
		again  int64
	}{{"once", 2, 2, 1}, {"twice", 4, 0, 1}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.measure = make(chan struct{})
			r.cfg.CacheBytes = 1 << 20
			var calls atomic.Int64
			r.e.Fail = func([]float64) error {
				if calls.Add(1) <= c.fails {
					return errors.New("the device is on fire")
				}
				return nil
			}
			r.open()
			results := make(chan queue.Answer, 3)
			for range 3 {
				go func() {
					a, err := r.q.Score(t.Context(), line("a", 3), &queue.Options{})
					if err != nil {
						t.Error(err)
					}
					results <- a
				}()
				synctest.Wait()
			}
			close(r.measure)
			scored := 0
			for range 3 {
				switch a := <-results; {
				case a.Result.Err == nil && a.Result.Score == 3:
					scored++
				case a.Result.Err == nil || a.Result.Err.Code != "backend":
					t.Errorf("%s: got %s; want a score or the backend's error", c.name, a.JSON)
				}
			}
			if s := r.q.Stats(); scored != c.scored || s.Retried != c.again {
				t.Errorf("%s: got %d scores, %+v; want %d scores and %d new tries", c.name, scored, s, c.scored, c.again)
			}
			r.ask(queue.Options{}, line("a", 3))
			if a := r.answers["a"]; a.Result.Score != 3 || (a.Source == queue.Cached) != (c.scored > 0) {
				t.Errorf("%s: got %s, %v; want a score, and no failure that was kept", c.name, a.JSON, a.Source)
			}
			r.end()
		})
	}
}

// A panic of the sample is everybody's answer: it would only panic again.
func TestFaultsOfTheSampleAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.measure = make(chan struct{})
		r.open()
		l := dump.Line{Number: 1, Bytes: []byte(`{"id":"p","test":"sum","do":"panic_score","views":[2]}`)}
		r.ask(queue.Options{}, l)
		r.ask(queue.Options{}, l)
		close(r.measure)
		r.end()
		if s := r.q.Stats(); len(r.batches) != 1 || s.Retried != 0 || r.answers["p"].Result.Err.Code != "internal" {
			t.Errorf("got %d batches, %+v, %s; want one try", len(r.batches), s, r.answers["p"].JSON)
		}
	})
}

func TestResultCache(t *testing.T) {
	e := &queuetest.Engine{}
	cfg := queuetest.Config(e, queuetest.Suite{})
	cfg.CacheBytes = 64 << 10
	q := queue.New(cfg)
	defer q.Close()
	score := func(o queue.Options, l dump.Line) queue.Answer {
		a, err := q.Score(t.Context(), l, &o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := score(queue.Options{}, line("a", 3))
	second := score(queue.Options{}, line("a", 3))
	if first.Source != queue.Computed || second.Source != queue.Cached || string(first.JSON) != string(second.JSON) || second.Timing.Total() <= 0 {
		t.Errorf("got %v %s and %v %s; want the same, from the cache", first.Source, first.JSON, second.Source, second.JSON)
	}
	if a := score(queue.Options{Variants: scoring.Variants{"sum.twice": ""}}, line("a", 3)); a.Source != queue.Computed || a.Result.Score != 6 {
		t.Errorf("got %v %s; want a score of its own", a.Source, a.JSON)
	}
	bad := dump.Line{Number: 1, Bytes: []byte(`{"id":"r","test":"sum","do":"refuse"}`)}
	score(queue.Options{}, bad)
	if a := score(queue.Options{}, bad); a.Source != queue.Computed {
		t.Errorf("got %v %s; want errors computed", a.Source, a.JSON)
	}
	for i := range 1000 {
		score(queue.Options{}, line(fmt.Sprint(i), 1))
		score(queue.Options{}, line("a", 3)) // what is used stays
	}
	s := q.Stats().Cache
	if s.Bytes > cfg.CacheBytes || s.Entries < 20 || s.Entries > 200 || s.Hits != 1001 {
		t.Errorf("got %+v; want %d bytes at most, and what is used kept", s, cfg.CacheBytes)
	}
	if a := score(queue.Options{}, line("0", 1)); a.Source != queue.Computed {
		t.Errorf("got %v; want the oldest gone", a.Source)
	}
}

// Streams take kept results too, in order, and mark duplicates in a copy.
func TestStreamFromCache(t *testing.T) {
	cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
	cfg.CacheBytes = 10 << 20
	q := queue.New(cfg)
	defer q.Close()
	lines := mixed(300)
	lines = append(lines, `{"id":"i0","test":"sum","views":[1]}`)
	want := run(t, q, lines)
	for range 2 {
		if got := run(t, q, lines); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Error("results from the cache differ")
		}
	}
	if s := q.Stats().Cache; s.Hits < 2*200 || !strings.Contains(want[300], "duplicate_id") {
		t.Errorf("got %+v, %s; want hits, and the last line marked", s, want[300])
	}
}

// Many requests for few samples, given up at any moment: every answer is that of
// its sample (run with -race).
func TestSharingUnderLoad(t *testing.T) {
	cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
	cfg.CacheBytes = 2 << 10
	q := queue.New(cfg)
	done := make(chan error, 8)
	for g := range cap(done) {
		go func() {
			for n := range 1500 {
				w := (n + g) % 7
				o := &queue.Options{Deadline: time.Duration(1+(n*13+g)%90) * time.Microsecond}
				if n%3 == 0 {
					o.Deadline = 0
				}
				a, err := q.Score(t.Context(), line(fmt.Sprint(w), float64(w)), o)
				late := a.Result.Err != nil && a.Result.Err.Code == "deadline" && o.Deadline > 0
				if err != nil || !late && (a.Result.Err != nil || a.Result.Score != float64(w) || a.Result.ID != fmt.Sprint(w)) {
					done <- fmt.Errorf("got %s, %v; want the score of %d", a.JSON, err, w)
					return
				}
			}
			done <- nil
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	q.Close()
}
