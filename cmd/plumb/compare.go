package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/stats"
	"plumb/scoring/table"
)

// compareCmd is `plumb compare`.
type compareCmd struct {
	A      string `arg:"" help:"Results of one side: a folder of plumb run, or a result file of plumb score."`
	B      string `arg:"" help:"Results of the other side, on the same tasks."`
	Format string `enum:"text,json" default:"text" help:"How the table is written: text or json."`
	Seed   uint64 `default:"1" placeholder:"N" help:"Seed of resampled intervals and sign flips."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"File for the table; - is stdout."`
	limitFlags
}

// Run prints how two models differ. See docs/spec/runs.md#r46.
func (c *compareCmd) Run(std streams) error {
	a, err := readSample(c.A, c.lines())
	if err != nil {
		return err
	}
	b, err := readSample(c.B, c.lines())
	if err != nil {
		return err
	}
	lines, unpaired, err := stats.CompareSamples(a, b, c.Seed)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(lines, func(l stats.Line) bool { return l.Tasks > 0 }) {
		return fmt.Errorf("cannot compare: of no task both sides have a score")
	}
	if unpaired > 0 {
		fmt.Fprintf(std.err, "plumb: %d tasks are on one side alone and are left out\n", unpaired)
	}
	if n := a.Twice + b.Twice; n > 0 {
		fmt.Fprintf(std.err, "plumb: %d results repeat the answer of an earlier line and are left out\n", n)
	}
	out, err := output(c.Output, std)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		var all []map[string]any
		for _, l := range lines {
			all = append(all, map[string]any{"suite": l.Suite, "test": l.Test, "tasks": l.Tasks, "clusters": l.Clusters, "left_out": l.Out, "a": finite(l.A), "b": finite(l.B),
				"difference": finite(l.Difference), "se": finite(l.SE), "low": finite(l.Low), "high": finite(l.High), "p": finite(l.P), "p_holm": finite(l.Holm), "p_mcnemar": finite(l.McNemar)})
		}
		err = json.NewEncoder(out).Encode(map[string]any{"a": c.A, "b": c.B, "comparisons": all, "unpaired": unpaired})
		return out.finish(err)
	}
	t := scoring.TextTable{Title: fmt.Sprintf("%s (A) and %s (B)", named(a, c.A), named(b, c.B)), Text: 2,
		Note:    "A - B on the same tasks; 95 % interval by resampling, p by sign flips, Holm over the tests, McNemar for answers that are right or wrong",
		Columns: []string{"suite", "test", "pairs", "left out", "A", "B", "A - B", "se", "low", "high", "p", "Holm", "McNemar"}}
	for _, l := range lines {
		test := l.Test
		if test == "" {
			test = "all tests"
		}
		row := []string{l.Suite, test, strconv.Itoa(l.Tasks), strconv.Itoa(l.Out)}
		for _, x := range []float64{l.A, l.B, l.Difference, l.SE, l.Low, l.High, l.P, l.Holm, l.McNemar} {
			row = append(row, cellOf(x, l.Tasks > 0))
		}
		t.Rows = append(t.Rows, row)
	}
	return out.finish(table.WriteOne(out, t))
}

// named is the name of a side: its models, else its path.
func named(s *stats.Sample, path string) string {
	return cmp.Or(s.Models()[0], path)
}

// cellOf writes a number with four digits, "-" where there is none.
func cellOf(x float64, ok bool) string {
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x+0, 'f', 4, 64)
}

// finite returns x for JSON, nil where it is not a finite number.
func finite(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// readSample reads the results of a folder of plumb run or of a result file.
func readSample(path string, limits dump.Limits) (*stats.Sample, error) {
	folder, ok, err := openRunFolder(path, limits)
	if err != nil {
		return nil, err
	}
	if ok {
		path = folder.results
	}
	s := stats.NewSample()
	var p fastjson.Parser
	err = eachLine(path, limits, nil, func(l dump.Line) error {
		if l.Fault != "" {
			return fmt.Errorf("line %d: %s", l.N, l.Fault)
		}
		v, err := p.ParseBytes(l.Bytes)
		if err != nil || v.Type() != fastjson.TypeObject || !v.Exists("score") {
			return fmt.Errorf("line %d: it is no result line of plumb score", l.N)
		}
		r, err := scoring.ReadResult(v)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.N, err)
		}
		s.Add(r, folder.clusters[r.ID])
		return nil
	})
	switch {
	case err != nil:
	case s.Len() == 0:
		err = fmt.Errorf("cannot read %s: there are no results", path)
	case len(s.Models()) > 1:
		err = fmt.Errorf("cannot use %s: it has results of %d models (%.100s); want those of one", path, len(s.Models()), strings.Join(s.Models(), ", "))
	}
	return s, err
}

// powerCmd is `plumb power`.
type powerCmd struct {
	Results    []string `arg:"" help:"Results (folders of plumb run, or result files): how much scores vary follows from them. Of two or more, each pair is looked at."`
	Difference float64  `required:"" placeholder:"D" help:"The difference of mean scores that is to be shown, above 0."`
	Repeats    int      `default:"1" placeholder:"K" help:"Answers of each model to each task."`
	limitFlags
}

// Run prints how many tasks show a difference. See docs/spec/runs.md#r48.
func (c *powerCmd) Run(std streams) error {
	if !(c.Difference > 0) || c.Repeats < 1 {
		return usage("cannot use --difference %g, --repeats %d: want a difference above 0 and repeats from 1", c.Difference, c.Repeats)
	}
	var samples []*stats.Sample
	for _, path := range c.Results {
		s, err := readSample(path, c.lines())
		if err != nil {
			return err
		}
		samples = append(samples, s)
	}
	t := scoring.TextTable{Title: fmt.Sprintf("tasks that show a difference of %g with %d repeats (error of the first kind 5 %%, power 80 %%)", c.Difference, c.Repeats), Text: 2,
		Columns: []string{"suite", "test", "tasks seen", "sd", "tasks wanted", "smallest difference"}}
	switch len(samples) {
	case 1:
		t.Rows = c.rows(samples[0], nil)
		t.Note = "from one model: two models are taken to differ from task to task as much as its scores do"
	case 2:
		t.Rows = c.rows(samples[0], samples[1])
	default:
		t.Text, t.Columns = 3, append([]string{"results"}, t.Columns...)
		for i, a := range samples {
			for k, b := range samples[:i] {
				for _, row := range c.rows(b, a) {
					t.Rows = append(t.Rows, append([]string{shortName(c.Results[k]) + " - " + shortName(c.Results[i])}, row...))
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return errors.New("cannot tell: no test has two tasks with a score")
	}
	return table.WriteOne(std.out, t)
}

// rows returns the lines that `plumb power` prints: one for each test and for all tests together; b
// may be nil.
func (c *powerCmd) rows(a, b *stats.Sample) (rows [][]string) {
	for _, s := range stats.Spreads(a, b) {
		test := s.Test
		if test == "" {
			test = "all tests"
		}
		rows = append(rows, []string{s.Suite, test, strconv.Itoa(s.Tasks), cellOf(s.SD, true),
			strconv.Itoa(max(2, stats.TasksFor(c.Difference, s.Omega2, s.Within, s.Other, c.Repeats))), cellOf(stats.Smallest(s.Tasks, s.SD), true)})
	}
	return rows
}
