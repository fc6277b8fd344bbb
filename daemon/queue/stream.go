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
	queue          *Queue
	opt            *Options
	ctx            context.Context
	order          chan *reader
	earlierAnswers *scoring.Answers
	head           *reader // taken from order, not yet returned
	last           *reader // of the answer that Next returned last
	answer         Answer  // returned by Next
	noted          []byte  // the JSON of an answer with a note on duplicates
	timer          *time.Timer
	memory         *memory.Hold // nil for no bound

	mu   sync.Mutex // guards held
	free *sync.Cond
	held int // bytes under way
}

// Stream begins a stream of lines with the same options, whose results come in the order of the lines.
// Cancelling ctx stops it.
func (queue *Queue) Stream(ctx context.Context, o *Options) *Stream {
	stream := &Stream{queue: queue, opt: o, ctx: ctx, order: make(chan *reader, queue.cfg.Window),
		earlierAnswers: scoring.NewAnswers(scoring.MaxAnswers), timer: time.NewTimer(time.Hour), memory: o.Memory.Hold(o.Client)}
	stream.free = sync.NewCond(&stream.mu)
	context.AfterFunc(ctx, stream.wake)
	return stream
}

// wake lets the goroutine that sends lines check again whether the stream has ended.
func (stream *Stream) wake() {
	stream.mu.Lock()
	stream.free.Broadcast()
	stream.mu.Unlock()
}

// Put submits the next line; it waits while as many as allowed are under way. The caller
// may reuse the line afterwards. The error is that of ctx, or ErrClosed.
func (stream *Stream) Put(line dump.Line) error {
	counted, err := stream.hold(len(line.Bytes))
	if err != nil {
		return err
	}
	reader, err := stream.queue.submit(line, stream.opt, manner{priority: cmp.Or(stream.opt.Priority, PriorityBulk), bulk: true, share: stream.opt.Share})
	reader.counted = counted
	select {
	case stream.order <- reader:
	case <-stream.ctx.Done():
		stream.queue.abandon(reader)
		return stream.ctx.Err()
	}
	return err
}

// hold waits until a line of n bytes fits into what the stream may have under way and into the memory of
// its client. counted is how many bytes were taken from that memory: n, or 0 for the only line under
// way, which goes on even if there is no room for it. The error is that of the stream's context.
func (stream *Stream) hold(n int) (counted int, _ error) {
	stream.mu.Lock()
	defer stream.mu.Unlock()
	fits := func() bool {
		alone := stream.held == 0
		return (alone || stream.held+n <= streamBytes) && stream.memory.Try(int64(n))
	}
	counted = n
	for !fits() {
		if stream.held == 0 || stream.ctx.Err() != nil {
			counted = 0
			break
		}
		stream.free.Wait()
	}
	stream.held += n
	return counted, stream.ctx.Err()
}

// drop returns the bytes that the line of a reader held to the stream's memory.
func (stream *Stream) drop(r *reader) {
	stream.mu.Lock()
	stream.held -= r.size
	stream.memory.Shrink(int64(r.counted))
	stream.free.Signal()
	stream.mu.Unlock()
}

// End marks the end of the lines.
func (stream *Stream) End() { close(stream.order) }

// Next waits for the next answer in order, which is valid until the next call.
// The error is io.EOF after the last one, or that of ctx.
func (stream *Stream) Next() (Answer, error) {
	reader, answer, err := stream.wait()
	if err != nil {
		return Answer{}, err
	}
	if reader == nil {
		return answer, nil
	}
	stream.answer = stream.queue.answer(reader)
	stream.note(&stream.answer)
	stream.queue.reportAnswer(&stream.answer.Result)
	stream.last = reader
	return stream.answer, nil
}

