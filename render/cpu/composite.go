package cpu

import "plumb/render/batch"

// tileRow is one row of pixels of a tile. Callers keep one for all rows.
type tileRow [batch.TileW]batch.Pixel

// eachPixel composites the pixels of row y, 0 to 7, of a run of tiles, left to right, and calls f
// for each that is in the picture; col is relative to the run's X. pixels is scratch memory.
func eachPixel(batch *batch.Batch, run *batch.Run, y int, pixels *tileRow, f func(col uint32, p *batch.Pixel)) {
	for _, tile := range batch.Tiles[run.FirstTile : run.FirstTile+run.TileCount] {
		if y >= tile.ValidRows() { // below the picture
			continue
		}
		pixels.composite(batch, run, batch.Items[run.FirstItem+tile.FirstItem:][:tile.ItemCount], y)
		for c := range pixels[:tile.ValidColumns()] {
			f(tile.Col+uint32(c), &pixels[c])
		}
	}
}

// composite paints the items of a tile, which come front to back, in row y, from the last one to
// the first. A clip is not painted: the coverage of the items that it clips is multiplied by it.
func (pixels *tileRow) composite(b *batch.Batch, run *batch.Run, items []batch.Item, y int) {
	*pixels = tileRow{}
	clipAt := len(items) // position of the clip that was looked up last
	var clip [batch.TileW]uint32
	for i := len(items) - 1; i >= 0; i-- {
		item := &items[i]
		if item.Paint&batch.FlagClip != 0 {
			continue
		}
		mask := b.Mask(run, item)
		cover := coverage(mask, y)
		if item.Paint&batch.FlagClipped != 0 {
			if clipAt > i { // the nearest clip before the item
				for clipAt = i - 1; items[clipAt].Paint&batch.FlagClip == 0; clipAt-- { // there always is one
				}
				clip = coverage(b.Mask(run, &items[clipAt]), y)
			}
			for c := range cover {
				cover[c] = batch.Div255(cover[c] * clip[c])
			}
		}
		// Items with these flags may change a pixel that they do not cover.
		const changing = batch.FlagGrouped | batch.FlagRoundNearest | batch.FlagPairs
		for c := range pixels {
			if cover[c] == 0 && item.Paint&changing == 0 {
				continue
			}
			pixels[c].Add(item, cover[c], paired(item, mask, y, c))
		}
	}
}
