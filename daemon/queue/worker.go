package queue

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"plumb/daemon/dump"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// worker holds the decoder and the drawer with which one goroutine prepares samples.
type worker struct {
	queue   *Queue
	decoder *dump.Decoder
	drawer  Drawer

	// Queue.mu guards what the worker is in; task is nil between samples.
	task           *task
	taskReuseCount uint64 // of the task
	busySince      time.Duration
	occupiedIndex  int  // place in Queue.occupied
	preparing      bool // it prepares the sample; else it finishes one that is measured
	relieved       bool // a spare worker has taken its place
}

// runWorker is the loop of one worker: it scores measured samples first, else prepares one.
func (queue *Queue) runWorker(worker *worker) {
	for {
		task, measured, ok := queue.takeTask(worker)
		if !ok {
			return
		}
		onward := !measured && worker.prepare(task)
		if !queue.endWork(worker, task, onward) {
			return
		}
	}
}

// takeTask waits for a task, and records that the worker is busy with it. measured says that the pictures of
// the task are measured, so that it is to be finished; otherwise it is to be prepared. ok is false when
// the worker must end, because the queue is closed and drained.
func (queue *Queue) takeTask(worker *worker) (task *task, measured, ok bool) {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for {
		switch {
		case queue.measured.len() > 0:
			task, measured = queue.measured.pop(), true
		case queue.unprepared.len() > 0 && queue.hasRoom():
			task = queue.unprepared.pop()
		case queue.closed.Load() && queue.drained():
			queue.wakeAll() // the last one wakes the others
			queue.running.Done()
			return nil, false, false
		default:
			queue.workers.Wait()
			continue
		}
		queue.recordBusy(worker, task, !measured)
		return task, measured, true
	}
}

// finishMeasured finishes measured samples, as the workers do, so that they do not wait
// while all workers are busy.
func (queue *Queue) finishMeasured() {
	for {
		task, ok := queue.takeMeasured()
		if !ok {
			return
		}
		queue.finish(task)
	}
}

// takeMeasured returns a task whose pictures are measured and that still has to be finished; it waits
// for one. ok is false once the queue is closed and drained.
func (queue *Queue) takeMeasured() (t *task, ok bool) {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	for queue.measured.len() == 0 {
		if queue.closed.Load() && queue.drained() {
			queue.running.Done()
			return nil, false
		}
		queue.finisher.Wait()
	}
	return queue.measured.pop(), true
}

// endWork ends a worker's part in a task. If onward is true and somebody waits for the task, it is queued
// for its next stage, and otherwise finished. stays is false if a spare worker has taken this worker's
// place meanwhile, so that it must end.
func (queue *Queue) endWork(worker *worker, task *task, onward bool) (stays bool) {
	onward = onward && !queue.giveUpIfUnread(task)
	if !onward {
		queue.finish(task)
	}
	queue.mu.Lock()
	defer queue.mu.Unlock()
	stays = queue.recordFree(worker)
	queue.enqueueNext(task, onward)
	return stays
}

// enqueueNext queues a task for the next stage that it needs: memory, the judge, pictures
// of the editor, the device, or its score. It queues nothing where unfinished is false,
// because the task is finished and may be in use for another sample. It wakes a
// dispatcher, which may wait for samples in preparation. The caller holds mu.
func (queue *Queue) enqueueNext(task *task, unfinished bool) {
	switch {
	case !unfinished: // it is finished
	case task.foundLarge: // it needs more memory than its line said
		task.foundLarge = false
		queue.large.push(task)
	case task.question != nil:
		queue.judging.push(task)
	case task.hasLatePictures && task.fault == nil:
		queue.latePictures.push(task)
	case len(task.pictures) > 0 && task.fault == nil:
		queue.pushReady(task)
	default:
		queue.measured.push(task)
		queue.workers.Signal()
		queue.finisher.Signal()
	}
	if unfinished || queue.preparing == 0 {
		queue.device.Signal()
	}
	if queue.closed.Load() {
		queue.wakeAll()
	}
}

