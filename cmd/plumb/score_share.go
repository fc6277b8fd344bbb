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
)

// onlyPart is what `plumb shard run` scores.
type onlyPart struct {
	shard    int
	chunk    int
	skip     int    // results of the parts before it
	from, to int    // range of the part's records to score, from 0, to excluded; to is 0 for all
	results  string // file for the results of a range, which is not committed
	bisect   bool   // search a part that ends its processes for the line that does
}

// alone reports whether this process is the only one that works on the job.
func (cmd *scoreCmd) alone() bool {
	return cmd.only == nil && (cmd.Driver == "local" || cmd.Driver == "nats" && cmd.NATS == "")
}

// share returns the number of this process, from 0, and how many processes share the work: from flags,
// else from the variables of a Kubernetes or Slurm job. A missing or impossible number is a
// usageError. See docs/spec/jobs.md#r8.
func (cmd *scoreCmd) share() (index, processes int, err error) {
	number := func(flag string, given *int, names ...string) (int, error) {
		if given != nil {
			return *given, nil
		}
		for _, name := range names {
			if s := os.Getenv(name); s != "" {
				n, err := strconv.Atoi(s)
				if err != nil {
					return 0, usage("cannot use %s=%q: want a whole number", name, s)
				}
				return n, nil
			}
		}
		return 0, usage("cannot share the work: want --%s, or %s", flag, names[0])
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

// runShare scores those shards that are not done and belong to this process: the one of plumb shard
// run, or every N-th of --driver index. It writes parts alone, closes the store and prints how many
// shards it scored.
func (j *job) runShare(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, j.shards.store.close()) }()
	j.partsOnly = true
	if only := j.cmd.only; only != nil && only.to > 0 {
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
		done, err := j.whole(shard)
		if done || err != nil {
			doneBefore++
			return err
		}
		scored++
		// A part that has ended processes again and again is scored with care.
		first := jobs.Part{Shard: shard.N}
		if shard.Lines >= 0 && j.shards.deaths[first] >= poisonAfter {
			return j.quarantine(ctx, shard, first, 0)
		}
		return j.scoreShards(ctx, []jobs.Shard{shard})
	})
	if err == nil {
		fmt.Fprintf(j.std.err, "%d shards scored, %d were done before\n", scored, doneBefore)
	}
	return errors.Join(err, j.broken)
}

// ownShards returns a function that reports whether a shard belongs to this process.
func (j *job) ownShards() (func(jobs.Shard) bool, error) {
	if only := j.cmd.only; only != nil {
		return func(s jobs.Shard) bool { return s.N == only.shard }, nil
	}
	index, processes, err := j.cmd.share()
	if err != nil {
		return nil, err
	}
	return func(s jobs.Shard) bool { return s.N%processes == index }, nil
}

// whole reports whether all parts of a shard, up to the last one, are stored and match their markers.
func (j *job) whole(s jobs.Shard) (bool, error) {
	for chunk := 0; ; chunk++ {
		_, m, ok, err := j.shards.Read(jobs.Part{Shard: s.N, Chunk: chunk})
		if err != nil || !ok || m.Last {
			return ok, err
		}
	}
}

// endShare ends a process that shared the work. It writes no output and no tables, which are left to
// the command that joins the parts.
func (j *job) endShare(ctx context.Context, err error) error {
	j.bar.end()
	j.out.discard()
	return j.interrupted(ctx, err)
}

// runRange scores a range of the records of a part into the file onlyPart.results, and their clusters into a
// file beside it. The part is not committed: the process that started this one does that.
func (j *job) runRange(ctx context.Context, onlyPart *onlyPart) error {
	shard, err := j.shards.Find(onlyPart.shard)
	if err != nil {
		return usageError{err}
	}
	j.shards.part = jobs.Part{Shard: onlyPart.shard, Chunk: onlyPart.chunk}
	if err := j.stream(ctx, "", func(ctx context.Context, put putFunc) error {
		return j.feedRange(shard, onlyPart, put)
	}); err != nil {
		return err
	}
	list, err := json.Marshal(j.shards.names)
	if err == nil {
		err = os.WriteFile(onlyPart.results+clustersSuffix, list, 0o600)
	}
	if err == nil {
		err = os.WriteFile(onlyPart.results, j.shards.lines, 0o600)
	}
	j.shards.drop()
	return err
}

