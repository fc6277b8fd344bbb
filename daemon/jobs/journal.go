package jobs

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"
)

// The journal of begun parts tells which ones were under way when a process died. See
// docs/spec/jobs.md#r7.
const journalName = "begun.jsonl"

// runNote is a line of the journal: a part that a run began, or, where Ended is true, that the run ended.
type runNote struct {
	Run   string `json:"run"`
	Shard int    `json:"shard"`
	Chunk int    `json:"part,omitempty"`
	Ended bool   `json:"ended,omitempty"`
}

// Journal is open for one run. It is not safe for concurrent use.
type Journal struct {
	file   *os.File // nil for a run whose files are in an object store
	run    string
	object *objectJournal // the journal of such a run; nil for a folder
}

// Journal opens the journal for a run, whose name no other run has. Until the run ends, or its
// process does, others see that it is going on.
func (job *Job) Journal(run string) (*Journal, error) {
	folder, ok := job.Store.(*Folder)
	if !ok {
		return &Journal{run: run, object: newObjectJournal(job.Store, run)}, nil
	}
	file, err := os.OpenFile(folder.Path(journalName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	lock := lockOf(run) // of a byte of the file that stands for the run; the kernel gives it up with the process
	// An error is ignored: on a file system without locks, a run counts as one that does not go on.
	unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &lock)
	return &Journal{file: file, run: run}, nil
}

// lockOf returns the lock that a run holds: one byte far past the end of the journal, at an offset that
// is a hash of the run's name. Others test that byte to see whether the run goes on.
func lockOf(run string) unix.Flock_t {
	const pastEnd = 1 << 61                       // no journal is that long
	offset := int64(xxhash.Sum64String(run) >> 4) // 60 bits, so that the sum is a valid offset
	return unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: pastEnd + offset, Len: 1}
}

// isRunning reports whether the process of a run lives, on this machine or on one that shares
// the folder: it then holds the run's lock. Where the file system has no locks it returns false.
func isRunning(journal *os.File, run string) bool {
	lock := lockOf(run)
	return unix.FcntlFlock(journal.Fd(), unix.F_OFD_GETLK, &lock) == nil && lock.Type != unix.F_UNLCK
}

// Begin records in the journal that this run begins a part, so that a later run sees which parts a
// killed process was working on.
func (journal *Journal) Begin(part Part) error {
	if journal.object != nil {
		return journal.object.begin(part)
	}
	return journal.appendNote(runNote{Run: journal.run, Shard: part.Shard, Chunk: part.Chunk})
}

// Close records that the run ended and was not killed. A journal in a file gets a line that says so and
// is closed; a journal in an object store is removed.
func (journal *Journal) Close() error {
	if journal.object != nil {
		return journal.object.close()
	}
	return errors.Join(journal.appendNote(runNote{Run: journal.run, Ended: true}), journal.file.Close())
}

// appendNote appends a line to the journal by a single write, so that lines of several processes
// do not mix.
func (journal *Journal) appendNote(note runNote) error {
	line, err := json.Marshal(&note)
	if err == nil {
		_, err = journal.file.Write(append(line, '\n'))
	}
	return err
}

// Begun counts, for each part that was begun and is not done, the processes that died while
// they worked at it (died) and those that work at it now (running). Runs that ended without
// being killed are not counted.
func (job *Job) Begun() (died, running map[Part]int, err error) {
	died, running = map[Part]int{}, map[Part]int{}
	folder, ok := job.Store.(*Folder)
	if !ok {
		return died, running, job.begunObjects(died, running)
	}
	file, err := folder.Open(journalName)
	if errors.Is(err, os.ErrNotExist) {
		return died, running, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	// Read which parts each run began.
	runs := map[string]map[Part]bool{} // the parts that each run began; a run that ended is removed
	r := bufio.NewReader(file)
	for {
		line, err := r.ReadBytes('\n')
		var note runNote
		if json.Unmarshal(line, &note) == nil && note.Run != "" {
			switch {
			case note.Ended:
				delete(runs, note.Run)
			case runs[note.Run] == nil:
				runs[note.Run] = map[Part]bool{{note.Shard, note.Chunk}: true}
			default:
				runs[note.Run][Part{note.Shard, note.Chunk}] = true
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
	}
	// A run that did not end goes on, or died.
	for run, parts := range runs {
		count := died
		if isRunning(file, run) {
			count = running
		}
		job.countUndone(parts, count)
	}
	return died, running, nil
}

// countUndone adds one to count for each part without a marker. A part whose marker cannot
// be read is left out.
func (job *Job) countUndone(parts map[Part]bool, count map[Part]int) {
	for p := range parts {
		if _, done, err := job.Marker(p); err == nil && !done {
			count[p]++
		}
	}
}

// Deaths returns how many processes died while a part was under way that is not done, by part.
func (job *Job) Deaths() (map[Part]int, error) {
	died, _, err := job.Begun()
	return died, err
}
