// Package archive reads zip archives of unknown origin. In: the bytes of a dump. Out: the live entries of its
// central directory, and their contents with bounds on how far they expand. It tells logs of inspect_ai and
// spreadsheets from other archives, which are refused. See docs/spec/dumps-files.md#r9.
package archive

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"plumb/daemon/dump"
	"plumb/daemon/records/input"
)

// Zstd is the method of entries that are compressed with zstd.
const Zstd = zstd.ZipMethodWinZip

// Archive is an open archive. It is not safe for concurrent use, and reads one entry at a time.
type Archive struct {
	Files []File // in the order of the directory; of entries with the same name only the last

	in            *input.Input
	window        *window
	size          int64
	expandedBytes int64            // bytes that entries expanded to, those of an entry that is read again only once
	readAhead     *bufio.Reader    // reads the compressed bytes of an entry
	idleInflaters []io.ReadCloser  // decompressors of deflate that are not in use
	newZstdReader zip.Decompressor // of zstd

	// for short entries
	inflater    inflater
	zstdDecoder *zstd.Decoder
	idleShorts  []*shortReader // that are not in use
}

// Open returns the zip archive that an input holds. Its central directory is read once.
func Open(in *input.Input) (*Archive, error) {
	a, err := in.MakeOnce("archive", func() (any, error) { return open(in) })
	if err != nil {
		return nil, err
	}
	return a.(*Archive), nil
}

// open reads the central directory of an archive and prepares the decoders of its entries. An archive
// with more entries than Limits.Entries is an error.
func open(in *input.Input) (*Archive, error) {
	src, size, err := in.RandomAccess()
	if err != nil {
		return nil, err
	}
	files, err := readDirectory(src, size, in.Limits.Entries)
	switch {
	case err == errTooMany:
		return nil, fmt.Errorf("the archive has more than %d entries (--max-entries)", in.Limits.Entries)
	case err == errNoEnd:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("the central directory of the archive cannot be read: %w; nothing of it is read", err)
	}
	unpack := zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(max(in.Limits.Window, zstd.MinWindowSize))))
	return &Archive{Files: latestEntries(files), in: in, window: newWindow(src, size), size: size,
		readAhead: bufio.NewReaderSize(nil, 32<<10), newZstdReader: unpack}, nil
}

// newDeflateReader returns a decompressor of deflate for an entry that r reads. Closed decompressors are
// used again, because making one takes as long as reading a short entry.
func (a *Archive) newDeflateReader(r io.Reader) io.ReadCloser {
	var d io.ReadCloser
	if n := len(a.idleInflaters); n > 0 {
		d, a.idleInflaters = a.idleInflaters[n-1], a.idleInflaters[:n-1]
		d.(flate.Resetter).Reset(r, nil)
	} else {
		d = flate.NewReader(r)
	}
	return &readerWithClose{d, func() error {
		a.idleInflaters = append(a.idleInflaters, d)
		return d.Close()
	}}
}

// latestEntries returns the entries of a zip file without those that a later one of the same
// name supersedes, in place.
func latestEntries(files []File) []File {
	last := make(map[string]int, len(files))
	for i := range files {
		last[files[i].Name] = i
	}
	if len(last) == len(files) {
		return files
	}
	kept := files[:0]
	for i, f := range files {
		if last[f.Name] == i {
			kept = append(kept, f)
		}
	}
	return kept
}

// Find returns the entry of the archive with this name, or nil. Files has only the latest of several.
func (a *Archive) Find(name string) *File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

// OpenEntry returns the decompressed contents of an entry of a zip archive. An encrypted entry is an error. A
// wrong checksum is an error when the end is read. The archive has a limit on what all its entries expand to,
// in which an entry counts once, however often it is read. Only one entry may be open at a time.
func (a *Archive) OpenEntry(f *File) (io.ReadCloser, error) {
	if f.Flags&encrypted != 0 {
		return nil, errors.New("the entry is encrypted; want an archive without a password")
	}
	if s := a.decodeShort(f); s != nil { // nil for long and for damaged entries
		return s, nil
	}
	return a.openStream(f)
}

