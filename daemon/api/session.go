package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"plumb/daemon/episode"
	"plumb/daemon/jsoncut"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/daemon/reward"
	"plumb/daemon/shm"
	"plumb/scoring"
)

// The codes of OpenEnv's error messages.
const (
	wsInvalidJSON = "INVALID_JSON"
	wsUnknownType = "UNKNOWN_TYPE"
	wsValidation  = "VALIDATION_ERROR"
	wsExecution   = "EXECUTION_ERROR"
	wsCapacity    = "CAPACITY_REACHED"
	wsFactory     = "FACTORY_ERROR"
	wsSession     = "SESSION_ERROR"
)

// pingEvery is the interval of pings to the client of a session. After two pings without
// an answer the session ends.
const pingEvery = 20 * time.Second

// upgrader turns requests into WebSockets. It refuses origins of other hosts, because a
// page in a browser must not reach a daemon on the loopback address.
var upgrader = websocket.FastHTTPUpgrader{ReadBufferSize: 4096, WriteBufferSize: 4096}

// sessions is the set of open WebSocket sessions.
type sessions struct {
	mu      sync.Mutex // guards open and closed
	open    map[*session]struct{}
	closed  bool
	running sync.WaitGroup
}

// enter adds a WebSocket session where fewer than limit are open. n is how many are open, closed
// says that the daemon shuts down, and ok that the session was added.
func (a *sessions) enter(s *session, limit int) (n int, closed, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || len(a.open) >= limit {
		return len(a.open), a.closed, false
	}
	if a.open == nil {
		a.open = map[*session]struct{}{}
	}
	a.open[s] = struct{}{}
	a.running.Add(1)
	return len(a.open), false, true
}

// leave removes a WebSocket session that has ended.
func (a *sessions) leave(s *session) {
	a.mu.Lock()
	delete(a.open, s)
	a.mu.Unlock()
	a.running.Done()
}

