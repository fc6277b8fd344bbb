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

// buffer keeps the end of what a process wrote: once more than maxKept bytes are held, only the
// last keptBytes of them stay.
type buffer struct {
	mu  sync.Mutex
	buf []byte
}

const (
	keptBytes = 512 << 10 // what is kept at least, in bytes
	maxKept   = 1 << 20   // twice as much, so that few writes have to copy what is kept
)

// Write appends what a process wrote to the log that is kept of it. Once there are more than maxKept bytes,
// it drops all but the last keptBytes, so that the log of a daemon that runs long does not fill the memory.
// It implements io.Writer.
func (buffer *buffer) Write(p []byte) (int, error) {
	buffer.mu.Lock()
	defer buffer.mu.Unlock()
	buffer.buf = append(buffer.buf, p...)
	if excess := len(buffer.buf) - keptBytes; len(buffer.buf) > maxKept {
		buffer.buf = append([]byte(nil), buffer.buf[excess:]...)
	}
	return len(p), nil
}

// String returns what was kept of the daemon's output.
func (buffer *buffer) String() string {
	buffer.mu.Lock()
	defer buffer.mu.Unlock()
	return string(buffer.buf)
}

var (
	listening = regexp.MustCompile(`(?m)^listening on (\S+)$`)
	adminOn   = regexp.MustCompile(`admin listening.* address=(\S+)`)
)

// serve starts a daemon on an address, port 0 for a free one, and waits until it
// listens. env are further variables, NAME=VALUE.
func (config config) serve(addr string, env []string, args ...string) (*process, error) {
	return config.launch(config.command(addr, args...), env)
}

// command returns the command that runs `plumb serve` on an address.
func (config config) command(addr string, args ...string) *exec.Cmd {
	return exec.Command(config.plumb, slices.Concat([]string{"serve", "--listen", addr, "--admin", "127.0.0.1:0", "--suite", "aspire"}, config.commonArgs, config.serveArgs, args)...)
}

// launch starts a daemon by a command, with env added to the environment, and waits until it has printed the
// two addresses that it listens at: one for requests, and one for the administrator. It kills a daemon that
// does not do so within two minutes.
func (config config) launch(cmd *exec.Cmd, env []string) (*process, error) {
	started := &process{cmd: cmd, log: new(buffer), done: make(chan struct{})}
	started.cmd.Env, started.cmd.Stderr = append(os.Environ(), env...), started.log
	if err := started.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the daemon: %w", err)
	}
	go func() {
		started.err = started.cmd.Wait()
		close(started.done)
	}()
	for begin := time.Now(); ; {
		text := started.log.String()
		on, admin := listening.FindStringSubmatch(text), adminOn.FindStringSubmatch(text)
		if on != nil && admin != nil {
			started.addr, started.admin = on[1], admin[1]
			return started, nil
		}
		select {
		case <-started.done:
			return nil, fmt.Errorf("cannot start the daemon: %v: %s", started.err, text)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Since(begin) > 2*time.Minute {
			started.kill()
			return nil, fmt.Errorf("cannot start the daemon: it does not listen: %s", text)
		}
	}
}

// kill ends the process at once.
func (process *process) kill() {
	process.cmd.Process.Kill()
	<-process.done
}

// stop asks the daemon to end, which it does after the requests in flight are answered, and waits for
// that. A daemon that needs more than two minutes, or ends with an error, is an error.
func (process *process) stop() error {
	process.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-process.done:
	case <-time.After(2 * time.Minute):
		process.kill()
		return errors.New("the daemon did not stop within two minutes")
	}
	if process.err != nil {
		return fmt.Errorf("the daemon ended with %w: %s", process.err, process.log)
	}
	return nil
}

// resident returns the process's memory now, bytes; 0 where it has ended.
func (process *process) resident() int64 { return rig.MemoryOf(process.cmd.Process.Pid).Resident }

// peak returns the most memory that the process ever had, MiB; 0 where it has ended.
func (process *process) peak() int { return int(rig.MemoryOf(process.cmd.Process.Pid).Peak >> 20) }

// metrics holds the values of a daemon's Prometheus metrics by name and labels.
type metrics map[string]float64

// scrape reads the Prometheus metrics of the daemon under load: the value of each series by its name
// and labels, as the text has them.
func (process *process) scrape() (metrics, error) {
	resp, err := http.Get("http://" + process.admin + "/metrics")
	if err != nil {
		return nil, fmt.Errorf("cannot read metrics: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read metrics: %w", err)
	}
	values := metrics{}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if space := bytes.LastIndexByte(line, ' '); space > 0 && line[0] != '#' { // # begins a comment
			if value, err := strconv.ParseFloat(string(line[space+1:]), 64); err == nil {
				values[string(line[:space])] = value
			}
		}
	}
	return values, nil
}

// sum returns the sum of one of the daemon's metrics over all its series, which have the same name and
// different labels.
func (metrics metrics) sum(name string) (total float64) {
	for series, value := range metrics {
		if withoutLabels, _, _ := strings.Cut(series, "{"); withoutLabels == name {
			total += value
		}
	}
	return total
}
