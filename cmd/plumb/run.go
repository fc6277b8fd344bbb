package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/daemon/ledger"
	"plumb/daemon/report"
	"plumb/daemon/runs"
	"plumb/scoring/aspire/scenario"
	"plumb/scoring/plural"
)

// runCmd is `plumb run`.
type runCmd struct {
	Suite string `arg:"" help:"Suite (benchmark): ${suites}."`
	Out   string `placeholder:"DIR" help:"Folder of the run. A run that ended early goes on there with the same command. Default: runs/SUITE/MODEL."`

	ModelURL       string `name:"model-url" placeholder:"URL" group:"model" help:"Base address of an OpenAI-compatible chat endpoint (https://HOST/v1)."`
	Model          string `placeholder:"NAME" required:"" group:"model" help:"The model's name at the endpoint."`
	ModelKeyEnv    string `default:"PLUMB_MODEL_KEY" placeholder:"NAME" group:"model" help:"Environment variable that holds the endpoint's key. The key is sent to the endpoint and nowhere else."`
	ModelKeyHeader string `placeholder:"NAME" group:"model" help:"HTTP header that carries the key. Default: Authorization, as Bearer KEY."`
	System         string `type:"existingfile" placeholder:"FILE" group:"model" help:"File with a system message. Default: none, as in the papers."`
	ImageDetail    string `placeholder:"low|high|auto" group:"model" help:"How precisely the endpoint looks at pictures (the API's member detail). Default: none is sent."`

	Tasks      string   `placeholder:"FILE" group:"tasks" help:"The benchmark's task file. ASPIRE needs none: it makes --count scenes of each test from --seed."`
	Seed       string   `default:"0" placeholder:"N" group:"tasks" help:"Seed of generated tasks (ASPIRE), or of the options and solved instances (TangramPuzzle)."`
	Count      int      `default:"25" placeholder:"N" group:"tasks" help:"ASPIRE: number of scenes to generate for each test."`
	Level      string   `default:"mixed" placeholder:"LEVEL" group:"tasks" help:"ASPIRE: difficulty of generated scenes: mixed, graded, easy, medium or hard."`
	Tests      []string `aliases:"test" placeholder:"TEST" group:"tasks" help:"Tests to ask, separated by commas. Default: all tests of ASPIRE; solution of TangramPuzzle."`
	Only       []string `placeholder:"ID" group:"tasks" help:"Ids of the tasks to ask, separated by commas. Default: all."`
	Limit      int      `placeholder:"N" group:"tasks" help:"Ask only the first N tasks of each test or subcategory. Default: all."`
	Sample     int      `placeholder:"N" group:"tasks" help:"Ask only N tasks of each test or subcategory, drawn at random by --sample-seed. Default: all."`
	SampleSeed int64    `default:"42" placeholder:"N" group:"tasks" help:"Seed of --sample."`
	Repeats    int      `default:"1" placeholder:"K" group:"tasks" help:"How often each task is asked."`

	Mode    []string `placeholder:"MODE" group:"arms" help:"default, cot (think step by step), reasoning. Several values of several flags multiply: --mode default,cot --input full,minimal asks each task in four ways."`
	Input   []string `placeholder:"INPUT" group:"arms" help:"ASPIRE: full, minimal, scaffold (see plumb prompt --help). SPATIALAB and SpaCE-Eval: full, blind (without the picture)."`
	Setting []string `placeholder:"SETTING" group:"arms" help:"TangramPuzzle: zero-shot, in-context, visual-centric (see plumb prompt --help)."`
	Format  []string `placeholder:"FORMAT" group:"arms" help:"SPATIALAB: mcq (with options), open (without)."`
	Method  []string `placeholder:"METHOD" group:"arms" help:"SPATIALAB: direct, cot, self-reflection, xolver."`

	episodeFlags
	sendFlags
	paceFlags
	spendFlags

	DryRun            bool          `group:"look" help:"Print the number of calls, their tokens and a range of the cost. Send and write nothing."`
	Print             *int          `placeholder:"N" group:"look" help:"Print the first N requests, with hashes for pictures. Send and write nothing."`
	NoCalls           bool          `group:"look" help:"Make no calls: write the dump, results and report of the answers that there are."`
	Batch             bool          `group:"batch" help:"Make the calls through the endpoint's batch API (that of OpenAI), at half the price and within a day. An interrupt leaves batches running, and the same command takes them up again."`
	BatchCancel       bool          `group:"batch" help:"Cancel the running batches, keep what they answered, and begin none."`
	BatchPoll         time.Duration `default:"15s" placeholder:"TIME" group:"batch" help:"Time between the first two looks at a batch. It grows to eight times as long."`
	RetryFailed       bool          `help:"Ask again what the endpoint refused or failed to answer."`
	ReasoningAsAnswer bool          `help:"Take the reasoning as the answer where an answer has no text."`
	KeepReasoning     string        `enum:"yes,no" default:"yes" help:"Keep reasoning in the log of calls: yes or no."`

	Variant []string `sep:"none" placeholder:"NAME[=VALUE]" group:"scoring" help:"Named variant of the scoring rules; may be repeated. An unknown name, such as list, prints all names."`
	Reward  string   `enum:"raw,clamp01,clamp11" default:"clamp01" group:"scoring" help:"How the reward follows from the score: raw (the score itself), clamp01 (limited to 0..1) or clamp11 (limited to -1..1)."`
	paperFlags
	successFlag
	judgeFlags
}

