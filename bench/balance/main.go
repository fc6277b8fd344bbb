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
	items := flag.Int("n", 20000, "items of each dump")
	runs := flag.Int("runs", 5, "counted runs of each dump, after one that is not")
	plumb := flag.String("plumb", "bin/plumb", "the program")
	args := flag.String("args", "", "further flags of plumb score, separated by blanks")
	flag.Parse()
	if err := measure(*items, *runs, *plumb, strings.Fields(*args)); err != nil {
		log.Fatal(err)
	}
}

// measure runs the program plumb, as `plumb score`, on two dumps of ASPIRE's balance test in turn: one in
// which no scenario is repeated, and one in which scenarios are repeated often. It prints the speed of
// each run and the medians. n is the number of items of a dump, and args are further flags.
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
	all := make([][]figures, len(dumps)) // of each dump, one for each counted run
	for run := 0; run <= runs; run++ {
		for i, dump := range dumps {
			ofRun, err := score(plumb, args, dump.path(dir), n)
			if err != nil {
				return err
			}
			if run > 0 { // run 0 fills the caches of shaders and is not counted
				fmt.Printf("%-9s %3d %v\n", dump.name, run, ofRun)
				all[i] = append(all[i], ofRun)
			}
		}
	}
	for i, dump := range dumps {
		fmt.Printf("%-9s med %v\n", dump.name, median(all[i]))
	}
	return nil
}

// dump is a dump of n items over that many different scenarios.
type dump struct {
	name      string
	scenarios int
}

func (dump dump) path(dir string) string { return filepath.Join(dir, dump.name+".jsonl") }

// write writes a dump of n items of ASPIRE's balance test to its file in dir. It goes over the scenarios of
// the dump again and again, with exact answers in one pass and noisy ones in the next.
func (dump dump) write(dir string, n int) error {
	file, err := os.Create(dump.path(dir))
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	answerers := []program.Program{named("exact"), named("noisy")} // nearly all of their answers add a shape to the scene, so it is drawn
	var line []byte
	for i := range n {
		const seed = 1
		item, err := scenario.Make(seed, "balance", i%dump.scenarios)
		if err != nil {
			return err
		}
		pass := i / dump.scenarios
		answerer := answerers[pass%len(answerers)]
		if line, err = item.AppendLine(line[:0], answerer.Name, answerer.Answer(uint64(i), item)); err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// named returns the answering program of this name. It panics if there is none.
func named(name string) program.Program {
	all := program.All()
	return all[slices.IndexFunc(all, func(p program.Program) bool { return p.Name == name })]
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

// median returns the figures of a typical run: each of them is the median of that figure over all runs.
func median(runs []figures) (typical figures) {
	ofColumn := func(column func(figures) float64) float64 {
		values := make([]float64, len(runs))
		for i, run := range runs {
			values[i] = column(run)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	typical.rate = ofColumn(func(f figures) float64 { return f.rate })
	typical.core = time.Duration(ofColumn(func(f figures) float64 { return float64(f.core) }))
	typical.rss = int64(ofColumn(func(f figures) float64 { return float64(f.rss) }))
	return typical
}

// score runs the program plumb once, as `plumb score`, on a dump of n items and returns its speed,
// processor time and memory. It is an error if a result is missing, or if more than one in a hundred has
// no score.
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
	results, unscored := bytes.Count(out, []byte("\n")), bytes.Count(out, []byte(`"score":null`))
	if results != n || unscored > n/100 {
		return figures, fmt.Errorf("got %d results, %d of them without a score; want %d", results, unscored, n)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	figures.rate = float64(n) / wall.Seconds()
	figures.core = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(n)
	figures.rss = usage.Maxrss << 10 // the system counts in units of 1024 bytes
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
