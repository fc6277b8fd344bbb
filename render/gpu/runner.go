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
	current     *engine    // nil while there is none
	lastInfo    Info       // of the newest context
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
	runner := &Runner{cfg: cfg.withDefaults()}
	engine, err := openEngine(runner.cfg, startLimit)
	if err != nil {
		return nil, err
	}
	runner.current, runner.lastInfo = engine, engine.info()
	return runner, nil
}

// Info returns the description of the device and its limits, how many contexts were lost or hung so
// far, and the device memory in use.
func (runner *Runner) Info() Info {
	runner.mu.Lock()
	defer runner.mu.Unlock()
	i := runner.lastInfo
	i.Resets, i.Hangs = runner.resets, runner.hangs
	if runner.current != nil {
		i.Memory = runner.current.memory.Load()
	}
	return i
}

// Totals returns the sums of the timings of all batches so far.
func (runner *Runner) Totals() Totals { return runner.cfg.Stats.Totals() }

// Ready returns nil if a context is open, and never waits. If the last one was lost and could not
// be replaced, it starts another try in the background, because callers that wait for readiness
// send no batches that would. Errors wrap ErrClosed, or ErrDeviceLost and, once enough tries have
// failed, ErrDead.
func (runner *Runner) Ready() error {
	e, nextTry, err := runner.state()
	if e != nil || errors.Is(err, ErrClosed) {
		return err
	}
	if time.Now().After(nextTry) && runner.opening.TryLock() {
		go func() {
			defer runner.opening.Unlock()
			runner.currentOrReopen() // the next call of Ready returns its error
		}()
	}
	if err == nil {
		err = fmt.Errorf("cannot use the device now: %w: its context is being replaced", ErrDeviceLost)
	}
	return err
}

// Close closes the device. Batches in flight fail, and so do all later ones.
func (runner *Runner) Close() error {
	runner.mu.Lock()
	engine := runner.current
	runner.closed, runner.current = true, nil
	runner.mu.Unlock()
	if engine == nil {
		return nil
	}
	return engine.close()
}

// Ticket is a batch in flight. Exactly one Wait must follow each Ticket.
type Ticket struct{ work *work }

// Timing returns the timing of the batch. It is complete after Wait.
func (t Ticket) Timing() Timing { return t.work.timing }

// Submit uploads and queues a batch and returns while the device works, where
// the driver lets it. It waits while all Slots are taken, so hold fewer Tickets
// than Config.Slots before the next Submit. The batch must not change until
// Wait. Errors wrap ErrCapacity, ErrDeviceLost or ErrClosed.
func (runner *Runner) Submit(b *batch.Batch) (Ticket, error) {
	w := &work{batch: b}
	return Ticket{w}, runner.send(w)
}

// Wait returns the row sums of a batch: TileH for each of its first ShaderRuns() runs,
// in their order. The CPU twin evaluates the others; the result has the capacity
// for them.
func (runner *Runner) Wait(t Ticket) ([]batch.RowSums, error) { return runner.WaitInto(nil, t) }

// WaitInto waits for a batch and returns its rows, as Wait does, in the memory of dst if that is large
// enough, so that callers can use their memory again.
func (runner *Runner) WaitInto(dst []batch.RowSums, ticket Ticket) ([]batch.RowSums, error) {
	if err := runner.receive(ticket.work, dst); err != nil {
		return nil, err
	}
	return ticket.work.rows, nil
}

// Run evaluates a batch on the device and waits for its row sums: Submit and Wait.
func (runner *Runner) Run(b *batch.Batch) ([]batch.RowSums, error) {
	ticket, err := runner.Submit(b)
	if err != nil {
		return nil, err
	}
	return runner.Wait(ticket)
}

// SubmitPictures is Submit for pictures, which WaitPixels returns: RGBA8, red in the lowest byte,
// not premultiplied, row 0 on top, each picture at its offset. It draws the first b.ShaderRuns()
// runs only; other pixels are zero until the caller adds interiors (b.FillSolids) and the CPU
// twin's runs.
func (runner *Runner) SubmitPictures(b *batch.Batch) (Ticket, error) {
	w := &work{batch: b, isPicture: true}
	return Ticket{w}, runner.send(w)
}

// WaitPixels waits for the pictures of a batch that SubmitPictures has sent.
func (runner *Runner) WaitPixels(ticket Ticket) ([]uint32, error) {
	if err := runner.receive(ticket.work, nil); err != nil {
		return nil, err
	}
	return ticket.work.pixels, nil
}

// Pictures draws the pictures of a batch on the device and waits for them.
func (runner *Runner) Pictures(b *batch.Batch) ([]uint32, error) {
	ticket, err := runner.SubmitPictures(b)
	if err != nil {
		return nil, err
	}
	return runner.WaitPixels(ticket)
}

// send starts a batch on the device: once more, on a new context, if the first is lost.
func (runner *Runner) send(work *work) error {
	engine, err := runner.engine()
	if err != nil {
		return err
	}
	return runner.retry(work, work.start(engine))
}

