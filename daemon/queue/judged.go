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
func (queue *Queue) needsJudge(task *task) bool {
	job, ok := task.job.(scoring.Judged)
	if !ok || queue.cfg.Judge == nil {
		return false
	}
	question, ok := job.Question()
	if !ok {
		return false
	}
	if verdict, ok := queue.cfg.Judge.Known(&question); ok {
		job.Judge(verdict)
		return false
	}
	task.question = &question
	return true
}

// awaitVerdict asks the judge about the answer of a task, waits for the verdict and gives it to the job.
// It returns false if nobody waits for the task any more. When the last reader leaves, the question is
// cancelled; if another reader has joined since, it is asked again.
func (queue *Queue) awaitVerdict(task *task) bool {
	start := queue.now()
	for !queue.giveUpIfUnread(task) {
		ctx := queue.beginJudging(task)
		j := queue.askJudge(ctx, task)
		allReadersGone := errors.Is(ctx.Err(), context.Canceled)
		queue.endJudging(task)
		if j.Err != nil && allReadersGone {
			continue
		}
		task.question = nil
		task.partEnds[PartJudge] = queue.now()
		queue.cfg.Watch.reportStage("judge", task.partEnds[PartJudge]-start)
		if task.fault == nil {
			task.job.(scoring.Judged).Judge(j)
		}
		return true
	}
	return false
}

// askJudge asks the judge the question of a task and waits for the verdict, or for the end of ctx. A
// panic becomes the fault of this task.
func (queue *Queue) askJudge(ctx context.Context, task *task) (j scoring.Judgement) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("BUG: panic while a sample was judged", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			task.fault = &scoring.Error{Code: "internal", Message: "cannot judge answer: internal error; the log has the details"}
		}
	}()
	return queue.cfg.Judge.Ask(ctx, task.question)
}

// beginJudging returns the context of a question to the judge. It ends when the last reader of the task
// leaves, and in bulk work, the work of streams, also after judgeLimit. In bulk work the task is marked
// as being judged until endJudging: readers then wait as long as the judge may take, from now on, and
// not for their ordinary deadline.
func (queue *Queue) beginJudging(task *task) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	stop := cancel
	if task.fromStream {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, queue.judgeLimit(task.options))
		stop = func() { cancel(); end() }
	}
	queue.flights.mu.Lock()
	defer queue.flights.mu.Unlock()
	task.stopJudging = stop // leave calls it
	if task.hasNoReaders() {
		cancel() // the last reader left before there was a context to end
	}
	if task.fromStream {
		task.beingJudged = true
		task.deadlineStart.Store(int64(queue.now()))
	}
	return ctx
}

// judgeLimit returns how long a sample of a stream may wait for its verdict: the deadline of the
// stream's options, at most Config.JudgeDeadline.
func (queue *Queue) judgeLimit(o *Options) time.Duration {
	if o != nil && o.Deadline > 0 {
		return min(o.Deadline, queue.cfg.JudgeDeadline)
	}
	return queue.cfg.JudgeDeadline
}

// endJudging ends the context of beginJudging. The ordinary deadline of bulk work begins anew now.
func (queue *Queue) endJudging(task *task) {
	queue.flights.mu.Lock()
	stop := task.stopJudging
	task.stopJudging = nil
	if task.fromStream {
		task.beingJudged = false
		task.deadlineStart.Store(int64(queue.now()))
	}
	queue.flights.mu.Unlock()
	stop()
}
