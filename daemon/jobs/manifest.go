// Package jobs keeps the state of a large scoring run in a folder or another Store, so that a run goes on after
// anything that ends it, and several processes can share it. In: inputs, a hash of the
// configuration, and result lines. Out: a manifest of shards, parts with checksums, and which
// shards are done. It scores nothing. See docs/spec/jobs.md#r1.
package jobs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"
)

// Suffix is what the folder of a job adds to the name of its output.
const Suffix = ".job"

// ManifestName is the name of the manifest in the folder.
const ManifestName = "manifest.jsonl"

// Input is a dump as it was when the job was planned.
type Input struct {
	Path     string    `json:"path"` // absolute
	Name     string    `json:"name"` // as it was given
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Tag      string    `json:"etag,omitempty"` // of what is read from a server
	// Whole is true where the input cannot be cut: it is one shard, whose result is several parts.
	Whole bool `json:"whole,omitempty"`
}

// Header is the first line of a manifest.
type Header struct {
	Job      int               `json:"job"` // version of the format
	Plumb    string            `json:"plumb"`
	Settings map[string]string `json:"settings"` // all that can change results
	Args     []string          `json:"args"`     // of the command that planned the job
	Folder   string            `json:"folder"`   // in which it ran
	Inputs   []Input           `json:"inputs"`
}

// formatVersion is Header.Job.
const formatVersion = 1

// Shard is a part of the inputs that is scored by itself.
type Shard struct {
	Number int   `json:"shard"`
	Input  int   `json:"input"`          // in Header.Inputs
	From   int64 `json:"from"`           // first byte
	To     int64 `json:"to"`             // byte after the last
	Line   int   `json:"line,omitempty"` // number of its first line in the input, from 1; 0 for a whole input
	Lines  int   `json:"lines"`          // -1 for a whole input, whose records are not counted
}

// manifestEnd is the last line of a manifest. One without it was not written to its end.
type manifestEnd struct {
	Shards int   `json:"shards"`
	Lines  int64 `json:"lines"` // of the inputs that can be cut
}

// Limits of a shard. They bound what is scored again after a run was ended. See docs/spec/jobs.md#r2.
const (
	ShardLines = 2000
	ShardBytes = 8 << 20

	// A shard of short lines has more than ShardLines lines, because writing the files of a shard takes as
	// long as scoring some hundred short lines. It ends when it has shortBytes or 1/shortPart of the bytes
	// of its input, whichever is less, or shortLines lines.
	shortBytes = 1 << 20
	shortPart  = 16
	shortLines = 8 * ShardLines
)

// Job is a planned run and the store of its files.
type Job struct {
	Store  Store
	Header Header
	Shards int
	Lines  int64 // of inputs that can be cut

	manifest *os.File // open as long as the job is
}

// ErrNone says that there is no whole manifest.
var ErrNone = errors.New("there is no job")

// Open reads the manifest of a store, without its shards. The error is ErrNone where there is none, or one
// that was not written to its end.
func Open(store Store) (job *Job, err error) {
	file, err := store.Open(ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open job: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	job = &Job{Store: store, manifest: file}
	// The first line is the header.
	line, err := bufio.NewReaderSize(file, 1<<20).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &job.Header) != nil || job.Header.Job == 0 {
		return nil, fmt.Errorf("cannot read job %s: its manifest does not begin with a header; want another folder, or --restart", store.Path(""))
	}
	if job.Header.Job != formatVersion {
		return nil, fmt.Errorf("cannot read job %s: its version is %d; this program knows %d", store.Path(""),
			job.Header.Job, formatVersion)
	}
	// The last line is there only if the manifest was written to its end.
	last, err := lastLine(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read job %s: %w", store.Path(""), err)
	}
	stated := manifestEnd{Shards: -1} // stays so if the line does not have the member
	if json.Unmarshal(last, &stated) != nil || stated.Shards < 0 {
		return nil, ErrNone
	}
	job.Shards, job.Lines = stated.Shards, stated.Lines
	return job, nil
}

// lastLine returns the last line of a manifest without its line end, or nil if the line end is missing.
// The line must be shorter than 512 bytes, as that of manifestEnd is.
func lastLine(file *os.File) ([]byte, error) {
	const tail = 512
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, min(tail, info.Size()))
	if _, err := file.ReadAt(data, info.Size()-int64(len(data))); err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		return nil, nil
	}
	data = data[:len(data)-1]
	return data[bytes.LastIndexByte(data, '\n')+1:], nil
}

// Create plans a job: it writes the manifest and opens it. plan calls give with one shard after the
// other, and is called again if the manifest must be written twice. If another process has planned an
// equal job meanwhile, its manifest stays; any other manifest is replaced. See docs/spec/jobs.md#r2.
func Create(store Store, header Header, plan func(give func(Shard) error) error) (*Job, error) {
	header.Job = formatVersion
	fill := func(w io.Writer) error { return writeManifest(w, &header, plan) }
	err := store.Create(ManifestName, fill)
	if errors.Is(err, ErrTaken) {
		present, e := Open(store)
		if e == nil && present.Header.Differs(&header) == "" {
			return present, nil
		}
		err = store.Replace(ManifestName, fill) // it was not written to its end, or is another job's
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write job %s: %w", store.Path(""), err)
	}
	return Open(store)
}

// writeManifest writes the lines of a manifest: the header, the shards with their numbers,
// and the end with the totals.
func writeManifest(w io.Writer, header *Header, plan func(give func(Shard) error) error) error {
	out := bufio.NewWriterSize(w, 256<<10)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(header); err != nil {
		return err
	}
	var totals manifestEnd
	err := plan(func(shard Shard) error {
		shard.Number = totals.Shards
		totals.Shards++
		totals.Lines += int64(max(0, shard.Lines)) // lines of a whole input are not counted
		return e.Encode(&shard)
	})
	if err == nil {
		err = e.Encode(totals)
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// Each calls f for each shard in order, and returns the first error of f. It reads the
// manifest as it goes, because a manifest may be larger than memory.
func (job *Job) Each(f func(Shard) error) error {
	reader := bufio.NewReaderSize(io.NewSectionReader(job.manifest, 0, math.MaxInt64), 256<<10)
	if _, err := reader.ReadBytes('\n'); err != nil { // the header
		return err
	}
	for n := range job.Shards {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("cannot read job %s: shard %d: %w", job.Store.Path(""), n, err)
		}
		var shard Shard
		if err := json.Unmarshal(line, &shard); err != nil || shard.Number != n || shard.Input < 0 || shard.Input >= len(job.Header.Inputs) {
			return fmt.Errorf("cannot read job %s: shard %d: got %.80q", job.Store.Path(""), n, line)
		}
		if err := f(shard); err != nil {
			return err
		}
	}
	return nil
}

// ErrStop ends Each without an error of its own.
var ErrStop = errors.New("stop")

// Find returns the shard with number n of the job, or an error if the job has none.
func (job *Job) Find(n int) (found Shard, err error) {
	if n < 0 || n >= job.Shards {
		return found, fmt.Errorf("cannot find shard %d: the job has %d", n, job.Shards)
	}
	err = job.Each(func(s Shard) error {
		if s.Number == n {
			found = s
			return ErrStop
		}
		return nil
	})
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return found, err
}
