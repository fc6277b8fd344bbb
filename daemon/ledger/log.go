package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrLocked marks a folder that another process works in.
var ErrLocked = errors.New("another process works in this folder")

// Lock is the lock of a folder.
type Lock struct{ file *os.File }

// LockName is the file that LockFolder locks.
const LockName = "lock"

// LockFolder makes this process the only one that works in a folder, until Unlock or the end of the
// process. The error wraps ErrLocked if another process works in it. On a file system without locks
// it succeeds and locks nothing. A call that a signal interrupts is repeated. See
// docs/spec/runs.md#r27.
func LockFolder(dir string) (*Lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		file.Close()
		return nil, fmt.Errorf("cannot use %s: %w", dir, ErrLocked)
	case err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOLCK):
		file.Close()
		return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
	}
	return &Lock{file}, nil
}

// Unlock gives the folder back.
func (l *Lock) Unlock() error { return l.file.Close() }

// Log is a log of one process, which holds the lock of its folder. It is safe for
// concurrent use. See docs/spec/runs.md#r26.
type Log struct {
	file *os.File
	torn int
	wake chan struct{}
	done chan struct{} // closed when the writer has ended

	mu          sync.Mutex
	pending     []byte         // lines to be written, of Append and of Note
	endOffset   int64          // of the file, with what is pending
	lineWaiters []chan<- error // of calls of Append, which wait until their line is on the disk
	noteWaiters []chan<- error // of calls of Note, which wait until their line is written
	err         error          // after which nothing is written
	closed      bool
}

// Place is where a line of a log is.
type Place struct {
	Off int64 // in bytes, from the start of the file
	Len int   // in bytes, without the line's end
}

// OpenLog opens the log at path, or creates it, and calls replay with each whole line,
// without its end, and its place, in order. replay must not keep the line; after its first
// error it is not called again, and OpenLog returns that error.
func OpenLog(path string, replay func(line []byte, at Place) error) (*Log, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	unended, err := file.replay(replay)
	if err = errors.Join(err, syncFolder(filepath.Dir(path))); err != nil {
		file.Close()
		return nil, err
	}
	info, err := file.file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	log := &Log{file: file.file, torn: file.tornLines, wake: make(chan struct{}, 1), done: make(chan struct{}), endOffset: info.Size()}
	if unended {
		log.pending = []byte{'\n'} // goes before the first line
		log.endOffset++
	}
	go log.writePending()
	return log, nil
}

// Read calls replay with each whole line of the log at path, as OpenLog does, but changes
// nothing and takes no lock. It returns the number of lines that it skipped.
func Read(path string, replay func(line []byte, at Place) error) (torn int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	file := &File{file: f}
	_, err = file.replay(replay)
	return file.tornLines, err
}

// replay calls f with each whole line until f returns an error, and reports whether the last
// line lacks its end. Such a line is given to f if only its end is missing, and counted as
// torn otherwise.
func (file *File) replay(f func(line []byte, at Place) error) (unended bool, err error) {
	var failed error
	giveLine := func(line []byte, off int64) {
		if failed == nil {
			failed = f(line, Place{off, len(line)})
		}
	}
	err = file.Refresh(func() {}, giveLine)
	rest, restErr := file.unfinishedLine()
	switch {
	case Whole(rest): // only its end is missing, which the next line brings
		giveLine(rest, file.readOffset)
	case len(rest) > 0:
		file.tornLines++
	}
	return len(rest) > 0, errors.Join(err, restErr, failed)
}

// syncFolder flushes the entry of a new file to the disk. Not all file systems can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// Torn is the number of lines that were skipped at the opening.
func (log *Log) Torn() int { return log.torn }

// Append writes an object as a line and returns its place when the line is flushed to the
// disk. After an error the log takes no more lines.
func (log *Log) Append(object []byte) (Place, error) {
	result := make(chan error, 1)
	place, err := log.queueLine(object, &log.lineWaiters, result)
	if err != nil {
		return place, err
	}
	return place, <-result
}

