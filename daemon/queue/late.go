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

// Pictures that others draw take a hundred times as long as those of the engine.
// So samples that need one wait in a stage, and go on to the device like all others.

// fetch waits for the late pictures of a sample. It returns false where one fails.
func (q *Queue) fetch(t *task) (ok bool) {
	if q.gone(t) {
		return false
	}
	thawed := q.warm(t)
	start := q.now()
	end := time.Duration(t.until.Load())
	if t.bulk {
		t.started.Store(int64(start))
	}
	if t.bulk || thawed {
		end = start + q.limit(t.opt)
	}
	ctx, cancel := context.WithTimeout(context.Background(), end-start)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			slog.Error("BUG: panic in a picture that comes late", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			t.fail(&scoring.Error{Code: "internal", Message: "cannot draw picture: internal error; the log has the details"})
			ok = false
		}
	}()
	for _, p := range t.pics {
		l, ok := p.(Late)
		if !ok {
			continue
		}
		if err := l.Finish(ctx, t.view != nil); err != nil {
			if ctx.Err() != nil {
				err = late(q.limit(t.opt), q.limit(t.opt) < q.cfg.Deadline)
			}
			t.fail(err)
			return false
		}
		t.cost(p)
	}
	t.late = false
	q.mark(t, PartExport)
	q.cfg.Watch.stage("export", t.marks[PartExport]-start)
	return true
}

// cold is the value of task.warm while others are not ready.
const cold = -1

// warm waits until others are ready to draw, and reports whether they were not.
func (q *Queue) warm(t *task) bool {
	if !q.cfg.Engine.Cold() {
		return false
	}
	t.warm.Store(cold)
	q.cfg.Engine.Warm()
	t.warm.Store(int64(q.now()))
	return true
}

// grace is how long a reader waits beyond its deadline, because others were not
// ready to draw; 0 or less for no longer.
func (q *Queue) grace(r *reader) time.Duration {
	switch _, _, since := q.glance(r); since {
	case 0:
		return 0
	case cold:
		return 100 * time.Millisecond
	default:
		return r.limit - (q.now() - since)
	}
}

// fail ends a sample one of whose pictures could not be made.
func (t *task) fail(err error) {
	t.release()
	t.fault, t.err = asError(err), err
}

// comesLate notes who draws a picture of the sample, and why.
func (t *task) comesLate(o Origin) {
	t.late, t.backend = true, o.Backend
	if o.Reason == "" {
		return
	}
	n := scoring.Note{Code: "rendered_by_" + o.Backend, Path: o.Shape, Message: o.Reason}
	if !slices.Contains(t.notes, n) {
		t.notes = append(t.notes, n)
	}
}

// named completes a result with how its line was read and who drew its pictures.
func (t *task) named(r *scoring.Result, engine string) {
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
