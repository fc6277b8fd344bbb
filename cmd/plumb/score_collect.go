package main

import (
	"fmt"
	"io"

	"plumb/daemon/queue"
	"plumb/daemon/records"
)

// collect reads the results of a dump's lines from the scorer in their order, and gives each to the
// output, the tables and the report. beside has for each line what was read with it.
func (j *job) collect(s scorer, path string, beside <-chan fed) error {
	var a queue.Answer // allocated once for all lines
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
		of := &a.Result
		if j.remote != nil {
			of = nil // a daemon's line may have more
		}
		if !j.table.Add(&a.Result) {
			a.JSON, of = addDuplicateNote(a.JSON, &a.Result), noteDuplicate(of)
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
		if err := j.out.line(a.JSON, of); err != nil {
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

// locate adds to a result the dump and the place in it where its record stands.
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
