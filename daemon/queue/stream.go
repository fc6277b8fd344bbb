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
	options        *Options
	ctx            context.Context
	readers        chan *reader // one for each line under way, in order
	earlierAnswers *scoring.Answers
	head           *reader // taken from readers, not yet returned
	lastReader     *reader // of the answer that Next returned last
	answer         Answer  // returned by Next
	notedJSON      []byte  // the JSON of an answer with a note on duplicates
	timer          *time.Timer
	memory         *memory.Hold // nil for no bound

	mu        sync.Mutex // guards heldBytes
	roomFreed *sync.Cond
	heldBytes int // bytes under way
}

// Stream begins a stream of lines with the same options, whose results come in the order of the lines.
// Cancelling ctx stops it.
func (queue *Queue) Stream(ctx context.Context, o *Options) *Stream {
	stream := &Stream{queue: queue, options: o, ctx: ctx, readers: make(chan *reader, queue.cfg.StreamWindow),
		earlierAnswers: scoring.NewAnswers(scoring.MaxAnswers), timer: time.NewTimer(time.Hour), memory: o.Memory.Hold(o.Client)}
	stream.roomFreed = sync.NewCond(&stream.mu)
	context.AfterFunc(ctx, stream.wake)
	return stream
}

// wake lets the goroutine that sends lines check again whether the stream has ended.
func (stream *Stream) wake() {
	stream.mu.Lock()
	stream.roomFreed.Broadcast()
	stream.mu.Unlock()
}

// Put submits the next line; it waits while as many as allowed are under way. The caller
// may reuse the line afterwards. The error is that of ctx, or ErrClosed.
func (stream *Stream) Put(line dump.Line) error {
	counted, err := stream.holdLine(len(line.Bytes))
	if err != nil {
		return err
	}
	mode := submitMode{priority: cmp.Or(stream.options.Priority, PriorityBulk), fromStream: true, share: stream.options.JoinIdentical}
	reader, err := stream.queue.submit(line, stream.options, mode)
	reader.memoryHeld = counted
	select {
	case stream.readers <- reader:
	case <-stream.ctx.Done():
		stream.queue.abandon(reader)
		return stream.ctx.Err()
	}
	return err
}

// holdLine waits until a line of size bytes fits into what the stream may have under way and into the memory
// of its client. counted is how many bytes were taken from that memory: size, or 0 for the only line under
// way, which goes on even if there is no room for it. The error is that of the stream's context.
func (stream *Stream) holdLine(size int) (counted int, _ error) {
	stream.mu.Lock()
	defer stream.mu.Unlock()
	fits := func() bool {
		alone := stream.heldBytes == 0
		return (alone || stream.heldBytes+size <= streamBytes) && stream.memory.Try(int64(size))
	}
	counted = size
	for !fits() {
		if stream.heldBytes == 0 || stream.ctx.Err() != nil { // no other line will free memory, or the stream has ended
			counted = 0
			break
		}
		stream.roomFreed.Wait()
	}
	stream.heldBytes += size
	return counted, stream.ctx.Err()
}

// releaseLine returns the bytes that the line of a reader held to the stream's memory.
func (stream *Stream) releaseLine(r *reader) {
	stream.mu.Lock()
	stream.heldBytes -= r.size
	stream.memory.Shrink(int64(r.memoryHeld))
	stream.roomFreed.Signal()
	stream.mu.Unlock()
}

// End marks the end of the lines.
func (stream *Stream) End() { close(stream.readers) }

// Next waits for the next answer in order, which is valid until the next call.
// The error is io.EOF after the last one, or that of ctx.
func (stream *Stream) Next() (Answer, error) {
	reader, answer, err := stream.waitForOldest()
	if err != nil {
		return Answer{}, err
	}
	if reader == nil {
		return answer, nil
	}
	stream.answer = stream.queue.answer(reader)
	stream.noteDuplicate(&stream.answer)
	stream.queue.reportAnswer(&stream.answer.Result)
	stream.lastReader = reader
	return stream.answer, nil
}

