// Command plumb scores answers to whiteboard benchmarks from rendered pixels.
// In: dumps, scenes, or requests over HTTP. Out: result lines, pictures and
// tables. Flags are declared in this package and nowhere else; each command has
// its file. Exit codes: 0 done; 1 ended early, or nothing (or too little) could be
// scored; 2 wrong use; 130 interrupted by a signal. See docs/spec/cli.md#r1.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"plumb/daemon/api"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is the product's; commit is set by the linker.
const version = "0.1.0"

var commit = "unknown"

// cli is every command with its flags.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run the daemon: score and draw over HTTP."`
	Run     runCmd     `cmd:"" help:"Ask a model about a benchmark, score what it says, and write the tables."`
	Score   scoreCmd   `cmd:"" help:"Score result dumps."`
	Shard   shardCmd   `cmd:"" help:"Parts of large runs, for schedulers."`
	Records recordsCmd `cmd:"" help:"Show what would be scored of dumps: one line per answer."`
	Render  renderCmd  `cmd:"" help:"Draw scenes and measure their pixels."`
	Bench   benchCmd   `cmd:"" help:"Profile the stages on this machine: times, sweeps, ceilings, traces."`
	Load    loadCmd    `cmd:"" help:"Put load on a reward server: latencies at several concurrencies or rates, as a table and a plot."`
	Prompt  promptCmd  `cmd:"" help:"Write the prompts of items: what a model is asked, with pictures."`
	Tangram tangramCmd `cmd:"" help:"Make TangramPuzzle instances, from drawings or from a seed, and Task 1 items."`
	Vqa     vqaCmd     `cmd:"" name:"vqa" help:"Make items of SPATIALAB or SpaCE-Eval of public data sets."`
	Aspire  aspireCmd  `cmd:"" help:"Make ASPIRE tasks from a seed."`
	View    viewCmd    `cmd:"" help:"Look at results in a browser: tables, lists, pictures, why each scored what it did."`
	Report  reportCmd  `cmd:"" help:"Join result files of several models and runs into one report."`
	Compare compareCmd `cmd:"" help:"Compare two results on the same tasks: difference, interval and tests."`
	Power   powerCmd   `cmd:"" help:"Tell how many tasks show a difference, from how much scores vary."`
	Agree   agreeCmd   `cmd:"" help:"Measure how far a judge agrees with annotators."`
	Doctor  doctorCmd  `cmd:"" help:"Print what works on this machine."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// streams are the standard streams of the process; tests replace them.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// usageError is a mistake on the command line: exit code 2.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (u usageError) Unwrap() error { return u.error }

// interruption is the end of a run by SIGINT or SIGTERM: exit code 130.
type interruption struct{ error }

func (i interruption) Unwrap() error { return i.error }

// exitError ends the program with a code of its own.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

func main() {
	// Without this a closed pipe, or a limit on the size of files, would end the process
	// before it could report what it had done.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// exited is the exit code with which the command-line library would end the process.
type exited int

// run executes one command line and returns the exit code.
func run(args []string, std streams) (code int) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exited:
			code = int(p)
		default:
			panic(p)
		}
	}()
	var c cli
	k := parser(&c, kong.Writers(std.out, std.err), kong.Exit(func(code int) { panic(exited(code)) }), kong.Bind(std))
	ctx, err := k.Parse(args)
	if err != nil {
		fmt.Fprintf(std.err, "plumb: %s\n", oneLine(err))
		fmt.Fprintln(std.err, "see plumb --help")
		return 2
	}
	c.Score.args = args
	err = checkUnusedFlags(ctx)
	if err == nil {
		err = ctx.Run(std)
	}
	if err != nil {
		fmt.Fprintf(std.err, "plumb: %s\n", oneLine(err))
		var u usageError
		var i interruption
		var e exitError
		switch {
		case errors.As(err, &e):
			return e.code
		case errors.As(err, &u):
			return 2
		case errors.As(err, &i):
			return 130
		}
		return 1
	}
	return 0
}

// parser returns the parser of command lines, which sets the flags in c.
func parser(c *cli, options ...kong.Option) *kong.Kong {
	k, err := kong.New(c, append(options, kong.Name("plumb"),
		kong.Description("Scores whiteboard benchmarks from pixels. Results on stdout, everything else on stderr. Exit codes: 0 done; 1 ended early, or too little could be scored; 2 wrong use; 130 interrupted."),
		kong.Vars{"policies": api.DefaultPolicies(), "steps": api.DefaultSteps()}, kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.ValueFormatter(described))...)
	if err != nil {
		panic("BUG: flags: " + err.Error())
	}
	return k
}

// described returns the help text of a flag with its default.
func described(v *kong.Value) string {
	if !v.HasDefault || v.Default == "" {
		return v.Help
	}
	return v.Help + " Default: " + v.Default + "."
}

// oneLine replaces line breaks in an error, because errors may quote input.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
