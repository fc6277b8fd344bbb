package documents

import (
	"cmp"
	"errors"
	"fmt"
	"io"
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

// entryName is the name of an archive's entry, in its parts. An id may contain any
// character, so records take it from the sample itself. See docs/spec/dumps-files.md#r13.
type entryName struct {
	folder    string // of a sample in chunks: samples/ID_epoch_N; "" for a whole sample
	id, epoch string
	chunk     string // sample, metadata or attachments; "" for a whole sample
	start     string // of attachments: the number of the first one
}

// splitName splits the name of an entry in a log of inspect_ai. samples/ID_epoch_N.json is a whole
// sample; samples/ID_epoch_N/ has sample.json, metadata.json and attachments/START.json of a sample
// in chunks. ok is false for any other name.
func splitName(name string) (n entryName, ok bool) {
	rest, ok := strings.CutPrefix(name, "samples/")
	if !ok {
		return n, false
	}
	if rest, ok = strings.CutSuffix(rest, ".json"); !ok {
		return n, false
	}
	// A whole sample.
	if n.id, n.epoch, ok = cutEpoch(rest); ok {
		return n, true
	}
	// A part of a sample in chunks: FOLDER/sample, FOLDER/metadata or FOLDER/attachments/START.
	i := strings.LastIndexByte(rest, '/')
	if i < 0 {
		return n, false
	}
	n.chunk, rest = rest[i+1:], rest[:i]
	if n.chunk != "sample" && n.chunk != "metadata" {
		n.start, n.chunk = n.chunk, "attachments"
		if rest, ok = strings.CutSuffix(rest, "/attachments"); !ok || !isDigits(n.start) {
			return entryName{}, false
		}
	}
	n.folder = name[:len("samples/")+len(rest)]
	n.id, n.epoch, ok = cutEpoch(rest)
	return n, ok
}

// cutEpoch splits a name ID_epoch_N in a log of inspect_ai at its last _epoch_. ok is false for another name.
func cutEpoch(s string) (id, epoch string, ok bool) {
	const mark = "_epoch_"
	i := strings.LastIndex(s, mark)
	if i < 0 || !isDigits(s[i+len(mark):]) {
		return "", "", false
	}
	return s[:i], s[i+len(mark):], true
}

// isDigits reports whether a text is a number.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// inspect reads a log of inspect_ai that is an archive.
type inspect struct {
	log
	status       string // how the run ended, by the header
	archive      *archive.Archive
	samples      []*archive.File          // the entries with whole samples and with the beginnings of samples in chunks
	chunks       map[string]*sampleChunks // the other entries of samples in chunks, by their folder
	walker       *jsonwalk.Walker
	sampleReader valueReader   // for samples
	otherReader  valueReader   // for what is read beside a sample
	nextSample   int           // index in samples
	current      record.Record // the record that Next returned last
}

// sampleChunks are the entries of a sample in chunks, but for its first one, sample.json.
type sampleChunks struct {
	metadata    *archive.File
	attachments []attachmentEntry
}

// attachmentEntry is an entry with a list of attachments.
type attachmentEntry struct {
	start int // number of the first one
	file  *archive.File
}

// Inspect opens a log of inspect_ai that is an archive: it reads the log's header and sorts the entries of the
// archive into samples and parts that samples refer to. See docs/spec/dumps-files.md#r13.
func Inspect(in *input.Input, o Options) (record.Source, error) {
	a, err := archive.Open(in)
	if err != nil {
		return nil, err
	}
	s := &inspect{archive: a, walker: jsonwalk.New(strings.NewReader("")), chunks: map[string]*sampleChunks{}}
	s.options = o
	s.sampleReader, s.otherReader = newValueReader(in.Limits.Line, o), newValueReader(in.Limits.Line, o)
	if err := s.readHeader(); err != nil {
		return nil, err
	}
	s.samples = make([]*archive.File, 0, len(a.Files))
	for i := range a.Files {
		s.sortEntry(&a.Files[i])
	}
	return s, nil
}

// sortEntry adds an entry of the archive to the samples, or if it is a chunk of one, to the
// chunks of its folder, by its name. Other entries are ignored.
func (s *inspect) sortEntry(f *archive.File) {
	n, ok := splitName(f.Name)
	switch {
	case !ok:
		return
	case n.chunk == "" || n.chunk == "sample":
		s.samples = append(s.samples, f)
		return
	}
	c := s.chunks[n.folder]
	if c == nil {
		c = &sampleChunks{}
		s.chunks[n.folder] = c
	}
	if n.chunk == "metadata" {
		c.metadata = f
	} else if start, err := strconv.Atoi(n.start); err == nil {
		c.attachments = append(c.attachments, attachmentEntry{start, f})
	}
}

// readHeader reads the model and the status of a log of inspect_ai, and refuses an unknown version.
// A log without a header was not finished; its journal says the same.
func (s *inspect) readHeader() error {
	f := s.archive.Find(archive.InspectHeader)
	if f == nil {
		f, s.isUnfinished = s.archive.Find(archive.InspectJournal), true
	}
	if f == nil {
		return fmt.Errorf("the log has neither %s nor %s", archive.InspectHeader, archive.InspectJournal)
	}
	v, fault, err := s.readEntry(f, s.otherReader.wants(headWant))
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
	s.model, s.status = jsontree.Text(v.Get("eval", "model")), jsontree.Text(v.Get("status"))
	return nil
}

// Succeeded reports whether an archive is a log of inspect_ai whose run ended well, so that no sample is
// missing.
func Succeeded(in *input.Input) bool {
	s, err := Inspect(in, Options{})
	return err == nil && s.(*inspect).status == "success"
}

// readEntry opens the entry f of the archive, and returns the value that get reads from it. fault
// says why this entry alone cannot be read; a panic of the decoder, which damaged data can cause, is
// such a fault. err is set only for an archive that expands too far, and ends the log.
func (s *inspect) readEntry(f *archive.File, get func(*jsonwalk.Walker) (*fastjson.Value, string, error)) (v *fastjson.Value, fault string, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, fault, err = nil, fmt.Sprintf("the entry cannot be decoded: %v", p), nil
		}
	}()
	r, err := s.archive.OpenEntry(f)
	if err != nil {
		return nil, archive.Explain(err), nil
	}
	defer r.Close()
	s.walker.Reset(r)
	v, fault, err = get(s.walker)
	if err == nil {
		err = s.walker.End() // the checksum is compared at the end
	}
	if errors.Is(err, archive.ErrTotal) { // the archive expands too far
		return nil, "", err
	}
	if err != nil {
		return nil, archive.Explain(err), nil
	}
	return v, fault, nil
}

