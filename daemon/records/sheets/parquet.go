package sheets

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
)

// parquetTable reads a Parquet file, one row group after the other.
type parquetTable struct {
	table
	in      *input.Input
	src     io.ReaderAt
	file    *parquet.File
	columns []*node           // those that are read, as they become JSON; each may be a group of columns
	leaves  []*parquet.Column // the columns of values within columns, in the order of the file
	object  object

	nextGroup int             // the index of the next row group
	cursors   []*columnCursor // of the leaves in the current row group; nil between row groups
	row       int64           // in the file, from 0
	groupEnd  int64           // of the current row group
}

// Parquet opens a Parquet file whose rows are a table or records of another format. It prepares to
// read only the columns that are used. A panic of the Parquet library, which damaged files can cause,
// becomes an error. See docs/spec/dumps-files.md#r16.
func Parquet(in *input.Input, o rows.Options) (src record.Source, err error) {
	table, err := openParquet(in)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			src, err = nil, fmt.Errorf("the Parquet file cannot be decoded: %v", p)
		}
	}()
	// The names of the columns decide how rows are read.
	var names []string
	for _, c := range table.file.Root().Columns() {
		names = append(names, c.Name())
	}
	known, err := newTable(in, names, o)
	if err != nil {
		return nil, err
	}
	table.table = *known
	// Only the columns that a record needs are decoded.
	for _, c := range table.file.Root().Columns() {
		if !isColumnRead(c, table.opts) {
			continue
		}
		if n := newNode(c, &table.leaves); n != nil {
			table.columns = append(table.columns, n)
		}
	}
	return table, nil
}

// openParquet opens a Parquet file. It checks the footer before the library decodes it, because a
// damaged one can make the library take all memory. A panic of the library becomes an error.
func openParquet(in *input.Input) (table *parquetTable, err error) {
	at, size, err := in.RandomAccess()
	if err != nil {
		return nil, err
	}
	if err := checkFooter(at, size); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			table, err = nil, fmt.Errorf("the Parquet file cannot be decoded: %v", p)
		}
	}()
	f, err := parquet.OpenFile(at, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("the footer of the Parquet file cannot be read: %w", err)
	}
	return &parquetTable{in: in, src: at, file: f}, nil
}

// neverRead are the names of columns of trainers that no format reads and that may be large.
var neverRead = []string{"logprobs", "token_logprobs", "input_ids", "output_ids", "token_ids", "prompt_ids",
	"completion_ids", "attention_mask", "loss_mask", "embedding", "embeddings"}

// knownColumns are the names of columns that are read even if their bytes are not said to be text.
var knownColumns = append([]string{"id", "model", "suite", "test", "finish_reason", "label", "answer", "ground_truth",
	"task", "shapes", "options", rows.IndexColumn, "thinking"}, rows.AnswerColumns...)

// isColumnRead reports whether a column of a Parquet file is read. Columns of a known or requested name are.
// To save time and memory, columns of token numbers and the like (neverRead) are not, nor columns of bytes
// that are not said to be text, such as pictures. All others are. See docs/spec/dumps-files.md#r17.
func isColumnRead(c *parquet.Column, o rows.Options) bool {
	name := c.Name()
	switch {
	case name == o.AnswerColumn || slices.Contains(knownColumns, name) || slices.Contains(o.Columns, name):
		return true
	case slices.Contains(neverRead, name):
		return false
	}
	return !holdsBytes(c)
}

// holdsBytes reports whether a Parquet column, or a leaf within it, holds bytes that are not said to be text.
func holdsBytes(c *parquet.Column) bool {
	if c.Leaf() {
		t := c.Type().LogicalType()
		return c.Type().Kind() == parquet.ByteArray && (t == nil || t.Value == nil)
	}
	return slices.ContainsFunc(c.Columns(), holdsBytes)
}

// Close implements record.Source.
func (table *parquetTable) Close() error {
	table.closeGroup()
	return nil
}

// closeGroup releases the pages of the Parquet file's current row group.
func (table *parquetTable) closeGroup() {
	for _, c := range table.cursors {
		c.close()
	}
	table.cursors = nil
}

