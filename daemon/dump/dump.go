// Package dump reads result dumps. In: a file, a pipe or a request body with one
// JSON object per line, plain, gzip or zstd, told apart by their first bytes.
// Out: the lines one after another with their numbers, and items decoded from
// them. It refuses a line that is too long and input that expands too far, says
// where, and goes on with the next line wherever there is one.
package dump

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"plumb/daemon/memory"
)

// Limits bound what a dump may cost. Zero values mean the default.
type Limits struct {
	Line   int          // bytes per line without its end, default 64 MiB (--max-line)
	Ratio  int          // expansion of compressed input, default 200 (--max-ratio)
	Window int          // bytes of the window of a zstd decoder, default 128 MiB (--max-window)
	Memory *memory.Hold // what the reader holds counts against it; nil for no bound
}

// The defaults. See docs/spec/cli.md#r33 for lines and docs/spec/cli.md#r10 for the rest.
const (
	DefaultLine   = 64 << 20
	DefaultRatio  = 200
	DefaultWindow = 128 << 20 // that of zstd --long
)

// ratioFloor is the output in bytes that is always allowed: below it an
// expansion costs nothing, and short inputs compress well by nature.
const ratioFloor = 1 << 20

// ErrWindow marks compressed input that needs a larger window than Limits.Window;
// the text is the flag's name.
var ErrWindow = errors.New("--max-window")

// ErrRatio marks compressed input that expands further than Limits.Ratio.
var ErrRatio = errors.New("compressed input expands too far")

// Filled returns the limits with defaults in place of zero values.
func (l Limits) Filled() Limits {
	l.Line = cmp.Or(max(l.Line, 0), DefaultLine)
	l.Ratio = cmp.Or(max(l.Ratio, 0), DefaultRatio)
	l.Window = cmp.Or(max(l.Window, 0), DefaultWindow)
	return l
}

// Line is one line of a dump.
type Line struct {
	N     int    // 1-based number; blank lines count
	Bytes []byte // without line end, valid until the next call of Next; nil where Fault is set
	Fault string // why the line itself could not be read, "" when it could
	Busy  bool   // Fault is of the moment: there was no memory for the line
}

// Reader gives the lines of one dump in order. It is not safe for concurrent use.
type Reader struct {
	src    *bufio.Reader
	limits Limits
	line   int
	buf    []byte // a line that is longer than the buffer of src
	closer []func() error
	raw    *Counter
	err    error // what ended the input; io.EOF for a regular end
	list   *list // the input is one JSON list; nil where it has lines
}

// Counter counts the bytes that are read from compressed input.
type Counter struct {
	R io.Reader
	N int64
}

// Read implements io.Reader.
func (c *Counter) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}

// Offset returns the number of bytes taken from the input as it is stored.
func (r *Reader) Offset() int64 { return r.raw.N }

// Open opens the dump at path; "-" is standard input.
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
	r.closer = append(r.closer, f.Close)
	return r, nil
}

// NewReader reads a dump from src, decompressing it where its first bytes say so.
func NewReader(src io.Reader, limits Limits) (*Reader, error) {
	r := &Reader{limits: limits.Filled(), raw: &Counter{R: src}}
	head := bufio.NewReaderSize(r.raw, 64<<10)
	plain, err := r.unpack(head)
	if err != nil {
		return nil, err
	}
	r.src = bufio.NewReaderSize(plain, 256<<10)
	if b, _ := r.src.Peek(3); bytes.Equal(b, []byte("\xef\xbb\xbf")) {
		r.src.Discard(3)
	}
	return r, nil
}

// unpack returns the plain text of head. See docs/spec/cli.md#r10.
func (r *Reader) unpack(head *bufio.Reader) (io.Reader, error) {
	magic, _ := head.Peek(4)
	switch {
	case len(magic) >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		z, err := gzip.NewReader(head)
		if err != nil {
			return nil, fmt.Errorf("cannot read gzip header: %w", err)
		}
		r.closer = append(r.closer, z.Close)
		return r.bounded("gzip", z), nil
	case len(magic) == 4 && isZstd(magic):
		window := r.limits.Window
		if err := r.grow(window); err != nil {
			return nil, fmt.Errorf("cannot decompress zstd: %w", err)
		}
		z, err := NewZstd(head, window)
		if err != nil {
			r.shrink(window)
			return nil, err
		}
		r.closer = append(r.closer, func() error { z.Close(); r.shrink(window); return nil })
		return r.bounded("zstd", z), nil
	}
	return head, nil
}

func (r *Reader) bounded(format string, plain io.Reader) io.Reader {
	return &Bounded{Src: plain, Format: format, Packed: &r.raw.N, Ratio: r.limits.Ratio, Window: r.limits.Window}
}

// grow counts n more bytes.
func (r *Reader) grow(n int) error {
	return r.limits.Memory.Grow(context.Background(), int64(n))
}

func (r *Reader) shrink(n int) { r.limits.Memory.Shrink(int64(n)) }

// isZstd reports whether b begins a zstd frame or a skippable frame.
func isZstd(b []byte) bool {
	if b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd {
		return b[0] == 0x28
	}
	return b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18
}

// NewZstd returns a decoder for hostile input: no goroutines, so that it reads
// no further ahead than it must, and a window of at most that many bytes.
func NewZstd(src io.Reader, window int) (*zstd.Decoder, error) {
	z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(max(window, zstd.MinWindowSize))))
	if err != nil {
		return nil, fmt.Errorf("cannot read zstd header: %w", err)
	}
	return z, nil
}

