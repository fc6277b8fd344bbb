package render

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"plumb/render/batch"
	"plumb/render/gpu"
	"plumb/render/metric"
)

// The drawing's tally is pinned: the twin and the shaders could go wrong alike.
// Set B is an ellipse of 30 corners, 60 and 30 px in radius: 900 * 30 * sin(12
// degrees) = 5613.7 px around (75, 35).
func TestHeartbeat(t *testing.T) {
	want := metric.Tally{
		A:    metric.Sums{Alpha: 1600773, AlphaX: 109723068, AlphaY: 56106583, Covered: 7285},
		B:    metric.Sums{Alpha: 1431456, AlphaX: 106643472, AlphaY: 49385232, Covered: 5768},
		Both: 5190,
	}
	for _, backend := range []string{BackendGL, BackendCPU} {
		e := open(t, backend)
		if err := e.Heartbeat(t.Context()); err != nil {
			t.Errorf("%s: %v", backend, err)
		}
		if e.heartbeat.want != want {
			t.Errorf("%s: golden tally %+v; want %+v", backend, e.heartbeat.want, want)
		}
	}
}

// broken is a stage that gets one row wrong.
type broken struct{ stage }

func (s broken) Sums(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, gpu.Timing, error) {
	rows, g, err := s.stage.Sums(dst, b)
	rows[len(rows)/2].AX0++
	return rows, g, err
}

// held is a stage that waits to be let go.
type held struct {
	stage
	began chan struct{}
	gate  chan struct{}
}

func (s held) Sums(dst []batch.RowSums, b *batch.Batch) ([]batch.RowSums, gpu.Timing, error) {
	s.began <- struct{}{}
	<-s.gate
	return s.stage.Sums(dst, b)
}

func TestHeartbeatSeesAWrongSum(t *testing.T) {
	e := open(t, BackendCPU)
	e.stage = broken{e.stage}
	if err := e.Heartbeat(t.Context()); err == nil {
		t.Error("a device that sums wrongly has a heartbeat")
	}
}

// A device that is silent has none, and however many ask, one batch is waiting.
func TestHeartbeatIsBounded(t *testing.T) {
	e := open(t, BackendCPU)
	h := held{e.stage, make(chan struct{}, 100), make(chan struct{})}
	e.stage = h
	first := make(chan error)
	go func() { first <- e.Heartbeat(t.Context()) }()
	<-h.began
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := e.Heartbeat(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v; want the deadline", err)
			}
		})
	}
	wg.Wait()
	if n := len(h.began); n != 0 {
		t.Errorf("%d batches more while one is waited for", n)
	}
	close(h.gate)
	if err := <-first; err != nil {
		t.Errorf("the one that could wait: %v", err)
	}
	if err := e.Heartbeat(t.Context()); err != nil {
		t.Errorf("once it answers again: %v", err)
	}
}

func BenchmarkHeartbeat(b *testing.B) {
	e := open(b, BackendGL)
	for b.Loop() {
		if err := e.Heartbeat(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
