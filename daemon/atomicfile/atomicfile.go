// Package atomicfile replaces files atomically. In: a path and the bytes to write
// there. Out: the file at the path, which one rename replaces once all of it is
// written. Until then the bytes are in a partial file beside it, named
// PATH.XXXXXXXX.partial, so a run that ends early, is killed or meets a full disk
// leaves the former file unchanged. Leftovers finds the partial files of such runs. See
// docs/spec/cli.md#r4.
package atomicfile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// File is a file that is being written. One goroutine uses it at a time.
type File struct {
	path        string // of the file to replace, without symbolic links
	partial     *os.File
	dir         string // folder of the partial file; "" for that of path
	isDirect    bool   // partial is the file at path itself: a pipe or a device
	partialPath string // path of the partial file; "" before it exists and after Commit
}

// Create prepares to replace the file at path, which need not exist. A pipe or a
// device is written to directly. No file is made before the first Write or Commit. It
// fails where path is a folder or a device that cannot be opened.
func Create(path string) (*File, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{path: path, partial: f, isDirect: true}, err
	}
	return &File{path: path}, nil
}

// Under makes the partial file in another folder of the same file system. It must be called before
// the first Write.
func (file *File) Under(dir string) { file.dir = dir }

// Probe returns an error if the partial file could not be created, so that a mistyped folder
// fails before the work. It creates and removes one.
func (file *File) Probe() error {
	if file.partial != nil {
		return nil
	}
	p, err := createPartial(file.path)
	if err != nil {
		return err
	}
	return errors.Join(p.Close(), os.Remove(p.Name()))
}

// Write writes to the partial file, which takes the place of the old file at the end. The first
// call creates it. It implements io.Writer.
func (file *File) Write(p []byte) (int, error) {
	if err := file.openPartial(); err != nil {
		return 0, err
	}
	return file.partial.Write(p)
}

// openPartial creates and locks the partial file at the first call, with the permissions of the
// file that it replaces. The lock tells other processes that the file is being written (see
// Leftovers).
func (file *File) openPartial() (err error) {
	if file.partial != nil {
		return nil
	}
	path := file.path
	if file.dir != "" {
		path = filepath.Join(file.dir, filepath.Base(path))
	}
	if file.partial, err = createPartial(path); err != nil {
		return err
	}
	file.partialPath = file.partial.Name()
	// The kernel releases the lock when the process ends in any way. A file system without locks has none.
	syscall.Flock(int(file.partial.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if info, err := os.Stat(file.path); err == nil {
		return file.partial.Chmod(info.Mode().Perm())
	}
	return nil
}

// Sync flushes the written bytes to the disk, so that a power cut after Commit does not
// lose them. It does nothing for pipes and devices.
func (file *File) Sync() error {
	if file.partial == nil || file.isDirect {
		return nil
	}
	return file.partial.Sync()
}

// Commit closes the partial file and renames it to the file that it replaces. A file that
// was never written becomes empty. After an error the former file is unchanged, and the
// partial file exists until Discard.
func (file *File) Commit() error {
	if err := file.openPartial(); err != nil {
		return err
	}
	err := file.partial.Close()
	if err == nil && !file.isDirect {
		err = os.Rename(file.partialPath, file.path)
	}
	if err == nil {
		file.partialPath = ""
	}
	return err
}

// Keep ends writing without replacing the file. It returns the path of the partial
// file, "" where there is none.
func (file *File) Keep() string {
	if file.partial != nil {
		file.partial.Close()
	}
	return file.partialPath
}

// Discard ends writing and removes the partial file, so that the former file stays as it was.
func (file *File) Discard() {
	if part := file.Keep(); part != "" {
		os.Remove(part)
		file.partialPath = ""
	}
}

// Path returns the path of the file that Commit replaces, without symbolic links.
func (file *File) Path() string { return file.path }

// WriteFile replaces the file at path by what fill writes. After an error the former
// file is unchanged and no partial file is left.
func WriteFile(path string, fill func(*File) error) error {
	file, err := Create(path)
	if err != nil {
		return err
	}
	err = fill(file)
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		file.Discard()
	}
	return err
}

// IsFull reports whether an error means that the disk is full, or that a quota of the
// user or a file size limit of the process is reached.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// createPartial creates a new partial file beside path, with the default mode of new files. Its name is
// random; if a file has that name already, another name is tried.
func createPartial(path string) (file *os.File, err error) {
	const tries = 100
	for range tries {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%08x%s", partialPrefix(path), rand.Uint32(), partialSuffix))
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return file, err
}
