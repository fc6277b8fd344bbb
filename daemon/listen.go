package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plumb/daemon/conns"
)

// front is a listening socket that can stop accepting without resetting the connections
// in its queue.
type front struct {
	net.Listener              // *net.TCPListener or *net.UnixListener
	shared       atomic.Bool  // another process accepts from it too, or will
	stopBy       atomic.Int64 // when to stop accepting at the latest, in ns of the epoch; 0 for not yet
	once         sync.Once    // closes
}

// acceptWaiting is how long waiting connections of a socket that is not shared are still
// accepted at most, because clients may go on connecting.
const acceptWaiting = time.Second

// emptyAfter is how long no connection must come until the queue counts as empty.
const emptyAfter = 10 * time.Millisecond

func newFront(ln net.Listener) *front { return &front{Listener: ln} }

// Accept implements net.Listener. After stopAccepting it returns io.EOF: at once if another process
// accepts from the socket too, else when no connection came for emptyAfter. If clients go on
// connecting, it ends at the time stopBy, which stopAccepting sets to acceptWaiting from then.
func (front *front) Accept() (net.Conn, error) {
	for {
		stopBy := front.stopBy.Load() // 0 before stopAccepting
		if stopBy != 0 {
			if front.shared.Load() || time.Now().UnixNano() > stopBy { // another process accepts what waits, or the time is over
				return nil, io.EOF
			}
			front.setDeadline(time.Now().Add(emptyAfter))
		}
		c, err := front.Listener.Accept()
		var late net.Error
		if err == nil || !errors.As(err, &late) || !late.Timeout() {
			return c, err
		}
		if stopBy != 0 { // no connection for emptyAfter
			return nil, io.EOF
		}
		// stopAccepting was called meanwhile and woke this call by a deadline: the next turn accepts what waits.
	}
}

// stopAccepting makes Accept stop, after the connections that wait in the queue if the socket is not
// shared. The deadline in the past wakes an Accept that waits.
func (front *front) stopAccepting() {
	front.stopBy.Store(time.Now().Add(acceptWaiting).UnixNano())
	front.setDeadline(time.Unix(1, 0))
}

// setDeadline limits how long Accept waits, where the listener can do that.
func (front *front) setDeadline(t time.Time) {
	if d, ok := front.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		d.SetDeadline(t)
	}
}

// Close implements net.Listener; only the first call does anything.
func (front *front) Close() (err error) {
	front.once.Do(func() { err = front.Listener.Close() })
	return err
}

// listenTCP opens a port with SO_REUSEPORT, so that a newer process that cannot take over
// the socket can open the port too and no connection is refused during a restart. See
// docs/spec/http.md#r44.
func listenTCP(addr string) (net.Listener, error) {
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		if e := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); e != nil {
			return e
		}
		return err
	}}
	listener, err := lc.Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w (--listen)", addr, err)
	}
	return listener, nil
}

// socket is a listening Unix socket. It replaces that of an older process atomically, and
// is removed only where no newer process has replaced it.
type socket struct {
	*net.UnixListener
	path    string
	created fs.FileInfo
}

// listenUnix opens a Unix socket, of the network "unix" or "unixpacket", under a temporary
// name and renames it to path, which replaces an older socket atomically. It refuses a path
// at which something else is. flag names the setting in errors.
func listenUnix(network, path, flag string) (*socket, error) {
	next := fmt.Sprintf("%s.%d", path, os.Getpid())
	os.Remove(next)
	listener, err := net.Listen(network, next)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on socket: %w (%s)", err, flag)
	}
	s := &socket{UnixListener: listener.(*net.UnixListener), path: path}
	s.SetUnlinkOnClose(false)
	err = os.Chmod(next, 0o660)
	if err == nil {
		s.created, err = os.Lstat(next)
	}
	if err == nil {
		err = checkReplaceable(path)
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		s.Close()
		os.Remove(next)
		return nil, fmt.Errorf("cannot listen on socket %s: %w (%s)", path, err, flag)
	}
	return s, nil
}

// checkReplaceable returns an error if there is something at path that is not a socket. A socket is
// replaced, because a daemon that was killed leaves one.
func checkReplaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0:
		return errors.New("the path is taken by something that is no socket")
	}
	return nil
}

// Addr returns the path that clients use.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// remove removes the path unless a newer process has replaced it.
func (s *socket) remove() {
	if st, err := os.Lstat(s.path); err == nil && os.SameFile(st, s.created) {
		os.Remove(s.path)
	}
}

// admin is the server of --admin, for metrics and profiles. It answers also when the server
// for requests is full.
type admin struct {
	ln  net.Listener
	srv *http.Server
}

// listenAdmin opens the listener for the administrator's routes at the address of --admin.
func listenAdmin(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w (--admin)", addr, err)
	}
	return listener, nil
}

// adminConns is how many connections to --admin may be open.
const adminConns = 64

// serveAdmin starts an HTTP server on listener for the operator's routes of --admin (metrics and
// profiles) and returns at once. secure is nil for no TLS. When too many connections are
// open, the one that has been idle longest is closed.
func serveAdmin(listener net.Listener, secure *tls.Config, h http.Handler, log *slog.Logger) *admin {
	connections := conns.New(conns.Config{Max: adminConns, Log: log})
	admin := &admin{ln: listener, srv: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		ConnState: func(conn net.Conn, state http.ConnState) {
			switch state {
			case http.StateActive:
				conns.Of(conn).Busy(false) // false: whether it is authorized is not known yet
			case http.StateIdle:
				conns.Of(conn).Rest()
			}
		}}}
	inner := connections.Listen(listener)
	if secure != nil {
		inner = tls.NewListener(inner, secure)
	}
	go admin.srv.Serve(inner)
	return admin
}

func (a *admin) addr() string { return a.ln.Addr().String() }

func (a *admin) close() { a.srv.Close() }
