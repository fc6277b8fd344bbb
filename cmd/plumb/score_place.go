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

// hasNoOutput reports whether the run writes parts to an object store and no output of its own.
func (cmd *scoreCmd) hasNoOutput() bool {
	return cmd.Job != "" && (cmd.NoJoin || cmd.Plan || !cmd.worksAlone())
}

// checkJob refuses the flags --job, --driver, --plan and --no-join for a run that does not store its
// results in parts, without which these flags have no sense. format is that of the run's output.
func (cmd *scoreCmd) checkJob(format string) error {
	keepsParts := cmd.resumable()
	switch {
	case cmd.Job != "" && !keepsParts:
		return usage("cannot use --job: want -o FILE, --no-join or --driver, dumps that are files or objects, and neither --report nor --times")
	case !cmd.worksAlone() && !keepsParts:
		return usage("cannot use --driver %s: want -o FILE, dumps that are files, and neither --report nor --times", cmd.Driver)
	case cmd.Plan && (!keepsParts || !cmd.worksAlone()):
		return usage("cannot use --plan: want -o FILE, dumps that are files, and neither --driver, --report nor --times")
	case cmd.NoJoin && (!keepsParts || format != write.JSONL || cmd.logFiles != nil):
		return usage("cannot use --no-join: want -o FILE for JSON lines, dumps that are files, and neither --report nor --times")
	}
	return nil
}

// openOutput opens the output of the run. Where plumb view can have an index of the results, it begins
// that too.
//
// With --no-join the results exist only as parts, and nothing is joined into the output. The file of
// -o is opened all the same, because its path names the folder of the parts, and what is written to it is
// discarded. A run that writes parts alone to an object store prints no results either.
func (j *job) openOutput() (*sink, error) {
	std := j.std // a copy: the run may still print to j.std.out
	if j.cmd.hasNoOutput() && j.cmd.Output == "-" {
		std.out = io.Discard // the parts are the only output
	}
	sink, err := output(j.cmd.Output, std, j.inputs()...)
	if err != nil {
		return nil, err
	}
	if j.cmd.NoJoin {
		sink.Writer = bufio.NewWriter(io.Discard) // nothing reaches the file
	}
	j.beginIndex(sink)
	return sink, nil
}

// beginIndex begins the index with which plumb view finds results in the output, if the output is one
// plain file of JSON lines that this process writes. An index that cannot be begun is no error, because
// plumb view makes a missing one: the reason is printed.
func (j *job) beginIndex(sink *sink) {
	writesLines := sink.file != nil && j.outputFormat == write.JSONL && !j.cmd.NoJoin && j.cmd.worksAlone()
	if !writesLines || j.cmd.NoIndex {
		return
	}
	if info, err := os.Stat(sink.file.Path()); err == nil && !info.Mode().IsRegular() {
		return // such as a pipe
	}
	sink.log = j.std.err
	options := index.RecorderOptions{Options: explorer.IndexOptions(j.items.Suites, j.options.Variants, j.papers), Reward: j.options.Reward}
	if j.missing == table.Skip && j.cmd.remark == "" && j.cmd.SuccessFrom == nil {
		// With these defaults the tables of this run are those that plumb view would make.
		options.Shared = func() json.RawMessage { return explorer.TablesOf(j.table) }
	}
	var err error
	if sink.index, err = index.NewRecorder(sink.file.Path(), options); err != nil {
		fmt.Fprintf(sink.log, "plumb: %v; plumb view makes the index\n", err)
	}
}

// openStore returns where the parts of the run are kept. With --job ADDRESS that is an object store, and dir is "".
// Without --job it is the folder FILE.job beside the output FILE, which is made here, and dir is its path.
func (j *job) openStore() (store jobs.Store, dir string, err error) {
	if j.cmd.Job != "" { // the address of an object store
		s, err := openBucket(j.cmd.remote, j.cmd.Job)
		return s, "", err
	}
	dir = j.out.file.Path() + jobs.Suffix
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, "", fmt.Errorf("cannot make job: %w", err)
	}
	return jobs.NewFolder(dir), dir, nil
}

