package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jobs"
	"plumb/daemon/records"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// partRange is what `plumb shard run` scores: a part of a shard, or a range of the part's records.
type partRange struct {
	shard                  int
	chunk                  int
	recordsBefore          int    // results of the parts before it
	firstRecord, endRecord int    // the records to score, from 0; endRecord is excluded, and 0 for all
	results                string // file for the results of a range, which is not committed
	bisect                 bool   // search a part that ends its processes for the line that does
}

// worksAlone reports whether this process is the only one that works on the job.
func (cmd *scoreCmd) worksAlone() bool {
	return cmd.onlyShard == nil && (cmd.Driver == "local" || cmd.Driver == "nats" && cmd.NATS == "")
}

// processNumber returns the number of this process, from 0, and how many processes share the work. Both are
// those of --index and --of, else those that Kubernetes or Slurm put into the environment of their jobs.
// A missing or impossible number is a usageError. See docs/spec/jobs.md#r8.
func (cmd *scoreCmd) processNumber() (index, processes int, err error) {
	number := func(flag string, given *int, variables ...string) (int, error) {
		if given != nil {
			return *given, nil
		}
		for _, name := range variables {
			if s := os.Getenv(name); s != "" {
				n, err := strconv.Atoi(s)
				if err != nil {
					return 0, usage("cannot use %s=%q: want a whole number", name, s)
				}
				return n, nil
			}
		}
		return 0, usage("cannot share the work: want --%s, or %s", flag, variables[0])
	}
	if index, err = number("index", cmd.Index, "JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"); err != nil {
		return 0, 0, err
	}
	if processes, err = number("of", cmd.Of, "JOB_COMPLETIONS", "SLURM_ARRAY_TASK_COUNT"); err != nil {
		return 0, 0, err
	}
	fromSlurm := cmd.Index == nil && os.Getenv("JOB_COMPLETION_INDEX") == ""
	if lowest := os.Getenv("SLURM_ARRAY_TASK_MIN"); fromSlurm && lowest != "" { // an array may begin at another number than 0
		n, err := strconv.Atoi(lowest)
		if err != nil {
			return 0, 0, usage("cannot use SLURM_ARRAY_TASK_MIN=%q: want a whole number", lowest)
		}
		index -= n
	}
	if processes < 1 || index < 0 || index >= processes {
		return 0, 0, usage("cannot share the work: got index %d of %d; want 0 to %d", index, processes, processes-1)
	}
	return index, processes, nil
}

// runShare scores the shards that belong to this process and are not done: the one of plumb shard run, or with
// --driver index every N-th, where N is the number of processes. It writes the parts of these shards and
// nothing else, closes the store and prints how many shards it scored. For a range of records, see runRange.
func (j *job) runShare(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, j.shards.storer.close()) }()
	j.partsOnly = true
	if only := j.cmd.onlyShard; only != nil && only.endRecord > 0 {
		return j.runRange(ctx, only)
	}
	// Score this process's shards that no process has finished.
	isMine, err := j.ownShards()
	if err != nil {
		return err
	}
	scored, doneBefore := 0, 0
	err = j.shards.Each(func(shard jobs.Shard) error {
		if !isMine(shard) {
			return nil
		}
		done, err := j.allPartsStored(shard)
		if err != nil {
			return err
		}
		if done {
			doneBefore++
			return nil
		}
		scored++
		// A shard of lines that has ended several processes is searched for the line that does. scoreShards
		// does so for a whole input, which may have more parts than the first.
		first := jobs.Part{Shard: shard.Number}
		if shard.Lines >= 0 && j.shards.endedProcesses[first] >= poisonAfter {
			return j.isolatePoison(ctx, shard, first, 0)
		}
		return j.scoreShards(ctx, []jobs.Shard{shard})
	})
	if err == nil {
		fmt.Fprintf(j.std.err, "%s scored, %s done before\n", plural.Of(scored, "shard"), plural.Of(doneBefore, "was", "were"))
	}
	return errors.Join(err, j.inputErrors)
}

