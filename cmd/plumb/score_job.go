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
	Driver  string        `enum:"local,index,nats" default:"local" group:"jobs" help:"Who shares the work: local (this process does all), index (this process does each N-th shard of FILE.job) or nats (it takes shards from a queue in a NATS server). Processes that share the work share the folder FILE.job; the same command without --driver then writes FILE from the parts."`
	NATS    string        `name:"nats" placeholder:"URL" group:"jobs" help:"With --driver nats: the server, tls://HOST:PORT with --nats-creds, or nats:// on this machine. Default: one within this process, which then writes FILE too."`
	Creds   string        `name:"nats-creds" type:"existingfile" placeholder:"FILE" group:"jobs" help:"Credentials for --nats."`
	CA      string        `name:"nats-ca" type:"existingfile" placeholder:"FILE" group:"jobs" help:"Certificate of the authority of --nats. Default: those of the system."`
	AckWait time.Duration `name:"nats-ack-wait" default:"60s" hidden:"" group:"jobs" help:"How long a claim on a shard lasts without results of it."`
	Index   *int          `placeholder:"I" group:"jobs" help:"With --driver index: number of this process, from 0. Default: JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID."`
	Of      *int          `placeholder:"N" group:"jobs" help:"With --driver index: number of processes. Default: JOB_COMPLETIONS or SLURM_ARRAY_TASK_COUNT."`
	Plan    bool          `group:"jobs" help:"Plan the run in FILE.job and end: print its manifest and the number of shards as JSON, for what starts plumb shard run by itself."`
	Job     string        `placeholder:"s3://BUCKET/PREFIX" group:"jobs" help:"Keep the run in an object store in place of the folder FILE.job, for machines that share no folder; with --no-join, or where several processes share the work, without -o. The store is that of --s3-endpoint."`
	NoJoin  bool          `group:"jobs" help:"Leave the parts in FILE.job, with _SUCCESS and summary.json when all are there, in place of FILE: for outputs that no one file should hold."`
	Restart bool          `group:"jobs" help:"Begin anew where the folder FILE.job holds a run that did not end."`
	Status  string        `placeholder:"DIR" group:"jobs" help:"Print how far the run in the folder FILE.job is, or under s3://BUCKET/PREFIX is, and end: exit 0 where it is finished, 3 where it is not."`
}

// shardRun is the folder of a run, with the part that is being written.
type shardRun struct {
	*jobs.Job
	lock    *ledger.Lock // nil where several processes share the job
	journal *jobs.Journal
	deaths  map[jobs.Part]int // processes that ended while a part was under way

	next jobs.Part // of the lines that feed puts; only feed uses it

	part  jobs.Part // of the results that collect takes
	open  bool
	lines []byte
	n     int
	cells cellCounts
	names []string           // clusters of the results, nil where none has one
	seen  map[jobs.Part]bool // parts that have results

	store    *storer
	finished bool // all is done, and the folder is not needed any more
}

// add adds a result to its part. A result of another part ends the one before.
func (r *shardRun) add(p jobs.Part, result *scoring.Result, line []byte) error {
	if r.open && p != r.part {
		if err := r.flush(p.Shard != r.part.Shard); err != nil {
			return err
		}
	}
	if !r.open {
		r.part, r.open, r.seen[p] = p, true, true
	}
	r.lines = append(append(r.lines, line...), '\n')
	r.n++
	r.cells.add(result)
	if result.Cluster != "" && r.names == nil {
		r.names = make([]string, r.n-1, jobs.ShardLines) // those before have none
	}
	if r.names != nil {
		r.names = append(r.names, result.Cluster)
	}
	return r.store.failed()
}

// flush commits the current part of the results to the job's store; last is true where no other
// part of its shard follows.
func (r *shardRun) flush(last bool) error {
	if !r.open {
		return nil
	}
	m := jobs.Marker{Lines: r.n, Last: last, Cells: r.cells.cells, Clusters: r.names}
	r.store.queue <- storeOrder{part: r.part, lines: r.lines, m: m}
	r.lines = r.store.memory()
	r.drop()
	return r.store.failed()
}

// drop forgets the current part.
func (r *shardRun) drop() {
	r.lines = r.lines[:0]
	r.open, r.n, r.cells, r.names = false, 0, cellCounts{}, nil
}

// cellCounts adds results up by test and series.
type cellCounts struct {
	cells []jobs.Cell
	keys  []cellKey // of cells
}

// cellKey tells cells apart; the text of a series takes longer to make than to compare its members.
type cellKey struct {
	suite, test string
	series      scoring.Series
}

