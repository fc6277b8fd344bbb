package sheets

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/xuri/excelize/v2"

	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
)

// Mark is what the copy of a row says about its answer.
type Mark struct {
	Known  bool     // the row has a result
	Score  *float64 // nil for none
	Status string
	Error  string
}

// Marks looks up the mark of a row by its place, such as "record 3" or "row 7".
type Marks interface {
	Mark(at string) (Mark, error)
}

// markColumns are the columns that copies have after those of the dump.
var markColumns = []string{"plumb_score", "plumb_status", "plumb_error"}

// AnnotateCSV copies a table of separated values and adds the columns of marks to each record. The
// records keep their own bytes, which a CSV writer might change; the CSV reader only finds where they
// end. A record that cannot be parsed is copied without a mark.
func AnnotateCSV(in *input.Input, w io.Writer, marks Marks) error {
	text := in.Stream()
	head, _ := text.Peek(input.HeadSize)
	columns, separator := Header(head)
	if columns == nil {
		return errors.New("the first record is no header of a table")
	}
	src := &recordReader{src: text, limit: in.Limits.Line}
	var raw bytes.Buffer
	r := csv.NewReader(io.TeeReader(src, &raw))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separator, anyFields, true
	for index, copied := 0, int64(0); ; index++ { // record 0 is the header; copied counts the bytes before the record
		src.beginRecord()
		_, err := r.Read()
		if err == io.EOF {
			_, err := w.Write(raw.Bytes()) // blank lines at the end
			return err
		}
		bad := (*csv.ParseError)(nil) // set for a record that cannot be parsed
		if err != nil && !errors.As(err, &bad) {
			return fmt.Errorf("record %d: %w", index, err)
		}
		record := raw.Next(int(r.InputOffset() - copied)) // the reader has consumed these bytes for it
		copied = r.InputOffset()
		var fields []string
		switch {
		case index == 0:
			fields = markColumns
		case bad == nil:
			if fields, err = markFields(marks, fmt.Sprintf("record %d", index)); err != nil {
				return err
			}
		}
		if err := writeRecord(w, record, fields, separator); err != nil {
			return err
		}
	}
}

// markFields returns the fields that a row's mark adds: score, status and error.
func markFields(marks Marks, at string) ([]string, error) {
	m, err := marks.Mark(at)
	score := ""
	if m.Score != nil {
		score = strconv.FormatFloat(*m.Score, 'g', -1, 64)
	}
	return []string{score, m.Status, m.Error}, err
}

// writeRecord writes a record, in its own bytes, with further fields before its line end.
// Without fields it copies the record.
func writeRecord(w io.Writer, record []byte, fields []string, separator rune) error {
	body := bytes.TrimRight(record, "\r\n")
	end := record[len(body):]
	var more bytes.Buffer
	if fields != nil {
		// A first field x is written and then cut off, which leaves the separator behind it.
		c := csv.NewWriter(&more)
		c.Comma = separator
		c.Write(append([]string{"x"}, fields...))
		c.Flush()
	}
	added := bytes.TrimSuffix(bytes.TrimPrefix(more.Bytes(), []byte("x")), []byte("\n"))
	_, err := w.Write(slices.Concat(body, added, end))
	return err
}

// maxAnnotated is how many bytes the parts of a spreadsheet may have that is copied: the library
// then holds every cell.
const maxAnnotated = 128 << 20

// maxEscapeWork bounds the bytes that the library copies to undo escapes such as _x000D_: for each escape it
// copies the whole text. This takes a minute or two.
const maxEscapeWork = 1e12

// checkEscapes reads the first sheet of a spreadsheet and adds up how many bytes the library would copy to undo
// the escapes in its texts. More than maxEscapeWork is an error, because the library would take minutes.
func checkEscapes(a *archive.Archive) error {
	_, part, err := firstSheet(a)
	if err != nil {
		return err
	}
	shared, err := readSharedTexts(a, maxInMemory)
	if err != nil {
		return err
	}
	defer shared.Close()
	sheet, err := openCells(a, part, shared)
	if err != nil {
		return err
	}
	defer sheet.Close()
	for err == nil {
		if err = sheet.next(); sheet.escapeWork > maxEscapeWork {
			return fmt.Errorf("row %d: the texts have too many escapes (_x....) for a copy; want TSV", sheet.row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return err
}

// AnnotateXLSX copies a spreadsheet and adds the columns of marks after the header of its first
// sheet. Added cells are texts and numbers, never formulas. It refuses spreadsheets that the
// library could not hold or copy in reasonable time. A panic of the library becomes an error.
func AnnotateXLSX(in *input.Input, w io.Writer, marks Marks) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the spreadsheet cannot be copied: %v", p)
		}
	}()
	a, err := archive.Open(in)
	if err != nil {
		return err
	}
	// The library reads everything into memory, so the size is checked before.
	total, err := checkParts(a)
	if err != nil {
		return err
	}
	if total > maxAnnotated {
		return fmt.Errorf("the spreadsheet has %d bytes unpacked; want at most %d for a copy, or TSV", total,
			maxAnnotated)
	}
	if err := checkEscapes(a); err != nil {
		return err
	}
	f, err := openWorkbook(in, total)
	if err != nil {
		return err
	}
	defer f.Close()
	// Add three cells to each row, behind the columns of the header.
	sheet := f.GetSheetName(0)
	rowsOfSheet, err := f.GetRows(sheet)
	if err != nil {
		return fmt.Errorf("sheet %s cannot be read: %w", sheet, err)
	}
	if len(rowsOfSheet) == 0 {
		return fmt.Errorf("sheet %s has no row", sheet)
	}
	for i := range rowsOfSheet {
		added := []any{markColumns[0], markColumns[1], markColumns[2]}
		if i > 0 { // all rows but the header
			m, err := marks.Mark(fmt.Sprintf("sheet %s row %d", sheet, i+1))
			if err != nil {
				return err
			}
			added = []any{nil, m.Status, m.Error}
			if m.Score != nil {
				added[0] = *m.Score
			}
		}
		for j, v := range added {
			name, err := excelize.CoordinatesToCellName(len(rowsOfSheet[0])+j+1, i+1)
			if err == nil && v != nil && v != "" {
				err = f.SetCellValue(sheet, name, v)
			}
			if err != nil {
				return fmt.Errorf("cannot write cell %s: %w", name, err)
			}
		}
	}
	return f.Write(w)
}

