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
	"plumb/scoring/plural"
)

// loadCmd is `plumb load`.
type loadCmd struct {
	Items       string        `arg:"" name:"items" help:"Dump lines with answers, which become the requests; with --path, request bodies, one per line, sent as they are. - is standard input."`
	URL         string        `name:"url" default:"http://127.0.0.1:8000" placeholder:"URL" help:"Address of the server: http://HOST:PORT, https://HOST or unix:PATH."`
	Route       string        `enum:"score,reward,openrlhf,slime,nemo-gym,openenv,prompt" default:"reward" help:"Whose requests are sent: score, reward, openrlhf, slime, nemo-gym, openenv or prompt."`
	Path        string        `placeholder:"PATH" help:"Path of another route, with its query. The lines are then bodies of requests."`
	Concurrency []int         `placeholder:"N" help:"Numbers of clients, one step of the measurement for each; a client sends one request after another. Default: 1,8,64, or none with --rate."`
	Rate        []float64     `placeholder:"N" help:"Requests per second, one step for each. They are sent whether or not answers come, and latency counts from when a request was due."`
	Duration    time.Duration `default:"10s" placeholder:"TIME" help:"How long each step is measured."`
	Warmup      time.Duration `default:"1s" placeholder:"TIME" help:"How long each step runs before it is measured."`
	Timeout     time.Duration `default:"30s" placeholder:"TIME" help:"Longest wait for an answer."`
	MaxOpen     count         `default:"4096" placeholder:"N" help:"Maximum number of requests under way. A rate that needs more is shown as behind."`
	TokenEnv    string        `placeholder:"NAME" help:"Environment variable that holds the token to send. Default: none is sent."`
	Output      string        `short:"o" placeholder:"FILE" help:"File for the figures as JSON lines; - is standard output. Default: none."`
	Plot        string        `placeholder:"FILE" help:"File for a plot of latency over throughput, .png or .svg."`
	limitFlags
}

// loadPaths are the paths of the routes.
var loadPaths = map[string]string{"score": "/v1/score", "reward": "/v1/reward", "openrlhf": "/get_reward", "slime": "/reward/slime",
	"nemo-gym": "/verify", "openenv": "/step", "prompt": "/v1/prompt"}

// maxRate is the highest value of --rate, in requests per second. Numbers of clients are bounded by --max-open.
const maxRate = 1_000_000

