package documents

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// The names of the entries that hold a sample: whole, or its beginning where it is in chunks.
// Ids may contain any letter, so the id is read inside. See docs/spec/dumps-files.md#r13.
var (
	wholeName = regexp.MustCompile(`(?s)^samples/(.*)_epoch_(\d+)\.json$`)
	chunkName = regexp.MustCompile(`(?s)^(samples/(.*)_epoch_(\d+))/(sample|metadata|attachments/(\d+))\.json$`)
)

// inspect reads a log of inspect_ai that is an archive.
type inspect struct {
	log
	archive *archive.Archive
	samples []*zip.File
	chunks  map[string]*chunks // of samples in chunks, by their folder
	walker  *jsonwalk.Walker
	element element
	side    element // for what is read beside a sample
	next    int
	cur     record.Record
}

// chunks are the entries beside the beginning of a sample.
type chunks struct {
	metadata    *zip.File
	attachments []attachments
}

// attachments is an entry with a list of attachments.
type attachments struct {
	start int // number of the first one
	file  *zip.File
}

// Inspect reads a log of inspect_ai that is an archive. See docs/spec/dumps-files.md#r13.
func Inspect(in *input.Input, o Options) (record.Source, error) {
	a, err := archive.Open(in)
	if err != nil {
		return nil, err
	}
	s := &inspect{archive: a, walker: jsonwalk.New(strings.NewReader("")), chunks: map[string]*chunks{}}
	s.options = o
	s.element, s.side = newElement(in.Limits.Line, o), newElement(in.Limits.Line, o)
	if err := s.readHeader(); err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		s.sort(f)
	}
	return s, nil
}

// sort adds an entry to the samples, or to what stands beside one.
func (s *inspect) sort(f *zip.File) {
	if !strings.HasPrefix(f.Name, "samples/") {
		return
	}
	if wholeName.MatchString(f.Name) {
		s.samples = append(s.samples, f)
		return
	}
	m := chunkName.FindStringSubmatch(f.Name)
	if m == nil {
		return
	}
	if m[4] == "sample" {
		s.samples = append(s.samples, f)
		return
	}
	c := s.chunks[m[1]]
	if c == nil {
		c = &chunks{}
		s.chunks[m[1]] = c
	}
	if m[4] == "metadata" {
		c.metadata = f
	} else if n, err := strconv.Atoi(m[5]); err == nil {
		c.attachments = append(c.attachments, attachments{n, f})
	}
}

// readHeader reads the model and the version of the log.
func (s *inspect) readHeader() error {
	f := s.archive.Find(archive.Header)
	if f == nil {
		f, s.unfinished = s.archive.Find(archive.Journal), true
	}
	if f == nil {
		return fmt.Errorf("the log has neither %s nor %s", archive.Header, archive.Journal)
	}
	v, fault, err := s.read(f, s.archive.Entry, s.side.wants(headWant))
	if err != nil {
		return err
	}
	if fault == "" && v.Type() != fastjson.TypeObject {
		fault = "want an object"
	}
	if fault != "" {
		return fmt.Errorf("%s: %s", f.Name, fault)
	}
	if err := checkVersion(v.Get("version")); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	s.model = jsontree.Text(v.Get("eval", "model"))
	return nil
}

// read opens an entry and returns what get keeps of it. fault says why this entry cannot be read;
// err ends the log.
func (s *inspect) read(f *zip.File, open func(*zip.File) (io.ReadCloser, error), get func(*jsonwalk.Walker) (*fastjson.Value, string, error)) (v *fastjson.Value, fault string, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, fault, err = nil, fmt.Sprintf("the entry cannot be decoded: %v", p), nil
		}
	}()
	r, err := open(f)
	if err != nil {
		return nil, archive.Words(err), nil
	}
	defer r.Close()
	s.walker.Reset(r)
	v, fault, err = get(s.walker)
	if err == nil {
		err = s.walker.End() // the checksum is compared at the end
	}
	if errors.Is(err, archive.ErrTotal) {
		return nil, "", err
	}
	if err != nil {
		return nil, archive.Words(err), nil
	}
	return v, fault, nil
}

