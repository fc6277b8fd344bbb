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

// resume takes over the statuses of a stored result if it is of the same code and tests.
// With kept, kills, timeouts and mutants that do not compile are also taken over if only the
// tests have changed. Otherwise all mutants are run again.
func (r *result) resume(file string, kept bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var old result
	if json.Unmarshal(data, &old) != nil || old.Source != r.Source || len(old.Mutants) != len(r.Mutants) {
		return
	}
	r.Sample, r.Seed = old.Sample, old.Seed
	same := old.Tests == r.Tests && slices.Equal(old.Testers, r.Testers)
	for i, m := range old.Mutants {
		dead := m.Status == killed || m.Status == timedOut || m.Status == notViable
		if same || kept && dead {
			r.Mutants[i].Status, r.Mutants[i].By = m.Status, m.By
		}
	}
}

// draw chooses result.Sample of the mutants at random and marks the others as left out. The same
// seed chooses the same ones. With 0, or where no more are there or all have been run, all
// count.
func (result *result) draw() {
	if result.Sample <= 0 || result.Sample >= len(result.Mutants) || result.done() {
		result.Sample = 0
		return
	}
	for _, i := range rand.New(rand.NewPCG(result.Seed, 0)).Perm(len(result.Mutants))[result.Sample:] {
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
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%s", m.File, m.Func, m.Type, m.At, m.Text)
}

// readListed reads the list of survivors: paragraphs, each of a reason that begins with
// "reason: " and one key a line. Lines that begin with # are comments.
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

// tally counts the mutants of a package by status, without those left out. made is how many
// compile, and percent how many of these the tests noticed; a timeout counts as noticed.
// Without any mutant percent is 100.
func (result *result) tally() (made int, count map[string]int, percent float64) {
	count = map[string]int{}
	for _, m := range result.Mutants {
		if !m.leftOut {
			count[m.Status]++
			made++
		}
	}
	made -= count[notViable]
	if made == 0 {
		return 0, count, 100
	}
	return made, count, 100 * float64(count[killed]+count[timedOut]) / float64(made)
}

// reportFaults prints mutants that no test noticed and that the list has no reason for, and entries of
// the list that are out of date. It reports whether there are none of both.
func reportFaults(out io.Writer, all []*result, listed map[string]string) bool {
	ok := true
	for _, result := range all {
		keys := map[string]string{}
		for _, m := range result.Mutants {
			keys[m.key()] = m.Status
			if (m.Status == survived || m.Status == notCovered) && listed[m.key()] == "" {
				fmt.Fprintf(out, "%s:%d: %s, not in the list\n%s\n", m.File, m.Line, m.Status, m.key())
				ok = false
			}
		}
		for key := range listed {
			if filepath.Dir(strings.SplitN(key, "\t", 2)[0]) != result.Package {
				continue
			}
			switch status, exists := keys[key]; {
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

// writeTable prints a row for each package with what became of its mutants. It reports whether all
// were run and in each package at least want percent were noticed.
func writeTable(out io.Writer, all []*result, want float64) bool {
	ok := true
	fmt.Fprintf(out, "%-34s %6s %6s %6s %6s %6s %6s %7s %9s\n", "package", "listed", "tried", "killed", "timed", "lived",
		"uncov", "not run", "noticed")
	for _, result := range all {
		made, n, percent := result.tally()
		note := ""
		if len(result.Testers) == 0 {
			note = "  without tests of its own or of others"
		} else if len(result.Testers) != 1 || result.Testers[0] != result.Package {
			note = "  by the tests of " + strings.Join(result.Testers, ", ")
		}
		if tried := made + n[notViable]; tried < len(result.Mutants) {
			note += fmt.Sprintf("  a sample of %d by seed %d", tried, result.Seed)
		}
		if percent < want || n[""] > 0 {
			ok = false
		}
		fmt.Fprintf(out, "%-34s %6d %6d %6d %6d %6d %6d %7d %7.1f %%%s\n", result.Package, len(result.Mutants), made-n[""], n[killed],
			n[timedOut], n[survived], n[notCovered], n[""], percent, note)
	}
	return ok
}
