package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"plumb/daemon"
	"plumb/daemon/api"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/scoring"
	"plumb/scoring/table"
)

// tries and pause are how a client meets a daemon that restarts (contract.md 9).
const (
	tries = 5
	pause = time.Second
)

// remote is a daemon that scores.
type remote struct {
	http  *http.Client
	base  string
	token string
	about api.Version
}

// dial finds out what daemon answers at address, waiting until it is ready.
func dial(ctx context.Context, address, token string) (*remote, error) {
	r := &remote{base: strings.TrimRight(address, "/"), token: token, http: &http.Client{Transport: &http.Transport{}}}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		r.base = "http://plumb"
		r.http.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}
	}
	if u, err := url.Parse(r.base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usage("cannot use server %q: want http://HOST:PORT or unix:PATH", address)
	}
	for i := 1; ; i++ {
		err := r.meet(ctx)
		var refused *refusal
		if err == nil {
			return r, nil
		}
		if i == tries || ctx.Err() != nil || errors.As(err, &refused) && !refused.again() {
			return nil, fmt.Errorf("cannot use server %s: %w", address, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// refusal is an answer other than 200.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return fmt.Sprintf("got status %d: %s", r.code, r.text) }

// again reports whether the same request may succeed later.
func (r *refusal) again() bool { return r.code == 408 || r.code == 429 || r.code >= 500 }

func refused(resp *http.Response) error {
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	text := strings.TrimSpace(string(b))
	if v, err := fastjson.ParseBytes(b); err == nil && v.Exists("error") {
		text = string(v.GetStringBytes("error"))
	}
	return &refusal{resp.StatusCode, text}
}

func (r *remote) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, body)
	if err == nil && r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	return req, err
}

// meet asks the daemon what it is: results that this process writes itself
// carry the daemon's names.
func (r *remote) meet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := r.request(ctx, "GET", "/v1/suites", nil)
	if err != nil {
		return err
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refused(resp)
	}
	var got struct{ Version api.Version }
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		return fmt.Errorf("cannot read /v1/suites: %w", err)
	}
	r.about = got.Version
	return nil
}

// pending is one line that was sent, or that never left.
type pending struct {
	line   int
	answer []byte // made here; nil for lines that the daemon answers
}

// remoteStream is one dump at the daemon. Lines keep their numbers: what is not
// sent is replaced by a blank line.
type remoteStream struct {
	ctx    context.Context
	remote *remote
	job    *job
	tasks  []*dump.Tasks
	out    *bufio.Writer
	pipe   *io.PipeWriter
	sent   int // lines written to the pipe
	buf    []byte
	order  chan pending
	reply  *bufio.Reader
	resp   *http.Response
	answer chan error // the request's fate, once
	parser fastjson.Parser
	line   []byte
}

