package report

import (
	"fmt"

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

// means returns, for each suite, a table of means with a row for each test, group and total
// and a column for each series.
func means(t *table.Table) []tableView {
	var models []string
	for _, s := range t.Series() {
		models = append(models, s.String())
	}
	var out []tableView
	for _, l := range t.Lines() {
		if len(out) == 0 || out[len(out)-1].Suite != l.Suite {
			out = append(out, tableView{Suite: l.Suite, Models: models})
		}
		row := rowView{Name: l.Name}
		for _, r := range l.Cells {
			row.Cells = append(row.Cells, cell(r))
		}
		v := &out[len(out)-1]
		v.Rows = append(v.Rows, row)
	}
	return out
}

// cell returns a mean as text with its standard error. Count is the number of answers, and
// says how many of them, or of a group's tests, have a score if not all have.
func cell(row table.Row) cellView {
	c := cellView{Mean: "–"}
	if row.Mean != nil {
		c.Mean = table.Number(*row.Mean, 3)
		if row.SE != nil {
			c.Error = table.Number(*row.SE, 3)
		}
	}
	switch {
	case row.N == 0:
		c.Count = "0"
	case row.Kind != table.Test && row.Tests < row.Of:
		c.Count = fmt.Sprintf("%d of %d tests", row.Tests, row.Of)
	case row.Kind != table.Test:
	case row.Scored < row.N:
		c.Count = fmt.Sprintf("%d of %d scored", row.Scored, row.N)
	default:
		c.Count = fmt.Sprint(row.N)
	}
	return c
}
