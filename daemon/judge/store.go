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
func cut(s string) string {
	if len(s) <= maxReply {
		return s
	}
	return chat.Brief(s, maxReply)
}

// store keeps verdicts in DIR/verdicts.jsonl: one line each, appended by one write under
// a lock of the file as soon as the reply is there, with a checksum as its last member.
// So a process that is killed loses nothing that was written, a line that a full disk or
// a power cut tore is skipped, and processes share the file. It is flushed to the disk
// once a second and at the end: a power cut costs a second of verdicts, a kill none.
// DIR/asking has a lock per question that is being asked, which ends with its process.
type store struct {
	mu     sync.Mutex
	log    *ledger.File // nil without a folder
	locks  *os.File
	at     map[digest]place
	mem    map[digest]verdict // what is in no file
	dirty  bool
	tick   *time.Timer
	closed bool
}

// place is where the line of a verdict stands in the file.
type place struct {
	off int64
	n   int32
}

const syncEvery = time.Second

// maxMem is how many verdicts are remembered without a folder, some 100 MB at most.
const maxMem = 1 << 16

// openStore makes and opens the folder of kept verdicts, and indexes those that it holds. For "" it
// returns a store that keeps verdicts in memory only.
func openStore(dir string) (*store, error) {
	s := &store{at: map[digest]place{}, mem: map[digest]verdict{}}
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
		s.log.Close()
		return nil, fmt.Errorf("cannot read --judge-cache: %w", err)
	}
	s.tick = time.AfterFunc(time.Hour, s.sync) // AfterFunc is the only way to make a timer with a function
	s.tick.Stop()                              // until put resets it
	return s, nil
}

// get returns the verdict that is kept for a question.
func (s *store) get(k digest) (v verdict, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok = s.mem[k]
	if ok || s.log == nil {
		return v, ok
	}
	p, ok := s.at[k]
	if !ok {
		return v, false
	}
	line := make([]byte, p.n)
	if _, err := s.log.ReadAt(line, p.off); err == nil {
		if got, v, ok := parse(line); ok && got == k {
			return v, true
		}
	}
	delete(s.at, k) // the line is not there any more: another process has replaced the file
	return verdict{}, false
}

// put appends a verdict to the file, and lets it be flushed to the disk within a second. After an error,
// or without a folder, the verdict is kept for this process only.
func (s *store) put(k digest, v verdict) error {
	v.Key = hex.EncodeToString(k[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil || s.closed {
		s.remember(k, v)
		return nil
	}
	if err := s.log.Append(line(v)); err != nil {
		s.remember(k, v)
		return fmt.Errorf("cannot write to --judge-cache: %w", err)
	}
	if !s.dirty {
		s.dirty = true
		s.tick.Reset(syncEvery)
	}
	return s.refresh()
}

// remember keeps a verdict in memory. If the memory is full, it takes the place of any other one. The
// caller holds mu.
func (s *store) remember(k digest, v verdict) {
	if len(s.mem) >= maxMem {
		for anyKey := range s.mem {
			delete(s.mem, anyKey)
			break
		}
	}
	s.mem[k] = v
}

// refresh indexes the verdicts that were appended to the file since the last call, by this process and
// by others. If the file was replaced, it indexes it anew. The caller holds mu, or no other goroutine
// uses the store yet.
func (s *store) refresh() error {
	if s.log == nil {
		return nil
	}
	return s.log.Refresh(func() { clear(s.at) }, func(line []byte, off int64) {
		if k, _, ok := parse(line); ok {
			s.at[k] = place{off, int32(len(line))}
		}
	})
}

// line writes a verdict with its checksum and line end.
func line(v verdict) []byte { return ledger.Line(compact(v)) }

// parse reads a line of the file of verdicts, without its line break. ok is false for a line that is not
// whole, which its checksum shows, or is no verdict.
func parse(b []byte) (k digest, v verdict, ok bool) {
	if !ledger.Whole(b) || json.Unmarshal(b, &v) != nil || len(v.Key) != 2*len(k) {
		return k, v, false
	}
	_, err := hex.Decode(k[:], []byte(v.Key))
	return k, v, err == nil
}

// sync flushes the file of verdicts to the disk if something was appended. It does so without the lock,
// because a disk may be slow. It ignores an error: then a power cut may lose what no flush has saved.
func (s *store) sync() {
	s.mu.Lock()
	dirty, closed := s.dirty, s.closed
	s.dirty = false
	s.mu.Unlock()
	if dirty && !closed {
		s.log.Sync()
	}
}

// pollClaim is how long to wait before looking again whether another process has its
// answer.
const pollClaim = 50 * time.Millisecond

// claim waits until no other process that shares the folder asks a question, and makes this process the
// only one that does, until release. Then it reads the verdicts that others have got meanwhile. On a
// file system without such locks several processes may ask at once. The error is that of the wait, when
// ctx ends, or of reading.
func (s *store) claim(ctx context.Context, k digest) (release func(), err error) {
	if s.log == nil {
		return func() {}, nil
	}
	// A question is locked as one byte of the file asking, at an offset that follows from its key. The
	// shift keeps the offset positive. The kernel gives the lock up when the process ends.
	at := int64(binary.BigEndian.Uint64(k[:]) >> 2)
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1}
	for {
		err := unix.FcntlFlock(s.locks.Fd(), unix.F_OFD_SETLK, &lock)
		taken := err == unix.EAGAIN || err == unix.EACCES // by another process
		if !taken && err != unix.EINTR {
			break // it is ours, or there are no such locks here
		}
		if err := sleep(ctx, pollClaim); err != nil {
			return nil, errors.New("another process asks the same question, and has no verdict yet")
		}
	}
	s.mu.Lock()
	err = s.refresh()
	s.mu.Unlock()
	release = func() {
		lock.Type = unix.F_UNLCK
		unix.FcntlFlock(s.locks.Fd(), unix.F_OFD_SETLK, &lock)
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("cannot read --judge-cache: %w", err)
	}
	return release, nil
}

// close flushes and closes the files of verdicts.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil || s.closed {
		return nil
	}
	s.closed = true
	s.tick.Stop()
	return errors.Join(s.log.Sync(), s.log.Close(), s.locks.Close())
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
