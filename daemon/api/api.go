// Package api serves the queue over HTTP: routes, status codes, streams, WebSocket sessions, tokens, contracts
// of trainers, Prometheus metrics. In: items, streams of them and scenes. Out: result lines, pictures, health,
// metrics and a description of the daemon. It bounds everything that it reads from clients. It refuses work
// beyond its limits with a status code and the flag of the limit; no other package sets status codes.
package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/semaphore"

	"plumb/daemon/ask"
	"plumb/daemon/conns"
	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/daemon/reward"
	"plumb/daemon/shm"
	"plumb/daemon/trace"
	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/scoring"
)

// The defaults of limits and timeouts. See docs/spec/http.md#r38.
const (
	DefaultBody        = 16 << 20
	DefaultItems       = 65_536
	DefaultBodies      = 512 << 20
	DefaultShare       = 0.5
	DefaultReadTimeout = 30 * time.Second
	DefaultIdle        = 90 * time.Second
	DefaultStreamIdle  = 10 * time.Minute
	DefaultSessions    = 1024
	DefaultSessionIdle = 10 * time.Minute
	DefaultConnections = 8192
	DefaultHeader      = 16 << 10
	DefaultHeaderTime  = 10 * time.Second
)

// Config of a Server. Queue and Items are required; zero values of the others mean the defaults.
type Config struct {
	Queue         *queue.Queue
	Items         dump.ItemConfig   // the suites and task files, as the queue has them
	Variants      scoring.Variants  // chosen where a request names none
	KnownVariants []scoring.Variant // names that a request may choose beside those of the suites
	RewardMode    scoring.RewardMode
	LineLimits    dump.Limits         // of streams
	SceneLimits   scene.Limits        // of pictures
	Pictures      dump.PictureOptions // how their scenes are read; Limits are SceneLimits
	Prompts       *ask.Prompter       // what models are asked; nil where there are no prompts
	MaxBody       int                 // bytes of a body, plain, default 16 MiB (--max-body)
	MaxItems      int                 // items of one request, default 65,536 (--max-items)
	ClientMemory  int                 // bytes from clients in memory at once, default 512 MiB (--max-bodies)
	SceneMemory   *memory.Pool        // bounds the memory of large scenes under way; the queue has the same pool
	ClientShare   float64             // of ClientMemory for one client, at most 1, default 0.5 (--client-share)
	Tokens        *Tokens             // that authenticate clients; nil where none is needed
	// OpenMetrics answers GET /metrics without a token (--metrics-no-token).
	OpenMetrics bool

	MaxHeader     int           // bytes of a request's header, default 16 KiB (--max-header)
	HeaderTimeout time.Duration // for a request's header, default 10 s (--header-timeout)
	ReadTimeout   time.Duration // for a whole request, default 30 s
	IdleTimeout   time.Duration // between requests of a connection, default 90 s
	StreamIdle    time.Duration // without a byte from or to the client of a stream, default 10 min
	MaxConns      int           // open at once, default 8192 (--max-conns)
	MaxConnsPerIP int           // open at once from one address, default unlimited (--max-conns-per-ip)
	SlowAfter     time.Duration // samples that take longer are logged; 0 for none

	Policies    map[string]reward.Policy // rewards of samples without a score, by trainer; nil = defaults
	Prepare     map[string]reward.Steps  // of text preparation, by trainer; nil = defaults
	MaxSessions int                      // OpenEnv sessions open at once, default 1024 (--max-sessions)
	MaxTurns    int                      // of an episode at most, default episode.DefaultTurns (--max-turns)
	SessionIdle time.Duration            // without a message, default 10 min (--session-idle)
	SessionPing time.Duration            // between two pings to the client of a session, default 20 s

	SharedMemory *shm.Registry // shared memory of clients on this host; nil where that is off (--allow-client-shm)
	SharedSocket bool          // clients may register memfds (--shm-socket)
	// TrustLoopback lets any process that reaches the daemon over TCP from this host
	// use shared memory as the daemon's own user (--shm-trust-loopback).
	TrustLoopback bool
	UI            fasthttp.RequestHandler // the explorer, for paths below /ui/; nil for none (--ui)
	Meter         metric.Meter            // measures pixels of clients, default metric.Oracle

	Version    Version
	Editor     EditorInfo
	Metrics    *Metrics
	Trace      *trace.Tracer // exports requests as spans; nil for none
	WhyUnready func() error  // returns why balancers should send no requests, or nil
	WhyDown    func() error  // returns why requests must be refused, or nil; may be nil itself
	Log        *slog.Logger
}

