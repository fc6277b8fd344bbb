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

// Judge gives verdicts on open answers. It is safe for concurrent use.
type Judge interface {
	// Known returns a verdict from memory, without a call.
	Known(q *scoring.Question) (j scoring.Judgement, ok bool)
	// Ask waits for a verdict, or for the end of ctx. The judgement holds any error.
	Ask(ctx context.Context, q *scoring.Question) scoring.Judgement
	// Width is how many questions may usefully wait at once.
	Width() int
}

// Verdicts take seconds. So samples that need one wait in a stage of their own before they
// go on to the device or to their score.

// needsJudge reports whether a task must wait for the judge's verdict, and sets its question then. A
// verdict that is in memory is given to the job at once. Without a judge no task waits.
func (q *Queue) needsJudge(t *task) bool {
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

// awaitVerdict asks the judge about the answer of a task, waits for the verdict and gives it to the job.
// It returns false if the task has no waiters left. If the readers leave while it waits and another one
// joins, it asks again.
func (q *Queue) awaitVerdict(t *task) bool {
	start := q.now()
	for !q.hasNoWaiters(t) {
		ctx := q.beginJudging(t)
		j := q.askJudge(ctx, t)
		readersLeft := errors.Is(ctx.Err(), context.Canceled)
		q.endJudging(t)
		if j.Err != nil && readersLeft {
			continue
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

// askJudge asks the judge the question of a task and waits for the verdict, or for the end of ctx. A
// panic becomes the fault of this task.
func (q *Queue) askJudge(ctx context.Context, t *task) (j scoring.Judgement) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("BUG: panic while a sample was judged", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			t.fault = &scoring.Error{Code: "internal", Message: "cannot judge answer: internal error; the log has the details"}
		}
	}()
	return q.cfg.Judge.Ask(ctx, t.question)
}

// beginJudging returns the context of a question to the judge, which ends when the last reader of the
// task leaves. In bulk work it also ends after judgeLimit, and the deadline of the task's readers is
// that of the judge until endJudging.
func (q *Queue) beginJudging(task *task) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	stop := cancel
	if task.bulk {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, q.judgeLimit(task.opt))
		stop = func() { cancel(); end() }
	}
	q.flights.mu.Lock()
	defer q.flights.mu.Unlock()
	task.stop = stop // leave calls it
	if task.noReaders() {
		cancel() // the last reader left before there was a context to end
	}
	if task.bulk {
		task.judging = true
		task.started.Store(int64(q.now()))
	}
	return ctx
}

// judgeLimit returns how long a sample of a stream may wait for its verdict: the deadline of the
// stream's options, at most Config.JudgeDeadline.
func (q *Queue) judgeLimit(o *Options) time.Duration {
	if o != nil && o.Deadline > 0 {
		return min(o.Deadline, q.cfg.JudgeDeadline)
	}
	return q.cfg.JudgeDeadline
}

// endJudging ends the context of beginJudging. The ordinary deadline of bulk work begins anew now.
func (q *Queue) endJudging(t *task) {
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
