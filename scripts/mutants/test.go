package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// oneTest is a test of a binary and what it costs and reaches.
type oneTest struct {
	binary
	name    string
	cost    time.Duration // of the processor
	reached map[int]bool  // numbers of functions
}

// noFailures is the flag by which tests with rapid write no files.
const noFailures = "-rapid.nofailfile"

// quick tests run together in one process.
const quick = 100 * time.Millisecond

// test runs the tests of a package with each of its mutants that has no status, and stores the result. It
// also stores it every ten seconds meanwhile, so that a run that is interrupted can go on. Without any
// tests all mutants count as not covered.
func (config *config) test(pack *pack, result *result) error {
	if len(pack.testers) == 0 {
		for _, mutant := range result.Mutants {
			mutant.Status = notCovered
		}
		return result.store(config.results(pack.dir))
	}
	defer os.RemoveAll(config.folder(pack.dir))
	start := time.Now()
	woven, binaries, err := config.buildWoven(pack, result.Mutants)
	if err != nil {
		return err
	}
	tests, err := config.measure(binaries)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d mutants, %d tests, built and measured in %.0f s\n",
		pack.dir, len(result.Mutants), len(tests), time.Since(start).Seconds())
	// Run the mutants. Those in functions are in the binaries that were built; the others are built one by one.
	saved := time.Now()
	for i := range functionsFirst(result.Mutants) {
		mutant := result.Mutants[i]
		switch {
		case mutant.Status != "" || mutant.leftOut:
			continue
		case mutant.fn == nil:
			err = config.testAlone(pack, mutant, tests)
		default:
			err = config.runUntilKilled(mutant, i+1, reaching(tests, woven.functionNumbers[mutant.fn]))
		}
		if err != nil {
			return err
		}
		if time.Since(saved) > storeEvery {
			saved = time.Now()
			if err := result.store(config.results(pack.dir)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %.0f s\n", pack.dir, time.Since(start).Seconds())
	return result.store(config.results(pack.dir))
}

// storeEvery is the time between two writes of a result while mutants are run.
const storeEvery = 10 * time.Second

// functionsFirst yields the indices of all mutants: first those in functions, which one build serves, then the
// others, each of which needs a build of its own.
func functionsFirst(mutants []*mutant) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, inFunction := range []bool{true, false} {
			for i, mutant := range mutants {
				if (mutant.fn != nil) == inFunction && !yield(i) {
					return
				}
			}
		}
	}
}

// measure runs each test of the binaries alone, without a mutant. It returns the tests, the fastest first,
// each with the processor time that it takes and the functions that it reaches: only mutants in these can
// make it fail. Benchmarks and skipped tests are left out. A test that fails is an error.
func (config *config) measure(binaries []binary) ([]oneTest, error) {
	reached := filepath.Join(filepath.Dir(binaries[0].path), "reached")
	var all []oneTest
	for _, binary := range binaries {
		// Failures that tests of properties find must not be kept for the next run.
		if exec.Command(binary.path, noFailures, "-test.list", "^$").Run() == nil {
			binary.flags = []string{noFailures}
		}
		out, err := exec.Command(binary.path, "-test.list", ".").Output()
		if err != nil {
			return nil, fmt.Errorf("cannot list the tests of %s: %w", binary.dir, err)
		}
		for _, name := range strings.Fields(string(out)) {
			if strings.HasPrefix(name, "Benchmark") {
				continue
			}
			_ = os.Remove(reached)
			test := oneTest{binary: binary, name: name, reached: map[int]bool{}}
			got := test.binary.run([]string{name}, recordReached, 10*time.Minute, "MUTANT_REACHED="+reached)
			if got.status != survived { // the test has failed
				return nil, fmt.Errorf("%s of %s fails without a mutant:\n%s", name, binary.dir, got.output)
			}
			if bytes.Contains(got.output, []byte("--- SKIP: "+name+" ")) {
				continue
			}
			test.cost = got.cost
			numbers, err := os.ReadFile(reached)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
			for _, number := range strings.Fields(string(numbers)) {
				function, _ := strconv.Atoi(number)
				test.reached[function] = true
			}
			all = append(all, test)
		}
	}
	slices.SortStableFunc(all, func(a, b oneTest) int { return int(a.cost - b.cost) })
	return all, nil
}

