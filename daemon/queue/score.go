package queue

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
)

// Answer is the result of one sample with its timing.
type Answer struct {
	Line   int            // number of the line in its dump or body
	Result scoring.Result // read-only: others may have the same
	JSON   []byte         // the result line without line end
	Wait   time.Duration  // from arrival until a worker took the sample: Timing[PartQueue]
	Took   time.Duration  // from then until the answer: the rest of Timing
	Timing Timing         // both by parts
	Source Source
}

// Source says whether an answer was computed for its own request.
type Source uint8

// The sources. The answer is the same bytes whatever its source.
const (
	Computed Source = iota // computed for this request
	Shared                 // computed for an identical request in flight at the same time
	Cached                 // computed for an earlier request (--result-cache)
)

// String is "computed", "shared" or "cached".
func (s Source) String() string { return [...]string{"computed", "shared", "cached"}[s] }

// Picture is a drawn scene with the sums of its pixels.
type Picture struct {
	Image  *image.NRGBA
	Tally  metric.Tally
	Origin Origin // the backend that drew it
}

// Score scores one sample and waits for its answer, which is the caller's to
// keep. The error is ErrBusy, ErrClosed or that of ctx; everything that is wrong
// with the sample is in the answer. Identical samples in flight at the same time
// are scored once.
func (queue *Queue) Score(ctx context.Context, line dump.Line, options *Options) (Answer, error) {
	if err := queue.admit(); err != nil {
		return Answer{}, err
	}
	defer queue.inUse.Add(-1)
	reader, err := queue.submit(line, options, submitMode{priority: cmp.Or(options.Priority, PriorityHigh), share: true})
	if err != nil {
		queue.abandon(reader)
		return Answer{}, err
	}
	who, answered, err := queue.await(ctx, reader)
	if err != nil {
		queue.recycleReader(reader)
		return Answer{}, err
	}
	var answer Answer
	if answered {
		answer = queue.answer(reader)
		answer.JSON = slices.Clone(answer.JSON) // releaseAnswer gives up its memory
		queue.releaseAnswer(reader)
	} else {
		answer = queue.deadlineAnswer(reader, who)
		queue.recycleReader(reader)
	}
	queue.reportAnswer(&answer.Result)
	return answer, nil
}

// Draw makes one picture and waits for it, at PriorityNormal. view runs on a worker. A picture is
// not counted as a request: pictures are large, and callers bound them by more
// than their number. held is what the caller holds of Config.Memory for the scene, nil for
// nothing; where the picture needs more, held is released first and then grown. The error is
// ErrClosed, that of ctx, or what is wrong with the scene.
func (queue *Queue) Draw(ctx context.Context, held *memory.Hold, view func() (view.View, error)) (Picture, error) {
	const fromStream, share = false, false // its deadline runs from now on, and it joins no other work
	reader := queue.newReader(dump.Line{}, nil, fromStream)
	task, _ := queue.join(reader, key{priority: PriorityNormal}, share)
	task.viewToDraw, task.memory = view, held
	if err := queue.start(task); err != nil {
		queue.abandon(reader)
		return Picture{}, err
	}
	_, answered, err := queue.await(ctx, reader)
	if err != nil || !answered {
		queue.recycleReader(reader)
		const chosenByRequest = false
		return Picture{}, cmp.Or(err, error(deadlineError(queue.cfg.Deadline, chosenByRequest)))
	}
	defer queue.releaseAnswer(reader)
	picture, err := task.picture()
	picture.Origin.Backend = cmp.Or(task.backend, queue.cfg.Engine.Backend())
	for _, n := range task.originNotes { // one at most, as there is one picture: why the editor drew it
		picture.Origin.Reason, picture.Origin.Shape = n.Message, n.Path
	}
	return picture, err
}