// stop ends all WebSocket sessions after their current message and waits for them, or for ctx.
func (a *sessions) stop(ctx context.Context) {
	a.mu.Lock()
	a.closed = true
	for s := range a.open {
		s.stop()
	}
	a.mu.Unlock()
	over := make(chan struct{})
	go func() {
		a.running.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// session is one WebSocket connection with its OpenEnv environment.
type session struct {
	s       *Server
	conn    *websocket.Conn
	opt     *queue.Options
	steps   reward.Steps
	episode episodeState
	who     asker        // whose shared memory pictures go to
	kept    *memory.Hold // of answers that an episode keeps
	left    *trail       // of the handshake
	memory  *memory.Hold
	last    time.Time // of the last message

	mu       sync.Mutex // guards the read deadline
	stopping atomic.Bool
}

// webSocket answers GET /ws. See docs/spec/http.md#r21.
func (s *Server) webSocket(ctx *fasthttp.RequestCtx) {
	if !websocket.FastHTTPIsWebSocketUpgrade(ctx) {
		ctx.Response.Header.Set("Upgrade", "websocket")
		s.fail(ctx, fasthttp.StatusUpgradeRequired, "bad_handshake", "cannot open session: want a WebSocket handshake")
		return
	}
	opt, steps, ok := s.choices(ctx, openEnv)
	if !ok {
		return
	}
	give := s.detachToken(ctx)
	left := s.handshake(ctx)
	peer, unknown := s.peerOf(ctx) // now: the request does not outlive the handshake
	who := func() (shm.Peer, error) { return peer, unknown }
	err := upgrader.Upgrade(ctx, func(c *websocket.Conn) {
		defer give()
		hold := s.bodies.Hold(opt.Client)
		defer hold.Close()
		kept := s.bodies.Hold(opt.Client)
		defer kept.Close()
		(&session{s: s, conn: c, left: left, memory: hold, kept: kept, who: who, opt: opt, steps: steps, last: time.Now()}).run()
	})
	if err != nil {
		give()
		status := ctx.Response.StatusCode()
		ctx.Response.Header.Del("Content-Type")
		s.fail(ctx, status, "bad_handshake", "cannot open session: "+err.Error())
	}
}

// run opens a WebSocket session, answers its messages until it ends, and closes it.
func (c *session) run() {
	c.s.active.Add(1)
	defer c.s.active.Add(-1)
	defer func() {
		if p := recover(); p != nil {
			c.s.cfg.Log.Error("BUG: panic in a session", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.end(websocket.CloseInternalServerErr, wsSession, "cannot go on: internal error; the log has the details", "")
		}
	}()
	n, closed, ok := c.s.sessions.enter(c, c.s.cfg.Sessions)
	if !ok && closed {
		c.end(websocket.CloseServiceRestart, wsSession, "cannot open session: the daemon is shutting down; try again", "")
		return
	}
	if !ok {
		c.end(websocket.CloseTryAgainLater, wsCapacity,
			fmt.Sprintf("cannot open session: %d of %d are open (--max-sessions); try again", n, c.s.cfg.Sessions),
			fmt.Sprintf(`,"active_sessions":%d,"max_sessions":%d`, n, c.s.cfg.Sessions))
		return
	}
	defer c.s.sessions.leave(c)
	if f := c.s.cfg.Health; f != nil {
		if err := f(); err != nil {
			c.end(websocket.CloseTryAgainLater, wsFactory, "cannot open session: "+err.Error(), `,"factory_name":"plumb"`)
			return
		}
	}
	over := make(chan struct{})
	defer close(over)
	go c.ping(over)
	c.conn.SetPongHandler(func(string) error { c.extendDeadline(); return nil })
	c.readLoop()
}

// ping sends WebSocket pings until over is closed.
func (c *session) ping(over chan struct{}) {
	t := time.NewTicker(pingEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(5*time.Second))
		case <-over:
			return
		}
	}
}

// extendDeadline sets the deadline for the next frame, from the last message
// (--session-idle) and the last answer to a ping.
func (c *session) extendDeadline() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping.Load() {
		c.conn.SetReadDeadline(time.Unix(1, 0))
		return
	}
	idle := c.last.Add(c.s.cfg.SessionIdle)
	if alive := time.Now().Add(2*pingEvery + 5*time.Second); alive.Before(idle) {
		idle = alive
	}
	c.conn.SetReadDeadline(idle)
}

// stop ends the WebSocket session as soon as it waits for the client.
func (c *session) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping.Store(true)
	c.conn.SetReadDeadline(time.Unix(1, 0))
}

// readLoop reads and answers the messages of a WebSocket until the session ends.
func (c *session) readLoop() {
	for {
		c.extendDeadline()
		kind, message, err := c.read()
		if err != nil {
			c.over(err)
			return
		}
		c.last = time.Now()
		on := true
		if kind == websocket.TextMessage {
			on = c.answer(message)
		} else {
			c.error(wsInvalidJSON, "cannot read message: got a binary frame; want text", "")
		}
		c.memory.Shrink(c.memory.Held())
		if !on {
			return
		}
	}
}

// read reads one message of at most --max-body. The limit of the library is not used,
// because it closes the connection without an error message.
func (c *session) read() (kind int, message []byte, err error) {
	kind, r, err := c.conn.NextReader()
	if err != nil {
		return 0, nil, err
	}
	message, err = c.s.readWhole(c.memory, &limited{r, c.s.cfg.Body}, -1)
	return kind, message, err
}

// over ends the WebSocket session after a failed read, with an error message where the client may
// still receive it.
func (c *session) over(err error) {
	var n net.Error
	switch {
	case c.stopping.Load():
		c.end(websocket.CloseServiceRestart, wsSession, "cannot go on: the daemon is shutting down", "")
	case errors.Is(err, memory.ErrTooLarge):
		c.refuse(websocket.CloseMessageTooBig, wsValidation, "cannot read message: "+err.Error())
	case errors.Is(err, memory.ErrFull):
		c.refuse(websocket.CloseTryAgainLater, wsExecution, "cannot read message: "+err.Error())
	case errors.Is(err, errTooLarge):
		c.refuse(websocket.CloseMessageTooBig, wsValidation, fmt.Sprintf("cannot read message: it has more than %d bytes (--max-body)", c.s.cfg.Body))
	case errors.As(err, &n) && n.Timeout():
		c.end(websocket.CloseNormalClosure, wsSession, fmt.Sprintf("cannot go on: no message for %v (--session-idle), or no answer to a ping", time.Since(c.last).Round(time.Millisecond)), "")
	}
}

