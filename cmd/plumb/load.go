package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"plumb/bench/load"
	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// loadCmd is `plumb load`.
type loadCmd struct {
	Items       string        `arg:"" name:"items" help:"Dump lines with answers, which become the requests; with --path bodies, one per line, sent as they are. - is stdin."`
	URL         string        `name:"url" default:"http://127.0.0.1:8000" placeholder:"URL" help:"The server: http://HOST:PORT, https://HOST, or unix:PATH."`
	Route       string        `enum:"score,reward,openrlhf,slime,nemo-gym,openenv,prompt" default:"reward" help:"Which contract the requests have: score, reward, openrlhf, slime, nemo-gym, openenv or prompt."`
	Path        string        `placeholder:"PATH" help:"Path of another route, with its query; the lines are then bodies of requests."`
	Concurrency []int         `placeholder:"N,N" help:"Steps of this many clients, each sending one request after another. Default: 1,8,64, without --rate."`
	Rate        []float64     `placeholder:"N,N" help:"Steps of this many requests per second, sent whether or not answers come; latency counts from when a request was due."`
	Duration    time.Duration `default:"10s" placeholder:"TIME" help:"How long each step is measured."`
	Warmup      time.Duration `default:"1s" placeholder:"TIME" help:"How long each step runs before that."`
	Timeout     time.Duration `default:"30s" placeholder:"TIME" help:"Longest wait for an answer."`
	MaxOpen     count         `default:"4096" placeholder:"N" help:"Requests under way at most; a rate that needs more is shown as behind."`
	TokenEnv    string        `placeholder:"NAME" help:"Environment variable with the token to send."`
	Output      string        `short:"o" placeholder:"FILE" help:"File for the figures as JSON lines; - is stdout."`
	Plot        string        `placeholder:"FILE" help:"File for a plot of latencies over throughput, .png or .svg."`
	limitFlags
}

// loadPaths are the paths of the routes.
var loadPaths = map[string]string{"score": "/v1/score", "reward": "/v1/reward", "openrlhf": "/get_reward", "slime": "/reward/slime",
	"nemo-gym": "/verify", "openenv": "/step", "prompt": "/v1/prompt"}

// maxLoad bounds the steps of a run and the clients and rates of each.
const maxLoad = 1_000_000

// Run puts load on a server and prints the table on stderr.
func (c *loadCmd) Run(std streams) error {
	steps, err := c.steps()
	if err != nil {
		return err
	}
	token, err := secret(c.TokenEnv)
	if err != nil {
		return err
	}
	requests, err := c.requests(std)
	if err != nil {
		return err
	}
	path := c.Path
	if path == "" {
		path = loadPaths[c.Route]
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var all []load.Result
	cfg := load.Config{URL: c.URL, Path: path, Requests: requests, Token: token, Warmup: c.Warmup, Duration: c.Duration, Timeout: c.Timeout, MaxOpen: int(c.MaxOpen)}
	failed := load.Run(ctx, cfg, steps, func(r load.Result) {
		all = append(all, r)
		fmt.Fprintf(std.err, "%s: %d answers\n", r.Step, r.OK)
	})
	if len(all) == 0 {
		return failed
	}
	if err := c.write(std, all); err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(r load.Result) bool { return r.OK > 0 }) {
		return errors.Join(failed, errors.New("cannot measure: no request was answered with status 200"))
	}
	return failed
}

// write writes the results of `plumb load`: the table, the lines and the plot.
func (c *loadCmd) write(std streams, all []load.Result) error {
	if err := load.Table(std.err, all); err != nil {
		return err
	}
	if c.Output != "" {
		out, err := output(c.Output, std, c.Items)
		if err != nil {
			return err
		}
		if err := out.finish(load.JSON(out, all)); err != nil {
			return err
		}
	}
	if c.Plot == "" {
		return nil
	}
	return load.Plot(c.Plot, all)
}

// steps lists the loads to put on the server: numbers of clients first, then rates.
func (c *loadCmd) steps() (steps []load.Step, err error) {
	clients := c.Concurrency
	if clients == nil && c.Rate == nil {
		clients = []int{1, 8, 64}
	}
	for _, n := range clients {
		if n < 1 || n > int(c.MaxOpen) {
			return nil, usage("cannot use --concurrency %d: want 1 to --max-open, %d", n, c.MaxOpen)
		}
		steps = append(steps, load.Step{Clients: n})
	}
	for _, x := range c.Rate {
		if !(x > 0 && x <= maxLoad) {
			return nil, usage("cannot use --rate %v: want above 0, at most %d", x, maxLoad)
		}
		steps = append(steps, load.Step{Rate: x})
	}
	if c.Duration <= 0 || c.Warmup < 0 || c.Timeout <= 0 {
		return nil, usage("cannot use --duration %v, --warmup %v and --timeout %v: want above 0; a warm-up may be 0", c.Duration, c.Warmup, c.Timeout)
	}
	return steps, nil
}

// requests reads the bodies of the requests to send to the server.
func (c *loadCmd) requests(std streams) (all [][]byte, err error) {
	r, err := openDump(c.Items, c.lines(), std.in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	left := 0
	for {
		l, err := r.Next()
		if err == io.EOF {
			if left > 0 {
				fmt.Fprintf(std.err, "%d lines without a text for an answer are left out, as --route %s sends texts\n", left, c.Route)
			}
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", c.Items, err)
		}
		if err := c.scenes().Check(l.Bytes); l.Fault != "" || err != nil {
			return nil, fmt.Errorf("cannot use line %d of %s: it is no JSON: %s %w", l.N, c.Items, l.Fault, err)
		}
		body := slices.Clone(l.Bytes)
		if c.Path == "" && c.Route != "score" {
			if body = c.request(l.Bytes); body == nil {
				left++
				continue
			}
		}
		all = append(all, body)
	}
}

// request returns the body of a trainer's request about a dump line, nil where its answer is no
// text and the trainer sends texts alone.
func (c *loadCmd) request(line []byte) []byte {
	answer, text := []byte("null"), ""
	jsoncut.Members(line, func(key, v []byte) error {
		if string(key) == "response" {
			answer = v
		}
		return nil
	})
	if answer[0] == '"' {
		text = string(jsoncut.Text(answer))
	} else if c.Route == "openrlhf" || c.Route == "nemo-gym" {
		return nil
	}
	label := string(scoring.AppendString(nil, string(line))) // what is an answer in a label is not read
	switch c.Route {
	case "openrlhf":
		return fmt.Appendf(nil, `{"query":[%s],"prompts":[""],"labels":[%s]}`, answer, label)
	case "nemo-gym":
		return fmt.Appendf(nil, `{"responses_create_params":{"input":[]},"response":{"output":[{"type":"message","content":[{"type":"output_text","text":%s}]}]},"label":%s}`, scoring.AppendString(nil, text), label)
	case "openenv":
		return fmt.Appendf(nil, `{"action":{"response":%s,"label":%s}}`, answer, label)
	case "prompt":
		return fmt.Appendf(nil, `{"label":%s}`, label)
	}
	return fmt.Appendf(nil, `{"prompt":"","response":%s,"label":%s}`, answer, label)
}
