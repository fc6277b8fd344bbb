package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Object stores can neither append nor lock. So each run has an object with the parts that it is at,
// which it writes again twice a minute. See docs/spec/jobs.md#r11.
const (
	journalPrefix   = "begun-"
	rewriteInterval = 30 * time.Second // between two writes of a run that begins nothing
	deadAfter       = 2 * time.Minute  // after which a run on another machine counts as dead
	maxParts        = 64               // parts that a run is at, at most
)

// objectJournal is the object of one run.
type objectJournal struct {
	store       Store
	name        string
	stop        chan struct{}
	writerEnded sync.WaitGroup // the goroutine that writes it again

	mu         sync.Mutex
	begunParts []Part // the last ones that were begun
}

// newObjectJournal returns the journal of a run in an object store, which cannot append. The
// object is written anew for each part that the run begins, and every rewriteInterval as a
// sign of life, until close.
func newObjectJournal(store Store, run string) *objectJournal {
	journal := &objectJournal{store: store, name: journalPrefix + processName() + "-" + run, stop: make(chan struct{})}
	journal.writerEnded.Go(func() {
		t := time.NewTicker(rewriteInterval)
		defer t.Stop()
		for {
			select {
			case <-journal.stop:
				return
			case <-t.C:
				journal.mu.Lock()
				if len(journal.begunParts) > 0 { // else there is no object yet
					journal.rewrite() // an error does not matter: it is written again at the next tick
				}
				journal.mu.Unlock()
			}
		}
	})
	return journal
}

// begin adds a part to the object, in place of the oldest one if it has maxParts already.
func (journal *objectJournal) begin(part Part) error {
	journal.mu.Lock()
	defer journal.mu.Unlock()
	if len(journal.begunParts) == maxParts {
		journal.begunParts = append(journal.begunParts[:0], journal.begunParts[1:]...)
	}
	journal.begunParts = append(journal.begunParts, part)
	return journal.rewrite()
}

// rewrite replaces the object with one line for each part. The caller holds mu.
func (journal *objectJournal) rewrite() error {
	return journal.store.Replace(journal.name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		for _, p := range journal.begunParts {
			if err := e.Encode(runNote{Shard: p.Shard, Chunk: p.Chunk}); err != nil { // the object's name has the run
				return err
			}
		}
		return nil
	})
}

// close stops the goroutine that writes the object anew now and then, and removes the object. That says
// that the run ended and was not killed. Without parts the object was never written.
func (journal *objectJournal) close() error {
	close(journal.stop)
	journal.writerEnded.Wait()
	if len(journal.begunParts) == 0 {
		return nil
	}
	if err := journal.store.Remove(journal.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// begunObjects counts, for a job in an object store, the parts that were begun and are not done: in
// running if their run is alive, else in died. A run's journal is one object, which is removed when
// the run ends, so each one that is left belongs to a run that goes on or died.
func (job *Job) begunObjects(died, running map[Part]int) error {
	list, err := job.Store.List(journalPrefix)
	if err != nil {
		return err
	}
	for _, info := range list {
		journal, err := readFile(job.Store, info.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its run has ended since
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", job.Store.Path(info.Name), err)
		}
		parts := map[Part]bool{}
		for line := range bytes.Lines(journal) {
			var note runNote
			if json.Unmarshal(line, &note) != nil {
				continue // a torn line
			}
			parts[Part{note.Shard, note.Chunk}] = true
		}
		count := died
		if isAlive(strings.TrimPrefix(info.Name, journalPrefix), info.Modified) {
			count = running
		}
		job.countUndone(parts, count)
	}
	return nil
}

// processName returns a name of this process that no other one has: the machine and PID namespace,
// the process id, and when the process began.
func processName() string {
	return bootAndNamespace() + "-" + strconv.Itoa(os.Getpid()) + "-" + startTicksOf(os.Getpid())
}

// bootAndNamespace returns a hash of the machine's boot and the PID namespace, in which process ids are
// unique. Containers have namespaces of their own.
func bootAndNamespace() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return fmt.Sprintf("%016x", xxhash.Sum64String(string(boot)+space))
}

// startTicksOf returns when a process began, in ticks of the kernel since the machine started; "" where the
// process has ended.
func startTicksOf(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name of the program stands in parentheses and may hold blanks, so fields count from after it.
	const state, start = 0, 19
	const zombie = "Z" // it has ended, and its parent has not asked for its status
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= start || fields[state] == zombie {
		return ""
	}
	return fields[start]
}

// isAlive reports whether the process of a run lives. run is a name that processName made,
// with the run's own name after it, and modified is when the run last wrote its object. On this
// machine the process id tells whether it lives; a run elsewhere is dead if its last write is
// deadAfter ago.
func isAlive(run string, modified time.Time) bool {
	fields := strings.Split(run, "-")                        // machine, process id, begin of the process, the run's own name
	if len(fields) >= 3 && fields[0] == bootAndNamespace() { // of this machine
		if pid, err := strconv.Atoi(fields[1]); err == nil {
			return fields[2] == startTicksOf(pid)
		}
	}
	return time.Since(modified) < deadAfter
}
