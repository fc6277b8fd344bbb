package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring/aspire/scenario"
)

// aspireCmd is `plumb aspire`.
type aspireCmd struct {
	Generate aspireGenerateCmd `cmd:"" help:"Make tasks from a seed; the same seed gives the same bytes on every machine."`
}

// aspireGenerateCmd is `plumb aspire generate`.
type aspireGenerateCmd struct {
	Seed   string   `default:"0" placeholder:"N" help:"Seed of the scenes, a whole number from 0."`
	Count  int      `default:"25" placeholder:"N" help:"Number of scenes of each test. The paper has 25."`
	From   int      `default:"0" placeholder:"N" help:"Index of the first scene of each test."`
	Tests  []string `placeholder:"TEST" help:"Tests to make, separated by commas. Default: all eight."`
	Level  string   `default:"mixed" placeholder:"LEVEL" help:"Difficulty: mixed (as drawn), easy, medium, hard, or graded (these three in turn)."`
	Output string   `short:"o" default:"-" placeholder:"FILE" help:"File for the tasks, one JSON line each; - is standard output."`
}

// Run writes generated ASPIRE tasks as lines, test by test in the order of the paper: of each test the
// --count tasks from number --from on. See docs/spec/aspire.md#r72.
func (cmd *aspireGenerateCmd) Run(std streams) error {
	seed, tests, err := cmd.check()
	if err != nil {
		return err
	}
	out, err := output(cmd.Output, std)
	if err != nil {
		return err
	}
	for _, test := range tests {
		for i := cmd.From; i < cmd.From+cmd.Count && err == nil; i++ {
			var line []byte
			line, err = aspireTask(seed, test, i, scenario.Level(cmd.Level))
			if err == nil {
				_, err = out.Write(line)
			}
		}
	}
	return out.finish(err)
}

// maxTasks is how many tasks of each test one command may generate.
const maxTasks = 1_000_000

// check returns the seed of --seed and the ASPIRE tests of --tests, and refuses flags that are out of
// range. The error is a usageError.
func (cmd *aspireGenerateCmd) check() (seed uint64, tests []string, err error) {
	seed, err = strconv.ParseUint(cmd.Seed, 10, 64)
	switch {
	case err != nil:
		return 0, nil, usage("cannot use --seed %q: want a whole number from 0 to %d", cmd.Seed, uint64(math.MaxUint64))
	case cmd.Count < 1 || cmd.Count > maxTasks || cmd.From < 0 || cmd.From > math.MaxInt32: // From + Count is far from overflow
		return 0, nil, usage("cannot use --count %d --from %d: want a count from 1 to %d and a first index from 0", cmd.Count, cmd.From, maxTasks)
	case !slices.Contains(scenario.Levels(), scenario.Level(cmd.Level)):
		return 0, nil, usage("cannot use --level %q: want one of %v", cmd.Level, scenario.Levels())
	}
	tests, err = aspireTests(cmd.Tests)
	return seed, tests, err
}

// aspireTask returns task number index of an ASPIRE test as a line. The same seed, test, number and
// level give the same task.
func aspireTask(seed uint64, test string, index int, level scenario.Level) ([]byte, error) {
	s, err := scenario.MakeLevel(seed, test, index, level)
	if err != nil {
		return nil, err
	}
	return s.AppendTask(nil, seed)
}

// aspireTests returns the named ASPIRE tests in the order of the paper, or all tests where no name is
// given. An unknown name is a usageError.
func aspireTests(named []string) ([]string, error) {
	if len(named) == 0 {
		return scenario.Tests(), nil
	}
	var tests []string
	for _, test := range scenario.Tests() {
		if slices.Contains(named, test) {
			tests = append(tests, test)
		}
	}
	for _, name := range named {
		if !slices.Contains(tests, name) {
			return nil, usage("cannot use --tests %q: want some of %s", name, strings.Join(scenario.Tests(), ", "))
		}
	}
	return tests, nil
}
