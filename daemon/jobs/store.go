package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Store keeps the files of a job: a folder, or a prefix of an object store. It is safe for concurrent
// use by any number of processes. Errors of files that are not there wrap fs.ErrNotExist.
type Store interface {
	// Create makes a file of what fill writes, whole or not at all. A name that is taken must have the
	// same bytes; otherwise the error is ErrTaken. fill may be called more than once.
	Create(name string, fill func(io.Writer) error) error
	// Replace is Create in place of a file that may be there.
	Replace(name string, fill func(io.Writer) error) error
	// Open returns a file for reading, which the caller closes. It may be a copy.
	Open(name string) (*os.File, error)
	Stat(name string) (Info, error)
	Remove(name string) error
	// List returns the files whose names begin with prefix, in any order.
	List(prefix string) ([]Info, error)
	// Clear removes all files of jobs but the one named keep, "" for none.
	Clear(keep string) error
	// Path returns the path or the address of a file, of the store itself for "".
	Path(name string) string
}

// Info describes a file of a store.
type Info struct {
	Name     string
	Size     int64 // bytes
	Modified time.Time
}

// ErrTaken says that a file of that name has other bytes.
var ErrTaken = errors.New("a file of that name has other bytes")

// Folder is a Store in a folder of a file system, which several machines may share.
type Folder struct{ dir string }

// NewFolder returns the store in a folder, which Create makes.
func NewFolder(dir string) *Folder { return &Folder{dir} }

// Path implements Store: the path of a file in the folder.
func (folder *Folder) Path(name string) string { return filepath.Join(folder.dir, name) }

// Create implements Store. It writes a file under a temporary name, syncs it, and links it to its
// name, which fails where the name exists. link is atomic between processes and machines that share
// the folder.
func (folder *Folder) Create(name string, fill func(io.Writer) error) error {
	return errors.Join(folder.createWithoutSync(name, fill), syncFolder(folder.dir))
}

// createWithoutSync makes a file in the folder as Create does, but does not flush the folder to the disk, so a
// power cut may lose the name of the file.
func (folder *Folder) createWithoutSync(name string, fill func(io.Writer) error) error {
	return folder.writeThenPlace(name, fill, func(temporary, path string) error {
		err := os.Link(temporary, path) // fails if another process has made the file, so none is overwritten
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		same, err := sameBytes(temporary, path)
		if err == nil && !same {
			err = ErrTaken
		}
		return err
	})
}

// Replace implements Store: it writes a file under a temporary name, syncs it, and renames it.
func (folder *Folder) Replace(name string, fill func(io.Writer) error) error {
	return errors.Join(folder.writeThenPlace(name, fill, os.Rename), syncFolder(folder.dir))
}

// writeThenPlace fills a temporary file in the job's folder, syncs it, and calls place, which gives
// it its final name. It makes the folder if there is none, and always removes the temporary
// name.
func (folder *Folder) writeThenPlace(name string, fill func(io.Writer) error, place func(temporary, path string) error) error {
	file, err := os.CreateTemp(folder.dir, name+".*.tmp")
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(folder.dir, 0o755); err == nil {
			file, err = os.CreateTemp(folder.dir, name+".*.tmp")
		}
	}
	if err != nil {
		return err
	}
	defer func() {
		file.Close()
		os.Remove(file.Name()) // fails after a rename, which is well
	}()
	if err = fill(file); err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = place(file.Name(), folder.Path(name))
	}
	return err
}

// sameBytes reports whether two files of a job have the same bytes.
func sameBytes(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return bytes.Equal(x, y), err
}

// syncFolder flushes a folder to the disk, so that a power cut does not lose the names of new files.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Open implements Store: it opens a file for reading.
func (folder *Folder) Open(name string) (*os.File, error) { return os.Open(folder.Path(name)) }

// Stat implements Store: the size of a file and when it was written.
func (folder *Folder) Stat(name string) (Info, error) {
	info, err := os.Stat(folder.Path(name))
	if err != nil {
		return Info{}, err
	}
	return Info{name, info.Size(), info.ModTime()}, nil
}

// Remove implements Store: it deletes a file.
func (folder *Folder) Remove(name string) error { return os.Remove(folder.Path(name)) }

// List implements Store: the files whose names begin with prefix, in alphabetical order.
func (folder *Folder) List(prefix string) (list []Info, err error) {
	entries, err := os.ReadDir(folder.dir)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		if info, err := os.Stat(folder.Path(entry.Name())); err == nil {
			list = append(list, Info{info.Name(), info.Size(), info.ModTime()})
		}
	}
	return list, err
}

// Clear removes everything in the folder except the file keep, subfolders included. It implements Store.
func (folder *Folder) Clear(keep string) error {
	list, err := os.ReadDir(folder.dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() != keep {
			if err := os.RemoveAll(folder.Path(e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// The files that a run leaves beside parts that stay apart. See docs/spec/jobs.md#r10.
const (
	SuccessName = "_SUCCESS"
	SummaryName = "summary.json"
)

// Owned reports whether jobs make files of that name.
func Owned(name string) bool {
	return name == ManifestName || name == SuccessName || name == SummaryName || strings.HasPrefix(name, "part-") ||
		strings.HasPrefix(name, journalPrefix)
}

// readFile returns the bytes of a file of a store.
func readFile(s Store, name string) ([]byte, error) {
	file, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// putFile writes a file with those bytes. It keeps an equal file and replaces another one, which
// must be damaged because all processes of a job write the same. durable is false where a
// further file of the same folder follows, which makes both names durable.
func putFile(store Store, name string, b []byte, durable bool) error {
	fill := func(w io.Writer) error { _, err := w.Write(b); return err }
	create := store.Create
	if f, ok := store.(*Folder); ok && !durable {
		create = f.createWithoutSync
	}
	err := create(name, fill)
	if errors.Is(err, ErrTaken) {
		err = store.Replace(name, fill)
	}
	return err
}

// Put writes a file beside the parts, in place of one that is there.
func (job *Job) Put(name string, b []byte) error {
	err := job.Store.Replace(name, func(w io.Writer) error { _, err := w.Write(b); return err })
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", job.Store.Path(name), err)
	}
	return nil
}
