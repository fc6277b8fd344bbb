package daemon

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"plumb/daemon/api"
	"plumb/daemon/explorer"
	"plumb/daemon/trace"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/font"
)

// Config of the daemon. Core and API are required.
type Config struct {
	Core    CoreConfig
	API     api.Config    // what the daemon opens is filled in, such as Queue and Tokens; MaxConns 0 is as many as open files allow
	Secrets SecretConfig  // tokens and TLS
	Listen  string        // TCP address, "" for none
	Socket  string        // path of a Unix socket, "" for none
	Shared  *Shared       // shared memory of clients; nil for none
	Admin   string        // TCP address of metrics and profiles, "" for none
	Grace   time.Duration // after SIGTERM: how long new requests are still taken
	Drain   time.Duration // after that: how long those under way may take
	Beat    time.Duration // between heartbeats of the device, default 5 s
	Out     io.Writer     // gets the line "listening on ADDR"
	Stdin   io.Reader     // at its end the daemon stops, so that it does not outlive what started it; nil for nothing
	UI      UIConfig      // the explorer of results
	Trace   trace.Config  // where requests are traced to; Log and Version are filled in
	Log     *slog.Logger
}

// Serve runs the daemon until ctx ends, cfg.Stdin ends, a SIGTERM or SIGINT comes, or a
// listener fails, and then stops it in the order of docs/spec/http.md#r43. A second signal
// ends it at once. SIGHUP reads tokens, certificates and task files again. Errors wrap
// ErrExposed, ErrSecrets or ErrFiles if the configuration cannot be used.
func Serve(ctx context.Context, cfg Config) error {
	signals, reloads := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	signal.Notify(reloads, syscall.SIGHUP)
	defer signal.Stop(signals)
	defer signal.Stop(reloads)
	daemon, err := start(cfg)
	if err != nil {
		return err
	}
	stdinEnded := stdinEnd(cfg.Stdin)
	for goOn := true; goOn; {
		select {
		case <-reloads:
			notify(cfg.Log, reloading())
			daemon.secrets.reload()
			daemon.tasks.reload()
			notify(cfg.Log, sd.SdNotifyReady)
			continue
		case s := <-signals:
			cfg.Log.Info("stopping", "signal", s.String())
		case <-stdinEnded:
			cfg.Log.Info("stopping", "reason", "stdin has ended (--exit-with-stdin)")
			daemon.cfg.Grace = 0 // no balancer is in front of a daemon that a program started for itself
		case <-ctx.Done():
			cfg.Log.Info("stopping", "reason", ctx.Err())
		case err = <-daemon.failed:
			cfg.Log.Error("stopping", "error", err)
		}
		goOn = false
	}
	hurryCtx, stopNow := context.WithCancel(context.Background())
	defer stopNow()
	go func() {
		select {
		case <-signals:
			cfg.Log.Warn("second signal: stopping at once")
			stopNow()
		case <-hurryCtx.Done():
		}
	}()
	return errors.Join(err, daemon.stop(hurryCtx))
}

// stdinEnd returns a channel that is closed when r has ended: the standard input of a daemon
// that must end with its parent. For a nil r it returns a nil channel, from which nothing is
// ever received.
func stdinEnd(r io.Reader) <-chan struct{} {
	if r == nil {
		return nil
	}
	over := make(chan struct{})
	go func() {
		io.Copy(io.Discard, r) // an error is an end too
		close(over)
	}()
	return over
}

// running is a daemon that listens.
type running struct {
	cfg            Config
	secrets        *secrets
	managerSockets managerSockets
	core           *Core
	server         *api.Server
	pulse          *pulse
	admin          *admin
	failed         chan error
	socket         *socket
	shared         *sharedMemory // nil for none
	fronts         []*front
	serving        sync.WaitGroup  // one for each front
	life           context.Context // of what runs beside
	endLife        context.CancelFunc
	stopOffer      context.CancelFunc // stops offer
	tracer         *trace.Tracer      // nil for none
	boards         *boards            // of prompts
	tasks          *taskFiles
	ui             *explorer.Explorer // nil for none
}

