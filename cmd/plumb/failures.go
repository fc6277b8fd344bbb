package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plumb/scoring/plural"
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

// UnmarshalText implements encoding.TextUnmarshaler. It takes a number from 0, or a percentage from 0% to 100%.
func (limit *lineLimit) UnmarshalText(data []byte) error {
	text, isPercent := strings.CutSuffix(string(data), "%")
	if isPercent {
		x, err := strconv.ParseFloat(text, 64)
		if err == nil && x >= 0 && x <= 100 {
			*limit = lineLimit{percent: x, isPercent: true}
			return nil
		}
	} else if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		*limit = lineLimit{count: n}
		return nil
	}
	return fmt.Errorf("got %q; want a number of lines such as 10, or a share such as 5%%", data)
}

// String returns the limit on failed lines in the form of its flag, --max-failed: a number of lines,
// or a share such as "5%".
func (limit lineLimit) String() string {
	if limit.isPercent {
		return strconv.FormatFloat(limit.percent, 'g', -1, 64) + "%"
	}
	return strconv.Itoa(limit.count)
}

// allowed returns how many of all lines may fail: that percentage of them, rounded down, or where the
// limit is a number of lines, that number.
func (limit lineLimit) allowed(all int) int {
	if limit.isPercent {
		return int(math.Floor(float64(all) * limit.percent / 100))
	}
	return limit.count
}

// check refuses flags on failed lines that exclude each other.
func (flags *failFlags) check() error {
	if flags.Strict && flags.MaxFailed != nil {
		return usage("cannot use --max-failed beside --strict: want one or the other")
	}
	return nil
}

// errorOfRun returns the error of a complete run that scored too few lines, or nil if it scored enough
// (docs/spec/cli.md#r3). tally holds how many lines were scored, and why others were not. missingIsZero
// says that missing answers count as 0, and so have a score. With judgeDryRun no judge was asked, so only
// a run in which every line failed is an error.
func (flags *failFlags) errorOfRun(tally *tally, missingIsZero, judgeDryRun bool) error {
	limit := mostFailed
	if flags.MaxFailed != nil {
		limit = *flags.MaxFailed
	}
	unscored := tally.failed + tally.unjudged
	if !missingIsZero {
		unscored += tally.missing
	}
	switch {
	case judgeDryRun && tally.failed < tally.lines: // some lines could have been judged
		return nil
	case tally.withResult == 0: // no line has a score
		return tally.nothingError("scored")
	case flags.Strict && unscored > 0:
		return fmt.Errorf("%d of %s no score (--strict): %s", unscored, plural.Of(tally.lines, "line has", "lines have"), tally.outcomes())
	case tally.failed > limit.allowed(tally.withResult+tally.failed):
		return fmt.Errorf("too few lines could be scored: %d of the %d with an answer failed, and --max-failed is %s: %s",
			tally.failed, tally.withResult+tally.failed, limit, tally.counts())
	}
	return nil
}

// nothingError returns the error of a run in which no line had a result. what says what should have been done
// with the lines: "scored" or "drawn". If no line could be read as JSON, the error adds what is wanted.
func (tally *tally) nothingError(what string) error {
	if tally.lines == 0 {
		return fmt.Errorf("nothing could be %s: the input has no lines", what)
	}
	hint := ""
	if tally.codes["bad_line"] == tally.lines {
		hint = "; want one JSON object on each line, or a file that plumb records can read"
	}
	return fmt.Errorf("nothing could be %s: %s%s", what, tally.outcomes(), hint)
}

// outcomes returns how many lines have no score, by reason, and what each reason asks for.
func (tally *tally) outcomes() string {
	var parts []string
	if tally.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed (%s)", tally.failed, tally.counts()))
	}
	if tally.missing > 0 {
		parts = append(parts, plural.Of(tally.missing, "has no answer", "have no answer")+" (the field response is missing or null)")
	}
	if tally.unjudged > 0 {
		parts = append(parts, plural.Of(tally.unjudged, "was not judged (it needs", "were not judged (they need")+" --judge-url)")
	}
	return fmt.Sprintf("of %s, %s", plural.Of(tally.lines, "line"), strings.Join(parts, ", "))
}
