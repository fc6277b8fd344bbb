package sheets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go/format"

	"plumb/daemon/dump"
	"plumb/daemon/records/input"
)

// The bounds of Parquet files. See docs/spec/dumps-files.md#r16.
const (
	maxFooter       = 64 << 20 // bytes
	maxColumnDepth  = 300
	maxGroupBytes   = 1 << 30  // of the used columns of a row group, decompressed
	parquetFloor    = 64 << 20 // bytes of a row group below which its expansion is not looked at
	maxPageHeader   = 1 << 20
	parquetMagic    = "PAR1"
	encryptedMagic  = "PARE"
	shortestParquet = 12 // both magic words and the size of the footer
)

// checkFooter checks the footer of a Parquet file before the library decodes it: its size,
// its structure, and how deep columns nest. The library recurses and allocates by what the
// footer says.
func checkFooter(src io.ReaderAt, size int64) error {
	tail := make([]byte, min(8, size))
	if _, err := src.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	switch {
	case size < shortestParquet, string(tail[4:]) != parquetMagic && string(tail[4:]) != encryptedMagic:
		return errors.New("begins as Parquet but has no footer at its end (PAR1): a copy that broke off")
	case string(tail[4:]) == encryptedMagic:
		return errors.New("the Parquet file is encrypted; want it decrypted")
	}
	// Read the footer, whose length stands before the last four bytes.
	n := int64(binary.LittleEndian.Uint32(tail))
	if n > maxFooter || n > size-shortestParquet {
		return fmt.Errorf("the footer has %d bytes in a file of %d; want at most %d", n, size, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := src.ReadAt(footer, size-8-n); err != nil {
		return fmt.Errorf("cannot read the footer: %w", err)
	}
	// Walk through it.
	var s schemaDepth
	walker := thriftWalker{b: footer, each: s.each, begin: s.begin}
	if err := walker.structure(); err != nil {
		return fmt.Errorf("the footer is damaged: %w", err)
	}
	if s.most > maxColumnDepth {
		return fmt.Errorf("columns are nested %d deep; want at most %d", s.most, maxColumnDepth)
	}
	return nil
}

// schemaDepth finds how deep columns nest. The footer of a Parquet file lists them depth first, each with
// the number of its children.
type schemaDepth struct {
	left []int64 // of each column around the current one, how many children are still to come
	most int     // the deepest nesting so far
}

// The fields of the footer of a Parquet file that schemaDepth looks at, by their ids in parquet.thrift.
const (
	fieldSchema   = 2 // of the footer: the list of columns
	fieldChildren = 5 // of a column: the number of its children
)

// begin is called at the beginning of each struct in a list of the Parquet footer, with the ids of the
// fields around it. If the struct is a column, it is counted as a child of the innermost column that
// still expects children.
func (s *schemaDepth) begin(path []int) {
	if len(path) != 1 || path[0] != fieldSchema {
		return
	}
	for len(s.left) > 0 && s.left[len(s.left)-1] <= 0 {
		s.left = s.left[:len(s.left)-1]
	}
	if len(s.left) > 0 {
		s.left[len(s.left)-1]--
	}
}

// each is called with each integer of the Parquet footer and the ids of the fields around it. If it is
// the number of a column's children, those columns follow, one level deeper.
func (s *schemaDepth) each(path []int, v int64) {
	if len(path) == 2 && path[0] == fieldSchema && path[1] == fieldChildren && v > 0 {
		s.left = append(s.left, v)
		s.most = max(s.most, len(s.left))
	}
}

// pageHeader is what is checked of the header of a page. Sizes are in bytes.
type pageHeader struct {
	kind, unpacked, packed, values int64 // unpacked and packed: size of the page without and with compression
	encoding                       int64
	levels                         int64 // bytes of levels, which version 2 does not compress
	plain                          bool  // version 2 without compression
}

// readPageHeader reads the Parquet page header with which b begins, and returns it and its length n in
// bytes. The ids of its fields are those of parquet.thrift. The error says that the header breaks off,
// is damaged or has a negative size.
func readPageHeader(b []byte) (h pageHeader, n int, err error) {
	const v1, dictionary, v2 = 5, 7, 8 // the fields with the header of each kind
	walker := thriftWalker{b: b, each: func(path []int, v int64) {
		switch {
		case len(path) == 1 && path[0] == 1:
			h.kind = v
		case len(path) == 1 && path[0] == 2:
			h.unpacked = v
		case len(path) == 1 && path[0] == 3:
			h.packed = v
		case len(path) != 2: // not in the header of a kind
		case path[1] == 1 && (path[0] == v1 || path[0] == dictionary || path[0] == v2):
			h.values = v
		case path[0] == v1 && path[1] == 2, path[0] == v2 && path[1] == 4:
			h.encoding = v
		case path[0] == v2 && (path[1] == 5 || path[1] == 6):
			h.levels += v
		case path[0] == v2 && path[1] == 7:
			h.plain = v == 0
		}
	}}
	err = walker.structure()
	if err == nil && (h.unpacked < 0 || h.packed < 0 || h.values < 0 || h.levels < 0) {
		err = errors.New("a size is negative")
	}
	return h, walker.pos, err
}

// checkPages checks the pages of a Parquet column c in a row group before the library reads them. total
// is how many bytes they state to take decompressed, with one more for each value; more than `most` is an
// error. So is a page that decompresses to more than it states. fixes replace the pages that the library
// would read wrongly.
func checkPages(src io.ReaderAt, c *format.ColumnMetaData, most int64, limits input.Limits) (total int64, fixes []pageFix, err error) {
	start, end := chunkRange(c)
	if start < int64(len(parquetMagic)) || c.TotalCompressedSize < 0 || end < start {
		return 0, nil, errors.New("its place in the file is wrong (the file is damaged)")
	}
	values := int64(0) // in the pages so far
	for pos := start; pos < end; {
		h, n, err := pageHeaderAt(src, pos, end)
		if err != nil && values >= c.NumValues { // all values are read: the rest is padding and is cut off
			return total, append(fixes, pageFix{pos, end, nil}), nil
		}
		if err != nil {
			return 0, nil, fmt.Errorf("the header of a page at byte %d cannot be read: %w", pos, err)
		}
		if h.packed > end-pos-int64(n) {
			return 0, nil, fmt.Errorf("a page at byte %d of %d bytes goes beyond the column", pos, h.packed)
		}
		if total += h.unpacked + h.values; total > most {
			return 0, nil, fmt.Errorf("it expands to more than %d bytes (1 GiB for the used columns of a row group; --max-ratio)", most)
		}
		body := io.NewSectionReader(src, pos+int64(n), h.packed)
		if err := checkPage(body, h, c.Codec, limits); err != nil {
			return 0, nil, fmt.Errorf("a page at byte %d: %w", pos, err)
		}
		next := pos + int64(n) + h.packed
		if h.kind == int64(format.DataPage) || h.kind == int64(format.DataPageV2) {
			values += h.values
			text, fixed, err := fixPage(src, c, h, pos, n)
			if err != nil {
				return 0, nil, fmt.Errorf("a page at byte %d: %w", pos, err)
			}
			if fixed {
				fixes = append(fixes, pageFix{pos, next, text})
			}
		}
		pos = next
	}
	return total, fixes, nil
}

// chunkRange returns where the pages of a Parquet column begin and end in the file. The dictionary,
// if there is one, is the first page.
func chunkRange(c *format.ColumnMetaData) (start, end int64) {
	start = c.DataPageOffset
	if c.DictionaryPageOffset != 0 {
		start = c.DictionaryPageOffset
	}
	return start, start + c.TotalCompressedSize
}

// pageHeaderAt reads the header of the Parquet page at byte pos of the file, in a column that ends at
// byte end. n is the header's length. No field states that length, so more and more bytes are read, up
// to maxPageHeader, until they hold a whole header.
func pageHeaderAt(src io.ReaderAt, pos, end int64) (h pageHeader, n int, err error) {
	const first, factor = 4096, 16 // bytes that are read at first, and how many times more then
	for size := int64(first); ; size *= factor {
		head := make([]byte, min(end-pos, size, maxPageHeader))
		if _, err := src.ReadAt(head, pos); err != nil && err != io.EOF {
			return h, 0, err
		}
		h, n, err = readPageHeader(head)
		if err == nil || int64(len(head)) < size || size >= maxPageHeader {
			return h, n, err
		}
	}
}

// checkPage returns an error if a Parquet page decompresses to more bytes than its header says, or
// if its compression is not supported. Other faults are left to the library, which names them.
func checkPage(page io.Reader, h pageHeader, codec format.CompressionCodec, limits input.Limits) error {
	most := h.unpacked
	if h.kind == int64(format.DataPageV2) {
		if h.plain { // the page is not compressed
			return nil
		}
		most -= h.levels // levels stand before the compressed values and are not compressed
		if _, err := io.CopyN(io.Discard, page, h.levels); err != nil {
			return err
		}
	}
	switch codec {
	case format.Gzip:
		r, err := gzip.NewReader(page)
		if err != nil {
			return nil // the library says what is wrong with it
		}
		return bounded(r, most)
	case format.Zstd:
		r, err := dump.NewZstd(page, limits.Window)
		if err != nil {
			return err
		}
		defer r.Close()
		return dump.TooWide(bounded(r, most), limits.Window)
	case format.Snappy: // states its length at the start, and the library allocates it
		head := make([]byte, binary.MaxVarintLen64)
		n, _ := io.ReadFull(page, head)
		if size, n := binary.Uvarint(head[:n]); n > 0 && size > uint64(max(most, 0)) {
			return tooLong(most)
		}
	case format.Brotli:
		return bounded(brotli.NewReader(page), most)
	case format.LZO, format.Lz4:
		return fmt.Errorf("the compression %s is not supported; want snappy, gzip, zstd or none", codec)
	}
	return nil
}

// bounded decompresses a Parquet page, keeps nothing, and returns an error if it has more than
// `most` bytes or needs too large a zstd window. Other errors are left to the library, which names
// them.
func bounded(r io.Reader, most int64) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, most+1))
	if n > most {
		return tooLong(most)
	}
	const anyWindow = 1 // for a message that is not used here
	if errors.Is(dump.TooWide(err, anyWindow), dump.ErrWindow) {
		return err
	}
	return nil
}

// tooLong is the error of a page with more than most bytes.
func tooLong(most int64) error {
	return fmt.Errorf("it expands to more than the %d bytes that its header states", most)
}
