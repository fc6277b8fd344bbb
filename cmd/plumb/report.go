package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/report"
	"plumb/scoring"
	"plumb/scoring/paper"
	"plumb/scoring/plural"
	"plumb/scoring/table"
	"plumb/scoring/vqa"
)

// paperFlags name files with published tables.
type paperFlags struct {
	Paper []string `placeholder:"FILE|none" help:"JSON file with the tables of a paper, to stand beside the results instead of the built-in ones; may be repeated; none shows none. See docs/runs.md and docs/vqa.md."`
}

// noPaper is the value of --paper that omits published rows.
const noPaper = "none"

// readPapers returns the documents that --paper names, which hold the tables that papers have published, after
// it has checked them. It returns nil without the flag, when the built-in tables are used, and an empty
// list that is not nil for --paper none, when no published numbers are shown.
func (flags *paperFlags) readPapers() (docs [][]byte, err error) {
	for _, path := range flags.Paper {
		if path == noPaper {
			if len(flags.Paper) > 1 {
				return nil, usage("cannot use --paper none with other files: want none alone, or files alone")
			}
			return [][]byte{}, nil
		}
		doc, err := os.ReadFile(path)
		if err == nil {
			err = checkPaper(doc)
		}
		if err != nil {
			return nil, usage("cannot use --paper %s: %v", path, err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// paperFiles returns the values of --paper that are files.
func (flags *paperFlags) paperFiles() []string {
	return slices.DeleteFunc(slices.Clone(flags.Paper), func(s string) bool { return s == noPaper })
}

// checkPaper returns an error for a document that holds no tables of a paper. Such documents have one of
// two forms: one for the papers of SPATIALAB and SpaCE-Eval, and one for those of the other benchmarks.
func checkPaper(doc []byte) error {
	vqaErr := vqa.CheckPaper(doc)
	if vqaErr == nil {
		return nil
	}
	tables, err := paper.Read(doc)
	if err != nil {
		return errors.Join(vqaErr, err)
	}
	suites := builtInSuites()
	if slices.Contains(inTurns(suites).Titles(), tables.Benchmark) { // the others' papers have the other form
		return nil
	}
	return fmt.Errorf("got the benchmark %.40q; want %s", tables.Benchmark, listed(suites.Titles(), "or"))
}

// itemsFlag is the number of items that an HTML report shows.
type itemsFlag struct {
	ReportItems *int `placeholder:"N" help:"Maximum number of items that the HTML report shows: the worst of each test and model, as many of each as fit; 0 shows none. Tables count all items. Default: 2000."`
}

// reportItems returns how many items the report shows, from --report-items, in the form that package
// report takes. dir is the folder of the report, "" for none. The error is a usageError.
func (flag *itemsFlag) reportItems(dir string) (int, error) {
	switch n := flag.ReportItems; {
	case n == nil:
		return report.DefaultMax, nil
	case dir == "":
		return 0, usage("cannot use --report-items without --report: want the folder of the report, --report DIR")
	case *n < 0:
		return 0, usage("cannot use --report-items %d: want 0 or more", *n)
	case *n == 0:
		return report.NoItems, nil
	default:
		return *n, nil
	}
}

// reportCmd is `plumb report`.
type reportCmd struct {
	Results []string `arg:"" name:"results" help:"Folders of plumb run, or result files of plumb score (plain, gzip or zstd), of any suites; - is standard input. NAME=FILE gives the name in the tables, which is else that of the file."`
	Output  string   `short:"o" default:"-" placeholder:"FILE" help:"File for the tables; - is standard output."`
	Format  string   `enum:"text,markdown,json" default:"text" help:"Format of the tables: text, markdown or json."`
	Report  string   `placeholder:"DIR" help:"Folder for an HTML report: the tables, and items with what made their scores."`
	itemsFlag
	Missing string   `enum:"skip,zero" default:"skip" help:"How a missing answer counts: skip (not at all) or zero (as 0)."`
	Variant []string `placeholder:"NAME[=VALUE]" help:"Named variant of the tables, as for plumb score; may be repeated."`
	paperFlags
	successFlag
	limitFlags
}

// successFlag says which answers succeed.
type successFlag struct {
	SuccessFrom *float64 `placeholder:"X" help:"Lowest score that is a success in pass@k, for tests without a rule of their own (choices, pattern, DrawingBench and TangramPuzzle have one). Default: 1."`
}

// Run joins result files into one report: tables on the output, and with --report pages. It prints
// how many repeated results are left out. Results of which none has a score are an error.
func (cmd *reportCmd) Run(std streams) error {
	suites := cmd.uncachedSuites()
	known := append(suites.Variants(), table.Variants()...)
	// Check all flags.
	variants, err := scoring.ParseVariants(cmd.Variant, known)
	if err != nil {
		return usageError{err}
	}
	missing, err := table.ParseMissing(cmd.Missing)
	if err != nil {
		return usageError{err}
	}
	papers, err := cmd.readPapers()
	if err != nil {
		return err
	}
	maxItems, err := cmd.reportItems(cmd.Report)
	if err != nil {
		return err
	}
	if cmd.Report == "" {
		maxItems = report.NoItems
	}
	remark, pictures, err := cmd.expandRunFolders()
	if err != nil {
		return err
	}
	joined, err := report.NewJoined(report.Config{Dir: cmd.Report, Title: strings.Join(cmd.Results, ", "),
		Items: dump.ItemConfig{Suites: suites}, Variants: variants, Missing: missing, Papers: papers, Max: maxItems,
		Remark: remark, Cluster: pictures.of, Success: cmd.SuccessFrom})
	if err != nil {
		return err
	}
	defer joined.Discard()
	// Read all results, and print how many are left out and which tests the tables do not list.
	names, paths := cmd.namedPaths()
	for i, path := range paths {
		if err := cmd.addFile(joined, names[i], path, std); err != nil {
			return err
		}
	}
	fmt.Fprint(std.err, joined.DuplicatesText(), joined.RowlessText())
	// Write the tables.
	out, err := output(cmd.Output, std, append(paths, cmd.paperFiles()...)...)
	if err != nil {
		return err
	}
	switch cmd.Format {
	case "markdown":
		writeMarkdown(out, joined.Tables())
	case "json":
		_, err = out.Write(appendTables(nil, joined.Tables()))
	default:
		err = joined.WriteText(out)
	}
	if err = out.finish(err); err != nil {
		return err
	}
	// No pages are wanted without --report.
	if cmd.Report != "" {
		path, err := joined.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(std.err, "report: %s\n", path)
	}
	switch {
	case joined.Lines() == 0:
		return errors.New("nothing could be reported: the files have no lines; want the result lines that plumb score writes")
	case joined.Scored() == 0:
		return fmt.Errorf("nothing could be reported: none of %s has a score", plural.Of(joined.Lines(), "result"))
	}
	return nil
}

// namedPaths returns for each argument its name in the tables and the path of its file. The name is the one
// given as NAME=FILE, else that of the file; a file that is the only argument has none. Files that would
// have the same name are named by their paths, so that their results are not taken for those of one model.
func (cmd *reportCmd) namedPaths() (names, paths []string) {
	pathOf := map[string]string{}  // by name
	ambiguous := map[string]bool{} // names of several files
	for _, arg := range cmd.Results {
		name, path, given := namedFile(arg)
		if !given && len(cmd.Results) > 1 {
			name = shortName(path)
		}
		if other, ok := pathOf[name]; ok && other != path {
			ambiguous[name] = true
		}
		pathOf[name] = path
		names = append(names, name)
		paths = append(paths, path)
	}
	for i, arg := range cmd.Results {
		if _, _, given := namedFile(arg); !given && ambiguous[names[i]] {
			names[i] = paths[i]
		}
	}
	return names, paths
}

// expandRunFolders replaces the arguments that are folders of plumb run by the result files in them, in
// cmd.Results. remark says for titles of tables how these runs differ from those of the benchmarks'
// papers. shared has the pictures of each task: tasks that share a picture are not independent samples.
func (cmd *reportCmd) expandRunFolders() (remark string, shared clusters, err error) {
	shared = clusters{}
	var names, remarks []string
	for i, arg := range cmd.Results {
		name, path, given := namedFile(arg)
		folder, isFolder, err := openRunFolder(path, cmd.lines())
		if err != nil {
			return "", nil, err
		}
		names = append(names, shortName(path))
		remarks = append(remarks, folder.remark)
		if !isFolder {
			continue
		}
		maps.Copy(shared, folder.clusters)
		cmd.Results[i] = folder.results
		if given {
			cmd.Results[i] = name + "=" + folder.results
		}
	}
	return joinRemarks(names, remarks), shared, nil
}

// namedFile splits the argument NAME=FILE. given is false for an argument that is a path alone. Such a
// path may contain = too, if a slash stands before it.
func namedFile(arg string) (name, path string, given bool) {
	name, path, ok := strings.Cut(arg, "=")
	if ok && name != "" && !strings.ContainsRune(name, os.PathSeparator) {
		return name, path, true
	}
	return "", arg, false
}

// shortName returns the name of a file without its folder and without the endings of result files.
func shortName(path string) string {
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".zst", ".jsonl", ".json"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// addFile adds the results of one file to the report. A line that is no result is an error, because a
// file must not be joined in part.
func (cmd *reportCmd) addFile(joined *report.Joined, name, path string, std streams) error {
	reader, err := openDump(path, cmd.lines(), std.in)
	if err != nil {
		return err
	}
	defer reader.Close()
	if atomicfile.IsPartial(path) {
		fmt.Fprintf(std.err, "plumb: %s holds the results of a run that ended early\n", path)
	}
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && line.Fault != "" {
			err = errors.New(line.Fault)
		}
		if err == nil {
			err = joined.Add(name, line.Bytes)
		}
		if err != nil {
			return fmt.Errorf("cannot join %s: line %d: %w", inputName(path), line.Number, err)
		}
	}
}

// writeMarkdown writes tables as Markdown, each with its title as a heading and its note below. The first
// columns of a table, as many as its TextColumns, hold texts and are aligned to the left; the others
// hold numbers and are aligned to the right.
func writeMarkdown(w io.Writer, tables []scoring.TextTable) {
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ")
	for _, textTable := range tables {
		fmt.Fprintf(w, "### %s\n\n", cell.Replace(textTable.Title))
		alignments := make([]string, len(textTable.Columns))
		for i := range alignments {
			if alignments[i] = "---:"; i < textTable.TextColumns { // a colon at the right aligns to the right
				alignments[i] = "---"
			}
		}
		for _, row := range append([][]string{textTable.Columns, alignments}, textTable.Rows...) {
			for _, s := range row {
				fmt.Fprintf(w, "| %s ", cell.Replace(s))
			}
			fmt.Fprintln(w, "|")
		}
		if textTable.Note != "" {
			fmt.Fprintf(w, "\n%s\n", textTable.Note)
		}
		fmt.Fprintln(w)
	}
}

// appendTables appends tables as one JSON document, {"tables":[{"title","columns","rows","note"}]}.
// All cells are texts, as the text tables have them.
func appendTables(dst []byte, tables []scoring.TextTable) []byte {
	list := func(dst []byte, texts []string) []byte {
		dst = append(dst, '[')
		for i, text := range texts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = scoring.AppendString(dst, text)
		}
		return append(dst, ']')
	}
	// Each table is an object with a title, columns, rows and a note.
	dst = append(dst, `{"tables":[`...)
	for i, table := range tables {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = scoring.AppendString(append(dst, `{"title":`...), table.Title)
		dst = list(append(dst, `,"columns":`...), table.Columns)
		dst = append(dst, `,"rows":[`...)
		for k, row := range table.Rows {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = list(dst, row)
		}
		dst = scoring.AppendString(append(dst, `],"note":`...), table.Note)
		dst = append(dst, '}')
	}
	return append(dst, "]}\n"...)
}
