package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"plumb/bench/record"
	"plumb/bench/scenes"
	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/render"
	"plumb/render/font"
)

// benchCmd is `plumb bench`.
type benchCmd struct {
	Files   []string `arg:"" optional:"" name:"files" help:"Files of scenes to measure, as for plumb render, instead of the built-in classes; with --compare two programs or two result files, the old one first."`
	Output  string   `short:"o" default:"-" placeholder:"FILE" help:"File for the results as JSON; - is standard output. Tables go to standard error."`
	Quick   bool     `help:"Short runs with few points: at most 20 seconds on a free machine. Without it, some minutes."`
	Compare bool     `help:"Compare two programs by running them in turn, or two result files: ratios with intervals, and whether the results are equal bit for bit. The runs of two result files were measured apart, so only large differences have a verdict."`
	Rounds  count    `default:"10" placeholder:"N" help:"With --compare: runs of each program, at least 3. More make the intervals narrower."`
	Class   []string `placeholder:"NAME" help:"What to measure: scenes (S8, S8T, S50, S8x2) or items (a suite, or a test such as aspire/maze); may be repeated. Default: all."`
	Items   []string `sep:"none" placeholder:"DUMP" help:"Measure the items of this dump instead of the built-in classes, per test, and list the slowest by id; may be repeated. --suite and --tasks are as for plumb score."`
	Suite   string   `placeholder:"NAME" help:"Suite of lines of --items that name none."`
	Tasks   []string `sep:"none" placeholder:"[SUITE=]FILE" help:"The benchmark's task file, for lines of --items that hold only an id and an answer; may be repeated."`
	Sweep   []string `placeholder:"NAME" help:"What to vary: batch, shapes, points, resolution, page, text, workers, scenes, all or none; may be repeated. Default: all, or none with files."`
	Trace   string   `placeholder:"FILE" help:"File for where each scene's time went, as a trace that ui.perfetto.dev opens."`
	Page    string   `name:"html" placeholder:"FILE" help:"File for an HTML page with plots. It needs nothing from the network."`
	Seed    uint64   `default:"1" help:"Seed of the generated scenes and items."`

	engineFlags
	limitFlags
}

// Run measures how fast scenes are drawn and items are scored on this machine. It prints a table, and
// writes the results as JSON and, if wanted, as a trace and a page. With --compare it compares two
// programs or two result files instead.
func (cmd *benchCmd) Run(context *kong.Context, std streams) error {
	if cmd.Compare {
		return cmd.compare(context, std)
	}
	config, err := coreConfig(&cmd.engineFlags, &cmd.limitFlags, &scoreFlags{Suite: cmd.Suite, Tasks: cmd.Tasks})
	if err != nil {
		return err
	}
	sets, err := cmd.itemSets(config)
	if err != nil {
		return err
	}
	plan, err := cmd.recordPlan(config, std)
	if err != nil {
		return err
	}
	// The outputs are checked before the measurement: a run of minutes must not fail at its end for a mistyped folder.
	for _, path := range []string{cmd.Trace, cmd.Page} {
		if path != "" {
			if err := writable(path); err != nil {
				return err
			}
		}
	}
	out, err := output(cmd.Output, std, cmd.Files...)
	if err != nil {
		return err
	}
	// Measure into a record of results.
	file := record.New(version, commit, os.Args[1:])
	spans, err := plan.Measure(file)
	if err == nil && len(sets) > 0 {
		file.Items, err = cmd.measureItems(sets, config, plan)
	}
	if err != nil {
		return err
	}
	// Write the record in all wanted forms: each of them even if another cannot be written.
	data, err := file.JSON()
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	err = errors.Join(out.finish(err), file.Table(std.err))
	if cmd.Trace != "" {
		err = errors.Join(err, file.Trace(cmd.Trace, spans))
	}
	if cmd.Page != "" {
		err = errors.Join(err, file.Page(cmd.Page, spans))
	}
	return err
}

// writable returns an error if a file cannot be written at path, as an output of the command. It leaves
// what is there as it is.
func writable(path string) error {
	f, err := atomicfile.Create(path)
	if err == nil {
		err = f.Probe()
		f.Discard()
	}
	if err != nil {
		return fmt.Errorf("cannot write output: %w", err)
	}
	return nil
}

