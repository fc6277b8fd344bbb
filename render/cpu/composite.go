package cpu

import "plumb/render/batch"

// eachPixel composites the pixels of one row of a run, left to right, and calls f for each; col is
// relative to the run's X.
func eachPixel(b *batch.Batch, r *batch.Run, y int, f func(col uint32, p *batch.Pixel)) {
	for _, t := range b.Tiles[r.Tiles : r.Tiles+r.Count] {
		if y >= int(t.Valid>>16) {
			continue
		}
		pixels := composite(b, r, b.Items[r.Items+t.First:][:t.Count], y)
		for c := range pixels[:t.Valid&0xffff] {
			f(t.Col+uint32(c), &pixels[c])
		}
	}
}

// composite paints the items of a tile, which come front to back, in row y.
func composite(b *batch.Batch, r *batch.Run, items []batch.Item, y int) (pixels [batch.TileW]batch.Pixel) {
	clipped := len(items) // items from here on have had their clip looked up
	var clip [batch.TileW]uint32
	for i := len(items) - 1; i >= 0; i-- {
		it := &items[i]
		if it.Paint&batch.FlagClip != 0 {
			continue
		}
		mask := b.Mask(r, it)
		cover := coverage(mask, y)
		if it.Paint&batch.FlagClipped != 0 {
			if clipped > i { // the nearest clip before the item
				for clipped = i - 1; items[clipped].Paint&batch.FlagClip == 0; clipped-- {
				}
				clip = coverage(b.Mask(r, &items[clipped]), y)
			}
			for c := range cover {
				cover[c] = batch.Div255(cover[c] * clip[c])
			}
		}
		for c := range pixels {
			pixels[c].Add(it, cover[c], paired(it, mask, y, c))
		}
	}
	return pixels
}
