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

// entry identifies a segment for all time. The system may reuse an id, but not with the same
// creator, time and size.
type entry struct {
	ID             int    `json:"id"`
	Creator        int32  `json:"creator"`
	ProcessStarted uint64 `json:"born"` // when the creator started, ticks since the boot; 0 where it could not be seen
	SegmentCreated int64  `json:"made"` // Unix s
	Bytes          uint64 `json:"bytes"`
	UID            uint32 `json:"uid"`
}

// state reports whether a System V segment still exists, whether it is orphaned because its creator is
// dead, and how many processes have it attached. A segment whose id now names another one does not exist.
// A segment whose creator is unknown is never orphaned.
func (entry entry) state() (exists, orphaned bool, attached uint64) {
	var stat sysv.IdDs
	if _, err := sysv.Ctl(entry.ID, sysv.IPC_STAT, &stat); err != nil {
		return false, false, 0
	}
	if stat.Cpid != entry.Creator || stat.Ctime != entry.SegmentCreated || stat.SegSz != entry.Bytes || stat.Perm.Uid != entry.UID {
		return false, false, 0 // the id was reused
	}
	if entry.Creator == 0 { // unknown: the creator is in another PID namespace
		return true, false, uint64(stat.Nattch)
	}
	born, ok := processStart(entry.Creator)
	return true, !ok || born != entry.ProcessStarted, uint64(stat.Nattch)
}

// removeIfOrphaned removes a System V segment if its creator is dead and no process has it attached. stillExists reports
// whether the segment still exists afterwards: it is in use, its creator lives, or removing it failed.
func (entry entry) removeIfOrphaned(log *slog.Logger) (stillExists bool) {
	exists, orphaned, attached := entry.state()
	if !exists || !orphaned || attached > 0 {
		return exists
	}
	if err := sysv.Rm(entry.ID); err != nil {
		log.Warn("cannot remove an unused segment", "bytes", entry.Bytes, "error", err)
		return true
	}
	log.Info("removed an unused segment", "bytes", entry.Bytes)
	return false
}

// ledger records in a file which System V segments of clients are in use. Such a segment outlives its
// processes, so if this daemon is killed, the next one removes those whose creators are dead (orphans).
// Orphans that cannot be removed yet are tried again.
type ledger struct {
	path string // "" for no file
	log  *slog.Logger
	self record

	mu        sync.Mutex     // guards the rest
	uses      map[entry]int  // how many registered regions use a segment
	unremoved map[entry]bool // segments of dead creators that could not be removed yet
}

// record is the content of a file: which daemon wrote it, and the segments that it used.
type record struct {
	PID            int32   `json:"pid"`
	ProcessStarted uint64  `json:"born"` // when the daemon started, ticks since the boot
	Boot           string  `json:"boot"`
	Space          string  `json:"ipc_namespace"`
	Segments       []entry `json:"segments"`
}

const (
	filePrefix = "shm-"
	fileSuffix = ".json"
	maxFile    = 1 << 20 // bytes that are read
)

// openLedger starts the ledger of this process in a folder: it removes the orphans that the
// files of dead daemons list, and then writes a file of its own. With dir "" it keeps no
// file.
func openLedger(dir string, log *slog.Logger) (*ledger, error) {
	l := &ledger{log: log, uses: map[entry]int{}, unremoved: map[entry]bool{}}
	if dir == "" {
		return l, nil
	}
	if err := requirePrivate(dir); err != nil {
		return nil, fmt.Errorf("cannot use folder %s for the record of shared memory: %w (--runtime-dir)", dir, err)
	}
	l.self.PID = int32(os.Getpid())
	l.self.ProcessStarted, _ = processStart(l.self.PID)
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	l.self.Boot = strings.TrimSpace(string(boot))
	l.self.Space, _ = os.Readlink("/proc/self/ns/ipc")
	l.path = filepath.Join(dir, fmt.Sprintf("%s%d%s", filePrefix, l.self.PID, fileSuffix))
	names, err := fs.Glob(os.DirFS(dir), filePrefix+"*"+fileSuffix) // dir itself is no pattern
	if err != nil {
		return nil, fmt.Errorf("cannot list folder %s: %w", dir, err)
	}
	for _, name := range names {
		l.reclaimOrphans(filepath.Join(dir, name))
	}
	return l, l.write()
}

