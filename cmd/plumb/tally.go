package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
)

// maxFirst is how many failures are printed in full, perCode how many of one code.
const (
	maxFirst = 10
	perCode  = 3
)

// tally counts the lines of a run by outcome. It counts lines without an answer and
// unjudged answers separately, because they are not errors.
type tally struct {
	lines    int // all
	done     int // with a score, or drawn
	missing  int // without an answer (no_response)
	unjudged int // without a verdict of a judge (unjudged)
	failed   int // every other line without a score
	codes    map[string]int
	first    []failedLine // the first failures of each code
}

// failedLine is a line that failed.
type failedLine struct {
	file    string // "" where the run has only one
	line    int
	id      string
	code    string
	message string
}

// add counts a line; e is nil where the line has a score.
func (t *tally) add(file string, line int, id string, e *scoring.Error) {
	t.lines++
	switch {
	case e == nil:
		t.done++
		return
	case e.Code == "no_response":
		t.missing++
		return
	case e.Code == "unjudged":
		t.unjudged++
		return
	}
	t.failed++
	if t.codes == nil {
		t.codes = map[string]int{}
	}
	t.codes[e.Code]++
	if t.codes[e.Code] <= perCode && len(t.first) < maxFirst {
		t.first = append(t.first, failedLine{file, line, id, e.Code, e.Message})
	}
}

// writeTo writes the number of failed lines, the counts by code and the first failures.
func (t *tally) writeTo(w io.Writer, what string) {
	if t.failed == 0 {
		return
	}
	fmt.Fprintf(w, "%d of %d lines could not be %s: %s\n", t.failed, t.lines, what, t.counts())
	for _, m := range t.first {
		fmt.Fprintf(w, "  %s\n", m)
	}
}

// counts returns the numbers of failed lines by error code, the most frequent first.
func (t *tally) counts() string {
	codes := make([]string, 0, len(t.codes))
	for code := range t.codes {
		codes = append(codes, code)
	}
	slices.SortFunc(codes, func(a, b string) int { return cmp.Or(t.codes[b]-t.codes[a], strings.Compare(a, b)) })
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%d %s", t.codes[code], code)
	}
	return strings.Join(codes, ", ")
}

// String returns the line and its error as one line of text.
func (m failedLine) String() string {
	s := strings.TrimSpace(fmt.Sprintf("%s line %d", m.file, m.line))
	if m.id != "" && m.id != fmt.Sprintf("line:%d", m.line) {
		s += fmt.Sprintf(" (id %.64q)", m.id)
	}
	text := strings.Map(func(c rune) rune {
		if !strconv.IsPrint(c) {
			return ' '
		}
		return c
	}, m.message)
	return fmt.Sprintf("%s: %s: %s", s, m.code, text)
}
