package report

import (
	"fmt"

	"plumb/scoring/plural"
	"plumb/scoring/table"
)

// newTable returns the table of a report, whose columns are series.
func newTable(cfg *Config) *table.Table {
	return table.New(table.Options{Suites: cfg.Items.Suites, Missing: cfg.Missing,
		Clamp: cfg.Variants.On(table.Clamp), Variants: cfg.Variants,
		Papers: cfg.Papers, Remark: cfg.Remark, Cluster: cfg.Cluster, Success: cfg.Success})
}

// tableView is the table of mean scores of one suite as text.
type tableView struct {
	Suite  string
	Series []string // names of the columns, which are series
	Rows   []rowView
}

// rowView is the row of a test, a category or the overall score.
type rowView struct {
	Name  string
	Cells []cellView // one for each series
}

// cellView is a mean score as text.
type cellView struct {
	Mean  string // "–" where nothing was scored
	Error string // standard error, "" where it is not known
	Count string // how many answers or tests are in the mean; "" where that needs no word
}

// text returns the cell as one text, such as "0.812 ± 0.010 (120)".
func (cell cellView) text() string {
	text := cell.Mean
	if cell.Error != "" {
		text += " ± " + cell.Error
	}
	if cell.Count != "" {
		text += " (" + cell.Count + ")"
	}
	return text
}

// means returns a table of mean scores as text for each suite. It has a row for each test, each group of
// tests and the total, and a column for each series, which is a model and how it was asked.
func means(table *table.Table) []tableView {
	var series []string
	for _, s := range table.Series() {
		series = append(series, s.String())
	}
	var out []tableView
	for _, line := range table.Lines() {
		if len(out) == 0 || out[len(out)-1].Suite != line.Suite {
			out = append(out, tableView{Suite: line.Suite, Series: series})
		}
		row := rowView{Name: line.Name}
		for _, ofSeries := range line.Cells {
			row.Cells = append(row.Cells, meanCell(ofSeries))
		}
		last := &out[len(out)-1]
		last.Rows = append(last.Rows, row)
	}
	return out
}

// meanCell returns the mean score of a row as text, with its standard error where one is known. Count is the
// number of answers of a test, and how many of them have a score unless all have. For a mean over tests it
// says how many tests have a mean unless all have: then it is "".
func meanCell(row table.Row) cellView {
	view := cellView{Mean: "–"}
	if row.Mean != nil {
		view.Mean = table.Number(*row.Mean, 3)
		if row.SE != nil {
			view.Error = table.Number(*row.SE, 3)
		}
	}
	switch {
	case row.N == 0:
		view.Count = "0"
	case row.Kind != table.Test && row.Tests < row.AllTests:
		view.Count = fmt.Sprintf("%d of %s", row.Tests, plural.Of(row.AllTests, "test"))
	case row.Kind != table.Test: // a mean over all tests of the row needs no count
	case row.Scored < row.N:
		view.Count = fmt.Sprintf("%d of %d scored", row.Scored, row.N)
	default:
		view.Count = fmt.Sprint(row.N)
	}
	return view
}
