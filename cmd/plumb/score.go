package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/records"
	"plumb/daemon/report"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/table"
	"plumb/scoring/vqa"
)

// scoreCmd is `plumb score`.
type scoreCmd struct {
	Dumps   []string `arg:"" optional:"" name:"dump" help:"Dumps: plumb's own JSON lines, or the files of evaluation tools and batch APIs (docs/dumps.md lists them). Files, folders, patterns such as 'logs/*.eval', https:// and s3:// addresses; - is standard input. gzip, zstd and bzip2 are decompressed."`
	Output  string   `short:"o" default:"-" placeholder:"FILE" help:"File for the result lines, in the order of the dumps; - is standard output. It is replaced when all lines have their results. Until then, finished parts are in the folder FILE.job, and the same command goes on from there after an interrupt, a kill or a full disk."`
	NoIndex bool     `help:"Do not write FILE.plumbidx, the index for plumb view (some 100 bytes a result). plumb view then makes it when it first opens FILE."`
	jobFlags
	formFlags
	Report string `placeholder:"DIR" help:"Folder for an HTML report: tables, and items with what made their scores."`
	itemsFlag
	failFlags
	Missing  string `enum:"skip,zero" default:"skip" help:"How a missing answer counts in the tables: skip (not at all) or zero (as 0)."`
	Times    string `placeholder:"FILE" help:"File for where the time of each line went, one JSON line each with the id and milliseconds per part. The seconds of each test and the slowest lines are printed too. Not with --server, whose times are in /metrics."`
	Server   string `placeholder:"URL" help:"Score through a running daemon (http://HOST:PORT, https://HOST or unix:PATH); the output is the same bytes. How pixels are made, workers, batches and limits are then the daemon's."`
	TokenEnv string `placeholder:"NAME" help:"Environment variable that holds the daemon's token. Default: none is sent."`
	DryRun   bool   `name:"judge-dry-run" group:"judge" help:"Count the calls to the judge that there would be, and make none."`
	paperFlags
	successFlag
	dumpFlags
	scoreFlags
	engineFlags
	limitFlags
	judgeFlags

	remark    string            // for titles of tables, as in table.Options
	args      []string          // of the command line, which the manifest of a job keeps
	onlyShard *partRange        // a part of a job that this process scores alone; nil for all
	logFiles  map[string]string // files for the scores of each log; nil for one output
}

// Go collects garbage when it has grown to a percentage of the memory in use. A run of small items uses only
// some 10 MB, so by default it would collect hundreds of times a second, which takes a tenth of all core time.
const (
	// ballast is how many bytes are allocated but never touched, so that they take no memory of the machine.
	// They count as memory in use, and so a run of small items collects less often.
	ballast = 64 << 20
	// garbagePercent is the percentage. With ballast it is low enough that a run of pictures, which uses up to
	// 90 MB, stays small. A higher one makes no run quicker. GOGC in the environment overrides it.
	garbagePercent = 33
)

