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

// front is a listening socket that can be left without losing the connections
// which wait in it: closing it would reset them.
type front struct {
	net.Listener              // *net.TCPListener or *net.UnixListener
	shared       atomic.Bool  // another process accepts from it too, or will
	until        atomic.Int64 // when set, the end of accepting what waits, in ns of the epoch
	once         sync.Once    // closes
}

// sweepTime is how long connections that wait in a socket without another owner are accepted at most;
// clients that go on connecting must be refused some time.
const sweepTime = time.Second

// sweepGap is the silence after which nothing is taken to wait any more.
const sweepGap = 10 * time.Millisecond

func newFront(ln net.Listener) *front { return &front{Listener: ln} }

// Accept implements net.Listener. After leave it returns io.EOF: at once where
// the socket is shared, else when nothing waits in it any more.
func (f *front) Accept() (net.Conn, error) {
	for {
		end := f.until.Load()
		if end != 0 {
			if f.shared.Load() || time.Now().UnixNano() > end {
				return nil, io.EOF
			}
			f.deadline(time.Now().Add(sweepGap))
		}
		c, err := f.Listener.Accept()
		var late net.Error
		if err == nil || !errors.As(err, &late) || !late.Timeout() {
			return c, err
		}
		if end != 0 { // it was silent for a while
			return nil, io.EOF
		}
	}
}

// leave stops accepting.
func (f *front) leave() {
	f.until.Store(time.Now().Add(sweepTime).UnixNano())
	f.deadline(time.Unix(1, 0))
}

func (f *front) deadline(t time.Time) {
	if d, ok := f.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		d.SetDeadline(t)
	}
}

// Close implements net.Listener; only the first call does anything.
func (f *front) Close() (err error) {
	f.once.Do(func() { err = f.Listener.Close() })
	return err
}

// listenTCP opens a port that a newer process may open too, for the case that it
// cannot take over the socket itself: a restart overlaps, and no connection is
// refused in between. See docs/spec/http.md#r44.
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
	ln, err := lc.Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w (--listen)", addr, err)
	}
	return ln, nil
}

// socket is a Unix socket that replaced the one of an older process in one step,
// and that is removed only while it is still ours.
type socket struct {
	*net.UnixListener
	path string
	own  fs.FileInfo
}

// listenUnix opens a socket of the network "unix" or "unixpacket"; flag names it
// in errors.
func listenUnix(network, path, flag string) (*socket, error) {
	next := fmt.Sprintf("%s.%d", path, os.Getpid())
	os.Remove(next)
	ln, err := net.Listen(network, next)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on socket: %w (%s)", err, flag)
	}
	s := &socket{UnixListener: ln.(*net.UnixListener), path: path}
	s.SetUnlinkOnClose(false)
	err = os.Chmod(next, 0o660)
	if err == nil {
		s.own, err = os.Lstat(next)
	}
	if err == nil {
		err = replaceable(path)
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

// replaceable refuses to put a socket in the place of anything else.
func replaceable(path string) error {
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.Mode()&fs.ModeSocket == 0:
		return errors.New("the path is taken by something that is no socket")
	}
	return nil
}

// Addr is the path that clients use.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// remove takes the path away unless a newer process has replaced it.
func (s *socket) remove() {
	if st, err := os.Lstat(s.path); err == nil && os.SameFile(st, s.own) {
		os.Remove(s.path)
	}
}

// admin is a small server beside the one for requests: it answers when that one
// is full, and carries the profiles.
type admin struct {
	ln  net.Listener
	srv *http.Server
}

func listenAdmin(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w (--admin)", addr, err)
	}
	return ln, nil
}

// adminConns is how many connections to --admin may be open.
const adminConns = 64

// serveAdmin answers on ln, with TLS where secure is not nil.
func serveAdmin(ln net.Listener, secure *tls.Config, h http.Handler, log *slog.Logger) *admin {
	open := conns.New(conns.Config{Max: adminConns, Log: log})
	a := &admin{ln: ln, srv: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateActive:
				conns.Of(c).Busy(false)
			case http.StateIdle:
				conns.Of(c).Rest()
			}
		}}}
	inner := open.Listen(ln)
	if secure != nil {
		inner = tls.NewListener(inner, secure)
	}
	go a.srv.Serve(inner)
	return a
}

func (a *admin) addr() string { return a.ln.Addr().String() }

func (a *admin) close() { a.srv.Close() }
