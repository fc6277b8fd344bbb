// Command testsum makes the output of `go test -json` readable. In: the events
// of any number of test runs on stdin. Out: one line per package, the whole
// output of what failed, the reason of every skip, and as the last line how many
// tests were skipped for lack of reference data. It exits 1 when anything failed
// or nothing ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// The reasons of skips that are counted begin with these: the testdata package's
// for missing reference data, and that of tests which need the real editor.
const (
	missingDataText = "no reference data:"
	noBrowserText   = "no browser:"
)

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

type key struct{ pkg, test string }

// summary collects events; the exported fields are its result.
type summary struct {
	out            io.Writer
	output         map[key]*strings.Builder
	Ran            int  // tests that passed or failed, subtests included
	Failed         int  // tests, packages and builds
	WithoutData    int  // tests skipped for lack of reference data
	WithoutBrowser int  // tests skipped for lack of a browser with tldraw
	GoFailed       bool // the go command ended with an error
}

// main reads the events of `go test -json` from standard input and prints a summary: the output of tests
// that failed, and how many tests ran, failed or were skipped. It ends with exit code 1 if a test failed
// or none ran.
func main() {
	summary := &summary{out: os.Stdout, output: map[key]*strings.Builder{}}
	if err := summary.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if summary.Ran == 0 && summary.Failed == 0 {
		fmt.Println("no test ran")
	}
	fmt.Printf("tests run: %d, failed: %d\n", summary.Ran, summary.Failed)
	if summary.WithoutBrowser > 0 {
		fmt.Printf("skipped for lack of a browser: %d\n", summary.WithoutBrowser)
	}
	fmt.Printf("skipped for lack of reference data: %d\n", summary.WithoutData)
	if summary.Failed > 0 || summary.Ran == 0 || summary.GoFailed {
		os.Exit(1)
	}
}

// read reads the events of a test run, one JSON object on each line, until the end of r, and takes each. A
// line that is no event comes from the go command itself and is printed.
func (summary *summary) read(r io.Reader) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 64<<20) // one event carries at most one line of a test's output
	for scanner.Scan() {
		var event event
		if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
			fmt.Fprintln(summary.out, scanner.Text())
			continue
		}
		summary.takeEvent(event)
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("cannot read test events: %w", err)
	}
	return nil
}

// takeEvent counts or prints what one event of a test run says. The output of a test is kept until the test ends,
// because it is printed only if the test fails or is skipped.
func (summary *summary) takeEvent(event event) {
	test := key{event.Package, event.Test}
	switch event.Action {
	case "build-output":
		fmt.Fprint(summary.out, event.Output)
	case "build-fail":
		summary.Failed++
	case "run-fail": // written by the Makefile when the go command fails
		summary.GoFailed = true
	case "output":
		summary.keepOutput(test, event.Output)
	case "pass", "fail", "skip":
		summary.endTest(test, event.Action)
		delete(summary.output, test)
	}
}

// keepOutput adds text to the output that is kept of a test or a package, for the case that it fails.
func (summary *summary) keepOutput(test key, text string) {
	out := summary.output[test]
	if out == nil {
		out = new(strings.Builder)
		summary.output[test] = out
	}
	out.WriteString(text)
}

// endTest counts a test that ended, and prints what is worth reading of it: the whole output of a failure, the
// reason of a skip, and of a package the last line, which says how it went. action is how the test or
// package ended: "pass", "fail" or "skip". A key without a test stands for the package.
func (summary *summary) endTest(key key, action string) {
	text := ""
	if kept := summary.output[key]; kept != nil {
		text = kept.String()
	}
	switch {
	case key.test == "": // a package; its output is "ok  ..." or "FAIL ..."
		switch {
		case action == "fail":
			fmt.Fprint(summary.out, text)
			summary.Failed++
		case !strings.Contains(text, "[no test"): // files, or tests to run
			fmt.Fprint(summary.out, lastLine(text))
		}
	case action == "fail":
		fmt.Fprint(summary.out, text)
		summary.Ran++
		summary.Failed++
	case action == "skip":
		if strings.Contains(text, missingDataText) {
			summary.WithoutData++
		}
		if strings.Contains(text, noBrowserText) {
			summary.WithoutBrowser++
		}
		fmt.Fprintf(summary.out, "skip %s %s: %s\n", key.pkg, key.test, reason(text))
	default:
		summary.Ran++
	}
}

// lastLine returns the last line of a text, with its line end. In the output of a package's tests it says
// how they went.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	return text[strings.LastIndexByte(text, '\n')+1:] + "\n"
}

// reason returns the first line of a skipped test's output that the test wrote itself: why it was
// skipped.
func reason(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			return line
		}
	}
	return "no reason given"
}
