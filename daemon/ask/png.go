package ask

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"slices"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// pngWriter holds the buffers for one picture at a time.
type pngWriter struct {
	rows bytes.Buffer
	z    *zlib.Writer
	row  []byte
}

// pngWriters keeps writers for further pictures: the compressor takes 1 MB.
var pngWriters = sync.Pool{New: func() any {
	p := new(pngWriter)
	p.z, _ = zlib.NewWriterLevel(&p.rows, zlib.BestSpeed) // the level is valid
	return p
}}

// encode returns an opaque picture as an 8-bit RGB PNG without alpha. Its rows are not filtered:
// whiteboards are flat areas, which compress as well without, and trying the filters takes most
// of the time of the standard library's encoder.
func encode(img *image.NRGBA) ([]byte, error) {
	p := pngWriters.Get().(*pngWriter)
	defer pngWriters.Put(p)
	p.rows.Reset()
	p.z.Reset(&p.rows)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	p.row = append(slices.Grow(p.row[:0], 1+3*w), 0)[:1+3*w] // the first byte is the kind of filter, 0 for none
	for y := range h {
		src := img.Pix[y*img.Stride:][:4*w]
		for x, at := 0, 1; x < len(src); x, at = x+4, at+3 {
			p.row[at], p.row[at+1], p.row[at+2] = src[x], src[x+1], src[x+2]
		}
		if _, err := p.z.Write(p.row); err != nil {
			return nil, err
		}
	}
	if err := p.z.Close(); err != nil {
		return nil, err
	}
	const depth, rgb = 8, 2
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append(slices.Grow([]byte(nil), p.rows.Len()+64), "\x89PNG\r\n\x1a\n"...)
	out = appendChunk(out, "IHDR", append(header, depth, rgb, 0, 0, 0))
	out = appendChunk(out, "IDAT", p.rows.Bytes())
	return appendChunk(out, "IEND", nil), nil
}

// appendChunk appends a chunk of a PNG: length, kind, data and checksum.
func appendChunk(dst []byte, kind string, data []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	from := len(dst)
	dst = append(append(dst, kind...), data...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
}
