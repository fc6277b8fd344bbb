package chattest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Pipe runs a server for a handler on connections in memory. It returns a transport for clients, which reaches
// the server whatever host they name, and a function that stops the server. No goroutine waits for the network,
// so tests with a clock of their own (synctest) can use it.
func Pipe(h http.Handler) (t *http.Transport, stop func()) {
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t = &http.Transport{DialContext: l.dial}
	return t, func() {
		t.CloseIdleConnections()
		s.Close()
	}
}

// pipeListener gives a server the ends of pipes as connections. It implements net.Listener.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// dial connects a client to the server through memory.
func (listener *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case listener.conns <- there:
		return here, nil
	case <-listener.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (listener *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-listener.conns:
		return c, nil
	case <-listener.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (listener *pipeListener) Close() error {
	listener.once.Do(func() { close(listener.done) })
	return nil
}

// Addr implements net.Listener.
func (listener *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
