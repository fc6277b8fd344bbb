package atomicfile

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Folder replaces several files of one folder together. They are written into a
// partial folder inside it, DIR/NAME.XXXXXXXX.partial, and Commit moves them. One
// goroutine uses it at a time.
type Folder struct {
	dir, name string
	partial   *os.File // the partial folder; nil before the first file
	files     []string // names of the files in it, in the order in which they were first written
}

// NewFolder prepares to write files into dir, which must exist when WriteFile is
// called first. The name of the partial folder starts with name.
func NewFolder(dir, name string) *Folder { return &Folder{dir: dir, name: name} }

// WriteFile makes a file in the partial folder and has the function fill write its content. The file gets
// its place in the folder itself with Commit. A file of the same name in the partial folder is replaced.
func (folder *Folder) WriteFile(name string, fill func(io.Writer) error) error {
	if err := folder.makePartial(); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(folder.partial.Name(), name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if !slices.Contains(folder.files, name) {
		folder.files = append(folder.files, name)
	}
	return err
}

// makePartial makes the partial folder at the first call and locks it. The lock tells other processes
// that it is being written (see Leftovers). On a file system without locks the folder is not locked,
// and others may report it as left behind.
func (folder *Folder) makePartial() error {
	if folder.partial != nil {
		return nil
	}
	path := filepath.Join(folder.dir, fmt.Sprintf("%s.%08x%s", folder.name, rand.Uint32(), partialSuffix))
	err := os.Mkdir(path, 0o777)
	if err != nil {
		return err
	}
	folder.partial, err = os.Open(path)
	if err != nil {
		os.Remove(path)
		return err
	}
	syscall.Flock(int(folder.partial.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return nil
}

// Commit moves the files into the folder, in the order in which they were first written, and
// removes the partial folder. The caller writes the file that links to the others last, so
// that its links work at any time.
func (folder *Folder) Commit() error {
	if folder.partial == nil {
		return nil
	}
	for _, name := range folder.files {
		if err := os.Rename(filepath.Join(folder.partial.Name(), name), filepath.Join(folder.dir, name)); err != nil {
			return err
		}
	}
	return os.Remove(folder.Keep())
}

// Keep ends writing and leaves the files in the partial folder, the one in which they are written
// before Commit. The caller keeps it if the files are to be looked at though they are not complete. It
// returns the path of the partial folder, "" if nothing was written.
func (folder *Folder) Keep() string {
	if folder.partial == nil {
		return ""
	}
	folder.partial.Close()
	return folder.partial.Name()
}

// Discard ends writing and removes the partial folder.
func (folder *Folder) Discard() {
	if path := folder.Keep(); path != "" {
		os.RemoveAll(path)
	}
}
