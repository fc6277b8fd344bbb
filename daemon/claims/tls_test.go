package claims

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"plumb/daemon/certtest"
	"plumb/daemon/claims/natstest"
)

// TestTLS checks which servers a queue trusts: a real server with TLS has a certificate that an authority
// signed. Without that authority nothing is sent, and the error says what is wanted. See docs/spec/jobs.md#r9.
func TestTLS(t *testing.T) {
	authority := certtest.NewAuthority(t, "right")
	otherFile := certtest.NewAuthority(t, "right").File // of the same name, with another key
	caFile := authority.File
	port := strconv.Itoa(natstest.Port(natstest.Start(t, server.Options{Host: "0.0.0.0", Port: -1, JetStream: true, StoreDir: t.TempDir(), Username: "plumb", Password: "key",
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{authority.Sign(t, "127.0.0.1")}, MinVersion: tls.VersionTLS12}})))
	none := filepath.Join(t.TempDir(), "none.pem")
	noCertificate := filepath.Join(t.TempDir(), "text.pem")
	if err := os.WriteFile(noCertificate, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, url, ca string
		want          string // part of the error; "" for a connection
	}{
		{"the right authority", "tls://plumb:key@127.0.0.1:" + port, caFile, ""},
		{"nats:// with the right authority", "nats://plumb:key@127.0.0.1:" + port, caFile, ""},
		{"another authority", "tls://plumb:key@127.0.0.1:" + port, otherFile, "want --nats-ca FILE"},
		{"the authorities of the system", "tls://plumb:key@127.0.0.1:" + port, "", "want --nats-ca FILE"},
		{"another host", "tls://plumb:key@127.0.0.2:" + port, caFile, "certificate is valid for 127.0.0.1, not 127.0.0.2"},
		{"no such file", "tls://plumb:key@127.0.0.1:" + port, none, "none.pem"},
		{"a file without a certificate", "tls://plumb:key@127.0.0.1:" + port, noCertificate, "text.pem"},
		{"another password", "tls://plumb:secret@127.0.0.1:" + port, caFile, "Authorization Violation"},
	} {
		q, err := Open(t.Context(), Config{Job: "job", URL: c.url, CA: c.ca})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if err := q.Offer(t.Context(), []int{4}, c.name); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if err := next(t, q, 4).Done(t.Context()); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			q.Close()
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "cannot connect to --nats: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v; want %q", c.name, err, c.want)
		}
	}
	// A server without TLS gets nothing from a client that wants it.
	plain := natstest.Start(t, server.Options{Host: "127.0.0.1", Port: -1})
	if _, err := Open(t.Context(), Config{Job: "job", URL: "tls://" + plain.Addr().String(), CA: caFile}); err == nil || !strings.Contains(err.Error(), "secure connection not available") {
		t.Errorf("without TLS: got %v; want an error", err)
	}
}