// openStream returns the contents of an entry of a zip archive, which are decompressed while they are read. The
// reader checks their length and checksum, and how far they expand. An unknown compression is an error.
func (a *Archive) openStream(f *File) (io.ReadCloser, error) {
	at, err := a.contentsOffset(f)
	if err != nil {
		return nil, err
	}
	if f.Size == 0 && strings.HasSuffix(f.Name, "/") { // some writers state PackedSize > 0 for a folder, though no bytes follow its header
		return io.NopCloser(strings.NewReader("")), nil
	}
	packed := io.NewSectionReader(a.window, at, int64(f.PackedSize))
	var r io.ReadCloser
	switch f.Method {
	case zip.Store:
		r = io.NopCloser(packed)
	case zip.Deflate:
		r = a.newBoundedReader("deflate", f, packed, a.newDeflateReader)
	case Zstd:
		r = a.newBoundedReader("zstd", f, packed, a.newZstdReader)
	default:
		return nil, fmt.Errorf("the entry has compression method %d; want stored, deflate or zstd (93)", f.Method)
	}
	return &readerWithClose{&checkedReader{src: r, file: f}, r.Close}, nil
}

// contentsOffset returns the offset in the archive at which the contents of an entry begin. In front of them
// stands a header, of which the central directory tells only the beginning: its length depends on the
// name and the extra field that it has.
func (a *Archive) contentsOffset(f *File) (int64, error) {
	if f.headerOffset < 0 || f.headerOffset > a.size-headerSize {
		return 0, zip.ErrFormat
	}
	b, err := a.window.view(f.headerOffset, headerSize)
	if err != nil {
		return 0, err
	}
	if string(b[:4]) != headerMark {
		return 0, zip.ErrFormat
	}
	nameSize, extraSize := binary.LittleEndian.Uint16(b[26:]), binary.LittleEndian.Uint16(b[28:])
	return f.headerOffset + headerSize + int64(nameSize) + int64(extraSize), nil
}

// checkedReader compares the length and the checksum of an entry with what the central directory states,
// when the end is read.
type checkedReader struct {
	src       io.Reader
	file      *File
	readBytes uint64 // bytes read so far
	sum       uint32 // their checksum
	err       error  // what ended the reading; later calls return it again
}

// Read reads an entry of the archive and checks it against the archive's directory: an entry that is longer or
// shorter than stated there, or has another checksum, ends with an error. It implements io.Reader.
func (c *checkedReader) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.src.Read(p)
	c.readBytes += uint64(n)
	c.sum = crc32.Update(c.sum, crc32.IEEETable, p[:n])
	hasChecksum := c.file.CRC32 != 0 || c.file.Flags&checksumFollows != 0 // some writers state none
	switch {
	case c.readBytes > c.file.Size:
		n, err = 0, zip.ErrFormat
	case err == io.EOF && c.readBytes < c.file.Size:
		err = io.ErrUnexpectedEOF
	case err == io.EOF && c.sum != c.file.CRC32 && hasChecksum:
		err = zip.ErrChecksum
	}
	c.err = err
	return n, err
}

