// Package judge asks a language model for verdicts on open answers, and keeps them. In:
// questions, and any endpoint that speaks the OpenAI chat format. Out: right or wrong, or
// a reason why there is no verdict; no failure ever becomes a wrong answer. What was
// answered is kept by its content and never asked again: by other questions in flight, by
// later runs, by other processes with the same folder. It refuses to go on where the
// endpoint refuses the request itself (a wrong key), where a budget ends, and where
// nobody answers for long. The key is sent to the endpoint and nowhere else.
package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/scoring"
)

// The defaults of a judge. See docs/spec/vqa.md#r38.
const (
	DefaultMaxTokens   = 1200
	DefaultConcurrency = 8
	DefaultTries       = 5
	DefaultTimeout     = time.Minute
	DefaultDeadline    = 10 * time.Minute
	DefaultBackoff     = time.Second
)

// ErrConfig marks a configuration that cannot be used.
var ErrConfig = errors.New("cannot use judge")

// configError is an error of the endpoint's configuration.
type configError struct{ error }

// Is makes errors.Is find ErrConfig in the error.
func (e configError) Is(target error) bool { return target == ErrConfig }

// What bounds the calls of a judge, and what they cost.
type (
	Budget = budget.Limits
	Price  = budget.Price
)

// Config of a judge. Zero values mean the defaults.
type Config struct {
	// URL is the base of the endpoint, "https://host/v1"; requests go to
	// URL/chat/completions.
	URL   string
	Model string
	Key   string // bearer token, "" for none
	// Read reads a verdict from a reply; ok is false where there is none.
	// It is called by many goroutines.
	Read        func(reply string) (right, ok bool)
	Cache       string // folder of the verdicts, "" to remember them for this process only
	Temperature float64
	MaxTokens   int           // of a reply, default 1200
	Fence       bool          // wrap the answer in lines that it cannot know; changes the published prompt
	Concurrency int           // calls at once, default 8
	Tries       int           // for one reply, default 5
	Timeout     time.Duration // of one try, default 1 min
	Deadline    time.Duration // of a question with all its tries and waits, default 10 min
	Backoff     time.Duration // mean wait after the first failure is half of it, default 1 s
	// Patience is how long questions wait for an endpoint that has stopped answering
	// before they are given up at once, 0 for not at all.
	Patience time.Duration
	// Halt lets a request that is refused for itself (400, 401, 404, ...) end all
	// judging: right for a run that a person watches. Otherwise 401, 403 and 404 count as
	// an endpoint that is down, and others concern their question alone. See
	// docs/spec/vqa.md#r40.
	Halt   bool
	Budget Budget
	Price  *Price // nil where the endpoint reports the cost, or no limit needs it
	DryRun bool   // count the calls that there would be, and make none
	Log    *slog.Logger
}

// Client asks one judge. It is safe for concurrent use.
type Client struct {
	cfg     Config
	chat    *chat.Client
	store   *store
	running sync.WaitGroup // flights

	mu      sync.Mutex // guards what follows
	flights map[digest]*flight
	closed  bool
	stats   Stats
}

// Stats are what a judge did so far.
type Stats struct {
	Asked   int64 // questions; each ends as one of the next four
	Cached  int64 // had its verdict already
	Shared  int64 // got that of an equal one in flight
	Judged  int64 // got a verdict by calls
	Failed  int64 // has none
	DryRun  int64 // calls that a dry run would make
	Unsaved int64 // verdicts that could not be written to the folder
	Unread  int64 // replies that were no verdict
	budget.Spent
}

// flight is a question under way.
type flight struct {
	done      chan struct{}
	judgement scoring.Judgement // once done is closed
	waiters   int               // Client.mu guards it, and calling
	calling   bool              // a call is under way: its reply is paid for
	cancel    context.CancelFunc
}

