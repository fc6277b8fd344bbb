package gpu

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"plumb/render/batch"
)

// work is one batch in flight.
type work struct {
	b       *batch.Batch
	picture bool
	dst     []batch.RowSums // memory for rows, where it is large enough
	rows    []batch.RowSums // nil until the first part is in
	pixels  []uint32

	timing Timing  // of the parts that are in
	e      *engine // where it runs
	flight []part  // oldest first
	again  bool    // it has been run again after a loss
	fault  fault   // injected, for tests
	done   bool
}

// part is a piece in a slot.
type part struct {
	s *slot
	p piece
}

// start sends the batch to the engine. What does not fit in the free slots is
// waited for, piece by piece; the last pieces stay in flight until finish.
func (w *work) start(e *engine) error {
	w.e, w.flight, w.fault, w.done = e, w.flight[:0], nextFault(w.b), false
	w.rows, w.pixels, w.timing = nil, nil, Timing{Latency: w.timing.Latency} // of a run that was lost
	split := splitSums
	if w.picture {
		split = splitPicture
	}
	pieces, err := split(w.b, &e.limits)
	if err != nil {
		return err
	}
	for _, p := range pieces {
		if err := w.send(p); err != nil {
			w.abandon()
			return err
		}
	}
	return nil
}

// room makes the results, all zero: pixels outside all runs stay so. Rows have
// capacity for the runs that the CPU twin evaluates.
func (w *work) room() {
	switch {
	case w.picture && w.pixels == nil:
		w.pixels = make([]uint32, w.b.Pixels)
	case !w.picture && w.rows == nil:
		w.rows = resized(w.dst, len(w.b.Runs)*batch.TileH)[:w.b.Shader()*batch.TileH]
	}
}

// resized returns n zeros, in s where it is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// send puts one piece into a slot and queues it.
func (w *work) send(p piece) error {
	s, err := w.slot()
	if err != nil {
		return err
	}
	w.flight = append(w.flight, part{s, p})
	e := w.e
	total := s.layout(&p)
	s.timing, s.began, s.settled = timing{up: total, down: p.outputBytes}, time.Now(), false
	s.raw = s.raw[:0]
	if !e.mapped {
		s.raw = slices.Grow(s.raw, p.outputBytes)[:p.outputBytes]
	}
	enough := false
	if err := e.whileOpen(func() error { enough = s.enough(total, p.outputBytes); return nil }); err != nil {
		return err
	}
	if !enough {
		if err := e.do(func() error { return s.grow(total, p.outputBytes) }); err != nil {
			return err
		}
	}
	if e.mapped {
		if err := e.whileOpen(func() error { s.write(&p); return nil }); err != nil {
			return err
		}
	}
	if e.cfg.wrote != nil {
		e.cfg.wrote()
	}
	fault := w.fault // not w: a thread that was given up may come back when w runs elsewhere
	return e.do(func() error {
		if fault == faultStuck {
			select {}
		}
		if err := s.submit(&p, total); err != nil || !e.prompt || fault != faultNone {
			return err
		}
		// The results are there. Taking them in this call spares the caller from
		// waiting for the thread again, behind batches that came later.
		return e.look(s, 0, fault)
	})
}

// do runs f on the device's thread, within the watchdog's time, unless the
// context is gone, whose objects are too.
func (e *engine) do(f func() error) error {
	return e.dev.DoWithin(e.cfg.Watchdog, func() error {
		if err := e.whileOpen(func() error { return nil }); err != nil {
			return err
		}
		return f()
	})
}

// whileOpen runs f, which touches mapped memory, unless the context is gone.
func (e *engine) whileOpen(f func() error) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return fmt.Errorf("cannot use context on %s: it was closed: %w", e.dev.Info().Renderer, errLost)
	}
	return f()
}

// slot takes a free slot. A batch in parts never waits for others while it
// holds slots itself, or two such batches would wait for each other.
func (w *work) slot() (*slot, error) {
	for {
		select {
		case s := <-w.e.free:
			return s, nil
		default:
		}
		if len(w.flight) == 0 {
			return <-w.e.free, nil
		}
		if err := w.collect(); err != nil {
			return nil, err
		}
	}
}

