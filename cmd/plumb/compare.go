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
	A      string `arg:"" help:"Results of one side (A): a folder of plumb run, or a result file of plumb score."`
	B      string `arg:"" help:"Results of the other side (B), on the same tasks."`
	Format string `enum:"text,json" default:"text" help:"Format of the table: text or json."`
	Seed   uint64 `default:"1" placeholder:"N" help:"Seed of the random numbers behind intervals and tests (resampling and sign flips)."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"File for the table; - is standard output."`
	limitFlags
}

// Run writes how two models differ, as a table or as JSON. Tasks of one side alone and repeated
// results are left out, and their numbers are printed. See docs/spec/runs.md#r46.
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
		return errors.New("cannot compare: no task has a score on both sides")
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
		return out.finish(json.NewEncoder(out).Encode(c.document(lines, unpaired)))
	}
	return out.finish(table.WriteOne(out, comparisonTable(lines, modelOrPath(a, c.A), modelOrPath(b, c.B))))
}

// document returns the comparison for JSON. Numbers that are undefined are null.
func (c *compareCmd) document(lines []stats.Line, unpaired int) map[string]any {
	var all []map[string]any
	for _, l := range lines {
		all = append(all, map[string]any{"suite": l.Suite, "test": l.Test, "tasks": l.Tasks, "clusters": l.Clusters, "left_out": l.Out,
			"a": finite(l.A), "b": finite(l.B), "difference": finite(l.Difference), "se": finite(l.SE),
			"low": finite(l.Low), "high": finite(l.High),
			"p": finite(l.P), "p_holm": finite(l.Holm), "p_mcnemar": finite(l.McNemar)})
	}
	return map[string]any{"a": c.A, "b": c.B, "comparisons": all, "unpaired": unpaired}
}

// comparisonTable returns the comparison of the sides with the names a and b as a table, with a row
// for each test and for all tests of a suite together.
func comparisonTable(lines []stats.Line, a, b string) scoring.TextTable {
	t := scoring.TextTable{Title: fmt.Sprintf("%s (A) and %s (B)", a, b), Text: 2,
		Note: "A - B on the same tasks; 95 % interval by resampling, p by sign flips, Holm over the tests, " +
			"McNemar for answers that are right or wrong",
		Columns: []string{"suite", "test", "pairs", "left out", "A", "B", "A - B", "se", "low", "high", "p", "Holm", "McNemar"}}
	for _, l := range lines {
		row := []string{l.Suite, cmp.Or(l.Test, "all tests"), strconv.Itoa(l.Tasks), strconv.Itoa(l.Out)}
		for _, x := range []float64{l.A, l.B, l.Difference, l.SE, l.Low, l.High, l.P, l.Holm, l.McNemar} {
			row = append(row, fourDigits(x, l.Tasks > 0))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// modelOrPath returns the name of the sample's model, or path if its results name no model.
func modelOrPath(s *stats.Sample, path string) string {
	return cmp.Or(s.Models()[0], path)
}

// fourDigits returns x with four digits after the point, or "-" if it is not finite or not known.
func fourDigits(x float64, known bool) string {
	if !known || math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x+0, 'f', 4, 64) // + 0 turns -0 into 0
}

// finite returns x, or nil for a number that JSON cannot hold: NaN or an infinity.
func finite(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// readSample reads the results of one side: of a folder of plumb run, or of a result file. It
// refuses a line that is no result, and results of several models.
func readSample(path string, limits dump.Limits) (*stats.Sample, error) {
	folder, ok, err := openRunFolder(path, limits)
	if err != nil {
		return nil, err
	}
	if ok {
		path = folder.results
	}
	sample := stats.NewSample()
	var p fastjson.Parser
	err = eachLine(path, limits, nil, func(l dump.Line) error {
		if l.Fault != "" {
			return fmt.Errorf("line %d: %s", l.N, l.Fault)
		}
		v, err := p.ParseBytes(l.Bytes)
		if err != nil || v.Type() != fastjson.TypeObject || !v.Exists("score") {
			return fmt.Errorf("line %d is no result line: it has no score; want the lines that plumb score writes", l.N)
		}
		r, err := scoring.ReadResult(v)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.N, err)
		}
		sample.Add(r, folder.clusters[r.ID])
		return nil
	})
	switch {
	case err != nil:
	case sample.Len() == 0:
		err = fmt.Errorf("cannot read %s: it has no lines; want the result lines that plumb score writes", path)
	case len(sample.Models()) > 1:
		err = fmt.Errorf("cannot use %s: it has results of %d models (%.100s); want those of one: score the answers of each model "+
			"into a file of its own", path, len(sample.Models()), strings.Join(sample.Models(), ", "))
	}
	return sample, err
}

// powerCmd is `plumb power`.
type powerCmd struct {
	Results    []string `arg:"" help:"Folders of plumb run, or result files: how much scores vary is taken from them. With two or more, each pair is looked at."`
	Difference float64  `required:"" placeholder:"D" help:"The difference of mean scores that is to be shown, above 0."`
	Repeats    int      `default:"1" placeholder:"K" help:"Number of answers of each model to each task."`
	limitFlags
}

// Run prints how many tasks show a difference: from the results of one model, or for each pair of
// the given ones. See docs/spec/runs.md#r48.
func (c *powerCmd) Run(std streams) error {
	if !(c.Difference > 0) || c.Repeats < 1 {
		return usage("cannot use --difference %g and --repeats %d: want a difference above 0 and repeats from 1", c.Difference, c.Repeats)
	}
	var samples []*stats.Sample
	for _, path := range c.Results {
		s, err := readSample(path, c.lines())
		if err != nil {
			return err
		}
		samples = append(samples, s)
	}
	title := fmt.Sprintf("tasks that show a difference of %g with %d repeats (error of the first kind 5 %%, power 80 %%)",
		c.Difference, c.Repeats)
	textTable := scoring.TextTable{Title: title, Text: 2,
		Columns: []string{"suite", "test", "tasks seen", "sd", "tasks wanted", "smallest difference"}}
	switch len(samples) {
	case 1:
		textTable.Rows = c.rows(samples[0], nil)
		textTable.Note = "from one model: two models are taken to differ from task to task as much as its scores do"
	case 2:
		textTable.Rows = c.rows(samples[0], samples[1])
	default:
		textTable.Text, textTable.Columns = 3, append([]string{"results"}, textTable.Columns...)
		for i, a := range samples {
			for k, b := range samples[:i] {
				pair := shortName(c.Results[k]) + " - " + shortName(c.Results[i])
				for _, row := range c.rows(b, a) {
					textTable.Rows = append(textTable.Rows, append([]string{pair}, row...))
				}
			}
		}
	}
	if len(textTable.Rows) == 0 {
		return errors.New("cannot tell how many tasks it takes: no test has two tasks with a score; want more results")
	}
	return table.WriteOne(std.out, textTable)
}

// rows returns the rows of the table of `plumb power` for two models: one for each test and for all
// tests together. Where b is nil, the variation of a alone stands for that of a difference.
func (c *powerCmd) rows(a, b *stats.Sample) (rows [][]string) {
	for _, s := range stats.Spreads(a, b) {
		wanted := max(2, stats.TasksFor(c.Difference, s.Omega2, s.Within, s.Other, c.Repeats)) // one task has no variance
		rows = append(rows, []string{s.Suite, cmp.Or(s.Test, "all tests"), strconv.Itoa(s.Tasks), fourDigits(s.SD, true),
			strconv.Itoa(wanted), fourDigits(stats.Smallest(s.Tasks, s.SD), true)})
	}
	return rows
}
