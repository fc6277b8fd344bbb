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

// leave removes a WebSocket session that has ended from the open ones, so that stop does not wait for it.
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
	server         *Server
	conn           *websocket.Conn
	options        *queue.Options
	preparation    reward.Steps
	episode        episodeState
	askPeer        peerFunc     // whose shared memory pictures go to
	episodeMemory  *memory.Hold // of answers that an episode keeps
	handshakeTrail *trail       // of the handshake
	messageMemory  *memory.Hold // of the message that is read
	lastMessage    time.Time    // when the last message came; at first when the session began

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
	opt, steps, ok := server.trainerOptions(ctx, openEnv)
	if !ok {
		return
	}
	endTokenRequest := server.detachToken(ctx)
	trail := server.handshake(ctx)
	peer, peerErr := server.peerOf(ctx) // asked now, because the request does not outlive the handshake
	askPeer := func() (shm.Peer, error) { return peer, peerErr }
	err := upgrader.Upgrade(ctx, func(c *websocket.Conn) { // runs after this function has returned
		defer endTokenRequest()
		messageMemory := server.clientMemory.Hold(opt.Client)
		defer messageMemory.Close()
		episodeMemory := server.clientMemory.Hold(opt.Client)
		defer episodeMemory.Close()
		opened := &session{server: server, conn: c, handshakeTrail: trail, messageMemory: messageMemory, episodeMemory: episodeMemory,
			askPeer: askPeer, options: opt, preparation: steps, lastMessage: time.Now()}
		opened.run()
	})
	if err != nil {
		endTokenRequest()
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
			session.endWithError(websocket.CloseInternalServerErr, wsSession, "cannot go on: internal error; the log has the details", "")
		}
	}()
	openNow, shuttingDown, ok := session.server.sessions.enter(session, session.server.cfg.MaxSessions)
	if !ok && shuttingDown {
		session.endWithError(websocket.CloseServiceRestart, wsSession, "cannot open session: the daemon is shutting down; try again", "")
		return
	}
	if !ok {
		session.endWithError(websocket.CloseTryAgainLater, wsCapacity,
			fmt.Sprintf("cannot open session: %d of %d are open (--max-sessions); try again", openNow, session.server.cfg.MaxSessions),
			fmt.Sprintf(`,"active_sessions":%d,"max_sessions":%d`, openNow, session.server.cfg.MaxSessions))
		return
	}
	defer session.server.sessions.leave(session)
	if whyUnready := session.server.cfg.WhyUnready; whyUnready != nil {
		if err := whyUnready(); err != nil {
			session.endWithError(websocket.CloseTryAgainLater, wsFactory, "cannot open session: "+err.Error(), `,"factory_name":"plumb"`)
			return
		}
	}
	// A ping that is being sent ends before the session does: afterwards the library uses the connection's
	// object for another client, who would get the ping.
	stopPings, pingsEnded := make(chan struct{}), make(chan struct{})
	defer func() {
		close(stopPings)
		<-pingsEnded
	}()
	go func() {
		defer close(pingsEnded)
		session.ping(stopPings)
	}()
	session.conn.SetPongHandler(func(string) error { session.extendDeadline(); return nil })
	session.readLoop()
}

// ping sends a WebSocket ping at each interval of SessionPing until stop is closed. The answers show
// that the client is still there.
func (session *session) ping(stop chan struct{}) {
	t := time.NewTicker(session.server.cfg.SessionPing)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			session.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlTime))
		case <-stop:
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
	deadline := session.lastMessage.Add(session.server.cfg.SessionIdle)
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
		session.lastMessage = time.Now()
		goOn := true
		if kind == websocket.TextMessage {
			goOn = session.answer(message)
		} else { // the session goes on: the client may send text next
			session.sendError(wsInvalidJSON, "cannot read message: got a binary frame; want text", "")
		}
		session.messageMemory.Shrink(session.messageMemory.Held())
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
	message, err = session.server.readWhole(session.messageMemory, &limited{r, session.server.cfg.MaxBody}, -1)
	return kind, message, err
}

// endAfterReadError ends the WebSocket session after a failed read. If the client may still receive a message, it
// sends why: the daemon shuts down, the message is too long, there is no memory for it, or the session
// was silent for too long. A client that is gone gets none.
func (session *session) endAfterReadError(err error) {
	var n net.Error
	switch {
	case session.stopping.Load():
		session.endWithError(websocket.CloseServiceRestart, wsSession, "cannot go on: the daemon is shutting down", "")
	case errors.Is(err, memory.ErrTooLarge):
		session.endMidMessage(websocket.CloseMessageTooBig, wsValidation, "cannot read message: "+err.Error())
	case errors.Is(err, memory.ErrFull):
		session.endMidMessage(websocket.CloseTryAgainLater, wsExecution, "cannot read message: "+err.Error())
	case errors.Is(err, errTooLarge):
		session.endMidMessage(websocket.CloseMessageTooBig, wsValidation,
			fmt.Sprintf("cannot read message: it has more than %d bytes (--max-body)", session.server.cfg.MaxBody))
	case errors.As(err, &n) && n.Timeout():
		silent := time.Since(session.lastMessage).Round(time.Millisecond)
		session.endWithError(websocket.CloseNormalClosure, wsSession,
			fmt.Sprintf("cannot go on: no message for %v (--session-idle), or no answer to a ping", silent), "")
	}
}

