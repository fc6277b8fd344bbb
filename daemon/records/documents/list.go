package documents

import (
	"fmt"
	"io"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
)

// listDocument is a JSON document whose elements stand in the list of one member.
type listDocument struct {
	walker        *jsonwalk.Walker
	reader        valueReader
	listName      string // the name of the member with the list
	elementsBegun int    // how many elements were begun, -1 before the list
	endError      error  // what ended the document

	readMember func(name string) (known bool, err error) // reads another member; nil for none
	checkEnd   func() error                              // checks the whole document
}

// open begins to read a JSON document that holds its records in one list, and stops at the first
// element of that list. Members before the list are read on the way.
func (d *listDocument) open(in *input.Input, o Options) error {
	d.walker, d.reader, d.elementsBegun = jsonwalk.New(in.Stream()), newValueReader(in.Limits.Line, o), -1
	if err := d.walker.Object(); err != nil {
		return err
	}
	if err := d.readToList(); err != io.EOF { // nextElement returns io.EOF for a document without the list
		return err
	}
	return nil
}

// Close implements record.Source.
func (d *listDocument) Close() error { return nil }

// readToList reads the members of the document up to the list, and enters the list. After the
// last member it checks the document and returns io.EOF.
func (d *listDocument) readToList() error {
	for {
		name, ok, err := d.walker.Member()
		if err == nil && !ok {
			if err = d.walker.End(); err == nil {
				err = d.checkEnd()
			}
			if err == nil {
				d.endError = io.EOF
				return d.endError
			}
		}
		if err != nil {
			return d.endWithError(err)
		}
		if string(name) == d.listName && d.elementsBegun < 0 {
			c, err := d.walker.Peek()
			switch {
			case err != nil:
				return d.endWithError(err)
			case c == 'n': // null, in a log without its samples: skipped below, as other members are
			default:
				if err := d.walker.List(); err != nil {
					return d.endWithError(err)
				}
				d.elementsBegun = 0
				return nil
			}
		}
		known := false
		if d.readMember != nil {
			known, err = d.readMember(string(name))
		}
		if !known && err == nil {
			err = d.walker.Skip()
		}
		if err != nil {
			return d.endWithError(err)
		}
	}
}

// endWithError ends the reading of the document because of err. It returns err with the element after which
// nothing more can be read, and keeps that error for later calls of nextElement.
func (d *listDocument) endWithError(err error) error {
	switch {
	case jsonwalk.BreaksOff(err) && d.elementsBegun > 0:
		d.endError = fmt.Errorf("%s: the document breaks off at byte %d in element %d; the elements before it are delivered", d.listName, d.walker.Offset(), d.elementsBegun-1)
	case d.elementsBegun > 0:
		d.endError = fmt.Errorf("cannot read the document behind %s[%d]: %w", d.listName, d.elementsBegun-1, err)
	default:
		d.endError = err
	}
	return d.endError
}

// nextElement reads the next element of the document's list with get. It returns what get returns, and the
// place of the element, such as samples[3]. fault says why this element alone cannot be read. Behind the
// list it reads the rest of the document; at its end the error is io.EOF.
func (d *listDocument) nextElement(get func(*jsonwalk.Walker) (*fastjson.Value, string, error)) (v *fastjson.Value, at, fault string, err error) {
	for d.endError == nil {
		ok, err := d.walker.Element()
		if err != nil {
			return nil, "", "", d.endWithError(err)
		}
		if !ok {
			d.readToList() // its error is in d.endError
			continue
		}
		d.elementsBegun++
		if v, fault, err = get(d.walker); err != nil {
			return nil, "", "", d.endWithError(err)
		}
		return v, fmt.Sprintf("%s[%d]", d.listName, d.elementsBegun-1), fault, nil
	}
	return nil, "", "", d.endError
}
