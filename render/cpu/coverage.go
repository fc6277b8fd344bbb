package cpu

import (
	"plumb/render/batch"
	"plumb/render/metric"
)

// cover is an item's coverage of the pixels in tile row y, 0..1 on the grid of
// 1/65536: its mask's, or all of them.
func cover(mask []batch.MaskRow, y int) (cover [batch.TileW]float32) {
	for c := range cover {
		cover[c] = 1
		if len(mask) > 0 {
			cover[c] = batch.Grid(float32(mask[y][c]) * (1.0 / 255))
		}
	}
	return cover
}

// covered is 1 where the pixel rule counts the alpha.
func covered(a uint32) uint32 {
	if a >= metric.CoveredFrom {
		return 1
	}
	return 0
}