// Note writes an object as a line and returns when it is written but not flushed: a kill of
// the process does not lose it, a power cut may. It is flushed with the next Append.
func (log *Log) Note(object []byte) error {
	result := make(chan error, 1)
	if _, err := log.queueLine(object, &log.noteWaiters, result); err != nil {
		return err
	}
	return <-result
}

// LineAt reads the line at a place of the log in r, without its end. The error says that
// the file cannot be read, or that the place has no whole line.
func LineAt(r io.ReaderAt, place Place) ([]byte, error) {
	line := make([]byte, place.Len)
	if n, err := r.ReadAt(line, place.Off); n < place.Len {
		return nil, fmt.Errorf("cannot read the log at byte %d: %w", place.Off, err)
	}
	if !Whole(line) {
		return nil, fmt.Errorf("cannot read the log at byte %d: the line there is not whole any more", place.Off)
	}
	return line, nil
}

// queueLine queues a line for the writer and returns where it will be. It puts the channel result into waiters
// (log.lineWaiters or log.noteWaiters); the writer sends the outcome of the write there.
func (log *Log) queueLine(object []byte, waiters *[]chan<- error, result chan<- error) (Place, error) {
	line := Line(object)
	log.mu.Lock()
	defer log.mu.Unlock()
	switch {
	case log.err != nil:
		return Place{}, log.err
	case log.closed:
		return Place{}, os.ErrClosed
	}
	place := Place{log.endOffset, len(line) - 1}
	log.endOffset += int64(len(line))
	log.pending = append(log.pending, line...)
	*waiters = append(*waiters, result)
	select {
	case log.wake <- struct{}{}:
	default: // the writer is awake, or about to be
	}
	return place, nil
}

// writePending is the goroutine of the log: it writes the pending bytes and flushes them, until the log
// is closed. What arrives during a flush is written together next. Calls of Note are answered after the
// write, because a note need not survive a power cut. Calls of Append are answered after the flush,
// because their line must. After an error nothing more is written, and everyone gets the error.
func (log *Log) writePending() {
	defer close(log.done)
	for range log.wake {
		log.mu.Lock()
		group, lineWaiters, noteWaiters, err, closed := log.pending, log.lineWaiters, log.noteWaiters, log.err, log.closed
		someWait := len(lineWaiters)+len(noteWaiters) > 0
		if someWait { // otherwise the log was only woken to end
			log.pending, log.lineWaiters, log.noteWaiters = nil, nil, nil
		}
		log.mu.Unlock()
		if someWait && err == nil {
			_, err = log.file.Write(group)
		}
		tellAll(noteWaiters, err)
		if len(lineWaiters) > 0 && err == nil {
			err = log.file.Sync()
		}
		err = log.keepFirstError(err) // keeps it for later calls
		tellAll(lineWaiters, err)
		if closed {
			return
		}
	}
}

// tellAll sends an error, or nil, to all who wait for a write.
func tellAll(list []chan<- error, err error) {
	for _, c := range list {
		c <- err
	}
}

// keepFirstError keeps the first error of the log and returns it, or nil without one. After an error
// the end of the file is unknown, so nothing more is written.
func (log *Log) keepFirstError(err error) error {
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.err == nil && err != nil {
		log.err = fmt.Errorf("cannot write the log: %w", err)
	}
	return log.err
}

// Close wakes the goroutine that writes, waits until it has written all pending lines, and flushes and
// closes the file. A second call does nothing.
func (log *Log) Close() error {
	log.mu.Lock()
	if log.closed {
		log.mu.Unlock()
		return nil
	}
	log.closed = true
	select {
	case log.wake <- struct{}{}:
	default: // the writer is awake, or about to be
	}
	log.mu.Unlock()
	<-log.done
	return errors.Join(log.file.Sync(), log.file.Close())
}
