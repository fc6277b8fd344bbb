package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plumb/testdata"
)

// tracked lists the project's files whose path matches.
func tracked(t *testing.T, pattern string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "--", pattern)
	cmd.Dir = testdata.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no list of files: %v", err)
	}
	files := strings.Fields(string(out))
	if len(files) == 0 {
		t.Fatalf("no file is named %s", pattern)
	}
	return files
}

// What scripts install comes in one version with a sum: npm from lockfiles, pip with
// hashes. A package taken by name alone is whatever its index gives that day.
func TestInstallsArePinned(t *testing.T) {
	npm := regexp.MustCompile(`\bnpm (install|i|add)\b`)
	pip := regexp.MustCompile(`(\bpip|"pip") install\b`)
	for _, file := range append(tracked(t, "*.sh"), "Makefile", "deploy/Dockerfile") {
		for n, line := range strings.Split(strings.ReplaceAll(deployed(t, file), "\\\n", " "), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			if npm.MatchString(line) {
				t.Errorf("%s:%d: %q; want npm ci", file, n+1, line)
			}
			// "$@" hands on the flags of a function, whose calls are checked below.
			if pip.MatchString(line) && !strings.Contains(line, "--require-hashes") && !strings.Contains(line, `"$@"`) {
				t.Errorf("%s:%d: %q; want pip install --require-hashes", file, n+1, line)
			}
		}
	}
	if !strings.Contains(deployed(t, "scripts", "python.sh"), "\npip --require-hashes ") {
		t.Error("scripts/python.sh does not ask for hashes")
	}
}

// Every list of Python packages is complete: each package has one version and sums.
func TestPythonRequirements(t *testing.T) {
	for _, in := range tracked(t, "*/requirements*.in") {
		checkHashes(t, in)
	}
	for _, in := range tracked(t, "clients/python/requirements/*.in") {
		checkHashes(t, in)
	}
}

func checkHashes(t *testing.T, in string) {
	file := strings.TrimSuffix(in, ".in") + ".txt"
	list := strings.ReplaceAll(deployed(t, file), "\\\n", " ")
	packages := 0
	for _, line := range strings.Split(list, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		packages++
		if !regexp.MustCompile(`^[a-z0-9.-]+==[^ ]+ .*--hash=sha256:[0-9a-f]{64}`).MatchString(line) {
			t.Errorf("%s: %.80q has no version or no sum", file, line)
		}
	}
	if packages == 0 {
		t.Errorf("%s lists nothing", file)
	}
}

// Every package of a lockfile has a sum, and the lockfile names no server.
func TestLockfiles(t *testing.T) {
	for _, file := range tracked(t, "*package.json") {
		lock := filepath.Join(filepath.Dir(file), "package-lock.json")
		b, err := os.ReadFile(filepath.Join(testdata.Root(), lock))
		if err != nil {
			t.Errorf("%s has no lockfile: %v", file, err)
			continue
		}
		var l struct {
			Packages map[string]struct{ Version, Integrity, Resolved string }
		}
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatalf("%s: %v", lock, err)
		}
		for name, p := range l.Packages {
			if name != "" && (p.Version == "" || p.Integrity == "" || p.Resolved != "") {
				t.Errorf("%s: %s: got %+v; want version and integrity, and no address", lock, name, p)
			}
		}
	}
}
