// Package jsonwalk walks through a JSON document of any size in bounded memory. In: a stream of
// JSON text. Out: the members and elements that a caller asks for, as valid text; the rest is
// skipped unread. It checks that brackets and quotes are closed and that commas or colons separate values. All
// else, such as numbers and escapes, it leaves to the parser of what it kept. See docs/spec/dumps-files.md#r1.
package jsonwalk

import (
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds the nesting of values, and so the memory for their brackets. The parser of the kept
// values has a much lower bound.
const maxDepth = 100_000

// maxName is how many bytes of a member's name are kept. Longer names match nothing.
const maxName = 4096

// Walker is a position in a JSON document. It is not safe for concurrent use. Errors other than
// *LongError end the walk, and every later call returns them again.
type Walker struct {
	src       io.Reader
	buf       []byte
	pos, end  int   // the unread part of buf
	bufOffset int64 // offset of buf in the document
	endError  error

	closings []byte // the closing brackets of the containers around the position
	isFirst  bool   // the innermost container was entered, and nothing of it was read
	name     []byte // of the last member
}

// New returns a walker at the beginning of a document.
func New(src io.Reader) *Walker {
	return &Walker{src: src, buf: make([]byte, 64<<10)}
}

// Reset places the walker at the beginning of another document.
func (walker *Walker) Reset(src io.Reader) {
	*walker = Walker{src: src, buf: walker.buf, closings: walker.closings[:0], name: walker.name}
}

// Offset returns the number of bytes read, which is the byte that an error is at.
func (walker *Walker) Offset() int64 { return walker.bufOffset + int64(walker.pos) }

// LongError says that a value was longer than its limit and was passed over.
type LongError struct {
	Size, Limit int // in bytes without blanks and without the members that nobody wanted
}

// Error implements error; it names the flag.
func (e *LongError) Error() string {
	return fmt.Sprintf("it has %d bytes; want at most %d (--max-line)", e.Size, e.Limit)
}

// BreaksOff reports whether err says that the document ends within a value.
func BreaksOff(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// syntax ends the walk with what was found and wanted.
func (walker *Walker) syntax(c byte, want string) error {
	walker.endError = fmt.Errorf("byte %d: got %q; want %s", walker.Offset(), c, want)
	return walker.endError
}

// fill reads more of the JSON document if no byte is left in the buffer. The error is io.EOF at the
// end of the document. A reader may return no byte and no error, but after 100 such reads fill gives
// up with io.ErrNoProgress.
func (walker *Walker) fill() error {
	if walker.endError != nil {
		return walker.endError
	}
	if walker.pos < walker.end {
		return nil
	}
	walker.bufOffset += int64(walker.end)
	walker.pos, walker.end = 0, 0
	for range 100 {
		n, err := walker.src.Read(walker.buf)
		if walker.end = n; n > 0 {
			return nil
		}
		if err != nil {
			walker.endError = err
			return err
		}
	}
	walker.endError = io.ErrNoProgress
	return walker.endError
}

// mustFill reads more of the JSON document as fill does, at a place where the document must not
// end. There the end is an error for which BreaksOff is true.
func (walker *Walker) mustFill() error {
	err := walker.fill()
	if err == io.EOF {
		walker.endError = fmt.Errorf("the document breaks off at byte %d: %w", walker.Offset(), io.ErrUnexpectedEOF)
		return walker.endError
	}
	return err
}

// Peek returns the next byte of the JSON document that is not blank, without reading it. This short
// part, for a byte that comes at once, can be inlined; skipBlanks does the rest.
func (walker *Walker) Peek() (byte, error) {
	if walker.pos < walker.end && walker.buf[walker.pos] > ' ' {
		return walker.buf[walker.pos], walker.endError
	}
	return walker.skipBlanks()
}

// skipBlanks passes blanks of the JSON document, reading more of it as needed, and returns the byte after
// them without reading that.
func (walker *Walker) skipBlanks() (byte, error) {
	for {
		for ; walker.pos < walker.end; walker.pos++ {
			if c := walker.buf[walker.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return c, walker.endError
			}
		}
		if err := walker.mustFill(); err != nil {
			return 0, err
		}
	}
}

// openBracket enters a JSON object or list whose bracket is the next byte. It refuses nesting beyond maxDepth.
func (walker *Walker) openBracket(bracket byte) error {
	if len(walker.closings) >= maxDepth {
		walker.endError = fmt.Errorf("byte %d: values are nested more than %d deep", walker.Offset(), maxDepth)
		return walker.endError
	}
	walker.pos++
	walker.closings = append(walker.closings, bracket+2) // in ASCII a closing bracket is two after its opening one
	walker.isFirst = true
	return nil
}

// Object enters an object, whose members Member returns.
func (walker *Walker) Object() error { return walker.enter('{', "an object") }

// List enters a list, whose elements Element finds.
func (walker *Walker) List() error { return walker.enter('[', "a list") }

// enter moves the walker into the object or list that begins with bracket. want says in the error what
// should have been there.
func (walker *Walker) enter(bracket byte, want string) error {
	c, err := walker.Peek()
	if err != nil {
		return err
	}
	if c != bracket {
		return walker.syntax(c, want)
	}
	return walker.openBracket(bracket)
}

// Element moves to the next element of the list that was entered last. The caller then reads or
// skips it. ok is false at the end of the list, and the walker then leaves the list.
func (walker *Walker) Element() (ok bool, err error) { return walker.nextItem(']') }

// nextItem moves to the next member or element of the innermost JSON object or list, past the comma before it;
// there is none before the first. At the closing bracket it leaves the object or list and returns false.
func (walker *Walker) nextItem(closing byte) (bool, error) {
	c, err := walker.Peek()
	if err != nil {
		return false, err
	}
	first := walker.isFirst
	walker.isFirst = false
	switch {
	case c == closing:
		walker.pos++
		walker.closings = walker.closings[:len(walker.closings)-1]
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, walker.syntax(c, fmt.Sprintf("',' or %q", closing))
	}
	walker.pos++
	if c, err = walker.Peek(); err == nil && c == closing {
		err = walker.syntax(c, "a value after the comma")
	}
	return true, err
}

// Member reads the name of the next member of the object that was entered last, and moves to its
// value, which the caller then reads or skips. The name keeps its escapes and is valid until the next
// call; it is nil if it has more than maxName bytes, as such a name is none that a caller looks for.
// ok is false at the end of the object, which the walker then leaves.
func (walker *Walker) Member() (name []byte, ok bool, err error) {
	if ok, err = walker.nextItem('}'); !ok || err != nil {
		return nil, false, err
	}
	c, err := walker.Peek()
	if err != nil {
		return nil, false, err
	}
	if c != '"' {
		return nil, false, walker.syntax(c, "a name in quotes")
	}
	// The usual case: a short name with the colon behind it, which needs no copy.
	b := walker.buf[walker.pos:walker.end]
	n := shortTextLen(b) // with its quotes
	if n > 0 && n < len(b) && b[n] == ':' {
		walker.pos += n + 1
		return b[1 : n-1], true, nil
	}
	// Else copy the name, because reading on to the colon may refill the buffer.
	tooLong := false
	if n > 0 {
		walker.name = append(walker.name[:0], b[:n]...)
		walker.pos += n
	} else {
		kept := keeper{dst: walker.name[:0], limit: maxName + 2} // with the two quotes
		if err := walker.readString(&kept); err != nil {
			return nil, false, err
		}
		walker.name, tooLong = kept.dst, kept.size > kept.limit
	}
	if c, err = walker.Peek(); err != nil {
		return nil, false, err
	}
	if c != ':' {
		return nil, false, walker.syntax(c, "':'")
	}
	walker.pos++
	if tooLong {
		return nil, true, nil
	}
	return walker.name[1 : len(walker.name)-1], true, nil
}

// Skip passes over the next value.
func (walker *Walker) Skip() error { return walker.readValue(nil) }

// End checks that nothing but blanks follows the JSON document.
func (walker *Walker) End() error {
	for {
		switch err := walker.fill(); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
		for ; walker.pos < walker.end; walker.pos++ {
			if c := walker.buf[walker.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return walker.syntax(c, "nothing after the document")
			}
		}
	}
}
