// Package chattest is a judge for tests: a real HTTP server that speaks the OpenAI chat
// format. In: requests. Out: verdicts by a rule of the test, or one of the faults that
// real endpoints have. Which call meets which fault follows from a seed, the question and
// how often it was asked. It counts what an endpoint would have charged for.
package chattest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Fault is a way in which an endpoint fails.
type Fault string

// The faults.
const (
	None        Fault = ""
	TooMany     Fault = "429"         // without Retry-After
	TooManyWait Fault = "429-wait"    // with it: Config.RetryAfter
	Broken      Fault = "500"         // a page of HTML
	Slow        Fault = "slow"        // answers after Config.Slow
	Garbage     Fault = "garbage"     // 200 with bytes that are no JSON
	WrongJSON   Fault = "wrong-json"  // 200 with JSON that is no completion
	Half        Fault = "half"        // the connection ends within the body
	Truncated   Fault = "truncated"   // a completion that ran out of tokens before its verdict
	Prose       Fault = "prose"       // a completion without a verdict
	Reset       Fault = "reset"       // the connection is reset before any answer
	Refused     Fault = "401"         // the key is wrong
	Quoted      Fault = "401-quoting" // the same, with the key in the message
)

// Config of a judge.
type Config struct {
	Key  string // that requests must bear, "" for none
	Seed uint64
	// Faults are the shares of calls that meet each fault; together 1 at most.
	Faults map[Fault]float64
	// Next, when set, decides in place of Faults; n counts the calls of that prompt from 0.
	Next func(prompt string, n int) Fault
	// Right is the verdict; nil for one that follows from the prompt.
	Right      func(prompt string) bool
	RetryAfter string        // "1"
	Slow       time.Duration // of the fault
	Delay      time.Duration // of every answer
	Parts      bool          // contents are lists of parts
	Cost       float64       // told in usage; 0 for not told
}

// Judge is a running server.
type Judge struct {
	*httptest.Server
	cfg Config

	mu      sync.Mutex
	calls   int
	most    int            // calls at once
	now     int            // calls under way
	asked   map[string]int // calls by prompt
	billed  map[string]int // verdicts that were sent whole, by prompt
	met     map[Fault]int
	bodies  []string // of the first requests
	headers []http.Header
}

// New starts a judge; Close stops it.
func New(cfg Config) *Judge {
	j := &Judge{cfg: cfg, asked: map[string]int{}, billed: map[string]int{}, met: map[Fault]int{}}
	j.Server = httptest.NewServer(j)
	return j
}

// Base is the address for Config.URL of a client.
func (j *Judge) Base() string { return j.URL + "/v1" }

// Prompt is the part of a prompt that calls of one question share: a judge that was not
// understood is asked with more.
func Prompt(content string) string {
	const last = "\nOutput only a single digit: 0 or 1."
	if strings.HasSuffix(content, last+last) {
		return content[:len(content)-len(last)]
	}
	return content
}

// ServeHTTP implements http.Handler.
func (j *Judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var req struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions":
		fail(w, http.StatusNotFound, "no such route")
		return
	case j.cfg.Key != "" && r.Header.Get("Authorization") != "Bearer "+j.cfg.Key:
		fail(w, http.StatusUnauthorized, "wrong key")
		return
	case json.Unmarshal(body, &req) != nil || req.Model == "" || len(req.Messages) != 1 || req.Messages[0].Role != "user":
		fail(w, http.StatusBadRequest, "want a model and one user message")
		return
	}
	prompt := Prompt(req.Messages[0].Content)
	n := j.enter(prompt, string(body), r.Header)
	defer j.leave()
	if !pause(r, j.cfg.Delay) {
		return
	}
	fault := j.fault(prompt, n)
	j.mu.Lock()
	j.met[fault]++
	j.mu.Unlock()
	j.answer(w, r, fault, prompt)
}

func (j *Judge) enter(prompt, body string, h http.Header) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	j.now++
	j.most = max(j.most, j.now)
	n = j.asked[prompt]
	j.asked[prompt]++
	if len(j.bodies) < 64 {
		j.bodies, j.headers = append(j.bodies, body), append(j.headers, h.Clone())
	}
	return n
}

