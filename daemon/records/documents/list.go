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
	walker  *jsonwalk.Walker
	element element
	list    string // the name of the member with the list
	begun   int    // how many elements were begun, -1 before the list
	err     error  // what ended the document

	member func(name string) (known bool, err error) // reads another member; nil for none
	end    func() error                              // checks the whole document
}

// open begins to read a JSON document that holds its records in one list, and stops at the first
// element of that list. Members before the list are read on the way.
func (d *listDocument) open(in *input.Input, o Options) error {
	d.walker, d.element, d.begun = jsonwalk.New(in.Stream()), newElement(in.Limits.Line, o), -1
	if err := d.walker.Object(); err != nil {
		return err
	}
	if err := d.members(); err != io.EOF { // next returns io.EOF for a document without the list
		return err
	}
	return nil
}

// Close implements record.Source.
func (d *listDocument) Close() error { return nil }

// members reads the members of the document up to the list, and enters the list. After the
// last member it checks the document and returns io.EOF.
func (d *listDocument) members() error {
	for {
		name, ok, err := d.walker.Member()
		if err == nil && !ok {
			if err = d.walker.End(); err == nil {
				err = d.end()
			}
			if err == nil {
				d.err = io.EOF
				return d.err
			}
		}
		if err != nil {
			return d.fail(err)
		}
		if string(name) == d.list && d.begun < 0 {
			c, err := d.walker.Peek()
			switch {
			case err != nil:
				return d.fail(err)
			case c == 'n': // null, in a log without its samples: skipped below, as other members are
			default:
				if err := d.walker.List(); err != nil {
					return d.fail(err)
				}
				d.begun = 0
				return nil
			}
		}
		known := false
		if d.member != nil {
			known, err = d.member(string(name))
		}
		if !known && err == nil {
			err = d.walker.Skip()
		}
		if err != nil {
			return d.fail(err)
		}
	}
}

// fail ends the reading of the document because of err. It returns err with the element after which
// nothing more can be read, and keeps that error for later calls of next.
func (d *listDocument) fail(err error) error {
	switch {
	case jsonwalk.Torn(err) && d.begun > 0:
		d.err = fmt.Errorf("%s: the document breaks off at byte %d in element %d; the elements before it are delivered", d.list, d.walker.Offset(), d.begun-1)
	case d.begun > 0:
		d.err = fmt.Errorf("cannot read the document behind %s[%d]: %w", d.list, d.begun-1, err)
	default:
		d.err = err
	}
	return d.err
}

// next reads the next element of the document's list with get. It returns what get returns, and the
// place of the element, such as samples[3]. fault says why this element alone cannot be read. Behind the
// list it reads the rest of the document; at its end the error is io.EOF.
func (d *listDocument) next(get func(*jsonwalk.Walker) (*fastjson.Value, string, error)) (v *fastjson.Value, at, fault string, err error) {
	for d.err == nil {
		ok, err := d.walker.Element()
		if err != nil {
			return nil, "", "", d.fail(err)
		}
		if !ok {
			d.members() // its error is in d.err
			continue
		}
		d.begun++
		if v, fault, err = get(d.walker); err != nil {
			return nil, "", "", d.fail(err)
		}
		return v, fmt.Sprintf("%s[%d]", d.list, d.begun-1), fault, nil
	}
	return nil, "", "", d.err
}