// Version describes the build of the daemon in its answers.
type Version struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Backend  string `json:"backend"`
	Renderer string `json:"gl_renderer"`
}

// Server is the HTTP side of the daemon.
type Server struct {
	cfg            Config
	http           *fasthttp.Server
	routes         map[string]route
	draining       atomic.Bool // not ready, but requests are still accepted
	refusing       atomic.Bool // new work is refused
	active         atomic.Int64
	clientMemory   *memory.Pool        // bytes from clients: bodies, zstd windows, lines, messages
	conns          *conns.Set          // open ones
	lingering      atomic.Int64        // connections kept open after their last answer, so that clients can read it; briefly above maxLingering
	pace           pace                // of answers, for Retry-After
	drawingSlots   *semaphore.Weighted // pictures drawn at once
	pixelSlots     *semaphore.Weighted // and their pixels
	life           context.Context     // ends when streams must stop
	endLife        context.CancelFunc
	sessions       sessions // of OpenEnv
	clients        clients  // of requests in flight
	idPrefix       string   // begins the request ids of this process
	requestCount   atomic.Uint64
	slowLogLimiter logLimiter // of the slow-sample log
}

// route is the handler of one path with its properties. A handler must copy what it keeps
// of a request, because fasthttp reuses the RequestCtx and its bytes afterwards.
type route struct {
	name   string // label of metrics
	path   string // with {name} or {env} in place of a name; set by routes
	method string // GET also answers HEAD
	handle func(*Server, *fasthttp.RequestCtx)
	open   bool // needs no token and is answered while draining
	stream bool // its body has no length limit
}

// otherRoute stands for the name and the path of a route where a request has an unknown path, because what
// clients send must not become a label.
const otherRoute = "other"

// metricsRoute is the name of the route that --metrics-no-token opens.
const metricsRoute = "metrics"

// takes reports whether requests of a method are answered.
func (r route) takes(method string) bool {
	return method == r.method || method == "HEAD" && r.method == "GET"
}

// New returns an HTTP server of the daemon that is not listening yet.
func New(cfg Config) *Server {
	setDefaults(&cfg)
	server := &Server{cfg: cfg, routes: routes(), idPrefix: newIDPrefix()}
	// While the buffer of a body grows there are two of it, and one body must always fit. So a client's
	// share of the memory has room for two.
	share := max(int64(cfg.ClientShare*float64(cfg.ClientMemory)), 2*int64(cfg.MaxBody))
	server.clientMemory = memory.New("--max-bodies", max(int64(cfg.ClientMemory), share), share)
	cfg.Metrics.registerMemory(server.clientMemory, cfg.SceneMemory)
	server.drawingSlots, server.pixelSlots = semaphore.NewWeighted(int64(maxDrawings())), semaphore.NewWeighted(int64(server.maxPixels()))
	server.life, server.endLife = context.WithCancel(context.Background())
	server.conns = conns.New(conns.Config{Max: cfg.MaxConns, PerAddress: cfg.MaxConnsPerIP, Refuse: server.refuseConnection, Log: cfg.Log})
	cfg.Metrics.registerConnections(server.conns.Stats)
	server.http = &fasthttp.Server{
		Handler:        server.serve,
		HeaderReceived: server.receiveHeader,
		ExpectHandler:  server.expect,
		ErrorHandler:   server.malformed,
		Name:           "plumb",
		ConnState:      server.connState,
		// The set of connections bounds them. The server's own bound also counts connections
		// that the set has closed and whose goroutines have not ended yet.
		Concurrency:    math.MaxInt32,
		ReadBufferSize: cfg.MaxHeader,
		ReadTimeout:    min(cfg.HeaderTimeout, cfg.ReadTimeout), // for the header; receiveHeader then sets the time for the body
		WriteTimeout:   cfg.ReadTimeout,
		IdleTimeout:    cfg.IdleTimeout,
		// Bodies are read by the handlers, which count their bytes themselves. This
		// is only how much of one the server waits for before it calls them.
		MaxRequestBodySize:           1,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		NoDefaultContentType:         true,
		CloseOnShutdown:              true,
		Logger:                       quiet{cfg.Log},
	}
	return server
}

