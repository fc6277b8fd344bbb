package queue

import "sync"

// backlog is a list of samples that wait.
type backlog interface {
	len() int
	push(*task)
	// pop takes the next sample, nil where none may begin now.
	pop() *task
}

// stage is a step of some samples that takes too long for the workers. Its samples wait
// in a backlog for goroutines of the stage. Queue.mu guards it.
type stage struct {
	backlog
	more *sync.Cond // its goroutines wait for it: a sample may begin
	busy int        // samples that are worked on now
}

// push adds a sample to the backlog of a waiting stage. The deadline of bulk work does not count
// the wait in the backlog.
func (s *stage) push(t *task) {
	if t.bulk {
		t.started.Store(0)
	}
	s.backlog.push(t)
	s.more.Signal()
}

// empty reports whether the stage has no samples.
func (s *stage) empty() bool { return s.len() == 0 && s.busy == 0 }

// startStage starts n goroutines of a stage. work reports whether a sample goes on;
// otherwise the sample is finished.
func (q *Queue) startStage(s *stage, n int, work func(*task) bool) {
	q.running.Add(n)
	for range n {
		go q.runStage(s, work)
	}
}

// runStage works on the samples of a stage until the queue closes.
func (q *Queue) runStage(s *stage, work func(*task) bool) {
	defer q.running.Done()
	for {
		t := q.takeFrom(s)
		if t == nil {
			return
		}
		onward := work(t) && !q.hasNoWaiters(t)
		if !onward {
			q.finish(t)
		}
		q.mu.Lock()
		s.busy--
		q.enqueueNext(t, onward)
		q.mu.Unlock()
	}
}

// takeFrom waits for a sample of a stage. It returns nil once the queue is closed and
// idle.
func (q *Queue) takeFrom(s *stage) *task {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if t := s.pop(); t != nil {
			s.busy++
			return t
		}
		if q.closed.Load() && q.drained() {
			q.wake()
			return nil
		}
		s.more.Wait()
	}
}
