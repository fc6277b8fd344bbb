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

// Answer is what became of one sample.
type Answer struct {
	Line   int            // number of the line in its dump or body
	Result scoring.Result // read-only: others may have the same
	JSON   []byte         // the result line without line end
	Wait   time.Duration  // from arrival until a worker took the sample: Timing[PartQueue]
	Took   time.Duration  // from then until the answer: the rest of Timing
	Timing Timing         // where both went
	Source Source
}

// Source tells whose work an answer is.
type Source uint8

// The sources. The answer is the same bytes whatever its source.
const (
	Computed Source = iota // done for this request
	Shared                 // an identical request's, in flight at the same time
	Cached                 // an earlier one's (--result-cache)
)

// String is "computed", "shared" or "cached".
func (s Source) String() string { return [...]string{"computed", "shared", "cached"}[s] }

// Picture is a drawn scene and what was measured of it.
type Picture struct {
	Image  *image.NRGBA
	Tally  metric.Tally
	Origin Origin // who drew it
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
	r, err := q.ask(l, o, cmp.Or(o.Priority, PriorityHigh), false, true)
	if err != nil {
		q.discard(r)
		return Answer{}, err
	}
	who, ok, err := q.await(ctx, r)
	if err != nil {
		q.free(r)
		return Answer{}, err
	}
	var a Answer
	if ok {
		a = q.answer(r)
		a.JSON = slices.Clone(a.JSON)
		q.finished(r)
	} else {
		a = q.lateAnswer(r, who)
		q.free(r)
	}
	q.sample(&a.Result)
	return a, nil
}

// Draw makes one picture and waits for it, at PriorityNormal. view runs on a worker. A picture is
// not counted as a request: pictures are large, and callers bound them by more
// than their number. held is what the caller holds of Config.Memory for the scene, nil for
// nothing; where the picture needs more, held is released and grows anew. The error is
// ErrClosed, that of ctx, or what is wrong with the scene.
func (q *Queue) Draw(ctx context.Context, held *memory.Hold, view func() (view.View, error)) (Picture, error) {
	r := q.reader(dump.Line{}, nil, false)
	t, _ := q.join(r, key{priority: PriorityNormal}, false)
	t.view, t.memory = view, held
	if err := q.start(t); err != nil {
		q.discard(r)
		return Picture{}, err
	}
	_, ok, err := q.await(ctx, r)
	if err != nil || !ok {
		q.free(r)
		return Picture{}, cmp.Or(err, error(late(q.cfg.Deadline, false)))
	}
	defer q.finished(r)
	p, err := t.picture()
	p.Origin.Backend = cmp.Or(t.backend, q.cfg.Engine.Backend())
	for _, n := range t.notes {
		p.Origin.Reason, p.Origin.Shape = n.Message, n.Path
	}
	return p, err
}

// discard ends a reader whose answer nobody looks at: it is there, or nothing
// will be.
func (q *Queue) discard(r *reader) {
	select {
	case <-r.done:
		q.finished(r)
	default:
		q.free(r)
	}
}

// await waits for the answer of a request, whose deadline runs from its arrival.
// ok is false where the deadline passed, and who is then what is known of the
// sample. After an error or a deadline the reader holds no task.
func (q *Queue) await(ctx context.Context, r *reader) (who *naming, ok bool, err error) {
	r.timer.Reset(r.arrived + r.limit - q.now())
	overdue := false
wait:
	for {
		select {
		case <-r.done:
			return nil, true, nil
		case <-r.timer.C:
			if more := q.grace(r); more > 0 {
				r.timer.Reset(more)
				continue
			}
			overdue = true
			break wait
		case <-ctx.Done():
			err = ctx.Err()
			break wait
		}
	}
	if who, ok = q.leave(r, overdue); !ok {
		<-r.done
		return nil, true, nil
	}
	return who, false, err
}

// late is the error of a sample that took longer than d; asked says that the
// request chose d.
func late(d time.Duration, asked bool) *scoring.Error {
	by := "--deadline"
	if asked {
		by = "X-Deadline-Ms"
	}
	return &scoring.Error{Code: "deadline", Message: fmt.Sprintf("cannot score item in time: it took longer than %v (%s)", d, by)}
}

// lateAnswer is the answer of a sample whose deadline passed. What is known of
// its time is when it arrived and when a worker took it.
func (q *Queue) lateAnswer(r *reader, who *naming) Answer {
	var m marks
	if who != nil {
		m[PartQueue] = who.taken
	} else {
		who = &naming{id: fmt.Sprintf("line:%d", r.n)}
	}
	a := Answer{Line: r.n, Result: scoring.Result{ID: who.id, Suite: who.suite, Test: who.test, Who: who.who,
		Err: late(r.limit, r.limit < q.cfg.Deadline), Backend: q.cfg.Engine.Backend()}}
	a.timed(m.parts(r.arrived, q.now()))
	a.JSON = a.Result.AppendJSON(nil, r.opt.Reward, q.cfg.Scorer)
	return a
}

// answer reads the answer that is there; its JSON is not the reader's.
func (q *Queue) answer(r *reader) (a Answer) {
	if r.hit != nil {
		a = Answer{Line: r.n, Result: r.hit.result, JSON: r.hit.json, Source: Cached}
		a.timed(new(marks).parts(r.arrived, q.now()))
		return a
	}
	a = Answer{Line: r.n, Result: r.t.result, JSON: r.t.json}
	if r.joined && !r.again {
		a.Source = Shared
	}
	a.timed(r.t.marks.parts(r.arrived, q.now()))
	return a
}

// timed says where the time went.
func (a *Answer) timed(t Timing) {
	a.Timing, a.Wait = t, t[PartQueue]
	a.Took = t.Total() - a.Wait
}

func (t *task) picture() (Picture, error) {
	if t.err != nil {
		return Picture{}, t.err
	}
	if len(t.drawn) != 1 || len(t.tallies) != 1 {
		return Picture{}, fmt.Errorf("BUG: got %d images and %d tallies of one picture", len(t.drawn), len(t.tallies))
	}
	return Picture{Image: t.drawn[0], Tally: t.tallies[0]}, nil
}

// sample counts an answer.
func (q *Queue) sample(r *scoring.Result) {
	if q.cfg.Watch.Sample != nil {
		q.cfg.Watch.Sample(r)
	}
}
