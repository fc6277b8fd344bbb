// Package jsonwalk walks through a JSON document of any size in bounded memory. In: a stream of
// JSON text. Out: the members and elements that a caller asks for, as valid text; the rest is
// skipped unread. It checks brackets, quotes, commas and colons, and leaves numbers and escapes to
// the parser of what it kept. See docs/spec/dumps-files.md#r1.
package jsonwalk

import (
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds the nesting of skipped values; kept ones are bounded by their parser.
const maxDepth = 100_000

// maxName is how many bytes of a member's name are kept. Longer names match nothing.
const maxName = 4096

// Walker is a position in a JSON document. It is not safe for concurrent use. Errors other than
// *LongError end the walk, and every later call returns them again.
type Walker struct {
	src      io.Reader
	buf      []byte
	pos, end int   // the unread part of buf
	base     int64 // offset of buf in the document
	err      error

	open  []byte // the closing brackets of the containers around the position
	first bool   // the innermost container was entered, and nothing of it was read
	name  []byte // of the last member
}

// New returns a walker at the beginning of a document.
func New(src io.Reader) *Walker {
	return &Walker{src: src, buf: make([]byte, 64<<10)}
}

// Reset places the walker at the beginning of another document.
func (w *Walker) Reset(src io.Reader) {
	*w = Walker{src: src, buf: w.buf, open: w.open[:0], name: w.name}
}

// Offset returns the number of bytes read, which is the byte that an error is at.
func (w *Walker) Offset() int64 { return w.base + int64(w.pos) }

// LongError says that a value was longer than its limit and was passed over.
type LongError struct {
	Size, Limit int // in bytes without blanks and without the members that nobody wanted
}

// Error implements error; it names the flag.
func (e *LongError) Error() string {
	return fmt.Sprintf("it has %d bytes; want at most %d (--max-line)", e.Size, e.Limit)
}

// Torn reports whether err says that the document ends within a value.
func Torn(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// syntax ends the walk with what was found and wanted.
func (w *Walker) syntax(c byte, want string) error {
	w.err = fmt.Errorf("byte %d: got %q; want %s", w.Offset(), c, want)
	return w.err
}

// fill reads more of the JSON document if no byte is left in the buffer. The error is io.EOF at the
// end of the document, and io.ErrNoProgress after 100 reads without a byte.
func (w *Walker) fill() error {
	if w.err != nil {
		return w.err
	}
	if w.pos < w.end {
		return nil
	}
	w.base += int64(w.end)
	w.pos, w.end = 0, 0
	for range 100 {
		n, err := w.src.Read(w.buf)
		if w.end = n; n > 0 {
			return nil
		}
		if err != nil {
			w.err = err
			return err
		}
	}
	w.err = io.ErrNoProgress
	return w.err
}

// mustFill reads more of the JSON document as fill does, at a place where the document must not
// end.
func (w *Walker) mustFill() error {
	err := w.fill()
	if err == io.EOF {
		w.err = fmt.Errorf("the document breaks off at byte %d: %w", w.Offset(), io.ErrUnexpectedEOF)
		return w.err
	}
	return err
}

// Peek returns the next byte of the JSON document that is not blank, without reading it.
func (w *Walker) Peek() (byte, error) {
	if w.pos < w.end && w.buf[w.pos] > ' ' { // as mostly
		return w.buf[w.pos], w.err
	}
	return w.peek()
}

// peek returns the next byte of the JSON document that is not blank, as Peek does, where blanks or
// the end of the buffer may come first.
func (w *Walker) peek() (byte, error) {
	for {
		for ; w.pos < w.end; w.pos++ {
			if c := w.buf[w.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return c, w.err
			}
		}
		if err := w.mustFill(); err != nil {
			return 0, err
		}
	}
}

// push enters a JSON object or list whose bracket is the next byte. It refuses nesting beyond
// maxDepth.
func (w *Walker) push(bracket byte) error {
	if len(w.open) >= maxDepth {
		w.err = fmt.Errorf("byte %d: values are nested more than %d deep", w.Offset(), maxDepth)
		return w.err
	}
	w.pos++
	w.open = append(w.open, bracket+2) // in ASCII a closing bracket is two after its opening one
	w.first = true
	return nil
}

// Object enters an object, whose members Member returns.
func (w *Walker) Object() error { return w.enter('{', "an object") }

// List enters a list, whose elements Element finds.
func (w *Walker) List() error { return w.enter('[', "a list") }

// enter enters the container that begins with bracket.
func (w *Walker) enter(bracket byte, want string) error {
	c, err := w.Peek()
	if err != nil {
		return err
	}
	if c != bracket {
		return w.syntax(c, want)
	}
	return w.push(bracket)
}

// Element moves to the next element of the list that was entered last. The caller then reads or
// skips it. ok is false at the end of the list, and the walker then leaves the list.
func (w *Walker) Element() (ok bool, err error) { return w.nextItem(']') }

// nextItem moves past the comma before the next member or element of the innermost JSON object or
// list. At the closing bracket it leaves the object or list and returns false.
func (w *Walker) nextItem(closing byte) (bool, error) {
	c, err := w.Peek()
	if err != nil {
		return false, err
	}
	first := w.first
	w.first = false
	switch {
	case c == closing:
		w.pos++
		w.open = w.open[:len(w.open)-1]
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, w.syntax(c, fmt.Sprintf("',' or %q", closing))
	}
	w.pos++
	if c, err = w.Peek(); err == nil && c == closing {
		err = w.syntax(c, "a value after the comma")
	}
	return true, err
}

// Member moves to the value of the next member of the object that was entered last. The caller then
// reads or skips it. The name keeps its escapes and is valid until the next call. It is nil, with ok true,
// if it is longer than maxName bytes. ok is false at the end of the object, and the walker then leaves the object.
func (w *Walker) Member() (name []byte, ok bool, err error) {
	if ok, err = w.nextItem('}'); !ok || err != nil {
		return nil, false, err
	}
	c, err := w.Peek()
	if err != nil {
		return nil, false, err
	}
	if c != '"' {
		return nil, false, w.syntax(c, "a name in quotes")
	}
	long := false
	b := w.buf[w.pos:w.end]
	n := shortTextLen(b)                    // with its quotes
	if n > 0 && n < len(b) && b[n] == ':' { // as mostly: the name can stay where it is
		w.pos += n + 1
		return b[1 : n-1], true, nil
	}
	if n > 0 {
		w.name = append(w.name[:0], b[:n]...)
		w.pos += n
	} else {
		k := keeper{dst: w.name[:0], limit: maxName + 2} // with the two quotes
		if err := w.readString(&k); err != nil {
			return nil, false, err
		}
		w.name, long = k.dst, k.size > k.limit
	}
	if c, err = w.Peek(); err != nil {
		return nil, false, err
	}
	if c != ':' {
		return nil, false, w.syntax(c, "':'")
	}
	w.pos++
	if long {
		return nil, true, nil
	}
	return w.name[1 : len(w.name)-1], true, nil
}

// Skip passes over the next value.
func (w *Walker) Skip() error { return w.readValue(nil) }

// End checks that nothing but blanks follows the JSON document.
func (w *Walker) End() error {
	for {
		switch err := w.fill(); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
		for ; w.pos < w.end; w.pos++ {
			if c := w.buf[w.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return w.syntax(c, "nothing after the document")
			}
		}
	}
}