// start opens everything that a daemon needs, tests the device, and listens. The line on Out with the
// address is written last, because clients wait for it. After an error nothing is left open.
func start(cfg Config) (*running, error) {
	begin := time.Now()
	daemon := &running{cfg: cfg, failed: make(chan error, 4)}
	if err := daemon.prepare(); err != nil {
		return nil, err
	}
	// Open the engine and its queue, and draw a known picture.
	chrome.Sweep(cfg.Core.Engine.Chrome.Temp)
	cfg.API.Metrics = api.NewMetrics()
	cfg.API.Metrics.Process()
	cfg.Core.Queue.Watch = cfg.API.Metrics.QueueWatch()
	cfg.Core.Engine.Chrome.Log = cfg.Log
	cfg.Core.Remote, cfg.Core.Whole, cfg.Core.Queue.RewriteBackendError = true, true, api.Pathless
	core, err := Open(cfg.Core)
	if err != nil {
		return nil, err
	}
	daemon.core = core
	if err := core.Engine.SelfTest(); err != nil {
		core.Close()
		return nil, err
	}
	if _, err := font.Default(); err != nil { // read at start, so that a missing font is logged
		cfg.Log.Warn("scenes with text are refused", "error", err)
	}
	// Say what works and what does not.
	info := core.Engine.Info()
	cfg.API.Version.Backend = info.Backend
	if info.GPU != nil {
		cfg.API.Version.Renderer = info.GPU.Renderer
	}
	if err := daemon.checkUse(info); err != nil {
		core.Close()
		return nil, err
	}
	cfg.API.Editor = editorInfo(info, &cfg.Core.Engine.Chrome)
	daemon.pulse = newPulse(core.Engine.Heartbeat, cfg.Beat, cfg.Log)
	cfg.Log.Info("self-test passed", "backend", info.Backend, "counter", info.Counter, "fidelity", info.Fidelity, "tldraw", info.Tldraw, "renderer", cfg.API.Version.Renderer, "reason", info.Reason, "fonts", info.Fonts != "", "took", time.Since(begin))
	if info.Exports > 0 && cfg.Core.Engine.Chrome.Use != chrome.Production {
		cfg.Log.Info("tldraw is used for development: its licence wants a key for production", "see", "docs/tldraw-licence.md, --tldraw-use")
	}
	if info.NoChrome != nil {
		cfg.Log.Warn("what is not native is refused", "fidelity", info.Fidelity, "reason", info.NoChrome)
	}
	// Give the API what it uses: the queue, tasks, metrics, traces and shared memory.
	cfg.API.Queue, cfg.API.Items, cfg.API.Pictures, cfg.API.Log = core.Queue, core.Items, core.Pictures, cfg.Log
	cfg.API.Meter = core.Engine.Meter()
	cfg.API.Prompts = daemon.prompts(core)
	describeMetrics(cfg.API.Metrics, cfg.API.Version, core, daemon.boards)
	cfg.API.Metrics.SetSuites(core.Items.Suites)
	daemon.tasks = newTaskFiles(core, cfg.API.Metrics, cfg.Log)
	cfg.Trace.Log, cfg.Trace.Version = cfg.Log, cfg.API.Version.Version
	if cfg.API.Trace, err = trace.Open(cfg.Trace); err != nil {
		core.Close()
		return nil, err
	}
	daemon.tracer = cfg.API.Trace
	if daemon.tracer != nil {
		cfg.API.Metrics.Traces(cfg.API.Trace.Lost)
	}
	cfg.API.Tokens, cfg.API.WhyUnready, cfg.API.WhyDown = daemon.secrets.tokens, daemon.whyUnready, daemon.pulse.whyDown
	if info.Exports > 0 {
		cfg.API.Metrics.RegisterEditor(func() api.EditorCounts {
			s := core.Engine.EditorStats()
			return api.EditorCounts{Exports: s.Exports, Retries: s.Retries, Lost: s.Lost, Blocked: s.Blocked, Unproved: s.Unproved, Blank: s.Blank}
		})
	}
	if core.Judge != nil {
		cfg.API.Metrics.RegisterJudge(func() api.JudgeCounts { return judgeCounts(core.Judge.Stats()) })
	}
	if daemon.shared, err = daemon.openShared(cfg.Shared); err != nil {
		daemon.abandon()
		return nil, err
	}
	if daemon.shared != nil {
		cfg.API.SharedMemory, cfg.API.SharedSocket = daemon.shared.registry, daemon.shared.socket != nil
		cfg.API.TrustLoopback = cfg.Shared.TrustLoopback
	}
	daemon.cfg.API = cfg.API
	daemon.openUI()
	// Listen, and watch the device and the files that may change.
	daemon.server = api.New(daemon.cfg.API)
	if err := daemon.listen(); err != nil {
		daemon.server.Shutdown(context.Background())
		daemon.abandon()
		return nil, err
	}
	daemon.pulse.onDead = func(err error) { daemon.failed <- err }
	go daemon.pulse.run(daemon.life)
	go daemon.secrets.watch(daemon.life)
	go daemon.tasks.watch(daemon.life)
	if info.Exports > 0 { // the first scene that needs it should not wait for it
		go func() {
			if err := core.Engine.Warm(); err != nil && !errors.Is(err, chrome.ErrClosed) {
				cfg.Log.Warn("the browser does not start", "error", err)
			}
		}()
	}
	return daemon, nil
}

