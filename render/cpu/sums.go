package cpu

import (
	"plumb/render/batch"
	"plumb/render/metric"
)

// rowSums computes the sums of one pixel row of a run: of alpha and of alpha times the column, for both sets
// of shapes, and the numbers of covered pixels in the first set, in the second and in both, ten bits each. A
// row has at most 128 pixels, so every sum fits 32 bits (batch.RunSpan). pixels is scratch memory.
func rowSums(b *batch.Batch, r *batch.Run, y int, pixels *tileRow) (sums batch.RowSums) {
	eachPixel(b, r, y, pixels, func(col uint32, p *batch.Pixel) {
		a0, a1 := p.Alpha()
		sums.A0 += a0
		sums.AX0 += a0 * col
		sums.A1 += a1
		sums.AX1 += a1 * col
		sums.Counts += covered(a0) | covered(a1)<<10 | covered(a0)*covered(a1)<<20
	})
	return sums
}

// covered returns 1 if a pixel with that alpha counts as covered by a shape, else 0.
func covered(a uint32) uint32 {
	if a >= metric.CoveredFrom {
		return 1
	}
	return 0
}
