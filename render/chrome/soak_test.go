package chrome

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSoak draws PLUMB_CHROME_SOAK scenes in a row and kills the browser under
// every hundredth. Nothing may be lost, every picture must be the same each
// time, processes, threads, files and memory must not grow, and at the end no
// process, zombies included, no file and no goroutine may be left. With
// PLUMB_CHROME_SOAK_LOG the figures go to that file.
func TestSoak(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("PLUMB_CHROME_SOAK"))
	if n == 0 {
		t.Skip("long; PLUMB_CHROME_SOAK=2000 runs it")
	}
	s := soak{refs: references(t), routines: runtime.NumGoroutine(), files: entries("/proc/self/fd")}
	s.pool = open(t, Config{Pages: 2})
	s.first = map[int][32]byte{}
	start := time.Now()
	for i := range n {
		s.export(t, i)
		if i%100 == 98 {
			s.row(i + 1)
		}
	}
	took := time.Since(start).Round(time.Second)
	s.pool.Close()
	s.ended(t)
	stats := s.pool.Stats()
	fmt.Fprintf(&s.log, "%d exports in %v, %d browsers killed under an export, %+v\n", n, took, len(s.killed), stats)
	t.Log("\n" + s.log.String())
	if stats.Exports != int64(n) || stats.Browsers != int64(len(s.killed)+1) {
		t.Errorf("got %+v; want %d exports and %d browsers", stats, n, len(s.killed)+1)
	}
	if name := os.Getenv("PLUMB_CHROME_SOAK_LOG"); name != "" {
		if err := os.WriteFile(name, []byte(s.log.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// soak is a long run.
type soak struct {
	pool            *Pool
	refs            []reference
	first           map[int][32]byte // sum of each scene's picture
	killed          []body           // of browsers; the browsers themselves would be held
	routines, files int              // before the pool
	rows            []figures
	log             strings.Builder
}

// body is by what the processes of a browser are known.
type body struct {
	group int
	dir   string
}

// figures are what must not grow.
type figures struct{ processes, threads, files, memoryMiB, ownMiB int }

// export draws the i-th scene, and kills the browser under every hundredth.
func (s *soak) export(t *testing.T, i int) {
	r := &s.refs[i%len(s.refs)]
	req := r.requests(t, picture{})["scene"]
	if b := current(s.pool); i%100 == 99 && b != nil {
		pid := b.pid
		s.killed = append(s.killed, body{pid, b.profile.dir})
		time.AfterFunc(5*time.Millisecond, func() { syscall.Kill(pid, syscall.SIGKILL) })
	}
	res, err := s.pool.Export(context.Background(), req)
	if err != nil {
		t.Fatalf("export %d (%s): %v", i, r.ID, err)
	}
	k, sum := i%len(s.refs), sha256.Sum256(res.Image.Pix)
	if want, seen := s.first[k]; seen && want != sum {
		dump(t, r.ID, res.Image)
		t.Fatalf("export %d (%s): the picture differs from the first one", i, r.ID)
	}
	s.first[k] = sum
}

// row notes the figures after so many exports.
func (s *soak) row(exports int) {
	if len(s.rows) == 0 {
		i := s.pool.Info()
		fmt.Fprintf(&s.log, "%s, tldraw %s, %d scenes in turn\n%8s %8s %8s %10s %12s %8s %8s %8s\n", i.Product, i.Version, len(s.refs),
			"exports", "retries", "browsers", "processes", "memory MiB", "own MiB", "threads", "files")
	}
	debug.FreeOSMemory() // what is left is what is held
	memory, processes := s.pool.Memory()
	f := figures{processes, entries("/proc/self/task"), entries("/proc/self/fd"), int(memory >> 20), int(ownMemory(os.Getpid()) >> 20)}
	s.rows = append(s.rows, f)
	stats := s.pool.Stats()
	fmt.Fprintf(&s.log, "%8d %8d %8d %10d %12d %8d %8d %8d\n", exports, stats.Retries, stats.Browsers, f.processes, f.memoryMiB, f.ownMiB, f.threads, f.files)
}

// ended compares the figures with those of the beginning, and demands that
// nothing is left of the pool. Who takes orphans off the process table may need
// a moment.
func (s *soak) ended(t *testing.T) {
	f := s.rows[min(1, len(s.rows)-1)] // in the first hundred the runtime is still growing
	for i, g := range s.rows {
		if g.processes > f.processes+3 || g.threads > f.threads+8 || g.files > f.files+8 || g.memoryMiB > f.memoryMiB*3/2+100 || g.ownMiB > f.ownMiB*3/2+100 {
			t.Errorf("row %d: got %+v; want about %+v", i+1, g, f)
		}
	}
	var left []process
	var routines, files int
	for range 100 {
		left = nil
		for _, b := range s.killed {
			left = append(left, browserProcesses(b.group, b.dir)...)
		}
		routines, files = runtime.NumGoroutine(), entries("/proc/self/fd")
		if len(left) == 0 && routines <= s.routines && files <= s.files+2 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Fprintf(&s.log, "after the pool is closed: %d processes, zombies included; %d goroutines and %d files more than before it\n",
		len(left), routines-s.routines, files-s.files)
	if len(left) > 0 || routines > s.routines+2 || files > s.files+2 { // the runtime keeps its poller
		t.Errorf("left behind: processes %+v, %d goroutines and %d files more than before", left, routines-s.routines, files-s.files)
	}
}

func entries(dir string) int {
	e, _ := os.ReadDir(dir)
	return len(e)
}
