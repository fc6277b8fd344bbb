package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

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
	table  *table.Table
	parser fastjson.Parser
	total  int
	scorer string
}

// NewJoined returns an empty report.
func NewJoined(cfg JoinedConfig) *Joined {
	c := Config{Variants: cfg.Variants, Missing: cfg.Missing, Papers: cfg.Papers}
	c.Items.Suites = cfg.Suites
	return &Joined{title: cfg.Title, table: newTable(&c)}
}

// Add takes a result line (contract.md 4) of a file, whose name is that of the
// model where the result names none. Else the model is "name: model", or the model
// alone where the name is "". Each model and way to ask is a series.
func (j *Joined) Add(name string, line []byte) error {
	r, err := readResult(&j.parser, line)
	if err != nil {
		return err
	}
	j.scorer = fastjson.GetString(line, "scorer")
	switch model := r.Who.Model; {
	case model == "":
		r.Who.Model = name
	case name != "" && model != name:
		r.Who.Model = name + ": " + model
	}
	j.total++
	j.table.Add(r)
	return nil
}

// Tables are the means of all series side by side and the suites' own tables.
func (j *Joined) Tables() (out []scoring.TextTable) {
	for _, t := range means(j.table) {
		text := scoring.TextTable{Title: t.Suite + ": means", Text: 1, Columns: append([]string{"test"}, t.Models...),
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
			text.Rows = append(text.Rows, line)
		}
		out = append(out, text)
	}
	return append(out, j.table.Own()...)
}

// Other counts the lines that belong to no test.
func (j *Joined) Other() int { return j.table.Other() }

// LeftOut says in lines of text which results the tables leave out because they
// stand twice; "" for none.
func (j *Joined) LeftOut() string { return j.table.LeftOut() }

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
	w := &Writer{cfg: Config{Dir: dir, Title: j.title}, table: j.table, total: j.total, scorer: j.scorer}
	p := w.page()
	p.Index, p.Shown = true, j.total
	p.Boards, p.Papers, p.Other, p.LeftOut = means(j.table), j.table.Own(), j.Other(), j.LeftOut()
	path = filepath.Join(dir, "index.html")
	err = atomicfile.WriteFile(path, func(f *atomicfile.File) error { return pageTemplate.Execute(f, p) })
	if err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}
