package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"plumb/daemon/index"
	"plumb/scoring/plural"
	"plumb/scoring/table"
)

// signalContext returns a context that SIGINT, SIGTERM or SIGHUP ends. A second signal ends the
// process, for a user who does not want to wait.
func signalContext() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // after the first signal, signals have their usual effect again
	return ctx, stop
}

// finishRun finishes the output files and the report, prints the tables and the counts, and returns the error
// of the run. early is the error that ended the run early; if it is nil, all lines were read, and the outputs
// replace the former files. A complete run that scored too little is an error too. See docs/spec/cli.md#r6.
func (j *job) finishRun(ctx context.Context, early error) error {
	// The outputs.
	if j.shards != nil && early != nil {
		j.out.discard() // the parts are in the folder of the job
	}
	var err error // all that goes wrong from here
	if j.cmd.NoJoin && early == nil {
		err = j.leaveParts()
	} else {
		err = j.out.finish(early)
	}
	if early == nil && err == nil && j.annotator != nil {
		err = j.annotate()
	}
	if early == nil && err == nil && j.cmd.logFiles != nil {
		err = j.cmd.splitLogs(j.std)
	}
	if early == nil {
		early = err // an output that cannot be written ends the run early too
	}
	if j.times != nil {
		if timesErr := j.times.out.finish(early); early == nil {
			err = errors.Join(err, timesErr)
		}
	}
	err = errors.Join(err, j.endReport(ctx, early))
	// The tables and counts.
	if early != nil {
		fmt.Fprintf(j.std.err, "PARTIAL: the run ended early; the tables count %s scored before\n", plural.Of(j.tally.lines, "line that was", "lines that were"))
	}
	j.table.WriteTo(j.std.err)
	if j.times != nil {
		j.times.writeTables(j.std.err)
	}
	j.tally.writeCut(j.std.err, j.cmd.Cut)
	j.tally.writeFailures(j.std.err, "scored")
	if j.core != nil && j.core.Judge != nil {
		stats := j.core.Judge.Stats()
		writeJudgeStats(j.std.err, stats, j.cmd.DryRun)
		if why := j.core.Judge.Halted(); why != nil {
			err = errors.Join(err, fmt.Errorf("cannot judge answers: %w", why))
		}
		if stats.Unsaved > 0 {
			err = errors.Join(err, fmt.Errorf("cannot keep %s in --judge-cache", plural.Of(stats.Unsaved, "verdict")))
		}
	}
	// Whether the run counts as a failure.
	err = errors.Join(err, j.inputErrors)
	if err == nil {
		err = j.cmd.failFlags.errorOfRun(&j.tally, j.missing == table.Zero, j.cmd.DryRun)
	}
	return err
}

// endReport draws and writes the report and prints its path. early is the error that ended the run early,
// if any; the report is then marked as partial. If the report was dropped before, it returns the reason.
// An interrupt while the report is drawn is an error, although all results are there.
func (j *job) endReport(ctx context.Context, early error) error {
	if j.report == nil {
		return j.reportErr
	}
	if early != nil {
		j.report.EndedEarly(oneLine(early))
	}
	if len(j.cmd.Dumps) == 1 && !j.foreignFormat && index.Plain(j.cmd.Dumps[0]) {
		j.report.From(j.cmd.Dumps[0]) // the report shows how to score a line of this file again
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

// dropReport discards the report after an error and prints the error, so that scoring goes on without a
// report. The run keeps the error for its end.
func (j *job) dropReport(err error) {
	fmt.Fprintf(j.std.err, "plumb: there will be no report: %s; scoring goes on\n", oneLine(err))
	if j.report != nil {
		j.report.Discard()
	}
	j.report, j.reportErr = nil, err
}
