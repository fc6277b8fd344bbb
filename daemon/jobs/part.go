package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// markerSuffix is what the name of a marker adds to that of its part.
const markerSuffix = ".done"

// Part identifies a part: a shard, and the number of the part within it, 0 for a shard that is one
// part.
type Part struct{ Shard, Chunk int }

// name returns the file name of a part's results: part-SHARD, followed by .CHUNK for a further part
// of the shard.
func (p Part) name() string {
	name := "part-" + strconv.Itoa(p.Shard)
	if p.Chunk > 0 {
		name += "." + strconv.Itoa(p.Chunk)
	}
	return name
}

// Commit stores the result lines of a part and then its marker, whose Bytes and Hash it
// sets. A part that is there already and equal is kept, so running a shard twice is
// harmless; one with other bytes is damaged and replaced. See docs/spec/jobs.md#r3.
func (j *Job) Commit(p Part, lines []byte, m Marker) error {
	m.Bytes, m.Hash = int64(len(lines)), hash(lines)
	if m.Cells == nil {
		m.Cells = []Cell{}
	}
	if err := put(j.Store, p.name(), lines, false); err != nil { // false: durable with the marker
		return fmt.Errorf("cannot write part %s: %w", j.Store.Path(p.name()), err)
	}
	b, err := json.Marshal(&m)
	if err != nil {
		return err
	}
	if err := put(j.Store, p.name()+markerSuffix, append(b, '\n'), true); err != nil {
		return fmt.Errorf("cannot write marker %s: %w", j.Store.Path(p.name()+markerSuffix), err)
	}
	return nil
}

func hash(b []byte) string { return strconv.FormatUint(xxhash.Sum64(b), 16) }

// Marker returns the marker of a part; ok is false where there is none.
func (j *Job) Marker(p Part) (m Marker, ok bool, err error) {
	b, err := readFile(j.Store, p.name()+markerSuffix)
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
	lines, err = readFile(j.Store, p.name())
	if err == nil && int64(len(lines)) == m.Bytes && hash(lines) == m.Hash {
		return lines, m, true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, m, false, fmt.Errorf("cannot read part: %w", err)
	}
	return nil, m, false, j.drop(p)
}

// drop removes the marker and the result lines of a damaged part.
func (j *Job) drop(p Part) error {
	for _, name := range []string{p.name() + markerSuffix, p.name()} { // in this order: no marker without its part
		if err := j.Store.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
		if info, err := j.Store.Stat(p.name()); err != nil || info.Size != m.Bytes {
			return false, lines, nil
		}
		lines += m.Lines
		if m.Last {
			return true, lines, nil
		}
	}
}

// Remove removes the job's manifest, parts, markers and journals.
func (j *Job) Remove() error {
	j.manifest.Close()
	err := j.Store.Clear("")
	if f, ok := j.Store.(*Folder); ok && err == nil {
		err = os.RemoveAll(f.dir) // with its lock
	}
	return err
}
