// Package chat asks language models at any endpoint that speaks the OpenAI chat format, with retries, a pace
// and a circuit breaker. In: requests with texts and pictures. Out: one outcome for each: an answer with its
// reasoning and usage apart, or the reason why there is none. Failures that pass are tried again, pauses that
// the endpoint asks for hold all calls, and the number of calls at once follows what the endpoint can take. It
// refuses to go on where no request can succeed (a wrong key), where a budget ends, and where nobody answers
// for long. The key is sent to the endpoint and nowhere else. It depends on no benchmark and writes no file.
// See docs/spec/runs.md.
package chat

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plumb/daemon/chat/budget"
)

// ErrConfig marks a configuration that cannot be used.
var ErrConfig = errors.New("cannot use endpoint")

// configError is an error in the configuration of a client.
type configError struct{ text string }

func (e *configError) Error() string        { return e.text }
func (e *configError) Is(target error) bool { return target == ErrConfig }

// The defaults of a client. See docs/spec/runs.md#r15.
const (
	DefaultConcurrency = 32
	DefaultTries       = 6
	DefaultTimeout     = 10 * time.Minute
	DefaultDeadline    = 30 * time.Minute
	DefaultBackoff     = time.Second
	DefaultPatience    = 10 * time.Minute
)

// Policy is what a reply that concerns all requests does to the client.
type Policy int

// The policies.
const (
	// EndOnFatal ends all calls for what is fatal, for a budget that ends, and for an
	// endpoint that is down longer than the patience.
	EndOnFatal Policy = iota
	// EndOnRefused ends all calls for what is fatal or refused.
	EndOnRefused
	// GoOn never ends: what is fatal counts as an endpoint that is down.
	GoOn
)

// Config of a client. Zero values mean the defaults.
type Config struct {
	// URL is the base of the endpoint, "https://host/v1"; requests go to URL/chat/completions.
	URL       string
	Key       string // "" for none
	KeyHeader string // that bears the key; default Authorization, with "Bearer "
	Name      string // of the endpoint in messages, default "the endpoint"
	// Flag words the name of a flag of `plumb run` for messages of another command; nil leaves it.
	Flag  func(name string) string
	Hints bool // errors name the flag of `plumb run` that helps
	Probe bool // the first call waits until a connection can be opened, or ends all (Client.probe)

	Concurrency int   // calls at once
	Fixed       bool  // always as many, whatever the endpoint can take
	RPM, TPM    int64 // calls and tokens per minute, 0 for no bound
	Tries       int   // of one question that may fail
	CountWaits  bool  // a try that the endpoint puts off counts as a failure
	Timeout     time.Duration
	Deadline    time.Duration // of a question with all its tries and waits; below 0 for none
	Backoff     time.Duration // longest wait after the first failure
	// Patience is how long questions wait for an endpoint that has stopped answering
	// before they are given up at once; below 0 for not at all.
	Patience time.Duration
	Policy   Policy
	Stream   bool // replies come in pieces

	Meter     *budget.Meter     // nil for no limits
	OnEnd     func(error)       // called once when all calls end for good; may be nil
	OnDown    func(error)       // called when the endpoint refuses all requests, under GoOn; may be nil
	Transport http.RoundTripper // nil for the network
}

// Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	cfg           Config
	endpoint      string
	http          *http.Client
	window        *window
	pace          *pace
	gate          *gate
	meter         *budget.Meter
	callsUnderWay atomic.Int64 // requests under way

	probeOnce   sync.Once
	unreachable *ending // why the endpoint cannot be reached; nil where it can

	mu              sync.Mutex
	outcomesCounted int // of the first questions
}

// New returns a client of an OpenAI-compatible chat endpoint. It makes no connection. Errors
// wrap ErrConfig and never hold the key.
func New(cfg Config) (*Client, error) {
	if err := Check(cfg); err != nil {
		return nil, err
	}
	endpoint, _ := endpointOf(&cfg)
	cfg = cfg.complete()
	client := &Client{cfg: cfg, endpoint: endpoint, window: newWindow(cfg.Concurrency, cfg.Fixed),
		pace: newPace(cfg.RPM, cfg.TPM),
		gate: newGate(cfg.Name, tripFailures(cfg.Concurrency), cfg.Patience, cfg.Backoff), meter: cfg.Meter}
	client.gate.longestPause = max(0, cfg.Deadline)
	if cfg.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost, t.MaxConnsPerHost = cfg.Concurrency, 2*cfg.Concurrency
		cfg.Transport = t
	}
	client.http = &http.Client{Transport: cfg.Transport, // a redirect would take the key and the answers elsewhere
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client, nil
}

// tripFailures returns after how many failures in a row the circuit opens: more than calls that fail
// together because of one fault.
func tripFailures(concurrency int) int { return max(10, 2*concurrency) }

