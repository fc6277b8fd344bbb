// Package flatpng writes pictures of flat areas, such as whiteboards, as PNGs, in a fraction of the time
// of a writer for all pictures. In: pixels that are not premultiplied, at least one. Out: the bytes of a
// PNG, equal for equal pictures. It refuses nothing: a picture that is not flat goes through the standard
// writer.
package flatpng

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"slices"
	"sync"
)

// Filters of PNG rows. See the PNG specification, section 9.
const (
	filterSub = 1 // bytes are differences from the pixel on the left
	filterUp  = 2 // bytes are differences from the pixel above
)

// form is what the pixels of a PNG hold, 8 bits a channel, by the number of the PNG specification.
type form uint8

const (
	grey form = 0 // the alpha of the picture
	rgb  form = 2 // the picture over a ground
	rgba form = 6 // all of the picture
)

// channels returns how many bytes a pixel takes.
func (f form) channels() int { return map[form]int{grey: 1, rgb: 3, rgba: 4}[f] }

// maxTokensPerByte is how many tokens a picture may take for each byte of its pixels: one with more, such as a
// photograph, is not flat, and the standard writer makes it smaller.
const maxTokensPerByte = 1. / 8

// anyTokens is more tokens for each byte than any picture can take, so that encode never gives up.
const anyTokens = 2

// freeTokens is how many tokens every picture may take beside that: a small picture need not be flat.
const freeTokens = 1 << 16

// maxKeptTokens is the number of tokens from which the memory of a writer is not kept.
const maxKeptTokens = 1 << 20

// writers keeps writers with their memory for further pictures.
var writers = sync.Pool{New: func() any { return new(rowWriter) }}

// RGBA returns a picture as a PNG with alpha. It is encoded by the fast encoder for pictures with
// large flat areas, or by the standard library if the picture has too much detail for that.
func RGBA(img *image.NRGBA) []byte {
	if b := encode(img, rgba, color.NRGBA{}, maxTokensPerByte); b != nil {
		return b
	}
	return encodeStandard(img)
}

// Alpha returns the alpha of a picture as a grey PNG, by the fast encoder for flat pictures, or by the
// standard library if the picture has too much detail for that.
func Alpha(img *image.NRGBA) []byte {
	if b := encode(img, grey, color.NRGBA{}, maxTokensPerByte); b != nil {
		return b
	}
	return encodeStandard(Grey(img))
}

// Grey returns the alpha of a picture as an 8-bit grey picture, for formats without colours.
func Grey(img *image.NRGBA) *image.Gray {
	grey := image.NewGray(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range img.Rect.Dy() {
		for x := range grey.Stride {
			grey.Pix[y*grey.Stride+x] = img.Pix[y*img.Stride+4*x+3]
		}
	}
	return grey
}

// Over returns a picture, laid over an opaque ground, as a PNG without alpha.
func Over(img *image.NRGBA, ground color.NRGBA) []byte { return encode(img, rgb, ground, anyTokens) }

// encodeStandard returns a picture as a PNG of the standard library, for pictures that are not flat.
func encodeStandard(img image.Image) []byte {
	var buffer bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buffer, img); err != nil {
		panic("BUG: cannot write PNG: " + err.Error()) // only of a picture without pixels
	}
	return buffer.Bytes()
}

