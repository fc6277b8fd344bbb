package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plumb/scoring/plural"
)

// storm sends the load of a training run to a daemon that loses its OpenGL context and is then replaced by
// another daemon on the same port, which loses its context too. No request may be lost, and no reward may
// differ from that of plumb score; otherwise it returns an error. Only a program with the build tag fault
// loses contexts on purpose.
func storm(cfg config) error {
	items, err := makeItems(cfg.distinctItems, cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.runPlumbScore(items); err != nil {
		return err
	}
	cfg.say("# storm: %d clients, %d requests over %d items of %s, half of the clients as OpenRLHF, half as slime; a restart after 2 of 5, one lost context before and one after", cfg.clients, cfg.requests, len(items), strings.Join(cfg.tests, ", "))
	// The number of the batch in which a context is lost. A daemon answers in batches of about 20, so that both
	// losses come early in its life.
	lossBatch := max(2, cfg.requests/4000)
	first, err := cfg.serve("127.0.0.1:0", []string{fmt.Sprintf("PLUMB_FAULT=context_loss@%d", lossBatch)})
	if err != nil {
		return err
	}
	defer first.kill()
	stormy := &stormy{config: cfg, items: items, tally: newTally(), first: first, lossBatch: lossBatch}
	if err := stormy.run(); err != nil {
		return err
	}
	return stormy.report()
}

// stormy is the state of a storm.
type stormy struct {
	config
	items                       []item
	tally                       *tally
	lossBatch                   int // the batch in which each daemon loses its OpenGL context
	first                       *process
	second                      atomic.Pointer[process] // nil until it is started, while watch already runs
	firstMetrics, secondMetrics metrics                 // of both at their ends
	next                        atomic.Int64
	took                        time.Duration
	memory                      [2][]int64 // of both, sampled
}

// run has all clients of the load test send requests while the first daemon is replaced by a second one. All
// the time it samples the memory of both. At the end it reads the second daemon's metrics and stops it.
func (stormy *stormy) run() error {
	var all sync.WaitGroup
	start := time.Now()
	for i := range stormy.clients {
		all.Go(func() { stormy.client(i) })
	}
	stop := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { stormy.watch(stop) })
	restarted := make(chan error, 1)
	go func() { restarted <- stormy.restart() }()
	err := <-restarted
	all.Wait() // the clients go on until all requests are sent
	stormy.took = time.Since(start)
	close(stop)
	watcher.Wait()
	if err != nil {
		return err
	}
	second := stormy.second.Load()
	defer second.kill()
	if stormy.secondMetrics, err = second.scrape(); err != nil {
		return err
	}
	return second.stop()
}

// client is client i of the load test. It asks for the rewards of items as one of the trainers does, again
// and again until all clients together have sent all requests.
func (stormy *stormy) client(i int) {
	trainer := &trainers[i%len(trainers)]
	client := newClient(stormy.first.addr, trainer.timeout)
	for {
		k := int(stormy.next.Add(1)) - 1
		if k >= stormy.requests {
			return
		}
		item := &stormy.items[itemOfRequest(k, len(stormy.items))]
		client.ask(trainer, item, trainer.body(item), stormy.tally)
	}
}

// itemOfRequest returns which of n items request number k asks for. The requests go over all items in rounds, each
// item once a round, in an order that is not that of the items and begins elsewhere in each round. Steps of
// a prime number reach every item if the prime does not divide n.
func itemOfRequest(k, n int) int {
	round, i := k/n, k%n
	for _, prime := range []int{7919, 6101, 4001, 3001, 1009} {
		if n%prime != 0 {
			return (i*prime + round*n/3) % n
		}
	}
	return i
}

// restart waits until two fifths of the requests are taken. Then it starts a second daemon on the port of the
// first one, reads the first one's metrics, and tells the first one to end.
func (stormy *stormy) restart() error {
	for int(stormy.next.Load()) < 2*stormy.requests/5 {
		time.Sleep(5 * time.Millisecond)
	}
	second, err := stormy.serve(stormy.first.addr, []string{fmt.Sprintf("PLUMB_FAULT=context_loss@%d", stormy.lossBatch)})
	if err != nil {
		return err
	}
	stormy.second.Store(second)
	if stormy.firstMetrics, err = stormy.first.scrape(); err != nil {
		return err
	}
	return stormy.first.stop()
}

