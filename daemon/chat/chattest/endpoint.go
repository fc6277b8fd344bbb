// Package chattest is an endpoint for tests: a real HTTP server that speaks the OpenAI chat format, with
// streams, files and batches. In: requests. Out: answers by a rule of the test, or one of the faults that real
// endpoints have. Which call meets which fault follows from a seed, the request and how often it was asked. It
// counts what an endpoint would have charged for, and keeps nothing on disk.
package chattest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// Config of an endpoint.
type Config struct {
	Key       string // that requests must bear, "" for none
	KeyHeader string // that bears it; default Authorization, with "Bearer "
	Seed      uint64
	// Faults are the shares of calls that meet each fault; together 1 at most. Faults of
	// batches are shares of batches, each of its own.
	Faults map[Fault]float64
	// Next, when set, decides in place of Faults; n counts the calls of that prompt from 0.
	Next func(prompt string, n int) Fault
	// Answer is what the model says; nil for a verdict, as Right has it. It is called by many goroutines.
	Answer     func(*Call) string
	Right      func(prompt string) bool // the verdict; nil for one that follows from the prompt
	RetryAfter string                   // "1"
	Slow       time.Duration            // of the fault
	Delay      time.Duration            // of every answer
	Parts      bool                     // contents are lists of parts
	Reasoning  string                   // the member of messages that holds thoughts: "reasoning", "reasoning_content"; "" for no thoughts
	Cost       float64                  // given in usage; 0 for none given
	Repeats    int                      // how often each request may be answered; default 1
	Bills      io.Writer                // one JSON line for each answer that was sent whole; may be nil
	BatchPolls int                      // how often a batch is still in progress when it is looked at
}

// Call is a request as an endpoint sees it.
type Call struct {
	Hash   string   // of the request, as chat.Request.Hash has it
	Model  string   // that is asked
	Prompt string   // the texts of the last message
	Images [][]byte // pictures of all messages
	N      int      // how often the same request came before
	Stream bool     // the answer shall come in pieces
	Body   []byte

	id         string // of the question, in counts
	wantsUsage bool   // the stream shall end with token counts
}

// Endpoint is a running server.
type Endpoint struct {
	*httptest.Server // nil if it does not listen, see Handler
	cfg              Config
	batches          batches

	mu          sync.Mutex
	calls       int
	maxInFlight int            // the most calls that were under way at once
	inFlight    int            // calls under way
	asked       map[string]int // calls by question
	billed      map[string]int // answers that were sent whole, by question
	met         map[Fault]int
	bodies      []string // of the first requests
	headers     []http.Header
}

// New starts an endpoint; Close stops it.
func New(cfg Config) *Endpoint {
	e := Handler(cfg)
	e.Server = httptest.NewServer(e)
	return e
}

// Handler returns an endpoint that does not listen.
func Handler(cfg Config) *Endpoint {
	return &Endpoint{cfg: cfg, asked: map[string]int{}, billed: map[string]int{}, met: map[Fault]int{}}
}

// Base returns the address for the configuration of a client.
func (endpoint *Endpoint) Base() string { return endpoint.URL + "/v1" }

