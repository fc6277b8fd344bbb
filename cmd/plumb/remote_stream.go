package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/scoring"
	"plumb/scoring/table"
)

// Most unanswered lines that a stream keeps, and their bytes.
const (
	maxHeldLines = 1 << 14
	maxHeldBytes = 64 << 20
)

// pending is one line sent to the daemon that is not answered yet.
type pending struct {
	line        int
	bytes       []byte
	localAnswer []byte // the result of a line that is not sent, else nil
}

// remoteStream scores one dump at the daemon. It keeps unanswered lines, so that it can
// send them again when the daemon restarts. To keep line numbers, a later connection gets
// a blank line for each line that is already answered.
type remoteStream struct {
	ctx    context.Context
	remote *remote
	job    *job
	tasks  []*dump.Tasks
	path   string

	mu        sync.Mutex // guards what follows
	changed   *sync.Cond
	lines     []pending // not answered, oldest first
	heldBytes int       // their bytes
	sentLines int       // how many of lines were sent on the current connection
	ended     bool
	conn      *connection

	failures   int // connections lost since the last answer
	parser     fastjson.Parser
	answerLine []byte
}

// connection is one request of a stream.
type connection struct {
	cancel   context.CancelFunc
	pipe     *io.PipeWriter
	response chan response // how the request ended, sent once
	body     *bufio.Reader // nil until the request was answered with 200
}

// response is the outcome of a request.
type response struct {
	resp *http.Response
	err  error
}

// stream opens a connection to the daemon of --server, on which the daemon scores the lines of a dump
// with the suite, the reward and the variants of the job. A remoteStream is a scorer, so the job uses the
// daemon as it would use an engine in this process.
func (remote *remote) stream(ctx context.Context, job *job) (*remoteStream, error) {
	query := url.Values{"reward": {job.options.Reward.String()}}
	if job.options.Suite != "" {
		query.Set("suite", job.options.Suite)
	}
	for name, value := range job.options.Variants {
		if name == table.Clamp {
			continue // a variant of tables, which are made in this process
		}
		if value != "" {
			name += "=" + value
		}
		query.Add("variant", name)
	}
	stream := &remoteStream{ctx: ctx, remote: remote, job: job, path: "/v1/score/stream?" + query.Encode()}
	stream.changed = sync.NewCond(&stream.mu)
	for _, tasks := range job.items.Tasks {
		stream.tasks = append(stream.tasks, tasks)
	}
	context.AfterFunc(ctx, stream.wake) // an interrupt ends all waiting
	return stream, stream.connect()
}

// wake lets all goroutines that wait check again whether the run has ended.
func (stream *remoteStream) wake() {
	stream.mu.Lock()
	stream.changed.Broadcast()
	stream.mu.Unlock()
}

// connect begins a request to the daemon. Its body is made of the lines that have no result yet,
// beginning with the oldest. One goroutine writes the body and another waits for the header of the reply,
// because the daemon replies to the first lines while others are still sent.
func (stream *remoteStream) connect() error {
	ctx, cancel := context.WithCancel(stream.ctx)
	body, pipe := io.Pipe()
	req, err := stream.remote.request(ctx, "POST", stream.path, body)
	if err != nil {
		cancel()
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	conn := &connection{cancel: cancel, pipe: pipe, response: make(chan response, 1)}
	stream.mu.Lock()
	stream.conn, stream.sentLines = conn, 0
	stream.changed.Broadcast() // the goroutine that sends on the old connection may wait for lines: it ends
	stream.mu.Unlock()
	go func() {
		resp, err := stream.remote.http.Do(req)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = refused(resp)
			resp.Body.Close()
		}
		if err != nil {
			body.CloseWithError(err)
		}
		conn.response <- response{resp, err}
	}()
	go stream.sendLines(conn)
	return nil
}

