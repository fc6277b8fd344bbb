package queue_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/render/view"
)

// largeItem is an item of width w with 200,000 values.
func largeItem(w string) []byte {
	return []byte(`{"test":"sum","views":[` + w + `],"pad":[` + strings.Repeat("1,", 200_000) + `1]}`)
}

func TestWeight(t *testing.T) {
	for _, c := range []struct {
		line  string
		large bool
	}{
		{`{"test":"sum"}`, false},
		{`{"pad":"` + strings.Repeat("x", 4<<20) + `"}`, false}, // long, but one value
		{string(largeItem("1")), true},
		{`{"response":"` + strings.Repeat("[1,2],", 100_000) + `"}`, true}, // values in a string
	} {
		if w := queue.MemoryNeeded([]byte(c.line)); (w > 0) != c.large || w > 0 && w < 16<<20 {
			t.Errorf("%.40s..., %d bytes: got %d; want large: %v", c.line, len(c.line), w, c.large)
		}
	}
}

// Large samples are prepared while there is memory for them, so many at a time, and
// others go on meanwhile.
func TestLargeWait(t *testing.T) {
	var now, most atomic.Int64
	hold := make(chan struct{})
	e := &queuetest.Engine{Prepare: func(w float64) {
		if w != 7 {
			return
		}
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-hold
	}}
	weight := queue.MemoryNeeded(largeItem("7"))
	cfg := queuetest.Config(e, queuetest.Suite{})
	cfg.Workers, cfg.Memory = 8, memory.New("--max-memory", 2*weight+weight/2, 2*weight+weight/2)
	q := queue.New(cfg)
	defer q.Close()
	score := func(b []byte) queue.Answer {
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: b}, &queue.Options{Client: "a"})
		if err != nil {
			t.Error(err)
		}
		return a
	}
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() {
			b := append(largeItem("7"), strings.Repeat(" ", i)...) // all different
			if a := score(b); a.Result.Err != nil {
				t.Errorf("large: %v", a.Result.Err)
			}
		})
	}
	waitFor(t, func() bool { return now.Load() == 2 })
	for range 20 {
		if a := score([]byte(`{"test":"sum","views":[3]}`)); a.Result.Err != nil {
			t.Errorf("small: %v", a.Result.Err)
		}
	}
	close(hold)
	all.Wait()
	if most.Load() != 2 {
		t.Errorf("got %d large samples at a time; want 2", most.Load())
	}
	waitFor(t, func() bool { return cfg.Memory.Held() == 0 })
}

// A large sample without readers leaves the backlog, and one that can never fit into memory
// is refused with the flag's name.
func TestLargeLeaves(t *testing.T) {
	hold := make(chan struct{})
	e := &queuetest.Engine{Prepare: func(float64) { <-hold }}
	weight := queue.MemoryNeeded(largeItem("7"))
	cfg := queuetest.Config(e, queuetest.Suite{})
	cfg.Workers, cfg.Memory = 8, memory.New("--max-memory", weight+weight/2, weight+weight/2)
	q := queue.New(cfg)
	defer q.Close()
	first := make(chan queue.Answer)
	go func() {
		a, _ := q.Score(t.Context(), dump.Line{Number: 1, Bytes: largeItem("7")}, &queue.Options{})
		first <- a
	}()
	waitFor(t, func() bool { return cfg.Memory.Held() > 0 })
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() {
		_, err := q.Score(ctx, dump.Line{Number: 1, Bytes: largeItem("8")}, &queue.Options{})
		second <- err
	}()
	waitFor(t, func() bool { return q.Depth() == 2 })
	cancel()
	if err := <-second; err != context.Canceled {
		t.Errorf("got %v; want context.Canceled", err)
	}
	close(hold)
	if a := <-first; a.Result.Err != nil || a.Result.Score != 7 {
		t.Errorf("got %+v; want 7", a.Result)
	}
	long := []byte(`{"test":"sum","pad":[` + strings.Repeat("1,", 2_000_000) + `1]}`)
	a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: long}, &queue.Options{})
	if err != nil || a.Result.Err == nil || a.Result.Err.Code != "too_large" || !strings.Contains(a.Result.Err.Message, "--max-memory") {
		t.Errorf("got %v, %+v; want too_large and the flag", err, a.Result.Err)
	}
	waitFor(t, func() bool { return cfg.Memory.Held() == 0 })
}

// waitFor waits for what other goroutines do.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for i := 0; !ok(); i++ {
		if time.Sleep(time.Millisecond); i > 60_000 {
			t.Fatal("waited in vain")
		}
	}
}

// A sample that turns out to be large while it is prepared becomes one of those that
// wait for memory, and has the same result; where there will never be enough, it is
// refused.
func TestSpill(t *testing.T) {
	for _, c := range []struct {
		memory int64
		code   string
	}{{1 << 30, ""}, {100 << 20, "too_large"}} {
		e := &queuetest.Engine{Large: func(w float64) bool { return w == 9 }}
		cfg := queuetest.Config(e, queuetest.Suite{})
		cfg.Memory = memory.New("--max-memory", c.memory, c.memory)
		q := queue.New(cfg)
		lines := []string{`{"id":"a","test":"sum","views":[1]}`, `{"id":"b","test":"sum","views":[9,2]}`, `{"id":"c","test":"sum","views":[2,9]}`, `{"id":"d","test":"sum","views":[4]}`}
		want := []float64{1, 11, 11, 4}
		for i, got := range run(t, q, lines) {
			_, code, score := queuetest.Line([]byte(got))
			if c.code != "" && i%3 != 0 {
				if code != c.code || !strings.Contains(got, "--max-memory") {
					t.Errorf("%s: got %s; want %s and the flag", lines[i], got, c.code)
				}
				continue
			}
			if score != want[i] || code != "" {
				t.Errorf("%s: got %s; want %v", lines[i], got, want[i])
			}
		}
		q.Close()
		if n, held := e.Alive.Load(), cfg.Memory.Held(); n != 0 || held != 0 {
			t.Errorf("%d pictures were not released, %d bytes are held", n, held)
		}
	}
}

