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

// Serve takes connections from ln until Shutdown or an io.EOF of it, with TLS
// where secure is not nil; it may be called for several listeners at once. It
// returns nil after Drain.
func (s *Server) Serve(ln net.Listener, secure *tls.Config) error {
	ln = s.conns.Listen(ln)
	if secure != nil {
		ln = tls.NewListener(ln, secure)
	}
	err := s.http.Serve(ln)
	if s.draining.Load() {
		return nil
	}
	if err == nil {
		err = errors.New("the listener was closed")
	}
	return err
}

// Drain makes the daemon not ready while it still takes requests, so that a
// balancer has time to look elsewhere. Connections end with their next answer.
func (s *Server) Drain() { s.draining.Store(true) }

// Refuse answers new work with 503 from now on, but for the first request of each
// connection; it is for when no more connections are accepted.
func (s *Server) Refuse() {
	s.draining.Store(true)
	s.refusing.Store(true)
}

// Shutdown stops accepting, refuses new work on open connections and waits until
// what is under way has been answered. When ctx ends first, the rest is cut off
// and the error says so.
func (s *Server) Shutdown(ctx context.Context) error {
	s.Refuse()
	s.sessions.stop(ctx)
	err := s.http.ShutdownWithContext(ctx)
	s.kill()
	return err
}

// Active is the number of requests under way, streams included.
func (s *Server) Active() int { return int(s.active.Load()) }

// AdminHandler serves metrics and profiles. It asks for no token: on an address that
// other machines reach, wrap it in Guard.
func (s *Server) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(s.cfg.Metrics.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
