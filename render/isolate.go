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

// quarantine remembers views over which the device was lost, by hash. The CPU
// twin evaluates them from then on, with the same sums, so that a view which
// kills a driver kills it once. The zero value is ready.
type quarantine struct {
	size atomic.Int32 // of hashes: while it is 0 nothing is hashed

	mu     sync.RWMutex // guards the rest
	hashes map[uint64]bool
	order  []uint64 // oldest first
	total  int64
}

// most is how many views a quarantine holds; the oldest leaves for the newest.
const most = 1024

// mark marks those of the drawings that are in quarantine for the twin.
func (q *quarantine) mark(ts []*batch.Tiled) {
	if q.size.Load() == 0 {
		return
	}
	for _, t := range ts {
		if !t.Twin {
			h := t.Hash(seed())
			q.mu.RLock()
			if q.hashes[h] { // no write where there is nothing to say: it may be shared
				t.Twin = true
			}
			q.mu.RUnlock()
		}
	}
}

// add puts a drawing into quarantine and marks it.
func (q *quarantine) add(t *batch.Tiled) {
	t.Twin = true
	h := t.Hash(seed())
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.hashes[h] {
		return
	}
	if q.hashes == nil {
		q.hashes = map[uint64]bool{}
	}
	if len(q.order) == most {
		delete(q.hashes, q.order[0])
		q.order = q.order[:copy(q.order, q.order[1:])]
	}
	q.hashes[h], q.order = true, append(q.order, h)
	q.total++
	q.size.Store(int32(len(q.order)))
}

func (q *quarantine) count() int64 {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.total
}

// seed is the process's own, so that a client cannot make views with equal hashes.
var seed = sync.OnceValue(maphash.MakeSeed)

// job is what a call asks of the stage: sums or pixels of its batch.
type job func(c *call) (gpu.Timing, error)

func (e *Engine) sums(c *call) (g gpu.Timing, err error) {
	c.rows, g, err = e.stage.Sums(c.rows[:0], &c.batch)
	return g, err
}

func (e *Engine) pixels(c *call) (g gpu.Timing, err error) {
	c.pixels, g, err = e.stage.Pixels(&c.batch)
	return g, err
}

// run has a job done, beside those of others. Where the device is lost over it,
// and lost again in the stage's second try, the views that are to blame are found
// and the job is done without them on the device.
func (e *Engine) run(c *call, do job) (gpu.Timing, error) {
	e.gate.RLock()
	g, err := do(c)
	e.gate.RUnlock()
	if !blamed(err) || !e.isolate(c.tileds, do) {
		return g, err
	}
	c.batch.Pack(c.tileds)
	return e.alone(c, do)
}

// blamed reports whether an error may be the fault of a view: the device was
// lost, and came back.
func blamed(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) && !errors.Is(err, gpu.ErrDead)
}

// alone has a job done with nothing else on the device.
func (e *Engine) alone(c *call, do job) (gpu.Timing, error) {
	e.gate.Lock()
	defer e.gate.Unlock()
	return do(c)
}

// suspects is how many views of one batch are tried until they lose the device:
// each may cost twice the watchdog's time, which all others wait for.
const suspects = 2

// isolate tries views one by one. Those over which the device is lost again, while
// a drawing that is known to be sound does well, go into quarantine. It returns
// false where the device itself is at fault.
func (e *Engine) isolate(ts []*batch.Tiled, do job) bool {
	e.heart.once.Do(e.heart.golden)
	found := 0
	for i, t := range ts {
		if t.Twin {
			continue
		}
		err := e.single(t, do)
		if err == nil {
			continue
		}
		if !blamed(err) || e.single(e.heart.tiled, do) != nil {
			return false
		}
		e.quarantine.add(t)
		slog.Warn("a view that loses the GL context is left to the CPU from now on", "width", t.Width, "height", t.Height, "work", t.Work(), "error", err)
		if found++; found == suspects {
			for _, rest := range ts[i+1:] {
				rest.Twin = true // this once
			}
		}
	}
	return true
}

// single has a job done for one view.
func (e *Engine) single(t *batch.Tiled, do job) error {
	c := e.calls.Get().(*call)
	defer e.release(c)
	c.tileds = append(c.tileds[:0], t)
	c.batch.Pack(c.tileds)
	_, err := e.alone(c, do)
	return err
}
