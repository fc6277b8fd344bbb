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

	openValues  []Value  // elements of lists and objects that are open
	openKeys    []string // keys of the objects that are open
	items       arena[Value]
	keys        arena[string]
	memberLists arena[members]
	unescaped   strings.Builder // unescaped strings, one after another
}

// Reset drops all Python values that were read and sets the JSON text to read from.
func (reader *Reader) Reset(text string) {
	reader.text, reader.at, reader.depth, reader.steps = text, 0, 0, 0
	reader.openValues, reader.openKeys = emptied(reader.openValues), emptied(reader.openKeys)
	reader.items.reset()
	reader.keys.reset()
	reader.memberLists.reset()
}

// Steps returns how many bytes were read since Reset, repeatedly read ones each time. Callers
// that try a text from many positions bound their cost by it.
func (reader *Reader) Steps() int { return reader.steps }

// All reads the whole text as one value. The error is an Exception.
func (reader *Reader) All() (v Value, err error) { return reader.Span(0, len(reader.text)) }

// Span reads text[from:to] as one JSON value with optional white space around it, and nothing else,
// as Python's json module does. The error is an Exception.
func (reader *Reader) Span(from, to int) (value Value, err error) {
	whole := reader.text
	reader.text = whole[:to] // the value must end before it
	defer func() { reader.text = whole }()
	value, end, err := reader.At(from)
	if err != nil {
		return value, err
	}
	reader.at = end
	reader.skipSpace()
	if reader.at != to {
		return value, DecodeError
	}
	return value, nil
}

// At reads the JSON value that begins at a position, after optional white space, as Python's json
// module does, and returns where it ends. What follows is not read. After an error, end is where
// reading stopped. The error is an Exception.
func (reader *Reader) At(from int) (value Value, end int, err error) {
	reader.at, reader.depth = from, 0
	reader.openValues, reader.openKeys = reader.openValues[:0], reader.openKeys[:0]
	reader.skipSpace()
	err = reader.pushValue()
	if err == nil {
		value = reader.openValues[0]
	}
	reader.steps += reader.at - from + 1 // so that callers can bound the work
	return value, reader.at, err
}

// skipSpace moves past the four characters that Python's json module takes for white space.
func (reader *Reader) skipSpace() {
	for reader.at < len(reader.text) {
		switch reader.text[reader.at] {
		case ' ', '\t', '\n', '\r':
			reader.at++
		default:
			return
		}
	}
}

// pushValue reads a JSON value as Python does and pushes it on the stack. It does not return the
// value, because that would copy it at each level of nesting.
func (reader *Reader) pushValue() error {
	if reader.at >= len(reader.text) {
		return DecodeError
	}
	switch c := reader.text[reader.at]; {
	case c == '"':
		s, err := reader.readString()
		return reader.push(Str, 0, s, err)
	case c == '{':
		return reader.pushDict()
	case c == '[':
		return reader.pushList()
	case c >= '0' && c <= '9':
		return reader.pushNumber()
	case c == '-':
		if !reader.Strict && reader.skipLiteral("-Infinity") {
			return reader.push(Float, math.Inf(-1), "", nil)
		}
		return reader.pushNumber()
	case reader.skipLiteral("null"):
		return reader.push(None, 0, "", nil)
	case reader.skipLiteral("true"):
		return reader.push(Bool, 1, "", nil)
	case reader.skipLiteral("false"):
		return reader.push(Bool, 0, "", nil)
	case reader.Strict: // refuses NaN and infinities
	case reader.skipLiteral("NaN"):
		return reader.push(Float, math.NaN(), "", nil)
	case reader.skipLiteral("Infinity"):
		return reader.push(Float, math.Inf(1), "", nil)
	}
	return DecodeError
}

// push puts a Python value on the reader's stack: its kind, its number and its text. It does so even if
// err is set, and returns err, so that callers can return its result.
func (reader *Reader) push(kind Kind, f float64, s string, err error) error {
	reader.openValues = append(reader.openValues, Value{Kind: kind, F: f, S: s})
	return err
}

// closeContainer moves past the closing bracket of a Python list or dict, and replaces its members
// on the stack by the list or dict. They begin at openValues[first], its keys at openKeys[firstKey].
func (reader *Reader) closeContainer(kind Kind, first, firstKey int) {
	reader.at++
	reader.depth--
	held := reader.keepMembers(reader.openValues[first:], reader.openKeys[firstKey:])
	reader.openValues = append(reader.openValues[:first], Value{Kind: kind, members: held})
	reader.openKeys = reader.openKeys[:firstKey]
}

// skipLiteral moves past the word s, such as true or NaN, if it comes next in the JSON, and reports
// whether it does.
func (reader *Reader) skipLiteral(s string) bool {
	if strings.HasPrefix(reader.text[reader.at:], s) {
		reader.at += len(s)
		return true
	}
	return false
}