// answer handles one message of a WebSocket session by its type; false ends the session.
func (c *session) answer(m []byte) bool {
	if err := c.s.cfg.Items.Limits.Check(m); err != nil {
		return c.error(wsInvalidJSON, "cannot read message: "+err.Error(), "")
	}
	m = bytes.TrimSpace(m)
	if m[0] != '{' {
		return c.error(wsValidation, "cannot read message: got "+jsoncut.Kind(m)+"; want an object", "")
	}
	kind, data := textAndMember(m, "type", "data")
	switch kind {
	case "close":
		c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(5*time.Second))
		return false
	case "state":
		return c.send(append(c.episode.append([]byte(`{"type":"state","data":`)), '}'))
	case "reset", "step":
		if jsoncut.Null(data) && kind == "reset" {
			data = []byte("{}")
		}
		if jsoncut.Null(data) || data[0] != '{' {
			return c.error(wsValidation, "cannot use data: got "+jsoncut.Kind(data)+"; want an object", "")
		}
		if kind == "reset" {
			return c.reset(data)
		}
		return c.step(data)
	}
	return c.error(wsUnknownType, fmt.Sprintf("cannot answer type %.40q: want reset, step, state or close", kind), "")
}

// reset answers the message "reset" of an OpenEnv session: it begins a new episode with the
// parameters of data. It returns false when the session has to end.
func (c *session) reset(data []byte) bool {
	e, fault := c.s.newEpisode(data)
	o, other := episode.ReadOptions(data, "")
	if fault = cmp.Or(fault, other); fault != nil {
		return c.error(wsValidation, fault.Message, "")
	}
	observation := []byte(emptyObservation)
	done := false
	if c.s.chosen(&o) {
		left := c.s.message(c.left)
		life, gone := c.s.clients.wait(c.s.life, c.conn.NetConn())
		defer gone()
		var err error
		e.play, observation, fault, err = c.player().begin(left, life, o)
		c.s.left(left, messageStatus(fault, err))
		if on, failed := c.failed(fault, err); failed {
			return on
		}
		e.label, e.steps, done = nil, len(o.History), e.play.Done()
	}
	c.kept.Shrink(c.kept.Held())
	c.episode = e
	return c.observation(wrapObservation(nil, string(observation), []byte("null"), done))
}

// player is how this session plays.
func (c *session) player() *player {
	return &player{s: c.s, opt: c.opt, steps: c.steps, policy: c.s.cfg.Policies[openEnv], who: c.who}
}

// failed answers a message of a WebSocket session that could not be carried out. on is false where
// the session must end.
func (c *session) failed(fault *scoring.Error, err error) (on, failed bool) {
	var own *scoring.Error
	switch {
	case fault != nil:
		return c.error(wsValidation, fault.Message, ""), true
	case err == nil:
		return true, false
	case errors.Is(err, queue.ErrClosed), errors.Is(err, context.Canceled):
		c.end(websocket.CloseServiceRestart, wsSession, "cannot step: the daemon is shutting down", "")
		return false, true
	case errors.Is(err, queue.ErrBusy):
		return c.error(wsExecution, err.Error(), `,"retry_after_s":`+strconv.Itoa(seconds(c.s.pace.until(c.s.cfg.Queue.Depth()-c.s.highWater())))), true
	case errors.As(err, &own):
		return c.error(wsExecution, own.Message, `,"error_type":`+strconv.Quote(own.Code)), true
	case errors.Is(err, memory.ErrFull), errors.Is(err, memory.ErrTooLarge):
		_, _, message := c.s.explain(err)
		return c.error(wsExecution, message, ""), true
	}
	return c.error(wsExecution, err.Error(), ""), true
}

