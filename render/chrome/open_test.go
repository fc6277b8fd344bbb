package chrome

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// open opens a pool of one tab whose files lie in a folder of the test, and
// checks when the test ends that it left nothing behind. Where no browser is
// installed the test is skipped with a line that `make test` counts.
func open(t testing.TB, cfg Config) *Pool {
	t.Helper()
	if _, err := Find(cfg.Path); errors.Is(err, ErrMissing) {
		t.Skip("no browser: " + err.Error())
	}
	temp, err := os.MkdirTemp("", "plumb") // t.TempDir is too long for the browser's socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(temp) }) // only when empty, as noTrace demands
	cfg.Temp = temp
	if cfg.Pages == 0 {
		cfg.Pages = 1
	}
	if cfg.Log == nil && testing.Verbose() {
		cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	p, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		noTrace(t, cfg.Temp)
	})
	return p
}

// noTrace demands that no file and no process of a browser is left.
func noTrace(t testing.TB, temp string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v %v", left, err)
	}
	if procs := browserProcesses(-1, temp); len(procs) > 0 {
		t.Errorf("processes left behind: %+v", procs)
	}
}
