package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// failFlags are the flags that limit how many lines may fail before the run fails.
type failFlags struct {
	MaxFailed *lineLimit `placeholder:"N|P%" help:"Exit with code 1 where more lines than this could not be scored: a number, or a percentage of the lines that hold an answer to score. Lines without an answer and unjudged ones are counted apart. A run that scored nothing exits with code 1 in any case. Default: 90%."`
	Strict    bool       `help:"Exit with code 1 where any line has no score, also for lack of an answer (unless --missing zero) or of a judge."`
}

// lineLimit is a flag's limit on lines: a number of them, or a percentage of all.
type lineLimit struct {
	count     int
	percent   float64 // 0 to 100; used instead of count where isPercent is set
	isPercent bool
}

// mostFailed is the default of --max-failed. Where more lines fail, the dump probably
// has the wrong format or does not belong to the tasks.
var mostFailed = lineLimit{percent: 90, isPercent: true}

// UnmarshalText implements encoding.TextUnmarshaler. It takes a number from 0, or a
// percentage from 0% to 100%.
func (l *lineLimit) UnmarshalText(b []byte) error {
	text, isPercent := strings.CutSuffix(string(b), "%")
	if isPercent {
		x, err := strconv.ParseFloat(text, 64)
		if err == nil && x >= 0 && x <= 100 {
			*l = lineLimit{percent: x, isPercent: true}
			return nil
		}
	} else if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		*l = lineLimit{count: n}
		return nil
	}
	return fmt.Errorf("got %q; want a number of lines such as 10, or a share such as 5%%", b)
}

// String returns the limit in the form of the flag.
func (l lineLimit) String() string {
	if l.isPercent {
		return strconv.FormatFloat(l.percent, 'g', -1, 64) + "%"
	}
	return strconv.Itoa(l.count)
}

// allowed returns how many of all lines may fail: the percentage of them, rounded down, or the number
// itself.
func (l lineLimit) allowed(all int) int {
	if l.isPercent {
		return int(math.Floor(float64(all) * l.percent / 100))
	}
	return l.count
}

// check refuses flags on failed lines that exclude each other.
func (f *failFlags) check() error {
	if f.Strict && f.MaxFailed != nil {
		return usage("cannot use --max-failed beside --strict: want one or the other")
	}
	return nil
}

// verdict returns the error of a complete run that scored too few lines, or nil if it scored enough
// (docs/spec/cli.md#r3). missingIsZero says that missing answers count as 0, and so have a score.
// With judgeDryRun no judge was asked, so only a run in which every line failed is an error.
func (f *failFlags) verdict(tally *tally, missingIsZero, judgeDryRun bool) error {
	limit := mostFailed
	if f.MaxFailed != nil {
		limit = *f.MaxFailed
	}
	without := tally.failed + tally.unjudged // lines that have no score
	if !missingIsZero {
		without += tally.missing
	}
	switch {
	case judgeDryRun && tally.failed < tally.lines:
		return nil
	case tally.done == 0:
		return tally.nothing("scored")
	case f.Strict && without > 0:
		return fmt.Errorf("%d of %d lines have no score (--strict): %s", without, tally.lines, tally.outcomes())
	case tally.failed > limit.allowed(tally.done+tally.failed):
		return fmt.Errorf("too few lines could be scored: %d of the %d with an answer failed, and --max-failed is %s: %s",
			tally.failed, tally.done+tally.failed, limit, tally.counts())
	}
	return nil
}

// nothing returns the error of a run without any result: no line was scored or drawn, which is the
// value of what. Where no line is JSON, the error adds what a dump looks like.
func (t *tally) nothing(what string) error {
	if t.lines == 0 {
		return fmt.Errorf("nothing could be %s: the input has no lines", what)
	}
	hint := ""
	if t.codes["bad_line"] == t.lines {
		hint = "; want one JSON object on each line, or a file that plumb records can read"
	}
	return fmt.Errorf("nothing could be %s: %s%s", what, t.outcomes(), hint)
}

// outcomes returns how many lines have no score, by reason, and what each reason asks for.
func (t *tally) outcomes() string {
	var parts []string
	if t.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed (%s)", t.failed, t.counts()))
	}
	if t.missing > 0 {
		parts = append(parts, fmt.Sprintf("%d have no answer (the field response is missing or null)", t.missing))
	}
	if t.unjudged > 0 {
		parts = append(parts, fmt.Sprintf("%d were not judged (they need --judge-url)", t.unjudged))
	}
	return fmt.Sprintf("of %d lines, %s", t.lines, strings.Join(parts, ", "))
}
