// Command dumps measures plumb score on dumps of other tools beside dumps in plumb's own format, with
// the folder of a run beside none, and against an earlier build. In: programs and numbers of
// records. Out: core time for each record, medians of runs in turn, and their ratios. All dumps of
// one table hold the same answers.
//
// A dump is a file of the answers of models. In plumb's own format it has a JSON object with id, suite and
// response on each line. The folder of a run is what plumb score keeps beside the results that -o names, with
// an index of them for plumb view unless --no-index. In turn means that each round runs all ways of scoring,
// one after the other. Core time is user and system time. Before the counted rounds each way runs once, to
// check that its scores are those of plumb's own format. The answers are to questions with four options (suite
// spatialab), and to tasks of ASPIRE, where a model changes a whiteboard.
//
//	go run ./bench/dumps -before build/before/plumb > bench/results/dumps.txt
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/scoring/plural"
)

// way is scoring of a dump in one format by one program, measured in turn with others.
type way struct {
	resultsFile     string // file that the program writes its results to; "" for standard output
	stdoutFile      string // file that standard output goes to in the measured rounds; "" for none
	baseline        int    // index of the way that rate is relative to; 0 is plumb's own format
	name            string
	program         string
	args            []string
	seconds         []float64 // core time of each round
	differingScores int       // of an earlier build: how many scores are not those of this one
	ratios          []float64 // of each round: the baseline's core time, measured right before, to this one's
}

// choiceKind is the kind of answers where reading is nearly all of the work.
const choiceKind = "multiple-choice"

// earlierBuild names the row of an earlier build.
const earlierBuild = "own lines, before"

// main reads the flags and measures plumb score on a dump in each format.
func main() {
	log.SetFlags(0)
	plumb := flag.String("plumb", "bin/plumb", "the program")
	before := flag.String("before", "", "an earlier build, which is compared on plumb's own format; none for \"\"")
	choices := flag.Int("choices", 100_000, "multiple-choice answers, where reading is nearly all of the work")
	scenes := flag.Int("scenes", 3000, "answers of ASPIRE")
	rounds := flag.Int("rounds", 7, "counted rounds, after one that is not")
	flag.Parse()
	if err := run(*plumb, *before, *choices, *scenes, *rounds); err != nil {
		log.Fatal(err)
	}
}

