package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/table"
)

// newTable returns the table of a report, whose columns are series.
func newTable(cfg *Config) *table.Table {
	o := table.Options{Missing: cfg.Missing, Clamp: cfg.Variants.On(table.Clamp), Variants: cfg.Variants, Papers: cfg.Papers}
	for _, s := range cfg.Items.Suites {
		o.Suites = append(o.Suites, s)
	}
	slices.SortFunc(o.Suites, func(a, b scoring.Suite) int { return strings.Compare(a.Name(), b.Name()) })
	return table.New(o)
}

// count adds a result.
func (w *Writer) count(line dump.Line, result []byte) error {
	r, err := readResult(&w.parser, result)
	if err != nil {
		return err
	}
	w.backend = r.Backend
	w.scorer = fastjson.GetString(result, "scorer")
	w.table.Add(r)
	return nil
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
	Test  string // "" for a mean of tests
	Kind  string // "test", "group", "total"
	Cells []cellView
}

// cellView is a mean. Mean is "–" where nothing was scored.
type cellView struct {
	Model, Mean, Error, Count string
	Bar, Low, High            float64 // 0..100: the mean, and the mean less and plus its error
}

var kinds = map[table.Kind]string{table.Test: "test", table.Group: "group", table.Total: "total"}

// means lists the suites' tables.
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
		row := rowView{Name: l.Name, Kind: kinds[l.Kind]}
		if l.Kind == table.Test {
			row.Test = l.Name
		}
		for i, r := range l.Cells {
			row.Cells = append(row.Cells, cell(models[i], r))
		}
		v := &out[len(out)-1]
		v.Rows = append(v.Rows, row)
	}
	return out
}

// cell writes a row of one series.
func cell(model string, r table.Row) cellView {
	c := cellView{Model: model, Mean: "–"}
	if r.Mean != nil {
		c.Mean, c.Bar = fmt.Sprintf("%.3f", *r.Mean), percent(*r.Mean)
		if r.SE != nil {
			c.Error = fmt.Sprintf("%.3f", *r.SE)
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
