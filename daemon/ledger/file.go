// Package ledger keeps what was paid for: logs of JSON objects, one a line, each with a
// checksum as its last member. In: objects to append. Out: the whole lines, also after
// a kill or a power cut. A line is appended by one write, and a torn one is skipped and
// counted. It reads no member of the objects but the checksum.
package ledger

import (
	"bytes"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// File is a log that processes share: each append takes a lock of the file, and Refresh
// finds what others appended. One goroutine uses it at a time.
type File struct {
	file *os.File
	read int64 // bytes that Refresh has seen
	torn int
}

// Open opens the log at path, or creates it. Its lines are read by Refresh.
func Open(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &File{file: f}, nil
}

// Append writes one line, as Line makes it, at the end of the file, under a lock of the
// file, so that lines of several processes do not mix. If a kill tore the line before it,
// that one is ended first. A file system without locks is written without.
func (l *File) Append(line []byte) (err error) {
	fd := int(l.file.Fd())
	for err = unix.EINTR; err == unix.EINTR; { // again after a signal
		err = unix.Flock(fd, unix.LOCK_EX)
	}
	if err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOLCK) {
		return err
	}
	defer unix.Flock(fd, unix.LOCK_UN)
	torn, err := endsTorn(l.file)
	if err != nil {
		return err
	}
	if torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err = l.file.Write(line)
	return err
}

// endsTorn reports whether the last line of a log lacks its line end, because a kill or a
// power cut tore it.
func endsTorn(f *os.File) (bool, error) {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], st.Size()-1)
	return last[0] != '\n', err
}

// Refresh calls f with each whole line, without its end, that was appended since the last
// call, by this process or another, and with the line's offset. f must not keep the line. A
// last line without its end is left for the next call. If another process truncated the
// file, Refresh calls restart and reads from the start.
func (l *File) Refresh(restart func(), f func(line []byte, off int64)) error {
	st, err := l.file.Stat()
	if err != nil {
		return err
	}
	if st.Size() < l.read {
		l.read = 0
		restart()
	}
	const piece = 1 << 20
	var rest []byte // the beginning of a line
	for at := l.read; at < st.Size(); {
		b := make([]byte, min(piece, st.Size()-at))
		if _, err := l.file.ReadAt(b, at); err != nil && err != io.EOF {
			return err
		}
		at += int64(len(b))
		rest = l.lines(append(rest, b...), f)
		if len(rest) > maxLine { // no log line: its bytes are passed over
			l.read += int64(len(rest))
			rest = nil
		}
	}
	return nil
}

// rest returns the bytes after the last line that Refresh has seen, a line without its end;
// at most maxLine of them.
func (l *File) rest() ([]byte, error) {
	st, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(max(0, st.Size()-l.read), maxLine))
	_, err = l.file.ReadAt(b, l.read)
	if err == io.EOF {
		err = nil
	}
	return b, err
}

// maxLine is the longest line that is read, in bytes. A longer one counts as torn.
const maxLine = 64 << 20

// lines calls f with the whole lines of b, which begins at offset l.read, counts the torn
// ones, and moves l.read on. It returns the bytes after the last line end.
func (l *File) lines(b []byte, f func(line []byte, off int64)) []byte {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return b
		}
		if Whole(b[:i]) {
			f(b[:i], l.read)
		} else if i > 0 {
			l.torn++
		}
		l.read += int64(i) + 1
		b = b[i+1:]
	}
}

// ReadAt fills b from an offset of the file.
func (l *File) ReadAt(b []byte, off int64) (int, error) { return l.file.ReadAt(b, off) }

// Torn is the number of lines that Refresh skipped.
func (l *File) Torn() int { return l.torn }

// Sync flushes the file to the disk.
func (l *File) Sync() error { return l.file.Sync() }

// Close closes the file.
func (l *File) Close() error { return l.file.Close() }
