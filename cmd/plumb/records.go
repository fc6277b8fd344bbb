package main

import (
	"errors"
	"fmt"
	"io"

	"plumb/daemon"
	"plumb/daemon/records"
	"plumb/scoring/plural"
)

// recordsCmd is `plumb records`.
type recordsCmd struct {
	Dumps  []string `arg:"" name:"dump" help:"Dumps in any format that plumb score reads: files, folders, patterns such as 'logs/*.eval', https:// and s3:// addresses; - is standard input."`
	Output string   `short:"o" default:"-" placeholder:"FILE" help:"File for the records, one JSON line each; - is standard output."`
	Suite  string   `placeholder:"NAME" help:"Suite of records that name none."`
	Tasks  []string `sep:"none" placeholder:"[SUITE=]FILE" help:"The benchmark's task file, for --join position; may be repeated."`
	dumpFlags
	limitFlags
}

// recordCounts are the numbers of the last line that the command prints.
type recordCounts struct{ all, missing, cut, unreadable, noTask int }

// Run lists the records of dumps, which other tools may have written, as lines of JSON: what plumb score
// would take from each. It prints the format of each dump and the counts of records to standard error.
// Where a dump cannot be read to its end, the others are read all the same, and the run fails at its end.
func (cmd *recordsCmd) Run(std streams) error {
	const anyRaster = "reference" // nothing is drawn
	config, err := coreConfig(&engineFlags{Raster: anyRaster}, &cmd.limitFlags, &scoreFlags{Suite: cmd.Suite, Tasks: cmd.Tasks})
	if err != nil {
		return err
	}
	paths, err := cmd.expand(cmd.Dumps, &config, std)
	if err != nil {
		return err
	}
	items, err := daemon.Items(config)
	if err != nil {
		return err
	}
	options, err := cmd.options(&config, &items)
	if err != nil {
		return err
	}
	out, err := output(cmd.Output, std, paths...)
	if err != nil {
		return err
	}
	if err := cmd.check(paths, config.Lines); err != nil {
		return out.finish(err)
	}
	// Write the records of all dumps. One that breaks off does not end the others.
	var counts recordCounts
	var buf []byte
	show := func(record *records.Answer) error {
		counts.add(record)
		buf = append(record.AppendJSON(buf[:0]), '\n')
		_, err := out.Write(buf)
		return err
	}
	dumpErrors := cmd.damaged
	for _, path := range paths {
		format, err := eachRecord(path, std.in, options, show)
		if format != "" {
			fmt.Fprintf(std.err, "%s: %s\n", path, format)
		}
		dumpErrors = errors.Join(dumpErrors, err)
	}
	// Requests of --requests that no dump has answered are records too.
	err = nil // the errors of dumps are in dumpErrors
	records.Unanswered(options, func(_ *records.Reader, record *records.Answer) { err = errors.Join(err, show(record)) })
	fmt.Fprintf(std.err, "%s, %d without an answer, %d cut, %d without a task, %d unreadable\n",
		plural.Of(counts.all, "record"), counts.missing, counts.cut, counts.noTask, counts.unreadable)
	err = errors.Join(out.finish(err), dumpErrors)
	switch {
	case err != nil:
	case counts.all == 0:
		err = errors.New("no record could be listed: the dumps hold none")
	case counts.all == counts.unreadable:
		err = errors.New("no record could be read; each line of the output says why")
	}
	return err
}

// add counts a record of a dump: as unreadable, as missing if it has no answer, or as cut if its answer was
// cut off. A record that can be read but names no task is also counted under noTask.
func (counts *recordCounts) add(record *records.Answer) {
	counts.all++
	switch {
	case record.Fault != "":
		counts.unreadable++
	case record.Missing != nil:
		counts.missing++
	case record.Cut != "":
		counts.cut++
	}
	if record.Fault == "" && record.Err != nil {
		counts.noTask++
	}
}

// eachRecord calls show for each record of a dump, until show returns an error. It returns the name
// of the dump's format, "" if the dump cannot be opened.
func eachRecord(path string, stdin io.Reader, options records.Options, show func(*records.Answer) error) (format string, err error) {
	reader, err := records.Open(path, stdin, options)
	if err != nil {
		return "", err
	}
	defer reader.Close()
	for {
		record, err := reader.Next()
		if err == io.EOF {
			return reader.Format, nil
		}
		if err != nil {
			return reader.Format, fmt.Errorf("cannot read %s: %w", inputName(path), err)
		}
		if err := show(record); err != nil {
			return reader.Format, fmt.Errorf("cannot write records: %w", err)
		}
	}
}
