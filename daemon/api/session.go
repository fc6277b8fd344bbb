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

// controlTime is how long a ping, its answer or a closing message may take on its way.
const controlTime = 5 * time.Second

// defaultSessionPing is the interval of pings to the client of a session. After two pings without
// an answer the session ends.
const defaultSessionPing = 20 * time.Second

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

// enter adds a WebSocket session to the open ones, unless limit are open or the daemon shuts down. ok says
// whether it did; otherwise closed says that the daemon shuts down. n is how many sessions are open now.
// The caller must call leave for a session that was added.
func (sessions *sessions) enter(s *session, limit int) (n int, closed, ok bool) {
	sessions.mu.Lock()
	defer sessions.mu.Unlock()
	if sessions.closed || len(sessions.open) >= limit {
		return len(sessions.open), sessions.closed, false
	}
	if sessions.open == nil {
		sessions.open = map[*session]struct{}{}
	}
	sessions.open[s] = struct{}{}
	sessions.running.Add(1)
	return len(sessions.open), false, true
}

// leave removes a WebSocket session that has ended from the open ones, so that stop does not wait for
// it.
func (sessions *sessions) leave(s *session) {
	sessions.mu.Lock()
	delete(sessions.open, s)
	sessions.mu.Unlock()
	sessions.running.Done()
}

// stop ends all WebSocket sessions after their current message and waits for them, or for ctx.
func (sessions *sessions) stop(ctx context.Context) {
	sessions.mu.Lock()
	sessions.closed = true
	for s := range sessions.open {
		s.stop()
	}
	sessions.mu.Unlock()
	over := make(chan struct{})
	go func() {
		sessions.running.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// session is one WebSocket connection with its OpenEnv environment.
type session struct {
	server  *Server
	conn    *websocket.Conn
	opt     *queue.Options
	steps   reward.Steps
	episode episodeState
	who     asker        // whose shared memory pictures go to
	kept    *memory.Hold // of answers that an episode keeps
	trail   *trail       // of the handshake
	memory  *memory.Hold // of the message that is read
	last    time.Time    // of the last message

	mu       sync.Mutex // guards the read deadline
	stopping atomic.Bool
}

// webSocket answers GET /ws: it turns the connection into a WebSocket, on which a session runs. The
// session counts as a request under way of its token until it ends. See docs/spec/http.md#r21.
func (server *Server) webSocket(ctx *fasthttp.RequestCtx) {
	if !websocket.FastHTTPIsWebSocketUpgrade(ctx) {
		ctx.Response.Header.Set("Upgrade", "websocket")
		server.fail(ctx, fasthttp.StatusUpgradeRequired, "bad_handshake", "cannot open session: want a WebSocket handshake")
		return
	}
	opt, steps, ok := server.choices(ctx, openEnv)
	if !ok {
		return
	}
	give := server.detachToken(ctx)
	trail := server.handshake(ctx)
	peer, peerErr := server.peerOf(ctx) // asked now, because the request does not outlive the handshake
	who := func() (shm.Peer, error) { return peer, peerErr }
	err := upgrader.Upgrade(ctx, func(c *websocket.Conn) {
		defer give()
		hold := server.bodies.Hold(opt.Client)
		defer hold.Close()
		kept := server.bodies.Hold(opt.Client)
		defer kept.Close()
		one := &session{server: server, conn: c, trail: trail, memory: hold, kept: kept, who: who, opt: opt, steps: steps, last: time.Now()}
		one.run()
	})
	if err != nil {
		give()
		status := ctx.Response.StatusCode()
		ctx.Response.Header.Del("Content-Type")
		server.fail(ctx, status, "bad_handshake", "cannot open session: "+err.Error())
	}
}

// run opens a WebSocket session, answers its messages until it ends, and closes it. It refuses the
// session with a message if too many are open, if the daemon shuts down, or if its device fails. After
// a panic the client gets a message too.
func (session *session) run() {
	session.server.active.Add(1)
	defer session.server.active.Add(-1)
	defer func() {
		if p := recover(); p != nil {
			session.server.cfg.Log.Error("BUG: panic in a session", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			session.end(websocket.CloseInternalServerErr, wsSession, "cannot go on: internal error; the log has the details", "")
		}
	}()
	n, closed, ok := session.server.sessions.enter(session, session.server.cfg.Sessions)
	if !ok && closed {
		session.end(websocket.CloseServiceRestart, wsSession, "cannot open session: the daemon is shutting down; try again", "")
		return
	}
	if !ok {
		session.end(websocket.CloseTryAgainLater, wsCapacity,
			fmt.Sprintf("cannot open session: %d of %d are open (--max-sessions); try again", n, session.server.cfg.Sessions),
			fmt.Sprintf(`,"active_sessions":%d,"max_sessions":%d`, n, session.server.cfg.Sessions))
		return
	}
	defer session.server.sessions.leave(session)
	if health := session.server.cfg.Health; health != nil {
		if err := health(); err != nil {
			session.end(websocket.CloseTryAgainLater, wsFactory, "cannot open session: "+err.Error(), `,"factory_name":"plumb"`)
			return
		}
	}
	// A ping that is being sent ends before the session does: afterwards the connection's object has
	// none, and soon that of another client.
	over, pinged := make(chan struct{}), make(chan struct{})
	defer func() {
		close(over)
		<-pinged
	}()
	go func() {
		defer close(pinged)
		session.ping(over)
	}()
	session.conn.SetPongHandler(func(string) error { session.extendDeadline(); return nil })
	session.readLoop()
}

// ping sends a WebSocket ping at each interval of SessionPing until over is closed. The answers show
// that the client is still there.
func (session *session) ping(over chan struct{}) {
	t := time.NewTicker(session.server.cfg.SessionPing)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			session.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlTime))
		case <-over:
			return
		}
	}
}