// Run scores the answers of every dump and writes results, tables and reports; with --status it only
// prints how far a run is. It checks all flags before it opens a dump, and tunes the garbage collector.
func (cmd *scoreCmd) Run(std streams) error {
	if cmd.Status != "" {
		return cmd.status(std)
	}
	if err := cmd.checkInput(); err != nil {
		return err
	}
	// Fewer garbage collections: scoring makes much garbage and keeps little. The collector waits until
	// garbage has grown to a share of the memory in use, in which ballast counts although nothing is in it.
	defer runtime.KeepAlive(make([]byte, ballast))
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	}
	// Flags become settings, each checked before anything is opened.
	config, err := coreConfig(&cmd.engineFlags, &cmd.limitFlags, &cmd.scoreFlags)
	if err != nil {
		return err
	}
	variants, err := cmd.variants(config.Suites)
	if err != nil {
		return err
	}
	if err := cmd.failFlags.check(); err != nil {
		return err
	}
	if cmd.Times != "" && cmd.Server != "" {
		return usage("cannot use --times with --server: the daemon's times are in its /metrics")
	}
	if cmd.Times != "" && sameFile(cmd.Times, cmd.Output) {
		return usage("cannot use --times %s: it is the file of --output; want a file of its own", cmd.Times)
	}
	missing, err := table.ParseMissing(cmd.Missing)
	if err != nil {
		return usageError{err}
	}
	papers, err := cmd.paperFlags.readPapers()
	if err != nil {
		return err
	}
	reportItems, err := cmd.reportItems(cmd.Report)
	if err != nil {
		return err
	}
	reward, err := scoring.ParseReward(cmd.Reward)
	if err != nil {
		return usageError{err}
	}
	token, err := secret(cmd.TokenEnv)
	if err != nil {
		return err
	}
	if err := cmd.configureJudge(std, &config); err != nil { // it also takes the judge's key out of the environment
		return err
	}
	// The arguments become dumps, and the output gets its format.
	if cmd.Dumps, err = cmd.expand(cmd.Dumps, &config, std); err != nil {
		return err
	}
	cmd.tellUnversioned(std)
	form, err := cmd.prepareFormat()
	if err != nil {
		return err
	}
	ctx, stop := signalContext()
	defer stop()
	options := &queue.Options{Suite: cmd.Suite, Variants: variants, Reward: reward,
		NoDuplicateNotes: true} // repeated answers get their note in this package, which sees all dumps
	j := &job{cmd: cmd, outputFormat: form, std: std, config: config, options: options, token: token}
	j.papers, j.missing, j.reportItems = papers, missing, reportItems
	j.table = table.New(table.Options{Suites: config.Suites, Missing: missing, Clamp: variants.On(table.Clamp), Variants: variants,
		Papers: papers, Remark: cmd.remark, Success: cmd.SuccessFrom, Cluster: j.clusterOf})
	return j.run(ctx)
}

// checkInput refuses a command without dumps, and flags of a way of sharing work that is not chosen.
func (cmd *scoreCmd) checkInput() error {
	switch {
	case len(cmd.Dumps) == 0:
		return usage("cannot score: got no dump; want files, folders or addresses, or - for standard input")
	case cmd.Driver != "nats" && (cmd.NATS != "" || cmd.Creds != "" || cmd.CA != ""):
		return usage("cannot use --nats, --nats-creds or --nats-ca without --driver nats")
	case cmd.Driver != "index" && (cmd.Index != nil || cmd.Of != nil):
		return usage("cannot use --index or --of without --driver index")
	}
	return nil
}

// tellUnversioned names dumps at addresses whose server gives no version: without one, a run that is
// interrupted cannot tell whether the dump has changed, and begins anew.
func (cmd *scoreCmd) tellUnversioned(std streams) {
	if cmd.Output == "-" {
		return // such a run does not go on anyway
	}
	for _, path := range cmd.Dumps {
		if object := cmd.remote.Known(path); object != nil && unversioned(object) {
			fmt.Fprintf(std.err, "plumb: the server names neither a version nor a time of %s, so this run begins anew if it is interrupted\n",
				path)
		}
	}
}

// configureJudge sets in config which language model judges open answers in this process, and takes the model's
// key out of the environment. It refuses flags of the judge that exclude each other.
func (cmd *scoreCmd) configureJudge(std streams, config *daemon.CoreConfig) (err error) {
	if cmd.JudgeURL != "" && cmd.Server != "" {
		return usage("cannot use --judge-url with --server: the daemon asks its own judge")
	}
	const scoresDumps = true // many answers: a failing endpoint is waited for
	if config.Judge, err = cmd.judgeFlags.judgeConfig(scoresDumps); err != nil {
		return err
	}
	if config.Judge == nil {
		if cmd.DryRun {
			return usage("cannot use --judge-dry-run without --judge-url: want the judge's endpoint beside it")
		}
		return nil
	}
	config.Judge.DryRun, config.Judge.Log = cmd.DryRun, slog.New(slog.NewTextHandler(std.err, nil))
	return nil
}

