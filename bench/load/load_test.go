package load

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// At a rate, requests that were due while the server stalled count with the time that they waited.
func TestNoCoordinatedOmission(t *testing.T) {
	var n atomic.Int64
	const stall = 400 * time.Millisecond
	var ready atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if n.Add(1) == 1 {
			ready.Store(time.Now().Add(stall).UnixNano())
		}
		time.Sleep(time.Until(time.Unix(0, ready.Load()))) // everybody waits for the first
	}))
	defer s.Close()
	var all []Result
	cfg := Config{URL: s.URL, Path: "/", Requests: [][]byte{[]byte("{}")}, Duration: 500 * time.Millisecond, Timeout: time.Minute, MaxOpen: 2}
	if err := Run(t.Context(), cfg, []Step{{Rate: 200}}, func(r Result) { all = append(all, r) }); err != nil {
		t.Fatal(err)
	}
	r := &all[0]
	if r.OK != 100 || r.Behind == 0 {
		t.Errorf("got %d answers, %d behind; want all 100 that were due, and some behind", r.OK, r.Behind)
	}
	// At least the 60 requests that were due in the first 300 ms waited 100 ms or more.
	if p := r.Percentile(41); p < 90 {
		t.Errorf("got a 41st percentile of %v ms; want 90 or more", p)
	}
	if one := r.Percentile(100); one < 390 {
		t.Errorf("got a longest latency of %v ms; want the stall", one)
	}
}

// Tables, lines and plots say what was counted; errors and other codes are apart.
func TestShow(t *testing.T) {
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%2 == 0 {
			w.WriteHeader(429)
		}
	}))
	defer s.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + ln.Addr().String()
	ln.Close()
	var all []Result
	for _, url := range []string{s.URL, dead} {
		cfg := Config{URL: url, Path: "/x", Requests: [][]byte{[]byte("1"), []byte("2")}, Duration: 50 * time.Millisecond, Timeout: time.Second, MaxOpen: 8}
		if err := Run(t.Context(), cfg, []Step{{Clients: 2}, {Rate: 100}}, func(r Result) { all = append(all, r) }); err != nil {
			t.Fatal(err)
		}
	}
	if all[0].OK == 0 || all[0].Codes["429"] == 0 || all[2].OK != 0 || all[2].Codes["error"] == 0 {
		t.Errorf("got %+v", all)
	}
	var table, lines bytes.Buffer
	if err := Table(&table, all[:2]); err != nil || !strings.Contains(table.String(), "2 clients") || !strings.Contains(table.String(), "429:") || !strings.Contains(table.String(), "100/s") {
		t.Errorf("got %s, %v", table.String(), err)
	}
	if err := JSON(&lines, all); err != nil || strings.Count(lines.String(), "\n") != 4 || !strings.Contains(lines.String(), `"p99.9_ms"`) {
		t.Errorf("got %s, %v", lines.String(), err)
	}
	for kind, begins := range map[string]string{".png": "\x89PNG", ".svg": "<?xml"} {
		path := filepath.Join(t.TempDir(), "p"+kind)
		if err := Plot(path, all[:2]); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); !strings.HasPrefix(string(b), begins) {
			t.Errorf("%s: got %.20q", kind, b)
		}
	}
	if err := Plot("p.pdf", all); err == nil {
		t.Error("a plot as .pdf is not refused")
	}
}

// An address with https is sent requests over TLS, and its request URIs are https.
func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	cfg := Config{URL: s.URL, Path: "/", Requests: [][]byte{[]byte("{}")}, Timeout: time.Minute, MaxOpen: 1}
	runner, err := newRunner(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.client.CloseIdleConnections()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	runner.client.TLSConfig = &tls.Config{RootCAs: pool} // else the system's, which lacks the test's certificate
	if code, err := runner.send(); code != http.StatusOK || err != nil {
		t.Errorf("got %d, %v; want 200 and no error", code, err)
	}
}

// TestAddresses checks that addresses of other schemes than http and https are refused by name.
func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{"http://127.0.0.1:1": true, "https://a": true, "unix:/tmp/s": true,
		"ftp://a": false, "http://": false, "": false} {
		_, err := newRunner(Config{URL: address, Requests: [][]byte{[]byte("{}")}})
		if (err == nil) != good || err != nil && !strings.Contains(err.Error(), "https://HOST") {
			t.Errorf("%q: got %v; want it to be taken: %v", address, err, good)
		}
	}
}
