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
	Format     string   `placeholder:"NAME" group:"dumps" help:"Format of all dumps, in place of what their content tells; an unknown name lists them all."`
	Join       string   `placeholder:"FIELD[~REGEXP]" group:"dumps" help:"How records name their tasks: a member such as doc.qid, of which REGEXP takes the groups id, repeat, test and model; or position, where the key is the task's position from 0 in the file of --tasks. Default: the label in the record, else the key that the format has."`
	Response   string   `name:"response" placeholder:"FIELD" group:"dumps" help:"Column of the answers in tables. Default: the first of response, prediction, completion, generated_text, output."`
	Requests   []string `sep:"none" placeholder:"FILE" group:"dumps" help:"Requests of a batch, or inputs of rollouts: their labels name the tasks, and requests without an answer count as missing; repeatable."`
	Model      string   `name:"model" placeholder:"NAME" group:"dumps" help:"Name of the model, in place of those in the dumps."`
	Cut        string   `enum:"score,zero,missing" default:"score" group:"dumps" help:"What an answer counts that a limit cut: score (as it stands, with a note), zero (0, unread) or missing."`
	Errored    string   `enum:"missing,score" default:"missing" group:"dumps" help:"What an answer counts that stands beside an error of the tool: missing, or score."`
	S3Endpoint string   `name:"s3-endpoint" placeholder:"URL" group:"dumps" help:"Store of s3:// dumps, https://HOST. Default: Amazon's. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws/credentials, or the role of the machine."`
	S3Region   string   `name:"s3-region" placeholder:"NAME" group:"dumps" help:"Region of the store. Default: AWS_REGION, else what the store says."`
	MaxSpool   size     `default:"16GiB" placeholder:"BYTES" group:"limits" help:"Longest temporary copy of a dump that needs random access and is no plain file."`
	MaxEntries count    `default:"2000000" placeholder:"N" group:"limits" help:"Most entries of an archive."`

	remote  *address.Options // what addresses name; made by inputLimits
	damaged error            // why dumps of folders cannot be read; expand sets it
}

// inputLimits bound what opening a dump may cost.
func (f *dumpFlags) inputLimits(l dump.Limits) input.Limits {
	if f.remote == nil {
		f.remote = &address.Options{Endpoint: f.S3Endpoint, Region: f.S3Region}
	}
	return input.Limits{Limits: l, Remote: f.remote, Spool: int64(f.MaxSpool), Entries: int(f.MaxEntries)}
}

// options returns how records are read, with the tasks of items.
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

// expand returns the dumps that the arguments name, and prints which files of folders are skipped.
func (f *dumpFlags) expand(args []string, cc *daemon.CoreConfig, std streams) ([]string, error) {
	if err := records.CheckFormat(f.Format); err != nil {
		return nil, usageError{err}
	}
	found, err := records.Expand(args, f.seen(cc.Lines))
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

// seen returns the options with which dumps are looked at.
func (f *dumpFlags) seen(l dump.Limits) *records.Options {
	return &records.Options{Format: f.Format, Response: f.Response, Limits: f.inputLimits(l)}
}

// check opens each dump once and finds its format, before any work is done.
func (f *dumpFlags) check(paths []string, l dump.Limits) error {
	return records.Check(paths, f.seen(l))
}