// What a line says of its sample's memory is not believed of the coverage: a large sample
// that touches too many pixels gets more memory. So does a picture, from the share of the
// client whose memory the caller holds.
func TestSpillTakesMore(t *testing.T) {
	const size, share = 2 << 30, 500 << 20
	var cfg queue.Config
	var least, most atomic.Int64
	least.Store(size)
	e := &queuetest.Engine{Large: func(w float64) bool { return w == 9 }, Prepare: func(float64) {
		least.Store(min(least.Load(), cfg.Memory.Held()))
		most.Store(max(most.Load(), cfg.Memory.Held()))
	}}
	cfg = queuetest.Config(e, queuetest.Suite{})
	cfg.Memory = memory.New("--max-memory", size, share)
	q := queue.New(cfg)
	defer q.Close()
	a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: largeItem("9")}, &queue.Options{Client: "a"})
	if err != nil || a.Result.Score != 9 || least.Load() < 400<<20 {
		t.Errorf("got %v, %v with %d bytes held; want 9 with 400 MiB", a.Result.Score, err, least.Load())
	}
	var all sync.WaitGroup
	for range 3 { // one fits, beside what it held before
		all.Go(func() {
			held := cfg.Memory.Hold("a")
			defer held.Close()
			held.Try(150 << 20)
			_, err := q.Draw(t.Context(), held, func() (view.View, error) { return view.View{Bounds: view.Box{W: 9, H: 1}}, nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() > share {
		t.Errorf("got %d bytes held for one client; want at most %d", most.Load(), share)
	}
	waitFor(t, func() bool { return cfg.Memory.Held() == 0 })
}

// A large sample is prepared when another user of the pool releases memory.
func TestLargeFreed(t *testing.T) {
	weight := queue.MemoryNeeded(largeItem("7"))
	cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
	cfg.Memory, cfg.Deadline = memory.New("--max-memory", weight, weight), time.Hour
	q := queue.New(cfg)
	defer q.Close()
	other := cfg.Memory.Hold("other")
	other.Try(weight)
	done := make(chan error)
	go func() {
		a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: largeItem("7")}, &queue.Options{})
		if err == nil && a.Result.Err != nil {
			err = a.Result.Err
		}
		done <- err
	}()
	waitFor(t, func() bool { return q.Depth() == 1 })
	time.Sleep(50 * time.Millisecond) // until it waits
	other.Close()
	q.MemoryFreed()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A large sample whose tiles take more than its line let expect is scored, whether there is more memory or not,
// and gives back all of it.
func TestLargerThanItsLine(t *testing.T) {
	const width = "9000000" // also its work, in rows of tiles
	weight := queue.MemoryNeeded(largeItem(width))
	for _, size := range []int64{weight, weight + 1<<20, 1 << 30} {
		cfg := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
		cfg.Memory = memory.New("--max-memory", size, size)
		q := queue.New(cfg)
		for range 2 {
			a, err := q.Score(t.Context(), dump.Line{Number: 1, Bytes: largeItem(width)}, &queue.Options{})
			if err != nil || a.Result.Err != nil || a.Result.Score != 9_000_000 {
				t.Errorf("%d bytes: got %v, %v, %v; want 9000000", size, a.Result.Score, a.Result.Err, err)
			}
		}
		q.Close()
		if held := cfg.Memory.Held(); held != 0 {
			t.Errorf("%d bytes: %d are held at the end", size, held)
		}
	}
}

// gate is an engine whose drawers are made only after open, once it is armed.
type gate struct {
	*queuetest.Engine
	armed   atomic.Bool
	entered chan struct{}
	open    chan struct{}
}

func (g *gate) Drawer() queue.Drawer {
	if g.armed.Load() {
		g.entered <- struct{}{}
		<-g.open
	}
	return g.Engine.Drawer()
}

// A large sample that was given up while it waited for memory is not joined by a later
// reader, for whom there would be no memory.
func TestLargeGivenUp(t *testing.T) {
	var free, early atomic.Bool
	g := &gate{entered: make(chan struct{}), open: make(chan struct{})}
	g.Engine = &queuetest.Engine{Prepare: func(float64) {
		if !free.Load() {
			early.Store(true)
		}
	}}
	weight := queue.MemoryNeeded(largeItem("7"))
	cfg := queuetest.Config(g.Engine, queuetest.Suite{})
	cfg.Engine, cfg.Workers, cfg.Deadline = g, 1, time.Hour
	cfg.Memory = memory.New("--max-memory", weight, weight)
	q := queue.New(cfg)
	defer q.Close()
	other := cfg.Memory.Hold("other")
	other.Try(weight)
	score := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := q.Score(ctx, dump.Line{Number: 1, Bytes: largeItem("7")}, &queue.Options{})
			done <- err
		}()
		waitFor(t, func() bool { return q.Depth() == 1 })
		time.Sleep(50 * time.Millisecond) // until it waits
		return done
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := score(ctx)
	g.armed.Store(true)
	cancel()
	<-first
	<-g.entered
	g.armed.Store(false)
	second := score(t.Context())
	close(g.open)
	time.Sleep(50 * time.Millisecond) // until it waits, or is prepared too early
	free.Store(true)
	other.Close()
	q.MemoryFreed()
	if err := <-second; err != nil || early.Load() {
		t.Errorf("got %v, prepared without memory: %v; want neither", err, early.Load())
	}
}