// openBucket opens the object store at an address that --job names. An address that cannot be used is
// a usageError.
func openBucket(options *address.Options, at string) (jobs.Store, error) {
	store, err := bucket.Open(options, at)
	if err != nil {
		return nil, usage("cannot use --job %s: %w", address.Name(at), err)
	}
	return store, nil
}

// tellPlan prints the path of a job's manifest, the number of its shards and how many are done, as JSON
// for the scheduler that starts the shards.
func (j *job) tellPlan() error {
	status, err := j.shards.Status()
	if err != nil {
		return err
	}
	manifest := j.shards.Store.Path(jobs.ManifestName)
	if j.cmd.Job == "" { // a local folder; with --job it is the address of an object store
		if manifest, err = filepath.Abs(manifest); err != nil {
			return err
		}
	}
	return json.NewEncoder(j.std.out).Encode(struct {
		Manifest string `json:"manifest"`
		Shards   int    `json:"shards"`
		Done     int    `json:"done"`
	}{manifest, status.Shards, status.Done})
}

// cutLines calls give for each shard of input number i, whose records are lines: ranges of whole lines
// of about equal size.
func (j *job) cutLines(i int, input jobs.Input, give func(jobs.Shard) error) error {
	file, err := j.openInput(input)
	if err != nil {
		return err
	}
	defer file.Close()
	return jobs.CutLines(i, rangeReader(file, 0, input.Size), input.Size, give)
}

// openInput opens an input of the job, a file or an object at an address, for reads at any offset.
func (j *job) openInput(input jobs.Input) (inputFile, error) {
	if at := j.cmd.remote.Known(input.Path); at != nil {
		return remoteFile{at}, nil
	}
	file, err := os.Open(input.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot open dump: %w", err)
	}
	return file, nil
}

// inputFile is an open input.
type inputFile interface {
	io.ReaderAt
	io.Closer
}

// remoteFile is an object, which needs no closing.
type remoteFile struct{ *address.Object }

// Close does nothing: an object at an address is opened anew for each read.
func (remoteFile) Close() error { return nil }

// rangeReader returns a reader of the bytes [from, to) of a dump. Each read of an object at an address is a
// request to its server. To make few requests, such a section is read as a whole, or if it is larger than
// jobs.ShardBytes, in pieces of that size.
func rangeReader(file inputFile, from, to int64) io.Reader {
	r := io.NewSectionReader(file, from, to-from)
	if _, remote := file.(remoteFile); remote {
		room := to - from + 1 // one byte more, so that the read that fills the buffer also finds the end
		return bufio.NewReaderSize(r, int(min(room, jobs.ShardBytes)))
	}
	return r
}

// checkDumps opens each dump once, so that a wrong one ends the run before any work. If the run has only
// one dump, it stays open as j.openedDump, because the directory of a large archive takes long to read.
func (j *job) checkDumps() error {
	if len(j.cmd.Dumps) == 1 && j.cmd.Dumps[0] != "-" && canReadTwice(j.cmd.Dumps[0]) {
		reader, err := records.Open(j.cmd.Dumps[0], nil, j.recordOptions)
		j.openedDump = reader
		return err
	}
	return j.cmd.dumpFlags.check(j.cmd.Dumps, j.config.Lines) // its error says which dump is wrong, and how
}

// openDump opens a dump, or returns the one that checkDumps has left open.
func (j *job) openDump(path string) (*records.Reader, error) {
	if reader := j.openedDump; reader != nil && path != "-" {
		j.openedDump = nil
		return reader, nil
	}
	return records.Open(path, j.std.in, j.recordOptions)
}

// canReadTwice reports whether a dump is a file or an object, which can be read twice, and not a pipe.
func canReadTwice(path string) bool {
	if address.Is(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