// encode returns a picture as a PNG of the form f; ground is the colour under the picture for the form rgb.
// It is fast because rows that equal the one above cost one comparison, and so do runs of pixels that
// equal those above or the one on the left. It returns nil if the picture takes more than maxPerByte tokens
// (literals and runs) for each byte of its pixels.
func encode(img *image.NRGBA, f form, ground color.NRGBA, maxPerByte float64) []byte {
	writer := writers.Get().(*rowWriter)
	defer func() {
		if cap(writer.stream.tokens) <= maxKeptTokens {
			writers.Put(writer)
		}
	}()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	writer.stream.reset()
	writer.form, writer.channels, writer.ground = f, f.channels(), ground
	limit := int(maxPerByte*float64(w*h*writer.channels)) + freeTokens
	// Filter and compress the rows.
	var above []byte // the row above in the picture
	for y := range h {
		row := img.Pix[y*img.Stride:][:4*w]
		switch {
		case above == nil:
			writer.writeSub(row)
		case bytes.Equal(row, above):
			writer.stream.addByte(filterUp)
			writer.stream.addZeros(writer.channels * w)
		case differingPixels(row, above) > w/2: // most pixels differ: those on the left are more alike
			writer.writeSub(row)
		default:
			writer.writeUp(row, above)
		}
		if len(writer.stream.tokens) > limit {
			return nil
		}
		above = row
	}
	// Put the file together.
	const bitDepth = 8
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append(slices.Grow([]byte(nil), 2*len(writer.stream.tokens)+512), "\x89PNG\r\n\x1a\n"...) // room that is nearly always enough
	out = appendChunk(out, "IHDR", func(b []byte) []byte {
		return append(append(b, size...), bitDepth, byte(f), 0, 0, 0) // the only compression and filter method, not interlaced
	})
	out = appendChunk(out, "IDAT", writer.stream.finish)
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

// differingPixels returns about how many pixels of two rows of a picture differ, for the choice of a filter. It
// compares two pixels at a time, which is faster, and counts both where one differs.
func differingPixels(a, b []byte) (n int) {
	for x := 0; x+8 <= len(a); {
		if x += equalBlocks(a[x:], b[x:]); x+8 > len(a) {
			break
		}
		for end := min(x+block, len(a)); x+8 <= end; x += 8 {
			if binary.LittleEndian.Uint64(a[x:]) != binary.LittleEndian.Uint64(b[x:]) {
				n += 2
			}
		}
	}
	return n
}

// block is how many bytes are compared at once where rows are mostly equal, a multiple of two pixels.
const block = 128

// equalBlocks returns how many bytes at the starts of two rows of equal length are equal, rounded down to
// whole blocks. It compares a block with one fast comparison of memory.
func equalBlocks(a, b []byte) (x int) {
	for x+block <= len(a) && string(a[x:x+block]) == string(b[x:x+block]) {
		x += block
	}
	return x
}

// rowWriter writes filtered rows of pixels of a form.
type rowWriter struct {
	stream   zeroRunWriter // the compressed rows
	form     form
	channels int
	ground   color.NRGBA
}

// bytesOf returns the bytes that a pixel, RGBA and not premultiplied, has in the PNG: one for each channel
// of the form, at the start of the result. For the form rgb the pixel is laid over the ground.
func (p *rowWriter) bytesOf(pixel []byte) [4]byte {
	switch p.form {
	case rgba:
		return [4]byte(pixel)
	case grey:
		return [4]byte{pixel[3]}
	}
	switch a := uint32(pixel[3]); a {
	case 0:
		return [4]byte{p.ground.R, p.ground.G, p.ground.B}
	case 255:
		return [4]byte(pixel)
	default:
		return [4]byte{Overlay(pixel[0], p.ground.R, a), Overlay(pixel[1], p.ground.G, a), Overlay(pixel[2], p.ground.B, a)}
	}
}

// Overlay returns the channel src with an alpha, not premultiplied, laid over the opaque channel dst,
// rounded to the nearest.
func Overlay(src, dst uint8, alpha uint32) uint8 {
	return uint8((uint32(src)*alpha + uint32(dst)*(255-alpha) + 127) / 255)
}

// writeUp writes a row of a PNG as differences from the row above (filter type 2). row and above have four
// bytes for each pixel. Runs of equal pixels are found first, because their differences are zeros and need
// not be computed.
func (p *rowWriter) writeUp(row, above []byte) {
	p.stream.addByte(filterUp)
	for x := 0; x < len(row); { // x counts bytes, four for each pixel
		n := equalPixels(row[x:], above[x:])
		p.stream.addZeros(p.channels * n)
		for x += 4 * n; x < len(row); x += 4 {
			if binary.LittleEndian.Uint32(row[x:]) == binary.LittleEndian.Uint32(above[x:]) {
				break
			}
			p.writeDifference(p.bytesOf(row[x:x+4]), p.bytesOf(above[x:x+4]))
		}
	}
}

// equalPixels returns how many pixels at the starts of two rows of equal length are equal. It compares two
// pixels at a time.
func equalPixels(a, b []byte) int {
	x := equalBlocks(a, b)
	for ; x+8 <= len(a) && binary.LittleEndian.Uint64(a[x:]) == binary.LittleEndian.Uint64(b[x:]); x += 8 {
	}
	// One pixel more, the first of two that are not both equal, or the last one.
	if x+4 <= len(a) && binary.LittleEndian.Uint32(a[x:]) == binary.LittleEndian.Uint32(b[x:]) {
		x += 4
	}
	return x / 4
}

// writeSub writes a row of a PNG, four bytes for each pixel, as differences from the pixel on the left (filter type
// 1): the byte of the filter, then for each channel of each pixel its difference, which is 0 where two pixels
// are equal.
func (p *rowWriter) writeSub(row []byte) {
	p.stream.addByte(filterSub)
	var last [4]byte
	for x := 0; x < len(row); x += 4 {
		if x > 0 && binary.LittleEndian.Uint32(row[x:]) == binary.LittleEndian.Uint32(row[x-4:]) {
			p.stream.addZeros(p.channels)
			continue
		}
		pixel := p.bytesOf(row[x : x+4])
		p.writeDifference(pixel, last)
		last = pixel
	}
}

// writeDifference writes the differences of the channels of two pixels.
func (p *rowWriter) writeDifference(c, from [4]byte) {
	for i := range p.channels {
		p.stream.addByte(c[i] - from[i])
	}
}