// step scores the answer in a message of an OpenEnv session and sends the observation. It returns
// false where the session must end. See docs/spec/episodes.md#r4.
func (c *session) step(data []byte) bool {
	x := &exchange{opt: c.opt, steps: c.steps, policy: c.s.cfg.Policies[openEnv], lines: true}
	var fault *scoring.Error
	err := c.s.parsing(c.s.life, c.opt.Client, data, func() { fault = x.action(data, "data.", nil) })
	if on, failed := c.failed(fault, err); failed {
		return on
	}
	one, e := &x.samples[0], &c.episode
	if e.play != nil && e.play.Bare() {
		one.bare(data)
		one.label = nil
	}
	switch {
	case !jsoncut.Null(one.label) && e.open():
		return c.error(wsValidation, "cannot use data.label: an episode is under way; want none, or reset before", "")
	case !jsoncut.Null(one.label):
		return c.oneStep(x)
	case e.play == nil && e.label == nil:
		return c.error(wsValidation, "cannot step: there is no episode; want reset with a task before, or data.label", `,"error_type":"no_episode"`)
	case !e.open():
		return c.error(wsExecution, "cannot step: the episode has ended; want reset", `,"error_type":"episode_done"`)
	case e.play == nil:
		one.label = e.label
		return c.oneStep(x)
	}
	left := c.s.message(c.left)
	life, gone := c.s.clients.wait(c.s.life, c.conn.NetConn())
	defer gone()
	var r reply
	if err = c.kept.Grow(life, int64(len(one.answer))); err == nil {
		r, fault, err = c.player().turn(left, life, e.play, one, x.timeout, false)
	}
	c.s.left(left, messageStatus(fault, err))
	if on, failed := c.failed(fault, err); failed {
		return on
	}
	e.steps++
	return c.observation(wrapObservation(nil, string(r.observation), r.reward, r.done))
}

// oneStep plays an OpenEnv episode of one step in a WebSocket session.
func (c *session) oneStep(x *exchange) bool {
	left := c.s.message(c.left)
	life, gone := c.s.clients.wait(c.s.life, c.conn.NetConn())
	defer gone()
	err := c.s.run(left, life, x)
	failed := x.refused()
	if failed != nil {
		err = failed
	}
	c.s.left(left, messageStatus(x.fault, err))
	if on, failed := c.failed(x.fault, err); failed {
		return on
	}
	c.episode.steps++
	c.episode.done = c.episode.done || c.episode.label != nil
	return c.observation(stepped(x))
}

// observation sends an observation, and returns false where the client is gone.
func (c *session) observation(data []byte) bool {
	b := append([]byte(`{"type":"observation","data":`), data...)
	return c.send(append(b, '}'))
}

// error sends an error message in the form of OpenEnv's WebSocket; more holds further JSON members
// of its data.
func (c *session) error(code, message, more string) bool {
	b := scoring.AppendString([]byte(`{"type":"error","data":{"message":`), message)
	b = append(append(b, `,"code":"`...), code...)
	b = append(append(b, '"'), more...)
	return c.send(append(b, '}', '}'))
}

// end sends an error message and closes.
func (c *session) end(status int, code, message, more string) {
	c.error(code, message, more)
	c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(status, ""), time.Now().Add(5*time.Second))
}

// refuse ends the session in the middle of a message. It discards the rest of the message,
// because closing earlier would reset the connection and lose the error message.
func (c *session) refuse(status int, code, message string) {
	c.end(status, code, message, "")
	if c.s.lingering.Add(1) <= lingerers {
		discard(c.conn.NetConn())
	}
	c.s.lingering.Add(-1)
}

// send writes one message. It returns false where that fails.
func (c *session) send(b []byte) bool {
	c.conn.SetWriteDeadline(time.Now().Add(c.s.cfg.ReadTimeout))
	return c.conn.WriteMessage(websocket.TextMessage, b) == nil
}
