// Package archive reads zip archives of unknown origin. In: the bytes of a dump. Out: the live
// entries of its central directory, and their contents with bounds on how far they expand. It
// tells logs of inspect_ai and spreadsheets from other archives, which are refused. See
// docs/spec/dumps-files.md#r9.
package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"plumb/daemon/dump"
	"plumb/daemon/records/input"
)

// Zstd is the method of entries that are compressed with zstd.
const Zstd = zstd.ZipMethodWinZip

// Archive is an open archive. It is not safe for concurrent use, and reads one entry at a time.
type Archive struct {
	Files []*zip.File // in the order of the directory; of entries with the same name only the last

	in    *input.Input
	src   *directory
	size  int64
	total int64 // bytes that entries expanded to
	ahead *bufio.Reader
	idle  []io.ReadCloser // decompressors of deflate that are not in use

	// for short entries
	packed   []byte
	inflater inflater
	unzstd   *zstd.Decoder
	shorts   []*short // that are not in use
}

// Open returns the archive that an input holds. Its central directory is read once.
func Open(in *input.Input) (*Archive, error) {
	a, err := in.Once("archive", func() (any, error) { return open(in) })
	if err != nil {
		return nil, err
	}
	return a.(*Archive), nil
}

// open reads the central directory of an archive, and refuses one with more entries than
// allowed. Decompressors are registered that keep to the limits of the input. A panic of the
// library becomes an error.
func open(in *input.Input) (a *Archive, err error) {
	src, size, err := in.Random()
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			a, err = nil, fmt.Errorf("the central directory cannot be read: %v", p)
		}
	}()
	count := &directory{src: src, most: in.Limits.Entries}
	zr, err := zip.NewReader(count, size)
	if count.entries > count.most {
		return nil, fmt.Errorf("the archive has more than %d entries (--max-entries)", count.most)
	}
	if err != nil {
		return nil, explainDirectory(src, size, err)
	}
	count.done = true
	a = &Archive{in: in, src: count, size: size, ahead: bufio.NewReaderSize(nil, 32<<10)}
	zr.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		return a.bounded("deflate", r, a.inflate)
	})
	unzstd := zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(max(in.Limits.Window, zstd.MinWindowSize))))
	zr.RegisterDecompressor(Zstd, func(r io.Reader) io.ReadCloser { return a.bounded("zstd", r, unzstd) })
	a.Files = latestEntries(zr.File)
	return a, nil
}

// inflate returns a decompressor of deflate for r. Closed ones are used again, because a new
// one takes as long as a short entry.
func (a *Archive) inflate(r io.Reader) io.ReadCloser {
	var d io.ReadCloser
	if n := len(a.idle); n > 0 {
		d, a.idle = a.idle[n-1], a.idle[:n-1]
		d.(flate.Resetter).Reset(r, nil)
	} else {
		d = flate.NewReader(r)
	}
	return &closer{d, func() error {
		a.idle = append(a.idle, d)
		return d.Close()
	}}
}

// latestEntries returns the entries of a zip file without those that a later one of the same
// name supersedes, in place.
func latestEntries(files []*zip.File) []*zip.File {
	last := make(map[string]int, len(files))
	for i, f := range files {
		last[f.Name] = i
	}
	kept := files[:0]
	for i, f := range files {
		if last[f.Name] == i {
			kept = append(kept, f)
		}
	}
	return kept
}

// Find returns the live entry of that name, or nil.
func (a *Archive) Find(name string) *zip.File {
	for _, f := range a.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Entry returns the contents of an entry. A wrong checksum is an error when the end is read.
// Only one entry may be open at a time.
func (a *Archive) Entry(f *zip.File) (io.ReadCloser, error) {
	if f.Flags&1 != 0 { // the library reads such entries as if they were plain
		return nil, errors.New("the entry is encrypted; want an archive without a password")
	}
	if s := a.short(f); s != nil {
		return s, nil
	}
	r, err := f.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, fmt.Errorf("the entry has compression method %d; want stored, deflate or zstd (93)", f.Method)
	}
	return r, err
}

// Again is Entry for an entry that was read before. What it expands to is not counted twice.
func (a *Archive) Again(f *zip.File) (io.ReadCloser, error) {
	total := a.total
	r, err := a.Entry(f)
	if err != nil {
		return nil, err
	}
	return &closer{r, func() error { a.total = total; return r.Close() }}, nil
}

// Words returns the sentence for a user on an error of reading an archive's entry.
func Words(err error) string {
	switch {
	case errors.Is(err, zip.ErrChecksum):
		return "the checksum does not match (the file is damaged)"
	case errors.Is(err, zip.ErrFormat):
		return "the entry is not what the directory of the archive says (the file is damaged)"
	}
	return err.Error()
}

// ErrTotal marks an archive whose entries expand too far together; none of the rest is read.
var ErrTotal = errors.New("the entries expand too far together")

// ratioFloor is the number of bytes below which the ratio of the whole archive is not looked at.
const ratioFloor = 1 << 20

// closer is a reader with a function that ends it.
type closer struct {
	io.Reader
	end func() error
}

// Close implements io.Closer.
func (c *closer) Close() error { return c.end() }

