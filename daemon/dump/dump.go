// Package dump reads the lines of plumb's own dumps, task files, and the scenes of plumb
// render. In: a file, a pipe or a request body with one JSON object per line, plain, gzip,
// zstd or bzip2, which their first bytes tell. Out: the lines with their numbers, and
// items decoded from them. A line that is too long becomes an error, and the next line is
// read; input that expands too far ends.
package dump

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"plumb/daemon/memory"
)

// Limits bound what a dump may cost. Zero values mean the default.
type Limits struct {
	Line   int          // bytes per line without its end, default 64 MiB (--max-line)
	Ratio  int          // expansion of compressed input, default 200 (--max-ratio)
	Window int          // bytes of the window of a zstd decoder, default 128 MiB (--max-window)
	Peek   int          // bytes that Reader.Peek can return, 256 KiB at least
	Memory *memory.Hold // counts the bytes that the reader holds; nil for no bound
}

// The defaults. See docs/spec/cli.md#r33 for lines and docs/spec/cli.md#r10 for the rest.
const (
	DefaultLine   = 64 << 20
	DefaultRatio  = 200
	DefaultWindow = 128 << 20 // that of zstd --long
)

// leastPeek is the smallest buffer of a reader in bytes, and so what Reader.Peek can always return.
const leastPeek = 256 << 10

// ratioFloor is the output in bytes up to which the ratio is not checked, because short
// inputs may compress well and cost little.
const ratioFloor = 1 << 20

// ErrWindow marks compressed input that needs a larger window than Limits.Window;
// the text is the flag's name.
var ErrWindow = errors.New("--max-window")

// ErrRatio marks compressed input that expands further than Limits.Ratio.
var ErrRatio = errors.New("compressed input expands too far")

// WithDefaults returns the limits with the defaults in place of values of zero or less. Peek and Memory stay
// as they are.
func (l Limits) WithDefaults() Limits {
	l.Line = cmp.Or(max(l.Line, 0), DefaultLine)
	l.Ratio = cmp.Or(max(l.Ratio, 0), DefaultRatio)
	l.Window = cmp.Or(max(l.Window, 0), DefaultWindow)
	return l
}

// Line is one line of a dump.
type Line struct {
	Number int    // 1-based number; blank lines count
	Offset int64  // the byte of the decompressed input at which it begins, from 0; 0 for elements of a list
	Bytes  []byte // without line end, valid until the next call of Next; nil where Fault is set
	Fault  string // why the line itself could not be read, "" when it could
	Busy   bool   // Fault is transient: there was no memory for the line

	// Checked says that Bytes are an object of a few members that plumb itself wrote, which need not be
	// checked as what others write.
	Checked bool
}

// Reader reads the lines of one dump in order. It is not safe for concurrent use.
type Reader struct {
	src         *bufio.Reader
	limits      Limits
	lineNumber  int
	offset      int64  // the byte of the input up to which lines were read
	lineStart   int64  // where the current line begins: the offset before it was read
	longLine    []byte // a line that is longer than the buffer of src
	closers     []func() error
	compressed  *CountingReader
	endError    error  // what ended the input; io.EOF for a regular end
	list        *list  // the input is one JSON list; nil where it has lines
	compression string // "gzip", "zstd" or "bzip2"; "" for plain text
}

// CountingReader counts the bytes that are read from compressed input.
type CountingReader struct {
	Src   io.Reader
	Bytes int64
}

// Read reads from Src and counts the bytes. It implements io.Reader.
func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.Src.Read(p)
	c.Bytes += int64(n)
	return n, err
}

// Offset returns the number of bytes read from the input, before decompression.
func (r *Reader) Offset() int64 { return r.compressed.Bytes }

// Open opens the dump at path for reading; "-" is standard input. Its first bytes say whether and how
// it is compressed. Close closes the file.
func Open(path string, limits Limits) (*Reader, error) {
	if path == "-" {
		return NewReader(os.Stdin, limits)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open dump: %w", err)
	}
	r, err := NewReader(f, limits)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot read dump %s: %w", path, err)
	}
	r.closers = append(r.closers, f.Close)
	return r, nil
}

// NewReader reads a dump from src. It decompresses the dump if its first bytes are those of a
// compressed file, and skips a byte order mark.
func NewReader(src io.Reader, limits Limits) (*Reader, error) {
	r := &Reader{limits: limits.WithDefaults(), compressed: &CountingReader{Src: src}}
	const packedBuffer = 64 << 10 // bytes of compressed input that are read at a time
	plain, err := r.decompress(bufio.NewReaderSize(r.compressed, packedBuffer))
	if err != nil {
		return nil, err
	}
	r.src = bufio.NewReaderSize(plain, max(limits.Peek, leastPeek))
	r.skipByteOrderMark()
	return r, nil
}

