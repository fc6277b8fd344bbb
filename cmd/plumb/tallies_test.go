package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/testdata"
)

// TestOrderOfDump: the results of a dump are those of its reverse, without the cache of tallies, with
// one that holds nothing and with one that holds all, on both backends.
func TestOrderOfDump(t *testing.T) {
	for _, name := range []string{"demo", "cases"} {
		t.Run(name, func(t *testing.T) {
			path := "../../testdata/aspire/demo.jsonl"
			if name == "cases" {
				path = testdata.Path(t, "aspire/cases.jsonl")
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(b)), "\n")
			slices.Reverse(lines)
			reversed := filepath.Join(t.TempDir(), "reversed.jsonl")
			if err := os.WriteFile(reversed, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for backend, sizes := range map[string][]string{"gl": {"1", "100000", "64MiB"}, "cpu": {"64MiB"}} {
				want := scored(t, path, "--backend", backend, "--tally-cache", "0")
				for _, size := range sizes {
					if got := scored(t, path, "--backend", backend, "--tally-cache", size); !slices.Equal(got, want) {
						t.Errorf("%s, cache of %s: results differ from those without", backend, size)
					}
					got := scored(t, reversed, "--backend", backend, "--tally-cache", size)
					slices.Reverse(got)
					if !slices.Equal(got, want) {
						t.Errorf("%s, cache of %s: results of the reversed dump differ", backend, size)
					}
				}
			}
		})
	}
}

// scored returns the result lines of a dump of ASPIRE.
func scored(t *testing.T, path string, args ...string) []string {
	t.Helper()
	code, out, errs := plumb(t, "", append([]string{"score", "--suite", "aspire", "--fidelity", "native", path}, args...)...)
	if code != 0 {
		t.Fatalf("%q: got exit %d, %s", args, code, errs)
	}
	return strings.Split(strings.TrimSpace(out), "\n")
}
