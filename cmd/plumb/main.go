// Command plumb scores answers to spatial-reasoning benchmarks: its commands with their flags, inputs and
// outputs, progress, and the client of --server. In: dumps, scenes, or requests over HTTP. Out: result lines,
// pictures and tables. Flags are declared in this package and nowhere else; each command has its file. Exit
// codes: 0 done; 1 ended early, or nothing (or too little) could be scored; 2 wrong use; 3 not finished
// (--status); 130 interrupted by a signal. See docs/spec/cli.md#r1.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"plumb/daemon/api"
)

// version is the product's; commit is set by the linker.
const version = "0.1.0"

var commit = "unknown"

// cli is every command with its flags.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run the daemon, which scores and draws over HTTP."`
	Run     runCmd     `cmd:"" help:"Ask a model about a benchmark, score its answers and write the tables."`
	Score   scoreCmd   `cmd:"" help:"Score the answers in result dumps."`
	Shard   shardCmd   `cmd:"" help:"Score parts of large runs, for schedulers."`
	Records recordsCmd `cmd:"" help:"Show what would be scored of dumps: one line per answer."`
	Render  renderCmd  `cmd:"" help:"Draw scenes as pictures and measure their pixels."`
	Bench   benchCmd   `cmd:"" help:"Measure how fast plumb is on this machine."`
	Load    loadCmd    `cmd:"" help:"Measure the latency of a reward server under load."`
	Prompt  promptCmd  `cmd:"" help:"Write the prompts that a model is asked, with pictures."`
	Tangram tangramCmd `cmd:"" help:"Make TangramPuzzle instances, from drawings or from a seed, and items of Task 1."`
	Vqa     vqaCmd     `cmd:"" name:"vqa" help:"Make items of SPATIALAB or SpaCE-Eval from public data sets."`
	Aspire  aspireCmd  `cmd:"" help:"Make ASPIRE tasks from a seed."`
	View    viewCmd    `cmd:"" help:"Look at results in a browser: tables, lists, pictures, and what made each score."`
	Report  reportCmd  `cmd:"" help:"Join the results of several models and runs into one report."`
	Compare compareCmd `cmd:"" help:"Compare two results on the same tasks: difference, interval and tests."`
	Power   powerCmd   `cmd:"" help:"Tell how many tasks it takes to show a difference."`
	Agree   agreeCmd   `cmd:"" help:"Measure how far a judge agrees with annotators."`
	Doctor  doctorCmd  `cmd:"" help:"Print what works on this machine, and what is missing."`
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

// main runs the command line and ends with its exit code.
func main() {
	// Without this a closed pipe, or a limit on the size of files, would end the process
	// before it could report what it had done.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// about is the text of `plumb --help` above the list of commands.
const about = `Scores the answers of language models in benchmarks of spatial reasoning: ${titles}. To begin:
plumb score --help for a dump of answers, plumb run --help for a model, plumb serve --help for training.

Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 ended early, or too little could
be scored; 2 wrong use; 3 not finished (plumb score --status); 130 interrupted.`

// exited is the exit code with which kong, the command-line library, would end the process.
type exited int

// run executes one command line, prints its error as one line, and returns the exit code. It never
// ends the process. Where kong, the command-line library, would end it, as after --help, kong.Exit
// panics with the exit code instead, and run recovers and returns that code.
func run(args []string, std streams) (code int) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case exited:
			code = int(cause)
		default: // a fault of the program
			panic(cause)
		}
	}()
	var c cli
	commands := parser(&c, kong.Writers(std.out, std.err), kong.Exit(func(code int) { panic(exited(code)) }), kong.Bind(std))
	ctx, err := commands.Parse(helpArguments(args))
	if err != nil {
		fmt.Fprintf(std.err, "plumb: %s\n", oneLine(err))
		fmt.Fprintf(std.err, "plumb: %s\n", helpHint(err))
		return 2
	}
	c.Score.args = args // a job's manifest holds them
	err = checkUnusedFlags(ctx)
	if err == nil {
		err = ctx.Run(std)
	}
	if err != nil {
		fmt.Fprintf(std.err, "plumb: %s\n", oneLine(err))
		var withCode exitError
		switch {
		case errors.As(err, &withCode):
			return withCode.code
		case errors.As(err, new(usageError)):
			return 2
		case errors.As(err, new(interruption)):
			return 130
		}
		return 1
	}
	return 0
}

// parser returns the parser of plumb's command lines, which sets the flags in c. It panics if the
// struct tags that declare the flags are wrong. The variables are values that help texts name.
func parser(c *cli, options ...kong.Option) *kong.Kong {
	suites := builtInSuites()
	commands, err := kong.New(c, append(options, kong.Name("plumb"), kong.Description(about),
		kong.Vars{"policies": api.DefaultPolicies(), "steps": api.DefaultSteps(),
			"suites": listed(suites.Names(), "or"), "titles": listed(suites.Titles(), "and")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.ValueFormatter(flagHelp), kong.ExplicitGroups(groupTitles))...)
	if err != nil {
		panic("BUG: flags: " + err.Error())
	}
	completeHelp(commands.Model)
	return commands
}

// oneLine replaces line breaks in an error, because errors may quote input.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// helpHint returns the hint that follows an error of the command line: which --help to read. It is that
// of the command, or that of plumb where err does not tell the command.
func helpHint(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if command := parse.Context.Selected(); command != nil {
			return "see " + command.FullPath() + " --help"
		}
	}
	return "see plumb --help for the commands"
}
