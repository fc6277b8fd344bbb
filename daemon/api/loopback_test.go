package api

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// Over TCP nobody can tell whose process asks, so it gets no shared memory; over
// the Unix socket it does.
func TestLoopbackIsNobody(t *testing.T) {
	s := lend(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.TrustLoopback = false })
	const region = "/v2/systemsharedmemory/region/r"
	const place = "?shared_memory_region=r&shared_memory_byte_size=800"
	const scene = `{"id":"s","shapes":[],"bounds":[0,0,20,10]}`
	calls := []struct{ method, path, body string }{
		{"POST", region + "/register", s.registration(0, 4096)},
		{"GET", region + "/status", ""},
		{"POST", "/v1/render" + place, scene},
		{"POST", "/v1/metrics?shared_memory_region=r&shared_memory_byte_size=200&width=20&height=10", ""},
		{"POST", region + "/unregister", ""},
		{"GET", "/v2/systemsharedmemory/status", ""},
		{"POST", "/v2/systemsharedmemory/unregister", ""},
	}
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(ln, nil)
	tcp := s.client
	s.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	unix := s.client
	defer unix.CloseIdleConnections()
	for _, c := range calls {
		s.client = tcp
		if code, _, body := s.do(t, c.method, c.path, c.body); code < 400 || !strings.Contains(body, "--shm-trust-loopback") {
			t.Errorf("%s %s over TCP: got %d %s; want it refused with the flag's name", c.method, c.path, code, body)
		}
		s.client = unix
		if code, _, body := s.do(t, c.method, c.path, c.body); code != 200 {
			t.Errorf("%s %s over the Unix socket: got %d %s; want 200", c.method, c.path, code, body)
		}
	}
}
