// Package report writes scored dumps as HTML that explains itself. In: dump
// lines with their result lines, in order. Out: a folder with index.html, which
// needs no network and no other file (long dumps get further pages of items
// beside it). It scores nothing: every number is that of the result line. What
// cannot be drawn is shown as a box that says so, never left out in silence.
package report

import (
	"context"
	"fmt"
	"html/template"
	"image"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/valyala/fastjson"

	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/render/outline"
	"plumb/scoring"
	"plumb/scoring/table"
)

// Renderer draws one view as an image that is not premultiplied. It is safe for
// concurrent use. The error wraps outline.ErrForeign where the view holds what
// is not drawn natively.
type Renderer interface {
	Picture(v outline.View) (*image.NRGBA, error)
}

// Config says what a report shows. Dir and Items are required.
type Config struct {
	Dir      string          // created when missing; files of the same names are replaced
	Title    string          // names the dump
	Items    dump.ItemConfig // how dump lines become items
	Variants scoring.Variants
	Missing  table.Missing // how tables count answers that were never heard
	Papers   [][]byte      // documents of paper tables (scoring.TableOptions)
	Renderer Renderer      // nil: every picture is a box that says so
	Max      int           // items shown at most, default 2000; tables count all
	Workers  int           // pictures drawn at once, default GOMAXPROCS
	// Context ends drawing early, and the report says so then; nil: nothing does.
	Context context.Context
}

const (
	defaultMax = 2000
	// single is the most items that index.html holds itself; a longer report has
	// pages of pageItems each.
	single    = 1000
	pageItems = 500
)

// Writer collects items and writes the report. One goroutine uses it.
type Writer struct {
	cfg     Config
	table   *table.Table
	folder  *atomicfile.Folder
	early   string // why the run ended early, "" where it did not
	pending []pair // items that are not drawn yet
	pages   []pageLink
	shown   int
	total   int
	scorer  string
	backend string
	parser  fastjson.Parser
}

// pair is an item and its result as they came.
type pair struct {
	line   dump.Line
	result []byte
}

// pageLink names a page of items.
type pageLink struct {
	File        string
	First, Last string // ids
	Items       int
}

// New makes the folder and returns a writer. Nothing is written before Close or
// until a page is full, and a former report is replaced by Close alone.
func New(cfg Config) (*Writer, error) {
	if cfg.Max <= 0 {
		cfg.Max = defaultMax
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if err := os.MkdirAll(cfg.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make report folder: %w", err)
	}
	return &Writer{cfg: cfg, table: newTable(&cfg), folder: atomicfile.NewFolder(cfg.Dir, "report")}, nil
}

// Add takes a dump line and its result line (contract.md 3, 4); both are copied.
// A result that is not one, such as a broken stream's, is an error; a bad dump
// line is not.
func (w *Writer) Add(line dump.Line, result []byte) error {
	w.total++
	if err := w.count(line, result); err != nil {
		return err
	}
	if w.shown+len(w.pending) >= w.cfg.Max {
		return nil
	}
	line.Bytes = slices.Clone(line.Bytes)
	w.pending = append(w.pending, pair{line, slices.Clone(result)})
	if len(w.pending) > single {
		return w.flush(pageItems)
	}
	return nil
}

// EndedEarly says that not all items were added, and why. The report says so on
// top, and does not replace a former one: Close returns where it is instead.
func (w *Writer) EndedEarly(why string) { w.early = why }

// Discard removes what was written so far; a former report stays as it was.
func (w *Writer) Discard() { w.folder.Discard() }

// Close writes what is left and index.html. It returns the path of that file.
// After an error nothing is left of it.
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

// finish writes what is left.
func (w *Writer) finish() error {
	for len(w.pages) > 0 && len(w.pending) > 0 {
		if err := w.flush(pageItems); err != nil {
			return err
		}
	}
	p := w.page()
	p.Index = true
	p.Boards, p.Papers, p.Other, p.LeftOut = means(w.table), w.table.Own(), w.table.Other(), w.table.LeftOut()
	if err := w.fill(p, w.pending); err != nil {
		return err
	}
	w.shown += len(w.pending)
	p.Shown = w.shown
	return w.write("index.html", p)
}

// flush writes the first n pending items as a page of their own.
func (w *Writer) flush(n int) error {
	n = min(n, len(w.pending))
	p := w.page()
	name := fmt.Sprintf("items-%03d.html", len(w.pages)+1)
	if err := w.fill(p, w.pending[:n]); err != nil {
		return err
	}
	w.pages = append(w.pages, pageLink{name, p.Cards[0].ID, p.Cards[n-1].ID, n})
	w.pending = append(w.pending[:0], w.pending[n:]...)
	w.shown += n
	return w.write(name, p)
}

// page is what the template is given.
type page struct {
	Title           string
	Early           string // why the run ended early
	Style           template.CSS
	Script          template.JS
	Index           bool
	Boards          []tableView
	Papers          []scoring.TextTable
	Other           int    // results that are in no table
	LeftOut         string // what tables leave out besides
	Pages           []pageLink
	Total, Shown    int
	Scorer, Backend string
	Groups          []cardGroup
	Cards           []*card
	Tests, Models   []string
	Statuses        []string
	Images          []embedded
}

// cardGroup is the cards of one test, in order.
type cardGroup struct {
	Suite, Test string
	Cards       []*card
}

func (w *Writer) page() *page {
	return &page{Title: w.cfg.Title, Early: w.early, Style: template.CSS(style), Script: template.JS(script),
		Pages: w.pages, Total: w.total, Scorer: w.scorer, Backend: w.backend}
}

// fill draws the items, several at once, and puts them on the page in order.
func (w *Writer) fill(p *page, items []pair) error {
	p.Cards = make([]*card, len(items))
	a := newAtlas(w.cfg.Renderer)
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(w.cfg.Workers, len(items)) {
		wg.Go(func() {
			m := newMaker(&w.cfg, a)
			for i := range next {
				p.Cards[i] = m.card(items[i])
			}
		})
	}
	for i := range items {
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx := w.cfg.Context; ctx != nil && ctx.Err() != nil && w.early == "" {
		w.early = "interrupted while pictures were drawn"
	}
	p.Early = w.early
	p.Images = a.used(p.Cards)
	p.sort()
	return nil
}

// sort groups the cards by test and lists what can be filtered by.
func (p *page) sort() {
	group := map[[2]string]int{}
	for _, c := range p.Cards {
		k := [2]string{c.Suite, c.Test}
		g, ok := group[k]
		if !ok {
			g = len(p.Groups)
			group[k] = g
			p.Groups = append(p.Groups, cardGroup{Suite: c.Suite, Test: c.Test})
		}
		p.Groups[g].Cards = append(p.Groups[g].Cards, c)
		p.Tests = enlist(p.Tests, c.Test)
		p.Models = enlist(p.Models, c.Model)
		p.Statuses = enlist(p.Statuses, c.Status)
	}
}

// enlist appends a name that is not empty and not there yet.
func enlist(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// write renders the template into a file.
func (w *Writer) write(name string, p *page) error {
	if err := w.folder.WriteFile(name, func(f io.Writer) error { return pageTemplate.Execute(f, p) }); err != nil {
		return fmt.Errorf("cannot write report page %s: %w", name, err)
	}
	return nil
}
