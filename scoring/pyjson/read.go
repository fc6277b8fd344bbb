package pyjson

import (
	"math"
	"slices"
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

// Reader reads JSON values from a text. It keeps their memory until the next Reset, so that
// reading many texts allocates little. One goroutine uses it at a time.
type Reader struct {
	// Strict refuses NaN and infinities and takes integers of any length, as
	// RFC 8259 does.
	Strict bool

	text  string
	at    int // position in text
	depth int // how many lists and objects are open
	steps int // bytes read since Reset, over all reads

	stack       []Value  // elements of lists and objects that are open
	names       []string // keys of the objects that are open
	items       arena[Value]
	keys        arena[string]
	memberLists arena[members]
	unescaped   strings.Builder // unescaped strings, one behind the other
}

// Reset drops all Python values that were read and sets the JSON text to read from.
func (r *Reader) Reset(text string) {
	r.text, r.at, r.depth, r.steps = text, 0, 0, 0
	r.stack, r.names = emptied(r.stack), emptied(r.names)
	r.items.reset()
	r.keys.reset()
	r.memberLists.reset()
}

// Steps returns how many bytes were read since Reset, repeatedly read ones each time. Callers
// that try a text from many positions bound their cost by it.
func (r *Reader) Steps() int { return r.steps }

// All reads the whole text as one value. The error is an Exception.
func (r *Reader) All() (v Value, err error) { return r.Span(0, len(r.text)) }

// Span reads text[from:to] as one JSON value with optional white space around it, and nothing else,
// as Python's json module does. The error is an Exception.
func (r *Reader) Span(from, to int) (v Value, err error) {
	whole := r.text
	r.text = whole[:to] // the value must end before it
	defer func() { r.text = whole }()
	v, end, err := r.At(from)
	if err != nil {
		return v, err
	}
	r.at = end
	r.skipSpace()
	if r.at != to {
		return v, DecodeError
	}
	return v, nil
}

// At reads the JSON value that begins at a position, after optional white space, as Python's json
// module does, and returns where it ends. What follows is not read. After an error, end is where
// reading stopped. The error is an Exception.
func (r *Reader) At(from int) (v Value, end int, err error) {
	r.at, r.depth = from, 0
	r.stack, r.names = r.stack[:0], r.names[:0]
	r.skipSpace()
	err = r.pushValue()
	if err == nil {
		v = r.stack[0]
	}
	r.steps += r.at - from + 1
	return v, r.at, err
}

// skipSpace moves past the white space that Python's json module skips.
func (r *Reader) skipSpace() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// pushValue reads a JSON value as Python does and pushes it on the stack. It does not return the
// value, because that would copy it at each level of nesting.
func (r *Reader) pushValue() error {
	if r.at >= len(r.text) {
		return DecodeError
	}
	switch c := r.text[r.at]; {
	case c == '"':
		s, err := r.readString()
		return r.push(Str, 0, s, err)
	case c == '{':
		return r.pushDict()
	case c == '[':
		return r.pushList()
	case c >= '0' && c <= '9':
		return r.pushNumber()
	case c == '-':
		if !r.Strict && r.skipLiteral("-Infinity") {
			return r.push(Float, math.Inf(-1), "", nil)
		}
		return r.pushNumber()
	case r.skipLiteral("null"):
		return r.push(None, 0, "", nil)
	case r.skipLiteral("true"):
		return r.push(Bool, 1, "", nil)
	case r.skipLiteral("false"):
		return r.push(Bool, 0, "", nil)
	case r.Strict: // refuses NaN and infinities
	case r.skipLiteral("NaN"):
		return r.push(Float, math.NaN(), "", nil)
	case r.skipLiteral("Infinity"):
		return r.push(Float, math.Inf(1), "", nil)
	}
	return DecodeError
}

// push puts a value on the stack, even if err is set, and returns err, so that callers can
// return its result.
func (r *Reader) push(kind Kind, f float64, s string, err error) error {
	r.stack = append(r.stack, Value{Kind: kind, F: f, S: s})
	return err
}

// closeContainer moves past the closing bracket of a Python list or dict, and replaces its members
// on the stack by the list or dict. They begin at stack[first], its keys at names[name].
func (r *Reader) closeContainer(kind Kind, first, name int) {
	r.at++
	r.depth--
	in := r.keepMembers(r.stack[first:], r.names[name:])
	r.stack, r.names = append(r.stack[:first], Value{Kind: kind, in: in}), r.names[:name]
}

// skipLiteral moves past the word s, such as true or NaN, if it comes next in the JSON, and reports
// whether it does.
func (r *Reader) skipLiteral(s string) bool {
	if strings.HasPrefix(r.text[r.at:], s) {
		r.at += len(s)
		return true
	}
	return false
}

// openContainer moves past the opening bracket of a list or an object. It refuses nesting beyond
// maxDepth, at which Python raises RecursionError.
func (r *Reader) openContainer() error {
	r.depth++
	if r.depth > maxDepth {
		return RecursionError
	}
	r.at++
	r.skipSpace()
	return nil
}

// pushList reads a JSON list and pushes its values and then the list onto the stack. It accepts and
// refuses what Python's json module does, such as nesting that is too deep.
func (r *Reader) pushList() error {
	if err := r.openContainer(); err != nil {
		return err
	}
	first := len(r.stack)
	for !r.peek(']') {
		if err := r.pushValue(); err != nil {
			return err
		}
		if err := r.skipSeparator(']'); err != nil {
			return err
		}
	}
	r.closeContainer(List, first, len(r.names))
	return nil
}

// pushDict reads a JSON object as Python's json module reads a dict.
func (r *Reader) pushDict() error {
	if err := r.openContainer(); err != nil {
		return err
	}
	first, name := len(r.stack), len(r.names)
	for !r.peek('}') {
		if !r.peek('"') {
			return DecodeError
		}
		key, err := r.readString()
		if err != nil {
			return err
		}
		r.skipSpace()
		if !r.peek(':') {
			return DecodeError
		}
		r.at++
		r.skipSpace()
		if err := r.pushValue(); err != nil {
			return err
		}
		r.addKey(first, name, key)
		if err := r.skipSeparator('}'); err != nil {
			return err
		}
	}
	r.dropRepeatedKeys(first, name)
	r.closeContainer(Dict, first, name)
	return nil
}

// keepMembers copies the members of a Python list or dict into the reader's memory; nil if there
// are none.
func (r *Reader) keepMembers(items []Value, keys []string) *members {
	if len(items) == 0 {
		return nil
	}
	in := [1]members{{r.items.keep(items), r.keys.keep(keys)}}
	return &r.memberLists.keep(in[:])[0]
}

// fewKeys is how many keys of an object addKey compares one by one. With more of them,
// dropRepeatedKeys goes through all at the object's end.
const fewKeys = 64

// addKey gives the value on top of the stack its key in the open dict, whose members begin at
// stack[first] and whose keys begin at names[name]. The value of a repeated key replaces the
// earlier one. Beyond fewKeys keys, repeated ones are left to dropRepeatedKeys.
func (r *Reader) addKey(first, name int, key string) {
	names := r.names[name:]
	if len(names) < fewKeys {
		if i := slices.Index(names, key); i >= 0 {
			top := len(r.stack) - 1
			r.stack[first+i] = r.stack[top]
			r.stack = r.stack[:top]
			return
		}
	}
	r.names = append(r.names, key)
}

// dropRepeatedKeys removes repeated keys of a dict with many keys, which addKey leaves in: it keeps
// the last value of each key, at the place of the first.
func (r *Reader) dropRepeatedKeys(first, name int) {
	names, values := r.names[name:], r.stack[first:]
	if len(names) <= fewKeys {
		return
	}
	indexOf := make(map[string]int, len(names))
	kept := 0
	for i, key := range names {
		if at, ok := indexOf[key]; ok {
			values[at] = values[i]
			continue
		}
		indexOf[key] = kept
		names[kept], values[kept] = key, values[i]
		kept++
	}
	r.names, r.stack = r.names[:name+kept], r.stack[:first+kept]
}

// peek reports whether byte c comes next.
func (r *Reader) peek(c byte) bool { return r.at < len(r.text) && r.text[r.at] == c }

// skipSeparator moves past the comma after an element of a JSON list or object, which another
// element must follow. Before end, the closing bracket, there is nothing to skip.
func (r *Reader) skipSeparator(end byte) error {
	r.skipSpace()
	if r.peek(end) {
		return nil
	}
	if !r.peek(',') {
		return DecodeError
	}
	r.at++
	r.skipSpace()
	if r.peek(end) { // no comma before the end
		return DecodeError
	}
	return nil
}

// pushNumber reads a JSON number as Python does and pushes an Int or a Float. Where a
// fraction or an exponent has no digits, the number ends before it. Unless Strict, integers
// of too many digits are refused, as in Python.
func (r *Reader) pushNumber() error {
	start := r.at
	skipDigits := func() int {
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
	} else if skipDigits() == 0 {
		return DecodeError
	}
	integerEnd := r.at
	if r.peek('.') {
		r.at++
		if skipDigits() == 0 {
			r.at = integerEnd
		}
	}
	mantissaEnd := r.at
	if r.peek('e') || r.peek('E') {
		r.at++
		if r.peek('+') || r.peek('-') {
			r.at++
		}
		if skipDigits() == 0 {
			r.at = mantissaEnd
		}
	}
	text := r.text[start:r.at]
	double := nearestDouble(text)
	if r.at > integerEnd {
		return r.push(Float, double, text, nil)
	}
	if !r.Strict && len(strings.TrimPrefix(text, "-")) > maxDigits {
		return ValueError
	}
	if text == "-0" { // an int has no negative zero
		text, double = "0", 0
	}
	return r.push(Int, double, text, nil)
}

// nearestDouble returns the double nearest to a JSON number, an infinity where it is too
// large, as in Python. Integers of up to 15 digits are converted without a parser, because
// doubles hold them exactly.
func nearestDouble(text string) float64 {
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

// readString reads a JSON string as Python does and returns it unescaped. Without escapes it
// shares the text's memory.
func (r *Reader) readString() (string, error) {
	text := r.text[r.at+1:]
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			r.at += i + 2
			return text[:i], nil
		case c == '\\':
			r.at += i + 1
			return r.unescape(text[:i])
		case c < ' ':
			r.at += i + 1
			return "", DecodeError
		}
	}
	r.at = len(r.text)
	return "", DecodeError
}

