// Package judge asks a language model for verdicts on open answers, and keeps them. Open answers
// are free texts of a model that no rule can score. In: questions, each with an answer, and any
// endpoint that speaks the OpenAI chat format. Out: right or wrong, or a reason why there is
// no verdict; no failure ever becomes a wrong answer. A verdict is kept under a hash of all that it
// depends on, and never asked for again: not by equal questions at the same time, by later runs,
// or by other processes that keep verdicts in the same folder. It refuses to go on where the
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

	dryRunTokens int64 // estimated tokens of the prompts that a dry run did not send
}

// flight is a question under way.
type flight struct {
	settled   chan struct{}
	judgement scoring.Judgement // once settled is closed
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
	store, err := openStore(cfg.Cache)
	if err != nil {
		return nil, err
	}
	return &Client{cfg: cfg, chat: client, store: store, flights: map[digest]*flight{}}, nil
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

// clientConfig returns the configuration of the chat client that calls the endpoint. A refused request concerns
// its question alone (chat.GoOn) unless Halt is set. See docs/spec/vqa.md#r39 and docs/spec/vqa.md#r40.
func (config Config) clientConfig() chat.Config {
	cfg := chat.Config{
		URL: config.URL, Key: config.Key, Name: "the judge", Flag: flagName,
		Concurrency: config.Concurrency,
		Fixed:       true, // always as many calls at once, whatever the endpoint can take
		Tries:       config.Tries,
		CountWaits:  true, // a try that the endpoint puts off is one of Tries
		Timeout:     config.Timeout,
		Deadline:    -1, // none for a call: a question may take several calls, and Config.Deadline is for them all
		Backoff:     config.Backoff,
		Patience:    config.Patience,
		Policy:      chat.GoOn,
		Meter:       budget.New(config.Budget, config.Price, budget.Spent{}, flagName),
		OnEnd:       func(err error) { config.Log.Error("judging ends", "error", err) },
		OnDown:      func(err error) { config.Log.Error("the judge refuses all requests", "error", err) },
	}
	if config.Halt {
		cfg.Policy = chat.EndOnRefused
	}
	if config.Patience == 0 { // Config says 0 for no waiting, and chat.Config says -1
		cfg.Patience = -1
	}
	return cfg
}

// flagName returns the judge's flag for a flag of `plumb run`, for messages: --judge-key-env for
// --model-key-env, --judge-tries for --tries.
func flagName(run string) string {
	return "--judge-" + strings.TrimPrefix(strings.TrimPrefix(run, "--"), "model-")
}

// complete returns the configuration of a judge with defaults in place of zero values.
func (config Config) complete() Config {
	config.MaxTokens = cmp.Or(config.MaxTokens, DefaultMaxTokens)
	config.Concurrency = cmp.Or(config.Concurrency, DefaultConcurrency)
	config.Tries = cmp.Or(config.Tries, DefaultTries)
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	config.Deadline = cmp.Or(config.Deadline, DefaultDeadline)
	config.Backoff = cmp.Or(config.Backoff, DefaultBackoff)
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	return config
}

// Known returns the verdict of a question that was answered before, or ok false for a new question,
// without a call and without waiting. A question with a verdict counts as asked and as cached. A new one
// is not counted here, because the caller goes on to Ask, which counts it.
func (client *Client) Known(question *scoring.Question) (j scoring.Judgement, ok bool) {
	verdict, ok := client.store.get(client.digest(question))
	if !ok {
		return j, false
	}
	client.count(func(s *Stats) { s.Asked++; s.Cached++ })
	return verdict.judgement(), true
}

// Ask waits for the verdict of a question and returns it, or why there is none. Equal questions at the
// same time are asked once. The end of ctx ends the wait of the caller; a call that was made goes on,
// because its reply is paid for, and the next caller finds its verdict.
func (client *Client) Ask(ctx context.Context, question *scoring.Question) scoring.Judgement {
	r := client.request(question)
	flight, err := client.join(r)
	if err != nil {
		return unjudged(err)
	}
	select {
	case <-flight.settled:
		return flight.judgement
	case <-ctx.Done():
	}
	client.leave(flight)
	return unjudged(errors.New("the judge did not answer in time"))
}

// join returns the flight of a question, which has one more waiter then: the one that another caller has
// begun, or a new one, which runs in a goroutine of its own. It fails after Close.
func (client *Client) join(request *request) (*flight, error) {
	client.mu.Lock()
	defer client.mu.Unlock()
	client.stats.Asked++
	if client.closed {
		client.stats.Failed++
		return nil, errors.New("the judge is shutting down")
	}
	if f := client.flights[request.key]; f != nil {
		f.waiters++
		return f, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), client.cfg.Deadline)
	f := &flight{settled: make(chan struct{}), waiters: 1, cancel: cancel}
	client.flights[request.key] = f
	client.running.Go(func() { client.finishFlight(ctx, f, request) })
	return f, nil
}