// requirePrivate creates the folder in which daemons record the shared memory in use. It returns an
// error if another user owns the folder or can write to it, because the files in it decide which
// segments of System V shared memory this daemon removes.
func requirePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("want a folder of user %d that no other user may write to", os.Geteuid())
	}
	return nil
}

// reclaimOrphans removes the orphaned segments that the file of a dead daemon lists, and
// then the file. Segments that cannot be removed yet go to ledger.unremoved. It leaves the file of a
// running daemon alone. The segments of another boot or IPC namespace are not touched,
// because their ids mean nothing here.
func (ledger *ledger) reclaimOrphans(path string) {
	var r record
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	if err := json.Unmarshal(data, &r); err != nil {
		ledger.log.Warn("cannot read a record of shared memory", "error", err)
		os.Remove(path)
		return
	}
	if born, ok := processStart(r.PID); ok && born == r.ProcessStarted && r.Boot == ledger.self.Boot && r.PID != ledger.self.PID {
		return // that daemon is running. With this process's own PID it would be an earlier one, which has ended
	}
	if r.Boot == ledger.self.Boot && r.Space == ledger.self.Space {
		for _, e := range r.Segments {
			if stillExists := e.removeIfOrphaned(ledger.log); stillExists {
				ledger.unremoved[e] = true
			}
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		ledger.log.Warn("cannot remove a record of shared memory", "error", err)
	}
}

// write replaces the file with the segments in use and those still to be removed,
// atomically. It does nothing without a file. The caller holds mu, or is openLedger.
func (ledger *ledger) write() error {
	if ledger.path == "" {
		return nil
	}
	record := ledger.self
	record.Segments = []entry{}
	for e := range ledger.uses {
		record.Segments = append(record.Segments, e)
	}
	for e := range ledger.unremoved {
		if ledger.uses[e] == 0 {
			record.Segments = append(record.Segments, e)
		}
	}
	slices.SortFunc(record.Segments, func(a, b entry) int { return a.ID - b.ID })
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("cannot write record of shared memory: %w", err)
	}
	next := ledger.path + ".next"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return fmt.Errorf("cannot write record of shared memory: %w", err)
	}
	return os.Rename(next, ledger.path)
}

// addUse counts one more use of a segment and records the segment before its first use, so that
// the next daemon removes it if this one is killed.
func (ledger *ledger) addUse(entry entry) error {
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	ledger.uses[entry]++
	if ledger.uses[entry] > 1 {
		return nil
	}
	err := ledger.write()
	if err != nil {
		ledger.log.Error("cannot keep a record of shared memory", "error", err)
	}
	return err
}

// dropUse counts one use of a segment less. After the last one it removes the segment if its creator is dead
// and no process has it attached. One that cannot be removed yet is kept in ledger.unremoved and tried again.
// So is each segment that the daemon could not detach itself (detached is false).
func (ledger *ledger) dropUse(entry entry, detached bool) {
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	ledger.uses[entry]--
	if ledger.uses[entry] > 0 {
		return
	}
	delete(ledger.uses, entry)
	// A creator that is alive removes its segment itself; removeIfOrphaned does nothing then.
	if _, orphaned, _ := entry.state(); (orphaned || !detached) && entry.removeIfOrphaned(ledger.log) {
		ledger.unremoved[entry] = true
	}
	if err := ledger.write(); err != nil {
		ledger.log.Error("cannot keep a record of shared memory", "error", err)
	}
}

// retryUnremoved tries again to remove the segments in ledger.unremoved that no region uses, and rewrites the
// file when some are gone.
func (ledger *ledger) retryUnremoved() {
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	before := len(ledger.unremoved)
	for e := range ledger.unremoved {
		if ledger.uses[e] == 0 && !e.removeIfOrphaned(ledger.log) {
			delete(ledger.unremoved, e)
		}
	}
	if len(ledger.unremoved) == before {
		return
	}
	if err := ledger.write(); err != nil {
		ledger.log.Error("cannot keep a record of shared memory", "error", err)
	}
}

// close removes the file, unless segments are in use or still to be removed. Then the file
// stays for the next daemon.
func (ledger *ledger) close() error {
	ledger.retryUnremoved()
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	if ledger.path == "" || len(ledger.unremoved) > 0 || len(ledger.uses) > 0 {
		return nil
	}
	path := ledger.path
	ledger.path = ""
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove record of shared memory: %w", err)
	}
	return nil
}
