package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plumb/daemon/jobs"
	"plumb/daemon/records/address"
)

// shardCmd is `plumb shard`.
type shardCmd struct {
	Run shardRunCmd `cmd:"" help:"Score one shard of a job that plumb score --plan began, and write its parts. Exit code 0: done; 1: failed, and may be tried again; 2: wrong use; 3: two processes ended while it was under way."`
}

// shardRunCmd is `plumb shard run`.
type shardRunCmd struct {
	Manifest   string `required:"" placeholder:"FILE" help:"Manifest of the job: FILE.job/manifest.jsonl, or s3://BUCKET/PREFIX/manifest.jsonl."`
	S3Endpoint string `name:"s3-endpoint" placeholder:"URL" help:"Object store of an s3:// manifest, as https://HOST. Default: Amazon S3."`
	S3Region   string `name:"s3-region" placeholder:"NAME" help:"Region of the object store. Default: AWS_REGION, else the region that the store names."`
	Shard      int    `required:"" placeholder:"K" help:"Number of the shard, from 0."`
	Bisect     bool   `help:"Where two processes ended in this shard: find the lines that end them, in fresh processes, and score the others, instead of exiting with code 3."`

	// A process that searches a part for a record that ends processes starts others with these; see partRange.
	Part    int    `hidden:""`
	Skip    int    `hidden:""`
	Records string `hidden:""`
	Results string `hidden:""`
}

// Run scores one shard of a job as the command that planned the job would. With --records another process
// has started this one for a range of records, to see whether they crash it. A crash of a Go program has
// the exit code 2, which is also that of wrong use. So wrong use ends with 1 there: else the records would
// be taken for its cause. See docs/spec/jobs.md#r3.
func (cmd *shardRunCmd) Run(std streams) error {
	err := cmd.run(std)
	if cmd.Records != "" && errors.As(err, new(usageError)) {
		return exitError{err, 1}
	}
	return err
}

// run scores one shard of a planned job, or a range of its records, in this process. It changes to the
// folder in which the job was planned, and reads the flags of plumb score from the manifest.
func (cmd *shardRunCmd) run(std streams) error {
	at, name := cmd.Manifest, ""
	if i := strings.LastIndexByte(at, '/'); i >= 0 {
		at, name = at[:i], at[i+1:]
	}
	// Open the job's store, an object store or a folder.
	var store jobs.Store
	var dir string // "" for an object store
	var err error
	switch {
	case address.Is(at) && name == jobs.ManifestName:
		store, err = openBucket(&address.Options{Endpoint: cmd.S3Endpoint, Region: cmd.S3Region}, at)
	case address.Is(at):
		return usage("cannot use --manifest %s: want s3://BUCKET/PREFIX/%s", cmd.Manifest, jobs.ManifestName)
	default:
		if dir, err = filepath.Abs(filepath.Dir(cmd.Manifest)); err == nil {
			store = jobs.NewFolder(dir)
		}
	}
	if err != nil {
		return err
	}
	// Read the manifest.
	job, err := jobs.Open(store)
	if errors.Is(err, jobs.ErrNone) {
		return usage("cannot open %s: it is not there, or was not written to its end; plumb score --plan writes it", cmd.Manifest)
	}
	if err != nil {
		return err
	}
	if _, err := job.Find(cmd.Shard); err != nil {
		return usageError{err}
	}
	// The names of the dumps are relative to the folder in which the job was planned. That folder may be
	// missing only where the parts are in an object store: there the dumps are objects too.
	if err := os.Chdir(job.Header.Folder); err != nil && dir != "" {
		return fmt.Errorf("cannot change to the folder of the job: %w", err)
	}
	// Read the command that planned the job, and change it to score one shard.
	var all cli
	if _, err := parser(&all).Parse(job.Header.Args); err != nil {
		return usage("cannot read the command of %s: %v", cmd.Manifest, err)
	}
	scoreCmd := &all.Score
	scoreCmd.args, scoreCmd.Restart, scoreCmd.Plan, scoreCmd.NoJoin = job.Header.Args, false, false, false
	if dir != "" {
		scoreCmd.Output, scoreCmd.Job = strings.TrimSuffix(dir, jobs.Suffix), ""
	} else {
		scoreCmd.Output, scoreCmd.Job = "-", at
		scoreCmd.S3Endpoint, scoreCmd.S3Region = cmp.Or(cmd.S3Endpoint, scoreCmd.S3Endpoint), cmp.Or(cmd.S3Region, scoreCmd.S3Region)
	}
	scoreCmd.onlyShard = &partRange{shard: cmd.Shard, chunk: cmd.Part, recordsBefore: cmd.Skip, results: cmd.Results, bisect: cmd.Bisect}
	// With --records it scores only a range of the part's records.
	if cmd.Records != "" {
		from, to, _ := strings.Cut(cmd.Records, ":")
		if scoreCmd.onlyShard.firstRecord, err = strconv.Atoi(from); err == nil {
			scoreCmd.onlyShard.endRecord, err = strconv.Atoi(to)
		}
		if err != nil || scoreCmd.onlyShard.endRecord <= scoreCmd.onlyShard.firstRecord {
			return usage("cannot use --records %q: want FROM:TO with FROM less than TO", cmd.Records)
		}
	}
	return scoreCmd.Run(std)
}
