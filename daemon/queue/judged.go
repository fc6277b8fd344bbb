package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"plumb/scoring"
)

// DefaultJudgeDeadline is how long a sample of a stream waits for its judge.
const DefaultJudgeDeadline = 5 * time.Minute

// Judge answers what judged jobs ask. It is safe for concurrent use.
type Judge interface {
	// Known returns a verdict that is there already, at once.
	Known(q *scoring.Question) (j scoring.Judgement, ok bool)
	// Ask waits for a verdict, or for the end of ctx. What fails is in the judgement.
	Ask(ctx context.Context, q *scoring.Question) scoring.Judgement
	// Width is how many questions may usefully wait at once.
	Width() int
}

// Verdicts take seconds. Samples that need one wait in a stage, and go on to the device
// or to their score.

// asks finds out whether a job needs the judge. What is known already it gets at once.
func (q *Queue) asks(t *task) bool {
	job, ok := t.job.(scoring.Judged)
	if !ok || q.cfg.Judge == nil {
		return false
	}
	question, ok := job.Question()
	if !ok {
		return false
	}
	if j, ok := q.cfg.Judge.Known(&question); ok {
		job.Judge(j)
		return false
	}
	t.question = &question
	return true
}

// consult asks the judge; false where nobody waits for the sample any more.
func (q *Queue) consult(t *task) bool {
	start := q.now()
	for !q.gone(t) {
		ctx := q.hear(t)
		j := q.ask1(ctx, t)
		left := errors.Is(ctx.Err(), context.Canceled)
		q.heard(t)
		if j.Err != nil && left {
			continue // somebody may have come since
		}
		t.question = nil
		t.marks[PartJudge] = q.now()
		q.cfg.Watch.stage("judge", t.marks[PartJudge]-start)
		if t.fault == nil {
			t.job.(scoring.Judged).Judge(j)
		}
		return true
	}
	return false
}

// ask1 asks once. A panic is an error of this sample.
func (q *Queue) ask1(ctx context.Context, t *task) (j scoring.Judgement) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("BUG: panic while a sample was judged", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			t.fault = &scoring.Error{Code: "internal", Message: "cannot judge answer: internal error; the log has the details"}
		}
	}()
	return q.cfg.Judge.Ask(ctx, t.question)
}

// hear begins a hearing: it ends when the last reader leaves, in bulk work also when its
// time is over. The time of a stream's sample runs from now, and is the judge's.
func (q *Queue) hear(t *task) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	stop := cancel
	if t.bulk {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, q.judgeLimit(t.opt))
		stop = func() { cancel(); end() }
	}
	q.flights.mu.Lock()
	defer q.flights.mu.Unlock()
	if t.stop = stop; t.unwanted() {
		cancel()
	}
	if t.bulk {
		t.judging = true
		t.started.Store(int64(q.now()))
	}
	return ctx
}

// judgeLimit is how long a stream's sample may wait for its verdict: where the stream asks
// for a deadline, that.
func (q *Queue) judgeLimit(o *Options) time.Duration {
	if o != nil && o.Deadline > 0 {
		return min(o.Deadline, q.cfg.JudgeDeadline)
	}
	return q.cfg.JudgeDeadline
}

// heard ends it. From here the sample has its ordinary time, as if it began now.
func (q *Queue) heard(t *task) {
	q.flights.mu.Lock()
	stop := t.stop
	t.stop = nil
	if t.bulk {
		t.judging = false
		t.started.Store(int64(q.now()))
	}
	q.flights.mu.Unlock()
	stop()
}
