package queue_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// Each part of a sample's way is told apart, and together they are the time
// that its reader waited: the clock stands still but for what sleeps here.
func TestPartsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &queuetest.Engine{Late: 1,
			Prepare: func(float64) { time.Sleep(3 * time.Millisecond) },
			Fail:    func([]float64) error { time.Sleep(5 * time.Millisecond); return nil },
			Draws:   func(context.Context, float64) error { time.Sleep(7 * time.Millisecond); return nil },
		}
		cfg := queuetest.Config(e, queuetest.Suite{})
		cfg.Workers = 1
		stages := map[string]time.Duration{}
		var waited []time.Duration
		var mu sync.Mutex // guards both
		cfg.Watch.Stage = func(name string, d time.Duration) { mu.Lock(); stages[name] += d; mu.Unlock() }
		cfg.Watch.Wait = func(d time.Duration) { mu.Lock(); waited = append(waited, d); mu.Unlock() }
		q := queue.New(cfg)
		defer q.Close()
		time.Sleep(time.Second)
		want := queue.Timing{queue.PartOutline: 6 * time.Millisecond, queue.PartExport: 7 * time.Millisecond, queue.PartGPU: 5 * time.Millisecond}
		start := time.Now()
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"a","test":"sum","views":[1],"late":[2]}`)}, &queue.Options{})
		if took := time.Since(start); err != nil || a.Timing != want || a.Timing.Total() != took {
			t.Errorf("got %v, %v in %v; want %v", a.Timing, err, took, want)
		}
		if a.Wait != 0 || a.Took != 18*time.Millisecond {
			t.Errorf("got a wait of %v and %v of work; want 0 and 18ms", a.Wait, a.Took)
		}
		mu.Lock()
		defer mu.Unlock()
		told := map[string]time.Duration{"decode": 0, "render": 6 * time.Millisecond, "export": 7 * time.Millisecond, "metric": 5 * time.Millisecond, "score": 0, "encode": 0}
		if !maps.Equal(stages, told) || !slices.Equal(waited, []time.Duration{0}) {
			t.Errorf("watchers are told %v after waits of %v; want %v after none", stages, waited, told)
		}
	})
}

// The timing of a sample that missed its deadline still has when a worker took it.
func TestTimingOfSampleGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{Block: block})
		q := queue.New(cfg)
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: []byte(`{"id":"b","test":"sum","do":"block"}`)}, &queue.Options{})
		if want := (queue.Timing{queue.PartReply: queue.DefaultDeadline}); err != nil || a.Timing != want {
			t.Errorf("got %v, %v; want %v", a.Timing, err, want)
		}
		close(block)
		q.Close()
	})
}
