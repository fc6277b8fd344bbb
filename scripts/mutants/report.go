package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// result is what is stored of a package.
type result struct {
	Package string    `json:"package"`
	Source  string    `json:"source"`
	Tests   string    `json:"tests"`
	Testers []string  `json:"testers"`
	Sample  int       `json:"sample,omitempty"` // how many mutants were run at most, 0 for all
	Seed    uint64    `json:"seed,omitempty"`   // from which the sample was drawn
	Mutants []*mutant `json:"mutants"`
}

// resume takes over the statuses of mutants from a stored result if that is of the same code and the same
// tests. If only the tests have changed and reuseSettled is true, it takes over the mutants that were noticed or
// did not compile. All mutants without a status are run again.
func (fresh *result) resume(file string, reuseSettled bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var old result
	if json.Unmarshal(data, &old) != nil || old.Source != fresh.Source || len(old.Mutants) != len(fresh.Mutants) {
		return
	}
	fresh.Sample, fresh.Seed = old.Sample, old.Seed
	same := old.Tests == fresh.Tests && slices.Equal(old.Testers, fresh.Testers)
	for i, mutant := range old.Mutants {
		settled := mutant.Status == killed || mutant.Status == timedOut || mutant.Status == notViable
		if same || reuseSettled && settled {
			fresh.Mutants[i].Status, fresh.Mutants[i].By = mutant.Status, mutant.By
		}
	}
}

// draw chooses result.Sample mutants at random and marks the others as left out. The same seed chooses the
// same ones. If the sample is 0 or not smaller than the number of mutants, or if all have been run, no
// mutant is left out.
func (result *result) draw() {
	if result.Sample <= 0 || result.Sample >= len(result.Mutants) || result.done() {
		result.Sample = 0
		return
	}
	shuffled := rand.New(rand.NewPCG(result.Seed, 0)).Perm(len(result.Mutants))
	for _, i := range shuffled[result.Sample:] {
		result.Mutants[i].leftOut = true
	}
}

// done reports whether every mutant that is not left out has a status.
func (result *result) done() bool {
	return !slices.ContainsFunc(result.Mutants, func(m *mutant) bool { return m.Status == "" && !m.leftOut })
}

// store writes the result as JSON to a file, which a rename replaces as a whole.
func (result *result) store(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(result, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// key names a mutant in the list of survivors. It has no number of a line, so that it
// stands when other code changes.
func (m *mutant) key() string {
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%s", m.File, m.Func, m.Type, m.TextColumn, m.Text)
}

// readListed reads the list of survivors, which are mutants that no test needs to notice, and returns the
// reason of each by its key. The file has paragraphs. Each begins with a line "reason: TEXT", and every
// further line is the key of a mutant: its file, function, type, column and line with tabs between them.
// Lines that begin with # are comments. A file that is missing has no survivors.
func readListed(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	listed := map[string]string{}
	reason := ""
	for i, line := range strings.Split(string(data), "\n") {
		text, isReason := strings.CutPrefix(line, "reason: ")
		switch {
		case line == "":
			reason = ""
		case strings.HasPrefix(line, "#"):
		case isReason:
			reason = text
		case reason == "":
			return nil, fmt.Errorf("%s:%d: a survivor without a reason", file, i+1)
		case strings.Count(line, "\t") != 4:
			return nil, fmt.Errorf("%s:%d: want file, function, type, column and line with tabs between them", file,
				i+1)
		default:
			listed[line] = reason
		}
	}
	return listed, nil
}

// tally counts the mutants of a package by status, without those that a sample leaves out. made is how many
// of them compile. percent is the share of these that the tests noticed; a timeout counts as noticed.
// Without any mutant percent is 100.
func (result *result) tally() (made int, count map[string]int, percent float64) {
	count = map[string]int{}
	for _, mutant := range result.Mutants {
		if !mutant.leftOut {
			count[mutant.Status]++
			made++
		}
	}
	made -= count[notViable]
	if made == 0 {
		return 0, count, 100
	}
	return made, count, 100 * float64(count[killed]+count[timedOut]) / float64(made)
}

// reportFaults compares the results with listed, the list of survivors, which are mutants that no test
// needs to notice. It prints mutants that no test noticed and that are not in the list, and entries of the
// list whose mutant is noticed now or does not exist. It returns true if there is nothing to print.
func reportFaults(out io.Writer, all []*result, listed map[string]string) bool {
	ok := true
	for _, result := range all {
		statuses := map[string]string{} // by the key of the mutant
		for _, mutant := range result.Mutants {
			key := mutant.key()
			statuses[key] = mutant.Status
			if (mutant.Status == survived || mutant.Status == notCovered) && listed[key] == "" {
				fmt.Fprintf(out, "%s:%d: %s, not in the list\n%s\n", mutant.File, mutant.Line, mutant.Status, key)
				ok = false
			}
		}
		for key := range listed {
			if filepath.Dir(strings.SplitN(key, "\t", 2)[0]) != result.Package {
				continue // a mutant of another package
			}
			switch status, exists := statuses[key]; {
			case !exists:
				fmt.Fprintf(out, "in the list, but there is no such mutant: %s\n", key)
				ok = false
			case status != survived && status != notCovered && status != "":
				fmt.Fprintf(out, "in the list, but %s: %s\n", status, key)
				ok = false
			}
		}
	}
	return ok
}

// writeTable prints a row for each package: how many mutants it has, and what became of them. It returns
// true if all mutants were run, and the tests noticed at least want percent of them in each package.
func writeTable(out io.Writer, all []*result, want float64) bool {
	ok := true
	fmt.Fprintf(out, "%-34s %6s %6s %6s %6s %6s %6s %7s %9s\n", "package", "listed", "tried", "killed", "timed", "lived",
		"uncov", "not run", "noticed")
	for _, result := range all {
		made, count, percent := result.tally() // the status "" is that of a mutant that was not run
		note := ""
		if len(result.Testers) == 0 {
			note = "  without tests of its own or of others"
		} else if len(result.Testers) != 1 || result.Testers[0] != result.Package {
			note = "  by the tests of " + strings.Join(result.Testers, ", ")
		}
		if tried := made + count[notViable]; tried < len(result.Mutants) {
			note += fmt.Sprintf("  a sample of %d by seed %d", tried, result.Seed)
		}
		if percent < want || count[""] > 0 {
			ok = false
		}
		fmt.Fprintf(out, "%-34s %6d %6d %6d %6d %6d %6d %7d %7.1f %%%s\n", result.Package, len(result.Mutants), made-count[""], count[killed],
			count[timedOut], count[survived], count[notCovered], count[""], percent, note)
	}
	return ok
}
