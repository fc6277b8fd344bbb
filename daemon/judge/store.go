package judge

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"plumb/daemon/chat"
	"plumb/daemon/ledger"
	"plumb/scoring"
)

// maxReply is how much of a reply is kept and shown, in bytes.
const maxReply = 4096

// verdict is what is kept of an answered question: no key, no address, nothing of the
// item but its hash.
type verdict struct {
	Key              string    `json:"key"` // hexadecimal digest
	Right            bool      `json:"right"`
	Reply            string    `json:"reply"`
	Model            string    `json:"model"`
	Prompt           string    `json:"prompt"` // its version
	PromptTokens     int64     `json:"prompt_tokens"`
	CompletionTokens int64     `json:"completion_tokens"`
	Cost             *float64  `json:"cost"` // USD, null where unknown
	Time             time.Time `json:"time"`
}

// judgement returns a verdict in the form of the suites.
func (v verdict) judgement() scoring.Judgement {
	return scoring.Judgement{Right: v.Right, Reply: v.Reply}
}

// cut shortens a judge's reply to what is kept, so that a verdict is the same whether it is new or
// from the folder.
func cut(text string) string {
	if len(text) <= maxReply {
		return text
	}
	return chat.Brief(text, maxReply)
}

// store keeps verdicts in DIR/verdicts.jsonl: one line each, appended by one write under
// a lock of the file as soon as the reply is there, with a checksum as its last member.
// So a process that is killed loses nothing that was written, a line that a full disk or
// a power cut tore is skipped, and processes share the file. It is flushed to the disk
// once a second and at the end: a power cut costs a second of verdicts, a kill none.
// DIR/asking has a lock per question that is being asked, which ends with its process.
type store struct {
	mu        sync.Mutex
	log       *ledger.File // nil without a folder
	locks     *os.File
	places    map[digest]place
	inMemory  map[digest]verdict // what is in no file
	dirty     bool
	syncTimer *time.Timer
	closed    bool
}

// place is where the line of a verdict stands in the file.
type place struct {
	offset int64
	length int32
}

const syncEvery = time.Second

// maxMem is how many verdicts are remembered without a folder, some 100 MB at most.
const maxMem = 1 << 16

