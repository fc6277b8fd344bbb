package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plumb/daemon/certtest"
)

// patience is how long something may take that must happen: long, as the machine
// may have more to do than this.
const patience = 3 * time.Minute

// await polls until ok holds.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// ended waits for the daemon's end.
func (d *daemonProcess) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-d.done:
		d.done <- nil
		return err
	case <-time.After(patience):
		t.Fatalf("the daemon does not end\n%s", d.logged())
		return nil
	}
}

// plainScore is a request that any daemon answers with 200 and score 0.
const plainScore = `{"id":"a","suite":"aspire","test":"maze","shapes":[],"task":{"target":[175,475]},"response":"no"}`

// once sends one request on a connection of its own, as clients without a pool do.
func once(network, addr string) error {
	c, err := net.DialTimeout(network, addr, patience)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(plainScore), plainScore); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != 200 || !strings.Contains(string(b), `"score":0.0`)) {
		err = fmt.Errorf("got %d %s", resp.StatusCode, b)
	}
	return err
}

// Daemons that take over from each other lose no request of clients that never
// try twice, on the port and on the socket.
func TestRestartsLoseNothing(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	args := []string{"--backend", "cpu", "--drain-grace", "200ms", "--drain-timeout", patience.String(), "--deadline", patience.String(), "--socket", socket}
	d := startDaemon(t, args...)
	addr := d.addr
	var sent, lost atomic.Int64
	var stop atomic.Bool
	var clients sync.WaitGroup
	for i := range 16 {
		clients.Go(func() {
			network, to := "tcp", addr
			if i%4 == 3 {
				network, to = "unix", socket
			}
			for !stop.Load() {
				sent.Add(1)
				if err := once(network, to); err != nil {
					lost.Add(1)
					t.Errorf("%s: %v", network, err)
				}
			}
		})
	}
	for range 4 {
		next := startDaemon(t, append(args, "--listen", addr)...)
		if !strings.Contains(next.logged(), "took over the listening socket") {
			t.Errorf("the socket was not handed over\n%s", next.logged())
		}
		before := sent.Load()
		d.cmd.Process.Signal(syscall.SIGTERM)
		if err := d.ended(t); err != nil {
			t.Errorf("the older daemon ended with %v\n%s", err, d.logged())
		}
		await(t, "requests after the restart", func() bool { return sent.Load() > before+50 })
		d = next
	}
	stop.Store(true)
	clients.Wait()
	t.Logf("%d requests over 4 restarts, %d lost", sent.Load(), lost.Load())
}

// The second signal ends a daemon that would wait for a request.
func TestSecondSignal(t *testing.T) {
	d := startDaemon(t, "--backend", "cpu", "--drain-timeout", "10m")
	c, err := net.Dial("tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /v1/score/stream HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
		t.Fatal(err)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	await(t, "the end of accepting", func() bool { return strings.Contains(d.logged(), "no longer accepting") })
	select {
	case err := <-d.done:
		t.Fatalf("the daemon ended with a request under way: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := d.ended(t); err == nil {
		t.Error("a daemon that cut a request off ended with 0")
	}
	if !strings.Contains(d.logged(), "second signal") {
		t.Errorf("the log does not say why\n%s", d.logged())
	}
}

// manager is the socket of a service manager.
type manager struct {
	path string
	said meter
}

func newManager(t *testing.T) *manager {
	t.Helper()
	m := &manager{path: filepath.Join(t.TempDir(), "notify")}
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := c.Read(b)
			if err != nil {
				return
			}
			m.said.Write(append(b[:n:n], '\n'))
		}
	}()
	return m
}

