package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// rate compares two ways to score the same items, in turn: each item as an HTTP request of its own to
// a daemon, and all of them in one plumb score. It prints items per second of both and their ratio.
// Round 0 warms the daemon and is not counted.
func rate(cfg config) error {
	items, err := makeItems(cfg.requests, cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.runPlumbScore(items); err != nil { // fills shader caches
		return err
	}
	process, err := cfg.serve("127.0.0.1:0", nil)
	if err != nil {
		return err
	}
	defer process.kill()
	cfg.say("# rate: %d different items of %s, each once a run; %d clients; the start of plumb score is not counted", len(items), strings.Join(cfg.tests, ", "), cfg.clients)
	cfg.say("%3s %14s %14s %6s %12s %12s", "run", "in process/s", "HTTP/s", "ratio", "p50", "p99")
	var ratios []float64
	for run := 0; run <= cfg.runs; run++ {
		inside, err := cfg.plumbScoreRate(items)
		if err != nil {
			return err
		}
		tally := newTally()
		took := cfg.scoreOverHTTP(process.addr, items, tally)
		if err := tally.verdict(); err != nil {
			return err
		}
		outside := float64(len(items)) / took.Seconds()
		if run == 0 { // warms the daemon
			continue
		}
		ratios = append(ratios, outside/inside)
		cfg.say("%3d %14.0f %14.0f %6.2f %9.1f ms %9.1f ms", run, inside, outside, outside/inside, tally.percentileMS(50), tally.percentileMS(99))
	}
	slices.Sort(ratios)
	cfg.say("median ratio %.2f", ratios[len(ratios)/2])
	metrics, err := process.scrape()
	if err != nil {
		return err
	}
	cfg.say("mean batch %.1f samples", metrics.sum("plumb_samples_total")/metrics.sum("plumb_batches_total"))
	return process.stop()
}

// plumbScoreRate returns how many items per second plumb score scores. It runs the program on one item and on all
// items and takes the difference of the times, so that the start of the process does not count.
func (config config) plumbScoreRate(items []item) (float64, error) {
	copied := slices.Clone(items) // runPlumbScore changes the items
	one, err := config.runPlumbScore(copied[:1])
	if err != nil {
		return 0, err
	}
	all, err := config.runPlumbScore(copied)
	if err != nil {
		return 0, err
	}
	return float64(len(items)-1) / (all - one).Seconds(), nil
}

// scoreOverHTTP has the daemon at addr score all items, each in an HTTP request of its own, from config.clients
// clients at a time. It compares each answer with the result that plumb score gave for the item, and counts
// wrong and missing ones in tally. It returns how long all of them took.
func (config config) scoreOverHTTP(addr string, items []item, tally *tally) time.Duration {
	var next atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range config.clients {
		all.Go(func() {
			client := newClient(addr, time.Minute)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				begin := time.Now()
				data, err := client.post("/v1/score", items[i].line)
				if err != nil {
					tally.failed(err)
					tally.lose(fmt.Sprintf("%s: %v", clipped(items[i].line), err))
					continue
				}
				tally.answered(time.Since(begin))
				if !bytes.Equal(bytes.TrimSpace(data), items[i].want) {
					tally.differed(fmt.Sprintf("got %.300s; want %.300s", data, items[i].want))
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}
