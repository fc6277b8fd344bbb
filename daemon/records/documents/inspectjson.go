package documents

import (
	"fmt"
	"io"

	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
)

// inspectDocument reads a log of inspect_ai that is one JSON document.
type inspectDocument struct {
	log
	walker  *jsonwalk.Walker
	element element
	version bool // it was read
	samples int  // samples begun, -1 before the list
	cur     record.Record
	err     error
}

// InspectJSON reads a log of inspect_ai that is one JSON document. See docs/spec/dumps-files.md#r14.
func InspectJSON(in *input.Input, o Options) (record.Source, error) {
	s := &inspectDocument{walker: jsonwalk.New(in.Stream()), element: newElement(in.Limits.Line, o), samples: -1}
	s.options = o
	if err := s.walker.Object(); err != nil {
		return nil, err
	}
	if err := s.members(); err != nil && err != io.EOF {
		return nil, err
	}
	return s, nil
}

// Close implements record.Source.
func (s *inspectDocument) Close() error { return nil }

// members reads the members up to the list of samples. The error is io.EOF at the end.
func (s *inspectDocument) members() error {
	for {
		name, ok, err := s.walker.Member()
		switch {
		case err != nil:
			return s.fail(err)
		case !ok:
			if err := s.walker.End(); err != nil {
				return s.fail(err)
			}
			if !s.version {
				return s.fail(fmt.Errorf("the log has no version"))
			}
			s.err = io.EOF
			return s.err
		}
		switch string(name) {
		case "samples":
			if c, err := s.walker.Peek(); err == nil && c == '[' {
				s.samples = 0
				return s.walker.List()
			}
			err = s.walker.Skip() // null in a log whose samples were left out
		case "version", "status", "eval":
			err = s.head(string(name))
		default:
			err = s.walker.Skip()
		}
		if err != nil {
			return s.fail(err)
		}
	}
}

// head reads a member of the header.
func (s *inspectDocument) head(name string) error {
	v, fault, err := s.element.read(s.walker, headWant[name])
	switch {
	case err != nil:
		return err
	case fault != "":
		return fmt.Errorf("%s: %s", name, fault)
	case name == "version":
		s.version = true
		return checkVersion(v)
	case name == "status":
		s.unfinished = text(v) == "started"
		return nil
	}
	s.model = text(v.Get("model"))
	return nil
}

// fail ends the document.
func (s *inspectDocument) fail(err error) error {
	switch {
	case jsonwalk.Torn(err) && s.samples > 0:
		s.err = fmt.Errorf("samples: the document breaks off at byte %d in element %d; the elements before it are delivered", s.walker.Offset(), s.samples-1)
	case s.samples > 0:
		s.err = fmt.Errorf("cannot read the document behind samples[%d]: %w", s.samples-1, err)
	default:
		s.err = err
	}
	return s.err
}

// Next implements record.Source.
func (s *inspectDocument) Next() (*record.Record, error) {
	for s.err == nil {
		ok, err := s.walker.Element()
		if err != nil {
			return nil, s.fail(err)
		}
		if !ok {
			s.members()
			continue
		}
		s.samples++
		v, fault, err := s.element.sample(s.walker)
		if err != nil {
			return nil, s.fail(err)
		}
		if fault == "" {
			s.cur = s.record(v, func(name string) (string, error) {
				if a := v.Get("attachments", name); a != nil {
					return text(a), nil
				}
				return "", fmt.Errorf("attachment %s: the sample does not hold it", name)
			})
			fault = s.cur.Fault
		}
		if fault != "" {
			at := fmt.Sprintf("samples[%d]", s.samples-1)
			s.cur = record.Record{At: at, Fault: at + ": " + fault}
		}
		return &s.cur, nil
	}
	return nil, s.err
}
