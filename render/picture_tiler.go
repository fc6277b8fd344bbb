package render

import (
	"encoding/binary"
	"image"

	"plumb/render/batch"
	"plumb/render/paint"
	"plumb/render/scan"
	"plumb/render/shapes"
)

// pictureTiler turns pictures of the editor into input of the tile stage: one item per picture,
// whose coverage is the picture's alpha.
type pictureTiler struct {
	drawing paint.Drawing
	binner  batch.Binner
	tiled   batch.Tiled
}

// setPictures makes c.drawing of the editor's pictures. a shows the view's first set of shapes, b its
// second one, nil if it has none. Both pictures have the same size.
func (c *pictureTiler) setPictures(a, b *image.NRGBA) {
	d := &c.drawing
	d.Reset()
	d.Width, d.Height = a.Rect.Dx(), a.Rect.Dy()
	c.addPicture(a, false)
	if b != nil {
		c.addPicture(b, true)
	}
}

// addPicture adds the alpha of a picture to c.drawing as the coverage of one opaque item without a clip,
// in the second set of shapes or the first. So the tile stage sums the alpha of the editor's pixels.
func (c *pictureTiler) addPicture(img *image.NRGBA, second bool) {
	d := &c.drawing
	first := len(d.Coverage.Spans)
	for y := range img.Rect.Dy() {
		appendRow(&d.Coverage, img.Pix[y*img.Stride:][:4*img.Rect.Dx()], int32(y))
	}
	d.Items = append(d.Items, paint.Item{FirstSpan: int32(first), SpanCount: int32(len(d.Coverage.Spans) - first),
		InSecondSet: second, Opacity: shapes.Opaque, Clip: -1})
}

// longRun is the least length in px at which a run of opaque pixels becomes a span of its own.
const longRun = 32

// appendRow appends the alpha of one row of RGBA pixels as spans of row y. Transparent pixels get
// no span; a long run of opaque pixels gets one without bytes (scan.Full); all other pixels get
// spans with one byte of alpha a pixel.
func appendRow(dst *scan.Coverage, row []byte, y int32) {
	width := len(row) / 4
	const bothAlphas = 0xff000000ff000000 // the alpha bytes of two pixels that are read as one word
	for x := 0; ; {
		// Skip transparent pixels, two at a time as long as both are.
		for x+1 < width && binary.LittleEndian.Uint64(row[4*x:])&bothAlphas == 0 {
			x += 2
		}
		for x < width && row[4*x+3] == 0 {
			x++
		}
		if x == width {
			return
		}
		if n := countOpaque(row[4*x:], width-x); n >= longRun {
			dst.Spans = append(dst.Spans, scan.Span{X: int32(x), Y: y, Width: int32(n), FirstByte: scan.Full})
			x += n
			continue
		}
		// This span ends at a transparent pixel or where a long opaque run begins. A short opaque run is
		// appended as a whole, any other pixel (n is 0) by itself.
		from, at := x, len(dst.Bytes)
		for x < width && row[4*x+3] != 0 {
			n := countOpaque(row[4*x:], min(width-x, longRun))
			if n == longRun {
				break
			}
			for range max(n, 1) {
				dst.Bytes = append(dst.Bytes, row[4*x+3])
				x++
			}
		}
		dst.Spans = append(dst.Spans, scan.Span{X: int32(from), Y: y, Width: int32(x - from), FirstByte: int32(at)})
	}
}

// countOpaque returns how many pixels at the start of a row of the editor's picture are opaque. It counts
// up to limit, which must not be more than the row has.
func countOpaque(row []byte, limit int) int {
	for i := range limit {
		if row[4*i+3] != 255 {
			return i
		}
	}
	return limit
}
