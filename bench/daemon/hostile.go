package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// probe is one kind of hostile client. Each attacks a daemon of its own, while ordinary clients
// ask it for items.
type probe struct {
	name  string
	flags []string // further ones of plumb serve
	files int      // descriptors that the daemon may have open (ulimit -n), 0 for this machine's own limit
	peak  int      // MiB that the daemon's memory may reach; 0 where that is not the matter
	run   func(*target) (seen string, err error)
}

// probes lists them all; each has a file of its own.
var probes = []probe{
	{"1,100 idle connections under 1,024 descriptors", nil, 1024, 1500, idle},
	{"refused requests whose bodies never come", nil, 0, 1500, refused},
	{"600 slow headers at 256 connections", []string{"--max-conns", "256"}, 0, 1500, slow},
	{"requests hidden behind two lengths", nil, 0, 1500, smuggle},
	{"8 bodies of 3.9 million small numbers, 15 s", nil, 0, 4000, values},
	{"8 answers of 3.9 million numbers, 15 s", nil, 0, 4000, answers},
	{"60 zstd frames with windows of 128 MiB", []string{"--max-window", "128MiB"}, 0, 1500, window},
	{"20 streams with a line of 60 MB without end", nil, 0, 1500, endless},
	{"60 sessions with an unfinished message of 16 MB", nil, 0, 1500, messages},
	{"8 scenes of 350,000 freehand points, 15 s", nil, 0, 1500, freehand},
	{"8 scenes of 35 Mpx full of outlines, 15 s", nil, 0, 1500, coverage},
}

// validToken is the only token that the attacked daemon accepts. Ordinary clients have it, hostile
// ones only where the probe says so.
const validToken = "bench-token"

// noToken leaves the token out of a request.
const noToken = ""

// target is the daemon that a probe attacks.
type target struct {
	*process
	items []item // ordinary ones, with their rewards
}

// dial opens a connection to the daemon's port. It is closed by the caller.
func (target *target) dial() (net.Conn, error) {
	return net.DialTimeout("tcp", target.addr, 10*time.Second)
}

// requestHead returns the head of an HTTP request of a hostile client: its first line and headers, with the empty
// line at its end. With validToken, the daemon lets the request in.
func requestHead(method, path, token string, headers ...string) string {
	lines := []string{method + " " + path + " HTTP/1.1", "Host: plumb"}
	if token != noToken {
		lines = append(lines, "Authorization: Bearer "+token)
	}
	return strings.Join(append(append(lines, headers...), "", ""), "\r\n")
}

// hostile attacks daemons with a list of probes, each of which is one kind of attack. Each probe gets a
// daemon of its own, which ordinary clients use at the same time. It prints a row for each probe: what the
// attack cost the daemon, how the ordinary clients fared, and what the probe got for answers. A probe after
// which the daemon fails a check makes the whole run an error.
func hostile(cfg config) error {
	items, err := makeItems(cfg.distinctItems, cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.runPlumbScore(items); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plumb-hostile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tokens := filepath.Join(dir, "tokens")
	if err := os.WriteFile(tokens, []byte("bench:"+validToken+"\n"), 0o600); err != nil {
		return err
	}
	cfg.say("# hostile: each probe has a daemon of its own and, beside it, %d clients that ask for ordinary items", cfg.clients)
	cfg.say("%-52s %8s %9s %9s %9s %8s %9s  %s", "probe", "seconds", "peak MiB", "bar MiB", "ordinary", "retried", "p99 ms", "seen")
	var faults []error
	for _, probe := range probes {
		if cfg.only != "" && !strings.Contains(probe.name, cfg.only) {
			continue
		}
		if err := cfg.attack(probe, items, tokens); err != nil {
			cfg.say("  FAILED: %v", err)
			faults = append(faults, fmt.Errorf("%s: %w", probe.name, err))
		}
	}
	return errors.Join(faults...)
}

// attack starts a daemon, runs one probe against it while ordinary clients use it, and prints the row of the
// probe. It returns an error if the probe saw what it must not see, if the daemon ended, took more memory
// than the probe allows or answers ordinary clients no more, or if one of these got no answer or a wrong
// one. tokens is the file of the access tokens.
func (config config) attack(probe probe, items []item, tokens string) error {
	cmd := config.command("127.0.0.1:0", append([]string{"--tokens-file", tokens}, probe.flags...)...)
	if probe.files > 0 {
		cmd = exec.Command("sh", slices.Concat([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, probe.files)}, cmd.Args)...)
	}
	process, err := config.launch(cmd, []string{"GOMEMLIMIT="})
	if err != nil {
		return err
	}
	defer process.kill()
	// Ordinary clients, until the daemon is warm.
	ordinary := &ordinaryClients{tally: newTally(), probeOver: make(chan struct{})}
	for i := range config.clients {
		ordinary.all.Go(func() { ordinary.client(process, items, i) })
	}
	for ordinary.answered() < config.clients {
		select {
		case <-process.done: // then the clients get no further answers
			close(ordinary.probeOver)
			ordinary.all.Wait()
			return fmt.Errorf("the daemon ended before the attack: %v: %.2000s", process.err, process.log)
		case <-time.After(time.Millisecond):
		}
	}
	// The attack. Ordinary items must be answered after it too, for which there are 30 s.
	begin := time.Now()
	seen, fault := probe.run(&target{process: process, items: items})
	took := time.Since(begin)
	wanted := ordinary.answered() + 2*config.clients
	for end := time.Now().Add(30 * time.Second); ordinary.answered() < wanted && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	answeredAfter := ordinary.answered()
	close(ordinary.probeOver)
	ordinary.all.Wait()
	// The row.
	peak := process.peak()
	bar := "-"
	if probe.peak > 0 {
		bar = fmt.Sprint(probe.peak)
	}
	retried := 0
	for _, n := range ordinary.tally.tries {
		retried += n
	}
	config.say("%-52s %8.1f %9d %9s %9d %8d %9.1f  %s", probe.name, took.Seconds(), peak, bar, ordinary.tally.answers, retried, ordinary.tally.percentileMS(99), seen)
	// What must not be.
	faults := []error{fault, ordinary.tally.verdict()}
	if retried > 0 {
		config.say("  ordinary tries that failed: %v", ordinary.tally.tries)
	}
	select {
	case <-process.done:
		faults = append(faults, fmt.Errorf("the daemon ended: %v: %.2000s", process.err, process.log))
	default:
		if answeredAfter < wanted {
			faults = append(faults, errors.New("ordinary items are not answered any more"))
		}
	}
	if probe.peak > 0 && peak > probe.peak {
		faults = append(faults, fmt.Errorf("the daemon took %d MiB; want at most %d", peak, probe.peak))
	}
	return errors.Join(faults...)
}

// ordinaryClients are the clients that ask for ordinary items while a probe attacks their daemon.
type ordinaryClients struct {
	tally     *tally
	n         atomic.Int64 // answered
	all       sync.WaitGroup
	probeOver chan struct{}
}

func (clients *ordinaryClients) answered() int { return int(clients.n.Load()) }

// client is an ordinary client of a daemon under attack, number i of them: it asks for the scores of one item
// after another until the probe is over or the daemon has ended. It asks again for what failed.
func (clients *ordinaryClients) client(process *process, items []item, i int) {
	client := newClient(process.addr, time.Minute)
	client.token = validToken
	for ; ; i++ {
		select {
		case <-clients.probeOver:
			return
		case <-process.done:
			return
		default:
		}
		client.askUntilAnswered(&items[i%len(items)], clients.tally, &clients.n)
		time.Sleep(10 * time.Millisecond)
	}
}
