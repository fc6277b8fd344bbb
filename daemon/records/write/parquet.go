package write

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"plumb/daemon/records/sheets"
	"plumb/render/jsontree"
)

// rowGroup is how many rows a row group has.
const rowGroup = 65_536

// ParquetOptions say what a Parquet file of results holds beside the fixed columns.
type ParquetOptions struct {
	Columns  []string          // members of results as doubles of their own: "metrics.iou" (--columns)
	Metadata map[string]string // of the file: the scorer and the flags
}

// column is a column of a Parquet file of results.
type column struct {
	name string
	node parquet.Node
	get  func(r *result) (v parquet.Value, ok bool)
}

// parquetResults writes results as Parquet.
type parquetResults struct {
	rows    *parquet.Writer
	columns []column // in the order of the file
	result  result
	row     parquet.Row
}

// nameColumn returns a Parquet column of texts with few different values, which are stored in a
// dictionary. keys is the path of the member in a result line, by default the name.
func nameColumn(name string, keys ...string) column {
	node := parquet.Optional(parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
	return column{name, node, textGetter(pathOrName(name, keys)...)}
}

// textColumn returns a Parquet column of texts that differ from row to row. keys is the path of the
// member in a result line, by default the name.
func textColumn(name string, keys ...string) column {
	return column{name, parquet.Optional(parquet.String()), textGetter(pathOrName(name, keys)...)}
}

// pathOrName returns keys, the path of a member of a result line. If it is empty, the member has the name of
// the Parquet column.
func pathOrName(name string, keys []string) []string {
	if len(keys) == 0 {
		return []string{name}
	}
	return keys
}

// textGetter returns a function that gets the member at the path keys of a result as a text, for a column
// of Parquet. ok of that function is false for an empty or missing text, which becomes null.
func textGetter(keys ...string) func(*result) (parquet.Value, bool) {
	return func(r *result) (parquet.Value, bool) {
		s := r.text(keys...)
		return parquet.ValueOf(s), s != ""
	}
}

// jsonColumn returns a Parquet column with JSON as text, which readers that support this type show as objects.
func jsonColumn(name string) column {
	return column{name, parquet.Optional(parquet.JSON()), func(r *result) (parquet.Value, bool) {
		v := r.value.Get(name)
		if v == nil {
			return parquet.Value{}, false
		}
		return parquet.ValueOf(string(jsontree.Append(nil, v))), true
	}}
}

// doubleColumn returns a Parquet column with a number of a result line as a double; keys is the path of
// the member, by default the name. Where it is missing or no number, the column is null.
func doubleColumn(name string, keys ...string) column {
	keys = pathOrName(name, keys)
	return column{name, parquet.Optional(parquet.Leaf(parquet.DoubleType)), func(r *result) (parquet.Value, bool) {
		f, ok := r.number(keys...)
		return parquet.ValueOf(f), ok
	}}
}

// resultColumns returns the columns that every Parquet file of results has: name, type, and the function that
// takes the value from a result. file, at and key are the file, the place and the id of the answer in another
// program's dump. cut says where a truncated answer ends. See docs/spec/dumps-files.md#r18.
func resultColumns() []column {
	return []column{
		{"id", parquet.String(), func(r *result) (parquet.Value, bool) { return parquet.ValueOf(r.text("id")), true }},
		textColumn("key"),
		{"repeat", parquet.Leaf(parquet.Int32Type), func(r *result) (parquet.Value, bool) {
			n, _ := r.number("repeat")
			return parquet.ValueOf(int32(max(n, 1))), true // a result without a repeat is the first
		}},
		nameColumn("suite"), nameColumn("test"), nameColumn("model"),
		doubleColumn("score"), doubleColumn("reward"),
		nameColumn("status"), nameColumn("finish_reason"), nameColumn("cut"),
		// The result has the tokens of an answer itself, or among its metrics under one of two names, as the
		// scorer of its suite writes it.
		{"completion_tokens", parquet.Optional(parquet.Leaf(parquet.Int64Type)), func(r *result) (parquet.Value, bool) {
			for _, keys := range [][]string{{"completion_tokens"}, {"metrics", "completion_tokens"},
				{"metrics", "tokens"}} {
				if n, ok := r.number(keys...); ok {
					return parquet.ValueOf(int64(n)), true
				}
			}
			return parquet.Value{}, false
		}},
		jsonColumn("metrics"), jsonColumn("notes"),
		nameColumn("error_code", "error", "code"),
		textColumn("error_message", "error", "message"),
		nameColumn("backend"), nameColumn("scorer"), nameColumn("file"), textColumn("at"),
	}
}

// NewParquet returns a writer of results as Parquet to w: the fixed columns and those of
// o.Columns. A column with the name of another, or without one, is an error. So is a comma in a name: it is
// a list of names given as one by mistake.
func NewParquet(w io.Writer, o ParquetOptions) (Results, error) {
	columns := resultColumns()
	for _, name := range o.Columns {
		if slices.ContainsFunc(columns, func(c column) bool { return c.name == name }) {
			return nil, fmt.Errorf("cannot use --columns %s: the column is there already", name)
		}
		if strings.Contains(name, ",") || name == "" {
			return nil, fmt.Errorf("cannot use --columns %q: want members of results, such as metrics.iou", name)
		}
		columns = append(columns, doubleColumn(name, strings.Split(name, ".")...))
	}
	var group sheets.Group // a parquet.Group would sort the columns by name
	for _, c := range columns {
		group.Columns = append(group.Columns, sheets.NewColumn(c.name, c.node))
	}
	schema := parquet.NewSchema("result", group)
	// Bounds of pages help to find values, but those of long texts would only take room.
	options := []parquet.WriterOption{schema, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.CreatedBy("plumb", "", ""), // application, version and build
		parquet.SkipPageBounds("metrics"), parquet.SkipPageBounds("notes"), parquet.SkipPageBounds("error_message")}
	for _, k := range slices.Sorted(maps.Keys(o.Metadata)) {
		options = append(options, parquet.KeyValueMetadata(k, o.Metadata[k]))
	}
	return &parquetResults{rows: parquet.NewWriter(w, options...), columns: columns}, nil
}

// Write adds a result line as a row of the Parquet file. A value that is missing is null in its
// column. It implements Results.
func (p *parquetResults) Write(line []byte) error {
	if err := p.result.parse(line); err != nil {
		return err
	}
	p.row = p.row[:0]
	for i, c := range p.columns {
		// Level takes the repetition level, the definition level and the column. Nothing repeats, and
		// the definition level is 1 for a value that might be null and is not.
		v, ok := c.get(&p.result)
		switch {
		case !ok:
			v = parquet.NullValue().Level(0, 0, i)
		case c.node.Optional():
			v = v.Level(0, 1, i)
		default:
			v = v.Level(0, 0, i)
		}
		p.row = append(p.row, v)
	}
	_, err := p.rows.WriteRows([]parquet.Row{p.row})
	return err
}

// Close implements Results.
func (p *parquetResults) Close() error { return p.rows.Close() }