// ownShards returns a function that reports whether a shard belongs to this process: the shard that plumb shard
// run names, or with --driver index each shard whose number gives this process's number as the remainder.
func (j *job) ownShards() (func(jobs.Shard) bool, error) {
	if only := j.cmd.onlyShard; only != nil {
		return func(s jobs.Shard) bool { return s.Number == only.shard }, nil
	}
	index, processes, err := j.cmd.processNumber()
	if err != nil {
		return nil, err
	}
	return func(s jobs.Shard) bool { return s.Number%processes == index }, nil
}

// allPartsStored reports whether all parts of a shard, up to the last one, are stored and match their markers.
func (j *job) allPartsStored(shard jobs.Shard) (bool, error) {
	for chunk := 0; ; chunk++ {
		_, marker, ok, err := j.shards.Read(jobs.Part{Shard: shard.Number, Chunk: chunk})
		if err != nil || !ok || marker.Last {
			return ok, err
		}
	}
}

// endShare ends a process that shared the work. It writes no output and no tables, which are left to
// the command that joins the parts.
func (j *job) endShare(ctx context.Context, err error) error {
	j.bar.end()
	j.out.discard()
	return j.withInterruption(ctx, err)
}

// runRange scores a range of the records of a part. It writes the result lines to the file
// partRange.results, and the clusters of the results to a file beside it. The part is not stored: the
// process that started this one, to find a line that ends processes, joins the ranges and does that.
func (j *job) runRange(ctx context.Context, partRange *partRange) error {
	shard, err := j.shards.Find(partRange.shard)
	if err != nil {
		return usageError{err}
	}
	j.shards.currentPart = jobs.Part{Shard: partRange.shard, Chunk: partRange.chunk}
	if err := j.scoreStream(ctx, "", func(ctx context.Context, put putFunc) error {
		return j.feedRange(shard, partRange, put)
	}); err != nil {
		return err
	}
	clusters, err := json.Marshal(j.shards.clusters)
	if err == nil {
		err = os.WriteFile(partRange.results+clustersSuffix, clusters, 0o600)
	}
	if err == nil {
		err = os.WriteFile(partRange.results, j.shards.lines, 0o600)
	}
	j.shards.dropPart() // it must not be committed
	return err
}

// clustersSuffix is what the file of the clusters adds to that of the results of a range.
const clustersSuffix = ".clusters.tmp"

// rangeResults are the results of a range of a part.
type rangeResults struct {
	lines    []byte
	count    int
	clusters []string // of the results; nil where none has one
}

// appendRange appends the results of next, the range of records that follows this one.
func (results *rangeResults) appendRange(next *rangeResults) {
	if results.clusters != nil || next.clusters != nil {
		results.clusters = append(results.clusterOfEach(), next.clusterOfEach()...)
	}
	results.lines, results.count = append(results.lines, next.lines...), results.count+next.count
}

// clusterOfEach returns a cluster for each result, "" where it has none.
func (results *rangeResults) clusterOfEach() []string {
	if results.clusters == nil {
		return make([]string, results.count)
	}
	return results.clusters
}

// errEnough ends a feed after the last record of its range.
var errEnough = errors.New("enough")

