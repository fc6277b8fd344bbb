package canvas

import "math"

// fillFrame paints the area between an outer rectangle and an inner one: the outline of a rectangle. If the
// line is so wide that the inner sides have crossed, there is no hole. Edges are rounded down to 1/256 px, and a
// pixel's coverage is the product of the covered parts of its width and height. The two rectangles must be at
// least 2 px apart. See docs/spec/raster.md#r23.
func (canvas *Canvas) fillFrame(outer, inner frameBox, blend blender) {
	if inner.x1 <= inner.x0 || inner.y1 <= inner.y0 { // crossed
		inner = frameBox{}
	}
	top, bottom := int(max(0, math.Floor(outer.y0))), int(min(Height, math.Ceil(outer.y1)))
	left, right := int(max(0, math.Floor(outer.x0))), int(min(Width, math.Ceil(outer.x1)))
	for y := top; y < bottom; y++ {
		row := canvas.rowForWriting(y)
		for x := left; x < right; x++ {
			if inner.holds(x, y) {
				// Nothing until its right edge: go on in the column of that.
				x = max(x, int(min(float64(right), math.Floor(inner.x1)))-1)
				continue
			}
			if a := outer.cover(x, y) - inner.hole(x, y); a > 0 {
				canvas.blendPixel(row, x, y, uint32(a), 0, blend)
			}
		}
	}
}

// frameBox is a rectangle in px.
type frameBox struct{ x0, y0, x1, y1 float64 }

// holds reports whether a whole pixel lies inside.
func (box frameBox) holds(x, y int) bool {
	return float64(x) >= box.x0 && float64(x+1) <= box.x1 && float64(y) >= box.y0 && float64(y+1) <= box.y1
}

// cover returns how much of pixel (x, y) of the canvas the rectangle covers, 0..255.
func (box frameBox) cover(x, y int) int {
	w := coveredPart(box.x0, box.x1, x)
	h := coveredPart(box.y0, box.y1, y)
	if w == 256 && h == 256 {
		return 255
	}
	return w * h >> 8
}

// hole returns the share of a pixel that the inner box leaves unpainted, 0..255. Its left and
// upper edges take 1/256 less than they cover, as in the browser. See
// docs/spec/drawingbench.md#r61.
func (box frameBox) hole(x, y int) int {
	w, h := coveredPart(box.x0, box.x1, x), coveredPart(box.y0, box.y1, y)
	if w > 0 && box.x0 > float64(x) {
		w--
	}
	if h > 0 && box.y0 > float64(y) {
		h--
	}
	return min(255, (w*h+128)>>8)
}

// coveredPart returns how much of a pixel, which reaches from pos to pos+1 on one axis, lies between a and b on that
// axis, in 1/256 px.
func coveredPart(a, b float64, pos int) int {
	lo, hi := max(a, float64(pos)), min(b, float64(pos+1))
	if hi <= lo {
		return 0
	}
	return int(math.Floor((hi-float64(pos))*256) - math.Floor((lo-float64(pos))*256))
}
