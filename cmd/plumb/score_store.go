package main

import (
	"sync"

	"plumb/daemon/jobs"
)

// storer commits parts to the store of a job in the background, in order: one while the next one is
// scored, so that a kill loses two parts at most.
type storer struct {
	queue chan storeOrder
	free  chan []byte // memory of parts that are written, to be used again
	over  sync.WaitGroup
	mu    sync.Mutex
	err   error
}

// storeOrder is a part to be written.
type storeOrder struct {
	part   jobs.Part
	lines  []byte
	marker jobs.Marker
	synced chan<- struct{} // closed when all orders before are carried out; then there is no part
}

// newStorer returns a storer of a job's parts and starts its goroutine, which runs until close. After
// the first error it commits no more parts.
func newStorer(j *jobs.Job) *storer {
	s := &storer{queue: make(chan storeOrder), free: make(chan []byte, 2)}
	s.over.Go(func() {
		for o := range s.queue {
			if o.synced != nil {
				close(o.synced)
				continue
			}
			if s.failed() != nil {
				continue
			}
			if err := j.Commit(o.part, o.lines, o.marker); err != nil {
				s.mu.Lock()
				s.err = err
				s.mu.Unlock()
			}
			select {
			case s.free <- o.lines[:0]:
			default:
			}
		}
	})
	return s
}

// memory returns an empty slice for the result lines of a part.
func (s *storer) memory() []byte {
	select {
	case b := <-s.free:
		return b
	default:
		return nil
	}
}

// failed returns the first error of a commit, or nil.
func (s *storer) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// sync waits until all parts so far are committed, and returns the first error of a commit.
func (s *storer) sync() error {
	done := make(chan struct{})
	s.queue <- storeOrder{synced: done}
	<-done
	return s.failed()
}

// close waits until all parts are committed, ends the goroutine, and returns the first error of a
// commit. No part may be queued afterwards.
func (s *storer) close() error {
	close(s.queue)
	s.over.Wait()
	return s.err
}
