package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"plumb/daemon"
	"plumb/daemon/api"
	"plumb/daemon/explorer"
	"plumb/daemon/judge"
	"plumb/daemon/memory"
	"plumb/daemon/trace"
	"plumb/scoring"
	"plumb/scoring/table"
)

// serveCmd is `plumb serve`.
type serveCmd struct {
	Listen string `default:"127.0.0.1:8000" placeholder:"ADDR" help:"TCP address of the HTTP server; port 0 takes a free one, \"\" listens on the socket only."`
	Socket string `placeholder:"PATH" help:"Unix socket to listen on too; an older daemon's is replaced in one step."`
	Admin  string `placeholder:"ADDR" help:"TCP address of metrics and profiles, off by default; on this machine's own addresses it asks for no token."`

	UI      string `name:"ui" placeholder:"DIR" help:"Show the results in this folder, and in those below it, at /ui/. See docs/explorer.md."`
	UIPages string `name:"ui-pages" placeholder:"DIR" help:"Folder of the built pages. Default: PLUMB_UI_PAGES, else build/explorer beside the program."`

	engineFlags
	scoreFlags
	limitFlags
	judgeFlags
	sharedFlags
	MaxBody   size     `default:"16MiB" placeholder:"BYTES" group:"limits" help:"Longest body of a request, decompressed; streams have no limit."`
	MaxBodies size     `default:"512MiB" placeholder:"BYTES" group:"limits" help:"The part of --max-memory for what clients send: bodies, the windows of decompression, unfinished lines and messages; above it the daemon answers 429."`
	MaxWindow size     `default:"16MiB" placeholder:"BYTES" group:"limits" help:"How far back compressed input (zstd) may refer; that much memory is taken for each body or stream that says so."`
	Share     fraction `name:"client-share" default:"0.5" placeholder:"SHARE" group:"limits" help:"Share of --max-bodies, and of the rest of --max-memory, that one client may have, 0 to 1. Clients are told apart by token, else by address."`
	MaxItems  count    `default:"65536" placeholder:"N" group:"limits" help:"Items of one request; streams have no limit."`
	MaxHeader size     `default:"16KiB" placeholder:"BYTES" group:"limits" help:"Longest header of a request; each open connection has a buffer of that size."`
	MaxConns  int      `default:"0" placeholder:"N" group:"limits" help:"Connections open at once; for one more, the one that has waited longest without a request is closed. 0 = 8192, or as many as the limit of open files leaves (ulimit -n)."`
	MaxPerIP  int      `name:"max-conns-per-ip" default:"0" placeholder:"N" group:"limits" help:"Connections open at once from one address (IPv6: one network of 64 bits); 0 = no limit of its own."`

	Unscorable  []string      `sep:"none" placeholder:"ADAPTER=POLICY" help:"What a trainer gets for a sample that could not be scored: zero (0.0, marked as failed), null, drop or error; repeatable. Defaults: ${policies}. See docs/trainers.md."`
	Prepare     []string      `sep:"none" placeholder:"ADAPTER=STEPS" help:"Text preparation before an answer is read: special, think, answer, fenced, boxed with commas between them, or none; repeatable, and ?prepare= in a URL wins. Defaults: ${steps}, others none."`
	MaxSessions count         `default:"1024" placeholder:"N" group:"limits" help:"OpenEnv sessions (WebSocket) open at once."`
	MaxTurns    count         `default:"16" placeholder:"N" group:"limits" help:"Turns of one OpenEnv episode at most."`
	SessionIdle time.Duration `default:"10m" placeholder:"TIME" help:"How long an OpenEnv session is kept without a message."`

	TokenEnv        string `placeholder:"NAME" help:"Environment variable that holds the token which clients must send (Bearer, Basic password or ?token=), or several as in --tokens-file."`
	TokensFile      string `placeholder:"FILE" help:"Tokens, one per line: TOKEN or NAME:TOKEN[:RATE[:CONCURRENCY]], with limits on requests per second and requests under way. Read again on SIGHUP and when it changes."`
	InsecureNoToken bool   `help:"Listen on addresses that other machines reach without asking for a token."`
	MetricsNoToken  bool   `help:"Answer GET /metrics without a token, also on --admin, so that a scraper needs none: whoever reaches the address sees what is counted."`
	TLSCert         string `name:"tls-cert" placeholder:"FILE" help:"Certificate chain (PEM) for TLS on --listen; needs --tls-key. Read again on SIGHUP and when it changes."`
	TLSKey          string `name:"tls-key" placeholder:"FILE" help:"Key of --tls-cert (PEM)."`
	TLSClientCA     string `name:"tls-client-ca" placeholder:"FILE" help:"Authorities (PEM): only clients with a certificate of theirs are let in."`

	ExitWithStdin bool `help:"Stop when stdin ends: a program that starts the daemon with a pipe leaves none behind, also when it is killed."`

	Heartbeat    time.Duration `default:"5s" placeholder:"TIME" help:"Interval of renders that check whether the device answers; the daemon is not ready while it does not, and the service manager's watchdog is fed only while it does."`
	QueueDelay   time.Duration `default:"0s" placeholder:"TIME" help:"Longest wait for a batch to fill, from the arrival of its oldest request (Triton: max_queue_delay_microseconds); 0 sends at once."`
	ResultCache  cacheSize     `default:"0" placeholder:"BYTES" help:"Memory for kept scores: identical items with identical options are answered from it; 0 keeps none."`
	HeaderTime   time.Duration `name:"header-timeout" default:"10s" placeholder:"TIME" help:"Longest time for a request's header to arrive, from the opening of the connection or from its first byte."`
	ReadTimeout  time.Duration `default:"30s" placeholder:"TIME" help:"Longest time for a whole request to arrive and for its answer to leave; after its first byte, the body of a stream has --stream-idle instead."`
	IdleTimeout  time.Duration `default:"90s" placeholder:"TIME" help:"How long a connection is kept between requests."`
	StreamIdle   time.Duration `default:"10m" placeholder:"TIME" help:"Longest silence of a stream's client, sending or reading."`
	DrainGrace   time.Duration `default:"2s" placeholder:"TIME" help:"After SIGTERM: not ready, but requests are still taken; give balancers time to notice."`
	DrainTimeout time.Duration `default:"30s" placeholder:"TIME" help:"After that: longest wait for requests in flight. A second signal ends at once."`
	Slow         time.Duration `default:"1s" placeholder:"TIME" help:"Samples that take longer are logged with their ids; 0 logs none."`
	OTLPEndpoint string        `name:"otlp-endpoint" placeholder:"URL" group:"traces" help:"Send OpenTelemetry traces to this OTLP/HTTP collector (http://HOST:4318); off by default. The standard OTEL_* variables work too."`
	TraceRatio   *float64      `placeholder:"SHARE" group:"traces" help:"Share of the requests that are traced, 0 to 1, where the client's traceparent does not say; default 1, or as OTEL_TRACES_SAMPLER says."`
	TraceFile    string        `type:"path" placeholder:"FILE" group:"traces" help:"Write requests and their parts as trace events, which ui.perfetto.dev opens, up to 1 GiB."`
	LogLevel     string        `enum:"debug,info,warn,error" default:"info" help:"What is logged to stderr: debug, info, warn or error. Answers of models are never logged."`
}

