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
	lines, scored int // how many results were added, and how many of them have a score
}

// NewJoined returns an empty report. Of cfg.Items it needs the suites alone. Where cfg.Dir is ""
// there are tables alone, and no page.
func NewJoined(cfg Config) (*Joined, error) {
	joined := &Joined{writer: newWriter(cfg)}
	if cfg.Dir != "" {
		return joined, joined.writer.openPage(cfg.Dir)
	}
	return joined, nil
}

// Add adds a result line of the file called name, "" for no name. So that models of several files stay
// apart, the names of the file and of the line's model together name the model that the result counts for:
//
//	file     model    counts for
//	"run 1"  "gpt"    "run 1: gpt"
//	"run 1"  "run 1"  "run 1"
//	"run 1"  none     "run 1"
//	""       "gpt"    "gpt"
//
// A line that is no result is an error.
func (joined *Joined) Add(name string, line []byte) error {
	value, result, err := readResult(&joined.writer.parser, line)
	if err != nil {
		return err
	}
	switch model := result.Who.Model; {
	case model == "":
		result.Who.Model = name
	case name != "" && model != name:
		result.Who.Model = name + ": " + model
	}
	joined.lines++
	if result.Scored {
		joined.scored++
	}
	return joined.writer.addResult(dump.Line{}, line, value, result)
}

// Tables returns, for each suite, a table of mean scores with a row for each test and a column for each
// series, and then the tables that the suites make themselves, which reproduce those of their papers.
func (joined *Joined) Tables() (out []scoring.TextTable) {
	for _, suiteTable := range means(joined.writer.table) {
		const names = 1 // columns of words: the tests
		text := scoring.TextTable{Title: suiteTable.Suite + ": means", TextColumns: names,
			Columns: append([]string{"test"}, suiteTable.Series...), Note: "Mean ± standard error (answers)."}
		for _, row := range suiteTable.Rows {
			cells := []string{row.Name}
			for _, cell := range row.Cells {
				cells = append(cells, cell.text())
			}
			text.Rows = append(text.Rows, cells)
		}
		out = append(out, text)
	}
	return append(out, joined.writer.table.MoreTables()...)
}

// RowlessText returns lines of text on results that are in no row of a table; "" for none.
func (joined *Joined) RowlessText() string {
	return joined.writer.table.RowlessText()
}

// Lines returns the number of results.
func (joined *Joined) Lines() int { return joined.lines }

// Scored returns the number of results with a score.
func (joined *Joined) Scored() int { return joined.scored }

// DuplicatesText returns lines of text on duplicates that the tables leave out; "" for none.
func (joined *Joined) DuplicatesText() string { return joined.writer.table.DuplicatesText() }

// WriteText writes the tables of the joined results one after the other as text in aligned columns,
// with an empty line between them.
func (joined *Joined) WriteText(w io.Writer) error {
	for i, textTable := range joined.Tables() {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := table.WriteOne(w, textTable); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the tables, and the items from their results alone, as index.html into the folder,
// and returns its path.
func (joined *Joined) Close() (path string, err error) { return joined.writer.Close() }

// Discard removes what was written so far, after an error.
func (joined *Joined) Discard() { joined.writer.Discard() }
