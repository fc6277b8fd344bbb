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
	"plumb/scoring/plural"
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

// Run reads the results of two models on the same tasks and writes how their scores differ, as a table or
// as JSON. Tasks that only one of them has, and results that repeat an answer, are left out, and their
// numbers are printed. See docs/spec/runs.md#r46.
func (cmd *compareCmd) Run(std streams) error {
	a, err := readSample(cmd.A, cmd.lines())
	if err != nil {
		return err
	}
	b, err := readSample(cmd.B, cmd.lines())
	if err != nil {
		return err
	}
	lines, unpaired, err := stats.CompareSamples(a, b, cmd.Seed)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(lines, func(l stats.Line) bool { return l.Tasks > 0 }) {
		return errors.New("cannot compare: no task has a score on both sides")
	}
	// Say what the comparison leaves out.
	if unpaired > 0 {
		fmt.Fprintf(std.err, "plumb: %s\n", plural.Of(unpaired, "task is on one side alone and is left out", "tasks are on one side alone and are left out"))
	}
	if n := a.RepeatedAnswers + b.RepeatedAnswers; n > 0 {
		fmt.Fprintf(std.err, "plumb: %s\n", plural.Of(n, "result repeats the answer of an earlier line and is left out",
			"results repeat the answer of an earlier line and are left out"))
	}
	// Write it as JSON or as a table.
	out, err := output(cmd.Output, std)
	if err != nil {
		return err
	}
	if cmd.Format == "json" {
		return out.finish(json.NewEncoder(out).Encode(cmd.document(lines, unpaired)))
	}
	return out.finish(table.WriteOne(out, comparisonTable(lines, modelOrPath(a, cmd.A), modelOrPath(b, cmd.B))))
}

// document returns the comparison of two models in the form of its JSON document: one object for each
// test, and how many tasks only one of the models has (unpaired). Numbers that are undefined become null.
func (cmd *compareCmd) document(lines []stats.Line, unpaired int) map[string]any {
	var all []map[string]any
	for _, line := range lines {
		all = append(all, map[string]any{"suite": line.Suite, "test": line.Test, "tasks": line.Tasks, "clusters": line.Clusters, "left_out": line.LeftOut,
			"a": finite(line.A), "b": finite(line.B), "difference": finite(line.Difference), "se": finite(line.SE),
			"low": finite(line.Low), "high": finite(line.High),
			"p": finite(line.P), "p_holm": finite(line.HolmP), "p_mcnemar": finite(line.McNemar)})
	}
	return map[string]any{"a": cmd.A, "b": cmd.B, "comparisons": all, "unpaired": unpaired}
}

