package sheets

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// Group is a Parquet schema whose columns keep their order. Its rows are written as values.
type Group struct {
	parquet.Group
	Columns []parquet.Field
}

// Fields implements parquet.Node.
func (g Group) Fields() []parquet.Field { return g.Columns }

// NewColumn returns a column of a Group.
func NewColumn(name string, node parquet.Node) parquet.Field { return namedColumn{node, name} }

// namedColumn is a node with a name.
type namedColumn struct {
	parquet.Node
	name string
}

// Name implements parquet.Field.
func (c namedColumn) Name() string { return c.name }

// Value implements parquet.Field.
func (c namedColumn) Value(reflect.Value) reflect.Value { panic("BUG: a row is written as a Go value") }
