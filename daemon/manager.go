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
	"plumb/scoring/plural"
)

// notify sends the state of the daemon to the service manager (systemd), if there is one. See
// docs/spec/http.md#r45.
func notify(log *slog.Logger, states ...string) {
	if _, err := sd.SdNotify(false, strings.Join(states, "\n")); err != nil {
		log.Warn("cannot reach the service manager", "error", pathless(err))
	}
}

// reloading returns the state for sd_notify of a daemon that begins to reload its files,
// with the monotonic time that the service manager requires.
func reloading() string {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return sd.SdNotifyReloading
	}
	return fmt.Sprintf("%s\nMONOTONIC_USEC=%d", sd.SdNotifyReloading, t.Nano()/1000)
}

// managerSockets holds the listening sockets that the service manager opened for the daemon; nil for none.
type managerSockets struct{ main, unix, admin net.Listener }

// socketsFromManager returns the listening sockets that the service manager passed (LISTEN_FDS): a
// TCP socket replaces --listen, a Unix socket --socket, and one named "admin" --admin. Two
// of a kind are an error.
func socketsFromManager() (sockets managerSockets, err error) {
	for _, file := range activation.Files(true) {
		listener, err := net.FileListener(file)
		name := file.Name()
		file.Close()
		if err != nil {
			return sockets, fmt.Errorf("cannot use a socket of the service manager: %w", err)
		}
		kind := &sockets.main
		if socket, ok := listener.(*net.UnixListener); ok {
			socket.SetUnlinkOnClose(false) // the manager's
			kind = &sockets.unix
		}
		if name == "admin" {
			kind = &sockets.admin
		}
		if *kind != nil {
			return sockets, fmt.Errorf("cannot use the sockets of the service manager: got two of %s; want one TCP socket, one Unix socket and one of the name admin at most", listener.Addr().Network())
		}
		*kind = listener
	}
	return sockets, nil
}

// ErrUse marks a start without --tldraw-use on an address that other machines reach.
var ErrUse = errors.New("want --tldraw-use development (inside your organisation: development, testing, staging), " +
	"production with --tldraw-license-key and --tldraw-host, or --fidelity native; see docs/tldraw-licence.md")

// ErrExposed marks a start without tokens on an address that other machines reach.
var ErrExposed = errors.New("want a token (--token-env, --tokens-file), or --insecure-no-token")

// rejectRemote returns an error for an address that other machines reach. An address that
// cannot be resolved is accepted, because opening it says what is wrong.
func rejectRemote(addr, flag string) error {
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err == nil && !a.IP.IsLoopback() {
		return fmt.Errorf("cannot listen on %s without a token: it is reached from other machines; %w (%s)", addr,
			ErrExposed, flag)
	}
	return nil
}

// downAfter is how many heartbeats in a row must fail until work is refused, because a
// device may recover before the deadlines of queued work.
const downAfter = 3

// pulse checks the device with a small render at an interval, and notifies the watchdog of
// the service manager while that succeeds.
type pulse struct {
	check       func(context.Context) error
	interval    time.Duration
	hasWatchdog bool // there is a watchdog
	log         *slog.Logger
	onDead      func(error) // called once the device cannot recover

	mu            sync.Mutex // guards what follows
	failuresInRow int        // in a row
	err           error      // of the last one
}

// newPulse returns a pulse that checks the device at the interval `every`, or at a third of
// the watchdog's interval if the service manager has one and that is shorter.
func newPulse(check func(context.Context) error, every time.Duration, log *slog.Logger) *pulse {
	p := &pulse{check: check, interval: every, log: log}
	watchdogInterval, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("cannot read the watchdog's interval", "error", err)
	}
	p.hasWatchdog = watchdogInterval > 0
	if p.hasWatchdog {
		p.interval = min(p.interval, watchdogInterval/3)
	}
	return p
}

// run checks the device at the interval of the pulse, and tells the watchdog of each
// success, until ctx ends. If the device cannot recover it calls pulse.onDead and returns.
func (pulse *pulse) run(ctx context.Context) {
	tick := time.NewTicker(pulse.interval)
	defer tick.Stop()
	for {
		checkCtx, cancel := context.WithTimeout(ctx, max(pulse.interval, time.Second))
		err := pulse.check(checkCtx)
		cancel()
		if ctx.Err() != nil {
			return
		}
		pulse.recordCheck(err)
		if errors.Is(err, render.ErrDead) { // only a new process can help
			pulse.onDead(err)
			return
		}
		if err == nil && pulse.hasWatchdog {
			notify(pulse.log, sd.SdNotifyWatchdog)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// recordCheck records the result of one check whether the graphics device answers; nil means that it does. It
// logs each failure, and the first success after failures.
func (pulse *pulse) recordCheck(err error) {
	pulse.mu.Lock()
	defer pulse.mu.Unlock()
	if err == nil {
		if pulse.failuresInRow > 0 {
			pulse.log.Info("the device answers again", "after", pulse.failuresInRow)
		}
		pulse.failuresInRow, pulse.err = 0, nil
		return
	}
	pulse.failuresInRow++
	pulse.err = err
	pulse.log.Warn("the device does not answer", "times", pulse.failuresInRow, "error", err)
}

// whyUnready returns the error of the last check, nil where it succeeded.
func (pulse *pulse) whyUnready() error {
	pulse.mu.Lock()
	defer pulse.mu.Unlock()
	return pulse.err
}

// whyDown returns an error where the device failed so many checks in a row that new work must be
// refused, nil otherwise.
func (pulse *pulse) whyDown() error {
	pulse.mu.Lock()
	defer pulse.mu.Unlock()
	if pulse.failuresInRow < downAfter {
		return nil
	}
	return fmt.Errorf("the device did not answer %s", plural.Of(pulse.failuresInRow, "time"))
}