// recordPlan returns which scenes and sweeps `plumb bench` measures, and on what engine. With --fonts-dir
// it opens these fonts for the whole process. Scenes are always drawn natively, because Chromium
// would hide the times of plumb's own stages.
func (cmd *benchCmd) recordPlan(config daemon.CoreConfig, std streams) (plan *record.Plan, err error) {
	if cmd.Backend == render.BackendChrome || cmd.Fidelity == render.FidelityTldraw {
		return nil, usage("cannot measure Chromium's stages: want --backend auto, gl or cpu and --fidelity native or auto; " +
			"make bench measures Chromium in a checkout")
	}
	if config.Fonts != "" {
		if err := font.Use(config.Fonts); err != nil {
			return nil, fmt.Errorf("cannot use fonts: %w", err)
		}
	}
	// The engine and its limits.
	plan = &record.Plan{Engine: config.Engine, Limits: config.Scenes, Workers: cmd.Workers, Batch: int(cmd.Batch), WorkPerBatch: daemon.BatchWork,
		Seed: cmd.Seed, Quick: cmd.Quick}
	plan.Engine.Fidelity = render.FidelityNative
	plan.Engine.MaxPixels, plan.Engine.MaxSide = config.Scenes.Pixels, config.Scenes.Side
	if plan.Workers == 0 {
		plan.Workers = runtime.GOMAXPROCS(0)
	}
	if plan.Sweeps, err = cmd.sweeps(); err != nil {
		return nil, err
	}
	// Progress is shown on a terminal only, in one line that is cleared and written anew.
	if file, ok := std.err.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		plan.Report = func(what string, done, all int) { fmt.Fprintf(std.err, "\r\x1b[K%d/%d %s", done, all, what) }
	}
	// The scenes to measure: given ones, or generated classes.
	if len(cmd.Files) > 0 {
		plan.Classes, err = cmd.givenScenes(config, std)
		return plan, err
	}
	return plan, cmd.addClasses(plan)
}

// sweeps returns the names of the sweeps to measure: series of generated scenes in which one quantity
// grows. They are those of --sweep. Without the flag they are all, or none where the user gives files or
// dumps to measure, because a sweep would not measure those.
func (cmd *benchCmd) sweeps() ([]string, error) {
	all := record.AllSweeps()
	list := cmd.Sweep
	switch {
	case slices.Equal(list, []string{"none"}):
		return nil, nil
	case len(list) == 0 && len(cmd.Files)+len(cmd.Items) > 0: // files or dumps alone
		return nil, nil
	case len(list) == 0 || slices.Equal(list, []string{"all"}):
		return all, nil
	}
	for _, name := range list {
		if !slices.Contains(all, name) {
			return nil, usage("cannot sweep %q: want all, none or some of %s", name, strings.Join(all, ", "))
		}
	}
	return list, nil
}

// addClasses generates the scenes to measure and adds them to the plan: those of the classes that --class
// names, or of all classes. With --items it adds none, because then only the items of a dump are measured.
func (cmd *benchCmd) addClasses(plan *record.Plan) error {
	if len(cmd.Items) > 0 {
		return nil
	}
	for _, class := range scenes.Classes() {
		if len(cmd.Class) > 0 && !slices.Contains(cmd.Class, class.Name) {
			continue
		}
		generated, err := record.MakeScenes(class, plan.DistinctScenes(), cmd.Seed)
		if err != nil {
			return err
		}
		plan.Classes = append(plan.Classes, generated)
	}
	return nil
}

// givenScenes reads the files of scenes that the user wants to measure. Each file is a class of its own in
// the results. A line that cannot be read is left out, with a message.
func (cmd *benchCmd) givenScenes(config daemon.CoreConfig, std streams) ([]record.Scenes, error) {
	var all []record.Scenes
	for _, path := range cmd.Files {
		reader, err := openDump(path, config.Lines, std.in)
		if err != nil {
			return nil, fmt.Errorf("cannot read scenes: %w", err)
		}
		scenes := record.Scenes{Name: path, Doc: "scenes of a file"}
		err = dump.Scenes(reader, config.Lines, func(line dump.Line) {
			if line.Fault != "" {
				fmt.Fprintf(std.err, "%s: line %d is left out: %s\n", inputName(path), line.Number, line.Fault)
				return
			}
			scenes.Lines = append(scenes.Lines, line.Bytes)
		})
		reader.Close()
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", inputName(path), err)
		}
		all = append(all, scenes)
	}
	return all, nil
}