// bounded returns a reader of a decompressed entry that fails where the entry, or all
// entries together, expand too far. A panic of the decoder becomes an error.
func (a *Archive) bounded(format string, raw io.Reader, decode func(io.Reader) io.ReadCloser) io.ReadCloser {
	packed := &dump.Counter{R: raw}
	a.ahead.Reset(packed) // decoders read many small pieces, and make a buffer of their own for other readers
	r := decode(a.ahead)
	entry := &dump.Bounded{Src: safe{r}, Format: format, Packed: &packed.N, Ratio: a.in.Limits.Ratio,
		Window: a.in.Limits.Window}
	return &closer{&sum{entry, a}, r.Close}
}

// safe turns a panic of a decompressor into an error.
type safe struct{ r io.Reader }

// Read implements io.Reader.
func (s safe) Read(p []byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = 0, fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	return s.r.Read(p)
}

// sum counts what all entries expand to.
type sum struct {
	r io.Reader
	a *Archive
}

// Read implements io.Reader.
func (s *sum) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	a := s.a
	if a.total += int64(n); a.beyond(a.total) {
		return 0, fmt.Errorf("%w: an archive of %d bytes became %d; want at most %d times (--max-ratio)", ErrTotal,
			a.size, a.total, a.in.Limits.Ratio)
	}
	return n, err
}

// beyond reports whether that many bytes are more than the entries may expand to.
func (a *Archive) beyond(total int64) bool {
	return total > ratioFloor && total > a.size*int64(a.in.Limits.Ratio)
}

// directory counts the entries of a central directory while the library reads it, because the
// number that the directory states may be wrong.
type directory struct {
	src     io.ReaderAt
	entries int
	most    int
	done    bool
	tail    []byte // of the last read
	next    int64  // where it ended

	window []byte // bytes that were read ahead of entries, because most stand one behind the other
	start  int64  // of window
}

// windowSize is how many bytes are read at once. An entry takes three small reads, of its header, its
// contents and what stands behind them; an object on a server answers each with a request.
const windowSize = 1 << 20

// mark begins every entry of a central directory.
var mark = []byte("PK\x01\x02")

// ReadAt implements io.ReaderAt. While the library reads the directory, it counts the marks
// of entries, also those that two reads share, and fails when there are more than d.most.
// Afterwards it reads ahead.
func (d *directory) ReadAt(p []byte, off int64) (int, error) {
	if d.done {
		return d.readAhead(p, off)
	}
	n, err := d.src.ReadAt(p, off)
	if off != d.next { // the entries themselves are read in one run, after looks at the end
		d.tail, d.entries = d.tail[:0], 0
	}
	if boundary := append(d.tail, p[:min(n, 3)]...); len(d.tail) > 0 && bytes.Contains(boundary, mark) {
		d.entries++
	}
	d.entries += bytes.Count(p[:n], mark)
	d.next = off + int64(n)
	d.tail = append(d.tail[:0], p[max(0, n-3):n]...)
	if d.entries > d.most {
		return 0, errors.New("too many entries")
	}
	return n, err
}

// readAhead fills p from a window of bytes that were read ahead. If the window does not have
// all of them, it is read anew from off on. Long reads do not use it.
func (d *directory) readAhead(p []byte, off int64) (int, error) {
	if len(p) > windowSize/2 {
		return d.src.ReadAt(p, off)
	}
	if off < d.start || off+int64(len(p)) > d.start+int64(len(d.window)) {
		if d.window == nil {
			d.window = make([]byte, windowSize)
		}
		n, err := d.src.ReadAt(d.window[:windowSize], off)
		d.window, d.start = d.window[:n], off
		if n < len(p) {
			return copy(p, d.window), err
		}
	}
	return copy(p, d.window[off-d.start:]), nil
}

// explainDirectory returns why the central directory of an archive cannot be read: it is
// missing, or what err says.
func explainDirectory(src io.ReaderAt, size int64, err error) error {
	tail := make([]byte, min(size, 66_000)) // the end record and its comment have at most 65,557 bytes
	src.ReadAt(tail, size-int64(len(tail)))
	if !bytes.Contains(tail, []byte("PK\x05\x06")) {
		return errors.New("it is a zip archive without a central directory at its end (a copy that broke off?); nothing of it is read")
	}
	return fmt.Errorf("the central directory of the archive cannot be read: %w; nothing of it is read", err)
}

// The kinds of archives that are read.
const (
	Inspect = "inspect"
	XLSX    = "xlsx"
)

// Kind returns which reader an archive is for. Other archives are refused with the names of
// their first entries. See docs/spec/dumps-files.md#r10.
func Kind(in *input.Input) (string, error) {
	a, err := Open(in)
	if err != nil {
		return "", err
	}
	switch {
	case a.Find(Header) != nil || a.Find(Journal) != nil:
		return Inspect, nil
	case a.Find("[Content_Types].xml") != nil && a.Find("xl/workbook.xml") != nil:
		return XLSX, nil
	}
	names := ""
	for _, f := range a.Files[:min(len(a.Files), 3)] {
		names += fmt.Sprintf(" %.100q", f.Name)
	}
	return "", &input.FormError{What: fmt.Sprintf("it is a zip archive that is neither a log of inspect_ai nor a spreadsheet (first entries:%s); want the dumps in it unpacked first", names)}
}

// The entries of a log of inspect_ai that tell what it is: the second stands in a log whose
// process was killed.
const (
	Header  = "header.json"
	Journal = "_journal/start.json"
)
