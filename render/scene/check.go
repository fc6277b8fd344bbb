package scene

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// Check reports whether b is one JSON value as RFC 8259 has it, in valid UTF-8, nested at most
// maxDepth deep (a value inside n containers has depth n+1), in which no object has a key twice and
// every number fits a float64. NaN and Infinity are refused. Escapes of unpaired surrogates are
// accepted. Check takes one pass, time and memory in proportion to b, and does not recurse. Errors
// wrap ErrInvalid, or ErrLimit for the depth, and name the byte and the JSON pointer of the value.
// See docs/spec/cli.md#r13.
func Check(b []byte, maxDepth int) error {
	return check(b, maxDepth, math.MaxInt)
}

// Check checks a JSON text as the function Check does, and also its length, depth and number of
// values. Code that parses a text into a tree calls this first, because a tree takes up to
// jsontree.ValueBytes per value: 50 times the length of a text such as `[0,0,0`.
func (limits Limits) Check(data []byte) error {
	limits = limits.withDefaults()
	if len(data) > limits.Line {
		return overLimit("JSON", "", strconv.Itoa(len(data))+" bytes", "at most "+strconv.Itoa(limits.Line), FlagLine)
	}
	return check(data, limits.Depth, limits.Values)
}

// container is an object or array that is open.
type container struct {
	object bool
	hashed bool // its keys are in jsonChecker.table
	keys   int  // object: its first key in jsonChecker.keys; array: position of the current element
}

// jsonChecker is the state of one pass of the JSON tokenizer. Checkers are pooled.
type jsonChecker struct {
	b         []byte
	i         int // next byte
	maxDepth  int
	values    int // values that may still come
	open      []container
	keys      []keySpan // keys of the open objects, innermost last
	table     []int32
	live      int    // entries of table
	unescaped []byte // keys that were written with escapes
	fault     *Error
}

var checkers = sync.Pool{New: func() any { return new(jsonChecker) }}

// keepBytes is the size of input beyond which a jsonChecker does not go back to the pool, so
// that one huge line does not hold memory forever.
const keepBytes = 1 << 20

// check checks a JSON text strictly, with limits on depth and number of values. It uses a pooled
// jsonChecker, which goes back to the pool unless the input is large.
func check(data []byte, maxDepth, maxValues int) error {
	if len(data) > math.MaxInt32 { // positions of keys are kept in 32 bits
		return overLimit("JSON", "", strconv.Itoa(len(data))+" bytes", "at most 2 GiB", FlagLine)
	}
	checker := checkers.Get().(*jsonChecker)
	checker.b, checker.i, checker.maxDepth, checker.values, checker.fault = data, 0, maxDepth, maxValues, nil
	checker.open, checker.keys, checker.unescaped = checker.open[:0], checker.keys[:0], checker.unescaped[:0]
	if checker.live > 0 { // only after an error; otherwise every key was removed with its object
		clear(checker.table)
		checker.live = 0
	}
	var err error
	if !checker.document() {
		err = checker.fault // not assigned above: a nil *Error would be an error that is not nil
	}
	checker.b = nil // the pool keeps no input
	if len(data) <= keepBytes {
		checkers.Put(checker)
	}
	return err
}

// document checks the whole JSON text and reports whether it is valid. This and the methods below
// return false after they have set checker.fault.
func (checker *jsonChecker) document() bool {
	checker.blanks()
	if !checker.value() {
		return false
	}
	for len(checker.open) > 0 {
		if !checker.next() {
			return false
		}
	}
	checker.blanks()
	if checker.i < len(checker.b) {
		return checker.unexpected("the end of the input")
	}
	return true
}

// value checks the JSON value at the current position. A scalar is checked in full. Of a container
// only the opening is checked, and what comes first in it, down to the first scalar or empty
// container; the containers that it opens go onto checker.open, and next continues from there. It refuses
// nesting and values beyond the limits.
func (checker *jsonChecker) value() bool {
	for {
		if len(checker.open) >= checker.maxDepth {
			checker.fail("nesting of "+strconv.Itoa(len(checker.open)+1), "at most "+strconv.Itoa(checker.maxDepth)+" ("+FlagDepth+")")
			checker.fault.Kind = ErrLimit
			return false
		}
		checker.values--
		if checker.values < 0 {
			checker.fail("more JSON values than the limit", "fewer ("+FlagValues+")")
			checker.fault.Kind = ErrLimit
			return false
		}
		if checker.i >= len(checker.b) {
			return checker.unexpected("a value")
		}
		switch ch := checker.b[checker.i]; ch {
		case '"':
			_, ok := checker.text()
			return ok
		case '{', '[':
			checker.i++
			checker.blanks()
			if checker.i < len(checker.b) && checker.b[checker.i] == ch+2 { // '}' is '{'+2, ']' is '['+2
				checker.i++
				return true
			}
			if ch == '[' { // keys is the position of the current element
				checker.open = append(checker.open, container{keys: 0})
				continue
			}
			checker.open = append(checker.open, container{object: true, keys: len(checker.keys)})
			if !checker.key() {
				return false
			}
		case 't':
			return checker.literal("true")
		case 'f':
			return checker.literal("false")
		case 'n':
			return checker.literal("null")
		default:
			return checker.number()
		}
	}
}

