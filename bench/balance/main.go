// Command balance measures the main job: balance items from JSONL bytes to
// result bytes. It makes a dump of scenarios that never repeat, and one of the
// benchmark's 25 scenarios answered again and again, runs `plumb score` on both
// as a whole process, several times in turn, and prints throughput, core time
// and resident memory of each run and their medians.
//
//	go run ./bench/balance -n 20000 -runs 5 > bench/results/balance.txt
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"plumb/bench/rig"
	"plumb/scoring/aspire/scenario"
	"plumb/scoring/aspire/scenario/program"
)

// main reads the flags and measures plumb score on both dumps of the balance test.
func main() {
	log.SetFlags(0)
	n := flag.Int("n", 20000, "items of each dump")
	runs := flag.Int("runs", 5, "counted runs of each dump, after one that is not")
	plumb := flag.String("plumb", "bin/plumb", "the program")
	args := flag.String("args", "", "further flags of plumb score, separated by blanks")
	flag.Parse()
	if err := measure(*n, *runs, *plumb, strings.Fields(*args)); err != nil {
		log.Fatal(err)
	}
}

// measure runs `plumb score` on two dumps of the balance test in turn, one without repeated scenarios
// and one with many, and prints a row for each run and the medians. n is the number of items of a
// dump; args are further flags.
func measure(n, runs int, plumb string, args []string) error {
	dir, err := os.MkdirTemp("", "plumb-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := header(plumb, n, runs, args); err != nil {
		return err
	}
	dumps := []dump{{"distinct", n}, {"repeated", scenario.PerTest}}
	for i := range dumps {
		if err := dumps[i].write(dir, n); err != nil {
			return err
		}
	}
	fmt.Printf("%-9s %3s %9s %16s %8s\n", "dump", "run", "items/s", "core time/item", "RSS")
	all := make([][]figures, len(dumps))
	for run := 0; run <= runs; run++ {
		for i, d := range dumps {
			f, err := score(plumb, args, d.path(dir), n)
			if err != nil {
				return err
			}
			if run > 0 { // the first fills shader caches
				fmt.Printf("%-9s %3d %v\n", d.name, run, f)
				all[i] = append(all[i], f)
			}
		}
	}
	for i, d := range dumps {
		fmt.Printf("%-9s med %v\n", d.name, median(all[i]))
	}
	return nil
}

// dump is a dump of n items over that many different scenarios.
type dump struct {
	name      string
	scenarios int
}

func (dump dump) path(dir string) string { return filepath.Join(dir, dump.name+".jsonl") }

// write writes a dump of n items of the balance test, whose answers alternate between exact and
// noisy ones.
func (dump dump) write(dir string, n int) error {
	file, err := os.Create(dump.path(dir))
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	programs := program.All()
	var line []byte
	for i := range n {
		s, err := scenario.Make(1, "balance", i%dump.scenarios)
		if err != nil {
			return err
		}
		p := programs[i/dump.scenarios%2] // exact and noisy: nearly every answer adds a shape
		if line, err = s.AppendLine(line[:0], p.Name, p.Answer(uint64(i), s)); err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// figures are the measurements of one run of `plumb score`.
type figures struct {
	rate float64       // items/s
	core time.Duration // per item, all threads
	rss  int64         // bytes, greatest
}

func (f figures) String() string {
	return fmt.Sprintf("%9.0f %13.3f ms %5.0f MB", f.rate, f.core.Seconds()*1e3, float64(f.rss)/1e6)
}

// median returns the medians of all figures of a run.
func median(all []figures) (m figures) {
	n := len(all)
	column := func(f func(figures) float64) float64 {
		v := make([]float64, n)
		for i, a := range all {
			v[i] = f(a)
		}
		slices.Sort(v)
		return v[n/2]
	}
	m.rate = column(func(f figures) float64 { return f.rate })
	m.core = time.Duration(column(func(f figures) float64 { return float64(f.core) }))
	m.rss = int64(column(func(f figures) float64 { return float64(f.rss) }))
	return m
}

// score runs `plumb score` once on a dump of n items and returns its speed, processor time and memory.
// It is an error if a result is missing, or if more than one in a hundred has no score.
func score(plumb string, args []string, path string, n int) (figures figures, err error) {
	cmd := exec.Command(plumb, append([]string{"score", "--suite", "aspire", path, "-o", path + ".out"}, args...)...)
	cmd.Stderr = new(bytes.Buffer)
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return figures, fmt.Errorf("cannot score: %w: %s", err, cmd.Stderr)
	}
	wall := time.Since(start)
	out, err := os.ReadFile(path + ".out")
	if err != nil {
		return figures, err
	}
	if got := bytes.Count(out, []byte("\n")); got != n || bytes.Count(out, []byte(`"score":null`)) > n/100 {
		return figures, fmt.Errorf("got %d results, %d of them without a score; want %d", got, bytes.Count(out, []byte(`"score":null`)), n)
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	figures.rate = float64(n) / wall.Seconds()
	figures.core = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(n)
	figures.rss = u.Maxrss << 10
	return figures, nil
}

// header prints on what machine, commit and flags the figures were taken.
func header(plumb string, n, runs int, args []string) error {
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return err
	}
	fmt.Printf("# balance items from JSONL bytes to result bytes, two scenes each: plumb score %s\n", strings.Join(args, " "))
	fmt.Print(rig.Header(commit))
	fmt.Printf("# %d items, %d runs; distinct: no scenario twice; repeated: the benchmark's %d over and over\n", n, runs, scenario.PerTest)
	fmt.Printf("# core time is user and system time of the whole process, the software driver's threads included\n")
	return nil
}
