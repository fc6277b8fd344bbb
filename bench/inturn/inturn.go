// Package inturn measures two builds of plumb in turn, on the same work, and tells their ratios. In: the
// programs, and a function that runs one of them. Out: samples by program and round, their medians and
// ratios, and how many results differ: an earlier build may follow older rules. Builds most of whose results
// differ are an error, because a ratio of different work says nothing.
package inturn

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/bench/spawn"
)

// Sample is what one program took for one piece of work in one round.
type Sample struct {
	Core    time.Duration // user and system time per item, of all threads of the process
	Rate    float64       // items/s
	RSS     int64         // bytes, greatest; 0 where it is not known
	Bytes   int64         // of output per item; 0 where it is not measured
	Results []Hash        // one of each result, in the order of the work
}

// Hash is that of one result: two builds have the same result where the hashes are equal.
type Hash = [sha256.Size]byte

// Row holds what the programs took for one kind of work.
type Row struct {
	Samples  [][]Sample // by program, then by round
	compared int        // results of the last program that were compared with those of the first one
	differ   int        // those of them that were different
}

// Programs returns the builds to measure: before, an earlier build, if it is not "", and plumb. It prints
// the title, the machine and the commits as the head of a results file.
func Programs(title, plumb, before string) ([]string, error) {
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return nil, err
	}
	fmt.Printf("# %s\n%s", title, rig.Header(commit))
	if before == "" {
		return []string{plumb}, nil
	}
	old, err := rig.CommitOf(before)
	if err != nil {
		return nil, err
	}
	fmt.Printf("# before: commit %s; the programs run in turn, and a row says how many of their results differ, if any\n", old)
	return []string{before, plumb}, nil
}

// Heading prints the names of the columns of a table of programs that are measured in turn: of the work and
// the way of doing it, of each program, and of the ratios. width is that of a program's columns in
// characters.
func Heading(work, way string, programs []string, width int) {
	fmt.Printf("%-14s %-10s", work, way)
	for _, program := range programs {
		fmt.Printf(" %*s", width, filepath.Base(filepath.Dir(program))+"/"+filepath.Base(program))
	}
	fmt.Printf("  %s\n", "core, rate: times before")
}

// Measure runs each program once, by run, and adds what it took to its samples in the row. The order of the
// programs changes with the number of the round, because the first one may find a colder machine. It is an
// error if the programs have different numbers of results in this round, or if more than half of them differ.
func (row *Row) Measure(programs []string, round int, run func(program string) (Sample, error)) error {
	if row.Samples == nil {
		row.Samples = make([][]Sample, len(programs))
	}
	results := make([][]Hash, len(programs))
	for turn := range programs {
		i := (turn + round) % len(programs)
		sample, err := run(programs[i])
		if err != nil {
			return err
		}
		results[i], sample.Results = sample.Results, nil // kept for this round only
		row.Samples[i] = append(row.Samples[i], sample)
	}
	return row.compare(results[0], results[len(results)-1])
}

// compare counts the results of two programs in one round, and those that differ.
func (row *Row) compare(before, after []Hash) error {
	if len(before) != len(after) {
		return fmt.Errorf("the programs have %d and %d results", len(before), len(after))
	}
	differ := 0
	for i := range before {
		if before[i] != after[i] {
			differ++
		}
	}
	if 2*differ > len(before) {
		return fmt.Errorf("%d of the programs' %d results differ; want at most half", differ, len(before))
	}
	row.compared += len(before)
	row.differ += differ
	return nil
}

// OverHTTP starts a daemon, `PROGRAM serve` with flags, calls requests, which sends it all n items, and stops
// it. The sample has the items per second, the daemon's processor time per item and its peak memory.
func OverHTTP(program string, flags []string, n int, requests func(*spawn.Daemon) error) (sample Sample, err error) {
	daemon, err := spawn.Start(program, flags...)
	if err != nil {
		return sample, err
	}
	defer func() { err = errors.Join(err, daemon.Close()) }()
	took, core, err := daemon.Measure(func() error { return requests(daemon) })
	if err != nil {
		return sample, err
	}
	return Sample{Core: core / time.Duration(n), Rate: float64(n) / took.Seconds(), RSS: daemon.Memory().Peak}, nil
}

// PrintRatios ends the line of a row in the table. Where two programs are measured in turn, it prints first
// how the second one's processor time and rate relate to the first one's, and then how many results differ,
// over all rounds, if any.
func (row Row) PrintRatios() {
	if len(row.Samples) == 2 {
		fmt.Printf("  %.3f, %.2f", row.ratio(Core), row.ratio(Rate))
	}
	if row.differ > 0 {
		fmt.Printf("; %d of %d differ", row.differ, row.compared)
	}
	fmt.Println()
}

// ratio returns how a figure of the second program relates to that of the first one, such as its rate: the
// median over the rounds of the ratio in each round.
func (row Row) ratio(figureOf func(Sample) float64) float64 {
	ratios := make([]float64, len(row.Samples[0]))
	for round := range ratios {
		ratios[round] = figureOf(row.Samples[1][round]) / figureOf(row.Samples[0][round])
	}
	return figure.Median(ratios)
}

// Core, Rate, RSS and Size are the figures of a sample: core time in ms per item, items per second, memory
// in MB, and bytes of output per item.
func Core(s Sample) float64 { return s.Core.Seconds() * 1e3 }
func Rate(s Sample) float64 { return s.Rate }
func RSS(s Sample) float64  { return float64(s.RSS) / 1e6 }
func Size(s Sample) float64 { return float64(s.Bytes) }

// Median returns the median, over the rounds of a program, of a figure of its samples.
func Median(samples []Sample, figureOf func(Sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, sample := range samples {
		values[i] = figureOf(sample)
	}
	return figure.Median(values)
}
