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
// createPartial folder inside it, DIR/NAME.XXXXXXXX.partial, and Commit moves them. One
// goroutine uses it at a time.
type Folder struct {
	dir, name string
	stage     *os.File // the partial folder; nil before the first file
	files     []string
}

// NewFolder prepares to write files into dir, which must exist when WriteFile is
// called first. The name of the partial folder starts with name.
func NewFolder(dir, name string) *Folder { return &Folder{dir: dir, name: name} }

// WriteFile writes what fill produces to the file of that name in the partial folder.
func (d *Folder) WriteFile(name string, fill func(io.Writer) error) error {
	if err := d.create(); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(d.stage.Name(), name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if !slices.Contains(d.files, name) {
		d.files = append(d.files, name)
	}
	return err
}

// create makes the partial folder at the first call and locks it. The lock tells other processes
// that it is being written (see Leftovers). On a file system without locks the folder is not locked,
// and others may report it as left behind.
func (d *Folder) create() error {
	if d.stage != nil {
		return nil
	}
	path := filepath.Join(d.dir, fmt.Sprintf("%s.%08x%s", d.name, rand.Uint32(), suffix))
	err := os.Mkdir(path, 0o777)
	if err != nil {
		return err
	}
	d.stage, err = os.Open(path)
	if err == nil {
		syscall.Flock(int(d.stage.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	return err
}

// Commit moves the files into the folder, in the order in which they were first written, and
// removes the partial folder. The caller writes the file that links to the others last, so
// that its links work at any time.
func (d *Folder) Commit() error {
	if d.stage == nil {
		return nil
	}
	for _, name := range d.files {
		if err := os.Rename(filepath.Join(d.stage.Name(), name), filepath.Join(d.dir, name)); err != nil {
			return err
		}
	}
	return os.Remove(d.Keep())
}

// Keep ends writing and leaves the files in the partial folder, the one in which they are written
// before Commit. The caller keeps it if the files are to be looked at though they are not complete. It
// returns the path of the partial folder, "" if nothing was written.
func (d *Folder) Keep() string {
	if d.stage == nil {
		return ""
	}
	d.stage.Close()
	return d.stage.Name()
}

// Discard ends writing and removes the partial folder.
func (d *Folder) Discard() {
	if path := d.Keep(); path != "" {
		os.RemoveAll(path)
	}
}
