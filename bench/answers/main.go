// Command answers measures what trainers and dumps have: many answers to few tasks. It makes dumps of
// the balance test with groups of 8, 64 and 1,000 different answers to one task, one in which no task
// comes twice, and the benchmark's 25 tasks answered again and again. It scores them in process and
// over HTTP, with an earlier build in turn where one is given, and prints core time, rate and memory.
// It ends with 1 where the programs' results differ in a byte.
//
//	go run ./bench/answers -before build/before/plumb > bench/results/answers.txt
//
// With -flat it scores that many different answers and prints the memory of the daemon meanwhile.
//
//	go run ./bench/answers -flat 200000 > bench/results/answers-memory.txt
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/bench/spawn"
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
		if err := flatness(*plumb, *flat); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(*plumb, *before, *n, *rounds); err != nil {
		log.Fatal(err)
	}
}

// sample is what one program took for one dump in one way.
type sample struct {
	core time.Duration // per answer, all threads of the process that scores
	rate float64       // answers/s
	rss  int64         // bytes, greatest
	sum  [sha256.Size]byte
}

// ways are how answers reach the program.
var ways = []struct {
	name  string
	score func(program string, d *dump) (sample, error)
}{
	{"in process", inProcess},
	{"over HTTP", overHTTP},
}

// run measures each kind of dump, many answers to few tasks, in process and over HTTP, with one
// build of plumb or with two in turn, and prints a row for each.
func run(plumb, before string, n, rounds int) error {
	programs := []string{plumb}
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return err
	}
	fmt.Printf("# many answers to few tasks of the balance test; groups are of different answers\n%s", rig.Header(commit))
	if before != "" {
		old, err := rig.CommitOf(before)
		if err != nil {
			return err
		}
		programs = []string{before, plumb}
		fmt.Printf("# before: commit %s; the programs run in turn, and their results are equal byte for byte\n", old)
	}
	fmt.Printf("# %d answers, medians of %d rounds with tasks of their own; each run begins with empty caches\n", n, rounds)
	fmt.Printf("# core time is user and system time of the process that scores, the software driver's threads included;\n")
	fmt.Printf("# in process its start is part of it; over HTTP a request has %d answers at most, %d requests at a time\n", spawn.PerRequest, spawn.Clients)
	fmt.Printf("%-14s %-10s", "dump", "way")
	for _, p := range programs {
		fmt.Printf(" %28s", filepath.Base(filepath.Dir(p))+"/"+filepath.Base(p))
	}
	fmt.Printf("  %s\n", "core, rate: times before")
	dir, err := os.MkdirTemp("", "plumb-answers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all := make([][][]sample, len(kinds)*len(ways)) // by program, by round
	for round := range rounds {
		for i, k := range kinds {
			dump, err := k.make(dir, n, uint64(round+1))
			if err != nil {
				return err
			}
			for j, w := range ways {
				row := &all[i*len(ways)+j]
				if *row == nil {
					*row = make([][]sample, len(programs))
				}
				if err := inTurn(programs, round, w.score, dump, *row); err != nil {
					return fmt.Errorf("%s %s: %w", k.name, w.name, err)
				}
			}
		}
	}
	for i, row := range all {
		printRow(kinds[i/len(ways)].name, ways[i%len(ways)].name, row)
	}
	return nil
}

// inTurn scores the dump d with each program once and appends what it took to the program's row. The
// order of the programs differs from round to round, because the first one may find a colder machine.
// Programs whose results differ are an error.
func inTurn(programs []string, round int, score func(string, *dump) (sample, error), d *dump, row [][]sample) error {
	for k := range programs {
		k = (k + round) % len(programs)
		sample, err := score(programs[k], d)
		if err != nil {
			return err
		}
		row[k] = append(row[k], sample)
	}
	for k := range row {
		if row[k][round].sum != row[0][round].sum {
			return errors.New("the results of the programs differ")
		}
	}
	return nil
}

// printRow prints the medians of a row, and the ratios where there are two programs.
func printRow(dump, way string, row [][]sample) {
	fmt.Printf("%-14s %-10s", dump, way)
	for _, s := range row {
		fmt.Printf(" %7.3f ms %6.0f/s %5.0f MB", median(s, core), median(s, rate), median(s, rss))
	}
	if len(row) == 2 {
		fmt.Printf("  %.3f, %.2f", ratio(row, core), ratio(row, rate))
	}
	fmt.Println()
}

func core(s sample) float64 { return s.core.Seconds() * 1e3 }
func rate(s sample) float64 { return s.rate }
func rss(s sample) float64  { return float64(s.rss) / 1e6 }

// median returns the median, over the rounds of a program, of the figure of a sample that f returns.
func median(all []sample, f func(sample) float64) float64 {
	v := make([]float64, len(all))
	for i, s := range all {
		v[i] = f(s)
	}
	return figure.Median(v)
}

// ratio returns the median over the rounds of the second program's figure to the first one's.
func ratio(row [][]sample, f func(sample) float64) float64 {
	v := make([]float64, len(row[0]))
	for i := range v {
		v[i] = f(row[1][i]) / f(row[0][i])
	}
	return figure.Median(v)
}

// inProcess runs `plumb score` on a dump as a process of its own. The sample has its answers per
// second, processor time per answer, peak memory, and a hash of the results.
func inProcess(program string, dump *dump) (s sample, err error) {
	out := dump.path + ".out"
	defer os.Remove(out)
	cmd := exec.Command(program, "score", "--suite", "aspire", "--fidelity", "native", dump.path, "-o", out)
	begin := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		return s, fmt.Errorf("cannot score: %w: %s", err, output)
	}
	took := time.Since(begin)
	data, err := os.ReadFile(out)
	if err != nil {
		return s, err
	}
	n := len(dump.lines)
	return sample{
		core: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(n),
		rate: float64(n) / took.Seconds(), rss: cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10,
		sum: sha256.Sum256(data),
	}, nil
}
