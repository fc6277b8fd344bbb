package scan

import "math"

// rectangle fills an axis-parallel rectangle of small-mask size exactly, on no grid. It returns
// false if the rectangle is too narrow for that. See docs/spec/raster.md#r23.
func rectangle(dst *Coverage, f *fill) bool {
	x0, x1 := max(f.lo.X, float32(f.clip.X0)), min(f.hi.X, float32(f.clip.X1))
	y0, y1 := max(f.lo.Y, float32(f.clip.Y0)), min(f.hi.Y, float32(f.clip.Y1))
	left, right := int32(math.Floor(float64(x0))), int32(math.Ceil(float64(x1)))
	top, bottom := int32(math.Floor(float64(y0))), int32(math.Ceil(float64(y1)))
	if right-left < 3 {
		return false
	}
	l, r := float32(left+1)-x0, x1-float32(right-1)
	for y := top; y < bottom; y++ {
		h := float32(1)
		switch {
		case bottom-top == 1:
			h = y1 - y0
		case y == top:
			h = float32(top+1) - y0
		case y == bottom-1:
			h = y1 - float32(bottom-1)
		}
		at := int32(len(dst.Bytes))
		dst.Bytes = append(dst.Bytes, partOf(l*h))
		for range right - left - 2 {
			dst.Bytes = append(dst.Bytes, partOf(h))
		}
		dst.Bytes = append(dst.Bytes, partOf(r*h))
		dst.trim(left, y, at)
	}
	return true
}

// partOf is the alpha of a part of a pixel, with its ends snapped.
func partOf(area float32) byte { return snapped[byte(float32(area*255))] }

// trim makes the bytes from at on a span that begins in column x of row y, less
// zeros at its ends.
func (c *Coverage) trim(x, y, at int32) {
	b := c.Bytes[at:]
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	c.Bytes = c.Bytes[:int(at)+len(b)]
	for len(b) > 0 && b[0] == 0 {
		b, x, at = b[1:], x+1, at+1
	}
	if len(b) > 0 {
		c.Spans = append(c.Spans, Span{X: x, Y: y, N: int32(len(b)), At: at})
	}
}
