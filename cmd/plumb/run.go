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
)

// runCmd is `plumb run`.
type runCmd struct {
	Suite string `arg:"" help:"Benchmark: aspire, drawingbench, tangram, spatialab or spaceeval."`
	Out   string `placeholder:"DIR" help:"Folder of the run. A run that ended in any way goes on there. Default: runs/SUITE/MODEL."`

	ModelURL       string `name:"model-url" placeholder:"URL" group:"model" help:"Base address of an OpenAI-compatible endpoint (https://HOST/v1)."`
	Model          string `placeholder:"NAME" required:"" group:"model" help:"The model's name at the endpoint."`
	ModelKeyEnv    string `default:"PLUMB_MODEL_KEY" placeholder:"NAME" group:"model" help:"Environment variable that holds the endpoint's key. It is sent to the endpoint and nowhere else."`
	ModelKeyHeader string `placeholder:"NAME" group:"model" help:"Header that bears the key. Default: Authorization, with Bearer."`
	System         string `type:"existingfile" placeholder:"FILE" group:"model" help:"File with a system message. Default: none, as in the papers."`
	ImageDetail    string `placeholder:"low|high|auto" group:"model" help:"How precisely the endpoint looks at pictures. Default: not sent."`

	Tasks      string   `placeholder:"FILE" group:"tasks" help:"The benchmark's tasks. ASPIRE needs none: 25 of each test from --seed."`
	Seed       string   `default:"0" placeholder:"N" group:"tasks" help:"Seed of tasks that are made (ASPIRE), or of options and solved instances (TangramPuzzle)."`
	Count      int      `default:"25" placeholder:"N" group:"tasks" help:"ASPIRE scenes of each test that are made."`
	Level      string   `default:"mixed" placeholder:"LEVEL" group:"tasks" help:"ASPIRE: mixed, graded, easy, medium or hard."`
	Tests      []string `aliases:"test" placeholder:"TEST,..." group:"tasks" help:"Tests to ask. Default: all; TangramPuzzle: solution."`
	Only       []string `placeholder:"ID,..." group:"tasks" help:"Ids of tasks to ask."`
	Limit      int      `placeholder:"N" group:"tasks" help:"First N tasks of each test or subcategory."`
	Sample     int      `placeholder:"N" group:"tasks" help:"N tasks of each test or subcategory, drawn by --sample-seed."`
	SampleSeed int64    `default:"42" placeholder:"N" group:"tasks" help:"Seed of --sample."`
	Repeats    int      `default:"1" placeholder:"K" group:"tasks" help:"How often each task is asked."`

	Mode    []string `placeholder:"MODE,..." group:"arms" help:"default, cot, reasoning. Arms multiply: --mode default,cot --input full,minimal makes four."`
	Input   []string `placeholder:"INPUT,..." group:"arms" help:"ASPIRE: full, minimal, scaffold. SPATIALAB and SpaCE-Eval: full, blind."`
	Setting []string `placeholder:"SETTING,..." group:"arms" help:"TangramPuzzle: zero-shot, in-context, visual-centric."`
	Format  []string `placeholder:"FORMAT,..." group:"arms" help:"SPATIALAB: mcq, open."`
	Method  []string `placeholder:"METHOD,..." group:"arms" help:"SPATIALAB: direct, cot, self-reflection, xolver."`

	episodeFlags
	sendFlags
	paceFlags
	spendFlags

	DryRun            bool          `group:"look" help:"Print the calls that there would be, tokens and a range of cost; send and write nothing."`
	Print             *int          `placeholder:"N" group:"look" help:"Print the first N requests, pictures as their hashes; send and write nothing."`
	NoCalls           bool          `group:"look" help:"Make no calls: write the dump, results and report of what was answered."`
	Batch             bool          `group:"batch" help:"Make the calls by batches of the endpoint (OpenAI's batch API): at half the price, within a day. An interrupt leaves them running, and the same command takes them up."`
	BatchCancel       bool          `group:"batch" help:"Cancel the batches that run, keep what they answered, and begin none."`
	BatchPoll         time.Duration `default:"15s" placeholder:"TIME" group:"batch" help:"First time between two looks at a batch; it grows to eight times as long."`
	RetryFailed       bool          `help:"Ask again what the endpoint refused or failed to answer."`
	ReasoningAsAnswer bool          `help:"Where an answer has no text, its reasoning is the answer."`
	KeepReasoning     string        `enum:"yes,no" default:"yes" help:"Keep the reasoning in the log of calls: yes or no."`

	Variant []string `sep:"none" placeholder:"NAME[=VALUE]" group:"scoring" help:"Named variant of the scoring rules; repeatable."`
	Reward  string   `enum:"raw,clamp01,clamp11" default:"clamp01" group:"scoring" help:"How the reward follows from the score."`
	paperFlags
	successFlag
	judgeFlags
}

