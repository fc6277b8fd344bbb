package cpu

import (
	"plumb/render/batch"
)

// coverage returns an item's coverage of the pixels in row y of a tile, 0..255. mask is the item's mask, a
// row of bytes for each row of the tile; an item without one fills the tile, and covers all pixels.
func coverage(mask []batch.MaskRow, y int) (cover [batch.TileW]uint32) {
	for c := range cover {
		cover[c] = 255
		if len(mask) > 0 {
			cover[c] = uint32(mask[y][c])
		}
	}
	return cover
}

// paired reports whether an item is drawn by the two-pixel rule in column c of row y: the browser draws that
// pixel together with a neighbour, and rounds in another way. The mask then has one more row, with a bit for
// each pixel of the tile.
func paired(it *batch.Item, mask []batch.MaskRow, y, c int) bool {
	return it.Paint&batch.FlagPairs != 0 && mask[batch.TileH][2*y+c/8]>>(c%8)&1 != 0
}
