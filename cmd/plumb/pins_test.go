package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plumb/testdata"
)

// filesLike returns the project's files whose name matches the pattern, relative to the
// root. It leaves out the folders that hold what was built or installed.
func filesLike(t *testing.T, pattern string) (files []string) {
	t.Helper()
	root := os.DirFS(testdata.Root())
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == "build" || p == "bin" || p == ".git" || p == "clients/python/build"):
			return fs.SkipDir
		}
		if ok, err := path.Match(pattern, d.Name()); !ok || err != nil || d.IsDir() {
			return err
		}
		files = append(files, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, file := range append(filesLike(t, "*.sh"), "Makefile", "deploy/Dockerfile") {
		for n, line := range strings.Split(strings.ReplaceAll(deployed(t, file), "\\\n", " "), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			// As a second try npm install keeps the versions and sums of the lockfile.
			if npm.MatchString(line) && !(strings.Contains(line, "npm ci ") && strings.Contains(line, "--no-save")) {
				t.Errorf("%s:%d: %q; want npm ci", file, n+1, line)
			}
			// "$@" hands on the flags of a function, whose calls are checked below; with --no-index
			// nothing is downloaded.
			if pip.MatchString(line) && !strings.Contains(line, "--no-index") && !strings.Contains(line, "--require-hashes") && !strings.Contains(line, `"$@"`) {
				t.Errorf("%s:%d: %q; want pip install --require-hashes", file, n+1, line)
			}
		}
	}
	if !strings.Contains(deployed(t, "scripts", "python.sh"), "\ninstall --require-hashes ") {
		t.Error("scripts/python.sh does not ask for hashes")
	}
}

// Every list of Python packages is complete: each package has one version and sums.
func TestPythonRequirements(t *testing.T) {
	for _, in := range filesLike(t, "*.in") {
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
	for _, file := range filesLike(t, "package.json") {
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
