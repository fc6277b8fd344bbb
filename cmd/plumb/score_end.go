package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"plumb/daemon/index"
	"plumb/scoring/table"
)

// signalContext returns a context that SIGINT, SIGTERM or SIGHUP ends. A second signal ends the
// process.
func signalContext() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// end finishes the output files, the report and the tables of `plumb score`, and returns the error
// of the run. early is the error that ended the run early. Where it is nil, all lines were read,
// and the outputs replace the former files. See docs/spec/cli.md#r6.
func (j *job) end(ctx context.Context, early error) error {
	if j.shards != nil && early != nil {
		j.out.discard() // the parts are in the folder of the job
	}
	var err error
	if j.cmd.NoJoin && early == nil {
		err = j.leaveParts()
	} else {
		err = j.out.finish(early)
	}
	if early == nil && err == nil && j.annotator != nil {
		err = j.annotate()
	}
	if early == nil && err == nil && j.cmd.splitTo != nil {
		err = j.cmd.splitLogs(j.std)
	}
	if early == nil {
		early = err
	}
	if j.times != nil {
		if e := j.times.out.finish(early); early == nil {
			err = errors.Join(err, e)
		}
	}
	err = errors.Join(err, j.endReport(ctx, early))
	if early != nil {
		fmt.Fprintf(j.std.err, "PARTIAL: the run ended early; the tables count the %d lines that were scored before\n", j.tally.lines)
	}
	j.table.WriteTo(j.std.err)
	if j.times != nil {
		j.times.writeTo(j.std.err)
	}
	j.tally.writeCut(j.std.err, j.cmd.Cut)
	j.tally.writeTo(j.std.err, "scored")
	if j.core != nil && j.core.Judge != nil {
		s := j.core.Judge.Stats()
		writeJudgeStats(j.std.err, s)
		if end := j.core.Judge.Halted(); end != nil {
			err = errors.Join(err, fmt.Errorf("cannot judge answers: %w", end))
		}
		if s.Unsaved > 0 {
			err = errors.Join(err, fmt.Errorf("cannot keep %d verdicts in --judge-cache", s.Unsaved))
		}
	}
	err = errors.Join(err, j.broken)
	if err == nil {
		err = j.cmd.failFlags.verdict(&j.tally, j.missing == table.Zero, j.cmd.DryRun)
	}
	return err
}

// endReport finishes the report. Where a full disk has ended the report before, it
// returns that error.
func (j *job) endReport(ctx context.Context, early error) error {
	if j.report == nil {
		return j.lost
	}
	if early != nil {
		j.report.EndedEarly(oneLine(early))
	}
	if len(j.cmd.Dumps) == 1 && !j.bare && index.Plain(j.cmd.Dumps[0]) {
		j.report.From(j.cmd.Dumps[0])
	}
	path, err := j.report.Close()
	j.bar.end()
	if err == nil {
		fmt.Fprintf(j.std.err, "report: %s\n", path)
	}
	if ctx.Err() != nil && early == nil {
		err = errors.Join(err, interruption{errors.New("interrupted while the report was drawn; all results are there")})
	}
	return err
}

// dropReport discards the report after an error, so that scoring goes on without it.
func (j *job) dropReport(err error) {
	fmt.Fprintf(j.std.err, "plumb: there will be no report: %s; scoring goes on\n", oneLine(err))
	if j.report != nil {
		j.report.Discard()
	}
	j.report, j.lost = nil, err
}
