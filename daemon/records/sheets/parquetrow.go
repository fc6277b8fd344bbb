package sheets

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"plumb/render/jsontree"
)

// node is a column or a group of columns, as it becomes JSON.
type node struct {
	name               string
	firstLeaf, endLeaf int                                      // its leaves are those from firstLeaf to endLeaf-1 of all that are read
	optional           bool                                     // it may be absent
	repeated           bool                                     // it may occur any number of times
	isList, isMap      bool                                     // it is the group of a list or of a map
	children           []*node                                  // of a group
	wrappedElement     *node                                    // of a list whose repeated group only wraps the elements; else nil
	appendLeaf         func(dst []byte, v parquet.Value) []byte // of a leaf: appends its value as JSON
}

// errLevelsContradict says that the repetition and definition levels of a file do not fit its columns.
var errLevelsContradict = errors.New("the levels of its columns do not match")

// newNode returns the node that converts a Parquet column to JSON, or nil for a group without columns of
// values. It appends those, the leaves of the column, to leaves; the node has their numbers in it.
func newNode(column *parquet.Column, leaves *[]*parquet.Column) *node {
	result := &node{name: column.Name(), optional: column.Optional(), repeated: column.Repeated(), firstLeaf: len(*leaves)}
	if column.Leaf() {
		*leaves = append(*leaves, column)
		result.appendLeaf = leafAppender(column.Type())
		result.endLeaf = len(*leaves)
		return result
	}
	if t := column.Type().LogicalType(); t != nil {
		switch t.Value.(type) {
		case *format.ListType:
			result.isList = true
		case *format.MapType:
			result.isMap = true
		}
	}
	for _, sub := range column.Columns() {
		if child := newNode(sub, leaves); child != nil {
			result.children = append(result.children, child)
		}
	}
	if result.endLeaf = len(*leaves); result.endLeaf == result.firstLeaf {
		return nil
	}
	result.findNesting()
	return result
}

// findNesting finds how a Parquet group that is said to be a list or a map is nested. n.isList and n.isMap
// become false if it lacks the repeated group within, and n.wrappedElement is set if that group only wraps
// the elements.
func (n *node) findNesting() {
	if len(n.children) != 1 || !n.children[0].repeated {
		n.isList, n.isMap = false, false
		return
	}
	inner := n.children[0]
	n.isMap = n.isMap && len(inner.children) == 2
	n.isList = n.isList && !n.isMap
	// In the usual form the repeated group has one column, the element. Old writers repeat the element
	// itself: a leaf, a group of several columns, or a group with one of these names.
	if n.isList && len(inner.children) == 1 && inner.name != "array" && inner.name != n.name+"_tuple" {
		n.wrappedElement = inner.children[0]
	}
}

// appendValue appends the JSON of a value of a Parquet column to dst. cols has, for each leaf, those of its
// values in the row that belong to this value. rep and def are Parquet's repetition and definition levels
// of what is around it: how many lists, and how many optional or repeated columns that are present. null
// is true for an absent value, for which "null" is appended.
func (n *node) appendValue(dst []byte, cols [][]parquet.Value, rep, def int) (out []byte, null bool) {
	if n.optional {
		def++
		if firstValue(cols[n.firstLeaf]).DefinitionLevel() < def {
			return append(dst, "null"...), true
		}
	}
	if n.repeated {
		return n.appendList(dst, cols, rep+1, def+1), false
	}
	return n.appendPresent(dst, cols, rep, def)
}

// firstValue returns the first value of a Parquet column in a row. It panics with errLevelsContradict if
// there is none: all columns of a row have a value or a null, so the file's repetition and definition levels
// contradict each other. parquetTable.readNextRow recovers, and the rest of the row group is reported as
// damaged.
func firstValue(values []parquet.Value) parquet.Value {
	if len(values) == 0 {
		panic(errLevelsContradict)
	}
	return values[0]
}

// appendPresent appends the JSON of a Parquet value that is present, or of one occurrence of a repeated
// column. Leaves become texts and numbers, lists and maps become lists and objects, and other groups
// become objects. rep and def are Parquet's repetition and definition levels of the value; the repeated
// group within a list or map has one more of each. null is true for a leaf without a value.
func (n *node) appendPresent(dst []byte, cols [][]parquet.Value, rep, def int) (out []byte, null bool) {
	switch {
	case n.appendLeaf != nil:
		v := firstValue(cols[n.firstLeaf])
		if v.IsNull() {
			return append(dst, "null"...), true
		}
		return n.appendLeaf(dst, v), false
	case n.isList && n.wrappedElement != nil: // the repeated group is only around each element
		return n.children[0].appendOccurrences(dst, cols, rep+1, def+1, n.wrappedElement.appendValue, '[', ']'), false
	case n.isList: // the repeated column is the element itself
		return n.children[0].appendList(dst, cols, rep+1, def+1), false
	case n.isMap:
		inner := n.children[0]
		return inner.appendOccurrences(dst, cols, rep+1, def+1, inner.appendPair, '{', '}'), false
	}
	return n.appendObject(dst, cols, rep, def), false
}

