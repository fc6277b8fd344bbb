package gpu

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"plumb/render/batch"
)

// work is one batch in flight on an engine, possibly in parts.
type work struct {
	batch     *batch.Batch
	isPicture bool
	dst       []batch.RowSums // memory for rows, where it is large enough
	rows      []batch.RowSums // nil until the first part is in
	pixels    []uint32

	timing   Timing  // of the parts that are in
	engine   *engine // where it runs
	inFlight []part  // oldest first
	retried  bool    // it has been run again after a loss
	fault    fault   // injected, for tests
	done     bool
}

// part is a piece in a slot.
type part struct {
	slot  *slot
	piece piece
}

// start splits the batch and sends it to the engine, piece by piece, dropping what an earlier start has left.
// It waits if no slot is free, and then takes results of its own; the last pieces stay in flight until finish.
// After an error none is in flight.
func (work *work) start(engine *engine) error {
	work.engine = engine
	work.inFlight = work.inFlight[:0]
	work.fault = nextFault(work.batch)
	work.done = false
	work.rows, work.pixels = nil, nil // what a lost run has left is not used
	work.timing = Timing{Latency: work.timing.Latency}
	split := splitSums
	if work.isPicture {
		split = splitPicture
	}
	pieces, err := split(work.batch, &engine.limits)
	if err != nil {
		return err
	}
	for _, p := range pieces {
		if err := work.send(p); err != nil {
			work.releaseSlots()
			return err
		}
	}
	return nil
}

// allocResults allocates the results, all zero, if there are none yet: pixels outside all runs
// stay zero. Rows have capacity for the runs that the CPU twin evaluates.
func (work *work) allocResults() {
	switch {
	case work.isPicture && work.pixels == nil:
		work.pixels = make([]uint32, work.batch.PixelCount)
	case !work.isPicture && work.rows == nil:
		work.rows = zeroed(work.dst, len(work.batch.Runs)*batch.TileH)[:work.batch.ShaderRuns()*batch.TileH]
	}
}

// zeroed returns n zeros for the results of a batch, in the memory of s if it is large enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// send takes a free slot, writes one piece of the batch into it and queues it on the device's thread. On a
// synchronous device it takes the results at once. The slot is in work.inFlight, after an error too, so that
// releaseSlots gives it back.
func (work *work) send(piece piece) error {
	slot, err := work.takeSlot()
	if err != nil {
		return err
	}
	work.inFlight = append(work.inFlight, part{slot, piece})
	engine := work.engine
	total := slot.layout(&piece)
	slot.timing = Timing{Parts: 1, UpBytes: int64(total), DownBytes: int64(piece.outputBytes)}
	slot.startedAt, slot.haveResults = time.Now(), false
	slot.resultBytes = slot.resultBytes[:0]
	if !engine.mapped {
		slot.resultBytes = slices.Grow(slot.resultBytes, piece.outputBytes)[:piece.outputBytes]
	}
	// Larger buffers where these are too small, which only the device's thread can make.
	hasRoom := false
	if err := engine.whileOpen(func() error { hasRoom = slot.hasRoom(total, piece.outputBytes); return nil }); err != nil {
		return err
	}
	if !hasRoom {
		if err := engine.onThread(func() error { return slot.grow(total, piece.outputBytes) }); err != nil {
			return err
		}
	}
	// Write the input here, as far as the memory is mapped, and queue the rest.
	if engine.mapped {
		if err := engine.whileOpen(func() error { slot.write(&piece); return nil }); err != nil {
			return err
		}
	}
	if engine.cfg.wrote != nil { // a test wants to know
		engine.cfg.wrote()
	}
	fault := work.fault // a copy: a thread that was given up may still use it when work runs elsewhere
	return engine.onThread(func() error {
		if fault == faultStuck {
			select {} // for ever
		}
		if err := slot.submit(&piece, total); err != nil || !engine.synchronous || fault != faultNone {
			return err
		}
		// The results are there. Taking them in this call spares the caller from
		// waiting for the thread again, after batches that came later.
		return engine.pollSlot(slot, 0, fault)
	})
}

// onThread runs f on the thread that owns the OpenGL context, within the watchdog's time, unless
// the engine is closed.
func (engine *engine) onThread(f func() error) error {
	return engine.dev.DoWithin(engine.cfg.Watchdog, func() error {
		if err := engine.whileOpen(func() error { return nil }); err != nil {
			return err
		}
		return f()
	})
}

// whileOpen runs f, which touches mapped memory, unless the engine is closed.
func (engine *engine) whileOpen(f func() error) error {
	engine.mu.RLock()
	defer engine.mu.RUnlock()
	if engine.closed {
		return fmt.Errorf("cannot use context on %s: it was closed: %w", engine.dev.Info().Renderer, errLost)
	}
	return f()
}

// takeSlot takes a free slot, and waits for one. A batch that holds slots does not wait for other batches but
// collects its own oldest results, which frees a slot; else two such batches would wait for each other.
func (work *work) takeSlot() (*slot, error) {
	for {
		select {
		case s := <-work.engine.free:
			return s, nil
		default:
		}
		if len(work.inFlight) == 0 {
			return <-work.engine.free, nil
		}
		if err := work.collect(); err != nil {
			return nil, err
		}
	}
}

