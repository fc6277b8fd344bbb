// Command endpoint serves the mock endpoint of daemon/chat/chattest: chats, streams,
// files and batches in the OpenAI format, with answers and faults that follow from a
// seed. GET /counts tells what it saw. It asks no model and keeps nothing but the bills.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"plumb/daemon/chat/chattest"
)

// main serves a made-up chat model, an endpoint for tests of plumb run, until it is stopped. An error ends
// it with exit code 2.
func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "endpoint:", err)
		os.Exit(2)
	}
}

// run reads the flags and serves an endpoint of a made-up chat model until it is interrupted. The
// flags say what it answers and which faults of real services it imitates.
func run() error {
	var cfg chattest.Config
	listen := flag.String("listen", "127.0.0.1:8099", "address to listen at; port 0 takes a free one")
	answers := flag.String("answers", "", "FILE of JSON {\"request hash\":\"text\"}, or exact:TASKS, a task file of ASPIRE; without it 0 or 1")
	bills := flag.String("bills", "", "FILE that gets a JSON line for each answer that was sent whole")
	faults := flag.String("faults", "", "NAME=SHARE,...; names: "+faultNames())
	flag.Uint64Var(&cfg.Seed, "seed", 0, "seed of the faults")
	flag.DurationVar(&cfg.Delay, "latency", 0, "time of every answer")
	flag.StringVar(&cfg.RetryAfter, "retry-after", "1", "seconds that faults with a wait ask for")
	flag.DurationVar(&cfg.Slow, "slow", 10*time.Second, "time of the fault slow")
	flag.StringVar(&cfg.Reasoning, "reasoning", "", "member of messages for thoughts: reasoning or reasoning_content; none without it")
	flag.BoolVar(&cfg.Parts, "parts", false, "answers are lists of parts")
	flag.StringVar(&cfg.Key, "key", "", "key that requests must bear")
	flag.Float64Var(&cfg.Cost, "cost", 0, "USD of a call that usage tells; 0 does not tell")
	flag.IntVar(&cfg.Repeats, "repeats", 1, "answers of one request that are not counted as twice")
	flag.IntVar(&cfg.BatchPolls, "batch-polls", 1, "how often a batch is still in progress when it is looked at")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("got the argument %q; want flags alone", flag.Arg(0))
	}
	var err error
	if cfg.Faults, err = readFaults(*faults); err != nil {
		return err
	}
	if cfg.Answer, err = readAnswers(*answers); err != nil {
		return err
	}
	if *bills != "" {
		file, err := os.OpenFile(*bills, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		cfg.Bills = file
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", listener.Addr()) // for --model-url
	return http.Serve(listener, chattest.Handler(cfg))
}

// faultNames returns the names of the faults that the endpoint can imitate (-faults), separated by blanks.
func faultNames() string {
	var list []string
	for _, fault := range chattest.Faults() {
		list = append(list, string(fault))
	}
	return strings.Join(list, " ")
}

// readFaults reads the text of -faults, NAME=SHARE,..., and returns for each named fault in what share of
// the requests, from 0 to 1, the endpoint imitates it.
func readFaults(text string) (map[chattest.Fault]float64, error) {
	shares := map[chattest.Fault]float64{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair == "" {
			continue
		}
		name, share, _ := strings.Cut(pair, "=")
		x, err := strconv.ParseFloat(share, 64)
		isShare := err == nil && x >= 0 && x <= 1
		isFault := slices.Contains(chattest.Faults(), chattest.Fault(name))
		if !isShare || !isFault {
			return nil, fmt.Errorf("got the fault %q; want NAME=SHARE with a share from 0 to 1 and one of: %s", pair, faultNames())
		}
		shares[chattest.Fault(name)] = x
	}
	return shares, nil
}

// readAnswers returns the function with which the endpoint answers requests, from the text of -answers. That
// is the path of a file of answers by the hashes of their requests, or "exact:" and the path of a task file
// of ASPIRE, whose tasks then get right answers. It returns nil for no text.
func readAnswers(text string) (func(*chattest.Call) string, error) {
	if text == "" {
		return nil, nil
	}
	makeAnswerer := chattest.Answers // from answers by hash
	path, exact := strings.CutPrefix(text, "exact:")
	if exact {
		makeAnswerer = chattest.Exact // from tasks
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return makeAnswerer(data)
}