// sendLines sends lines to the daemon as they come, until connection is replaced by another one. The daemon
// numbers the lines that it gets, and its results hold these numbers. So lines that it need not score,
// because this process has their results or the dump leaves them out, are sent as blank lines. Lines are
// collected in a buffer, which is sent whenever no further line is waiting.
func (stream *remoteStream) sendLines(connection *connection) {
	out := bufio.NewWriterSize(connection.pipe, 64<<10)
	for next := 1; ; { // next is the number of the line that is written next
		pending, last, ok := stream.takeUnsent(connection)
		if !ok {
			out.Flush()
			connection.pipe.Close()
			return
		}
		for ; next < pending.line; next++ {
			out.WriteByte('\n')
		}
		if pending.localAnswer == nil {
			out.Write(pending.bytes)
		}
		out.WriteByte('\n')
		next++
		if last && out.Flush() != nil {
			return // the reader of the answers gets the error too
		}
	}
}

// takeUnsent waits for the next line to send on a connection and returns it. last is true if no other line is
// waiting to be sent. ok is false if no line will come: all lines are sent, the run was interrupted, or
// the connection has been replaced.
func (stream *remoteStream) takeUnsent(connection *connection) (pending pending, last, ok bool) {
	stream.mu.Lock()
	defer stream.mu.Unlock()
	// Wait while all lines are sent and more may come.
	for stream.conn == connection && stream.sentLines == len(stream.lines) && !stream.ended && stream.ctx.Err() == nil {
		stream.changed.Wait()
	}
	if stream.conn != connection || stream.sentLines == len(stream.lines) || stream.ctx.Err() != nil {
		return pending, false, false
	}
	stream.sentLines++
	return stream.lines[stream.sentLines-1], stream.sentLines == len(stream.lines), true
}

// Put adds one line of the dump to those that the daemon is to score, joined with its task, which the
// daemon may not have. It waits while too many lines, or too many bytes of them, have no result yet. A
// line that could not be read is not sent: its result, an error, is made here.
func (stream *remoteStream) Put(line dump.Line) error {
	added := pending{line: line.Number}
	if line.Fault != "" {
		added.localAnswer = stream.faultAnswer(line)
	} else {
		added.bytes = append([]byte(nil), line.Bytes...)
		for _, tasks := range stream.tasks {
			added.bytes = tasks.Join(nil, added.bytes)
		}
	}
	stream.mu.Lock()
	defer stream.mu.Unlock()
	// A single line may be of any size: at least one is always held.
	for len(stream.lines) > 0 && (len(stream.lines) >= maxHeldLines || stream.heldBytes+len(added.bytes) > maxHeldBytes) && stream.ctx.Err() == nil {
		stream.changed.Wait()
	}
	stream.lines = append(stream.lines, added)
	stream.heldBytes += len(added.bytes)
	stream.changed.Broadcast()
	return stream.ctx.Err()
}

// End says that no more lines follow, so that the request to the daemon can end.
func (stream *remoteStream) End() {
	stream.mu.Lock()
	stream.ended = true
	stream.changed.Broadcast()
	stream.mu.Unlock()
}

// Ready reports whether an answer has arrived.
func (stream *remoteStream) Ready() bool {
	c := stream.conn // only Next changes it, and the caller calls both
	return c.body != nil && c.body.Buffered() > 0
}

// Next waits for the next result, in the order of the lines, and returns it; after the last one it
// returns io.EOF. If the connection to the daemon breaks, it opens a new one, on which the lines without
// a result are sent once more.
func (stream *remoteStream) Next() (queue.Answer, error) {
	for {
		pending, ok := stream.waitForOldest()
		if err := stream.ctx.Err(); err != nil {
			return queue.Answer{}, err
		}
		if !ok {
			stream.conn.cancel()
			return queue.Answer{}, io.EOF
		}
		if pending.localAnswer != nil {
			stream.removeOldest()
			return stream.parseAnswer(pending.line, pending.localAnswer)
		}
		err := stream.readAnswerLine()
		if err == nil {
			stream.failures = 0
			stream.removeOldest()
			return stream.parseAnswer(pending.line, stream.answerLine)
		}
		if err := stream.reconnect(err); err != nil {
			return queue.Answer{}, fmt.Errorf("cannot read the daemon's answer to line %d: %w", pending.line, err)
		}
	}
}