// ServeHTTP implements http.Handler: GET /counts for tests, files and batches, and chat
// completions, which may meet faults.
func (endpoint *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == "/counts" {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(endpoint.Counts())
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !endpoint.allowed(r.Header) {
		fail(w, http.StatusUnauthorized, "wrong key")
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		if !endpoint.serveBatches(w, r, body) {
			fail(w, http.StatusNotFound, "no such route")
		}
		return
	}
	call, err := readCall(body)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	endpoint.enter(call, r.Header)
	defer endpoint.leave()
	if !pause(r, endpoint.cfg.Delay) {
		return
	}
	f := endpoint.fault(call)
	endpoint.meet(f)
	endpoint.answer(w, r, f, call)
}

// allowed reports whether a request has the key.
func (endpoint *Endpoint) allowed(h http.Header) bool {
	switch {
	case endpoint.cfg.Key == "":
		return true
	case endpoint.cfg.KeyHeader == "":
		return h.Get("Authorization") == "Bearer "+endpoint.cfg.Key
	}
	return h.Get(endpoint.cfg.KeyHeader) == endpoint.cfg.Key
}

// keptRequests is how many of the first requests are kept, for tests to look at.
const keptRequests = 64

// enter counts a call that begins, sets how often its question came before, and keeps the
// first keptRequests requests.
func (endpoint *Endpoint) enter(call *Call, h http.Header) {
	endpoint.mu.Lock()
	defer endpoint.mu.Unlock()
	endpoint.calls++
	endpoint.inFlight++
	endpoint.maxInFlight = max(endpoint.maxInFlight, endpoint.inFlight)
	call.N = endpoint.asked[call.id]
	endpoint.asked[call.id]++
	if len(endpoint.bodies) < keptRequests {
		endpoint.bodies = append(endpoint.bodies, string(call.Body))
		endpoint.headers = append(endpoint.headers, h.Clone())
	}
}

// leave counts a call that ends.
func (endpoint *Endpoint) leave() {
	endpoint.mu.Lock()
	defer endpoint.mu.Unlock()
	endpoint.inFlight--
}

// meet counts a fault that a call met.
func (endpoint *Endpoint) meet(f Fault) {
	endpoint.mu.Lock()
	defer endpoint.mu.Unlock()
	endpoint.met[f]++
}

// fault chooses the fault that a call meets: by Config.Next, or by a number that follows from the seed, the
// question and how often it was asked, compared with the shares in Config.Faults. See docs/spec/runs.md#r28.
func (endpoint *Endpoint) fault(call *Call) Fault {
	if endpoint.cfg.Next != nil {
		return endpoint.cfg.Next(call.Prompt, call.N)
	}
	x := endpoint.chance(fmt.Sprintf("%d|%s", call.N, call.id))
	for _, f := range callFaults {
		if x -= endpoint.cfg.Faults[f]; x < 0 {
			return f
		}
	}
	return None
}

// chance returns a number from 0 to 1 that follows from the seed and a text.
func (endpoint *Endpoint) chance(of string) float64 {
	h := fnv.New64a()
	io.WriteString(h, of)
	return rand.New(rand.NewPCG(endpoint.cfg.Seed, h.Sum64())).Float64()
}

// bill counts an answer that was sent whole, and writes a line about it to Config.Bills.
// label is its custom_id in a batch, else "".
func (endpoint *Endpoint) bill(call *Call, label string) {
	endpoint.mu.Lock()
	defer endpoint.mu.Unlock()
	endpoint.billed[call.id]++
	if endpoint.cfg.Bills == nil {
		return
	}
	out, err := json.Marshal(struct {
		Request string `json:"request"`
		Answer  int    `json:"answer"` // of this request, from 1
		ID      string `json:"custom_id,omitempty"`
	}{call.Hash, endpoint.billed[call.id], label})
	if err != nil {
		panic(err)
	}
	endpoint.cfg.Bills.Write(append(out, '\n'))
}

// pause waits for d. It returns false if the client is gone before.
func pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// Counts are what an endpoint saw so far.
type Counts struct {
	Calls  int           `json:"calls"`  // of the chat route
	Most   int           `json:"most"`   // calls at once
	Asked  int           `json:"asked"`  // distinct questions
	Billed int           `json:"billed"` // distinct questions whose answer was sent whole
	Twice  int           `json:"twice"`  // answers that were sent whole beyond Config.Repeats of their question
	Met    map[Fault]int `json:"faults"`
}

// Counts returns what the mock endpoint has seen so far: calls, how many there were at once,
// distinct questions, answers that it would have charged for, and faults.
func (endpoint *Endpoint) Counts() Counts {
	endpoint.mu.Lock()
	defer endpoint.mu.Unlock()
	counts := Counts{Calls: endpoint.calls, Most: endpoint.maxInFlight, Asked: len(endpoint.asked), Billed: len(endpoint.billed), Met: maps.Clone(endpoint.met)}
	for _, n := range endpoint.billed {
		counts.Twice += max(0, n-max(1, endpoint.cfg.Repeats))
	}
	return counts
}

// Requests returns bodies and headers of the first requests.
func (endpoint *Endpoint) Requests() ([]string, []http.Header) {
	endpoint.mu.Lock()
	defer endpoint.mu.Unlock()
	return slices.Clone(endpoint.bodies), slices.Clone(endpoint.headers)
}
