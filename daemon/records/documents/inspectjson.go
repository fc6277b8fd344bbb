package documents

import (
	"errors"
	"fmt"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// inspectDocument reads a log of inspect_ai that is one JSON document.
type inspectDocument struct {
	log
	listDocument
	isVersionKnown bool          // the version of the log was read, and is known
	current        record.Record // the record that Next returned last
}

// InspectJSON opens a log of inspect_ai that is one JSON document, whose records are the elements of
// its list samples. See docs/spec/dumps-files.md#r14.
func InspectJSON(in *input.Input, o Options) (record.Source, error) {
	s := &inspectDocument{}
	s.options = o
	s.listDocument = listDocument{listName: "samples", readMember: s.readHeadMember, checkEnd: func() error {
		if !s.isVersionKnown {
			return errors.New("the log has no version")
		}
		return nil
	}}
	return s, s.open(in, o)
}

// readHeadMember reads the value of a member of inspect_ai's document, whose name was read, if it belongs to the
// header: version, status or eval. It sets what records need of it, and refuses an unknown version.
// known is false for another member, whose value is not read.
func (s *inspectDocument) readHeadMember(name string) (known bool, err error) {
	want, known := headWant[name]
	if !known {
		return false, nil
	}
	v, fault, err := s.reader.read(s.walker, want)
	switch {
	case err != nil:
		return true, err
	case fault != "":
		return true, fmt.Errorf("%s: %s", name, fault)
	case name == "version":
		s.isVersionKnown = true
		return true, checkVersion(v)
	case name == "status":
		s.isUnfinished = jsontree.Text(v) == "started"
	default:
		s.model = jsontree.Text(v.Get("model"))
	}
	return true, nil
}

// Next returns the record of the next sample in a JSON document of inspect_ai. Texts that the sample
// refers to are read from its attachments. A sample that cannot be read gives a record with its fault.
// It implements record.Source.
func (s *inspectDocument) Next() (*record.Record, error) {
	v, at, fault, err := s.nextElement(s.reader.readSample)
	if err != nil {
		return nil, err
	}
	if fault == "" {
		s.current = s.recordOf(v, func(name string) (string, error) {
			if a := v.Get("attachments", name); a != nil {
				return jsontree.Text(a), nil
			}
			return "", fmt.Errorf("attachment %s: the sample does not hold it", name)
		})
		fault = s.current.Fault
	}
	if fault != "" {
		s.current = record.Record{At: at, Fault: at + ": " + fault}
	}
	return &s.current, nil
}
