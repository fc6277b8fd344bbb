package jsonwalk

import "bytes"

// Want names the members of an object that are kept, with what is kept of each. A nil Want keeps
// the whole value. In a list it applies to each element; any other value is kept.
type Want map[string]Want

// keeper collects the text of a JSON value up to a limit. A nil keeper collects nothing, for values
// that are skipped.
type keeper struct {
	dst   []byte
	size  int // bytes of the text, also those beyond the limit
	limit int // bytes
}

// put appends b to the kept text of a JSON value, unless the text would exceed the limit. It counts
// the bytes in any case, so that an error can say how long the value is. A nil keeper does nothing.
func (kept *keeper) put(b ...byte) {
	if kept == nil {
		return
	}
	if kept.size += len(b); kept.size <= kept.limit {
		kept.dst = append(kept.dst, b...)
	}
}

// putByte appends one byte to the text that is kept of a JSON value if it fits within the limit, as put
// does for several. A nil keeper keeps nothing.
func (kept *keeper) putByte(c byte) {
	if kept == nil {
		return
	}
	if kept.size++; kept.size <= kept.limit {
		kept.dst = append(kept.dst, c)
	}
}

// Append reads the next JSON value and appends what want keeps of it to dst, without blanks between
// tokens and with null in place of NaN, Infinity and -Infinity. A value of more than limit bytes is
// passed over, and the error is a *LongError.
func (walker *Walker) Append(dst []byte, want Want, limit int) ([]byte, error) {
	kept := keeper{dst: dst, limit: limit}
	if err := walker.appendWanted(&kept, want); err != nil {
		return dst, err
	}
	if kept.size > limit {
		return dst, &LongError{kept.size, limit}
	}
	return kept.dst, nil
}

// appendWanted reads the next JSON value and puts into kept what want names of it. A nil want keeps all
// of it. Of an object it keeps the members that want names, and in a list it applies want to each
// element. Other values are kept whole.
func (walker *Walker) appendWanted(kept *keeper, want Want) error {
	c, err := walker.Peek()
	if err != nil {
		return err
	}
	if want == nil || c != '{' && c != '[' {
		return walker.readValue(kept)
	}
	if err := walker.openBracket(c); err != nil {
		return err
	}
	kept.putByte(c)
	first := true
	comma := func() { // before all kept items but the first
		if !first {
			kept.putByte(',')
		}
		first = false
	}
	for {
		// The next element of a list.
		if c == '[' {
			ok, err := walker.Element()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			comma()
			if err := walker.appendWanted(kept, want); err != nil {
				return err
			}
			continue
		}
		// The next member of an object.
		name, ok, err := walker.Member()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		wanted, isWanted := want[string(name)]
		if !isWanted {
			if err := walker.Skip(); err != nil {
				return err
			}
			continue
		}
		comma()
		kept.putByte('"')
		kept.put(name...)
		kept.put('"', ':')
		if err := walker.appendWanted(kept, wanted); err != nil {
			return err
		}
	}
	kept.putByte(c + 2) // in ASCII a closing bracket is two after its opening one
	return nil
}

// token is what may come next in a value that is read as a whole.
type token int

const (
	valueNext    token = iota
	elementOrEnd       // directly after the opening bracket of a list
	nameOrEnd          // directly after the opening bracket of an object
	nameNext           // after a comma in an object
	colonNext          // after a name
	commaOrEnd         // after a value
)

// tokenTexts name what is wanted, for errors.
var tokenTexts = [...]string{"a value", "a value or ']'", "a name or '}'", "a name", "':'", "',' or a closing bracket"}

// isValue reports whether a value may come next.
func (next token) isValue() bool { return next == valueNext || next == elementOrEnd }

// isName reports whether the name of a member may come next.
func (next token) isName() bool { return next == nameNext || next == nameOrEnd }

