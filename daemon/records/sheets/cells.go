package sheets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"

	"plumb/daemon/records/archive"
)

// The bounds of a sheet, which are those of the format.
const (
	maxRows    = 1 << 20
	maxColumns = 1 << 14
)

// cells reads the rows of a sheet. It reads one row after the other and holds one. See
// docs/spec/dumps-files.md#r11.
type cells struct {
	name         string // of the part of the archive, for messages
	src          io.ReadCloser
	markup       *markup
	sharedTexts  *texts // to which cells refer by numbers
	answerColumn int    // whose formulas are kept; -1 for none

	row        int      // of the current row, from 1
	values     []string // of the current row
	formula    *formula // of the answer in the current row, nil for none
	escapeWork int64    // bytes that the library for spreadsheets would copy to undo escapes; see maxEscapeWork
	buf        []byte   // the text that readText or readRichText read last; kept to reuse its memory
}

// formula is the formula of a cell, without the leading =.
type formula struct {
	text   string
	shared bool // the text is missing here, because another cell has it
}

// openCells opens the part of a spreadsheet's archive that holds the cells of a sheet. t are the
// spreadsheet's shared texts, to which cells refer. No column of answers is known yet.
func openCells(a *archive.Archive, f *archive.File, t *texts) (*cells, error) {
	r, err := a.OpenEntry(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", f.Name, archive.Explain(err)) // in plain words
	}
	return &cells{name: f.Name, src: r, markup: newMarkup(r), sharedTexts: t, answerColumn: -1}, nil
}

// Close closes the part.
func (c *cells) Close() error { return c.src.Close() }

// next reads the next row of the spreadsheet's sheet into values. After the last row the error is io.EOF
// itself; other errors name the part of the file.
func (c *cells) next() error {
	err := c.readNextRow()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %s", c.name, archive.Explain(err))
	}
	return err
}

// readNextRow skips to the next element <row r="7"> of the spreadsheet's sheet and reads its cells. A row
// without a number follows the one before. Numbers must rise and be at most maxRows.
func (c *cells) readNextRow() error {
	for {
		kind, err := c.markup.next()
		if err != nil {
			return err
		}
		if kind != startTag || string(c.markup.tagName) != "row" {
			continue
		}
		number, err := c.markup.attribute("r")
		if err != nil {
			return err
		}
		row := c.row + 1
		if len(number) > 0 {
			if row, err = strconv.Atoi(string(number)); err != nil || row <= c.row {
				return fmt.Errorf("row %.20q stands behind row %d; the file is damaged", number, c.row)
			}
		}
		if c.row = row; row > maxRows {
			return fmt.Errorf("row %d; want at most %d", row, maxRows)
		}
		return c.readCells()
	}
}

// readCells reads the cells of a spreadsheet's row, whose start tag was read, into values. Cells that
// the row leaves out are empty.
func (c *cells) readCells() error {
	c.values, c.formula = c.values[:0], nil
	col := -1
	for {
		kind, err := c.markup.next()
		if err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case kind == endTag && string(c.markup.tagName) == "row":
			return nil
		case kind == startTag && string(c.markup.tagName) == "c":
			col++ // unless readCell finds that the cell names another column
			if err := c.readCell(&col); err != nil {
				return unexpectedEnd(err)
			}
		}
	}
}

// unexpectedEnd returns errBrokenOff in place of io.EOF, for places where a spreadsheet's XML must not
// end, and other errors as they are.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return errBrokenOff
	}
	return err
}