// prepare reads the secrets, takes the sockets of the service manager, and checks the limit
// of open files, before anything costly is opened. Without a token it refuses addresses that
// other machines reach.
func (running *running) prepare() (err error) {
	if running.cfg.Beat <= 0 {
		running.cfg.Beat = DefaultBeat
	}
	if running.secrets, err = newSecrets(running.cfg.Secrets, running.cfg.Log); err != nil {
		return err
	}
	if running.managerSockets, err = socketsFromManager(); err != nil {
		return err
	}
	if running.cfg.API.MaxConns, err = running.maxConnections(); err != nil {
		return err
	}
	running.life, running.endLife = context.WithCancel(context.Background())
	if running.cfg.Secrets.Insecure || running.secrets.tokens.Len() > 0 {
		return nil
	}
	// Without a token, both addresses must be loopback ones.
	main, admin := running.cfg.Listen, running.cfg.Admin
	if running.managerSockets.main != nil {
		main = running.managerSockets.main.Addr().String()
	}
	if running.managerSockets.admin != nil {
		admin = running.managerSockets.admin.Addr().String()
	}
	if main != "" {
		err = rejectRemote(main, "--listen")
	}
	if admin != "" && err == nil {
		err = rejectRemote(admin, "--admin")
	}
	return err
}

// checkUse returns an error if the editor draws without --tldraw-use on an address that
// other machines reach, because tldraw's licence requires a key for production.
func (running *running) checkUse(info render.Info) error {
	addr := running.cfg.Listen
	if running.managerSockets.main != nil {
		addr = running.managerSockets.main.Addr().String()
	}
	if info.Exports == 0 || running.cfg.Core.Engine.Chrome.Use != "" || addr == "" {
		return nil
	}
	if a, err := net.ResolveTCPAddr("tcp", addr); err != nil || a.IP.IsLoopback() {
		return nil // a name that cannot be resolved is left to the listener
	}
	return fmt.Errorf("cannot draw with tldraw on %s, which other machines reach: its licence wants a key for production; %w", addr, ErrUse)
}

// editorInfo returns what the API says about the editor: whether it can draw, its version and licence,
// and whether the browser runs in its sandbox.
func editorInfo(engine render.Info, config *chrome.Config) api.EditorInfo {
	info := api.EditorInfo{Available: engine.Exports > 0, Fidelity: engine.Fidelity, Tldraw: engine.Tldraw}
	if engine.NoChrome != nil {
		info.Reason = api.Pathless(engine.NoChrome.Error())
	}
	if info.Available {
		info.Use, info.LicenseKey = cmp.Or(config.Use, chrome.Development), config.LicenseKey != ""
		info.Sandbox, info.NoSandbox = &engine.Sandbox, api.Pathless(engine.NoSandbox)
	}
	return info
}