// clustersSuffix is what the file of the clusters adds to that of the results of a range.
const clustersSuffix = ".clusters.tmp"

// ranged are the results of a range of a part.
type ranged struct {
	lines    []byte
	n        int
	clusters []string // of the results; nil where none has one
}

// join appends the results of ranged, the range that follows a.
func (a *ranged) join(ranged *ranged) {
	if a.clusters != nil || ranged.clusters != nil {
		a.clusters = append(a.filled(), ranged.filled()...)
	}
	a.lines, a.n = append(a.lines, ranged.lines...), a.n+ranged.n
}

// filled returns a cluster for each result, "" where it has none.
func (a *ranged) filled() []string {
	if a.clusters == nil {
		return make([]string, a.n)
	}
	return a.clusters
}

// errEnough ends a feed after the last record of its range.
var errEnough = errors.New("enough")

// feedRange puts the records of a range of a part, onlyPart.from to onlyPart.to, to the scorer.
// Those before it are read but not put; those after it are not read.
func (j *job) feedRange(shard jobs.Shard, onlyPart *onlyPart, put putFunc) error {
	n := 0 // records read of the part
	ranged := func(line dump.Line, origin *records.Origin) error {
		if n++; n <= onlyPart.from {
			return nil
		}
		if n > onlyPart.to {
			return errEnough
		}
		j.shards.next = jobs.Part{Shard: onlyPart.shard, Chunk: onlyPart.chunk}
		return put(line, origin)
	}
	input := j.shards.Header.Inputs[shard.Input]
	var err error
	if shard.Lines < 0 {
		err = j.feedWhole(input, jobs.Part{Shard: onlyPart.shard, Chunk: onlyPart.chunk}, onlyPart.skip, ranged)
	} else {
		err = j.feedShards(input, []jobs.Shard{shard}, ranged)
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

// quarantine scores and commits a part that has ended processes before. It runs each range of the part
// in a process of its own, in halves down to the lines that end the process. These lines get the error
// poison, all others their scores. skip is the number of results before the part. plumb shard run does
// so only with --bisect; without it, the part is an error with an exit code of its own.
func (j *job) quarantine(ctx context.Context, shard jobs.Shard, part jobs.Part, skip int) error {
	if only := j.cmd.only; only != nil && !only.bisect {
		err := fmt.Errorf("shard %d is poison: %d processes ended while it was under way; want --bisect, or the command that began the job",
			part.Shard, j.shards.deaths[part])
		return exitError{err, poisonShard}
	}
	fmt.Fprintf(j.std.err, "plumb: %d processes ended within part %d of shard %d; it is searched for the line that ends them\n",
		j.shards.deaths[part], part.Chunk, part.Shard)
	limit := max(shard.Lines, jobs.ShardLines) // records of the part
	got, err := j.halve(ctx, shard, onlyPart{shard: part.Shard, chunk: part.Chunk, skip: skip, to: limit})
	if err != nil {
		return err
	}
	last := shard.Lines >= 0 || got.n < jobs.ShardLines // a range of lines is one part; a whole input ends with a shorter part
	marker := jobs.Marker{Lines: got.n, Last: last, Clusters: got.clusters}
	var cells cellCounts
	for line := range bytes.Lines(got.lines) {
		if v, err := j.parser.ParseBytes(line); err == nil {
			if r, err := scoring.ReadResult(v); err == nil {
				cells.add(r)
			}
		}
	}
	marker.Cells = cells.cells
	return j.shards.Commit(part, got.lines, marker)
}

// halve returns the results of a range of a part. It scores the range in a process of its own, and
// both halves of it in this way if that process dies. A single record whose process dies twice gets
// the error poison.
func (j *job) halve(ctx context.Context, shard jobs.Shard, onlyPart onlyPart) (*ranged, error) {
	got, why, err := j.child(ctx, &onlyPart)
	if err != nil || why == "" {
		return got, err
	}
	if onlyPart.to-onlyPart.from == 1 {
		// Once more: the first end may have had another reason, such as memory that others used.
		if got, again, err := j.child(ctx, &onlyPart); err != nil || again == "" {
			return got, err
		}
		line, err := j.poisoned(shard, &onlyPart, why)
		return &ranged{lines: line, n: bytes.Count(line, []byte("\n"))}, err
	}
	middle := (onlyPart.from + onlyPart.to) / 2
	all := new(ranged)
	for _, half := range [][2]int{{onlyPart.from, middle}, {middle, onlyPart.to}} {
		part := onlyPart
		part.from, part.to = half[0], half[1]
		one, err := j.halve(ctx, shard, part)
		if err != nil {
			return nil, err
		}
		all.join(one)
	}
	return all, nil
}

// scratch returns the folder for temporary files: that of the job, or the system's, which is "".
func (j *job) scratch() string {
	if j.cmd.Job != "" {
		return ""
	}
	return j.shards.Store.Path("")
}

// child scores a range of a part in a process of its own, plumb shard run, and returns its results. If
// the process dies or reports that it crashed, there are no results, and why says how it ended.
// Failures that do not depend on the records, such as a file that cannot be read, are errors.
func (j *job) child(ctx context.Context, part *onlyPart) (got *ranged, why string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	file, err := os.CreateTemp(j.scratch(), "range.*.tmp")
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a temporary file: %w", err)
	}
	file.Close()
	defer os.Remove(file.Name())
	defer os.Remove(file.Name() + clustersSuffix)
	cmd := exec.CommandContext(ctx, self, "shard", "run", "--manifest", j.shards.Store.Path(jobs.ManifestName),
		"--shard", strconv.Itoa(part.shard), "--part", strconv.Itoa(part.chunk), "--skip", strconv.Itoa(part.skip),
		"--records", fmt.Sprintf("%d:%d", part.from, part.to), "--results", file.Name())
	if e := j.cmd.S3Endpoint; e != "" && j.cmd.Job != "" {
		cmd.Args = append(cmd.Args, "--s3-endpoint", e)
	}
	if r := j.cmd.S3Region; r != "" && j.cmd.Job != "" {
		cmd.Args = append(cmd.Args, "--s3-region", r)
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

// readRange reads the results, and their clusters, that a process has written for a range of a part.
func readRange(path string) (got *ranged, err error) {
	got = new(ranged)
	if got.lines, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	got.n = bytes.Count(got.lines, []byte("\n"))
	list, err := os.ReadFile(path + clustersSuffix)
	if err == nil {
		err = json.Unmarshal(list, &got.clusters)
	}
	if err == nil && got.clusters != nil && len(got.clusters) != got.n {
		err = fmt.Errorf("cannot read %s: got %d clusters; want %d, one for each result", path, len(got.clusters), got.n)
	}
	return got, err
}

// poisoned returns the result line of the only record of a range, which ends every process that scores
// it. why says how these ended. Of the record only the members that identify it are read.
func (j *job) poisoned(s jobs.Shard, o *onlyPart, why string) (line []byte, err error) {
	err = j.feedRange(s, o, func(l dump.Line, origin *records.Origin) error {
		result := scoring.Result{ID: fmt.Sprintf("line:%d", l.N), Line: l.N,
			Err: &scoring.Error{Code: "poison", Message: "the process that scored it ended: " + why}}
		if value, err := fastjson.ParseBytes(l.Bytes); err == nil && value.Type() == fastjson.TypeObject {
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
	if err == io.EOF {
		err = nil
	}
	return line, err
}