// feedRange gives the records partRange.firstRecord to partRange.endRecord of a part, counted from 0, to the scorer with
// put. Records before the range are read and dropped; reading stops after its end.
func (j *job) feedRange(shard jobs.Shard, partRange *partRange, put putFunc) error {
	n := 0 // records read of the part
	putInRange := func(line dump.Line, origin *records.Origin) error {
		if n++; n <= partRange.firstRecord {
			return nil
		}
		if n > partRange.endRecord {
			return errEnough
		}
		j.shards.partOfNextLine = jobs.Part{Shard: partRange.shard, Chunk: partRange.chunk}
		return put(line, origin)
	}
	input := j.shards.Header.Inputs[shard.Input]
	var err error
	if shard.Lines < 0 {
		err = j.feedWhole(input, jobs.Part{Shard: partRange.shard, Chunk: partRange.chunk}, partRange.recordsBefore, putInRange)
	} else {
		err = j.feedShards(input, []jobs.Shard{shard}, putInRange)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return err
}

// poisonAfter is how many processes must end while a part is under way before it is searched for
// the line that ends them. See docs/spec/jobs.md#r7.
const poisonAfter = 2

// poisonShard is the exit code of `plumb shard run` for a shard that ends its processes.
const poisonShard = 3

// isolatePoison scores and stores a part that has ended several processes. It scores the part in a process
// of its own. If that process ends too, it does the same with each half of the part, and so on, down to
// the lines that end their process. These lines get the error code poison, all others their scores.
// recordsBefore is the number of records of the input before the part. plumb shard run does so only with --bisect;
// without it, such a part is an error with an exit code of its own.
func (j *job) isolatePoison(ctx context.Context, shard jobs.Shard, part jobs.Part, recordsBefore int) error {
	if only := j.cmd.onlyShard; only != nil && !only.bisect {
		err := fmt.Errorf("shard %d is poison: %s ended while it was under way; want --bisect, or the command that began the job",
			part.Shard, plural.Of(j.shards.endedProcesses[part], "process", "processes"))
		return exitError{err, poisonShard}
	}
	fmt.Fprintf(j.std.err, "plumb: %s ended within part %d of shard %d; it is searched for the line that ends them\n",
		plural.Of(j.shards.endedProcesses[part], "process", "processes"), part.Chunk, part.Shard)
	mostRecords := max(shard.Lines, jobs.ShardLines) // that the part may have
	got, err := j.scoreByHalves(ctx, shard, partRange{shard: part.Shard, chunk: part.Chunk, recordsBefore: recordsBefore, endRecord: mostRecords})
	if err != nil {
		return err
	}
	last := shard.Lines >= 0 || got.count < jobs.ShardLines // a shard of lines is one part; a whole input ends with a shorter part
	marker := jobs.Marker{Lines: got.count, Last: last, Clusters: got.clusters}
	var cells cellCounts // the processes return lines alone, so their results are counted here
	for line := range bytes.Lines(got.lines) {
		if value, err := j.parser.ParseBytes(line); err == nil {
			if result, err := scoring.ReadResult(value); err == nil {
				cells.add(result)
			}
		}
	}
	marker.Cells = cells.cells
	return j.shards.Commit(part, got.lines, marker)
}

// scoreByHalves returns the results of a range of a part, whose records may end the process that scores them. It
// scores the range in a process of its own. If that process dies, it does the same with both halves of
// the range. A single record whose process dies twice gets the error code poison.
func (j *job) scoreByHalves(ctx context.Context, shard jobs.Shard, partRange partRange) (*rangeResults, error) {
	got, why, err := j.scoreInChildProcess(ctx, &partRange)
	if err != nil || why == "" {
		return got, err
	}
	if partRange.endRecord-partRange.firstRecord == 1 {
		// Once more: the first end may have had another reason, such as memory that others used.
		if got, whyAgain, err := j.scoreInChildProcess(ctx, &partRange); err != nil || whyAgain == "" {
			return got, err
		}
		line, err := j.poisonLine(shard, &partRange, why)
		return &rangeResults{lines: line, count: bytes.Count(line, []byte("\n"))}, err
	}
	middle := (partRange.firstRecord + partRange.endRecord) / 2
	all := new(rangeResults)
	for _, half := range [][2]int{{partRange.firstRecord, middle}, {middle, partRange.endRecord}} {
		part := partRange
		part.firstRecord, part.endRecord = half[0], half[1]
		one, err := j.scoreByHalves(ctx, shard, part)
		if err != nil {
			return nil, err
		}
		all.appendRange(one)
	}
	return all, nil
}

// temporaryDir returns the folder for temporary files: that of the job, or "" for the system's folder where
// the parts of the job are in an object store.
func (j *job) temporaryDir() string {
	if j.cmd.Job != "" {
		return ""
	}
	return j.shards.Store.Path("")
}

// scoreInChildProcess scores a range of a part in a process of its own, plumb shard run, and returns its results. If
// the process dies or reports that it crashed, there are no results, and why says how it ended.
// Failures that do not depend on the records, such as a file that cannot be read, are errors.
func (j *job) scoreInChildProcess(ctx context.Context, part *partRange) (got *rangeResults, why string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	file, err := os.CreateTemp(j.temporaryDir(), "range.*.tmp")
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a temporary file: %w", err)
	}
	file.Close()
	defer os.Remove(file.Name())
	defer os.Remove(file.Name() + clustersSuffix)
	cmd := exec.CommandContext(ctx, self, "shard", "run", "--manifest", j.shards.Store.Path(jobs.ManifestName),
		"--shard", strconv.Itoa(part.shard), "--part", strconv.Itoa(part.chunk), "--skip", strconv.Itoa(part.recordsBefore),
		"--records", fmt.Sprintf("%d:%d", part.firstRecord, part.endRecord), "--results", file.Name())
	if endpoint := j.cmd.S3Endpoint; endpoint != "" && j.cmd.Job != "" {
		cmd.Args = append(cmd.Args, "--s3-endpoint", endpoint)
	}
	if region := j.cmd.S3Region; region != "" && j.cmd.Job != "" {
		cmd.Args = append(cmd.Args, "--s3-region", region)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err == nil:
		got, err = readRange(file.Name())
		return got, "", err
	case !errors.As(err, &ended):
		return nil, "", fmt.Errorf("cannot start a process: %w", err)
	case ended.ExitCode() == 1 || ended.ExitCode() == 130: // plumb's own codes for a failure and an interrupt
		return nil, "", fmt.Errorf("cannot score a part again: %s", bytes.TrimSpace(stderr.Bytes()))
	}
	return nil, ended.String(), nil
}