// DefaultBeat is the time between two heartbeats of the device.
const DefaultBeat = 5 * time.Second

// whyUnready returns why load balancers should send no requests, such as a device that does not answer, or
// nil.
func (running *running) whyUnready() error {
	if err := running.core.Engine.Healthy(); err != nil {
		return err
	}
	return running.pulse.whyUnready()
}

// listen opens the listeners, starts to serve them, offers the TCP socket to newer processes
// unless the service manager owns it, and announces the address on Out. With a socket and a
// port the port is announced.
func (running *running) listen() error {
	main, err := running.openTCP()
	if err != nil {
		return err
	}
	unix, err := running.openUnix()
	if err != nil {
		return err
	}
	if err := running.openAdmin(); err != nil {
		return err
	}
	if main == nil && unix == nil {
		return errors.New("cannot serve: no address; want --listen or --socket")
	}
	// Serve them.
	address := ""
	if unix != nil {
		address = unix.Addr().String()
		running.serve(unix, nil)
	}
	if main != nil {
		address = main.Addr().String()
		running.serve(main, running.secrets.serverTLS())
		offerCtx, stop := context.WithCancel(running.life)
		running.stopOffer = stop
		if running.managerSockets.main == nil {
			go offer(offerCtx, main, running.cfg.Log)
		}
	}
	if unix != nil && main != nil {
		running.cfg.Log.Info("listening on a socket too")
	}
	// Tell the service manager and whoever reads Out.
	notify(running.cfg.Log, sd.SdNotifyReady, "STATUS=listening on "+address)
	fmt.Fprintf(running.cfg.Out, "listening on %s\n", address)
	return nil
}

// serve answers HTTP requests on connections from f, with TLS where secure is not nil.
func (running *running) serve(f *front, secure *tls.Config) {
	running.fronts = append(running.fronts, f)
	running.serving.Go(func() {
		if err := running.server.Serve(f, secure); err != nil {
			running.failed <- err
		}
	})
}

// openTCP returns the listener of --listen: the service manager's socket, that of an older
// process, or a new one. It returns nil if there is no address.
func (running *running) openTCP() (*front, error) {
	if running.managerSockets.main != nil {
		f := newFront(running.managerSockets.main)
		f.shared.Store(true) // with the manager, which keeps its queue
		return f, nil
	}
	if running.cfg.Listen == "" {
		return nil, nil
	}
	listener, err := takeOver(running.cfg.Listen)
	if err == nil {
		running.cfg.Log.Info("took over the listening socket of an older process")
		return newFront(listener), nil
	}
	if err != errNoListener {
		running.cfg.Log.Warn("the listening socket is opened anew", "error", err)
	}
	if listener, err = listenTCP(running.cfg.Listen); err != nil {
		return nil, err
	}
	return newFront(listener), nil
}

// openUnix returns the listener of --socket: the service manager's socket or a new one. It
// returns nil if there is none.
func (running *running) openUnix() (*front, error) {
	if running.managerSockets.unix != nil {
		f := newFront(running.managerSockets.unix)
		f.shared.Store(true) // with the manager, which keeps its queue
		return f, nil
	}
	if running.cfg.Socket == "" {
		return nil, nil
	}
	socket, err := listenUnix("unix", running.cfg.Socket, "--socket")
	if err != nil {
		return nil, err
	}
	running.socket = socket
	return newFront(socket), nil
}