// add adds a result to the cell of its test and series.
func (t *cellCounts) add(r *scoring.Result) {
	key := cellKey{r.Suite, r.Test, r.Series()}
	i := len(t.keys) - 1
	for i >= 0 && t.keys[i] != key {
		i--
	}
	if i < 0 {
		i = len(t.keys)
		t.keys = append(t.keys, key)
		t.cells = append(t.cells, jobs.Cell{Suite: r.Suite, Test: r.Test, Series: key.series.String()})
	}
	c := &t.cells[i]
	c.N++
	if r.Who.Cut != "" {
		c.Cut++
	}
	switch {
	case r.Scored:
		c.Scored++
		c.Sum += r.Score
		c.Squares += float64(r.Score * r.Score)
	case r.Err != nil && r.Err.Code == "no_response":
		c.Missing++
	}
}

// resumable reports whether the run keeps a folder from which the same command goes on: its output
// and its dumps are files, and nothing else is made on the way.
func (c *scoreCmd) resumable() bool {
	if (c.Output == "-" || c.Output == "") && !c.partsAlone() || c.Report != "" || c.Times != "" {
		return false
	}
	if info, err := os.Stat(c.Output); err == nil && !info.Mode().IsRegular() {
		return false
	}
	for _, path := range c.Dumps {
		if at := c.remote.Known(path); at != nil {
			if at.Tag == "" && at.Modified.IsZero() {
				return false // nothing would tell that it has changed
			}
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// openJob opens the folder of a run that did not end, or plans a new one. See docs/spec/jobs.md#r1.
func (j *job) openJob() (err error) {
	store, dir, err := j.store()
	if err != nil {
		return err
	}
	j.shards = &shardRun{seen: map[jobs.Part]bool{}}
	if j.cmd.alone() && dir != "" {
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
	if j.shards.Job, err = j.plan(store); err != nil {
		j.closeJob()
		return err
	}
	if j.shards.deaths, err = j.shards.Deaths(); err == nil && (j.cmd.only == nil || j.cmd.only.to == 0) {
		j.shards.journal, err = j.shards.Journal(strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36))
	}
	if err != nil {
		j.closeJob()
		return fmt.Errorf("cannot use job %s: %w", store.Path(""), err)
	}
	j.shards.store = newStorer(j.shards.Job)
	if dir != "" {
		j.out.file.Under(dir)
	}
	return nil
}

// plan opens the job of resumable scoring in a store and checks that it is this one, or plans it.
func (j *job) plan(store jobs.Store) (*jobs.Job, error) {
	h, err := j.header()
	if err != nil {
		return nil, err
	}
	old, err := jobs.Open(store)
	switch {
	case j.cmd.only != nil && err != nil:
		return nil, err
	case j.cmd.Restart && j.cmd.alone() || errors.Is(err, jobs.ErrNone):
		if j.cmd.alone() {
			if err := store.Clear(ledger.LockName); err != nil {
				return nil, err
			}
		}
		return jobs.Create(store, h, func(give func(jobs.Shard) error) error { return j.cut(&h, give) })
	case err != nil:
		return nil, err
	}
	if why := old.Header.Differs(&h); why != "" {
		return nil, usage("cannot go on with %s: %s; want the same command, or --restart to begin anew", store.Path(""), why)
	}
	if !j.cmd.alone() {
		return old, nil
	}
	return old, j.tellResuming(old)
}

// clearTemporary removes what a killed run was writing.
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

// tellResuming prints how far the resumed job is.
func (j *job) tellResuming(old *jobs.Job) error {
	s, err := old.Status()
	if err != nil {
		return err
	}
	of := fmt.Sprintf(" of %s", grouped(s.Lines))
	if s.Whole {
		of = ""
	}
	fmt.Fprintf(j.std.err, "resuming: %s%s lines are scored\n", grouped(s.Scored), of)
	return nil
}

// header describes the job of this command by its inputs and settings.
func (j *job) header() (h jobs.Header, err error) {
	h = jobs.Header{Plumb: version + " " + commit}
	for _, arg := range j.cmd.args {
		h.Args = append(h.Args, address.Name(arg))
	}
	if h.Folder, err = os.Getwd(); err != nil {
		return h, err
	}
	if h.Settings, err = j.settings(); err != nil {
		return h, err
	}
	var lost error // why dumps cannot be opened
	readable := 0
	for _, path := range j.cmd.Dumps {
		one, err := j.describe(path)
		if err != nil {
			return h, err
		}
		cuttable, err := j.cuttable(path)
		if lost = errors.Join(lost, err); err == nil {
			readable++
		}
		one.Whole = !cuttable // what cannot be opened is a shard that fails beside the others
		h.Inputs = append(h.Inputs, one)
	}
	if readable == 0 {
		return h, lost
	}
	if j.read.Requests != nil {
		h.Inputs = append(h.Inputs, jobs.Input{Name: requestsName, Whole: true})
	}
	return h, nil
}

// cuttable reports whether parts of a dump can be read by themselves. The error says why it cannot be
// opened.
func (j *job) cuttable(path string) (bool, error) {
	if j.first != nil {
		return j.first.Cuttable(), nil
	}
	r, err := records.Open(path, nil, j.read)
	if err != nil {
		return false, err
	}
	defer r.Close()
	return r.Cuttable(), nil
}

// describe returns what tells a dump from another one at its place.
func (j *job) describe(path string) (jobs.Input, error) {
	if at := j.cmd.remote.Known(path); at != nil {
		return jobs.Input{Path: path, Name: path, Size: at.Size, Modified: at.Modified.UTC(), Tag: at.Tag}, nil
	}
	return jobs.Describe(path)
}

// requestsName is the input of requests that no dump answered.
const requestsName = "--requests"

// cut gives the shards into which the input dumps are divided.
func (j *job) cut(h *jobs.Header, give func(jobs.Shard) error) error {
	for i, in := range h.Inputs {
		var err error
		if in.Whole {
			err = give(jobs.Shard{Input: i, Lines: -1})
		} else {
			err = j.cutLines(i, in, give)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// closeJob ends the use of the folder. It removes the folder of a run that ended well.
func (j *job) closeJob() {
	if j.shards == nil {
		return
	}
	if j.shards.journal != nil {
		j.shards.journal.Close()
	}
	if j.shards.finished && j.cmd.alone() {
		j.shards.Remove()
	}
	if j.shards.lock != nil {
		j.shards.lock.Unlock()
	}
}

// runShards scores the shards that are not done, in order, and writes the output from them and from
// the parts that are there. The bytes are those of a run that was never ended. See
// docs/spec/jobs.md#r4.
func (j *job) runShards(ctx context.Context) error {
	var run []jobs.Shard // shards that follow each other in one input and are not done
	score := func() error {
		list := run
		run = nil
		if len(list) == 0 {
			return nil
		}
		return j.scoreShards(ctx, list)
	}
	err := j.shards.Each(func(s jobs.Shard) error {
		if len(run) > 0 && run[0].Input != s.Input || s.Lines < 0 {
			if err := score(); err != nil {
				return err
			}
		}
		if s.Lines < 0 { // scoreShards replays what is done of it
			run = append(run, s)
			return score()
		}
		p := jobs.Part{Shard: s.N}
		lines, m, ok, err := j.shards.Read(p)
		if err == nil && !ok && j.shards.deaths[p] >= poisonAfter {
			if err = score(); err == nil {
				err = j.quarantine(ctx, s, p, 0)
			}
			if err == nil {
				lines, m, ok, err = j.shards.Read(p)
			}
		}
		if err != nil {
			return err
		}
		if !ok {
			run = append(run, s)
			return nil
		}
		if err := score(); err != nil {
			return err
		}
		return j.replay(lines, m.Clusters)
	})
	if err == nil {
		err = score()
	}
	if e := j.shards.store.close(); e != nil && !errors.Is(err, e) {
		err = errors.Join(err, e)
	}
	j.shards.finished = err == nil
	return err
}

// replay takes result lines of a part that is done into the tables and the output; clusters are
// those of its marker.
func (j *job) replay(lines []byte, clusters []string) error {
	for n := 0; len(lines) > 0; n++ {
		line, rest, _ := bytes.Cut(lines, []byte("\n"))
		lines = rest
		v, err := j.parser.ParseBytes(line)
		if err != nil {
			return err
		}
		r, err := scoring.ReadResult(v)
		if err != nil {
			return err
		}
		if n < len(clusters) {
			r.Cluster = clusters[n]
		}
		if err := j.take(r, line); err != nil {
			return err
		}
	}
	return nil
}

// take counts a result in the tables and writes its line.
func (j *job) take(r *scoring.Result, line []byte) error {
	of := r
	if !j.table.Add(r) {
		line, of = addDuplicateNote(line, r), noteDuplicate(r)
	}
	j.tally.addResult(r.Who.File, r.Line, r)
	j.bar.count(r.Err == nil)
	if j.annotator != nil {
		if err := j.annotator.add(r.Who.File, line); err != nil {
			return err
		}
	}
	if err := j.out.line(line, of); err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	return nil
}

// scoreShards scores shards of one input that follow each other. The error of an input that breaks
// off is kept in j.broken: what it has before its end counts, and the others are scored.
func (j *job) scoreShards(ctx context.Context, list []jobs.Shard) error {
	in, r := j.shards.Header.Inputs[list[0].Input], j.shards
	chunk, skip, complete := 0, 0, false
	if list[0].Lines < 0 {
		var err error
		if chunk, skip, complete, err = j.replayChunks(list[0]); err != nil {
			return err
		}
		if p := (jobs.Part{Shard: list[0].N, Chunk: chunk}); !complete && r.deaths[p] >= poisonAfter {
			if err := j.quarantine(ctx, list[0], p, skip); err != nil {
				return err
			}
			delete(r.deaths, p)
			return j.scoreShards(ctx, list)
		}
	}
	j.bare = in.Whole // most are dumps of other tools
	err := j.stream(ctx, in.Name, func(ctx context.Context, put putFunc) error {
		if list[0].Lines < 0 {
			return j.feedWhole(in, jobs.Part{Shard: list[0].N, Chunk: chunk}, skip, put)
		}
		return j.feedShards(in, list, put)
	})
	if err != nil && (ctx.Err() != nil || j.out.failed() || r.store.failed() != nil) {
		r.drop() // it is not whole
		return errors.Join(err, r.store.failed())
	}
	if err != nil {
		j.broken = errors.Join(j.broken, inDump(in.Name, err))
		return r.flush(false)
	}
	if err := r.flush(true); err != nil || complete {
		return err
	}
	for _, s := range list { // those without results: blank lines, or the end of an input
		p := jobs.Part{Shard: s.N, Chunk: chunk}
		if !r.seen[p] {
			r.part, r.open = p, true
			if err := r.flush(true); err != nil {
				return err
			}
		}
	}
	clear(r.seen)
	return nil
}

// replayChunks takes the results of the parts of a whole input that are done. It returns the number
// of the next part, that of the results before it, and whether there is no further part.
func (j *job) replayChunks(s jobs.Shard) (chunk, lines int, complete bool, err error) {
	for {
		b, m, ok, err := j.shards.Read(jobs.Part{Shard: s.N, Chunk: chunk})
		if err != nil || !ok {
			return chunk, lines, false, err
		}
		if err := j.replay(b, m.Clusters); err != nil {
			return chunk, lines, false, err
		}
		chunk, lines = chunk+1, lines+m.Lines
		if m.Last {
			return chunk, lines, true, nil
		}
	}
}

// feedShards puts the lines of shards that follow each other in a file of lines.
func (j *job) feedShards(in jobs.Input, list []jobs.Shard, put putFunc) error {
	f, err := j.openInput(in)
	if err != nil {
		return err
	}
	defer f.Close()
	first, last := list[0], list[len(list)-1]
	lines := dump.Section(section(f, first.From, last.To), j.config.Lines, first.Line, first.From)
	defer lines.Close()
	o := &records.Origin{File: j.named(in.Name)}
	for at := 0; ; {
		l, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for at+1 < len(list) && l.N >= list[at+1].Line {
			at++
		}
		if err := j.begin(jobs.Part{Shard: list[at].N}, at == 0 && l.N == first.Line); err != nil {
			return err
		}
		j.bar.read(first.From + lines.Offset())
		if err := put(l, o); err != nil {
			return err
		}
	}
}

// begin sets the part that the following lines belong to, and notes it in the journal where it is
// another one.
func (j *job) begin(p jobs.Part, first bool) error {
	if p == j.shards.next && !first {
		return nil
	}
	j.shards.next = p
	if j.shards.journal == nil {
		return nil
	}
	if err := j.shards.journal.Begin(p); err != nil {
		return fmt.Errorf("cannot write to %s: %w", j.shards.Store.Path(""), err)
	}
	return nil
}

// feedWhole puts the records of an input that is one shard, from the part first on. The skip records
// before it are read again, because later ones may depend on them, but not put.
func (j *job) feedWhole(in jobs.Input, first jobs.Part, skip int, put putFunc) error {
	n := 0
	counted := func(l dump.Line, o *records.Origin) error {
		if n++; n <= skip {
			return nil
		}
		if err := j.begin(jobs.Part{Shard: first.Shard, Chunk: first.Chunk + (n-1-skip)/jobs.ShardLines}, n == skip+1); err != nil {
			return err
		}
		return put(l, o)
	}
	if in.Name == requestsName {
		return j.feedUnanswered(counted)
	}
	r, err := j.openDump(in.Path)
	if err != nil {
		return openError{err}
	}
	defer r.Close()
	r.Rename(in.Name)
	if r.Format == records.Own {
		return j.feedLines(r, counted)
	}
	return j.feedRecords(r, counted)
}