// New opens the folder of verdicts (Config.Cache) and returns a client, which Close must end. It makes no
// call. Errors wrap ErrConfig or are those of the file system, and never hold the key.
func New(cfg Config) (*Client, error) {
	if err := Check(cfg); err != nil {
		return nil, err
	}
	cfg = cfg.complete()
	client, err := chat.New(cfg.clientConfig())
	if err != nil {
		return nil, err
	}
	s, err := openStore(cfg.Cache)
	if err != nil {
		return nil, err
	}
	return &Client{cfg: cfg, chat: client, store: s, flights: map[digest]*flight{}}, nil
}

// Check reports whether a configuration can be used, and opens nothing. Errors wrap
// ErrConfig.
func Check(cfg Config) error {
	if cfg.Read == nil {
		return errors.New("BUG: judge without a reader of verdicts")
	}
	if err := chat.Check(cfg.clientConfig()); err != nil {
		return configError{err}
	}
	if cfg.Model == "" {
		return fmt.Errorf("%w: got no model; want --judge-model", ErrConfig)
	}
	return nil
}

// clientConfig returns the configuration of the client of the endpoint. See docs/spec/vqa.md#r39 and
// docs/spec/vqa.md#r40.
func (c Config) clientConfig() chat.Config {
	cfg := chat.Config{URL: c.URL, Key: c.Key, Name: "the judge", Flag: flagName,
		Concurrency: c.Concurrency,
		Fixed:       true, // always as many calls at once, whatever the endpoint can take
		Tries:       c.Tries,
		CountWaits:  true, // a try that the endpoint puts off is one of Tries
		Timeout:     c.Timeout,
		Deadline:    -1, // none for a call: a question may take several calls, and Config.Deadline is for them all
		Backoff:     c.Backoff, Patience: c.Patience, Policy: chat.GoOn,
		Meter:  budget.New(c.Budget, c.Price, budget.Spent{}, flagName),
		OnEnd:  func(err error) { c.Log.Error("judging ends", "error", err) },
		OnDown: func(err error) { c.Log.Error("the judge refuses all requests", "error", err) }}
	if c.Halt {
		cfg.Policy = chat.EndOnRefused
	}
	if c.Patience == 0 { // here: do not wait for an endpoint that is down; for the client: its default
		cfg.Patience = -1 // do not wait
	}
	return cfg
}

// flagName returns the judge's flag for a flag of `plumb run`, for messages: --judge-key-env for
// --model-key-env, --judge-tries for --tries.
func flagName(run string) string {
	return "--judge-" + strings.TrimPrefix(strings.TrimPrefix(run, "--"), "model-")
}

// complete returns the configuration with defaults in place of zero values.
func (c Config) complete() Config {
	c.MaxTokens = cmp.Or(c.MaxTokens, DefaultMaxTokens)
	c.Concurrency = cmp.Or(c.Concurrency, DefaultConcurrency)
	c.Tries = cmp.Or(c.Tries, DefaultTries)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Deadline = cmp.Or(c.Deadline, DefaultDeadline)
	c.Backoff = cmp.Or(c.Backoff, DefaultBackoff)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Known returns the verdict of a question that was answered before, without asking
// anybody and without waiting.
func (c *Client) Known(q *scoring.Question) (j scoring.Judgement, ok bool) {
	v, ok := c.store.get(c.digest(q))
	if !ok {
		return j, false
	}
	c.count(func(s *Stats) { s.Asked++; s.Cached++ })
	return v.judgement(), true
}

// Ask waits for the verdict of a question and returns it, or why there is none. Equal questions at the
// same time are asked once. The end of ctx ends the wait of the caller; a call that was made goes on,
// because its reply is paid for, and the next caller finds its verdict.
func (c *Client) Ask(ctx context.Context, q *scoring.Question) scoring.Judgement {
	r := c.request(q)
	f, err := c.join(r)
	if err != nil {
		return unjudged(err)
	}
	select {
	case <-f.done:
		return f.judgement
	case <-ctx.Done():
	}
	c.leave(f)
	return unjudged(errors.New("the judge did not answer in time"))
}

// join returns the flight of a question, which has one more waiter then: the one that another caller has
// begun, or a new one, which runs in a goroutine of its own. It fails after Close.
func (c *Client) join(request *request) (*flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Asked++
	if c.closed {
		c.stats.Failed++
		return nil, errors.New("the judge is shutting down")
	}
	if f := c.flights[request.key]; f != nil {
		f.waiters++
		return f, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Deadline)
	f := &flight{done: make(chan struct{}), waiters: 1, cancel: cancel}
	c.flights[request.key] = f
	c.running.Go(func() { c.finishFlight(ctx, f, request) })
	return f, nil
}

// leave ends a caller's wait for a verdict, which counts as failed. A flight that nobody waits for ends,
// unless a call is in progress, whose reply is paid for.
func (c *Client) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Failed++
	f.waiters--
	if f.waiters == 0 && !f.calling {
		f.cancel()
	}
}

