package main

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// withFiles is a daemon that may have so many files open.
func withFiles(files int, args ...string) *daemonProcess {
	d := prepared(args...)
	env := d.cmd.Env
	d.cmd = exec.Command("sh", slices.Concat([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, files)}, d.cmd.Args)...)
	d.cmd.Env = env
	return d
}

// More connections than there may be files, all idle and without a token, keep
// nobody out.
func TestFewFiles(t *testing.T) {
	d := withFiles(256, "--backend", "cpu")
	d.start(t)
	if !strings.Contains(d.logged(), "few files may be open") {
		t.Errorf("the log does not say that fewer connections are taken\n%s", d.logged())
	}
	survives(t, d)
}

// A process that runs out of files all the same, because somebody lowered its
// limit, goes on as soon as it can.
func TestNoFiles(t *testing.T) {
	d := startDaemon(t, "--backend", "cpu")
	low := unix.Rlimit{Cur: 64, Max: 64}
	if err := unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, &low, nil); err != nil {
		t.Fatal(err)
	}
	survives(t, d)
	if !strings.Contains(d.logged(), "too many open files") {
		t.Errorf("the log does not tell of the want of files\n%s", d.logged())
	}
}

// survives opens 400 connections that ask for nothing and asks for a score after.
func survives(t *testing.T, d *daemonProcess) {
	t.Helper()
	for range 400 {
		c, err := net.Dial("tcp", d.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for range 20 {
		if err := once("tcp", d.addr); err != nil {
			t.Errorf("a new client: %v\n%s", err, d.logged())
		}
	}
}

// Limits that do not go together are refused by the names of their flags.
func TestFilesRefused(t *testing.T) {
	for _, c := range []struct {
		files int
		args  []string
		want  []string
	}{
		{256, []string{"--max-conns", "8192"}, []string{"--max-conns of at most", "256 may be open"}},
		{100, nil, []string{"want at least 112"}},
		{400, []string{"--allow-client-shm", "--shm-socket", "s", "--admin", "127.0.0.1:0"}, []string{"--max-shm-regions 256", "--admin"}},
	} {
		out, err := withFiles(c.files, append(c.args, "--backend", "cpu")...).cmd.CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 2 {
			t.Errorf("%v: got %v; want exit code 2\n%s", c.args, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%v: got %s; want %q in it", c.args, out, want)
			}
		}
	}
}