// Close implements record.Source.
func (s *inspect) Close() error { return nil }

// Next returns the record of the next sample in an archive of inspect_ai. Texts that a sample refers
// to are read from its attachments, and a sample in chunks is put together. A sample that cannot be
// read gives a record with its fault. It implements record.Source.
func (s *inspect) Next() (*record.Record, error) {
	if s.nextSample >= len(s.samples) {
		return nil, io.EOF
	}
	f := s.samples[s.nextSample] // for a sample in chunks its entry sample.json
	s.nextSample++
	v, fault, err := s.readEntry(f, s.sampleReader.readSample)
	if err != nil {
		s.nextSample = len(s.samples)
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	// A sample in chunks has its metadata in another entry.
	var c *sampleChunks
	if folder, chunked := strings.CutSuffix(f.Name, "/sample.json"); fault == "" && chunked {
		c = cmp.Or(s.chunks[folder], &sampleChunks{})
		fault = s.addMetadata(v, c)
	}
	// Its record.
	if fault == "" {
		s.current = s.recordOf(v, func(name string) (string, error) {
			if a := v.Get("attachments", name); a != nil {
				return jsontree.Text(a), nil
			}
			return s.attachmentText(f, c, name)
		})
		fault = s.current.Fault
	}
	if fault != "" {
		s.current = record.Record{At: placeOf(f.Name),
			Fault: fmt.Sprintf("%s: %s; the other samples are read", f.Name, fault)}
	}
	return &s.current, nil
}

// placeOf returns the place of a sample in results, by the name of its entry in the log.
func placeOf(name string) string {
	if n, ok := splitName(name); ok {
		return n.id + "#" + n.epoch
	}
	return name
}

// addMetadata sets the member metadata of v, a sample whose parts stand in several entries of the archive
// (chunks), from the entry that c names. It changes nothing if v has that member already or there is no such
// entry. fault says why the entry cannot be read.
func (s *inspect) addMetadata(v *fastjson.Value, c *sampleChunks) (fault string) {
	if c.metadata == nil || v.Type() != fastjson.TypeObject || v.Exists("metadata") {
		return ""
	}
	m, fault, err := s.readEntry(c.metadata, s.otherReader.wants(nil))
	if err != nil {
		fault = err.Error()
	}
	if fault != "" {
		return "metadata.json: " + fault
	}
	v.Set("metadata", m)
	return ""
}

// attachmentText returns the text of an attachment, by its name, of the sample in entry f. In a whole sample (c
// is nil) it is a member of the sample's attachments, for which the entry is read a second time. In a sample in
// chunks the name is a number, and the text is an element of the list in one of the entries that c names.
func (s *inspect) attachmentText(f *archive.File, c *sampleChunks, name string) (string, error) {
	reader := newValueReader(s.otherReader.limit, s.options) // one of its own, as values of s.otherReader may be in use
	fail := func(fault string, err error) (string, error) {
		if err != nil {
			fault = err.Error()
		}
		return "", fmt.Errorf("attachment %s: %s", name, fault)
	}
	if c == nil {
		v, fault, err := s.readEntry(f, reader.wants(jsonwalk.Want{"attachments": {name: nil}}))
		if fault != "" || err != nil {
			return fail(fault, err)
		}
		if a := v.Get("attachments", name); a != nil && a.Type() == fastjson.TypeString {
			return jsontree.Text(a), nil
		}
		return fail("the sample does not hold it", nil)
	}
	// Of a sample in chunks: find the entry whose list holds the number.
	n, err := strconv.Atoi(name)
	if err != nil {
		return fail("the sample does not hold it", nil)
	}
	i := slices.IndexFunc(c.attachments, func(a attachmentEntry) bool { return a.start == startOfEntry(c.attachments, n) })
	if i < 0 {
		return fail("the sample does not hold it", nil)
	}
	v, fault, err := s.readEntry(c.attachments[i].file, reader.wants(nil))
	if fault != "" || err != nil {
		return fail(fault, err)
	}
	list := v.GetArray()
	if n -= c.attachments[i].start; n >= len(list) || list[n].Type() != fastjson.TypeString {
		return fail("the sample does not hold it", nil)
	}
	return jsontree.Text(list[n]), nil
}

// startOfEntry returns the largest start that is not beyond n: that of the entry which holds
// attachment n of a sample. It is -1 if there is none.
func startOfEntry(all []attachmentEntry, n int) int {
	start := -1
	for _, a := range all {
		if a.start <= n {
			start = max(start, a.start)
		}
	}
	return start
}