// job is one run of score.
type job struct {
	cmd           *scoreCmd
	std           streams
	config        daemon.CoreConfig
	options       *queue.Options
	token         string
	outputFormat  string // of the output, of those of package write
	table         *table.Table
	papers        [][]byte        // documents of paper tables
	missing       table.Missing   // how tables count missing answers
	reportItems   int             // items of the report
	items         dump.ItemConfig // how lines become items
	recordOptions records.Options // how records of dumps are read
	openedDump    *records.Reader // the only dump, which was opened to check it; nil for none

	parser fastjson.Parser // of tasks
	// foreignFormat says that the current dump is, or may be, one of another tool. Its results then come without
	// JSON, and addOrigin adds to each the place of its record in the dump.
	foreignFormat bool
	json          []byte // the current result as JSON, where addOrigin adds to it

	core        *daemon.Core // nil where a daemon scores and no report is wanted
	remote      *remote      // nil in process
	report      *report.Writer
	reportErr   error // why there is no report any more; scoring goes on
	out         *sink
	extendClaim func() // called for each result, so that this process keeps its claim of a shard; nil without claims
	// partsOnly is true while results go to parts alone, and neither to the output nor into tables.
	partsOnly   bool
	inputErrors error      // why inputs could not be read to their ends, in runs with shards
	shards      *shardRun  // nil where the run cannot go on after its end
	annotator   *annotator // nil where no copies are wanted
	tally       tally
	times       *times // nil where they are not wanted
	bar         *progress
}

// run opens all that the job needs, scores all dumps, and ends with the tables, also when it is interrupted. A
// job that the same command can go on with later is scored in shards, whose results are stored as parts when
// they are finished. A process that shares the work with others writes only the parts of its own shards.
func (j *job) run(ctx context.Context) (err error) {
	if err := j.open(ctx); err != nil {
		return err
	}
	defer func() {
		if j.core != nil {
			err = errors.Join(err, j.core.Close())
		}
	}()
	// Open the output, and check dumps and flags before any work.
	if j.out, err = j.openOutput(); err != nil {
		return err
	}
	if err := j.convertOutput(); err != nil {
		j.out.discard()
		return err
	}
	if err := j.checkDumps(); err != nil {
		return j.out.finish(err)
	}
	if err := j.cmd.checkJob(j.outputFormat); err != nil {
		return j.out.finish(err)
	}
	// A run that can go on later has a store of its finished parts.
	if j.cmd.resumable() {
		if err := j.openJob(); err != nil {
			j.out.discard()
			return err
		}
		defer j.closeJob()
		if j.cmd.Plan {
			j.out.discard()
			return j.tellPlan()
		}
	}
	// Open the other outputs.
	if j.cmd.Annotate != "" && j.cmd.worksAlone() {
		if j.annotator, err = openAnnotator(j.cmd.Annotate, j.cmd.Dumps); err != nil {
			j.out.discard()
			return err
		}
		defer j.annotator.remove()
	}
	if j.cmd.Times != "" {
		out, err := output(j.cmd.Times, j.std, j.inputs()...)
		if err != nil {
			return err
		}
		j.times = &times{out: out, byTest: map[[2]string]*testTime{}}
	}
	j.bar = newProgress(j.std.err, j.cmd.Dumps, "line", "score", progressEvery)
	if j.report != nil {
		j.bar.expectReport(j.reportItems)
	}
	if j.cmd.worksAlone() { // damaged dumps fail the run in its end; among several processes none reports them
		j.inputErrors = j.cmd.damaged
	}
	// Score: all dumps from here, or shards, alone or shared with other processes.
	switch {
	case j.shards == nil:
		err = j.runDumps(ctx)
	case j.cmd.onlyShard == nil && j.cmd.Driver == "nats":
		if err = j.runClaims(ctx); err != nil || !j.cmd.worksAlone() {
			return j.endShare(ctx, errors.Join(err, j.shards.storer.close()))
		}
		err = j.runShards(ctx) // all parts are there: it writes the output from them
	case !j.cmd.worksAlone():
		return j.endShare(ctx, j.runShare(ctx)) // parts alone
	default:
		err = j.runShards(ctx)
	}
	if err != nil || j.report == nil { // else the bar goes on while the report is drawn
		j.bar.end()
	}
	return j.finishRun(ctx, j.withInterruption(ctx, err))
}

