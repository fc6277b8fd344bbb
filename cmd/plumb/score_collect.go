package main

import (
	"fmt"
	"io"

	"plumb/daemon/queue"
	"plumb/daemon/records"
)

// collect takes the results of a dump's lines from the scorer in their order, and adds each to all
// that the run makes: the part of its shard, the tables, times, annotated copies, the output and the
// report. Where results go to parts alone, it stops there. beside holds for each line what was read
// with it. An error of the report ends only the report.
func (j *job) collect(s scorer, path string, beside <-chan fed) error {
	var a queue.Answer // outside of the loop, so that it is allocated once
	for {
		var err error
		if a, err = s.Next(); err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f := <-beside
		j.locate(&a, f.origin)
		if j.shards != nil {
			if err := j.shards.add(f.part, &a.Result, a.JSON); err != nil {
				return err
			}
		}
		if j.progress != nil {
			j.progress()
		}
		j.bar.count(a.Result.Err == nil)
		if j.partsOnly {
			continue
		}
		result := &a.Result
		if j.remote != nil {
			result = nil // a daemon's line may hold more than was read of it
		}
		if !j.table.Add(&a.Result) { // an earlier dump has this answer
			a.JSON, result = addDuplicateNote(a.JSON, &a.Result), noteDuplicate(result)
		}
		j.tally.addResult(j.named(path), a.Line, &a.Result)
		if j.times != nil {
			if err := j.times.add(j.named(path), &a); err != nil {
				return err
			}
		}
		if j.annotator != nil {
			if err := j.annotator.add(j.named(path), a.JSON); err != nil {
				return err
			}
		}
		if err := j.out.line(a.JSON, result); err != nil {
			return fmt.Errorf("cannot write results: %w", err)
		}
		if !s.Ready() { // a reader of the output may wait for these lines
			if err := j.out.Flush(); err != nil {
				return fmt.Errorf("cannot write results: %w", err)
			}
		}
		if j.report == nil {
			continue
		}
		if err := j.report.Add(*f.line, a.JSON); err != nil {
			j.dropReport(err)
		}
	}
}

// locate adds to a result the dump and the place in it where its record stands, and makes its JSON
// anew, in memory that the next call uses again. A result that has its JSON and needs no place stays as
// it is.
func (j *job) locate(a *queue.Answer, o *records.Origin) {
	if o.Empty() && len(a.JSON) > 0 {
		return
	}
	o.Apply(&a.Result)
	scorer := j.config.Queue.Scorer
	if j.remote != nil {
		scorer = "plumb " + j.remote.about.Version
	}
	j.json = a.Result.AppendJSON(j.json[:0], j.options.Reward, scorer)
	a.JSON = j.json
}
