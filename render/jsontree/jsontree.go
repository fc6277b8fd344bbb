// Package jsontree parses large JSON texts with fastjson in memory proportional to the
// number of their values, and writes JSON strings. In: a JSON text, valid or not. Out:
// fastjson's tree of it, or fastjson's error. fastjson 1.6 takes more than JSON (01, 1e,
// NaN, raw tabs in strings, repeated keys), so callers check strict input with
// scene.Check before. The tree's bytes belong to the parser and are valid until its next
// use.
package jsontree

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/valyala/fastjson"
)

const (
	// smallText is the length in bytes up to which a text is parsed without allocating its values beforehand.
	smallText = 64 << 10
	// keptValues is the number of values up to which Trim keeps a parser's memory.
	keptValues = smallText / 2
)

// ValueBytes is about how many bytes one value of a parsed text takes: fastjson's record and its
// element in an array or an object. Arrays and objects grow in steps, so a part of them is empty.
const ValueBytes = 128

// valuesOffset is the offset in bytes of the list of values in a fastjson.Parser; -1 where
// this version of fastjson has no such field.
var valuesOffset = offsetOfValues(reflect.TypeFor[fastjson.Parser]())

// offsetOfValues returns where in fastjson's parser the list of its values lies: the offset in bytes of the
// field c.vs, or -1 if the type has no such field of the type []fastjson.Value, as may be in another version.
func offsetOfValues(parser reflect.Type) int {
	cache, ok := parser.FieldByName("c")
	if !ok || cache.Type.Kind() != reflect.Struct {
		return -1
	}
	list, ok := cache.Type.FieldByName("vs")
	if !ok || list.Type != reflect.TypeFor[[]fastjson.Value]() {
		return -1
	}
	return int(cache.Offset + list.Offset)
}

// valuesOf returns the parser's list of values; values must not be -1.
func valuesOf(p *fastjson.Parser) *[]fastjson.Value {
	return (*[]fastjson.Value)(unsafe.Add(unsafe.Pointer(p), valuesOffset))
}

// Parse parses data like parser.ParseBytes, with its errors; unpaired surrogates become the
// replacement character. For a long text it first allocates the list of all values.
// fastjson alone grows the list in steps, and values keep the former lists alive, so
// that a value would take 400 bytes instead of about 100.
func Parse(parser *fastjson.Parser, data []byte) (*fastjson.Value, error) {
	data = wellFormed(data)
	if len(data) > smallText && valuesOffset >= 0 { // fastjson has the list where it is expected
		if n := Count(data); n > cap(*valuesOf(parser)) {
			*valuesOf(parser) = make([]fastjson.Value, 0, n)
		}
	}
	return parser.ParseBytes(data)
}

// Trim frees the memory of a parser where it is large. Values that were parsed before
// stay valid as long as they are referenced.
func Trim(p *fastjson.Parser) {
	if valuesOffset >= 0 && cap(*valuesOf(p)) > keptValues {
		*p = fastjson.Parser{}
	}
}

// Count returns an upper bound of the number of values in the JSON text data; names of
// members do not count. It takes one pass and allocates nothing.
func Count(data []byte) int {
	n := 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case ',', '[', '{': // a value follows, or none in an empty container
			n++
		case '"':
			i = endOfString(data, i+1)
		}
	}
	return n
}

// endOfString returns the position of the quote that ends the JSON string whose first character is at i,
// or the length of data if none does. A quote after an odd number of backslashes is escaped and does
// not end it.
func endOfString(data []byte, i int) int {
	for i < len(data) {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return len(data)
		}
		slashes := 0
		for k := i + n - 1; k >= i && data[k] == '\\'; k-- {
			slashes++
		}
		i += n
		if slashes%2 == 0 {
			return i
		}
		i++
	}
	return i
}
