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
	"plumb/scoring/plural"
)

// maxFailures is how many failures are printed in full, maxFailuresPerCode how many of one code.
const (
	maxFailures        = 10
	maxFailuresPerCode = 3
)

// tally counts the lines of a run by outcome. It counts lines without an answer and
// unjudged answers separately, because they are not errors.
type tally struct {
	lines         int // all
	withResult    int // with a score, or drawn
	missing       int // without an answer (no_response)
	unjudged      int // without a verdict of a judge (unjudged)
	failed        int // every other line without a score
	codes         map[string]int
	firstFailures []failedLine   // the first failures of each code
	cutAnswers    map[string]int // truncated answers by where they end
	repeats       int            // lines of dumps that repeat an answer, and were left out
}

// failedLine is a line that failed.
type failedLine struct {
	file    string // "" where the run has only one
	line    int
	place   string // the place in a dump of another tool, "" for plumb's own lines
	id      string
	code    string
	message string
}

// addResult counts the result of a line of a dump, and the answer if a limit on tokens cut it off. The
// first failures are kept to be printed at the end of the run, each with its place in the dump. file is
// the dump, "" where the run has only one.
func (tally *tally) addResult(file string, line int, result *scoring.Result) {
	if where := result.Who.Cut; where != "" {
		if tally.cutAnswers == nil {
			tally.cutAnswers = map[string]int{}
		}
		tally.cutAnswers[where]++
	}
	before := len(tally.firstFailures)
	tally.addLine(file, line, result.ID, result.Err)
	if len(tally.firstFailures) > before { // addLine has kept the failure
		tally.firstFailures[before].place = result.Who.At
	}
}

// addLine counts a line by its outcome; failure is nil if the line has a score. It keeps the first failures of
// each code, to be printed at the end.
func (tally *tally) addLine(file string, line int, id string, failure *scoring.Error) {
	tally.lines++
	switch {
	case failure == nil:
		tally.withResult++
		return
	case failure.Code == "no_response":
		tally.missing++
		return
	case failure.Code == "unjudged":
		tally.unjudged++
		return
	}
	tally.failed++
	if tally.codes == nil {
		tally.codes = map[string]int{}
	}
	tally.codes[failure.Code]++
	if tally.codes[failure.Code] <= maxFailuresPerCode && len(tally.firstFailures) < maxFailures {
		tally.firstFailures = append(tally.firstFailures, failedLine{file: file, line: line, id: id, code: failure.Code, message: failure.Message})
	}
}

// writeFailures writes how many lines failed, with the counts by error code and the first failures. what says
// what could not be done with them: "scored" or "drawn". It writes nothing if no line failed.
func (tally *tally) writeFailures(w io.Writer, what string) {
	if tally.failed == 0 {
		return
	}
	fmt.Fprintf(w, "%d of %s could not be %s: %s\n", tally.failed, plural.Of(tally.lines, "line"), what, tally.counts())
	for _, line := range tally.firstFailures {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

// counts returns how many lines failed with each error code as a text, the most frequent code first, such
// as "3 bad_scene, 1 limit".
func (tally *tally) counts() string {
	codes := make([]string, 0, len(tally.codes))
	for code := range tally.codes {
		codes = append(codes, code)
	}
	slices.SortFunc(codes, func(a, b string) int { return cmp.Or(tally.codes[b]-tally.codes[a], strings.Compare(a, b)) })
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%d %s", tally.codes[code], code)
	}
	return strings.Join(codes, ", ")
}

// idText returns the id of a failed line for messages, such as ` (id "a")`. It returns "" for a line
// without an id, whose number stands in for it.
func (line failedLine) idText() string {
	if line.id == "" || line.id == fmt.Sprintf("line:%d", line.line) {
		return ""
	}
	return fmt.Sprintf(" (id %.64q)", line.id)
}

// writeCut writes how many answers a limit on tokens cut off, counted by where they end, and how many lines
// of dumps were left out because they repeat an answer. mode is the value of --cut, which says how such
// answers count.
func (tally *tally) writeCut(w io.Writer, mode string) {
	if len(tally.cutAnswers) > 0 {
		all := 0
		var kinds []string
		for _, where := range slices.Sorted(maps.Keys(tally.cutAnswers)) {
			all += tally.cutAnswers[where]
			kinds = append(kinds, fmt.Sprintf("%d %s", tally.cutAnswers[where], where))
		}
		fmt.Fprintf(w, "%d of %s cut: %s (--cut %s)\n", all, plural.Of(tally.lines, "answer was", "answers were"), strings.Join(kinds, ", "), mode)
	}
	if tally.repeats > 0 {
		fmt.Fprintf(w, "%s\n", plural.Of(tally.repeats, "line repeats an answer (of another filter) and was left out",
			"lines repeat an answer (of another filter) and were left out"))
	}
}

// String returns the place of a failed line, its id and its error as one line of text. Characters that
// cannot be printed, such as line breaks in quoted input, become spaces.
func (line failedLine) String() string {
	place := fmt.Sprintf("line %d", line.line)
	if line.place != "" {
		place = line.place
	}
	if line.file != "" {
		place = inputName(line.file) + ", " + place
	}
	if line.place == "" || !strings.HasSuffix(line.id, line.place) { // some ids are made of the place
		place += line.idText()
	}
	text := strings.Map(func(c rune) rune {
		if !strconv.IsPrint(c) {
			return ' '
		}
		return c
	}, line.message)
	return fmt.Sprintf("%s: %s: %s", place, line.code, text)
}
