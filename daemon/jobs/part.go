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
	N       int     `json:"n"`       // results
	Scored  int     `json:"scored"`  // those with a score
	Missing int     `json:"missing"` // those without a response
	Cut     int     `json:"cut"`     // those whose answer was truncated
	Sum     float64 `json:"sum"`     // of the scores
	Squares float64 `json:"squares"` // the sum of the scores' squares
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

// fileName returns the file name of a part's results: part-SHARD, followed by .CHUNK for a further part
// of the shard.
func (p Part) fileName() string {
	name := "part-" + strconv.Itoa(p.Shard)
	if p.Chunk > 0 {
		name += "." + strconv.Itoa(p.Chunk)
	}
	return name
}

// Commit stores the result lines of a part and then its marker, whose Bytes and Hash it
// sets. A part that is there already and equal is kept, so running a shard twice is
// harmless; one with other bytes is damaged and replaced. See docs/spec/jobs.md#r3.
func (job *Job) Commit(part Part, lines []byte, marker Marker) error {
	marker.Bytes, marker.Hash = int64(len(lines)), hash(lines)
	if marker.Cells == nil {
		marker.Cells = []Cell{}
	}
	const durable = true // on the disk at once; the lines become durable with their marker
	if err := putFile(job.Store, part.fileName(), lines, !durable); err != nil {
		return fmt.Errorf("cannot write part %s: %w", job.Store.Path(part.fileName()), err)
	}
	out, err := json.Marshal(&marker)
	if err != nil {
		return err
	}
	if err := putFile(job.Store, part.fileName()+markerSuffix, append(out, '\n'), durable); err != nil {
		return fmt.Errorf("cannot write marker %s: %w", job.Store.Path(part.fileName()+markerSuffix), err)
	}
	return nil
}

func hash(b []byte) string { return strconv.FormatUint(xxhash.Sum64(b), 16) }

// Marker returns the marker of a part; ok is false where there is none.
func (job *Job) Marker(p Part) (marker Marker, ok bool, err error) {
	data, err := readFile(job.Store, p.fileName()+markerSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return marker, false, nil
	}
	if err != nil {
		return marker, false, fmt.Errorf("cannot read marker: %w", err)
	}
	if json.Unmarshal(data, &marker) != nil {
		return Marker{}, false, nil // it was not written to its end
	}
	return marker, true, nil
}

// Read returns the result lines of a part that is done. ok is false where its marker is missing, or
// does not match the part: then both are removed and the part must be made again.
func (job *Job) Read(part Part) (lines []byte, marker Marker, ok bool, err error) {
	marker, ok, err = job.Marker(part)
	if err != nil || !ok {
		return nil, marker, false, err
	}
	lines, err = readFile(job.Store, part.fileName())
	matches := int64(len(lines)) == marker.Bytes && hash(lines) == marker.Hash
	if err == nil && matches {
		return lines, marker, true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, marker, false, fmt.Errorf("cannot read part: %w", err)
	}
	return nil, marker, false, job.removeDamaged(part)
}

// removeDamaged removes the marker and the result lines of a damaged part.
func (job *Job) removeDamaged(p Part) error {
	for _, name := range []string{p.fileName() + markerSuffix, p.fileName()} { // in this order: no marker without its part
		if err := job.Store.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a damaged part: %w", err)
		}
	}
	return nil
}

// Done reports whether all parts of a shard are there, with the number of lines in those that are.
// It reads markers and sizes, not parts.
func (job *Job) Done(s Shard) (done bool, lines int, err error) {
	for chunk := 0; ; chunk++ {
		part := Part{s.Number, chunk}
		marker, ok, err := job.Marker(part)
		if err != nil || !ok {
			return false, lines, err
		}
		if info, err := job.Store.Stat(part.fileName()); err != nil || info.Size != marker.Bytes {
			return false, lines, nil
		}
		lines += marker.Lines
		if marker.Last {
			return true, lines, nil
		}
	}
}

// Remove removes the job's manifest, parts, markers and journals.
func (job *Job) Remove() error {
	job.manifest.Close()
	err := job.Store.Clear("")
	if f, ok := job.Store.(*Folder); ok && err == nil {
		err = os.RemoveAll(f.dir) // with its lock
	}
	return err
}