// stringBlock is the least size of a block of unescaped strings, bytes.
const stringBlock = 1 << 10

// unescape reads the rest of a string from its first escape on; before is what precedes
// that. Unescaped strings are written one behind the other into large blocks, so that many
// cost one allocation. Bytes that were returned are never written again.
func (r *Reader) unescape(before string) (string, error) {
	b := &r.unescaped
	if b.Cap()-b.Len() < len(before)+64 {
		*b = strings.Builder{}
		b.Grow(len(before) + stringBlock)
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
		code, ok := r.fourHexDigits()
		if !ok {
			return "", DecodeError
		}
		if utf16.IsSurrogate(code) && strings.HasPrefix(r.text[r.at:], `\u`) {
			afterFirst := r.at
			r.at += 2
			low, ok := r.fourHexDigits()
			pair := utf16.DecodeRune(code, low)
			if ok && pair != utf8.RuneError {
				code = pair
			} else {
				r.at = afterFirst
			}
		}
		b.WriteRune(code) // half of a pair becomes the replacement character
	}
	return "", DecodeError
}

// fourHexDigits reads the four digits of a \u escape in a JSON string. ok is false if they are
// missing.
func (r *Reader) fourHexDigits() (code rune, ok bool) {
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

// arena allocates lists as pieces of large blocks, which live until reset.
type arena[T any] struct{ block []T }

const (
	minBlock = 1024    // elements of the first block of an arena
	mostKept = 1 << 16 // elements of memory that are kept from one text to the next
)

// reset frees all lists of the arena.
func (a *arena[T]) reset() { a.block = emptied(a.block) }

// emptied returns an empty list with the memory of another one, or nil where that is too large to
// keep for the next JSON text.
func emptied[T any](list []T) []T {
	if cap(list) > mostKept {
		return nil
	}
	return list[:0]
}

// keep copies a list of values or keys into the arena, whose large blocks make many small lists
// cost one allocation. The result has no spare capacity, so that appending to it cannot overwrite
// the next list.
func (a *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if cap(a.block)-len(a.block) < len(list) {
		a.block = make([]T, 0, max(minBlock, len(list), min(2*cap(a.block), mostKept)))
	}
	n := len(a.block)
	a.block = append(a.block, list...)
	return a.block[n:len(a.block):len(a.block)]
}