// paceFlags bound how fast calls are made.
type paceFlags struct {
	Concurrency count         `default:"32" placeholder:"N" group:"pace" help:"Most calls at once. The number starts at 4, grows with answers and is halved when the endpoint is overloaded."`
	RPM         int64         `name:"rpm" placeholder:"N" group:"pace" help:"Most calls per minute."`
	TPM         int64         `name:"tpm" placeholder:"N" group:"pace" help:"Most tokens per minute."`
	Timeout     time.Duration `default:"10m" placeholder:"TIME" group:"pace" help:"Longest wait for one reply."`
	Deadline    time.Duration `default:"30m" placeholder:"TIME" group:"pace" help:"Longest time of one call with all its tries and waits."`
	Tries       count         `default:"6" placeholder:"N" group:"pace" help:"Attempts per call; waits that the endpoint asks for do not count."`
	Stream      bool          `group:"pace" help:"Let replies come in pieces, for endpoints that close idle connections."`
}

// spendFlags bound what the folder's calls may cost.
type spendFlags struct {
	Price    string `placeholder:"IN:OUT[:CACHED]" group:"money" help:"USD per million tokens. Costs that the endpoint reports win."`
	Prices   string `type:"existingfile" placeholder:"FILE" group:"money" help:"Prices by model: {\"MODEL\":{\"in\",\"out\",\"cached\",\"batch\"}}."`
	MaxCost  *money `placeholder:"USD" group:"money" help:"Most that all calls of the folder may cost, those of earlier runs too. It needs --price or --prices, but with --provider openrouter, which reports costs."`
	MaxCalls int64  `placeholder:"N" group:"money" help:"Most calls of the folder."`
	MaxTotal int64  `name:"max-total-tokens" placeholder:"N" group:"money" help:"Most tokens of the folder, prompts and replies."`
}

// Run asks the model, and scores what it said. See docs/spec/runs.md#r38.
func (c *runCmd) Run(std streams) (err error) {
	key, _ := chat.TakeKey(c.ModelKeyEnv)
	if c.ModelURL == "" && !c.DryRun && c.Print == nil && !c.NoCalls {
		return usage("cannot run: want --model-url, or --dry-run, --print or --no-calls")
	}
	_, set := os.LookupEnv(c.ModelKeyEnv)
	switch {
	case c.Model == "":
		return usage("cannot use --model \"\": want the model's name at the endpoint")
	case c.Print != nil && *c.Print < 1:
		return usage("cannot use --print %d: want a number of requests from 1", *c.Print)
	case c.MaxCost != nil && c.Price == "" && c.Prices == "" && c.Provider != "openrouter":
		return usage("cannot use --max-cost without a price: want --price IN:OUT or --prices FILE, or --max-total-tokens (openrouter alone reports what calls cost)")
	case !set && key == "" && c.ModelKeyEnv != "PLUMB_MODEL_KEY":
		return usage("cannot use --model-key-env %s: the variable is not set", c.ModelKeyEnv)
	}
	if c.ModelURL != "" {
		if err := chat.Check(chat.Config{URL: c.ModelURL}); err != nil {
			return usageError{err}
		}
	}
	if c.Out == "" {
		c.Out = filepath.Join("runs", c.Suite, fileName(c.Model))
	}
	look := c.DryRun || c.Print != nil
	p, err := c.prepare(look)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, l := range p.left {
		fmt.Fprintf(std.err, "plumb: %s\n", l)
	}
	if look {
		return c.look(std, p)
	}
	lock, err := c.openFolder(p)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if p.run, err = runs.New(p.config, p.calls); err != nil {
		return usageError{err}
	}
	ctx, stop := signalContext()
	defer stop()
	if key == "" && c.ModelURL != "" && !c.NoCalls && !loopback(c.ModelURL) {
		fmt.Fprintf(std.err, "plumb: no key is sent: the environment has no %s (--model-key-env names another)\n", c.ModelKeyEnv)
	}
	var early error
	p.spent = p.calls.Spent()
	if n := p.spent.Calls; n > 0 {
		fmt.Fprintf(std.err, "plumb: %s holds %d calls; making the requests again to see what is missing\n", c.Out, n)
	}
	if !c.NoCalls {
		early = c.ask(ctx, std, p, key)
	}
	derived := c.derive(std, p)
	switch {
	case ctx.Err() != nil && early != nil:
		return errors.Join(interruption{fmt.Errorf("interrupted; the same command goes on: %w", early)}, derived)
	case early != nil:
		return errors.Join(early, derived)
	}
	return derived
}

