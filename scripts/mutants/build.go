package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// binary is a compiled test binary.
type binary struct {
	path  string
	dir   string   // of the package whose tests it has, where they run
	flags []string // that it takes and needs
}

// folder returns the folder for the binaries of a package. Each package has its own, so that
// two can be tested at once.
func (config *config) folder(dir string) string {
	return filepath.Join(config.dir, "_build", strings.ReplaceAll(dir, "/", "_"))
}

// build compiles the tests of the testers, with the given files, by path, in place of those
// on disk. It returns a binary for each tester, or the compiler's text (refusal) if the code
// does not compile. The binaries, whose names begin with name, are in a folder of this
// package that ./... leaves out.
func (config *config) build(pack *pack, files map[string][]byte, name string) (all []binary, refusal []byte, err error) {
	folder, err := filepath.Abs(config.folder(pack.dir))
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, nil, err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, text := range files {
		full, err := filepath.Abs(path)
		if err != nil {
			return nil, nil, err
		}
		to := filepath.Join(folder, name+"_"+strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return nil, nil, err
		}
		overlay.Replace[full] = to
	}
	list := filepath.Join(folder, name+".json")
	data, err := json.Marshal(overlay)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(list, data, 0o644); err != nil {
		return nil, nil, err
	}
	for i, tester := range pack.testers {
		b := binary{path: filepath.Join(folder, fmt.Sprint(name, i, ".test")), dir: tester}
		// -e: all errors, not the first ten. -s -w: a quicker link.
		cmd := exec.Command("go", "test", "-c", "-overlay", list, "-gcflags=-e", "-ldflags=-s -w", "-o", b.path,
			"./"+tester)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, out, nil
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, b)
	}
	return all, nil, nil
}

var compilerLine = regexp.MustCompile(`^(\S+\.go):([0-9]+):`)

// buildWoven builds the package with all mutants in it. It marks those that do not compile
// as not viable and tries again without them. It fails if the compiler's errors are in no
// mutant.
func (config *config) buildWoven(p *pack, mutants []*mutant) (*woven, []binary, error) {
	for {
		woven := p.weave(mutants)
		all, refusal, err := config.build(p, woven.files, "woven")
		if err != nil || refusal == nil {
			return woven, all, err
		}
		if !woven.markRefused(refusal, mutants) {
			return nil, nil, fmt.Errorf("cannot build it with its mutants: %s", bytes.TrimSpace(refusal))
		}
	}
}

// markRefused marks as not viable the mutants in whose lines the compiler found errors, and
// reports whether there is any. The compiler names a file by its path or by that of the copy
// that build wrote.
func (woven *woven) markRefused(refusal []byte, mutants []*mutant) bool {
	found := false
	for line := range strings.Lines(string(refusal)) {
		m := compilerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		pos, _ := strconv.Atoi(m[2])
		for path, spans := range woven.lines {
			if filepath.Base(path) != filepath.Base(m[1]) && !strings.HasSuffix(m[1],
				"_"+strings.ReplaceAll(path, "/", "_")) {
				continue
			}
			for _, s := range spans {
				if s.from <= pos && pos <= s.to {
					mutants[s.mutant].Status = notViable
					found = true
				}
			}
		}
	}
	return found
}
