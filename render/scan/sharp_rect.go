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
	var f [4]int64
	for i, v := range box {
		f[i] = int64(max(-1<<24, min(v, 1<<24)) * 256)
	}
	part := func(lo, hi, px int64) int64 { return max(0, min(hi, (px+1)*256)-max(lo, px*256)) }
	x0, x1 := max(f[0]>>8, int64(clip.X0)), min((f[2]+255)>>8, int64(clip.X1))
	thin := int64(0) // a rectangle in a single row covers 1/256 less of it
	if f[1]>>8 == (f[3]-1)>>8 {
		thin = 1
	}
	for y := max(f[1]>>8, int64(clip.Y0)); y < min((f[3]+255)>>8, int64(clip.Y1)); y++ {
		h := max(0, part(f[1], f[3], y)-thin)
		for x := x0; x < x1; {
			w, n := part(f[0], f[2], x), int64(1)
			if w == 256 {
				n = max(1, min(f[2]>>8, x1)-x)
			}
			s := Span{X: int32(x), Y: int32(y), N: int32(n), At: Full}
			if a := min(w*h>>8, 255); w < 256 || h+thin < 256 {
				s.At = int32(len(dst.Bytes))
				dst.Bytes = append(dst.Bytes, slices.Repeat([]byte{byte(a)}, int(n))...)
			}
			dst.Spans = append(dst.Spans, s)
			x += n
		}
	}
	return first, len(dst.Spans) - first
}
