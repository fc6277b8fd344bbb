package pyjson

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth is the deepest nesting that is read. See docs/spec/cli.md#r33.
	maxDepth = 300
	// maxDigits is how many digits an integer may have (Python 3.11).
	maxDigits = 4300
)

// Reader reads values. It keeps their memory until the next Reset, so that
// reading many texts allocates little. One goroutine uses it at a time.
type Reader struct {
	// Strict refuses NaN and infinities and takes integers of any length, as
	// RFC 8259 does.
	Strict bool

	text  string
	at    int
	depth int
	steps int // bytes looked at since Reset, over all reads

	stack []Value  // elements of containers that are not closed yet
	names []string // and their keys
	items arena[Value]
	keys  arena[string]
	ins   arena[members]
	plain strings.Builder // strings without their escapes, one behind the other
}

// Reset forgets all values that were read and sets the text to read from.
func (r *Reader) Reset(text string) {
	r.text, r.at, r.depth, r.steps = text, 0, 0, 0
	r.stack, r.names = emptied(r.stack), emptied(r.names)
	r.items.reset()
	r.keys.reset()
	r.ins.reset()
}

// Steps returns how many bytes were looked at since Reset: the cost of trying a
// text from many positions.
func (r *Reader) Steps() int { return r.steps }

// All reads the whole text as one value; the error is an Exception.
func (r *Reader) All() (v Value, err error) { return r.Span(0, len(r.text)) }

// Span reads text[from:to] as one value with white space around it.
func (r *Reader) Span(from, to int) (v Value, err error) {
	whole := r.text
	r.text = whole[:to]
	defer func() { r.text = whole }()
	v, end, err := r.At(from)
	if err != nil {
		return v, err
	}
	r.at = end
	r.space()
	if r.at != to {
		return v, DecodeError
	}
	return v, nil
}

// At reads the value that begins at a position, after white space, and returns
// where it ends.
func (r *Reader) At(from int) (v Value, end int, err error) {
	r.at, r.depth = from, 0
	r.stack, r.names = r.stack[:0], r.names[:0]
	r.space()
	if err = r.value(); err == nil {
		v = r.stack[0]
	}
	r.steps += r.at - from + 1
	return v, r.at, err
}

func (r *Reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// value reads a value onto the stack: on its way up it would be copied again and
// again.
func (r *Reader) value() error {
	if r.at >= len(r.text) {
		return DecodeError
	}
	switch c := r.text[r.at]; {
	case c == '"':
		s, err := r.str()
		return r.push(Str, 0, s, err)
	case c == '{':
		return r.dict()
	case c == '[':
		return r.list()
	case c >= '0' && c <= '9':
		return r.number()
	case c == '-':
		if !r.Strict && r.word("-Infinity") {
			return r.push(Float, math.Inf(-1), "", nil)
		}
		return r.number()
	case r.word("null"):
		return r.push(None, 0, "", nil)
	case r.word("true"):
		return r.push(Bool, 1, "", nil)
	case r.word("false"):
		return r.push(Bool, 0, "", nil)
	case r.Strict:
	case r.word("NaN"):
		return r.push(Float, math.NaN(), "", nil)
	case r.word("Infinity"):
		return r.push(Float, math.Inf(1), "", nil)
	}
	return DecodeError
}

// push puts a value on the stack and returns err.
func (r *Reader) push(kind Kind, f float64, s string, err error) error {
	r.stack = append(r.stack, Value{Kind: kind, F: f, S: s})
	return err
}

// close puts a container on the stack, in place of its members.
func (r *Reader) close(kind Kind, first, name int) {
	r.at++
	r.depth--
	in := r.keep(r.stack[first:], r.names[name:])
	r.stack, r.names = append(r.stack[:first], Value{Kind: kind, in: in}), r.names[:name]
}

func (r *Reader) word(s string) bool {
	if strings.HasPrefix(r.text[r.at:], s) {
		r.at += len(s)
		return true
	}
	return false
}

func (r *Reader) enter() error {
	if r.depth++; r.depth > maxDepth {
		return RecursionError
	}
	r.at++
	r.space()
	return nil
}

func (r *Reader) list() error {
	if err := r.enter(); err != nil {
		return err
	}
	first := len(r.stack)
	for !r.peek(']') {
		if err := r.value(); err != nil {
			return err
		}
		if err := r.more(']'); err != nil {
			return err
		}
	}
	r.close(List, first, len(r.names))
	return nil
}

func (r *Reader) dict() error {
	if err := r.enter(); err != nil {
		return err
	}
	first, name := len(r.stack), len(r.names)
	for !r.peek('}') {
		if !r.peek('"') {
			return DecodeError
		}
		key, err := r.str()
		if err != nil {
			return err
		}
		r.space()
		if !r.peek(':') {
			return DecodeError
		}
		r.at++
		r.space()
		if err := r.value(); err != nil {
			return err
		}
		r.call(first, name, key)
		if err := r.more('}'); err != nil {
			return err
		}
	}
	r.unique(first, name)
	r.close(Dict, first, name)
	return nil
}

// keep copies the members of a container; nil for none.
func (r *Reader) keep(items []Value, keys []string) *members {
	if len(items) == 0 {
		return nil
	}
	in := [1]members{{r.items.keep(items), r.keys.keep(keys)}}
	return &r.ins.keep(in[:])[0]
}

// few is how many keys are compared one by one while an object is read; those of
// larger objects are looked through once at its end.
const few = 64

// call gives the value on top of the stack its key in the open object; the last of
// repeated keys wins and keeps the place of the first.
func (r *Reader) call(first, name int, key string) {
	if names := r.names[name:]; len(names) < few {
		for i := range names {
			if names[i] == key {
				top := len(r.stack) - 1
				r.stack[first+i] = r.stack[top]
				r.stack = r.stack[:top]
				return
			}
		}
	}
	r.names = append(r.names, key)
}

// unique does for an object with many keys what call does for others.
func (r *Reader) unique(first, name int) {
	names, values := r.names[name:], r.stack[first:]
	if len(names) <= few {
		return
	}
	place := make(map[string]int, len(names))
	n := 0
	for i, key := range names {
		if at, ok := place[key]; ok {
			values[at] = values[i]
			continue
		}
		place[key] = n
		names[n], values[n] = key, values[i]
		n++
	}
	r.names, r.stack = r.names[:name+n], r.stack[:first+n]
}

func (r *Reader) peek(c byte) bool { return r.at < len(r.text) && r.text[r.at] == c }

// more reads what follows an element: a comma with another one, or the end.
func (r *Reader) more(end byte) error {
	r.space()
	if r.peek(end) {
		return nil
	}
	if !r.peek(',') {
		return DecodeError
	}
	r.at++
	r.space()
	if r.peek(end) { // no comma before the end
		return DecodeError
	}
	return nil
}

func (r *Reader) number() error {
	start := r.at
	digits := func() int {
		n := r.at
		for r.at < len(r.text) && r.text[r.at]-'0' < 10 {
			r.at++
		}
		return r.at - n
	}
	if r.peek('-') {
		r.at++
	}
	if r.peek('0') {
		r.at++
	} else if digits() == 0 {
		return DecodeError
	}
	whole := r.at
	if r.peek('.') {
		r.at++
		if digits() == 0 { // Python reads the integer and stumbles over the point
			r.at = whole
		}
	}
	if point := r.at; r.peek('e') || r.peek('E') {
		r.at++
		if r.peek('+') || r.peek('-') {
			r.at++
		}
		if digits() == 0 {
			r.at = point
		}
	}
	text := r.text[start:r.at]
	f := double(text)
	if r.at > whole {
		return r.push(Float, f, text, nil)
	}
	if !r.Strict && len(strings.TrimPrefix(text, "-")) > maxDigits {
		return ValueError
	}
	if text == "-0" {
		text, f = "0", 0
	}
	return r.push(Int, f, text, nil)
}

// double is the double nearest to a number; out of range it is an infinity, as in
// Python.
func double(text string) float64 {
	n, sign, digits := int64(0), int64(1), text
	if text[0] == '-' {
		sign, digits = -1, text[1:]
	}
	for i := range len(digits) {
		if c := digits[i] - '0'; i < 15 && c < 10 {
			n = n*10 + int64(c)
			continue
		}
		f, _ := strconv.ParseFloat(text, 64)
		return f
	}
	return float64(sign * n)
}

// str reads a string. Without escapes it is a part of the text.
func (r *Reader) str() (string, error) {
	text := r.text[r.at+1:]
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			r.at += i + 2
			return text[:i], nil
		case c == '\\':
			r.at += i + 1
			return r.escaped(text[:i])
		case c < ' ':
			r.at += i + 1
			return "", DecodeError
		}
	}
	r.at = len(r.text)
	return "", DecodeError
}