// appendObject appends a group of Parquet columns as a JSON object. Absent members are left out.
func (n *node) appendObject(dst []byte, cols [][]parquet.Value, rep, def int) []byte {
	dst = append(dst, '{')
	begin := len(dst)
	for _, c := range n.children {
		before := len(dst)
		if before > begin {
			dst = append(dst, ',')
		}
		dst = append(jsontree.AppendString(dst, c.name), ':')
		var null bool
		if dst, null = c.appendValue(dst, cols, rep, def); null {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// appendList appends all occurrences of a repeated Parquet column as a JSON list.
func (n *node) appendList(dst []byte, cols [][]parquet.Value, rep, def int) []byte {
	return n.appendOccurrences(dst, cols, rep, def, n.appendPresent, '[', ']')
}

// appendPair appends a key and value of a Parquet map as a member of a JSON object. A key that is not a
// text is written as one.
func (n *node) appendPair(dst []byte, cols [][]parquet.Value, rep, def int) ([]byte, bool) {
	key, _ := n.children[0].appendValue(nil, cols, rep, def)
	if len(key) == 0 || key[0] != '"' {
		key = jsontree.AppendString(nil, string(key))
	}
	return n.children[1].appendValue(append(append(dst, key...), ':'), cols, rep, def)
}

// appendOccurrences appends all occurrences of a repeated Parquet column to dst, between the brackets open
// and closing, with commas. appendOne appends one of them, from the values that belong to it. rep and def are
// Parquet's repetition and definition levels of an occurrence. A column that does not occur in this row has
// one value, with a definition level below def.
func (n *node) appendOccurrences(dst []byte, cols [][]parquet.Value, rep, def int, appendOne func([]byte, [][]parquet.Value, int, int) ([]byte, bool), open, closing byte) []byte {
	dst = append(dst, open)
	if firstValue(cols[n.firstLeaf]).DefinitionLevel() < def {
		return append(dst, closing)
	}
	occurrence := make([][]parquet.Value, len(cols)) // the values of one occurrence, for each leaf
	rest := make([][]parquet.Value, len(cols))       // those of the occurrences after it
	copy(rest, cols)
	for i := 0; len(rest[n.firstLeaf]) > 0; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		for j := n.firstLeaf; j < n.endLeaf; j++ {
			end := 1 // the next occurrence begins at a value of the level rep; deeper lists repeat at higher levels
			for end < len(rest[j]) && rest[j][end].RepetitionLevel() > rep {
				end++
			}
			end = min(end, len(rest[j]))
			occurrence[j], rest[j] = rest[j][:end], rest[j][end:]
		}
		dst, _ = appendOne(dst, occurrence, rep, def)
	}
	return append(dst, closing)
}

// leafAppender returns the function that appends a value of the Parquet type t as JSON. Decimals and integers
// become numbers, times and dates become texts in the form of RFC 3339, and other types are written as
// the type in which the file stores them.
func leafAppender(t parquet.Type) func([]byte, parquet.Value) []byte {
	var logical format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DecimalType:
		return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, int(l.Scale)) }
	case *format.TimestampType:
		unit := int64(l.Unit.Value.Duration())
		return func(dst []byte, v parquet.Value) []byte {
			perSecond := int64(time.Second) / unit
			seconds, rest := v.Int64()/perSecond, v.Int64()%perSecond
			return jsontree.AppendString(dst, time.Unix(seconds, rest*unit).UTC().Format(time.RFC3339Nano))
		}
	case *format.DateType:
		return func(dst []byte, v parquet.Value) []byte {
			return jsontree.AppendString(dst, time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly))
		}
	case *format.IntType:
		if !l.IsSigned {
			return func(dst []byte, v parquet.Value) []byte {
				if v.Kind() == parquet.Int32 {
					return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
				}
				return strconv.AppendUint(dst, v.Uint64(), 10)
			}
		}
	case *format.UUIDType:
		return func(dst []byte, v parquet.Value) []byte { return jsontree.AppendString(dst, v.String()) }
	}
	return appendPlain
}

// appendPlain appends a Parquet value as JSON by its physical type. Bytes are taken as UTF-8 text,
// and Int96 as a time.
func appendPlain(dst []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(dst, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case parquet.Float:
		return appendFloat(dst, float64(v.Float()), 32)
	case parquet.Double:
		return appendFloat(dst, v.Double(), 64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return jsontree.AppendString(dst, string(v.ByteArray()))
	}
	if v.Kind() == parquet.Int96 { // 64 bits for the nanoseconds of a day, and 32 for its Julian day number
		const julianDay1970 = 2_440_588 // 1 January
		n := v.Int96()
		days, nanos := int64(n[2])-julianDay1970, int64(n[1])<<32|int64(n[0])
		return jsontree.AppendString(dst, time.Unix(days*86400, nanos).UTC().Format(time.RFC3339Nano))
	}
	return jsontree.AppendString(dst, v.String())
}

// appendFloat appends a Parquet value that is a float as JSON, with the fewest digits that identify
// it, and null for NaN and infinities, which JSON does not have.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

// appendDecimal appends a Parquet decimal as a JSON number with all its digits, such as 1234e-2. The file
// stores an integer, whose last scale digits stand behind the decimal point.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	var n big.Int
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0]&0x80 != 0 { // negative: two's complement, most significant byte first
			n.Sub(&n, new(big.Int).Lsh(big.NewInt(1), uint(len(b)*8)))
		}
	}
	dst = append(dst, n.String()...)
	if scale != 0 {
		dst = strconv.AppendInt(append(dst, 'e'), int64(-scale), 10)
	}
	return dst
}
