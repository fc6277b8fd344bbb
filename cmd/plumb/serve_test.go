package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plumb/testdata"
)

// daemonProcess is `plumb serve` in a process of its own.
type daemonProcess struct {
	cmd  *exec.Cmd
	addr string
	log  *meter
	done chan error
}

// startDaemon waits until the daemon listens. It is stopped with the test.
// No browser is started unless args ask for another fidelity.
func startDaemon(t *testing.T, args ...string) *daemonProcess {
	t.Helper()
	d := prepared(args...)
	d.start(t)
	return d
}

// prepared is a daemon that does not run yet.
func prepared(args ...string) *daemonProcess {
	d := &daemonProcess{cmd: exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--drain-grace", "0s", "--fidelity", "native"}, args...)...),
		log: new(meter), done: make(chan error, 1)}
	d.cmd.Env = append(os.Environ(), "PLUMB_FONTS="+filepath.Join(testdata.Root(), "build", "fonts"))
	return d
}

// logged is what the daemon has written so far.
func (d *daemonProcess) logged() string { return d.log.String() }

// start runs the daemon and waits until it listens.
func (d *daemonProcess) start(t *testing.T) {
	t.Helper()
	pipe, err := d.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 1)
	go func() {
		listening := regexp.MustCompile(`(?m)^listening on (\S+)$`)
		buf, told := make([]byte, 4096), false
		for {
			n, err := pipe.Read(buf)
			d.log.Write(buf[:n])
			if !told {
				if m := listening.FindStringSubmatch(d.logged()); m != nil {
					told = true
					heard <- m[1]
				}
			}
			if err != nil {
				d.done <- d.cmd.Wait()
				return
			}
		}
	}()
	select {
	case d.addr = <-heard:
	case err := <-d.done:
		t.Fatalf("the daemon ended: %v\n%s", err, d.log)
	case <-time.After(patience):
		t.Fatalf("the daemon does not listen\n%s", d.log)
	}
	t.Cleanup(func() {
		d.cmd.Process.Kill()
		select {
		case <-d.done:
		case <-time.After(10 * time.Second):
		}
	})
}

// SIGTERM lets the daemon finish and end with 0; its socket goes with it.
func TestDaemonStops(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	d := startDaemon(t, "--socket", socket)
	if c, err := net.Dial("unix", socket); err != nil {
		t.Fatal(err)
	} else {
		c.Close()
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-d.done:
		if err != nil {
			t.Errorf("the daemon ended with %v\n%s", err, d.log)
		}
		d.done <- nil
	case <-time.After(patience):
		t.Fatalf("the daemon does not stop\n%s", d.log)
	}
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// A request gets the bytes that a dump gets, alone, among others of a request
// and among others at the same time.
func TestRequestsEqualDump(t *testing.T) {
	b, err := os.ReadFile(testdata.Path(t, "aspire/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	items := strings.Split(strings.TrimSpace(string(b)), "\n")
	_, out, _ := plumb(t, string(b), "score", "-")
	want := strings.Split(strings.TrimSpace(out), "\n")
	d := startDaemon(t)
	post := func(body string) (int, string) {
		resp, err := http.Post("http://"+d.addr+"/v1/score", "application/json", strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, strings.TrimSpace(string(b))
	}
	if code, got := post(`{"items":[` + strings.Join(items, ",") + `]}`); code != 200 || got != `{"results":[`+strings.Join(want, ",")+`]}` {
		t.Errorf("items: got %d and other bytes", code)
	}
	var all sync.WaitGroup
	for i, item := range items {
		all.Go(func() {
			code, got := post(item)
			switch {
			case code == 422 && strings.Contains(want[i], `"error":{`):
			case code != 200 || got != want[i]:
				t.Errorf("item %d: got %d %s; want %s", i, code, got, want[i])
			}
		})
	}
	all.Wait()
}

// meter is a writer that can be asked how many lines it has.
type meter struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (m *meter) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.buf.Write(b)
}

func (m *meter) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.buf.String()
}

// A daemon that is killed in the middle of a dump costs nothing but time: the
// next one gets what was not answered.
func TestDaemonKilled(t *testing.T) {
	text := spoilt(t)
	_, want, _ := plumb(t, text, "score", "-")
	lines := strings.SplitAfter(text, "\n")
	first := startDaemon(t)
	in, feed := io.Pipe()
	var out, errs meter
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"score", "--server", "http://" + first.addr, "-"}, streams{in, &out, &errs})
	}()
	io.WriteString(feed, strings.Join(lines[:60], ""))
	for strings.Count(out.String(), "\n") < 20 {
		time.Sleep(time.Millisecond)
	}
	first.cmd.Process.Kill()
	<-first.done
	first.done <- nil
	startDaemon(t, "--listen", first.addr)
	io.WriteString(feed, strings.Join(lines[60:], ""))
	feed.Close()
	if c := <-code; c != 0 || out.String() != want {
		t.Errorf("got exit %d, other output: %v; %s", c, out.String() != want, errs.String())
	}
}

// A new daemon takes over the port and the socket of an older one, whose end
// takes neither away.
func TestOverlappingRestart(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	first := startDaemon(t, "--socket", socket)
	second := startDaemon(t, "--listen", first.addr, "--socket", socket)
	if second.addr != first.addr {
		t.Fatalf("got %s and %s; want one address", first.addr, second.addr)
	}
	first.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-first.done; err != nil {
		t.Fatalf("the first daemon ended with %v\n%s", err, first.log)
	}
	first.done <- nil
	for _, server := range []string{"http://" + second.addr, "unix:" + socket} {
		if code, out, errs := plumb(t, `{"id":"a","suite":"spatialab","options":["x","y"],"answer":"A","response":"A"}`, "score", "--server", server, "-"); code != 0 || !strings.Contains(out, `"a"`) {
			t.Errorf("%s: got exit %d, %q, %s", server, code, out, errs)
		}
	}
}