// await waits for the answer of a request to the queue, whose deadline runs from its arrival. answered is
// false where the deadline passed; who then names the sample, or is nil where it was not decoded.
// After an error or a deadline the reader holds no task.
func (queue *Queue) await(ctx context.Context, reader *reader) (who *identity, answered bool, err error) {
	reader.timer.Reset(reader.arrived + reader.timeLimit - queue.now())
	overdue := false
wait:
	for {
		select {
		case <-reader.answered:
			return nil, true, nil
		case <-reader.timer.C:
			if more := queue.extraWait(reader); more > 0 {
				reader.timer.Reset(more)
				continue
			}
			overdue = true
			break wait
		case <-ctx.Done():
			err = ctx.Err()
			break wait
		}
	}
	who, left := queue.leave(reader, overdue)
	if !left { // the answer was delivered in the meantime
		<-reader.answered
		return nil, true, nil
	}
	return who, false, err
}

// deadlineError is the error of a sample that took longer than its deadline. chosenByRequest says that
// the request chose that, and not the daemon's flag: the message names what to change.
func deadlineError(deadline time.Duration, chosenByRequest bool) *scoring.Error {
	chosenBy := "--deadline"
	if chosenByRequest {
		chosenBy = "X-Deadline-Ms"
	}
	message := fmt.Sprintf("cannot score item in time: it took longer than %v (%s)", deadline, chosenBy)
	return &scoring.Error{Code: "deadline", Message: message}
}

// deadlineAnswer returns the answer of a sample whose deadline passed. Its timing has only the time
// until a worker took the sample, as PartQueue, and all the rest as PartReply. who names the sample; it is nil where
// the line was not decoded, and then the number of the line does.
func (queue *Queue) deadlineAnswer(reader *reader, who *identity) Answer {
	var ended partEnds // when each part of the work ended; a part that is 0 was not passed
	if who != nil {
		ended[PartQueue] = who.takenAt
	} else {
		who = &identity{id: fmt.Sprintf("line:%d", reader.lineNumber)}
	}
	chosenByRequest := reader.timeLimit < queue.cfg.Deadline // a request can only shorten the daemon's deadline
	answer := Answer{Line: reader.lineNumber, Result: scoring.Result{ID: who.id, Suite: who.suite, Test: who.test, Who: who.answerer,
		Err: deadlineError(reader.timeLimit, chosenByRequest), Backend: queue.cfg.Engine.Backend()}}
	answer.timed(ended.parts(reader.arrived, queue.now()))
	answer.JSON = answer.Result.AppendJSON(nil, reader.options.Reward, queue.cfg.Scorer)
	return answer
}

// answer returns the result that was delivered to a reader. Its JSON belongs to the cache or to
// the task, and is valid until releaseAnswer is called.
func (queue *Queue) answer(reader *reader) (answer Answer) {
	if reader.cached != nil {
		answer = Answer{Line: reader.lineNumber, Result: reader.cached.result, JSON: reader.cached.json, Source: Cached}
		answer.timed(new(partEnds).parts(reader.arrived, queue.now()))
		return answer
	}
	answer = Answer{Line: reader.lineNumber, Result: reader.task.result, JSON: reader.task.json}
	if reader.joined && !reader.retried { // else the work was done for this reader
		answer.Source = Shared
	}
	answer.timed(reader.task.partEnds.parts(reader.arrived, queue.now()))
	return answer
}

// timed sets the timing of an answer.
func (a *Answer) timed(t Timing) {
	a.Timing, a.Wait = t, t[PartQueue]
	a.Took = t.Total() - a.Wait
}

// picture returns the image and the tally of a finished task of Draw.
func (task *task) picture() (Picture, error) {
	if task.err != nil {
		return Picture{}, task.err
	}
	if len(task.drawn) != 1 || len(task.tallies) != 1 {
		return Picture{}, fmt.Errorf("BUG: got %d images and %d tallies of one picture", len(task.drawn), len(task.tallies))
	}
	return Picture{Image: task.drawn[0], Tally: task.tallies[0]}, nil
}

// reportAnswer reports an answer to Watch.
func (queue *Queue) reportAnswer(r *scoring.Result) {
	if queue.cfg.Watch.Sample != nil {
		queue.cfg.Watch.Sample(r)
	}
}