// extendDeadline sets the read deadline for the next frame: the end of --session-idle since the last
// message, or of two pings from now, whichever is earlier. It is called for each message and each
// answer to a ping. A session that is to stop gets a deadline in the past.
func (session *session) extendDeadline() {
	session.mu.Lock()
	defer session.mu.Unlock()
	if session.stopping.Load() {
		session.conn.SetReadDeadline(time.Unix(1, 0))
		return
	}
	deadline := session.last.Add(session.server.cfg.SessionIdle)
	if twoPings := time.Now().Add(2*session.server.cfg.SessionPing + controlTime); twoPings.Before(deadline) {
		deadline = twoPings
	}
	session.conn.SetReadDeadline(deadline)
}

// stop ends the WebSocket session as soon as it waits for the client: a read deadline in the past wakes
// the read. A message that is being answered is answered first.
func (session *session) stop() {
	session.mu.Lock()
	defer session.mu.Unlock()
	session.stopping.Store(true)
	session.conn.SetReadDeadline(time.Unix(1, 0))
}

// readLoop reads and answers the messages of a WebSocket, one after another, until the session ends. The
// memory of a message is given back after its answer.
func (session *session) readLoop() {
	for {
		session.extendDeadline()
		kind, message, err := session.read()
		if err != nil {
			session.endAfterReadError(err)
			return
		}
		session.last = time.Now()
		goOn := true
		if kind == websocket.TextMessage {
			goOn = session.answer(message)
		} else {
			session.error(wsInvalidJSON, "cannot read message: got a binary frame; want text", "")
		}
		session.memory.Shrink(session.memory.Held())
		if !goOn {
			return
		}
	}
}

// read reads one message of at most --max-body. The limit of the library is not used,
// because it closes the connection without an error message.
func (session *session) read() (kind int, message []byte, err error) {
	kind, r, err := session.conn.NextReader()
	if err != nil {
		return 0, nil, err
	}
	message, err = session.server.readWhole(session.memory, &limited{r, session.server.cfg.Body}, -1)
	return kind, message, err
}

// endAfterReadError ends the WebSocket session after a failed read. If the client may still receive a message, it
// sends why: the daemon shuts down, the message is too long, there is no memory for it, or the session
// was silent for too long. A client that is gone gets none.
func (session *session) endAfterReadError(err error) {
	var n net.Error
	switch {
	case session.stopping.Load():
		session.end(websocket.CloseServiceRestart, wsSession, "cannot go on: the daemon is shutting down", "")
	case errors.Is(err, memory.ErrTooLarge):
		session.refuse(websocket.CloseMessageTooBig, wsValidation, "cannot read message: "+err.Error())
	case errors.Is(err, memory.ErrFull):
		session.refuse(websocket.CloseTryAgainLater, wsExecution, "cannot read message: "+err.Error())
	case errors.Is(err, errTooLarge):
		session.refuse(websocket.CloseMessageTooBig, wsValidation,
			fmt.Sprintf("cannot read message: it has more than %d bytes (--max-body)", session.server.cfg.Body))
	case errors.As(err, &n) && n.Timeout():
		silent := time.Since(session.last).Round(time.Millisecond)
		session.end(websocket.CloseNormalClosure, wsSession,
			fmt.Sprintf("cannot go on: no message for %v (--session-idle), or no answer to a ping", silent), "")
	}
}

