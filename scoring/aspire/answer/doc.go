// Package answer reads what a language model wrote. In: the raw text of an
// answer, or an object that was parsed before. Out: the one JSON value in it
// that counts, as a small tree, and how it was found (docs/spec/aspire.md#r11, docs/spec/aspire.md#r13). It
// accepts a little more than JSON (comments, trailing commas, arithmetic) and
// takes everything else for prose; it has no notion of shapes and fixes no fields.
//
// Time and memory are linear in the length of the text for any text: see
// Reader.Extract for the bound.
package answer

import "math"

// Kind is the type of a Value.
type Kind uint8

// The kinds. Absent is the kind of the zero Value: no such member.
const (
	Absent Kind = iota
	Null
	Bool
	Number // finite; an expression that is not became Null (docs/spec/aspire.md#r13)
	String
	Array
	Object
)

// span is a stretch of Doc.src, or of Doc.buf when its length carries inBuf.
type span struct{ off, len uint32 }

// inBuf marks strings that had escapes and so are not a stretch of the text.
const inBuf = 1 << 31

// node is one value. Children form a list through next; node 0 is the root, so
// 0 ends a list.
type node struct {
	val  uint64 // Number: bits; Bool: 0 or 1; String: span; Array, Object: first child
	key  span   // members of objects only
	next int32
	kind Kind
}

// doc holds the nodes of one parsed value.
type doc struct {
	src   string
	buf   []byte
	nodes []node
}

func (d *doc) reset(src string) {
	d.src, d.buf, d.nodes = src, d.buf[:0], d.nodes[:0]
}

func (d *doc) text(s span) string {
	if s.len&inBuf != 0 {
		return string(d.buf[s.off : s.off+s.len&^inBuf])
	}
	return d.src[s.off : s.off+s.len]
}

// is reports whether the span holds exactly want, without allocating.
func (d *doc) is(s span, want string) bool {
	if s.len&inBuf != 0 {
		return string(d.buf[s.off:s.off+s.len&^inBuf]) == want
	}
	return d.src[s.off:s.off+s.len] == want
}

func packSpan(s span) uint64   { return uint64(s.off)<<32 | uint64(s.len) }
func unpackSpan(v uint64) span { return span{uint32(v >> 32), uint32(v)} }

// Value is one value of a tree. It is valid until the Reader that made it is
// used again. The zero Value is absent, and every method may be called on it.
type Value struct {
	d *doc
	i int32
}

// Kind returns the type of the value.
func (v Value) Kind() Kind {
	if v.d == nil {
		return Absent
	}
	return v.d.nodes[v.i].kind
}

// Exists reports whether there is a value, null included.
func (v Value) Exists() bool { return v.d != nil }

// Null reports whether the value is absent or null.
func (v Value) Null() bool { k := v.Kind(); return k == Absent || k == Null }

// Float returns the number; ok is false for anything but a number.
func (v Value) Float() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	return math.Float64frombits(v.d.nodes[v.i].val), true
}

// Truth returns the boolean; ok is false for anything but a boolean.
func (v Value) Truth() (b, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.d.nodes[v.i].val != 0, true
}

// Text returns the string; ok is false for anything but a string. The string
// shares memory with the text that was read and stays valid.
func (v Value) Text() (s string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	return v.d.text(unpackSpan(v.d.nodes[v.i].val)), true
}

// Key returns the name of a member; empty for what is not a member.
func (v Value) Key() string {
	if v.d == nil {
		return ""
	}
	return v.d.text(v.d.nodes[v.i].key)
}

// First returns the first element or member, in the order of the text.
func (v Value) First() Value {
	if k := v.Kind(); k != Array && k != Object {
		return Value{}
	}
	return v.d.at(int32(v.d.nodes[v.i].val))
}

// Next returns the element or member after this one.
func (v Value) Next() Value {
	if v.d == nil {
		return Value{}
	}
	return v.d.at(v.d.nodes[v.i].next)
}

func (d *doc) at(i int32) Value {
	if i == 0 {
		return Value{}
	}
	return Value{d, i}
}

// Get returns the member of that name. Names are unique: of members written
// twice only the last value was kept, in the place of the first.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	for c := v.First(); c.Exists(); c = c.Next() {
		if c.d.is(c.d.nodes[c.i].key, name) {
			return c
		}
	}
	return Value{}
}

// Len returns the number of elements or members. It walks them.
func (v Value) Len() int {
	n := 0
	for c := v.First(); c.Exists(); c = c.Next() {
		n++
	}
	return n
}