// room is how many bytes a block of strings has at least.
const room = 1 << 10

// escaped reads a string on from its first escape. It is written behind those
// before it: a block of many costs one allocation, and what was handed out is
// never written again.
func (r *Reader) escaped(before string) (string, error) {
	b := &r.plain
	if b.Cap()-b.Len() < len(before)+64 {
		*b = strings.Builder{}
		b.Grow(len(before) + room)
	}
	start := b.Len()
	b.WriteString(before)
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		switch {
		case c == '"':
			return b.String()[start:], nil
		case c < ' ':
			return "", DecodeError
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if r.at >= len(r.text) {
			return "", DecodeError
		}
		c = r.text[r.at]
		r.at++
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[i])
			continue
		}
		if c != 'u' {
			return "", DecodeError
		}
		u, ok := r.hex()
		if !ok {
			return "", DecodeError
		}
		if utf16.IsSurrogate(u) && strings.HasPrefix(r.text[r.at:], `\u`) {
			back := r.at
			r.at += 2
			low, ok := r.hex()
			if pair := utf16.DecodeRune(u, low); ok && pair != utf8.RuneError {
				u = pair
			} else {
				r.at = back
			}
		}
		b.WriteRune(u) // half of a pair becomes the replacement character
	}
	return "", DecodeError
}

func (r *Reader) hex() (rune, bool) {
	if r.at+4 > len(r.text) {
		return 0, false
	}
	u, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 32)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return rune(u), true
}

// arena hands out pieces of large blocks.
type arena[T any] struct{ block []T }

const blockSize = 1024

// mostKept is how many elements of memory are kept from one text to the next.
const mostKept = 1 << 16

func (a *arena[T]) reset() { a.block = emptied(a.block) }

// emptied returns an empty list with the memory of another one, unless that is large.
func emptied[T any](list []T) []T {
	if cap(list) > mostKept {
		return nil
	}
	return list[:0]
}

// keep copies a list into the arena.
func (a *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if cap(a.block)-len(a.block) < len(list) {
		a.block = make([]T, 0, max(blockSize, len(list), min(2*cap(a.block), 1<<16)))
	}
	n := len(a.block)
	a.block = append(a.block, list...)
	return a.block[n:len(a.block):len(a.block)]
}