// openContainer moves past the opening bracket of a list or an object. It refuses nesting beyond
// maxDepth, at which Python raises RecursionError.
func (reader *Reader) openContainer() error {
	reader.depth++
	if reader.depth > maxDepth {
		return RecursionError
	}
	reader.at++
	reader.skipSpace()
	return nil
}

// pushList reads a JSON list and pushes its values and then the list onto the stack. It accepts and
// refuses what Python's json module does, such as nesting that is too deep.
func (reader *Reader) pushList() error {
	if err := reader.openContainer(); err != nil {
		return err
	}
	first := len(reader.openValues)
	for !reader.peek(']') {
		if err := reader.pushValue(); err != nil {
			return err
		}
		if err := reader.skipSeparator(']'); err != nil {
			return err
		}
	}
	reader.closeContainer(List, first, len(reader.openKeys)) // a list has no keys
	return nil
}

// pushDict reads a JSON object as Python's json module reads a dict, and pushes it onto the reader's
// stack. Of a repeated key the last value counts.
func (reader *Reader) pushDict() error {
	if err := reader.openContainer(); err != nil {
		return err
	}
	first, firstKey := len(reader.openValues), len(reader.openKeys)
	for !reader.peek('}') {
		if !reader.peek('"') {
			return DecodeError
		}
		// A key, a colon and a value.
		key, err := reader.readString()
		if err != nil {
			return err
		}
		reader.skipSpace()
		if !reader.peek(':') {
			return DecodeError
		}
		reader.at++
		reader.skipSpace()
		if err := reader.pushValue(); err != nil {
			return err
		}
		reader.addKey(first, firstKey, key)
		if err := reader.skipSeparator('}'); err != nil {
			return err
		}
	}
	reader.dropRepeatedKeys(first, firstKey)
	reader.closeContainer(Dict, first, firstKey)
	return nil
}

// keepMembers copies the members of a Python list or dict into the reader's memory; nil if there
// are none.
func (reader *Reader) keepMembers(items []Value, keys []string) *members {
	if len(items) == 0 {
		return nil
	}
	single := []members{{reader.items.keep(items), reader.keys.keep(keys)}}
	return &reader.memberLists.keep(single)[0]
}

// fewKeys is how many keys of an object addKey compares one by one. With more of them,
// dropRepeatedKeys goes through all at the object's end.
const fewKeys = 64

// addKey gives the value on top of the stack its key in the open dict, whose members begin at
// openValues[first] and whose keys begin at openKeys[firstKey]. The value of a repeated key replaces the
// earlier one. Beyond fewKeys keys, repeated ones are left to dropRepeatedKeys.
func (reader *Reader) addKey(first, firstKey int, key string) {
	names := reader.openKeys[firstKey:]
	if len(names) < fewKeys {
		if i := slices.Index(names, key); i >= 0 {
			top := len(reader.openValues) - 1
			reader.openValues[first+i] = reader.openValues[top]
			reader.openValues = reader.openValues[:top]
			return
		}
	}
	reader.openKeys = append(reader.openKeys, key)
}

// dropRepeatedKeys removes repeated keys of a dict with many keys, which addKey leaves in: it keeps
// the last value of each key, at the place of the first.
func (reader *Reader) dropRepeatedKeys(first, firstKey int) {
	names, values := reader.openKeys[firstKey:], reader.openValues[first:]
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
	reader.openKeys, reader.openValues = reader.openKeys[:firstKey+kept], reader.openValues[:first+kept]
}

// peek reports whether byte c comes next.
func (reader *Reader) peek(c byte) bool {
	return reader.at < len(reader.text) && reader.text[reader.at] == c
}

// skipSeparator moves past the comma after an element of a JSON list or object, which another
// element must follow. Before end, the closing bracket, there is nothing to skip.
func (reader *Reader) skipSeparator(end byte) error {
	reader.skipSpace()
	if reader.peek(end) {
		return nil
	}
	if !reader.peek(',') {
		return DecodeError
	}
	reader.at++
	reader.skipSpace()
	if reader.peek(end) { // no comma before the end
		return DecodeError
	}
	return nil
}

