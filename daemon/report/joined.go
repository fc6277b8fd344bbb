package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/atomicfile"
	"plumb/scoring"
	"plumb/scoring/table"
)

// JoinedConfig says how result files become one report.
type JoinedConfig struct {
	Title    string
	Suites   map[string]scoring.Suite
	Variants scoring.Variants
	Missing  table.Missing
	Papers   [][]byte // documents of paper tables
}

// Joined adds up the results of several models and runs, side by side, from result
// lines alone. One goroutine uses it.
type Joined struct {
	title  string
	boards *boards
	parser fastjson.Parser
	total  int
	scorer string
}

// NewJoined returns an empty report.
func NewJoined(cfg JoinedConfig) *Joined {
	c := Config{Variants: cfg.Variants, Missing: cfg.Missing, Papers: cfg.Papers}
	c.Items.Suites = cfg.Suites
	return &Joined{title: cfg.Title, boards: newBoards(&c)}
}

// Add takes a result line (contract.md 4) of a series, which is the name of its
// column or row. A result that names its model gets a series of its own: "series:
// model", or the model alone where series is "".
func (j *Joined) Add(series string, line []byte) error {
	r, err := readResult(&j.parser, line)
	if err != nil {
		return err
	}
	j.scorer = fastjson.GetString(line, "scorer")
	at := slices.IndexFunc(r.Metrics, func(m scoring.Metric) bool { return m.Name == "model" })
	if at < 0 {
		at = len(r.Metrics)
		r.Metrics = append(r.Metrics, scoring.Metric{Name: "model"})
	}
	if model, _ := r.Metrics[at].Value.(string); model != "" && series != "" && model != series {
		series += ": " + model
	} else if model != "" {
		series = model
	}
	r.Metrics[at].Value = series
	j.total++
	j.boards.add(series, r)
	return nil
}

// Tables are the means of all series side by side and the suites' own tables.
func (j *Joined) Tables() (out []scoring.TextTable) {
	for _, t := range j.boards.tables() {
		means := scoring.TextTable{Title: t.Suite + ": means", Text: 1, Columns: append([]string{"test"}, t.Models...),
			Note: "Mean ± standard error (items)."}
		for _, r := range t.Rows {
			line := []string{r.Name}
			for _, c := range r.Cells {
				s := c.Mean
				if c.Error != "" {
					s += " ± " + c.Error
				}
				if c.Count != "" {
					s += " (" + c.Count + ")"
				}
				line = append(line, s)
			}
			means.Rows = append(means.Rows, line)
		}
		out = append(out, means)
	}
	for _, p := range j.boards.papers() {
		if p.Model != "" {
			p.Title += " · " + p.Model
		}
		out = append(out, p.TextTable)
	}
	return out
}

// Other counts the lines that belong to no test.
func (j *Joined) Other() int { return j.boards.all.Other() }

// WriteText writes every table in aligned columns.
func (j *Joined) WriteText(w io.Writer) error {
	for i, t := range j.Tables() {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := table.WriteOne(w, t); err != nil {
			return err
		}
	}
	if n := j.Other(); n > 0 {
		_, err := fmt.Fprintf(w, "\n%d lines could not be read or belong to no test; the tables leave them out.\n", n)
		return err
	}
	return nil
}

// WriteHTML writes the tables as index.html into a folder, which is made where it
// is missing, and returns the path.
func (j *Joined) WriteHTML(dir string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("cannot make report folder: %w", err)
	}
	w := &Writer{cfg: Config{Dir: dir, Title: j.title}, boards: j.boards, total: j.total, scorer: j.scorer}
	p := w.page()
	p.Index, p.Shown = true, j.total
	p.Boards, p.Papers, p.Other = j.boards.tables(), j.boards.papers(), j.Other()
	path = filepath.Join(dir, "index.html")
	err = atomicfile.WriteFile(path, func(f *atomicfile.File) error { return pageTemplate.Execute(f, p) })
	if err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}
