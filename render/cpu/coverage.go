package cpu

import (
	"plumb/render/batch"
)

// coverage returns an item's coverage of the pixels in tile row y, 0..255: from its mask, or 255
// without one.
func coverage(mask []batch.MaskRow, y int) (cover [batch.TileW]uint32) {
	for c := range cover {
		cover[c] = 255
		if len(mask) > 0 {
			cover[c] = uint32(mask[y][c])
		}
	}
	return cover
}

// paired reports whether an item is drawn by the two-pixel rule in column c of row y.
func paired(it *batch.Item, mask []batch.MaskRow, y, c int) bool {
	return it.Paint&batch.FlagPairs != 0 && mask[batch.TileH][2*y+c/8]>>(c%8)&1 != 0
}
