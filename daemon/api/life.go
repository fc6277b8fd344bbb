package api

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Serve accepts connections from listener until Shutdown or until listener returns io.EOF, with TLS
// if secure is not nil. It may run for several listeners at once. It returns nil if it ends after
// Drain, which is a normal stop, and an error otherwise.
func (server *Server) Serve(listener net.Listener, secure *tls.Config) error {
	listener = server.conns.Listen(listener)
	if secure != nil {
		listener = tls.NewListener(listener, secure)
	}
	err := server.http.Serve(listener)
	if server.draining.Load() {
		return nil
	}
	if err == nil {
		err = errors.New("the listener was closed")
	}
	return err
}

// Drain makes the daemon not ready while it still accepts requests, so that balancers
// have time to choose another. Connections end with their next answer.
func (server *Server) Drain() { server.draining.Store(true) }

// Refuse answers new work with 503, except for the first request of each connection. It
// is called when no more connections are accepted.
func (server *Server) Refuse() {
	server.draining.Store(true)
	server.refusing.Store(true)
}

// Shutdown stops accepting, refuses new work on open connections and waits for the
// requests under way. When ctx ends first, it cancels them and returns an error.
func (server *Server) Shutdown(ctx context.Context) error {
	server.Refuse()
	server.sessions.stop(ctx)
	err := server.http.ShutdownWithContext(ctx)
	server.endLife()
	return err
}

// Active is the number of requests under way, streams included.
func (server *Server) Active() int { return int(server.active.Load()) }

// AdminHandler serves metrics and profiles. It asks for no token: on an address that
// other machines reach, wrap it in Guard.
func (server *Server) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(server.cfg.Metrics.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
