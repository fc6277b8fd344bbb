// Package report writes scored dumps as HTML with the explorer's pages, and native pictures beside
// the editor's. In: dump lines with their result lines, in order. Out: a folder with index.html,
// which needs no network and no other file. It scores nothing: every number is from the result
// lines. It refuses lines that are no results, and to begin where the explorer's pages are not
// built.
package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/exhibit"
	"plumb/daemon/explorer"
	"plumb/daemon/index"
	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/table"
)

// Config configures a report. Dir and Items are required.
type Config struct {
	Dir      string          // created when missing; files of the same names are replaced
	Title    string          // names the dump
	Items    dump.ItemConfig // how dump lines become items
	Variants scoring.Variants
	Missing  table.Missing // how tables count missing answers
	Papers   [][]byte      // documents of paper tables (scoring.TableOptions)
	Remark   string        // as in table.Options
	Cluster  func(suite, id string) string
	Success  *float64
	Renderer exhibit.Renderer // nil: every picture is an empty box
	// Max is how many items are shown at most: the worst of each test and series, of
	// all as many as fit. 0 is DefaultMax. Tables count all.
	Max      int
	Workers  int                   // pictures drawn at once, default GOMAXPROCS
	Progress func(done, total int) // called while items are drawn; may be nil
	// Context ends drawing early; the report is then marked as partial. May be nil.
	Context context.Context
	// Pages is the folder of the explorer's built pages, "" for that of explorer.PagesDir.
	Pages string
	Flags []string // with which plumb score reads the dump, for the commands that the page shows
}

// DefaultMax is how many items a report shows at most where Config does not say.
const DefaultMax = 2000

// NoItems is a Config.Max that shows none.
const NoItems = -1

// Writer collects items and writes the report. One goroutine uses it.
type Writer struct {
	cfg     Config
	table   *table.Table
	columns *index.Columns // of the results that the tables count; nil where no page is written
	rows    int
	sample  *sampler
	folder  *atomicfile.Folder
	dump    string // see From
	early   string // why the run ended early, "" where it did not
	scorer  string
	backend string
	parser  fastjson.Parser
}

// Ready returns an error if no report could be written because the explorer's pages are not
// built. A run that costs money asks this before its first call.
func Ready() error {
	e := newWriter(Config{}).explorer()
	defer e.Close()
	return cannotWrite(e.Built())
}

// cannotWrite wraps an error as the reason why no report can be written; nil stays nil.
func cannotWrite(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write a report: %w", err)
}

// New makes the folder and returns a writer. Nothing is written before Close.
func New(cfg Config) (*Writer, error) {
	w := newWriter(cfg)
	return w, w.open(cfg.Dir)
}

// newWriter returns a report writer with defaults in place of zero values.
func newWriter(cfg Config) *Writer {
	if cfg.Max == 0 {
		cfg.Max = DefaultMax
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	return &Writer{cfg: cfg, table: newTable(&cfg), sample: newSampler(cfg.Max)}
}

// open checks that the explorer's pages are built, makes the folder, and opens the columns
// of results. Results may be added afterwards.
func (w *Writer) open(dir string) (err error) {
	e := w.explorer()
	defer e.Close()
	if err := cannotWrite(e.Built()); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make report folder: %w", err)
	}
	if w.columns, err = index.NewColumns(); err != nil {
		return cannotWrite(err)
	}
	w.cfg.Dir, w.folder = dir, atomicfile.NewFolder(dir, "report")
	return nil
}

// explorer returns an explorer that makes the page, with an engine that draws and scores
// nothing.
func (w *Writer) explorer() *explorer.Explorer {
	pages := w.cfg.Pages
	if pages == "" {
		pages = explorer.PagesDir("")
	}
	return explorer.New(explorer.Config{Items: w.cfg.Items, Variants: w.cfg.Variants, Flags: w.cfg.Flags, Client: pages, Engine: func() (explorer.Engine, error) {
		if w.cfg.Renderer == nil {
			return nil, errors.New("no renderer")
		}
		return engine{w.cfg.Renderer}, nil
	}})
}

// engine draws for a report, which scores nothing.
type engine struct{ exhibit.Renderer }

var _ explorer.Engine = engine{}

// Score implements explorer.Engine: it always fails, because every number of a report is from results.
func (engine) Score(context.Context, dump.Line, string) (r scoring.Result, err error) {
	return r, errors.New("a report scores nothing")
}

// Add adds a dump line and its result line, and copies what it keeps of them. It
// returns an error for a line that is no result, such as that of a broken stream, and
// none for a bad dump line.
func (w *Writer) Add(line dump.Line, result []byte) error {
	v, r, err := readResult(&w.parser, result)
	if err != nil {
		return err
	}
	return w.add(line, result, v, r)
}

