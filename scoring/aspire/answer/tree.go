// Package answer finds and parses the JSON and the arithmetic in what a language model wrote. In:
// the raw text of an answer, or an object that is already parsed. Out: the one JSON value that
// counts, as a small tree, and how it was found (docs/spec/aspire.md#r11,
// docs/spec/aspire.md#r13). It accepts a little more than JSON (comments, trailing commas,
// arithmetic) and treats everything else as prose. It does not interpret fields.
//
// Time and memory are linear in the length of any text: see Reader.Extract for the bound.
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

// span is a substring of tree.src, or of tree.buf if its length has the bit inBuf.
type span struct{ off, len uint32 }

// inBuf marks strings with escapes, which are not substrings of the text.
const inBuf = 1 << 31

// node is one value of a tree. Children form a linked list through next; node 0 is the root, so 0
// ends a list.
type node struct {
	payload uint64 // Number: bits; Bool: 0 or 1; String: span; Array, Object: first child
	key     span   // members of objects only
	next    int32
	kind    Kind
}

// tree holds the nodes of one parsed JSON value.
type tree struct {
	src   string
	buf   []byte
	nodes []node
}

func (t *tree) reset(src string) {
	t.src, t.buf, t.nodes = src, t.buf[:0], t.nodes[:0]
}

// text returns the string of a span of the answer, which is a part of the model's text or, with
// escapes, of a buffer.
func (t *tree) text(s span) string {
	if s.len&inBuf != 0 {
		return string(t.buf[s.off : s.off+s.len&^inBuf])
	}
	return t.src[s.off : s.off+s.len]
}

// equals reports whether the string of a span of the answer is want. Unlike text it does not
// allocate for strings with escapes.
func (t *tree) equals(s span, want string) bool {
	if s.len&inBuf != 0 {
		return string(t.buf[s.off:s.off+s.len&^inBuf]) == want
	}
	return t.src[s.off:s.off+s.len] == want
}

// packSpan stores the span of a string in the value of its node.
func packSpan(s span) uint64   { return uint64(s.off)<<32 | uint64(s.len) }
func unpackSpan(v uint64) span { return span{uint32(v >> 32), uint32(v)} }

// Value is one JSON value of a tree. It is valid until the Reader that made it is used again. The
// zero Value is absent, and all methods can be called on it.
type Value struct {
	tree  *tree
	index int32
}

// Kind returns the JSON type of a value in the answer, Absent for none.
func (v Value) Kind() Kind {
	if v.tree == nil {
		return Absent
	}
	return v.tree.nodes[v.index].kind
}

// Exists reports whether there is a value, null included.
func (v Value) Exists() bool { return v.tree != nil }

// Null reports whether the value is absent or null.
func (v Value) Null() bool { k := v.Kind(); return k == Absent || k == Null }

// Float returns a number of the answer; ok is false for a value that is not a number.
func (v Value) Float() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	return math.Float64frombits(v.tree.nodes[v.index].payload), true
}

// Bool returns a boolean of the answer; ok is false for a value that is not a boolean.
func (v Value) Bool() (b, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.tree.nodes[v.index].payload != 0, true
}

// Text returns a string of the answer; ok is false for a value that is not a string. The string
// shares memory with the text that was read and stays valid.
func (v Value) Text() (s string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	return v.tree.text(unpackSpan(v.tree.nodes[v.index].payload)), true
}

// Key returns the name of a member of the answer, or "" for a value that is not a member.
func (v Value) Key() string {
	if v.tree == nil {
		return ""
	}
	return v.tree.text(v.tree.nodes[v.index].key)
}

// First returns the first element or member of a list or object in the answer, in the order of the
// text; an absent value if there is none.
func (v Value) First() Value {
	if k := v.Kind(); k != Array && k != Object {
		return Value{}
	}
	return v.tree.valueAt(int32(v.tree.nodes[v.index].payload))
}

// Next returns the element or member of the answer after this one, an absent value after the last.
func (v Value) Next() Value {
	if v.tree == nil {
		return Value{}
	}
	return v.tree.valueAt(v.tree.nodes[v.index].next)
}

// valueAt returns node i of the answer's tree as a Value, absent for 0.
func (t *tree) valueAt(i int32) Value {
	if i == 0 {
		return Value{}
	}
	return Value{t, i}
}

// Get returns the member of that name in an object of the answer, or an absent value. Names are
// unique: of members with one name the last value is kept, at the position of the first.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	for c := v.First(); c.Exists(); c = c.Next() {
		if c.tree.equals(c.tree.nodes[c.index].key, name) {
			return c
		}
	}
	return Value{}
}

// Len returns the number of elements of a list or members of an object in the answer, 0 for other
// values.
func (v Value) Len() int {
	n := 0
	for c := v.First(); c.Exists(); c = c.Next() {
		n++
	}
	return n
}
