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

// inputLimits returns the limits of opening and reading a dump, and how addresses are opened. All
// calls share one set of address options, which keeps the versions of the objects it has looked up.
func (f *dumpFlags) inputLimits(l dump.Limits) input.Limits {
	if f.remote == nil {
		f.remote = &address.Options{Endpoint: f.S3Endpoint, Region: f.S3Region}
	}
	return input.Limits{Limits: l, Remote: f.remote, Spool: int64(f.MaxSpool), Entries: int(f.MaxEntries)}
}

// options returns how records of dumps are read and joined with the tasks of items. It reads the
// files of --requests.
func (f *dumpFlags) options(cc *daemon.CoreConfig, items *dump.ItemConfig) (o records.Options, err error) {
	limits := f.inputLimits(cc.Lines)
	o = records.Options{Format: f.Format, Response: f.Response, Model: f.Model, Cut: records.CutMode(f.Cut), Errored: f.Errored == "score",
		Limits: limits, JSON: cc.Scenes, Suites: cc.Suites, Suite: cc.Suite, Tasks: items.Tasks,
		Labels: &reward.Labels{Limits: cc.Scenes, Suites: cc.Suites, Suite: cc.Suite, Tasks: items.Tasks}}
	if f.Join != "" {
		if o.Join, err = records.ParseJoin(f.Join); err != nil {
			return o, usageError{err}
		}
	}
	if len(f.Requests) > 0 {
		o.Requests, err = lines.LoadRequests(f.Requests, limits, cc.Scenes)
	}
	return o, err
}

// expand returns the dumps that the arguments name, with folders and patterns replaced by their files.
// It prints which files of folders are skipped or damaged, and keeps the damage in f.damaged, so that
// the others are read first and the command fails in the end. With no readable dump at all the damage
// is the error.
func (f *dumpFlags) expand(args []string, cc *daemon.CoreConfig, std streams) ([]string, error) {
	if err := records.CheckFormat(f.Format); err != nil {
		return nil, usageError{err}
	}
	found, err := records.Expand(args, f.lookOptions(cc.Lines))
	if err != nil {
		return nil, err
	}
	for _, s := range found.Skipped {
		fmt.Fprintf(std.err, "plumb: skipped: %s\n", strings.TrimPrefix(s, "cannot read "))
	}
	for _, e := range found.Damaged {
		fmt.Fprintf(std.err, "plumb: %v; the other dumps are read\n", e)
	}
	f.damaged = errors.Join(found.Damaged...)
	if len(found.Paths) == 0 {
		return nil, f.damaged
	}
	return found.Paths, nil
}

// lookOptions returns what finding the format of a dump needs: fewer options than reading it does.
func (f *dumpFlags) lookOptions(l dump.Limits) *records.Options {
	return &records.Options{Format: f.Format, Response: f.Response, Limits: f.inputLimits(l)}
}

// check opens each dump once and finds its format, before any work is done.
func (f *dumpFlags) check(paths []string, l dump.Limits) error {
	return records.Check(paths, f.lookOptions(l))
}