// prepare decodes a sample and outlines its pictures. onward is true if the sample then goes on to be
// judged, drawn or measured, or back to wait for more memory; it is false if the sample is to be
// finished. A panic fails this sample alone, and the worker gets a new decoder and drawer.
func (worker *worker) prepare(task *task) (onward bool) {
	if worker.queue.giveUpIfUnread(task) {
		return false
	}
	defer worker.decoder.TrimMemory()
	start := worker.queue.now()
	task.deadlineStart.Store(int64(start))
	task.partEnds[PartQueue] = start
	worker.queue.cfg.Watch.reportWait(start - task.arrived)
	defer func() {
		if p := recover(); p != nil {
			worker.drawer = worker.queue.cfg.Engine.Drawer() // its buffers may be half written
			worker.decoder = dump.NewDecoder(worker.queue.cfg.Items)
			task.releasePictures()
			task.job = nil
			task.failInternally(p)
			onward = false
		}
	}()
	if task.viewToDraw != nil {
		onward = worker.prepareDrawing(task)
	} else {
		onward = worker.prepareItem(task, start)
	}
	if task.foundLarge {
		return worker.queue.retryWithMemory(task)
	}
	return onward
}

// prepareItem prepares a sample that is scored: it decodes the line, makes the job and outlines the job's
// views. start is when the worker took the sample. onward is false if no later stage is needed:
// because the sample fails, or because its job needs neither a judge nor pictures. If there is no
// job, it sets the task's result itself. If a view cannot be drawn, it sets task.fault, from which
// the job makes the result later.
func (worker *worker) prepareItem(task *task, start time.Duration) (onward bool) {
	// Decode the line.
	item, failure := worker.decoder.Item(task.line, task.options.Suite)
	task.identity = identity{item.ID, item.Suite, item.Test, item.Who, start}
	task.identified.Store(&task.identity) // from now on, readers that leave can name the sample
	task.readNotes = item.Notes
	if failure != nil {
		worker.queue.endPart(task, PartDecode)
		task.result = task.failedResult(failure)
		return false
	}
	// Make the job.
	job, err := makeJob(worker.queue.cfg.Items.Suites.Find(item.Suite), item, task.options.Variants)
	if err != nil {
		worker.queue.endPart(task, PartDecode)
		task.result = task.failedResult(asError(err))
		return false
	}
	task.job = job
	views := job.Views()
	worker.queue.endPart(task, PartDecode)
	decoded := task.partEnds[PartDecode]
	worker.queue.cfg.Watch.reportStage("decode", decoded-start)
	// Prepare the pictures that it needs.
	for i := range views {
		if err := worker.addPicture(task, &views[i]); err != nil {
			worker.queue.endPart(task, PartOutline)
			task.releasePictures()
			task.fault = asError(err)
			return false
		}
	}
	if len(views) > 0 {
		worker.queue.endPart(task, PartOutline)
		worker.queue.cfg.Watch.reportStage("render", task.partEnds[PartOutline]-decoded)
	}
	return worker.queue.needsJudge(task) || len(views) > 0
}

// makeJob makes the job of an item after its suite has checked that no member is missing.
func makeJob(suite *scoring.Suite, item *scoring.Item, variants scoring.Variants) (scoring.Job, error) {
	if suite.MissingMembers != nil {
		if err := suite.MissingMembers(item); err != nil {
			return nil, err
		}
	}
	return suite.Prepare(item, variants)
}

// prepareDrawing prepares the picture of a task of Draw.
func (worker *worker) prepareDrawing(task *task) (onward bool) {
	v, err := task.viewToDraw()
	if err == nil {
		v.Details = true // an image is wanted, not only sums
		err = worker.addPicture(task, &v)
	}
	task.err = err
	return err == nil
}

// addPicture prepares one more picture of a sample for the device. Preparing stops with an error when
// nobody waits for the sample any more. A sample for which no large memory is reserved may only touch
// lightCoverage bytes: beyond that it stops with an error and task.foundLarge is set, so that the sample is
// prepared again with more memory.
func (worker *worker) addPicture(task *task, v *view.View) error {
	wanted := *v
	wanted.Stop = func() bool { return worker.queue.cancelled(task) }
	if task.memoryNeeded < foundLargeMemory {
		wanted.LargeBeyond = lightCoverage // Prepare then fails with ErrLarge
	}
	pic, err := worker.drawer.Prepare(wanted)
	task.foundLarge = errors.Is(err, view.ErrLarge)
	if errors.Is(err, view.ErrStopped) { // for readers of a stream, who get it after earlier lines
		return deadlineError(worker.queue.deadlineOf(task.options), worker.queue.deadlineOf(task.options) < worker.queue.cfg.Deadline)
	}
	if err != nil {
		return err
	}
	task.pictures = append(task.pictures, pic)
	if l, ok := pic.(Late); ok {
		task.recordOrigin(l.Origin())
		return nil
	}
	task.addCost(pic)
	return nil
}

