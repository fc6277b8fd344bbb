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
	object   bool
	hashed   bool // object: its keys are in jsonChecker.table
	firstKey int  // object: position of its first key in jsonChecker.keys
	element  int  // array: index of the current element
}

// jsonChecker is the state of one pass of the JSON tokenizer. Checkers are pooled.
type jsonChecker struct {
	input        []byte
	pos          int // of the next byte of input
	maxDepth     int
	values       int         // values that may still come
	open         []container // the objects and arrays around the current position, innermost last
	keys         []keySpan   // keys of the open objects, innermost last
	table        []int32     // hash table of keys: positions in keys plus 1, 0 for a free slot
	tableEntries int
	unescaped    []byte // keys that were written with escapes, decoded
	fault        *Error // the first fault
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
	checker.input, checker.pos, checker.maxDepth, checker.values, checker.fault = data, 0, maxDepth, maxValues, nil
	checker.open, checker.keys, checker.unescaped = checker.open[:0], checker.keys[:0], checker.unescaped[:0]
	if checker.tableEntries > 0 { // only after an error; otherwise every key was removed with its object
		clear(checker.table)
		checker.tableEntries = 0
	}
	var err error
	if !checker.checkDocument() {
		err = checker.fault // not assigned above: a nil *Error would be an error that is not nil
	}
	checker.input = nil // the pool keeps no input
	if len(data) <= keepBytes {
		checkers.Put(checker)
	}
	return err
}

// checkDocument checks the whole JSON text and reports whether it is valid. This and the methods below
// return false after they have set checker.fault.
func (checker *jsonChecker) checkDocument() bool {
	checker.skipBlanks()
	if !checker.checkValue() {
		return false
	}
	for len(checker.open) > 0 {
		if !checker.checkAfterValue() {
			return false
		}
	}
	checker.skipBlanks()
	if checker.pos < len(checker.input) {
		return checker.failUnexpected("the end of the input")
	}
	return true
}

// checkValue checks the JSON value at the current position. A scalar is checked in full. Of an object or
// array only the beginning is checked: its bracket, the first key, and the first value in the same way,
// down to the first scalar or empty container. The containers that it opens go onto checker.open, and
// checkAfterValue continues from there; this takes the place of recursion. Nesting and values beyond the limits
// are faults.
func (checker *jsonChecker) checkValue() bool {
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
		if checker.pos >= len(checker.input) {
			return checker.failUnexpected("a value")
		}
		switch ch := checker.input[checker.pos]; ch {
		case '"':
			_, ok := checker.checkString()
			return ok
		case '{', '[':
			checker.pos++
			checker.skipBlanks()
			if checker.pos < len(checker.input) && checker.input[checker.pos] == ch+2 { // '}' is '{'+2, ']' is '['+2
				checker.pos++
				return true
			}
			if ch == '[' {
				checker.open = append(checker.open, container{})
				continue
			}
			checker.open = append(checker.open, container{object: true, firstKey: len(checker.keys)})
			if !checker.checkKey() {
				return false
			}
		case 't':
			return checker.checkLiteral("true")
		case 'f':
			return checker.checkLiteral("false")
		case 'n':
			return checker.checkLiteral("null")
		default:
			return checker.checkNumber()
		}
	}
}

// checkAfterValue checks what follows a value in the innermost open container: a comma and the next value, as
// checkValue checks it, or the end of the container, which is then no longer open.
func (checker *jsonChecker) checkAfterValue() bool {
	checker.skipBlanks()
	top := &checker.open[len(checker.open)-1]
	if checker.pos >= len(checker.input) {
		return checker.failUnexpected(commaOrEnd(top.object))
	}
	switch ch := checker.input[checker.pos]; {
	case ch == ',' && top.object:
		checker.pos++
		checker.skipBlanks()
		return checker.checkKey() && checker.checkValue()
	case ch == ',':
		checker.pos++
		checker.skipBlanks()
		top.element++
		return checker.checkValue()
	case ch == '}' && top.object:
		checker.pos++
		checker.removeKeys(top)
	case ch == ']' && !top.object:
		checker.pos++
	default:
		return checker.failUnexpected(commaOrEnd(top.object))
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

// checkKey checks the key of a member of a JSON object, which must not occur twice in it, and the colon
// after it. It reports whether both are valid; otherwise checker.fault is set.
func (checker *jsonChecker) checkKey() bool {
	if checker.pos >= len(checker.input) || checker.input[checker.pos] != '"' {
		checker.failUnexpected("a key in quotes")
		checker.fault.Path = checker.pointer(len(checker.open) - 1) // of the object, without its last key
		return false
	}
	pos := checker.pos // of the opening quote
	escaped, ok := checker.checkString()
	if !ok {
		return false
	}
	k := keySpan{from: int32(pos + 1), to: int32(checker.pos - 1)}
	if escaped {
		k = checker.unescape(k)
	}
	if !checker.addKey(k) {
		name := shorten(string(checker.keyBytes(k)), 80)
		checker.pos = pos
		checker.fail("the key "+strconv.Quote(name)+" a second time", "each key once")
		return false
	}
	checker.skipBlanks()
	if checker.pos >= len(checker.input) || checker.input[checker.pos] != ':' {
		return checker.failUnexpected("':'")
	}
	checker.pos++
	checker.skipBlanks()
	return true
}

// skipBlanks moves past the white space between tokens of the JSON that is checked.
func (checker *jsonChecker) skipBlanks() {
	for checker.pos < len(checker.input) {
		switch checker.input[checker.pos] {
		case ' ', '\n', '\r', '\t':
			checker.pos++
		default:
			return
		}
	}
}

// checkLiteral checks that one of the JSON words true, false and null is next, and moves past it. It
// returns false after it has recorded the error.
func (checker *jsonChecker) checkLiteral(word string) bool {
	end := checker.pos + len(word)
	if end > len(checker.input) || string(checker.input[checker.pos:end]) != word {
		return checker.failUnexpected("a value")
	}
	checker.pos = end
	return true
}

// failUnexpected sets checker.fault to an error at the current position of the JSON text and returns false,
// so that callers can return its result. The error quotes the next characters, up to 12 or the end of a
// word. want is what should stand there.
func (checker *jsonChecker) failUnexpected(want string) bool {
	if checker.pos >= len(checker.input) {
		checker.fail("the end of the input", want)
		return false
	}
	rest := checker.input[checker.pos:min(len(checker.input), checker.pos+12)]
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
	checker.fault = &Error{Kind: ErrInvalid, Offset: checker.pos, Path: checker.pointer(len(checker.open)), Got: got, Want: want}
}

// pointer returns the place of the value that is being checked as a JSON pointer (RFC 6901), such as
// /shapes/3/props. It is made of the current members of the outermost n open containers. The middle of a
// very long pointer is left out.
func (checker *jsonChecker) pointer(n int) string {
	const enough = 60 // bytes, from which on only the last two members are added
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
			text.WriteString("/" + strconv.Itoa(top.element))
		} else if end := checker.endOfKeys(d); end > top.firstKey {
			text.WriteString("/" + escape.Replace(shorten(string(checker.keyBytes(checker.keys[end-1])), 80)))
		}
	}
	return text.String()
}
