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
	task      *task
	turn      uint64 // of the task
	since     time.Duration
	at        int  // place in Queue.occupied
	preparing bool // or finishing
	relieved  bool // a spare worker has taken its place
}

// runWorker is the loop of one worker: it scores measured samples first, else prepares one.
func (q *Queue) runWorker(w *worker) {
	for {
		t, measured, ok := q.take(w)
		if !ok {
			return
		}
		onward := !measured && w.prepare(t)
		if !q.done(w, t, onward) {
			return
		}
	}
}

// take waits for a task. measured says that the task is to be finished, else it is to be
// prepared. ok is false when the worker must end.
func (q *Queue) take(worker *worker) (task *task, measured, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.measured.len() > 0:
			task, measured = q.measured.pop(), true
		case q.waiting.len() > 0 && q.hasRoom():
			task = q.waiting.pop()
		case q.closed.Load() && q.drained():
			q.wake() // the last one wakes the others
			q.running.Done()
			return nil, false, false
		default:
			q.workers.Wait()
			continue
		}
		q.occupy(worker, task, !measured)
		return task, measured, true
	}
}

// finishMeasured finishes measured samples, as the workers do, so that they do not wait
// while all workers are busy.
func (q *Queue) finishMeasured() {
	for {
		t, ok := q.takeMeasured()
		if !ok {
			return
		}
		q.finish(t)
	}
}

// takeMeasured waits for a measured task. ok is false once the queue is closed and drained.
func (q *Queue) takeMeasured() (t *task, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.measured.len() == 0 {
		if q.closed.Load() && q.drained() {
			q.running.Done()
			return nil, false
		}
		q.finisher.Wait()
	}
	return q.measured.pop(), true
}

