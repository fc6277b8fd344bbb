package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	perRequest = 64 // answers, of one task where it has as many
	clients    = 4
)

// overHTTP starts `plumb serve`, sends a dump in requests, and stops it.
func overHTTP(program string, d *dump) (s sample, err error) {
	socket := filepath.Join(filepath.Dir(d.path), "socket")
	var said bytes.Buffer
	cmd := exec.Command(program, "serve", "--socket", socket, "--suite", "aspire", "--fidelity", "native", "--log-level", "error")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return s, fmt.Errorf("cannot start the daemon: %w", err)
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if e := cmd.Wait(); e != nil && err == nil {
			err = fmt.Errorf("the daemon ended with %w: %s", e, said.String())
		}
	}()
	client := clientOf(socket)
	defer client.CloseIdleConnections()
	if err := waitReady(client); err != nil {
		return s, err
	}
	spent, begin := coreOf(cmd.Process.Pid), time.Now()
	answers, err := sendAll(client, d.lines)
	if err != nil {
		return s, err
	}
	n := len(d.lines)
	s.rate = float64(n) / time.Since(begin).Seconds()
	s.core = (coreOf(cmd.Process.Pid) - spent) / time.Duration(n)
	s.rss = peakOf(cmd.Process.Pid)
	s.sum = sha256.Sum256(bytes.Join(answers, []byte("\n")))
	return s, nil
}

// sendAll sends the lines in requests, and returns the bodies in order.
func sendAll(client *http.Client, lines [][]byte) ([][]byte, error) {
	answers := make([][]byte, (len(lines)+perRequest-1)/perRequest)
	var next atomic.Int64
	var wg sync.WaitGroup
	faults := make([]error, clients)
	for c := range clients {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(answers) {
					return
				}
				some := lines[i*perRequest : min(len(lines), (i+1)*perRequest)]
				if answers[i], faults[c] = post(client, `{"items":[`+string(bytes.Join(some, []byte(",")))+`]}`); faults[c] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return answers, errors.Join(faults...)
}

// clientOf returns a client of a daemon on a socket.
func clientOf(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: dialer(socket), MaxIdleConnsPerHost: clients}}
}

// post sends dump lines to the daemon and returns its result lines.
func post(client *http.Client, body string) ([]byte, error) {
	r, err := client.Post("http://plumb/v1/score", "application/json", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("got status %d: %.200s", r.StatusCode, b)
	}
	return b, err
}

// waitReady waits until the daemon answers that it is ready.
func waitReady(client *http.Client) error {
	var last error
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		r, err := client.Get("http://plumb/v2/health/ready")
		if err != nil {
			last = err
			continue
		}
		r.Body.Close()
		if r.StatusCode == http.StatusOK {
			return nil
		}
		last = fmt.Errorf("got status %d", r.StatusCode)
	}
	return fmt.Errorf("the daemon is not ready after a minute: %w", last)
}

// coreOf returns the processor time of a process so far, from /proc; 0 where it has ended.
func coreOf(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // the name before may hold blanks
	const user, system, tick = 11, 12, 10 * time.Millisecond
	n := 0
	for _, i := range []int{user, system} {
		v, _ := strconv.Atoi(f[i])
		n += v
	}
	return time.Duration(n) * tick
}

// peakOf returns the most memory that a process ever had, bytes; 0 where it has ended.
func peakOf(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// dialer returns a dialer that connects to a socket.
func dialer(socket string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
}