// prepared is a run with all that it needs.
type preparedRun struct {
	config runs.Config
	run    *runs.Run
	calls  *runs.Calls
	arms   []ask.Arm
	left   []string
	tasks  []byte // the task file as it was used
	boards *ask.Boards
	price  *budget.Price
	spent  budget.Spent // by all calls of the folder
	scorer *turnScorer  // of first turns; nil for suites of one turn
}

// close closes what `plumb run` has opened: the log of calls, the renderer of prompts and the
// scorer of turns.
func (p *preparedRun) close() (err error) {
	if p.calls != nil {
		err = p.calls.Close()
	}
	if p.boards != nil {
		err = errors.Join(err, p.boards.Close())
	}
	if p.scorer != nil {
		err = errors.Join(err, p.scorer.close())
	}
	return err
}

// prepare reads the tasks, arms and settings of `plumb run`.
func (c *runCmd) prepare(look bool) (p *preparedRun, err error) {
	p = &preparedRun{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if c.Repeats < 1 || c.Limit < 0 || c.Sample < 0 {
		return p, usage("cannot use --repeats %d, --limit %d, --sample %d: want repeats from 1 and the others from 0", c.Repeats, c.Limit, c.Sample)
	}
	if !look { // --print makes no report
		if err := report.Ready(); err != nil {
			return p, err
		}
	}
	o := ask.Options{Modes: c.Mode, Inputs: c.Input, Settings: c.Setting, Formats: c.Format, Methods: c.Method, Tests: c.Tests}
	if err := c.checkEpisodes(); err != nil {
		return p, err
	}
	source, err := c.source(p, o)
	if err != nil {
		return p, err
	}
	if source, err = c.episodes(p, source); err != nil {
		return p, err
	}
	if p.arms, p.left, err = source.Arms(o); err != nil {
		return p, usageError{err}
	}
	settings, err := c.sendFlags.sender(c.Suite, p.arms)
	if err != nil {
		return p, err
	}
	if p.price, err = c.spendFlags.price(c.Model); err != nil {
		return p, err
	}
	system := ""
	if c.System != "" {
		b, err := os.ReadFile(c.System)
		if err != nil {
			return p, fmt.Errorf("cannot read system message: %w", err)
		}
		system = strings.TrimRight(string(b), "\n")
	}
	p.config = runs.Config{Suite: c.Suite, Source: source, Arms: p.arms, Repeats: c.Repeats, Model: c.Model, System: system, Settings: settings,
		Choice:  runs.Choice{Only: c.Only, Limit: c.Limit, Sample: c.Sample, Seed: c.SampleSeed},
		Workers: int(c.Concurrency), RetryFailed: c.RetryFailed, KeepReasoning: c.KeepReasoning == "yes", ReasoningText: c.ReasoningAsAnswer,
		Picture: c.keepPicture, Kept: c.keptPicture}
	return p, nil
}

// loopback reports whether an address is of this machine.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// price returns the price of the model, nil where none was given.
func (f *spendFlags) price(model string) (*budget.Price, error) {
	switch {
	case f.Price != "" && f.Prices != "":
		return nil, usage("cannot use --price beside --prices: want one of them")
	case f.Price != "":
		p, err := budget.ParsePrice(f.Price)
		if err != nil {
			return nil, usage("cannot use --price: %v", err)
		}
		return p, nil
	case f.Prices != "":
		b, err := os.ReadFile(f.Prices)
		if err != nil {
			return nil, fmt.Errorf("cannot read prices: %w", err)
		}
		p, err := budget.ReadPrices(b, model)
		if err != nil {
			return nil, usage("cannot use --prices %s: %v", f.Prices, err)
		}
		return p, nil
	}
	return nil, nil
}

// limits are the bounds on what may be spent.
func (f *spendFlags) limits() budget.Limits {
	l := budget.Limits{Calls: f.MaxCalls, Tokens: f.MaxTotal}
	if f.MaxCost != nil {
		l.Cost = float64(*f.MaxCost)
	}
	return l
}

// openFolder makes the folder of the run, takes its lock and opens its log. A folder that
// holds another run is a usageError that names what differs.
func (c *runCmd) openFolder(p *preparedRun) (*ledger.Lock, error) {
	if err := os.MkdirAll(filepath.Join(c.Out, "images"), 0o755); err != nil {
		return nil, fmt.Errorf("cannot make folder: %w", err)
	}
	lock, err := ledger.LockFolder(c.Out)
	if errors.Is(err, ledger.ErrLocked) {
		return nil, usage("cannot use --out %s: %v", c.Out, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use --out %s: %w", c.Out, err)
	}
	if err = c.openRecord(p); err == nil {
		p.calls, err = runs.OpenCalls(filepath.Join(c.Out, "calls.jsonl"))
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// ask makes the calls. The error says why some are missing.
func (c *runCmd) ask(ctx context.Context, std streams, p *preparedRun, key string) error {
	price := p.price
	if c.Batch && price != nil {
		price = price.InBatch()
	}
	meter := budget.New(c.limits(), price, p.calls.Spent(), nil)
	client, err := chat.New(chat.Config{URL: c.ModelURL, Key: key, KeyHeader: c.ModelKeyHeader, Hints: true, Probe: true,
		Concurrency: int(c.Concurrency), RPM: c.RPM, TPM: c.TPM, Tries: int(c.Tries), Timeout: c.Timeout, Deadline: c.Deadline, Stream: c.Stream,
		Meter: meter})
	if err != nil {
		return usageError{err}
	}
	defer client.Close()
	stop := c.showProgress(std, p, client)
	told := context.AfterFunc(ctx, func() {
		fmt.Fprintf(std.err, "plumb: interrupted; waiting for the %d calls under way (at most %s); once more ends at once\n", client.Status().Calls, c.Timeout)
	})
	defer told()
	var failures []runs.Failure
	if c.Batch || c.BatchCancel {
		failures, err = p.run.AskBatches(ctx, client, runs.BatchConfig{Dir: c.Out, Key: key, Meter: meter, Price: price, Cancel: c.BatchCancel,
			Poll: c.BatchPoll, Slow: 8 * c.BatchPoll, Tell: func(s string) { fmt.Fprintf(std.err, "plumb: %s\n", s) }})
	} else {
		failures, err = p.run.Ask(ctx, client)
	}
	stop()
	p.spent = client.Spent()
	const most = 5
	for i, f := range failures {
		if i == most {
			fmt.Fprintf(std.err, "plumb: %d more tasks could not be asked\n", len(failures)-most)
			break
		}
		fmt.Fprintf(std.err, "plumb: %s: %s\n", f.Task, oneLine(f.Err))
	}
	if err == nil && len(failures) > 0 {
		err = fmt.Errorf("%d tasks could not be asked; the first is %s: %w", len(failures), failures[0].Task, failures[0].Err)
	}
	return err
}

// aspireLines returns the tasks of an ASPIRE run without a task file.
func (c *runCmd) aspireLines() (lines [][]byte, err error) {
	g := aspireGenerateCmd{Seed: c.Seed, Count: c.Count, Level: c.Level} // --tests chooses among all
	seed, tests, err := g.check()
	if err != nil {
		return nil, err
	}
	for _, test := range tests {
		for i := range c.Count {
			line, err := aspireTask(seed, test, i, scenario.Level(c.Level))
			if err != nil {
				return nil, err
			}
			lines = append(lines, line[:len(line)-1])
		}
	}
	return lines, nil
}
