// Package report writes scored dumps as HTML with the explorer's pages, and native pictures beside
// the editor's. The explorer is the web page of plumb view. Native pictures are those that plumb draws
// by itself; the editor is tldraw in a browser, which says how they should look. In: dump lines with
// their result lines, in order. Out: a folder with index.html, which needs no network and no other
// file. It scores nothing: every number is from the result lines. It refuses lines that are no
// results, and to begin where the explorer's pages are not built.
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
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/exhibit"
	"plumb/daemon/explorer"
	"plumb/daemon/index"
	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/plural"
	"plumb/scoring/table"
)

// Config configures a report. Dir and Items are required.
type Config struct {
	Dir      string          // created when missing; files of the same names are replaced
	Title    string          // names the dump
	Items    dump.ItemConfig // how dump lines become items
	Variants scoring.Variants
	Missing  table.Missing                 // how tables count missing answers
	Papers   [][]byte                      // documents with the tables that papers print (scoring.TableOptions)
	Remark   string                        // is added to the titles of the suites' own tables, "" for nothing
	Cluster  func(suite, id string) string // as in table.Options
	Success  *float64                      // as in table.Options
	Renderer exhibit.Renderer              // nil: every picture is an empty box
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
	cfg        Config
	table      *table.Table
	columns    *index.Columns // of the results that the tables count; nil where no page is written
	rows       int            // results that the tables count
	sampler    *sampler       // the items that are shown
	folder     *atomicfile.Folder
	dumpName   string   // see From
	endedEarly string   // why the run ended early, "" where it did not
	scorers    nameList // programs that scored the results that the tables count
	backends   nameList // that made the pixels for them
	parser     fastjson.Parser
}

// nameList holds the different names that results give for one thing, in the order in which they came.
type nameList []string

// maxNames is how many names the page lists of one kind. There is a limit because result lines may name
// anything.
const maxNames = 8

// add adds a name unless it is "" or was added before. One more than maxNames are kept, to tell whether
// there are others.
func (list *nameList) add(name string) {
	if name != "" && len(*list) <= maxNames && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// String returns the names with commas between them.
func (list nameList) String() string {
	if len(list) > maxNames {
		return strings.Join(list[:maxNames], ", ") + " and others"
	}
	return strings.Join(list, ", ")
}

// Ready returns an error if no report could be written because the explorer's pages are not
// built. A run that costs money asks this before its first call.
func Ready() error {
	e := newWriter(Config{}).newExplorer()
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
	return w, w.openPage(cfg.Dir)
}

// newWriter returns a writer of a report, with defaults in place of zero values of cfg. It opens nothing;
// see openPage.
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
	return &Writer{cfg: cfg, table: newTable(&cfg), sampler: newSampler(cfg.Max)}
}

// openPage checks that the explorer's pages are built, makes the folder, and opens the columns
// of results. Results may be added afterwards.
func (writer *Writer) openPage(dir string) (err error) {
	e := writer.newExplorer()
	defer e.Close()
	if err := cannotWrite(e.Built()); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make report folder: %w", err)
	}
	if writer.columns, err = index.NewColumns(); err != nil {
		return cannotWrite(err)
	}
	writer.cfg.Dir, writer.folder = dir, atomicfile.NewFolder(dir, "report")
	return nil
}

// newExplorer returns the explorer that makes the report's page. Its engine draws pictures and refuses to
// score. The caller closes the explorer.
func (writer *Writer) newExplorer() *explorer.Explorer {
	pages := writer.cfg.Pages
	if pages == "" {
		pages = explorer.PagesDir("")
	}
	openEngine := func() (explorer.Engine, error) {
		if writer.cfg.Renderer == nil {
			return nil, errors.New("no renderer")
		}
		return engine{writer.cfg.Renderer}, nil
	}
	return explorer.New(explorer.Config{Items: writer.cfg.Items, Variants: writer.cfg.Variants, Flags: writer.cfg.Flags,
		Client: pages, Engine: openEngine})
}

// engine draws for a report, which scores nothing.
type engine struct{ exhibit.Renderer }

var _ explorer.Engine = engine{}

// Score implements explorer.Engine: it always fails, because every number of a report is from results.
func (engine) Score(context.Context, dump.Line, string) (r scoring.Result, err error) {
	return r, errors.New("a report scores nothing")
}

// Add adds a dump line and its result line, and copies what it keeps of them. A result line that is no
// result, such as that of a broken stream, is an error. A bad dump line is none, because its result says so.
func (writer *Writer) Add(line dump.Line, result []byte) error {
	value, res, err := readResult(&writer.parser, result)
	if err != nil {
		return err
	}
	return writer.addResult(line, result, value, res)
}

// addResult counts the result res in the tables, keeps its item if that is to be shown, and adds it to the
// columns of the page. result is its line, and value that line parsed. A duplicate, which the tables do
// not count, is left out everywhere.
func (writer *Writer) addResult(line dump.Line, result []byte, value *fastjson.Value, res *scoring.Result) error {
	if first := writer.table.Add(res); !first {
		return nil
	}
	writer.scorers.add(string(value.GetStringBytes("scorer")))
	writer.backends.add(res.Backend)
	writer.sampler.keepIfWorst(line, result, res)
	writer.rows++
	if writer.columns == nil {
		return nil
	}
	return writer.columns.Add(res, value)
}

