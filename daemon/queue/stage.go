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
	mayBegin *sync.Cond // its goroutines wait for it: a sample may begin
	busy     int        // samples that are worked on now
}

// push adds a sample to the backlog of a waiting stage. The deadline of bulk work does not count
// the wait in the backlog.
func (s *stage) push(task *task) {
	if task.fromStream {
		task.deadlineStart.Store(0)
	}
	s.backlog.push(task)
	s.mayBegin.Signal()
}

// empty reports whether the stage has no samples.
func (s *stage) empty() bool { return s.len() == 0 && s.busy == 0 }

// startStage starts n goroutines of a stage. work reports whether a sample goes on;
// otherwise the sample is finished.
func (queue *Queue) startStage(s *stage, n int, work func(*task) bool) {
	queue.running.Add(n)
	for range n {
		go queue.runStage(s, work)
	}
}

// runStage is one worker of a stage of the queue: it takes samples that wait for the stage and works
// on them, until the queue closes. A sample goes on to its next stage, unless work has ended it or
// nobody waits for its result any more.
func (queue *Queue) runStage(stage *stage, work func(*task) bool) {
	defer queue.running.Done()
	for {
		task := queue.takeFrom(stage)
		if task == nil {
			return
		}
		onward := work(task) && !queue.giveUpIfUnread(task)
		if !onward {
			queue.finish(task)
		}
		queue.mu.Lock()
		stage.busy--
		queue.enqueueNext(task, onward)
		queue.mu.Unlock()
	}
}

// takeFrom waits for a sample of a stage. It returns nil once the queue is closed and
// idle.
func (queue *Queue) takeFrom(stage *stage) *task {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for {
		if t := stage.pop(); t != nil {
			stage.busy++
			return t
		}
		if queue.closed.Load() && queue.drained() {
			queue.wakeAll()
			return nil
		}
		stage.mayBegin.Wait()
	}
}
