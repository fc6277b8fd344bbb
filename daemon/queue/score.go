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
func (q *Queue) Score(ctx context.Context, l dump.Line, o *Options) (Answer, error) {
	if err := q.admit(); err != nil {
		return Answer{}, err
	}
	defer q.inUse.Add(-1)
	reader, err := q.submit(l, o, manner{priority: cmp.Or(o.Priority, PriorityHigh), share: true})
	if err != nil {
		q.abandon(reader)
		return Answer{}, err
	}
	who, ok, err := q.await(ctx, reader)
	if err != nil {
		q.free(reader)
		return Answer{}, err
	}
	var a Answer
	if ok {
		a = q.answer(reader)
		a.JSON = slices.Clone(a.JSON) // finished gives up its memory
		q.finished(reader)
	} else {
		a = q.deadlineAnswer(reader, who)
		q.free(reader)
	}
	q.sample(&a.Result)
	return a, nil
}

// Draw makes one picture and waits for it, at PriorityNormal. view runs on a worker. A picture is
// not counted as a request: pictures are large, and callers bound them by more
// than their number. held is what the caller holds of Config.Memory for the scene, nil for
// nothing; where the picture needs more, held is released first and then grown. The error is
// ErrClosed, that of ctx, or what is wrong with the scene.
func (q *Queue) Draw(ctx context.Context, held *memory.Hold, view func() (view.View, error)) (Picture, error) {
	r := q.reader(dump.Line{}, nil, false)
	t, _ := q.join(r, key{priority: PriorityNormal}, false)
	t.view, t.memory = view, held
	if err := q.start(t); err != nil {
		q.abandon(r)
		return Picture{}, err
	}
	_, ok, err := q.await(ctx, r)
	if err != nil || !ok {
		q.free(r)
		return Picture{}, cmp.Or(err, error(deadlineError(q.cfg.Deadline, false)))
	}
	defer q.finished(r)
	p, err := t.picture()
	p.Origin.Backend = cmp.Or(t.backend, q.cfg.Engine.Backend())
	for _, n := range t.notes { // one at most, as there is one picture: why the editor drew it
		p.Origin.Reason, p.Origin.Shape = n.Message, n.Path
	}
	return p, err
}

// await waits for the answer of a request to the queue, whose deadline runs from its arrival. ok is
// false where the deadline passed; who then names the sample, or is nil where it was not decoded.
// After an error or a deadline the reader holds no task.
func (q *Queue) await(ctx context.Context, reader *reader) (who *identity, ok bool, err error) {
	reader.timer.Reset(reader.arrived + reader.limit - q.now())
	overdue := false
wait:
	for {
		select {
		case <-reader.done:
			return nil, true, nil
		case <-reader.timer.C:
			if more := q.extraWait(reader); more > 0 {
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
	who, ok = q.leave(reader, overdue)
	if !ok { // the answer was delivered in the meantime
		<-reader.done
		return nil, true, nil
	}
	return who, false, err
}

// deadlineError is the error of a sample that took longer than d. asked says that the
// request chose d, and not the daemon's flag.
func deadlineError(d time.Duration, asked bool) *scoring.Error {
	chosenBy := "--deadline"
	if asked {
		chosenBy = "X-Deadline-Ms"
	}
	message := fmt.Sprintf("cannot score item in time: it took longer than %v (%s)", d, chosenBy)
	return &scoring.Error{Code: "deadline", Message: message}
}

// deadlineAnswer returns the answer of a sample whose deadline passed. Its timing has
// only the time in the queue and the rest. who is as await returns it.
func (q *Queue) deadlineAnswer(r *reader, who *identity) Answer {
	var m marks
	if who != nil {
		m[PartQueue] = who.taken
	} else {
		who = &identity{id: fmt.Sprintf("line:%d", r.lineNumber)}
	}
	a := Answer{Line: r.lineNumber, Result: scoring.Result{ID: who.id, Suite: who.suite, Test: who.test, Who: who.who,
		Err: deadlineError(r.limit, r.limit < q.cfg.Deadline), Backend: q.cfg.Engine.Backend()}}
	a.timed(m.parts(r.arrived, q.now()))
	a.JSON = a.Result.AppendJSON(nil, r.opt.Reward, q.cfg.Scorer)
	return a
}

// answer returns the result that was delivered to the reader r. Its JSON belongs to the cache or to
// the task, and is valid until finished is called.
func (q *Queue) answer(r *reader) (a Answer) {
	if r.hit != nil {
		a = Answer{Line: r.lineNumber, Result: r.hit.result, JSON: r.hit.json, Source: Cached}
		a.timed(new(marks).parts(r.arrived, q.now()))
		return a
	}
	a = Answer{Line: r.lineNumber, Result: r.task.result, JSON: r.task.json}
	if r.joined && !r.repeated {
		a.Source = Shared
	}
	a.timed(r.task.marks.parts(r.arrived, q.now()))
	return a
}

// timed sets the timing of an answer.
func (a *Answer) timed(t Timing) {
	a.Timing, a.Wait = t, t[PartQueue]
	a.Took = t.Total() - a.Wait
}

// picture returns the image and the tally of a finished task of Draw.
func (t *task) picture() (Picture, error) {
	if t.err != nil {
		return Picture{}, t.err
	}
	if len(t.drawn) != 1 || len(t.tallies) != 1 {
		return Picture{}, fmt.Errorf("BUG: got %d images and %d tallies of one picture", len(t.drawn), len(t.tallies))
	}
	return Picture{Image: t.drawn[0], Tally: t.tallies[0]}, nil
}

// sample reports an answer to Watch.
func (q *Queue) sample(r *scoring.Result) {
	if q.cfg.Watch.Sample != nil {
		q.cfg.Watch.Sample(r)
	}
}