// readResult reads the result line b. value is the parsed line, valid until the parser's next use; result
// is a copy of what it says. It returns an error for a line that is no result, such as a dump line.
func readResult(parser *fastjson.Parser, b []byte) (value *fastjson.Value, result *scoring.Result, err error) {
	if value, err = jsontree.Parse(parser, b); err != nil {
		return nil, nil, fmt.Errorf("cannot read result line: %w; want a line that plumb score wrote", err)
	}
	result, err = scoring.CheckResult(value)
	return value, result, err
}

// From names the file that all dump lines are of, in plumb's own format. The page then shows
// the commands that score its lines alone.
func (writer *Writer) From(path string) { writer.dumpName = path }

// EndedEarly marks the report as partial, for the reason why. A partial report does not
// replace a former one: Close returns its own path instead.
func (writer *Writer) EndedEarly(why string) { writer.endedEarly = why }

// Discard removes what was written so far; a former report stays as it was.
func (writer *Writer) Discard() {
	if writer.columns != nil {
		writer.columns.Discard()
	}
	if writer.folder != nil {
		writer.folder.Discard()
	}
}

// Close writes the page and returns its path. After an error nothing is left of it. A
// partial report does not replace a former one: it stays under a name of its own, whose path
// is returned.
func (writer *Writer) Close() (path string, err error) {
	partial, err := writer.writePage()
	if err != nil {
		writer.folder.Discard()
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	path = filepath.Join(writer.cfg.Dir, "index.html")
	_, err = os.Stat(path)
	if hasFormer := err == nil; hasFormer && partial != "" { // the former report stays
		return filepath.Join(writer.folder.Keep(), "index.html"), nil
	}
	if err := writer.folder.Commit(); err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}

// writePage writes the page into the temporary folder. partial is what the page says of why it is partial, ""
// if it is not: the run ended early (EndedEarly), or else Config.Context ended while pictures were drawn.
func (writer *Writer) writePage() (partial string, err error) {
	columns, err := writer.columns.File(writer.cfg.Title)
	if err != nil {
		return "", err
	}
	defer columns.Close()
	e := writer.newExplorer()
	defer e.Close()
	report := &explorer.Report{Title: writer.cfg.Title, Columns: columns, Table: writer.table, Given: writer.shownItems(), Remark: writer.topSentences(),
		Remarks: writer.leftOutSentences(), Workers: writer.cfg.Workers, Progress: writer.cfg.Progress,
		Interrupted: partialText("interrupted while pictures were drawn")} // which only WriteReport finds out
	if writer.endedEarly != "" {
		report.Partial = partialText(writer.endedEarly)
	}
	err = writer.folder.WriteFile("index.html", func(f io.Writer) (err error) {
		partial, err = e.WriteReport(writer.cfg.Context, f, report) // returns the one of the two texts that it wrote, or ""
		return err
	})
	return partial, err
}

// partialText returns the sentences that say that a report is partial and why.
func partialText(why string) string {
	return "This report is partial. The run ended early: " + why + ". Tables and items cover what was scored before that."
}

// shownItems returns the items that the report shows, those that the sampler has kept, in the order in which
// their results were added.
func (writer *Writer) shownItems() (list []explorer.Given) {
	for _, group := range writer.sampler.groups {
		for _, item := range group.items {
			list = append(list, explorer.Given{Row: item.position, Result: item.result, Line: item.line, Source: writer.dumpName})
		}
	}
	slices.SortFunc(list, func(a, b explorer.Given) int { return a.Row - b.Row })
	return list
}

// topSentences returns the sentences at the top of the report: how many answers there are, how many of them
// the page shows, and what scored them. Readers know a series, a model and how it was asked, as a model.
func (writer *Writer) topSentences() string {
	text := plural.Of(writer.rows, "answer")
	switch shown := writer.sampler.kept; {
	case shown == 0:
		text += ". No items are shown; tables count all answers (--report-items)."
	case shown < writer.rows:
		text += fmt.Sprintf(", %d shown: the worst of each test and model (--report-items). Tables count all answers.", shown)
	default:
		text += "."
	}
	if len(writer.scorers) > 0 {
		text += " Scored by " + writer.scorers.String()
		switch len(writer.backends) {
		case 0:
		case 1:
			text += ", backend " + writer.backends.String()
		default:
			text += ", backends " + writer.backends.String()
		}
		text += "."
	}
	return text
}

// leftOutSentences returns sentences about what the tables leave out: results that belong to no row, and results that repeat
// an earlier one.
func (writer *Writer) leftOutSentences() []string {
	list := []string{}
	if s := writer.table.RowlessText(); s != "" {
		list = append(list, s)
	}
	if s := writer.table.DuplicatesText(); s != "" {
		list = append(list, s)
	}
	return list
}
