package jsonwalk

import (
	"errors"
	"fmt"
	"io"
)

// List reads a document that is one JSON list, element by element.
type List struct {
	w      *Walker
	limit  int // of the bytes of an element
	buf    []byte
	n      int // elements begun
	opened bool
	err    error
}

// NewList returns the list that src holds. Elements of more than limit bytes are passed over.
func NewList(src io.Reader, limit int) *List {
	return &List{w: New(src), limit: limit}
}

// Next returns the next element of a JSON list, valid until the following call, and its index from
// 0. An error that is a *LongError concerns that element alone; io.EOF is the end of the list, and
// any other error ends it early.
func (l *List) Next() (element []byte, index int, err error) {
	if l.err != nil {
		return nil, l.n, l.err
	}
	ok, err := l.move()
	if err == nil && ok {
		l.n++
		l.buf, err = l.w.Append(l.buf[:0], nil, l.limit)
		if err == nil {
			return l.buf, l.n - 1, nil
		}
		if long := (*LongError)(nil); errors.As(err, &long) {
			return nil, l.n - 1, err
		}
	}
	switch {
	case Torn(err):
		l.err = fmt.Errorf("the list breaks off at byte %d in element %d; the elements before it are read",
			l.w.Offset(), max(l.n-1, 0))
	case err != nil:
		l.err = fmt.Errorf("cannot read the list: %w (%d elements are read)", err, l.n)
	default:
		l.err = io.EOF
	}
	return nil, l.n, l.err
}

// move moves to the next element of a JSON list. At the end of the list it checks that nothing
// follows, and returns false.
func (l *List) move() (bool, error) {
	if !l.opened {
		l.opened = true
		if err := l.w.List(); err != nil {
			return false, err
		}
	}
	ok, err := l.w.Element()
	if !ok && err == nil {
		err = l.w.End()
	}
	return ok, err
}
