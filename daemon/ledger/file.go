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
	file       *os.File
	readOffset int64 // bytes that Refresh has seen
	tornLines  int
}

// Open opens the log at path, or creates it. Its lines are read by Refresh.
func Open(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &File{file: file}, nil
}

// Append writes one line, as Line makes it, at the end of the file, under a lock of the
// file, so that lines of several processes do not mix. If a kill tore the line before it,
// that one is ended first. A file system without locks is written without.
func (file *File) Append(line []byte) (err error) {
	fd := int(file.file.Fd())
	for err = unix.EINTR; err == unix.EINTR; { // once, and again after a signal
		err = unix.Flock(fd, unix.LOCK_EX)
	}
	if err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOLCK) {
		return err
	}
	defer unix.Flock(fd, unix.LOCK_UN)
	torn, err := endsTorn(file.file)
	if err != nil {
		return err
	}
	if torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err = file.file.Write(line)
	return err
}

// endsTorn reports whether the last line of a log lacks its line end, because a kill or a
// power cut tore it.
func endsTorn(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// Refresh calls f with each whole line, without its end, that was appended since the last
// call, by this process or another, and with the line's offset. f must not keep the line. A
// last line without its end is left for the next call. If another process truncated the
// file, Refresh calls restart and reads from the start.
func (file *File) Refresh(restart func(), f func(line []byte, off int64)) error {
	info, err := file.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < file.readOffset {
		file.readOffset = 0
		restart()
	}
	const piece = 1 << 20
	var lineBeginning []byte // the beginning of a line
	for pos := file.readOffset; pos < info.Size(); {
		out := make([]byte, min(piece, info.Size()-pos))
		if _, err := file.file.ReadAt(out, pos); err != nil && err != io.EOF {
			return err
		}
		pos += int64(len(out))
		lineBeginning = file.giveLines(append(lineBeginning, out...), f)
		if len(lineBeginning) > maxLine { // no log line: its bytes are passed over
			file.readOffset += int64(len(lineBeginning))
			lineBeginning = nil
		}
	}
	return nil
}

// unfinishedLine returns the bytes after the last line that Refresh has seen, a line without its end;
// at most maxLine of them.
func (file *File) unfinishedLine() ([]byte, error) {
	info, err := file.file.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, min(max(0, info.Size()-file.readOffset), maxLine))
	_, err = file.file.ReadAt(data, file.readOffset)
	if err == io.EOF {
		err = nil
	}
	return data, err
}

// maxLine is the longest line that is read, in bytes. A longer one counts as torn.
const maxLine = 64 << 20

// giveLines divides data, which begins at offset file.readOffset, at line ends. It calls f with each whole
// line: one whose checksum fits its bytes. Other lines are torn, because a kill or a power cut ended
// their write, and are only counted; empty lines are neither. It moves file.readOffset past the last line
// end and returns the bytes after that, the beginning of a line.
func (file *File) giveLines(data []byte, f func(line []byte, off int64)) []byte {
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return data
		}
		if Whole(data[:i]) {
			f(data[:i], file.readOffset)
		} else if i > 0 {
			file.tornLines++
		}
		file.readOffset += int64(i) + 1
		data = data[i+1:]
	}
}

// ReadAt fills b from an offset of the file.
func (file *File) ReadAt(b []byte, off int64) (int, error) { return file.file.ReadAt(b, off) }

// Torn is the number of lines that Refresh skipped.
func (file *File) Torn() int { return file.tornLines }

// Sync flushes the file to the disk.
func (file *File) Sync() error { return file.file.Sync() }

// Close closes the file.
func (file *File) Close() error { return file.file.Close() }