// finish waits for all parts in flight.
func (w *work) finish() error {
	for len(w.flight) > 0 {
		if err := w.collect(); err != nil {
			w.abandon()
			return err
		}
	}
	w.room()
	w.done = true
	w.e.cfg.Stats.batch(w.timing)
	return nil
}

// collect waits for the oldest part and takes its results.
func (w *work) collect() error {
	e, at := w.e, w.flight[0]
	if err := w.await(at.s); err != nil {
		return err
	}
	begin := time.Now()
	if e.mapped {
		err := e.whileOpen(func() error { w.take(&at.p, at.s.result().mapped[:at.p.outputBytes]); return nil })
		if err != nil {
			return err
		}
	} else {
		w.take(&at.p, at.s.raw)
	}
	at.s.timing.fetch = time.Since(begin)
	at.s.timing.latency = time.Since(at.s.began)
	w.timing.add(at.s.timing.sum())
	w.flight = append(w.flight[:0], w.flight[1:]...)
	e.free <- at.s
	return nil
}

// slice is how long one look at a fence may hold the device's thread while
// other batches want to be queued behind it.
const slice = 250 * time.Microsecond

// await waits until the slot's fence is signalled, or the device has finished
// nothing for as long as the watchdog allows.
func (w *work) await(s *slot) error {
	e, fault := w.e, w.fault
	for !s.settled {
		err := e.do(func() error { return e.look(s, slice, fault) })
		if err != nil || s.settled {
			return err
		}
		since := max(e.progress.Load(), s.sent.UnixNano())
		if quiet := time.Duration(time.Now().UnixNano() - since); quiet > e.cfg.Watchdog {
			return e.hung(quiet)
		}
	}
	return nil
}

// look waits for the slot's fence, at most for the given time, and settles the
// slot once it is signalled; on the device's thread.
func (e *engine) look(s *slot, wait time.Duration, fault fault) error {
	done, err := s.poll(wait)
	if err != nil {
		return err
	}
	if fault == faultLoss {
		e.reset.Store(true)
	}
	// A lost context may signal its fences or never do so: ask either way.
	if err := e.alive(); err != nil || !done || fault == faultHang {
		return err
	}
	e.progress.Store(time.Now().UnixNano())
	return s.settle()
}

// hung reports a fence that does not come, and what the driver says about it.
func (e *engine) hung(quiet time.Duration) error {
	err := e.dev.DoWithin(e.cfg.Watchdog, e.alive)
	e.reset.Store(true)
	return errors.Join(fmt.Errorf("cannot finish batch on %s: no fence for %v; limit %v: %w",
		e.dev.Info().Renderer, quiet.Round(time.Millisecond), e.cfg.Watchdog, errHung), err)
}

// take copies the results of a piece to their place.
func (w *work) take(p *piece, raw []byte) {
	w.room()
	if !p.picture {
		copy(w.rows[p.first*batch.TileH:], as[batch.RowSums](raw))
		return
	}
	dst := w.pixels[p.pixel : p.pixel+p.pixels]
	if !p.merge {
		copy(dst, as[uint32](raw))
		return
	}
	for i, v := range as[uint32](raw) { // each px is written by one run only
		dst[i] |= v
	}
}

// as reads raw, which is aligned for T, as records.
func as[T any](raw []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/int(unsafe.Sizeof(one)))
}

// abandon gives the slots back without results. What still runs is waited for,
// since its memory must not be written; on a lost engine nothing runs, but
// others may be waiting for a slot to learn that it is lost.
func (w *work) abandon() {
	e := w.e
	for _, at := range w.flight {
		e.dev.DoWithin(e.cfg.Watchdog, func() error {
			if at.s.fence != 0 && !e.reset.Load() {
				if done, err := at.s.poll(e.cfg.Watchdog); err != nil || !done {
					e.reset.Store(true)
				}
			}
			at.s.drop()
			return nil
		})
		e.free <- at.s
	}
	w.flight = w.flight[:0]
}
