package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"plumb/daemon/explorer"
	"plumb/daemon/index"
	"plumb/daemon/jobs"
	"plumb/daemon/jobs/bucket"
	"plumb/daemon/records"
	"plumb/daemon/records/address"
	"plumb/daemon/records/write"
	"plumb/scoring/table"
)

// partsAlone reports whether the run writes parts to an object store and no output of its own.
func (c *scoreCmd) partsAlone() bool {
	return c.Job != "" && (c.NoJoin || c.Plan || !c.alone())
}

// checkJob refuses flags of jobs that the run cannot follow; form is that of its output.
func (c *scoreCmd) checkJob(form string) error {
	able := c.resumable()
	switch {
	case c.Job != "" && !able:
		return usage("cannot use --job: want -o FILE, --no-join or --driver, dumps that are files or objects, and neither --report nor --times")
	case !c.alone() && !able:
		return usage("cannot share the work: want -o FILE, dumps that are files, and neither --report nor --times")
	case c.Plan && (!able || !c.alone()):
		return usage("cannot use --plan: want -o FILE, dumps that are files, and neither --driver, --report nor --times")
	case c.NoJoin && (!able || form != write.JSONL || c.splitTo != nil):
		return usage("cannot use --no-join: want -o FILE for JSON lines, dumps that are files, and neither --report nor --times")
	}
	return nil
}

// destination opens the output of the run. One whose results stay in parts writes nothing else.
func (j *job) destination() (*sink, error) {
	to := j.std
	if j.cmd.partsAlone() && j.cmd.Output == "-" {
		to.out = io.Discard
	}
	s, err := output(j.cmd.Output, to, j.inputs()...)
	if err == nil && j.cmd.NoJoin {
		s.Writer = bufio.NewWriter(io.Discard)
	}
	if err == nil {
		j.beginIndex(s)
	}
	return s, err
}

// beginIndex begins the index of the results for plumb view, where they become lines of one plain file.
func (j *job) beginIndex(s *sink) {
	if s.file == nil || j.cmd.NoIndex || j.form != write.JSONL || j.cmd.NoJoin || !j.cmd.alone() {
		return
	}
	if info, err := os.Stat(s.file.Path()); err == nil && !info.Mode().IsRegular() {
		return
	}
	s.told = j.std.err
	o := index.RecorderOptions{Options: explorer.IndexOptions(j.items.Suites, j.options.Variants, j.papers), Reward: j.options.Reward}
	if j.missing == table.Skip && j.cmd.remark == "" && j.cmd.SuccessFrom == nil { // the tables are those of the index
		o.Shared = func() json.RawMessage { return explorer.TablesOf(j.table) }
	}
	var err error
	if s.index, err = index.NewRecorder(s.file.Path(), o); err != nil {
		fmt.Fprintf(s.told, "plumb: %v; plumb view makes it\n", err)
	}
}

// store returns where the files of the run are, and the folder, "" for an object store.
func (j *job) store() (jobs.Store, string, error) {
	if j.cmd.Job != "" {
		s, err := openBucket(j.cmd.remote, j.cmd.Job)
		return s, "", err
	}
	dir := j.out.file.Path() + jobs.Suffix
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, "", fmt.Errorf("cannot make job: %w", err)
	}
	return jobs.NewFolder(dir), dir, nil
}

// openBucket opens the object store that --job names.
func openBucket(o *address.Options, at string) (jobs.Store, error) {
	s, err := bucket.Open(o, at)
	if err != nil {
		return nil, usage("cannot use --job %s: %w", address.Name(at), err)
	}
	return s, nil
}

// tellPlan prints the plan of a job for what starts the shards.
func (j *job) tellPlan() error {
	s, err := j.shards.Status()
	if err != nil {
		return err
	}
	manifest := j.shards.Store.Path(jobs.ManifestName)
	if j.cmd.Job == "" {
		if manifest, err = filepath.Abs(manifest); err != nil {
			return err
		}
	}
	return json.NewEncoder(j.std.out).Encode(struct {
		Manifest string `json:"manifest"`
		Shards   int    `json:"shards"`
		Done     int    `json:"done"`
	}{manifest, s.Shards, s.Done})
}

// cutLines gives the shards of an input of lines.
func (j *job) cutLines(i int, in jobs.Input, give func(jobs.Shard) error) error {
	f, err := j.openInput(in)
	if err != nil {
		return err
	}
	defer f.Close()
	return jobs.CutLines(i, section(f, 0, in.Size), in.Size, give)
}

// openInput opens an input for reading at any place.
func (j *job) openInput(in jobs.Input) (inputFile, error) {
	if at := j.cmd.remote.Known(in.Path); at != nil {
		return remoteFile{at}, nil
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot open dump: %w", err)
	}
	return f, nil
}

// inputFile is an open input.
type inputFile interface {
	io.ReaderAt
	io.Closer
}

// remoteFile is an object, which needs no closing.
type remoteFile struct{ *address.Object }

// Close implements io.Closer.
func (remoteFile) Close() error { return nil }

// section returns a range of bytes of a dump. An object in a store answers each read with a
// request, so these are large.
func section(f inputFile, from, to int64) io.Reader {
	r := io.NewSectionReader(f, from, to-from)
	if _, remote := f.(remoteFile); remote {
		return bufio.NewReaderSize(r, int(min(to-from+1, jobs.ShardBytes)))
	}
	return r
}

// checkDumps opens each dump once, so that a wrong one ends the run before any work. The only dump of a run
// stays open, because the directory of an archive takes as long to read as many samples.
func (j *job) checkDumps() error {
	if len(j.cmd.Dumps) == 1 && j.cmd.Dumps[0] != "-" && regular(j.cmd.Dumps[0]) {
		r, err := records.Open(j.cmd.Dumps[0], nil, j.read)
		j.first = r
		return err
	}
	return j.cmd.dumpFlags.check(j.cmd.Dumps, j.config.Lines)
}

// openDump opens a dump.
func (j *job) openDump(path string) (*records.Reader, error) {
	if r := j.first; r != nil && path != "-" {
		j.first = nil
		return r, nil
	}
	return records.Open(path, j.std.in, j.read)
}

// regular reports whether a dump's path is a file or an object, which a second look finds as it is.
func regular(path string) bool {
	if address.Is(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
