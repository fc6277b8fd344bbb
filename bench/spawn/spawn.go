// Package spawn measures a daemon that runs as a process of its own. In: the program and its
// flags, then items. Out: the bodies of its answers, its core time and its memory. It refuses
// answers other than 200.
package spawn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"plumb/bench/rig"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// PerRequest is how many items a request of Score has at most.
	PerRequest = 64
	// Clients is how many requests Score has under way.
	Clients = 4
)

// Daemon is a running `plumb serve`.
type Daemon struct {
	cmd    *exec.Cmd
	dir    string
	stderr bytes.Buffer
	client *http.Client
}

// Start starts a daemon, `PROGRAM serve` with further flags, on a Unix socket in a temporary folder, and
// waits until it is ready. Close ends it and removes the folder.
func Start(program string, flags ...string) (*Daemon, error) {
	dir, err := os.MkdirTemp("", "plumb-bench-")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "socket")
	daemon := &Daemon{dir: dir, cmd: exec.Command(program, append([]string{"serve", "--socket", socket, "--log-level", "error"}, flags...)...)}
	daemon.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: Clients, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	daemon.cmd.Stderr = &daemon.stderr
	if err := daemon.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start the daemon: %w", err), os.RemoveAll(dir))
	}
	if err := daemon.waitReady(); err != nil {
		return nil, errors.Join(err, daemon.Close())
	}
	return daemon, nil
}

// Close stops the daemon with SIGTERM, waits for its end and removes its folder. A daemon that ends with an
// error is an error, with what it wrote to standard error.
func (d *Daemon) Close() error {
	d.client.CloseIdleConnections()
	err := d.cmd.Process.Signal(syscall.SIGTERM)
	if waitErr := d.cmd.Wait(); waitErr != nil {
		err = fmt.Errorf("the daemon ended with %w: %s", waitErr, d.stderr.String())
	}
	return errors.Join(err, os.RemoveAll(d.dir))
}

// Score has the daemon score items, each a JSON object. It sends them in requests of PerRequest items,
// Clients requests at a time, and returns the bodies of the replies in the order of the items. A request
// that fails ends its client; the others go on, and the error is returned.
func (d *Daemon) Score(items [][]byte) ([][]byte, error) {
	answers := make([][]byte, (len(items)+PerRequest-1)/PerRequest)
	var next atomic.Int64
	var wg sync.WaitGroup
	faults := make([]error, Clients)
	for client := range Clients {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(answers) {
					return
				}
				ofRequest := items[i*PerRequest : min(len(items), (i+1)*PerRequest)]
				body := append(append([]byte(`{"items":[`), bytes.Join(ofRequest, []byte(","))...), "]}"...)
				if answers[i], faults[client] = d.Post(body); faults[client] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return answers, errors.Join(faults...)
}

// Post sends a body to /v1/score and returns the body of the answer.
func (d *Daemon) Post(body []byte) ([]byte, error) { return d.PostTo("/v1/score", "", body) }

// PostTo sends a body of JSON to a path of the daemon and returns the body of the reply. accept is the
// media type that the reply should have, "" to leave it to the daemon. A status other than 200 is an error.
func (d *Daemon) PostTo(path, accept string, body []byte) ([]byte, error) {
	request, err := http.NewRequest("POST", "http://plumb"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("got status %d: %.200s", response.StatusCode, reply)
	}
	return reply, err
}

// waitReady asks the daemon again and again until it answers that it is ready, for at most a minute.
func (d *Daemon) waitReady() error {
	var last error
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		response, err := d.client.Get("http://plumb/v2/health/ready")
		if err != nil {
			last = err
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
		last = fmt.Errorf("got status %d", response.StatusCode)
	}
	return fmt.Errorf("the daemon is not ready after a minute: %w", last)
}

// CoreTime returns the processor time that the daemon has taken so far, with that of the threads of the
// OpenGL driver in it.
func (d *Daemon) CoreTime() (time.Duration, error) {
	const cpuClock = 2                               // CPUCLOCK_SCHED of the kernel: the clock of a whole process
	clock := int32(^d.cmd.Process.Pid)<<3 | cpuClock // so Linux makes the id of another process's clock
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, fmt.Errorf("cannot read the daemon's processor time: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// Measure does some work and returns how long it took, and the daemon's core time meanwhile.
func (d *Daemon) Measure(work func() error) (took, core time.Duration, err error) {
	before, err := d.CoreTime()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := work(); err != nil {
		return 0, 0, err
	}
	took = time.Since(begin)
	after, err := d.CoreTime()
	return took, after - before, err
}

// Memory returns how much memory the daemon holds now, and the most that it has held.
func (d *Daemon) Memory() rig.Memory { return rig.MemoryOf(d.cmd.Process.Pid) }

// Metric returns the value of one of the daemon's figures in /metrics, by its whole name with labels. It
// returns 0 for a figure that is not there.
func (d *Daemon) Metric(name string) (float64, error) {
	response, err := d.client.Get("http://plumb/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, nil
}
