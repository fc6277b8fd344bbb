// Package natstest runs real NATS servers within tests. In: options of a server. Out: a server that takes
// connections until the test ends. A test whose server does not start fails.
package natstest

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ready bounds how long a server may take to start.
const ready = 20 * time.Second

// Start starts a server without a log. Its options give the host, the port (-1 for a free one), where
// streams are kept and what clients need. The server ends with the test, if not before.
func Start(t testing.TB, options server.Options) *server.Server {
	t.Helper()
	options.NoLog, options.NoSigs = true, true
	s, err := server.NewServer(&options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(ready) {
		t.Fatal("the server is not ready")
	}
	return s
}

// Port returns the port on which a server listens.
func Port(s *server.Server) int { return s.Addr().(*net.TCPAddr).Port }