// answer answers one message of a WebSocket session by its type: reset, step, state or close. It returns
// false if the session must end.
func (session *session) answer(m []byte) bool {
	if err := session.server.cfg.Items.Limits.Check(m); err != nil {
		return session.error(wsInvalidJSON, "cannot read message: "+err.Error(), "")
	}
	m = bytes.TrimSpace(m)
	if m[0] != '{' {
		return session.error(wsValidation, "cannot read message: got "+jsoncut.Kind(m)+"; want an object", "")
	}
	kind, data := textAndMember(m, "type", "data")
	switch kind {
	case "close":
		session.sendClose(websocket.CloseNormalClosure)
		return false
	case "state":
		return session.send(append(session.episode.append([]byte(`{"type":"state","data":`)), '}'))
	// Both have data, which a reset may leave out.
	case "reset", "step":
		if jsoncut.Null(data) && kind == "reset" {
			data = []byte("{}")
		}
		if jsoncut.Null(data) || data[0] != '{' {
			return session.error(wsValidation, "cannot use data: got "+jsoncut.Kind(data)+"; want an object", "")
		}
		if kind == "reset" {
			return session.reset(data)
		}
		return session.step(data)
	}
	return session.error(wsUnknownType, fmt.Sprintf("cannot answer type %.40q: want reset, step, state or close", kind), "")
}

// reset answers the message "reset" of an OpenEnv session: it begins a new episode with the parameters
// of data, of several turns if they ask for that, and gives up the one before. After an error the
// episode before stays. It returns false if the session must end.
func (session *session) reset(data []byte) bool {
	episodeState, fault := session.server.newEpisode(data)
	opts, optionsFault := episode.ReadOptions(data, "")
	if fault = cmp.Or(fault, optionsFault); fault != nil {
		return session.error(wsValidation, fault.Message, "")
	}
	observation := []byte(emptyObservation)
	done := false
	if session.server.asksForTurns(&opts) { // an episode of several turns; one of one step has nothing to begin
		trail := session.server.messageTrail(session.trail)
		ctx, stop := session.server.clients.wait(session.server.life, session.conn.NetConn())
		defer stop()
		var err error
		episodeState.play, observation, fault, err = session.player().begin(trail, ctx, opts)
		session.server.endTrail(trail, messageStatus(fault, err))
		if goOn, failed := session.failed(fault, err); failed {
			return goOn
		}
		episodeState.label, episodeState.steps, done = nil, len(opts.History), episodeState.play.Done()
	}
	session.kept.Shrink(session.kept.Held()) // gives back the memory of the answers of the episode before
	session.episode = episodeState
	return session.observation(wrapObservation(nil, string(observation), []byte("null"), done))
}

// player returns what the turns of this session's episodes need.
func (session *session) player() *player {
	return &player{server: session.server, opt: session.opt, steps: session.steps, policy: session.server.cfg.Policies[openEnv], who: session.who}
}

// failed answers a message of a WebSocket session with its error, and reports whether there was one.
// fault is what the client must change in the message, err any other failure. goOn is false if the
// session must end, because the daemon shuts down or the client is gone.
func (session *session) failed(fault *scoring.Error, err error) (goOn, failed bool) {
	var unscored *scoring.Error
	switch {
	case fault != nil:
		return session.error(wsValidation, fault.Message, ""), true
	case err == nil:
		return true, false
	case errors.Is(err, queue.ErrClosed), errors.Is(err, context.Canceled):
		session.end(websocket.CloseServiceRestart, wsSession, "cannot step: the daemon is shutting down", "")
		return false, true
	case errors.Is(err, queue.ErrBusy):
		wait := seconds(session.server.pace.until(session.server.cfg.Queue.Depth() - session.server.highWater()))
		return session.error(wsExecution, err.Error(), `,"retry_after_s":`+strconv.Itoa(wait)), true
	case errors.As(err, &unscored):
		return session.error(wsExecution, unscored.Message, `,"error_type":`+strconv.Quote(unscored.Code)), true
	case errors.Is(err, memory.ErrFull), errors.Is(err, memory.ErrTooLarge):
		_, _, message := session.server.explain(err)
		return session.error(wsExecution, message, ""), true
	}
	return session.error(wsExecution, err.Error(), ""), true
}

