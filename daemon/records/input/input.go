// Package input opens the decompressed bytes of a dump, in order or at any place. In: the
// path of a file, or "-" for standard input. Out: the decompressed text as a stream, and
// random access to the bytes where a format needs it. Input that is compressed twice, or in a
// form that no reader accepts, is refused by name. See docs/spec/dumps.md#r6.
package input

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"plumb/daemon/dump"
	"plumb/daemon/records/address"
)

// Limits bound what opening and reading a dump may cost. Zero values mean the defaults.
type Limits struct {
	dump.Limits
	Spool   int64            // bytes of a temporary file, default 16 GiB (--max-spool)
	Entries int              // entries of an archive, default 2,000,000 (--max-entries)
	Remote  *address.Options // knows the addresses that may be opened; nil for none
}

// The defaults of Limits.
const (
	DefaultSpool   = 16 << 30
	DefaultEntries = 2_000_000
)

// HeadSize is how many bytes Head can return.
const HeadSize = 1 << 20

// Input is one dump that is open. It is not safe for concurrent use.
type Input struct {
	Name   string // for messages and results
	Path   string // of a local file, "" for standard input and addresses
	Limits Limits // without zero values

	SkippedLines int // lines that repeat an earlier answer and were left out

	text      *dump.Reader    // the decompressed bytes as a stream; its Compression is "" for plain input
	file      *os.File        // nil for standard input and addresses
	remote    *address.Object // nil for what is no address
	spool     *os.File        // the temporary copy that RandomAccess made, nil for none
	spoolSize int64           // its size
	madeOnce  map[string]any  // what MakeOnce returned, by name
	spoolHead []byte          // the first bytes of spool, for Head
	closers   []func() error
}

// Open opens the dump at path, a file or an object that Limits.Remote found under that name; "-"
// reads stdin. Compressed input is decompressed. Data in a form that no reader accepts is an error.
func Open(path string, stdin io.Reader, limits Limits) (*Input, error) {
	// Fill in the defaults.
	limits.Limits = limits.Limits.WithDefaults()
	limits.Peek = HeadSize
	limits.Spool = cmp.Or(max(limits.Spool, 0), DefaultSpool)
	limits.Entries = cmp.Or(max(limits.Entries, 0), DefaultEntries)
	in := &Input{Name: path, Limits: limits}
	src := stdin
	if err := in.openSource(path, &src); err != nil {
		return nil, fmt.Errorf("cannot open dump: %w", err)
	}
	text, err := dump.NewReader(src, limits.Limits)
	if err == nil {
		in.text = text
		in.closers = append(in.closers, text.Close)
		err = in.refuseOtherForms()
	}
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return in, nil
}

