package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestResults(t *testing.T) {
	tr := treeOf(
		"bench/results/a.txt\n# date 2026-11-21; commit 0123456789ab\n# before: commit fffffff\n",
		"bench/results/b.txt\nplumb 0.1.0 (0123456789ab), full\n",
		"bench/results/c.txt\n{\"version\":\"0.1.0\",\"commit\":\"aaaaaaaaaaaa\"}\n",
		"bench/results/d.txt\n10 of 20\n",
		"bench/results/README.md\nno commit\n",
		"docs/a.txt\nno commit\n",
	)
	got := tr.results(func(c string) bool { return c == "0123456789ab" })
	want := []string{
		"bench/results/a.txt:2: commit fffffff is not in the history",
		"bench/results/c.txt:1: commit aaaaaaaaaaaa is not in the history",
		"bench/results/d.txt:1: no commit; want the one at which the figures were taken, as in \"commit 0123456789ab\"",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestHistory has a repository of two commits, a shallow clone of it, and a folder without git.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "full")
	dir = filepath.Join(dir, "full")
	git("commit", "-q", "--allow-empty", "-m", "one")
	first := git("rev-parse", "HEAD")
	git("commit", "-q", "--allow-empty", "-m", "two")
	second := git("rev-parse", "HEAD")
	git("checkout", "-q", "-b", "other", first)
	git("commit", "-q", "--allow-empty", "-m", "three")
	known, why := history(dir)
	if known == nil {
		t.Fatalf("no history: %s", why)
	}
	for commit, want := range map[string]bool{first: true, first[:12]: true, second: false, git("rev-parse", "HEAD"): true, "0123456789ab": false} {
		if got := known(commit); got != want {
			t.Errorf("%s: got %v; want %v", commit, got, want)
		}
	}
	shallow := filepath.Join(filepath.Dir(dir), "shallow")
	git("clone", "-q", "--depth", "1", "file://"+dir, shallow)
	if _, why := history(shallow); why != "this clone is shallow" {
		t.Errorf("a shallow clone: got %q", why)
	}
	alone := filepath.Join(filepath.Dir(dir), "alone")
	if err := os.Mkdir(alone, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, why := history(alone); why != "this is no repository of git" {
		t.Errorf("a folder without git: got %q", why)
	}
}
