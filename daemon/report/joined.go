package report

import (
	"io"

	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/table"
)

// Joined adds up the results of several models and runs, side by side, from result
// lines alone. One goroutine uses it.
type Joined struct {
	writer        *Writer
	lines, scored int
}

// NewJoined returns an empty report. Of cfg.Items it needs the suites alone. Where cfg.Dir is "" there are tables alone,
// and no page.
func NewJoined(cfg Config) (*Joined, error) {
	j := &Joined{writer: newWriter(cfg)}
	if cfg.Dir != "" {
		return j, j.writer.open(cfg.Dir)
	}
	return j, nil
}

// Add adds a result line of the file called name. Its model is name where the result
// has none, else "name: model", or the model alone where name is "". Each model and way
// to ask is a series. It returns an error for a line that is no result.
func (j *Joined) Add(name string, line []byte) error {
	v, r, err := readResult(&j.writer.parser, line)
	if err != nil {
		return err
	}
	switch model := r.Who.Model; {
	case model == "":
		r.Who.Model = name
	case name != "" && model != name:
		r.Who.Model = name + ": " + model
	}
	j.lines++
	if r.Scored {
		j.scored++
	}
	return j.writer.add(dump.Line{}, line, v, r)
}

// Tables returns, for each suite, a table of the means of all series with the columns test
// and one for each series, and then the suites' own tables.
func (j *Joined) Tables() (out []scoring.TextTable) {
	for _, t := range means(j.writer.table) {
		text := scoring.TextTable{Title: t.Suite + ": means", Text: 1, Columns: append([]string{"test"}, t.Models...),
			Note: "Mean ± standard error (answers)."}
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
	return append(out, j.writer.table.Own()...)
}

// Unlisted returns lines of text on results that are in no table; "" for none.
func (j *Joined) Unlisted() string {
	return j.writer.table.Unlisted()
}

// Lines returns the number of results.
func (j *Joined) Lines() int { return j.lines }

// Scored returns the number of results with a score.
func (j *Joined) Scored() int { return j.scored }

// LeftOut returns lines of text on duplicates that the tables leave out; "" for none.
func (j *Joined) LeftOut() string { return j.writer.table.LeftOut() }

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
	return nil
}

// Close writes the tables, and the items from their results alone, as index.html into the folder, and returns its path.
func (j *Joined) Close() (path string, err error) { return j.writer.Close() }

// Discard removes what was written so far, after an error.
func (j *Joined) Discard() { j.writer.Discard() }