// TooWide adds the flag to the error of a zstd decoder that needs a window of more than
// window bytes; it returns other errors as they are.
func TooWide(err error, window int) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("%w: want a window of at most %d bytes (%w)", err, window, ErrWindow)
	}
	return err
}

// Bounded stops an expansion that goes too far: what was given out is compared
// with what was taken in. Its errors name the format.
type Bounded struct {
	Src    io.Reader
	Format string // "gzip" or "zstd"
	Packed *int64 // compressed bytes taken so far
	Ratio  int
	Window int // of zstd, for messages
	out    int64
}

// Read implements io.Reader; it ends with an error that wraps ErrRatio.
func (b *Bounded) Read(p []byte) (int, error) {
	n, err := b.Src.Read(p)
	b.out += int64(n)
	if b.out > ratioFloor && b.out > *b.Packed*int64(b.Ratio) {
		return 0, fmt.Errorf("%w: %d bytes became %d; want at most %d times (--max-ratio)", ErrRatio, *b.Packed, b.out, b.Ratio)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("cannot decompress %s: %w", b.Format, TooWide(err, b.Window))
	}
	return n, err
}

// Close ends reading and closes what Open opened.
func (r *Reader) Close() error {
	var first error
	for _, f := range r.closer {
		if err := f(); err != nil && first == nil {
			first = err
		}
	}
	r.closer = nil
	r.forget()
	return first
}

// forget frees the memory of a long line.
func (r *Reader) forget() {
	r.shrink(cap(r.buf))
	r.buf = nil
}

// keep appends a part of a long line. While the buffer grows, both the old and the new
// one count.
func (r *Reader) keep(part []byte) error {
	if need := len(r.buf) + len(part); need > cap(r.buf) {
		next := max(need, min(2*cap(r.buf), r.limits.Line+2))
		if err := r.grow(next); err != nil {
			return err
		}
		b := append(make([]byte, 0, next), r.buf...)
		r.shrink(cap(r.buf))
		r.buf = b
	}
	r.buf = append(r.buf, part...)
	return nil
}

// Next returns the next line that is not blank. The error is io.EOF at the end
// of the input; any other error means that the rest cannot be read (a truncated
// gzip file, an expansion that goes too far) and everything before it was given
// out, the torn last line with a Fault. See docs/spec/cli.md#r11.
func (r *Reader) Next() (Line, error) {
	for {
		l, err := r.next()
		if err != nil || l.Fault != "" || len(bytes.TrimSpace(l.Bytes)) > 0 {
			return l, err
		}
	}
}

// NextRaw is Next with blank lines, for callers that pass lines on and must keep
// their count.
func (r *Reader) NextRaw() (Line, error) { return r.next() }

func (r *Reader) next() (Line, error) {
	if r.list != nil {
		return r.list.next(r)
	}
	if r.err != nil {
		return Line{}, r.err
	}
	r.line++
	if r.buf = r.buf[:0]; cap(r.buf) > keepLine {
		r.forget()
	}
	var skipped int64
	var full error
	for {
		part, err := r.src.ReadSlice('\n')
		if skipped == 0 && err == nil && len(r.buf) == 0 {
			return r.finish(part, 0) // the usual case: no copy
		}
		if skipped > 0 || len(r.buf)+len(part) > r.limits.Line+2 { // +2: the line end
			skipped += int64(len(r.buf) + len(part))
			r.forget()
		} else if full = r.keep(part); full != nil {
			skipped = int64(len(r.buf) + len(part))
			r.forget()
		}
		switch {
		case err == nil && full != nil:
			return r.refused(full), nil
		case err == nil:
			return r.finish(r.buf, skipped)
		case !errors.Is(err, bufio.ErrBufferFull):
			r.err = err
			if full != nil && err == io.EOF {
				return r.refused(full), nil
			}
			return r.last(skipped)
		}
	}
}

// keepLine is the memory of a long line, in bytes, up to which it is used for the
// next one.
const keepLine = 4 << 20

// refused returns the Line of a line for which there was no memory.
func (r *Reader) refused(why error) Line {
	return Line{N: r.line, Fault: fmt.Sprintf("cannot read line %d: %v", r.line, why), Busy: true}
}

// finish makes a complete line.
func (r *Reader) finish(b []byte, skipped int64) (Line, error) {
	b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	if skipped > 0 || len(b) > r.limits.Line {
		n := max(skipped, int64(len(b)))
		return Line{N: r.line, Fault: fmt.Sprintf("cannot read line %d: it has %d bytes; want at most %d (--max-line)", r.line, n, r.limits.Line)}, nil
	}
	return Line{N: r.line, Bytes: b}, nil
}

// last makes the line that the end of the input cut off.
func (r *Reader) last(skipped int64) (Line, error) {
	if skipped == 0 && len(bytes.TrimSpace(r.buf)) == 0 {
		return Line{}, r.err
	}
	if r.err == io.EOF {
		return r.finish(r.buf, skipped) // a missing final newline, or a torn line that the decoder reports
	}
	return Line{N: r.line, Fault: fmt.Sprintf("cannot read line %d: the input broke off after %d bytes of it: %v",
		r.line, max(skipped, int64(len(r.buf))), r.err)}, nil
}
