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

// rate compares single-sample requests with plumb score in process, on the same
// items, in turn.
func rate(c config) error {
	items, err := makeItems(c.n, c.tests...)
	if err != nil {
		return err
	}
	if _, err := c.score(items); err != nil { // fills shader caches
		return err
	}
	p, err := c.serve("127.0.0.1:0", nil)
	if err != nil {
		return err
	}
	defer p.kill()
	c.say("# rate: %d different items of %s, each once a run; %d clients; the start of plumb score is not counted", len(items), strings.Join(c.tests, ", "), c.clients)
	c.say("%3s %14s %14s %6s %12s %12s", "run", "in process/s", "HTTP/s", "ratio", "p50", "p99")
	var ratios []float64
	for run := 0; run <= c.runs; run++ {
		inside, err := c.inside(items)
		if err != nil {
			return err
		}
		t := newTally()
		took := c.through(p.addr, items, t)
		if err := t.verdict(); err != nil {
			return err
		}
		outside := float64(len(items)) / took.Seconds()
		if run == 0 { // warms the daemon
			continue
		}
		ratios = append(ratios, outside/inside)
		c.say("%3d %14.0f %14.0f %6.2f %9.1f ms %9.1f ms", run, inside, outside, outside/inside, t.ms(50), t.ms(99))
	}
	slices.Sort(ratios)
	c.say("median ratio %.2f", ratios[len(ratios)/2])
	m, err := p.scrape()
	if err != nil {
		return err
	}
	c.say("mean batch %.1f samples", m.sum("plumb_samples_total")/m.sum("plumb_batches_total"))
	return p.stop()
}

// inside returns how many items a second plumb score scores, without its start.
func (c config) inside(items []item) (float64, error) {
	again := slices.Clone(items)
	one, err := c.score(again[:1])
	if err != nil {
		return 0, err
	}
	all, err := c.score(again)
	if err != nil {
		return 0, err
	}
	return float64(len(items)-1) / (all - one).Seconds(), nil
}

// through sends each item as a request of its own and compares the bytes of the results.
func (c config) through(addr string, items []item, t *tally) time.Duration {
	var next atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range c.clients {
		all.Go(func() {
			cl := newClient(addr, time.Minute)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				begin := time.Now()
				b, err := cl.post("/v1/score", items[i].line)
				if err != nil {
					t.failed(err)
					t.lose(fmt.Sprintf("%s: %v", clipped(items[i].line), err))
					continue
				}
				t.answered(time.Since(begin))
				if !bytes.Equal(bytes.TrimSpace(b), items[i].want) {
					t.err(fmt.Sprintf("got %.300s; want %.300s", b, items[i].want))
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}
