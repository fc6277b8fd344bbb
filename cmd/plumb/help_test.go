package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/testdata"
)

// notRun says why the test does not run an example: it only reads its command line.
var notRun = map[string]string{
	"serve": "it runs until a signal ends it",
	"load":  "it needs a daemon",
	"bench": "it takes minutes",
}

// Examples of the help run as they stand, in their order, in a folder with the test data. Those
// that need a name in capitals, such as FILE, or do not end by themselves are only parsed.
func TestHelpExamples(t *testing.T) {
	t.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	root, err := filepath.Abs(testdata.Root())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLUMB_UI_PAGES", filepath.Join(root, "build", "explorer"))
	t.Setenv("PLUMB_FONTS", filepath.Join(root, "build", "fonts"))
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "testdata"), "testdata"); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		_, help, _ := plumb(t, "", append(strings.Fields(e.command), "--help")...)
		for _, line := range e.lines {
			if !strings.Contains(help, line) {
				t.Errorf("the help of %s lacks %q", e.command, line)
			}
			needsMore := strings.Contains(line, "https://HOST") || strings.Contains(line, "FILE") || strings.HasPrefix(line, "plumb view --dump")
			if notRun[e.command] == "" && !needsMore {
				if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", line, err, out)
				}
				continue
			}
			if _, err := parser(new(cli)).Parse(strings.Fields(line)[1:]); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// `plumb help` and `plumb help COMMAND` are the same as --help, and a mistake names the help of its
// command.
func TestHelpCommand(t *testing.T) {
	for _, args := range [][]string{{}, {"score"}, {"shard", "run"}} {
		_, want, _ := plumb(t, "", append(slices.Clone(args), "--help")...)
		if code, got, _ := plumb(t, "", append([]string{"help"}, args...)...); code != 0 || got != want {
			t.Errorf("help %q: got exit %d and %d bytes; want 0 and the %d bytes of --help", args, code, len(got), len(want))
		}
	}
	if _, _, errs := plumb(t, "", "score", "--nope"); !strings.Contains(errs, "see plumb score --help") {
		t.Errorf("got %q; want the help of plumb score named", errs)
	}
}

// A flag that a command refuses in every use is not in its help; the others are.
func TestHelpHidesRefused(t *testing.T) {
	for _, c := range []struct{ command, shown, hidden string }{
		{"agree", "--max-line", "--max-pixels"},
		{"load", "--max-values", "--max-shapes"},
		{"compare", "--max-ratio", "--max-depth"},
		{"records", "--max-line", "--max-response"},
	} {
		_, help, _ := plumb(t, "", c.command, "--help")
		if !strings.Contains(help, c.shown+"=") || strings.Contains(help, c.hidden+"=") {
			t.Errorf("%s: want %s in the help, and not %s", c.command, c.shown, c.hidden)
		}
		if code, _, errs := plumb(t, "", c.command, c.hidden, "7", "x", "y"); code != 2 || c.command != "compare" && !strings.Contains(errs, c.hidden) && !strings.Contains(errs, "unexpected argument") {
			t.Errorf("%s %s: got exit %d, %s", c.command, c.hidden, code, errs)
		}
	}
}