// cancelled reports whether the work on a task should stop: it has no readers left, or
// its deadline has passed.
func (queue *Queue) cancelled(task *task) bool {
	// The reader of a stream may still wait for an earlier line, and then does not check this deadline.
	if task.fromStream && task.options != nil && queue.now() > time.Duration(task.deadlineStart.Load())+queue.deadlineOf(task.options) {
		return true
	}
	return queue.giveUpIfUnread(task)
}

// finish ends a task: it scores it if it is to be scored and somebody waits, writes its result line,
// keeps that in the cache, releases pictures and memory, and delivers the answer. Only the readers of
// the answer may use the task afterwards.
func (queue *Queue) finish(task *task) {
	toScore := task.viewToDraw == nil // a task with a view only draws
	if toScore && !queue.giveUpIfUnread(task) {
		start := queue.now()
		queue.score(task)
		queue.endPart(task, PartScore)
		queue.cfg.Watch.reportStage("score", task.partEnds[PartScore]-start)
		if e := task.result.Err; e != nil && e.Code == "backend" && queue.cfg.RewriteBackendError != nil {
			task.result.Err = &scoring.Error{Code: e.Code, Message: queue.cfg.RewriteBackendError(e.Message)}
		}
		task.json = task.json[:0]
		if !task.options.NoJSON {
			task.json = task.result.AppendJSON(task.json[:0], task.options.Reward, queue.cfg.Scorer)
		}
		queue.endPart(task, PartEncode)
		queue.cfg.Watch.reportStage("encode", task.partEnds[PartEncode]-task.partEnds[PartScore])
		if queue.cache != nil && !task.options.NoJSON {
			queue.cache.put(task.key.content, &task.result, task.json)
		}
	}
	task.releasePictures()
	queue.releaseMemory(task)
	queue.deliver(task)
}

// score computes the result of a task from its tallies, or from its fault if it has one. It then completes
// every result with the notes, the backend and the identity of the sample. A panic in the suite is an
// error of this sample alone, and its result is completed as well.
func (queue *Queue) score(task *task) {
	defer func() {
		if p := recover(); p != nil {
			task.job = nil
			task.failInternally(p)
		}
		task.completeResult(&task.result, queue.cfg.Engine.Backend())
		if named := task.identified.Load(); named != nil { // decoded: who made the answer, which suites do not set
			task.result.Who = named.answerer
		}
		task.result.Notes = slices.Clip(task.result.Notes) // readers share it: one that appends must get a copy
	}()
	switch {
	case task.job == nil: // preparing failed and has set the result
	case task.fault != nil:
		task.result = task.job.Fail(*task.fault)
	default:
		task.result = task.job.Score(task.tallies)
	}
	task.job = nil // frees the parsed answer
}

// failInternally sets the result of a task whose work panicked, so that only this sample
// fails.
func (task *task) failInternally(p any) {
	slog.Error("BUG: panic in a sample", "panic", fmt.Sprint(p), "line", task.line.Number, "stack", string(debug.Stack()))
	e := &scoring.Error{Code: "internal", Message: "cannot score item: internal error; the daemon's log has the details"}
	task.result, task.err = task.failedResult(e), e
}

// asError returns err as a scoring error: as it is, or with the code for an error of the
// renderer.
func asError(err error) *scoring.Error {
	var e *scoring.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, view.ErrForeign):
		return &scoring.Error{Code: "not_native", Message: err.Error()}
	case errors.Is(err, view.ErrFonts):
		return &scoring.Error{Code: "backend", Message: err.Error()}
	case errors.Is(err, view.ErrStopped):
		return &scoring.Error{Code: "deadline", Message: err.Error()}
	case errors.Is(err, scene.ErrLimit):
		return &scoring.Error{Code: "limit", Message: err.Error()}
	case errors.Is(err, scene.ErrInvalid):
		return &scoring.Error{Code: "bad_scene", Message: err.Error()}
	}
	return &scoring.Error{Code: "internal", Message: err.Error()}
}

// reportWait reports how long a sample waited for a worker.
func (w *Watch) reportWait(d time.Duration) {
	if w.Wait != nil {
		w.Wait(d)
	}
}

// reportStage reports how long a stage of a sample or batch took.
func (w *Watch) reportStage(name string, d time.Duration) {
	if w.Stage != nil {
		w.Stage(name, d)
	}
}