// Explain returns a sentence for users on an error of reading a zip archive's entry.
func Explain(err error) string {
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

// readerWithClose is a reader with a function that ends it.
type readerWithClose struct {
	io.Reader
	close func() error
}

// Close implements io.Closer.
func (c *readerWithClose) Close() error { return c.close() }

// newBoundedReader returns a reader of the decompressed entry f. raw has the compressed bytes, and decode makes the
// decoder of the format. Reading fails if the entry, or all entries of the archive together, become too
// large for their compressed size. A panic of the decoder becomes an error.
func (a *Archive) newBoundedReader(format string, f *File, raw io.Reader, decode func(io.Reader) io.ReadCloser) io.ReadCloser {
	packed := &dump.CountingReader{Src: raw} // its count of compressed bytes bounds the decompressed ones
	a.readAhead.Reset(packed)                // decoders read many small pieces, and make a buffer of their own for other readers
	r := decode(a.readAhead)
	entry := &dump.BoundedReader{Src: panicSafe{r}, Format: format, PackedBytes: &packed.Bytes, Ratio: a.in.Limits.Ratio,
		Window: a.in.Limits.Window}
	return &readerWithClose{&totalReader{entry: entry, archive: a, file: f}, r.Close}
}

// panicSafe turns a panic of a decompressor into an error.
type panicSafe struct{ r io.Reader }

// Read reads a decompressed entry of a zip archive. A panic of the decoder, which damaged data can cause,
// becomes an error. It implements io.Reader.
func (s panicSafe) Read(p []byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = 0, fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	return s.r.Read(p)
}

// totalReader is a reader of a decompressed entry that adds its bytes to the total of the archive.
type totalReader struct {
	entry     io.Reader
	archive   *Archive
	file      *File
	readBytes uint64 // bytes so far
}

// Read reads a decompressed entry and adds its bytes to the total of its zip archive. Bytes that an earlier
// reader of the entry has counted are not counted again. It fails with ErrTotal if the entries together become
// more than Limits.Ratio times the archive. It implements io.Reader.
func (s *totalReader) Read(p []byte) (int, error) {
	n, err := s.entry.Read(p)
	s.readBytes += uint64(n)
	a := s.archive
	a.expandedBytes = a.expandedWith(s.file, s.readBytes)
	s.file.countedBytes = max(s.file.countedBytes, s.readBytes)
	if a.exceedsRatio(a.expandedBytes) {
		return 0, fmt.Errorf("%w: an archive of %d bytes became %d; want at most %d times (--max-ratio)", ErrTotal,
			a.size, a.expandedBytes, a.in.Limits.Ratio)
	}
	return n, err
}

// expandedWith returns the total of the archive once so many bytes of an entry are read. Bytes that were read
// before are in it already.
func (a *Archive) expandedWith(f *File, read uint64) int64 {
	return a.expandedBytes + int64(max(read, f.countedBytes)-f.countedBytes)
}

// exceedsRatio reports whether that many bytes are more than the entries may expand to.
func (a *Archive) exceedsRatio(total int64) bool {
	return total > ratioFloor && total > a.size*int64(a.in.Limits.Ratio)
}

// newWindow returns a window on size bytes, of which the first ones are read.
func newWindow(src io.ReaderAt, size int64) *window {
	return &window{src: src, bytes: make([]byte, 0, min(size, windowSize))}
}

// window reads bytes ahead, because entries mostly follow each other. An entry takes small
// reads of its header and its contents; an object on a server answers each with a request.
type window struct {
	src   io.ReaderAt
	bytes []byte
	start int64 // of bytes in src
}

// windowSize is how many bytes are read at once.
const windowSize = 1 << 20

// ReadAt reads from an offset of the archive through a window of bytes that are kept, so that small
// reads close to each other cost one read of the file. Reads of more than half a window go to the file
// directly. It implements io.ReaderAt.
func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > windowSize/2 {
		return w.src.ReadAt(p, off)
	}
	b, err := w.view(off, len(p))
	return copy(p, b), err
}

// view returns the n bytes at an offset without a copy, n at most windowSize. They are valid until the
// next call of view or ReadAt. If the window does not have all of them, it is read anew from the offset
// on. If the file has fewer, view returns these with an error.
func (w *window) view(off int64, n int) ([]byte, error) {
	isInside := off >= w.start && off-w.start <= int64(len(w.bytes)-n)
	if !isInside {
		read, err := w.src.ReadAt(w.bytes[:cap(w.bytes)], off)
		w.bytes, w.start = w.bytes[:read], off
		if read < n && err == nil {
			err = io.EOF
		}
		if read < n {
			return w.bytes, err
		}
	}
	return w.bytes[off-w.start:][:n], nil
}

// The kinds of archives that are read.
const (
	Inspect = "inspect"
	XLSX    = "xlsx"
)

// Kind returns which reader a zip archive is for: Inspect for a log of inspect_ai, or XLSX for a spreadsheet.
// Other archives are refused with the names of their first entries. See docs/spec/dumps-files.md#r10.
func Kind(in *input.Input) (string, error) {
	a, err := Open(in)
	if err != nil {
		return "", err
	}
	switch {
	case a.Find(InspectHeader) != nil || a.Find(InspectJournal) != nil:
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

// The entries of a log of inspect_ai that tell what it is: the second stands in a log whose process was killed.
const (
	InspectHeader  = "header.json"
	InspectJournal = "_journal/start.json"
)
