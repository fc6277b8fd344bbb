package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/valyala/fasthttp"

	"plumb/scoring/plural"
)

// client is one caller, with a connection that it keeps open.
type client struct {
	http  *fasthttp.HostClient
	token string // "" for none
	req   fasthttp.Request
	resp  fasthttp.Response
}

// newClient returns a client of the daemon at addr with one connection. timeout bounds one request. The
// client tries nothing again by itself, because trainers have loops for that, which the load test imitates.
func newClient(addr string, timeout time.Duration) *client {
	return &client{http: &fasthttp.HostClient{
		Addr: addr, MaxConns: 1, ReadTimeout: timeout, WriteTimeout: timeout,
		MaxIdleConnDuration:       time.Minute,
		MaxIdemponentCallAttempts: 1,
		RetryIfErr:                func(*fasthttp.Request, int, error) (bool, bool) { return false, false },
	}}
}

// post sends a JSON body to a path of the daemon under load, and returns the body of the reply, which is
// valid until the next call. A status other than 200 is an error.
func (client *client) post(path string, body []byte) ([]byte, error) {
	client.req.Reset()
	client.resp.Reset()
	client.req.Header.SetMethod(fasthttp.MethodPost)
	client.req.SetRequestURI("http://" + client.http.Addr + path)
	client.req.Header.SetContentType("application/json")
	if client.token != "" {
		client.req.Header.Set("Authorization", "Bearer "+client.token)
	}
	client.req.SetBodyRaw(body)
	if err := client.http.Do(&client.req, &client.resp); err != nil {
		return nil, err
	}
	if code := client.resp.StatusCode(); code != fasthttp.StatusOK {
		return nil, status(code)
	}
	return client.resp.Body(), nil
}

// status is the error for an answer that is not 200.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// reason returns a short name of why a request to the daemon failed, such as "refused" or "timeout", so that
// equal failures are counted together.
func reason(err error) string {
	var code status
	var network net.Error
	switch {
	case errors.As(err, &code):
		return code.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.Is(err, io.EOF), errors.Is(err, fasthttp.ErrConnectionClosed):
		return "closed"
	case errors.As(err, &network) && network.Timeout():
		return "timeout"
	}
	return err.Error()
}

// trainer is how one kind of caller, a training framework, asks for a reward and tries again.
type trainer struct {
	name    string
	path    string
	tries   int
	timeout time.Duration                // of one try
	pause   func(try int) time.Duration  // after the try-th failed, from 0
	body    func(it *item) []byte        // of the request
	reward  func([]byte) (float64, bool) // in the answer; false where the scorer failed
}

// trainers are the retry loops of OpenRLHF and slime. See docs/spec/http.md#r26.
var trainers = []trainer{
	{name: "openrlhf", path: "/get_reward", tries: 5, timeout: 180 * time.Second,
		pause: func(int) time.Duration { return time.Second }, body: openRLHFBody, reward: openRLHFReward},
	{name: "slime", path: "/reward/slime", tries: 10, timeout: 120 * time.Second,
		pause: func(n int) time.Duration {
			return time.Duration((math.Min(math.Pow(2, float64(n)), 30) + rand.Float64()) * float64(time.Second))
		}, body: slimeBody, reward: slimeReward},
}

const prompt = "<|im_start|>user\nDraw.<|im_end|>\n<|im_start|>assistant\n"

// openRLHFBody returns the body of the request for the reward of one item, as the trainer OpenRLHF sends it.
func openRLHFBody(item *item) []byte {
	data, err := json.Marshal(map[string][]string{"query": {prompt + item.response + "<|im_end|>"}, "prompts": {prompt}, "labels": {item.label}})
	if err != nil {
		panic(err) // strings have JSON
	}
	return data
}

// openRLHFReward reads the reward from the daemon's reply to a request of the trainer OpenRLHF. ok is false
// if the reply has no reward, or says that scoring failed.
func openRLHFReward(data []byte) (reward float64, ok bool) {
	var reply struct {
		Rewards []float64            `json:"rewards"`
		Scores  []float64            `json:"scores"`
		Logs    map[string][]float64 `json:"extra_logs"`
	}
	if json.Unmarshal(data, &reply) != nil || len(reply.Rewards) != 1 || len(reply.Scores) != 1 {
		return 0, false
	}
	if failed := reply.Logs["failed"]; len(failed) != 1 || failed[0] != 0 {
		return 0, false
	}
	return reply.Rewards[0], true
}