// waitForOldest returns the oldest line that has no result yet, and waits for a line where there is none. ok is
// false after the last line, and after an interrupt.
func (stream *remoteStream) waitForOldest() (pending pending, ok bool) {
	stream.mu.Lock()
	defer stream.mu.Unlock()
	for len(stream.lines) == 0 && !stream.ended && stream.ctx.Err() == nil {
		stream.changed.Wait()
	}
	if len(stream.lines) == 0 {
		return pending, false
	}
	return stream.lines[0], true
}

// removeOldest removes the oldest line from those that wait for a result, because its result is there.
func (stream *remoteStream) removeOldest() {
	stream.mu.Lock()
	stream.heldBytes -= len(stream.lines[0].bytes)
	stream.lines[0] = pending{} // so that its memory can be freed
	stream.lines = stream.lines[1:]
	stream.sentLines = max(0, stream.sentLines-1) // 0 stays where the line had its result without being sent
	stream.changed.Broadcast()
	stream.mu.Unlock()
}

// reconnect closes the connection to the daemon that ended with err, waits and opens a new one. It returns
// err where that cannot help: the daemon has refused for good, or too many connections failed in a row.
func (stream *remoteStream) reconnect(err error) error {
	stream.conn.cancel()
	var refused *refusal
	stream.failures++
	refusedForGood := errors.As(err, &refused) && !refused.mayPassLater()
	if stream.failures >= connectTries || stream.ctx.Err() != nil || refusedForGood {
		return err
	}
	select {
	case <-time.After(pauseBetweenTries):
	case <-stream.ctx.Done():
		return stream.ctx.Err()
	}
	return stream.connect()
}

// readAnswerLine reads the next result line of the daemon's reply into stream.answerLine, without its line end. Before the
// first line it waits for the reply to begin. A reply that ends is an error: the caller still waits for
// the result of a line.
func (stream *remoteStream) readAnswerLine() error {
	connection := stream.conn
	if connection.body == nil {
		response := <-connection.response
		if response.err != nil {
			return response.err
		}
		connection.body = bufio.NewReaderSize(response.resp.Body, 256<<10)
	}
	stream.answerLine = stream.answerLine[:0]
	for { // a line may be longer than the buffer, and then comes in several pieces
		piece, err := connection.body.ReadSlice('\n')
		stream.answerLine = append(stream.answerLine, piece...)
		switch {
		case err == nil:
			stream.answerLine = stream.answerLine[:len(stream.answerLine)-1]
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// parseAnswer parses the daemon's result for line n of the dump, because the tables need its values. The
// returned answer also holds the result line as it came, which goes to the output unchanged.
func (stream *remoteStream) parseAnswer(n int, line []byte) (queue.Answer, error) {
	value, err := stream.parser.ParseBytes(line)
	if err != nil {
		return queue.Answer{}, fmt.Errorf("cannot read a result of the daemon: %w", err)
	}
	result, err := scoring.ReadResult(value)
	if err != nil {
		return queue.Answer{}, fmt.Errorf("cannot read a result of the daemon: %w", err)
	}
	return queue.Answer{Line: n, JSON: line, Result: *result}, nil
}

// faultAnswer returns the result line of a dump line that this process could not read, with the same bytes
// that the daemon would write.
func (stream *remoteStream) faultAnswer(l dump.Line) []byte {
	r := scoring.Result{ID: fmt.Sprintf("line:%d", l.Number), Line: l.Number, Backend: stream.remote.about.Backend,
		Err: &scoring.Error{Code: "bad_line", Message: l.Fault}}
	return r.AppendJSON(nil, stream.job.options.Reward, "plumb "+stream.remote.about.Version)
}
