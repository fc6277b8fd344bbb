package api

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookEvery is how often the connections of waiting clients are looked at.
const lookEvery = 250 * time.Millisecond

// clients are the connections whose requests are being worked on. While there are
// any, they are looked at now and then: a client that closed its connection gets no
// answer, and work for it is given up. Nothing is read from them, since a next
// request may be waiting there. The zero value is ready for use.
type clients struct {
	mu      sync.Mutex // guards what follows
	waiting map[*waiter]struct{}
	looking bool
}

// waiter is a client that waits for an answer.
type waiter struct {
	conn syscall.RawConn
	stop context.CancelFunc
	seen bool // it has waited since the last look
}

// wait returns a context that ends with parent, or when the client of conn has
// closed its connection. done must be called when the answer is there.
func (c *clients) wait(parent context.Context, conn net.Conn) (ctx context.Context, done func()) {
	ctx, stop := context.WithCancel(parent)
	raw := rawConn(conn)
	if raw == nil {
		return ctx, stop
	}
	w := &waiter{conn: raw, stop: stop}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[*waiter]struct{}{}
	}
	c.waiting[w] = struct{}{}
	if !c.looking {
		c.looking = true
		time.AfterFunc(lookEvery, c.look)
	}
	return ctx, func() {
		c.mu.Lock()
		delete(c.waiting, w)
		c.mu.Unlock()
		stop()
	}
}

// look gives up for those clients that have gone.
func (c *clients) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.waiting {
		if w.seen && closed(w.conn) {
			w.stop()
			delete(c.waiting, w)
		}
		w.seen = true // most answers are there before a second look
	}
	if c.looking = len(c.waiting) > 0; c.looking {
		time.AfterFunc(lookEvery, c.look)
	}
}

// closed reports whether the peer has closed its side of the connection, as a client
// does that gave up.
func closed(conn syscall.RawConn) (gone bool) {
	err := conn.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(p, 0)
		gone = err == nil && n > 0 && p[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
	})
	return gone || err != nil
}

// rawConn is the descriptor below a connection, nil where it has none.
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
