package cpu

import "plumb/render/batch"

// tileRow is one row of pixels of a tile. Callers keep one for all rows.
type tileRow [batch.TileW]batch.Pixel

// eachPixel composites the pixels of row y, 0 to 7, of a run of tiles, left to right, and calls f for each that is
// in the picture; col is relative to the run's X. pixels is scratch memory.
func eachPixel(b *batch.Batch, r *batch.Run, y int, pixels *tileRow, f func(col uint32, p *batch.Pixel)) {
	for _, t := range b.Tiles[r.Tiles : r.Tiles+r.Count] {
		if y >= int(t.Valid>>16) { // below the picture; Valid has columns | rows<<16
			continue
		}
		pixels.composite(b, r, b.Items[r.Items+t.First:][:t.Count], y)
		for c := range pixels[:t.Valid&0xffff] {
			f(t.Col+uint32(c), &pixels[c])
		}
	}
}

// composite paints the items of a tile, which come front to back, in row y, from the last one to the first. A clip
// is not painted: the coverage of the items that it clips is multiplied by it.
func (pixels *tileRow) composite(b *batch.Batch, run *batch.Run, items []batch.Item, y int) {
	*pixels = tileRow{}
	clipped := len(items) // items from here on have had their clip looked up
	var clip [batch.TileW]uint32
	for i := len(items) - 1; i >= 0; i-- {
		it := &items[i]
		if it.Paint&batch.FlagClip != 0 {
			continue
		}
		mask := b.Mask(run, it)
		cover := coverage(mask, y)
		if it.Paint&batch.FlagClipped != 0 {
			if clipped > i { // the nearest clip before the item
				for clipped = i - 1; items[clipped].Paint&batch.FlagClip == 0; clipped-- {
				}
				clip = coverage(b.Mask(run, &items[clipped]), y)
			}
			for c := range cover {
				cover[c] = batch.Div255(cover[c] * clip[c])
			}
		}
		const changing = batch.FlagGrouped | batch.FlagRound | batch.FlagPairs
		for c := range pixels {
			if cover[c] == 0 && it.Paint&changing == 0 { // it leaves the pixel as it is
				continue
			}
			pixels[c].Add(it, cover[c], paired(it, mask, y, c))
		}
	}
}
