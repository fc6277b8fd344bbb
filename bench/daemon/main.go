// Command daemon loads `plumb serve` as trainers do and prints what came of it.
// Each mode starts daemons of its own, compares every reward with the one that
// `plumb score` gives for the same answer, and ends with 1 where one was lost or
// wrong.
//
//	storm   many one-sample clients with the retry loops of OpenRLHF and slime,
//	        while the daemon is restarted and loses its GL context (build tag fault)
//	light   one balance request at a time: latency, and the parts of it in a trace
//	rate    single-sample requests beside `plumb score` in process, in turn
//	kill    kill -9 under load: every acknowledged reply right, nothing left behind
//	hostile clients that mean harm, one probe after the other: what they cost, and
//	        that ordinary items are answered meanwhile
//
//	go run ./bench/daemon -plumb bin/plumb light
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"plumb/bench/rig"
	"plumb/scoring/aspire/scenario"
)

// config holds the values of the flags.
type config struct {
	plumb         string
	commonArgs    []string // further flags of plumb serve and plumb score
	serveArgs     []string // of plumb serve alone
	requests      int      // to send
	distinctItems int      // different items among them
	clients       int
	runs          int
	tests         []string // of ASPIRE, whose items are sent
	only          string   // part of the names of the probes to run, "" for all
	out           io.Writer
}

// main reads the flags and runs one mode of this load test: storm, light, rate, kill or hostile.
// Numbers of requests and clients that no flag gives are those of the mode.
func main() {
	log.SetFlags(0)
	var cfg config
	flag.StringVar(&cfg.plumb, "plumb", "bin/plumb", "the program; storm wants one with build tag fault")
	args := flag.String("args", "--fidelity native", "further flags of plumb serve and plumb score, separated by blanks")
	more := flag.String("serve", "", "further flags of plumb serve alone")
	flag.IntVar(&cfg.requests, "n", 0, "requests, 0 for the mode's own: storm 100000, light 2000, rate 10000 a run, kill 20000, hostile 200 items")
	flag.IntVar(&cfg.distinctItems, "distinct", 20000, "different items at most")
	flag.IntVar(&cfg.clients, "clients", 0, "clients at a time, 0 for the mode's own: storm 512, rate 64, kill 64, hostile 2")
	flag.IntVar(&cfg.runs, "runs", 3, "runs of rate, kills of kill")
	tests := flag.String("tests", "", "tests of ASPIRE whose items are sent, with commas between them; all, but balance for light")
	flag.StringVar(&cfg.only, "only", "", "part of the names of the probes of hostile to run; all of them without it")
	flag.Parse()
	cfg.commonArgs = strings.Fields(*args)
	cfg.serveArgs = strings.Fields(*more)
	cfg.out = os.Stdout
	cfg.tests = scenario.Tests()
	if *tests != "" {
		cfg.tests = strings.Split(*tests, ",")
	} else if flag.Arg(0) == "light" {
		cfg.tests = []string{"balance"}
	}
	mode, ok := map[string]struct {
		run               func(config) error
		requests, clients int
	}{
		"storm": {storm, 100_000, 512}, "light": {light, 2000, 1}, "rate": {rate, 10_000, 64}, "kill": {kill, 20_000, 64}, "hostile": {hostile, 200, 2},
	}[flag.Arg(0)]
	if !ok || flag.NArg() != 1 {
		log.Fatal("cannot run: want one of storm, light, rate, kill, hostile")
	}
	if cfg.requests <= 0 {
		cfg.requests = mode.requests
	}
	if cfg.clients <= 0 {
		cfg.clients = mode.clients
	}
	cfg.distinctItems = min(cfg.distinctItems, cfg.requests)
	if err := cfg.header(); err != nil {
		log.Fatal(err)
	}
	if err := mode.run(cfg); err != nil {
		log.Fatal(err)
	}
}

func (config config) say(format string, args ...any) { fmt.Fprintf(config.out, format+"\n", args...) }

// header prints on what machine, commit and flags the figures were taken.
func (config config) header() error {
	commit, err := rig.CommitOf(config.plumb)
	if err != nil {
		return err
	}
	fmt.Fprint(config.out, rig.Header(commit))
	config.say("# clients and daemon share them; serve %s", strings.Join(append(config.commonArgs, config.serveArgs...), " "))
	return nil
}
