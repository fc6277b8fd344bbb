package main

import (
	"errors"
	"fmt"
	"io"

	"plumb/daemon"
	"plumb/daemon/records"
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
type recordCounts struct{ all, missing, cut, faults, lost int }

// Run writes the records of the dumps as lines of JSON, as plumb score would score them, and prints the
// format of each dump and the counts of records to standard error. Where a dump cannot be read to its
// end, the others are read all the same, and the run fails at its end.
func (cmd *recordsCmd) Run(std streams) error {
	s := scoreFlags{Suite: cmd.Suite, Tasks: cmd.Tasks}
	config, err := core(&engineFlags{Raster: "reference"}, &cmd.limitFlags, &s)
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
	var n recordCounts
	var buf []byte
	show := func(a *records.Answer) error {
		n.add(a)
		buf = append(a.AppendJSON(buf[:0]), '\n')
		_, err := out.Write(buf)
		return err
	}
	broken := cmd.damaged
	for _, path := range paths {
		format, err := eachRecord(path, std.in, options, show)
		if format != "" {
			fmt.Fprintf(std.err, "%s: %s\n", path, format)
		}
		broken = errors.Join(broken, err)
	}
	// Requests of --requests that no dump has answered are records too.
	err = nil
	records.Unanswered(options, func(_ *records.Reader, a *records.Answer) { err = errors.Join(err, show(a)) })
	fmt.Fprintf(std.err, "%d records, %d without an answer, %d cut, %d that name no task, %d unreadable\n",
		n.all, n.missing, n.cut, n.lost, n.faults)
	err = errors.Join(out.finish(err), broken)
	switch {
	case err != nil:
	case n.all == 0:
		err = errors.New("no record could be listed: the dumps hold none")
	case n.all == n.faults:
		err = errors.New("no record could be read; each line of the output says why")
	}
	return err
}

// add counts a record of a dump under what would become of it: a fault for one that cannot be read,
// missing for one without a response, cut for one whose response was cut off, and lost for a readable
// one that is an error all the same.
func (n *recordCounts) add(answer *records.Answer) {
	n.all++
	switch {
	case answer.Fault != "":
		n.faults++
	case answer.Missing != nil:
		n.missing++
	case answer.Cut != "":
		n.cut++
	}
	if answer.Fault == "" && answer.Err != nil {
		n.lost++
	}
}

// eachRecord calls show for each record of a dump, until show returns an error. It returns the name
// of the dump's format, "" if the dump cannot be opened.
func eachRecord(path string, stdin io.Reader, o records.Options, show func(*records.Answer) error) (format string, err error) {
	reader, err := records.Open(path, stdin, o)
	if err != nil {
		return "", err
	}
	defer reader.Close()
	for {
		answer, err := reader.Next()
		if err == io.EOF {
			return reader.Format, nil
		}
		if err != nil {
			return reader.Format, fmt.Errorf("cannot read %s: %w", path, err)
		}
		if err := show(answer); err != nil {
			return reader.Format, fmt.Errorf("cannot write records: %w", err)
		}
	}
}
