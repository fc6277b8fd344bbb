// Package load puts load on a reward server and measures how long it takes to answer. In: requests,
// and steps of load, each a number of clients or a rate. Out: counts and percentiles of each step, as
// a table, JSON lines or a plot. At a rate, latency counts from the time at which a request was due,
// not from when it could be sent, so that a server that stalls does not hide the requests that
// waited for it (coordinated omission). It checks no answers: it counts their status codes.
package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/valyala/fasthttp"

	"plumb/scoring/plural"
)

// Config of a run. URL and Requests are required.
type Config struct {
	URL      string // of the server, http://HOST:PORT, https://HOST:PORT or unix:PATH
	Path     string // of the route
	Requests [][]byte
	Token    string        // Bearer; "" for none
	Warmup   time.Duration // of each step, not counted
	Duration time.Duration // of each step after that
	Timeout  time.Duration // of a request
	MaxOpen  int           // requests under way at most; at a rate that needs more they are sent late
}

// Step is one load: Clients that send one request after another, or a Rate in requests per second.
type Step struct {
	Clients int
	Rate    float64
}

// String returns the load of a step for tables, such as "8 clients" or "100/s".
func (s Step) String() string {
	if s.Rate > 0 {
		return fmt.Sprintf("%g/s", s.Rate)
	}
	return plural.Of(s.Clients, "client")
}

// Result is what a step measured.
type Result struct {
	Step   Step
	Took   time.Duration           // what was counted, until the last answer
	Codes  map[string]int          // answers by status code, "error" for none
	OK     int                     // answers of status 200
	Behind int                     // requests that were sent late because MaxOpen were under way
	Hist   *hdrhistogram.Histogram // microseconds of the answers of status 200
}

// Throughput is the number of answers of status 200 per second.
func (r *Result) Throughput() float64 { return float64(r.OK) / r.Took.Seconds() }

// Percentile returns a latency in milliseconds; p is 0 to 100.
func (r *Result) Percentile(p float64) float64 { return float64(r.Hist.ValueAtPercentile(p)) / 1000 }

// longest is the longest latency that the counters distinguish, in microseconds: 10 minutes.
const longest = 600_000_000

// recorder counts the answers of a step.
type recorder struct {
	mu     sync.Mutex // guards result
	result Result
}

// add counts one answer of the server under load, with the HTTP status code, or err where there was no
// answer. Its latency counts from due, when the request should have been sent, and not from when it was
// sent: else a slow server would hide its own delays.
func (recorder *recorder) add(due time.Time, code int, err error) {
	took := time.Since(due)
	recorder.mu.Lock()
	defer recorder.mu.Unlock()
	if err != nil {
		recorder.result.Codes["error"]++
		return
	}
	recorder.result.Codes[fmt.Sprint(code)]++
	if code == fasthttp.StatusOK {
		recorder.result.OK++
		recorder.result.Hist.RecordValue(min(took.Microseconds(), longest)) // within the histogram's range
	}
}

// runner sends requests.
type runner struct {
	cfg    Config
	client *fasthttp.HostClient
	scheme string // of the request URIs: http or https
	host   string
	next   atomic.Int64
}

// Run puts load on a server in several steps, one after another, and calls finished with the result of
// each. A step sends requests for some time, from a number of clients or at a rate. If ctx ends, it returns
// the error of ctx, and the step under way has no result.
func Run(ctx context.Context, cfg Config, steps []Step, finished func(Result)) error {
	runner, err := newRunner(cfg)
	if err != nil {
		return err
	}
	defer runner.client.CloseIdleConnections()
	for _, step := range steps {
		hasRate := step.Rate > 0 // false for NaN too
		if step.Clients <= 0 && !hasRate {
			return errors.New("cannot run step: want clients or a rate above 0")
		}
		result := runner.step(ctx, step)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		finished(result)
	}
	return nil
}