// readCell reads a cell <c r="B7" t="s"> of a spreadsheet, whose start tag was read, and puts its text into
// values. *col is the column after the last cell, from 0. If the cell names a column itself (r), *col becomes
// that one.
func (c *cells) readCell(col *int) error {
	place, err := c.markup.attribute("r")
	if err == nil && place != nil {
		*col, err = columnOfCell(place)
	}
	if err != nil {
		return fmt.Errorf("row %d: %w", c.row, err)
	}
	if *col >= maxColumns {
		return fmt.Errorf("row %d: column %d; want at most %d", c.row, *col+1, maxColumns)
	}
	// Its type, which says where its text is.
	cellType, err := c.markup.attribute("t")
	if err != nil {
		return err
	}
	isShared := string(cellType) == "s"         // the value is the number of a shared text
	isInline := string(cellType) == "inlineStr" // the text is in the element <is>
	// Its contents.
	var value, inline string
	for {
		tok, err := c.markup.next()
		if err != nil {
			return err
		}
		if tok == endTag && string(c.markup.tagName) == "c" {
			break
		}
		if tok != startTag {
			continue
		}
		switch string(c.markup.tagName) {
		case "v":
			value, err = c.readText()
		case "is":
			inline, err = c.readRichText("is")
		case "f":
			err = c.readFormula(*col)
		}
		if err != nil {
			return err
		}
	}
	// Its text.
	switch {
	case isShared && value != "":
		if value, err = c.sharedText(value); err != nil {
			return err
		}
	case isInline && inline != "":
		value = inline
	}
	// Columns that were left out are empty.
	for len(c.values) <= *col {
		c.values = append(c.values, "")
	}
	c.values[*col] = value
	return nil
}

// columnOfCell returns the column, from 0, of a spreadsheet cell's name such as B7. Columns are numbers to the
// base 26 with the digits A to Z for 1 to 26. Names in capitals are read here because this is quick,
// others by the library.
func columnOfCell(place []byte) (int, error) {
	n, i := 0, 0 // the number so far, and the letters read
	for ; i < len(place) && i < 3 && place[i] >= 'A' && place[i] <= 'Z'; i++ {
		n = n*26 + int(place[i]-'A') + 1
	}
	if i > 0 && i < len(place) && len(bytes.Trim(place[i:], "0123456789")) == 0 {
		return n - 1, nil
	}
	n, _, err := excelize.CellNameToCoordinates(string(place))
	return n - 1, err
}

// readText returns the text of the XML element whose start tag was read, up to its end tag. Text in
// elements within it is left out.
func (c *cells) readText() (string, error) {
	c.buf = c.buf[:0]
	for depth := 1; depth > 0; {
		tok, err := c.markup.next()
		if err != nil {
			return "", unexpectedEnd(err)
		}
		switch tok {
		case startTag:
			depth++
		case endTag:
			depth--
		default:
			if depth == 1 {
				c.buf = append(c.buf, c.markup.text...)
			}
		}
	}
	return string(c.buf), nil
}

// readRichText returns the text of the spreadsheet's element with that name, whose start tag was read, without
// its formats and escapes. It adds to c.escapeWork what the library would copy to undo the escapes.
func (c *cells) readRichText(name string) (string, error) {
	var work int64
	var err error
	c.buf, work, err = appendRichText(c.markup, name, c.buf[:0])
	c.escapeWork += work
	return string(c.buf), err
}

// sharedText returns the text that a cell names by its number in the spreadsheet's table of texts. It counts
// the library's work for the escapes of that text in c.escapeWork, as often as cells name it.
func (c *cells) sharedText(number string) (string, error) {
	n, err := strconv.Atoi(string(bytes.TrimSpace([]byte(number))))
	if err != nil || n < 0 || n >= c.sharedTexts.count() {
		return "", fmt.Errorf("row %d: text %.20q of %d in the table of texts; the file is damaged", c.row, number,
			c.sharedTexts.count())
	}
	c.escapeWork += c.sharedTexts.escapeWork[n]
	return c.sharedTexts.at(n)
}

// maxFormula bounds the text of a formula in bytes.
const maxFormula = 64 << 10

// readFormula reads the formula of a spreadsheet's cell in column col, and keeps it if that column has
// the answers, because a model's text that begins with = may have become one. A formula may be shared by
// several cells, of which only the first has its text. One of more than maxFormula bytes is an error.
func (c *cells) readFormula(col int) error {
	if col != c.answerColumn {
		return nil
	}
	kind, err := c.markup.attribute("t") // the type of the formula
	if err != nil {
		return err
	}
	isShared := string(kind) == "shared"
	text, err := c.readText()
	if err == nil && len(text) > maxFormula {
		err = errors.New("a formula has more than 64 KiB")
	}
	c.formula = &formula{text: text, shared: isShared && text == ""}
	return err
}