// Run sends requests to a reward server, at each load in turn: a number of clients, or a rate. It prints a
// table of the latencies on standard error and writes the other outputs. It is an error if no request was
// answered with status 200.
func (cmd *loadCmd) Run(std streams) error {
	steps, err := cmd.steps()
	if err != nil {
		return err
	}
	token, err := secret(cmd.TokenEnv)
	if err != nil {
		return err
	}
	requests, err := cmd.requests(std)
	if err != nil {
		return err
	}
	path := cmd.Path
	if path == "" {
		path = loadPaths[cmd.Route]
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var results []load.Result // one for each finished step
	cfg := load.Config{URL: cmd.URL, Path: path, Requests: requests, Token: token,
		Warmup: cmd.Warmup, Duration: cmd.Duration, Timeout: cmd.Timeout, MaxOpen: int(cmd.MaxOpen)}
	runErr := load.Run(ctx, cfg, steps, func(finished load.Result) {
		results = append(results, finished)
		fmt.Fprintf(std.err, "%s: %s\n", finished.Step, plural.Of(finished.OK, "answer"))
	})
	if len(results) == 0 {
		return runErr
	}
	if err := cmd.write(std, results); err != nil { // the finished steps count even after an error
		return err
	}
	if !slices.ContainsFunc(results, func(r load.Result) bool { return r.OK > 0 }) {
		return errors.Join(runErr, errors.New("cannot measure: no request was answered with status 200; the table above counts the others"))
	}
	return runErr
}

// write writes the results of `plumb load`: the table to standard error, the JSON lines to --output
// and the plot to --plot, if these are given.
func (cmd *loadCmd) write(std streams, all []load.Result) error {
	if err := load.Table(std.err, all); err != nil {
		return err
	}
	if cmd.Output != "" {
		out, err := output(cmd.Output, std, cmd.Items)
		if err != nil {
			return err
		}
		if err := out.finish(load.JSON(out, all)); err != nil {
			return err
		}
	}
	if cmd.Plot == "" {
		return nil
	}
	return load.Plot(cmd.Plot, all)
}

// steps returns the loads to put on the server, one after another: first the numbers of clients of
// --concurrency, then the rates of --rate, in requests per second. Without either flag they are 1, 8 and
// 64 clients. The error is a usageError.
func (cmd *loadCmd) steps() (steps []load.Step, err error) {
	clients := cmd.Concurrency
	if clients == nil && cmd.Rate == nil {
		clients = []int{1, 8, 64}
	}
	for _, n := range clients {
		if n < 1 || n > int(cmd.MaxOpen) {
			return nil, usage("cannot use --concurrency %d: want 1 to %d, the value of --max-open", n, cmd.MaxOpen)
		}
		steps = append(steps, load.Step{Clients: n})
	}
	for _, x := range cmd.Rate {
		if !(x > 0 && x <= maxRate) {
			return nil, usage("cannot use --rate %v: want above 0, at most %d", x, maxRate)
		}
		steps = append(steps, load.Step{Rate: x})
	}
	if cmd.Duration <= 0 || cmd.Warmup < 0 || cmd.Timeout <= 0 {
		return nil, usage("cannot use --duration %v, --warmup %v and --timeout %v: want times above 0s; --warmup may be 0s",
			cmd.Duration, cmd.Warmup, cmd.Timeout)
	}
	return steps, nil
}

// requests returns the bodies of the requests to send to the server, one for each line of a dump. The
// trainers of some routes send only answers that are texts. For these, lines with other answers are left
// out, and their number is printed. A line that cannot be read is an error.
func (cmd *loadCmd) requests(std streams) (all [][]byte, err error) {
	reader, err := openDump(cmd.Items, cmd.lines(), std.in)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	leftOut := 0
	for {
		line, err := reader.Next()
		if err == io.EOF {
			if leftOut > 0 {
				fmt.Fprintf(std.err, "%s left out, as --route %s sends texts\n", plural.Of(leftOut, "line whose answer is no text is", "lines whose answer is no text are"), cmd.Route)
			}
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", inputName(cmd.Items), err)
		}
		// A line that the server would refuse measures nothing.
		if line.Fault != "" {
			return nil, fmt.Errorf("cannot use line %d of %s: %s", line.Number, inputName(cmd.Items), line.Fault)
		}
		if err := cmd.scenes().Check(line.Bytes); err != nil {
			return nil, fmt.Errorf("cannot use line %d of %s: it is no JSON: %w", line.Number, inputName(cmd.Items), err)
		}
		// The body is the line itself, or for the route of a trainer what that trainer would make of it.
		body := slices.Clone(line.Bytes)
		if cmd.Path == "" && cmd.Route != "score" {
			if body = cmd.trainerRequest(line.Bytes); body == nil {
				leftOut++
				continue
			}
		}
		all = append(all, body)
	}
}

// trainerRequest returns the body of the request that the trainer of --route would send to the server about the
// answer in a dump line. The whole line is the label, by which the server knows the task. It returns nil
// where the answer is no text and the trainer sends texts alone.
func (cmd *loadCmd) trainerRequest(line []byte) []byte {
	answer, text := []byte("null"), "" // the answer as JSON; and decoded, where it is a text
	jsoncut.Named(line, func(key, value []byte) error {
		if string(key) == "response" {
			answer = value
		}
		return nil
	})
	if answer[0] == '"' {
		text = string(jsoncut.Text(answer))
	} else if cmd.Route == "openrlhf" || cmd.Route == "nemo-gym" {
		return nil
	}
	// The label is the line as a JSON string. The answer in it does no harm, because the daemon ignores it.
	label := string(scoring.AppendString(nil, string(line)))
	switch cmd.Route {
	case "openrlhf":
		return fmt.Appendf(nil, `{"query":[%s],"prompts":[""],"labels":[%s]}`, answer, label)
	case "nemo-gym":
		message := fmt.Sprintf(`{"type":"message","content":[{"type":"output_text","text":%s}]}`, scoring.AppendString(nil, text))
		return fmt.Appendf(nil, `{"responses_create_params":{"input":[]},"response":{"output":[%s]},"label":%s}`, message, label)
	case "openenv":
		return fmt.Appendf(nil, `{"action":{"response":%s,"label":%s}}`, answer, label)
	case "prompt":
		return fmt.Appendf(nil, `{"label":%s}`, label)
	}
	return fmt.Appendf(nil, `{"prompt":"","response":%s,"label":%s}`, answer, label)
}