// skipByteOrderMark reads over a UTF-8 byte order mark at the start of the input, which is no part of
// the first line. Offsets of lines count its three bytes.
func (r *Reader) skipByteOrderMark() {
	const mark = "\xef\xbb\xbf"
	if b, _ := r.src.Peek(len(mark)); string(b) == mark {
		r.src.Discard(len(mark))
		r.offset = int64(len(mark))
	}
}

// NewSectionReader reads lines of plain text from the middle of an input: src begins at byte `at` of
// the input, at the beginning of line number `line`, from 1. So Next numbers lines as in the whole input.
// A byte order mark is skipped only at byte 0.
func NewSectionReader(src io.Reader, limits Limits, line int, at int64) *Reader {
	r := &Reader{limits: limits.WithDefaults(), compressed: &CountingReader{Src: src}, lineNumber: line - 1, offset: at}
	r.src = bufio.NewReaderSize(r.compressed, leastPeek)
	if at == 0 {
		r.skipByteOrderMark()
	}
	return r
}

// Peek returns up to n of the next bytes without reading them; n is at most the larger of
// Limits.Peek and 256 KiB. The error says why there are fewer, and is io.EOF for a short input.
func (r *Reader) Peek(n int) ([]byte, error) { return r.src.Peek(n) }

// Text returns the decompressed input after a byte order mark, for formats without
// lines. It must not be used beside Next.
func (r *Reader) Text() *bufio.Reader { return r.src }

// Compression returns the name of the compression of the input, "" for none.
func (r *Reader) Compression() string { return r.compression }

// decompress returns a reader of the text of head, decompressed if its first bytes are those of
// gzip, zstd or bzip2. The returned reader fails if the text becomes too large for its compressed
// size. The window of the zstd decoder, up to 128 MiB, is counted in Limits.Memory until Close. See
// docs/spec/cli.md#r10.
func (r *Reader) decompress(head *bufio.Reader) (io.Reader, error) {
	magic, _ := head.Peek(4) // fewer for a short input
	if string(magic[:min(len(magic), 3)]) == "BZh" {
		magic, _ = head.Peek(10) // plain text may begin with these three letters too, so isBzip2 wants more
	}
	switch {
	case isGzip(magic):
		z, err := gzip.NewReader(head)
		if err != nil {
			return nil, fmt.Errorf("cannot read gzip header: %w", err)
		}
		r.closers = append(r.closers, z.Close)
		return r.boundRatio("gzip", z), nil
	case len(magic) >= 4 && isZstd(magic):
		window := r.limits.Window
		if err := r.reserveMemory(window); err != nil {
			return nil, fmt.Errorf("cannot decompress zstd: %w", err)
		}
		z, err := NewZstd(head, window)
		if err != nil {
			r.giveMemoryBack(window)
			return nil, err
		}
		r.closers = append(r.closers, func() error { z.Close(); r.giveMemoryBack(window); return nil })
		return r.boundRatio("zstd", z), nil
	case isBzip2(magic):
		return r.boundRatio("bzip2", bzip2.NewReader(head)), nil
	}
	return head, nil
}