// answer answers one message of a WebSocket session by its type: reset, step, state or close. It returns
// false if the session must end.
func (session *session) answer(m []byte) bool {
	if err := session.server.cfg.Items.Limits.Check(m); err != nil {
		return session.sendError(wsInvalidJSON, "cannot read message: "+err.Error(), "")
	}
	m = bytes.TrimSpace(m)
	if m[0] != '{' {
		return session.sendError(wsValidation, "cannot read message: got "+jsoncut.Kind(m)+"; want an object", "")
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
			return session.sendError(wsValidation, "cannot use data: got "+jsoncut.Kind(data)+"; want an object", "")
		}
		if kind == "reset" {
			return session.reset(data)
		}
		return session.step(data)
	}
	return session.sendError(wsUnknownType, fmt.Sprintf("cannot answer type %.40q: want reset, step, state or close", kind), "")
}

// reset answers the message "reset" of an OpenEnv session: it begins a new episode with the parameters
// of data, of several turns if they ask for that, and gives up the one before. After an error the
// episode before stays. It returns false if the session must end.
func (session *session) reset(data []byte) bool {
	episodeState, fault := session.server.newEpisode(data)
	opts, optionsFault := episode.ReadOptions(data, "")
	if fault = cmp.Or(fault, optionsFault); fault != nil {
		return session.sendError(wsValidation, fault.Message, "")
	}
	observation := []byte(emptyObservation)
	done := false
	if session.server.asksForTurns(&opts) { // an episode of several turns; one of one step has nothing to begin
		trail := session.server.messageTrail(session.handshakeTrail)
		ctx, stop := session.server.clients.wait(session.server.life, session.conn.NetConn())
		defer stop()
		var err error
		episodeState.play, observation, fault, err = session.player().begin(trail, ctx, opts)
		session.server.endTrail(trail, messageStatus(fault, err))
		if goOn, failed := session.sendFailure(fault, err); failed {
			return goOn
		}
		episodeState.label, episodeState.steps, done = nil, len(opts.History), episodeState.play.Done()
	}
	session.episodeMemory.Shrink(session.episodeMemory.Held()) // gives back the memory of the answers of the episode before
	session.episode = episodeState
	return session.sendObservation(wrapObservation(nil, string(observation), []byte("null"), done))
}

// player returns what the turns of this session's episodes need.
func (session *session) player() *player {
	return &player{server: session.server, options: session.options, preparation: session.preparation, policy: session.server.cfg.Policies[openEnv], askPeer: session.askPeer}
}

// sendFailure answers a message of a WebSocket session with its error. failed is false, and nothing is sent,
// if there was none. fault is what the client must change in the message, err any other failure. goOn is false if the
// session must end, because the daemon shuts down or the client is gone.
func (session *session) sendFailure(fault *scoring.Error, err error) (goOn, failed bool) {
	var unscored *scoring.Error
	switch {
	case fault != nil:
		return session.sendError(wsValidation, fault.Message, ""), true
	case err == nil:
		return true, false
	case errors.Is(err, queue.ErrClosed), errors.Is(err, context.Canceled):
		session.endWithError(websocket.CloseServiceRestart, wsSession, "cannot step: the daemon is shutting down", "")
		return false, true
	case errors.Is(err, queue.ErrBusy):
		wait := seconds(session.server.pace.retryAfter(session.server.cfg.Queue.Depth() - session.server.readyLimit()))
		return session.sendError(wsExecution, err.Error(), `,"retry_after_s":`+strconv.Itoa(wait)), true
	case errors.As(err, &unscored):
		return session.sendError(wsExecution, unscored.Message, `,"error_type":`+strconv.Quote(unscored.Code)), true
	case errors.Is(err, memory.ErrFull), errors.Is(err, memory.ErrTooLarge):
		_, _, message := session.server.explain(err)
		return session.sendError(wsExecution, message, ""), true
	}
	return session.sendError(wsExecution, err.Error(), ""), true
}