// comparisonTable returns the comparison of two models, named a and b, as a table. It has a row for each
// test, and one for all tests of a suite together.
func comparisonTable(lines []stats.Line, a, b string) scoring.TextTable {
	const textColumns = 2 // columns of texts; the others are numbers
	table := scoring.TextTable{Title: fmt.Sprintf("%s (A) and %s (B)", a, b), TextColumns: textColumns,
		Note: "A - B on the same tasks; 95 % interval by resampling, p by sign flips, Holm over the tests, " +
			"McNemar for answers that are right or wrong",
		Columns: []string{"suite", "test", "pairs", "left out", "A", "B", "A - B", "se", "low", "high", "p", "Holm", "McNemar"}}
	for _, line := range lines {
		row := []string{line.Suite, cmp.Or(line.Test, "all tests"), strconv.Itoa(line.Tasks), strconv.Itoa(line.LeftOut)}
		numbers := []float64{line.A, line.B, line.Difference, line.SE, line.Low, line.High, line.P, line.HolmP, line.McNemar}
		for _, x := range numbers {
			if line.Tasks == 0 {
				x = math.NaN() // nothing was compared
			}
			row = append(row, fourDigits(x))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// modelOrPath returns the name of the sample's model, or path if its results name no model.
func modelOrPath(s *stats.Sample, path string) string {
	return cmp.Or(s.Models()[0], path)
}

// fourDigits returns x with four digits after the point, or "-" for an undefined number, which is NaN or
// infinite.
func fourDigits(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
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

// readSample reads the scores of one model, from a result file or from a folder of plumb run, as a
// statistical sample. It refuses a line that is no result, and results of several models.
func readSample(path string, limits dump.Limits) (*stats.Sample, error) {
	folder, isFolder, err := openRunFolder(path, limits) // for a result file an empty folder, which has no clusters
	if err != nil {
		return nil, err
	}
	if isFolder {
		path = folder.results
	}
	// Each line is a result.
	sample := stats.NewSample()
	var parser fastjson.Parser
	err = eachLine(path, limits, nil, func(line dump.Line) error { // nil: there is no standard input to read
		if line.Fault != "" {
			return fmt.Errorf("line %d: %s", line.Number, line.Fault)
		}
		value, err := parser.ParseBytes(line.Bytes)
		if err != nil || value.Type() != fastjson.TypeObject || !value.Exists("score") {
			return fmt.Errorf("line %d is no result line: it has no score; want the lines that plumb score writes", line.Number)
		}
		result, err := scoring.ReadResult(value)
		if err != nil {
			return fmt.Errorf("line %d: %w", line.Number, err)
		}
		sample.Add(result, folder.clusters[result.ID])
		return nil
	})
	// The sample must hold results, all of one model.
	switch {
	case err != nil: // a line is no result
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

// Run prints a table of how many tasks a benchmark must have to show a difference of --difference between
// the scores of two models. How much scores vary is taken from results: with one file from those of its
// model, with several from each pair of models. See docs/spec/runs.md#r48.
func (cmd *powerCmd) Run(std streams) error {
	if !(cmd.Difference > 0) || cmd.Repeats < 1 { // so written, it refuses NaN too
		return usage("cannot use --difference %g and --repeats %d: want a difference above 0 and repeats from 1", cmd.Difference, cmd.Repeats)
	}
	var samples []*stats.Sample
	for _, path := range cmd.Results {
		sample, err := readSample(path, cmd.lines())
		if err != nil {
			return err
		}
		samples = append(samples, sample)
	}
	title := fmt.Sprintf("tasks that show a difference of %g with %d repeats (error of the first kind 5 %%, power 80 %%)",
		cmd.Difference, cmd.Repeats)
	textTable := scoring.TextTable{Title: title, TextColumns: 2,
		Columns: []string{"suite", "test", "tasks seen", "sd", "tasks wanted", "smallest difference"}}
	// How much scores vary between tasks: of one model, of a pair of models, or of each pair of several.
	switch len(samples) {
	case 1:
		textTable.Rows = cmd.powerRows(samples[0], nil)
		textTable.Note = "from one model: two models are taken to differ from task to task as much as its scores do"
	case 2:
		textTable.Rows = cmd.powerRows(samples[0], samples[1])
	default:
		textTable.TextColumns, textTable.Columns = 3, append([]string{"results"}, textTable.Columns...)
		for i, second := range samples {
			for k, first := range samples[:i] {
				pair := shortName(cmd.Results[k]) + " - " + shortName(cmd.Results[i])
				for _, row := range cmd.powerRows(first, second) {
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

// powerRows returns the rows of the table of `plumb power` for the results of two models, a and b: one for each
// test and one for all tests together, with the number of tasks that show a difference of --difference between
// the models. It depends on the standard deviation, over tasks, of the difference of their scores. If b is nil,
// that of the scores of a stands in for it.
func (cmd *powerCmd) powerRows(a, b *stats.Sample) (rows [][]string) {
	for _, spread := range stats.Spreads(a, b) {
		tasks := stats.TasksFor(cmd.Difference, spread.TrueVariance, spread.RepeatVarianceA, spread.RepeatVarianceB, cmd.Repeats)
		tasks = max(2, tasks) // one task has no variance
		rows = append(rows, []string{spread.Suite, cmp.Or(spread.Test, "all tests"), strconv.Itoa(spread.Tasks), fourDigits(spread.SD),
			strconv.Itoa(tasks), fourDigits(stats.SmallestDifference(spread.Tasks, spread.SD))})
	}
	return rows
}
