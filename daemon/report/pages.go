package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"plumb/scoring"
)

// page is the data of the template.
type page struct {
	Title           string
	Early           string // why the run ended early, "" where it did not
	Style           template.CSS
	Script          template.JS
	Index           bool
	Boards          []tableView
	Papers          []scoring.TextTable
	Other           int    // results that are in no table
	LeftOut         string // notes on results that the tables leave out
	Pages           []pageLink
	Total, Shown    int // results, and those with a card on some page
	Scorer, Backend string
	Groups          []cardGroup
	Cards           []*card
	Tests, Models   []string
	Statuses        []string
	Images          []embedded
}

// cardGroup is the cards of one test and series on one page.
type cardGroup struct {
	Anchor        string // id of the section
	Label, Series string // the test, with its suite where the page has several
	Cards         []*card
	Total         int  // results of the test and series
	Shown         int  // those with a card, on this page or another
	Continued     bool // it starts on the page before
	items         []pair
	key           groupKey
}

// pageLink names a page of items.
type pageLink struct {
	File  string
	Label string // names of the first and last test on it
	Items int
}

// sheet is the plan of one page: its file and the groups on it.
type sheet struct {
	file   string
	groups []cardGroup
	items  int
}

const (
	// single is how many items index.html holds at most. A longer report has separate
	// pages of about pageItems items each.
	single    = 1000
	pageItems = 500
)

// layout assigns the groups to sheets. All are on the index where they fit; otherwise
// they are on further sheets, and a group that does not fit starts a new sheet.
func layout(list []*group, shown int) []*sheet {
	most := pageItems
	sheets := []*sheet{{file: "index.html"}}
	if shown > single {
		sheets = append(sheets, &sheet{file: "items-001.html"})
	} else {
		most = single
	}
	for i, g := range list {
		if len(g.items) == 0 {
			continue
		}
		rest, continued := g.items, false
		for len(rest) > 0 {
			at := sheets[len(sheets)-1]
			if at.items > 0 && at.items+len(rest) > most {
				at = &sheet{file: fmt.Sprintf("items-%03d.html", len(sheets))}
				sheets = append(sheets, at)
			}
			n := min(most, len(rest))
			at.items += n
			at.groups = append(at.groups, cardGroup{Anchor: fmt.Sprintf("group-%d", i+1), Label: g.test, Series: g.series, Total: g.total,
				Shown: len(g.items), Continued: continued, items: rest[:n], key: g.groupKey})
			rest, continued = rest[n:], true
		}
	}
	return sheets
}

// label names the first and the last group of a sheet.
func (s *sheet) label() string {
	name := func(g *cardGroup) string {
		return strings.Trim(g.key.test+" · "+g.Series, " ·")
	}
	first, last := name(&s.groups[0]), name(&s.groups[len(s.groups)-1])
	if first == last {
		return first
	}
	return first + " … " + last
}

// links returns for each group the link to its first item.
func links(sheets []*sheet) map[groupKey]string {
	to := map[groupKey]string{}
	for _, s := range sheets {
		for _, g := range s.groups {
			if g.Continued {
				continue
			}
			to[g.key] = "#" + g.Anchor
			if s.file != "index.html" {
				to[g.key] = s.file + "#" + g.Anchor
			}
		}
	}
	return to
}

// page returns the data that all pages share.
func (w *Writer) page() *page {
	return &page{Title: w.cfg.Title, Early: w.early, Style: template.CSS(style), Script: template.JS(script),
		Pages: w.pages, Total: w.sample.order, Shown: w.sample.n, Scorer: w.scorer, Backend: w.backend}
}

// fill draws the items of a sheet with Config.Workers goroutines and adds them to the
// page.
func (w *Writer) fill(p *page, s *sheet) {
	var items []pair
	for _, g := range s.groups {
		items = append(items, g.items...)
	}
	p.Cards, p.Groups = make([]*card, len(items)), s.groups
	a := newAtlas(w.cfg.Renderer)
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(w.cfg.Workers, len(items)) {
		wg.Go(func() {
			m := newMaker(&w.cfg, a)
			for i := range next {
				p.Cards[i] = m.card(items[i])
				w.advance()
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
}

// advance reports the number of finished cards to Config.Progress.
func (w *Writer) advance() {
	n := w.made.Add(1)
	if w.cfg.Progress != nil {
		w.cfg.Progress(int(n), w.sample.n)
	}
}

// sort assigns the cards to their groups and collects the values of the filters.
func (p *page) sort() {
	several := slices.ContainsFunc(p.Groups, func(g cardGroup) bool { return g.key.suite != "" && g.key.suite != p.Groups[0].key.suite })
	taken := map[string]int{}
	at := 0
	for i := range p.Groups {
		g := &p.Groups[i]
		if g.Label == "" {
			g.Label = "no test"
		}
		if several && g.key.suite != "" {
			g.Label = g.key.suite + " " + g.Label
		}
		g.Cards = p.Cards[at : at+len(g.items)]
		at += len(g.items)
		p.Tests = enlist(p.Tests, g.Label)
		p.Models = enlist(p.Models, g.Series)
		for _, c := range g.Cards {
			c.Label = g.Label
			p.Statuses = enlist(p.Statuses, c.Status)
			// Several models answer an item, so ids are not unique among cards.
			c.Anchor = c.ID
			taken[c.ID]++
			if taken[c.ID] > 1 {
				c.Anchor = fmt.Sprintf("%s~%d", c.ID, taken[c.ID])
			}
		}
	}
}

// enlist appends a name to the values of a filter of the page unless it is empty or in the list
// already.
func enlist(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