// newRunner prepares the connections to the server under load at cfg.URL, http://HOST:PORT, https://HOST or
// unix:PATH, but opens none yet. Each request is sent once, and never again after an error.
func newRunner(cfg Config) (*runner, error) {
	if len(cfg.Requests) == 0 {
		return nil, errors.New("cannot put load on the server: there are no requests")
	}
	const onlyOnce = 1
	runner := &runner{cfg: cfg, client: &fasthttp.HostClient{MaxConns: cfg.MaxOpen, ReadTimeout: cfg.Timeout, WriteTimeout: cfg.Timeout,
		MaxIdemponentCallAttempts: onlyOnce, NoDefaultUserAgentHeader: true}}
	if path, ok := strings.CutPrefix(cfg.URL, "unix:"); ok {
		runner.scheme, runner.host = "http", "localhost"
		runner.client.Addr = path
		runner.client.Dial = func(string) (net.Conn, error) { return net.Dial("unix", path) }
		return runner, nil
	}
	var u fasthttp.URI
	err := u.Parse(nil, []byte(cfg.URL))
	if scheme := string(u.Scheme()); err != nil || len(u.Host()) == 0 || scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("cannot use address %q: want http://HOST:PORT, https://HOST or unix:PATH", cfg.URL)
	}
	runner.scheme, runner.host = string(u.Scheme()), string(u.Host())
	runner.client.IsTLS = runner.scheme == "https"
	runner.client.Addr = fasthttp.AddMissingPort(runner.host, runner.client.IsTLS)
	return runner, nil
}

// step runs one step: its warm-up, which is thrown away, and what is counted.
func (runner *runner) step(ctx context.Context, s Step) Result {
	runner.phase(ctx, s, runner.cfg.Warmup)
	return runner.phase(ctx, s, runner.cfg.Duration)
}

// phase sends requests to the server for some time with the load of a step, its clients or its rate, and
// returns what came back: how many answers by status, and their latencies. A time of 0 gives an empty
// result.
func (runner *runner) phase(ctx context.Context, step Step, length time.Duration) Result {
	const digits = 3 // latencies are kept with so many significant digits
	answers := &recorder{result: Result{Step: step, Codes: map[string]int{}, Hist: hdrhistogram.New(1, longest, digits)}}
	if length <= 0 {
		return answers.result
	}
	begin := time.Now()
	ctx, cancel := context.WithDeadline(ctx, begin.Add(length))
	defer cancel()
	if step.Rate > 0 {
		runner.atRate(ctx, step.Rate, begin, answers)
	} else {
		runner.fromClients(ctx, step.Clients, answers)
	}
	answers.result.Took = time.Since(begin)
	return answers.result
}

// fromClients sends requests until ctx ends from several clients at a time. Each waits for its answer before
// it sends the next request (a closed load), so a slow server gets fewer requests.
func (runner *runner) fromClients(ctx context.Context, clients int, recorder *recorder) {
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				due := time.Now()
				code, err := runner.send()
				recorder.add(due, code, err)
			}
		})
	}
	wg.Wait()
}

// atRate sends requests until ctx ends at a rate per second, whether or not the answers to others have come
// (an open load). If MaxOpen requests are under way, the next one has to wait. It is then counted as
// behind, and its latency includes the wait.
func (runner *runner) atRate(ctx context.Context, rate float64, begin time.Time, recorder *recorder) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, runner.cfg.MaxOpen) // one for each request under way
	behind := 0
	end, _ := ctx.Deadline() // phase has set one
	for i := 0; ; i++ {
		due := begin.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if !due.Before(end) {
			break
		}
		if wait := time.Until(due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		select {
		case slots <- struct{}{}:
		default: // all are taken: wait for one
			behind++
			slots <- struct{}{}
		}
		wg.Go(func() {
			defer func() { <-slots }()
			code, err := runner.send()
			recorder.add(due, code, err)
		})
	}
	wg.Wait()
	recorder.result.Behind = behind
}

// send sends the next request to the server under load and returns its status.
func (runner *runner) send() (int, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	body := runner.cfg.Requests[int(runner.next.Add(1)-1)%len(runner.cfg.Requests)]
	req.SetRequestURI(runner.scheme + "://" + runner.host + runner.cfg.Path)
	req.Header.SetMethod("POST")
	req.Header.SetContentType("application/json")
	if runner.cfg.Token != "" {
		req.Header.Set("Authorization", "Bearer "+runner.cfg.Token)
	}
	req.SetBodyRaw(body)
	err := runner.client.DoTimeout(req, resp, runner.cfg.Timeout)
	return resp.StatusCode(), err
}