// paceFlags bound how fast calls are made.
type paceFlags struct {
	Concurrency count         `default:"32" placeholder:"N" group:"pace" help:"Maximum number of calls at the same time. The number starts at 4, grows with answers and is halved when the endpoint is overloaded."`
	RPM         int64         `name:"rpm" placeholder:"N" group:"pace" help:"Maximum number of calls per minute. Default: no limit."`
	TPM         int64         `name:"tpm" placeholder:"N" group:"pace" help:"Maximum number of tokens per minute. Default: no limit."`
	Timeout     time.Duration `default:"10m" placeholder:"TIME" group:"pace" help:"Longest wait for one reply."`
	Deadline    time.Duration `default:"30m" placeholder:"TIME" group:"pace" help:"Longest time of one call with all its retries and waits."`
	Tries       count         `default:"6" placeholder:"N" group:"pace" help:"Maximum number of attempts of one call. Waits that the endpoint asks for do not count."`
	Stream      bool          `group:"pace" help:"Let replies come in pieces, for endpoints that close silent connections."`
}

// spendFlags bound what the folder's calls may cost.
type spendFlags struct {
	Price    string `placeholder:"IN:OUT[:CACHED]" group:"money" help:"Price in USD per million tokens of prompts, of replies and of cached prompts, such as 0.30:2.50. Costs that the endpoint reports take precedence."`
	Prices   string `type:"existingfile" placeholder:"FILE" group:"money" help:"File of prices by model, in USD per million tokens: {\"MODEL\":{\"in\",\"out\",\"cached\",\"batch\"}}."`
	MaxCost  *money `placeholder:"USD" group:"money" help:"Maximum cost of all calls of the folder, those of earlier runs included. Needs --price or --prices, except with --provider openrouter, which reports costs. Default: no limit."`
	MaxCalls int64  `placeholder:"N" group:"money" help:"Maximum number of calls of the folder. Default: no limit."`
	MaxTotal int64  `name:"max-total-tokens" placeholder:"N" group:"money" help:"Maximum number of tokens of the folder, prompts and replies together. Default: no limit."`
}

