package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/jobs"
	"plumb/daemon/ledger"
	"plumb/daemon/records"
	"plumb/daemon/records/address"
	"plumb/scoring"
)

// jobFlags are the flags of runs that go on after their end.
type jobFlags struct {
	Driver  string        `enum:"local,index,nats" default:"local" group:"jobs" help:"Who shares the work: local (this process does all), index (this process scores every N-th shard of FILE.job) or nats (it takes shards from a queue in a NATS server). Processes that share the work share the folder FILE.job; the same command without --driver then writes FILE from the parts."`
	NATS    string        `name:"nats" placeholder:"URL" group:"jobs" help:"With --driver nats: address of the server, tls://HOST:PORT with --nats-creds, or nats://HOST:PORT on this machine. Default: a server within this process, which then writes FILE too."`
	Creds   string        `name:"nats-creds" type:"existingfile" placeholder:"FILE" group:"jobs" help:"Credentials file for --nats."`
	CA      string        `name:"nats-ca" type:"existingfile" placeholder:"FILE" group:"jobs" help:"Certificate (PEM) of the authority that signed the server of --nats. Default: the authorities of the system."`
	AckWait time.Duration `name:"nats-ack-wait" default:"60s" hidden:"" group:"jobs" help:"How long a claim on a shard lasts without results of it."`
	Index   *int          `placeholder:"I" group:"jobs" help:"With --driver index: number of this process, from 0. Default: JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID."`
	Of      *int          `placeholder:"N" group:"jobs" help:"With --driver index: number of processes that share the work. Default: JOB_COMPLETIONS or SLURM_ARRAY_TASK_COUNT."`
	Plan    bool          `group:"jobs" help:"Divide the run into shards in FILE.job and end: print the path of its manifest and the number of shards as JSON, for a scheduler that starts plumb shard run itself."`
	Job     string        `placeholder:"s3://BUCKET/PREFIX" group:"jobs" help:"Keep the parts in an object store instead of the folder FILE.job, for machines that share no folder. Use it without -o together with --no-join, or where several processes share the work. The store is that of --s3-endpoint."`
	NoJoin  bool          `group:"jobs" help:"Leave the results in the parts in FILE.job, with _SUCCESS and summary.json when all are there, instead of writing FILE: for results that no one file should hold."`
	Restart bool          `group:"jobs" help:"Begin anew where the folder FILE.job holds a run that did not end."`
	Status  string        `placeholder:"DIR" group:"jobs" help:"Print how far the run in the folder FILE.job, or under s3://BUCKET/PREFIX, is, and end. Exit code 0: it is finished; 3: it is not."`
}

// shardRun is the job of a run that is scored in shards, with the part whose results are being collected.
type shardRun struct {
	*jobs.Job
	lock           *ledger.Lock // nil where several processes share the job
	journal        *jobs.Journal
	endedProcesses map[jobs.Part]int // processes that ended while a part was under way

	partOfNextLine jobs.Part // the part of the lines that are read now; only the goroutine that reads uses it

	// What follows belongs to the part whose results collectResults takes.
	currentPart      jobs.Part
	partIsOpen       bool   // the part has begun
	lines            []byte // its result lines
	lineCount        int    // their number
	cells            cellCounts
	clusters         []string           // of the results, nil where none has one
	partsWithResults map[jobs.Part]bool // parts that have had results, of the shards under way

	storer       *storer
	removeFolder bool // all is done: closeJob removes the folder of the job
}

// addResult adds a result and its line to a part of a shard. The first result of a new part ends the part
// before it, which is then committed. Parts are committed in the background, so the error may be that of
// an earlier part.
func (run *shardRun) addResult(part jobs.Part, result *scoring.Result, line []byte) error {
	if run.partIsOpen && part != run.currentPart {
		if err := run.commitPart(part.Shard != run.currentPart.Shard); err != nil { // a part of another shard: the last of this one
			return err
		}
	}
	if !run.partIsOpen {
		run.currentPart, run.partIsOpen, run.partsWithResults[part] = part, true, true
	}
	run.lines = append(append(run.lines, line...), '\n')
	run.lineCount++
	run.cells.add(result)
	if result.Cluster != "" && run.clusters == nil {
		run.clusters = make([]string, run.lineCount-1, jobs.ShardLines) // the results before this one have none
	}
	if run.clusters != nil {
		run.clusters = append(run.clusters, result.Cluster)
	}
	return run.storer.failed()
}

