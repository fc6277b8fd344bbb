package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	sd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"plumb/render"
)

// notify tells the service manager, where there is one, the state of the daemon. See
// docs/spec/http.md#r45.
func notify(log *slog.Logger, states ...string) {
	if _, err := sd.SdNotify(false, strings.Join(states, "\n")); err != nil {
		log.Warn("cannot reach the service manager", "error", plain(err))
	}
}

// reloading returns the state of a service that reads its files again; the manager needs
// the time when that began.
func reloading() string {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return sd.SdNotifyReloading
	}
	return fmt.Sprintf("%s\nMONOTONIC_USEC=%d", sd.SdNotifyReloading, t.Nano()/1000)
}

// given are the sockets that the service manager opened for us.
type given struct{ main, unix, admin net.Listener }

// activated takes the sockets of LISTEN_FDS: a TCP socket stands for --listen, a
// Unix socket for --socket, and one of the name "admin" for --admin.
func activated() (g given, err error) {
	for _, f := range activation.Files(true) {
		ln, err := net.FileListener(f)
		name := f.Name()
		f.Close()
		if err != nil {
			return g, fmt.Errorf("cannot use a socket of the service manager: %w", err)
		}
		place := &g.main
		if u, ok := ln.(*net.UnixListener); ok {
			u.SetUnlinkOnClose(false) // the manager's
			place = &g.unix
		}
		if name == "admin" {
			place = &g.admin
		}
		if *place != nil {
			return g, fmt.Errorf("cannot use the sockets of the service manager: got two of %s; want one TCP socket, one Unix socket and one of the name admin at most", ln.Addr().Network())
		}
		*place = ln
	}
	return g, nil
}

// ErrUse marks a start without word of what tldraw is used for, on an address that
// other machines reach.
var ErrUse = errors.New("want --tldraw-use development (inside your organisation: development, testing, staging), " +
	"production with --tldraw-license-key and --tldraw-host, or --fidelity native; see docs/tldraw-licence.md")

// ErrExposed marks a start that would let anybody who reaches an address use it.
var ErrExposed = errors.New("want a token (--token-env, --tokens-file), or --insecure-no-token")

// private refuses an address that others than this machine reach, where no token
// is asked for. A name that cannot be resolved is left to the listener.
func private(addr, flag string) error {
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err == nil && !a.IP.IsLoopback() {
		return fmt.Errorf("cannot listen on %s without a token: it is reached from other machines; %w (%s)", addr, ErrExposed, flag)
	}
	return nil
}

// downAfter is how many heartbeats in a row must fail until work is refused:
// until then a device may come back in time for what is queued.
const downAfter = 3

// pulse watches the device with a render of its own every so often. While it
// succeeds, the service manager's watchdog is fed.
type pulse struct {
	beat  func(context.Context) error
	every time.Duration
	feed  bool // there is a watchdog
	log   *slog.Logger
	dead  func(error) // told once the device will not come back

	mu    sync.Mutex // guards what follows
	fails int        // in a row
	err   error      // of the last one
}

// newPulse returns a pulse that beats often enough for the watchdog.
func newPulse(beat func(context.Context) error, every time.Duration, log *slog.Logger) *pulse {
	p := &pulse{beat: beat, every: every, log: log}
	dog, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("cannot read the watchdog's interval", "error", err)
	}
	if p.feed = dog > 0; p.feed {
		p.every = min(p.every, dog/3)
	}
	return p
}

// run beats until ctx ends.
func (p *pulse) run(ctx context.Context) {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		one, cancel := context.WithTimeout(ctx, max(p.every, time.Second))
		err := p.beat(one)
		cancel()
		if ctx.Err() != nil {
			return
		}
		p.note(err)
		if errors.Is(err, render.ErrDead) { // a new process may have more luck
			p.dead(err)
			return
		}
		if err == nil && p.feed {
			notify(p.log, sd.SdNotifyWatchdog)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pulse) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		if p.fails > 0 {
			p.log.Info("the device answers again", "after", p.fails)
		}
		p.fails, p.err = 0, nil
		return
	}
	p.fails++
	p.err = err
	p.log.Warn("the device does not answer", "times", p.fails, "error", err)
}

// health returns why the last beat failed, nil where it did not.
func (p *pulse) health() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// down returns why work is refused, nil where it is not.
func (p *pulse) down() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails < downAfter {
		return nil
	}
	return fmt.Errorf("the device did not answer %d times", p.fails)
}