// Run asks a model about the tasks of a benchmark, writes its answers as a dump into the folder of the
// run, and scores them. What was answered is scored even where calls are missing, and the error then says
// why they are missing. It removes the key of the model's endpoint from the environment, so that no child
// process gets it. See docs/spec/runs.md#r38.
func (cmd *runCmd) Run(std streams) (err error) {
	_, isKeySet := os.LookupEnv(cmd.ModelKeyEnv) // before TakeKey removes it
	key, _ := chat.TakeKey(cmd.ModelKeyEnv)
	if cmd.ModelURL == "" && !cmd.DryRun && cmd.Print == nil && !cmd.NoCalls {
		return usage("cannot run without an endpoint: want --model-url URL, or one of --dry-run, --print N and --no-calls")
	}
	switch {
	case cmd.Model == "":
		return usage("cannot use --model \"\": want the model's name at the endpoint")
	case cmd.Print != nil && *cmd.Print < 1:
		return usage("cannot use --print %d: want a number of requests from 1", *cmd.Print)
	case cmd.MaxCost != nil && cmd.Price == "" && cmd.Prices == "" && cmd.Provider != "openrouter":
		return usage("cannot use --max-cost without a price: want --price IN:OUT or --prices FILE, or --max-total-tokens instead " +
			"(only --provider openrouter reports what calls cost)")
	case !isKeySet && cmd.ModelKeyEnv != "PLUMB_MODEL_KEY":
		return usage("cannot use --model-key-env %s: the environment variable is not set", cmd.ModelKeyEnv)
	}
	if cmd.ModelURL != "" {
		if err := chat.Check(chat.Config{URL: cmd.ModelURL}); err != nil {
			return usageError{err}
		}
	}
	if cmd.Out == "" {
		cmd.Out = filepath.Join("runs", cmd.Suite, fileName(cmd.Model))
	}
	// Read the tasks and the settings.
	lookOnly := cmd.DryRun || cmd.Print != nil
	preparedRun, err := cmd.prepare(lookOnly)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, preparedRun.close()) }()
	for _, message := range preparedRun.leftOut {
		fmt.Fprintf(std.err, "plumb: %s\n", message)
	}
	if lookOnly {
		return cmd.printPlan(std, preparedRun)
	}
	// Open the folder of the run, which one process uses at a time.
	lock, err := cmd.openFolder(preparedRun)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if preparedRun.run, err = runs.New(preparedRun.config, preparedRun.calls); err != nil {
		return usageError{err}
	}
	ctx, stop := signalContext()
	defer stop()
	if key == "" && cmd.ModelURL != "" && !cmd.NoCalls && !loopback(cmd.ModelURL) {
		fmt.Fprintf(std.err, "plumb: no key is sent: the environment variable %s is not set (--model-key-env names another)\n", cmd.ModelKeyEnv)
	}
	// Ask what the log of calls lacks.
	var callsErr error // why calls are missing
	preparedRun.spent = preparedRun.calls.Spent()
	if n := preparedRun.spent.Calls; n > 0 {
		fmt.Fprintf(std.err, "plumb: %s holds %s not made again; looking for what is missing\n", cmd.Out, plural.Of(n, "call, which is", "calls, which are"))
	}
	if !cmd.NoCalls {
		callsErr = cmd.makeCalls(ctx, std, preparedRun, key)
	}
	// Score what was answered, also after an early end.
	scoreErr := cmd.scoreAnswers(std, preparedRun)
	switch {
	case ctx.Err() != nil && callsErr != nil:
		return errors.Join(interruption{fmt.Errorf("interrupted; the same command goes on: %w", callsErr)}, scoreErr)
	case callsErr != nil:
		return errors.Join(callsErr, scoreErr)
	}
	return scoreErr
}

// preparedRun is a run with all that it needs.
type preparedRun struct {
	config  runs.Config
	run     *runs.Run
	calls   *runs.Calls
	arms    []ask.Arm
	leftOut []string // messages on tasks and arms that are left out
	tasks   []byte   // the task file as it was used
	boards  *ask.Boards
	price   *budget.Price
	spent   budget.Spent // by all calls of the folder
	scorer  *turnScorer  // of first turns; nil for suites of one turn
}

// close closes what `plumb run` has opened: the log of calls, the renderer of prompts and the scorer of turns.
func (run *preparedRun) close() (err error) {
	if run.calls != nil {
		err = run.calls.Close()
	}
	if run.boards != nil {
		err = errors.Join(err, run.boards.Close())
	}
	if run.scorer != nil {
		err = errors.Join(err, run.scorer.close())
	}
	return err
}

