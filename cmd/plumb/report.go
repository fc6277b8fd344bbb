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
	"plumb/scoring/table"
	"plumb/scoring/vqa"
)

// paperFlags name files with published tables.
type paperFlags struct {
	Paper []string `placeholder:"FILE|none" help:"Paper tables (JSON) that stand beside the results instead of those of the program; may be repeated; none omits all. See docs/runs.md and docs/vqa.md."`
}

// noPaper is the value of --paper that omits published rows.
const noPaper = "none"

// read returns the documents of published tables: nil where the program's own are wanted, an empty
// list for none.
func (f *paperFlags) read() (docs [][]byte, err error) {
	for _, path := range f.Paper {
		if path == noPaper {
			if len(f.Paper) > 1 {
				return nil, usage("cannot use --paper none: got other files beside it; want it alone")
			}
			return [][]byte{}, nil
		}
		b, err := os.ReadFile(path)
		if err == nil {
			err = checkPaper(b)
		}
		if err != nil {
			return nil, usage("cannot use --paper %s: %v", path, err)
		}
		docs = append(docs, b)
	}
	return docs, nil
}

// paperFiles returns the files that are read.
func (f *paperFlags) paperFiles() []string {
	return slices.DeleteFunc(slices.Clone(f.Paper), func(s string) bool { return s == noPaper })
}

// checkPaper returns an error for a document that is no paper of any suite.
func checkPaper(doc []byte) error {
	err := vqa.CheckPaper(doc)
	if err == nil {
		return nil
	}
	p, other := paper.Read(doc)
	if other != nil {
		return errors.Join(err, other)
	}
	switch p.Benchmark {
	case "ASPIRE", "DrawingBench", "TangramPuzzle":
		return nil
	}
	return fmt.Errorf("got the benchmark %.40q; want ASPIRE, DrawingBench, TangramPuzzle, SPATIALAB or SpaCE-Eval", p.Benchmark)
}

// itemsFlag is the number of items that an HTML report shows.
type itemsFlag struct {
	ReportItems *int `placeholder:"N" help:"Items that the HTML report shows at most (default 2000): the worst of each test and model, of all as many as fit; 0 for none. Tables count all."`
}

// most is the number as reports take it; dir is where the report is written.
func (f *itemsFlag) most(dir string) (int, error) {
	switch n := f.ReportItems; {
	case n == nil:
		return report.DefaultMax, nil
	case dir == "":
		return 0, usage("cannot use --report-items: want --report DIR beside it")
	case *n < 0:
		return 0, usage("cannot use --report-items: got %d; want 0 or more", *n)
	case *n == 0:
		return report.NoItems, nil
	default:
		return *n, nil
	}
}

// reportCmd is `plumb report`.
type reportCmd struct {
	Results []string `arg:"" name:"results" help:"Folders of plumb run, or result files of plumb score, plain, gzip or zstd, of any suites; NAME=FILE names the series, else the file does. - is stdin."`
	Output  string   `short:"o" default:"-" placeholder:"FILE" help:"File for the tables; - is stdout."`
	Format  string   `enum:"text,markdown,json" default:"text" help:"How the tables are written: text, markdown or json."`
	Report  string   `placeholder:"DIR" help:"Write the tables as HTML there too, with the items."`
	itemsFlag
	Missing string   `enum:"skip,zero" default:"skip" help:"What a missing answer counts: skip (nothing) or zero."`
	Variant []string `placeholder:"NAME[=VALUE]" help:"Variants of tables, as in plumb score; may be repeated."`
	paperFlags
	successFlag
	limitFlags
}

// successFlag says which answers succeed.
type successFlag struct {
	SuccessFrom *float64 `placeholder:"X" help:"Score from which an answer succeeds in pass@k, in tests without a rule of their own (choices, pattern, DrawingBench and TangramPuzzle have one). Default: 1."`
}

// Run joins result files into one report.
func (c *reportCmd) Run(std streams) error {
	suites := c.suites(0, 0)
	known := append(suites.Variants(), table.Variants()...)
	variants, err := scoring.ParseVariants(c.Variant, known)
	if err != nil {
		return usageError{err}
	}
	missing, err := table.ParseMissing(c.Missing)
	if err != nil {
		return usageError{err}
	}
	papers, err := c.read()
	if err != nil {
		return err
	}
	most, err := c.most(c.Report)
	if err != nil {
		return err
	}
	if c.Report == "" {
		most = report.NoItems
	}
	remark, pictures, err := c.folders()
	if err != nil {
		return err
	}
	j, err := report.NewJoined(report.Config{Dir: c.Report, Title: strings.Join(c.Results, ", "), Items: dump.ItemConfig{Suites: suites}, Variants: variants, Missing: missing, Papers: papers, Max: most,
		Remark: remark, Cluster: pictures.of, Success: c.SuccessFrom})
	if err != nil {
		return err
	}
	defer j.Discard()
	names, paths := c.series()
	for i, path := range paths {
		if err := c.file(j, names[i], path, std); err != nil {
			return err
		}
	}
	fmt.Fprint(std.err, j.LeftOut(), j.Unlisted())
	out, err := output(c.Output, std, append(paths, c.paperFiles()...)...)
	if err != nil {
		return err
	}
	switch c.Format {
	case "markdown":
		writeMarkdown(out, j.Tables())
	case "json":
		_, err = out.Write(appendTables(nil, j.Tables()))
	default:
		err = j.WriteText(out)
	}
	if err = out.finish(err); err != nil {
		return err
	}
	if c.Report != "" {
		path, err := j.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(std.err, "report: %s\n", path)
	}
	switch {
	case j.Lines() == 0:
		return errors.New("nothing could be reported: there are no results")
	case j.Scored() == 0:
		return fmt.Errorf("nothing could be reported: none of %d results has a score", j.Lines())
	}
	return nil
}

