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
func (l Limits) Check(b []byte) error {
	l = l.withDefaults()
	if len(b) > l.Line {
		return overLimit("JSON", "", strconv.Itoa(len(b))+" bytes", "at most "+strconv.Itoa(l.Line), FlagLine)
	}
	return check(b, l.Depth, l.Values)
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
func check(b []byte, maxDepth, maxValues int) error {
	if len(b) > math.MaxInt32 { // positions of keys are kept in 32 bits
		return overLimit("JSON", "", strconv.Itoa(len(b))+" bytes", "at most 2 GiB", FlagLine)
	}
	c := checkers.Get().(*jsonChecker)
	c.b, c.i, c.maxDepth, c.values, c.fault = b, 0, maxDepth, maxValues, nil
	c.open, c.keys, c.unescaped = c.open[:0], c.keys[:0], c.unescaped[:0]
	if c.live > 0 { // only after an error; otherwise every key was removed with its object
		clear(c.table)
		c.live = 0
	}
	var err error
	if !c.document() {
		err = c.fault // not assigned above: a nil *Error would be an error that is not nil
	}
	c.b = nil // the pool keeps no input
	if len(b) <= keepBytes {
		checkers.Put(c)
	}
	return err
}

// document checks the whole JSON text and reports whether it is valid. This and the methods below
// return false after they have set c.fault.
func (c *jsonChecker) document() bool {
	c.blanks()
	if !c.value() {
		return false
	}
	for len(c.open) > 0 {
		if !c.next() {
			return false
		}
	}
	c.blanks()
	if c.i < len(c.b) {
		return c.unexpected("the end of the input")
	}
	return true
}

// value checks the JSON value at the current position. A scalar is checked in full. Of a container
// only the opening is checked, and what comes first in it, down to the first scalar or empty
// container; the containers that it opens go onto c.open, and next continues from there. It refuses
// nesting and values beyond the limits.
func (c *jsonChecker) value() bool {
	for {
		if len(c.open) >= c.maxDepth {
			c.fail("nesting of "+strconv.Itoa(len(c.open)+1), "at most "+strconv.Itoa(c.maxDepth)+" ("+FlagDepth+")")
			c.fault.Kind = ErrLimit
			return false
		}
		c.values--
		if c.values < 0 {
			c.fail("more JSON values than the limit", "fewer ("+FlagValues+")")
			c.fault.Kind = ErrLimit
			return false
		}
		if c.i >= len(c.b) {
			return c.unexpected("a value")
		}
		switch ch := c.b[c.i]; ch {
		case '"':
			_, ok := c.text()
			return ok
		case '{', '[':
			c.i++
			c.blanks()
			if c.i < len(c.b) && c.b[c.i] == ch+2 { // '}' is '{'+2, ']' is '['+2
				c.i++
				return true
			}
			if ch == '[' { // keys is the position of the current element
				c.open = append(c.open, container{keys: 0})
				continue
			}
			c.open = append(c.open, container{object: true, keys: len(c.keys)})
			if !c.key() {
				return false
			}
		case 't':
			return c.literal("true")
		case 'f':
			return c.literal("false")
		case 'n':
			return c.literal("null")
		default:
			return c.number()
		}
	}
}

// next checks what follows a value in the innermost open container: a comma and the next value, as value
// checks it, or the end of the container, which is then no longer open.
func (c *jsonChecker) next() bool {
	c.blanks()
	top := &c.open[len(c.open)-1]
	if c.i >= len(c.b) {
		return c.unexpected(commaOrEnd(top.object))
	}
	switch ch := c.b[c.i]; {
	case ch == ',' && top.object:
		c.i++
		c.blanks()
		return c.key() && c.value()
	case ch == ',':
		c.i++
		c.blanks()
		top.keys++
		return c.value()
	case ch == '}' && top.object:
		c.i++
		c.removeKeys(top)
	case ch == ']' && !top.object:
		c.i++
	default:
		return c.unexpected(commaOrEnd(top.object))
	}
	c.open = c.open[:len(c.open)-1]
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
// after it. It reports whether both are valid; otherwise c.fault is set.
func (c *jsonChecker) key() bool {
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		c.unexpected("a key in quotes")
		c.fault.Path = c.pointer(len(c.open) - 1) // without the key before it
		return false
	}
	at := c.i
	escaped, ok := c.text()
	if !ok {
		return false
	}
	k := keySpan{from: int32(at + 1), to: int32(c.i - 1)}
	if escaped {
		k = c.unescape(k)
	}
	if !c.addKey(k) {
		name := clip(string(c.keyBytes(k)), 80)
		c.i = at
		c.fail("the key "+strconv.Quote(name)+" a second time", "each key once")
		return false
	}
	c.blanks()
	if c.i >= len(c.b) || c.b[c.i] != ':' {
		return c.unexpected("':'")
	}
	c.i++
	c.blanks()
	return true
}

// blanks skips the white space between JSON tokens.
func (c *jsonChecker) blanks() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\n', '\r', '\t':
			c.i++
		default:
			return
		}
	}
}

// literal checks one of the JSON words true, false and null.
func (c *jsonChecker) literal(word string) bool {
	end := c.i + len(word)
	if end > len(c.b) || string(c.b[c.i:end]) != word {
		return c.unexpected("a value")
	}
	c.i = end
	return true
}

// unexpected sets c.fault to an error at the current position of the JSON text and returns false.
// The error quotes the next characters, up to 12 or the end of a word. want is what should stand
// there.
func (c *jsonChecker) unexpected(want string) bool {
	if c.i >= len(c.b) {
		c.fail("the end of the input", want)
		return false
	}
	rest := c.b[c.i:min(len(c.b), c.i+12)]
	for n, ch := range rest {
		if n > 0 && (ch <= ' ' || strings.IndexByte(`,:]}"`, ch) >= 0) {
			rest = rest[:n]
			break
		}
	}
	c.fail(strconv.Quote(string(rest)), want)
	return false
}

// fail sets the fault to one at the current byte, with the JSON pointer of the value that is being read.
func (c *jsonChecker) fail(got, want string) {
	c.fault = &Error{Kind: ErrInvalid, Offset: c.i, Path: c.pointer(len(c.open)), Got: got, Want: want}
}

// pointer returns the place of the value that is being checked as a JSON pointer (RFC 6901), made
// of the current members of the outermost n containers. The middle of a very long pointer is left
// out.
func (c *jsonChecker) pointer(n int) string {
	const enough = 60
	var b strings.Builder
	cut := false
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for d := range n {
		if b.Len() > enough && d < n-2 {
			if !cut {
				b.WriteString("/...")
			}
			cut = true
			continue
		}
		top := &c.open[d]
		if !top.object {
			b.WriteString("/" + strconv.Itoa(top.keys))
		} else if end := c.endOfKeys(d); end > top.keys {
			b.WriteString("/" + escape.Replace(clip(string(c.keyBytes(c.keys[end-1])), 80)))
		}
	}
	return b.String()
}
