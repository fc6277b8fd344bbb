package queue

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/scoring"
)

// streamBytes is the most memory in bytes that the lines of one stream hold
// while they are under way; a longer line goes alone.
const streamBytes = 64 << 20

// Stream scores the lines of one dump in order. One goroutine calls Put and
// then End, another one Next until io.EOF; Stop may be called by either.
type Stream struct {
	queue  *Queue
	opt    *Options
	ctx    context.Context
	order  chan *reader
	seen   *scoring.Answers
	head   *reader // taken from order, not yet returned
	last   *reader // of the answer that Next returned last
	answer Answer  // returned by Next
	noted  []byte  // the JSON of an answer with a note on duplicates
	timer  *time.Timer
	memory *memory.Hold // nil for no bound

	mu   sync.Mutex // guards held
	free *sync.Cond
	held int // bytes under way
}

// Stream begins a stream. Cancelling ctx stops it.
func (q *Queue) Stream(ctx context.Context, o *Options) *Stream {
	s := &Stream{queue: q, opt: o, ctx: ctx, order: make(chan *reader, q.cfg.Window),
		seen: scoring.NewAnswers(scoring.MaxAnswers), timer: time.NewTimer(time.Hour), memory: o.Memory.Hold(o.Client)}
	s.free = sync.NewCond(&s.mu)
	context.AfterFunc(ctx, s.wake)
	return s
}

// wake lets the goroutine that sends lines check again whether the stream has ended.
func (s *Stream) wake() {
	s.mu.Lock()
	s.free.Broadcast()
	s.mu.Unlock()
}

// Put submits the next line; it waits while as many as allowed are under way. The caller
// may reuse the line afterwards. The error is that of ctx, or ErrClosed.
func (s *Stream) Put(l dump.Line) error {
	counted, err := s.hold(len(l.Bytes))
	if err != nil {
		return err
	}
	r, err := s.queue.submit(l, s.opt, manner{priority: cmp.Or(s.opt.Priority, PriorityBulk), bulk: true, share: s.opt.Share})
	r.counted = counted
	select {
	case s.order <- r:
	case <-s.ctx.Done():
		s.queue.abandon(r)
		return s.ctx.Err()
	}
	return err
}

// hold waits until a line of n bytes fits into what the stream may have under way and into the memory of
// its client. counted is how many bytes were taken from that memory: n, or 0 for the only line under
// way, which goes on even if there is no room for it. The error is that of the stream's context.
func (s *Stream) hold(n int) (counted int, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fits := func() bool {
		alone := s.held == 0
		return (alone || s.held+n <= streamBytes) && s.memory.Try(int64(n))
	}
	counted = n
	for !fits() {
		if s.held == 0 || s.ctx.Err() != nil {
			counted = 0
			break
		}
		s.free.Wait()
	}
	s.held += n
	return counted, s.ctx.Err()
}

// drop returns the bytes that the line of a reader held to the stream's memory.
func (s *Stream) drop(r *reader) {
	s.mu.Lock()
	s.held -= r.size
	s.memory.Shrink(int64(r.counted))
	s.free.Signal()
	s.mu.Unlock()
}

// End marks the end of the lines.
func (s *Stream) End() { close(s.order) }

// Next waits for the next answer in order, which is valid until the next call.
// The error is io.EOF after the last one, or that of ctx.
func (s *Stream) Next() (Answer, error) {
	r, a, err := s.wait()
	if err != nil {
		return Answer{}, err
	}
	if r == nil {
		return a, nil
	}
	s.answer = s.queue.answer(r)
	s.note(&s.answer)
	s.queue.sample(&s.answer.Result)
	s.last = r
	return s.answer, nil
}

// Ready reports whether the next answer is there, so that Next would not wait.
func (s *Stream) Ready() bool {
	if s.head == nil {
		select {
		case r, ok := <-s.order:
			if !ok {
				return false
			}
			s.head = r
		default:
			return false
		}
	}
	return len(s.head.done) > 0
}

// wait waits for the answer of the oldest sample and returns its reader, or no reader and
// an answer with an error where the deadline passed. The deadline runs from the moment a
// worker takes the sample, so that the answer does not depend on the samples before it.
func (s *Stream) wait() (*reader, Answer, error) {
	if s.last != nil {
		s.queue.finished(s.last)
		s.last = nil
	}
	reader := s.head
	s.head = nil
	if reader == nil {
		select {
		case got, ok := <-s.order:
			if !ok {
				s.memory.Close()
				return nil, Answer{}, io.EOF
			}
			reader = got
		case <-s.ctx.Done():
			return s.cancel(nil)
		}
	}
	for {
		select {
		case <-reader.done:
			s.drop(reader)
			return reader, Answer{}, nil
		default:
		}
		s.timer.Reset(s.timeLeft(reader))
		select {
		case <-reader.done:
			s.drop(reader)
			return reader, Answer{}, nil
		case <-s.ctx.Done():
			return s.cancel(reader)
		case <-s.timer.C:
		}
		if s.timeLeft(reader) > 0 {
			continue
		}
		if who, ok := s.queue.leave(reader, true); ok { // otherwise the answer has come, and done is ready
			s.drop(reader)
			a := s.queue.deadlineAnswer(reader, who)
			s.queue.sample(&a.Result)
			s.queue.free(reader)
			return nil, a, nil
		}
	}
}

// timeLeft returns how long a reader waits before it checks again; 0 or less means that its deadline has
// passed. The time runs from when the work began, or from when the reader joined it if that was later.
// While the work has not begun, the reader checks ten times a second.
func (s *Stream) timeLeft(r *reader) time.Duration {
	started, limit, _ := s.queue.waitState(r)
	if started == 0 {
		return 100 * time.Millisecond
	}
	return max(started, r.arrived) + limit - s.queue.now()
}

// abandon ends the wait of a reader whose answer is not wanted, and returns the reader to the
// pool. It leaves the task where no answer was delivered yet. Where one was, or came from the
// cache, it ends the use of the answer, so that the task's memory can be reused.
func (q *Queue) abandon(r *reader) {
	if r.hit == nil {
		if _, ok := q.leave(r, false); ok {
			q.free(r)
			return
		}
	}
	<-r.done
	q.finished(r)
}

// cancel abandons the sample of r, which may be nil, and all samples of the stream after it.
func (s *Stream) cancel(r *reader) (*reader, Answer, error) {
	defer s.memory.Close()
	if r != nil {
		s.queue.abandon(r)
	}
	go func() { // until End, because Put may still be adding readers
		for r := range s.order {
			s.queue.abandon(r)
		}
	}()
	return nil, Answer{}, s.ctx.Err()
}

// note adds a note to an answer that occurred on an earlier line of the stream. It copies the
// notes, because other readers may share the result.
func (s *Stream) note(a *Answer) {
	if s.opt.Unmarked || a.Result.Line != 0 || s.seen.First(&a.Result) {
		return
	}
	a.Result.Notes = append(slices.Clip(a.Result.Notes), scoring.Duplicate)
	s.noted = a.Result.AppendJSON(s.noted[:0], s.opt.Reward, s.queue.cfg.Scorer)
	a.JSON = s.noted
}