// series returns the names and the paths of the arguments. One file alone needs no name.
// Files with the same short name are named by their paths, so that their results are not
// taken for those of one model.
func (c *reportCmd) series() (names, paths []string) {
	files := map[string]string{} // by name
	shared := map[string]bool{}
	for _, arg := range c.Results {
		name, path, given := namedFile(arg)
		if !given && len(c.Results) > 1 {
			name = shortName(path)
		}
		if other, ok := files[name]; ok && other != path {
			shared[name] = true
		}
		files[name] = path
		names, paths = append(names, name), append(paths, path)
	}
	for i, arg := range c.Results {
		if _, _, given := namedFile(arg); !given && shared[names[i]] {
			names[i] = paths[i]
		}
	}
	return names, paths
}

// folders replaces arguments that are folders of plumb run by their result files, and returns
// what the titles say of the runs and what their tasks share.
func (c *reportCmd) folders() (remark string, shared clusters, err error) {
	shared = clusters{}
	var names, remarks []string
	for i, arg := range c.Results {
		name, path, given := namedFile(arg)
		f, ok, err := openRunFolder(path, c.lines())
		if err != nil {
			return "", nil, err
		}
		names, remarks = append(names, shortName(path)), append(remarks, f.remark)
		if !ok {
			continue
		}
		maps.Copy(shared, f.clusters)
		c.Results[i] = f.results
		if given {
			c.Results[i] = name + "=" + f.results
		}
	}
	return joinRemarks(names, remarks), shared, nil
}

// namedFile splits NAME=FILE; given is false for a file without a name.
func namedFile(arg string) (name, path string, given bool) {
	name, path, ok := strings.Cut(arg, "=")
	if ok && name != "" && !strings.ContainsRune(name, os.PathSeparator) {
		return name, path, true
	}
	return "", arg, false
}

// shortName returns the name of a file without its folder and the usual endings.
func shortName(path string) string {
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".zst", ".jsonl", ".json"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// file adds the results of one file to the report. A line that is no result is an error, because a
// file must not be joined in part.
func (c *reportCmd) file(j *report.Joined, name, path string, std streams) error {
	r, err := openDump(path, c.lines(), std.in)
	if err != nil {
		return err
	}
	defer r.Close()
	if atomicfile.IsPartial(path) {
		fmt.Fprintf(std.err, "plumb: %s holds the results of a run that ended early\n", path)
	}
	for {
		l, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && l.Fault != "" {
			err = errors.New(l.Fault)
		}
		if err == nil {
			err = j.Add(name, l.Bytes)
		}
		if err != nil {
			return fmt.Errorf("cannot join %s: line %d: %w", path, l.N, err)
		}
	}
}

// writeMarkdown writes tables as Markdown.
func writeMarkdown(w io.Writer, tables []scoring.TextTable) {
	cell := strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ")
	for _, t := range tables {
		fmt.Fprintf(w, "### %s\n\n", cell.Replace(t.Title))
		lines := [][]string{t.Columns, make([]string, len(t.Columns))}
		for i := range t.Columns {
			if lines[1][i] = "---:"; i < t.Text {
				lines[1][i] = "---"
			}
		}
		for _, row := range append(lines, t.Rows...) {
			for _, s := range row {
				fmt.Fprintf(w, "| %s ", cell.Replace(s))
			}
			fmt.Fprintln(w, "|")
		}
		if t.Note != "" {
			fmt.Fprintf(w, "\n%s\n", t.Note)
		}
		fmt.Fprintln(w)
	}
}

// appendTables appends tables as one JSON document.
func appendTables(dst []byte, tables []scoring.TextTable) []byte {
	list := func(dst []byte, texts []string) []byte {
		dst = append(dst, '[')
		for i, s := range texts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = scoring.AppendString(dst, s)
		}
		return append(dst, ']')
	}
	dst = append(dst, `{"tables":[`...)
	for i, t := range tables {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = scoring.AppendString(append(dst, `{"title":`...), t.Title)
		dst = list(append(dst, `,"columns":`...), t.Columns)
		dst = append(dst, `,"rows":[`...)
		for k, row := range t.Rows {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = list(dst, row)
		}
		dst = scoring.AppendString(append(dst, `],"note":`...), t.Note)
		dst = append(dst, '}')
	}
	return append(dst, "]}\n"...)
}
