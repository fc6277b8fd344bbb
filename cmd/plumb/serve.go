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
	Listen string `default:"127.0.0.1:8000" placeholder:"ADDR" help:"TCP address of the HTTP server. Port 0 takes a free port; \"\" listens on --socket only."`
	Socket string `placeholder:"PATH" help:"Path of a Unix socket to listen on too. The socket of an older daemon is replaced in one step."`
	Admin  string `placeholder:"ADDR" help:"TCP address for metrics and profiles. On this machine's own addresses it asks for no token. Default: none."`

	UI      string `name:"ui" placeholder:"DIR" help:"Show the results in this folder, and in those below it, at /ui/. See docs/explorer.md. Default: none."`
	UIPages string `name:"ui-pages" placeholder:"DIR" help:"Folder of the built pages for /ui/. Default: that of PLUMB_UI_PAGES, else build/explorer beside the program."`

	engineFlags
	scoreFlags
	limitFlags
	judgeFlags
	sharedFlags
	MaxBody   size     `default:"16MiB" placeholder:"BYTES" group:"limits" help:"Maximum length of the body of a request, decompressed. Streams have no limit."`
	MaxBodies size     `default:"512MiB" placeholder:"BYTES" group:"limits" help:"Part of --max-memory for what clients send: bodies, windows of decompression, unfinished lines and messages. Above it, the daemon answers with status 429."`
	MaxWindow size     `default:"16MiB" placeholder:"BYTES" group:"limits" help:"Maximum distance that compressed input (zstd) may refer back. That much memory is taken for each body or stream that says so."`
	Share     fraction `name:"client-share" default:"0.5" placeholder:"SHARE" group:"limits" help:"Share of --max-bodies, and of the rest of --max-memory, that one client may have, above 0 and at most 1. Clients are told apart by token, else by address."`
	MaxItems  count    `default:"65536" placeholder:"N" group:"limits" help:"Maximum number of items of one request. Streams have no limit."`
	MaxHeader size     `default:"16KiB" placeholder:"BYTES" group:"limits" help:"Maximum length of the header of a request, 1KiB to 1MiB. Each open connection has a buffer of that size."`
	MaxConns  int      `default:"0" placeholder:"N" group:"limits" help:"Maximum number of open connections. For one more, the connection that has waited longest without a request is closed. 0 means 8192, or as many as the limit of open files leaves (ulimit -n)."`
	MaxPerIP  int      `name:"max-conns-per-ip" default:"0" placeholder:"N" group:"limits" help:"Maximum number of open connections from one address (IPv6: from one network of 64 bits). 0 means no limit."`

	Unscorable  []string      `sep:"none" placeholder:"ADAPTER=POLICY" group:"scoring" help:"What a trainer gets for a sample that could not be scored: zero (0.0, marked as failed), null, drop or error; may be repeated. Default: ${policies}. See docs/trainers.md."`
	Prepare     []string      `sep:"none" placeholder:"ADAPTER=STEPS" group:"scoring" help:"How an answer's text is prepared before it is read: none, or some of special, think, answer, fenced and boxed, separated by commas; may be repeated. ?prepare= in a URL takes precedence. Default: ${steps}, others none. See docs/trainers.md."`
	MaxSessions count         `default:"1024" placeholder:"N" group:"limits" help:"Maximum number of open OpenEnv sessions (WebSocket)."`
	MaxTurns    count         `default:"16" placeholder:"N" group:"limits" help:"Maximum number of turns of one OpenEnv episode."`
	SessionIdle time.Duration `default:"10m" placeholder:"TIME" group:"connections" help:"How long an OpenEnv session is kept without a message."`

	TokenEnv        string `placeholder:"NAME" group:"access" help:"Environment variable that holds the token which clients must send (as Bearer token, Basic password or ?token=), or several as in --tokens-file."`
	TokensFile      string `placeholder:"FILE" group:"access" help:"File of tokens, one per line: TOKEN or NAME:TOKEN[:RATE[:CONCURRENCY]], with limits on requests per second and requests under way. It is read again on SIGHUP and when it changes."`
	InsecureNoToken bool   `group:"access" help:"Ask for no token, even on addresses that other machines reach."`
	MetricsNoToken  bool   `group:"access" help:"Answer GET /metrics without a token, also on --admin, for a scraper without one. Whoever reaches the address then sees what is counted."`
	TLSCert         string `name:"tls-cert" placeholder:"FILE" group:"access" help:"Certificate chain (PEM) for TLS on --listen; needs --tls-key. It is read again on SIGHUP and when it changes."`
	TLSKey          string `name:"tls-key" placeholder:"FILE" group:"access" help:"Private key (PEM) of --tls-cert."`
	TLSClientCA     string `name:"tls-client-ca" placeholder:"FILE" group:"access" help:"Certificates (PEM) of authorities: only clients with a certificate that one of them signed are let in."`

	ExitWithStdin bool `group:"connections" help:"Stop when standard input ends. A program that starts the daemon with a pipe then leaves none behind, also when it is killed."`

	Heartbeat    time.Duration `default:"5s" placeholder:"TIME" group:"connections" help:"Time between two test pictures that check whether the device answers. While it does not, the daemon is not ready, and the service manager's watchdog gets no sign of life."`
	QueueDelay   time.Duration `default:"0s" placeholder:"TIME" group:"connections" help:"Longest wait for a batch to fill, from the arrival of its oldest request (Triton: max_queue_delay_microseconds). 0 sends at once what is there."`
	ResultCache  cacheSize     `default:"0" placeholder:"BYTES" help:"Memory for results: identical items with identical options are answered from it. 0 keeps none."`
	HeaderTime   time.Duration `name:"header-timeout" default:"10s" placeholder:"TIME" group:"connections" help:"Longest time for a request's header to arrive, from the opening of the connection or from its first byte."`
	ReadTimeout  time.Duration `default:"30s" placeholder:"TIME" group:"connections" help:"Longest time for a whole request to arrive, and for its answer to be taken. After its first byte, the body of a stream has --stream-idle instead."`
	IdleTimeout  time.Duration `default:"90s" placeholder:"TIME" group:"connections" help:"How long a connection is kept open between requests."`
	StreamIdle   time.Duration `default:"10m" placeholder:"TIME" group:"connections" help:"Longest silence of a stream's client, sending or reading."`
	DrainGrace   time.Duration `default:"2s" placeholder:"TIME" group:"connections" help:"After SIGTERM: how long the daemon says that it is not ready but still takes requests, so that load balancers notice."`
	DrainTimeout time.Duration `default:"30s" placeholder:"TIME" group:"connections" help:"After --drain-grace: longest wait for requests in flight. A second signal ends the daemon at once."`
	Slow         time.Duration `default:"1s" placeholder:"TIME" group:"traces" help:"Log samples that take longer than this, with their ids. 0 logs none."`
	OTLPEndpoint string        `name:"otlp-endpoint" placeholder:"URL" group:"traces" help:"Address of an OTLP/HTTP collector (http://HOST:4318) for OpenTelemetry traces. The standard OTEL_* variables work too. Default: none."`
	TraceRatio   *float64      `placeholder:"SHARE" group:"traces" help:"Share of the requests that are traced, 0 to 1, where the client's traceparent does not say. Default: that of OTEL_TRACES_SAMPLER, else 1."`
	TraceFile    string        `type:"path" placeholder:"FILE" group:"traces" help:"File for requests and their parts as trace events, which ui.perfetto.dev opens, up to 1 GiB. Default: none."`
	LogLevel     string        `enum:"debug,info,warn,error" default:"info" group:"traces" help:"Lowest level that is logged to standard error: debug, info, warn or error. Answers of models are never logged."`
}

