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

// build compiles the test binaries that test a package: one for each of pack.testers, the packages whose
// tests test it. The texts in files, by path, take the place of the files on disk. If the code does not
// compile, it returns the compiler's text as refusal. The binaries, whose names begin with name, and the
// texts are written to a folder of this package's results.
func (config *config) build(pack *pack, files map[string][]byte, name string) (all []binary, refusal []byte, err error) {
	folder, err := filepath.Abs(config.folder(pack.dir))
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, nil, err
	}
	// Tell the go command by an overlay which files to replace.
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
	// Compile a binary for each tester.
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

// buildWoven builds the test binaries of a package with all its mutants in them, which are small changes of
// the code; a run then selects one. Mutants that do not compile are marked as not viable, and it tries
// again without them. It fails if the compiler's errors are in no mutant.
func (config *config) buildWoven(pack *pack, mutants []*mutant) (*woven, []binary, error) {
	for {
		woven := pack.weave(mutants)
		all, refusal, err := config.build(pack, woven.files, "woven")
		if err != nil || refusal == nil {
			return woven, all, err
		}
		if !woven.markRefused(refusal, mutants) {
			return nil, nil, fmt.Errorf("cannot build it with its mutants: %s", bytes.TrimSpace(refusal))
		}
	}
}

// markRefused marks the mutants in whose lines the compiler found errors as not viable, and reports whether
// there is any. refusal is the compiler's text. It names a file by its own path, or by the path of the
// text that build wrote in its place.
func (woven *woven) markRefused(refusal []byte, mutants []*mutant) bool {
	found := false
	for line := range strings.Lines(string(refusal)) {
		match := compilerLine.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		faulty := match[1]
		lineNumber, _ := strconv.Atoi(match[2])
		for path, spans := range woven.lines {
			isFile := filepath.Base(path) == filepath.Base(faulty)
			isReplacement := strings.HasSuffix(faulty, "_"+strings.ReplaceAll(path, "/", "_")) // as build names it
			if !isFile && !isReplacement {
				continue
			}
			for _, span := range spans {
				if span.from <= lineNumber && lineNumber <= span.to {
					mutants[span.mutant].Status = notViable
					found = true
				}
			}
		}
	}
	return found
}
