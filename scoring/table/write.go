package table

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plumb/scoring"
	"plumb/scoring/plural"
)

// WriteTo writes the table of mean scores as text in aligned columns for a terminal, then the
// tables of the suites. It writes nothing for an empty table.
func (table *Table) WriteTo(w io.Writer) (int64, error) {
	texts, textColumns := table.textLines()
	if len(texts) == 0 {
		return 0, nil
	}
	var out strings.Builder
	writeAligned(&out, texts, textColumns)
	out.WriteString(table.RowlessText())
	out.WriteString(table.DuplicatesText())
	for _, own := range table.MoreTables() {
		out.WriteString("\n")
		writeTable(&out, own)
	}
	n, err := io.WriteString(w, out.String())
	return int64(n), err
}

// RowlessText returns lines of text on results that belong to no row of the table: lines that could not
// be read or name no test of their suite, and results beyond maxSeen series. It is "" where there are
// none.
func (table *Table) RowlessText() string {
	out := ""
	if n := table.inNoRow - table.beyondLimit; n > 0 {
		out = plural.Of(n, "line could not be read or names no test of its suite; the tables leave it out",
			"lines could not be read or name no test of their suite; the tables leave them out") + "\n"
	}
	if table.beyondLimit > 0 {
		out += fmt.Sprintf("%s left out: a table has %d series (models and ways to ask), and as many tests of unknown suites, at most\n", plural.Of(table.beyondLimit, "line is", "lines are"), maxSeen)
	}
	return out
}

// DuplicatesText returns lines of text on duplicate answers that the table leaves out, and on the limit
// from which on it cannot find duplicates; "" where there are none and the limit is not reached.
func (table *Table) DuplicatesText() string {
	out := ""
	if table.duplicates > 0 {
		out = fmt.Sprintf("%s left out: an earlier line has the same id, test, model, repeat and turn (note duplicate_id)\n", plural.Of(table.duplicates, "more line is", "more lines are"))
	}
	if table.ledger.isFull || table.ledger.answers.Full() {
		out += fmt.Sprintf("past %d answers the same answer twice counts twice, and repeats count as items\n",
			table.ledger.limit)
	}
	return out
}

// WriteOne writes a table as text in aligned columns, with its title and note.
func WriteOne(w io.Writer, t scoring.TextTable) error {
	var b strings.Builder
	writeTable(&b, t)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTable writes a table in aligned columns, with its title and note, and without
// unprintable characters.
func writeTable(text *strings.Builder, table scoring.TextTable) {
	lines := [][]string{table.Columns}
	for _, row := range table.Rows {
		line := slices.Clone(row)
		for i := range line {
			line[i] = visible(line[i])
		}
		lines = append(lines, line)
	}
	text.WriteString(visible(table.Title) + "\n")
	writeAligned(text, lines, table.TextColumns)
	if table.Note != "" {
		text.WriteString(table.Note + "\n")
	}
}

// writeAligned writes the lines of a table in columns that are as wide as their longest
// cell. The first textColumns are left-aligned, the others right-aligned.
func writeAligned(out *strings.Builder, lines [][]string, textColumns int) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var row strings.Builder
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < textColumns {
				row.WriteString(cell + gap + "  ")
			} else {
				row.WriteString(gap + cell + "  ")
			}
		}
		out.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
}

// textLines returns the head and the rows of the table as they are printed, each as a list of cells, and how
// many of the first columns are text; nothing for an empty table. A Line of the table has the values of all
// series. Here each series has a row of its own, which names it if there are several. Rows of one suite are
// adjacent.
func (table *Table) textLines() (printed [][]string, textColumns int) {
	lines := table.Lines()
	if len(lines) == 0 && table.inNoRow == 0 {
		return nil, 0
	}
	// The head.
	series := table.Series()
	head := []string{"suite", "test"}
	if len(series) > 1 {
		head = append(head, "model")
	}
	textColumns = len(head)
	head = append(head, "n", "scored", "missing", "failed", "mean", "se")
	if table.hasTokens {
		head = append(head, "tokens")
	}
	// The rows, suite by suite, and in each the series one after another.
	printed = [][]string{head}
	for len(lines) > 0 {
		end := 1 // of the lines of the first suite
		for end < len(lines) && lines[end].Suite == lines[0].Suite {
			end++
		}
		for i, s := range series {
			for _, line := range lines[:end] {
				if line.Cells[i].N > 0 {
					printed = append(printed, table.textCells(line.Cells[i], s, len(series) > 1))
				}
			}
		}
		lines = lines[end:]
	}
	return printed, textColumns
}

// textCells returns the cells of one row of mean scores, of one series. With namesSeries the name of the
// series is one of them.
func (table *Table) textCells(row Row, s scoring.Series, namesSeries bool) []string {
	cells := []string{printable(row.Suite), printable(row.label())}
	if namesSeries {
		cells = append(cells, printable(cmp.Or(s.String(), "-")))
	}
	cells = append(cells, strconv.Itoa(row.N), strconv.Itoa(row.Scored), strconv.Itoa(row.Missing), strconv.Itoa(row.Failed),
		decimal(row.Mean, 4))
	standardError := "" // a mean of means has none
	if row.Kind == Test {
		standardError = decimal(row.SE, 4)
	}
	cells = append(cells, standardError)
	if table.hasTokens {
		cells = append(cells, decimal(row.Tokens, 1))
	}
	return cells
}

// label returns the name of a row of mean scores. A mean of several tests, some of which have no
// mean, says how many have one.
func (row *Row) label() string {
	if row.Tests == row.AllTests || row.Kind == Test {
		return row.Name
	}
	return fmt.Sprintf("%s (%d of %s)", row.Name, row.Tests, plural.Of(row.AllTests, "test"))
}

// Number formats a mean score with that many digits after the decimal point. Numbers from 1e9 have
// an exponent, because scores are unbounded and long numbers break the columns. NaN and infinities are "-".
func Number(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	if math.Abs(x) >= 1e9 {
		return strconv.FormatFloat(x, 'e', digits, 64)
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// decimal formats a mean score for a cell of the table, "-" for nil.
func decimal(x *float64, digits int) string {
	if x == nil {
		return "-"
	}
	return Number(*x, digits)
}

// printable shortens a name in the table to 40 characters and replaces unprintable ones, because
// names of unknown suites come from the dump. The end of a long name is kept, because names of
// checkpoints differ there.
func printable(text string) string {
	const limit, tail, gap = 40, 16, "..." // characters in all, and of the end
	text = visible(text)
	if utf8.RuneCountInString(text) > limit {
		characters := []rune(text)
		text = string(characters[:limit-len(gap)-tail]) + gap + string(characters[len(characters)-tail:])
	}
	return text
}

// visible replaces unprintable characters of a table's cell, which could move the terminal's
// cursor.
func visible(text string) string {
	return strings.Map(func(c rune) rune {
		if !strconv.IsPrint(c) {
			return '?'
		}
		return c
	}, text)
}
