package gpu

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"plumb/render/batch"
)

// Runner runs batches on one device. Its methods may be called from any
// goroutine; all GL work happens on the device's own thread.
type Runner struct {
	cfg Config

	// opening is held while a context is replaced, which takes a while. It is
	// taken before mu.
	opening sync.Mutex

	mu          sync.Mutex // guards what follows; never held during GL work
	eng         *engine    // nil while there is none
	last        Info       // of the newest context
	resets      int
	hangs       int       // of resets
	failedTries int       // tries since a context was open
	lastError   error     // of the last try
	lastTry     time.Time // of the last try
	closed      bool
}

// maxOpenTries is how often in a row a context may fail to open before the Runner is
// dead, and openRetryPause the time between two tries.
const (
	maxOpenTries   = 3
	openRetryPause = 500 * time.Millisecond
)

// Open opens the device, compiles the tile stage and runs it once. Errors wrap
// egl.ErrNoDevice or egl.ErrAmbiguous where no context opens.
func Open(cfg Config) (*Runner, error) {
	if err := loadFaults(); err != nil {
		return nil, err
	}
	r := &Runner{cfg: cfg.withDefaults()}
	e, err := openEngine(r.cfg, startLimit)
	if err != nil {
		return nil, err
	}
	r.eng, r.last = e, e.info()
	return r, nil
}

// Info describes the device, its limits and the contexts lost so far.
func (r *Runner) Info() Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.last
	i.Resets, i.Hangs = r.resets, r.hangs
	if r.eng != nil {
		i.Memory = r.eng.memory.Load()
	}
	return i
}

// Totals returns the sums of the timings of all batches so far.
func (r *Runner) Totals() Totals { return r.cfg.Stats.Totals() }

// Ready returns nil if a context is open, and never waits. If the last one was lost and could not
// be replaced, it starts another try in the background, because callers that wait for readiness
// send no batches that would. Errors wrap ErrClosed, or ErrDeviceLost and, once enough tries have
// failed, ErrDead.
func (r *Runner) Ready() error {
	e, next, err := r.state()
	if e != nil || errors.Is(err, ErrClosed) {
		return err
	}
	if time.Now().After(next) && r.opening.TryLock() {
		go func() {
			defer r.opening.Unlock()
			r.currentOrReopen() // the next call of Ready returns its error
		}()
	}
	if err == nil {
		err = fmt.Errorf("cannot use the device now: %w: its context is being replaced", ErrDeviceLost)
	}
	return err
}

// Close ends the Runner and its device. Batches in flight fail.
func (r *Runner) Close() error {
	r.mu.Lock()
	e := r.eng
	r.closed, r.eng = true, nil
	r.mu.Unlock()
	if e == nil {
		return nil
	}
	return e.close()
}

// Ticket is a batch in flight. Exactly one Wait must follow each Ticket.
type Ticket struct{ work *work }

// Timing returns the timing of the batch. It is complete after Wait.
func (t Ticket) Timing() Timing { return t.work.timing }

// Submit uploads and queues a batch and returns while the device works, where
// the driver lets it. It waits while all Slots are taken, so hold fewer Tickets
// than Config.Slots before the next Submit. The batch must not change until
// Wait. Errors wrap ErrCapacity, ErrDeviceLost or ErrClosed.
func (r *Runner) Submit(b *batch.Batch) (Ticket, error) {
	w := &work{batch: b}
	return Ticket{w}, r.send(w)
}

// Wait returns the row sums of a batch: TileH for each of the runs [0, b.Shader),
// in their order. The CPU twin evaluates the others; the result has the capacity
// for them.
func (r *Runner) Wait(t Ticket) ([]batch.RowSums, error) { return r.WaitInto(nil, t) }

// WaitInto is Wait with the result in dst where it is large enough.
func (r *Runner) WaitInto(dst []batch.RowSums, t Ticket) ([]batch.RowSums, error) {
	if err := r.receive(t.work, dst); err != nil {
		return nil, err
	}
	return t.work.rows, nil
}

// Run evaluates a batch on the device and waits for its row sums: Submit and Wait.
func (r *Runner) Run(b *batch.Batch) ([]batch.RowSums, error) {
	t, err := r.Submit(b)
	if err != nil {
		return nil, err
	}
	return r.Wait(t)
}

// SubmitPictures is Submit for pictures, which WaitPixels returns: RGBA8, red in the lowest byte,
// not premultiplied, row 0 on top, each picture at its offset. It draws the runs [0, b.Shader)
// only; other pixels are zero until the caller adds interiors (b.FillSolids) and the CPU twin's
// runs.
func (r *Runner) SubmitPictures(b *batch.Batch) (Ticket, error) {
	w := &work{batch: b, picture: true}
	return Ticket{w}, r.send(w)
}

// WaitPixels waits for the pictures of a batch that SubmitPictures has sent.
func (r *Runner) WaitPixels(t Ticket) ([]uint32, error) {
	if err := r.receive(t.work, nil); err != nil {
		return nil, err
	}
	return t.work.pixels, nil
}

