// Package chat asks language models at any endpoint that speaks the OpenAI chat format.
// In: prompts. Out: replies, or the reason why there is none. Failures that pass are
// tried again. It refuses to go on where the endpoint refuses the request itself (a
// wrong key), where a budget ends, and where nobody answers for long. The key is sent
// to the endpoint and nowhere else.
package chat

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrConfig marks a configuration that cannot be used.
var ErrConfig = errors.New("cannot use judge")

// Config of a client. All values are required, but for the key and the bounds.
type Config struct {
	// URL is the base of the endpoint, "https://host/v1"; requests go to
	// URL/chat/completions.
	URL         string
	Model       string
	Key         string // bearer token, "" for none
	Temperature float64
	MaxTokens   int           // of a reply
	Concurrency int           // calls at once
	Tries       int           // for one reply
	Timeout     time.Duration // of one try
	Backoff     time.Duration // mean wait after the first failure is half of it
	// Patience is how long questions wait for an endpoint that has stopped answering
	// before they are given up at once, 0 for not at all.
	Patience time.Duration
	// Halt lets a request that is refused for itself (400, 401, 404, ...) end all calls.
	// Otherwise 401, 403 and 404 count as an endpoint that is down, and others concern
	// their question alone. See docs/spec/vqa.md#r40.
	Halt   bool
	Budget Budget
	Price  *Price // nil where the endpoint reports the cost, or no limit needs it
	Log    *slog.Logger
}

// Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	cfg      Config
	endpoint string
	http     *http.Client
	slots    chan struct{} // one for each call under way
	gate     *gate
	meter    *meter
}

// New returns a client. Errors wrap ErrConfig and never hold the key.
func New(cfg Config) (*Client, error) {
	if err := Check(cfg); err != nil {
		return nil, err
	}
	endpoint, _ := endpointOf(cfg.URL)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.MaxConnsPerHost = cfg.Concurrency, 2*cfg.Concurrency
	c := &Client{cfg: cfg, endpoint: endpoint, slots: make(chan struct{}, cfg.Concurrency),
		gate: newGate(max(10, 2*cfg.Concurrency), cfg.Patience), meter: newMeter(cfg.Budget, cfg.Price)}
	c.http = &http.Client{Transport: transport, // a redirect would take the answers elsewhere
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Check reports whether a configuration can be used, and opens nothing. Errors wrap
// ErrConfig.
func Check(cfg Config) error {
	_, err := endpointOf(cfg.URL)
	switch {
	case err != nil:
		return err
	case cfg.Model == "":
		return fmt.Errorf("%w: got no model; want --judge-model", ErrConfig)
	case strings.ContainsFunc(cfg.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("%w: the key holds characters that no header may have; want the key alone", ErrConfig)
	}
	return nil
}

// endpointOf is where requests go. Messages do not repeat the address: it may hold
// what others must not see.
func endpointOf(base string) (string, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", fmt.Errorf("%w: got an address that is none; want --judge-url http://HOST/v1 or https://HOST/v1", ErrConfig)
	case u.User != nil:
		return "", fmt.Errorf("%w: got an address with a password; want the key in the environment (--judge-key-env)", ErrConfig)
	case u.Fragment != "":
		return "", fmt.Errorf("%w: got an address with a fragment; want none", ErrConfig)
	}
	if path := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(path, "/chat/completions") {
		u.Path = path + "/chat/completions"
	}
	return u.String(), nil
}

// Usage returns what was spent so far.
func (c *Client) Usage() Usage { return c.meter.spent() }

// Halted returns why all calls have ended, or nil where they have not.
func (c *Client) Halted() error { return c.gate.halted() }

// Close closes the connections that no call uses.
func (c *Client) Close() { c.http.CloseIdleConnections() }
