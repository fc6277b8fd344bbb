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
	heldLines = 1 << 14
	heldBytes = 64 << 20
)

// pending is one line sent to the daemon that is not answered yet.
type pending struct {
	line   int
	bytes  []byte
	answer []byte // the result of a line that is not sent, else nil
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

	mu    sync.Mutex // guards what follows
	more  *sync.Cond
	lines []pending // not answered, oldest first
	held  int       // their bytes
	sent  int       // how many of lines were sent on the current connection
	ended bool
	conn  *connection

	failures int // connections lost since the last answer
	parser   fastjson.Parser
	line     []byte
}

// connection is one request of a stream.
type connection struct {
	cancel context.CancelFunc
	pipe   *io.PipeWriter
	fate   chan fate     // how the request ended, sent once
	reply  *bufio.Reader // nil until the request was answered with 200
}

// fate is the outcome of a request.
type fate struct {
	resp *http.Response
	err  error
}

// stream opens a connection on which the daemon scores the lines of a dump, with the suite, the
// reward and the variants of the job.
func (r *remote) stream(ctx context.Context, job *job) (*remoteStream, error) {
	q := url.Values{"reward": {job.options.Reward.String()}}
	if job.options.Suite != "" {
		q.Set("suite", job.options.Suite)
	}
	for name, value := range job.options.Variants {
		if name == table.Clamp {
			continue // a variant of tables, which are made in this process
		}
		if value != "" {
			name += "=" + value
		}
		q.Add("variant", name)
	}
	s := &remoteStream{ctx: ctx, remote: r, job: job, path: "/v1/score/stream?" + q.Encode()}
	s.more = sync.NewCond(&s.mu)
	for _, t := range job.items.Tasks {
		s.tasks = append(s.tasks, t)
	}
	context.AfterFunc(ctx, s.wake)
	return s, s.connect()
}

// wake lets all goroutines that wait check again whether the run has ended.
func (s *remoteStream) wake() {
	s.mu.Lock()
	s.more.Broadcast()
	s.mu.Unlock()
}

// connect begins a request to the daemon that sends all unanswered lines.
func (s *remoteStream) connect() error {
	ctx, cancel := context.WithCancel(s.ctx)
	body, pipe := io.Pipe()
	req, err := s.remote.request(ctx, "POST", s.path, body)
	if err != nil {
		cancel()
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	c := &connection{cancel: cancel, pipe: pipe, fate: make(chan fate, 1)}
	s.mu.Lock()
	s.conn, s.sent = c, 0
	s.mu.Unlock()
	go func() {
		resp, err := s.remote.http.Do(req)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = refused(resp)
			resp.Body.Close()
		}
		if err != nil {
			body.CloseWithError(err)
		}
		c.fate <- fate{resp, err}
	}()
	go s.write(c)
	return nil
}

// write sends lines on c as they come, as long as c is the current connection. A line that needs no
// answer of the daemon becomes a blank line, so that the daemon counts the lines as the dump does. It
// flushes whenever no further line is waiting.
func (s *remoteStream) write(c *connection) {
	out := bufio.NewWriterSize(c.pipe, 64<<10)
	for at := 1; ; { // at is the number of the line that is written next
		p, last, ok := s.take(c)
		if !ok {
			out.Flush()
			c.pipe.Close()
			return
		}
		for ; at < p.line; at++ {
			out.WriteByte('\n')
		}
		if p.answer == nil {
			out.Write(p.bytes)
		}
		out.WriteByte('\n')
		at++
		if last && out.Flush() != nil {
			return // the reader of the answers gets the error too
		}
	}
}

// take waits for the next line to send on c and returns it; last is true if no other is waiting. ok is
// false if there will be none: all lines are sent, the run has ended, or c has been replaced.
func (s *remoteStream) take(c *connection) (p pending, last, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.conn == c && s.sent == len(s.lines) && !s.ended && s.ctx.Err() == nil {
		s.more.Wait()
	}
	if s.conn != c || s.sent == len(s.lines) || s.ctx.Err() != nil {
		return p, false, false
	}
	s.sent++
	return s.lines[s.sent-1], s.sent == len(s.lines), true
}

