package explorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"plumb/daemon/dump"
	"plumb/daemon/index"
	"plumb/scoring/table"
)

// Given is a result that a report shows, with its dump line.
type Given struct {
	Row    int       // of the columns
	Result []byte    // its line
	Line   dump.Line // without bytes and fault where there is none
	Source string    // file of Line, for the command that scores it alone; "" where it is not known
}

// Report is what a report is made of.
type Report struct {
	Title   string
	Columns *index.File // of all results
	Table   *table.Table
	Given   []Given // the results that are listed, with their texts and pictures
	Remark  string  // what the page shows
	Remarks []string
	Partial string // why the results are not complete, "" where they are
	// Interrupted is Partial where the context ends while pictures are drawn.
	Interrupted string
	Workers     int                   // pictures drawn at once, at least 1
	Progress    func(done, total int) // called in order after items are drawn; may be nil
}

// Built returns an error where the pages are not built, and so no report can be written.
func (e *Explorer) Built() error {
	if e.assets["app.js"].body == nil || e.assets["app.css"].body == nil {
		return fmt.Errorf("the explorer's pages are not in %s; want sh scripts/explorer.sh (part of make setup), or their folder in PLUMB_UI_PAGES", e.cfg.Client)
	}
	return nil
}

// WriteReport writes results as one HTML file that needs no server and no network. If ctx
// ends, the remaining pictures are left out. partial is why the page says that it is not
// complete, "" if it does not.
func (e *Explorer) WriteReport(ctx context.Context, w io.Writer, report *Report) (partial string, err error) {
	o := &opened{set: &index.Set{Files: []*index.File{report.Columns}}, byID: map[string]int{}, given: map[int]*Given{}, remarks: report.Remarks}
	for i := range report.Given {
		o.given[report.Given[i].Row] = &report.Given[i]
	}
	o.findSeries()
	o.papers = textTables(report.Table.Own())
	o.rules = newScanner(e, o)
	defer o.rules.stop()
	o.set.Rules = o.rules.bitmaps
	o.rules.begin()
	<-o.rules.ended // the page must not depend on how far the scan is
	data := &savedPage{workers: max(1, report.Workers), progress: report.Progress, bytes: reportBytes}
	data.Info = *e.emptyInfo()
	data.Info.Title, data.Info.Jobs = report.Title, []string{""}
	o.inform(&data.Info)
	data.Selected, data.Overview, data.Suspects = *o.selected(index.Filter{}), *o.overview(index.Filter{}), *o.rules.list(index.Filter{})
	data.Overview.Suites = o.withTable(report.Table, data.Overview.Suites)
	data.Rows = Rows{Total: report.Columns.Rows(), Rows: []Row{}}
	for _, row := range o.set.Order(index.Filter{}, index.Sort{By: "score"}) {
		if o.given[int(row)] != nil {
			data.Rows.Rows = append(data.Rows.Rows, o.row(int(row), ""))
		}
	}
	if err := data.compare(o); err != nil {
		return "", err
	}
	if err := e.fill(ctx, o, data, len(data.Rows.Rows)); err != nil {
		return "", err
	}
	data.Remark, data.Partial = report.Remark, report.Partial
	if ctx.Err() != nil {
		data.Partial = cmp.Or(data.Partial, report.Interrupted)
	}
	return data.Partial, e.writePage(w, data)
}

// readGiven returns a result that the report was given, with the answer of its dump line if
// there is one.
func (e *Explorer) readGiven(g *Given) *answer {
	a := newAnswer(g.Result)
	switch {
	case a.value == nil:
	case g.Line.Bytes == nil && g.Line.Fault == "":
		a.why = "this report was made of results alone, so the answer and its pictures are not here"
	default:
		a.line, a.number, a.source = g.Line.Bytes, g.Line.N, g.Source
		e.readItem(a, g.Line)
	}
	return a
}

// withTable returns the suites' tables with the means of t for tests, groups and totals, which
// count missing answers and clusters by t's own options. Distributions, times and costs are taken
// from cells.
func (o *opened) withTable(t *table.Table, cells []SuiteTable) (out []SuiteTable) {
	ids := map[string]string{} // by the name of a series
	for _, s := range o.series {
		ids[seriesName(s.Words)] = s.ID
	}
	var series []string
	for _, s := range t.Series() {
		series = append(series, ids[s.String()])
	}
	for _, l := range t.Lines() {
		if len(out) == 0 || out[len(out)-1].Suite != l.Suite {
			out = append(out, SuiteTable{Suite: l.Suite, Series: series})
		}
		to := &out[len(out)-1]
		row := TestOf{Test: l.Name, Kind: map[table.Kind]string{table.Test: "test", table.Group: "group", table.Total: "total"}[l.Kind]}
		for i := range l.Cells {
			c := Cell{Histogram: []int{}}
			if l.Kind == table.Test {
				c = cellOf(cells, l.Suite, l.Name, series[i])
			}
			c.setFigures(&l.Cells[i])
			row.Cells = append(row.Cells, c)
		}
		to.Tests = append(to.Tests, row)
	}
	return out
}

// cellOf returns the cell of a test and series among the tables of all suites, or an empty
// one.
func cellOf(all []SuiteTable, suite, test, series string) Cell {
	for i := range all {
		at := slices.Index(all[i].Series, series)
		if all[i].Suite != suite || at < 0 {
			continue
		}
		for _, t := range all[i].Tests {
			if t.Test == test {
				return t.Cells[at]
			}
		}
	}
	return Cell{Histogram: []int{}}
}

// setFigures takes the counts, mean and standard error from a row of a table. A group or
// total counts tests, not results.
func (c *Cell) setFigures(r *table.Row) {
	c.N, c.Scored, c.Mean, c.Error = r.N, r.Scored, r.Mean, r.SE
	if r.Kind != table.Test {
		c.N, c.Scored = r.Tests, r.Tests
		if r.Tests < r.Of {
			c.Tests = fmt.Sprintf("%d of %d tests", r.Tests, r.Of)
		}
	}
}

// Bounds of the comparisons of a saved page, which grow with the square of the series.
const (
	savedSeries = 5    // that are compared with each other; further ones with the first
	savedPairs  = 200  // of the list of a comparison
	savedPoints = 1000 // of its scatter plot
	maxCompared = 40   // series
)

// compare adds the comparisons that a page without a server needs: the first series with each other
// one, and the first savedSeries with each other. Series beyond maxCompared are left out.
func (p *savedPage) compare(o *opened) error {
	series := o.series[:min(len(o.series), maxCompared)]
	for i, a := range series {
		for k, b := range series {
			if k <= i || i > 0 && k >= savedSeries {
				continue
			}
			if err := p.compareTwo(o, index.Filter{}, a.ID, b.ID, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareTwo adds the comparison of two series, with at most savedPoints points, evenly
// chosen, and the first savedPairs pairs of the list.
func (p *savedPage) compareTwo(o *opened, f index.Filter, a, b string, down bool) error {
	c, err := o.compare(f, a, b)
	if err != nil {
		return err
	}
	if n := len(c.Points); n > savedPoints {
		for i := range savedPoints {
			c.Points[i] = c.Points[i*n/savedPoints]
		}
		c.Points = c.Points[:savedPoints]
	}
	pairs, err := o.listPairs(f, a, b, down, 0, savedPairs)
	if err != nil {
		return err
	}
	p.Compared = append(p.Compared, Compared{a, b, *c, *pairs})
	return nil
}

// errFull says that no more pictures are kept.
var errFull = errors.New("the page is full; plumb view shows the picture")