// next checks what follows a value in the innermost open container: a comma and the next value, as value
// checks it, or the end of the container, which is then no longer open.
func (checker *jsonChecker) next() bool {
	checker.blanks()
	top := &checker.open[len(checker.open)-1]
	if checker.i >= len(checker.b) {
		return checker.unexpected(commaOrEnd(top.object))
	}
	switch ch := checker.b[checker.i]; {
	case ch == ',' && top.object:
		checker.i++
		checker.blanks()
		return checker.key() && checker.value()
	case ch == ',':
		checker.i++
		checker.blanks()
		top.keys++
		return checker.value()
	case ch == '}' && top.object:
		checker.i++
		checker.removeKeys(top)
	case ch == ']' && !top.object:
		checker.i++
	default:
		return checker.unexpected(commaOrEnd(top.object))
	}
	checker.open = checker.open[:len(checker.open)-1]
	return true
}

// commaOrEnd returns what may follow a value in an object or a list, for a message.
func commaOrEnd(object bool) string {
	if object {
		return "',' or '}'"
	}
	return "',' or ']'"
}

// key checks the key of a member of a JSON object, which must not occur twice in it, and the colon
// after it. It reports whether both are valid; otherwise checker.fault is set.
func (checker *jsonChecker) key() bool {
	if checker.i >= len(checker.b) || checker.b[checker.i] != '"' {
		checker.unexpected("a key in quotes")
		checker.fault.Path = checker.pointer(len(checker.open) - 1) // without the key before it
		return false
	}
	pos := checker.i
	escaped, ok := checker.text()
	if !ok {
		return false
	}
	k := keySpan{from: int32(pos + 1), to: int32(checker.i - 1)}
	if escaped {
		k = checker.unescape(k)
	}
	if !checker.addKey(k) {
		name := clip(string(checker.keyBytes(k)), 80)
		checker.i = pos
		checker.fail("the key "+strconv.Quote(name)+" a second time", "each key once")
		return false
	}
	checker.blanks()
	if checker.i >= len(checker.b) || checker.b[checker.i] != ':' {
		return checker.unexpected("':'")
	}
	checker.i++
	checker.blanks()
	return true
}

// blanks moves past the white space between tokens of the JSON that is checked.
func (checker *jsonChecker) blanks() {
	for checker.i < len(checker.b) {
		switch checker.b[checker.i] {
		case ' ', '\n', '\r', '\t':
			checker.i++
		default:
			return
		}
	}
}

// literal checks that one of the JSON words true, false and null is next, and moves past it. It
// returns false after it has recorded the error.
func (checker *jsonChecker) literal(word string) bool {
	end := checker.i + len(word)
	if end > len(checker.b) || string(checker.b[checker.i:end]) != word {
		return checker.unexpected("a value")
	}
	checker.i = end
	return true
}

// unexpected sets checker.fault to an error at the current position of the JSON text and returns false.
// The error quotes the next characters, up to 12 or the end of a word. want is what should stand
// there.
func (checker *jsonChecker) unexpected(want string) bool {
	if checker.i >= len(checker.b) {
		checker.fail("the end of the input", want)
		return false
	}
	rest := checker.b[checker.i:min(len(checker.b), checker.i+12)]
	for n, ch := range rest {
		if n > 0 && (ch <= ' ' || strings.IndexByte(`,:]}"`, ch) >= 0) {
			rest = rest[:n]
			break
		}
	}
	checker.fail(strconv.Quote(string(rest)), want)
	return false
}

// fail sets the fault to one at the current byte, with the JSON pointer of the value that is being read.
func (checker *jsonChecker) fail(got, want string) {
	checker.fault = &Error{Kind: ErrInvalid, Offset: checker.i, Path: checker.pointer(len(checker.open)), Got: got, Want: want}
}

// pointer returns the place of the value that is being checked as a JSON pointer (RFC 6901), made
// of the current members of the outermost n containers. The middle of a very long pointer is left
// out.
func (checker *jsonChecker) pointer(n int) string {
	const enough = 60
	var text strings.Builder
	cut := false
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for d := range n {
		if text.Len() > enough && d < n-2 {
			if !cut {
				text.WriteString("/...")
			}
			cut = true
			continue
		}
		top := &checker.open[d]
		if !top.object {
			text.WriteString("/" + strconv.Itoa(top.keys))
		} else if end := checker.endOfKeys(d); end > top.keys {
			text.WriteString("/" + escape.Replace(clip(string(checker.keyBytes(checker.keys[end-1])), 80)))
		}
	}
	return text.String()
}