// add counts a result, whose line is v, in the tables and keeps it for its item and columns.
// A duplicate, which the tables do not count, is left out everywhere.
func (w *Writer) add(line dump.Line, result []byte, v *fastjson.Value, r *scoring.Result) error {
	w.backend = r.Backend
	if w.scorer == "" {
		w.scorer = string(v.GetStringBytes("scorer"))
	}
	if !w.table.Add(r) {
		return nil
	}
	w.sample.add(line, result, r)
	w.rows++
	if w.columns == nil {
		return nil
	}
	return w.columns.Add(r, v)
}

// readResult reads a result line. r keeps nothing of b or the parser, but v is valid only
// until the parser's next use. It returns an error for a line that is no result, such as a
// dump line.
func readResult(p *fastjson.Parser, b []byte) (v *fastjson.Value, r *scoring.Result, err error) {
	if v, err = jsontree.Parse(p, b); err != nil {
		return nil, nil, fmt.Errorf("cannot read result line: %w; want a line that plumb score wrote", err)
	}
	r, err = scoring.CheckResult(v)
	return v, r, err
}

// From names the file that all dump lines are of, in plumb's own format. The page then shows
// the commands that score its lines alone.
func (w *Writer) From(path string) { w.dump = path }

// EndedEarly marks the report as partial, for the reason why. A partial report does not
// replace a former one: Close returns its own path instead.
func (w *Writer) EndedEarly(why string) { w.early = why }

// Discard removes what was written so far; a former report stays as it was.
func (w *Writer) Discard() {
	if w.columns != nil {
		w.columns.Discard()
	}
	if w.folder != nil {
		w.folder.Discard()
	}
}

// Close writes the page and returns its path. After an error nothing is left of it. A
// partial report does not replace a former one: it stays under a name of its own, whose path
// is returned.
func (w *Writer) Close() (path string, err error) {
	partial, err := w.finish()
	if err != nil {
		w.folder.Discard()
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	path = filepath.Join(w.cfg.Dir, "index.html")
	if _, err := os.Stat(path); partial != "" && err == nil {
		return filepath.Join(w.folder.Keep(), "index.html"), nil
	}
	if err := w.folder.Commit(); err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}

// finish writes the page into the temporary folder. partial is the reason why the report is
// partial, "" if it is not.
func (w *Writer) finish() (partial string, err error) {
	columns, err := w.columns.File(w.cfg.Title)
	if err != nil {
		return "", err
	}
	defer columns.Close()
	e := w.explorer()
	defer e.Close()
	r := &explorer.Report{Title: w.cfg.Title, Columns: columns, Table: w.table, Given: w.given(), Remark: w.remark(),
		Remarks: w.remarks(), Workers: w.cfg.Workers,
		Progress: w.cfg.Progress, Interrupted: partialText("interrupted while pictures were drawn")}
	if w.early != "" {
		r.Partial = partialText(w.early)
	}
	err = w.folder.WriteFile("index.html", func(f io.Writer) error {
		partial, err = e.WriteReport(w.cfg.Context, f, r)
		return err
	})
	return partial, err
}

// partialText returns the sentences that say that a report is partial and why.
func partialText(why string) string {
	return "This report is partial. The run ended early: " + why + ". Tables and items cover what was scored before that."
}

// given lists the items that are kept.
func (w *Writer) given() (list []explorer.Given) {
	for _, g := range w.sample.groups {
		for _, p := range g.items {
			list = append(list, explorer.Given{Row: p.order, Result: p.result, Line: p.line, Source: w.dump})
		}
	}
	slices.SortFunc(list, func(a, b explorer.Given) int { return a.Row - b.Row })
	return list
}

// remark says how many answers there are, how many of them the page shows, and what scored them.
func (w *Writer) remark() string {
	s := fmt.Sprintf("%d answers", w.rows)
	if w.rows == 1 {
		s = "1 answer"
	}
	switch {
	case w.sample.n == 0:
		s += ". No items are shown; tables count all answers (--report-items)."
	case w.sample.n < w.rows:
		s += fmt.Sprintf(", %d shown: the worst of each test and model (--report-items). Tables count all answers.",
			w.sample.n)
	default:
		s += "."
	}
	if w.scorer != "" {
		s += " Scored by " + w.scorer
		if w.backend != "" {
			s += ", backend " + w.backend
		}
		s += "."
	}
	return s
}

// remarks says what the tables leave out.
func (w *Writer) remarks() []string {
	list := []string{}
	if s := w.table.Unlisted(); s != "" {
		list = append(list, s)
	}
	if s := w.table.LeftOut(); s != "" {
		list = append(list, s)
	}
	return list
}