// finish waits for all parts of the batch that are in flight on the device.
func (work *work) finish() error {
	for len(work.inFlight) > 0 {
		if err := work.collect(); err != nil {
			work.releaseSlots()
			return err
		}
	}
	work.allocResults()
	work.done = true
	work.engine.cfg.Stats.addBatch(work.timing)
	return nil
}

// collect waits for the oldest part of the batch on the device, copies its results and frees its
// slot. After an error the part keeps its slot in inFlight, because the device may still write to
// it; the caller calls releaseSlots, which waits for the device first.
func (work *work) collect() error {
	engine, oldest := work.engine, work.inFlight[0]
	slot, piece := oldest.slot, &oldest.piece
	if err := work.waitForFence(slot); err != nil {
		return err
	}
	begin := time.Now()
	if engine.mapped { // the results are in mapped memory, which is gone once the engine is closed
		err := engine.whileOpen(func() error {
			work.copyResults(piece, slot.result().mapped[:piece.outputBytes])
			return nil
		})
		if err != nil {
			return err
		}
	} else { // without mapped memory, readResults has copied them to slot.resultBytes on the device's thread
		work.copyResults(piece, slot.resultBytes)
	}
	slot.timing.Fetch = time.Since(begin)
	slot.timing.Latency = time.Since(slot.startedAt)
	work.timing.add(slot.timing)
	work.inFlight = append(work.inFlight[:0], work.inFlight[1:]...)
	engine.free <- slot
	return nil
}

// maxPoll is how long one poll of a fence may block the device's thread, where other batches wait
// to be queued.
const maxPoll = 250 * time.Microsecond

// waitForFence polls until the slot's results are in. If the device has finished nothing, of this batch or
// another, for the watchdog's time since the slot was sent, it gives the context up.
func (work *work) waitForFence(slot *slot) error {
	engine, fault := work.engine, work.fault
	for !slot.haveResults {
		err := engine.onThread(func() error { return engine.pollSlot(slot, maxPoll, fault) })
		if err != nil || slot.haveResults {
			return err
		}
		since := max(engine.progress.Load(), slot.queuedAt.UnixNano()) // the last sign of life
		if waited := time.Duration(time.Now().UnixNano() - since); waited > engine.cfg.Watchdog {
			return engine.giveUp(waited)
		}
	}
	return nil
}

// pollSlot waits for the slot's fence, for at most wait, and reads the results if it is signalled, which also
// counts as a sign of life of the device. A lost context is an error. It runs on the device's thread. fault is
// what tests inject.
func (engine *engine) pollSlot(slot *slot, wait time.Duration, fault fault) error {
	done, err := slot.poll(wait)
	if err != nil {
		return err
	}
	if fault == faultLoss {
		engine.lost.Store(true)
	}
	// A lost context may signal its fences or never do so: ask either way.
	if err := engine.checkReset(); err != nil || !done || fault == faultHang {
		return err
	}
	engine.progress.Store(time.Now().UnixNano())
	return slot.readResults()
}

// giveUp marks the context as lost, because the device has finished nothing for the time waited,
// so that other batches end too. It returns the error of this batch, joined with what the driver
// reports.
func (engine *engine) giveUp(waited time.Duration) error {
	// The driver is asked first, because afterwards the context is lost in any case. The limit
	// holds if the thread is stuck in a call of the driver.
	err := engine.dev.DoWithin(engine.cfg.Watchdog, engine.checkReset)
	engine.lost.Store(true)
	return errors.Join(fmt.Errorf("cannot finish batch on %s: no fence for %v; limit %v: %w",
		engine.dev.Info().Renderer, waited.Round(time.Millisecond), engine.cfg.Watchdog, errHung), err)
}

// copyResults copies the results of a piece, the bytes raw, to their place in the results of the batch. Pieces
// that share a window of a picture are combined by a bitwise or: each pixel is written by one of them and zero
// in the others.
func (work *work) copyResults(piece *piece, raw []byte) {
	work.allocResults()
	if !piece.isPicture {
		copy(work.rows[piece.firstRun*batch.TileH:], recordsOf[batch.RowSums](raw))
		return
	}
	dst := work.pixels[piece.firstPixel : piece.firstPixel+piece.pixelCount]
	if !piece.sharesWindow {
		copy(dst, recordsOf[uint32](raw))
		return
	}
	for i, v := range recordsOf[uint32](raw) {
		dst[i] |= v
	}
}

// recordsOf returns raw, which is aligned for T, as records.
func recordsOf[T any](raw []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(unsafe.Sizeof(one)))
}

// releaseSlots drops the pieces in flight and frees their slots. It waits for what still runs, since its memory
// must not be overwritten; what does not end within the watchdog's time loses the context. On a lost engine
// nothing runs, but other batches may wait for a slot, and with it find out that the engine is lost.
func (work *work) releaseSlots() {
	engine := work.engine
	for _, part := range work.inFlight {
		slot := part.slot
		engine.dev.DoWithin(engine.cfg.Watchdog, func() error {
			if slot.fence != 0 && !engine.lost.Load() {
				if done, err := slot.poll(engine.cfg.Watchdog); err != nil || !done {
					engine.lost.Store(true)
				}
			}
			slot.discard()
			return nil
		})
		engine.free <- slot
	}
	work.inFlight = work.inFlight[:0]
}