// Close implements record.Source.
func (s *inspect) Close() error { return nil }

// Next implements record.Source.
func (s *inspect) Next() (*record.Record, error) {
	if s.next >= len(s.samples) {
		return nil, io.EOF
	}
	f := s.samples[s.next]
	s.next++
	v, fault, err := s.read(f, s.archive.Entry, s.element.sample)
	if err != nil {
		s.next = len(s.samples)
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	var c *chunks
	if m := chunkName.FindStringSubmatch(f.Name); fault == "" && m != nil {
		c = cmp.Or(s.chunks[m[1]], &chunks{})
		fault = s.addMetadata(v, c)
	}
	if fault == "" {
		s.cur = s.record(v, func(name string) (string, error) {
			if a := v.Get("attachments", name); a != nil {
				return jsontree.Text(a), nil
			}
			return s.attachment(f, c, name)
		})
		fault = s.cur.Fault
	}
	if fault != "" {
		s.cur = record.Record{At: place(f.Name), Fault: fmt.Sprintf("%s: %s; the other samples are read", f.Name, fault)}
	}
	return &s.cur, nil
}

// place returns the place of a sample by the name of its entry.
func place(name string) string {
	if m := wholeName.FindStringSubmatch(name); m != nil {
		return m[1] + "#" + m[2]
	}
	if m := chunkName.FindStringSubmatch(name); m != nil {
		return m[2] + "#" + m[3]
	}
	return name
}

// addMetadata sets the metadata of a sample in chunks, which stand in an entry of their own.
func (s *inspect) addMetadata(v *fastjson.Value, c *chunks) (fault string) {
	if c.metadata == nil || v.Type() != fastjson.TypeObject || v.Exists("metadata") {
		return ""
	}
	m, fault, err := s.read(c.metadata, s.archive.Entry, s.side.wants(nil))
	if err != nil {
		fault = err.Error()
	}
	if fault != "" {
		return "metadata.json: " + fault
	}
	v.Set("metadata", m)
	return ""
}

// attachment returns the text of an attachment of the sample in f, whose chunks are c, nil for a
// whole sample, which is read a second time.
func (s *inspect) attachment(f *zip.File, c *chunks, name string) (string, error) {
	side := newElement(s.side.limit, s.options) // metadata may refer to the other one
	fail := func(fault string, err error) (string, error) {
		if err != nil {
			fault = err.Error()
		}
		return "", fmt.Errorf("attachment %s: %s", name, fault)
	}
	if c == nil {
		v, fault, err := s.read(f, s.archive.Again, side.wants(jsonwalk.Want{"attachments": {name: nil}}))
		if fault != "" || err != nil {
			return fail(fault, err)
		}
		if a := v.Get("attachments", name); a != nil && a.Type() == fastjson.TypeString {
			return jsontree.Text(a), nil
		}
		return fail("the sample does not hold it", nil)
	}
	n, err := strconv.Atoi(name)
	i := slices.IndexFunc(c.attachments, func(a attachments) bool { return a.start == startOf(c.attachments, n) })
	if err != nil || i < 0 {
		return fail("the sample does not hold it", nil)
	}
	v, fault, err := s.read(c.attachments[i].file, s.archive.Again, side.wants(nil))
	if fault != "" || err != nil {
		return fail(fault, err)
	}
	list := v.GetArray()
	if n -= c.attachments[i].start; n >= len(list) || list[n].Type() != fastjson.TypeString {
		return fail("the sample does not hold it", nil)
	}
	return jsontree.Text(list[n]), nil
}

// startOf returns the largest start that is not beyond n, -1 for none.
func startOf(all []attachments, n int) int {
	start := -1
	for _, a := range all {
		if a.start <= n {
			start = max(start, a.start)
		}
	}
	return start
}
