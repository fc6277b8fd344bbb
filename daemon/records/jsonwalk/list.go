package jsonwalk

import (
	"errors"
	"fmt"
	"io"

	"plumb/scoring/plural"
)

// List reads a document that is one JSON list, element by element.
type List struct {
	walker        *Walker
	limit         int    // bytes of an element
	buf           []byte // the last element
	elementsBegun int    // elements whose beginning was read
	isOpened      bool   // the list's opening bracket was read
	endError      error  // what ended the list
}

// NewList returns the list that src holds. Elements of more than limit bytes are passed over.
func NewList(src io.Reader, limit int) *List {
	return &List{walker: New(src), limit: limit}
}

// Next returns the text of the next element of a JSON list, valid until the following call, and its
// index from 0. After a *LongError, which says that the element has more than limit bytes, the next
// call goes on with the element after it. io.EOF is the end of the list. Any other error ends it
// early, and says how many elements were read.
func (l *List) Next() (element []byte, index int, err error) {
	if l.endError != nil {
		return nil, l.elementsBegun, l.endError
	}
	ok, err := l.nextElement()
	if err == nil && ok {
		l.elementsBegun++
		l.buf, err = l.walker.Append(l.buf[:0], nil, l.limit)
		if err == nil {
			return l.buf, l.elementsBegun - 1, nil
		}
		if long := (*LongError)(nil); errors.As(err, &long) {
			return nil, l.elementsBegun - 1, err
		}
	}
	switch {
	case BreaksOff(err): // the file was cut off, or is still being written
		l.endError = fmt.Errorf("the list breaks off at byte %d in element %d; the elements before it are read",
			l.walker.Offset(), max(l.elementsBegun-1, 0))
	case err != nil:
		l.endError = fmt.Errorf("cannot read the list: %w (%s read)", err, plural.Of(l.elementsBegun, "element is", "elements are"))
	default:
		l.endError = io.EOF
	}
	return nil, l.elementsBegun, l.endError
}

// nextElement moves to the next element of a JSON list; the first call enters the list. At the end of the
// list it returns false, with an error if more text follows.
func (l *List) nextElement() (bool, error) {
	if !l.isOpened {
		l.isOpened = true
		if err := l.walker.List(); err != nil {
			return false, err
		}
	}
	ok, err := l.walker.Element()
	if !ok && err == nil {
		err = l.walker.End()
	}
	return ok, err
}
