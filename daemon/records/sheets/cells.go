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
	name   string // of the part, for messages
	src    io.ReadCloser
	markup *markup
	texts  *texts // to which cells refer by numbers
	answer int    // column of the answers, whose formulas are kept; -1 for none

	row     int      // of the current row, from 1
	values  []string // of the current row
	formula *formula // of the answer in the current row, nil for none
	work    int64    // bytes that the library for spreadsheets would copy to undo escapes; see maxEscapeWork
	buf     []byte   // the text that content and rich read last
}

// formula is the formula of a cell, without the leading =.
type formula struct {
	text   string
	shared bool // the text stands in another cell
}

// openCells opens the part of a spreadsheet's archive that holds the cells of a sheet. t are the
// spreadsheet's shared texts, to which cells refer.
func openCells(a *archive.Archive, f *archive.File, t *texts) (*cells, error) {
	r, err := a.Entry(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", f.Name, archive.Words(err))
	}
	return &cells{name: f.Name, src: r, markup: newMarkup(r), texts: t, answer: -1}, nil
}

// Close closes the part.
func (c *cells) Close() error { return c.src.Close() }

// next reads the next row of the spreadsheet's sheet into values. The error is io.EOF after the
// last one.
func (c *cells) next() error {
	err := c.read()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %s", c.name, archive.Words(err))
	}
	return err
}

// read skips to the next row of the spreadsheet's sheet and reads its cells. A row without a number
// follows the one before. Numbers must rise and be at most maxRows.
func (c *cells) read() error {
	for {
		kind, err := c.markup.next()
		if err != nil {
			return err
		}
		if kind != startTag || string(c.markup.name) != "row" {
			continue
		}
		n, err := c.markup.attribute("r")
		if err != nil {
			return err
		}
		row := c.row + 1
		if len(n) > 0 {
			if row, err = strconv.Atoi(string(n)); err != nil || row <= c.row {
				return fmt.Errorf("row %.20q stands behind row %d; the file is damaged", n, c.row)
			}
		}
		if c.row = row; row > maxRows {
			return fmt.Errorf("row %d; want at most %d", row, maxRows)
		}
		return c.readRow()
	}
}

// readRow reads the cells of a spreadsheet's row, whose start tag was read, into values. Cells that
// the row leaves out are empty.
func (c *cells) readRow() error {
	c.values, c.formula = c.values[:0], nil
	col := -1
	for {
		kind, err := c.markup.next()
		if err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case kind == endTag && string(c.markup.name) == "row":
			return nil
		case kind == startTag && string(c.markup.name) == "c":
			col++
			if err := c.cell(&col); err != nil {
				return unexpectedEnd(err)
			}
		}
	}
}

// unexpectedEnd returns errTorn in place of io.EOF, for places where a spreadsheet's XML must not
// end, and other errors as they are.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return errTorn
	}
	return err
}

// cell reads a cell of a spreadsheet, whose start tag was read, and puts its text into values. *col is
// the column after the last cell, from 0. If the cell names a column itself, *col becomes that one.
func (c *cells) cell(col *int) error {
	place, err := c.markup.attribute("r")
	if err == nil && place != nil {
		*col, err = column(place)
	}
	if err != nil {
		return fmt.Errorf("row %d: %w", c.row, err)
	}
	if *col >= maxColumns {
		return fmt.Errorf("row %d: column %d; want at most %d", c.row, *col+1, maxColumns)
	}
	// Its type, which says where its text is.
	t, err := c.markup.attribute("t")
	if err != nil {
		return err
	}
	shared, inlined := string(t) == "s", string(t) == "inlineStr" // in the table of texts, or in the cell
	// Its contents.
	var value, inline string
	for {
		tok, err := c.markup.next()
		if err != nil {
			return err
		}
		if tok == endTag && string(c.markup.name) == "c" {
			break
		}
		if tok != startTag {
			continue
		}
		switch string(c.markup.name) {
		case "v": // the value, or the number of a shared text
			value, err = c.content()
		case "is": // a text in the cell
			inline, err = c.rich("is")
		case "f":
			err = c.readFormula(*col)
		}
		if err != nil {
			return err
		}
	}
	// Its text.
	switch {
	case shared && value != "":
		if value, err = c.shared(value); err != nil {
			return err
		}
	case inlined && inline != "":
		value = inline
	}
	// Columns that were left out are empty.
	for len(c.values) <= *col {
		c.values = append(c.values, "")
	}
	c.values[*col] = value
	return nil
}

// column returns the column, from 0, of a spreadsheet cell's name such as B7. Columns are numbers to the
// base 26 with the digits A to Z for 1 to 26. Names in capitals are read here because this is quick,
// others by the library.
func column(place []byte) (int, error) {
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

// content returns the text of the XML element whose start tag was read, up to its end tag. Text in
// elements within it is left out.
func (c *cells) content() (string, error) {
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

// rich returns the text of the spreadsheet's element with that name, whose start tag was read, without
// its formats and escapes. It adds to c.work what the library would copy to undo the escapes.
func (c *cells) rich(name string) (string, error) {
	var n int64
	var err error
	c.buf, n, err = richText(c.markup, name, c.buf[:0])
	c.work += n
	return string(c.buf), err
}

// shared returns the text that a cell names by its number in the spreadsheet's table of
// texts.
func (c *cells) shared(number string) (string, error) {
	n, err := strconv.Atoi(string(bytes.TrimSpace([]byte(number))))
	if err != nil || n < 0 || n >= c.texts.n() {
		return "", fmt.Errorf("row %d: text %.20q of %d in the table of texts; the file is damaged", c.row, number,
			c.texts.n())
	}
	c.work += c.texts.costs[n]
	return c.texts.at(n)
}

// maxFormula bounds the text of a formula in bytes.
const maxFormula = 64 << 10

// readFormula reads the formula of a spreadsheet's cell in column col, and keeps it if that column has
// the answers, because a model's text that begins with = may have become one. A formula of more than
// maxFormula bytes is an error.
func (c *cells) readFormula(col int) error {
	if col != c.answer {
		return nil
	}
	kind, err := c.markup.attribute("t") // of the formula
	if err != nil {
		return err
	}
	isShared := string(kind) == "shared"
	text, err := c.content()
	if err == nil && len(text) > maxFormula {
		err = errors.New("a formula has more than 64 KiB")
	}
	c.formula = &formula{text: text, shared: isShared && text == ""}
	return err
}
