package render

import (
	"context"
	"fmt"
	"sync"

	"plumb/render/batch"
	"plumb/render/cpu"
	"plumb/render/metric"
)

// heartbeat holds the drawing that heartbeats measure, and its expected tally.
type heartbeat struct {
	once  sync.Once
	tiled *batch.Tiled
	want  metric.Tally

	mu      sync.Mutex    // guards what follows
	current *heartbeatRun // under way; nil for none
}

// heartbeatRun is one heartbeat in flight; err may be read once done is closed.
type heartbeatRun struct {
	done chan struct{}
	err  error
}

// prepareReference tiles the drawing that heartbeats measure, and computes the tally that they must
// get with the Go twin of the shader.
func (h *heartbeat) prepareReference() {
	h.tiled = new(batch.Tiled)
	new(batch.Binner).Bin(selfTestDrawing(), h.tiled)
	var b batch.Batch
	b.Pack([]*batch.Tiled{h.tiled})
	rows := make([]batch.RowSums, len(b.Runs)*batch.TileH)
	cpu.Rows(&b, 0, len(b.Runs), rows)
	h.want = b.Tallies(nil, rows)[0]
}

// Heartbeat measures the drawing of the self-test like any batch, and compares its tally with that
// of the Go twin: nil says that the device answers correctly. It takes well under a millisecond of
// the device. It waits no longer than ctx; a heartbeat that takes longer goes on, and the next
// call waits for it instead of starting another. A lost context is replaced as for any batch, so
// the deadline must exceed the watchdog's time if a hang is to be survived. Errors wrap that of
// ctx, or those of Measure.
func (e *Engine) Heartbeat(ctx context.Context) error {
	h := &e.heartbeat
	h.once.Do(h.prepareReference)
	h.mu.Lock()
	run := h.current
	if run == nil {
		run = &heartbeatRun{done: make(chan struct{})}
		h.current = run
		go e.runHeartbeat(run)
	}
	h.mu.Unlock()
	select {
	case <-run.done:
		return run.err
	case <-ctx.Done():
		return fmt.Errorf("cannot finish heartbeat: the device has not answered: %w", ctx.Err())
	}
}

// runHeartbeat measures the reference drawing, compares its tally with the expected one and stores
// the error in run. It then closes run.done, which wakes the calls that wait for it; the next call of
// Heartbeat starts a new one.
func (e *Engine) runHeartbeat(run *heartbeatRun) {
	h := &e.heartbeat
	got, err := e.Measure(nil, []*Prepared{{engine: e, tiled: h.tiled}})
	switch {
	case err != nil:
		run.err = fmt.Errorf("cannot finish heartbeat: %w", err)
	case got[0] != h.want:
		run.err = fmt.Errorf("heartbeat failed: got %+v; want %+v", got[0], h.want)
	}
	h.mu.Lock()
	h.current = nil
	h.mu.Unlock()
	close(run.done)
}