// WithoutCompression returns the name of a file without the ending .gz, .zst or .bz2, in any case of letters,
// that its compression adds.
func WithoutCompression(name string) string {
	switch ext := filepath.Ext(name); strings.ToLower(ext) {
	case ".gz", ".zst", ".bz2":
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// IsCompressed reports whether the first bytes of a file mark it as gzip, zstd or bzip2.
func IsCompressed(b []byte) bool {
	return isGzip(b) || len(b) >= 4 && isZstd(b) || isBzip2(b)
}

// isGzip reports whether b begins with the two bytes of a gzip file.
func isGzip(b []byte) bool { return len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b }

// isBzip2 reports whether b begins a bzip2 stream. That shows in its first 10 bytes: BZh, the size of a
// block, and the mark of the first block or of the end.
func isBzip2(b []byte) bool {
	return len(b) >= 10 && string(b[:3]) == "BZh" && b[3] >= '1' && b[3] <= '9' &&
		(string(b[4:10]) == "1AY&SY" || string(b[4:10]) == "\x17rE8P\x90")
}

// boundRatio returns a reader of the decompressed text plain that fails once the text is more than
// Limits.Ratio times as long as the compressed input. It also sets what Compression returns.
func (r *Reader) boundRatio(format string, plain io.Reader) io.Reader {
	r.compression = format
	return &BoundedReader{Src: plain, Format: format, PackedBytes: &r.compressed.Bytes, Ratio: r.limits.Ratio, Window: r.limits.Window}
}

// reserveMemory counts n more bytes in Limits.Memory.
func (r *Reader) reserveMemory(n int) error {
	return r.limits.Memory.Grow(context.Background(), int64(n))
}

func (r *Reader) giveMemoryBack(n int) { r.limits.Memory.Shrink(int64(n)) }

// isZstd reports whether a dump that begins with b, at least 4 bytes, is compressed with zstd: whether b begins
// a frame or a skippable frame. Their first four bytes are the numbers 0xFD2FB528 and 0x184D2A50 to 0x184D2A5F,
// lowest byte first (RFC 8878).
func isZstd(b []byte) bool {
	if b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd {
		return b[0] == 0x28
	}
	return b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18
}

// NewZstd returns a decoder for hostile input, with a window of at most that many bytes.
// It starts no goroutines, so that it does not read ahead.
func NewZstd(src io.Reader, window int) (*zstd.Decoder, error) {
	z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(max(window, zstd.MinWindowSize))))
	if err != nil {
		return nil, fmt.Errorf("cannot read zstd header: %w", err)
	}
	return z, nil
}

// WithWindowFlag adds to the error of a zstd decoder that needs a larger window than it may have: the limit
// in bytes and, by wrapping ErrWindow, the flag that raises it. It returns other errors as they are.
func WithWindowFlag(err error, window int) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("%w: want a window of at most %d bytes (%w)", err, window, ErrWindow)
	}
	return err
}

// BoundedReader is a reader of decompressed input. It fails once the output is more than Ratio
// times the input. Its errors name the format.
type BoundedReader struct {
	Src         io.Reader
	Format      string // "gzip", "zstd" or "bzip2"
	PackedBytes *int64 // compressed bytes taken so far, which a CountingReader under Src counts
	Ratio       int
	Window      int // of zstd, for messages
	plainBytes  int64
}

// Read reads decompressed bytes of a dump. It ends with an error that wraps ErrRatio once they are too many
// times the compressed bytes, as a small file that becomes huge would fill the disk or the memory. It
// implements io.Reader.
func (b *BoundedReader) Read(p []byte) (int, error) {
	n, err := b.Src.Read(p)
	b.plainBytes += int64(n)
	if b.plainBytes > ratioFloor && b.plainBytes > *b.PackedBytes*int64(b.Ratio) {
		return 0, fmt.Errorf("%w: %d bytes became %d; want at most %d times (--max-ratio)", ErrRatio, *b.PackedBytes,
			b.plainBytes, b.Ratio)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("cannot decompress %s: %w", b.Format, WithWindowFlag(err, b.Window))
	}
	return n, err
}