// slimeBody returns the body of the request for the reward of one item, as the trainer slime sends it.
func slimeBody(item *item) []byte {
	data, err := json.Marshal(map[string]string{"prompt": prompt, "response": item.response, "label": item.label})
	if err != nil {
		panic(err) // strings have JSON
	}
	return data
}

func slimeReward(b []byte) (v float64, ok bool) {
	return v, json.Unmarshal(bytes.TrimSpace(b), &v) == nil
}

// tally counts what clients saw. It is safe for concurrent use.
type tally struct {
	mu                       sync.Mutex
	took                     *hdrhistogram.Histogram // µs from the first try to the answer
	tries                    map[string]int          // that failed, by reason
	failures                 []string                // requests without an answer, the first few
	wrong                    []string                // requests with another answer than in process
	lost, differing, answers int
}

func newTally() *tally {
	return &tally{took: hdrhistogram.New(1, 600_000_000, 3), tries: map[string]int{}}
}

// reported is how many lost and wrong answers are printed in full.
const reported = 5

// failed counts a try that failed.
func (tally *tally) failed(err error) {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	tally.tries[reason(err)]++
}

// answered counts a request that the daemon answered, and how long that took. Other goroutines may count at
// the same time.
func (tally *tally) answered(took time.Duration) {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	tally.answers++
	tally.took.RecordValue(max(1, took.Microseconds()))
}

// lose counts a request that got no answer after all tries. It keeps the text request, which names it, of
// the first few of them.
func (tally *tally) lose(request string) {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	tally.lost++
	if tally.lost <= reported {
		tally.failures = append(tally.failures, request)
	}
}

// hasLost reports whether a request was lost so far.
func (tally *tally) hasLost() bool {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	return tally.lost > 0
}

// triesText returns the numbers of tries that failed so far, by reason, as text.
func (tally *tally) triesText() string {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	return fmt.Sprint(tally.tries)
}

// differed counts an answer of the daemon that is not the wanted one. It keeps the text difference, which
// says what was got and wanted, of the first few of them.
func (tally *tally) differed(difference string) {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	tally.differing++
	if tally.differing <= reported {
		tally.wrong = append(tally.wrong, difference)
	}
}

// percentileMS returns a percentile of the latency, milliseconds.
func (tally *tally) percentileMS(percentile float64) float64 {
	return float64(tally.took.ValueAtPercentile(percentile)) / 1000
}

// verdict returns an error if a request was lost or got a wrong answer, with the first of both.
func (tally *tally) verdict() error {
	if tally.lost+tally.differing == 0 {
		return nil
	}
	return fmt.Errorf("%s lost: %q; %d wrong: %q", plural.Of(tally.lost, "request"), tally.failures, tally.differing, tally.wrong)
}

// ask requests the reward of one item from the daemon as a trainer does: with its pauses, up to trainer.tries
// times. body is that of the request. A reward other than the one of plumb score is counted as wrong, and an
// item without an answer after the last try as lost.
func (client *client) ask(trainer *trainer, item *item, body []byte, tally *tally) {
	start := time.Now()
	for try := range trainer.tries {
		data, err := client.post(trainer.path, body)
		if err == nil {
			tally.answered(time.Since(start))
			if reward, ok := trainer.reward(data); !ok || reward != item.reward {
				tally.differed(fmt.Sprintf("%s %s: got %.300s; want reward %v", trainer.name, clipped(item.line), data, item.reward))
			}
			return
		}
		tally.failed(err)
		if try < trainer.tries-1 {
			time.Sleep(trainer.pause(try))
		}
	}
	tally.lose(fmt.Sprintf("%s %s", trainer.name, clipped(item.line)))
}

func clipped(b []byte) []byte { return b[:min(len(b), 80)] }
