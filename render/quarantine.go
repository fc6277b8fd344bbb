package render

import (
	"errors"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"

	"plumb/render/batch"
	"plumb/render/gpu"
)

// quarantine holds the hashes of views over which the device was lost. The CPU twin evaluates
// these views from then on, with the same sums, so that such a view costs only one loss. Should another
// view have the same hash, it too is left to the twin, which changes no result. The zero value is ready.
type quarantine struct {
	size atomic.Int32 // of hashes: while it is 0 nothing is hashed

	mu     sync.RWMutex // guards the rest
	hashes map[uint64]bool
	order  []uint64 // oldest first
	total  int64
}

// maxQuarantined is the capacity of a quarantine; the oldest view is removed for a new one.
const maxQuarantined = 1024

// markCPUOnly sets CPUOnly in the drawings that are in quarantine, so that the CPU twin evaluates them and
// they do not reach the device. The others stay as they are.
func (q *quarantine) markCPUOnly(ts []*batch.Tiled) {
	if q.size.Load() == 0 {
		return
	}
	for _, t := range ts {
		if !t.CPUOnly {
			h := t.Hash(hashSeed())
			q.mu.RLock()
			if q.hashes[h] { // write only where needed: other calls may read the same drawing
				t.CPUOnly = true
			}
			q.mu.RUnlock()
		}
	}
}

// add sets CPUOnly in a drawing and puts its hash into quarantine, in place of the oldest one if the
// quarantine is full.
func (q *quarantine) add(t *batch.Tiled) {
	t.CPUOnly = true
	h := t.Hash(hashSeed())
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.hashes[h] {
		return
	}
	if q.hashes == nil {
		q.hashes = map[uint64]bool{}
	}
	if len(q.order) == maxQuarantined {
		delete(q.hashes, q.order[0])
		q.order = q.order[:copy(q.order, q.order[1:])] // without the first
	}
	q.hashes[h], q.order = true, append(q.order, h)
	q.total++
	q.size.Store(int32(len(q.order)))
}

// count returns how many views were quarantined so far.
func (q *quarantine) count() int64 {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.total
}

// hashSeed is random for each process, so that a client cannot make views with equal hashes.
var hashSeed = sync.OnceValue(maphash.MakeSeed)

// stageJob evaluates the batch on the device or the CPU: sums or pixels.
type stageJob func(packed *packedBatch) (gpu.Timing, error)

// evaluateSums is the stageJob for sums.
func (e *Engine) evaluateSums(packed *packedBatch) (g gpu.Timing, err error) {
	packed.rows, g, err = e.stage.Sums(packed.rows[:0], &packed.batch)
	return g, err
}

// evaluatePixels is the stageJob for pixels.
func (e *Engine) evaluatePixels(packed *packedBatch) (g gpu.Timing, err error) {
	packed.pixels, g, err = e.stage.Pixels(&packed.batch)
	return g, err
}

// runQuarantining evaluates the batch, concurrently with others: do is evaluateSums or
// evaluatePixels. If that loses the device (the runner has then tried the batch twice), it looks for the
// views that cause the loss and puts them into quarantine. Then the batch runs once more, with those views
// on the CPU.
func (e *Engine) runQuarantining(packed *packedBatch, do stageJob) (gpu.Timing, error) {
	e.gate.RLock() // shared: tests of single views, which need the device alone, wait for it
	timing, err := do(packed)
	e.gate.RUnlock()
	if !blamesView(err) || !e.quarantineCulprits(packed.tiledViews, do) {
		return timing, err
	}
	packed.batch.Pack(packed.tiledViews) // again: views in quarantine are marked now
	return e.runExclusively(packed, do)
}

// blamesView reports whether an error may be caused by a view: the device was lost, but came back.
func blamesView(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) && !errors.Is(err, gpu.ErrDead)
}

// runExclusively evaluates the batch while nothing else is on the device, so that a loss
// can only come from that batch.
func (e *Engine) runExclusively(packed *packedBatch, do stageJob) (gpu.Timing, error) {
	e.gate.Lock()
	defer e.gate.Unlock()
	return do(packed)
}

// maxCulprits is how many views of one batch are tested until they lose the device: each may cost
// twice the watchdog's time, for which all others wait.
const maxCulprits = 2

// quarantineCulprits evaluates the views of a batch that lost the device one by one. A view that loses
// it again is put into quarantine, if the drawing of heartbeats, which is known to work, still runs after
// it. After maxCulprits of them the rest of the batch goes to the CPU untested, this once. It returns
// false if the device itself is at fault.
func (e *Engine) quarantineCulprits(ts []*batch.Tiled, do stageJob) bool {
	e.heartbeat.once.Do(e.heartbeat.prepareReference)
	found := 0
	for i, t := range ts {
		if t.CPUOnly { // never on the device
			continue
		}
		err := e.tryView(t, do)
		if err == nil {
			continue
		}
		if !blamesView(err) || e.tryView(e.heartbeat.tiled, do) != nil { // the device is at fault
			return false
		}
		e.quarantine.add(t)
		slog.Warn("a view that loses the GL context is left to the CPU from now on",
			"width", t.Width, "height", t.Height, "work", t.Work(), "error", err)
		found++
		if found == maxCulprits {
			for _, rest := range ts[i+1:] {
				rest.CPUOnly = true // this once: they are not in quarantine
			}
		}
	}
	return true
}

// tryView evaluates a batch of one view, alone on the device, and returns its error: whether the
// view loses the device. quarantineCulprits calls it after a batch lost the device twice. The sums
// or pixels and the timing are dropped, because the whole batch runs again afterwards.
func (e *Engine) tryView(t *batch.Tiled, do stageJob) error {
	packed := e.packedBatches.Get().(*packedBatch)
	defer e.release(packed)
	packed.tiledViews = append(packed.tiledViews[:0], t)
	packed.batch.Pack(packed.tiledViews)
	_, err := e.runExclusively(packed, do)
	return err
}