// Ready reports whether the result of the next line is there, so that Next would return it without
// waiting. It is false while no line waits, and after the last one.
func (stream *Stream) Ready() bool {
	if stream.head == nil {
		select {
		case reader, ok := <-stream.order:
			if !ok {
				return false
			}
			stream.head = reader
		default:
			return false
		}
	}
	return len(stream.head.done) > 0
}

// wait waits for the answer of the oldest sample and returns its reader, or no reader and
// an answer with an error where the deadline passed. The deadline runs from the moment a
// worker takes the sample, so that the answer does not depend on the samples before it.
func (stream *Stream) wait() (*reader, Answer, error) {
	if stream.last != nil {
		stream.queue.releaseAnswer(stream.last)
		stream.last = nil
	}
	// The oldest sample.
	reader := stream.head
	stream.head = nil
	if reader == nil {
		select {
		case got, ok := <-stream.order:
			if !ok {
				stream.memory.Close()
				return nil, Answer{}, io.EOF
			}
			reader = got
		case <-stream.ctx.Done():
			return stream.cancel(nil)
		}
	}
	// Wait for its answer, or for its deadline, which may not have begun to run yet.
	for {
		select {
		case <-reader.done:
			stream.drop(reader)
			return reader, Answer{}, nil
		default:
		}
		stream.timer.Reset(stream.timeLeft(reader))
		select {
		case <-reader.done:
			stream.drop(reader)
			return reader, Answer{}, nil
		case <-stream.ctx.Done():
			return stream.cancel(reader)
		case <-stream.timer.C:
		}
		if stream.timeLeft(reader) > 0 {
			continue
		}
		const overdue = true
		if who, ok := stream.queue.leave(reader, overdue); ok { // otherwise the answer has come, and done is ready
			stream.drop(reader)
			a := stream.queue.deadlineAnswer(reader, who)
			stream.queue.reportAnswer(&a.Result)
			stream.queue.free(reader)
			return nil, a, nil
		}
	}
}

// timeLeft returns how long a reader waits before it checks again; 0 or less means that its deadline has
// passed. The time runs from when the work began, or from when the reader joined it if that was later.
// While the work has not begun, the reader checks ten times a second.
func (stream *Stream) timeLeft(reader *reader) time.Duration {
	started, limit, _ := stream.queue.waitState(reader)
	if started == 0 {
		return checkAgain
	}
	return max(started, reader.arrived) + limit - stream.queue.now()
}

// abandon ends the wait of a reader whose answer is not wanted, and returns the reader to the
// pool. It leaves the task where no answer was delivered yet. Where one was, or came from the
// cache, it ends the use of the answer, so that the task's memory can be reused.
func (queue *Queue) abandon(reader *reader) {
	if reader.hit == nil {
		const overdue = false
		if _, ok := queue.leave(reader, overdue); ok {
			queue.free(reader)
			return
		}
	}
	<-reader.done
	queue.releaseAnswer(reader)
}

// cancel abandons the sample of r, which may be nil, and all samples of the stream after it.
func (stream *Stream) cancel(r *reader) (*reader, Answer, error) {
	defer stream.memory.Close()
	if r != nil {
		stream.queue.abandon(r)
	}
	go func() { // until End, because Put may still be adding readers
		for r := range stream.order {
			stream.queue.abandon(r)
		}
	}()
	return nil, Answer{}, stream.ctx.Err()
}

// note adds a note to an answer that occurred on an earlier line of the stream, and writes its JSON
// again. It copies the notes, because other readers may share the result. A result that has the number
// of its line is of a line that could not be read, so it has no answer.
func (stream *Stream) note(answer *Answer) {
	unread := answer.Result.Line != 0
	if stream.opt.Unmarked || unread || stream.earlierAnswers.First(&answer.Result) {
		return
	}
	answer.Result.Notes = append(slices.Clip(answer.Result.Notes), scoring.Duplicate)
	stream.noted = answer.Result.AppendJSON(stream.noted[:0], stream.opt.Reward, stream.queue.cfg.Scorer)
	answer.JSON = stream.noted
}
