package queue

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"plumb/scoring"
)

// Pictures that the editor draws take a hundred times as long as those of the engine. So
// samples that need one wait in a stage of their own before they go on to the device.

// awaitPictures waits until the editor has drawn the late pictures of a sample, at most until the
// deadline of its readers. In bulk work, and if the editor first had to be made ready, the deadline
// begins anew now. It returns false if a picture fails, which fails the sample, or if nobody waits for
// it.
func (q *Queue) awaitPictures(task *task) (ok bool) {
	if q.hasNoWaiters(task) {
		return false
	}
	hadToWarm := q.warm(task)
	start := q.now()
	end := time.Duration(task.until.Load())
	if task.bulk {
		task.started.Store(int64(start))
	}
	if task.bulk || hadToWarm {
		end = start + q.limit(task.opt)
	}
	ctx, cancel := context.WithTimeout(context.Background(), end-start)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			slog.Error("BUG: panic in a picture that comes late", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			task.failPictures(&scoring.Error{Code: "internal", Message: "cannot draw picture: internal error; the log has the details"})
			ok = false
		}
	}()
	for _, p := range task.pics {
		l, ok := p.(Late)
		if !ok {
			continue
		}
		if err := l.Finish(ctx, task.view != nil); err != nil {
			if ctx.Err() != nil {
				err = deadlineError(q.limit(task.opt), q.limit(task.opt) < q.cfg.Deadline)
			}
			task.failPictures(err)
			return false
		}
		task.cost(p)
	}
	task.late = false
	q.mark(task, PartExport)
	q.cfg.Watch.stage("export", task.marks[PartExport]-start)
	return true
}

// cold is the value of task.warm while the editor is not ready.
const cold = -1

// warm waits until the editor is ready to draw a sample's pictures, and reports whether it had to
// wait.
func (q *Queue) warm(t *task) bool {
	if !q.cfg.Engine.Cold() {
		return false
	}
	t.warm.Store(cold)
	q.cfg.Engine.Warm()
	t.warm.Store(int64(q.now()))
	return true
}

// extraWait returns how long a reader waits beyond its deadline because the editor was not ready to draw;
// 0 or less means no longer. While the editor is made ready, the reader looks again after a tenth of a
// second; its whole time then runs from when the editor was ready.
func (q *Queue) extraWait(r *reader) time.Duration {
	switch _, _, readySince := q.waitState(r); readySince {
	case 0: // it never waited for the editor
		return 0
	case cold:
		return 100 * time.Millisecond
	default:
		return r.limit - (q.now() - readySince)
	}
}

// failPictures fails a sample one of whose pictures could not be drawn, and releases its pictures.
func (t *task) failPictures(err error) {
	t.release()
	t.fault, t.err = asError(err), err
}

// recordOrigin records that another backend draws a picture of the sample later, and why, as a note. A
// reason that several pictures have is noted once.
func (t *task) recordOrigin(o Origin) {
	t.late, t.backend = true, o.Backend
	if o.Reason == "" {
		return
	}
	n := scoring.Note{Code: "rendered_by_" + o.Backend, Path: o.Shape, Message: o.Reason}
	if !slices.Contains(t.notes, n) {
		t.notes = append(t.notes, n)
	}
}

// complete adds the notes on how the line was read, and the backend that drew the
// pictures, to a result. engine is the backend of native pictures.
func (t *task) complete(r *scoring.Result, engine string) {
	if t.read != nil {
		r.Notes = append(slices.Clip(t.read), r.Notes...)
	}
	if t.backend == "" {
		if r.Backend == "" {
			r.Backend = engine
		}
		return
	}
	r.Backend = t.backend
	r.Notes = append(slices.Clip(r.Notes), t.notes...)
}
