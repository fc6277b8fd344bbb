package scan

import "math"

// fillSmallRect fills an axis-parallel rectangle of small-mask size with its exact area, without
// rounding its sides. It returns false, and draws nothing, if the rectangle is less than 3 columns
// wide. See docs/spec/raster.md#r23.
func fillSmallRect(dst *Coverage, f *pathFill) bool {
	x0, x1 := max(f.lo.X, float32(f.clip.X0)), min(f.hi.X, float32(f.clip.X1))
	y0, y1 := max(f.lo.Y, float32(f.clip.Y0)), min(f.hi.Y, float32(f.clip.Y1))
	left, right := int32(math.Floor(float64(x0))), int32(math.Ceil(float64(x1)))
	top, bottom := int32(math.Floor(float64(y0))), int32(math.Ceil(float64(y1)))
	const leastColumns = 3
	if right-left < leastColumns {
		return false
	}
	l, r := float32(left+1)-x0, x1-float32(right-1) // widths in the first and in the last column
	for y := top; y < bottom; y++ {
		h := float32(1) // height in this row
		switch {
		case bottom-top == 1:
			h = y1 - y0
		case y == top:
			h = float32(top+1) - y0
		case y == bottom-1:
			h = y1 - float32(bottom-1)
		}
		// The alpha of a pixel is its covered width times the covered height.
		pos := len(dst.Bytes)
		dst.Bytes = append(dst.Bytes, areaAlpha(l*h))
		for range right - left - 2 {
			dst.Bytes = append(dst.Bytes, areaAlpha(h))
		}
		dst.Bytes = append(dst.Bytes, areaAlpha(r*h))
		dst.appendTrimmed(left, y, pos)
	}
	return true
}

// areaAlpha converts a share of a pixel to alpha, with values near 0 and 255 snapped.
func areaAlpha(area float32) byte { return snapped[byte(float32(area*255))] }

// appendTrimmed makes the bytes from position pos on, which must be the last ones, a span that begins in
// column x of row y. Zeros at both ends are left out: trailing ones are removed from the bytes, leading ones
// stay there unused. If all are zero there is no span.
func (coverage *Coverage) appendTrimmed(x, y int32, pos int) {
	end := len(coverage.Bytes)
	for end > pos && coverage.Bytes[end-1] == 0 {
		end--
	}
	coverage.Bytes = coverage.Bytes[:end]
	for pos < end && coverage.Bytes[pos] == 0 {
		pos, x = pos+1, x+1
	}
	if pos == end {
		return
	}
	if end > math.MaxInt32 { // never: callers bound the bytes far below what Span.FirstByte can hold
		coverage.Bytes = coverage.Bytes[:pos]
		return
	}
	coverage.Spans = append(coverage.Spans, Span{X: x, Y: y, Width: int32(end - pos), FirstByte: int32(pos)})
}
