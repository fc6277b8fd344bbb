package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/scoring"
)

// court is a judge by rule: the text of the question says what becomes of it.
type court struct {
	width     int
	asked     atomic.Int64
	now, most atomic.Int64
	mu        sync.Mutex
	known     map[string]bool
}

func (c *court) Width() int { return c.width }

func (c *court) Known(q *scoring.Question) (scoring.Judgement, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	right, ok := c.known[q.Text]
	return scoring.Judgement{Right: right, Reply: "k"}, ok
}

func (c *court) Ask(ctx context.Context, q *scoring.Question) scoring.Judgement {
	c.asked.Add(1)
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for m := c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
	}
	wait := time.Millisecond
	switch {
	case q.Text == "panic":
		panic("court")
	case q.Text == "never":
		wait = 24 * time.Hour
	case strings.HasPrefix(q.Text, "30s"):
		wait = 30 * time.Second
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return scoring.Judgement{Err: &scoring.Error{Code: "unjudged", Message: "not in time"}}
	}
	if strings.HasSuffix(q.Text, "fail") {
		return scoring.Judgement{Err: &scoring.Error{Code: "unjudged", Message: "no verdict"}}
	}
	return scoring.Judgement{Right: strings.HasSuffix(q.Text, "yes"), Reply: "x"}
}

// Judged samples keep their place in the order, with pictures and without, whatever
// became of them; no more are asked at once than the judge can take; and where there is
// no judge the suite says so itself.
func TestJudged(t *testing.T) {
	var lines, want, alone []string
	for i := range 500 {
		line, judged, without := fmt.Sprintf(`{"id":"i%d","test":"sum","views":[%d]`, i, i), fmt.Sprintf("i%d  %d", i, i), ""
		switch i % 5 {
		case 0:
			line, judged = line+`,"ask":"yes"`, fmt.Sprintf("i%d  %d", i, i+1000)
		case 1:
			line, judged = fmt.Sprintf(`{"id":"i%d","test":"sum","ask":"no"`, i), fmt.Sprintf("i%d  0", i)
		case 2:
			line, judged = line+`,"late":[5],"ask":"fail"`, fmt.Sprintf("i%d unjudged 0", i)
		case 3:
			line, judged = line+`,"ask":"known"`, fmt.Sprintf("i%d  %d", i, i+1000)
		}
		if without = judged; i%5 != 4 {
			without = fmt.Sprintf("i%d unjudged 0", i)
		}
		lines, want, alone = append(lines, line+"}"), append(want, judged), append(alone, without)
	}
	e := &queuetest.Engine{Late: 2, Draws: func(context.Context, float64) error { return nil }}
	c := &court{width: 3, known: map[string]bool{"known": true}}
	for _, judge := range []queue.Judge{c, nil} {
		cfg := queuetest.Config(e, queuetest.Suite{})
		cfg.Workers = 2
		if judge != nil {
			cfg.Judge = judge
		} else {
			want = alone
		}
		q := queue.New(cfg)
		got := run(t, q, lines)
		q.Close()
		told(t, got, want)
	}
	if n := c.most.Load(); n < 2 || n > 3 || c.asked.Load() != 300 {
		t.Errorf("got %d questions, %d at once; want 300, at most 3", c.asked.Load(), n)
	}
	if n := e.Alive.Load(); n != 0 {
		t.Errorf("%d pictures were not released", n)
	}
}

// While the judge is silent everything else is answered. A stream's sample has the
// judge's time from its turn on, a request its own deadline; then the judge is told to
// stop.
func TestSilentJudgeHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &court{width: 2}
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
		cfg.Workers, cfg.Judge, cfg.JudgeDeadline = 1, c, time.Minute
		q := queue.New(cfg)
		start := time.Now()
		slow := make(chan []string)
		go func() {
			var lines []string
			for i := range 6 {
				lines = append(lines, fmt.Sprintf(`{"id":"s%d","test":"sum","ask":"never"}`, i))
			}
			slow <- run(t, q, append(lines, `{"id":"p","test":"sum","ask":"panic"}`, `{"id":"y","test":"sum","ask":"30s yes"}`))
		}()
		synctest.Wait()
		told(t, run(t, q, []string{`{"id":"d","test":"sum","views":[4]}`}), []string{"d  4"})
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"e","test":"sum","views":[5]}`)}, &queue.Options{})
		if err != nil || a.Result.Score != 5 || time.Since(start) > time.Second {
			t.Errorf("got %+v, %v after %v; want the score at once", a, err, time.Since(start))
		}
		a, err = q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"f","test":"sum","ask":"never"}`)}, &queue.Options{})
		if took := time.Since(start); err != nil || a.Result.Err == nil || a.Result.Err.Code != "deadline" || took < queue.DefaultDeadline || took > queue.DefaultDeadline+time.Second {
			t.Errorf("got %+v, %v after %v; want the request's own deadline", a.Result, err, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err = q.Score(ctx, dump.Line{Number: 1, Bytes: []byte(`{"id":"g","test":"sum","ask":"never"}`)}, &queue.Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v; want the end of the request", err)
		}
		told(t, <-slow, []string{"s0 unjudged 0", "s1 unjudged 0", "s2 unjudged 0", "s3 unjudged 0", "s4 unjudged 0", "s5 unjudged 0", "p internal 0", "y  1000"})
		if took := time.Since(start); took < 3*time.Minute || took > 4*time.Minute {
			t.Errorf("got all answers after %v; want three turns of the judge's minute and half of one", took)
		}
		q.Close()
		if n := c.now.Load(); n != 0 {
			t.Errorf("%d questions are still asked", n)
		}
	})
}

// A request that repeats one in flight joins its question, and one that gives up does
// not end it for the other.
func TestJudgedShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &court{width: 4}
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
		cfg.Judge, cfg.Deadline = c, time.Minute
		q := queue.New(cfg)
		line := dump.Line{Number: 1, Bytes: []byte(`{"id":"a","test":"sum","ask":"30s yes"}`)}
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			q.Score(ctx, line, &queue.Options{})
		}()
		synctest.Wait()
		a, err := q.Score(t.Context(), line, &queue.Options{})
		if err != nil || a.Result.Score != 1000 || c.asked.Load() != 1 || a.Timing[queue.PartJudge] < 29*time.Second {
			t.Errorf("got %+v, %v after %d questions; want one that both wait for", a, err, c.asked.Load())
		}
		q.Close()
	})
}

// Close waits for the verdict of what was accepted, and for its score.
func TestCloseWaitsForTheJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
		cfg.Judge, cfg.Deadline = &court{width: 1}, time.Minute
		q := queue.New(cfg)
		answers := make(chan queue.Answer, 2)
		for i, views := range []string{"", `,"views":[7]`} {
			go func() {
				a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: fmt.Appendf(nil, `{"id":"a%d","test":"sum","ask":"yes"%s}`, i, views)}, &queue.Options{})
				if err != nil {
					t.Error(err)
				}
				answers <- a
			}()
		}
		synctest.Wait()
		q.Close()
		if a, b := <-answers, <-answers; a.Result.Score+b.Result.Score != 2007 {
			t.Errorf("got %+v and %+v; want both scores", a.Result, b.Result)
		}
	})
}