// stream begins a dump.
func (r *remote) stream(ctx context.Context, j *job) (*remoteStream, error) {
	items, err := daemon.Items(j.config)
	if err != nil {
		return nil, err
	}
	q := url.Values{"reward": {j.options.Reward.String()}}
	if j.options.Suite != "" {
		q.Set("suite", j.options.Suite)
	}
	for name, value := range j.options.Variants {
		if name == table.Clamp {
			continue // of tables, which are made here
		}
		if value != "" {
			name += "=" + value
		}
		q.Add("variant", name)
	}
	body, pipe := io.Pipe()
	req, err := r.request(ctx, "POST", "/v1/score/stream?"+q.Encode(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	s := &remoteStream{ctx: ctx, remote: r, job: j, pipe: pipe, out: bufio.NewWriterSize(pipe, 64<<10),
		order: make(chan pending, 1<<14), answer: make(chan error, 1)}
	for _, t := range items.Tasks {
		s.tasks = append(s.tasks, t)
	}
	go func() {
		resp, err := r.http.Do(req)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = refused(resp)
			resp.Body.Close()
		}
		if err != nil {
			pipe.CloseWithError(err)
		} else {
			s.resp, s.reply = resp, bufio.NewReaderSize(resp.Body, 256<<10)
		}
		s.answer <- err
	}()
	return s, nil
}

// Put sends one line.
func (s *remoteStream) Put(l dump.Line) error {
	p := pending{line: l.N}
	for ; s.sent < l.N-1; s.sent++ {
		s.out.WriteByte('\n')
	}
	if l.Fault != "" {
		p.answer = s.fault(l)
	} else {
		s.buf = append(s.buf[:0], l.Bytes...)
		for _, t := range s.tasks {
			s.buf = t.Join(s.buf[:0], append([]byte(nil), s.buf...))
		}
		s.out.Write(s.buf)
	}
	s.out.WriteByte('\n')
	s.sent++
	select {
	case s.order <- p:
	default: // the reader may wait for what is still in the buffer
		if err := s.out.Flush(); err != nil {
			return err
		}
		select {
		case s.order <- p:
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
	return nil
}

// Flush sends what Put left in the buffer.
func (s *remoteStream) Flush() error { return s.out.Flush() }

// End says that no more lines follow.
func (s *remoteStream) End() {
	if err := s.out.Flush(); err != nil {
		s.pipe.CloseWithError(err)
	} else {
		s.pipe.Close()
	}
	close(s.order)
}

// Ready reports whether an answer has arrived.
func (s *remoteStream) Ready() bool { return s.reply != nil && s.reply.Buffered() > 0 }

// Next reads the next answer.
func (s *remoteStream) Next() (queue.Answer, error) {
	if s.reply == nil { // the first call
		select {
		case err := <-s.answer:
			if err != nil {
				return queue.Answer{}, err
			}
		case <-s.ctx.Done():
			return queue.Answer{}, s.ctx.Err()
		}
	}
	p, ok := <-s.order
	if !ok {
		s.resp.Body.Close()
		return queue.Answer{}, io.EOF
	}
	if p.answer == nil {
		if err := s.read(); err != nil {
			return queue.Answer{}, fmt.Errorf("cannot read the daemon's answer to line %d: %w", p.line, err)
		}
		p.answer = s.line
	}
	return s.result(p.answer)
}

// read takes the next line of the reply.
func (s *remoteStream) read() error {
	s.line = s.line[:0]
	for {
		part, err := s.reply.ReadSlice('\n')
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

// result reads from a result line what tables count.
func (s *remoteStream) result(line []byte) (queue.Answer, error) {
	v, err := s.parser.ParseBytes(line)
	if err != nil {
		return queue.Answer{}, fmt.Errorf("cannot read a result of the daemon: %w", err)
	}
	text := func(keys ...string) string { return string(v.GetStringBytes(keys...)) }
	a := queue.Answer{JSON: line, Result: scoring.Result{ID: text("id"), Suite: text("suite"), Test: text("test")}}
	if score := v.Get("score"); score != nil && score.Type() == fastjson.TypeNumber {
		a.Result.Scored, a.Result.Score = true, score.GetFloat64()
	}
	if v.Exists("error") {
		a.Result.Err = &scoring.Error{Code: text("error", "code"), Message: text("error", "message")}
	}
	if t := v.Get("metrics", "tokens"); t != nil && t.Type() == fastjson.TypeNumber {
		a.Result.Metrics = []scoring.Metric{{Name: "tokens", Value: t.GetFloat64()}}
	}
	return a, nil
}

// fault answers a line that could not be read here, in the daemon's words.
func (s *remoteStream) fault(l dump.Line) []byte {
	r := scoring.Result{ID: fmt.Sprintf("line:%d", l.N), Line: l.N, Backend: s.remote.about.Backend,
		Err: &scoring.Error{Code: "bad_line", Message: l.Fault}}
	return r.AppendJSON(nil, s.job.options.Reward, "plumb "+s.remote.about.Version)
}
