package queue

import (
	"bytes"
	"slices"

	"plumb/daemon/dump"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// Preparing a large sample takes hundreds of times its bytes. So large samples wait in
// a stage until Config.Memory has room. Ordinary samples are prepared meanwhile and never
// wait for memory.

const (
	// neverLarge is the length of a line in bytes up to which a sample is never large.
	neverLarge = 64 << 10
	// largeFrom is the memory in bytes, by MemoryNeeded, from which a sample is large.
	largeFrom = 16 << 20
	// outlineBytes is about how many bytes outlining takes for each value of a scene;
	// points of freehand lines take the most. outlinedMost is how many values at most
	// are outlined at the same time: those of one shape.
	outlineBytes = 700
	outlinedMost = 150_000
	// lightCoverage is how many bytes of coverage the outlines of a picture may touch.
	// A sample above it is prepared again with at least foundLargeMemory.
	lightCoverage = 32 << 20
	// foundLargeMemory is the memory in bytes of such a sample: its coverage and its tiles.
	foundLargeMemory = 400 << 20
	// rowBytes is how many bytes a unit of task.work takes.
	rowBytes = 32
	// lineCopies is how often the bytes of a line are in memory: the line, its copy in the
	// task, and the texts in it.
	lineCopies = 3
)

// MemoryNeeded estimates from the dump line how many bytes a sample takes while it is
// prepared. It overestimates, and returns 0 for a sample that is not large.
func MemoryNeeded(line []byte) int64 {
	if len(line) <= neverLarge {
		return 0
	}
	// An answer may be JSON in a string, whose values only its commas show.
	values := int64(max(jsontree.Count(line), bytes.Count(line, []byte{','})))
	n := lineCopies*int64(len(line)) + values*jsontree.ValueBytes + min(values, outlinedMost)*outlineBytes
	if n < largeFrom {
		return 0
	}
	return n
}

// largeBacklog is the backlog of large samples, in the order of their arrival. Queue.mu
// guards it.
type largeBacklog struct {
	queue *Queue
	list  []*task
}

func (backlog *largeBacklog) len() int { return len(backlog.list) }

func (backlog *largeBacklog) push(t *task) { backlog.list = append(backlog.list, t) }

// pop takes the first large sample that can leave the backlog, nil if there is none. A sample can leave
// if nobody waits for it any more, or if the ready list has room and its memory is free, which pop then
// reserves. So a smaller sample may pass a larger one that still waits for memory.
func (backlog *largeBacklog) pop() *task {
	for i, t := range backlog.list {
		mayBegin := backlog.queue.giveUpIfUnread(t) || (backlog.queue.hasRoom() && backlog.queue.reserveMemory(t))
		if mayBegin {
			backlog.list = slices.Delete(backlog.list, i, i+1)
			return t
		}
	}
	return nil
}

// prepareLarge prepares a large sample, whose memory is reserved, and reports whether it goes on. It
// uses new buffers, because pooled ones would keep the size of the largest sample. Then it gives back
// the memory that a prepared sample no longer takes.
func (queue *Queue) prepareLarge(task *task) (onward bool) {
	w := &worker{queue: queue, decoder: dump.NewDecoder(queue.cfg.Items), drawer: queue.cfg.Engine.Drawer()}
	onward = w.prepare(task)
	stillHeld := lineCopies*int64(len(task.buf)) + rowBytes*int64(task.work) // the line and the tiles
	if stillHeld > task.memoryNeeded {
		// Its tiles take more than its line let expect. What is more is counted if it fits; waiting for memory
		// while it holds some could block others.
		task.memory.Try(stillHeld - task.memoryNeeded)
		return onward
	}
	task.memory.Shrink(task.memoryNeeded - stillHeld)
	queue.MemoryFreed()
	return onward
}

// reserveMemory takes the memory of a large sample without waiting, and reports whether there was enough.
func (queue *Queue) reserveMemory(task *task) bool {
	if task.memory == nil {
		task.memory = queue.cfg.Memory.Hold(task.client())
	}
	return task.memory.Try(task.memoryNeeded)
}

// releaseMemory returns the memory of a large sample to the pool and wakes the goroutines
// that wait for memory. An ordinary sample, which is not large, has reserved none.
func (queue *Queue) releaseMemory(task *task) {
	if task.memoryNeeded == 0 {
		return
	}
	task.memory.Close()
	task.memory = nil
	queue.MemoryFreed()
}

// MemoryFreed wakes the goroutines that wait for memory of Config.Memory. Other users of
// that pool call it when they release memory.
func (queue *Queue) MemoryFreed() {
	queue.mu.Lock()
	queue.large.mayBegin.Broadcast()
	queue.mu.Unlock()
}

// retryWithMemory resets a sample whose preparation showed that it is larger than its line says, and
// raises the memory that it needs, so that it waits for more memory and is prepared again. What it holds
// is released first, because samples that hold memory and wait for more could wait for one another. If it
// can never fit, it fails the sample and returns false.
func (queue *Queue) retryWithMemory(task *task) bool {
	task.releasePictures()
	task.job, task.fault, task.err, task.work, task.pixels = nil, nil, nil, 0, 0
	task.memoryNeeded = max(foundLargeMemory, task.memory.Held())
	task.memory.Shrink(task.memory.Held())
	failure := queue.fitError(task)
	if failure != nil {
		task.foundLarge = false
		task.result, task.err = task.failedResult(failure), failure
	}
	return failure == nil
}

// client returns the name of the client whose share of the memory the sample uses, "" for
// none.
func (task *task) client() string {
	if task.options == nil {
		return ""
	}
	return task.options.Client
}

// fitError returns the error too_large for a sample that can never fit into the memory
// of its client, nil for others.
func (queue *Queue) fitError(t *task) *scoring.Error {
	if err := queue.cfg.Memory.Fits(t.memoryNeeded); err != nil {
		return &scoring.Error{Code: "too_large", Message: "cannot score item: " + err.Error()}
	}
	return nil
}