// run measures how fast `plumb score` reads dumps of other tools, and prints a table for each of two kinds
// of answers: multiple-choice answers, of which there are choices, and answers of ASPIRE, of which there
// are scenes. A row of the table is a form of dump, and names the row that it is compared with. before is
// an earlier build of plumb to compare with, "" for none.
func run(plumb, before string, choices, scenes, rounds int) error {
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plumb-dumps")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Print(rig.Header(commit))
	if before != "" {
		old, err := rig.CommitOf(before)
		if err != nil {
			return err
		}
		fmt.Printf("# before: commit %s\n", old)
	}
	fmt.Printf("# Core time of the whole process, median of %s in turn. rate: records a core second beside\n# those of the row named, which is run right before; median of the ratios of each round.\n# The scores of all rows are equal, but where an earlier build has others.\n", plural.Of(rounds, "round"))
	for _, kind := range []struct {
		name string
		n    int
		make func(dir string, n int) (*answers, error)
	}{{choiceKind, choices, makeChoices}, {"ASPIRE", scenes, makeScenes}} {
		made, err := kind.make(dir, kind.n)
		if err != nil {
			return err
		}
		ways, err := waysOf(plumb, before, filepath.Join(dir, kind.name), made)
		if err != nil {
			return err
		}
		if err := measure(ways, rounds); err != nil {
			return err
		}
		printTable(kind.name, ways, len(made.list))
		if kind.name == choiceKind { // answers of ASPIRE take so long to score that unpacking does not matter
			ownFormat := ways[0]
			if err := printUnpacking(filepath.Join(dir, kind.name), figure.Median(ownFormat.seconds), len(made.list), rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// printTable prints a table with a row for each way of scoring the records of one kind: the core time of a record
// in microseconds, and the rate beside that of the way's baseline.
func printTable(kind string, ways []*way, records int) {
	fmt.Printf("\n%s, %d records\n%-34s %10s %10s  %s\n", kind, records, "dump", "us/record", "rate", "beside")
	for _, way := range ways {
		beside := ways[way.baseline].name
		if way.differingScores > 0 {
			beside += fmt.Sprintf("; scores that differ: %d", way.differingScores)
		}
		fmt.Printf("%-34s %10.2f %10.3f  %s\n", way.name, 1e6*figure.Median(way.seconds)/float64(records), figure.Median(way.ratios), beside)
	}
}

// waysOf writes the answers as a dump in each format into the folder dir, and returns the ways of scoring
// them that are compared. In all formats a record names its task by id; the tasks are in a task file.
// The first way is plumb's own format, with which the others are compared. That format is also scored by an
// earlier build (before, "" for none), with the results in a file, and with the folder and index that a long
// run keeps. Ways with a folder write a file too, so they are compared with the way that does only that.
func waysOf(plumb, before, dir string, answers *answers) ([]*way, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	flags := []string{"score", "--paper", "none", "--tasks", answers.suite + "=" + answers.tasks, "--suite", answers.suite}
	var ways []*way
	add := func(name, program string, args ...string) *way {
		added := &way{name: name, program: program, args: append(append([]string{}, flags...), args...)}
		ways = append(ways, added)
		return added
	}
	for i, format := range formats {
		path := filepath.Join(dir, format.file)
		if err := format.write(path, answers); err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", format.name, err)
		}
		add(format.name, plumb, path)
		if i > 0 {
			continue
		}
		// Further ways for plumb's own format, which is the first.
		if before != "" {
			add(earlierBuild, before, path)
		}
		add("own lines, to a file", plumb, path).stdoutFile = filepath.Join(dir, "stdout.jsonl")
		toFile := len(ways) - 1 // the index of the way just added
		out := filepath.Join(dir, "out.jsonl")
		withFolder := add("own lines, with the run's folder", plumb, "--no-index", "-o", out, path)
		withIndex := add("own lines, with folder and index", plumb, "-o", out, path)
		withFolder.resultsFile, withFolder.baseline = out, toFile
		withIndex.resultsFile, withIndex.baseline = out, toFile
	}
	return ways, nil
}

// measure scores the dump in all ways in turn, round after round. Each way runs right after the way that it
// is compared with, because machines change speed. The ids and scores of all ways must be equal. Only an
// earlier build may have other scores; the lines that differ are counted.
func measure(ways []*way, rounds int) error {
	const anyScores = "" // there is nothing to compare the scores with
	want, err := ways[0].check(anyScores)
	if err != nil {
		return err
	}
	for _, way := range ways[1:] {
		if way.name == earlierBuild {
			got, err := way.check(anyScores)
			if err != nil {
				return err
			}
			way.differingScores = differing(want, got)
		} else if _, err := way.check(want); err != nil {
			return err
		}
	}
	for range rounds {
		for _, way := range ways {
			baselineTook, err := ways[way.baseline].run()
			if err != nil {
				return err
			}
			took, err := way.run()
			if err != nil {
				return err
			}
			way.seconds, way.ratios = append(way.seconds, took), append(way.ratios, baselineTook/took)
		}
	}
	return nil
}

// differing returns how many lines of text a are not equal to the line of the same number in text b.
func differing(a, b string) (n int) {
	other := strings.Split(b, "\n")
	for i, line := range strings.Split(a, "\n") {
		if i >= len(other) || line != other[i] {
			n++
		}
	}
	return n
}

// check scores the dump once in this way and returns the ids and scores of its results as text. It is an
// error if they are not equal to want, unless that is "".
func (way *way) check(want string) (string, error) {
	var out bytes.Buffer
	if _, err := way.runProgram(&out); err != nil {
		return "", err
	}
	got, err := way.scores(out.Bytes())
	if err == nil && want != "" && got != want {
		err = errors.New("the scores are not those of plumb's own format")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", way.name, err)
	}
	return got, nil
}

// run scores the way's dump once and returns the processor time in seconds. Standard output goes to the file
// way.stdoutFile, if there is one.
func (way *way) run() (float64, error) {
	if way.stdoutFile == "" {
		return way.runProgram(nil)
	}
	file, err := os.Create(way.stdoutFile)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return way.runProgram(file)
}

// runProgram runs the way's program to its end, with its standard output to out (nil for nowhere), and returns
// the processor time in seconds.
func (way *way) runProgram(out io.Writer) (float64, error) {
	cmd := exec.Command(way.program, way.args...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &errs
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", way.name, err, tail(errs.String()))
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// scores returns the ids and scores of a run as text, a line each, so that two runs can be compared.
// The results are out, its standard output, or in the file way.resultsFile if it has written one. A result
// without a score is an error.
func (way *way) scores(out []byte) (string, error) {
	if len(way.resultsFile) > 0 {
		var err error
		if out, err = os.ReadFile(way.resultsFile); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	for line := range bytes.Lines(out) {
		var result struct {
			ID    string
			Score *float64
		}
		if err := json.Unmarshal(line, &result); err != nil {
			return "", err
		}
		if result.Score == nil {
			return "", fmt.Errorf("got %.300s; want a score", line)
		}
		fmt.Fprintln(&text, result.ID, *result.Score)
	}
	return text.String(), nil
}

// tail returns the end of a long text.
func tail(s string) string { return s[max(0, len(s)-2000):] }
