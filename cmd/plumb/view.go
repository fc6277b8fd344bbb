package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/explorer"
)

// viewCmd is `plumb view`.
type viewCmd struct {
	Results []string `arg:"" name:"results" help:"Result files of plumb score (JSON lines, plain or compressed), or folders of plumb run, whose dump and tasks are read too."`
	Dump    []string `sep:"none" placeholder:"DUMP" help:"Dump that the results are of (any format that plumb score reads), for answers and pictures; may be repeated."`
	Listen  string   `default:"127.0.0.1:0" placeholder:"ADDR" help:"Address of the pages on this machine. Port 0 takes a free port."`
	UIPages string   `name:"ui-pages" placeholder:"DIR" help:"Folder of the built pages. Default: that of PLUMB_UI_PAGES, else build/explorer beside the program."`
	Save    string   `placeholder:"FILE" help:"Write the results as one HTML file that needs no server and no network, and end; - is standard output."`
	Items   count    `default:"100" placeholder:"N" help:"With --save: number of results, the worst first, that have their pictures and texts, 200 at most."`
	paperFlags
	dumpFlags
	scoreFlags
	engineFlags
	limitFlags
}

// Run shows results as pages on an address of this machine until a signal ends it, or with --save
// writes them as one HTML file. An argument may be a folder that plumb run has written. The tasks of such
// folders are added to those of --tasks; of one suite, all folders must have the same tasks.
func (cmd *viewCmd) Run(std streams) error {
	if cmd.Items > explorer.SavedItems {
		return usage("cannot use --items %d: want at most %d", cmd.Items, explorer.SavedItems)
	}
	job := explorer.Job{}
	var added []folderTasks // of each suite once
	for _, path := range cmd.Results {
		tasks, err := cmd.addResults(path, &job, std)
		if err != nil {
			return err
		}
		earlier := slices.IndexFunc(added, func(before folderTasks) bool { return before.suite == tasks.suite })
		switch {
		case tasks.file == "": // the argument brings no tasks
		case earlier < 0: // the first of this suite
			added = append(added, tasks)
			cmd.Tasks = append(cmd.Tasks, tasks.suite+"="+tasks.file)
		case added[earlier].sum != tasks.sum:
			return usage("cannot show %s together with %s: their tasks of %s differ; want runs of the same tasks", path, filepath.Dir(added[earlier].file), tasks.suite)
		}
	}
	// Flags become settings.
	config, err := coreConfig(&cmd.engineFlags, &cmd.limitFlags, &cmd.scoreFlags)
	if err != nil {
		return err
	}
	variants, err := cmd.variants(config.Suites)
	if err != nil {
		return err
	}
	papers, err := cmd.paperFlags.readPapers()
	if err != nil {
		return err
	}
	items, err := daemon.Items(config)
	if err != nil {
		return err
	}
	// Compressed results and dumps of other tools are copied, because the pages need lines at offsets.
	copies := copier{items: items}
	if copies.recordOptions, err = cmd.options(&config, &items); err != nil {
		return err
	}
	dumps, err := cmd.expandedDumps(&config, std)
	if err != nil {
		return err
	}
	job.Dumps = append(job.Dumps, dumps...)
	ctx, stop := signalContext()
	defer stop()
	// Show the pages, or save them.
	view := daemon.ViewConfig{Listen: cmd.Listen, Core: config, Out: std.err, Log: logger(std, "warn"), Explorer: explorer.Config{
		Title: strings.Join(cmd.Results, ", "), Jobs: func() ([]explorer.Job, error) { return []explorer.Job{job}, nil },
		Items: items, Variants: variants, Papers: papers, Line: int(cmd.MaxLine),
		ResultCopies: copies.copyResults, DumpCopies: copies.copyDumps,
		Flags: cmd.scoreFlags.scoreArguments(&cmd.engineFlags), Client: explorer.PagesDir(cmd.UIPages), Version: version}}
	if cmd.Save == "" {
		return daemon.View(ctx, view)
	}
	out, err := output(cmd.Save, std, slices.Concat(job.Results, job.Dumps)...)
	if err != nil {
		return err
	}
	view.Save, view.Items = out, int(cmd.Items)
	return out.finish(daemon.View(ctx, view))
}

// expandedDumps returns the paths of the dumps that --dump names, with folders and patterns expanded, after a
// check that each can be read.
func (cmd *viewCmd) expandedDumps(config *daemon.CoreConfig, std streams) ([]string, error) {
	if len(cmd.Dump) == 0 {
		return nil, nil
	}
	paths, err := cmd.expand(cmd.Dump, config, std)
	if err != nil {
		return nil, err
	}
	return paths, cmd.check(paths, config.Lines)
}

// folderTasks is the task file of a folder of plumb run.
type folderTasks struct {
	suite string
	file  string // its path; "" for none
	sum   string // SHA-256 of its bytes, in hexadecimal
}

// addResults adds to the job of plumb view what an argument names: a result file, or the results and the
// dump of a folder of plumb run. It returns the task file of such a folder. A partial result file is shown
// too, with a message. A file whose first line is no result is an error.
func (cmd *viewCmd) addResults(path string, job *explorer.Job, std streams) (tasks folderTasks, err error) {
	folder, isFolder, err := openRunFolder(path, cmd.lines())
	if err != nil {
		return tasks, err
	}
	// A result file.
	if !isFolder {
		if _, err := os.Stat(path); err != nil {
			return tasks, usage("cannot open results: %v; want a result file of plumb score, or a folder of plumb run", err)
		}
		if atomicfile.IsPartial(path) {
			fmt.Fprintf(std.err, "plumb: %s holds the results of a run that ended early\n", path)
		}
		job.Results = append(job.Results, path)
		return tasks, checkResults(path)
	}
	// A folder of plumb run also has a dump and a task file.
	job.Results = append(job.Results, folder.results)
	if d := filepath.Join(path, "dump.jsonl"); exists(d) {
		job.Dumps = append(job.Dumps, d)
	}
	record, err := readRecord(filepath.Join(path, "run.json"))
	if err != nil || record == nil {
		return tasks, err
	}
	for _, name := range []string{"tasks.jsonl", "tasks.json"} {
		if file := filepath.Join(path, name); exists(file) {
			return folderTasks{record.Suite, file, record.Tasks}, nil
		}
	}
	return tasks, nil
}

// exists reports whether there is a file at path. A file that cannot be looked at counts as there, so
// that opening it gives the error.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// scoreArguments returns the flags of plumb score with which the same dumps are scored in the same way. Pages of
// results show this command line. Flags with their default values are left out.
func (flags *scoreFlags) scoreArguments(engineFlags *engineFlags) (list []string) {
	if flags.Suite != "" {
		list = append(list, "--suite", flags.Suite)
	}
	for _, t := range flags.Tasks {
		list = append(list, "--tasks", t)
	}
	for _, v := range flags.Variant {
		list = append(list, "--variant", v)
	}
	if flags.Reward != "clamp01" { // the default
		list = append(list, "--reward", flags.Reward)
	}
	if engineFlags.Tldraw != "4.2" { // the default
		list = append(list, "--tldraw", engineFlags.Tldraw)
	}
	if engineFlags.Raster != "reference" { // the default
		list = append(list, "--raster", engineFlags.Raster)
	}
	return list
}
