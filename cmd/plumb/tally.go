package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
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
	first    []failedLine   // the first failures of each code
	cut      map[string]int // truncated answers by where they end
	repeats  int            // lines of dumps that repeat an answer, and were left out
}

// failedLine is a line that failed.
type failedLine struct {
	file    string // "" where the run has only one
	line    int
	at      string // the place in a dump of another tool, "" for plumb's own lines
	id      string
	code    string
	message string
}

// addResult counts the result of a line of a dump, and whether the answer was cut. A failure that is
// kept for the end of the run gets its place in the dump.
func (t *tally) addResult(file string, line int, r *scoring.Result) {
	if c := r.Who.Cut; c != "" {
		if t.cut == nil {
			t.cut = map[string]int{}
		}
		t.cut[c]++
	}
	before := len(t.first)
	t.add(file, line, r.ID, r.Err)
	if len(t.first) > before { // add has kept the failure
		t.first[before].at = r.Who.At
	}
}

// add counts a line by its outcome; e is nil if the line has a score. It keeps the first failures of
// each code, to be printed at the end.
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
		t.first = append(t.first, failedLine{file: file, line: line, id: id, code: e.Code, message: e.Message})
	}
}

// writeTo writes how many lines could not be scored or drawn, which is the value of what, with the
// counts by code and the first failures. It writes nothing if no line failed.
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

// named returns the id of a failed line for messages, such as ` (id "a")`. It returns "" for a line
// without an id, whose number stands in for it.
func (m failedLine) named() string {
	if m.id == "" || m.id == fmt.Sprintf("line:%d", m.line) {
		return ""
	}
	return fmt.Sprintf(" (id %.64q)", m.id)
}

// writeCut writes how many answers were truncated, by where they end, and how many lines were left out
// because they repeat an answer. mode is the value of --cut, which says how truncated answers count.
func (t *tally) writeCut(w io.Writer, mode string) {
	if len(t.cut) > 0 {
		n := 0
		var kinds []string
		for _, c := range slices.Sorted(maps.Keys(t.cut)) {
			n += t.cut[c]
			kinds = append(kinds, fmt.Sprintf("%d %s", t.cut[c], c))
		}
		fmt.Fprintf(w, "%d of %d answers were cut: %s (--cut %s)\n", n, t.lines, strings.Join(kinds, ", "), mode)
	}
	if t.repeats > 0 {
		fmt.Fprintf(w, "%d lines repeat an answer (of another filter) and were left out\n", t.repeats)
	}
}

// String returns the place of a failed line, its id and its error as one line of text. Characters that
// cannot be printed, such as line breaks in quoted input, become spaces.
func (m failedLine) String() string {
	s := strings.TrimSpace(fmt.Sprintf("%s line %d", m.file, m.line))
	if m.at != "" {
		s = strings.TrimSpace(m.file + " " + m.at)
	}
	if m.at == "" || !strings.HasSuffix(m.id, m.at) { // some ids are made of the place
		s += m.named()
	}
	text := strings.Map(func(c rune) rune {
		if !strconv.IsPrint(c) {
			return ' '
		}
		return c
	}, m.message)
	return fmt.Sprintf("%s: %s: %s", s, m.code, text)
}
