// Package report writes scored dumps as HTML. In: dump lines with their result lines,
// in order. Out: a folder with index.html, which needs no network and no other file,
// and for long dumps further pages of items. It scores nothing: every number is from
// the result lines. It shows shapes that cannot be drawn as named boxes.
package report

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"image"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/valyala/fastjson"

	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/table"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("page").Parse(pageSource))
)

// Renderer draws one view as an image that is not premultiplied. It is safe for
// concurrent use. The error wraps view.ErrForeign where the view holds what
// is not drawn natively.
type Renderer interface {
	Picture(v view.View) (*image.NRGBA, error)
}

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
	Renderer Renderer // nil: every picture is an empty box
	// Max is how many items are shown at most: the worst of each test and series, of
	// all as many as fit. 0 is DefaultMax. Tables count all.
	Max      int
	Workers  int                   // pictures drawn at once, default GOMAXPROCS
	Progress func(done, total int) // called after every item that is drawn, concurrently; may be nil
	// Context ends drawing early; the report is then marked as partial. May be nil.
	Context context.Context
}

// DefaultMax is how many items a report shows at most where Config does not say.
const DefaultMax = 2000

// NoItems is a Config.Max that shows none.
const NoItems = -1

// Writer collects items and writes the report. One goroutine uses it.
type Writer struct {
	cfg     Config
	table   *table.Table
	sample  *sampler
	folder  *atomicfile.Folder
	early   string // why the run ended early, "" where it did not
	pages   []pageLink
	made    atomic.Int64 // cards
	scorer  string
	backend string
	parser  fastjson.Parser
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
	return &Writer{cfg: cfg, table: newTable(&cfg), sample: newSampler(cfg.Max)}
}

// open makes the folder.
func (w *Writer) open(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make report folder: %w", err)
	}
	w.cfg.Dir, w.folder = dir, atomicfile.NewFolder(dir, "report")
	return nil
}

// Add adds a dump line and its result line, and copies what it keeps of them. It
// returns an error for a line that is no result, such as that of a broken stream, and
// none for a bad dump line.
func (w *Writer) Add(line dump.Line, result []byte) error {
	r, err := readResult(&w.parser, result)
	if err != nil {
		return err
	}
	w.add(line, result, r)
	return nil
}

// add counts a result and keeps it for its card. The same answer twice counts once.
func (w *Writer) add(line dump.Line, result []byte, r *scoring.Result) {
	w.backend = r.Backend
	if w.scorer == "" {
		w.scorer = fastjson.GetString(result, "scorer")
	}
	if w.table.Add(r) {
		w.sample.add(line, result, r)
	}
}

// EndedEarly marks the report as partial, for the reason why. A partial report does not
// replace a former one: Close returns its own path instead.
func (w *Writer) EndedEarly(why string) { w.early = why }

// Discard removes what was written so far; a former report stays as it was.
func (w *Writer) Discard() { w.folder.Discard() }

// Close writes all pages and returns the path of index.html. After an error it removes
// them.
func (w *Writer) Close() (path string, err error) {
	if err := w.finish(); err != nil {
		w.folder.Discard()
		return "", err
	}
	path = filepath.Join(w.cfg.Dir, "index.html")
	if _, err := os.Stat(path); w.early != "" && err == nil {
		return filepath.Join(w.folder.Keep(), "index.html"), nil
	}
	if err := w.folder.Commit(); err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}

// finish writes all pages, index.html last.
func (w *Writer) finish() error {
	sheets := layout(w.sample.sorted(), w.sample.n)
	for _, s := range sheets[1:] {
		w.pages = append(w.pages, pageLink{s.file, s.label(), s.items})
	}
	for _, s := range sheets[1:] {
		p := w.page()
		w.fill(p, s)
		if err := w.write(s.file, p); err != nil {
			return err
		}
	}
	p := w.page()
	p.Index = true
	p.Boards, p.Papers, p.Other, p.LeftOut = means(w.table, links(sheets)), w.table.Own(), w.table.Other(), w.table.LeftOut()
	w.fill(p, sheets[0])
	return w.write("index.html", p)
}

// write renders the template into a file.
func (w *Writer) write(name string, p *page) error {
	if err := w.folder.WriteFile(name, func(f io.Writer) error { return pageTemplate.Execute(f, p) }); err != nil {
		return fmt.Errorf("cannot write report page %s: %w", name, err)
	}
	return nil
}
