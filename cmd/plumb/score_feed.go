package main

import (
	"cmp"
	"context"
	"errors"
	"io"

	"plumb/daemon/dump"
	"plumb/daemon/jobs"
	"plumb/daemon/records"
)

// putTo returns a function that gives a line of a dump to the scorer. It also sends to pending what
// collectResults, which takes the results, needs of the line: where it is from, the shard's part that its result
// belongs to, and for a report the line itself. The function waits while too many lines are under way.
// Its error is that of ctx, or errGivenUp if the scorer takes no more lines.
func (j *job) putTo(ctx context.Context, scorer scorer, pending chan<- pendingLine) putFunc {
	return func(line dump.Line, origin *records.Origin) error {
		faultAt(line) // does something in tests alone
		kept := pendingLine{origin: origin}
		if j.shards != nil {
			kept.part = j.shards.partOfNextLine
		}
		if j.report != nil {
			copied := line
			copied.Bytes = append([]byte(nil), line.Bytes...) // the reader uses its memory again
			kept.line = &copied
		}
		select {
		case pending <- kept:
		case <-ctx.Done():
			return ctx.Err()
		}
		if scorer.Put(line) != nil {
			return cmp.Or(ctx.Err(), errGivenUp)
		}
		return nil
	}
}

// putFunc gives a line to the scorer. The origin is not changed, and lines may share one.
type putFunc func(dump.Line, *records.Origin) error

// pendingLine holds what collectResults needs of a line beside its result, such as its place in the dump.
type pendingLine struct {
	origin *records.Origin
	line   *dump.Line // for the report; nil without one
	part   jobs.Part  // that the result belongs to, where there are shards
}

// errGivenUp says that the scorer takes no more lines, and says why itself.
var errGivenUp = errors.New("no more lines are taken")

// feedLines gives each line of a dump in plumb's own format to the scorer with put. A dump that is one
// JSON list counts as lines too. Its error is that of the input or of put. An interrupt is an error even
// if all lines that were put get their results, because the lines after them are missing.
func (j *job) feedLines(reader *records.Reader, put putFunc) error {
	lines := reader.Lines()
	lines.AcceptList(j.items) // split a JSON list into lines
	origin := &records.Origin{File: j.nameInResults(reader.Name())}
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		j.bar.lineRead(lines.Offset())
		if err := put(line, origin); err != nil {
			return err
		}
	}
}

// feedRecords turns each record of another tool's dump into a line of plumb's own format and gives it to
// the scorer with put, together with the place of the record in the dump. It counts the records that only
// repeat an answer, which the reader leaves out.
func (j *job) feedRecords(reader *records.Reader, put putFunc) error {
	var buf []byte
	for n := 1; ; n++ {
		answer, err := reader.Next()
		if err == io.EOF {
			j.tally.repeats += reader.Skipped()
			return nil
		}
		if err != nil {
			return err
		}
		line, origin := reader.Line(buf[:0], answer, n) // buf is used again, as put copies what it keeps
		if len(j.cmd.Dumps) == 1 {                      // results of the only dump do not name it
			origin.File = ""
		}
		j.bar.lineRead(reader.Lines().Offset())
		if err := put(line, &origin); err != nil {
			return err
		}
		buf = line.Bytes
	}
}

// scoreUnanswered scores the requests of --requests that no dump had an answer to, as missing.
func (j *job) scoreUnanswered(ctx context.Context) error {
	if j.recordOptions.Requests == nil {
		return nil
	}
	return j.scoreStream(ctx, requestsName, func(ctx context.Context, put putFunc) error {
		return j.feedUnanswered(put)
	})
}

// feedUnanswered puts a record without an answer for each request of --requests that no dump answered.
// After the first error it puts no more.
func (j *job) feedUnanswered(put putFunc) (err error) {
	n := 0
	records.Unanswered(j.recordOptions, func(reader *records.Reader, missing *records.Answer) {
		n++
		if line, origin := reader.Line(nil, missing, n); err == nil {
			err = put(line, &origin)
		}
	})
	return err
}
