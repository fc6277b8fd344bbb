package report

import (
	"fmt"
	"math"

	"plumb/scoring/table"
)

// newTable returns the table of a report, whose columns are series.
func newTable(cfg *Config) *table.Table {
	return table.New(table.Options{Suites: cfg.Items.Suites, Missing: cfg.Missing, Clamp: cfg.Variants.On(table.Clamp), Variants: cfg.Variants,
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
	Kind  string // "test", "group", "total"
	Cells []cellView
}

// cellView is a mean. Mean is "–" where nothing was scored.
type cellView struct {
	Mean, Error, Count string
	Link               string  // to its items, "" where none are shown
	Bar, Low, High     float64 // 0..100: the mean, and the mean less and plus its error
}

var kinds = map[table.Kind]string{table.Test: "test", table.Group: "group", table.Total: "total"}

// means returns the table of each suite; links are the links to the items of each test.
func means(t *table.Table, links map[groupKey]string) []tableView {
	var models []string
	for _, s := range t.Series() {
		models = append(models, s.String())
	}
	var out []tableView
	for _, l := range t.Lines() {
		if len(out) == 0 || out[len(out)-1].Suite != l.Suite {
			out = append(out, tableView{Suite: l.Suite, Models: models})
		}
		row := rowView{Name: l.Name, Kind: kinds[l.Kind]}
		for i, r := range l.Cells {
			c := cell(r)
			if l.Kind == table.Test {
				c.Link = links[groupKey{l.Suite, l.Name, models[i]}]
			}
			row.Cells = append(row.Cells, c)
		}
		v := &out[len(out)-1]
		v.Rows = append(v.Rows, row)
	}
	return out
}

// cell returns one row of one series of the report's table as text.
func cell(r table.Row) cellView {
	c := cellView{Mean: "–"}
	if r.Mean != nil {
		c.Mean, c.Bar = table.Number(*r.Mean, 3), percent(*r.Mean)
		if r.SE != nil {
			c.Error = table.Number(*r.SE, 3)
			c.Low, c.High = percent(*r.Mean-*r.SE), percent(*r.Mean+*r.SE)
		}
	}
	switch {
	case r.N == 0:
		c.Count = "0"
	case r.Kind != table.Test && r.Tests < r.Of:
		c.Count = fmt.Sprintf("%d of %d tests", r.Tests, r.Of)
	case r.Kind != table.Test:
	case r.Scored < r.N:
		c.Count = fmt.Sprintf("%d of %d scored", r.Scored, r.N)
	default:
		c.Count = fmt.Sprint(r.N)
	}
	return c
}

func percent(x float64) float64 { return 100 * math.Max(0, math.Min(1, x)) }
