package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"plumb/bench/record"
	"plumb/bench/rig"
)

// passedOnFlags are the flags that a comparison passes to the programs that it runs.
var passedOnFlags = []string{"class", "sweep", "seed", "backend", "raster", "device", "fonts-dir", "workers", "batch", "tally-cache",
	"items", "suite", "tasks"}

// compare compares the speed of two programs, which it runs in turn, or of two result files of plumb
// bench. It writes the comparison as JSON and as a table. It refuses flags that have no effect on it.
func (cmd *benchCmd) compare(context *kong.Context, std streams) error {
	if len(cmd.Files) != 2 {
		return usage("cannot compare %d files: want two result files or two programs, the old one first", len(cmd.Files))
	}
	// Both files must be of one sort, and the flags must have an effect on it.
	programs := 0
	for _, path := range cmd.Files {
		if isProgram(path) {
			programs++
		}
	}
	if programs == 1 {
		return usage("cannot compare a program with a file: want two result files or two programs")
	}
	given, err := givenFlags(context, append([]string{"compare", "output", "rounds"}, passedOnFlags...))
	if err != nil {
		return err
	}
	if programs == 0 {
		for _, name := range append([]string{"rounds"}, passedOnFlags...) {
			if len(given[name]) > 0 {
				return usage("cannot use --%s with two result files: want two programs, which are run in turn", name)
			}
		}
	}
	// Compare, and write the comparison.
	out, err := output(cmd.Output, std, cmd.Files...)
	if err != nil {
		return err
	}
	var comparison *record.Comparison
	if programs == 2 {
		comparison, err = cmd.comparePrograms(given, std)
	} else {
		comparison, err = cmd.compareFiles()
	}
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", " ")
	return errors.Join(out.finish(enc.Encode(comparison)), comparison.Table(std.err))
}

// compareFiles returns the comparison of two result files, the old one first. The programs that wrote them
// ran apart, maybe on different days.
func (cmd *benchCmd) compareFiles() (*record.Comparison, error) {
	before, err := record.Load(cmd.Files[0])
	if err != nil {
		return nil, err
	}
	after, err := record.Load(cmd.Files[1])
	if err != nil {
		return nil, err
	}
	return record.CompareApart(before, after)
}

// comparePrograms runs two programs in turn and returns the comparison of their results. given has the
// flags of the command line, of which some are passed on to the programs.
func (cmd *benchCmd) comparePrograms(given map[string][]string, std streams) (*record.Comparison, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rounds, err := cmd.runInTurn(ctx, cmd.comparedArguments(given), std)
	if ctx.Err() != nil { // a signal came
		return nil, interruption{errors.New("interrupted; there is no comparison")}
	}
	if err != nil {
		return nil, err
	}
	return record.CompareInTurn(rounds)
}

// isProgram reports whether a file is executable.
func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

// givenFlags returns the values of the flags that were given on the command line, by name. allowed are the
// names of the flags that have an effect with --compare; it returns a usageError for any other.
func givenFlags(context *kong.Context, allowed []string) (map[string][]string, error) {
	given := map[string][]string{}
	for _, element := range context.Path { // the command and the flags, in the order of the command line
		flag := element.Flag
		if flag == nil { // the command
			continue
		}
		if !slices.Contains(allowed, flag.Name) {
			return nil, usage("cannot use --%s with --compare: it has no effect there", flag.Name)
		}
		switch value := flag.Target.Interface().(type) {
		case []string:
			given[flag.Name] = value
		default:
			given[flag.Name] = []string{fmt.Sprint(value)}
		}
	}
	return given, nil
}

// comparedArguments returns the arguments with which each of the two programs to compare is run: plumb bench
// --quick with the flags that were given for it. It turns off the series of measurements that --sweep
// names, unless that flag was given, because they take long.
func (cmd *benchCmd) comparedArguments(given map[string][]string) []string {
	args := []string{"bench", "--quick"}
	if len(given["sweep"]) == 0 {
		args = append(args, "--sweep=none")
	}
	for _, name := range passedOnFlags {
		for _, value := range given[name] {
			args = append(args, "--"+name+"="+value)
		}
	}
	return args
}

// runInTurn runs both programs once in each of cmd.Rounds rounds and returns their results. The order
// alternates with every round, so that neither program always runs on a warmer machine. Each round also has the
// share of the machine's processor time that went to other processes, because these disturb the times.
func (cmd *benchCmd) runInTurn(ctx context.Context, args []string, std streams) ([]record.Round, error) {
	dir, err := os.MkdirTemp("", "plumb-bench-")
	if err != nil {
		return nil, fmt.Errorf("cannot compare programs: %w", err)
	}
	defer os.RemoveAll(dir)
	var rounds []record.Round
	for n := range int(cmd.Rounds) {
		var files [2]*record.File
		busyBefore, start := rig.MachineBusyTime(), time.Now()
		var spent time.Duration // processor time of the two programs
		for i := range 2 {
			side := (i + n) % 2
			fmt.Fprintf(std.err, "round %d of %d: %s\n", n+1, cmd.Rounds, cmd.Files[side])
			file, ofProgram, err := benchOnce(ctx, cmd.Files[side], args, filepath.Join(dir, "results.json"))
			if err != nil {
				return nil, err
			}
			files[side] = file
			spent += ofProgram
		}
		all := time.Since(start) * time.Duration(rig.Processors()) // processor time that there was
		others := float64(rig.MachineBusyTime()-busyBefore-spent) / float64(all)
		// The clocks tick coarsely, so the share may come out slightly outside of 0 to 1.
		rounds = append(rounds, record.Round{Old: files[0], New: files[1], Others: min(1, max(0, others))})
	}
	return rounds, nil
}

// benchOnce runs one program, which writes its results to the file out, and returns these results and
// the program's processor time. An error ends with the last line of what the program printed.
func benchOnce(ctx context.Context, program string, args []string, out string) (*record.File, time.Duration, error) {
	path, err := filepath.Abs(program)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot run %s: %w", program, err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, append(slices.Clone(args), "-o", out)...)
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("cannot run %s %s: %w: %s", program, strings.Join(args, " "), err, lastLine(stderr.String()))
	}
	f, err := record.Load(out)
	return f, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}

// lastLine returns the last line of a program's stderr, which holds its error.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
