package jsonwalk

import "bytes"

// Want names the members of an object that are kept, with what is kept of each. A nil Want keeps
// the whole value. In a list it applies to each element; any other value is kept.
type Want map[string]Want

// keeper collects the text of a value up to a limit. A nil keeper collects nothing.
type keeper struct {
	dst   []byte
	size  int // bytes, also those beyond the limit
	limit int
}

// put appends b to the text that is kept of a JSON value, if it fits within the limit. It counts
// all bytes.
func (k *keeper) put(b ...byte) {
	if k == nil {
		return
	}
	if k.size += len(b); k.size <= k.limit {
		k.dst = append(k.dst, b...)
	}
}

// one appends one byte to the text that is kept of a JSON value if it fits within the limit, as put
// does for several. A nil keeper keeps nothing.
func (k *keeper) one(c byte) {
	if k == nil {
		return
	}
	if k.size++; k.size <= k.limit {
		k.dst = append(k.dst, c)
	}
}

// Append reads the next JSON value and appends what want keeps of it to dst, without blanks between
// tokens and with null in place of NaN, Infinity and -Infinity. A value of more than limit bytes is
// passed over, and the error is a *LongError.
func (walker *Walker) Append(dst []byte, want Want, limit int) ([]byte, error) {
	k := keeper{dst: dst, limit: limit}
	if err := walker.appendWanted(&k, want); err != nil {
		return dst, err
	}
	if k.size > limit {
		return dst, &LongError{k.size, limit}
	}
	return k.dst, nil
}

// appendWanted reads a JSON value and keeps what want names. A nil want keeps all of it; for a
// list, want is applied to each element.
func (walker *Walker) appendWanted(k *keeper, want Want) error {
	c, err := walker.Peek()
	if err != nil {
		return err
	}
	if want == nil || c != '{' && c != '[' {
		return walker.readValue(k)
	}
	if err := walker.push(c); err != nil {
		return err
	}
	k.one(c)
	first := true
	comma := func() { // before all kept items but the first
		if !first {
			k.one(',')
		}
		first = false
	}
	for {
		if c == '[' {
			ok, err := walker.Element()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			comma()
			if err := walker.appendWanted(k, want); err != nil {
				return err
			}
			continue
		}
		name, ok, err := walker.Member()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		sub, kept := want[string(name)]
		if !kept {
			if err := walker.Skip(); err != nil {
				return err
			}
			continue
		}
		comma()
		k.one('"')
		k.put(name...)
		k.put('"', ':')
		if err := walker.appendWanted(k, sub); err != nil {
			return err
		}
	}
	k.one(c + 2) // in ASCII a closing bracket is two after its opening one
	return nil
}

// readValue reads a whole JSON value of any depth without recursion, and checks its brackets and
// commas. k gets the bytes of the value; a nil keeper keeps nothing.
func (walker *Walker) readValue(k *keeper) error {
	if walker.err != nil {
		return walker.err
	}
	outside := len(walker.open) // the nesting at which the value ends
	for wantValue := true; ; {
		if walker.pos >= walker.end || walker.buf[walker.pos] <= ' ' {
			if _, err := walker.peek(); err != nil {
				return err
			}
		}
		switch c := walker.buf[walker.pos]; c {
		case '"':
			if !wantValue {
				return walker.syntax(c, "',' or a closing bracket")
			}
			if err := walker.readString(k); err != nil {
				return err
			}
			wantValue = false
		case ',', ':':
			if len(walker.open) == outside {
				return walker.syntax(c, "a value")
			}
			walker.pos++
			k.one(c)
			wantValue = true
			continue
		case '{', '[':
			if !wantValue {
				return walker.syntax(c, "',' or a closing bracket")
			}
			if err := walker.push(c); err != nil {
				return err
			}
			k.one(c)
			continue
		case '}', ']':
			if len(walker.open) == outside {
				return walker.syntax(c, "a value")
			}
			if top := walker.open[len(walker.open)-1]; c != top {
				return walker.syntax(c, "'"+string(top)+"'")
			}
			walker.pos++
			walker.open = walker.open[:len(walker.open)-1]
			k.one(c)
			wantValue = false
		default:
			if !wantValue {
				return walker.syntax(c, "',' or a closing bracket")
			}
			if err := walker.readLiteral(k); err != nil {
				return err
			}
			wantValue = false
		}
		// All brackets that the value opened are closed.
		if len(walker.open) == outside {
			walker.first = false
			return nil
		}
	}
}

// readString reads a JSON string, whose quote is the next byte. It searches long ones for quotes and
// backslashes in whole segments of the buffer, because this is faster than byte by byte.
func (walker *Walker) readString(k *keeper) error {
	// A short text that lies in the buffer as a whole.
	if n := shortTextLen(walker.buf[walker.pos:walker.end]); n > 0 {
		if k != nil {
			k.put(walker.buf[walker.pos : walker.pos+n]...)
		}
		walker.pos += n
		return nil
	}
	walker.pos++
	k.put('"')
	for escaped := false; ; {
		if err := walker.mustFill(); err != nil {
			return err
		}
		seg := walker.buf[walker.pos:walker.end]
		i, end := 0, -1
		if escaped {
			i, escaped = 1, false
		}
		// Find the closing quote of this segment, past escaped ones.
		for quote := -1; i < len(seg) && end < 0; {
			if quote < i { // found once for many escapes, so that time stays linear
				if quote = bytes.IndexByte(seg[i:], '"'); quote < 0 {
					quote = len(seg)
				} else {
					quote += i
				}
			}
			slash := bytes.IndexByte(seg[i:quote], '\\')
			switch {
			case slash >= 0:
				i += slash + 2
				escaped = i > len(seg)
			case quote < len(seg):
				end = quote + 1
			default:
				i = len(seg)
			}
		}
		if end >= 0 {
			k.put(seg[:end]...)
			walker.pos += end
			return nil
		}
		k.put(seg...)
		walker.pos = walker.end
	}
}

// shortTextLen returns the length, with quotes, of the short JSON string that b begins with. It is
// 0 where the string is long, has escapes or does not end in b. Most strings are short names, and a
// search for single bytes is slower for these.
func shortTextLen(b []byte) int {
	for i := 1; i < min(len(b), 24); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			return 0
		}
	}
	return 0
}

// bare lists what Python writes for numbers that JSON does not have. See docs/spec/dumps-files.md#r2.
var bare = [][]byte{[]byte("NaN"), []byte("Infinity"), []byte("-Infinity")}

// readLiteral reads a JSON number or word up to the next delimiter. NaN and infinities,
// which Python writes, become null. A longer literal than word is kept as it is.
func (walker *Walker) readLiteral(k *keeper) error {
	var word [16]byte
	n := 0
	for {
		if err := walker.fill(); err != nil {
			if len(walker.open) > 0 || n == 0 {
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
				k.put(word[:]...)
			}
			k.put(c)
		}
		n++
		walker.pos++
	}
	if n > len(word) {
		return nil
	}
	for _, b := range bare {
		if bytes.Equal(word[:n], b) {
			k.put([]byte("null")...)
			return nil
		}
	}
	k.put(word[:n]...)
	return nil
}

// delimiter marks the bytes that end a number or a word.
var delimiter = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, ',': true, ':': true,
	'{': true, '}': true, '[': true, ']': true, '"': true}