// step answers the message "step" of an OpenEnv session: it scores the answer and sends the observation
// and the reward. An answer with a label of its own is an episode of one step, which is refused while
// another episode is under way. An answer without one belongs to the episode of the last reset. It
// returns false if the session must end. See docs/spec/episodes.md#r4.
func (session *session) step(data []byte) bool {
	exchange := &exchange{options: session.options, preparation: session.preparation, policy: session.server.cfg.Policies[openEnv], wantsLines: true}
	var fault *scoring.Error
	err := session.server.parseWithinMemory(session.server.life, session.options.Client, data, func() { fault = exchange.readAction(data, "data.") })
	if goOn, failed := session.sendFailure(fault, err); failed {
		return goOn
	}
	one, episodeState := &exchange.samples[0], &session.episode
	if episodeState.play != nil && episodeState.play.Bare() {
		one.useBareAction(data)
		one.label = nil // a bare action has none
	}
	// An answer with a label is an episode of one step. Another belongs to the episode of the last reset,
	// which has one step if it has no play.
	switch {
	case !jsoncut.Null(one.label) && episodeState.open():
		return session.sendError(wsValidation, "cannot use data.label: an episode is under way; want none, or reset before", "")
	case !jsoncut.Null(one.label):
		return session.oneStep(exchange)
	case episodeState.play == nil && episodeState.label == nil:
		return session.sendError(wsValidation, "cannot step: there is no episode; want reset with a task before, or data.label",
			`,"error_type":"no_episode"`)
	case !episodeState.open():
		return session.sendError(wsExecution, "cannot step: the episode has ended; want reset", `,"error_type":"episode_done"`)
	case episodeState.play == nil:
		one.label = episodeState.label
		return session.oneStep(exchange)
	}
	trail := session.server.messageTrail(session.handshakeTrail)
	ctx, stop := session.server.clients.wait(session.server.life, session.conn.NetConn())
	defer stop()
	var r reply
	if err = session.episodeMemory.Grow(ctx, int64(len(one.answer))); err == nil {
		r, fault, err = session.player().playTurn(trail, ctx, episodeState.play, one, turnOptions{timeout: exchange.timeout})
	}
	session.server.endTrail(trail, messageStatus(fault, err))
	if goOn, failed := session.sendFailure(fault, err); failed {
		return goOn
	}
	episodeState.steps++
	return session.sendObservation(wrapObservation(nil, string(r.observation), r.reward, r.episodeOver))
}

// oneStep scores the one sample of exchange as an episode of one step in a WebSocket session, and sends the
// observation. It returns false if the session must end.
func (session *session) oneStep(exchange *exchange) bool {
	trail := session.server.messageTrail(session.handshakeTrail)
	ctx, stop := session.server.clients.wait(session.server.life, session.conn.NetConn())
	defer stop()
	err := session.server.run(trail, ctx, exchange)
	// Assigned only if not nil: a nil *scoring.Error in an error is not nil.
	if refused := exchange.refused(); refused != nil {
		err = refused
	}
	session.server.endTrail(trail, messageStatus(exchange.fault, err))
	if goOn, failed := session.sendFailure(exchange.fault, err); failed {
		return goOn
	}
	session.episode.steps++
	session.episode.done = session.episode.done || session.episode.label != nil // one step ends an episode with a label
	return session.sendObservation(stepped(exchange))
}

// sendObservation sends an observation message with data, and returns false if the client is gone.
func (session *session) sendObservation(data []byte) bool {
	b := append([]byte(`{"type":"observation","data":`), data...)
	return session.send(append(b, '}'))
}

// sendError sends an error message in the form of OpenEnv's WebSocket. more holds further JSON members of its
// data, each after a comma, or is "". It returns false if the client is gone.
func (session *session) sendError(code, message, more string) bool {
	b := scoring.AppendString([]byte(`{"type":"error","data":{"message":`), message)
	b = append(append(b, `,"code":"`...), code...)
	b = append(append(b, '"'), more...)
	return session.send(append(b, '}', '}'))
}

// endWithError sends an error message, as sendError does, and then the message that closes the WebSocket with a
// status.
func (session *session) endWithError(status int, code, message, more string) {
	session.sendError(code, message, more)
	session.sendClose(status)
}

// sendClose sends the message that closes the WebSocket with a status. It waits controlTime at most.
func (session *session) sendClose(status int) {
	closing := websocket.FormatCloseMessage(status, "")
	session.conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(controlTime))
}

// endMidMessage ends the session in the middle of a message. It discards the rest of the message,
// because closing earlier would reset the connection and lose the error message.
func (session *session) endMidMessage(status int, code, message string) {
	session.endWithError(status, code, message, "")
	if session.server.lingering.Add(1) <= maxLingering { // beyond it, the connection is closed at once
		discard(session.conn.NetConn())
	}
	session.server.lingering.Add(-1)
}

// send writes one message to the client. It returns false if that fails, or takes longer than --read-timeout.
func (session *session) send(b []byte) bool {
	session.conn.SetWriteDeadline(time.Now().Add(session.server.cfg.ReadTimeout))
	return session.conn.WriteMessage(websocket.TextMessage, b) == nil
}