// openStore makes and opens the folder of kept verdicts, and indexes those that it holds. For "" it
// returns a store that keeps verdicts in memory only.
func openStore(dir string) (*store, error) {
	s := &store{places: map[digest]place{}, inMemory: map[digest]verdict{}}
	if dir == "" {
		return s, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make --judge-cache: %w", err)
	}
	var err error
	if s.log, err = ledger.Open(filepath.Join(dir, "verdicts.jsonl")); err != nil {
		return nil, fmt.Errorf("cannot open --judge-cache: %w", err)
	}
	s.locks, err = os.OpenFile(filepath.Join(dir, "asking"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = s.refresh()
	}
	if err != nil {
		if s.locks != nil {
			s.locks.Close()
		}
		s.log.Close()
		return nil, fmt.Errorf("cannot read --judge-cache: %w", err)
	}
	s.syncTimer = time.AfterFunc(time.Hour, s.sync) // AfterFunc is the only way to make a timer with a function
	s.syncTimer.Stop()                              // until put resets it
	return s, nil
}

// get returns the verdict that is kept for a question, by the digest of the question: from memory, or
// from the line of the log where it was written. ok is false if there is none.
func (store *store) get(key digest) (v verdict, ok bool) {
	store.mu.Lock()
	defer store.mu.Unlock()
	v, ok = store.inMemory[key]
	if ok || store.log == nil {
		return v, ok
	}
	place, ok := store.places[key]
	if !ok {
		return v, false
	}
	line := make([]byte, place.length)
	if _, err := store.log.ReadAt(line, place.offset); err == nil {
		if got, v, ok := parse(line); ok && got == key {
			return v, true
		}
	}
	delete(store.places, key) // the line is not there any more: another process has replaced the file
	return verdict{}, false
}

// put appends a verdict to the file, and lets it be flushed to the disk within a second. After an error,
// or without a folder, the verdict is kept for this process only. get finds a verdict in the file only once it
// is indexed, so an error of that is returned as well.
func (store *store) put(key digest, verdict verdict) error {
	verdict.Key = hex.EncodeToString(key[:])
	store.mu.Lock()
	defer store.mu.Unlock()
	if store.log == nil || store.closed {
		store.remember(key, verdict)
		return nil
	}
	if err := store.log.Append(line(verdict)); err != nil {
		store.remember(key, verdict)
		return fmt.Errorf("cannot write to --judge-cache: %w", err)
	}
	if !store.dirty {
		store.dirty = true
		store.syncTimer.Reset(syncEvery)
	}
	return store.refresh() // indexes the line just written
}

// remember keeps a verdict in memory. If the memory is full, it takes the place of any other one. The
// caller holds mu.
func (store *store) remember(key digest, verdict verdict) {
	if len(store.inMemory) >= maxMem {
		for anyKey := range store.inMemory {
			delete(store.inMemory, anyKey)
			break
		}
	}
	store.inMemory[key] = verdict
}

// refresh indexes the verdicts that were appended to the file since the last call, by this process and
// by others. If the file was replaced, it indexes it anew. The caller holds mu, or no other goroutine
// uses the store yet.
func (store *store) refresh() error {
	if store.log == nil {
		return nil
	}
	return store.log.Refresh(func() { clear(store.places) }, func(line []byte, off int64) {
		if k, _, ok := parse(line); ok {
			store.places[k] = place{off, int32(len(line))}
		}
	})
}

// line writes a verdict with its checksum and line end.
func line(v verdict) []byte { return ledger.Line(compact(v)) }

// parse reads a line of the file of verdicts, without its line break. ok is false for a line that is not
// whole, which its checksum shows, or is no verdict.
func parse(b []byte) (key digest, verdict verdict, ok bool) {
	if !ledger.Whole(b) || json.Unmarshal(b, &verdict) != nil || len(verdict.Key) != 2*len(key) {
		return key, verdict, false
	}
	_, err := hex.Decode(key[:], []byte(verdict.Key))
	return key, verdict, err == nil
}

// sync flushes the file of verdicts to the disk if something was appended. It does so without the lock,
// because a disk may be slow. It ignores an error: then a power cut may lose what no flush has saved.
func (store *store) sync() {
	store.mu.Lock()
	dirty, closed := store.dirty, store.closed
	store.dirty = false
	store.mu.Unlock()
	if dirty && !closed {
		store.log.Sync()
	}
}

// pollClaim is how long to wait before looking again whether another process has its
// answer.
const pollClaim = 50 * time.Millisecond

// claim waits until no other process that shares the folder asks this question, and makes this process the
// only one that does, until release. It does not exclude other goroutines of this process: Client.join has
// only one for each question. Then it reads the verdicts that others have got meanwhile. On a
// file system without such locks several processes may ask at once. It is an error if ctx ends before this
// process may ask, or if the verdicts cannot be read.
func (store *store) claim(ctx context.Context, key digest) (release func(), err error) {
	if store.log == nil {
		return func() {}, nil
	}
	// A question is locked as one byte of the file asking, at an offset that follows from its key. The
	// shift keeps the offset, and the end of the lock after it, below the largest int64. The kernel gives the
	// lock up when the process ends.
	offset := int64(binary.BigEndian.Uint64(key[:]) >> 2)
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: offset, Len: 1}
	for {
		err := unix.FcntlFlock(store.locks.Fd(), unix.F_OFD_SETLK, &lock)
		taken := err == unix.EAGAIN || err == unix.EACCES // by another process
		if !taken && err != unix.EINTR {
			break // it is ours, or there are no such locks here
		}
		if err := sleep(ctx, pollClaim); err != nil {
			return nil, errors.New("another process asks the same question, and has no verdict yet")
		}
	}
	store.mu.Lock()
	err = store.refresh()
	store.mu.Unlock()
	release = func() {
		lock.Type = unix.F_UNLCK
		unix.FcntlFlock(store.locks.Fd(), unix.F_OFD_SETLK, &lock)
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("cannot read --judge-cache: %w", err)
	}
	return release, nil
}

// close flushes and closes the files of verdicts and stops the regular flushing.
func (store *store) close() error {
	store.mu.Lock()
	defer store.mu.Unlock()
	if store.log == nil || store.closed {
		return nil
	}
	store.closed = true
	store.syncTimer.Stop()
	return errors.Join(store.log.Sync(), store.log.Close(), store.locks.Close())
}

// sleep waits for d, or until ctx ends, whose error it returns then.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
