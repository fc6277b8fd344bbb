// Command mutants tests the tests of packages with mutants: small changes of the code,
// each of which a test should notice.
//
//	mutants [FLAGS] PACKAGE...     PACKAGE is a folder of the repository, such as scoring/aspire
//
// In: the mutants that gremlins finds, as the JSON of a dry run for each package in
// DIR/lists. All mutants of a package are compiled into one test binary, as copies of
// their functions that an environment variable selects, since a build for each mutant
// would take hours. Each mutant is run against the tests that reach its function, the
// fastest first. Out: a JSON file for each package in DIR/results, from which a later run
// goes on, the survivors, and a table on stdout.
//
// It exits 1 when the tests notice less than the wanted share of the mutants of a
// package, or when a survivor is not in the list of survivors with a reason, and 2 when a
// package cannot be tested. A mutant that does not compile is not counted. Of a package with
// too many mutants a sample can be run; its share is that of the sample, and the table says so.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

type config struct {
	dir          string  // of lists, binaries and results
	listed       string  // file of survivors with reasons
	want         float64 // least share of mutants that are noticed, in percent
	reuseSettled bool    // kills of a run before stand while only tests have changed
	report       bool    // run nothing
	sample       int     // how many mutants of a package are run at most; 0 for all
	seed         uint64  // of the draw of a sample
	table        string  // file that gets the table, "" for none
	packages     []string
}

// main reads the flags and tests the mutants of the packages that the arguments name. A mutant is a small
// change of the code, such as < for <=, that a test should notice. It ends with exit code 1 if too many
// go unnoticed.
func main() {
	var c config
	flag.StringVar(&c.dir, "dir", "build/mutation", "`folder` of lists, binaries and results")
	flag.StringVar(&c.listed, "survivors", "scripts/mutants/survivors.txt", "`file` of survivors with reasons")
	flag.Float64Var(&c.want, "want", 90, "least `percent` of the mutants of a package that its tests notice")
	flag.BoolVar(&c.reuseSettled, "kept", false, "run only what no test noticed before, where only tests have changed since")
	flag.BoolVar(&c.report, "report", false, "run nothing, and report what was run")
	flag.IntVar(&c.sample, "sample", 0, "run only `N` mutants of a package that has more, drawn at random")
	flag.StringVar(&c.table, "table", "", "`file` that gets the table too, with the date and the commit")
	flag.Uint64Var(&c.seed, "seed", 1, "`number` from which the draw of a sample follows")
	flag.Parse()
	c.packages = flag.Args()
	if len(c.packages) == 0 {
		fmt.Fprintln(os.Stderr, "usage: mutants [FLAGS] PACKAGE...")
		os.Exit(2)
	}
	ok, err := c.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run tests the mutants of every package and prints the report. It returns true if the tests noticed enough
// mutants of each package, and the list of survivors has a reason for each mutant that they did not notice.
func (config *config) run() (bool, error) {
	listed, err := readListed(config.listed)
	if err != nil {
		return false, err
	}
	var all []*result
	for _, dir := range config.packages {
		ofPackage, err := config.testPackage(dir)
		if err != nil {
			return false, fmt.Errorf("cannot test %s: %w", dir, err)
		}
		all = append(all, ofPackage)
	}
	ok := reportFaults(os.Stdout, all, listed)
	fmt.Println()
	enough := writeTable(os.Stdout, all, config.want)
	if config.table != "" {
		var text bytes.Buffer
		fmt.Fprint(&text, header())
		writeTable(&text, all, config.want)
		if err := os.WriteFile(config.table, text.Bytes(), 0o644); err != nil {
			return false, err
		}
	}
	return ok && enough, nil
}

// header returns the lines with which a file of the table begins: the date, the version of Go, the commit,
// and the flags of this run.
func header() string {
	commit, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	return fmt.Sprintf("# date %s; %s; commit %s\n# scripts/mutants %s\n", time.Now().UTC().Format(time.DateTime),
		runtime.Version(), bytes.TrimSpace(commit), strings.Join(flagsOf(os.Args[1:]), " "))
}

// flagsOf returns those arguments that are flags: they begin with a dash.
func flagsOf(arguments []string) (flags []string) {
	for _, a := range arguments {
		if strings.HasPrefix(a, "-") {
			flags = append(flags, a)
		}
	}
	return flags
}

// testPackage returns what became of each mutant of the package in a folder. It takes over what an earlier
// run has stored, as far as that is still valid. Unless only a report is wanted, it then runs the tests
// with the mutants that have no status yet.
func (config *config) testPackage(dir string) (*result, error) {
	pack, err := readPackage(dir)
	if err != nil {
		return nil, err
	}
	mutants, err := readList(config.list(dir), dir)
	if err != nil {
		return nil, err
	}
	if err := pack.locate(mutants); err != nil {
		return nil, err
	}
	result := &result{Package: dir, Source: pack.source, Tests: pack.tests, Testers: pack.testers, Mutants: mutants}
	result.resume(config.results(dir), config.reuseSettled)
	if !config.report {
		result.Sample, result.Seed = config.sample, config.seed
	}
	result.draw()
	switch {
	case config.report:
		return result, nil
	case result.done():
		return result, result.store(config.results(dir))
	}
	return result, config.test(pack, result)
}
