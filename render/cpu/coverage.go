package cpu

import (
	"math"

	"plumb/render/batch"
	"plumb/render/metric"
)

// cover is an item's coverage of the pixels in tile row y, 0..1 on the grid of
// 1/65536.
func cover(records []batch.Segment, it *batch.Item, y int) (cover [batch.TileW]float32) {
	if it.Paint&batch.FlagMask == 0 {
		return coverage(records, it, y)
	}
	r := &records[y]
	for i, word := range [4]uint32{r.P0, r.P1, math.Float32bits(r.Slope), math.Float32bits(r.Steep)} {
		for c := range 4 {
			cover[4*i+c] = batch.Grid(float32(word>>(8*c)&0xff) * (1.0 / 255))
		}
	}
	return cover
}

// coverage is the exact signed area of an item's outline in each pixel of tile
// row y, by its fill rule (rendering-architecture.md 5). Each contribution is
// rounded to 1/65536; the sums of the grid steps are kept as integers, which is
// what the shader's float sums come to below 256 segments.
func coverage(segments []batch.Segment, it *batch.Item, y int) (cover [batch.TileW]float32) {
	var steps [batch.TileW]int64
	for i := range segments {
		add(&steps, &segments[i], float32(y))
	}
	for c := range cover {
		winding := float32(float64(it.Backdrop) + float64(steps[c])/metric.One)
		if it.Paint&batch.FlagEvenOdd != 0 {
			cover[c] = abs(winding - 2*floor(float32(winding*0.5)+0.5))
		} else {
			cover[c] = min(abs(winding), 1)
		}
	}
	return cover
}

// add adds one segment's signed area right of it, pixel by pixel.
func add(steps *[batch.TileW]int64, s *batch.Segment, row float32) {
	const unit = 1.0 / 1024
	x0, y0 := float32(s.P0&0xffff)*unit, float32(s.P0>>16)*unit
	y1 := float32(s.P1>>16) * unit
	a, b := clamp(y0-row), clamp(y1-row)
	dy := b - a
	if dy == 0 {
		return
	}
	xa := x0 + float32(float32(float32(a+row)-y0)*s.Slope)
	xb := x0 + float32(float32(float32(b+row)-y0)*s.Slope)
	lo, hi := min(xa, xb), max(xa, xb)
	w := hi - lo
	k := float32(s.Steep * 0.5)
	if dy < 0 {
		k = -k
	}
	before := right(0, lo, hi, w, k, dy)
	for c := range steps {
		after := right(float32(c+1), lo, hi, w, k, dy)
		steps[c] += int64(batch.Grid(after-before) * metric.One)
		before = after
	}
}

// right is the area of the strip between the segment and x = v, signed by the
// segment's direction: 0 left of it, growing quadratically across it, linearly
// right of it. k is half the steepness, so no division is needed here and
// devices agree.
func right(v, lo, hi, w, k, dy float32) float32 {
	q := min(max(v-lo, 0), w)
	return float32(float32(k*q)*q) + float32(dy*max(v-hi, 0))
}

func clamp(v float32) float32 { return min(max(v, 0), 1) }

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

func floor(v float32) float32 { return float32(math.Floor(float64(v))) }

// covered is 1 where the pixel rule counts the alpha.
func covered(a uint32) uint32 {
	if a >= metric.CoveredFrom {
		return 1
	}
	return 0
}