// receive waits for a batch on the device and stores its row sums in dst if that is large enough and the
// batch was not split: of a split batch the first parts may be in other memory already.
func (runner *Runner) receive(w *work, dst []batch.RowSums) error {
	w.dst = dst
	for !w.done { // still false if the context was lost: then retry has started the batch again
		if err := runner.retry(w, w.finish()); err != nil {
			return err
		}
	}
	return nil
}

// retry handles err, the result of starting or finishing a batch: if the context was lost, it replaces the
// context and starts the batch again, but only once for each batch. Other errors, and nil, it returns unchanged.
func (runner *Runner) retry(work *work, err error) error {
	for isLost(err) {
		engine, replaceErr := runner.replace(work.engine, isHung(err))
		if errors.Is(replaceErr, ErrClosed) {
			return replaceErr
		}
		if replaceErr != nil {
			return fmt.Errorf("%w; lost by: %w", replaceErr, err)
		}
		if work.retried {
			return fmt.Errorf("cannot run batch of %d runs: %w twice: %w", len(work.batch.Runs), ErrDeviceLost, err)
		}
		work.retried = true
		err = work.start(engine)
	}
	return err
}

// engine returns the open context. After a replacement that failed it tries to open one, unless the last try
// was a moment ago.
func (runner *Runner) engine() (*engine, error) {
	if e, _, err := runner.state(); e != nil || errors.Is(err, ErrClosed) {
		return e, err
	}
	runner.opening.Lock()
	defer runner.opening.Unlock()
	return runner.currentOrReopen()
}

// state returns the engine with an open OpenGL context, else the earliest time of the next try and
// the error of the last one.
func (runner *Runner) state() (*engine, time.Time, error) {
	runner.mu.Lock()
	defer runner.mu.Unlock()
	switch {
	case runner.closed:
		return nil, time.Time{}, ErrClosed
	case runner.current != nil:
		return runner.current, time.Time{}, nil
	}
	return nil, runner.lastTry.Add(openRetryPause), runner.lastError
}

// currentOrReopen returns the open context or tries to open one, unless the last try was less than
// openRetryPause ago. The caller holds runner.opening.
func (runner *Runner) currentOrReopen() (*engine, error) {
	e, nextTry, err := runner.state()
	if e != nil || errors.Is(err, ErrClosed) {
		return e, err
	}
	if err != nil && time.Now().Before(nextTry) {
		return nil, err
	}
	return runner.reopen()
}

// replace closes a lost context and returns another one, which may be open already. It tries until one
// opens or the Runner counts as dead, because everything in flight would fail otherwise. hung says that the
// context was given up because its device did not respond. Many batches may report the same loss: the context
// is counted as lost once.
func (runner *Runner) replace(lost *engine, hung bool) (*engine, error) {
	runner.opening.Lock()
	defer runner.opening.Unlock()
	engine, _, err := runner.state()
	if errors.Is(err, ErrClosed) {
		return nil, err
	}
	if engine != nil && engine != lost {
		return engine, nil // another batch of the lost context came first
	}
	if engine != nil {
		runner.mu.Lock()
		runner.current = nil
		runner.resets++
		if hung {
			runner.hangs++
		}
		runner.mu.Unlock()
		lost.close() // its errors say nothing new: it is lost
	} else if err != nil {
		return runner.currentOrReopen() // the tries for the lost context were all made
	}
	for {
		engine, err = runner.reopen()
		if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrDead) {
			return engine, err
		}
		time.Sleep(openRetryPause)
	}
}

// reopen tries once to open a context on the same device and makes it the current one; an error is kept for
// state, and after maxOpenTries in a row it wraps ErrDead. A different device is refused, because its results
// might differ in bits. The caller holds runner.opening.
func (runner *Runner) reopen() (*engine, error) {
	engine, err := openEngine(runner.cfg, reopenLimit)
	runner.mu.Lock()
	defer runner.mu.Unlock()
	if err == nil && engine.info().Renderer != runner.lastInfo.Renderer {
		err = fmt.Errorf("cannot go on with %s: it was %s", engine.info().Renderer, runner.lastInfo.Renderer)
		go engine.close()
	}
	// The runner was closed meanwhile.
	if err == nil && runner.closed {
		go engine.close()
	}
	if runner.closed {
		return nil, ErrClosed
	}
	// Count the failure.
	if err != nil {
		runner.failedTries, runner.lastTry = runner.failedTries+1, time.Now()
		runner.lastError = fmt.Errorf("cannot replace context: %w: %w", ErrDeviceLost, err)
		if runner.failedTries >= maxOpenTries {
			runner.lastError = fmt.Errorf("cannot replace context in %d tries: %w: %w: %w",
				runner.failedTries, ErrDead, ErrDeviceLost, err)
		}
		return nil, runner.lastError
	}
	// The context is the current one from now on.
	runner.current = engine
	runner.lastInfo = engine.info()
	runner.failedTries = 0
	runner.lastError = nil
	return engine, nil
}
