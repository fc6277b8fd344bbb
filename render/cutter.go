package render

import (
	"encoding/binary"
	"image"

	"plumb/render/batch"
	"plumb/render/paint"
	"plumb/render/scan"
	"plumb/render/shapes"
)

// cutter makes of pictures what the tile stage counts: one item per picture,
// whose coverage is the picture's alpha.
type cutter struct {
	drawing paint.Drawing
	binner  batch.Binner
	tiled   batch.Tiled
}

// cut fills c.drawing: a is set A and b, which may be nil, set B. Both are of
// one size.
func (c *cutter) cut(a, b *image.NRGBA) {
	d := &c.drawing
	d.Reset()
	d.Width, d.Height = a.Rect.Dx(), a.Rect.Dy()
	c.item(a, false)
	if b != nil {
		c.item(b, true)
	}
}

func (c *cutter) item(img *image.NRGBA, second bool) {
	d := &c.drawing
	first := len(d.Coverage.Spans)
	for y := range img.Rect.Dy() {
		appendRow(&d.Coverage, img.Pix[y*img.Stride:][:4*img.Rect.Dx()], int32(y))
	}
	d.Items = append(d.Items, paint.Item{First: int32(first), Count: int32(len(d.Coverage.Spans) - first),
		Second: second, Opacity: shapes.Opaque, Clip: -1})
}

// longRun is how many opaque pixels in a row are a span of their own.
const longRun = 32

// appendRow adds the alpha of one row of RGBA pixels as spans.
func appendRow(dst *scan.Coverage, row []byte, y int32) {
	width := len(row) / 4
	for x := 0; ; {
		for x+1 < width && binary.LittleEndian.Uint64(row[4*x:])&0xff000000ff000000 == 0 {
			x += 2
		}
		for x < width && row[4*x+3] == 0 {
			x++
		}
		if x == width {
			return
		}
		if n := opaque(row[4*x:], width-x); n >= longRun {
			dst.Spans = append(dst.Spans, scan.Span{X: int32(x), Y: y, N: int32(n), At: scan.Full})
			x += n
			continue
		}
		from, at := x, len(dst.Bytes)
		for x < width && row[4*x+3] != 0 {
			n := opaque(row[4*x:], min(width-x, longRun))
			if n == longRun {
				break
			}
			for range max(n, 1) {
				dst.Bytes = append(dst.Bytes, row[4*x+3])
				x++
			}
		}
		dst.Spans = append(dst.Spans, scan.Span{X: int32(from), Y: y, N: int32(x - from), At: int32(at)})
	}
}

// opaque counts the opaque pixels at the start of a row, at most n.
func opaque(row []byte, n int) int {
	for i := range n {
		if row[4*i+3] != 255 {
			return i
		}
	}
	return n
}
