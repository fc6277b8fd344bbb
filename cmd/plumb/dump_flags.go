package main

import (
	"errors"
	"fmt"
	"strings"

	"plumb/daemon"
	"plumb/daemon/dump"
	"plumb/daemon/records"
	"plumb/daemon/records/address"
	"plumb/daemon/records/input"
	"plumb/daemon/records/lines"
	"plumb/daemon/reward"
)

// dumpFlags tell how dumps of other tools are read. See docs/spec/dumps.md#r1.
type dumpFlags struct {
	Format     string   `placeholder:"NAME" group:"dumps" help:"Format of all dumps, instead of the one that their content shows. An unknown name, such as list, prints all names."`
	Join       string   `placeholder:"FIELD[~REGEXP]" group:"dumps" help:"How records name their tasks: FIELD, a member such as doc.qid; FIELD~REGEXP, of which the groups id, repeat, test and model are taken; or position, the task's position from 0 in the file of --tasks. Default: the label in the record, else the key of the format."`
	Response   string   `name:"response" placeholder:"FIELD" group:"dumps" help:"Column of the answers in tables. Default: the first of response, prediction, completion, generated_text and output."`
	Requests   []string `sep:"none" placeholder:"FILE" group:"dumps" help:"Requests of a batch, or inputs of rollouts: their labels name the tasks, and a request without an answer counts as missing; may be repeated."`
	Model      string   `name:"model" placeholder:"NAME" group:"dumps" help:"Name of the model, instead of the names in the dumps."`
	Cut        string   `enum:"score,zero,missing" default:"score" group:"dumps" help:"How an answer counts that a limit on tokens cut off: score (as it stands, with a note), zero (as 0, unread) or missing."`
	Errored    string   `enum:"missing,score" default:"missing" group:"dumps" help:"How an answer counts that stands beside an error of the tool: missing, or score (as any other)."`
	S3Endpoint string   `name:"s3-endpoint" placeholder:"URL" group:"dumps" help:"Object store of s3:// addresses, as https://HOST. Default: Amazon S3. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws/credentials or the role of the machine."`
	S3Region   string   `name:"s3-region" placeholder:"NAME" group:"dumps" help:"Region of the object store. Default: AWS_REGION, else the region that the store names."`
	MaxSpool   size     `default:"16GiB" placeholder:"BYTES" group:"limits" help:"Maximum size of the temporary copy of a dump that needs random access and is no plain file."`
	MaxEntries count    `default:"2000000" placeholder:"N" group:"limits" help:"Maximum number of entries of a zip archive."`

	remote  *address.Options // what addresses name; made by inputLimits
	damaged error            // why dumps of folders cannot be read; expand sets it
}

// inputLimits returns the limits of opening and reading a dump, and how dumps at https:// and s3://
// addresses are opened. All calls share one set of address options, because it remembers which versions
// of the objects it has found.
func (flags *dumpFlags) inputLimits(limits dump.Limits) input.Limits {
	if flags.remote == nil {
		flags.remote = &address.Options{Endpoint: flags.S3Endpoint, Region: flags.S3Region}
	}
	return input.Limits{Limits: limits, Remote: flags.remote,
		Spool:   int64(flags.MaxSpool), // bytes of a temporary copy
		Entries: int(flags.MaxEntries)} // of an archive
}

// options returns how the records of dumps, which other tools may have written, are read and joined with the
// tasks in items. It reads the files of --requests. A value of --join that cannot be read is a usageError.
func (flags *dumpFlags) options(config *daemon.CoreConfig, items *dump.ItemConfig) (options records.Options, err error) {
	limits := flags.inputLimits(config.Lines)
	options = records.Options{Format: flags.Format, AnswerColumn: flags.Response, Model: flags.Model, Cut: records.CutMode(flags.Cut), Errored: flags.Errored == "score",
		Limits: limits, JSON: config.Scenes, Suites: config.Suites, Suite: config.Suite, Tasks: items.Tasks,
		Labels: &reward.Labels{Limits: config.Scenes, Suites: config.Suites, Suite: config.Suite, Tasks: items.Tasks}}
	if flags.Join != "" {
		if options.Join, err = records.ParseJoin(flags.Join); err != nil {
			return options, usageError{err}
		}
	}
	if len(flags.Requests) > 0 {
		options.Requests, err = lines.LoadRequests(flags.Requests, limits, config.Scenes)
	}
	return options, err
}

// expand returns the dumps that the arguments name, with folders and patterns replaced by their files.
// It prints which files of folders are skipped or damaged. The error about damaged files is kept in
// flags.damaged: the other dumps are read first, and the command then fails with it. If no dump at all
// can be read, it is returned at once.
func (flags *dumpFlags) expand(args []string, config *daemon.CoreConfig, std streams) ([]string, error) {
	if err := records.CheckFormat(flags.Format); err != nil {
		return nil, usageError{err}
	}
	found, err := records.Expand(args, flags.lookOptions(config.Lines))
	if err != nil {
		return nil, err
	}
	for _, message := range found.Skipped {
		fmt.Fprintf(std.err, "plumb: skipped: %s\n", strings.TrimPrefix(message, "cannot read "))
	}
	for _, damage := range found.Damaged {
		fmt.Fprintf(std.err, "plumb: %v; the other dumps are read\n", damage)
	}
	flags.damaged = errors.Join(found.Damaged...)
	if len(found.Paths) == 0 {
		return nil, flags.damaged
	}
	return found.Paths, nil
}

// lookOptions returns what finding the format of a dump needs: fewer options than reading it does.
func (flags *dumpFlags) lookOptions(l dump.Limits) *records.Options {
	return &records.Options{Format: flags.Format, AnswerColumn: flags.Response, Limits: flags.inputLimits(l)}
}

// check opens each dump once and finds its format, before any work is done.
func (flags *dumpFlags) check(paths []string, l dump.Limits) error {
	return records.Check(paths, flags.lookOptions(l))
}