// A service manager hears when the daemon is ready, reads its files anew and
// stops, and its watchdog is fed meanwhile.
func TestServiceManager(t *testing.T) {
	m := newManager(t)
	t.Setenv("NOTIFY_SOCKET", m.path)
	t.Setenv("WATCHDOG_USEC", "6000000") // a beat each 2 s; the manager itself is patient
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("a:first-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := startDaemon(t, "--backend", "cpu", "--tokens-file", tokens)
	heard := func(what string) {
		t.Helper()
		await(t, what, func() bool { return strings.Contains(m.said.String(), what) })
	}
	heard("READY=1\nSTATUS=listening on " + d.addr)
	await(t, "three beats", func() bool { return strings.Count(m.said.String(), "WATCHDOG=1") >= 3 })
	code := func(token string) int {
		req, _ := http.NewRequest("GET", "http://"+d.addr+"/v2?token="+token, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if first, second := code("first-token"), code("second-token"); first != 200 || second != 401 {
		t.Errorf("got %d and %d; want 200 and 401", first, second)
	}
	if err := os.WriteFile(tokens, []byte("a:second-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.cmd.Process.Signal(syscall.SIGHUP)
	heard("RELOADING=1\nMONOTONIC_USEC=")
	await(t, "READY=1 after the reload", func() bool {
		_, after, _ := strings.Cut(m.said.String(), "RELOADING=1")
		return strings.Contains(after, "READY=1")
	})
	if first, second := code("first-token"), code("second-token"); first != 401 || second != 200 {
		t.Errorf("after SIGHUP: got %d and %d; want 401 and 200", first, second)
	}
	if err := os.WriteFile(tokens, []byte("a:third-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	await(t, "the change of the file", func() bool { return code("third-token") == 200 })
	d.cmd.Process.Signal(syscall.SIGTERM)
	heard("STOPPING=1")
	if err := d.ended(t); err != nil {
		t.Errorf("the daemon ended with %v\n%s", err, d.logged())
	}
	if strings.Contains(d.logged(), "-token") || strings.Contains(d.logged(), tokens) {
		t.Errorf("the log holds a token or its file\n%s", d.logged())
	}
}

// A service manager may keep the socket: what connects between two daemons waits
// and is answered by the next.
func TestSocketActivation(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	f, err := ln.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	start := func() *daemonProcess {
		d := prepared("--backend", "cpu")
		d.cmd.Path, d.cmd.Args = "/bin/sh", append([]string{"sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`, "sh", binary}, d.cmd.Args[1:]...)
		d.cmd.ExtraFiles = []*os.File{f}
		d.start(t)
		if d.addr != ln.Addr().String() {
			t.Fatalf("got %s; want the socket of the manager at %s", d.addr, ln.Addr())
		}
		return d
	}
	first := start()
	if err := once("tcp", first.addr); err != nil {
		t.Error(err)
	}
	first.cmd.Process.Signal(syscall.SIGTERM)
	if err := first.ended(t); err != nil {
		t.Fatalf("the daemon ended with %v\n%s", err, first.logged())
	}
	answered := make(chan error)
	go func() { answered <- once("tcp", ln.Addr().String()) }()
	start()
	if err := <-answered; err != nil {
		t.Errorf("a request between two daemons: %v", err)
	}
}

// TestUseOfTldraw: a daemon that draws with tldraw on an address that other
// machines reach wants to be told what for.
func TestUseOfTldraw(t *testing.T) {
	browser(t)
	args := []string{"serve", "--backend", "cpu", "--listen", "0.0.0.0:0", "--insecure-no-token"}
	if code, _, errs := plumb(t, "", args...); code != 2 || !strings.Contains(errs, "--tldraw-use") {
		t.Errorf("not said: got exit %d, %s; want 2 and the flag", code, errs)
	}
	if code, _, errs := plumb(t, "", append(args, "--tldraw-use", "production")...); code != 2 || !strings.Contains(errs, "--tldraw-license-key") {
		t.Errorf("production without a key: got exit %d, %s; want 2 and the flag", code, errs)
	}
	d := startDaemon(t, append(args[1:], "--fidelity", "auto", "--tldraw-use", "development")...)
	if text := fetched(t, "http://"+d.addr+"/v1/info"); !strings.Contains(text, `"use":"development"`) || !strings.Contains(text, `"sandbox":`) {
		t.Errorf("got %s; want the use and the sandbox", text)
	}
}

// Addresses that others reach need a token, or a word that they need none.
func TestExposed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "tokens")
	os.WriteFile(empty, nil, 0o600)
	t.Setenv("PLUMB_TEST_TOKEN", "a:b:c:d:e")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "0.0.0.0:0"}, "--insecure-no-token"},
		{[]string{"--listen", ":0"}, "--tokens-file"},
		{[]string{"--listen", "[::]:0"}, "--token-env"},
		{[]string{"--admin", "0.0.0.0:0"}, "--admin"},
		{[]string{"--tokens-file", empty}, "there are none"},
		{[]string{"--tokens-file", "/nowhere/secret-name"}, "no such file"},
		{[]string{"--token-env", "PLUMB_TEST_TOKEN"}, "line 1"},
		{[]string{"--tls-cert", "/nowhere/secret-name"}, "--tls-key"},
		{[]string{"--tls-client-ca", "/nowhere/secret-name"}, "--tls-cert"},
		{[]string{"--tls-cert", "/nowhere/secret-name", "--tls-key", "/nowhere/secret-name"}, "no such file"},
	} {
		code, _, errs := plumb(t, "", append([]string{"serve", "--backend", "cpu", "--fidelity", "native", "--listen", "127.0.0.1:0"}, c.args...)...)
		if code != 2 || !strings.Contains(errs, c.want) || strings.Contains(errs, "secret-name") {
			t.Errorf("%v: got exit %d, %s; want 2 with %q and no path", c.args, code, errs, c.want)
		}
	}
	t.Setenv("PLUMB_TEST_TOKEN", "one-token")
	for _, args := range [][]string{{"--insecure-no-token"}, {"--token-env", "PLUMB_TEST_TOKEN"}} {
		d := startDaemon(t, append(args, "--backend", "cpu", "--listen", "0.0.0.0:0", "--admin", "0.0.0.0:0")...)
		_, port, _ := net.SplitHostPort(d.addr)
		_, rest, _ := strings.Cut(d.logged(), `msg="admin listening" address=`)
		_, adminPort, _ := net.SplitHostPort(strings.Fields(rest)[0])
		for _, url := range []string{"http://127.0.0.1:" + port + "/v2", "http://127.0.0.1:" + adminPort + "/metrics"} {
			bare, with := status(t, url), status(t, url+"?token=one-token")
			if want := 200 + 201*len(args[1:]); bare != want || with != 200 {
				t.Errorf("%v: %s: got %d without and %d with a token; want %d and 200", args, url, bare, with, want)
			}
		}
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TLS: strangers are kept out, and a renewed certificate is taken without a restart.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	certtest.SelfSigned(t, at("cert"), at("key"), "first", "127.0.0.1")
	mine := certtest.SelfSigned(t, at("client"), at("client-key"), "client", "127.0.0.1")
	stranger := certtest.SelfSigned(t, at("other"), at("other-key"), "stranger", "127.0.0.1")
	d := startDaemon(t, "--backend", "cpu", "--tls-cert", at("cert"), "--tls-key", at("key"), "--tls-client-ca", at("client"))
	get := func(with ...tls.Certificate) (name string, code int, err error) {
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: with}}
		resp, err := (&http.Client{Transport: transport, Timeout: patience}).Post("https://"+d.addr+"/v1/score", "application/json", strings.NewReader(plainScore))
		if err != nil {
			return "", 0, err
		}
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
		return resp.TLS.PeerCertificates[0].Subject.CommonName, resp.StatusCode, nil
	}
	if name, code, err := get(mine); err != nil || name != "first" || code != 200 {
		t.Errorf("got %q, %d, %v; want an answer of the first", name, code, err)
	}
	for _, who := range [][]tls.Certificate{{stranger}, nil} {
		if _, code, err := get(who...); err == nil {
			t.Errorf("%d certificates of strangers: got %d; want no connection", len(who), code)
		}
	}
	if err := once("tcp", d.addr); err == nil {
		t.Error("a request without TLS was answered")
	}
	os.WriteFile(at("key"), []byte("broken"), 0o600)
	d.cmd.Process.Signal(syscall.SIGHUP)
	await(t, "the broken key", func() bool { return strings.Contains(d.logged(), "secrets are as before") })
	if name, _, err := get(mine); err != nil || name != "first" {
		t.Errorf("with a broken key: got %q, %v; want the first", name, err)
	}
	certtest.SelfSigned(t, at("cert"), at("key"), "second", "127.0.0.1")
	await(t, "the renewed certificate", func() bool { name, _, _ := get(mine); return name == "second" })
	if strings.Contains(d.logged(), dir) {
		t.Errorf("the log holds paths\n%s", d.logged())
	}
}

// A daemon whose machine lacks something says what, and not where.
func TestRepliesNameNoPath(t *testing.T) {
	const nowhere = "/nowhere/folder-of-the-operator"
	d := prepared("--backend", "cpu", "--fidelity", "auto", "--chrome", nowhere+"/browser")
	d.cmd.Env = append(d.cmd.Env, "PLUMB_FONTS="+nowhere, "PLUMB_PAGE="+nowhere)
	d.start(t)
	const text = `"shapes":[{"id":"shape:a","type":"text","x":1,"y":1,"props":{"text":"words"}}]`
	const embed = `"shapes":[{"id":"shape:b","type":"embed","x":10,"y":10,"props":{"url":"https://example.com","w":300,"h":100}}]`
	label := strings.TrimSpace(emojiItem("a", "label", "a"))
	for _, c := range []struct{ path, body, want string }{
		{"/v1/render", `{` + text + `}`, "fonts"},
		{"/v1/render", `{` + text + `,"bounds":[0,0,9,9]}`, "fonts"},
		{"/v1/render", `{` + embed + `,"bounds":[0,0,9,9]}`, "embed"},
		{"/v1/score", label, "fonts"},
		{"/v1/score", `{"items":[` + label + `]}`, "fonts"},
		{"/v1/score/stream", label, "fonts"},
	} {
		resp, err := http.Post("http://"+d.addr+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(b), c.want) || strings.Contains(string(b), "nowhere") {
			t.Errorf("%s: got %d %s; want %q and no path", c.path, resp.StatusCode, b, c.want)
		}
	}
}
