package sheets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
	"plumb/render/jsontree"
)

// The bounds of a spreadsheet in bytes. The library holds the file and all parts but the large
// tables in memory.
const (
	maxWorkbook  = 256 << 20 // of the file
	maxParts     = 64 << 20  // of the parts beside tables of cells and of texts, unpacked
	maxInMemory  = 16 << 20  // of a table, above which it goes to a temporary file
	cellUnits    = 32_767    // UTF-16 units that a cell holds
	cutCellUnits = cellUnits - 1
)

// xlsxTable reads the first sheet of a spreadsheet of VLMEvalKit.
type xlsxTable struct {
	table
	cells   *cells
	texts   *texts
	sheet   string   // the name of the sheet
	columns []string // the names in the first row
	object  object
}

// XLSX opens a spreadsheet with answers, such as a result file of VLMEvalKit. It checks the sizes of
// the archive's parts before it opens the sheet. A panic of the decoder becomes an error. See
// docs/spec/dumps-files.md#r11.
func XLSX(in *input.Input, o rows.Options) (src record.Source, err error) {
	defer func() {
		if p := recover(); p != nil {
			src, err = nil, fmt.Errorf("the spreadsheet cannot be decoded: %v", p)
		}
	}()
	a, err := archive.Open(in)
	if err != nil {
		return nil, err
	}
	if _, size, err := in.RandomAccess(); err != nil {
		return nil, err
	} else if size > maxWorkbook {
		return nil, fmt.Errorf("the spreadsheet has %d bytes; want at most %d, or TSV", size, maxWorkbook)
	}
	if _, err := checkParts(a); err != nil {
		return nil, err
	}
	t, err := openSheet(in, a, o) // t is never nil
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// openWorkbook opens a spreadsheet with a library that reads all of it. total is the size of the
// archive's unpacked parts, which bounds what the library unpacks.
func openWorkbook(in *input.Input, total int64) (*excelize.File, error) {
	at, size, err := in.RandomAccess()
	if err != nil {
		return nil, err
	}
	if size > maxWorkbook {
		return nil, fmt.Errorf("the spreadsheet has %d bytes; want at most %d, or TSV", size, maxWorkbook)
	}
	f, err := excelize.OpenReader(io.NewSectionReader(at, 0, size), excelize.Options{
		RawCellValue: true, UnzipXMLSizeLimit: maxInMemory, UnzipSizeLimit: max(total, maxInMemory) + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("the spreadsheet cannot be decoded: %w", err)
	}
	return f, nil
}

// openSheet opens the first sheet and reads its header, which must name the column of
// answers once. The caller closes what it returns, also after an error.
func openSheet(in *input.Input, a *archive.Archive, o rows.Options) (t *xlsxTable, err error) {
	t = new(xlsxTable)
	sheet, part, err := firstSheet(a)
	if err != nil {
		return t, err
	}
	t.sheet = sheet
	// Open its cells, and read the first row as the header.
	if t.texts, err = readSharedTexts(a, maxInMemory); err != nil {
		return t, err
	}
	if t.cells, err = openCells(a, part, t.texts); err != nil {
		return t, err
	}
	if err := t.cells.next(); err != nil && err != io.EOF {
		return t, err
	}
	if t.cells.row == 1 {
		t.columns = slices.Clone(t.cells.values)
	}
	// Find the column of answers.
	t.opts = o
	t.opts.AnswerColumn = cmp.Or(o.AnswerColumn, rows.PredictionColumn)
	t.cells.answerColumn = slices.Index(t.columns, t.opts.AnswerColumn)
	if t.cells.answerColumn < 0 {
		return t, fmt.Errorf("no column %q in row 1 of %s (columns: %s)", t.opts.AnswerColumn, t.sheet,
			strings.Join(t.columns, ", "))
	}
	if err := requireOnce(t.columns, t.opts.AnswerColumn); err != nil {
		return t, err
	}
	t.setVLMEvalKit(in)
	return t, nil
}

// Close closes the spreadsheet's sheet and its shared texts. It implements record.Source.
func (t *xlsxTable) Close() error {
	var err error
	if t.cells != nil {
		err = t.cells.Close()
	}
	return errors.Join(err, t.texts.Close())
}

// Next returns the record of the next row of a spreadsheet's first sheet. A panic of the decoder,
// which damaged files can cause, becomes an error. It implements record.Source.
func (t *xlsxTable) Next() (r *record.Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("%s row %d cannot be decoded: %v", t.sheet, t.cells.row, p)
		}
	}()
	for {
		if r := t.dequeue(); r != nil {
			return r, nil
		}
		if err := t.cells.next(); err != nil {
			return nil, err
		}
		t.enqueueRow(fmt.Sprintf("sheet %s row %d", t.sheet, t.cells.row))
	}
}

