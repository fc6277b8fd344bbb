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

// pageFix replaces the bytes from pos to end of a file by text.
type pageFix struct {
	pos, end int64
	text     []byte
}

// fixPage returns the Parquet page to read in place of the one at byte pos of the file, whose header h
// has n bytes. fixed is false if the page can stay as it is, and text is nil if it is dropped. The
// library fails on pages without values, which some writers put at the end of a column, so these are
// dropped. It reads a run of true as one true and seven false, so truth values that are encoded in runs
// are written without runs. See docs/spec/dumps-files.md#r16.
func fixPage(src io.ReaderAt, c *format.ColumnMetaData, h pageHeader, pos int64, n int) (text []byte, fixed bool, err error) {
	switch {
	case h.values == 0:
		return nil, true, nil
	case c.Type != format.Boolean || h.encoding != int64(format.RLE):
		return nil, false, nil
	case h.kind != int64(format.DataPageV2):
		return nil, false, errors.New("truth values in runs stand in a page of version 1; want version 2")
	}
	// Read the page and decode its values.
	page := make([]byte, int64(n)+h.packed)
	if _, err := src.ReadAt(page, pos); err != nil && err != io.EOF {
		return nil, false, err
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), page[:n], &header); err != nil {
		return nil, false, err
	}
	body, v2 := page[n:], &header.DataPageHeaderV2.V
	if h.levels > int64(len(body)) {
		return nil, false, io.ErrUnexpectedEOF
	}
	levels, data := body[:h.levels], body[h.levels:]
	if !h.plain && c.Codec != format.Uncompressed {
		if data, err = parquet.LookupCompressionCodec(c.Codec).Decode(nil, data); err != nil {
			return nil, false, err
		}
	}
	bits, err := unpackBits(data, int(h.values)-int(v2.NumNulls))
	if err != nil {
		return nil, false, err
	}
	// Write it again, with one bit for each value.
	v2.Encoding, v2.IsCompressed = format.Plain, thrift.New(false)
	header.CRC = 0 // that of the old page would be wrong; 0 stands for none
	header.UncompressedPageSize = int32(len(levels) + len(bits))
	header.CompressedPageSize = header.UncompressedPageSize
	if text, err = thrift.Marshal(new(thrift.CompactProtocol), &header); err != nil {
		return nil, false, err
	}
	return append(append(text, levels...), bits...), true, nil
}

// unpackBits returns n truth values of a Parquet page as bits, the first one lowest. b has them in
// Parquet's hybrid encoding: the length of what follows as 4 bytes, then runs. A run repeats one value, or
// has bytes of eight values each. Fewer than n values are an error.
func unpackBits(b []byte, n int) ([]byte, error) {
	if n < 0 || len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, errors.New("the length of its runs is wrong")
	}
	b = b[4 : 4+binary.LittleEndian.Uint32(b)]
	bits := make([]byte, (n+7)/8)
	for at := 0; at < n; {
		runHeader, headerBytes := binary.Uvarint(b)
		if headerBytes <= 0 {
			return nil, fmt.Errorf("it has %d truth values; want %d", at, n)
		}
		b = b[headerBytes:]
		packed, count := runHeader&1 == 1, runHeader>>1 // count bytes of eight values, or else one value count times
		size := uint64(1)                               // bytes of the run
		if packed {
			size, count = count, min(count, uint64(n))*8
		}
		if uint64(len(b)) < size || count == 0 {
			return nil, fmt.Errorf("it has %d truth values; want %d", at, n)
		}
		for i := uint64(0); i < count && at < n; i++ {
			bit := b[0]
			if packed {
				bit = b[i/8] >> (i % 8)
			}
			bits[at/8] |= bit & 1 << (at % 8)
			at++
		}
		b = b[size:]
	}
	return bits, nil
}

// fixedChunk is a file in which the pages of one column are replaced.
type fixedChunk struct {
	src    io.ReaderAt
	pieces []piece
}

// piece is a part of the column as it is read: bytes of the file, or the text of a replaced page.
type piece struct {
	at   int64  // the offset at which it is read
	from int64  // the offset in the file itself; not used where there is a text
	size int64  // bytes
	text []byte // nil for a part of the file
}

// newFixedChunk returns a reader of a Parquet column's bytes in which the pages of fixes are
// replaced. The fixes are in the order of the file. Offsets begin where the column does in the
// file, and bytes move when a replaced page has another length.
func newFixedChunk(src io.ReaderAt, c *format.ColumnMetaData, fixes []pageFix) *fixedChunk {
	f := &fixedChunk{src: src}
	pos, end := chunkRange(c)
	at := pos
	add := func(p piece) {
		if p.at = at; p.size > 0 {
			f.pieces = append(f.pieces, p)
			at += p.size
		}
	}
	for _, fix := range fixes {
		add(piece{from: pos, size: fix.pos - pos})
		add(piece{text: fix.text, size: int64(len(fix.text))})
		pos = fix.end
	}
	add(piece{from: pos, size: end - pos})
	return f
}

// ReadAt reads a Parquet column's bytes with the replaced pages. It fills p from the piece in which the
// offset off is and the pieces after it. Offsets must be within the column. It implements io.ReaderAt.
func (f *fixedChunk) ReadAt(p []byte, off int64) (n int, err error) {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].at > off }) - 1
	for ; i >= 0 && i < len(f.pieces) && n < len(p); i++ {
		c := &f.pieces[i]
		skip := off + int64(n) - c.at
		want := p[n:min(int64(len(p)), int64(n)+max(c.size-skip, 0))]
		if c.text != nil {
			n += copy(want, c.text[skip:])
			continue
		}
		k, err := f.src.ReadAt(want, c.from+skip)
		if n += k; k < len(want) {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