// done finishes a task, or if onward is true and somebody waits for it, queues it for its next part. It
// returns false if a spare worker has taken this one's place, so that it must end.
func (q *Queue) done(w *worker, t *task, onward bool) (stays bool) {
	onward = onward && !q.hasNoWaiters(t)
	if !onward {
		q.finish(t)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	stays = q.vacate(w)
	q.enqueueNext(t, onward)
	return stays
}

// enqueueNext queues a task for the next part that it needs: memory, the judge, pictures
// of the editor, the device, or its score. It queues nothing where onward is false,
// because the task is finished and may be in use for another sample. It wakes a
// dispatcher, which may wait for samples in preparation. The caller holds mu.
func (q *Queue) enqueueNext(t *task, onward bool) {
	switch {
	case !onward:
	case t.spilled:
		t.spilled = false
		q.large.push(t)
	case t.question != nil:
		q.judging.push(t)
	case t.late && t.fault == nil:
		q.late.push(t)
	case len(t.pics) > 0 && t.fault == nil:
		q.ready(t)
	default:
		q.measured.push(t)
		q.workers.Signal()
		q.finisher.Signal()
	}
	if onward || q.busy == 0 {
		q.device.Signal()
	}
	if q.closed.Load() {
		q.wake()
	}
}

// prepare decodes a sample and outlines its pictures. onward is true if the sample then goes on to be
// judged, drawn or measured, or back to wait for more memory; it is false if the sample is to be
// finished. A panic fails this sample alone, and the worker gets a new decoder and drawer.
func (w *worker) prepare(task *task) (onward bool) {
	if w.queue.hasNoWaiters(task) {
		return false
	}
	defer w.decoder.Trim()
	start := w.queue.now()
	task.started.Store(int64(start))
	task.marks[PartQueue] = start
	w.queue.cfg.Watch.wait(start - task.arrived)
	defer func() {
		if p := recover(); p != nil {
			w.drawer = w.queue.cfg.Engine.Drawer() // its buffers may be half written
			w.decoder = dump.NewDecoder(w.queue.cfg.Items)
			task.release()
			task.job = nil
			task.failInternally(p)
			onward = false
		}
	}()
	if task.view != nil {
		onward = w.scene(task)
	} else {
		onward = w.item(task, start)
	}
	if task.spilled {
		return w.queue.retryWithMemory(task)
	}
	return onward
}

// item prepares a sample that is scored: it decodes the line, makes the job and outlines the job's
// views. start is when the worker took the sample. onward is false if no later stage is needed:
// because the sample fails, or because its job needs neither a judge nor pictures. If there is no job, it sets the
// task's result itself. If a view cannot be drawn, it sets task.fault, from which the job makes the
// result later.
func (w *worker) item(task *task, start time.Duration) (onward bool) {
	it, e := w.decoder.Item(task.line, task.opt.Suite)
	task.label = identity{it.ID, it.Suite, it.Test, it.Who, start}
	task.who.Store(&task.label)
	task.read = it.Notes
	if e != nil {
		w.queue.mark(task, PartDecode)
		task.result = task.failed(e)
		return false
	}
	job, err := prepare(w.queue.cfg.Items.Suites.Find(it.Suite), it, task.opt.Variants)
	if err != nil {
		w.queue.mark(task, PartDecode)
		task.result = task.failed(asError(err))
		return false
	}
	task.job = job
	views := job.Views()
	w.queue.mark(task, PartDecode)
	decoded := task.marks[PartDecode]
	w.queue.cfg.Watch.stage("decode", decoded-start)
	for i := range views {
		if err := w.add(task, &views[i]); err != nil {
			w.queue.mark(task, PartOutline)
			task.release()
			task.fault = asError(err)
			return false
		}
	}
	if len(views) > 0 {
		w.queue.mark(task, PartOutline)
		w.queue.cfg.Watch.stage("render", task.marks[PartOutline]-decoded)
	}
	return w.queue.needsJudge(task) || len(views) > 0
}

// prepare makes the job of an item after its suite has checked that no member is missing.
func prepare(s *scoring.Suite, it *scoring.Item, v scoring.Variants) (scoring.Job, error) {
	if s.Lacking != nil {
		if err := s.Lacking(it); err != nil {
			return nil, err
		}
	}
	return s.Prepare(it, v)
}

// scene prepares the picture of a task of Draw.
func (w *worker) scene(t *task) (onward bool) {
	v, err := t.view()
	if err == nil {
		v.Picture = true // an image is wanted, not only sums
		err = w.add(t, &v)
	}
	t.err = err
	return err == nil
}

// add prepares one more picture of a sample for the device. Preparing stops when nobody waits for the
// sample any more. If it shows that the sample is large, task.spilled is set beside the error.
func (w *worker) add(task *task, v *view.View) error {
	wanted := *v
	wanted.Stop = func() bool { return w.queue.cancelled(task) }
	if task.weight < spilledWeight {
		wanted.Light = lightCoverage
	}
	p, err := w.drawer.Prepare(wanted)
	task.spilled = errors.Is(err, view.ErrLarge)
	if errors.Is(err, view.ErrStopped) { // the reader of a stream gets it after earlier lines
		return deadlineError(w.queue.limit(task.opt), w.queue.limit(task.opt) < w.queue.cfg.Deadline)
	}
	if err != nil {
		return err
	}
	task.pics = append(task.pics, p)
	if l, ok := p.(Late); ok {
		task.recordOrigin(l.Origin())
		return nil
	}
	task.cost(p)
	return nil
}

// cancelled reports whether the work on a task should stop: it has no readers left, or
// its deadline has passed.
func (q *Queue) cancelled(t *task) bool {
	// The reader of a stream may still wait for an earlier line, and then does not check this deadline.
	if t.bulk && t.opt != nil && q.now() > time.Duration(t.started.Load())+q.limit(t.opt) {
		return true
	}
	return q.hasNoWaiters(t)
}

// finish ends a task: it scores it if it is to be scored and somebody waits, writes its result line,
// keeps that in the cache, releases pictures and memory, and delivers the answer. Only the readers of
// the answer may use the task afterwards.
func (q *Queue) finish(task *task) {
	if task.view == nil && !q.hasNoWaiters(task) {
		start := q.now()
		q.score(task)
		q.mark(task, PartScore)
		q.cfg.Watch.stage("score", task.marks[PartScore]-start)
		if e := task.result.Err; e != nil && e.Code == "backend" && q.cfg.Tell != nil {
			task.result.Err = &scoring.Error{Code: e.Code, Message: q.cfg.Tell(e.Message)}
		}
		task.json = task.json[:0]
		if !task.opt.Bare {
			task.json = task.result.AppendJSON(task.json[:0], task.opt.Reward, q.cfg.Scorer)
		}
		q.mark(task, PartEncode)
		q.cfg.Watch.stage("encode", task.marks[PartEncode]-task.marks[PartScore])
		if q.cache != nil && !task.opt.Bare {
			q.cache.put(task.key.content, &task.result, task.json)
		}
	}
	task.release()
	q.releaseMemory(task)
	q.deliver(task)
}

// score computes the result of a task from its tallies, or from its fault if it has one. It then completes
// every result with the notes, the backend and the identity of the sample. A panic in the suite is an
// error of this sample alone, and its result is completed as well.
func (q *Queue) score(task *task) {
	defer func() {
		if p := recover(); p != nil {
			task.job = nil
			task.failInternally(p)
		}
		task.complete(&task.result, q.cfg.Engine.Backend())
		if named := task.who.Load(); named != nil { // decoded: who made the answer, which suites do not set
			task.result.Who = named.who
		}
		task.result.Notes = slices.Clip(task.result.Notes) // readers share it: one that appends must get a copy
	}()
	switch {
	case task.job == nil: // result was made by prepare
	case task.fault != nil:
		task.result = task.job.Fail(*task.fault)
	default:
		task.result = task.job.Score(task.tallies)
	}
	task.job = nil // frees the parsed answer
}

// failInternally sets the result of a task whose work panicked, so that only this sample
// fails.
func (t *task) failInternally(p any) {
	slog.Error("BUG: panic in a sample", "panic", fmt.Sprint(p), "line", t.line.N, "stack", string(debug.Stack()))
	e := &scoring.Error{Code: "internal", Message: "cannot score item: internal error; the daemon's log has the details"}
	t.result, t.err = t.failed(e), e
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

// wait reports how long a sample waited for a worker.
func (w *Watch) wait(d time.Duration) {
	if w.Wait != nil {
		w.Wait(d)
	}
}

// stage reports how long a stage of a sample or batch took.
func (w *Watch) stage(name string, d time.Duration) {
	if w.Stage != nil {
		w.Stage(name, d)
	}
}
