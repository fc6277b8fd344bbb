package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"plumb/bench/rig"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running `plumb serve`.
type process struct {
	cmd   *exec.Cmd
	addr  string // of requests
	admin string // of metrics
	log   *buffer
	done  chan struct{}
	err   error // how it ended, after done
}

// buffer keeps the end of what a process wrote.
type buffer struct {
	mu  sync.Mutex
	buf []byte
}

// Write implements io.Writer. It keeps the last half of a MiB at least.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(b.buf, p...)
	if len(b.buf) > 1<<20 {
		b.buf = append([]byte(nil), b.buf[len(b.buf)-1<<19:]...)
	}
	return len(p), nil
}

// String returns what was kept of the daemon's output.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.buf)
}

var (
	listening = regexp.MustCompile(`(?m)^listening on (\S+)$`)
	adminOn   = regexp.MustCompile(`admin listening.* address=(\S+)`)
)

// serve starts a daemon on an address, port 0 for a free one, and waits until it
// listens. env are further variables, NAME=VALUE.
func (c config) serve(addr string, env []string, args ...string) (*process, error) {
	return c.launch(c.command(addr, args...), env)
}

// command returns the command that runs `plumb serve` on an address.
func (c config) command(addr string, args ...string) *exec.Cmd {
	return exec.Command(c.plumb, slices.Concat([]string{"serve", "--listen", addr, "--admin", "127.0.0.1:0", "--suite", "aspire"}, c.args, c.more, args)...)
}

// launch starts a daemon and waits until it listens.
func (c config) launch(cmd *exec.Cmd, env []string) (*process, error) {
	p := &process{cmd: cmd, log: new(buffer), done: make(chan struct{})}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), env...), p.log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the daemon: %w", err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	for begin := time.Now(); ; {
		text := p.log.String()
		on, admin := listening.FindStringSubmatch(text), adminOn.FindStringSubmatch(text)
		if on != nil && admin != nil {
			p.addr, p.admin = on[1], admin[1]
			return p, nil
		}
		select {
		case <-p.done:
			return nil, fmt.Errorf("cannot start the daemon: %v: %s", p.err, text)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Since(begin) > 2*time.Minute {
			p.kill()
			return nil, fmt.Errorf("cannot start the daemon: it does not listen: %s", text)
		}
	}
}

// kill ends the process at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// stop drains the daemon and waits for its end.
func (p *process) stop() error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(2 * time.Minute):
		p.kill()
		return errors.New("the daemon did not stop within two minutes")
	}
	if p.err != nil {
		return fmt.Errorf("the daemon ended with %w: %s", p.err, p.log)
	}
	return nil
}

// resident returns the process's memory now, bytes; 0 where it has ended.
func (p *process) resident() int64 { return rig.MemoryOf(p.cmd.Process.Pid).Resident }

// peak returns the most memory that the process ever had, MiB; 0 where it has ended.
func (p *process) peak() int { return int(rig.MemoryOf(p.cmd.Process.Pid).Peak >> 20) }

// metrics holds the values of a daemon's Prometheus metrics by name and labels.
type metrics map[string]float64

// scrape reads the Prometheus metrics of the daemon under load.
func (p *process) scrape() (metrics, error) {
	resp, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		return nil, fmt.Errorf("cannot read metrics: %w", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read metrics: %w", err)
	}
	m := metrics{}
	for l := range bytes.Lines(b) {
		l = bytes.TrimSpace(l)
		if i := bytes.LastIndexByte(l, ' '); i > 0 && l[0] != '#' {
			if v, err := strconv.ParseFloat(string(l[i+1:]), 64); err == nil {
				m[string(l[:i])] = v
			}
		}
	}
	return m, nil
}

// sum adds the series of a name, whatever their labels.
func (m metrics) sum(name string) (v float64) {
	for series, x := range m {
		if base, _, _ := strings.Cut(series, "{"); base == name {
			v += x
		}
	}
	return v
}
