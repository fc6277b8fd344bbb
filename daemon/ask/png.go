package ask

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"slices"

	"github.com/klauspost/compress/zlib"
)

// encode returns an opaque picture as an 8-bit RGB PNG without alpha. Its rows are not filtered:
// whiteboards are flat areas, which compress as well without, and trying the filters takes most
// of the time of the standard library's encoder.
func encode(img *image.NRGBA) ([]byte, error) {
	var rows bytes.Buffer
	z, err := zlib.NewWriterLevel(&rows, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	row := make([]byte, 1+3*w) // the first byte is the kind of filter, 0 for none
	for y := range h {
		src := img.Pix[y*img.Stride:][:4*w]
		for x, at := 0, 1; x < len(src); x, at = x+4, at+3 {
			row[at], row[at+1], row[at+2] = src[x], src[x+1], src[x+2]
		}
		if _, err := z.Write(row); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	const depth, rgb = 8, 2
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append(slices.Grow([]byte(nil), rows.Len()+64), "\x89PNG\r\n\x1a\n"...)
	out = appendChunk(out, "IHDR", append(header, depth, rgb, 0, 0, 0))
	out = appendChunk(out, "IDAT", rows.Bytes())
	return appendChunk(out, "IEND", nil), nil
}

// appendChunk appends a chunk of a PNG: length, kind, data and checksum.
func appendChunk(dst []byte, kind string, data []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	from := len(dst)
	dst = append(append(dst, kind...), data...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
}
