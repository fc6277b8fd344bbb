// Command answers measures what trainers and dumps have: many answers to few tasks. It makes dumps of
// the balance test with groups of 8, 64 and 1,000 different answers to one task, one in which no task
// comes twice, and the benchmark's 25 tasks answered again and again. It scores them in process and
// over HTTP, with an earlier build in turn where one is given, and prints core time, rate and memory.
// It also prints how many results the programs do not have alike, byte for byte.
//
// Trainers are programs that train models and have many answers to a task scored at once. A dump is a file of
// answers. The balance test is one of the eight tests of the benchmark ASPIRE, and has 25 tasks. In turn means
// that both builds run one after the other in each round. plumb draws the answers by its own renderer
// (--fidelity native), and keeps the sums of their pixels in a cache (tallies).
//
//	go run ./bench/answers -before build/before/plumb > bench/results/answers.txt
//
// With -flat it scores that many different answers and prints the memory of the daemon meanwhile.
//
//	go run ./bench/answers -flat 200000 > bench/results/answers-memory.txt
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"syscall"
	"time"

	"plumb/bench/inturn"
	"plumb/bench/spawn"
	"plumb/scoring/plural"
)

// main reads the flags and measures many answers to few tasks, or with -flat the memory of one long run.
func main() {
	log.SetFlags(0)
	plumb := flag.String("plumb", "bin/plumb", "the program")
	before := flag.String("before", "", "an earlier build to compare with; none for \"\"")
	n := flag.Int("n", 6000, "answers of each dump")
	rounds := flag.Int("rounds", 3, "rounds, each with tasks of its own")
	flat := flag.Int("flat", 0, "answers of a long run that prints memory alone; 0 for none")
	flag.Parse()
	if *flat > 0 {
		if err := printMemory(*plumb, *flat); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(*plumb, *before, *n, *rounds); err != nil {
		log.Fatal(err)
	}
}

// ways are how answers reach the program.
var ways = []struct {
	name  string
	score func(program string, d *dump) (inturn.Sample, error)
}{
	{"in process", inProcess},
	{"over HTTP", overHTTP},
}

// run measures how fast plumb scores many answers to few tasks: each kind of dump in a process and over HTTP,
// in several rounds. It does so with one build of plumb, or if before is not "" with two builds in turn, and
// prints a row for each kind and way. n is the number of answers of a dump.
func run(plumb, before string, n, rounds int) error {
	programs, err := inturn.Programs("many answers to few tasks of the balance test; groups are of different answers", plumb, before)
	if err != nil {
		return err
	}
	fmt.Printf("# %d answers, medians of %s with tasks of their own; each run begins with empty caches\n", n, plural.Of(rounds, "round"))
	fmt.Printf("# core time is user and system time of the process that scores, the software driver's threads included;\n")
	fmt.Printf("# in process its start is part of it; over HTTP a request has %d answers at most, %d requests at a time\n", spawn.PerRequest, spawn.Clients)
	inturn.Heading("dump", "way", programs, programWidth)
	dir, err := os.MkdirTemp("", "plumb-answers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	table := make([][]inturn.Row, len(kinds)) // by kind, then by way
	for i := range table {
		table[i] = make([]inturn.Row, len(ways))
	}
	for round := range rounds {
		for i, kind := range kinds {
			dump, err := kind.makeDump(dir, n, uint64(round+1))
			if err != nil {
				return err
			}
			for j, way := range ways {
				score := func(program string) (inturn.Sample, error) { return way.score(program, dump) }
				row := &table[i][j] // takes the samples of all rounds
				if err := row.Measure(programs, round, score); err != nil {
					return fmt.Errorf("%s %s: %w", kind.name, way.name, err)
				}
			}
		}
	}
	for i, kind := range kinds {
		for j, way := range ways {
			printRow(kind.name, way.name, table[i][j])
		}
	}
	return nil
}

// programWidth is how many characters printRow prints for a program.
const programWidth = len("123.567 ms 123456/s 12345 MB")

// printRow prints a row of the table of answers: for each program the medians of its processor time, rate and
// memory, and where there are two programs the ratios of both.
func printRow(dump, way string, row inturn.Row) {
	fmt.Printf("%-14s %-10s", dump, way)
	for _, samples := range row.Samples {
		fmt.Printf(" %7.3f ms %6.0f/s %5.0f MB",
			inturn.Median(samples, inturn.Core), inturn.Median(samples, inturn.Rate), inturn.Median(samples, inturn.RSS))
	}
	row.PrintRatios()
}

// inProcess runs `plumb score` on a dump as a process of its own. The sample has its answers per
// second, processor time per answer, peak memory, and a hash of each result.
func inProcess(program string, dump *dump) (sample inturn.Sample, err error) {
	out := dump.path + ".out"
	defer os.Remove(out)
	cmd := exec.Command(program, "score", "--suite", "aspire", "--fidelity", "native", dump.path, "-o", out)
	begin := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		return sample, fmt.Errorf("cannot score: %w: %s", err, output)
	}
	took := time.Since(begin)
	results, err := os.ReadFile(out)
	if err != nil {
		return sample, err
	}
	answers := len(dump.lines)
	return inturn.Sample{
		Core:    (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(answers),
		Rate:    float64(answers) / took.Seconds(),
		RSS:     cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, // the system counts in units of 1024 bytes
		Results: hashes(results),
	}, nil
}

// hashes returns the hash of each line of results.
func hashes(results []byte) (sums []inturn.Hash) {
	for line := range bytes.Lines(results) {
		sums = append(sums, sha256.Sum256(line))
	}
	return sums
}
