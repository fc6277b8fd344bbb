package main

import (
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

// resultsDir holds files of figures. Each names the commit at which they were taken.
const resultsDir = "bench/results/"

// commitName finds commits as programs of bench print them, and as `plumb version` does.
var commitName = regexp.MustCompile(`\bcommit[: ]+([0-9a-f]{7,40})\b|"commit":"([0-9a-f]{7,40})"|\bplumb [0-9.]+ \(([0-9a-f]{7,40})\)`)

// results returns the faults of the files of measured results below resultsDir: a file that does not name
// the commit at which its figures were taken, and a commit for which known returns false, because nobody
// could check figures of a commit that is not there.
func (tree *tree) results(known func(commit string) bool) (faults []string) {
	for _, file := range tree.paths {
		if !strings.HasPrefix(file, resultsDir) || path.Ext(file) != ".txt" {
			continue
		}
		found := false
		for i, line := range strings.Split(tree.text[file], "\n") {
			for _, match := range commitName.FindAllStringSubmatch(line, -1) {
				found = true
				commit := match[1] + match[2] + match[3] // one of three forms has matched, and the others are empty
				if !known(commit) {
					faults = append(faults, fmt.Sprintf("%s:%d: commit %s is not in the history", file, i+1, commit))
				}
			}
		}
		if !found {
			faults = append(faults, file+":1: no commit; want the one at which the figures were taken, as in \"commit 0123456789ab\"")
		}
	}
	return faults
}

// history returns a function that reports whether a commit is in the history of the git repository at
// root: HEAD or an ancestor of it. It returns nil and the reason if that cannot be found out, because
// there is no repository, or it is a shallow clone, which lacks commits.
func history(root string) (known func(commit string) bool, why string) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	shallow, err := git("rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, "this is no repository of git"
	}
	if shallow != "false" {
		return nil, "this clone is shallow"
	}
	return func(commit string) bool {
		_, err := git("merge-base", "--is-ancestor", commit, "HEAD")
		return err == nil
	}, ""
}
