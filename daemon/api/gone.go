package api

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pollInterval is the interval at which the connections of waiting clients are polled.
const pollInterval = 250 * time.Millisecond

// clients holds the connections of requests in flight. It polls them every pollInterval and cancels the request
// of a client that closed its connection. It reads nothing from them, because a next request may be waiting
// there. fasthttp 1.74 itself does not tell: RequestCtx.Done closes only when the server shuts down. The zero
// value is ready for use. See docs/spec/http.md#r9.
type clients struct {
	mu          sync.Mutex // guards what follows
	waiting     map[*waiter]struct{}
	pollPending bool
}

// waiter is a client that waits for an answer.
type waiter struct {
	conn         syscall.RawConn
	stop         context.CancelFunc
	polledBefore bool // it was waiting at the poll before
}

// wait returns a context that ends with parent, or when the HTTP client closes conn: the work for its
// answer can then stop. The caller must call done when the answer is ready. A connection that cannot be
// polled only ends with parent.
func (clients *clients) wait(parent context.Context, conn net.Conn) (ctx context.Context, done func()) {
	ctx, stop := context.WithCancel(parent)
	raw := rawConn(conn)
	if raw == nil {
		return ctx, stop
	}
	w := &waiter{conn: raw, stop: stop}
	clients.mu.Lock()
	defer clients.mu.Unlock()
	if clients.waiting == nil {
		clients.waiting = map[*waiter]struct{}{}
	}
	clients.waiting[w] = struct{}{}
	if !clients.pollPending { // the first client that waits
		clients.pollPending = true
		time.AfterFunc(pollInterval, clients.poll)
	}
	return ctx, func() {
		clients.mu.Lock()
		delete(clients.waiting, w)
		clients.mu.Unlock()
		stop()
	}
}

// poll polls the connections of requests in flight and cancels the requests of clients that closed theirs.
func (clients *clients) poll() {
	clients.mu.Lock()
	defer clients.mu.Unlock()
	for waiter := range clients.waiting {
		if waiter.polledBefore && closed(waiter.conn) {
			waiter.stop()
			delete(clients.waiting, waiter)
		}
		waiter.polledBefore = true // most answers are ready before the second poll
	}
	clients.pollPending = len(clients.waiting) > 0
	if clients.pollPending {
		time.AfterFunc(pollInterval, clients.poll)
	}
}

// closed reports whether the client has closed the connection, or it is broken. Over TCP a client that
// has only closed its sending side counts too: its FIN looks like that of a client that is gone, which
// answers with a reset only when bytes are sent to it. Over a Unix socket the kernel tells both apart.
func closed(conn syscall.RawConn) (gone bool) {
	err := conn.Control(func(fd uintptr) {
		signs := int16(unix.POLLHUP | unix.POLLERR) // which poll reports without being asked
		if domain, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || domain != unix.AF_UNIX {
			signs |= unix.POLLRDHUP
		}
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(p, 0) // 0: it does not wait
		gone = err == nil && n > 0 && p[0].Revents&signs != 0
	})
	return gone || err != nil
}

// rawConn returns access to the file descriptor of a connection, below TLS and other wrappers, or nil
// if it has none.
func rawConn(conn net.Conn) syscall.RawConn {
	for {
		switch c := conn.(type) {
		case syscall.Conn:
			raw, err := c.SyscallConn()
			if err != nil {
				return nil
			}
			return raw
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
}
