package api

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
)

// writeSize is about how many bytes of results are written at once while more are ready.
const writeSize = 32 << 10

// streamBuffers is what a stream takes in bytes before it has read a line: buffers of
// the reader, the queue and the answers.
const streamBuffers = 512 << 10

// scoreStream answers POST /v1/score/stream: it reads lines and writes result lines in order at the
// same time, until the body ends. While a client does not read, nothing is read from it. The request
// goes on after this function, until stream.Close. See docs/spec/http.md#r5.
func (server *Server) scoreStream(ctx *fasthttp.RequestCtx) {
	opt, fault := server.options(ctx, nil)
	if fault != nil {
		server.fail(ctx, fasthttp.StatusBadRequest, fault.Code, fault.Message)
		return
	}
	body := ctx.RequestBodyStream()
	if body == nil {
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_body", "cannot read body: there is none; want lines of JSON")
		return
	}
	leaveQueue, err := server.cfg.Queue.Admit()
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	stream := &stream{server: server, start: time.Now(), trail: trailOf(ctx), timed: wantsTimings(ctx),
		conn: ctx.Conn(), body: body, memory: server.clientMemory.Hold(opt.Client),
		bodyReader: &idleReader{conn: ctx.Conn(), body: body, idle: server.cfg.StreamIdle}, bodyDone: make(chan struct{})}
	if err := stream.memory.Grow(server.life, streamBuffers); err != nil {
		leaveQueue()
		stream.memory.Close()
		server.failWith(ctx, err)
		return
	}
	endTokenRequest := server.detachToken(ctx)
	stream.release = func() { leaveQueue(); endTokenRequest(); stream.memory.Close() }
	stream.life, stream.cancel = server.clients.wait(server.life, ctx.Conn())
	opt.JoinIdentical = false // dumps hold few duplicates, and looking for them costs time
	stream.results = server.cfg.Queue.Stream(stream.life, opt)
	server.active.Add(1)
	go stream.read()
	ctx.SetContentType("application/x-ndjson")
	ctx.Response.Header.Set("X-Accel-Buffering", "no") // nginx in front must pass lines on at once
	ctx.Response.ImmediateHeaderFlush = true
	ctx.SetConnectionClose() // the rest of the body could be read as a next request
	ctx.Response.SetBodyStream(stream, -1)
}

// stream is one request under way. Its goroutine read feeds the queue; the
// connection's own goroutine runs WriteTo and then Close.
type stream struct {
	server       *Server
	start        time.Time
	once         sync.Once // counts the request
	trail        *trail
	timed        bool // results carry their times
	conn         net.Conn
	body         io.Reader
	bodyReader   *idleReader // body, for the goroutine read
	results      *queue.Stream
	life         context.Context
	cancel       func()
	release      func()
	memory       *memory.Hold  // buffers, the window and lines
	bodyDone     chan struct{} // read has ended and touches body no more
	bodyComplete bool          // body was read to its end; valid after bodyDone
}

// Read makes stream a body; fasthttp calls WriteTo instead.
func (stream *stream) Read([]byte) (int, error) {
	return 0, fmt.Errorf("BUG: stream is written, not read")
}

// SupportsBodyWriteTo tells fasthttp to call WriteTo.
func (stream *stream) SupportsBodyWriteTo() bool { return true }

// idleReader renews the read deadline before every read, so that only an idle stream
// times out. After an error, or stop, it reads no more.
type idleReader struct {
	conn net.Conn
	body io.Reader
	idle time.Duration
	err  error

	mu      sync.Mutex // guards stopped, and the order of deadlines
	stopped bool
}

// Read reads the body of a streamed request. It sets the connection's deadline anew each time, so that
// a client that sends nothing for the idle time is an error, however long the stream is. After an
// error it returns the same error again.
func (reader *idleReader) Read(data []byte) (int, error) {
	if reader.err != nil {
		return 0, reader.err
	}
	reader.mu.Lock()
	if reader.stopped {
		reader.err = net.ErrClosed
	} else {
		reader.conn.SetReadDeadline(time.Now().Add(reader.idle))
	}
	reader.mu.Unlock()
	if reader.err != nil {
		return 0, reader.err
	}
	n, err := reader.body.Read(data)
	reader.err = bodyError(err)
	return n, reader.err
}