// openAdmin starts the server of --admin, if there is an address. If other machines reach
// it, it needs the same tokens and TLS as requests.
func (running *running) openAdmin() (err error) {
	listener := running.managerSockets.admin
	if listener == nil && running.cfg.Admin == "" {
		return nil
	}
	if listener == nil {
		if listener, err = listenAdmin(running.cfg.Admin); err != nil {
			return err
		}
	}
	handler, secure := running.server.AdminHandler(), (*tls.Config)(nil)
	if address, ok := listener.Addr().(*net.TCPAddr); ok && !address.IP.IsLoopback() {
		handler, secure = running.server.Guard(handler), running.secrets.serverTLS()
	}
	running.admin = serveAdmin(listener, secure, handler, running.cfg.Log)
	running.cfg.Log.Info("admin listening", "address", running.admin.addr())
	return nil
}

// stop ends the daemon: it reports that it is not ready, still accepts for the grace period,
// then accepts no more, finishes what is under way within the drain time, and closes the
// device. When hurryCtx ends, each wait ends at once and the device is left to the system.
func (running *running) stop(hurryCtx context.Context) error {
	begin := time.Now()
	// Tell balancers and newer processes, and go on for the grace period.
	notify(running.cfg.Log, sd.SdNotifyStopping)
	running.server.Drain()
	if running.stopOffer != nil {
		running.stopOffer() // a process that starts now must not take this socket over
	}
	select {
	case <-time.After(running.cfg.Grace):
	case <-hurryCtx.Done():
	}
	// Accept no more, and finish the requests under way.
	for _, f := range running.fronts {
		f.stopAccepting()
	}
	running.serving.Wait()
	running.server.Refuse()
	running.cfg.Log.Info("no longer accepting", "after", time.Since(begin))
	budget, cancel := context.WithTimeout(hurryCtx, running.cfg.Drain)
	defer cancel()
	err := running.server.Shutdown(budget)
	if err != nil {
		err = fmt.Errorf("cannot finish everything in time: %w (--drain-timeout)", err)
	}
	running.cfg.Log.Info("requests finished", "after", time.Since(begin), "error", err)
	if hurryCtx.Err() != nil {
		return err // at once: the system releases the device
	}
	// Send the last traces and close everything.
	running.flushTraces(hurryCtx)
	err = errors.Join(err, running.close())
	running.cfg.Log.Info("stopped", "after", time.Since(begin))
	return err
}

// flushTime is how long stopping may wait for the collector of traces.
const flushTime = 5 * time.Second

// flushTraces sends the traces that are not sent yet. It takes flushTime at most, or until hurryCtx ends; a
// failure is only logged.
func (running *running) flushTraces(hurryCtx context.Context) {
	ctx, cancel := context.WithTimeout(hurryCtx, flushTime)
	defer cancel()
	if err := running.tracer.Close(ctx); err != nil {
		running.cfg.Log.Warn("traces are lost", "error", err)
	}
}

// abandon closes what start has opened, with the tracer, after an error. stop does so for a daemon that ran.
func (running *running) abandon() {
	running.flushTraces(context.Background())
	running.close()
}

// close closes what start opened but the tracer, in reverse order. It may be called when only a part is
// open.
func (running *running) close() error {
	if running.admin != nil {
		running.admin.close()
	}
	if running.socket != nil {
		running.socket.remove()
	}
	running.endLife()
	for _, f := range running.fronts {
		f.Close()
	}
	if running.ui != nil {
		running.ui.Close()
	}
	return errors.Join(running.core.Close(), running.shared.close(), running.boards.close())
}

// describeMetrics registers the build, the queue, the device and the caches of tallies and images in the
// daemon's Prometheus metrics.
func describeMetrics(metrics *api.Metrics, v api.Version, core *Core, prompts *boards) {
	metrics.RegisterDaemon(v, core.Queue, func() (lost, hung int) {
		s := core.Engine.DeviceStats()
		return s.Resets - s.Hangs, s.Hangs
	})
	if device := core.Engine.Info().GPU; device != nil {
		stats := core.Engine.DeviceStats
		metrics.Device(device.Renderer, func() int64 { return stats().Memory },
			func() int64 { return stats().UpBytes }, func() int64 { return stats().DownBytes })
	}
	metrics.RegisterPictures(func() api.TallyCounts {
		counts := api.TallyCounts(core.Engine.TallyStats())
		prompts.addImages(&counts)
		return counts
	})
}