// baseMemory is the memory in bytes that the daemon may hold beside --max-memory (tasks,
// fonts, buffers of workers, small samples) before garbage is collected more often.
const baseMemory = 768 << 20

// Run checks all flags of the daemon, sets the limit of memory for the garbage collector, logs the
// settings, and serves until a signal stops it. It removes the key of the judge, the language model that
// judges open answers, from the environment.
func (cmd *serveCmd) Run(std streams) error {
	log := logger(std, cmd.LogLevel)
	config, err := coreConfig(&cmd.engineFlags, &cmd.limitFlags, &cmd.scoreFlags)
	if err != nil {
		return err
	}
	if cmd.Listen == "" && cmd.Socket == "" {
		return usage("cannot serve: got no address; want --listen ADDR or --socket PATH")
	}
	variants, err := cmd.variants(config.Suites)
	if err != nil {
		return err
	}
	reward, err := scoring.ParseReward(cmd.Reward)
	if err != nil {
		return usageError{err}
	}
	policies, err := api.ParsePolicies(cmd.Unscorable)
	if err != nil {
		return usageError{err}
	}
	steps, err := api.ParsePrepare(cmd.Prepare)
	if err != nil {
		return usageError{err}
	}
	token, err := secret(cmd.TokenEnv)
	if err != nil {
		return err
	}
	if cmd.QueueDelay < 0 || cmd.QueueDelay > cmd.Deadline {
		return usage("cannot use --queue-delay %v: want 0s to %v, the value of --deadline", cmd.QueueDelay, cmd.Deadline)
	}
	if cmd.MaxConns < 0 || cmd.MaxPerIP < 0 {
		return usage("cannot use --max-conns %d and --max-conns-per-ip %d: want 0 or more", cmd.MaxConns, cmd.MaxPerIP)
	}
	if cmd.MaxHeader < 1<<10 || cmd.MaxHeader > 1<<20 {
		return usage("cannot use --max-header %d bytes: want 1KiB to 1MiB", int(cmd.MaxHeader))
	}
	const scoresDumps = false // single answers: a failing endpoint is not waited for
	if config.Judge, err = cmd.judgeFlags.judgeConfig(scoresDumps); err != nil {
		return err
	}
	if config.Judge != nil {
		config.Judge.Log = log
	}
	// Memory: a part of --max-memory is for the bodies of requests, the rest for work on them.
	if cmd.MaxBodies >= cmd.MaxMemory {
		return usage("cannot use --max-bodies %d bytes: want less than the %d bytes of --max-memory, of which they are a part",
			cmd.MaxBodies, cmd.MaxMemory)
	}
	if os.Getenv("GOMEMLIMIT") == "" { // garbage is collected more often near the limit, instead of at twice the memory in use
		debug.SetMemoryLimit(int64(cmd.MaxMemory) + int64(cmd.ResultCache) + int64(cmd.Tallies) + baseMemory)
	}
	config.Lines.Window = int(cmd.MaxWindow)
	forWork := int64(cmd.MaxMemory - cmd.MaxBodies)
	config.Queue.Memory = memory.New("--max-memory", forWork, int64(float64(cmd.Share)*float64(forWork)))
	config.Queue.BatchDelay, config.Queue.CacheBytes = cmd.QueueDelay, int(cmd.ResultCache)
	traces, err := cmd.traces()
	if err != nil {
		return usageError{err}
	}

	log.Info("starting", "version", version, "commit", commit,
		"backend", cmd.Backend, "fidelity", cmd.Fidelity, "tldraw", cmd.Tldraw, "licence-key", cmd.LicenseKey != "",
		"raster", cmd.Raster, "device", cmd.Device, "workers", cmd.Workers, "batch", int(cmd.Batch),
		"queue-max", int(cmd.QueueMax), "deadline", cmd.Deadline, "queue-delay", cmd.QueueDelay,
		"result-cache", int(cmd.ResultCache), "tally-cache", int(cmd.Tallies),
		"reward", cmd.Reward, "variants", cmd.Variant, "tasks", len(cmd.Tasks),
		"token", token != "" || cmd.TokensFile != "", "tls", cmd.TLSCert != "", "client-shm", cmd.AllowClientShm,
		"judge", cmd.JudgeModel, "judge-key", config.Judge != nil && config.Judge.Key != "")
	copies := copierOf(&config)
	var stdin io.Reader // nil: the daemon does not watch standard input
	if cmd.ExitWithStdin {
		stdin = std.in
	}
	return serveUsageError(daemon.Serve(context.Background(), daemon.Config{
		UI: daemon.UIConfig{Dir: cmd.UI, Pages: explorer.PagesDir(cmd.UIPages), Flags: cmd.scoreFlags.scoreArguments(&cmd.engineFlags),
			ResultCopies: copies.copyResults, DumpCopies: copies.copyDumps},
		Trace: traces, Stdin: stdin, Core: config, Listen: cmd.Listen, Socket: cmd.Socket, Admin: cmd.Admin, Shared: cmd.sharedFlags.sharedConfig(log),
		Grace: cmd.DrainGrace, Drain: cmd.DrainTimeout, Beat: cmd.Heartbeat, Out: std.err, Log: log,
		Secrets: daemon.SecretConfig{Tokens: token, TokensFile: cmd.TokensFile, Cert: cmd.TLSCert, Key: cmd.TLSKey,
			ClientCA: cmd.TLSClientCA, Insecure: cmd.InsecureNoToken},
		API: api.Config{
			Variants: variants, KnownVariants: table.Variants(), RewardMode: reward, LineLimits: config.Lines, SceneLimits: config.Scenes,
			Policies: policies, Prepare: steps,
			MaxSessions: int(cmd.MaxSessions), MaxTurns: int(cmd.MaxTurns), SessionIdle: cmd.SessionIdle,
			MaxBody: int(cmd.MaxBody), ClientMemory: int(cmd.MaxBodies), ClientShare: float64(cmd.Share), SceneMemory: config.Queue.Memory, MaxItems: int(cmd.MaxItems),
			ReadTimeout: cmd.ReadTimeout, IdleTimeout: cmd.IdleTimeout, StreamIdle: cmd.StreamIdle,
			MaxHeader: int(cmd.MaxHeader), HeaderTimeout: cmd.HeaderTime, MaxConns: cmd.MaxConns, MaxConnsPerIP: cmd.MaxPerIP,
			OpenMetrics: cmd.MetricsNoToken, SlowAfter: cmd.Slow, Version: thisVersion(),
		},
	}))
}

