package sheets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageFix replaces the bytes from begin to end of a file.
type pageFix struct {
	begin, end  int64
	replacement []byte
}

// fixPage returns the Parquet page to read in place of the one at byte pos of the file. stated is that
// page's header, of headerSize bytes. fixed is false if the page can stay as it is. replacement is nil if the
// page is dropped: the library fails on pages without values, which some writers put at the end of a column.
// The library also reads a run of true as one true and seven false, so truth values that are encoded in runs
// are written without runs. See docs/spec/dumps-files.md#r16.
func fixPage(src io.ReaderAt, c *format.ColumnMetaData, stated pageHeader, pos int64, headerSize int) (replacement []byte, fixed bool, err error) {
	switch {
	case stated.valueCount == 0:
		return nil, true, nil
	case c.Type != format.Boolean || stated.encoding != int64(format.RLE):
		return nil, false, nil
	case stated.kind != int64(format.DataPageV2):
		// In version 1 the levels are compressed together with the values, so these cannot be replaced alone.
		return nil, false, errors.New("truth values in runs stand in a page of version 1; want version 2")
	}
	// Read the page and decode its values.
	page := make([]byte, int64(headerSize)+stated.packedBytes)
	if _, err := src.ReadAt(page, pos); err != nil && err != io.EOF {
		return nil, false, err
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), page[:headerSize], &header); err != nil {
		return nil, false, err
	}
	body, v2 := page[headerSize:], &header.DataPageHeaderV2.V
	if stated.levelBytes > int64(len(body)) {
		return nil, false, io.ErrUnexpectedEOF
	}
	levels, data := body[:stated.levelBytes], body[stated.levelBytes:]
	if !stated.isUncompressed && c.Codec != format.Uncompressed {
		if data, err = parquet.LookupCompressionCodec(c.Codec).Decode(nil, data); err != nil {
			return nil, false, err
		}
	}
	bits, err := unpackBits(data, int(stated.valueCount)-int(v2.NumNulls))
	if err != nil {
		return nil, false, err
	}
	// Write it again, with one bit for each value.
	v2.Encoding, v2.IsCompressed = format.Plain, thrift.New(false)
	header.CRC = 0 // that of the old page would be wrong; 0 stands for none
	header.UncompressedPageSize = int32(len(levels) + len(bits))
	header.CompressedPageSize = header.UncompressedPageSize
	if replacement, err = thrift.Marshal(new(thrift.CompactProtocol), &header); err != nil {
		return nil, false, err
	}
	return append(append(replacement, levels...), bits...), true, nil
}

// unpackBits returns n truth values of a Parquet page as bits, the first one lowest. encoded has them in
// Parquet's hybrid encoding: the length of what follows as 4 bytes, then runs, each with its header. A run
// repeats one value, or has bytes of eight values each. Fewer than n values are an error.
func unpackBits(encoded []byte, n int) ([]byte, error) {
	if n < 0 || len(encoded) < 4 || int64(binary.LittleEndian.Uint32(encoded)) > int64(len(encoded)-4) {
		return nil, errors.New("the length of its runs is wrong")
	}
	encoded = encoded[4 : 4+binary.LittleEndian.Uint32(encoded)]
	bits := make([]byte, (n+7)/8)
	for done := 0; done < n; {
		runHeader, headerBytes := binary.Uvarint(encoded)
		if headerBytes <= 0 {
			return nil, fmt.Errorf("it has %d truth values; want %d", done, n)
		}
		encoded = encoded[headerBytes:]
		packed, count := runHeader&1 == 1, runHeader>>1 // count bytes of eight values, or else one value count times
		runBytes := uint64(1)                           // bytes of the run
		if packed {
			runBytes, count = count, min(count, uint64(n))*8
		}
		if uint64(len(encoded)) < runBytes || count == 0 {
			return nil, fmt.Errorf("it has %d truth values; want %d", done, n)
		}
		for i := uint64(0); i < count && done < n; i++ {
			bit := encoded[0]
			if packed {
				bit = encoded[i/8] >> (i % 8)
			}
			bits[done/8] |= bit & 1 << (done % 8)
			done++
		}
		encoded = encoded[runBytes:]
	}
	return bits, nil
}

// fixedColumn reads the bytes of one column of a file, with some pages replaced.
type fixedColumn struct {
	src    io.ReaderAt
	pieces []piece
}

// piece is a part of the column as it is read: bytes of the file, or the text of a replaced page.
type piece struct {
	readOffset int64  // the offset at which it is read
	fileOffset int64  // the offset in the file itself; not used where there is a text
	size       int64  // bytes
	text       []byte // nil for a part of the file
}

// newFixedColumn returns a reader of a Parquet column's bytes in which the pages of fixes are
// replaced. The fixes are in the order of the file. Offsets begin where the column does in the
// file, and bytes move when a replaced page has another length.
func newFixedColumn(src io.ReaderAt, c *format.ColumnMetaData, fixes []pageFix) *fixedColumn {
	f := &fixedColumn{src: src}
	filePos, end := columnRange(c)
	readPos := filePos
	add := func(p piece) { // appends a piece behind those before, unless it is empty
		if p.readOffset = readPos; p.size > 0 {
			f.pieces = append(f.pieces, p)
			readPos += p.size
		}
	}
	for _, fix := range fixes {
		add(piece{fileOffset: filePos, size: fix.begin - filePos})
		add(piece{text: fix.replacement, size: int64(len(fix.replacement))})
		filePos = fix.end
	}
	add(piece{fileOffset: filePos, size: end - filePos})
	return f
}

// ReadAt reads a Parquet column's bytes with the replaced pages. It fills p from the piece that holds the
// offset off, and then from the pieces after it. Offsets count from the column's beginning in the file as it
// was. It implements io.ReaderAt.
func (f *fixedColumn) ReadAt(p []byte, off int64) (n int, err error) {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].readOffset > off }) - 1
	for ; i >= 0 && i < len(f.pieces) && n < len(p); i++ {
		part := &f.pieces[i]
		skip := off + int64(n) - part.readOffset                         // bytes of the piece that lie before off
		want := p[n:min(int64(len(p)), int64(n)+max(part.size-skip, 0))] // what the piece can fill
		if part.text != nil {
			n += copy(want, part.text[skip:])
			continue
		}
		k, err := f.src.ReadAt(want, part.fileOffset+skip)
		if n += k; k < len(want) {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