// readValue reads a whole JSON value, with all values within it. It checks that brackets match and that
// commas and colons stand where they must. It does not recurse, because a hostile document may nest deeply.
// kept gets the bytes of the value without blanks; nil skips it.
func (walker *Walker) readValue(kept *keeper) error {
	if walker.endError != nil {
		return walker.endError
	}
	outerDepth := len(walker.closings) // how many brackets are open around the value
	for next := valueNext; ; {
		if walker.pos >= walker.end || walker.buf[walker.pos] <= ' ' { // blanks, or more must be read
			if _, err := walker.skipBlanks(); err != nil {
				return err
			}
		}
		c := walker.buf[walker.pos]
		switch c {
		case '"':
			if !next.isValue() && !next.isName() {
				return walker.syntax(c, tokenTexts[next])
			}
			if err := walker.readString(kept); err != nil {
				return err
			}
			if next.isName() {
				next = colonNext
				continue
			}
		case ',':
			if next != commaOrEnd {
				return walker.syntax(c, tokenTexts[next])
			}
			walker.pos++
			kept.putByte(c)
			next = valueNext
			if walker.closings[len(walker.closings)-1] == '}' {
				next = nameNext
			}
			continue
		case ':':
			if next != colonNext {
				return walker.syntax(c, tokenTexts[next])
			}
			walker.pos++
			kept.putByte(c)
			next = valueNext
			continue
		case '{', '[':
			if !next.isValue() {
				return walker.syntax(c, tokenTexts[next])
			}
			if err := walker.openBracket(c); err != nil {
				return err
			}
			kept.putByte(c)
			next = elementOrEnd
			if c == '{' {
				next = nameOrEnd
			}
			continue
		case '}', ']':
			if next != commaOrEnd && next != elementOrEnd && next != nameOrEnd {
				return walker.syntax(c, tokenTexts[next])
			}
			if top := walker.closings[len(walker.closings)-1]; c != top {
				return walker.syntax(c, "'"+string(top)+"'")
			}
			walker.pos++
			walker.closings = walker.closings[:len(walker.closings)-1]
			kept.putByte(c)
		default:
			if !next.isValue() {
				return walker.syntax(c, tokenTexts[next])
			}
			if err := walker.readLiteral(kept); err != nil {
				return err
			}
		}
		// A value has ended. If all brackets that it opened are closed, it is the whole one.
		next = commaOrEnd
		if len(walker.closings) == outerDepth {
			walker.isFirst = false
			return nil
		}
	}
}

// readString reads a JSON string, whose opening quote is the next byte. kept gets its bytes with quotes
// and escapes. Long strings are searched with bytes.IndexByte in all that the buffer has of them, which
// is faster than a loop over bytes.
func (walker *Walker) readString(kept *keeper) error {
	// A short text that lies in the buffer as a whole.
	if n := shortTextLen(walker.buf[walker.pos:walker.end]); n > 0 {
		if kept != nil {
			kept.put(walker.buf[walker.pos : walker.pos+n]...)
		}
		walker.pos += n
		return nil
	}
	walker.pos++
	kept.put('"')
	for splitEscape := false; ; { // true if the last byte of the segment before was an escaping backslash
		if err := walker.mustFill(); err != nil {
			return err
		}
		segment := walker.buf[walker.pos:walker.end]
		searchFrom, stringEnd := 0, -1 // where to search on, and where the string ends in the segment
		if splitEscape {
			searchFrom, splitEscape = 1, false
		}
		// Find the closing quote of this segment, past escaped ones.
		for quote := -1; searchFrom < len(segment) && stringEnd < 0; {
			if quote < searchFrom { // a quote found before stays valid for many escapes, so that time is linear
				if quote = bytes.IndexByte(segment[searchFrom:], '"'); quote < 0 {
					quote = len(segment)
				} else {
					quote += searchFrom
				}
			}
			slash := bytes.IndexByte(segment[searchFrom:quote], '\\')
			switch {
			case slash >= 0: // pass the backslash and the byte that it escapes
				searchFrom += slash + 2
				splitEscape = searchFrom > len(segment)
			case quote < len(segment):
				stringEnd = quote + 1
			default:
				searchFrom = len(segment)
			}
		}
		if stringEnd >= 0 {
			kept.put(segment[:stringEnd]...)
			walker.pos += stringEnd
			return nil
		}
		kept.put(segment...)
		walker.pos = walker.end
	}
}

// shortTextLen returns the length, with both quotes, of the short JSON string with which b begins. It
// returns 0 if the string is longer than shortText, has escapes, or does not end in b. Most strings
// are short names, and for these a loop is faster than bytes.IndexByte.
func shortTextLen(b []byte) int {
	const shortText = 24 // bytes with quotes
	for i := 1; i < min(len(b), shortText); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			return 0
		}
	}
	return 0
}

// pythonNumbers lists what Python writes for numbers that JSON does not have. See docs/spec/dumps-files.md#r2.
var pythonNumbers = [][]byte{[]byte("NaN"), []byte("Infinity"), []byte("-Infinity")}

// readLiteral reads a JSON number, true, false or null up to the next delimiter, and keeps it without
// checking it. NaN and infinities, which Python writes, are kept as null.
func (walker *Walker) readLiteral(kept *keeper) error {
	var word [16]byte // the first bytes; what is longer is none of pythonNumbers
	n := 0            // bytes read
	for {
		if err := walker.fill(); err != nil {
			if len(walker.closings) > 0 || n == 0 {
				return walker.mustFill() // the error of the end within a container
			}
			break
		}
		c := walker.buf[walker.pos]
		if delimiter[c] {
			break
		}
		if n < len(word) {
			word[n] = c
		} else {
			if n == len(word) {
				kept.put(word[:]...)
			}
			kept.put(c)
		}
		n++
		walker.pos++
	}
	if n > len(word) {
		return nil
	}
	for _, number := range pythonNumbers {
		if bytes.Equal(word[:n], number) {
			kept.put([]byte("null")...)
			return nil
		}
	}
	kept.put(word[:n]...)
	return nil
}

// delimiter marks the bytes that end a number or a word.
var delimiter = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, ',': true, ':': true,
	'{': true, '}': true, '[': true, ']': true, '"': true}
