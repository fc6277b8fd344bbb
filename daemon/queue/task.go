package queue

import (
	"fmt"
	"image"
	"sync/atomic"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
)

// maxKept is the most memory in bytes that a pooled buffer keeps. Thousands of
// tasks may be pooled; a longer line takes milliseconds anyway.
const maxKept = 128 << 10

// task is one sample under way, for one reader or several with identical requests. One
// goroutine at a time owns its fields, except the atomic ones and those that flights.mu
// guards. Tasks are pooled: the last reader returns the task.
type task struct {
	readerCount   atomic.Int32             // readers that wait for it
	deadlineStart atomic.Int64             // since when its deadline runs, on the queue's clock: when a worker took it, or later; 0 before
	lastDeadline  atomic.Int64             // when the last of its readers gives up, on the queue's clock
	identified    atomic.Pointer[identity] // &task.identity once decoded, nil before
	identity      identity
	editorReadyAt atomic.Int64 // when the editor was ready for it, on the queue's clock; editorNotReady: not yet; 0: it need not wait
	reuseCount    uint64       // how often the task returned to the pool; flights.mu guards it

	// flights.mu guards these.
	readers     []*reader // who waits
	answerUsers int       // readers that use the answer
	delivered   bool      // the answer was delivered
	givenUp     bool      // it had no readers: it will have no answer
	key         key
	shared      bool   // it is in flights, where others may join it
	beingJudged bool   // the judge's deadline applies, from deadlineStart on
	stopJudging func() // ends the wait for the judge; nil while there is none

	load
}

// load is the part of a task that is cleared when the task returns to the pool.
type load struct {
	priority     Priority      // never PriorityDefault
	fromStream   bool          // its deadline runs from when it is begun, not from its arrival
	arrived      time.Duration // on the queue's clock
	partEnds     partEnds
	line         dump.Line // Bytes are in buf
	buf          []byte
	memoryNeeded int64        // of a large sample, else 0
	foundLarge   bool         // found to be large while it was prepared
	memory       *memory.Hold // of a large sample while it is worked on; of a picture the caller's
	options      *Options
	viewToDraw   func() (view.View, error) // for pictures instead of scores

	job             scoring.Job
	question        *scoring.Question // for the judge, nil for none
	pictures        []Pic
	hasLatePictures bool // pictures holds Late ones, which the editor still has to draw
	backend         string
	readNotes       []scoring.Note // how the line was read
	originNotes     []scoring.Note // why the editor drew pictures
	work            int            // tile segments of pictures
	pixels          int            // px of pictures
	class           int            // among what is ready for the device
	tallies         []metric.Tally
	drawn           []*image.NRGBA // the pictures themselves, where viewToDraw asks for them
	fault           *scoring.Error // why its pictures or its verdict failed; the job makes the result of it

	result scoring.Result
	json   []byte
	err    error // of a picture
}

// identity names a sample in its answer, even when the sample misses its deadline.
type identity struct {
	id, suite, test string
	answerer        scoring.Identity
	takenAt         time.Duration // by a worker, on the queue's clock
}

// fill copies a line into the task, and estimates the memory that it takes.
func (task *task) fill(l dump.Line) {
	task.buf = append(task.buf[:0], l.Bytes...)
	task.line = dump.Line{Number: l.Number, Bytes: task.buf, Fault: l.Fault, Busy: l.Busy, Checked: l.Checked}
	task.memoryNeeded = MemoryNeeded(task.buf)
}

// recycle returns a task, with its buffers, to the pool. No goroutine may still use it.
func (queue *Queue) recycle(task *task) {
	task.releasePictures()
	if cap(task.buf) > maxKept {
		task.buf = nil
	}
	if cap(task.json) > maxKept {
		task.json = nil
	}
	task.readerCount.Store(0)
	task.deadlineStart.Store(0)
	task.lastDeadline.Store(0)
	task.identified.Store(nil)
	task.editorReadyAt.Store(0)
	queue.flights.mu.Lock()
	task.reuseCount++
	clear(task.readers)
	task.readers, task.answerUsers = task.readers[:0], 0
	task.delivered, task.givenUp, task.shared, task.beingJudged, task.stopJudging = false, false, false, false, nil
	queue.flights.mu.Unlock()
	// All else is cleared, and buffers keep their memory.
	task.load = load{buf: task.buf[:0], json: task.json[:0], pictures: task.pictures[:0], originNotes: task.originNotes[:0], tallies: task.tallies[:0]}
	queue.tasks.Put(task)
}

// releasePictures returns the prepared pictures of a sample to the engine.
func (task *task) releasePictures() {
	for i, p := range task.pictures {
		p.Release()
		task.pictures[i] = nil
	}
	task.pictures = task.pictures[:0]
}

// hasNoReaders reports whether the task has no readers at the moment; one may still join.
func (task *task) hasNoReaders() bool { return task.readerCount.Load() == 0 }

// addCost adds the cost of a prepared picture to that of the task.
func (task *task) addCost(p Pic) {
	task.work += p.Work()
	task.pixels += area(p)
}

// identify sets the fields of a result that identify its sample. A line that was not decoded has its number
// for an id.
func (task *task) identify(result *scoring.Result) {
	if n := task.identified.Load(); n != nil {
		result.ID, result.Suite, result.Test, result.Who = n.id, n.suite, n.test, n.answerer
		return
	}
	result.ID = fmt.Sprintf("line:%d", task.line.Number)
}

// failedResult returns the result of a sample that failed before it had a job: what identifies it, and the
// error. Only a line that could not be read names its number, as it has no id.
func (task *task) failedResult(failure *scoring.Error) scoring.Result {
	var result scoring.Result
	task.identify(&result)
	result.Err = failure
	if failure.Code == "bad_line" {
		result.Line = task.line.Number
	}
	return result
}