// Next returns the record of the next row of a Parquet file. Of a row group that cannot be read it returns
// one record with the fault, and goes on with the next group. It implements record.Source.
func (table *parquetTable) Next() (*record.Record, error) {
	for {
		if r := table.dequeue(); r != nil {
			return r, nil
		}
		isBetweenGroups := table.cursors == nil
		if isBetweenGroups && table.nextGroup >= len(table.file.RowGroups()) {
			return nil, io.EOF
		}
		at := fmt.Sprintf("row %d", table.row)
		if err := table.readNextRow(at); err != nil {
			table.giveUpGroup(err)
		}
	}
}

// giveUpGroup gives up the rest of a Parquet file's current row group because of err. It puts one record with a
// fault, which names the lost rows, into the queue, so that reading can continue with the next group.
func (table *parquetTable) giveUpGroup(err error) {
	table.closeGroup()
	group, last := table.nextGroup-1, table.groupEnd-1
	at := fmt.Sprintf("rows %d to %d", table.row, last)
	if table.row == last {
		at = fmt.Sprintf("row %d", table.row)
	}
	table.enqueueFault(at, fmt.Sprintf("row group %d (%s), %v; the other row groups are read", group, at, err))
	table.row = table.groupEnd // goes on behind the lost rows
}

// readNextRow adds the records of the next row of a Parquet file, at the place at, to the queue. Before the
// first row of a row group it opens the group instead, and after the last it closes the group. A panic
// of the library, or of the code that puts a row together, becomes an error. That code panics with
// errLevelsContradict.
func (table *parquetTable) readNextRow(at string) (err error) {
	defer func() {
		if p := recover(); p == errLevelsContradict {
			err = errLevelsContradict
		} else if p != nil {
			err = fmt.Errorf("the rows cannot be decoded: %v", p)
		}
	}()
	if table.cursors == nil {
		return table.openGroup()
	}
	if table.row == table.groupEnd {
		table.closeGroup()
		return nil
	}
	// The values of the row, for each column of values.
	values := make([][]parquet.Value, len(table.cursors))
	for i, c := range table.cursors {
		if values[i], err = c.nextRow(); err != nil {
			return fmt.Errorf("column %s: %w", table.leaves[i].Path()[0], err)
		}
	}
	// The row as a JSON object, from repetition and definition level 0, those outside of all columns.
	table.object.begin()
	for _, column := range table.columns {
		before := len(table.object.text)
		table.object.appendName(column.name)
		var null bool
		if table.object.text, null = column.appendValue(table.object.text, values, 0, 0); null {
			table.object.text = table.object.text[:before] // an absent member is left out, with its name
		}
	}
	if size, most := len(table.object.text), table.in.Limits.Line; size > most {
		table.enqueueFault(at, fmt.Sprintf("%s: it has %d bytes as JSON; want at most %d (--max-line)", at, size, most))
	} else if v, err := table.object.end(); err != nil {
		table.enqueueFault(at, fmt.Sprintf("%s: %v", at, err))
	} else {
		table.enqueue(v, at)
	}
	table.row++
	return nil
}

// openGroup begins the next row group of a Parquet file; one without rows is skipped. It first checks the
// sizes of its pages, because the library allocates what they state. The columns that are read may have at
// most maxGroupBytes decompressed. Above parquetFloor bytes they may have at most Limits.Ratio times their
// compressed bytes. Pages that the library would read wrongly (see fixPage) are replaced.
func (table *parquetTable) openGroup() error {
	group := table.file.RowGroups()[table.nextGroup]
	meta := &table.file.Metadata().RowGroups[table.nextGroup]
	table.nextGroup++
	table.groupEnd = table.row + max(group.NumRows(), 0)
	if table.row == table.groupEnd {
		return nil
	}
	if len(table.leaves) == 0 {
		return errors.New("no column can be read")
	}
	// Check each column. Leaf.Index is its number in the whole file, i the one among those that are read.
	decompressed, compressed := int64(0), int64(0)         // bytes of the columns so far
	fixedColumns := make([]io.ReaderAt, len(table.leaves)) // nil for columns that need no fix
	for i, leaf := range table.leaves {
		if leaf.Index() >= len(meta.Columns) {
			return fmt.Errorf("column %s: it is not in the row group", leaf.Path()[0])
		}
		c := &meta.Columns[leaf.Index()].MetaData
		compressed += max(c.TotalCompressedSize, 0)
		bytes, fixes, err := checkPages(table.src, c, maxGroupBytes-decompressed, table.in.Limits)
		if err != nil {
			return fmt.Errorf("column %s: %w", leaf.Path()[0], err)
		}
		if len(fixes) > 0 {
			fixedColumns[i] = newFixedColumn(table.src, c, fixes)
		}
		decompressed += bytes
		if decompressed > parquetFloor && decompressed > compressed*int64(table.in.Limits.Ratio) {
			return fmt.Errorf("column %s: %d bytes became %d; want at most %d times (--max-ratio)", leaf.Path()[0],
				compressed, decompressed, table.in.Limits.Ratio)
		}
	}
	// Open each column.
	chunks := group.ColumnChunks()
	table.cursors = make([]*columnCursor, len(table.leaves))
	for i, leaf := range table.leaves {
		table.cursors[i] = &columnCursor{isList: leaf.MaxRepetitionLevel() > 0}
		if chunk, ok := chunks[leaf.Index()].(*parquet.FileColumnChunk); ok && fixedColumns[i] != nil {
			table.cursors[i].pages = chunk.PagesFrom(fixedColumns[i])
		} else {
			table.cursors[i].pages = chunks[leaf.Index()].Pages()
		}
	}
	return nil
}

