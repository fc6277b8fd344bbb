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

// times sums the time of each line of a run by part (--times). The work on a line excludes its waits for other
// lines: for a worker, for its batch and for the answers of earlier lines. A batch on the device counts in full
// for each of its lines, and lines run concurrently, so the sums exceed the duration of the run.
type times struct {
	out     *sink                   // one JSON line for each line
	tests   []*testTime             // in the order in which they were first seen
	byTest  map[[2]string]*testTime // by suite and test
	slowest []slowLine              // the slowest first, at most maxSlow
}

// testTime sums the times of the lines of one test.
type testTime struct {
	suite, test string
	lines       int
	work        time.Duration
	worst       time.Duration
	partTimes   queue.Timing
}

// slowLine is one of the slowest lines.
type slowLine struct {
	file      string // "" where the run has only one dump
	line      int
	id        string
	test      string
	work      time.Duration
	partTimes queue.Timing
}

// workOf returns the time of a line without its waits for other lines: for a worker, for its batch and
// for the answers of earlier lines.
func workOf(t queue.Timing) time.Duration {
	return t.Total() - t[queue.PartQueue] - t[queue.PartPack] - t[queue.PartReply]
}

// add adds the times of scoring one answer to those of its test, and keeps it if it is one of the slowest
// answers. It writes these times as a JSON line. file is the answer's dump, "" where the run has only one.
func (times *times) add(file string, answer *queue.Answer) error {
	work, result := workOf(answer.Timing), &answer.Result
	test := times.byTest[[2]string{result.Suite, result.Test}]
	if test == nil {
		test = &testTime{suite: result.Suite, test: result.Test}
		times.tests, times.byTest[[2]string{result.Suite, result.Test}] = append(times.tests, test), test
	}
	test.lines++
	test.work += work
	test.worst = max(test.worst, work)
	for part, took := range answer.Timing {
		test.partTimes[part] += took
	}
	if len(times.slowest) < maxSlow || work > times.slowest[len(times.slowest)-1].work {
		times.slowest = append(times.slowest, slowLine{file, answer.Line, result.ID, result.Test, work, answer.Timing})
		slices.SortStableFunc(times.slowest, func(a, b slowLine) int { return cmp.Compare(b.work, a.work) })
		times.slowest = times.slowest[:min(len(times.slowest), maxSlow)]
	}
	_, err := times.out.Write(timesLine(file, answer, work))
	if err != nil {
		return fmt.Errorf("cannot write times: %w", err)
	}
	return nil
}

// timesLine returns the JSON line of one answer: what identifies it, the time of all work on it, and the
// time of each part of the work that took any. Times are in milliseconds.
func timesLine(file string, answer *queue.Answer, work time.Duration) []byte {
	out := scoring.AppendString([]byte(`{"id":`), answer.Result.ID)
	if file != "" {
		out = scoring.AppendString(append(out, `,"file":`...), file)
	}
	out = strconv.AppendInt(append(out, `,"line":`...), int64(answer.Line), 10)
	for _, member := range []struct{ name, value string }{
		{"suite", answer.Result.Suite}, {"test", answer.Result.Test}, {"model", answer.Result.Who.Model},
	} {
		if member.value != "" {
			out = scoring.AppendString(append(out, `,"`+member.name+`":`...), member.value)
		}
	}
	ms := func(name string, d time.Duration) {
		out = scoring.AppendFloat(append(out, `,"`+name+`_ms":`...), float64(d.Microseconds())/1000)
	}
	ms("work", work)
	for part, took := range answer.Timing {
		if took > 0 {
			ms(queue.Part(part).String(), took)
		}
	}
	return append(out, "}\n"...)
}

// workParts are the parts of a line's time that are work on the line itself.
var workParts = []queue.Part{queue.PartDecode, queue.PartOutline, queue.PartJudge, queue.PartExport, queue.PartGPU,
	queue.PartScore, queue.PartEncode}

// testTable returns the table of --times with the seconds of work of each test: in all, and by part of
// the work, such as decoding or drawing.
func (times *times) testTable() scoring.TextTable {
	const textColumns = 2 // columns of texts; the others are numbers
	table := scoring.TextTable{Title: "Seconds of work per test", TextColumns: textColumns,
		Columns: []string{"suite", "test", "lines", "seconds", "mean ms", "slowest ms"},
		Note:    "Lines are worked on at the same time and share batches, so seconds add up to more than the run took."}
	for _, p := range workParts {
		table.Columns = append(table.Columns, p.String())
	}
	for _, test := range times.tests {
		row := []string{cmp.Or(test.suite, "-"), cmp.Or(test.test, "-"), strconv.Itoa(test.lines),
			seconds(test.work), millis(test.work / time.Duration(test.lines)), millis(test.worst)}
		for _, p := range workParts {
			row = append(row, seconds(test.partTimes[p]))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// slowTable returns the table of the slowest lines, with the part that took most of the time of each.
func (times *times) slowTable() scoring.TextTable {
	const textColumns = 3 // columns of texts; the others are numbers
	textTable := scoring.TextTable{Title: "Slowest lines", TextColumns: textColumns, Columns: []string{"line", "id", "test", "ms", "most of it", "ms"}}
	for _, line := range times.slowest {
		longest := queue.PartDecode
		for _, p := range workParts {
			if line.partTimes[p] > line.partTimes[longest] {
				longest = p
			}
		}
		at := strconv.Itoa(line.line)
		if line.file != "" {
			at = line.file + ":" + at
		}
		textTable.Rows = append(textTable.Rows, []string{at, fmt.Sprintf("%.60s", line.id), cmp.Or(line.test, "-"),
			millis(line.work), longest.String(), millis(line.partTimes[longest])})
	}
	return textTable
}

// writeTables writes a table with the seconds of each test by part, and one with the slowest lines, each
// after an empty line.
func (times *times) writeTables(w io.Writer) error {
	for _, textTable := range []scoring.TextTable{times.testTable(), times.slowTable()} {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		if err := table.WriteOne(w, textTable); err != nil {
			return err
		}
	}
	return nil
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
func millis(d time.Duration) string  { return strconv.FormatFloat(1000*d.Seconds(), 'f', 2, 64) }
