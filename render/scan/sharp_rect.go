package scan

import (
	"plumb/render/chord"
	"slices"
)

// SharpRect appends the coverage of box (left, top, right, bottom, in px), within clip, by the
// reference's own code for rectangles: sides lie on 1/256 px, and a corner pixel is the product
// of both parts. It returns the range of the spans. See docs/spec/raster.md#r23.
func SharpRect(dst *Coverage, box [4]float32, clip chord.Rect) (first, count int) {
	first = len(dst.Spans)
	const far = 1 << 24 // px; no canvas reaches so far
	var side [4]int64   // of the box, in 1/256 px
	for i, v := range box {
		side[i] = int64(max(-far, min(v, far)) * 256)
	}
	left, top, right, bottom := side[0], side[1], side[2], side[3]
	// part returns how much of pixel px lies between lo and hi, in 1/256.
	part := func(lo, hi, px int64) int64 { return max(0, min(hi, (px+1)*256)-max(lo, px*256)) }
	// The columns from x0 to before x1, sides rounded outwards to px.
	x0, x1 := max(left>>8, int64(clip.X0)), min((right+255)>>8, int64(clip.X1))
	thin := int64(0) // a rectangle in a single row covers 1/256 less of it
	if top>>8 == (bottom-1)>>8 {
		thin = 1
	}
	for y := max(top>>8, int64(clip.Y0)); y < min((bottom+255)>>8, int64(clip.Y1)); y++ {
		h := max(0, part(top, bottom, y)-thin)
		for x := x0; x < x1; {
			w, n := part(left, right, x), int64(1)
			if w == 256 { // all columns of whole width make one span
				n = max(1, min(right>>8, x1)-x)
			}
			span := Span{X: int32(x), Y: int32(y), Width: int32(n), FirstByte: Full}
			if a := min(w*h>>8, 255); w < 256 || h+thin < 256 { // not wholly covered: the span has bytes
				span.FirstByte = int32(len(dst.Bytes))
				dst.Bytes = append(dst.Bytes, slices.Repeat([]byte{byte(a)}, int(n))...)
			}
			dst.Spans = append(dst.Spans, span)
			x += n
		}
	}
	return first, len(dst.Spans) - first
}