// runDumps scores the answers of all dumps in order, and then the requests of --requests that no dump
// has answered. A dump that breaks off does not keep the others from being scored; an interrupt or an
// output that cannot be written ends the run.
func (j *job) runDumps(ctx context.Context) (err error) {
	for _, path := range j.cmd.Dumps {
		if e := j.scoreDump(ctx, path); e != nil {
			err = errors.Join(err, inDump(path, e))
			if ctx.Err() != nil || j.out.failed() {
				return err
			}
		}
		j.bar.dumpDone()
	}
	return errors.Join(err, j.scoreUnanswered(ctx))
}

// openError says why a dump cannot be opened. Its text names the dump already.
type openError struct{ error }

// inDump adds the name of the dump to an error of scoring it, unless the error is an openError, which
// names it already.
func inDump(name string, err error) error {
	if errors.As(err, new(openError)) {
		return err
	}
	return fmt.Errorf("cannot score %s: %w", name, err)
}

// withInterruption returns err, or if a signal ended the run, an interruption that says how to go on.
func (j *job) withInterruption(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case j.shards != nil:
		return interruption{fmt.Errorf("interrupted; the same command goes on: finished parts are in %s", j.shards.Store.Path(""))}
	}
	return interruption{errors.New("interrupted; the same command begins anew")}
}

// inputs are the files that the run reads, none of which may be an output.
func (j *job) inputs() []string {
	return slices.Concat(j.cmd.Dumps, j.cmd.paperFiles(), slices.Collect(maps.Values(j.config.TaskFile)))
}

// open starts the engine that scores in this process, or connects to the daemon of --server. It sets how
// lines of dumps become items and records. With --report it also opens the report; its pictures are
// drawn in this process, so an engine is started even beside a daemon. If the disk is too full for the
// report, there is no report, and scoring goes on.
func (j *job) open(ctx context.Context) (err error) {
	// Connect to the daemon, or start an engine in this process.
	if j.cmd.Server != "" {
		if j.remote, err = dial(ctx, j.cmd.Server, j.token); err != nil {
			return err
		}
	}
	if j.remote == nil || j.cmd.Report != "" {
		if j.core, err = daemon.Open(j.config); err != nil {
			return judgeUsageError(err)
		}
		tellFallback(j.std.err, j.core)
		j.items = j.core.Items
	} else if j.items, err = daemon.Items(j.config); err != nil {
		return err
	}
	if j.recordOptions, err = j.cmd.dumpFlags.options(&j.config, &j.items); err != nil {
		return err
	}
	if j.cmd.Report == "" {
		return nil
	}
	// Open the report.
	title := j.cmd.Dumps[0]
	if len(j.cmd.Dumps) > 1 {
		title = fmt.Sprintf("%s and %d more", title, len(j.cmd.Dumps)-1)
	}
	tellLeftovers(j.std.err, atomicfile.LeftoversIn(j.cmd.Report))
	j.report, err = report.New(report.Config{Dir: j.cmd.Report, Title: title, Items: j.core.Items,
		Variants: j.options.Variants, Missing: j.missing, Papers: j.papers,
		Remark: j.cmd.remark, Success: j.cmd.SuccessFrom, Cluster: j.clusterOf,
		Renderer: painter{ctx, j.core.Queue}, Context: ctx, Workers: j.core.Workers,
		Max: j.reportItems, Flags: j.cmd.scoreFlags.scoreArguments(&j.cmd.engineFlags), Progress: func(done, all int) { j.bar.itemsDrawn(done, all) }})
	if atomicfile.IsFull(err) {
		j.dropReport(err)
		return nil
	}
	if err != nil {
		j.core.Close()
	}
	return err
}