// Close ends reading, closes the files that Open opened, and frees the memory of long lines. It
// returns the first error.
func (r *Reader) Close() error {
	var first error
	for _, f := range r.closers {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	r.closers = nil
	r.freeLongLine()
	return first
}

// freeLongLine frees the memory of a long line.
func (r *Reader) freeLongLine() {
	r.giveMemoryBack(cap(r.longLine))
	r.longLine = nil
}

// lineEnd is the length in bytes of the longest line end, CR LF.
const lineEnd = 2

// keepPart appends a part of a long line of a dump to longLine, which doubles where it is too small. Its
// memory is counted in Limits.Memory, which may refuse more: then keepPart returns an error and longLine is
// as before. While the buffer is copied, both the old and the new one count.
func (r *Reader) keepPart(part []byte) error {
	if need := len(r.longLine) + len(part); need > cap(r.longLine) {
		newSize := max(need, min(2*cap(r.longLine), r.limits.Line+lineEnd))
		if err := r.reserveMemory(newSize); err != nil { // counts it in Limits.Memory
			return err
		}
		b := append(make([]byte, 0, newSize), r.longLine...)
		r.giveMemoryBack(cap(r.longLine))
		r.longLine = b
	}
	r.longLine = append(r.longLine, part...)
	return nil
}

// Next returns the next line of the dump that is not blank. The error is io.EOF at the end of the input. Any
// other error means that the rest cannot be read (a truncated gzip file, an expansion that goes too far); an
// incomplete last line comes before it, with a Fault. See docs/spec/cli.md#r11.
func (r *Reader) Next() (Line, error) {
	for {
		l, err := r.NextOrBlank()
		if err != nil || l.Fault != "" || len(bytes.TrimSpace(l.Bytes)) > 0 {
			return l, err
		}
	}
}

// NextOrBlank returns the next line of the dump, as Next does, but also blank lines, for callers that pass
// all lines on. A line that is too long, or for which there is no memory, is read to its end and
// returned with a Fault. The bytes of a short line are in the reader's buffer and not copied.
func (r *Reader) NextOrBlank() (Line, error) {
	if r.list != nil {
		return r.list.next(r)
	}
	if r.endError != nil {
		return Line{}, r.endError
	}
	r.lineNumber++
	r.lineStart = r.offset
	r.longLine = r.longLine[:0]
	if cap(r.longLine) > keepLine {
		r.freeLongLine()
	}
	var droppedBytes int64 // bytes read of a line that is not kept; 0 while it is kept in longLine
	var noMemory error     // why the line is not kept, if memory was refused
	for {
		part, err := r.src.ReadSlice('\n') // without a line end and with ErrBufferFull if the buffer has none
		r.offset += int64(len(part))
		if droppedBytes == 0 && err == nil && len(r.longLine) == 0 {
			return r.completeLine(part, 0) // the usual case: the whole line lies in the buffer of src
		}
		// Keep the part, or drop the line if it is too long or no memory is left, and count its bytes.
		isTooLong := len(r.longLine)+len(part) > r.limits.Line+lineEnd
		if droppedBytes > 0 || isTooLong {
			droppedBytes += int64(len(r.longLine) + len(part))
			r.freeLongLine()
		} else if noMemory = r.keepPart(part); noMemory != nil {
			droppedBytes = int64(len(r.longLine) + len(part))
			r.freeLongLine()
		}
		// The line is complete, or the input has ended; else read its next part.
		switch {
		case err == nil && noMemory != nil:
			return r.lineWithoutMemory(noMemory), nil
		case err == nil:
			return r.completeLine(r.longLine, droppedBytes)
		case !errors.Is(err, bufio.ErrBufferFull):
			r.endError = err
			if noMemory != nil && err == io.EOF {
				return r.lineWithoutMemory(noMemory), nil
			}
			return r.lastLine(droppedBytes)
		}
	}
}

// keepLine is the largest buffer of a long line, in bytes, that is reused.
const keepLine = 4 << 20

// lineWithoutMemory returns the Line of a line for which there was no memory.
func (r *Reader) lineWithoutMemory(why error) Line {
	return Line{Number: r.lineNumber, Offset: r.lineStart, Fault: fmt.Sprintf("cannot read line %d: %v", r.lineNumber, why), Busy: true}
}

// completeLine returns the complete line b of a dump without its line end, or with a Fault if it is too
// long. droppedBytes is the length in bytes of a line that was dropped because of its length, else 0.
func (r *Reader) completeLine(b []byte, droppedBytes int64) (Line, error) {
	b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	if droppedBytes > 0 || len(b) > r.limits.Line {
		size := max(droppedBytes, int64(len(b)))
		return Line{Number: r.lineNumber, Offset: r.lineStart, Fault: fmt.Sprintf("cannot read line %d: it has %d bytes; want at most %d (--max-line)", r.lineNumber, size, r.limits.Line)}, nil
	}
	return Line{Number: r.lineNumber, Offset: r.lineStart, Bytes: b}, nil
}

// lastLine returns what was read of a line when the input ended with the error r.endError. After io.EOF that
// is a line without a line end. After another error the line is incomplete and has a Fault. If
// nothing but blanks was read, there is no line, and lastLine returns r.endError. droppedBytes is the number of
// bytes read of a line that was not kept, else 0.
func (r *Reader) lastLine(droppedBytes int64) (Line, error) {
	if droppedBytes == 0 && len(bytes.TrimSpace(r.longLine)) == 0 {
		return Line{}, r.endError
	}
	if r.endError == io.EOF {
		return r.completeLine(r.longLine, droppedBytes) // if a writer stopped in the middle of a line, its JSON does not parse
	}
	return Line{Number: r.lineNumber, Offset: r.lineStart, Fault: fmt.Sprintf("cannot read line %d: the input broke off after %d bytes of it: %v",
		r.lineNumber, max(droppedBytes, int64(len(r.longLine))), r.endError)}, nil
}
