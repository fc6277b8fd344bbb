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

// tableView is one suite's table.
type tableView struct {
	Suite  string
	Models []string // the series
	Rows   []rowView
}

// rowView is a test, a category or the overall score.
type rowView struct {
	Name  string
	Cells []cellView
}

// cellView is a mean. Mean is "–" where nothing was scored.
type cellView struct{ Mean, Error, Count string }

// means returns a table of mean scores as text for each suite. It has a row for each test, each group of
// tests and the total, and a column for each series, which is a model and how it was asked.
func means(table *table.Table) []tableView {
	var models []string
	for _, s := range table.Series() {
		models = append(models, s.String())
	}
	var out []tableView
	for _, line := range table.Lines() {
		if len(out) == 0 || out[len(out)-1].Suite != line.Suite {
			out = append(out, tableView{Suite: line.Suite, Models: models})
		}
		row := rowView{Name: line.Name}
		for _, r := range line.Cells {
			row.Cells = append(row.Cells, cell(r))
		}
		v := &out[len(out)-1]
		v.Rows = append(v.Rows, row)
	}
	return out
}

// cell returns a mean score as text, with its standard error where one is known. Count is the number of
// answers of a test. If only some of them have a score, or only some tests of a group, Count says how many.
func cell(row table.Row) cellView {
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
	case row.Kind != table.Test && row.Tests < row.Of:
		view.Count = fmt.Sprintf("%d of %s", row.Tests, plural.Of(row.Of, "test"))
	case row.Kind != table.Test:
	case row.Scored < row.N:
		view.Count = fmt.Sprintf("%d of %d scored", row.Scored, row.N)
	default:
		view.Count = fmt.Sprint(row.N)
	}
	return view
}