// clusterOf returns the cluster of an item in the tables: a text that all tasks about the same pictures
// have in common, or "" for a task without pictures. Standard errors treat the results of one cluster as
// dependent. Only results of a daemon are looked up here, in the task file of their suite, because
// results that this process makes hold their cluster.
func (j *job) clusterOf(suite, id string) string {
	if j.remote == nil { // results hold it
		return ""
	}
	value, err := j.parser.ParseBytes(j.items.Tasks[suite].JSON(id))
	if err != nil {
		return ""
	}
	return vqa.Pictures(value)
}

// painter draws the pictures of a report.
type painter struct {
	ctx   context.Context
	queue *queue.Queue
}

// Picture draws a view through the queue and waits for it. It implements exhibit.Renderer.
func (p painter) Picture(v view.View) (*image.NRGBA, error) {
	v.Unmeasured = true // a report shows no sums of its pictures
	got, err := p.queue.Draw(p.ctx, nil, func() (view.View, error) { return v, nil })
	return got.Image, err
}

// scorer gives the answers to lines, in order.
type scorer interface {
	// Put gives the next line; it waits while too many are under way.
	Put(l dump.Line) error
	// End says that no more lines follow.
	End()
	// Next waits for the next answer; its JSON is valid until the call after.
	Next() (queue.Answer, error)
	// Ready reports whether Next would not wait.
	Ready() bool
}

// scoreDump scores the answers of one dump: its lines, or the records of another tool.
func (j *job) scoreDump(ctx context.Context, path string) error {
	reader, err := j.openDump(path)
	if err != nil {
		return openError{err}
	}
	defer reader.Close()
	j.foreignFormat = reader.Format != records.Own
	return j.scoreStream(ctx, path, func(ctx context.Context, put putFunc) error {
		if reader.Format == records.Own {
			return j.feedLines(reader, put)
		}
		return j.feedRecords(reader, put)
	})
}

// pendingLines bounds how many lines may wait for their results.
const pendingLines = 1 << 16

// scoreStream scores the lines that feed puts, and takes their results in the same order with collectResults. feed
// runs in a goroutine of its own, so that lines are read while results are taken. The error is that
// of the scorer or the output, else the one of feed's input. path is the name of the input.
func (j *job) scoreStream(ctx context.Context, path string, feed func(context.Context, putFunc) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var s scorer
	if j.remote != nil {
		if s, err = j.remote.stream(ctx, j); err != nil {
			return err
		}
	} else {
		options := *j.options
		options.NoJSON = j.foreignFormat || len(j.cmd.Dumps) > 1 // the scorer makes no JSON of results: addOrigin does
		s = j.core.Queue.Stream(ctx, &options)
	}
	pending := make(chan pendingLine, pendingLines)
	feedErr := make(chan error, 1)
	go func() {
		defer s.End()
		err := feed(ctx, j.putTo(ctx, s, pending))
		if err == errGivenUp { // collectResults has the scorer's own error
			err = nil
		}
		feedErr <- err
	}()
	if err := j.collectResults(s, path, pending); err != nil {
		return err // feed may still wait for its input; it ends with the process
	}
	return <-feedErr
}

// nameInResults returns the name of a dump for results and messages, "" if it is the only one of the run.
func (j *job) nameInResults(path string) string {
	if len(j.cmd.Dumps) == 1 {
		return ""
	}
	return path
}
