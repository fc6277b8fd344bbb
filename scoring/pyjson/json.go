package pyjson

import (
	"math"

	"plumb/render/jsontree"
)

// AppendJSON appends a Python value as JSON that reads back as the same value: numbers as they were
// written, NaN and infinities by Python's names, of repeated keys the last.
func (v *Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case None:
		return append(dst, "null"...)
	case Bool:
		if v.F != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Int:
		return append(dst, v.S...)
	case Float:
		return v.appendFloat(dst)
	case Str:
		return jsontree.AppendString(dst, v.S)
	case List:
		dst = append(dst, '[')
		for i := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Items()[i].AppendJSON(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range v.Items() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontree.AppendString(dst, v.Keys()[i]), ':')
		dst = v.Items()[i].AppendJSON(dst)
	}
	return append(dst, '}')
}

// appendFloat appends a float as Python's json module writes it: as it was written, or the
// name of NaN or an infinity.
func (v *Value) appendFloat(dst []byte) []byte {
	switch {
	case v.S != "":
		return append(dst, v.S...)
	case math.IsNaN(v.F):
		return append(dst, "NaN"...)
	case v.F < 0:
		return append(dst, "-Infinity"...)
	}
	return append(dst, "Infinity"...)
}
