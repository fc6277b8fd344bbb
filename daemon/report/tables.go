package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/scoring"
)

// board holds what the tables of one suite count.
type board struct {
	tests  []string // in order of appearance
	models []string
	cells  map[[2]string]*running // by test and model
}

// running is a mean and its error over results as they come.
type running struct {
	n, scored int
	mean, m2  float64 // m2: sum of squared distances from the mean
}

func (r *running) add(x float64) {
	r.scored++
	d := x - r.mean
	r.mean += d / float64(r.scored)
	r.m2 += float64(d * (x - r.mean))
}

// stderr is the standard error of the mean; ok is false below two values
// (aspire.md D45).
func (r *running) stderr() (se float64, ok bool) {
	if r.scored < 2 {
		return 0, false
	}
	return math.Sqrt(r.m2 / float64(r.scored-1) / float64(r.scored)), true
}

// count adds a result to the tables. The model is that of the dump line.
func (w *Writer) count(line dump.Line, result []byte) error {
	r, err := readResult(&w.parser, result)
	if err != nil {
		return err
	}
	w.backend = r.Backend
	w.scorer = fastjson.GetString(result, "scorer")
	b := w.boards[r.Suite]
	if b == nil {
		b = &board{cells: map[[2]string]*running{}}
		w.boards[r.Suite] = b
		w.suites = append(w.suites, r.Suite)
	}
	model := fastjson.GetString(line.Bytes, "model")
	if !slices.Contains(b.tests, r.Test) {
		b.tests = append(b.tests, r.Test)
	}
	if !slices.Contains(b.models, model) {
		b.models = append(b.models, model)
	}
	key := [2]string{r.Test, model}
	c := b.cells[key]
	if c == nil {
		c = new(running)
		b.cells[key] = c
	}
	c.n++
	if r.Scored {
		c.add(r.Score)
	}
	return nil
}

// tableView is one suite's table.
type tableView struct {
	Suite  string
	Models []string
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

// tables lists the suites' tables in order of appearance.
func (w *Writer) tables() []tableView {
	var out []tableView
	for _, name := range w.suites {
		b := w.boards[name]
		suite := w.cfg.Items.Suites[name]
		t := tableView{Suite: name, Models: b.models}
		tests := b.order(suite)
		for _, test := range tests {
			t.Rows = append(t.Rows, b.row(test, "test", []string{test}, false))
		}
		if g, ok := suite.(scoring.Grouped); ok {
			for _, group := range g.Groups() {
				t.Rows = append(t.Rows, b.row(group.Name, "group", group.Tests, true))
			}
		}
		if len(tests) > 1 {
			t.Rows = append(t.Rows, b.row("mean of the tests", "total", tests, true))
		}
		out = append(out, t)
	}
	return out
}

// order lists the tests that occur, those that the suite knows first and in its order.
func (b *board) order(suite scoring.Suite) []string {
	var tests []string
	if suite != nil {
		for _, t := range suite.Tests() {
			if slices.Contains(b.tests, t) {
				tests = append(tests, t)
			}
		}
	}
	for _, t := range b.tests {
		tests = enlist(tests, t)
	}
	return tests
}

// row makes a row of means: of a test's scores, or of several tests' means
// (aspire.md D46), over those tests that have any.
func (b *board) row(name, kind string, tests []string, joined bool) rowView {
	r := rowView{Name: name, Kind: kind}
	if !joined {
		r.Test = name
	}
	for _, model := range b.models {
		var sum float64
		var with, n, scored int
		cell := cellView{Model: model, Mean: "–"}
		for _, test := range tests {
			if c := b.cells[[2]string{test, model}]; c != nil {
				n += c.n
				scored += c.scored
				if c.scored > 0 {
					with++
					sum += c.mean
				}
				if se, ok := c.stderr(); ok && !joined {
					cell.Error = fmt.Sprintf("%.3f", se)
					cell.Low, cell.High = percent(c.mean-se), percent(c.mean+se)
				}
			}
		}
		if with > 0 {
			cell.Mean, cell.Bar = fmt.Sprintf("%.3f", sum/float64(with)), percent(sum/float64(with))
		}
		switch {
		case joined && with < len(tests):
			cell.Count = fmt.Sprintf("%d of %d tests", with, len(tests))
		case !joined && scored < n:
			cell.Count = fmt.Sprintf("%d of %d scored", scored, n)
		case !joined:
			cell.Count = fmt.Sprint(n)
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

func percent(x float64) float64 { return 100 * math.Max(0, math.Min(1, x)) }