// step answers the message "step" of an OpenEnv session: it scores the answer and sends the observation
// and the reward. An answer with a label of its own is an episode of one step, which is refused while
// another episode is under way. An answer without one belongs to the episode of the last reset. It
// returns false if the session must end. See docs/spec/episodes.md#r4.
func (session *session) step(data []byte) bool {
	x := &exchange{opt: session.opt, steps: session.steps, policy: session.server.cfg.Policies[openEnv], lines: true}
	var fault *scoring.Error
	err := session.server.parsing(session.server.life, session.opt.Client, data, func() { fault = x.action(data, "data.", nil) })
	if goOn, failed := session.failed(fault, err); failed {
		return goOn
	}
	one, episodeState := &x.samples[0], &session.episode
	if episodeState.play != nil && episodeState.play.Bare() {
		one.useBareAction(data)
		one.label = nil // a bare action has none
	}
	switch {
	case !jsoncut.Null(one.label) && episodeState.open():
		return session.error(wsValidation, "cannot use data.label: an episode is under way; want none, or reset before", "")
	case !jsoncut.Null(one.label):
		return session.oneStep(x)
	case episodeState.play == nil && episodeState.label == nil:
		return session.error(wsValidation, "cannot step: there is no episode; want reset with a task before, or data.label",
			`,"error_type":"no_episode"`)
	case !episodeState.open():
		return session.error(wsExecution, "cannot step: the episode has ended; want reset", `,"error_type":"episode_done"`)
	case episodeState.play == nil:
		one.label = episodeState.label
		return session.oneStep(x)
	}
	trail := session.server.messageTrail(session.trail)
	ctx, stop := session.server.clients.wait(session.server.life, session.conn.NetConn())
	defer stop()
	var r reply
	if err = session.kept.Grow(ctx, int64(len(one.answer))); err == nil {
		r, fault, err = session.player().turn(trail, ctx, episodeState.play, one, turnOptions{timeout: x.timeout})
	}
	session.server.endTrail(trail, messageStatus(fault, err))
	if goOn, failed := session.failed(fault, err); failed {
		return goOn
	}
	episodeState.steps++
	return session.observation(wrapObservation(nil, string(r.observation), r.reward, r.episodeOver))
}

// oneStep scores the one sample of x as an episode of one step in a WebSocket session, and sends the
// observation. It returns false if the session must end.
func (session *session) oneStep(x *exchange) bool {
	trail := session.server.messageTrail(session.trail)
	ctx, stop := session.server.clients.wait(session.server.life, session.conn.NetConn())
	defer stop()
	err := session.server.run(trail, ctx, x)
	if refused := x.refused(); refused != nil { // assigned only if not nil: a nil pointer would be an error
		err = refused
	}
	session.server.endTrail(trail, messageStatus(x.fault, err))
	if goOn, failed := session.failed(x.fault, err); failed {
		return goOn
	}
	session.episode.steps++
	session.episode.done = session.episode.done || session.episode.label != nil
	return session.observation(stepped(x))
}

// observation sends an observation message with data, and returns false if the client is gone.
func (session *session) observation(data []byte) bool {
	b := append([]byte(`{"type":"observation","data":`), data...)
	return session.send(append(b, '}'))
}

// error sends an error message in the form of OpenEnv's WebSocket. more holds further JSON members of its
// data, each after a comma, or is "". It returns false if the client is gone.
func (session *session) error(code, message, more string) bool {
	b := scoring.AppendString([]byte(`{"type":"error","data":{"message":`), message)
	b = append(append(b, `,"code":"`...), code...)
	b = append(append(b, '"'), more...)
	return session.send(append(b, '}', '}'))
}

// end sends an error message, as error does, and then the message that closes the WebSocket with a
// status.
func (session *session) end(status int, code, message, more string) {
	session.error(code, message, more)
	session.sendClose(status)
}

// sendClose sends the message that closes the WebSocket with a status. It waits controlTime at most.
func (session *session) sendClose(status int) {
	closing := websocket.FormatCloseMessage(status, "")
	session.conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(controlTime))
}

// refuse ends the session in the middle of a message. It discards the rest of the message,
// because closing earlier would reset the connection and lose the error message.
func (session *session) refuse(status int, code, message string) {
	session.end(status, code, message, "")
	if session.server.lingering.Add(1) <= lingerers { // a bounded number of connections waits for its client
		discard(session.conn.NetConn())
	}
	session.server.lingering.Add(-1)
}

// send writes one message to the client. It returns false if that fails, or takes longer than
// --read-timeout.
func (session *session) send(b []byte) bool {
	session.conn.SetWriteDeadline(time.Now().Add(session.server.cfg.ReadTimeout))
	return session.conn.WriteMessage(websocket.TextMessage, b) == nil
}
