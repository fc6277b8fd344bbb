package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// storm sends the load of a training run to a daemon that is restarted and loses its GL context.
// No request may be lost, and no reward may differ.
func storm(cfg config) error {
	items, err := makeItems(cfg.distinct, cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.score(items); err != nil {
		return err
	}
	cfg.say("# storm: %d clients, %d requests over %d items of %s, half of the clients as OpenRLHF, half as slime; a restart after 2 of 5, one lost context before and one after", cfg.clients, cfg.n, len(items), strings.Join(cfg.tests, ", "))
	// A daemon answers in batches of about 20: both losses come early in its life.
	pos := max(2, cfg.n/4000)
	first, err := cfg.serve("127.0.0.1:0", []string{fmt.Sprintf("PLUMB_FAULT=context_loss@%d", pos)})
	if err != nil {
		return err
	}
	defer first.kill()
	s := &stormy{config: cfg, items: items, tally: newTally(), first: first, at: pos}
	if err := s.run(); err != nil {
		return err
	}
	return s.report()
}

// stormy is the state of a storm.
type stormy struct {
	config
	items         []item
	tally         *tally
	at            int
	first, second *process
	old, new      metrics // of both at their ends
	next          atomic.Int64
	took          time.Duration
	memory        [2][]int64 // of both, sampled
}

// run has all clients send requests while the first daemon is replaced by a second one, and while
// their memory is watched. At the end it reads the second daemon's metrics and stops it.
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
	all.Wait()
	stormy.took = time.Since(start)
	close(stop)
	watcher.Wait()
	if err != nil {
		return err
	}
	defer stormy.second.kill()
	if stormy.new, err = stormy.second.scrape(); err != nil {
		return err
	}
	return stormy.second.stop()
}

// client asks the daemon, which is restarted again and again, until all requests have been taken.
func (stormy *stormy) client(i int) {
	trainer := &trainers[i%len(trainers)]
	client := newClient(stormy.first.addr, trainer.timeout)
	for {
		k := int(stormy.next.Add(1)) - 1
		if k >= stormy.n {
			return
		}
		it := &stormy.items[order(k, len(stormy.items))]
		client.ask(trainer, it, trainer.body(it), stormy.tally)
	}
}

// order returns the indices of n items, in another order in each round of requests.
func order(k, n int) int {
	round, i := k/n, k%n
	for _, step := range []int{7919, 6101, 4001, 3001, 1009} {
		if n%step != 0 {
			return (i*step + round*n/3) % n
		}
	}
	return i
}

// restart starts a new daemon, which takes over the port, and then tells the old one to end.
func (stormy *stormy) restart() (err error) {
	for int(stormy.next.Load()) < 2*stormy.n/5 {
		time.Sleep(5 * time.Millisecond)
	}
	if stormy.second, err = stormy.serve(stormy.first.addr, []string{fmt.Sprintf("PLUMB_FAULT=context_loss@%d", stormy.at)}); err != nil {
		return err
	}
	if stormy.old, err = stormy.first.scrape(); err != nil {
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
		if p := stormy.second; p != nil {
			stormy.memory[1] = append(stormy.memory[1], p.resident())
		}
	}
}

// report prints what happened, and returns an error if an answer was lost or wrong, if no OpenGL
// context was lost in one of the daemons, so that the test proved nothing, or if a request is not
// accounted for.
func (stormy *stormy) report() error {
	stormy.say("requests answered   %d in %.1f s: %.0f requests/s", stormy.tally.n, stormy.took.Seconds(), float64(stormy.tally.n)/stormy.took.Seconds())
	stormy.say("latency             p50 %.1f ms, p99 %.1f ms, greatest %.1f ms (from the first try to the answer)", stormy.tally.ms(50), stormy.tally.ms(99), stormy.tally.ms(100))
	stormy.say("tries that failed   %v", stormy.tally.tries)
	sum := func(name string) float64 { return stormy.old.sum(name) + stormy.new.sum(name) }
	batches := sum("plumb_batches_total")
	mean := sum("plumb_samples_total") / batches
	stormy.say("mean batch          %.1f samples, %.1f pictures (%.0f batches)", mean, sum("plumb_batch_size_sum")/batches, batches)
	stormy.say("contexts lost       %.0f and %.0f", stormy.old.sum("plumb_gl_context_resets_total"), stormy.new.sum("plumb_gl_context_resets_total"))
	stormy.say("samples             %v", outcomes(stormy.old, stormy.new))
	for i, m := range stormy.memory {
		stormy.say("memory of daemon %d  %s", i+1, flatness(m))
	}
	stormy.say("lost                %d", stormy.tally.nLost)
	stormy.say("wrong               %d", stormy.tally.nWrong)
	err := stormy.tally.verdict()
	if stormy.old.sum("plumb_gl_context_resets_total") < 1 || stormy.new.sum("plumb_gl_context_resets_total") < 1 {
		err = errors.Join(err, errors.New("no context was lost; want a program with build tag fault"))
	}
	if stormy.tally.n+stormy.tally.nLost != stormy.n {
		err = errors.Join(err, fmt.Errorf("%d requests were answered; want %d", stormy.tally.n, stormy.n))
	}
	return err
}

// outcomes adds up the outcomes of samples in the old and the new daemon.
func outcomes(all ...metrics) map[string]int {
	sum := map[string]int{}
	for _, m := range all {
		for series, v := range m {
			if _, rest, ok := strings.Cut(series, `plumb_samples_total{`); ok {
				_, outcome, _ := strings.Cut(rest, `outcome="`)
				sum[strings.TrimSuffix(outcome, `"}`)] += int(v)
			}
		}
	}
	return sum
}

// flatness prints by how much memory grew from the second quarter of a run to its last. Buffers
// fill in the first one.
func flatness(samples []int64) string {
	samples = slices.DeleteFunc(slices.Clone(samples), func(v int64) bool { return v == 0 })
	if len(samples) < 8 {
		return fmt.Sprintf("%d samples: too few", len(samples))
	}
	q := len(samples) / 4
	mean := func(s []int64) (m float64) {
		for _, v := range s {
			m += float64(v) / float64(len(s)) / 1e6
		}
		return m
	}
	early, late := mean(samples[q:2*q]), mean(samples[len(samples)-q:])
	var tenths []string
	for i := range 10 {
		tenths = append(tenths, fmt.Sprintf("%.0f", float64(samples[i*len(samples)/10])/1e6))
	}
	return fmt.Sprintf("%.0f MB in the second quarter of its life, %.0f MB in the last (%+.1f %%), %.0f MB at most; by tenths %s",
		early, late, (late/early-1)*100, float64(slices.Max(samples))/1e6, strings.Join(tenths, " "))
}