// pushNumber reads a JSON number as Python does and pushes an Int or a Float. Where a
// fraction or an exponent has no digits, the number ends before it. Unless Strict, integers
// of too many digits are refused, as in Python.
func (reader *Reader) pushNumber() error {
	start := reader.at
	skipDigits := func() int {
		n := reader.at
		for reader.at < len(reader.text) && reader.text[reader.at]-'0' < 10 {
			reader.at++
		}
		return reader.at - n
	}
	if reader.peek('-') {
		reader.at++
	}
	if reader.peek('0') {
		reader.at++
	} else if skipDigits() == 0 {
		return DecodeError
	}
	// A fraction and an exponent, if they have digits.
	integerEnd := reader.at
	if reader.peek('.') {
		reader.at++
		if skipDigits() == 0 {
			reader.at = integerEnd
		}
	}
	mantissaEnd := reader.at
	if reader.peek('e') || reader.peek('E') {
		reader.at++
		if reader.peek('+') || reader.peek('-') {
			reader.at++
		}
		if skipDigits() == 0 {
			reader.at = mantissaEnd
		}
	}
	// With either it is a float, else an int.
	text := reader.text[start:reader.at]
	double := nearestDouble(text)
	if reader.at > integerEnd {
		return reader.push(Float, double, text, nil)
	}
	if !reader.Strict && len(strings.TrimPrefix(text, "-")) > maxDigits {
		return ValueError
	}
	if text == "-0" { // an int has no negative zero
		text, double = "0", 0
	}
	return reader.push(Int, double, text, nil)
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
		digit := digits[i] - '0'
		isDigit := digit < 10 // bytes below '0' wrap round to large values
		if i >= 15 || !isDigit {
			f, _ := strconv.ParseFloat(text, 64)
			return f
		}
		n = n*10 + int64(digit)
	}
	return float64(sign * n)
}

// readString reads a JSON string as Python does and returns it unescaped. Without escapes it
// shares the text's memory.
func (reader *Reader) readString() (string, error) {
	text := reader.text[reader.at+1:]
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			reader.at += i + 2
			return text[:i], nil
		case c == '\\':
			reader.at += i + 1
			return reader.unescape(text[:i])
		case c < ' ':
			reader.at += i + 1
			return "", DecodeError
		}
	}
	reader.at = len(reader.text)
	return "", DecodeError
}

// stringBlock is the least size of a block of unescaped strings, bytes.
const stringBlock = 1 << 10

// unescape reads the rest of a string from its first escape on; before is what precedes
// that. Unescaped strings are written one after another into large blocks, so that many
// cost one allocation. Bytes that were returned are never written again.
func (reader *Reader) unescape(before string) (string, error) {
	text := &reader.unescaped
	if text.Cap()-text.Len() < len(before)+64 { // little room: begin another block; the old one stays as it is
		*text = strings.Builder{}
		text.Grow(len(before) + stringBlock)
	}
	start := text.Len()
	text.WriteString(before)
	for reader.at < len(reader.text) {
		c := reader.text[reader.at]
		reader.at++
		switch {
		case c == '"':
			return text.String()[start:], nil
		case c < ' ':
			return "", DecodeError
		case c != '\\':
			text.WriteByte(c)
			continue
		}
		// An escape.
		if reader.at >= len(reader.text) {
			return "", DecodeError
		}
		c = reader.text[reader.at]
		reader.at++
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			text.WriteByte("\"\\/\b\f\n\r\t"[i]) // the character that the letter stands for
			continue
		}
		if c != 'u' {
			return "", DecodeError
		}
		// A code unit, of which two may make a character.
		code, ok := reader.fourHexDigits()
		if !ok {
			return "", DecodeError
		}
		if utf16.IsSurrogate(code) && strings.HasPrefix(reader.text[reader.at:], `\u`) {
			afterFirst := reader.at
			reader.at += 2
			low, ok := reader.fourHexDigits()
			pair := utf16.DecodeRune(code, low)
			if ok && pair != utf8.RuneError {
				code = pair
			} else {
				reader.at = afterFirst
			}
		}
		text.WriteRune(code) // half of a pair becomes the replacement character
	}
	return "", DecodeError
}

// fourHexDigits reads the four digits of a \u escape in a JSON string. ok is false if they are
// missing.
func (reader *Reader) fourHexDigits() (code rune, ok bool) {
	if reader.at+4 > len(reader.text) {
		return 0, false
	}
	u, err := strconv.ParseUint(reader.text[reader.at:reader.at+4], 16, 32)
	if err != nil {
		return 0, false
	}
	reader.at += 4
	return rune(u), true
}

// arena allocates lists as pieces of large blocks, which live until reset.
type arena[T any] struct{ block []T }

const (
	minBlock = 1024    // elements of the first block of an arena
	mostKept = 1 << 16 // elements of memory that are kept from one text to the next
)

// reset frees all lists of the arena.
func (arena *arena[T]) reset() { arena.block = emptied(arena.block) }

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
func (arena *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if cap(arena.block)-len(arena.block) < len(list) {
		arena.block = make([]T, 0, max(minBlock, len(list), min(2*cap(arena.block), mostKept)))
	}
	n := len(arena.block)
	arena.block = append(arena.block, list...)
	return arena.block[n:len(arena.block):len(arena.block)]
}