// serveUsageError returns an error of the daemon as a usageError if the command line caused it: by the judge's
// settings, a use of tldraw that its licence does not allow, an address that others can reach but that needs no
// token, or tokens, certificates or files that cannot be used. It returns other errors as they are.
func serveUsageError(err error) error {
	for _, cause := range []error{judge.ErrConfig, daemon.ErrUse, daemon.ErrExposed, daemon.ErrSecrets, daemon.ErrFiles} {
		if errors.Is(err, cause) {
			return usageError{err}
		}
	}
	return err
}

// traces returns where the traces of requests are written or sent, and what share of requests is traced,
// from the flags and from the standard OTEL_* variables. Flags take precedence. A value that cannot be
// used is an error.
func (cmd *serveCmd) traces() (trace.Config, error) {
	const unset = -1 // the share of traced requests then follows from the environment
	config := trace.Config{Endpoint: cmd.OTLPEndpoint, File: cmd.TraceFile, Ratio: unset, Getenv: os.Getenv}
	if cmd.TraceRatio != nil {
		config.Ratio = *cmd.TraceRatio
		if config.Ratio < 0 {
			return config, fmt.Errorf("cannot use --trace-ratio %v: want 0 to 1", config.Ratio)
		}
	}
	var err error
	if config.Env, err = trace.FromEnv(os.Getenv); err != nil {
		return config, err
	}
	return config, config.Check()
}
