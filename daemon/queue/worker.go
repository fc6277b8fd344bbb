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
	q       *Queue
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
func (q *Queue) take(w *worker) (t *task, measured, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.measured.len() > 0:
			t, measured = q.measured.pop(), true
		case q.waiting.len() > 0 && q.hasRoom():
			t = q.waiting.pop()
		case q.closed.Load() && q.drained():
			q.wake() // the last one wakes the others
			q.running.Done()
			return nil, false, false
		default:
			q.workers.Wait()
			continue
		}
		q.occupy(w, t, !measured)
		return t, measured, true
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
func (w *worker) prepare(t *task) (onward bool) {
	if w.q.hasNoWaiters(t) {
		return false
	}
	defer w.decoder.Trim()
	start := w.q.now()
	t.started.Store(int64(start))
	t.marks[PartQueue] = start
	w.q.cfg.Watch.wait(start - t.arrived)
	defer func() {
		if p := recover(); p != nil {
			w.drawer = w.q.cfg.Engine.Drawer() // its buffers may be half written
			w.decoder = dump.NewDecoder(w.q.cfg.Items)
			t.release()
			t.job = nil
			t.failInternally(p)
			onward = false
		}
	}()
	if t.view != nil {
		onward = w.scene(t)
	} else {
		onward = w.item(t, start)
	}
	if t.spilled {
		return w.q.retryWithMemory(t)
	}
	return onward
}

// item prepares a sample that is scored: it decodes the line, makes the job and outlines the job's
// views. start is when the worker took the sample. onward is false if the sample fails, or if its job
// needs neither a judge nor pictures.
func (w *worker) item(t *task, start time.Duration) (onward bool) {
	it, e := w.decoder.Item(t.line, t.opt.Suite)
	t.label = identity{it.ID, it.Suite, it.Test, it.Who, start}
	t.who.Store(&t.label)
	t.read = it.Notes
	if e != nil {
		w.q.mark(t, PartDecode)
		t.result = t.failed(e)
		return false
	}
	job, err := prepare(w.q.cfg.Items.Suites.Find(it.Suite), it, t.opt.Variants)
	if err != nil {
		w.q.mark(t, PartDecode)
		t.result = t.failed(asError(err))
		return false
	}
	t.job = job
	views := job.Views()
	w.q.mark(t, PartDecode)
	decoded := t.marks[PartDecode]
	w.q.cfg.Watch.stage("decode", decoded-start)
	for i := range views {
		if err := w.add(t, &views[i]); err != nil {
			w.q.mark(t, PartOutline)
			t.release()
			t.fault = asError(err)
			return false
		}
	}
	if len(views) > 0 {
		w.q.mark(t, PartOutline)
		w.q.cfg.Watch.stage("render", t.marks[PartOutline]-decoded)
	}
	return w.q.needsJudge(t) || len(views) > 0
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
// sample any more. If it shows that the sample is large, t.spilled is set beside the error.
func (w *worker) add(t *task, v *view.View) error {
	wanted := *v
	wanted.Stop = func() bool { return w.q.cancelled(t) }
	if t.weight < spilledWeight {
		wanted.Light = lightCoverage
	}
	p, err := w.drawer.Prepare(wanted)
	t.spilled = errors.Is(err, view.ErrLarge)
	if errors.Is(err, view.ErrStopped) { // the reader of a stream gets it after earlier lines
		return deadlineError(w.q.limit(t.opt), w.q.limit(t.opt) < w.q.cfg.Deadline)
	}
	if err != nil {
		return err
	}
	t.pics = append(t.pics, p)
	if l, ok := p.(Late); ok {
		t.recordOrigin(l.Origin())
		return nil
	}
	t.cost(p)
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
func (q *Queue) finish(t *task) {
	if t.view == nil && !q.hasNoWaiters(t) {
		start := q.now()
		q.score(t)
		q.mark(t, PartScore)
		q.cfg.Watch.stage("score", t.marks[PartScore]-start)
		if e := t.result.Err; e != nil && e.Code == "backend" && q.cfg.Tell != nil {
			t.result.Err = &scoring.Error{Code: e.Code, Message: q.cfg.Tell(e.Message)}
		}
		t.json = t.json[:0]
		if !t.opt.Bare {
			t.json = t.result.AppendJSON(t.json[:0], t.opt.Reward, q.cfg.Scorer)
		}
		q.mark(t, PartEncode)
		q.cfg.Watch.stage("encode", t.marks[PartEncode]-t.marks[PartScore])
		if q.cache != nil && !t.opt.Bare {
			q.cache.put(t.key.content, &t.result, t.json)
		}
	}
	t.release()
	q.releaseMemory(t)
	q.deliver(t)
}

// score computes the result of a task from its tallies, or from its fault if it has one. It then completes
// every result with the notes, the backend and the identity of the sample. A panic in the suite is an
// error of this sample alone, and its result is completed as well.
func (q *Queue) score(t *task) {
	defer func() {
		if p := recover(); p != nil {
			t.job = nil
			t.failInternally(p)
		}
		t.complete(&t.result, q.cfg.Engine.Backend())
		if named := t.who.Load(); named != nil { // decoded: who made the answer, which suites do not set
			t.result.Who = named.who
		}
		t.result.Notes = slices.Clip(t.result.Notes) // readers share it: one that appends must get a copy
	}()
	switch {
	case t.job == nil: // result was made by prepare
	case t.fault != nil:
		t.result = t.job.Fail(*t.fault)
	default:
		t.result = t.job.Score(t.tallies)
	}
	t.job = nil // frees the parsed answer
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