// prepare reads the tasks and settings of `plumb run`, and the ways of asking (arms). It makes nothing in
// the run's folder. lookOnly is true for --dry-run and --print, which write no report. After an error it
// has closed what it opened.
func (cmd *runCmd) prepare(lookOnly bool) (run *preparedRun, err error) {
	run = &preparedRun{}
	defer func() {
		if err != nil {
			err = errors.Join(err, run.close())
		}
	}()
	if cmd.Repeats < 1 || cmd.Limit < 0 || cmd.Sample < 0 {
		return run, usage("cannot use --repeats %d, --limit %d and --sample %d: want repeats from 1 and the others from 0",
			cmd.Repeats, cmd.Limit, cmd.Sample)
	}
	if !lookOnly { // the report comes after all calls are paid for, so that it can be made is checked first
		if err := report.Ready(); err != nil {
			return run, err
		}
	}
	// The tasks and the ways in which they are asked.
	options := ask.Options{Modes: cmd.Mode, Inputs: cmd.Input, Settings: cmd.Setting, Formats: cmd.Format, Methods: cmd.Method, Tests: cmd.Tests}
	if err := cmd.checkEpisodes(); err != nil {
		return run, err
	}
	source, err := cmd.requestSource(run, options)
	if err != nil {
		return run, err
	}
	if source, err = cmd.withEpisodes(run, source); err != nil { // the same source without --episodes
		return run, err
	}
	if run.arms, run.leftOut, err = source.Arms(options); err != nil {
		return run, usageError{err}
	}
	// What is sent with each request, and what it costs.
	settings, err := cmd.sendFlags.settingsByArm(cmd.Suite, run.arms)
	if err != nil {
		return run, err
	}
	if run.price, err = cmd.spendFlags.price(cmd.Model); err != nil {
		return run, err
	}
	system := ""
	if cmd.System != "" {
		data, err := os.ReadFile(cmd.System)
		if err != nil {
			return run, fmt.Errorf("cannot read system message: %w", err)
		}
		system = strings.TrimRight(string(data), "\n")
	}
	run.config = runs.Config{Suite: cmd.Suite, Source: source, Arms: run.arms, Repeats: cmd.Repeats,
		Model: cmd.Model, System: system, Settings: settings,
		Choice:  runs.Choice{Only: cmd.Only, Limit: cmd.Limit, Sample: cmd.Sample, Seed: cmd.SampleSeed},
		Workers: int(cmd.Concurrency), RetryFailed: cmd.RetryFailed, KeepReasoning: cmd.KeepReasoning == "yes",
		ReasoningText: cmd.ReasoningAsAnswer, Picture: cmd.keepPicture, Kept: cmd.keptPicture}
	return run, nil
}

// loopback reports whether a URL's host is this machine itself: localhost or a loopback address.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// price returns the model's price from --price or from the file of --prices, or nil if neither is
// given. A file without the model is a usageError.
func (flags *spendFlags) price(model string) (*budget.Price, error) {
	switch {
	case flags.Price != "" && flags.Prices != "":
		return nil, usage("cannot use --price with --prices: want one of them")
	case flags.Price != "":
		price, err := budget.ParsePrice(flags.Price)
		if err != nil {
			return nil, usage("cannot use --price: %v", err)
		}
		return price, nil
	case flags.Prices != "":
		data, err := os.ReadFile(flags.Prices)
		if err != nil {
			return nil, fmt.Errorf("cannot read prices: %w", err)
		}
		price, err := budget.ReadPrices(data, model)
		if err != nil {
			return nil, usage("cannot use --prices %s: %v", flags.Prices, err)
		}
		return price, nil
	}
	return nil, nil
}

// limits returns the bounds on what all calls of a run's folder may spend: the number of calls, tokens and
// USD. 0 is no bound.
func (flags *spendFlags) limits() budget.Limits {
	limits := budget.Limits{Calls: flags.MaxCalls, Tokens: flags.MaxTotal}
	if flags.MaxCost != nil {
		limits.Cost = float64(*flags.MaxCost)
	}
	return limits
}