// columnCursor reads the values of one column of a row group, row by row. A column of lists has
// several values in a row. Each value has a repetition level, and level 0 begins a new row.
type columnCursor struct {
	pages      parquet.Pages
	page       parquet.Page
	pageValues parquet.ValueReader
	isList     bool // a row may have several values; else each has exactly one, which may be null

	buf         [256]parquet.Value
	unread      []parquet.Value // values of buf that are not in a row yet
	rowValues   []parquet.Value // of the row that is being read, or was returned last
	noMorePages bool            // there are no more pages
}

// nextRow returns the values of a Parquet column in the next row, valid until the following call. In a
// column of lists a row ends where the next begins, at a value with repetition level 0. The caller knows how
// many rows there are, so an early end of the column is an error, io.ErrUnexpectedEOF.
func (c *columnCursor) nextRow() ([]parquet.Value, error) {
	c.rowValues = c.rowValues[:0]
	for {
		hasValue, err := c.refill()
		switch {
		case err != nil:
			return nil, fmt.Errorf("the page cannot be decoded: %w", err)
		case !hasValue && len(c.rowValues) == 0:
			return nil, fmt.Errorf("it has fewer rows than the row group: %w", io.ErrUnexpectedEOF)
		case !hasValue: // the column ended, and its last row with it
			return c.rowValues, nil
		case len(c.rowValues) > 0 && c.unread[0].RepetitionLevel() == 0: // the next row begins
			return c.rowValues, nil
		}
		c.rowValues = append(c.rowValues, c.unread[0])
		c.unread = c.unread[1:]
		if !c.isList { // no need to look at the next value
			return c.rowValues, nil
		}
	}
}

// refill reads values of a Parquet column into c.unread if it is empty, from the next page when the
// present one has ended. hasValue is false at the end of the column.
func (c *columnCursor) refill() (hasValue bool, err error) {
	for len(c.unread) == 0 && !c.noMorePages {
		if c.pageValues != nil {
			n, err := c.pageValues.ReadValues(c.buf[:])
			c.unread = c.buf[:n]
			if n > 0 {
				return true, nil
			}
			if err != nil && err != io.EOF {
				return false, err
			}
		}
		// The page has ended. A row that continues on the next page keeps copies of its values, because
		// values refer to the page's memory, which is given back here.
		for i, v := range c.rowValues {
			c.rowValues[i] = v.Clone()
		}
		c.releasePage()
		if c.page, err = c.pages.ReadPage(); err == io.EOF {
			c.noMorePages = true
			break
		} else if err != nil {
			c.noMorePages = true
			return false, err
		}
		c.pageValues = c.page.Values()
	}
	return len(c.unread) > 0, nil
}

// releasePage gives the memory of a Parquet column's current page back.
func (c *columnCursor) releasePage() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.page, c.pageValues = nil, nil
}

// close ends the column.
func (c *columnCursor) close() {
	c.unread, c.rowValues = nil, nil
	c.releasePage()
	c.pages.Close()
}