// Pictures draws the pictures of a batch on the device and waits for them.
func (r *Runner) Pictures(b *batch.Batch) ([]uint32, error) {
	t, err := r.SubmitPictures(b)
	if err != nil {
		return nil, err
	}
	return r.WaitPixels(t)
}

// send starts a batch on the device: once more, on a new context, if the first is lost.
func (r *Runner) send(w *work) error {
	e, err := r.engine()
	if err != nil {
		return err
	}
	return r.retry(w, w.start(e))
}

// receive waits for a batch on the device and stores its row sums in dst. dst is unused if the
// batch was split, because its first parts are already in other memory.
func (r *Runner) receive(w *work, dst []batch.RowSums) error {
	w.dst = dst
	for !w.done { // false after a finish that was lost: retry has started it again
		if err := r.retry(w, w.finish()); err != nil {
			return err
		}
	}
	return nil
}

// retry handles err, the result of a step of batch w: after a loss it replaces the context and starts the
// batch again, but only once for each batch. Other errors, and nil, it returns unchanged.
func (r *Runner) retry(w *work, err error) error {
	for isLost(err) {
		e, rerr := r.replace(w.engine, isHung(err))
		if errors.Is(rerr, ErrClosed) {
			return rerr
		}
		if rerr != nil {
			return fmt.Errorf("%w; lost by: %w", rerr, err)
		}
		if w.retried {
			return fmt.Errorf("cannot run batch of %d runs: %w twice: %w", len(w.batch.Runs), ErrDeviceLost, err)
		}
		w.retried = true
		err = w.start(e)
	}
	return err
}

// engine returns the open context. After a replacement that failed it tries to open one, unless the last try
// was a moment ago.
func (r *Runner) engine() (*engine, error) {
	if e, _, err := r.state(); e != nil || errors.Is(err, ErrClosed) {
		return e, err
	}
	r.opening.Lock()
	defer r.opening.Unlock()
	return r.currentOrReopen()
}

// state returns the engine with an open OpenGL context, else the earliest time of the next try and
// the error of the last one.
func (r *Runner) state() (*engine, time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return nil, time.Time{}, ErrClosed
	case r.eng != nil:
		return r.eng, time.Time{}, nil
	}
	return nil, r.lastTry.Add(openRetryPause), r.lastError
}

// currentOrReopen returns the open context or tries to open one, unless the last try was less than
// openRetryPause ago. The caller holds r.opening.
func (r *Runner) currentOrReopen() (*engine, error) {
	e, next, err := r.state()
	if e != nil || errors.Is(err, ErrClosed) || err != nil && time.Now().Before(next) {
		return e, err
	}
	return r.reopen()
}

// replace closes the lost context old and returns another one, which may be open already. It tries until one
// opens or the Runner counts as dead, because everything in flight would fail otherwise. hung says that old
// was given up because its device did not respond. A lost context is counted once.
func (r *Runner) replace(old *engine, hung bool) (*engine, error) {
	r.opening.Lock()
	defer r.opening.Unlock()
	engine, _, err := r.state()
	if errors.Is(err, ErrClosed) {
		return nil, err
	}
	if engine != nil && engine != old {
		return engine, nil // another batch of the lost context came first
	}
	if engine != nil {
		r.mu.Lock()
		r.eng = nil
		r.resets++
		if hung {
			r.hangs++
		}
		r.mu.Unlock()
		old.close() // its errors say nothing new: it is lost
	} else if err != nil {
		return r.currentOrReopen() // the tries for the lost context were all made
	}
	for {
		engine, err = r.reopen()
		if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrDead) {
			return engine, err
		}
		time.Sleep(openRetryPause)
	}
}

// reopen tries once to open a context on the same device and makes it the current one; an error is kept for
// state, and after maxOpenTries in a row it wraps ErrDead. A different device is refused, because its results
// might differ in bits. The caller holds r.opening.
func (r *Runner) reopen() (*engine, error) {
	engine, err := openEngine(r.cfg, reopenLimit)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && engine.info().Renderer != r.last.Renderer {
		err = fmt.Errorf("cannot go on with %s: it was %s", engine.info().Renderer, r.last.Renderer)
		go engine.close()
	}
	if err == nil && r.closed {
		go engine.close()
	}
	if r.closed {
		return nil, ErrClosed
	}
	if err != nil {
		r.failedTries, r.lastTry = r.failedTries+1, time.Now()
		r.lastError = fmt.Errorf("cannot replace context: %w: %w", ErrDeviceLost, err)
		if r.failedTries >= maxOpenTries {
			r.lastError = fmt.Errorf("cannot replace context in %d tries: %w: %w: %w",
				r.failedTries, ErrDead, ErrDeviceLost, err)
		}
		return nil, r.lastError
	}
	r.eng = engine
	r.last = engine.info()
	r.failedTries = 0
	r.lastError = nil
	return engine, nil
}
