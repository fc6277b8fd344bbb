package pyjson

import (
	"math"

	"plumb/render/jsontree"
)

// AppendJSON appends a Python value as JSON that reads back as the same value: numbers as they were
// written, NaN and infinities by Python's names, of repeated keys the last.
func (value *Value) AppendJSON(dst []byte) []byte {
	switch value.Kind {
	case None:
		return append(dst, "null"...)
	case Bool:
		if value.F != 0 { // 1 for true
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Int:
		return append(dst, value.S...)
	case Float:
		return value.appendFloat(dst)
	case Str:
		return jsontree.AppendString(dst, value.S)
	case List:
		dst = append(dst, '[')
		for i := range value.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value.Items()[i].AppendJSON(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range value.Items() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontree.AppendString(dst, value.Keys()[i]), ':')
		dst = value.Items()[i].AppendJSON(dst)
	}
	return append(dst, '}')
}

// appendFloat appends a float as Python's json module writes it: as it was written, or the
// name of NaN or an infinity.
func (value *Value) appendFloat(dst []byte) []byte {
	switch {
	case value.S != "":
		return append(dst, value.S...)
	case math.IsNaN(value.F):
		return append(dst, "NaN"...)
	case value.F < 0:
		return append(dst, "-Infinity"...)
	}
	return append(dst, "Infinity"...)
}