// Put adds one line to those that the daemon is to score, joined with its task. It waits while too
// many lines, or too many bytes of them, are unanswered. A line that could not be read is not sent:
// this process writes its result.
func (s *remoteStream) Put(l dump.Line) error {
	p := pending{line: l.N}
	if l.Fault != "" {
		p.answer = s.fault(l)
	} else {
		p.bytes = append([]byte(nil), l.Bytes...)
		for _, t := range s.tasks {
			p.bytes = t.Join(nil, p.bytes)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.lines) > 0 && (len(s.lines) >= heldLines || s.held+len(p.bytes) > heldBytes) && s.ctx.Err() == nil {
		s.more.Wait()
	}
	s.lines = append(s.lines, p)
	s.held += len(p.bytes)
	s.more.Broadcast()
	return s.ctx.Err()
}

// End says that no more lines follow for the daemon.
func (s *remoteStream) End() {
	s.mu.Lock()
	s.ended = true
	s.more.Broadcast()
	s.mu.Unlock()
}

// Ready reports whether an answer has arrived.
func (s *remoteStream) Ready() bool {
	c := s.conn // only Next changes it, and the caller calls both
	return c.reply != nil && c.reply.Buffered() > 0
}

// Next returns the next result in the order of the lines, and io.EOF after the last one. If the
// connection breaks, it connects again, and the unanswered lines are sent once more.
func (s *remoteStream) Next() (queue.Answer, error) {
	for {
		pending, ok := s.oldest()
		if err := s.ctx.Err(); err != nil {
			return queue.Answer{}, err
		}
		if !ok {
			s.conn.cancel()
			return queue.Answer{}, io.EOF
		}
		if pending.answer != nil {
			s.answered()
			return s.result(pending.line, pending.answer)
		}
		err := s.read()
		if err == nil {
			s.failures = 0
			s.answered()
			return s.result(pending.line, s.line)
		}
		if err := s.again(err); err != nil {
			return queue.Answer{}, fmt.Errorf("cannot read the daemon's answer to line %d: %w", pending.line, err)
		}
	}
}

// oldest returns the oldest unanswered line, and waits for one; ok is false after the
// last one.
func (s *remoteStream) oldest() (p pending, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.lines) == 0 && !s.ended && s.ctx.Err() == nil {
		s.more.Wait()
	}
	if len(s.lines) == 0 {
		return p, false
	}
	return s.lines[0], true
}

// answered removes the oldest line from the unanswered ones, because its result is there.
func (s *remoteStream) answered() {
	s.mu.Lock()
	s.held -= len(s.lines[0].bytes)
	s.lines[0] = pending{}
	s.lines = s.lines[1:]
	s.sent = max(0, s.sent-1)
	s.more.Broadcast()
	s.mu.Unlock()
}

// again closes the connection that ended with err, waits and opens a new one. It returns err where
// that cannot help: the daemon has refused for good, or too many connections failed in a row.
func (s *remoteStream) again(err error) error {
	s.conn.cancel()
	var r *refusal
	s.failures++
	if s.failures >= tries || s.ctx.Err() != nil || errors.As(err, &r) && !r.again() {
		return err
	}
	select {
	case <-time.After(pause):
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	return s.connect()
}

// read reads the next result line of the daemon's reply into s.line. Before the first line it waits
// for the reply to begin.
func (s *remoteStream) read() error {
	c := s.conn
	if c.reply == nil {
		f := <-c.fate
		if f.err != nil {
			return f.err
		}
		c.reply = bufio.NewReaderSize(f.resp.Body, 256<<10)
	}
	s.line = s.line[:0]
	for {
		part, err := c.reply.ReadSlice('\n')
		s.line = append(s.line, part...)
		switch {
		case err == nil:
			s.line = s.line[:len(s.line)-1]
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// result parses a result line of the daemon, for the tables.
func (s *remoteStream) result(n int, line []byte) (queue.Answer, error) {
	v, err := s.parser.ParseBytes(line)
	if err != nil {
		return queue.Answer{}, fmt.Errorf("cannot read a result of the daemon: %w", err)
	}
	r, err := scoring.ReadResult(v)
	if err != nil {
		return queue.Answer{}, fmt.Errorf("cannot read a result of the daemon: %w", err)
	}
	return queue.Answer{Line: n, JSON: line, Result: *r}, nil
}

// fault returns the result line of a dump line that this process could not read, with the same bytes
// that the daemon would write.
func (s *remoteStream) fault(l dump.Line) []byte {
	r := scoring.Result{ID: fmt.Sprintf("line:%d", l.N), Line: l.N, Backend: s.remote.about.Backend,
		Err: &scoring.Error{Code: "bad_line", Message: l.Fault}}
	return r.AppendJSON(nil, s.job.options.Reward, "plumb "+s.remote.about.Version)
}
