package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"plumb/daemon/queue"
	"plumb/scoring"
	"plumb/scoring/table"
)

// maxSlow is how many of the slowest lines are listed.
const maxSlow = 10

// times sums the time of each line of a run by part (--times). The work on a line
// excludes its waits for other lines: for a worker, for its batch and for the answers
// of earlier lines. A batch on the device counts in full for each of its lines, and
// lines run concurrently, so the sums exceed the duration of the run.
type times struct {
	out   *sink                   // one JSON line for each line
	tests []*testTime             // in the order in which they were first seen
	at    map[[2]string]*testTime // by suite and test
	slow  []slowLine              // the slowest first, at most maxSlow
}

// testTime sums the times of the lines of one test.
type testTime struct {
	suite, test string
	lines       int
	work        time.Duration
	worst       time.Duration
	parts       queue.Timing
}

// slowLine is one of the slowest lines.
type slowLine struct {
	file  string // "" where the run has only one dump
	line  int
	id    string
	test  string
	work  time.Duration
	parts queue.Timing
}

// workOf returns the time of a line without its waits for other lines: for a worker, for its batch and
// for the answers of earlier lines.
func workOf(t queue.Timing) time.Duration {
	return t.Total() - t[queue.PartQueue] - t[queue.PartPack] - t[queue.PartReply]
}

// add adds the times of one answer to those of its test, keeps it if it is one of the slowest, and
// writes its line.
func (c *times) add(file string, answer *queue.Answer) error {
	work, r := workOf(answer.Timing), &answer.Result
	t := c.at[[2]string{r.Suite, r.Test}]
	if t == nil {
		t = &testTime{suite: r.Suite, test: r.Test}
		c.tests, c.at[[2]string{r.Suite, r.Test}] = append(c.tests, t), t
	}
	t.lines++
	t.work += work
	t.worst = max(t.worst, work)
	for p, d := range answer.Timing {
		t.parts[p] += d
	}
	if len(c.slow) < maxSlow || work > c.slow[len(c.slow)-1].work {
		c.slow = append(c.slow, slowLine{file, answer.Line, r.ID, r.Test, work, answer.Timing})
		slices.SortStableFunc(c.slow, func(a, b slowLine) int { return cmp.Compare(b.work, a.work) })
		c.slow = c.slow[:min(len(c.slow), maxSlow)]
	}
	_, err := c.out.Write(timesLine(file, answer, work))
	if err != nil {
		return fmt.Errorf("cannot write times: %w", err)
	}
	return nil
}

// timesLine returns the JSON line of one answer: what identifies it, its times in milliseconds, without
// parts that took none, and whether it was computed or taken from a cache.
func timesLine(file string, answer *queue.Answer, work time.Duration) []byte {
	b := scoring.AppendString([]byte(`{"id":`), answer.Result.ID)
	if file != "" {
		b = scoring.AppendString(append(b, `,"file":`...), file)
	}
	b = strconv.AppendInt(append(b, `,"line":`...), int64(answer.Line), 10)
	for _, member := range []struct{ name, value string }{
		{"suite", answer.Result.Suite}, {"test", answer.Result.Test}, {"model", answer.Result.Who.Model},
	} {
		if member.value != "" {
			b = scoring.AppendString(append(b, `,"`+member.name+`":`...), member.value)
		}
	}
	ms := func(name string, d time.Duration) {
		b = scoring.AppendFloat(append(b, `,"`+name+`_ms":`...), float64(d.Microseconds())/1000)
	}
	ms("work", work)
	for p, d := range answer.Timing {
		if d > 0 {
			ms(queue.Part(p).String(), d)
		}
	}
	b = scoring.AppendString(append(b, `,"source":`...), answer.Source.String())
	return append(b, "}\n"...)
}

// workParts are the parts of a line's time that are work on the line itself.
var workParts = []queue.Part{queue.PartDecode, queue.PartOutline, queue.PartJudge, queue.PartExport, queue.PartGPU,
	queue.PartScore, queue.PartEncode}

// testTable returns the table of the seconds of each test, in all and by part.
func (c *times) testTable() scoring.TextTable {
	t := scoring.TextTable{Title: "Seconds of work per test", Text: 2,
		Columns: []string{"suite", "test", "lines", "seconds", "mean ms", "slowest ms"},
		Note:    "Lines are worked on at the same time and share batches, so seconds add up to more than the run took."}
	for _, p := range workParts {
		t.Columns = append(t.Columns, p.String())
	}
	for _, test := range c.tests {
		row := []string{cmp.Or(test.suite, "-"), cmp.Or(test.test, "-"), strconv.Itoa(test.lines),
			seconds(test.work), millis(test.work / time.Duration(test.lines)), millis(test.worst)}
		for _, p := range workParts {
			row = append(row, seconds(test.parts[p]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// slowTable returns the table of the slowest lines, with the part that took most of the time of each.
func (c *times) slowTable() scoring.TextTable {
	textTable := scoring.TextTable{Title: "Slowest lines", Text: 3, Columns: []string{"line", "id", "test", "ms", "most of it", "ms"}}
	for _, s := range c.slow {
		longest := queue.PartDecode
		for _, p := range workParts {
			if s.parts[p] > s.parts[longest] {
				longest = p
			}
		}
		at := strconv.Itoa(s.line)
		if s.file != "" {
			at = s.file + ":" + at
		}
		textTable.Rows = append(textTable.Rows, []string{at, fmt.Sprintf("%.60s", s.id), cmp.Or(s.test, "-"),
			millis(s.work), longest.String(), millis(s.parts[longest])})
	}
	return textTable
}

// writeTo writes a table with the seconds of each test by part, and one with the slowest lines, each
// after an empty line.
func (c *times) writeTo(w io.Writer) error {
	for _, t := range []scoring.TextTable{c.testTable(), c.slowTable()} {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		if err := table.WriteOne(w, t); err != nil {
			return err
		}
	}
	return nil
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
func millis(d time.Duration) string  { return strconv.FormatFloat(1000*d.Seconds(), 'f', 2, 64) }