// setDefaults replaces members of the server's configuration that are zero, negative or nil by their
// defaults. ClientShare is a fraction of ClientMemory, so one outside (0, 1] is replaced too.
func setDefaults(cfg *Config) {
	cfg.MaxBody = cmp.Or(max(cfg.MaxBody, 0), DefaultBody)
	cfg.MaxItems = cmp.Or(max(cfg.MaxItems, 0), DefaultItems)
	cfg.MaxHeader = cmp.Or(max(cfg.MaxHeader, 0), DefaultHeader)
	cfg.HeaderTimeout = cmp.Or(max(cfg.HeaderTimeout, 0), DefaultHeaderTime)
	cfg.ReadTimeout = cmp.Or(max(cfg.ReadTimeout, 0), DefaultReadTimeout)
	cfg.IdleTimeout = cmp.Or(max(cfg.IdleTimeout, 0), DefaultIdle)
	cfg.StreamIdle = cmp.Or(max(cfg.StreamIdle, 0), DefaultStreamIdle)
	cfg.MaxSessions = cmp.Or(max(cfg.MaxSessions, 0), DefaultSessions)
	cfg.SessionIdle = cmp.Or(max(cfg.SessionIdle, 0), DefaultSessionIdle)
	cfg.SessionPing = cmp.Or(max(cfg.SessionPing, 0), defaultSessionPing)
	if cfg.Policies == nil {
		cfg.Policies, _ = ParsePolicies(nil)
	}
	if cfg.Prepare == nil {
		cfg.Prepare, _ = ParsePrepare(nil)
	}
	cfg.MaxConns = cmp.Or(max(cfg.MaxConns, 0), DefaultConnections)
	cfg.ClientMemory = cmp.Or(max(cfg.ClientMemory, 0), DefaultBodies)
	if !(cfg.ClientShare > 0 && cfg.ClientShare <= 1) {
		cfg.ClientShare = DefaultShare
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Metrics == nil {
		cfg.Metrics = NewMetrics()
	}
	if cfg.Meter == nil {
		cfg.Meter = metric.Oracle{}
	}
	if cfg.SharedMemory != nil {
		cfg.Metrics.regions.Store(cfg.SharedMemory)
	}
}

// newIDPrefix returns 12 random hexadecimal digits. They begin the request ids of this process, so that two
// processes never give the same id.
func newIDPrefix() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// routes returns the server's routes by path. get, post and health make routes from the name in metrics and the
// handler; those of health are open, that is, they need no token. A path with {name} or {env} stands for any
// such name, see findRoute. Each trainer has a route of its own and may have more. See docs/spec/http.md#r1.
func routes() map[string]route {
	get := func(name string, f func(*Server, *fasthttp.RequestCtx)) route {
		return route{name: name, method: "GET", handle: f}
	}
	post := func(name string, f func(*Server, *fasthttp.RequestCtx)) route {
		return route{name: name, method: "POST", handle: f}
	}
	health := func(name string, f func(*Server, *fasthttp.RequestCtx)) route {
		return route{name: name, method: "GET", handle: f, open: true}
	}
	all := map[string]route{
		"/v1/score":        post("score", (*Server).score),
		"/v1/score/stream": {name: "score_stream", method: "POST", handle: (*Server).scoreStream, stream: true},
		"/v1/render":       post("render", (*Server).render),
		"/v1/prompt":       post("prompt", (*Server).prompt),
		"/v1/metrics":      post("pixel_metrics", (*Server).measure),

		sharedPath + "/status":                  get("shm_status", (*Server).sharedStatus),
		regionPath + nameInPath + "/status":     get("shm_status", (*Server).sharedStatus),
		regionPath + nameInPath + "/register":   post("shm_register", (*Server).sharedRegister),
		regionPath + nameInPath + "/unregister": post("shm_unregister", (*Server).sharedUnregister),
		sharedPath + "/unregister":              post("shm_unregister", (*Server).sharedUnregister),

		"/v1/info":             get("info", (*Server).info),
		"/v1/suites":           get("suites", (*Server).suites),
		"/v2":                  get("server", (*Server).describe),
		"/openapi.json":        get("openapi", (*Server).openAPI),
		"/metrics":             get(metricsRoute, (*Server).metrics),
		"/":                    health("home", (*Server).home),
		uiPath + nameInPath:    get(uiRoute, (*Server).ui),
		guidePath + nameInPath: health("guide", (*Server).guide),
		"/health":              health("health", (*Server).health),
		"/healthz":             health("health", (*Server).health),
		"/v2/health/live":      health("live", (*Server).live),
		"/v2/health/ready":     health("ready", (*Server).ready),
	}
	for path, r := range taskRoutes {
		all["/"+envInPath+path] = r
	}
	for _, t := range trainers() {
		all[t.path] = post(t.metric, func(s *Server, ctx *fasthttp.RequestCtx) { s.train(ctx, t) })
		maps.Copy(all, t.moreRoutes)
	}
	for path, r := range all {
		r.path = path
		all[path] = r
	}
	return all
}

// serve is the handler of all requests: it assigns an id, dispatches the request, and
// counts, traces and logs it.
func (server *Server) serve(ctx *fasthttp.RequestCtx) {
	start := time.Now()
	server.active.Add(1)
	defer server.active.Add(-1)
	id := server.requestID(ctx)
	ctx.Response.Header.Set("X-Request-Id", id)
	trail := server.beginTrail(ctx, id, start)
	name := server.dispatch(ctx, id, func(r route) {
		r.handle(server, ctx)
		if r.method == "POST" && ctx.Response.StatusCode() != fasthttp.StatusTooManyRequests {
			server.pace.countAnswer(time.Now()) // a refusal would make the queue look fast
		}
	})
	server.releaseRequest(ctx)
	if server.draining.Load() && !ctx.Hijacked() { // so that the client's next request goes to another process
		ctx.SetConnectionClose()
	}
	server.finishConnection(ctx)
	if !ctx.Response.IsBodyStream() { // a stream is counted when it ends
		server.cfg.Metrics.countRequest(name, ctx.Response.StatusCode(), time.Since(start))
		server.endTrail(trail, ctx.Response.StatusCode())
	}
	server.cfg.Log.Debug("request", "route", name, "code", ctx.Response.StatusCode(), "request", id, "took", time.Since(start))
}

// dispatch finds the route of a request and, if the request is admitted, marks its connection as busy
// and calls f with the route. It returns the route's name for metrics. It recovers from a panic in f,
// which fasthttp does not, and answers with status 500.
func (server *Server) dispatch(ctx *fasthttp.RequestCtx, id string, f func(route)) (name string) {
	route, ok := server.findRoute(string(ctx.Path()))
	name = route.name
	defer func() {
		if p := recover(); p != nil {
			server.cfg.Log.Error("BUG: panic in a handler", "route", name, "request", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			server.fail(ctx, fasthttp.StatusInternalServerError, "internal", "cannot answer: internal error; the log has the details")
			ctx.SetConnectionClose()
		}
	}()
	// Busy is false if the connection was closed meanwhile to make room for another. Open routes, such
	// as health checks, check no token, so their requests do not count as authorized.
	isAuthorized := !route.open
	if server.admitted(ctx, route, ok) && conns.Of(ctx.Conn()).Busy(isAuthorized) {
		f(route)
	}
	return name
}

// admitted reports whether the handler of route may answer a request. Otherwise it answers the request itself:
// the path is unknown, the method, the token or a name in the query is wrong, or the daemon accepts no work.
func (server *Server) admitted(ctx *fasthttp.RequestCtx, route route, known bool) bool {
	method := string(ctx.Method())
	switch {
	case ambiguous(&ctx.Request.Header):
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_request", "cannot read request: got Transfer-Encoding with Content-Length, "+
			"or another Transfer-Encoding than chunked; want one way to tell where the body ends")
		return false
	case !known:
		server.fail(ctx, fasthttp.StatusNotFound, "not_found", "cannot find this path: GET /openapi.json lists those that there are")
		return false
	case !route.takes(method):
		ctx.Response.Header.Set("Allow", route.method)
		server.fail(ctx, fasthttp.StatusMethodNotAllowed, "bad_method", fmt.Sprintf("cannot answer %.16q here; want %s", method, route.method))
		return false
	case route.open, route.name == metricsRoute && server.cfg.OpenMetrics: // it needs no token
		return server.takesQuery(ctx, route)
	}
	clientToken, ok := server.authorize(ctx) // the client's token; nil if the daemon needs none
	if !ok {
		return false
	}
	if clientToken != nil {
		ctx.SetUserValue(tokenKey, clientToken)
	}
	return server.takesQuery(ctx, route) && (route.method != "POST" || server.acceptsWork(ctx))
}

// takesQuery reports whether the route reads every name in the query of a request. Otherwise it answers
// the request itself.
func (server *Server) takesQuery(ctx *fasthttp.RequestCtx, route route) bool {
	fault := unknownQuery(ctx.QueryArgs(), route)
	if fault != nil {
		server.fail(ctx, fasthttp.StatusBadRequest, fault.Code, fault.Message)
	}
	return fault == nil
}

// releaseRequest counts a request as finished for the limits of its token, and returns the memory of its
// body. The handler of a request that goes on after it, such as a stream, has called detachToken: then the
// token's limits still count the request.
func (server *Server) releaseRequest(ctx *fasthttp.RequestCtx) {
	server.detachToken(ctx)()
	server.releaseBody(ctx)
}

// expect answers the header "Expect: 100-continue" of a client that waits with its body. It returns the status
// 100, or refuses a request whose body would be refused anyway, with its answer. It dispatches the request
// without its handler; the request comes again with its body, so a token's rate counts it once only.
func (server *Server) expect(ctx *fasthttp.RequestCtx) int {
	refused := true // dispatch calls the function only for a request that is admitted
	id := server.requestID(ctx)
	name := server.dispatch(ctx, id, func(r route) {
		refused = !r.stream && server.refuseOversize(ctx)
		if !refused {
			server.refund(ctx) // the request is counted again with its body
		}
	})
	server.releaseRequest(ctx)
	if !refused {
		return fasthttp.StatusContinue
	}
	status := ctx.Response.StatusCode()
	ctx.Response.Header.Set("X-Request-Id", id)
	server.cfg.Metrics.countRequest(name, status, 0)
	return status
}

// requestID returns the X-Request-Id of the client if it is valid, else a new one. A valid one has 1 to
// 128 printable ASCII characters without spaces, because it goes into logs and headers.
func (server *Server) requestID(ctx *fasthttp.RequestCtx) string {
	given := ctx.Request.Header.Peek("X-Request-Id")
	unsafe := func(r rune) bool { return r <= ' ' || r > '~' }
	if n := len(given); n > 0 && n <= 128 && bytes.IndexFunc(given, unsafe) < 0 {
		return string(given)
	}
	return server.idPrefix + "-" + strconv.FormatUint(server.requestCount.Add(1), 10)
}

// quiet is the logger of the HTTP library. It writes debug lines, because the library reports every dropped
// connection, and without the arguments, because they quote what the client sent, tokens included.
type quiet struct{ log *slog.Logger }

func (q quiet) Printf(format string, _ ...any) { q.log.Debug("connection ended", "format", format) }
