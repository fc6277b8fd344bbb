// Package answer finds and parses the JSON and the arithmetic in what a language model wrote. In: the raw text
// of an answer, or an object that is already parsed. Out: the one JSON value that counts, as a small tree, and
// how it was found (docs/spec/aspire.md#r11, docs/spec/aspire.md#r13). It accepts a little more than JSON
// (comments, trailing commas, arithmetic) and treats everything else as prose. It does not interpret fields.
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

// span is a substring of tree.src. With the bit inDecoded in its length it is one of tree.decoded.
type span struct{ off, len uint32 }

// inDecoded marks strings with escapes, which are not substrings of the text.
const inDecoded = 1 << 31

func (span span) isDecoded() bool { return span.len&inDecoded != 0 }
func (span span) end() uint32     { return span.off + span.len&^inDecoded }

// node is one value of a tree. Children form a linked list through next; node 0 is the root, so 0 ends a list.
type node struct {
	payload uint64 // Number: bits; Bool: 0 or 1; String: span; Array, Object: first child
	key     span   // members of objects only
	next    int32
	kind    Kind
}

// tree holds the nodes of one parsed JSON value.
type tree struct {
	src     string
	decoded []byte // strings with escapes, without the escapes
	nodes   []node
}

func (t *tree) reset(src string) {
	t.src, t.decoded, t.nodes = src, t.decoded[:0], t.nodes[:0]
}

// text returns the string of a span of the answer, which is a part of the model's text or, with
// escapes, of the decoded strings.
func (t *tree) text(span span) string {
	if span.isDecoded() {
		return string(t.decoded[span.off:span.end()])
	}
	return t.src[span.off:span.end()]
}

// equals reports whether the string of a span of the answer is want. Unlike text it does not
// allocate for strings with escapes.
func (t *tree) equals(span span, want string) bool {
	if span.isDecoded() {
		return string(t.decoded[span.off:span.end()]) == want
	}
	return t.src[span.off:span.end()] == want
}

// packSpan stores the span of a string in the payload of its node.
func packSpan(s span) uint64   { return uint64(s.off)<<32 | uint64(s.len) }
func unpackSpan(v uint64) span { return span{uint32(v >> 32), uint32(v)} }

// Value is one JSON value of a tree. It is valid until the Reader that made it is used again. The
// zero Value is absent, and all methods can be called on it.
type Value struct {
	tree  *tree
	index int32
}

// Kind returns the JSON type of a value in the answer, Absent for none.
func (value Value) Kind() Kind {
	if value.tree == nil {
		return Absent
	}
	return value.tree.nodes[value.index].kind
}

// Exists reports whether there is a value, null included.
func (value Value) Exists() bool { return value.tree != nil }

// Null reports whether the value is absent or null.
func (value Value) Null() bool { k := value.Kind(); return k == Absent || k == Null }

// Float returns a number of the answer; ok is false for a value that is not a number.
func (value Value) Float() (f float64, ok bool) {
	if value.Kind() != Number {
		return 0, false
	}
	return math.Float64frombits(value.tree.nodes[value.index].payload), true
}

// Bool returns a boolean of the answer; ok is false for a value that is not a boolean.
func (value Value) Bool() (b, ok bool) {
	if value.Kind() != Bool {
		return false, false
	}
	return value.tree.nodes[value.index].payload != 0, true
}

// Text returns a string of the answer; ok is false for a value that is not a string. The string
// shares memory with the text that was read and stays valid.
func (value Value) Text() (s string, ok bool) {
	if value.Kind() != String {
		return "", false
	}
	return value.tree.text(unpackSpan(value.tree.nodes[value.index].payload)), true
}

// Key returns the name of a member of the answer, or "" for a value that is not a member.
func (value Value) Key() string {
	if value.tree == nil {
		return ""
	}
	return value.tree.text(value.tree.nodes[value.index].key)
}

// First returns the first element or member of a list or object in the answer, in the order of the
// text; an absent value if there is none.
func (value Value) First() Value {
	if k := value.Kind(); k != Array && k != Object {
		return Value{}
	}
	return value.tree.valueAt(int32(value.tree.nodes[value.index].payload))
}

// Next returns the element or member of the answer after this one, an absent value after the last.
func (value Value) Next() Value {
	if value.tree == nil {
		return Value{}
	}
	return value.tree.valueAt(value.tree.nodes[value.index].next)
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
func (value Value) Get(name string) Value {
	if value.Kind() != Object {
		return Value{}
	}
	for c := value.First(); c.Exists(); c = c.Next() {
		if c.tree.equals(c.tree.nodes[c.index].key, name) {
			return c
		}
	}
	return Value{}
}

// Len returns the number of elements of a list or members of an object in the answer, 0 for other values.
func (value Value) Len() int {
	n := 0
	for c := value.First(); c.Exists(); c = c.Next() {
		n++
	}
	return n
}
