package daemon

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"plumb/daemon/api"
	"plumb/daemon/shm"
)

// ErrFiles marks a configuration that needs more open files than the system allows.
var ErrFiles = errors.New("cannot open so many files")

// Descriptors that the daemon needs beside connections of clients.
const (
	ownFiles  = 96 // the device and its driver, listeners, logs, caches, and what is open for a moment
	pageFiles = 24 // for each page of Chromium: pipes, and the files of its folder
	fewConns  = 16 // with fewer connections a daemon is of no use
)

// need is a number of file descriptors with the flag that needs them.
type need struct {
	files int
	why   string
}

// fileNeeds lists how many file descriptors the daemon needs beside its clients' connections, and for
// what: the browser's pages, the administrator's address, the judge, and shared memory.
func (running *running) fileNeeds() []need {
	list := []need{{ownFiles, "its own"}}
	if c := running.cfg.Core.Engine; c.Fidelity != "native" || c.Backend == "chrome" {
		pages := c.Chrome.Pages
		if pages <= 0 { // the browser's default
			pages = min(runtime.NumCPU(), 4)
		}
		list = append(list, need{pages * pageFiles, fmt.Sprintf("--chrome-pages %d", pages)})
	}
	if running.cfg.Admin != "" || running.managerSockets.admin != nil {
		list = append(list, need{adminConns, "--admin"})
	}
	if j := running.cfg.Core.Judge; j != nil {
		list = append(list, need{2 * max(j.Concurrency, 1), "--judge-concurrency"}) // the most that the chat client opens
	}
	if s := running.cfg.Shared; s != nil && s.Socket != "" {
		regions := s.Regions
		if regions <= 0 {
			regions = shm.DefaultRegions
		}
		list = append(list, need{2 * regions, fmt.Sprintf("--max-shm-regions %d", regions)})
	}
	return list
}

// maxConnections returns how many connections may be open, so that the process never runs out
// of descriptors: --max-conns, or without it as many as the limit of open files leaves, at
// most the default. It returns an error if --max-conns needs more, or if fewer than fewConns
// are left. The Go runtime has raised the soft limit to the hard one.
func (running *running) maxConnections() (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("%w: cannot read the limit: %w", ErrFiles, err)
	}
	files := int(min(limit.Cur, 1<<30))
	left, words := files, []string(nil)
	for _, n := range running.fileNeeds() {
		left -= n.files
		words = append(words, fmt.Sprintf("%d for %s", n.files, n.why))
	}
	others := strings.Join(words, ", ")
	want := running.cfg.API.MaxConns
	switch {
	case left < fewConns:
		return 0, fmt.Errorf("%w: %d may be open (ulimit -n; LimitNOFILE of a unit), and beside connections the daemon needs %s; want at least %d", ErrFiles, files, others, files-left+fewConns)
	case want > left:
		return 0, fmt.Errorf("%w: %d may be open (ulimit -n; LimitNOFILE of a unit), and beside connections the daemon needs %s; want --max-conns of at most %d, got %d", ErrFiles, files, others, left, want)
	case want > 0:
		return want, nil
	case left < api.DefaultConnections:
		running.cfg.Log.Warn("few files may be open: fewer connections are taken", "max-conns", left,
			"default", api.DefaultConnections, "open-files", files, "other-files", others)
	}
	return min(left, api.DefaultConnections), nil
}
