package shm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	sysv "github.com/gen2brain/shm"
)

// entry names a segment for good: an id is given out again one day, but not with
// the same creator, time and size.
type entry struct {
	ID      int    `json:"id"`
	Creator int32  `json:"creator"`
	Born    uint64 `json:"born"` // when the creator started, ticks since the boot; 0 where it could not be seen
	Made    int64  `json:"made"` // Unix s
	Bytes   uint64 `json:"bytes"`
	UID     uint32 `json:"uid"`
}

// state reports whether the segment is still there, and whether its creator is
// known to be dead. attached counts who has it mapped.
func (e entry) state() (there, orphaned bool, attached uint64) {
	var d sysv.IdDs
	if _, err := sysv.Ctl(e.ID, sysv.IPC_STAT, &d); err != nil {
		return false, false, 0
	}
	if d.Cpid != e.Creator || d.Ctime != e.Made || d.SegSz != e.Bytes || d.Perm.Uid != e.UID {
		return false, false, 0 // the id means another one by now
	}
	if e.Creator == 0 {
		return true, false, uint64(d.Nattch)
	}
	born, ok := started(e.Creator)
	return true, !ok || born != e.Born, uint64(d.Nattch)
}

// sweep removes the segment where it is an orphan, and reports whether there is
// anything left to watch.
func (e entry) sweep(log *slog.Logger) (left bool) {
	there, orphaned, attached := e.state()
	if !there || !orphaned || attached > 0 {
		return there
	}
	if err := sysv.Rm(e.ID); err != nil {
		log.Warn("cannot remove an unused segment", "bytes", e.Bytes, "error", err)
		return true
	}
	log.Info("removed an unused segment", "bytes", e.Bytes)
	return false
}

// ledger is the file that tells the next daemon which segments this one used.
// Those of a daemon that was killed stay in it until they are gone.
type ledger struct {
	path string // "" for no file
	log  *slog.Logger
	own  record

	mu   sync.Mutex    // guards the rest
	used map[entry]int // by registered regions
	left map[entry]bool
}

// record is the content of a file.
type record struct {
	PID      int32   `json:"pid"`
	Born     uint64  `json:"born"` // when the daemon started, ticks since the boot
	Boot     string  `json:"boot"`
	Space    string  `json:"ipc_namespace"`
	Segments []entry `json:"segments"`
}

const (
	filePrefix = "shm-"
	fileSuffix = ".json"
	maxFile    = 1 << 20 // bytes that are read
)

func openLedger(dir string, log *slog.Logger) (*ledger, error) {
	l := &ledger{log: log, used: map[entry]int{}, left: map[entry]bool{}}
	if dir == "" {
		return l, nil
	}
	if err := private(dir); err != nil {
		return nil, fmt.Errorf("cannot use folder %s for the record of shared memory: %w (--runtime-dir)", dir, err)
	}
	l.own.PID = int32(os.Getpid())
	l.own.Born, _ = started(l.own.PID)
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	l.own.Boot = strings.TrimSpace(string(boot))
	l.own.Space, _ = os.Readlink("/proc/self/ns/ipc")
	l.path = filepath.Join(dir, fmt.Sprintf("%s%d%s", filePrefix, l.own.PID, fileSuffix))
	files, err := filepath.Glob(filepath.Join(dir, filePrefix+"*"+fileSuffix))
	if err != nil {
		return nil, fmt.Errorf("cannot list folder %s: %w", dir, err)
	}
	for _, f := range files {
		l.inherit(f)
	}
	return l, l.write()
}

// private makes the folder, or checks that nobody else writes there: what is
// swept is what its files say.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Geteuid() || st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("want a folder of user %d that no other user may write to", os.Geteuid())
	}
	return nil
}

// inherit takes over the file of a daemon that is dead.
func (l *ledger) inherit(path string) {
	var r record
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return
	}
	if err := json.Unmarshal(b, &r); err != nil {
		l.log.Warn("cannot read a record of shared memory", "error", err)
		os.Remove(path)
		return
	}
	if born, ok := started(r.PID); ok && born == r.Born && r.Boot == l.own.Boot && r.PID != l.own.PID {
		return // it lives
	}
	if r.Boot == l.own.Boot && r.Space == l.own.Space {
		for _, e := range r.Segments {
			if e.sweep(l.log) {
				l.left[e] = true
			}
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.log.Warn("cannot remove a record of shared memory", "error", err)
	}
}

// write replaces the file in one step. The caller holds mu, or is alone.
func (l *ledger) write() error {
	if l.path == "" {
		return nil
	}
	r := l.own
	r.Segments = []entry{}
	for e := range l.used {
		r.Segments = append(r.Segments, e)
	}
	for e := range l.left {
		if l.used[e] == 0 {
			r.Segments = append(r.Segments, e)
		}
	}
	slices.SortFunc(r.Segments, func(a, b entry) int { return a.ID - b.ID })
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("cannot write record of shared memory: %w", err)
	}
	next := l.path + ".next"
	if err := os.WriteFile(next, b, 0o600); err != nil {
		return fmt.Errorf("cannot write record of shared memory: %w", err)
	}
	return os.Rename(next, l.path)
}

// add notes a segment before its region is used.
func (l *ledger) add(e entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used[e]++; l.used[e] > 1 {
		return nil
	}
	err := l.write()
	if err != nil {
		l.log.Error("cannot keep a record of shared memory", "error", err)
	}
	return err
}

// drop forgets a segment that was detached, and removes it where its creator is
// dead and nobody else has it.
func (l *ledger) drop(e entry, detached bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used[e]--; l.used[e] > 0 {
		return
	}
	delete(l.used, e)
	// A segment whose creator lives is the creator's to remove.
	if _, orphaned, _ := e.state(); (orphaned || !detached) && e.sweep(l.log) {
		l.left[e] = true
	}
	if err := l.write(); err != nil {
		l.log.Error("cannot keep a record of shared memory", "error", err)
	}
}

// sweep looks once more at what others left.
func (l *ledger) sweep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.left)
	for e := range l.left {
		if l.used[e] == 0 && !e.sweep(l.log) {
			delete(l.left, e)
		}
	}
	if len(l.left) == before {
		return
	}
	if err := l.write(); err != nil {
		l.log.Error("cannot keep a record of shared memory", "error", err)
	}
}

// close removes the file, but for what is still to be watched.
func (l *ledger) close() error {
	l.sweep()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" || len(l.left) > 0 || len(l.used) > 0 {
		return nil
	}
	path := l.path
	l.path = ""
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove record of shared memory: %w", err)
	}
	return nil
}