// finishFlight resolves the question of a flight, gives the verdict to all callers that wait for it, and
// counts the outcome for each. Later callers begin a new flight.
func (c *Client) finishFlight(ctx context.Context, flight *flight, r *request) {
	defer flight.cancel()
	v, known, err := c.resolve(ctx, flight, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, r.key)
	n := int64(flight.waiters)
	switch {
	case err != nil:
		flight.judgement = unjudged(err)
		c.stats.Failed += n
	case known:
		flight.judgement = v.judgement()
		c.stats.Cached += n
	default:
		flight.judgement = v.judgement()
		if n > 0 { // one caller paid for the verdict, the others share it; those that left are counted
			c.stats.Judged++
			c.stats.Shared += n - 1
		}
	}
	close(flight.done)
}

// resolve returns the verdict of a question, from the folder, in which known is true, or from the judge.
// It claims the question first, so that of several processes with one folder only one asks. In a dry
// run it counts the call that there would be and returns an error. A panic is an error of this question.
func (c *Client) resolve(ctx context.Context, flight *flight, request *request) (verdict verdict, known bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("BUG: panic in a question to the judge", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("internal error; the log has the details")
		}
	}()
	release, err := c.store.claim(ctx, request.key)
	if err != nil {
		return verdict, false, err
	}
	defer release()
	if v, ok := c.store.get(request.key); ok { // another process may have asked while this one waited
		return v, true, nil
	}
	if c.cfg.DryRun {
		c.count(func(s *Stats) { s.DryRun++; s.PromptTokens += chat.Estimate(request.prompt) })
		return verdict, false, errors.New("a dry run makes no calls")
	}
	verdict, err = c.askUntilVerdict(ctx, flight, request)
	return verdict, false, err
}

// count changes the statistics under their lock.
func (c *Client) count(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
}

// Stats returns the counts so far.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	s := c.stats
	c.mu.Unlock()
	dryRunTokens := s.PromptTokens // the client of the endpoint counts all others
	s.Spent = c.chat.Spent()
	s.PromptTokens += dryRunTokens
	return s
}

// Width returns how many questions may usefully be asked at once: four times as many as calls, because
// some wait for their next try, and 1024 at most.
func (c *Client) Width() int { return min(4*c.cfg.Concurrency, 1024) }

// Halted returns why all judging has ended, nil where it has not.
func (c *Client) Halted() error { return c.chat.Halted() }

// closeTime is how long the end waits for replies that are paid for.
const closeTime = 5 * time.Second

// Close ends the client. It waits closeTime at most for the replies of calls under way, which are paid
// for, so that their verdicts are kept. All other questions end without a verdict.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	for _, f := range c.flights {
		if !f.calling {
			f.cancel()
		}
	}
	c.mu.Unlock()
	done := make(chan struct{})
	go func() { c.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(closeTime):
		c.mu.Lock()
		for _, f := range c.flights {
			f.cancel()
		}
		c.mu.Unlock()
		<-done
	}
	c.chat.Close()
	return c.store.close()
}

// unjudged returns the judgement of a question without a verdict.
func unjudged(err error) scoring.Judgement {
	return scoring.Judgement{Err: &scoring.Error{Code: "unjudged", Message: "cannot judge answer: " + err.Error()}}
}