// leave ends a caller's wait for a verdict, which counts as failed. A flight that nobody waits for ends,
// unless a call is in progress, whose reply is paid for.
func (client *Client) leave(flight *flight) {
	client.mu.Lock()
	defer client.mu.Unlock()
	client.stats.Failed++
	flight.waiters--
	if flight.waiters == 0 && !flight.calling {
		flight.cancel()
	}
}

// finishFlight resolves the question of a flight, gives the verdict to all callers that wait for it, and
// counts the outcome for each. There may be none left: leave has counted those that no longer wait. Later
// callers begin a new flight.
func (client *Client) finishFlight(ctx context.Context, flight *flight, request *request) {
	defer flight.cancel()
	verdict, known, err := client.resolve(ctx, flight, request)
	client.mu.Lock()
	defer client.mu.Unlock()
	delete(client.flights, request.key)
	waiters := int64(flight.waiters)
	switch {
	case err != nil:
		flight.judgement = unjudged(err)
		client.stats.Failed += waiters
	case known:
		flight.judgement = verdict.judgement()
		client.stats.Cached += waiters
	default:
		flight.judgement = verdict.judgement()
		if waiters > 0 { // one caller paid for the verdict, the others share it
			client.stats.Judged++
			client.stats.Shared += waiters - 1
		}
	}
	close(flight.settled)
}

// resolve returns the verdict of a question, from the folder, in which known is true, or from the judge.
// It claims the question first, so that of several processes with one folder only one asks. In a dry
// run it counts the call that there would be and returns an error. A panic is an error of this question.
func (client *Client) resolve(ctx context.Context, flight *flight, request *request) (verdict verdict, known bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			client.cfg.Log.Error("BUG: panic in a question to the judge", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("internal error; the log has the details")
		}
	}()
	release, err := client.store.claim(ctx, request.key)
	if err != nil {
		return verdict, false, err
	}
	defer release()
	if v, ok := client.store.get(request.key); ok { // another process may have asked while this one waited
		return v, true, nil
	}
	if client.cfg.DryRun {
		client.count(func(s *Stats) { s.DryRun++; s.dryRunTokens += chat.Estimate(request.prompt) })
		return verdict, false, errors.New("a dry run makes no calls")
	}
	verdict, err = client.askUntilVerdict(ctx, flight, request)
	return verdict, false, err
}

// count changes the statistics under their lock.
func (client *Client) count(change func(*Stats)) {
	client.mu.Lock()
	defer client.mu.Unlock()
	change(&client.stats)
}

// Stats returns the counts so far. PromptTokens has those that were spent and those that a dry run would spend.
func (client *Client) Stats() Stats {
	client.mu.Lock()
	stats := client.stats
	client.mu.Unlock()
	stats.Spent = client.chat.Spent()
	stats.PromptTokens += stats.dryRunTokens
	return stats
}

// Width returns how many questions may usefully be asked at once: four times as many as calls, because
// some wait for their next try, and 1024 at most.
func (client *Client) Width() int { return min(4*client.cfg.Concurrency, 1024) }

// Halted returns why all judging has ended, nil where it has not.
func (client *Client) Halted() error { return client.chat.Halted() }

// closeTime is how long the end waits for replies that are paid for.
const closeTime = 5 * time.Second

// Close ends the client. It waits closeTime at most for the replies of calls under way, which are paid
// for, so that their verdicts are kept. All other questions end without a verdict.
func (client *Client) Close() error {
	client.mu.Lock()
	client.closed = true
	for _, f := range client.flights {
		if !f.calling {
			f.cancel()
		}
	}
	client.mu.Unlock()
	done := make(chan struct{})
	go func() { client.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(closeTime):
		client.mu.Lock()
		for _, f := range client.flights {
			f.cancel()
		}
		client.mu.Unlock()
		<-done
	}
	client.chat.Close()
	return client.store.close()
}

// unjudged returns the judgement of a question without a verdict.
func unjudged(err error) scoring.Judgement {
	return scoring.Judgement{Err: &scoring.Error{Code: "unjudged", Message: "cannot judge answer: " + err.Error()}}
}