// readRange reads the results, and their clusters, that another process has written to path and beside
// it for a range of a part (see runRange).
func readRange(path string) (got *rangeResults, err error) {
	got = new(rangeResults)
	if got.lines, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	got.count = bytes.Count(got.lines, []byte("\n"))
	clusters, err := os.ReadFile(path + clustersSuffix)
	if err == nil {
		err = json.Unmarshal(clusters, &got.clusters)
	}
	if err == nil && got.clusters != nil && len(got.clusters) != got.count {
		err = fmt.Errorf("cannot read %s: got %d clusters; want %d, one for each result", path, len(got.clusters), got.count)
	}
	return got, err
}

// poisonLine returns the result line of a record that ends every process that scores it: a result without a
// score, with the error code poison. The record is the only one of its range. why says how the processes ended.
// Of the record only the members that identify it are read, because its scoring is what ends processes.
func (j *job) poisonLine(shard jobs.Shard, record *partRange, why string) (line []byte, err error) {
	err = j.feedRange(shard, record, func(source dump.Line, origin *records.Origin) error {
		result := scoring.Result{ID: fmt.Sprintf("line:%d", source.Number), Line: source.Number,
			Err: &scoring.Error{Code: "poison", Message: "the process that scored it ended: " + why}}
		if value, err := fastjson.ParseBytes(source.Bytes); err == nil && value.Type() == fastjson.TypeObject {
			if id := string(value.GetStringBytes("id")); id != "" {
				result.ID, result.Line = id, 0
			}
			result.Suite, result.Test = string(value.GetStringBytes("suite")), string(value.GetStringBytes("test"))
			result.Who, _ = scoring.ReadIdentity(value, "")
		}
		origin.Apply(&result)
		line = append(result.AppendJSON(nil, j.options.Reward, j.config.Queue.Scorer), '\n')
		return nil
	})
	if err == io.EOF { // nothing follows the record
		err = nil
	}
	return line, err
}
