package sheets

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"plumb/daemon/records/archive"
)

// maxFormulas bounds the text of all formulas of a column in bytes.
const maxFormulas = 64 << 20

// checkSheet walks through the tables of cells and of texts, because the library ends a damaged
// one without an error and takes the number of a missing text for the text. It returns the
// formulas of a column, from 0, by row: rows of the library do not show them.
func checkSheet(a *archive.Archive, column int) (map[int]formula, error) {
	part, err := firstSheet(a)
	if err != nil {
		return nil, err
	}
	c := &cells{column: column, formulas: map[int]formula{}, costs: map[int]int64{}}
	if f := a.Find("xl/sharedStrings.xml"); f != nil {
		err := elements(a, f, func(_ *xml.Decoder, e xml.StartElement) error {
			if e.Name.Local == "si" {
				c.texts++
			}
			return nil
		}, func(b []byte) error {
			if n := cost(b); n > 0 {
				c.costs[c.texts-1] += n
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	f := a.Find(part)
	if f == nil {
		return nil, fmt.Errorf("the first sheet, %s, is not in the archive", part)
	}
	return c.formulas, elements(a, f, c.element, func(b []byte) error { return c.spend(cost(b)) })
}

// maxEscapeWork bounds the bytes that the library copies to undo escapes such as _x000D_: for each
// escape it copies the whole text. This takes a minute or two.
const maxEscapeWork = 1e12

// cost returns how many bytes the library copies to undo the escapes of a text.
func cost(b []byte) int64 { return int64(bytes.Count(b, []byte("_x"))) * int64(len(b)) }

// formula is the formula of a cell, without the leading =.
type formula struct {
	text   string
	shared bool // the text stands in another cell
}

// cells follows the cells of a sheet.
type cells struct {
	column   int
	texts    int // in the table of texts
	formulas map[int]formula
	size     int           // of the formulas
	costs    map[int]int64 // of texts with escapes, by number
	work     int64

	row, col int  // of the current cell: the row from 1, the column from 0
	shared   bool // its value is the number of a text
}

// element handles the beginning of an element.
func (c *cells) element(d *xml.Decoder, e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		c.row, c.col = c.row+1, -1
		if n, err := strconv.Atoi(attribute(e, "r")); err == nil {
			c.row = n
		}
	case "c":
		c.col++
		if name := attribute(e, "r"); name != "" {
			col, _, err := excelize.CellNameToCoordinates(name)
			if err != nil {
				return fmt.Errorf("row %d: %w", c.row, err)
			}
			c.col = col - 1
		}
		c.shared = attribute(e, "t") == "s"
	case "v":
		if !c.shared {
			return nil
		}
		var text string
		if err := d.DecodeElement(&text, &e); err != nil {
			return err
		}
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err != nil || n < 0 || n >= c.texts {
			return fmt.Errorf("row %d: text %.20q of %d in the table of texts; the file is damaged", c.row, text, c.texts)
		} else if err := c.spend(c.costs[n]); err != nil {
			return err
		}
	case "f":
		if c.col != c.column {
			return nil
		}
		var text string
		if err := d.DecodeElement(&text, &e); err != nil {
			return err
		}
		c.formulas[c.row] = formula{text, text == "" && attribute(e, "t") == "shared"}
		if c.size += len(text); c.size > maxFormulas {
			return fmt.Errorf("row %d: the formulas have more than %d bytes", c.row, maxFormulas)
		}
	}
	return nil
}

// spend counts work of the library.
func (c *cells) spend(n int64) error {
	if c.work += n; c.work > maxEscapeWork {
		return fmt.Errorf("row %d: the texts have too many escapes (_x....); want TSV", c.row)
	}
	return nil
}

// attribute returns the value of an attribute, "" where it is absent.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// elements calls each for the beginning of every element of a part, and text for the texts that
// each does not read.
func elements(a *archive.Archive, f *zip.File, each func(*xml.Decoder, xml.StartElement) error, text func([]byte) error) error {
	r, err := a.Again(f)
	if err != nil {
		return fmt.Errorf("%s: %s", f.Name, archive.Words(err))
	}
	defer r.Close()
	d := xml.NewDecoder(&textReader{src: r})
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		switch e := token.(type) {
		case xml.StartElement:
			err = each(d, e)
		case xml.CharData:
			err = text(e)
		}
		if err != nil {
			return fmt.Errorf("%s: %s", f.Name, archive.Words(err))
		}
	}
}

// maxText bounds a text of XML in bytes: that of a full cell with every character escaped is
// shorter. The time of the library grows with the square of a text.
const maxText = 512 << 10

// textReader fails where a text is longer than maxText.
type textReader struct {
	src io.Reader
	run int // bytes since the last tag
}

// Read implements io.Reader.
func (r *textReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if i := bytes.LastIndexByte(p[:n], '<'); i >= 0 {
		r.run = n - i
	} else if r.run += n; r.run > maxText {
		return 0, fmt.Errorf("it holds a text of more than %d bytes", maxText)
	}
	return n, err
}

// firstSheet returns the name of the part that holds the cells of the first sheet.
func firstSheet(a *archive.Archive) (string, error) {
	var workbook struct {
		Sheets []struct {
			ID string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		Links []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	for name, v := range map[string]any{"xl/workbook.xml": &workbook, "xl/_rels/workbook.xml.rels": &links} {
		f := a.Find(name)
		if f == nil {
			return "", fmt.Errorf("%s is not in the archive", name)
		}
		r, err := a.Again(f)
		if err != nil {
			return "", fmt.Errorf("%s: %s", name, archive.Words(err))
		}
		err = xml.NewDecoder(r).Decode(v)
		r.Close()
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(workbook.Sheets) == 0 {
		return "", errors.New("xl/workbook.xml names no sheet")
	}
	for _, l := range links.Links {
		if l.ID == workbook.Sheets[0].ID {
			if strings.HasPrefix(l.Target, "/") {
				return path.Clean(l.Target)[1:], nil
			}
			return path.Join("xl", l.Target), nil
		}
	}
	return "", errors.New("xl/_rels/workbook.xml.rels does not name the first sheet")
}