// baseMemory is the memory in bytes that the daemon may hold beside --max-memory (tasks,
// fonts, buffers of workers, small samples) before garbage is collected more often.
const baseMemory = 768 << 20

// Run serves until it is told to stop.
func (c *serveCmd) Run(std streams) error {
	log := logger(std, c.LogLevel)
	cc, err := core(&c.engineFlags, &c.limitFlags, &c.scoreFlags)
	if err != nil {
		return err
	}
	if c.Listen == "" && c.Socket == "" {
		return usage("cannot serve: want --listen or --socket")
	}
	variants, err := c.variants(cc.Suites)
	if err != nil {
		return err
	}
	mode, err := scoring.ParseReward(c.Reward)
	if err != nil {
		return usageError{err}
	}
	policies, err := api.ParsePolicies(c.Unscorable)
	if err != nil {
		return usageError{err}
	}
	steps, err := api.ParsePrepare(c.Prepare)
	if err != nil {
		return usageError{err}
	}
	token, err := secret(c.TokenEnv)
	if err != nil {
		return err
	}
	if c.QueueDelay < 0 || c.QueueDelay > c.Deadline {
		return usage("cannot use --queue-delay %v: want 0 to --deadline, %v", c.QueueDelay, c.Deadline)
	}
	if c.MaxConns < 0 || c.MaxPerIP < 0 {
		return usage("cannot use --max-conns %d and --max-conns-per-ip %d: want 0 or more", c.MaxConns, c.MaxPerIP)
	}
	if c.MaxHeader < 1<<10 || c.MaxHeader > 1<<20 {
		return usage("cannot use --max-header %d: want 1KiB to 1MiB", int(c.MaxHeader))
	}
	if cc.Judge, err = c.judgeFlags.config(false); err != nil {
		return err
	}
	if cc.Judge != nil {
		cc.Judge.Log = log
	}
	if c.MaxBodies >= c.MaxMemory {
		return usage("cannot use --max-bodies %d: want less than --max-memory, %d", c.MaxBodies, c.MaxMemory)
	}
	if os.Getenv("GOMEMLIMIT") == "" { // collect more often near the bound, and do not wait for twice as much
		debug.SetMemoryLimit(int64(c.MaxMemory) + int64(c.ResultCache) + int64(c.Tallies) + baseMemory)
	}
	cc.Lines.Window = int(c.MaxWindow)
	rest := int64(c.MaxMemory - c.MaxBodies)
	cc.Queue.Memory = memory.New("--max-memory", rest, int64(float64(c.Share)*float64(rest)))
	cc.Queue.Delay, cc.Queue.Cache = c.QueueDelay, int(c.ResultCache)
	traces, err := c.traces()
	if err != nil {
		return usageError{err}
	}
	shared, err := c.sharedFlags.config(log)
	if err != nil {
		return err
	}
	log.Info("starting", "version", version, "commit", commit, "backend", c.Backend, "fidelity", c.Fidelity, "tldraw", c.Tldraw, "licence-key", c.LicenseKey != "", "raster", c.Raster, "device", c.Device,
		"workers", c.Workers, "batch", int(c.Batch), "queue-max", int(c.QueueMax), "deadline", c.Deadline, "queue-delay", c.QueueDelay, "result-cache", int(c.ResultCache), "tally-cache", int(c.Tallies), "reward", c.Reward,
		"variants", c.Variant, "tasks", len(c.Tasks), "token", token != "" || c.TokensFile != "", "tls", c.TLSCert != "", "client-shm", c.AllowClientShm,
		"judge", c.JudgeModel, "judge-key", cc.Judge != nil && cc.Judge.Key != "")
	copies := copierOf(&cc)
	var stdin io.Reader
	if c.ExitWithStdin {
		stdin = std.in
	}
	return served(daemon.Serve(context.Background(), daemon.Config{
		Trace: traces, UI: daemon.UIConfig{Dir: c.UI, Pages: explorer.PagesDir(c.UIPages), Flags: c.scoreFlags.list(&c.engineFlags), ResultCopies: copies.results, DumpCopies: copies.dumps}, Stdin: stdin,
		Core: cc, Listen: c.Listen, Socket: c.Socket, Admin: c.Admin, Shared: shared,
		Grace: c.DrainGrace, Drain: c.DrainTimeout, Beat: c.Heartbeat, Out: std.err, Log: log,
		Secrets: daemon.SecretConfig{Tokens: token, TokensFile: c.TokensFile, Cert: c.TLSCert, Key: c.TLSKey, ClientCA: c.TLSClientCA, Insecure: c.InsecureNoToken},
		API: api.Config{
			Variants: variants, Known: table.Variants(), Reward: mode, Lines: cc.Lines, Scenes: cc.Scenes,
			Policies: policies, Prepare: steps, Sessions: int(c.MaxSessions), Turns: int(c.MaxTurns), SessionIdle: c.SessionIdle,
			Body: int(c.MaxBody), Bodies: int(c.MaxBodies), Share: float64(c.Share), Work: cc.Queue.Memory, ItemsMax: int(c.MaxItems),
			ReadTimeout: c.ReadTimeout, Idle: c.IdleTimeout, StreamIdle: c.StreamIdle,
			OpenMetrics: c.MetricsNoToken, Header: int(c.MaxHeader), HeaderTime: c.HeaderTime, Connections: c.MaxConns, ConnsPerIP: c.MaxPerIP, Slow: c.Slow, Version: about(),
		},
	}))
}

// served makes a usage error of an error that the command line causes.
func served(err error) error {
	if errors.Is(err, judge.ErrConfig) || errors.Is(err, daemon.ErrUse) || errors.Is(err, daemon.ErrExposed) || errors.Is(err, daemon.ErrSecrets) || errors.Is(err, daemon.ErrFiles) {
		return usageError{err}
	}
	return err
}

// traces reads where requests are traced to: the flags win over the variables.
func (c *serveCmd) traces() (trace.Config, error) {
	t := trace.Config{Endpoint: c.OTLPEndpoint, File: c.TraceFile, Ratio: -1, Getenv: os.Getenv}
	if c.TraceRatio != nil {
		t.Ratio = *c.TraceRatio
		if t.Ratio < 0 {
			return t, fmt.Errorf("cannot use --trace-ratio: got %v; want 0 to 1", t.Ratio)
		}
	}
	var err error
	if t.Env, err = trace.FromEnv(os.Getenv); err != nil {
		return t, err
	}
	return t, t.Check()
}