// stop wakes a read of the request's body that waits for the client, with a read deadline in the past,
// and lets no later read begin.
func (reader *idleReader) stop() {
	reader.mu.Lock()
	defer reader.mu.Unlock()
	reader.stopped = true
	reader.conn.SetReadDeadline(time.Unix(1, 0))
}

// read puts the lines of a request's body into the queue until the body ends or the stream is cancelled. If the
// rest of the body cannot be read, one more line becomes a result with the error, unless the last line said so
// already. A panic cancels the stream. It runs in a goroutine of its own, sets stream.bodyComplete where the
// body was read to its end, and closes stream.bodyDone when it touches the body no more.
func (stream *stream) read() {
	reader := stream.bodyReader
	defer close(stream.bodyDone)
	defer stream.results.End()
	defer func() {
		stream.bodyComplete = reader.err == io.EOF
		if p := recover(); p != nil {
			stream.server.cfg.Log.Error("BUG: panic in a stream", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			stream.cancel()
		}
	}()
	lastLine, lastUnreadable := 0, false // the number of the last line, and whether it could not be read
	limits := stream.server.cfg.LineLimits
	limits.Memory = stream.memory
	r, err := dump.NewReader(reader, limits)
	if err == nil {
		defer r.Close()
	}
	for err == nil {
		var line dump.Line
		line, err = r.Next()
		if err == nil {
			lastLine, lastUnreadable = line.Number, line.Fault != ""
			err = stream.results.Put(line)
		}
	}
	// The error becomes a result, unless the queue refused the line because the client is gone.
	if err != io.EOF && !lastUnreadable && stream.life.Err() == nil {
		stream.results.Put(dump.Line{Number: lastLine + 1, Fault: fmt.Sprintf("cannot read line %d and what follows: %v", lastLine+1, err)})
	}
}

// WriteTo writes the result lines of a streamed request to the client as soon as they are ready, several
// at once if they are. fasthttp calls it as the body of the answer. It returns the number of bytes
// written, and an error if the client does not read for --stream-idle or the queue ends.
func (stream *stream) WriteTo(w io.Writer) (total int64, err error) {
	buf := make([]byte, 0, writeSize+4096)
	for {
		answer, err := stream.results.Next()
		// Collect results while more are ready, and then write them.
		if err == nil {
			stream.server.noteAnswer(stream.trail, &answer, time.Now())
			if stream.timed {
				buf = append(appendTimed(buf, &answer), '\n')
			} else {
				buf = append(append(buf, answer.JSON...), '\n')
			}
			if len(buf) < writeSize && stream.results.Ready() {
				continue
			}
		}
		if len(buf) > 0 {
			stream.conn.SetWriteDeadline(time.Now().Add(stream.server.cfg.StreamIdle))
			n, werr := w.Write(buf)
			total += int64(n)
			if werr != nil {
				return total, werr
			}
			buf = buf[:0]
		}
		if err == io.EOF {
			stream.count(fasthttp.StatusOK) // before the client sees the end
			stream.conn.SetWriteDeadline(time.Now().Add(stream.server.cfg.ReadTimeout))
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// Close ends the stream, complete or not, and counts the request. It cancels the lines that have no results,
// and returns when nothing uses the buffers of the connection any more. fasthttp calls it after WriteTo.
func (stream *stream) Close() error {
	stream.cancel()
	select {
	case <-stream.bodyDone:
	default: // read still waits for the client
		stream.bodyReader.stop()
		<-stream.bodyDone
	}
	if !stream.bodyComplete && stream.server.life.Err() == nil {
		// A part of the rest is read, because a client that is still sending would get a reset and no answer.
		stream.conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		io.CopyN(io.Discard, stream.body, leftover)
	}
	for { // takes what is left of the results: the error comes when the queue has given back all lines
		if _, err := stream.results.Next(); err != nil {
			break
		}
	}
	stream.release()
	if stream.server.life.Err() != nil {
		stream.count(fasthttp.StatusServiceUnavailable)
	} else {
		stream.count(statusClientGone)
	}
	stream.server.active.Add(-1)
	return nil
}

// count counts the streamed request in the metrics and ends its trail, at its first call alone: WriteTo
// calls it with 200 after a complete answer, and Close with the status for why there is none.
func (stream *stream) count(code int) {
	stream.once.Do(func() {
		stream.server.cfg.Metrics.countRequest("score_stream", code, time.Since(stream.start))
		stream.server.endTrail(stream.trail, code)
	})
}