// AnnotateParquet copies a Parquet file, its row groups included, and adds the columns of marks. A row group
// that cannot be read ends the copy with an error. A panic of the library becomes an error.
func AnnotateParquet(in *input.Input, w io.Writer, marks Marks) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the Parquet file cannot be copied: %v", p)
		}
	}()
	table, err := openParquet(in)
	if err != nil {
		return err
	}
	defer table.closeGroup()
	// The columns of the copy: those of the file, and three for the marks.
	var fields []parquet.Field
	for _, c := range table.file.Root().Columns() {
		collectLeaves(c, &table.leaves)
		fields = append(fields, copiedField{c})
	}
	fields = append(fields, NewColumn(markColumns[0], parquet.Optional(parquet.Leaf(parquet.DoubleType))),
		NewColumn(markColumns[1], parquet.Optional(parquet.String())),
		NewColumn(markColumns[2], parquet.Optional(parquet.String())))
	options := []parquet.WriterOption{parquet.NewSchema("schema", Group{Columns: fields}),
		parquet.Compression(&parquet.Zstd)}
	for _, kv := range table.file.Metadata().KeyValueMetadata {
		// These three list the columns, and would be wrong with the new ones.
		if kv.Key != "ARROW:schema" && kv.Key != "pandas" && kv.Key != "huggingface" {
			options = append(options, parquet.KeyValueMetadata(kv.Key, kv.Value))
		}
	}
	// Copy row by row; Flush ends a row group of the copy where the file ends one.
	out := parquet.NewWriter(w, options...)
	for table.nextGroup < len(table.file.RowGroups()) {
		if err := table.openGroup(); err != nil {
			return fmt.Errorf("row group %d: %w", table.nextGroup-1, err)
		}
		for ; table.row < table.groupEnd; table.row++ {
			if err := table.copyRow(out, marks); err != nil {
				return fmt.Errorf("row %d: %w", table.row, err)
			}
		}
		table.closeGroup()
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return out.Close()
}

// collectLeaves appends the leaves below a Parquet column, or the column itself if it is one, in
// the order of the file.
func collectLeaves(c *parquet.Column, leaves *[]*parquet.Column) {
	if c.Leaf() {
		*leaves = append(*leaves, c)
	}
	for _, sub := range c.Columns() {
		collectLeaves(sub, leaves)
	}
}

// copyRow copies the next row of a Parquet file to out and adds the columns of its mark: score, status
// and error. A part of the mark that is empty becomes null.
func (table *parquetTable) copyRow(out *parquet.Writer, marks Marks) error {
	var row parquet.Row
	for i, c := range table.cursors {
		values, err := c.nextRow()
		if err != nil {
			return fmt.Errorf("column %s: %w", table.leaves[i].Path()[0], err)
		}
		row = append(row, values...)
	}
	m, err := marks.Mark(fmt.Sprintf("row %d", table.row))
	if err != nil {
		return err
	}
	// addMark adds column i of the marks, which stand behind those of the file. The arguments of Level are
	// the repetition level, 0 for a single value; the definition level, 1 for an optional value that is
	// there and 0 for a missing one; and the column.
	addMark := func(v parquet.Value, isThere bool, i int) {
		column := len(table.leaves) + i
		if isThere {
			row = append(row, v.Level(0, 1, column))
		} else {
			row = append(row, parquet.NullValue().Level(0, 0, column))
		}
	}
	score := 0.0
	if m.Score != nil {
		score = *m.Score
	}
	addMark(parquet.ValueOf(score), m.Score != nil, 0)
	addMark(parquet.ValueOf(m.Status), m.Status != "", 1)
	addMark(parquet.ValueOf(m.Error), m.Error != "", 2)
	_, err = out.WriteRows([]parquet.Row{row})
	return err
}

// copiedField is a column of the dump that is written to the copy. It names no encoding and no compression, so
// that the writer chooses them: those that the dump lists may be of levels, and not fit the type.
type copiedField struct{ parquet.Field }

// Encoding implements parquet.Node.
func (f copiedField) Encoding() encoding.Encoding { return nil }

// Compression implements parquet.Node.
func (f copiedField) Compression() compress.Codec { return nil }

// Fields returns the fields within a Parquet column that is copied, each wrapped as a copiedField too, so that
// these name no encoding either. It implements parquet.Node.
func (f copiedField) Fields() (all []parquet.Field) {
	for _, c := range f.Field.Fields() {
		all = append(all, copiedField{c})
	}
	return all
}