// Ready reports whether the result of the next line is there, so that Next would return it without
// waiting. It is false while no line waits, and after the last one.
func (stream *Stream) Ready() bool {
	if stream.head == nil {
		select {
		case reader, ok := <-stream.readers:
			if !ok {
				return false
			}
			stream.head = reader
		default:
			return false
		}
	}
	return len(stream.head.answered) > 0 // the signal is there
}

// waitForOldest waits for the answer of the oldest sample and returns its reader, or no reader and
// an answer with an error where the deadline passed. The deadline runs from the moment a
// worker takes the sample, so that the answer does not depend on the samples before it.
func (stream *Stream) waitForOldest() (*reader, Answer, error) {
	if stream.lastReader != nil {
		stream.queue.releaseAnswer(stream.lastReader)
		stream.lastReader = nil
	}
	// The oldest sample.
	reader := stream.head
	stream.head = nil
	if reader == nil {
		select {
		case oldest, ok := <-stream.readers:
			if !ok {
				stream.memory.Close()
				return nil, Answer{}, io.EOF
			}
			reader = oldest
		case <-stream.ctx.Done():
			return stream.abandonRest(nil)
		}
	}
	// Wait for its answer, or for its deadline, which may not have begun to run yet.
	for {
		select {
		case <-reader.answered:
			stream.releaseLine(reader)
			return reader, Answer{}, nil
		default:
		}
		stream.timer.Reset(stream.timeLeft(reader))
		select {
		case <-reader.answered:
			stream.releaseLine(reader)
			return reader, Answer{}, nil
		case <-stream.ctx.Done():
			return stream.abandonRest(reader)
		case <-stream.timer.C:
		}
		if stream.timeLeft(reader) > 0 {
			continue
		}
		const overdue = true
		if who, left := stream.queue.leave(reader, overdue); left { // else the answer has come, and reader.answered is ready
			stream.releaseLine(reader)
			a := stream.queue.deadlineAnswer(reader, who)
			stream.queue.reportAnswer(&a.Result)
			stream.queue.recycleReader(reader)
			return nil, a, nil
		}
	}
}

// timeLeft returns how long a reader waits before it checks again; 0 or less means that its deadline has
// passed. The time runs from when the work began, or from when the reader joined it if that was later.
// While the work has not begun, the reader checks ten times a second.
func (stream *Stream) timeLeft(reader *reader) time.Duration {
	started, limit, _ := stream.queue.waitState(reader)
	if started == 0 { // the work has not begun
		return checkAgain
	}
	return max(started, reader.arrived) + limit - stream.queue.now()
}

// abandon ends the wait of a reader whose answer is not wanted, and returns the reader to the
// pool. It leaves the task where no answer was delivered yet. Where one was, or came from the
// cache, it ends the use of the answer, so that the task's memory can be reused.
func (queue *Queue) abandon(reader *reader) {
	if reader.cached == nil {
		const overdue = false
		if _, left := queue.leave(reader, overdue); left {
			queue.recycleReader(reader)
			return
		}
	}
	<-reader.answered // ready: the answer is there
	queue.releaseAnswer(reader)
}

// abandonRest abandons the sample of r, which may be nil, and all samples of the stream after it.
func (stream *Stream) abandonRest(r *reader) (*reader, Answer, error) {
	defer stream.memory.Close()
	if r != nil {
		stream.queue.abandon(r)
	}
	go func() { // until End, because Put may still be adding readers
		for r := range stream.readers {
			stream.queue.abandon(r)
		}
	}()
	return nil, Answer{}, stream.ctx.Err()
}

// noteDuplicate adds a note to an answer that occurred on an earlier line of the stream, and writes its JSON
// again. It copies the notes, because other readers may share the result. A result that has the number
// of its line is of a line that could not be read, so it has no answer.
func (stream *Stream) noteDuplicate(answer *Answer) {
	unread := answer.Result.Line != 0
	if stream.options.NoDuplicateNotes || unread || stream.earlierAnswers.First(&answer.Result) {
		return
	}
	answer.Result.Notes = append(slices.Clip(answer.Result.Notes), scoring.Duplicate)
	stream.notedJSON = answer.Result.AppendJSON(stream.notedJSON[:0], stream.options.Reward, stream.queue.cfg.Scorer)
	answer.JSON = stream.notedJSON
}