// reaching returns the tests that call the function of a number, in their order. No other test can notice a
// mutant in that function.
func reaching(tests []oneTest, function int) []oneTest {
	var group []oneTest
	for _, test := range tests {
		if test.reached[function] {
			group = append(group, test)
		}
	}
	return group
}

// runUntilKilled runs tests with the mutant of a number until one of them fails, and sets the mutant's status:
// by the failure, or survived if no test fails. Tests that take less time than quick and are in one binary run
// together in one process, because starting a process takes longer. Without tests the mutant is not covered.
func (config *config) runUntilKilled(mutant *mutant, number int, tests []oneTest) error {
	if len(tests) == 0 {
		mutant.Status = notCovered
		return nil
	}
	mutant.Status = survived
	for len(tests) > 0 {
		together, cost := 1, tests[0].cost
		names := []string{tests[0].name}
		for together < len(tests) && tests[together].cost < quick && tests[together].path == tests[0].path {
			names = append(names, tests[together].name)
			cost += tests[together].cost
			together++
		}
		got := tests[0].binary.run(names, number, cost)
		if got.status != survived {
			mutant.Status, mutant.By = got.status, failed(got.output)
			return nil
		}
		tests = tests[together:]
	}
	return nil
}

// failed returns the name of the first test that failed, from the output of a test binary; "" for none.
func failed(output []byte) string {
	if _, after, ok := bytes.Cut(output, []byte("--- FAIL: ")); ok {
		name, _, _ := bytes.Cut(after, []byte(" "))
		return string(name)
	}
	return ""
}

// testAlone tests a mutant that is outside of any function, such as in a constant. It cannot be in the
// binaries that hold all mutants, because only calls of functions can select one. So it builds test
// binaries with this mutant alone, and runs all tests with them.
func (config *config) testAlone(pack *pack, mutant *mutant, tests []oneTest) error {
	text := pack.text[mutant.File]
	change, _ := replacement(text[mutant.offset:], mutant.Type)
	changed := apply(text, 0, len(text), []edit{{mutant.offset, mutant.offset + len(change.from), change.to}})
	binaries, refusal, err := config.build(pack, map[string][]byte{mutant.File: changed}, "alone")
	if err != nil {
		return err
	}
	if refusal != nil {
		mutant.Status = notViable
		return nil
	}
	ownTests := slices.Clone(tests)
	for i := range ownTests {
		for _, binary := range binaries {
			if binary.dir == ownTests[i].dir {
				ownTests[i].path = binary.path
			}
		}
	}
	return config.runUntilKilled(mutant, unchangedCode, ownTests) // the code of these binaries has this mutant in place
}

// outcome is what a run of tests gave.
type outcome struct {
	status string
	cost   time.Duration
	output []byte
}

// Numbers that run takes in place of a mutant's.
const (
	unchangedCode = 0  // the code runs as it is
	recordReached = -1 // the code runs as it is, and the numbers of the functions that are called are written to a file
)

// run runs tests of a binary with the mutant of that number, or with unchangedCode or recordReached without any.
// usual is the processor time that the tests take without a mutant. A mutant may run for ever, so the limit
// of processor time is three times that plus two seconds. The limit of wall-clock time is much higher,
// because other work may occupy the processor.
func (binary binary) run(names []string, number int, usual time.Duration, env ...string) outcome {
	seconds := int((3*usual+2*time.Second)/time.Second) + 1
	ctx, cancel := context.WithTimeout(context.Background(), 20*usual+30*time.Second)
	defer cancel()
	// The limit of memory keeps a mutant that allocates without end from the machine's memory.
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -v 6000000; ulimit -t %d; exec "$0" "$@"`, seconds),
		binary.path, "-test.short", "-test.failfast", "-test.v", "-test.timeout=0", "-test.run=^("+strings.Join(names,
			"|")+")$")
	cmd.Args = append(cmd.Args, binary.flags...)
	cmd.Dir = binary.dir
	cmd.Env = append(append(os.Environ(), "MUTANT="+strconv.Itoa(number)), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what the tests left behind
	cost := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case err == nil: // no test has failed
		return outcome{survived, cost, out}
	case ctx.Err() != nil || killedBySystem(cmd.ProcessState):
		return outcome{timedOut, cost, out}
	default:
		return outcome{killed, cost, out}
	}
}

// killedBySystem reports whether a process was ended for the time of the processor that it took.
func killedBySystem(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}