// openSource opens the dump at path, a file or an object at a known address, and sets *src to a reader of its
// bytes. For "-", standard input, *src already is that reader and stays as it is.
func (in *Input) openSource(path string, src *io.Reader) error {
	if path == "-" {
		return nil
	}
	if in.remote = in.Limits.Remote.Known(path); in.remote != nil {
		r, err := in.remote.Open()
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
		*src = r
		in.closers = append(in.closers, r.Close)
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	in.Path, in.file, *src = path, f, f
	in.closers = append(in.closers, f.Close)
	return nil
}

// Close closes the files that reading the dump has opened, the last one first, and removes temporary files.
func (in *Input) Close() error {
	var all []error
	for i := len(in.closers) - 1; i >= 0; i-- {
		all = append(all, in.closers[i]())
	}
	in.closers = nil
	return errors.Join(all...)
}

// Head returns the first bytes of the dump's decompressed text without reading them: those that have
// arrived, at most HeadSize. It waits for one byte at least, and returns none for an empty input.
func (in *Input) Head() []byte {
	if in.spool != nil {
		return in.spoolHead
	}
	in.text.Peek(1) // fills the buffer
	b, _ := in.text.Peek(min(in.Stream().Buffered(), HeadSize))
	return b
}

// WaitForMore waits until Head can return more bytes of the dump than now, and reports whether it can. It
// cannot at the end of the input, or if Head returns HeadSize bytes already.
func (in *Input) WaitForMore() bool {
	buffered := in.Stream().Buffered()
	if buffered >= HeadSize {
		return false
	}
	b, _ := in.text.Peek(buffered + 1)
	return len(b) > buffered
}

// Lines returns the decompressed text as lines. Only one of Lines, Stream and RandomAccess may be used to read it.
func (in *Input) Lines() *dump.Reader { return in.text }

// Stream returns the decompressed text after a byte order mark.
func (in *Input) Stream() *bufio.Reader { return in.text.Text() }

// HasSections reports whether parts of the input can be read by themselves: it is a file, or an object with
// ranges, and is not compressed.
func (in *Input) HasSections() bool {
	return in.text.Compression() == "" && (in.Path != "" || in.remote != nil && in.remote.Random())
}

// RandomAccess returns random access to the dump's decompressed bytes, and their number. Anything but a
// plain file or object is first copied to a temporary file without a name, at most Limits.Spool
// bytes. Further calls return the same. After a copy the stream is used up.
func (in *Input) RandomAccess() (io.ReaderAt, int64, error) {
	isPlain := in.text.Compression() == ""
	if in.file != nil && isPlain {
		if info, err := in.file.Stat(); err == nil && info.Mode().IsRegular() {
			return in.file, info.Size(), nil
		}
	}
	if in.remote != nil && in.remote.Random() && isPlain {
		return in.remote, in.remote.Size, nil
	}
	if in.spool != nil {
		return in.spool, in.spoolSize, nil
	}
	// Copy the text to a file that is unlinked at once, so that it vanishes even after a crash.
	const keep = 4 << 10 // bytes that Head returns afterwards, when nothing is left to peek at
	head := in.Head()
	kept := bytes.Clone(head[:min(len(head), keep)])
	f, err := os.CreateTemp("", "plumb-spool-*")
	if err != nil {
		return nil, 0, fmt.Errorf("cannot make a temporary file: %w", err)
	}
	in.closers = append(in.closers, f.Close)
	if err := os.Remove(f.Name()); err != nil {
		return nil, 0, fmt.Errorf("cannot unlink a temporary file: %w", err)
	}
	n, err := io.Copy(f, io.LimitReader(in.Stream(), in.Limits.Spool+1))
	if err != nil {
		return nil, 0, fmt.Errorf("cannot copy to a temporary file in %s: %w", os.TempDir(), err)
	}
	if n > in.Limits.Spool {
		return nil, 0, fmt.Errorf("it has more than %d bytes, and random access needs a copy; want a plain file, or a higher --max-spool", in.Limits.Spool)
	}
	in.spool, in.spoolSize, in.spoolHead = f, n, kept
	return f, n, nil
}

// MakeOnce calls make at the first call with that name and returns its result, then and at later calls.
// So the detection of a dump's format and the reader of the format share what they read. After an
// error the next call tries again.
func (in *Input) MakeOnce(name string, make func() (any, error)) (any, error) {
	if v, ok := in.madeOnce[name]; ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	if in.madeOnce == nil {
		in.madeOnce = map[string]any{}
	}
	in.madeOnce[name] = v
	return v, nil
}

// OpenSibling opens another file in the folder of the dump. The error is os.ErrNotExist where there is
// none, or where the input has no folder.
func (in *Input) OpenSibling(name string) (*Input, error) {
	if in.Path == "" {
		return nil, os.ErrNotExist
	}
	path := filepath.Join(filepath.Dir(in.Path), name)
	if _, err := os.Stat(path); err != nil {
		return nil, os.ErrNotExist
	}
	return Open(path, nil, in.Limits)
}

// FormError says what a file is that is no dump in any form, as against a dump that is damaged.
type FormError struct{ What string }

// Error implements error.
func (e *FormError) Error() string { return e.What }

// refusal is a form of data that no reader accepts.
type refusal struct {
	magic []byte
	what  string // what it is and what to do
}

// refusals lists the refused forms by their first bytes. See docs/spec/dumps.md#r7.
var refusals = []refusal{
	{[]byte("\xfd7zXZ\x00"), "it is an xz file; want it unpacked first"},
	{[]byte("\x04\x22\x4d\x18"), "it is an lz4 file; want it unpacked first"},
	{[]byte("SQLite format 3\x00"), "it is an SQLite database; want the table as Parquet, CSV or JSON lines"},
	{[]byte("ARROW1"), "it is an Arrow file; want it as Parquet (to_parquet)"},
	{[]byte("\xff\xff\xff\xff"), "it is an Arrow stream; want it as Parquet (to_parquet)"},
	{[]byte("\xd0\xcf\x11\xe0"), "it is an old Office file (.xls); want xlsx, TSV or CSV"},
	{[]byte("\xff\xfe"), "it is UTF-16 by its byte order mark; want UTF-8"},
	{[]byte("\xfe\xff"), "it is UTF-16 by its byte order mark; want UTF-8"},
}

// tarWordOffset is the offset of the word ustar in a tar archive.
const tarWordOffset = 257

// refuseOtherForms refuses a dump in a form that no reader accepts, such as a database, a pickle, or data
// that is compressed twice. It waits for more bytes only of files, because a pipe may deliver slowly.
func (in *Input) refuseOtherForms() error {
	if _, err := in.text.Peek(1); err != nil && err != io.EOF {
		return err
	}
	const tarWord = "ustar"
	head := in.Head()
	for len(head) < tarWordOffset+len(tarWord) && in.file != nil && in.WaitForMore() {
		head = in.Head()
	}
	for _, r := range refusals {
		if bytes.HasPrefix(head, r.magic) {
			return &FormError{r.what}
		}
	}
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")):
		return &FormError{"it begins with <, as a web page does; want the file itself"}
	case len(head) > 1 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5: // the protocols 2 to 5
		return &FormError{"it is a Python pickle, which can run code when it is read, and is refused; want xlsx, TSV or JSON (PRED_FORMAT)"}
	case len(head) > tarWordOffset+len(tarWord) && string(head[tarWordOffset:tarWordOffset+len(tarWord)]) == tarWord:
		return &FormError{"it is a tar archive; want it unpacked first"}
	case in.text.Compression() != "" && dump.IsCompressed(head):
		return &FormError{fmt.Sprintf("it is compressed twice, the outer time with %s; want one layer: unpack it first", in.text.Compression())}
	}
	return nil
}
