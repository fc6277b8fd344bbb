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

// checkFooter checks the footer of a Parquet file before the library decodes it: its size, its structure, and
// how deep columns nest. The library recurses and allocates by what the footer says.
func checkFooter(src io.ReaderAt, size int64) error {
	tail := make([]byte, min(8, size)) // the footer's length in 4 bytes, and the magic word
	if _, err := src.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	switch {
	case size >= shortestParquet && string(tail[4:]) == encryptedMagic:
		return errors.New("the Parquet file is encrypted; want it decrypted")
	case size < shortestParquet || string(tail[4:]) != parquetMagic:
		return errors.New("begins as Parquet but has no footer at its end (PAR1): a copy that broke off")
	}
	// Read the footer.
	n := int64(binary.LittleEndian.Uint32(tail))
	if n > maxFooter || n > size-shortestParquet {
		return fmt.Errorf("the footer has %d bytes in a file of %d; want at most %d", n, size, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := src.ReadAt(footer, size-8-n); err != nil {
		return fmt.Errorf("cannot read the footer: %w", err)
	}
	// Check its structure and find how deep columns nest.
	var depth schemaDepth
	walker := thriftWalker{encoded: footer, onInteger: depth.onInteger, onListStruct: depth.onListStruct}
	if err := walker.walkStruct(); err != nil {
		return fmt.Errorf("the footer is damaged: %w", err)
	}
	if depth.deepest > maxColumnDepth {
		return fmt.Errorf("columns are nested %d deep; want at most %d", depth.deepest, maxColumnDepth)
	}
	return nil
}

// schemaDepth finds how deep columns nest. The footer of a Parquet file lists them depth first, each with
// the number of its children.
type schemaDepth struct {
	childrenLeft []int64 // of each column around the current one, from the outermost: how many children are still to come
	deepest      int     // the deepest nesting so far
}

// The fields of the footer of a Parquet file that schemaDepth looks at, by their ids in parquet.thrift.
const (
	fieldSchema   = 2 // of the footer: the list of columns
	fieldChildren = 5 // of a column: the number of its children
)

// onListStruct is called at the beginning of each struct in a list of the Parquet footer, with the ids of the
// fields around it. Structs in the list of columns are columns. Each is counted as a child of the innermost
// column that still expects children; columns within that one, which expect none, are left.
func (s *schemaDepth) onListStruct(path []int) {
	if len(path) != 1 || path[0] != fieldSchema {
		return
	}
	for len(s.childrenLeft) > 0 && s.childrenLeft[len(s.childrenLeft)-1] <= 0 {
		s.childrenLeft = s.childrenLeft[:len(s.childrenLeft)-1]
	}
	if len(s.childrenLeft) > 0 {
		s.childrenLeft[len(s.childrenLeft)-1]--
	}
}

// onInteger is called with each integer of the Parquet footer and the ids of the fields around it. If it is
// the number of a column's children, those columns follow in the list, nested one level deeper.
func (s *schemaDepth) onInteger(path []int, v int64) {
	if len(path) == 2 && path[0] == fieldSchema && path[1] == fieldChildren && v > 0 {
		s.childrenLeft = append(s.childrenLeft, v)
		s.deepest = max(s.deepest, len(s.childrenLeft))
	}
}

// pageHeader is what is checked of the header of a page. Sizes are in bytes.
type pageHeader struct {
	kind, unpackedBytes, packedBytes, valueCount int64 // unpacked and packed: size of the page without and with compression
	encoding                                     int64
	levelBytes                                   int64 // bytes of levels, which version 2 does not compress
	isUncompressed                               bool  // version 2 without compression
}

// readPageHeader reads the Parquet page header with which b begins, and returns it and its length n in
// bytes. A field of the header has a path of one id, by parquet.thrift. Fields of the header for the page's
// kind, which is within it, have a path of two. The error says that the header breaks off, is damaged or has
// a negative size.
func readPageHeader(b []byte) (h pageHeader, n int, err error) {
	const kind, unpacked, packed = 1, 2, 3
	const v1, dictionary, v2 = 5, 7, 8 // the fields with the header for each kind, whose fields follow
	const values, v1Encoding, v2Encoding, v2Definitions, v2Repetitions, v2IsCompressed = 1, 2, 4, 5, 6, 7
	walker := thriftWalker{encoded: b, onInteger: func(path []int, v int64) {
		switch {
		case len(path) == 1 && path[0] == kind:
			h.kind = v
		case len(path) == 1 && path[0] == unpacked:
			h.unpackedBytes = v
		case len(path) == 1 && path[0] == packed:
			h.packedBytes = v
		case len(path) != 2: // not in the header for a kind
		case path[1] == values && (path[0] == v1 || path[0] == dictionary || path[0] == v2):
			h.valueCount = v
		case path[0] == v1 && path[1] == v1Encoding, path[0] == v2 && path[1] == v2Encoding:
			h.encoding = v
		case path[0] == v2 && (path[1] == v2Definitions || path[1] == v2Repetitions):
			h.levelBytes += v
		case path[0] == v2 && path[1] == v2IsCompressed:
			h.isUncompressed = v == 0
		}
	}}
	err = walker.walkStruct()
	if err == nil && (h.unpackedBytes < 0 || h.packedBytes < 0 || h.valueCount < 0 || h.levelBytes < 0) {
		err = errors.New("a size is negative")
	}
	return h, walker.pos, err
}

// checkPages checks the pages of a Parquet column in a row group before the library reads them. total
// is how many bytes they state to take decompressed, with one more for each value, which takes memory too.
// More than limit is an error. So is a page that decompresses to more than it states. fixes replace the
// pages that the library would read wrongly.
func checkPages(src io.ReaderAt, column *format.ColumnMetaData, limit int64, limits input.Limits) (total int64, fixes []pageFix, err error) {
	start, end := columnRange(column)
	if start < int64(len(parquetMagic)) || column.TotalCompressedSize < 0 || end < start {
		return 0, nil, errors.New("its place in the file is wrong (the file is damaged)")
	}
	values := int64(0) // in the pages of data so far
	for pos := start; pos < end; {
		header, headerSize, err := pageHeaderAt(src, pos, end)
		if err != nil && values >= column.NumValues { // all values are read: the rest is padding and is cut off
			return total, append(fixes, pageFix{pos, end, nil}), nil
		}
		if err != nil {
			return 0, nil, fmt.Errorf("the header of a page at byte %d cannot be read: %w", pos, err)
		}
		if header.packedBytes > end-pos-int64(headerSize) {
			return 0, nil, fmt.Errorf("a page at byte %d of %d bytes goes beyond the column", pos, header.packedBytes)
		}
		if total += header.unpackedBytes + header.valueCount; total > limit {
			return 0, nil, fmt.Errorf("it expands to more than %d bytes (1 GiB for the used columns of a row group; --max-ratio)", limit)
		}
		body := io.NewSectionReader(src, pos+int64(headerSize), header.packedBytes)
		if err := checkPageSize(body, header, column.Codec, limits); err != nil {
			return 0, nil, fmt.Errorf("a page at byte %d: %w", pos, err)
		}
		next := pos + int64(headerSize) + header.packedBytes
		if header.kind == int64(format.DataPage) || header.kind == int64(format.DataPageV2) {
			values += header.valueCount
			replacement, fixed, err := fixPage(src, column, header, pos, headerSize)
			if err != nil {
				return 0, nil, fmt.Errorf("a page at byte %d: %w", pos, err)
			}
			if fixed {
				fixes = append(fixes, pageFix{pos, next, replacement})
			}
		}
		pos = next
	}
	return total, fixes, nil
}

// columnRange returns where the pages of a Parquet column begin and end in the file. The dictionary,
// if there is one, is the first page.
func columnRange(c *format.ColumnMetaData) (start, end int64) {
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
		isAllRead := int64(len(head)) < size || size >= maxPageHeader // more bytes would not help
		if err == nil || isAllRead {
			return h, n, err
		}
	}
}

// checkPageSize returns an error if a Parquet page decompresses to more bytes than its header says, or
// if its compression is not supported. Other faults are left to the library, which names them.
func checkPageSize(page io.Reader, header pageHeader, codec format.CompressionCodec, limits input.Limits) error {
	limit := header.unpackedBytes
	if header.kind == int64(format.DataPageV2) {
		if header.isUncompressed { // the page is not compressed
			return nil
		}
		limit -= header.levelBytes // levels stand before the compressed values and are not compressed
		if _, err := io.CopyN(io.Discard, page, header.levelBytes); err != nil {
			return err
		}
	}
	switch codec {
	case format.Gzip:
		r, err := gzip.NewReader(page)
		if err != nil {
			return nil // the library says what is wrong with it
		}
		return checkExpandedSize(r, limit)
	case format.Zstd:
		r, err := dump.NewZstd(page, limits.Window)
		if err != nil {
			return err
		}
		defer r.Close()
		return dump.WithWindowFlag(checkExpandedSize(r, limit), limits.Window)
	case format.Snappy: // states its length at the start, and the library allocates it
		head := make([]byte, binary.MaxVarintLen64)
		n, _ := io.ReadFull(page, head)
		if size, n := binary.Uvarint(head[:n]); n > 0 && size > uint64(max(limit, 0)) {
			return errPageTooLong(limit)
		}
	case format.Brotli:
		return checkExpandedSize(brotli.NewReader(page), limit)
	case format.LZO, format.Lz4:
		return fmt.Errorf("the compression %s is not supported; want snappy, gzip, zstd or none", codec)
	}
	return nil
}

// checkExpandedSize decompresses a Parquet page from r, keeps nothing, and returns an error if it has more
// than limit bytes or needs too large a zstd window. Other errors are left to the library, which names them.
func checkExpandedSize(r io.Reader, limit int64) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, limit+1))
	if n > limit {
		return errPageTooLong(limit)
	}
	const anyWindow = 1 // WithWindowFlag puts it into a message, which is not used here
	if errors.Is(dump.WithWindowFlag(err, anyWindow), dump.ErrWindow) {
		return err
	}
	return nil
}

// errPageTooLong is the error of a page with more than limit bytes.
func errPageTooLong(limit int64) error {
	return fmt.Errorf("it expands to more than the %d bytes that its header states", limit)
}
