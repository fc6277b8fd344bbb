package ask

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"slices"
	"sync"
)

// Filters of PNG rows. See the PNG specification, section 9.
const (
	filterSub = 1 // bytes are differences from the pixel on the left
	filterUp  = 2 // bytes are differences from the pixel above
)

// zeroWriters keeps writers with their memory for further pictures.
var zeroWriters = sync.Pool{New: func() any { return new(zeroWriter) }}

// encode returns a picture, laid over an opaque ground, as an 8-bit RGB PNG without alpha. It is made for
// whiteboards, which are flat areas: a row that equals the one above is written as zeros alone, and only
// pixels that differ from the row above, or the pixel on the left, are laid over the ground. Equal
// pictures give equal bytes.
func encode(img *image.NRGBA, ground color.NRGBA) []byte {
	z := zeroWriters.Get().(*zeroWriter)
	defer zeroWriters.Put(z)
	z.reset()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	p := rowWriter{zeros: z, ground: ground}
	var above []byte
	for y := range h {
		row := img.Pix[y*img.Stride:][:4*w]
		switch {
		case above == nil:
			p.sub(row)
		case bytes.Equal(row, above):
			z.add(filterUp)
			z.skip(3 * w)
		case differing(row, above) > w/2: // then the pixel on the left says more than the row above
			p.sub(row)
		default:
			p.up(row, above)
		}
		above = row
	}
	const bitDepth, colourRGB = 8, 2
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append(slices.Grow([]byte(nil), 2*len(z.tokens)+512), "\x89PNG\r\n\x1a\n"...) // room that is nearly always enough
	out = appendChunk(out, "IHDR", func(b []byte) []byte {
		return append(append(b, size...), bitDepth, colourRGB, 0, 0, 0) // the only compression and filter method, not interlaced
	})
	out = appendChunk(out, "IDAT", z.finish)
	return appendChunk(out, "IEND", func(b []byte) []byte { return b })
}

// appendChunk appends a chunk of a PNG: its length, its kind, the data that the function appends, and the
// checksum of kind and data.
func appendChunk(dst []byte, kind string, data func([]byte) []byte) []byte {
	from := len(dst)
	dst = data(append(append(dst, 0, 0, 0, 0), kind...))
	binary.BigEndian.PutUint32(dst[from:], uint32(len(dst)-from-8))
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from+4:]))
}

// differing returns about how many pixels of two rows of a PNG differ. It compares two pixels at a time,
// and counts both where one differs.
func differing(a, b []byte) (n int) {
	x := 0
	for ; x+8 <= len(a); x += 8 {
		if binary.LittleEndian.Uint64(a[x:]) != binary.LittleEndian.Uint64(b[x:]) {
			n += 2
		}
	}
	return n
}

// rowWriter writes filtered rows of pixels, each laid over the ground.
type rowWriter struct {
	zeros  *zeroWriter
	ground color.NRGBA
}

// over returns a pixel laid over the ground of the PNG, in its three lowest bytes.
func (p *rowWriter) over(pixel []byte) (rgb [3]byte) {
	switch a := uint32(pixel[3]); a {
	case 0:
		return [3]byte{p.ground.R, p.ground.G, p.ground.B}
	case 255:
		return [3]byte(pixel)
	default:
		for i, g := range [3]uint8{p.ground.R, p.ground.G, p.ground.B} {
			rgb[i] = overlay(pixel[i], g, a)
		}
		return rgb
	}
}

// overlay returns the channel src with an alpha, not premultiplied, laid over the opaque channel dst,
// rounded to the nearest.
func overlay(src, dst uint8, alpha uint32) uint8 {
	return uint8((uint32(src)*alpha + uint32(dst)*(255-alpha) + 127) / 255)
}

// up writes a row of a PNG as differences from the one above (filter type 2). Runs of equal pixels are
// found first, as their differences are zeros.
func (p *rowWriter) up(row, above []byte) {
	p.zeros.add(filterUp)
	for x := 0; x < len(row); { // x counts bytes, four for each pixel
		n := equal(row[x:], above[x:])
		p.zeros.skip(3 * n)
		for x += 4 * n; x < len(row); x += 4 {
			if binary.LittleEndian.Uint32(row[x:]) == binary.LittleEndian.Uint32(above[x:]) {
				break
			}
			p.difference(p.over(row[x:x+4]), p.over(above[x:x+4]))
		}
	}
}

// equal returns how many pixels at the starts of two rows of equal length are equal. It compares two
// pixels at a time.
func equal(a, b []byte) int {
	x := 0
	for ; x+8 <= len(a) && binary.LittleEndian.Uint64(a[x:]) == binary.LittleEndian.Uint64(b[x:]); x += 8 {
	}
	if x+4 <= len(a) && binary.LittleEndian.Uint32(a[x:]) == binary.LittleEndian.Uint32(b[x:]) {
		x += 4
	}
	return x / 4
}

// sub writes a row of a PNG as differences from the pixel on the left (filter type 1).
func (p *rowWriter) sub(row []byte) {
	p.zeros.add(filterSub)
	var last [3]byte
	for x := 0; x < len(row); x += 4 {
		if x > 0 && binary.LittleEndian.Uint32(row[x:]) == binary.LittleEndian.Uint32(row[x-4:]) {
			p.zeros.skip(3)
			continue
		}
		c := p.over(row[x : x+4])
		p.difference(c, last)
		last = c
	}
}

// difference writes the three differences of two pixels.
func (p *rowWriter) difference(c, from [3]byte) {
	for i := range c {
		p.zeros.add(c[i] - from[i])
	}
}
