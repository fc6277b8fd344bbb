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

// test runs all mutants that have no status and stores the result, also every ten seconds
// meanwhile, so that a run that is interrupted can go on. Without any tests all mutants are
// not covered.
func (config *config) test(pack *pack, result *result) error {
	if len(pack.testers) == 0 {
		for _, m := range result.Mutants {
			m.Status = notCovered
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
	saved := time.Now()
	for i := range order(result.Mutants) {
		mutant := result.Mutants[i]
		switch {
		case mutant.Status != "" || mutant.leftOut:
			continue
		case mutant.fn == nil:
			err = config.testAlone(pack, mutant, tests)
		default:
			err = config.kill(mutant, i+1, reaching(tests, woven.funcs[mutant.fn]))
		}
		if err != nil {
			return err
		}
		if time.Since(saved) > 10*time.Second {
			saved = time.Now()
			if err := result.store(config.results(pack.dir)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %.0f s\n", pack.dir, time.Since(start).Seconds())
	return result.store(config.results(pack.dir))
}

// order yields the indices of mutants: those in functions first, because each of the others
// needs a build.
func order(mutants []*mutant) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, inside := range []bool{true, false} {
			for i, m := range mutants {
				if (m.fn != nil) == inside && !yield(i) {
					return
				}
			}
		}
	}
}

// measure runs each test alone, without a mutant, and returns those that pass, the fastest
// first, with their cost and the functions that they reach. Benchmarks and skipped tests are
// left out. A test that fails is an error.
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
			got := test.binary.run([]string{name}, -1, 10*time.Minute, "MUTANT_REACHED="+reached) // -1: no mutant, reached functions are recorded
			if got.status != survived {
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
			for _, n := range strings.Fields(string(numbers)) {
				i, _ := strconv.Atoi(n)
				test.reached[i] = true
			}
			all = append(all, test)
		}
	}
	slices.SortStableFunc(all, func(a, b oneTest) int { return int(a.cost - b.cost) })
	return all, nil
}

// reaching returns the tests that reach the function of that number, in their order.
func reaching(tests []oneTest, function int) []oneTest {
	var group []oneTest
	for _, t := range tests {
		if t.reached[function] {
			group = append(group, t)
		}
	}
	return group
}

// kill runs tests with a mutant until one of them fails, and sets the mutant's status. Quick
// tests of one binary run together in one process. Without tests the mutant is not covered.
func (config *config) kill(mutant *mutant, number int, tests []oneTest) error {
	if len(tests) == 0 {
		mutant.Status = notCovered
		return nil
	}
	mutant.Status = survived
	for len(tests) > 0 {
		n, cost := 1, tests[0].cost
		names := []string{tests[0].name}
		for n < len(tests) && tests[n].cost < quick && tests[n].path == tests[0].path {
			names = append(names, tests[n].name)
			cost += tests[n].cost
			n++
		}
		got := tests[0].binary.run(names, number, cost)
		if got.status != survived {
			mutant.Status, mutant.By = got.status, failed(got.output)
			return nil
		}
		tests = tests[n:]
	}
	return nil
}

// failed returns the name of the first test that failed, if the output has one.
func failed(output []byte) string {
	if _, after, ok := bytes.Cut(output, []byte("--- FAIL: ")); ok {
		name, _, _ := bytes.Cut(after, []byte(" "))
		return string(name)
	}
	return ""
}

// testAlone builds and runs a mutant that is outside of any function, such as in a constant, and
// so cannot be selected in the woven binary. All tests are run, with binaries of its own.
func (config *config) testAlone(p *pack, mutant *mutant, tests []oneTest) error {
	ch, _ := replacement(p.text[mutant.File][mutant.offset:], mutant.Type)
	text := apply(p.text[mutant.File], 0, len(p.text[mutant.File]), []edit{{mutant.offset, mutant.offset + len(ch.from), ch.to}})
	binaries, refusal, err := config.build(p, map[string][]byte{mutant.File: text}, "alone")
	if err != nil {
		return err
	}
	if refusal != nil {
		mutant.Status = notViable
		return nil
	}
	ownTests := slices.Clone(tests)
	for i := range ownTests {
		for _, b := range binaries {
			if b.dir == ownTests[i].dir {
				ownTests[i].path = b.path
			}
		}
	}
	return config.kill(mutant, 0, ownTests) // 0: no mutant is selected, because the binaries have this one only
}

// outcome is what a run of tests gave.
type outcome struct {
	status string
	cost   time.Duration
	output []byte
}

// run runs tests of a binary with the mutant of that number. usual is what they cost without
// a mutant. The limit of processor time is three times that plus two seconds. The limit of
// wall-clock time is much higher, because other work may occupy the processor.
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
	case err == nil:
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