// enqueueRow adds the record of the spreadsheet's current row, at the place at, to the queue. A row without any
// cell gives none. If the answer is a formula, the record gets its text and a note. An empty answer, and
// one that fills its cell and so may have lost its end, are marked as missing, each with its own code.
func (t *xlsxTable) enqueueRow(at string) {
	values, formula := t.cells.values, t.cells.formula
	isBlank := formula == nil // stays so if the row has no cell
	t.object.begin()
	for i, name := range t.columns {
		switch {
		case formula != nil && i == t.cells.answerColumn:
			t.object.set(name, "="+formula.text)
		case i < len(values) && values[i] != "":
			t.object.set(name, values[i])
			isBlank = false
		}
	}
	// A record of the row's cells.
	v, err := t.object.end()
	if err != nil {
		t.enqueueFault(at, fmt.Sprintf("%s row %d: %v", t.sheet, t.cells.row, err))
		return
	}
	if isBlank {
		return
	}
	t.enqueue(v, at)
	r := &t.queue[len(t.queue)-1]
	if r.Key == "" {
		r.Key = jsontree.Text(v.Get("id"))
	}
	// Say what the answer may have lost in its cell. MarkMissing clears the answer, which the last case keeps.
	switch {
	case formula != nil && formula.shared:
		*r = record.Record{At: at, Key: r.Key, Fault: fmt.Sprintf("%s: the cell shares the formula of another one; want its text", t.place())}
	case formula != nil:
		r.AddNote("formula_cell", fmt.Sprintf("%s is a formula; its text with the leading = is read", t.place()))
	case !v.Exists(t.opts.AnswerColumn):
		r.MarkMissing(record.EmptyCell, "an empty cell may be an empty answer or one that the writer lost")
	case boundedUnits(r.Response) >= cutCellUnits:
		text := r.Response
		r.MarkMissing(record.CutCell, "the cell holds as much as a cell can (32,767 UTF-16 units); the rest is lost")
		r.Response, r.Cut = text, record.ByCell
	}
}

// place returns the place of the answer in the current row, such as Sheet1!B2.
func (t *xlsxTable) place() string {
	name, _ := excelize.CoordinatesToCellName(t.cells.answerColumn+1, t.cells.row)
	return t.sheet + "!" + name
}

// boundedUnits returns the length of a spreadsheet cell's text in UTF-16 units, to compare it with
// cutCellUnits. For a text that has fewer bytes than that it returns their number, an upper bound that is
// found sooner.
func boundedUnits(s string) (n int) {
	if len(s) < cutCellUnits {
		return len(s)
	}
	for _, c := range s {
		n += max(utf16.RuneLen(c), 1)
	}
	return n
}

// checkParts reads every part of the spreadsheet's archive once and compares its length with what the
// archive states, because the library allocates by the stated lengths and ignores errors. total is the
// number of bytes of all parts. More than maxParts bytes that the library would hold in memory, which
// are all but those of large tables of cells and texts, are an error.
func checkParts(a *archive.Archive) (total int64, err error) {
	held := int64(0) // bytes that the library would hold in memory
	for i := range a.Files {
		f := &a.Files[i]
		r, err := a.OpenEntry(f)
		if err != nil {
			return 0, fmt.Errorf("%s: %s", f.Name, archive.Explain(err))
		}
		n, err := io.Copy(io.Discard, r)
		r.Close()
		if err != nil {
			return 0, fmt.Errorf("%s: %s", f.Name, archive.Explain(err))
		}
		if f.Size > math.MaxInt64 || int64(f.Size) != n {
			return 0, fmt.Errorf("%s: it has %d bytes; the archive states %d", f.Name, n, f.Size)
		}
		total += n
		name := strings.ToLower(strings.ReplaceAll(f.Name, "\\", "/"))
		if name == "xl/sharedstrings.xml" || strings.HasPrefix(name, "xl/worksheets/sheet") {
			n = min(n, maxInMemory) // more than that goes to a temporary file
		}
		if held += n; held > maxParts {
			return 0, fmt.Errorf("%s: pictures and other parts beside the cells have more than %d bytes; want the sheet alone", f.Name, maxParts)
		}
	}
	return total, nil
}
