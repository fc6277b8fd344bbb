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
	"plumb/scoring/plural"
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
func (explorer *Explorer) Built() error {
	if explorer.assets["app.js"].body == nil || explorer.assets["app.css"].body == nil {
		return fmt.Errorf("the explorer's pages are not in %s; want sh scripts/explorer.sh (part of make setup), or their folder in PLUMB_UI_PAGES", explorer.cfg.Client)
	}
	return nil
}

// WriteReport writes results as one HTML file that needs no server and no network. If ctx ends, the remaining
// pictures are left out. partial is why the page says that it is not complete, "" if it does not.
func (explorer *Explorer) WriteReport(ctx context.Context, w io.Writer, report *Report) (partial string, err error) {
	// A job like one with files, and the rows that have their lines.
	job := &opened{set: &index.Set{Files: []*index.File{report.Columns}}, byID: map[string]int{}, reportLines: map[int]*Given{}, remarks: report.Remarks}
	for i := range report.Given {
		job.reportLines[report.Given[i].Row] = &report.Given[i]
	}
	job.findSeries()
	job.papers = textTables(report.Table.MoreTables())
	// Look for suspects to the end, because the page must not depend on how far the scan is.
	job.rules = newScanner(explorer, job)
	defer job.rules.stop()
	job.set.Rules = job.rules.bitmaps
	job.rules.begin()
	<-job.rules.ended
	// What the page shows of all results, and the list of those that have their lines.
	data := &savedPage{workers: max(1, report.Workers), progress: report.Progress, maxSize: reportBytes}
	data.Info = *explorer.emptyInfo()
	data.Info.Title, data.Info.Jobs = report.Title, []string{""}
	job.inform(&data.Info)
	data.Selected, data.Overview, data.Suspects = *job.selected(index.Filter{}), *job.overview(index.Filter{}), *job.rules.list(index.Filter{})
	data.Overview.Suites = job.withTable(report.Table, data.Overview.Suites)
	data.Rows = Rows{Total: report.Columns.Rows(), Rows: []Row{}}
	for _, row := range job.set.Order(index.Filter{}, index.Sort{By: "score"}) {
		if job.reportLines[int(row)] != nil {
			data.Rows.Rows = append(data.Rows.Rows, job.row(int(row), ""))
		}
	}
	// The comparisons of series, and the texts and pictures of single results.
	if err := data.compare(job); err != nil {
		return "", err
	}
	if err := explorer.fill(ctx, job, data, len(data.Rows.Rows)); err != nil {
		return "", err
	}
	data.Remark, data.Partial = report.Remark, report.Partial
	if ctx.Err() != nil {
		data.Partial = cmp.Or(data.Partial, report.Interrupted)
	}
	return data.Partial, explorer.writePage(w, data)
}

// readGiven returns a result that the report was given, with the answer of its dump line if there is one.
func (explorer *Explorer) readGiven(given *Given) *answer {
	answer := newAnswer(given.Result)
	switch {
	case answer.resultJSON == nil: // newAnswer has said why
	case given.Line.Bytes == nil && given.Line.Fault == "":
		answer.why = "this report was made of results alone, so the answer and its pictures are not here"
	default:
		answer.dumpLine, answer.lineNumber, answer.source = given.Line.Bytes, given.Line.Number, given.Source
		explorer.readItem(answer, given.Line)
	}
	return answer
}

// withTable returns the suites' tables with the means of t for tests, groups and totals, which count missing
// answers and clusters by t's own options. Distributions, times and costs are taken from cells.
func (opened *opened) withTable(t *table.Table, cells []SuiteTable) (out []SuiteTable) {
	ids := map[string]string{} // by the name of a series
	for _, s := range opened.series {
		ids[seriesName(s.Words)] = s.ID
	}
	var series []string
	for _, s := range t.Series() {
		series = append(series, ids[s.String()])
	}
	for _, line := range t.Lines() {
		if len(out) == 0 || out[len(out)-1].Suite != line.Suite {
			out = append(out, SuiteTable{Suite: line.Suite, Series: series})
		}
		to := &out[len(out)-1]
		row := TestOf{Test: line.Name, Kind: map[table.Kind]string{table.Test: "test", table.Group: "group", table.Total: "total"}[line.Kind]}
		for i := range line.Cells {
			cell := Cell{Histogram: []int{}}
			if line.Kind == table.Test {
				cell = cellOf(cells, line.Suite, line.Name, series[i])
			}
			cell.setFigures(&line.Cells[i])
			row.Cells = append(row.Cells, cell)
		}
		to.Tests = append(to.Tests, row)
	}
	return out
}

// cellOf returns the cell of a test and series among the tables of all suites, or an empty one.
func cellOf(all []SuiteTable, suite, test, series string) Cell {
	for i := range all {
		pos := slices.Index(all[i].Series, series)
		if all[i].Suite != suite || pos < 0 {
			continue
		}
		for _, t := range all[i].Tests {
			if t.Test == test {
				return t.Cells[pos]
			}
		}
	}
	return Cell{Histogram: []int{}}
}

// setFigures takes the counts, mean and standard error from a row of a table. A group or
// total counts tests, not results.
func (cell *Cell) setFigures(row *table.Row) {
	cell.N, cell.Scored, cell.Mean, cell.Error = row.N, row.Scored, row.Mean, row.SE
	if row.Kind != table.Test {
		cell.N, cell.Scored = row.Tests, row.Tests
		if row.Tests < row.AllTests {
			cell.Tests = fmt.Sprintf("%d of %s", row.Tests, plural.Of(row.AllTests, "test"))
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
func (page *savedPage) compare(opened *opened) error {
	series := opened.series[:min(len(opened.series), maxCompared)]
	for i, a := range series {
		for k, b := range series {
			withFirst, amongSaved := i == 0, k < savedSeries
			if k <= i || !withFirst && !amongSaved {
				continue
			}
			const largestGainFirst = false
			if err := page.compareTwo(opened, index.Filter{}, a.ID, b.ID, largestGainFirst); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareTwo adds the comparison of two series, with at most savedPoints points, evenly chosen, and the first
// savedPairs pairs of the list. The list begins with the largest loss of series b, or with its largest gain.
func (page *savedPage) compareTwo(opened *opened, filter index.Filter, a, b string, largestGainFirst bool) error {
	comparison, err := opened.compare(filter, a, b)
	if err != nil {
		return err
	}
	if n := len(comparison.Points); n > savedPoints {
		for i := range savedPoints {
			comparison.Points[i] = comparison.Points[i*n/savedPoints]
		}
		comparison.Points = comparison.Points[:savedPoints]
	}
	pairs, err := opened.listPairs(filter, a, b, largestGainFirst, 0, savedPairs)
	if err != nil {
		return err
	}
	page.Compared = append(page.Compared, Compared{a, b, largestGainFirst, *comparison, *pairs})
	return nil
}

// errFull says that no more pictures are kept.
var errFull = errors.New("the page is full; plumb view shows the picture")
