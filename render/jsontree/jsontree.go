// Package jsontree parses large JSON texts with fastjson in memory that follows
// the number of their values. In: a text that was checked, or not. Out: fastjson's
// tree of it. It refuses what fastjson refuses.
package jsontree

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/valyala/fastjson"
)

const (
	// small is the length in bytes up to which a text is parsed as it is.
	small = 64 << 10
	// keep is the number of values up to which Trim leaves a parser its memory.
	keep = small / 2
)

// ValueBytes is about how many bytes one value of a parsed text takes: fastjson's
// own record, its place in an array, or in an object with its name (arrays and
// objects grow in steps, so a part of them is empty).
const ValueBytes = 128

// values is where a parser keeps its values, in bytes from its start; -1 where
// this fastjson keeps them in another way.
var values = offset(reflect.TypeFor[fastjson.Parser]())

func offset(parser reflect.Type) int {
	c, ok := parser.FieldByName("c")
	if !ok || c.Type.Kind() != reflect.Struct {
		return -1
	}
	vs, ok := c.Type.FieldByName("vs")
	if !ok || vs.Type != reflect.TypeFor[[]fastjson.Value]() {
		return -1
	}
	return int(c.Offset + vs.Offset)
}

func valuesOf(p *fastjson.Parser) *[]fastjson.Value {
	return (*[]fastjson.Value)(unsafe.Add(unsafe.Pointer(p), values))
}

// Parse is p.ParseBytes. For a long text it takes memory for all values at once
// before: fastjson itself lets its list of values grow step by step, and every
// value that was handed out keeps the shorter list alive that it was made in, so
// that a value would take 400 bytes instead of about 100. Unpaired surrogates become
// the replacement character.
func Parse(p *fastjson.Parser, b []byte) (*fastjson.Value, error) {
	b = wellFormed(b)
	if len(b) > small && values >= 0 {
		if n := Count(b); n > cap(*valuesOf(p)) {
			*valuesOf(p) = make([]fastjson.Value, 0, n)
		}
	}
	return p.ParseBytes(b)
}

// Trim takes a parser's memory away where it is large. What was parsed last stays
// valid as long as somebody refers to it.
func Trim(p *fastjson.Parser) {
	if values >= 0 && cap(*valuesOf(p)) > keep {
		*p = fastjson.Parser{}
	}
}

// Count returns how many values the JSON text b holds at most; names of members are
// none. It takes one pass and allocates nothing.
func Count(b []byte) int {
	n := 1
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ',', '[', '{':
			n++
		case '"':
			i = quoted(b, i+1)
		}
	}
	return n
}

// quoted returns the position of the quote that ends the string which begins at i,
// or the end of b.
func quoted(b []byte, i int) int {
	for i < len(b) {
		at := bytes.IndexByte(b[i:], '"')
		if at < 0 {
			return len(b)
		}
		slashes := 0
		for k := i + at - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		if i += at; slashes%2 == 0 {
			return i
		}
		i++
	}
	return i
}
