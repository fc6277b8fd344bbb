package main

import (
	"fmt"
	"io"

	"plumb/daemon/queue"
	"plumb/daemon/records"
)

// collectResults takes the results of a dump's lines from the scorer in the order of the lines. It adds each to
// all that the run makes: the part of its shard, the tables, times, annotated copies, the output and the
// report. In a process that shares the work with others, results go to parts alone. pending has for each
// line what putTo has kept of it. An error of the report ends only the report.
func (j *job) collectResults(scorer scorer, path string, pending <-chan pendingLine) error {
	var answer queue.Answer // outside of the loop, so that it is allocated once
	for {
		var err error
		if answer, err = scorer.Next(); err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line := <-pending
		j.addOrigin(&answer, line.origin)
		if j.shards != nil {
			if err := j.shards.addResult(line.part, &answer.Result, answer.JSON); err != nil {
				return err
			}
		}
		if j.extendClaim != nil {
			j.extendClaim()
		}
		j.bar.lineDone(answer.Result.Err == nil)
		if j.partsOnly { // the run's own outputs get nothing
			continue
		}
		indexed := &answer.Result // of which the index of the output is made
		if j.remote != nil {
			indexed = nil // a daemon's line may hold more than was read of it
		}
		if !j.table.Add(&answer.Result) { // an earlier dump has this answer
			answer.JSON, indexed = addDuplicateNote(answer.JSON, &answer.Result), noteDuplicate(indexed)
		}
		j.tally.addResult(j.nameInResults(path), answer.Line, &answer.Result)
		if j.times != nil {
			if err := j.times.add(j.nameInResults(path), &answer); err != nil {
				return err
			}
		}
		if j.annotator != nil {
			if err := j.annotator.addResult(j.nameInResults(path), answer.JSON); err != nil {
				return err
			}
		}
		if err := j.out.writeLine(answer.JSON, indexed); err != nil {
			return fmt.Errorf("cannot write results: %w", err)
		}
		if !scorer.Ready() { // a reader of the output may wait for these lines
			if err := j.out.Flush(); err != nil {
				return fmt.Errorf("cannot write results: %w", err)
			}
		}
		if j.report == nil { // no report is wanted, or it was dropped
			continue
		}
		if err := j.report.Add(*line.line, answer.JSON); err != nil {
			j.dropReport(err)
		}
	}
}

// addOrigin adds to a result in which dump and at which place of it the record was, and makes the JSON of
// the result anew. That JSON is in memory that the next call uses again. If origin is empty, because the
// only dump is in plumb's own format, and the result has JSON, it stays as it is.
func (j *job) addOrigin(answer *queue.Answer, origin *records.Origin) {
	if origin.Empty() && len(answer.JSON) > 0 {
		return
	}
	origin.Apply(&answer.Result)
	scorer := j.config.Queue.Scorer
	if j.remote != nil {
		scorer = "plumb " + j.remote.about.Version
	}
	j.json = answer.Result.AppendJSON(j.json[:0], j.options.Reward, scorer)
	answer.JSON = j.json
}
