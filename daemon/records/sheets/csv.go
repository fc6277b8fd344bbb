package sheets

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
)

// Header returns the column names of a table of separated values, the first record of its text, and the
// separator among comma, tab and semicolon that gives the most. head is the beginning of the text after a byte
// order mark. columns is nil where no separator gives a record. See docs/spec/dumps-files.md#r8.
func Header(head []byte) (columns []string, separator rune) {
	for _, c := range []rune{',', '\t', ';'} {
		r := csv.NewReader(bytes.NewReader(head))
		r.Comma = c
		if got, err := r.Read(); err == nil && len(got) > len(columns) {
			columns, separator = got, c
		}
	}
	return columns, separator
}

// anyFields lets a CSV reader accept records with different numbers of fields.
const anyFields = -1

// csvTable reads a text of separated values.
type csvTable struct {
	table
	csv         *csv.Reader
	src         *recordReader
	columns     []string
	object      object
	recordsRead int // records read, without the header
}

// CSV reads a table of separated values, or a TSV file of VLMEvalKit. The first record names
// the columns: it is looked at in the head of the input, and then skipped. See docs/spec/dumps-files.md#r8.
func CSV(in *input.Input, o rows.Options) (record.Source, error) {
	text := in.Stream()
	head, _ := text.Peek(input.HeadSize)
	columns, separator := Header(head)
	if columns == nil {
		return nil, errors.New("the first record is no header of a table; want names of columns between commas, tabs or semicolons")
	}
	t, err := newTable(in, columns, o)
	if err != nil {
		return nil, err
	}
	src := &recordReader{src: text, limit: in.Limits.Line}
	r := csv.NewReader(src)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separator, anyFields, true
	src.beginRecord()
	if _, err := r.Read(); err != nil { // skips the header
		return nil, err
	}
	return &csvTable{table: *t, csv: r, src: src, columns: columns}, nil
}

// Close implements record.Source.
func (t *csvTable) Close() error { return nil }

// Next returns the record of the next row of a table of separated values. A row that cannot be parsed,
// or has another number of fields than the header, gives a record with its fault. Records wait in the
// queue of the table, because a row of another tool may give several. It implements record.Source.
func (t *csvTable) Next() (*record.Record, error) {
	for {
		if r := t.dequeue(); r != nil {
			return r, nil
		}
		t.src.beginRecord() // the limit on bytes counts anew
		fields, err := t.csv.Read()
		if err == io.EOF {
			return nil, io.EOF
		}
		t.recordsRead++
		at := fmt.Sprintf("record %d", t.recordsRead)
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) { // the next record can still be read
			t.enqueueFault(at, at+t.explainSyntaxError(bad))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", t.recordsRead, err)
		}
		// A quote that is missing often shows as a row with too many or too few fields.
		if len(fields) != len(t.columns) {
			line, _ := t.csv.FieldPos(0)
			t.enqueueFault(at, fmt.Sprintf("%s (line %d): it has %d fields; want %d, as in the header", at, line,
				len(fields), len(t.columns)))
			continue
		}
		v, err := t.rowObject(fields)
		if err != nil {
			t.enqueueFault(at, at+": "+err.Error())
			continue
		}
		t.enqueue(v, at)
	}
}

// rowObject returns a row of a table of separated values as an object. Empty fields are left out, except
// the answer, whose empty text counts.
func (t *csvTable) rowObject(fields []string) (*fastjson.Value, error) {
	t.object.begin()
	for i, name := range t.columns {
		if fields[i] != "" || name == t.opts.AnswerColumn {
			t.object.set(name, fields[i])
		}
	}
	return t.object.end()
}

// explainSyntaxError returns the place and the cause of a syntax error in a table of separated values, in
// words that follow the record's number. The CSV reader has the same error for a quoted field that is never
// closed and for one that holds a quote. Only the first stands behind the last character of the input.
func (t *csvTable) explainSyntaxError(e *csv.ParseError) string {
	place := fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	if e.StartLine != e.Line {
		place = fmt.Sprintf(" (lines %d to %d)", e.StartLine, e.Line)
	}
	isAtEnd := t.src.ended && e.Column > t.src.lastLineLength()
	switch {
	case e.Err == csv.ErrQuote && isAtEnd:
		return fmt.Sprintf(" (line %d): a quoted field runs to the end of the input", e.StartLine)
	case e.Err == csv.ErrQuote:
		return place + ": a quote stands inside a quoted field"
	case e.Err == csv.ErrBareQuote:
		return place + ": a quote stands inside a field without quotes"
	}
	return place + ": " + e.Err.Error()
}

// recordReader limits the bytes of one record of a table of separated values, because the CSV reader
// holds a whole record in memory. It also measures lines.
type recordReader struct {
	src        io.Reader
	limit      int  // bytes of a record
	recordLeft int  // bytes that may still be read of the current record
	ended      bool // src has ended
	// Bytes of the line that src is in, and of the whole line before it, with one for its end.
	lineLength, previousLength int
}

// slack is how many bytes the CSV reader may read beyond a record, into its buffer.
const slack = 64 << 10

// beginRecord starts a record: Read may return limit+slack further bytes.
func (r *recordReader) beginRecord() { r.recordLeft = r.limit + slack }

// lastLineLength returns the length in bytes of the last line of the table's text so far. After a line end
// that is the line before it.
func (r *recordReader) lastLineLength() int {
	if r.lineLength > 0 {
		return r.lineLength
	}
	return r.previousLength
}

// Read reads the text of a table of separated values and counts the bytes since beginRecord. A record
// above the limit is an error, because a quote is perhaps never closed. It implements io.Reader.
func (r *recordReader) Read(p []byte) (int, error) {
	if r.recordLeft <= 0 {
		return 0, fmt.Errorf("it has more than %d bytes (--max-line); is a quote never closed?", r.limit)
	}
	n, err := r.src.Read(p[:min(len(p), r.recordLeft)])
	r.recordLeft -= n
	r.ended = r.ended || err == io.EOF
	// Measure the lines in it; CR LF counts as one byte, as the CSV reader counts columns.
	for b := p[:n]; len(b) > 0; {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			r.lineLength += len(b)
			break
		}
		r.previousLength, r.lineLength = r.lineLength+i+1, 0
		if i > 0 && b[i-1] == '\r' {
			r.previousLength--
		}
		b = b[i+1:]
	}
	return n, err
}
