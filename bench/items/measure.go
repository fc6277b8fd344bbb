package items

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/bench/spawn"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
)

// mostSlowest is how many items of a class a result file names, the slowest first.
const mostSlowest = 100

// Class holds the measurements of one set. Times are in microseconds.
type Class struct {
	Name   string             `json:"name"`
	Doc    string             `json:"doc"`
	Items  int                `json:"items"`
	Failed map[string]int     `json:"failed"`  // items that were not scored, by error code
	Rate   []float64          `json:"per_s"`   // items per second, all workers, a value per round
	Core   []float64          `json:"core_us"` // processor time per item, a value per round
	P50    float64            `json:"alone_p50_us"`
	P99    float64            `json:"alone_p99_us"`
	Parts  map[string]float64 `json:"parts_us"` // of an item that comes alone: mean of each part of its way
	Slow   []Item             `json:"slowest"`  // the slowest items, slowest first
}

// Item is the measurement of one item that was scored alone.
type Item struct {
	ID    string             `json:"id"`
	Took  float64            `json:"us"`       // median over the rounds
	Parts map[string]float64 `json:"parts_us"` // of the round with that time
	Error string             `json:"error,omitempty"`
}

// Longest returns the part of scoring the item, such as decoding or drawing, that took most time, and that
// time in µs.
func (item Item) Longest() (part string, us float64) {
	for p := range queue.Parts {
		if took := item.Parts[p.String()]; took > us {
			part, us = p.String(), took
		}
	}
	return part, us
}

// Config says how the items of benchmarks are measured.
type Config struct {
	Queue         *queue.Queue
	Options       *queue.Options
	Rounds        int                                  // 1 or more
	ForgetTallies func()                               // empties caches before each pass over a set; nil for none
	Serve         func() (*spawn.Daemon, error)        // starts a daemon, for the sets over HTTP
	Report        func(what string, round, rounds int) // progress; nil for none
}

// timed is one item with the measurements of each round.
type timed struct {
	id     string
	fault  string
	rounds []queue.Timing
}

// Measure measures how fast the items of several sets are scored, each set as a whole and each item alone, in
// this process or over HTTP. In each round it measures all sets in turn, so that other work of the machine
// slows all of them alike. Errors are those of the queue or the daemon; items that cannot be scored are
// counted in their class.
func Measure(ctx context.Context, cfg Config, sets []Set) ([]Class, error) {
	classes := make([]Class, len(sets))
	items := make([][]timed, len(sets))
	for i, set := range sets {
		if len(set.Lines) == 0 {
			return nil, fmt.Errorf("cannot measure %s: got no items; want at least one", set.Name)
		}
		classes[i] = Class{Name: set.Name, Doc: set.Doc, Items: len(set.Lines)}
		items[i] = make([]timed, len(set.Lines))
		if set.HTTP {
			continue // the daemon is started for each round
		}
		if err := scoreTogether(ctx, &cfg, &set, nil); err != nil { // fills caches, and keeps nothing
			return nil, err
		}
	}
	for round := range cfg.Rounds {
		for i, set := range sets {
			if cfg.Report != nil {
				cfg.Report(set.Name, round, cfg.Rounds)
			}
			if set.HTTP {
				if err := overHTTP(&cfg, &set, &classes[i], items[i]); err != nil {
					return nil, fmt.Errorf("cannot measure %s: %w", set.Name, err)
				}
				continue
			}
			if err := scoreTogether(ctx, &cfg, &set, &classes[i]); err != nil {
				return nil, err
			}
			if err := scoreAlone(ctx, &cfg, &set, items[i]); err != nil {
				return nil, err
			}
		}
	}
	for i := range classes {
		notSentAlone := func(item timed) bool { return len(item.rounds) == 0 } // most of those over HTTP
		items[i] = slices.DeleteFunc(items[i], notSentAlone)
		classes[i].summarize(items[i])
	}
	return classes, nil
}

// emptyCaches empties caches, so that no round finds the results of the round before.
func (c *Config) emptyCaches() {
	if c.ForgetTallies != nil {
		c.ForgetTallies()
	}
}

// scoreTogether scores all items of a set in one stream of the queue, and adds the rate and the processor time per
// item to class. If class is nil, nothing is kept: the pass warms the process up.
func scoreTogether(ctx context.Context, cfg *Config, set *Set, class *Class) error {
	cfg.emptyCaches()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stream := cfg.Queue.Stream(ctx, cfg.Options)
	start, coreBefore := time.Now(), rig.CoreTime()
	go func() {
		defer stream.End()
		for i, line := range set.Lines {
			if stream.Put(dump.Line{Number: i + 1, Bytes: line}) != nil {
				return
			}
		}
	}()
	for {
		_, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("cannot measure %s: %w", set.Name, err)
		}
	}
	if class != nil {
		count := float64(len(set.Lines))
		class.Rate = append(class.Rate, count/time.Since(start).Seconds())
		class.Core = append(class.Core, micros(rig.CoreTime()-coreBefore)/count)
	}
	return nil
}

// scoreAlone scores the items of a set one after the other, so that the time of an item does not depend on others,
// and adds one more round to the times of each item. It also keeps the code of an item's error.
func scoreAlone(ctx context.Context, cfg *Config, set *Set, items []timed) error {
	cfg.emptyCaches()
	for i, line := range set.Lines {
		answer, err := cfg.Queue.Score(ctx, dump.Line{Number: i + 1, Bytes: line}, cfg.Options)
		if err != nil {
			return fmt.Errorf("cannot measure item %d of %s: %w", i+1, set.Name, err)
		}
		items[i].id = strings.Clone(answer.Result.ID) // the queue uses its memory again
		items[i].rounds = append(items[i].rounds, answer.Timing)
		if answer.Result.Err != nil {
			items[i].fault = answer.Result.Err.Code
		}
	}
	return nil
}

// summarize computes the figures of a class of items from the times of all rounds: of each item the middle
// round counts. It sets percentiles, the mean of each part, the slowest items and the numbers of
// errors.
func (class *Class) summarize(items []timed) {
	class.Failed = map[string]int{}
	var times []float64 // of the items, in µs
	var totals queue.Timing
	list := make([]Item, len(items))
	for i, timed := range items {
		round := timed.medianRound()
		for part, took := range round {
			totals[part] += took
		}
		if timed.fault != "" {
			class.Failed[timed.fault]++
		}
		list[i] = Item{ID: timed.id, Took: micros(round.Total()), Parts: partsByName(round, 1), Error: timed.fault}
		times = append(times, list[i].Took)
	}
	class.Parts = partsByName(totals, float64(len(items)))
	slices.Sort(times)
	class.P50, class.P99 = figure.Median(times), times[min(len(times)-1, len(times)*99/100)]
	slices.SortStableFunc(list, func(a, b Item) int { return cmp.Compare(b.Took, a.Took) })
	class.Slow = list[:min(mostSlowest, len(list))]
}

// medianRound returns the round whose total is the median.
func (t *timed) medianRound() queue.Timing {
	s := slices.Clone(t.rounds)
	slices.SortFunc(s, func(a, b queue.Timing) int { return int(a.Total() - b.Total()) })
	return s[len(s)/2]
}

// partsByName returns how long each part of scoring took, such as decoding or drawing, by its name, in µs and
// divided by n: the number of items whose times timing adds up. Parts that took no time are left out.
func partsByName(timing queue.Timing, n float64) map[string]float64 {
	byName := map[string]float64{}
	for part, took := range timing {
		if took > 0 {
			byName[queue.Part(part).String()] = micros(took) / n
		}
	}
	return byName
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