// openFolder makes the folder of the run, takes its lock, writes run.json and the tasks, and opens the
// log of calls. A folder that holds another run is a usageError that names what differs, and so is
// one that another process uses.
func (cmd *runCmd) openFolder(run *preparedRun) (*ledger.Lock, error) {
	if err := os.MkdirAll(filepath.Join(cmd.Out, "images"), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make folder: %w", err)
	}
	lock, err := ledger.LockFolder(cmd.Out)
	if errors.Is(err, ledger.ErrLocked) {
		return nil, usage("cannot use --out %s: %v", cmd.Out, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use --out %s: %w", cmd.Out, err)
	}
	if err = cmd.openRecord(run); err == nil {
		run.calls, err = runs.OpenCalls(filepath.Join(cmd.Out, "calls.jsonl"))
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// makeCalls makes the calls to the model that the folder's log of calls lacks, one by one or in batches, and
// shows the progress. The error says why some calls are missing; the first failures are printed. It sets
// preparedRun.spent to what all calls of the folder cost. key is that of the endpoint.
func (cmd *runCmd) makeCalls(ctx context.Context, std streams, preparedRun *preparedRun, key string) error {
	price := preparedRun.price
	if cmd.Batch && price != nil {
		price = price.InBatch() // batches are cheaper
	}
	// The client, which counts what calls cost.
	meter := budget.New(cmd.limits(), price, preparedRun.calls.Spent(), nil)
	client, err := chat.New(chat.Config{URL: cmd.ModelURL, Key: key, KeyHeader: cmd.ModelKeyHeader,
		Hints:       true, // errors name the flag that helps
		Probe:       true, // the first call waits until a connection can be opened
		Concurrency: int(cmd.Concurrency), RPM: cmd.RPM, TPM: cmd.TPM, Tries: int(cmd.Tries), Timeout: cmd.Timeout,
		Deadline: cmd.Deadline, Stream: cmd.Stream, Meter: meter})
	if err != nil {
		return usageError{err}
	}
	defer client.Close()
	// Show the progress, and on an interrupt what happens then.
	stopProgress := cmd.showProgress(std, preparedRun, client)
	removeMessage := context.AfterFunc(ctx, func() {
		fmt.Fprintf(std.err, "plumb: interrupted; waiting for %s under way (at most %s); a second interrupt ends at once\n",
			plural.Of(client.Status().Calls, "call"), cmd.Timeout)
	})
	defer removeMessage()
	// Make the calls.
	var failures []runs.Failure
	if cmd.Batch || cmd.BatchCancel {
		const slowest = 8 // the time between two looks at a batch grows up to this many times --batch-poll
		failures, err = preparedRun.run.AskBatches(ctx, client, runs.BatchConfig{Dir: cmd.Out, Key: key, Meter: meter, Price: price,
			Cancel: cmd.BatchCancel, Poll: cmd.BatchPoll, Slow: slowest * cmd.BatchPoll,
			Tell: func(s string) { fmt.Fprintf(std.err, "plumb: %s\n", s) }})
	} else {
		failures, err = preparedRun.run.Ask(ctx, client)
	}
	stopProgress()
	preparedRun.spent = client.Spent()
	// Print the first failures.
	const printed = 5
	for i, failure := range failures {
		if i == printed {
			fmt.Fprintf(std.err, "plumb: %s could not be asked\n", plural.Of(len(failures)-printed, "more task"))
			break
		}
		fmt.Fprintf(std.err, "plumb: %s: %s\n", failure.Task, oneLine(failure.Err))
	}
	if err == nil && len(failures) > 0 {
		err = fmt.Errorf("%s could not be asked; the first is %s: %w", plural.Of(len(failures), "task"), failures[0].Task, failures[0].Err)
	}
	return err
}

// aspireLines returns the tasks of an ASPIRE run that has no task file, as JSON lines: those that `plumb
// aspire generate` makes, of all tests. --tests chooses among them later, because the tasks of a run's
// folder must be the same whichever tests a command asks about.
func (cmd *runCmd) aspireLines() (lines [][]byte, err error) {
	generateCmd := aspireGenerateCmd{Seed: cmd.Seed, Count: cmd.Count, Level: cmd.Level}
	seed, tests, err := generateCmd.check()
	if err != nil {
		return nil, err
	}
	for _, test := range tests {
		for i := range cmd.Count {
			line, err := aspireTask(seed, test, i, scenario.Level(cmd.Level))
			if err != nil {
				return nil, err
			}
			lines = append(lines, line[:len(line)-1]) // without its line break
		}
	}
	return lines, nil
}
