package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Cell adds up the results of one test of one series in a part.
type Cell struct {
	Suite   string  `json:"suite"`
	Test    string  `json:"test"`
	Series  string  `json:"series"`
	N       int     `json:"n"`
	Scored  int     `json:"scored"`
	Missing int     `json:"missing"`
	Cut     int     `json:"cut"`
	Sum     float64 `json:"sum"`
	Squares float64 `json:"squares"`
}

// Marker says that a part is done. It is written after the part.
type Marker struct {
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`
	Hash  string `json:"xxhash64"`
	Last  bool   `json:"last"` // no further part of the shard follows
	Cells []Cell `json:"cells"`
	// Clusters are what the items of the lines share with others (scoring.Result.Cluster), because
	// tables need it and result lines do not have it; nil where no item shares anything.
	Clusters []string `json:"clusters,omitempty"`
}

// Part identifies a part: a shard, and the number of the part within it, 0 for a shard that is one
// part.
type Part struct{ Shard, Chunk int }

func (p Part) name() string {
	name := "part-" + strconv.Itoa(p.Shard)
	if p.Chunk > 0 {
		name += "." + strconv.Itoa(p.Chunk)
	}
	return name
}

// Commit stores the result lines of a part and then its marker. A part that is there already must
// be equal, and is kept: running a shard twice is harmless. See docs/spec/jobs.md#r3.
func (j *Job) Commit(p Part, lines []byte, m Marker) error {
	m.Bytes, m.Hash = int64(len(lines)), hash(lines)
	if m.Cells == nil {
		m.Cells = []Cell{}
	}
	if err := commit(j.Dir, p.name(), func(w io.Writer) error { _, err := w.Write(lines); return err }); err != nil {
		return fmt.Errorf("cannot write part %s: %w", filepath.Join(j.Dir, p.name()), err)
	}
	b, err := json.Marshal(&m)
	if err != nil {
		return err
	}
	if err := commit(j.Dir, p.name()+".done", func(w io.Writer) error { _, err := w.Write(append(b, '\n')); return err }); err != nil {
		return fmt.Errorf("cannot write marker %s.done: %w", filepath.Join(j.Dir, p.name()), err)
	}
	return nil
}

func hash(b []byte) string { return strconv.FormatUint(xxhash.Sum64(b), 16) }

// Marker returns the marker of a part; ok is false where there is none.
func (j *Job) Marker(p Part) (m Marker, ok bool, err error) {
	b, err := os.ReadFile(filepath.Join(j.Dir, p.name()+".done"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("cannot read marker: %w", err)
	}
	if json.Unmarshal(b, &m) != nil {
		return Marker{}, false, nil // it was not written to its end
	}
	return m, true, nil
}

// Read returns the result lines of a part that is done. ok is false where its marker is missing, or
// does not match the part: then both are removed and the part must be made again.
func (j *Job) Read(p Part) (lines []byte, m Marker, ok bool, err error) {
	m, ok, err = j.Marker(p)
	if err != nil || !ok {
		return nil, m, false, err
	}
	lines, err = os.ReadFile(filepath.Join(j.Dir, p.name()))
	if err == nil && int64(len(lines)) == m.Bytes && hash(lines) == m.Hash {
		return lines, m, true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, m, false, fmt.Errorf("cannot read part: %w", err)
	}
	return nil, m, false, j.drop(p)
}

// drop removes a part and its marker.
func (j *Job) drop(p Part) error {
	for _, name := range []string{p.name() + ".done", p.name()} { // in this order: no marker without its part
		if err := os.Remove(filepath.Join(j.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a damaged part: %w", err)
		}
	}
	return nil
}

// Done reports whether all parts of a shard are there, with the number of lines in those that are.
// It reads markers and sizes, not parts.
func (j *Job) Done(s Shard) (done bool, lines int, err error) {
	for chunk := 0; ; chunk++ {
		p := Part{s.N, chunk}
		m, ok, err := j.Marker(p)
		if err != nil || !ok {
			return false, lines, err
		}
		if info, err := os.Stat(filepath.Join(j.Dir, p.name())); err != nil || info.Size() != m.Bytes {
			return false, lines, nil
		}
		lines += m.Lines
		if m.Last {
			return true, lines, nil
		}
	}
}

// commit writes a file under a temporary name, syncs it, and links it to its name, which fails
// where the name exists: then the contents must be equal. link is atomic between processes and
// machines that share the folder.
func commit(dir, name string, fill func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(dir, name+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		os.Remove(f.Name())
	}()
	if err = fill(f); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	switch err = os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		same, err := equal(f.Name(), path)
		if err != nil {
			return err
		}
		if same {
			return nil
		}
		// A file that was not written to its end has no marker: what is written now replaces it.
		if err := os.Rename(f.Name(), path); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	return syncFolder(dir)
}

// equal reports whether two files have the same bytes.
func equal(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return bytes.Equal(x, y), err
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Remove removes the folder of a job.
func (j *Job) Remove() error { return os.RemoveAll(j.Dir) }