// watch samples the memory of both daemons twice a second, until stop is closed. The second daemon takes
// over during the storm, so it is nil at first.
func (stormy *stormy) watch(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(500 * time.Millisecond):
		}
		stormy.memory[0] = append(stormy.memory[0], stormy.first.resident())
		if second := stormy.second.Load(); second != nil {
			stormy.memory[1] = append(stormy.memory[1], second.resident())
		}
	}
}

// report prints what happened, and returns an error if an answer was lost or wrong, if no OpenGL
// context was lost in one of the daemons, so that the test proved nothing, or if a request is not
// accounted for.
func (stormy *stormy) report() error {
	stormy.say("requests answered   %d in %.1f s: %.0f requests/s", stormy.tally.answers, stormy.took.Seconds(), float64(stormy.tally.answers)/stormy.took.Seconds())
	stormy.say("latency             p50 %.1f ms, p99 %.1f ms, greatest %.1f ms (from the first try to the answer)", stormy.tally.percentileMS(50), stormy.tally.percentileMS(99), stormy.tally.percentileMS(100))
	stormy.say("tries that failed   %v", stormy.tally.tries)
	sum := func(name string) float64 { return stormy.firstMetrics.sum(name) + stormy.secondMetrics.sum(name) }
	batches := sum("plumb_batches_total")
	mean := sum("plumb_samples_total") / batches
	stormy.say("mean batch          %.1f samples, %.1f pictures (%.0f batches)", mean, sum("plumb_batch_size_sum")/batches, batches)
	stormy.say("contexts lost       %.0f and %.0f", stormy.firstMetrics.sum("plumb_gl_context_resets_total"), stormy.secondMetrics.sum("plumb_gl_context_resets_total"))
	stormy.say("samples             %v", outcomes(stormy.firstMetrics, stormy.secondMetrics))
	for i, samples := range stormy.memory {
		stormy.say("memory of daemon %d  %s", i+1, growth(samples))
	}
	stormy.say("lost                %d", stormy.tally.lost)
	stormy.say("wrong               %d", stormy.tally.differing)
	err := stormy.tally.verdict()
	if stormy.firstMetrics.sum("plumb_gl_context_resets_total") < 1 || stormy.secondMetrics.sum("plumb_gl_context_resets_total") < 1 {
		err = errors.Join(err, errors.New("no context was lost; want a program with build tag fault"))
	}
	if stormy.tally.answers+stormy.tally.lost != stormy.requests {
		err = errors.Join(err, fmt.Errorf("%d requests were answered; want %d", stormy.tally.answers, stormy.requests))
	}
	return err
}

// outcomes returns how many samples ended with each outcome, such as scored, in several daemons together,
// from their metrics.
func outcomes(daemons ...metrics) map[string]int {
	sum := map[string]int{}
	for _, metrics := range daemons {
		for series, value := range metrics {
			if _, labels, ok := strings.Cut(series, `plumb_samples_total{`); ok {
				_, outcome, _ := strings.Cut(labels, `outcome="`)
				sum[strings.TrimSuffix(outcome, `"}`)] += int(value)
			}
		}
	}
	return sum
}

// growth says as text by how much the memory of a daemon grew from the second quarter of its life to the
// last, and how large it was at most. The first quarter does not count, because buffers fill in it. samples
// are in bytes; those that are 0 were not taken.
func growth(samples []int64) string {
	samples = slices.DeleteFunc(slices.Clone(samples), func(bytes int64) bool { return bytes == 0 })
	if len(samples) < 8 {
		return fmt.Sprintf("%s: too few", plural.Of(len(samples), "sample"))
	}
	quarter := len(samples) / 4
	mean := func(part []int64) (megabytes float64) {
		for _, bytes := range part {
			megabytes += float64(bytes) / float64(len(part)) / 1e6
		}
		return megabytes
	}
	early, late := mean(samples[quarter:2*quarter]), mean(samples[len(samples)-quarter:])
	var tenths []string
	for i := range 10 {
		tenths = append(tenths, fmt.Sprintf("%.0f", float64(samples[i*len(samples)/10])/1e6))
	}
	return fmt.Sprintf("%.0f MB in the second quarter of its life, %.0f MB in the last (%+.1f %%), %.0f MB at most; by tenths %s",
		early, late, (late/early-1)*100, float64(slices.Max(samples))/1e6, strings.Join(tenths, " "))
}