// commitPart ends the current part: it gives the part to the goroutine that commits parts to the job's store.
// last is true if no other part of its shard follows. Without a current part it does nothing. The error
// is that of a part before.
func (run *shardRun) commitPart(last bool) error {
	if !run.partIsOpen {
		return nil
	}
	marker := jobs.Marker{Lines: run.lineCount, Last: last, Cells: run.cells.cells, Clusters: run.clusters}
	run.storer.queue <- storeOrder{part: run.currentPart, lines: run.lines, marker: marker}
	run.lines = run.storer.emptySlice() // the goroutine has the former slice
	run.dropPart()
	return run.storer.failed()
}

// dropPart discards the results of the current part, which is not committed.
func (run *shardRun) dropPart() {
	run.lines = run.lines[:0]
	run.partIsOpen, run.lineCount, run.cells, run.clusters = false, 0, cellCounts{}, nil
}

// resumable reports whether the run keeps its finished parts in a store, so that the same command can go on
// from there. Its output must be a file, or parts alone. Its dumps must be files, or objects at addresses whose
// servers tell when they change. It must make neither a report nor times, which need all lines in one process.
func (cmd *scoreCmd) resumable() bool {
	toStdout := cmd.Output == "-" || cmd.Output == ""
	if toStdout && !cmd.hasNoOutput() || cmd.Report != "" || cmd.Times != "" { // no file to go on with, or all lines are needed
		return false
	}
	if info, err := os.Stat(cmd.Output); err == nil && !info.Mode().IsRegular() {
		return false
	}
	for _, path := range cmd.Dumps {
		if object := cmd.remote.Known(path); object != nil {
			if unversioned(object) {
				return false
			}
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// unversioned reports whether the server of an object tells neither its version nor the time of its
// last change, so that a change would not be seen.
func unversioned(o *address.Object) bool { return o.Tag == "" && o.Modified.IsZero() }

// openJob opens the store in which a run keeps its finished parts, or plans a new job in it, and sets
// j.shards. A process that works alone on a folder locks it and removes the temporary files of killed
// processes. A folder that another process has locked is a usageError. The journal of this process tells
// later ones which parts it began. See docs/spec/jobs.md#r1.
func (j *job) openJob() (err error) {
	store, dir, err := j.openStore()
	if err != nil {
		return err
	}
	j.shards = &shardRun{partsWithResults: map[jobs.Part]bool{}}
	if j.cmd.worksAlone() && dir != "" {
		j.shards.lock, err = ledger.LockFolder(dir)
		if errors.Is(err, ledger.ErrLocked) {
			return usage("cannot use -o %s: another process scores into it (%s)", j.cmd.Output, dir)
		}
		if err == nil {
			err = clearTemporary(dir)
		}
		if err != nil {
			return err
		}
	}
	if j.shards.Job, err = j.openOrPlan(store); err != nil {
		j.closeJob()
		return err
	}
	j.shards.endedProcesses, err = j.shards.Deaths()
	// A process that scores a range of records, to find the line that ends its process, keeps no journal:
	// its end is expected and must not count as one more death of the part.
	scoresRange := j.cmd.onlyShard != nil && j.cmd.onlyShard.endRecord > 0
	if err == nil && !scoresRange {
		uniqueName := strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
		j.shards.journal, err = j.shards.Journal(uniqueName)
	}
	if err != nil {
		j.closeJob()
		return fmt.Errorf("cannot use job %s: %w", store.Path(""), err)
	}
	j.shards.storer = newStorer(j.shards.Job)
	if dir != "" {
		j.out.file.Under(dir) // the output is in the job's folder until it is complete
	}
	return nil
}

// openOrPlan returns the job in a store, after a check that it has the same inputs and settings as this
// command; a job with others is a usageError. If the store has no job, or with --restart, it clears the
// store and plans a new job, which cuts the inputs into shards. A process for one shard never plans.
func (j *job) openOrPlan(store jobs.Store) (*jobs.Job, error) {
	header, err := j.jobHeader()
	if err != nil {
		return nil, err
	}
	old, err := jobs.Open(store)
	restart := j.cmd.Restart && j.cmd.worksAlone() // one of several processes must not clear the parts of the others
	switch {
	case j.cmd.onlyShard != nil && err != nil: // it must be planned already
		return nil, err
	case restart || errors.Is(err, jobs.ErrNone):
		if j.cmd.worksAlone() {
			if err := store.Clear(ledger.LockName); err != nil {
				return nil, err
			}
		}
		return jobs.Create(store, header, func(give func(jobs.Shard) error) error { return j.cutIntoShards(&header, give) })
	case err != nil:
		return nil, err
	}
	if why := old.Header.Differs(&header); why != "" {
		return nil, usage("cannot go on with %s: %s; want the same command, or --restart to begin anew", store.Path(""), why)
	}
	if !j.cmd.worksAlone() {
		return old, nil
	}
	return old, j.tellResuming(old)
}

// clearTemporary removes the partial and temporary files that killed processes left in the folder of a
// job. The caller holds the folder's lock.
func clearTemporary(dir string) error {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".partial") || strings.HasSuffix(e.Name(), ".tmp") {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot clear %s: %w", dir, err)
	}
	return nil
}

// tellResuming prints how many lines of the resumed job are scored, and of how many, if that is known.
func (j *job) tellResuming(old *jobs.Job) error {
	status, err := old.Status()
	if err != nil {
		return err
	}
	total := fmt.Sprintf(" of %s", grouped(status.Lines))
	if status.Whole { // some inputs are not cut into shards of lines, so their lines are not counted yet
		total = ""
	}
	fmt.Fprintf(j.std.err, "resuming: %s%s lines are scored\n", grouped(status.Scored), total)
	return nil
}

// jobHeader returns the description of the job: version, command, folder, inputs, and the settings that
// can change a result. It opens each dump to see whether it can be cut into shards of lines. A dump that
// cannot be opened is an error only if no other can be opened either.
func (j *job) jobHeader() (header jobs.Header, err error) {
	header = jobs.Header{Plumb: version + " " + commit}
	for _, arg := range j.cmd.args {
		header.Args = append(header.Args, address.Name(arg))
	}
	if header.Folder, err = os.Getwd(); err != nil {
		return header, err
	}
	if header.Settings, err = j.settings(); err != nil {
		return header, err
	}
	var failure error // why dumps cannot be opened
	readable := 0
	for _, path := range j.cmd.Dumps {
		input, err := j.describeInput(path)
		if err != nil {
			return header, err
		}
		cuttable, err := j.cuttable(path)
		if failure = errors.Join(failure, err); err == nil {
			readable++
		}
		input.Whole = !cuttable // what cannot be opened is a shard that fails beside the others
		header.Inputs = append(header.Inputs, input)
	}
	if readable == 0 {
		return header, failure
	}
	if j.recordOptions.Requests != nil {
		header.Inputs = append(header.Inputs, jobs.Input{Name: requestsName, Whole: true})
	}
	return header, nil
}

// cuttable reports whether a dump can be cut into shards, because ranges of its lines can be read by
// themselves. The start of the dump tells. The error says why the dump cannot be opened.
func (j *job) cuttable(path string) (bool, error) {
	if j.openedDump != nil { // the only dump is open already
		return j.openedDump.Cuttable(), nil
	}
	reader, err := records.Open(path, nil, j.recordOptions)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	return reader.Cuttable(), nil
}

// describeInput returns the name, size, time of change and version of a dump, a file or an object at an
// address. They tell whether the dump has changed since the job was planned.
func (j *job) describeInput(path string) (jobs.Input, error) {
	if at := j.cmd.remote.Known(path); at != nil {
		return jobs.Input{Path: path, Name: path, Size: at.Size, Modified: at.Modified.UTC(), Tag: at.Tag}, nil
	}
	return jobs.Describe(path)
}

// requestsName is the input of requests that no dump answered.
const requestsName = "--requests"

// cutIntoShards cuts the input dumps of a job into shards and calls give for each, in order. A file in plumb's own
// format is cut into ranges of lines. Any other dump is one shard, whose number of lines, -1, says that
// they are not counted.
func (j *job) cutIntoShards(header *jobs.Header, give func(jobs.Shard) error) error {
	for i, input := range header.Inputs {
		var err error
		if input.Whole {
			err = give(jobs.Shard{Input: i, Lines: -1})
		} else {
			err = j.cutLines(i, input, give)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// closeJob closes the journal and gives up the lock of the job's folder. If the run has ended well and
// this process works alone, it removes the folder.
func (j *job) closeJob() {
	if j.shards == nil {
		return
	}
	if j.shards.journal != nil {
		j.shards.journal.Close()
	}
	if j.shards.removeFolder && j.cmd.worksAlone() {
		j.shards.Remove()
	}
	if j.shards.lock != nil {
		j.shards.lock.Unlock()
	}
}

// runShards goes through all shards of the job in order and writes the output. Shards that are done are
// taken from their stored parts, the others are scored. The output has the same bytes as that of a run
// that was never interrupted. See docs/spec/jobs.md#r4.
func (j *job) runShards(ctx context.Context) error {
	// Neighbours in one input that are not done are collected, and scored in one stream.
	var pending []jobs.Shard
	scorePending := func() error {
		list := pending
		pending = nil
		if len(list) == 0 {
			return nil
		}
		return j.scoreShards(ctx, list)
	}
	err := j.shards.Each(func(shard jobs.Shard) error {
		isWholeInput := shard.Lines < 0                                          // the shard is a whole input, and scoreShards replays what is done of it
		if isWholeInput || len(pending) > 0 && pending[0].Input != shard.Input { // or the shard begins another input
			if err := scorePending(); err != nil {
				return err
			}
		}
		if isWholeInput {
			pending = append(pending, shard)
			return scorePending()
		}
		// A shard of lines is one part. If it has ended several processes, it is searched for the line that
		// does, and is done then.
		part := jobs.Part{Shard: shard.Number}
		lines, marker, done, err := j.shards.Read(part)
		if err == nil && !done && j.shards.endedProcesses[part] >= poisonAfter {
			if err = scorePending(); err == nil { // the output keeps the order of the shards
				err = j.isolatePoison(ctx, shard, part, 0) // 0: the shard has no part before
			}
			if err == nil {
				lines, marker, done, err = j.shards.Read(part)
			}
		}
		if err != nil {
			return err
		}
		if !done {
			pending = append(pending, shard)
			return nil
		}
		if err := scorePending(); err != nil {
			return err
		}
		return j.replayPart(lines, marker.Clusters)
	})
	if err == nil {
		err = scorePending()
	}
	if storeErr := j.shards.storer.close(); storeErr != nil && !errors.Is(err, storeErr) {
		err = errors.Join(err, storeErr)
	}
	j.shards.removeFolder = err == nil
	return err
}

// replayPart takes the result lines of a stored part into the tables and the output. clusters are those of
// the results, in the same order, or nil if no result has one. They come from the part's marker, because
// result lines do not hold them.
func (j *job) replayPart(lines []byte, clusters []string) error {
	for n := 0; len(lines) > 0; n++ {
		line, rest, _ := bytes.Cut(lines, []byte("\n"))
		lines = rest
		value, err := j.parser.ParseBytes(line)
		if err != nil {
			return err
		}
		result, err := scoring.ReadResult(value)
		if err != nil {
			return err
		}
		if n < len(clusters) {
			result.Cluster = clusters[n]
		}
		if err := j.takeStoredResult(result, line); err != nil {
			return err
		}
	}
	return nil
}

// takeStoredResult adds a result that was stored before to the tables, the counts and the annotated copies, and
// writes its line to the output. It does with stored results what collectResults does with new ones.
func (j *job) takeStoredResult(result *scoring.Result, line []byte) error {
	noted := result
	if !j.table.Add(result) { // an earlier dump has this answer
		line, noted = addDuplicateNote(line, result), noteDuplicate(result)
	}
	j.tally.addResult(result.Who.File, result.Line, result)
	j.bar.lineDone(result.Err == nil)
	if j.annotator != nil {
		if err := j.annotator.addResult(result.Who.File, line); err != nil {
			return err
		}
	}
	if err := j.out.writeLine(line, noted); err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	return nil
}

// scoreShards scores shards that follow each other in one input: ranges of its lines, or one shard that
// is the whole input. A whole input is stored in several parts, called chunks: those that are done are
// taken from the store, and the rest is scored. A part that has ended several processes is searched for
// the line that does. The error of an input that breaks off is kept in j.inputErrors: the results before that
// place count, and other inputs are scored.
func (j *job) scoreShards(ctx context.Context, shards []jobs.Shard) error {
	input, shardRun := j.shards.Header.Inputs[shards[0].Input], j.shards
	nextChunk, recordsBefore, complete := 0, 0, false // of a whole input: its next part, the results before it, whether all is done
	isWholeInput := shards[0].Lines < 0
	if isWholeInput {
		var err error
		if nextChunk, recordsBefore, complete, err = j.replayChunks(shards[0]); err != nil {
			return err
		}
		if part := (jobs.Part{Shard: shards[0].Number, Chunk: nextChunk}); !complete && shardRun.endedProcesses[part] >= poisonAfter {
			if err := j.isolatePoison(ctx, shards[0], part, recordsBefore); err != nil {
				return err
			}
			delete(shardRun.endedProcesses, part)
			return j.scoreShards(ctx, shards) // the part is done now, and the next one follows
		}
	}
	// Score what is left.
	j.foreignFormat = input.Whole // most whole inputs are dumps of other tools
	err := j.scoreStream(ctx, input.Name, func(ctx context.Context, put putFunc) error {
		if isWholeInput {
			return j.feedWhole(input, jobs.Part{Shard: shards[0].Number, Chunk: nextChunk}, recordsBefore, put)
		}
		return j.feedShards(input, shards, put)
	})
	// Store the last part, unless the run ends here.
	stopped := ctx.Err() != nil || j.out.failed() || shardRun.storer.failed() != nil
	if err != nil && stopped {
		shardRun.dropPart() // the current part is not complete
		return errors.Join(err, shardRun.storer.failed())
	}
	if err != nil { // the input breaks off
		j.inputErrors = errors.Join(j.inputErrors, inDump(input.Name, err))
		return shardRun.commitPart(false) // its results count; the next run goes on after it
	}
	if err := shardRun.commitPart(true); err != nil || complete {
		return err
	}
	// Shards without results, such as those of blank lines, get empty parts: else they would not count as done.
	for _, shard := range shards {
		part := jobs.Part{Shard: shard.Number, Chunk: nextChunk}
		if !shardRun.partsWithResults[part] {
			shardRun.currentPart, shardRun.partIsOpen = part, true
			if err := shardRun.commitPart(true); err != nil {
				return err
			}
		}
	}
	clear(shardRun.partsWithResults)
	return nil
}

// replayChunks takes the stored parts of a shard that is a whole input into the output, from the first
// part up to one that is not there. chunk is the number of that part, and lines the number of results
// before it. complete is true if the last part of the input is among the stored ones.
func (j *job) replayChunks(shard jobs.Shard) (chunk, lines int, complete bool, err error) {
	for {
		data, marker, ok, err := j.shards.Read(jobs.Part{Shard: shard.Number, Chunk: chunk})
		if err != nil || !ok {
			return chunk, lines, false, err
		}
		if err := j.replayPart(data, marker.Clusters); err != nil {
			return chunk, lines, false, err
		}
		chunk, lines = chunk+1, lines+marker.Lines
		if marker.Last {
			return chunk, lines, true, nil
		}
	}
}

// feedShards gives the lines of shards that follow each other in a file of lines to the scorer with put. It
// notes in the journal which shard begins, so that a later process sees in which one this process ended.
func (j *job) feedShards(input jobs.Input, list []jobs.Shard, put putFunc) error {
	file, err := j.openInput(input)
	if err != nil {
		return err
	}
	defer file.Close()
	first, last := list[0], list[len(list)-1]
	lines := dump.NewSectionReader(rangeReader(file, first.From, last.To), j.config.Lines, first.Line, first.From)
	defer lines.Close()
	origin := &records.Origin{File: j.nameInResults(input.Name)}
	for pos := 0; ; { // pos is the index in list of the shard that the line belongs to
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for pos+1 < len(list) && line.Number >= list[pos+1].Line {
			pos++
		}
		isFirst := pos == 0 && line.Number == first.Line
		if err := j.beginPart(jobs.Part{Shard: list[pos].Number}, isFirst); err != nil {
			return err
		}
		j.bar.lineRead(first.From + lines.Offset())
		if err := put(line, origin); err != nil {
			return err
		}
	}
}

// beginPart sets the part that the following lines belong to. first says that the next line is the first one
// that is given to the scorer. For such a line, or if the part is another one than before, it notes in
// the journal that this process begins the part: a later process then sees in which part this one ended.
func (j *job) beginPart(part jobs.Part, first bool) error {
	if part == j.shards.partOfNextLine && !first {
		return nil
	}
	j.shards.partOfNextLine = part
	if j.shards.journal == nil {
		return nil
	}
	if err := j.shards.journal.Begin(part); err != nil {
		return fmt.Errorf("cannot write to %s: %w", j.shards.Store.Path(""), err)
	}
	return nil
}

// feedWhole gives the records of an input that is one shard to the scorer with put, from the part first
// on; each part has jobs.ShardLines records. The records before that part, recordsBefore many, are read
// again, because later records may depend on them, but they are not scored again.
func (j *job) feedWhole(input jobs.Input, first jobs.Part, recordsBefore int, put putFunc) error {
	n := 0 // records read
	putFromFirst := func(line dump.Line, origin *records.Origin) error {
		if n++; n <= recordsBefore {
			return nil
		}
		chunk := first.Chunk + (n-1-recordsBefore)/jobs.ShardLines
		if err := j.beginPart(jobs.Part{Shard: first.Shard, Chunk: chunk}, n == recordsBefore+1); err != nil {
			return err
		}
		return put(line, origin)
	}
	if input.Name == requestsName {
		return j.feedUnanswered(putFromFirst)
	}
	reader, err := j.openDump(input.Path)
	if err != nil {
		return openError{err}
	}
	defer reader.Close()
	reader.Rename(input.Name)
	if reader.Format == records.Own {
		return j.feedLines(reader, putFromFirst)
	}
	return j.feedRecords(reader, putFromFirst)
}