// complete returns the configuration of a client of a chat endpoint with defaults in place of zero values.
func (config Config) complete() Config {
	config.Name = cmp.Or(config.Name, "the endpoint")
	config.Concurrency = cmp.Or(config.Concurrency, DefaultConcurrency)
	config.Tries = cmp.Or(config.Tries, DefaultTries)
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	config.Deadline = cmp.Or(config.Deadline, DefaultDeadline)
	config.Backoff = cmp.Or(config.Backoff, DefaultBackoff)
	config.Patience = max(0, cmp.Or(config.Patience, DefaultPatience))
	if config.Meter == nil {
		config.Meter = budget.New(budget.Limits{}, nil, budget.Spent{}, config.Flag)
	}
	return config
}

// Check returns an error if a configuration of an endpoint cannot be used. It opens nothing. Errors wrap
// ErrConfig. See docs/spec/runs.md#r23.
func Check(cfg Config) error {
	if _, err := endpointOf(&cfg); err != nil {
		return err
	}
	if strings.ContainsFunc(cfg.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return cfg.wrong("the key holds characters that no header may have; want the key alone")
	}
	if strings.ContainsFunc(cfg.KeyHeader, func(r rune) bool { return !strings.ContainsRune(headerChars, r) }) {
		return cfg.wrong("got the header %q for the key; want letters, digits and dashes (%s)", cfg.KeyHeader,
			cfg.flag("--model-key-header"))
	}
	return nil
}

// headerChars are the characters that names of headers have.
const headerChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// wrong returns the error of a setting that cannot be used.
func (config *Config) wrong(format string, args ...any) error {
	name := strings.TrimPrefix(cmp.Or(config.Name, "the endpoint"), "the ")
	return &configError{"cannot use " + name + ": " + fmt.Sprintf(format, args...)}
}

// flag returns the name under which the user knows a setting's flag, for messages: the judge's client
// has other flags than plumb run's.
func (config *Config) flag(name string) string {
	if config.Flag == nil {
		return name
	}
	return config.Flag(name)
}

// endpointOf returns the URL to which chat requests go: the base with /chat/completions
// behind its path. It refuses addresses with a password or fragment. Messages do not repeat
// the address, because it may hold secrets. See docs/spec/runs.md#r4.
func endpointOf(config *Config) (string, error) {
	u, err := url.Parse(config.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", config.wrong("got an address that is none; want %s http://HOST/v1 or https://HOST/v1",
			config.flag("--model-url"))
	case u.User != nil:
		return "", config.wrong("got an address with a password; want the key in the environment (%s)",
			config.flag("--model-key-env"))
	case u.Fragment != "":
		return "", config.wrong("got an address with a fragment; want none")
	}
	if path := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(path, "/chat/completions") {
		u.Path = path + "/chat/completions"
	}
	return u.String(), nil
}

// TakeKey returns the key that an environment variable holds, and removes the variable, so that no child
// process gets it. set is false where there is none. See docs/spec/runs.md#r24.
func TakeKey(name string) (key string, set bool) {
	key, set = os.LookupEnv(name)
	os.Unsetenv(name)
	return strings.TrimSpace(key), set
}

// Stop ends all calls for good: what waits ends as Stopped, requests under way have their outcomes.
func (client *Client) Stop() {
	client.gate.halt(&ending{Stopped, &Error{Code: "stopped", Message: "the run was stopped"}})
}

// halt ends all calls for good, and calls OnEnd unless they had ended already.
func (client *Client) halt(k Kind, e *Error) {
	if client.gate.halt(&ending{k, e}) && client.cfg.OnEnd != nil {
		client.cfg.OnEnd(e)
	}
}

// Halted returns why all calls of the endpoint ended, an *Error, or nil where they did not.
func (client *Client) Halted() error {
	if e := client.gate.halted(); e != nil {
		return e.err
	}
	return nil
}

// Spent returns what was spent so far, before the client too.
func (client *Client) Spent() budget.Spent { return client.meter.Spent() }

// Status is what a client does at the moment.
type Status struct {
	Calls int           // requests under way
	Width int           // how many requests may be under way at once
	Hold  time.Duration // until calls may begin again; 0 where they may
	HTTP  int           // the status for which calls are held back; 0 for none
}

// Status returns what the client does at the moment: calls in flight, how many may be, and how long
// and after which HTTP status the endpoint has asked to wait.
func (client *Client) Status() Status {
	s := Status{Calls: int(client.callsUnderWay.Load())}
	_, s.Width = client.window.state()
	s.Hold, s.HTTP = client.gate.state()
	return s
}

// Close closes the connections that no call uses.
func (client *Client) Close() { client.http.CloseIdleConnections() }