func (j *Judge) leave() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now--
}

// fault chooses what the n-th call of a prompt meets. See docs/spec/runs.md#r28.
func (j *Judge) fault(prompt string, n int) Fault {
	if j.cfg.Next != nil {
		return j.cfg.Next(prompt, n)
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d|%s", n, prompt)
	x := rand.New(rand.NewPCG(j.cfg.Seed, h.Sum64())).Float64()
	for _, f := range []Fault{TooMany, TooManyWait, Broken, Slow, Garbage, WrongJSON, Half, Truncated, Prose, Reset, Refused, Quoted} {
		if x -= j.cfg.Faults[f]; x < 0 {
			return f
		}
	}
	return None
}

// answer sends the verdict, or what the fault makes of it.
func (j *Judge) answer(w http.ResponseWriter, r *http.Request, f Fault, prompt string) {
	digit := "0"
	if j.right(prompt) {
		digit = "1"
	}
	switch f {
	case TooMany:
		fail(w, http.StatusTooManyRequests, "slow down")
	case TooManyWait:
		w.Header().Set("Retry-After", j.cfg.RetryAfter)
		fail(w, http.StatusTooManyRequests, "slow down")
	case Broken:
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, "<html><h1>Internal Server Error</h1></html>")
	case Garbage:
		w.Write([]byte{0xff, 0xfe, '{', 0, 'x'})
	case WrongJSON:
		io.WriteString(w, `{"result":"1","choices":[]}`)
	case Half:
		b := j.completion(digit, "stop")
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b[:len(b)/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case Truncated:
		w.Write(j.completion("The model's answer says the same as the ground truth, so the score is "+digit+" if", "length"))
	case Prose:
		w.Write(j.completion("I would rather not decide between 0 or 1.", "stop"))
	case Reset:
		reset(w)
	case Refused:
		fail(w, http.StatusUnauthorized, "wrong key")
	case Quoted:
		fail(w, http.StatusUnauthorized, "wrong key: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	case Slow:
		if !pause(r, j.cfg.Slow) {
			return
		}
		fallthrough
	default:
		j.bill(w, prompt, j.completion(digit, "stop"))
	}
}

// bill sends a verdict and counts it where it went out whole.
func (j *Judge) bill(w http.ResponseWriter, prompt string, b []byte) {
	if _, err := w.Write(b); err != nil {
		return
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.billed[prompt]++
}

func (j *Judge) right(prompt string) bool {
	if j.cfg.Right != nil {
		return j.cfg.Right(prompt)
	}
	h := fnv.New32a()
	io.WriteString(h, prompt)
	return h.Sum32()%2 == 0
}

// completion is a reply of the chat format.
func (j *Judge) completion(text, finish string) []byte {
	var content any = text
	if j.cfg.Parts {
		content = []map[string]string{{"type": "text", "text": text[:len(text)/2]}, {"type": "text", "text": text[len(text)/2:]}}
	}
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101}
	if j.cfg.Cost > 0 {
		usage["cost"] = j.cfg.Cost
	}
	b, err := json.Marshal(map[string]any{"id": "x", "object": "chat.completion", "model": "mock", "usage": usage,
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": content}}}})
	if err != nil {
		panic(err)
	}
	return b
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message}})
}

// reset ends the connection without an answer, as a crash does.
func reset(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

// pause waits; false where the client is gone.
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

// Counts are what a judge saw so far.
type Counts struct {
	Calls  int
	Most   int // calls at once
	Asked  int // distinct questions
	Billed int // distinct questions whose verdict was sent whole
	Twice  int // verdicts that were sent whole beyond the first of their question
	Met    map[Fault]int
}

// Counts returns the counts so far.
func (j *Judge) Counts() Counts {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := Counts{Calls: j.calls, Most: j.most, Asked: len(j.asked), Billed: len(j.billed), Met: map[Fault]int{}}
	for _, n := range j.billed {
		c.Twice += n - 1
	}
	for f, n := range j.met {
		c.Met[f] = n
	}
	return c
}

// Requests returns bodies and headers of the first requests.
func (j *Judge) Requests() ([]string, []http.Header) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.bodies...), append([]http.Header(nil), j.headers...)
}
