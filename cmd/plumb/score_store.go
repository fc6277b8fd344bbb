package main

import (
	"sync"

	"plumb/daemon/jobs"
)

// storer commits parts to the store of a job in the background, in order: one while the next one is
// scored, so that a kill loses two parts at most.
type storer struct {
	queue      chan storeOrder
	freedLines chan []byte // memory of parts that are written, to be used again
	running    sync.WaitGroup
	mu         sync.Mutex
	err        error
}

// storeOrder is a part to be written.
type storeOrder struct {
	part   jobs.Part
	lines  []byte
	marker jobs.Marker
	synced chan<- struct{} // if not nil, the order has no part: it is closed when all orders before it are carried out
}

// newStorer returns a storer, which commits a job's parts to the store in the background. Its goroutine
// takes the parts from the channel queue and runs until close. After the first error it commits no more
// parts. It hands the memory of committed lines back through the channel freedLines.
func newStorer(job *jobs.Job) *storer {
	s := &storer{queue: make(chan storeOrder), freedLines: make(chan []byte, 2)} // 2: one part is written, one collected
	s.running.Go(func() {
		for order := range s.queue {
			if order.synced != nil {
				close(order.synced)
				continue
			}
			if s.failed() != nil {
				continue
			}
			if err := job.Commit(order.part, order.lines, order.marker); err != nil {
				s.mu.Lock()
				s.err = err
				s.mu.Unlock()
			}
			select {
			case s.freedLines <- order.lines[:0]:
			default: // enough memory waits to be used again
			}
		}
	})
	return s
}

// emptySlice returns an empty slice for the result lines of a part: that of a committed part, or nil.
func (storer *storer) emptySlice() []byte {
	select {
	case b := <-storer.freedLines:
		return b
	default:
		return nil
	}
}

// failed returns the first error of a commit, or nil.
func (storer *storer) failed() error {
	storer.mu.Lock()
	defer storer.mu.Unlock()
	return storer.err
}

// waitCommitted waits until all parts so far are committed, and returns the first error of a commit.
func (storer *storer) waitCommitted() error {
	done := make(chan struct{})
	storer.queue <- storeOrder{synced: done}
	<-done
	return storer.failed()
}

// close waits until all parts are committed, ends the goroutine, and returns the first error of a
// commit. No part may be queued afterwards.
func (storer *storer) close() error {
	close(storer.queue)
	storer.running.Wait()
	return storer.err
}
